package play

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// beatsDialog lets the user choose what happens in the next reply: among lines that the
// model proposes, one of them changed, or a line of the user's own.
type beatsDialog struct {
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

	form   *widget.Form // in which a line is written, nil for none
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
	d.asks, d.since, d.fault, d.form = true, time.Now(), "", nil
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

// use has the next reply tell a beat; where the user had the last word it is asked for at
// once.
func (d *beatsDialog) use(beat string) (tea.Cmd, bool) {
	if beat == "" {
		return d.write(""), false
	}
	steer := d.room.view.Chat.Steer
	steer.Beat = beat
	return tea.Batch(d.leave(), d.room.steer(steer, true)), true
}

// retake has the last reply told again with a beat.
func (d *beatsDialog) retake(beat string) (tea.Cmd, bool) {
	if d.retry == "" || beat == "" {
		return nil, false
	}
	m, ok := d.room.Message(d.retry)
	if !ok {
		return nil, false
	}
	steer := m.Steer
	steer.Beat = beat
	return tea.Batch(d.leave(), d.room.retake(d.retry, steer)), true
}

// write asks for a line of one's own, which may begin as a proposal.
func (d *beatsDialog) write(text string) tea.Cmd {
	f := &widget.Form{Title: "Write a beat", Foot: "enter next reply" + look.Separator + "esc back", Notes: []string{"What happens in the next reply, in one line."},
		Fields: []*widget.Field{widget.LineField(d.room.desk.Look(), "Beat", text, "for example: she finds the letter")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		beat := strings.TrimSpace(f.Fields[0].Value())
		if beat == "" {
			return nil, errors.New("enter what happens in the reply")
		}
		cmd, _ := d.use(beat)
		return cmd, nil
	}
	d.form = f.Start()
	return nil
}

// wish asks what the user would like to see in the proposals.
func (d *beatsDialog) wish() tea.Cmd {
	f := &widget.Form{Title: "Other suggestions", Foot: "enter ask" + look.Separator + "esc back",
		Fields: []*widget.Field{widget.LineField(d.room.desk.Look(), "About", d.about, "for example: the storm, or: someone comes in")}}
	f.Save = func(f *widget.Form) (tea.Cmd, error) {
		d.about = strings.TrimSpace(f.Fields[0].Value())
		return d.ask(), nil
	}
	d.form = f.Start()
	return nil
}

// Handle implements widget.Dialog.
func (d *beatsDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	key := widget.Keystroke(msg)
	if d.form != nil {
		f := d.form
		if key == "esc" || key == "ctrl+c" {
			d.form = nil
			return nil, false
		}
		cmd, _ := f.Handle(msg)
		return cmd, d.room.proposing != d // it has led to a reply
	}
	if d.asks {
		if key == "esc" || key == "ctrl+c" {
			d.stop()
		}
		return nil, false
	}
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		d.move(map[bool]int{true: -1, false: 1}[m.Button == tea.MouseWheelUp])
	case tea.MouseClickMsg:
		i, ok := d.rows.At(m.Y - d.top)
		if twice := d.clicks.Twice(m); ok {
			if d.at = i; twice {
				return d.use(d.chosen())
			}
		}
	}
	return d.press(key)
}

// press is what a key does in the list.
func (d *beatsDialog) press(key string) (tea.Cmd, bool) {
	switch key {
	case "esc", "q", "ctrl+c":
		return d.leave(), true
	case "up", "k":
		d.move(-1)
	case "down", "j":
		d.move(1)
	case "home", "g":
		d.at = 0
	case "end", "G":
		d.at = len(d.list)
	case "1", "2", "3":
		if i := int(key[0] - '1'); i < len(d.list) {
			d.at = i
			return d.use(d.list[i])
		}
	case "enter":
		return d.use(d.chosen())
	case "t":
		return d.retake(d.chosen())
	case "e", "i":
		return d.write(d.chosen()), false
	case "r":
		return d.ask(), false
	case "s":
		return d.wish(), false
	case "x":
		if steer := d.room.view.Chat.Steer; steer.Beat != "" {
			steer.Beat = ""
			return d.room.steer(steer, false), false
		}
	}
	return nil, false
}

func (d *beatsDialog) move(n int) { d.at = max(0, min(d.at+n, len(d.list))) }

func (d *beatsDialog) leave() tea.Cmd {
	if d.room.proposing == d {
		d.room.proposing = nil
	}
	return nil
}

// Hints implements widget.Dialog.
func (d *beatsDialog) Hints() string {
	switch {
	case d.form != nil:
		return d.form.Hints()
	case d.asks:
		return widget.Hints("esc stop", widget.FullHelp)
	}
	var list []string
	if d.at < len(d.list) {
		list = append(list, "enter next reply")
		if d.retry != "" {
			list = append(list, "t redo the last")
		}
		list = append(list, "e edit")
	} else {
		list = append(list, "enter write")
	}
	if d.room.view.Chat.Steer.Beat != "" {
		list = append(list, "x remove")
	}
	return widget.Hints(append(list, "r others", "s about …", "esc close", widget.FullHelp)...)
}

// Draw implements widget.Dialog.
func (d *beatsDialog) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	if d.form != nil {
		return d.form.Draw(buf, screen, lk)
	}
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
