package play

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// actsDialog is a list of the quick acts that the user marks for one reply.
type actsDialog struct {
	part    *Part
	steer   storage.Steer
	touched bool // a mark has changed
	list    []play.Act
	at      chats.Message // the reply that can be retaken
	again   bool          // there is one
}

// openActs lists the quick acts: for the next reply, or for another take of the selected reply or
// the last one.
func (r *Part) openActs() tea.Cmd {
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	a := &actsDialog{part: r, steer: r.view.Chat.Steer, list: r.host.Engine().Play.Acts()}
	m, ok := r.LastMessage()
	if s, browsed := r.Selected(); browsed && r.host.Mode() == keys.Browse {
		m, ok = s, true
	}
	if a.at, a.again = m, ok && m.Role == storage.Assistant && m.Parent != ""; a.again && a.steer.IsZero() {
		a.steer.Acts = slices.Clone(m.Steer.Acts) // another take would use them too
	}
	var p *widget.Picker
	keep := a.steer
	extras := []widget.Extra{{Name: keys.DialogMark, Description: "select", Keep: true,
		Do: func(e widget.Entry) tea.Cmd {
			if act, ok := e.Value.(play.Act); ok {
				a.touched, a.steer = true, play.WithAct(a.steer, act)
				p.Fill(a.entries())
			}
			return nil
		}}}
	if a.again {
		extras = append(extras, widget.Extra{Name: keys.DialogAgain, Description: "retake " +
			takeWords(m), Do: func(e widget.Entry) tea.Cmd {
			if q, ok := e.Value.(QuickReply); ok {
				return r.Nudge(q.Text)
			}
			return r.retake(m.ID, storage.Steer{Beat: m.Steer.Beat, Acts: a.wanted(e, m.Steer.Acts)})
		}})
	}
	p = widget.NewPicker(r.host.Styles(), "Quick acts: how the next reply is written", a.entries(),
		func(e widget.Entry) tea.Cmd {
			if q, ok := e.Value.(QuickReply); ok {
				return r.Nudge(q.Text)
			}
			if !a.touched {
				a.steer.Acts = r.view.Chat.Steer.Acts
			}
			return r.steer(storage.Steer{Beat: keep.Beat, Acts: a.wanted(e, a.steer.Acts)}, false)
		}, extras...)
	p.Verb = func(e widget.Entry) string {
		if _, ok := e.Value.(QuickReply); ok {
			return "nudge"
		}
		return "next reply"
	}
	user := r.view.Persona.Name
	if user == "" {
		user = "you"
	}
	told := strings.NewReplacer("{{char}}", r.view.Character.Card.CharName(), "{{user}}", user)
	p.Says = func(e widget.Entry) string {
		switch v := e.Value.(type) {
		case play.Act:
			return draw.Truncate(told.Replace(v.Instruction), 300)
		case QuickReply:
			return draw.Truncate(v.Text, 300)
		}
		return ""
	}
	r.host.Open(p)
	return nil
}

// takeWords describes the reply that is retaken.
func takeWords(m chats.Message) string {
	if len(m.Steer.Acts) > 0 {
		return "(now " + draw.Clip(strings.Join(m.Steer.Acts, ", "), 24) + ")"
	}
	return "it"
}

// wanted returns the marked acts. If the user has changed no mark, it returns the chosen one with
// the earlier ones.
func (a *actsDialog) wanted(e widget.Entry, before []string) []string {
	act, ok := e.Value.(play.Act)
	if a.touched || !ok {
		return a.steer.Acts
	}
	return play.WithAct(storage.Steer{Acts: before}, act).Acts
}

// entries returns the acts, and the user's quick replies that nudge.
func (a *actsDialog) entries() (list []widget.Entry) {
	for _, act := range a.list {
		mark := "  "
		if slices.Contains(a.steer.Acts, act.Name) {
			mark = "✓ "
		}
		list = append(list, widget.Entry{Title: mark + draw.Truncate(actWords(act.Name), 40),
			Detail: draw.Truncate(act.Description, 120), Value: act})
	}
	for _, q := range a.part.quick.list {
		if q.Do == QuickNudge {
			list = append(list, widget.Entry{Title: "  " + q.label(), Detail: draw.Truncate(q.Text, 120),
				Right: "yours", Value: q})
		}
	}
	return list
}

// actWords returns the display name of an act.
func actWords(name string) string { return strings.ReplaceAll(name, "-", " ") }

// steerWords returns the instructions for a reply, in a few words; "" for none.
func steerWords(s storage.Steer, cells int) string {
	var parts []string
	for _, act := range s.Acts {
		parts = append(parts, actWords(act))
	}
	words := draw.Truncate(strings.Join(parts, ", "), cells)
	if s.Beat == "" {
		return words
	}
	if words != "" {
		words += ", "
	}
	return words + "“" + draw.Clip(draw.Truncate(s.Beat, 200), max(8, cells-len(words)-2)) + "”"
}

// steer stores the instructions for the next reply. With ask, the reply is requested immediately if
// the last message is the user's.
func (r *Part) steer(s storage.Steer, ask bool) tea.Cmd {
	chat, eng := r.view.Chat.ID, r.host.Engine()
	r.view.Chat.Steer = s
	return r.host.Do(func() func() tea.Cmd {
		err := eng.Play.SetSteer(chat, s)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return tea.Batch(r.Reload(), r.host.Fail(err))
			case r.view.Chat.ID != chat:
				return nil
			case ask && r.unanswered():
				return r.requestReply(r.list.Items[len(r.list.Items)-1].Msg)
			case s.IsZero():
				return r.host.Say(event.Info, "the next reply has no extra instructions")
			}
			return r.host.Say(event.Info, "the next reply: "+steerWords(s, 60))
		}
	})
}

// retake requests another take of a reply with the given instructions.
func (r *Part) retake(node storage.NodeID, s storage.Steer) tea.Cmd {
	chat, eng := r.view.Chat.ID, r.host.Engine()
	r.list.Bottom()
	return pane.Try(r.host, func() error { return eng.Play.RegenerateSteered(chat, node, s) })
}
