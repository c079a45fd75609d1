package play

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// beatsDialog lets the user choose what happens in the next reply: one of the model's suggestions,
// an edited one, or a line of the user's own.
type beatsDialog struct {
	pane.ListDialog[string] // the suggestions, and "" for a line of the user's own
	part                    *Part
	chat                    storage.ChatID
	retry                   storage.NodeID // the reply that can be retaken, "" if the chat does not end with one

	proposed []string
	seen     []string // all suggestions while the dialog is open
	about    string   // the requested topic
	fault    string
	asks     bool
	nth      int             // of the requests
	order    widget.Sequence // of them: the next is made when the stopped one has ended
	end      context.CancelFunc
	since    time.Time
}

// openBeats requests suggestions for the next reply.
func openBeats(r *Part) tea.Cmd {
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	d := &beatsDialog{part: r, chat: r.view.Chat.ID}
	d.List, d.Title, d.Wide, d.Wrapped = pane.NewList[string](r.host, 1), beatsTitle, 86, true
	d.ID = func(beat *string) string { return cmp.Or(*beat, "own") }
	d.Row, d.Above, d.Own = d.row, d.state, d.actions()
	d.Empty = func() string { return "" } // a request is running
	if m, ok := r.LastMessage(); ok && m.Role == storage.Assistant && m.Parent != "" {
		d.retry = m.ID
	}
	r.proposing = d
	r.host.Open(d)
	return d.ask()
}

const beatsTitle = "What happens in the next reply?"

// asking reports whether the model is at it.
func (d *beatsDialog) asking() bool { return d != nil && d.asks }

// ask has the model make suggestions that it has not made before.
func (d *beatsDialog) ask() tea.Cmd {
	d.nth++
	nth := d.nth
	d.asks, d.since, d.fault = true, time.Now(), ""
	d.Show(nil)
	dk, chat, about, not := d.Host, d.chat, d.about, slices.Clone(d.seen)
	ctx, end := context.WithCancel(dk.Context())
	d.end = end
	return tea.Batch(dk.Work().Tick(), d.order.Do(dk, func() func() tea.Cmd {
		defer end()
		list, err := dk.Engine().Play.Beats(ctx, chat, about, not)
		return func() tea.Cmd {
			if nth == d.nth {
				d.show(list, err)
			}
			return nil
		}
	}))
}

// show shows the suggestions, or the reason why there are none.
func (d *beatsDialog) show(list []string, err error) {
	d.asks, d.part.ended = false, time.Now()
	if err == nil {
		d.proposed = list
		d.seen = append(d.seen, list...)
	}
	d.Show(append(slices.Clone(d.proposed), ""))
	if err != nil {
		if d.fault = failure.Text(err); errors.Is(err, failure.ErrStopped) {
			d.fault = "stopped"
		}
		d.Move(len(d.Items))
	}
}

// stop cancels the request, and keeps the entry for an own line.
func (d *beatsDialog) stop() {
	d.nth++
	d.end()
	d.show(nil, failure.ErrStopped)
}

// chosen returns the marked suggestion, "" for the entry of an own line.
func (d *beatsDialog) chosen() string {
	if beat := d.Item(); beat != nil {
		return *beat
	}
	return ""
}

// use steers the next reply with the chosen beat, or asks for one of the user's own. If the last
// message is the user's, the reply is requested immediately.
func (d *beatsDialog) use() tea.Cmd {
	if d.chosen() == "" {
		return d.write()
	}
	return d.steer(d.chosen())
}

func (d *beatsDialog) steer(beat string) tea.Cmd {
	steer := d.part.view.Chat.Steer
	steer.Beat = beat
	d.leave()
	return d.part.steer(steer, true)
}

// retake requests another take of the last reply with the chosen beat.
func (d *beatsDialog) retake() tea.Cmd {
	m, ok := d.part.Message(d.retry)
	if !ok {
		return nil
	}
	steer := m.Steer
	steer.Beat = d.chosen()
	d.leave()
	return d.part.retake(d.retry, steer)
}

// write asks for an own line, which starts with the chosen suggestion.
func (d *beatsDialog) write() tea.Cmd {
	line := widget.LineField(d.Host.Styles(), "Beat", d.chosen(), "for example: she finds the letter")
	f := &widget.Form{Title: "Write a beat", Verb: "next reply", Leave: "back", Fields: []*widget.Field{line},
		Notes: []string{"What happens in the next reply, in one line."}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		beat := strings.TrimSpace(f.Fields[0].Value())
		if beat == "" {
			return nil, errors.New("enter what happens in the reply")
		}
		return d.steer(beat), nil
	}
	d.Host.Open(f.Start())
	return nil
}

// editRequest asks for a topic of the suggestions.
func (d *beatsDialog) editRequest() tea.Cmd {
	line := widget.LineField(d.Host.Styles(), "About", d.about, "for example: the storm, or: someone comes in")
	f := &widget.Form{Title: "Other suggestions", Verb: "ask", Leave: "back", Fields: []*widget.Field{line}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		d.about, d.Title = strings.TrimSpace(f.Fields[0].Value()), beatsTitle
		if d.about != "" {
			d.Title += draw.Separator + draw.Clip(draw.Truncate(d.about, 100), 30)
		}
		return d.ask(), nil
	}
	d.Host.Open(f.Start())
	return nil
}

func (d *beatsDialog) actions() []keys.Action {
	proposal := func() bool { return d.chosen() != "" }
	again := func() bool { return proposal() && d.retry != "" }
	waits := func() bool { return d.part.view.Chat.Steer.Beat != "" }
	return append([]keys.Action{{Name: keys.DialogClose, Hint: "stop", Visible: d.asking, Do: keys.Does(d.stop)}},
		keys.When(func() bool { return !d.asks },
			keys.Action{Name: keys.DialogEnter, Label: d.useWords, Do: d.use},
			keys.Action{Name: keys.DialogAgain, Hint: "redo the last", Visible: again, Do: d.retake},
			keys.Action{Name: keys.PaneEdit, Hint: "edit", Visible: proposal, Do: d.write},
			keys.Action{Name: keys.PaneDelete, Hint: "remove", Visible: waits, Do: d.remove},
			keys.Action{Name: keys.PaneRegenerate, Hint: "others", Do: d.ask},
			keys.Action{Name: keys.PaneInstruct, Hint: "about …", Do: d.editRequest},
			keys.Action{Name: keys.DialogClose, Hint: "close", Do: keys.Does(d.leave)})...)
}

func (d *beatsDialog) useWords() string {
	if d.chosen() == "" {
		return "write"
	}
	return "next reply"
}

// Handle implements widget.Dialog: the number of a proposal uses it.
func (d *beatsDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	if k, ok := msg.(tea.KeyPressMsg); ok {
		if n, err := strconv.Atoi(k.Text); err == nil && n > 0 && n < len(d.Items) {
			return d.steer(d.Items[n-1]), false
		}
	}
	return d.ListDialog.Handle(msg)
}

// remove removes the beat that waits for the next reply.
func (d *beatsDialog) remove() tea.Cmd {
	steer := d.part.view.Chat.Steer
	steer.Beat = ""
	return d.part.steer(steer, false)
}

// leave closes the dialog.
func (d *beatsDialog) leave() {
	d.Close()
	if d.part.proposing == d {
		d.part.proposing = nil
	}
}

// state returns lines about the current state.
func (d *beatsDialog) state(w, _ int) []string {
	sty, t := d.Host.Styles(), draw.Lines{Width: w}
	switch waits := d.part.view.Chat.Steer.Beat; {
	case d.asks:
		t.Add(sty.Dim, "asking for suggestions "+draw.Elapsed(time.Since(d.since)))
	case d.fault != "":
		t.Add(sty.Failure, d.fault)
	case waits != "":
		t.Add(sty.Dim, "for the next reply: "+draw.Truncate(waits, 200))
	}
	return t.Text[:min(len(t.Text), 3)]
}

func (d *beatsDialog) row(beat *string, _ int) pane.Row {
	if *beat == "" {
		return pane.Row{Sign: "✎", SignStyle: d.Host.Styles().Dim, Text: "Write your own …"}
	}
	n := strconv.Itoa(1 + slices.Index(d.Items, *beat))
	return pane.Row{Sign: n, SignStyle: d.Host.Styles().Dim, Text: *beat, Lines: 5}
}
