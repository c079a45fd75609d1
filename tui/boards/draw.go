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
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// Sizes from which the pane shows more of a storyboard.
const (
	tallFrom = 14 // lines: what is chosen is told in full below the list
	wideFrom = 60 // cells: a shot's row has its id, and its look in a column
)

// stage is how far a storyboard is, and its name.
type stage struct {
	is    storage.BoardStage
	words string
}

// stages are the stages of a storyboard, in their order.
var stages = [...]stage{{storage.BoardBeats, "beats"}, {storage.BoardFiller, "filler"}, {storage.BoardBudget, "budget"}, {storage.BoardShots, "shots"}, {storage.BoardReady, "ready"}}

// Draw implements desk.Pane.
func (p *pane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	lk := p.Desk.Look()
	p.area = area
	p.seen.head = 0
	p.seen.rows.Forget()
	switch {
	case p.Chat == "":
		look.PutWrapped(buf, area, lk.Dim, "No chat is open.")
		return
	case p.Fault != nil:
		look.PutWrapped(buf, area, lk.Failure, failure.Words(p.Fault))
		return
	case !p.Loaded:
		return // it is being read
	case p.none:
		look.PutWrapped(buf, area, lk.Dim, p.noScene())
		return
	}
	if p.playing != nil {
		p.drawPlaying(buf, area)
		return
	}
	told := p.stages(buf, area)
	p.seen.head = 1 + p.header(buf, uv.Rect(area.Min.X, area.Min.Y+1, area.Dx(), max(0, area.Dy()-1)), told)
	body := uv.Rect(area.Min.X, area.Min.Y+p.seen.head, area.Dx(), max(0, area.Dy()-p.seen.head))
	if body.Dy() == 0 {
		return
	}
	if len(p.Lines) == 0 {
		look.PutWrapped(buf, body, lk.Dim, p.nothing())
		return
	}
	if area.Dy() >= tallFrom {
		body.Max.Y -= p.below(buf, body)
	}
	from, to := p.GroupList.View(body.Dy())
	p.seen.rows.Draw(uv.Rect(body.Min.X, body.Min.Y, body.Dx()-1, body.Dy()), from, to, 1, body.Dy()-len(p.Lines), func(area uv.Rectangle, i int) int {
		return p.line(buf, area, i, focused)
	})
	look.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), p.Top, len(p.Lines), lk)
}

// noScene says why there is nothing to plan yet.
func (p *pane) noScene() string {
	words := "A storyboard needs a finished scene, and none has ended in this chat yet."
	if k := p.Desk.Keys().Key(keys.Break, keys.Browse); k != "" {
		words += "\n\nWhile browsing (" + p.Desk.Keys().Key(keys.ToBrowse, keys.Write) + "), " + k + " ends a scene at the selected message."
	}
	return words
}

// nothing says how a storyboard begins.
func (p *pane) nothing() string {
	if p.view.Working != "" {
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

// stages draws how far the storyboard has come, and what it comes to where there is
// room for that; it says whether there was.
func (p *pane) stages(buf uv.ScreenBuffer, area uv.Rectangle) bool {
	lk := p.Desk.Look()
	at := slices.IndexFunc(stages[:], func(s stage) bool { return s.is == p.view.Stage })
	sep := " ▸ "
	if area.Dx() < 42 {
		sep = "▸"
	}
	x, y := area.Min.X, area.Min.Y
	for i, s := range stages {
		if i > 0 {
			x += look.Put(buf, x, y, area.Max.X-x, lk.Faint, sep)
		}
		st, words := lk.Faint, s.words
		switch {
		case i == at:
			st, words = lk.Accent, "‹"+words+"›"
		case i < at:
			st = lk.Base
		}
		x += look.Put(buf, x, y, area.Max.X-x, st, words)
	}
	words := p.totals()
	fits := ansi.StringWidth(words)+2 <= area.Max.X-x
	if fits && len(p.view.Shots) > 0 {
		look.PutRight(buf, x+2, y, area.Max.X-x-2, lk.Dim, words)
	}
	return fits
}

// totals are what the shots come to; while some are marked, how many those are, in no more
// cells.
func (p *pane) totals() string {
	if n := len(p.Marked); n > 0 {
		return look.Join(strconv.Itoa(n)+" marked", look.Plural(len(p.view.Shots), "shot"))
	}
	return p.tally.words()
}

// header draws what there is to say about the storyboard as a whole, the most
// urgent first, and says how many lines that took. told is that the line above says
// what it comes to.
func (p *pane) header(buf uv.ScreenBuffer, area uv.Rectangle, told bool) int {
	lines := p.headLines(area.Dx())
	if len(p.view.Shots) > 0 && !told {
		lines = append(lines, headLine{st: p.Desk.Look().Dim, text: p.totals()})
	}
	most := area.Dy() / 3
	if area.Dy() < 8 {
		most = 1
	}
	lines = lines[:min(len(lines), most)]
	for i, l := range lines {
		look.Put(buf, area.Min.X, area.Min.Y+i, area.Dx(), l.st, look.Parts(l.text, area.Dx()))
	}
	if n := len(lines); area.Dy() >= tallFrom {
		return n + 1
	}
	return len(lines)
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
	case p.Desk.Servers().Ollama.Asked && !p.Desk.Servers().Ollama.Up:
		words += look.Separator + "waiting for Ollama"
	case p.Desk.Waiting() > 0 && p.Desk.Engine().House.QueuePaused():
		words += look.Separator + "the queue is paused (" + p.Desk.Keys().Key(keys.PaneQueue, keys.Pane) + ")"
	default:
		words += look.Separator + "queued"
	}
	return "● " + words + p.way(keys.PaneStop, "cancels")
}

// line draws a line of the list: a heading with how many stand under it, or a row. It
// tells how many of the area's lines that took: more than one only where the row is not
// read whole in one.
func (p *pane) line(buf uv.ScreenBuffer, area uv.Rectangle, i int, focused bool) int {
	lk := p.Desk.Look()
	n := p.Lines[i]
	if n < 0 {
		w := look.Put(buf, area.Min.X, area.Min.Y, area.Dx(), lk.Title, heads[-1-n])
		if c := p.Counts[-1-n]; c > 1 || -1-n == headShots {
			look.Put(buf, area.Min.X+w+1, area.Min.Y, area.Dx()-w-1, lk.Faint, strconv.Itoa(c))
		}
		return 1
	}
	st := rowStyles{lk.Base, lk.Dim, lk.Accent}
	if i == p.At && focused {
		st = rowStyles{lk.Selected, lk.SelectedDim, lk.Selected}
		look.Fill(buf, uv.Rect(area.Min.X, area.Min.Y, area.Dx(), 1), lk.Selected)
	}
	if p.Marked[p.Rows[n].Key] {
		look.Put(buf, area.Min.X, area.Min.Y, 1, st.mark, "✓")
	}
	area.Min.X++
	switch it := p.items[n]; it.head {
	case headShots:
		return p.shotRow(buf, area, it.at, st)
	case headTalk:
		t := &p.view.Talk[it.at]
		x := area.Min.X + look.Put(buf, area.Min.X, area.Min.Y, area.Dx()/2, st.base, "“"+look.Within(t.Line, 200)+"”") + 1
		return look.PutRest(buf, area, x, area.Max.X, st.dim, talkWords(t))
	default:
		lead, text, right := p.planRow(it, area.Dx())
		x, room := area.Min.X, area.Dx()
		if right != "" {
			room = look.PutRight(buf, x, area.Min.Y, room, st.dim, right) - x - 1
		}
		n := look.Put(buf, x, area.Min.Y, room, st.dim, lead)
		if n > 0 {
			n++
		}
		return look.PutRest(buf, area, x+n, x+room, st.base, text)
	}
}

// rowStyles are the styles of a row.
type rowStyles struct{ base, dim, mark uv.Style }

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

// shotRow draws the row of a shot, and tells how many lines that took.
func (p *pane) shotRow(buf uv.ScreenBuffer, area uv.Rectangle, i int, st rowStyles) int {
	s := &p.view.Shots[i]
	x, y := area.Min.X, area.Min.Y
	digits := len(strconv.Itoa(len(p.view.Shots)))
	look.PutRight(buf, x, y, digits, st.dim, strconv.Itoa(i+1))
	x += digits + 1
	wide := area.Dx() >= wideFrom
	if wide {
		look.Put(buf, x, y, digits+1, st.dim, string(s.ID))
		x += digits + 2
	}
	x += look.Put(buf, x, y, 1, st.mark, kindMark(s.Kind)) + 1
	right := shotTime(s.Seconds)
	if c, ok := p.view.Sketches[s.ID]; ok {
		right = strings.TrimSpace(right + " " + sketchMark(&c))
	}
	end := area.Max.X
	if right != "" {
		end = look.PutRight(buf, x, y, area.Max.X-x, st.dim, right) - 1
	}
	room := min(end-x, area.Dx()*2/5)
	n := look.Put(buf, x, y, room, st.dim, shotLook(s))
	if wide {
		n = room
	}
	if n > 0 {
		x += n + 1
	}
	return look.PutRest(buf, area, x, end, st.base, desk.Within(p.Desk, s.Description, 600))
}

// below draws at the bottom all there is to say about the chosen row, and says how
// many lines that took.
func (p *pane) below(buf uv.ScreenBuffer, area uv.Rectangle) int {
	it, ok := p.item()
	if !ok {
		return 0
	}
	w := area.Dx() - 2
	most := max(area.Dy()*2/5, min(area.Dy()-4, 9))
	lines := p.details(it, w, most)
	return look.PutBelow(buf, area, lines[:min(len(lines), most)], p.Desk.Look())
}

// details are styled lines about a row, for about h lines.
func (p *pane) details(it item, w, h int) []string {
	lk := p.Desk.Look()
	t := look.Lines{Width: max(1, w)}
	say := func(st uv.Style, label, text string) {
		if text = look.Within(text, max(1, w*h/2)); text != "" {
			t.Hang(lk.Dim.Styled(label), st, text)
		}
	}
	switch it.head {
	case headShots:
		p.shotDetails(&t, &p.view.Shots[it.at], it.at, h)
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
func (p *pane) shotDetails(t *look.Lines, s *storage.Shot, at, h int) {
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
	room := max(1, h-len(t.Text))
	if s.Dialogue != "" {
		room = max(1, room-2)
	}
	t.Add(lk.Base, desk.Within(p.Desk, s.Description, room*t.Width))
	if s.Dialogue != "" {
		t.Add(lk.Strong, "“"+desk.Within(p.Desk, s.Dialogue, max(1, 2*t.Width-4))+"”")
	}
}

// Click implements desk.Pane: it chooses a row.
func (p *pane) Click(_, y int) tea.Cmd {
	if p.playing != nil {
		return p.run(!p.playing.running)
	}
	if i, ok := p.seen.rows.At(y - p.area.Min.Y - p.seen.head); ok {
		p.Pick(i)
	}
	return nil
}
