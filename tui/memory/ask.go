package memory

import (
	"context"
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	kinds "github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// question is the dialog in which the play is asked: the form of a question, then what
// the play says to it.
type question struct {
	widget.Form
	sheet widget.Sheet
	desk  desk.Desk
	chat  storage.ChatID
	cast  []chats.CastView // who can be asked, where several play
	nth   widget.Latest    // of the questions
	stop  func()           // ends the one that is being asked, nil while none is
	shown *memory.Answer
	as    string            // of the answer that is shown, "" for all
	from  []memory.Material // of its sentences, in their order
	at    int               // of these
}

// openQuestion opens the dialog.
func (r *Room) openQuestion() tea.Cmd {
	chat := r.desk.Chat().Chat
	if chat.ID == "" {
		return r.desk.Say(event.Info, "no chat is open")
	}
	if !chats.Several(chat) {
		r.desk.Open(newQuestion(r.desk, chat.ID, nil, ""))
		return nil
	}
	var as storage.CharacterID
	if p, ok := r.desk.Pane().(*pane); ok {
		as = p.as.Character
	}
	return r.desk.Do(func() func() tea.Cmd {
		cast, err := r.desk.Engine().Play.Cast(chat.ID)
		return func() tea.Cmd {
			if err != nil {
				return r.desk.Fail(err)
			}
			if r.desk.Chat().Chat.ID == chat.ID {
				r.desk.Open(newQuestion(r.desk, chat.ID, cast.List, as))
			}
			return nil
		}
	})
}

// everybody is the choice of whoever knows most.
const everybody = "everything known"

func newQuestion(d desk.Desk, chat storage.ChatID, cast []chats.CastView, as storage.CharacterID) *question {
	q := &question{desk: d, chat: chat, cast: cast}
	q.Form = widget.Form{Title: "Ask about the story",
		Notes:  []string{"The model answers out of character from the stored facts. Nothing is saved."},
		Fields: []*widget.Field{widget.LineField(d.Look(), "Question", "", "where is the key?")}}
	if len(cast) > 0 {
		names, chosen := []string{everybody}, everybody
		for _, c := range cast {
			name := look.Within(c.Name, 40)
			if names = append(names, name); c.Character == as {
				chosen = name
			}
		}
		q.Fields = append(q.Fields, widget.PickField("Use", chosen, names))
	}
	q.Start()
	return q
}

// Actions implements widget.Dialog: those of the form, of the wait, and of the answer.
func (q *question) Actions() []keys.Action {
	ask := []keys.Action{{Name: keys.DialogEnter, Hint: "ask", Do: q.ask}, {Name: keys.DialogSave, Words: "ask", Do: q.ask}}
	fields := slices.DeleteFunc(q.Form.Actions(), func(a keys.Action) bool { return a.Name == keys.DialogClose })
	return slices.Concat(
		keys.At(func() bool { return q.shown != nil }, q.reading()...),
		keys.At(func() bool { return q.stop != nil }, keys.Action{Name: keys.DialogClose, Hint: "cancel", Do: keys.Does(q.quit)}),
		keys.At(func() bool { return q.shown == nil && q.stop == nil }, slices.Concat(ask, fields, []keys.Action{q.Closing()})...))
}

// reading are the actions while an answer is shown.
func (q *question) reading() []keys.Action {
	sources := func() bool { return len(q.from) > 0 }
	step := func(name keys.Name, n int) keys.Action {
		return keys.Action{Name: name, Here: sources, Do: keys.Does(func() { q.at = (q.at + n + len(q.from)) % len(q.from) })}
	}
	up, down := step(keys.DialogUp, -1), step(keys.DialogDown, 1)
	up.Hint, up.Until = "choose", keys.DialogDown
	return slices.Concat([]keys.Action{
		{Name: keys.DialogEnter, Hint: "go to message", Here: sources, Do: q.goTo},
		{Name: keys.DialogEnter, Words: "close", Do: keys.Does(q.Close)},
		up, down,
		{Name: keys.PaneRegenerate, Hint: "ask again", Do: keys.Does(func() { q.shown = nil; q.Focus(0) })},
		{Name: keys.PaneCopy, Hint: "copy", Here: func() bool { return len(q.shown.Lines) > 0 },
			Do: func() tea.Cmd { return q.desk.Copy(q.text(), "answer") }},
		q.Closing(), step(keys.DialogNext, 1), step(keys.DialogPrevious, -1)}, q.sheet.Scrolling())
}

// Typing implements widget.Dialog.
func (q *question) Typing() bool { return q.shown == nil }

// Handle implements widget.Dialog.
func (q *question) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch {
	case q.shown != nil:
		q.sheet.Handle(msg)
	case q.stop == nil:
		return q.Form.Handle(msg)
	}
	return nil, false
}

// quit ends the question that is being asked.
func (q *question) quit() {
	q.stop()
	q.stop, q.Fault = nil, "not asked"
	q.nth.Nth++
}

// ask asks, away from the screen's goroutine.
func (q *question) ask() tea.Cmd {
	text := q.Fields[0].Value()
	if look.Blank(text) {
		q.Focus(0)
		q.Fault = "enter a question"
		return nil
	}
	want, as := memory.Question{Chat: q.chat, Text: text}, ""
	if len(q.Fields) > 1 && q.Fields[1].Chosen > 0 {
		who := q.cast[q.Fields[1].Chosen-1]
		want.As, as = who.Character, who.Name
	}
	eng := q.desk.Engine()
	ctx, stop := context.WithCancel(q.desk.Context())
	q.stop, q.Fault = stop, ""
	q.nth.Nth++
	nth := q.nth.Nth
	return q.desk.Do(func() func() tea.Cmd {
		defer stop()
		a, err := eng.Memory.Answer(ctx, want)
		return func() tea.Cmd {
			if nth != q.nth.Nth {
				return nil // it was given up
			}
			if q.stop = nil; err != nil {
				q.Fault = failure.Words(err)
				return nil
			}
			q.take(a, as)
			return nil
		}
	})
}

// take shows an answer.
func (q *question) take(a memory.Answer, as string) {
	q.shown, q.as, q.from, q.at, q.sheet = &a, as, nil, 0, widget.Sheet{}
	for _, l := range a.Lines {
		q.from = append(q.from, l.From...)
	}
}

// goTo goes to the message that the chosen source is.
func (q *question) goTo() tea.Cmd {
	if m := q.from[q.at]; m.Message != "" {
		q.Close()
		return q.desk.JumpTo(m.Message)
	}
	return q.desk.Say(event.Info, noSource)
}

// text is the answer that is shown, without what it rests on.
func (q *question) text() string {
	out := ""
	for i, l := range q.shown.Lines {
		if i > 0 {
			out += " "
		}
		out += l.Text
	}
	return out
}

// Draw implements widget.Dialog.
func (q *question) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	switch {
	case q.shown != nil:
		q.drawAnswer(buf, screen, lk)
		return nil
	case q.stop != nil:
		w := min(100, screen.Dx())
		t := look.Lines{Width: max(1, w-4)}
		t.Add(lk.Base, look.Within(q.Fields[0].Value(), 400))
		t.Blank()
		t.Add(lk.Dim, "Asking "+look.Within(q.desk.Chat().Model, 40)+" …")
		in := look.Frame(buf, look.Centred(screen, w, len(t.Text)+2), lk, q.Title, q.Hints())
		q.sheet.Show(buf, in, t.Text)
		return nil
	}
	return q.Form.Draw(buf, screen, lk)
}

func (q *question) drawAnswer(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) {
	w := min(100, screen.Dx())
	t := look.Lines{Width: max(1, w-5)}
	t.Add(lk.Dim, look.Within(q.Fields[0].Value(), 400))
	t.Blank()
	if len(q.shown.Lines) == 0 {
		words := "The story does not say."
		if q.as != "" {
			words = "The story does not say, as far as " + look.Within(q.as, 24) + " knows."
		}
		t.Add(lk.Base, words)
	}
	nth, from, to := 0, 0, 0
	for i, l := range q.shown.Lines {
		t.Hang(strconv.Itoa(i+1)+" ", lk.Base, l.Text)
		for _, m := range l.From {
			lead := "    "
			if nth == q.at {
				lead, from = "  "+lk.Bar.Styled("▌")+" ", len(t.Text)
			}
			t.Hang(lead, lk.Dim, rests(m))
			if nth == q.at {
				to = len(t.Text)
			}
			nth++
		}
	}
	title := "Ask about the story"
	if q.as != "" {
		title = "Ask about the story: what " + look.Within(q.as, 24) + " knows"
	}
	in := look.Frame(buf, look.Centred(screen, w, len(t.Text)+2), lk, title, q.Hints())
	if in.Dy() < 1 {
		return
	}
	if q.at > 0 {
		q.sheet.Top = max(min(q.sheet.Top, from), to-in.Dy())
	}
	q.sheet.Draw(buf, in, t.Text, lk)
}

// rests says what a sentence rests on.
func rests(m memory.Material) string {
	where := string(m.Kind)
	if m.Number > 0 {
		where = "message " + strconv.Itoa(m.Number)
		if m.Kind != kinds.Played {
			where = string(m.Kind) + ", " + where
		}
	}
	words := look.Within(m.Text, 160)
	if m.Kind == kinds.Played && m.Name != "" {
		words = look.Within(m.Name, 24) + ": " + words
	}
	return where + look.Separator + words
}
