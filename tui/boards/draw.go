package boards

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// sideMinWidth is the minimum width, in cells, at which a shot's row shows its ID and a style
// column.
const sideMinWidth = 60

// detailLines is the maximum number of detail lines that are collected: at most half a pane.
const detailLines = 8

// stageLabel is a stage of a storyboard and its label.
type stageLabel struct {
	value storage.BoardStage
	label string
}

// stages are the stages of a storyboard in order.
var stages = [...]stageLabel{{storage.BoardBeats, "beats"}, {storage.BoardFiller, "filler"},
	{storage.BoardBudget, "budget"}, {storage.BoardShots, "shots"}, {storage.BoardReady, "ready"}}

// Draw implements pane.Pane.
func (p *boardPane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	if p.playing != nil {
		p.drawPlaying(buf, area)
		return
	}
	p.List.Draw(buf, area, focused)
}

// drawNoScene returns why there is nothing to plan yet.
func (p *boardPane) drawNoScene() string {
	words := "A storyboard needs a finished scene, and none has ended in this chat yet."
	if k := p.Host.Keys().Key(keys.Break, keys.Browse); k != "" {
		words += "\n\nWhile browsing (" + p.Host.Keys().Key(keys.ToBrowse, keys.Write) + "), " + k +
			" ends a scene at the selected message."
	}
	return words
}

// empty returns how to begin a storyboard.
func (p *boardPane) empty() string {
	switch {
	case p.noScene:
		return p.drawNoScene()
	case p.view.Working != "":
		return "The model reads the scene. Its plan appears here, and you can edit every step."
	}
	words := "This scene has no storyboard yet.\n\n"
	for _, way := range []pane.Hint{{Action: planNext, Text: "plans the next step"},
		{Action: planAll, Text: "plans all steps"},
		{Action: keys.PaneNew, Text: "adds a shot manually"},
		{Action: keys.PaneInstruct, Text: "instructs the model"}} {
		if k := p.key(way.Action); k != "" {
			words += k + "  " + way.Text + "\n"
		}
	}
	return words + "\nThe steps are key beats, filler shots, the budget for each beat, and the shots. You can edit " +
		"each step before the next."
}

// head returns the stage of the storyboard and the remarks about it, the most urgent first: styled
// lines of w cells for a pane of h lines.
func (p *boardPane) head(w, h int) []string {
	if p.noScene {
		return nil
	}
	sty := p.Host.Styles()
	line, n := p.stages(w)
	lines, words := p.headLines(w), p.tally.text()
	switch {
	case len(p.view.Shots) == 0:
	case n+2+ansi.StringWidth(words) <= w:
		line += strings.Repeat(" ", w-n-ansi.StringWidth(words)) + sty.Dim.Styled(words)
	default:
		lines = append(lines, headLine{st: sty.Dim, text: words})
	}
	most := h / 3
	if h < 9 {
		most = 1
	}
	out := []string{line}
	for _, l := range lines[:min(len(lines), most)] {
		out = append(out, l.st.Styled(draw.Clip(draw.Parts(l.text, w), w)))
	}
	if h > 14 {
		out = append(out, "")
	}
	return out
}

// stages returns the line with the stages, and its width.
func (p *boardPane) stages(w int) (line string, cells int) {
	sty := p.Host.Styles()
	at := slices.IndexFunc(stages[:], func(s stageLabel) bool { return s.value == p.view.Stage })
	sep := " ▸ "
	if w < 42 {
		sep = "▸"
	}
	add := func(st uv.Style, words string) {
		words = draw.Clip(words, w-cells)
		line, cells = line+st.Styled(words), cells+ansi.StringWidth(words)
	}
	for i, s := range stages {
		if i > 0 {
			add(sty.Faint, sep)
		}
		switch {
		case i == at:
			add(sty.Accent, "‹"+s.label+"›")
		case i < at:
			add(sty.Base, s.label)
		default:
			add(sty.Faint, s.label)
		}
	}
	return line, cells
}

// headLine is a line under the stages.
type headLine struct {
	st   uv.Style
	text string
}

// headLines returns the lines under the stages, for w cells.
func (p *boardPane) headLines(w int) []headLine {
	sty := p.Host.Styles()
	var out []headLine
	ask := func(lead, text, ways string) { // the keys stay in view, however long the text is
		text = draw.Truncate(text, max(8, w-ansi.StringWidth(lead+ways)))
		out = append(out, headLine{st: sty.Warning, text: lead + text + ways})
	}
	add := func(st uv.Style, text string) { out = append(out, headLine{st: st, text: text}) }
	if p.view.Working != "" {
		add(sty.Accent, p.workingText())
	}
	if p.film != nil {
		add(sty.Accent, p.filmText()+p.keyHint(keys.PaneStop, "cancels"))
	}
	if n := len(p.view.Talk); n > 0 && p.view.Talk[n-1].Question && p.view.Working == "" {
		ask("? ", p.view.Talk[n-1].Reply, p.keyHint(keys.PaneInstruct, "answers"))
	}
	if e := p.view.Proposal; e != nil {
		ask("proposed: ", e.Summary, p.keyHint(keys.PaneAccept, "applies it")+p.keyHint(keys.PaneReject, "rejects it"))
	}
	if b := p.view.Batch; b != nil && pane.Unfinished(*b) {
		words := "▤ sketches " + strings.TrimPrefix(pane.BatchWords(*b), pane.BatchName(*b)+" ")
		switch working := b.Painting+b.Prompting > 0; {
		case working && p.view.Working == "":
			words += p.keyHint(keys.PaneStop, "cancels")
		case !working && b.Drafts > 0:
			words += p.keyHint(keys.PaneCaptures, "to send them")
		}
		add(sty.Accent, words)
	}
	if p.view.Stale {
		add(sty.Warning, "outdated: the scene's messages have changed since it was started")
	}
	return out
}

// workingText returns what the model is working on, its progress, and the key to cancel it.
func (p *boardPane) workingText() string {
	words := pane.ToolWords(p.view.Working)
	switch j := p.job(); {
	case j != nil:
		if j.Progress.Of > 1 {
			words += fmt.Sprintf(" %d/%d", j.Progress.Step, j.Progress.Of)
		}
		words += draw.Separator + draw.Elapsed(time.Since(j.Op.StartedAt))
		if n := j.Progress.Tokens; n > 0 {
			words += draw.Separator + draw.Plural(n, "token")
		}
	case p.Host.Work().Servers().Ollama.Asked && !p.Host.Work().Servers().Ollama.Up:
		words += draw.Separator + "waiting for Ollama"
	case p.Host.Work().Waiting() > 0 && p.Host.Engine().Queue.Paused():
		words += draw.Separator + "the queue is paused (" + p.Host.Keys().Key(keys.PaneQueue, keys.Pane) + ")"
	default:
		words += draw.Separator + "queued"
	}
	return "● " + words + p.keyHint(keys.PaneStop, "cancels")
}

// row returns a row of the list, w cells wide.
func (p *boardPane) row(it *item, w int) pane.Row {
	switch it.head {
	case headShots:
		return p.shotRow(it.at, w)
	case headTalk:
		t := &p.view.Talk[it.at]
		return pane.Row{Sign: "“" + draw.Truncate(t.Line, w/2) + "”", SignStyle: p.Host.Styles().Dim, Text: talkText(t)}
	}
	lead, text, right := p.planRow(*it, w)
	return pane.Row{Sign: lead, SignStyle: p.Host.Styles().Dim, Text: text, Right: right}
}

// planRow returns a row of the plan, w cells wide.
func (p *boardPane) planRow(it item, w int) (lead, text, right string) {
	switch it.head {
	case headBeats:
		b := &p.view.Beats[it.at]
		if n := len(b.Messages); n > 0 && w >= sideMinWidth {
			right = draw.Plural(n, "message")
		}
		return draw.Truncate(string(b.ID), 6), pane.Truncate(p.Host, b.Text, 300), right
	case headFiller:
		return "", fillerText(p.view.Filler), ""
	case headBudget:
		b := p.view.Budget[it.at]
		right = allotmentText(b)
		if n := len(p.drafted(b.Beat)); n > 0 {
			right = strconv.Itoa(n) + " written" + draw.Separator + right
		}
		if ansi.StringWidth(right) > w/2 { // the beat needs the room; the details below have it in words
			right = allotmentSigns(b)
		}
		return "", p.beatText(b.Beat, 200), right
	case headProposal:
		return "", pane.Truncate(p.Host, p.view.Proposal.Summary, 300),
			draw.Plural(len(p.view.Proposal.Calls), "change")
	}
	return "", "", ""
}

// shotRow returns the row of a shot, w cells wide.
func (p *boardPane) shotRow(i, w int) pane.Row {
	s := &p.view.Shots[i]
	r := pane.Row{SignStyle: p.Host.Styles().Dim, Text: pane.Truncate(p.Host, s.Description, 600),
		Right: shotTime(s.Seconds)}
	if c, ok := p.view.Sketches[s.ID]; ok {
		r.Right = strings.TrimSpace(r.Right + " " + sketchMark(&c))
	}
	digits, how := len(strconv.Itoa(len(p.view.Shots))), shotStyle(s)
	r.Sign = fmt.Sprintf("%s %*d", kindMark(s.Kind), digits, i+1)
	if room := w * 2 / 5; w >= sideMinWidth {
		r.Sign += " " + pad(draw.Truncate(string(s.ID), digits+1), digits+1) + " " + pad(draw.Truncate(how, room), room)
	} else if how != "" {
		r.Sign += " " + draw.Truncate(how, room)
	}
	return r
}

// pad pads a text to w cells.
func pad(text string, w int) string {
	return text + strings.Repeat(" ", max(0, w-ansi.StringWidth(text)))
}

// details returns styled lines about a row.
func (p *boardPane) details(it *item, w int) []string {
	const h = detailLines
	sty := p.Host.Styles()
	t := draw.Lines{Width: max(1, w)}
	say := func(st uv.Style, label, text string) {
		if text = draw.Truncate(text, max(1, w*h/2)); text != "" {
			t.Hang(sty.Dim.Styled(label), st, text)
		}
	}
	switch it.head {
	case headShots:
		p.shotDetails(&t, &p.view.Shots[it.at], it.at)
	case headBeats:
		b := &p.view.Beats[it.at]
		say(sty.Base, "", b.Text)
		say(sty.Dim, "why: ", b.Why)
		if len(b.Messages) > 0 {
			t.Add(sty.Dim, p.key(keys.PaneEnter)+" goes to the message")
		}
	case headFiller:
		f := p.view.Filler
		say(sty.Base, "", fillerText(f))
		say(sty.Dim, "why: ", f.Why)
	case headBudget:
		b := p.view.Budget[it.at]
		say(sty.Base, "", p.beatText(b.Beat, 400))
		t.Add(sty.Dim, allotmentText(b))
		for _, s := range p.drafted(b.Beat) {
			say(sty.Base, kindMark(s.Kind)+" ", draw.Join(shotStyle(&s), pane.Truncate(p.Host, s.Description, 200)))
		}
	case headProposal:
		e := p.view.Proposal
		say(sty.Dim, "you asked: ", e.Request)
		say(sty.Base, "", e.Summary)
	case headTalk:
		talk := &p.view.Talk[it.at]
		say(sty.Dim, "you: ", talk.Line)
		switch {
		case talk.Question && talk.Calls == 0:
			say(sty.Warning, "asks: ", talk.Reply)
			return t.Text
		case talk.Calls == 0:
			say(sty.Warning, "done: ", "no changes")
		default:
			say(sty.Base, "done: ", talkResult(talk))
		}
		if talk.Reply != talk.Did {
			say(sty.Dim, "the model: ", talk.Reply)
		}
	}
	return t.Text
}

// shotDetails writes all fields of a shot.
func (p *boardPane) shotDetails(t *draw.Lines, s *storage.Shot, at int) {
	sty := p.Host.Styles()
	kind := string(s.Kind)
	if s.Kind != storage.FillerShot {
		kind = string(storage.KeyShot)
	}
	head := draw.Join("shot "+strconv.Itoa(at+1)+" of "+strconv.Itoa(len(p.view.Shots)),
		draw.Truncate(string(s.ID), 8), kind)
	if s.Beat != "" {
		lead := draw.Separator + "beat "
		head += lead + p.beatText(s.Beat, max(8, t.Width-ansi.StringWidth(head+lead)))
	}
	if c, ok := p.view.Sketches[s.ID]; ok {
		st, words := sty.Success, "sketch: "+p.sketchText(&c)
		switch c.Status {
		case storage.CaptureFailed:
			st, words = sty.Failure, words+": "+draw.Truncate(c.Error, 200)
		case storage.CaptureCompleted:
		default:
			st = sty.Accent
		}
		t.Add(sty.Dim, head)
		t.Add(st, words)
	} else {
		t.Add(sty.Dim, head)
	}
	if how := draw.Join(shotStyle(s), fieldText(storyboard.FieldJob, s.Job, 40), shotTime(s.Seconds)); how != "" {
		t.Add(sty.Accent, how)
	}
	if s.Subject != "" {
		t.Hang(sty.Dim.Styled("subject "), sty.Base, pane.Truncate(p.Host, s.Subject, 2*t.Width))
	}
	room := max(1, detailLines-len(t.Text))
	if s.Dialogue != "" {
		room = max(1, room-2)
	}
	t.Add(sty.Base, pane.Truncate(p.Host, s.Description, room*t.Width))
	if s.Dialogue != "" {
		t.Add(sty.Strong, "“"+pane.Truncate(p.Host, s.Dialogue, max(1, 2*t.Width-4))+"”")
	}
}

// Click implements pane.Pane: it selects a row, or pauses and resumes the player.
func (p *boardPane) Click(x, y int) tea.Cmd {
	if p.playing != nil {
		return p.run(!p.playing.running)
	}
	return p.List.Click(x, y)
}
