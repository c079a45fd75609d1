package memory

import (
	"context"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	kinds "github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// question is a form that asks a question about the story.
type question struct {
	widget.Form
	host pane.Host
	chat storage.ChatID
	cast []chats.CastView // who can be asked, if there are several characters
	nth  widget.Latest    // of the questions
	stop func()           // cancels the pending question, nil if there is none
}

// answer shows the answer to a question and its sources.
type answer struct {
	widget.Reader
	q    *question
	said memory.Answer
	as   string            // the character whose knowledge was asked, "" for all
	from []memory.Material // of its sentences, in their order
	at   int               // of these
}

// openQuestion opens the dialog.
func (r *Part) openQuestion() tea.Cmd {
	chat := r.host.Play().Chat().Chat
	if chat.ID == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	if !chats.IsGroup(chat) {
		r.host.Open(newQuestion(r.host, chat.ID, nil, ""))
		return nil
	}
	var as storage.CharacterID
	if p, ok := r.host.Panes().Current().(*memoryPane); ok {
		as = p.as.Character
	}
	return r.host.Do(func() func() tea.Cmd {
		cast, err := r.host.Engine().Play.Cast(chat.ID)
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			if r.host.Play().Chat().Chat.ID == chat.ID {
				r.host.Open(newQuestion(r.host, chat.ID, cast.List, as))
			}
			return nil
		}
	})
}

// everybody is the choice of all knowledge, instead of one character's.
const everybody = "everything known"

func newQuestion(d pane.Host, chat storage.ChatID, cast []chats.CastView, as storage.CharacterID) *question {
	q := &question{host: d, chat: chat, cast: cast}
	q.Form = widget.Form{Title: "Ask about the story",
		Notes:  []string{"The model answers out of character from the stored facts. Nothing is saved."},
		Fields: []*widget.Field{widget.LineField(d.Styles(), "Question", "", "where is the key?")}}
	if len(cast) > 0 {
		names, chosen := []string{everybody}, everybody
		for _, c := range cast {
			name := draw.Truncate(c.Name, 40)
			if names = append(names, name); c.Character == as {
				chosen = name
			}
		}
		q.Fields = append(q.Fields, widget.PickField("Use", chosen, names))
	}
	q.Start()
	return q
}

// Actions implements widget.Dialog: the actions of the form or, while an answer is awaited, cancel.
func (q *question) Actions() []keys.Action {
	ask := []keys.Action{{Name: keys.DialogEnter, Hint: "ask", Do: q.ask},
		{Name: keys.DialogSave, Text: "ask", Do: q.ask}}
	fields := slices.DeleteFunc(q.Form.Actions(), func(a keys.Action) bool { return a.Name == keys.DialogClose })
	return append(
		keys.When(func() bool {
			return q.stop != nil
		}, keys.Action{Name: keys.DialogClose, Hint: "cancel", Do: keys.Does(q.quit)}),
		keys.When(func() bool { return q.stop == nil }, slices.Concat(ask, fields, []keys.Action{q.Closing()})...)...)
}

// Handle implements widget.Dialog.
func (q *question) Handle(msg tea.Msg) (tea.Cmd, bool) {
	if q.stop != nil {
		return nil, false
	}
	return q.Form.Handle(msg)
}

// quit cancels the pending question.
func (q *question) quit() {
	q.stop()
	q.stop, q.Said, q.Fault = nil, "", "not asked"
	q.nth.Nth++
}

// ask asks, away from the screen's goroutine.
func (q *question) ask() tea.Cmd {
	text := q.Fields[0].Value()
	if draw.Blank(text) {
		q.Focus(0)
		q.Fault = "enter a question"
		return nil
	}
	want, as := memory.Question{Chat: q.chat, Text: text}, ""
	if len(q.Fields) > 1 && q.Fields[1].Chosen > 0 {
		who := q.cast[q.Fields[1].Chosen-1]
		want.As, as = who.Character, who.Name
	}
	eng := q.host.Engine()
	ctx, stop := context.WithCancel(q.host.Context())
	q.stop, q.Fault, q.Said = stop, "", "Asking "+draw.Truncate(q.host.Play().Chat().Model, 40)+" …"
	q.nth.Nth++
	nth := q.nth.Nth
	return q.host.Do(func() func() tea.Cmd {
		defer stop()
		a, err := eng.Memory.Answer(ctx, want)
		return func() tea.Cmd {
			if nth != q.nth.Nth {
				return nil // it was cancelled
			}
			if q.stop, q.Said = nil, ""; err != nil {
				q.Fault = failure.Text(err)
				return nil
			}
			q.show(a, as)
			return nil
		}
	})
}

// show replaces the form by an answer.
func (q *question) show(said memory.Answer, as string) {
	a := &answer{q: q, said: said, as: as}
	for _, l := range said.Lines {
		a.from = append(a.from, l.From...)
	}
	a.Title, a.Lines = q.Title, a.lay
	if as != "" {
		a.Title += ": what " + draw.Truncate(as, 24) + " knows"
	}
	if len(a.from) > 0 {
		a.Own = a.choosing()
	}
	a.Leaving(keys.PaneRegenerate, "ask again", func() tea.Cmd { q.Focus(0); q.host.Open(q); return nil })
	if len(said.Lines) > 0 {
		a.Own = append(a.Own, keys.Action{Name: keys.PaneCopy, Hint: "copy",
			Do: func() tea.Cmd { return q.host.Copy(a.text(), "answer") }})
	}
	q.Close()
	q.host.Open(a)
}

// choosing returns the actions for the sources of the sentences.
func (a *answer) choosing() []keys.Action {
	step := func(name keys.Name, n int) keys.Action {
		return keys.Action{Name: name,
			Do: keys.Does(func() { a.at = (a.at + n + len(a.from)) % len(a.from); a.ShowSpot() })}
	}
	up := step(keys.DialogUp, -1)
	up.Hint, up.Until = "choose", keys.DialogDown
	return []keys.Action{{Name: keys.DialogEnter, Hint: "go to message", Do: a.goTo},
		up, step(keys.DialogDown, 1), step(keys.DialogNext, 1), step(keys.DialogPrevious, -1)}
}

// goTo goes to the message of the chosen source.
func (a *answer) goTo() tea.Cmd {
	if m := a.from[a.at]; m.Message != "" {
		a.Close()
		return a.q.host.Play().JumpTo(m.Message)
	}
	return a.q.host.Say(event.Info, noSource)
}

// text returns the answer without its sources.
func (a *answer) text() string {
	var lines []string
	for _, l := range a.said.Lines {
		lines = append(lines, l.Text)
	}
	return strings.Join(lines, " ")
}

// lay builds the lines: the question, and the sentences with their sources.
func (a *answer) lay(w int, sty *draw.Styles) []string {
	t := draw.Lines{Width: w}
	t.Add(sty.Dim, draw.Truncate(a.q.Fields[0].Value(), 400))
	t.Blank()
	if len(a.said.Lines) == 0 {
		words := "The story does not say."
		if a.as != "" {
			words = "The story does not say, as far as " + draw.Truncate(a.as, 24) + " knows."
		}
		t.Add(sty.Base, words)
	}
	nth := 0
	for i, l := range a.said.Lines {
		t.Hang(strconv.Itoa(i+1)+" ", sty.Base, l.Text)
		for _, m := range l.From {
			lead, from := "    ", len(t.Text)
			if nth == a.at {
				lead = "  " + sty.Bar.Styled("▌") + " "
			}
			t.Hang(lead, sty.Dim, sourceWords(m))
			if nth == a.at {
				a.Spot = [2]int{from, len(t.Text)}
			}
			nth++
		}
	}
	return t.Text
}

// sourceWords describes the sources of a sentence.
func sourceWords(m memory.Material) string {
	where := string(m.Kind)
	if m.Number > 0 {
		where = "message " + strconv.Itoa(m.Number)
		if m.Kind != kinds.Played {
			where = string(m.Kind) + ", " + where
		}
	}
	words := draw.Truncate(m.Text, 160)
	if m.Kind == kinds.Played && m.Name != "" {
		words = draw.Truncate(m.Name, 24) + ": " + words
	}
	return where + draw.Separator + words
}
