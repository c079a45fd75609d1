package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
)

// frameTime is the least time between two frames. It only matters in a storm of messages.
const frameTime = time.Second / 120

// frameLimiter decides when to paint: at once after a quiet moment, so that a key is
// seen within a millisecond, and at most every frameTime in a storm.
type frameLimiter struct {
	last  time.Time
	armed bool
	send  func(tea.Msg)
}

type paintMsg struct{}

// ending reports whether a reply has ended: that is rare, and waited for.
func ending(msg tea.Msg) bool {
	ev, ok := msg.(eventMsg)
	if !ok {
		return false
	}
	_, ended := ev.event.(play.ReplyEnded)
	return ended
}

// due reports whether to paint after msg. When it is too early it arms a timer
// that will ask again.
func (p *frameLimiter) due(msg tea.Msg) bool {
	if _, ok := msg.(paintMsg); ok {
		p.armed = false
		p.last = time.Now()
		return true
	}
	wait := frameTime - time.Since(p.last)
	if wait <= 0 || ending(msg) {
		p.last = time.Now()
		return true
	}
	if !p.armed {
		p.armed = true
		time.AfterFunc(wait, func() {
			defer crash.Recover("the frame timer")
			p.send(paintMsg{})
		})
	}
	return false
}
