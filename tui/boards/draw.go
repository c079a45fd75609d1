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
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// wideFrom is from how many cells a shot's row has its id, and its look in a column.
const wideFrom = 60

// detailLines is how many lines about the chosen row are gathered: few enough for half a pane.
const detailLines = 8

// stage is how far a storyboard is, and its name.
type stage struct {
	is    storage.BoardStage
	words string
}

// stages are the stages of a storyboard, in their order.
var stages = [...]stage{{storage.BoardBeats, "beats"}, {storage.BoardFiller, "filler"}, {storage.BoardBudget, "budget"}, {storage.BoardShots, "shots"}, {storage.BoardReady, "ready"}}

// Draw implements desk.Pane.
func (p *pane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	if p.playing != nil {
		p.drawPlaying(buf, area)
		return
	}
	p.List.Draw(buf, area, focused)
}

// noScene says why there is nothing to plan yet.
func (p *pane) noScene() string {
	words := "A storyboard needs a finished scene, and none has ended in this chat yet."
	if k := p.Desk.Keys().Key(keys.Break, keys.Browse); k != "" {
		words += "\n\nWhile browsing (" + p.Desk.Keys().Key(keys.ToBrowse, keys.Write) + "), " + k + " ends a scene at the selected message."
	}
	return words
}

// empty says how a storyboard begins.
func (p *pane) empty() string {
	switch {
	case p.none:
		return p.noScene()
	case p.view.Working != "":
		return "The model reads the scene. Its plan appears here, and you can edit every step."
	}
	words := "This scene has no storyboard yet.\n\n"
	for _, way := range []desk.Hint{{Action: planNext, Words: "plans the next step"}, {Action: planAll, Words: "plans all steps"},
		{Action: keys.PaneNew, Words: "adds a shot manually"}, {Action: keys.PaneInstruct, Words: "instructs the model"}} {
		if k := p.key(way.Action); k != "" {
			words += k + "  " + way.Words + "\n"
		}
	}
	return words + "\nThe steps are key beats, filler shots, the budget for each beat, and the shots. You can edit each step before the next."
}

// head is how far the storyboard has come, and what there is to say about it as a whole, the most
// urgent first: styled lines of w cells for a pane of h lines.
func (p *pane) head(w, h int) []string {
	if p.none {
		return nil
	}
	lk := p.Desk.Look()
	line, n := p.stages(w)
	lines, words := p.headLines(w), p.tally.words()
	switch {
	case len(p.view.Shots) == 0:
	case n+2+ansi.StringWidth(words) <= w:
		line += strings.Repeat(" ", w-n-ansi.StringWidth(words)) + lk.Dim.Styled(words)
	default:
		lines = append(lines, headLine{st: lk.Dim, text: words})
	}
	most := h / 3
	if h < 9 {
		most = 1
	}
	out := []string{line}
	for _, l := range lines[:min(len(lines), most)] {
		out = append(out, l.st.Styled(look.Clip(look.Parts(l.text, w), w)))
	}
	if h > 14 {
		out = append(out, "")
	}
	return out
}

// stages is how far the storyboard has come, and how many cells that takes.
func (p *pane) stages(w int) (line string, cells int) {
	lk := p.Desk.Look()
	at := slices.IndexFunc(stages[:], func(s stage) bool { return s.is == p.view.Stage })
	sep := " ▸ "
	if w < 42 {
		sep = "▸"
	}
	add := func(st uv.Style, words string) {
		words = look.Clip(words, w-cells)
		line, cells = line+st.Styled(words), cells+ansi.StringWidth(words)
	}
	for i, s := range stages {
		if i > 0 {
			add(lk.Faint, sep)
		}
		switch {
		case i == at:
			add(lk.Accent, "‹"+s.words+"›")
		case i < at:
			add(lk.Base, s.words)
		default:
			add(lk.Faint, s.words)
		}
	}
	return line, cells
}

// headLine is a line under the stages.
type headLine struct {
	st   uv.Style
	text string
}

// headLines are the lines under the stages, for w cells.
func (p *pane) headLines(w int) []headLine {
	lk := p.Desk.Look()
	var out []headLine
	ask := func(lead, text, ways string) { // the keys stay in view, however long the text is
		text = look.Within(text, max(8, w-ansi.StringWidth(lead+ways)))
		out = append(out, headLine{st: lk.Warning, text: lead + text + ways})
	}
	add := func(st uv.Style, text string) { out = append(out, headLine{st: st, text: text}) }
	if p.view.Working != "" {
		add(lk.Accent, p.workingWords())
	}
	if p.film != nil {
		add(lk.Accent, p.filmWords()+p.way(keys.PaneStop, "cancels"))
	}
	if n := len(p.view.Talk); n > 0 && p.view.Talk[n-1].Question && p.view.Working == "" {
		ask("? ", p.view.Talk[n-1].Reply, p.way(keys.PaneInstruct, "answers"))
	}
	if e := p.view.Proposal; e != nil {
		ask("proposed: ", e.Summary, p.way(keys.PaneAccept, "applies it")+p.way(keys.PaneReject, "rejects it"))
	}
	if b := p.view.Batch; b != nil && desk.Unfinished(*b) {
		words := "▤ sketches " + strings.TrimPrefix(desk.BatchWords(*b), desk.BatchName(*b)+" ")
		switch working := b.Painting+b.Prompting > 0; {
		case working && p.view.Working == "":
			words += p.way(keys.PaneStop, "cancels")
		case !working && b.Drafts > 0:
			words += p.way(keys.PaneCaptures, "to send them")
		}
		add(lk.Accent, words)
	}
	if p.view.Stale {
		add(lk.Warning, "stale: the scene's messages have changed since it was started")
	}
	return out
}

// workingWords says what the model is asked for, how far that is, and what ends it.
func (p *pane) workingWords() string {
	words := desk.ToolWords(p.view.Working)
	switch j := p.job(); {
	case j != nil:
		if j.Progress.Of > 1 {
			words += fmt.Sprintf(" %d/%d", j.Progress.Step, j.Progress.Of)
		}
		words += look.Separator + look.Elapsed(time.Since(j.Op.StartedAt))
		if n := j.Progress.Tokens; n > 0 {
			words += look.Separator + look.Plural(n, "token")
		}
	case p.Desk.Work().Servers().Ollama.Asked && !p.Desk.Work().Servers().Ollama.Up:
		words += look.Separator + "waiting for Ollama"
	case p.Desk.Work().Waiting() > 0 && p.Desk.Engine().House.QueuePaused():
		words += look.Separator + "the queue is paused (" + p.Desk.Keys().Key(keys.PaneQueue, keys.Pane) + ")"
	default:
		words += look.Separator + "queued"
	}
	return "● " + words + p.way(keys.PaneStop, "cancels")
}

// row is a row of the list, w cells wide.
func (p *pane) row(it *item, w int) desk.Row {
	switch it.head {
	case headShots:
		return p.shotRow(it.at, w)
	case headTalk:
		t := &p.view.Talk[it.at]
		return desk.Row{Sign: "“" + look.Within(t.Line, w/2) + "”", SignStyle: p.Desk.Look().Dim, Text: talkWords(t)}
	}
	lead, text, right := p.planRow(*it, w)
	return desk.Row{Sign: lead, SignStyle: p.Desk.Look().Dim, Text: text, Right: right}
}

// planRow is a row, w cells wide, of what was planned before the shots.
func (p *pane) planRow(it item, w int) (lead, text, right string) {
	switch it.head {
	case headBeats:
		b := &p.view.Beats[it.at]
		if n := len(b.Messages); n > 0 && w >= wideFrom {
			right = look.Plural(n, "message")
		}
		return look.Within(string(b.ID), 6), desk.Within(p.Desk, b.Text, 300), right
	case headFiller:
		return "", fillerWords(p.view.Filler), ""
	case headBudget:
		b := p.view.Budget[it.at]
		right = allotmentWords(b)
		if n := len(p.drafted(b.Beat)); n > 0 {
			right = strconv.Itoa(n) + " written" + look.Separator + right
		}
		if ansi.StringWidth(right) > w/2 { // the beat needs the room; what is below says it in words
			right = allotmentSigns(b)
		}
		return "", p.beatWords(b.Beat, 200), right
	case headProposal:
		return "", desk.Within(p.Desk, p.view.Proposal.Summary, 300), look.Plural(len(p.view.Proposal.Calls), "change")
	}
	return "", "", ""
}

// shotRow is the row of a shot, w cells wide.
func (p *pane) shotRow(i, w int) desk.Row {
	s := &p.view.Shots[i]
	r := desk.Row{SignStyle: p.Desk.Look().Dim, Text: desk.Within(p.Desk, s.Description, 600), Right: shotTime(s.Seconds)}
	if c, ok := p.view.Sketches[s.ID]; ok {
		r.Right = strings.TrimSpace(r.Right + " " + sketchMark(&c))
	}
	digits, how := len(strconv.Itoa(len(p.view.Shots))), shotLook(s)
	r.Sign = fmt.Sprintf("%s %*d", kindMark(s.Kind), digits, i+1)
	if room := w * 2 / 5; w >= wideFrom {
		r.Sign += " " + pad(look.Within(string(s.ID), digits+1), digits+1) + " " + pad(look.Within(how, room), room)
	} else if how != "" {
		r.Sign += " " + look.Within(how, room)
	}
	return r
}

// pad makes a text w cells wide.
func pad(text string, w int) string {
	return text + strings.Repeat(" ", max(0, w-ansi.StringWidth(text)))
}

// details are styled lines about a row.
func (p *pane) details(it *item, w int) []string {
	const h = detailLines
	lk := p.Desk.Look()
	t := look.Lines{Width: max(1, w)}
	say := func(st uv.Style, label, text string) {
		if text = look.Within(text, max(1, w*h/2)); text != "" {
			t.Hang(lk.Dim.Styled(label), st, text)
		}
	}
	switch it.head {
	case headShots:
		p.shotDetails(&t, &p.view.Shots[it.at], it.at)
	case headBeats:
		b := &p.view.Beats[it.at]
		say(lk.Base, "", b.Text)
		say(lk.Dim, "why: ", b.Why)
		if len(b.Messages) > 0 {
			t.Add(lk.Dim, p.key(keys.PaneEnter)+" goes to the message")
		}
	case headFiller:
		f := p.view.Filler
		say(lk.Base, "", fillerWords(f))
		say(lk.Dim, "why: ", f.Why)
	case headBudget:
		b := p.view.Budget[it.at]
		say(lk.Base, "", p.beatWords(b.Beat, 400))
		t.Add(lk.Dim, allotmentWords(b))
		for _, s := range p.drafted(b.Beat) {
			say(lk.Base, kindMark(s.Kind)+" ", look.Join(shotLook(&s), desk.Within(p.Desk, s.Description, 200)))
		}
	case headProposal:
		e := p.view.Proposal
		say(lk.Dim, "you asked: ", e.Request)
		say(lk.Base, "", e.Summary)
	case headTalk:
		talk := &p.view.Talk[it.at]
		say(lk.Dim, "you: ", talk.Line)
		switch {
		case talk.Question && talk.Calls == 0:
			say(lk.Warning, "asks: ", talk.Reply)
			return t.Text
		case talk.Calls == 0:
			say(lk.Warning, "done: ", "no changes")
		default:
			say(lk.Base, "done: ", talkDid(talk))
		}
		if talk.Reply != talk.Did {
			say(lk.Dim, "the model: ", talk.Reply)
		}
	}
	return t.Text
}

// shotDetails are all fields of a shot.
func (p *pane) shotDetails(t *look.Lines, s *storage.Shot, at int) {
	lk := p.Desk.Look()
	kind := string(s.Kind)
	if s.Kind != storage.FillerShot {
		kind = string(storage.KeyShot)
	}
	head := look.Join("shot "+strconv.Itoa(at+1)+" of "+strconv.Itoa(len(p.view.Shots)), look.Within(string(s.ID), 8), kind)
	if s.Beat != "" {
		lead := look.Separator + "beat "
		head += lead + p.beatWords(s.Beat, max(8, t.Width-ansi.StringWidth(head+lead)))
	}
	if c, ok := p.view.Sketches[s.ID]; ok {
		st, words := lk.Success, "sketch: "+p.sketchWords(&c)
		switch c.Status {
		case storage.CaptureFailed:
			st, words = lk.Failure, words+": "+look.Within(c.Error, 200)
		case storage.CaptureCompleted:
		default:
			st = lk.Accent
		}
		t.Add(lk.Dim, head)
		t.Add(st, words)
	} else {
		t.Add(lk.Dim, head)
	}
	if how := look.Join(shotLook(s), fieldWords(storyboard.FieldJob, s.Job, 40), shotTime(s.Seconds)); how != "" {
		t.Add(lk.Accent, how)
	}
	if s.Subject != "" {
		t.Hang(lk.Dim.Styled("subject "), lk.Base, desk.Within(p.Desk, s.Subject, 2*t.Width))
	}
	room := max(1, detailLines-len(t.Text))
	if s.Dialogue != "" {
		room = max(1, room-2)
	}
	t.Add(lk.Base, desk.Within(p.Desk, s.Description, room*t.Width))
	if s.Dialogue != "" {
		t.Add(lk.Strong, "“"+desk.Within(p.Desk, s.Dialogue, max(1, 2*t.Width-4))+"”")
	}
}

// Click implements desk.Pane: it chooses a row, or stops and resumes what is played.
func (p *pane) Click(x, y int) tea.Cmd {
	if p.playing != nil {
		return p.run(!p.playing.running)
	}
	return p.List.Click(x, y)
}
