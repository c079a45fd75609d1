package play

import (
	"errors"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// rewriteDialog is a dialog for rewriting a passage of a text, or continuing the text at its
// cursor. It shows the new text, and then what would change. The text changes only after the user
// accepts, and can be undone there. A form before it asks for instructions.
type rewriteDialog struct {
	widget.Base
	part    *Part
	in      *widget.Input
	put     func() tea.Cmd // called after the text has changed, nil for nothing
	chat    storage.ChatID
	passage play.Passage
	done    bool // the answer is complete
	nth     int  // of the requests
	since   time.Time
	raw     play.GrowingText
	text    string // of the answer so far
	got     play.PassageWritten
	diff    []scene.DiffLine
	sheet   widget.Sheet
}

// wishes are the offered instructions; the first is for the user's own words.
var wishes = []string{"", "shorter", "longer, with more detail", "in past tense", "in present tense", "simpler words",
	"more vivid", "fix spelling and grammar only"}

// openRewriting asks for instructions for the marked text, or for all of it. With on, the model
// continues the text at its cursor. message is the id of the text's message, "" for the user's
// line.
func openRewriting(r *Part, in *widget.Input, message storage.NodeID, on bool, put func() tea.Cmd) tea.Cmd {
	if cmd, ok := r.maySend(); !ok {
		return cmd
	}
	d := &rewriteDialog{part: r, in: in, put: put, chat: r.view.Chat.ID,
		passage: play.Passage{Message: message, Text: in.Value()}}
	p := &d.passage
	p.From, p.To = in.Area.Marked()
	switch {
	case on:
		p.From = p.To
	case p.From == p.To:
		p.From, p.To = 0, len(p.Text)
	}
	if !on && draw.Blank(p.Text[p.From:p.To]) {
		return r.host.Say(event.Info, "there is no text to rewrite")
	}
	d.ask("")
	return nil
}

// ask opens the form for the instruction; fault is the reason if it is asked again, "" for none.
func (d *rewriteDialog) ask(fault string) {
	f := widget.LineField(d.part.host.Styles(), "Instruction", d.passage.Instruction,
		"for example: shorter, in past tense, less polite")
	f.Offers = wishes
	title, verb := "Rewrite"+draw.Separator+d.words(), "rewrite"
	if d.passage.From == d.passage.To {
		title, verb = "Continue at the cursor", "continue"
		f.Offers, f.Input.Area.Placeholder = nil, "optional, for example: she finds the letter"
	}
	form := &widget.Form{Title: title, Verb: verb, Leave: "back", Fault: fault,
		Notes: []string{d.preview()}, Fields: []*widget.Field{f}}
	form.Save = func(form *widget.Form) (tea.Cmd, error) {
		d.passage.Instruction = strings.TrimSpace(form.Fields[0].Value())
		return d.begin(), nil
	}
	d.part.host.Open(form.Start())
}

// words describes the extent of the rewritten text.
func (d *rewriteDialog) words() string {
	p := &d.passage
	n := draw.Plural(len(strings.Fields(p.Text[p.From:p.To])), "word")
	if p.From == 0 && p.To == len(p.Text) {
		return "all of it, " + n
	}
	return n
}

// preview returns the passage in one or two lines.
func (d *rewriteDialog) preview() string {
	p := &d.passage
	if p.From < p.To {
		return "“" + draw.Truncate(p.Text[p.From:p.To], 160) + "”"
	}
	before := strings.TrimSpace(p.Text[:p.From])
	if before == "" {
		return "at the start"
	}
	words := strings.Fields(before[max(0, strings.LastIndexByte(before, '\n')):])
	return "after “" + draw.Truncate(strings.Join(words[max(0, len(words)-8):], " "), 120) + "”"
}

// begin asks the model.
func (d *rewriteDialog) begin() tea.Cmd {
	d.nth++
	nth := d.nth
	d.done, d.since, d.text, d.raw = false, time.Now(), "", play.GrowingText{}
	d.got, d.sheet = play.PassageWritten{}, widget.Sheet{}
	if d.part.mending != d {
		d.part.mending = d
		d.part.host.Open(d)
	}
	host, chat, p := d.part.host, d.chat, d.passage
	return tea.Batch(host.Work().Tick(), host.Do(func() func() tea.Cmd {
		err := host.Engine().Play.Rewrite(chat, p)
		return func() tea.Cmd {
			switch {
			case nth != d.nth:
			case err == nil && !d.writes(): // stopped before it began
				return d.stop()
			case err != nil && d.writes():
				d.failed(err)
			}
			return nil
		}
	}))
}

// failed opens the form again, with the reason.
func (d *rewriteDialog) failed(err error) {
	d.leave()
	fault := failure.Text(err)
	if errors.Is(err, failure.ErrStopped) {
		fault = "stopped; nothing has changed"
	}
	d.ask(fault)
}

func (d *rewriteDialog) stop() tea.Cmd {
	host, chat := d.part.host, d.chat
	return host.Do(func() func() tea.Cmd {
		host.Engine().Play.Stop(chat)
		return nil
	})
}

// writes reports whether the model is at it.
func (d *rewriteDialog) writes() bool { return d != nil && d.part.mending == d && !d.done }

// update handles a part of the answer.
func (d *rewriteDialog) update(ev play.PassageWritten) tea.Cmd {
	if !d.writes() || ev.Chat != d.chat {
		return nil
	}
	d.text = d.raw.Append(d.text[:min(ev.At, len(d.text))], ev.Text)
	if !ev.Finished {
		return nil
	}
	d.part.ended = time.Now()
	if ev.Err != nil {
		d.failed(ev.Err)
		return nil
	}
	p := &d.passage
	d.done, d.got = true, ev
	d.diff = scene.DiffWords(p.Text[p.From:p.To], ev.Passage)
	return nil
}

// Actions implements widget.Dialog.
func (d *rewriteDialog) Actions() []keys.Action {
	return append([]keys.Action{{Name: keys.DialogClose, Hint: "stop", Visible: d.writes, Do: d.stopNow}},
		keys.When(func() bool { return d.done }, slices.Concat([]keys.Action{
			{Name: keys.DialogEnter, Hint: "accept", Do: d.accept},
			{Name: keys.PaneRegenerate, Hint: "try again", Do: d.begin},
			{Name: keys.PaneInstruct, Hint: "change instruction", Do: keys.Does(func() { d.ask("") })},
			{Name: keys.DialogClose, Hint: "back", Do: keys.Does(d.leave)}}, d.sheet.Scrolling())...)...)
}

// Handle implements widget.Dialog.
func (d *rewriteDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	d.sheet.Handle(msg)
	return nil, false
}

// stopNow stops the answer. If there was no text yet, the form opens again.
func (d *rewriteDialog) stopNow() tea.Cmd {
	if d.text == "" {
		d.failed(failure.ErrStopped)
		d.part.ended = time.Now()
	}
	return d.stop()
}

// accept inserts the new passage into the text.
func (d *rewriteDialog) accept() tea.Cmd {
	if d.in.Value() != d.passage.Text {
		return d.part.host.Say(event.Warning, "the text has changed in the meantime: nothing was inserted")
	}
	d.in.Area.Replace(d.passage.From, d.passage.To, d.got.Passage)
	d.leave()
	if d.put == nil {
		return nil
	}
	return d.put()
}

// leave closes the dialog.
func (d *rewriteDialog) leave() {
	d.Close()
	if d.part.mending == d {
		d.part.mending = nil
	}
}

// Draw implements widget.Dialog.
func (d *rewriteDialog) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	w := min(100, screen.Dx())
	title, head, st := "Rewriting", draw.Elapsed(time.Since(d.since)), sty.Dim
	var lines []string
	if !d.done {
		text := strings.TrimSpace(d.text)
		for _, tag := range []string{"<passage>", "</passage>"} {
			text = strings.ReplaceAll(text, tag, "")
		}
		if draw.Blank(text) {
			head = "reading the text " + head
		}
		lines = draw.Wrap(text, w-5)
		d.sheet.Top = len(lines) // keeps its end in view
	} else {
		title, head = "Rewritten"+draw.Separator+d.instruction(), ""
		if d.passage.From == d.passage.To {
			title = "Continued"
		}
		if n := len(d.got.Rejected); n > 0 {
			head = rejectedWords(d.got.Rejected)
		}
		if why := d.odd(); why != "" {
			head, st = why, sty.Warning
		}
		lines = wordDiff(d.diff, w-5, sty)
	}
	h := len(lines) + 2
	if head != "" {
		h++
	}
	in := draw.Frame(buf, draw.Centred(screen, w, max(h, min(8, screen.Dy()))), sty, title, d.Hints())
	if in.Dy() < 1 {
		return nil
	}
	if head != "" {
		draw.Put(buf, in.Min.X, in.Min.Y, in.Dx(), st, head)
		in.Min.Y++
	}
	in.Max.X--
	d.sheet.Draw(buf, in, lines, sty)
	return nil
}

// instruction returns the instruction, in a few cells.
func (d *rewriteDialog) instruction() string {
	if d.passage.Instruction == "" {
		return "in other words"
	}
	return draw.Clip(draw.Truncate(d.passage.Instruction, 200), 40)
}

// odd returns words about a problem of an answer, "" for none.
func (d *rewriteDialog) odd() string {
	switch p := &d.passage; {
	case d.got.State == storage.Stopped:
		return "stopped: this is the text so far"
	case d.got.State == storage.Cut:
		return "cut off at the reply limit: the end may be missing"
	case d.got.Fault != "":
		return draw.Truncate(d.got.Fault, 300)
	case d.got.Passage == p.Text[p.From:p.To]:
		return "the model returned the same text"
	}
	return ""
}
