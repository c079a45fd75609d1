package memory

import (
	"errors"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// doubtWhy returns the reason for a doubt.
func doubtWhy(d *memory.Doubt) string {
	words := draw.Truncate(d.Why, 120)
	if d.Number > 0 {
		words += ", in message " + strconv.Itoa(d.Number)
	}
	return words
}

// askDoubt asks whether a known fact is over. Enter leaves the question open.
func (v *facts) askDoubt(d memory.Doubt) tea.Cmd {
	text := "Known fact: “" + draw.Truncate(d.Text, 300) + "”\n"
	if d.Instead != "" {
		text += "New text: “" + draw.Truncate(d.Instead, 300) + "”\n"
	}
	v.Host.Open(&widget.Confirm{Title: "Is this still true?", Text: text + doubtWhy(&d) + ".", Choices: []widget.Choice{
		{Key: "n", Words: "ask me later", Do: nil},
		{Key: "x", Words: "no, it ended", Do: func() tea.Cmd { return v.answerDoubt(d, memory.HasEnded, "ended") }},
		{Key: "h", Words: "yes, still true", Do: func() tea.Cmd {
			return v.answerDoubt(d, memory.StillHolds, "still true")
		}},
		{Key: "e", Words: "correct it", Do: func() tea.Cmd { v.correctDoubt(d); return nil }},
	}})
	return nil
}

// answerDoubt answers a question, away from the screen's goroutine.
func (v *facts) answerDoubt(d memory.Doubt, answer memory.Verdict, words string) tea.Cmd {
	eng, chat := v.Host.Engine(), v.Chat
	return v.step("“"+draw.Truncate(d.Text, 30)+"” "+words, func() (s memory.Step, err error) {
		done, err := eng.Memory.AnswerDoubt(chat, d.ID, answer, "")
		s.Undo = func() error { _, _, err := eng.Memory.UndoCorrection(chat, done.Step); return err }
		return s, err
	})
}

// correctDoubt asks for the correct text of a doubtful fact.
func (v *facts) correctDoubt(d memory.Doubt) {
	eng, chat := v.Host.Engine(), v.Chat
	f := widget.Form{Title: "Correct “" + draw.Truncate(d.Text, 40) + "”?",
		Fields: []*widget.Field{widget.TextField(v.Host.Styles(), "", d.Instead, 4)}}
	pane.EditorKey(v.Host, &f, f.Fields[0].Input)
	v.Host.Open(pane.NewSavingForm(v.Host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		words := f.Fields[0].Value()
		if draw.Blank(words) {
			return nil, errors.New("enter the correct text")
		}
		v.mine = time.Now()
		return func() (func() tea.Cmd, error) {
			done, err := eng.Memory.AnswerDoubt(chat, d.ID, memory.Reworded, words)
			if err != nil {
				return nil, err
			}
			back := func() error { _, _, err := eng.Memory.UndoCorrection(chat, done.Step); return err }
			return func() tea.Cmd { return v.done("fixed in "+draw.Plural(done.Count, "place"), back) }, nil
		}, nil
	}))
}
