package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
)

// frameTime is the minimum time between two frames. It only matters under a flood of messages.
const frameTime = time.Second / 120

// frameLimiter decides when to paint: immediately after a quiet moment, so that a key is visible
// within a millisecond, and at most once per frameTime under load.
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

// due reports whether to paint after msg. If it is too early it starts a timer that asks again.
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
