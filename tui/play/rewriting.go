package play

import (
	"errors"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// rewriting is a dialog in which a passage of a text is written anew, or the text goes on at
// its cursor: it asks what is wanted, shows what comes, and then what would change. Only
// when that is accepted does the text change, and it can be undone there.
type rewriting struct {
	room    *Room
	in      *widget.Input
	put     func() tea.Cmd // after the text has changed, nil for nothing
	chat    storage.ChatID
	passage play.Passage
	stage   rewriteStage
	form    *widget.Form
	nth     int // of the requests
	since   time.Time
	raw     play.Growing
	text    string // of the answer, as it comes
	got     play.PassageWritten
	diff    []scene.DiffLine
	sheet   widget.Sheet
}

type rewriteStage int

const (
	rewriteAsks rewriteStage = iota
	rewriteWrites
	rewriteShows
)

// wishes are instructions that are offered; the first is the user's own words.
var wishes = []string{"", "shorter", "longer, with more detail", "in past tense", "in present tense", "simpler words", "more vivid", "fix spelling and grammar only"}

// openRewriting asks what is wanted of what is marked in a text, or of all of it; on is for
// the text to go on at its cursor. message is whose text it is, "" for the user's line.
func openRewriting(r *Room, in *widget.Input, message storage.NodeID, on bool, put func() tea.Cmd) tea.Cmd {
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	d := &rewriting{room: r, in: in, put: put, chat: r.view.Chat.ID, passage: play.Passage{Message: message, Text: in.Value()}}
	p := &d.passage
	p.From, p.To = in.Area.Marked()
	switch {
	case on:
		p.From = p.To
	case p.From == p.To:
		p.From, p.To = 0, len(p.Text)
	}
	if !on && look.Blank(p.Text[p.From:p.To]) {
		return r.desk.Say(event.Info, "there is no text to rewrite")
	}
	d.ask()
	r.mending = d
	r.desk.Open(d)
	return nil
}

// ask makes the form that asks what is wanted.
func (d *rewriting) ask() {
	f := widget.LineField(d.room.desk.Look(), "Instruction", d.passage.Instruction, "for example: shorter, in past tense, less polite")
	f.Offers = wishes
	title, note := "Rewrite"+look.Separator+d.words(), d.preview()
	if d.passage.From == d.passage.To {
		title = "Continue at the cursor"
		f.Offers, f.Input.Area.Placeholder = nil, "optional, for example: she finds the letter"
	}
	d.stage = rewriteAsks
	d.form = (&widget.Form{Title: title, Notes: []string{note}, Foot: d.askHints(), Fields: []*widget.Field{f}}).Start()
	d.form.Save = func(form *widget.Form) (tea.Cmd, error) {
		d.passage.Instruction = strings.TrimSpace(form.Fields[0].Value())
		return d.begin(), nil
	}
}

func (d *rewriting) askHints() string {
	if d.passage.From == d.passage.To {
		return "enter continue" + look.Separator + "esc back"
	}
	return "enter rewrite" + look.Separator + "←→ suggestions" + look.Separator + "esc back"
}

// words says how much is written anew.
func (d *rewriting) words() string {
	p := &d.passage
	n := look.Plural(len(strings.Fields(p.Text[p.From:p.To])), "word")
	if p.From == 0 && p.To == len(p.Text) {
		return "all of it, " + n
	}
	return n
}

// preview is the passage in a line or two.
func (d *rewriting) preview() string {
	p := &d.passage
	if p.From < p.To {
		return "“" + look.Within(p.Text[p.From:p.To], 160) + "”"
	}
	before := strings.TrimSpace(p.Text[:p.From])
	if before == "" {
		return "at the start"
	}
	words := strings.Fields(before[max(0, strings.LastIndexByte(before, '\n')):])
	return "after “" + look.Within(strings.Join(words[max(0, len(words)-8):], " "), 120) + "”"
}

// begin asks the model.
func (d *rewriting) begin() tea.Cmd {
	d.nth++
	nth := d.nth
	d.stage, d.since, d.text, d.raw, d.got, d.sheet = rewriteWrites, time.Now(), "", play.Growing{}, play.PassageWritten{}, widget.Sheet{}
	desk, chat, p := d.room.desk, d.chat, d.passage
	return tea.Batch(desk.Tick(), desk.Do(func() func() tea.Cmd {
		err := desk.Engine().Play.Rewrite(chat, p)
		return func() tea.Cmd {
			switch {
			case nth != d.nth:
			case err != nil:
				d.failed(err)
			case d.stage != rewriteWrites: // stopped before it had begun
				return d.stop()
			}
			return nil
		}
	}))
}

// failed asks again, with the reason.
func (d *rewriting) failed(err error) {
	d.ask()
	d.form.Fault = failure.Words(err)
	if errors.Is(err, failure.ErrStopped) {
		d.form.Fault = "stopped; nothing has changed"
	}
}

func (d *rewriting) stop() tea.Cmd {
	desk, chat := d.room.desk, d.chat
	return desk.Do(func() func() tea.Cmd {
		desk.Engine().Play.Stop(chat)
		return nil
	})
}

// writes tells whether the model is at it.
func (d *rewriting) writes() bool { return d != nil && d.stage == rewriteWrites }

// take takes over what came of the answer.
func (d *rewriting) take(ev play.PassageWritten) tea.Cmd {
	if !d.writes() || ev.Chat != d.chat {
		return nil
	}
	d.text = d.raw.Append(d.text[:min(ev.At, len(d.text))], ev.Text)
	if !ev.Finished {
		return nil
	}
	d.room.ended = time.Now()
	if ev.Err != nil {
		d.failed(ev.Err)
		return nil
	}
	p := &d.passage
	d.stage, d.got = rewriteShows, ev
	d.diff = scene.DiffWords(p.Text[p.From:p.To], ev.Passage)
	return nil
}

// Handle implements widget.Dialog.
func (d *rewriting) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch key := widget.Keystroke(msg); {
	case d.stage == rewriteAsks && (key == "esc" || key == "ctrl+c"):
		return d.leave()
	case d.stage == rewriteAsks:
		cmd, _ := d.form.Handle(msg)
		return cmd, false
	case d.stage == rewriteWrites && (key == "esc" || key == "ctrl+c"):
		if d.text == "" {
			d.failed(failure.ErrStopped)
			d.room.ended = time.Now()
		}
		return d.stop(), false
	case d.stage == rewriteWrites:
		return nil, false
	case d.sheet.Handle(msg):
		return nil, false
	}
	return d.judge(msg)
}

// judge is what becomes of a passage that was written.
func (d *rewriting) judge(msg tea.Msg) (tea.Cmd, bool) {
	switch widget.Keystroke(msg) {
	case "enter", "y":
		if d.in.Value() != d.passage.Text {
			return d.room.desk.Say(event.Warning, "the text has changed in the meantime: nothing was inserted"), false
		}
		d.in.Area.Replace(d.passage.From, d.passage.To, d.got.Passage)
		cmd, _ := d.leave()
		if d.put != nil {
			cmd = tea.Batch(cmd, d.put())
		}
		return cmd, true
	case "r":
		return d.begin(), false
	case "i", "e":
		d.ask()
	case "esc", "q", "ctrl+c":
		return d.leave()
	}
	return nil, false
}

func (d *rewriting) leave() (tea.Cmd, bool) {
	if d.room.mending == d {
		d.room.mending = nil
	}
	return nil, true
}

// Hints implements widget.Dialog.
func (d *rewriting) Hints() string {
	switch d.stage {
	case rewriteAsks:
		return d.form.Hints()
	case rewriteWrites:
		return widget.Hints("esc stop", widget.FullHelp)
	}
	return widget.Hints("enter accept", "r try again", "i change instruction", "esc back", "↑↓ scroll", widget.FullHelp)
}

// Draw implements widget.Dialog.
func (d *rewriting) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	if d.stage == rewriteAsks {
		return d.form.Draw(buf, screen, lk)
	}
	w := min(100, screen.Dx())
	title, head, st := "Rewriting", look.Elapsed(time.Since(d.since)), lk.Dim
	var lines []string
	if d.stage == rewriteWrites {
		text := strings.TrimSpace(d.text)
		for _, tag := range []string{"<passage>", "</passage>"} {
			text = strings.ReplaceAll(text, tag, "")
		}
		if look.Blank(text) {
			head = "reading the text " + head
		}
		lines = look.Wrap(text, w-5)
		d.sheet.Top = len(lines) // its end is in view
	} else {
		title, head = "Rewritten"+look.Separator+d.wish(), ""
		if d.passage.From == d.passage.To {
			title = "Continued"
		}
		if n := len(d.got.Rejected); n > 0 {
			head = rejectedWords(d.got.Rejected)
		}
		if why := d.odd(); why != "" {
			head, st = why, lk.Warning
		}
		lines = wordDiff(d.diff, w-5, lk)
	}
	h := len(lines) + 2
	if head != "" {
		h++
	}
	in := look.Frame(buf, look.Centred(screen, w, max(h, min(8, screen.Dy()))), lk, title, d.Hints())
	if in.Dy() < 1 {
		return nil
	}
	if head != "" {
		look.Put(buf, in.Min.X, in.Min.Y, in.Dx(), st, head)
		in.Min.Y++
	}
	in.Max.X--
	d.sheet.Draw(buf, in, lines, lk)
	return nil
}

// wish is what was asked for, in a few cells.
func (d *rewriting) wish() string {
	if d.passage.Instruction == "" {
		return "in other words"
	}
	return look.Clip(look.Within(d.passage.Instruction, 200), 40)
}

// odd says what is odd about an answer, "" for nothing.
func (d *rewriting) odd() string {
	switch p := &d.passage; {
	case d.got.State == storage.Stopped:
		return "stopped: this is the text so far"
	case d.got.State == storage.Cut:
		return "cut off at the reply limit: the end may be missing"
	case d.got.Fault != "":
		return look.Within(d.got.Fault, 300)
	case d.got.Passage == p.Text[p.From:p.To]:
		return "the model returned the same text"
	}
	return ""
}
