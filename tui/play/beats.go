package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// beatsDialog lets the user choose what happens in the next reply: among lines that the
// model proposes, one of them changed, or a line of the user's own.
type beatsDialog struct {
	widget.Base
	room  *Room
	chat  storage.ChatID
	retry storage.NodeID // the reply that can be taken again, "" where none ends the chat

	list  []string
	seen  []string // all that was proposed while the dialog is open
	about string   // what the user would like to see
	fault string
	at    int // of the list; behind its end is the line of one's own
	asks  bool
	nth   int            // of the requests
	order widget.InOrder // of them: the next is made when the one that was stopped is over
	end   context.CancelFunc
	since time.Time

	rows   widget.Rows
	top    int // of the list in the last frame
	clicks widget.Clicks
}

// openBeats asks for proposals of what happens in the next reply.
func (r *Room) openBeats() tea.Cmd {
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	d := &beatsDialog{room: r, chat: r.view.Chat.ID}
	if m, ok := r.LastMessage(); ok && m.Role == storage.Assistant && m.Parent != "" {
		d.retry = m.ID
	}
	r.proposing = d
	r.desk.Open(d)
	return d.ask()
}

// asking tells whether the model is at it.
func (d *beatsDialog) asking() bool { return d != nil && d.asks }

// ask has the model make proposals that it has not made before.
func (d *beatsDialog) ask() tea.Cmd {
	d.nth++
	nth := d.nth
	d.asks, d.since, d.fault = true, time.Now(), ""
	dk, chat, about, not := d.room.desk, d.chat, d.about, slices.Clone(d.seen)
	ctx, end := context.WithCancel(dk.Context())
	d.end = end
	return tea.Batch(dk.Tick(), d.order.Do(dk, func() func() tea.Cmd {
		defer end()
		list, err := dk.Engine().Play.Beats(ctx, chat, about, not)
		return func() tea.Cmd {
			if nth == d.nth {
				d.take(list, err)
			}
			return nil
		}
	}))
}

// take shows what was proposed, or why nothing was.
func (d *beatsDialog) take(list []string, err error) {
	d.asks, d.room.ended = false, time.Now()
	if err != nil {
		if d.fault = failure.Words(err); errors.Is(err, failure.ErrStopped) {
			d.fault = "stopped"
		}
		d.at = len(d.list)
		return
	}
	d.list, d.at = list, 0
	d.seen = append(d.seen, list...)
}

// stop ends the request, and leaves the line of one's own.
func (d *beatsDialog) stop() {
	d.nth++
	d.end()
	d.take(nil, failure.ErrStopped)
}

// chosen is the proposal under the mark, "" for the line of one's own.
func (d *beatsDialog) chosen() string {
	if d.at < len(d.list) {
		return d.list[d.at]
	}
	return ""
}

// use has the next reply tell the chosen beat, or asks for one of the user's own; where the
// user had the last word the reply is asked for at once.
func (d *beatsDialog) use() tea.Cmd {
	if d.chosen() == "" {
		return d.write()
	}
	return d.tell(d.chosen())
}

func (d *beatsDialog) tell(beat string) tea.Cmd {
	steer := d.room.view.Chat.Steer
	steer.Beat = beat
	d.leave()
	return d.room.steer(steer, true)
}

// retake has the last reply told again with the chosen beat.
func (d *beatsDialog) retake() tea.Cmd {
	m, ok := d.room.Message(d.retry)
	if !ok {
		return nil
	}
	steer := m.Steer
	steer.Beat = d.chosen()
	d.leave()
	return d.room.retake(d.retry, steer)
}

// write asks for a line of one's own, which begins as the chosen proposal.
func (d *beatsDialog) write() tea.Cmd {
	line := widget.LineField(d.room.desk.Look(), "Beat", d.chosen(), "for example: she finds the letter")
	f := &widget.Form{Title: "Write a beat", Verb: "next reply", Leave: "back", Fields: []*widget.Field{line},
		Notes: []string{"What happens in the next reply, in one line."}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		beat := strings.TrimSpace(f.Fields[0].Value())
		if beat == "" {
			return nil, errors.New("enter what happens in the reply")
		}
		return d.tell(beat), nil
	}
	d.room.desk.Open(f.Start())
	return nil
}

// wish asks what the user would like to see in the proposals.
func (d *beatsDialog) wish() tea.Cmd {
	line := widget.LineField(d.room.desk.Look(), "About", d.about, "for example: the storm, or: someone comes in")
	f := &widget.Form{Title: "Other suggestions", Verb: "ask", Leave: "back", Fields: []*widget.Field{line}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		d.about = strings.TrimSpace(f.Fields[0].Value())
		return d.ask(), nil
	}
	d.room.desk.Open(f.Start())
	return nil
}

// Actions implements widget.Dialog.
func (d *beatsDialog) Actions() []keys.Action {
	proposal := func() bool { return d.chosen() != "" }
	again := func() bool { return proposal() && d.retry != "" }
	waits := func() bool { return d.room.view.Chat.Steer.Beat != "" }
	list := []keys.Action{
		{Name: keys.DialogEnter, Label: d.useWords, Do: d.use},
		{Name: keys.DialogAgain, Hint: "redo the last", Here: again, Do: d.retake},
		{Name: keys.PaneEdit, Hint: "edit", Here: proposal, Do: d.write},
		{Name: keys.PaneDelete, Hint: "remove", Here: waits, Do: d.remove},
		{Name: keys.PaneRegenerate, Hint: "others", Do: d.ask},
		{Name: keys.PaneInstruct, Hint: "about …", Do: d.wish},
		{Name: keys.DialogClose, Hint: "close", Do: keys.Does(d.leave)}}
	list = append(append(list, widget.Choosing(d.move, func() int { return len(d.list) })...), widget.Ends(d.move)...)
	return append([]keys.Action{{Name: keys.DialogClose, Hint: "stop", Here: d.asking, Do: keys.Does(d.stop)}},
		keys.At(func() bool { return !d.asks }, list...)...)
}

func (d *beatsDialog) useWords() string {
	if d.chosen() == "" {
		return "write"
	}
	return "next reply"
}

// Handle implements widget.Dialog: the number of a proposal uses it.
func (d *beatsDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	if d.asks {
		return nil, false
	}
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		d.move(map[bool]int{true: -1, false: 1}[m.Button == tea.MouseWheelUp])
	case tea.MouseClickMsg:
		i, ok := d.rows.At(m.Y - d.top)
		if twice := d.clicks.Twice(m); ok {
			if d.at = i; twice {
				return d.use(), false
			}
		}
	case tea.KeyPressMsg:
		if n, err := strconv.Atoi(m.Text); err == nil && n > 0 && n <= len(d.list) {
			d.at = n - 1
			return d.use(), false
		}
	}
	return nil, false
}

// remove takes the beat away that waits for the next reply.
func (d *beatsDialog) remove() tea.Cmd {
	steer := d.room.view.Chat.Steer
	steer.Beat = ""
	return d.room.steer(steer, false)
}

func (d *beatsDialog) move(n int) { d.at = max(0, min(d.at+n, len(d.list))) }

// leave closes the dialog.
func (d *beatsDialog) leave() {
	d.Close()
	if d.room.proposing == d {
		d.room.proposing = nil
	}
}

// Draw implements widget.Dialog.
func (d *beatsDialog) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(86, screen.Dx())
	var rows [][]string
	h := 0
	for _, text := range append(slices.Clone(d.list), "Write your own …") {
		lines := look.Wrap(text, max(1, w-8))
		rows = append(rows, lines[:min(len(lines), 5)])
		h += len(rows[len(rows)-1])
	}
	head, st := "", lk.Dim
	switch waits := d.room.view.Chat.Steer.Beat; {
	case d.asks:
		head = "asking for suggestions " + look.Elapsed(time.Since(d.since))
	case d.fault != "":
		head, st = d.fault, lk.Failure
	case waits != "":
		head = "for the next reply: " + look.Within(waits, 200)
	}
	heads := look.Wrap(head, max(1, w-5))
	heads = heads[:min(len(heads), 3)]
	title := "What happens in the next reply?"
	if d.about != "" {
		title += look.Separator + look.Clip(look.Within(d.about, 100), 30)
	}
	in := look.Frame(buf, look.Centred(screen, w, h+len(heads)+3), lk, title, d.Hints())
	d.rows.Forget()
	for _, line := range heads {
		if in.Dy() > 0 && head != "" {
			look.Put(buf, in.Min.X, in.Min.Y, in.Dx(), st, line)
		}
		in.Min.Y++
	}
	if d.asks || in.Dy() < 1 {
		return nil
	}
	d.draw(buf, in, rows, lk)
	return nil
}

// draw draws the proposals; where they do not all fit, those around the chosen one.
func (d *beatsDialog) draw(buf uv.ScreenBuffer, in uv.Rectangle, rows [][]string, lk *look.Look) {
	d.top = in.Min.Y
	from, lines := 0, 0
	for i := range rows[:d.at+1] {
		lines += len(rows[i])
	}
	for ; from < d.at && lines > in.Dy(); from++ {
		lines -= len(rows[from])
	}
	y := in.Min.Y
	var shown []int
	for i := from; i < len(rows) && y < in.Max.Y; i++ {
		st, dim := lk.Base, lk.Dim
		if i == d.at {
			st, dim = lk.Selected, lk.SelectedDim
		}
		for n, line := range rows[i] {
			if y >= in.Max.Y {
				break
			}
			if i == d.at {
				look.Fill(buf, uv.Rect(in.Min.X, y, in.Dx(), 1), st)
			}
			if sign := fmt.Sprint(i + 1); n == 0 {
				if i == len(d.list) {
					sign = "✎"
				}
				look.Put(buf, in.Min.X+1, y, 1, dim, sign)
			}
			look.Put(buf, in.Min.X+3, y, in.Dx()-3, st, line)
			shown = append(shown, i)
			y++
		}
	}
	d.rows.Set(shown)
}
