package memory

import (
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	kinds "github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// factAction is something that is done with a fact.
type factAction struct {
	action keys.Action                 // without Do
	not    func(f *memory.Fact) string // reason why it is not available, "" if it is; nil means always
	do     func(f *memory.Fact) tea.Cmd
}

// list returns all actions on facts, the most useful first.
func (v *facts) list() []factAction {
	return []factAction{
		{keys.Action{Name: keys.PaneEdit, Text: "edit the fact where it is kept", Hint: "edit"}, nil, v.edit},
		{keys.PaneAction(keys.Action{Name: correct, Text: "correct the fact everywhere", Hint: "correct"},
			"pane-constant"),
			nil,
			func(f *memory.Fact) tea.Cmd { return correctFact(v.Host, *f, v.done) }},
		{keys.Action{Name: keys.PaneStop, Text: "end the fact: it is no longer true", Hint: "end"}, nil, v.end},
		{keys.Action{Name: keys.PaneLock, Text: "keep the fact in prompts", Hint: "keep"},
			whyNotBringBack, v.bringBack},
		{shareAction(),
			func(f *memory.Fact) string { return f.WhyNotShare(v.view.Cast) },
			func(f *memory.Fact) tea.Cmd { return v.share(v.Chat, *f, v.view.Cast) }},
	}
}

func shareAction() keys.Action {
	return keys.PaneAction(keys.Action{Name: share, Text: "share with a character", Hint: "share"}, "pane-retype")
}

// onRow returns the actions on a row; on supplies the row.
func (v *facts) onRow(on func(do func(r row) tea.Cmd) func() tea.Cmd) (all []keys.Action) {
	for _, a := range v.list() {
		d := a.action
		d.Do = on(func(r row) tea.Cmd { return v.act(a, r) })
		all = append(all, d)
	}
	return append(all, keys.Action{Name: keys.PaneCopy, Text: "copy the fact",
		Do: on(func(r row) tea.Cmd { return v.Host.Copy(r.fact.Text, "fact") })})
}

// act applies an action to the fact of a row; for a pair it asks which fact is meant.
func (v *facts) act(a factAction, r row) tea.Cmd {
	not := func(f *memory.Fact) string {
		if a.not == nil {
			return ""
		}
		return a.not(f)
	}
	do := func(f *memory.Fact) func() tea.Cmd {
		return func() tea.Cmd {
			if why := not(f); why != "" {
				return v.Host.Say(event.Info, why)
			}
			return a.do(f)
		}
	}
	if r.other == nil || not(&r.fact) != "" && not(r.other) != "" {
		return do(&r.fact)()
	}
	v.Host.Open(&widget.Confirm{Title: "Which one: " + a.action.Hint, Text: r.verdict() + ".", Choices: []widget.Choice{
		{Key: "1", Words: "“" + draw.Truncate(r.fact.Text, 120) + "”", Do: do(&r.fact)},
		{Key: "2", Words: "“" + draw.Truncate(r.other.Text, 120) + "”", Do: do(r.other)}}})
	return nil
}

// quoted returns a fact as part of a sentence.
func quoted(f *memory.Fact) string { return "“" + draw.Truncate(f.Text, 30) + "”" }

// step changes a fact, away from the screen's goroutine. It can be undone, and the facts are read
// again.
func (v *facts) step(words string, do func() (memory.Step, error)) tea.Cmd {
	v.mine = time.Now()
	return v.p.Order.Do(v.Host, func() func() tea.Cmd {
		s, err := do()
		return func() tea.Cmd {
			if err != nil {
				return v.Host.Fail(err)
			}
			return v.done(words, s.Undo)
		}
	})
}

// done shows a notice, records how to undo it, and reads the facts again if they are shown.
func (v *facts) done(words string, back func() error) tea.Cmd {
	cmd := v.p.Changed(words, back)
	if v.mine = time.Now(); v.p.at == factsView {
		cmd = tea.Batch(cmd, v.Read())
	}
	return cmd
}

// end ends a fact.
func (v *facts) end(f *memory.Fact) tea.Cmd {
	eng, chat, id := v.Host.Engine(), v.Chat, f.ID
	return v.step(quoted(f)+" ended", func() (memory.Step, error) { return eng.Memory.End(chat, id) })
}

// whyNotBringBack returns the reason why a fact cannot be brought back into the prompt, "" if it
// can.
func whyNotBringBack(f *memory.Fact) string {
	if f.InPrompt {
		return "it is already in the next prompt"
	}
	return f.WhyNotKeepInPrompt()
}

// bringBack keeps a fact that has left prompts in them again.
func (v *facts) bringBack(f *memory.Fact) tea.Cmd {
	eng, chat, id := v.Host.Engine(), v.Chat, f.ID
	return v.step(quoted(f)+" restored and kept in prompts",
		func() (memory.Step, error) { return eng.Memory.KeepInPrompt(chat, id) })
}

// share asks with whom a fact is shared.
func (v *facts) share(chat storage.ChatID, f memory.Fact, cast []memory.Knower) tea.Cmd {
	eng := v.Host.Engine()
	var list []widget.Entry
	for _, k := range cast {
		if !f.Knows(k.ID) {
			list = append(list, widget.Entry{Title: draw.Truncate(k.Name, 60), Value: k})
		}
	}
	p := widget.NewPicker(v.Host.Styles(), "Who should know "+quoted(&f)+"?", list, func(e widget.Entry) tea.Cmd {
		who := e.Value.(memory.Knower)
		return v.step(quoted(&f)+" shared with "+draw.Truncate(who.Name, 24),
			func() (memory.Step, error) { return eng.Memory.Share(chat, f.ID, who.ID) })
	})
	p.Verb = func(widget.Entry) string { return "tell" }
	v.Host.Open(p)
	return nil
}

// edit opens the form of the record that holds a fact.
func (v *facts) edit(f *memory.Fact) tea.Cmd {
	switch f.Kind {
	case kinds.Memory:
		return editRecord(v, memoriesView, func(m *memory.MemoryView) bool { return string(m.ID) == f.Record })
	case kinds.Hook:
		return editRecord(v, hooksView, func(h *memory.HookView) bool { return string(h.ID) == f.Record })
	case kinds.Lore:
		return v.p.books.EditEntry(f.Book, storage.EntryID(f.Record), v.done)
	}
	return v.editLine(f)
}

// editRecord opens the form of a memory or a hook in its view.
func editRecord[T any](v *facts, of int, is func(x *T) bool) tea.Cmd {
	eng, chat := v.Host.Engine(), v.Chat
	l := v.p.views[of].(*list[T])
	return v.Host.Do(func() func() tea.Cmd {
		_, all, err := l.load(eng.Memory, memory.Query{Chat: chat, All: true})
		return func() tea.Cmd {
			if err != nil {
				return v.Host.Fail(err)
			}
			for i := range all {
				if is(&all[i]) {
					return l.openForm(&all[i])
				}
			}
			return v.Host.Say(event.Info, "it no longer exists")
		}
	})
}

// editLine opens a form with a line of a recap.
func (v *facts) editLine(f *memory.Fact) tea.Cmd {
	eng, chat, id, home := v.Host.Engine(), v.Chat, f.ID, f.Home
	return v.Host.Do(func() func() tea.Cmd {
		text, err := eng.Memory.Line(chat, id)
		return func() tea.Cmd {
			if err != nil {
				return v.Host.Fail(err)
			}
			v.openLine(id, home, text)
			return nil
		}
	})
}

func (v *facts) openLine(id, home, text string) {
	eng, chat := v.Host.Engine(), v.Chat
	f := widget.Form{Title: "Edit a line of " + draw.Truncate(home, 40),
		Fields: []*widget.Field{widget.TextField(v.Host.Styles(), "", text, 4)}}
	pane.EditorKey(v.Host, &f, f.Fields[0].Input)
	v.Host.Open(pane.NewSavingForm(v.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		words := f.Fields[0].Value()
		switch {
		case !f.Changed():
			return nil, nil
		case draw.Blank(words):
			return nil, errors.New("enter a text; to end the fact, close this and press " + v.p.key(keys.PaneStop))
		}
		return func() (func() tea.Cmd, error) {
			back, err := eng.Memory.EditLine(chat, id, text, words)
			if err != nil {
				return nil, err
			}
			return func() tea.Cmd { return v.done("“"+draw.Truncate(words, 30)+"” saved", back) }, nil
		}, nil
	}))
}

// shareMemory asks with whom a memory is shared.
func shareMemory(v *list[memory.MemoryView], m memory.MemoryView) tea.Cmd {
	return v.p.withCast(func(list []chats.CastView) tea.Cmd {
		eng, chat := v.Host.Engine(), v.Chat
		var cast []memory.Knower
		for _, c := range list {
			cast = append(cast, memory.Knower{ID: c.Character, Name: c.Name})
		}
		return v.Host.Do(func() func() tea.Cmd {
			f, err := eng.Memory.FindFact(chat, "memory/"+string(m.ID))
			return func() tea.Cmd {
				if err != nil {
					return v.Host.Say(event.Info, "it does not apply here, so it is not sent to any character")
				}
				if why := f.WhyNotShare(cast); why != "" {
					return v.Host.Say(event.Info, why)
				}
				return v.p.facts.share(chat, f, cast)
			}
		})
	})
}
