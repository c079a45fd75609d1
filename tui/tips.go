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

// tips shows the tips of the actions in place of notices. A tip stays until the next key or click.
// It does not hide anything: it waits while there is a notice to read, while the user writes, and
// for a reply after the previous tip.
type tips struct {
	a      *app
	on     bool
	teller *tip.Scheduler
	ready  bool // since the last tip, a new one may be shown
}

func newTips(a *app, declared []pane.Tip) *tips {
	t := &tips{a: a, on: a.opts.Tips && a.eng != nil, ready: true}
	var all []tip.Tip
	for _, d := range declared {
		x := d.Tip
		x.Text = func() string { return t.words(d) }
		all = append(all, x)
	}
	t.teller = tip.New(all, a.kept.Tips)
	return t
}

// words returns the words of a tip, with the current keys; "" while its action is not available, or
// no key leads to it.
func (t *tips) words(d pane.Tip) string {
	way := t.pathTo(d.Of)
	if way == "" || t.a.whyNot(d.Of) != "" {
		return ""
	}
	return "Tip: " + fmt.Sprintf(d.Line, way)
}

// pathTo returns the keys for an action from the current focus: its own key, if necessary after the
// key to the messages, or else its keys in the leader.
func (t *tips) pathTo(act keys.Name) string {
	km, mode := t.a.keys, t.a.mode
	there, leads := km.Key(act, keys.Browse), km.Key(keys.ToBrowse, mode)
	if mode == keys.Write && km.Key(act, mode) == "" && there != "" && leads != "" {
		return leads + ", then " + there
	}
	return pane.PathTo(t.a, act)
}

// handle handles an event, or nil if something else may have changed, and shows a tip that fits.
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

// check checks whether a tip applies to the open chat, away from the screen's goroutine. It repeats
// the check if an event meanwhile may have changed the result.
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

// hidden requeues a tip that another notice replaced before a key was pressed.
func (t *tips) hidden() {
	t.teller.Requeue()
	t.ready = true
}

// show shows the next tip, if nothing prevents it.
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
