package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/tip"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// tips shows the tips of the actions in the place of notices. One stands until the next
// key or click, and hides nothing: it waits while there is something else to be read,
// while the user writes, and for a reply after the tip before it.
type tips struct {
	a      *app
	on     bool
	teller *tip.Scheduler
	ready  bool // since the last tip
}

func newTips(a *app, declared []pane.Tip) *tips {
	t := &tips{a: a, on: a.opts.Tips && a.eng != nil, ready: true}
	var all []tip.Tip
	for _, d := range declared {
		x := d.Tip
		x.Words = func() string { return t.words(d) }
		all = append(all, x)
	}
	t.teller = tip.New(all, a.kept.Tips)
	return t
}

// words returns those of a tip, with the keys as they are now; "" while its action cannot be
// done, or no key leads to it.
func (t *tips) words(d pane.Tip) string {
	way := t.pathTo(d.Of)
	if way == "" || t.a.whyNot(d.Of) != "" {
		return ""
	}
	return "Tip: " + fmt.Sprintf(d.Line, way)
}

// pathTo returns how the user comes to an action from where the keys go: by its key, also where
// the messages have to be gone to first, or else by the leader.
func (t *tips) pathTo(act keys.Name) string {
	km, mode := t.a.keys, t.a.mode
	there, leads := km.Key(act, keys.Browse), km.Key(keys.ToBrowse, mode)
	if mode == keys.Write && km.Key(act, mode) == "" && there != "" && leads != "" {
		return leads + ", then " + there
	}
	return pane.PathTo(t.a, act)
}

// handle takes an event, or nil where something else may have changed, and shows the tip
// whose moment it is.
func (t *tips) handle(ev event.Event) tea.Cmd {
	switch ev.(type) {
	case play.ReplyDelta:
		return nil
	case play.ReplyEnded:
		t.ready = true
	}
	if !t.on || t.a.Play().Chat().Chat.ID == "" {
		return nil
	}
	var cmds []tea.Cmd
	for _, x := range t.teller.Handle(ev) {
		cmds = append(cmds, t.check(x))
	}
	return tea.Batch(append(cmds, t.show())...)
}

// check has a tip look whether its moment is there in the open chat. Once it has, the
// screen hears that something has changed.
func (t *tips) check(x tip.Tip) tea.Cmd {
	chat := t.a.Play().Chat().Chat.ID
	return t.a.Do(func() func() tea.Cmd {
		found := x.Look(chat)
		return func() tea.Cmd {
			if t.teller.Checked(x.ID, found) {
				return t.check(x)
			}
			return nil
		}
	})
}

// hidden has a tip come again that something else was said over before a key was pressed.
func (t *tips) hidden() {
	t.teller.Requeue()
	t.ready = true
}

// show shows the next tip, where nothing is in its way.
func (t *tips) show() tea.Cmd {
	a := t.a
	if !t.ready || a.notice.text != "" || a.dialogs.Top() != nil || a.Play().Replying() ||
		!draw.Blank(a.Play().Draft()) {
		return nil
	}
	words, ok := t.teller.Next()
	if !ok {
		return nil
	}
	t.ready = false
	a.notice = notice{text: strings.TrimSpace(words), id: a.notice.id + 1, tip: true}
	a.kept.Tips = t.teller.Shown()
	return a.keep()
}
