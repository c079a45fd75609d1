package taste

import (
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// rowKind is what a row of the taste pane is.
type rowKind int

const (
	headingRow rowKind = iota
	summaryRow
	cardRow
	numbersRow
	sceneRow  // what a scene has taught, as a whole
	lessonRow // one of its lessons
	toldRow   // something else that is told of a scene
)

// item is a row of the taste pane, laid out for a width.
type item struct {
	kind  rowKind
	key   string // names it for as long as it is there, "" for a heading
	at    int    // of the view's cards or memories
	part  int    // of the memory's lessons
	lead  string // before the first line; the others stand under the text
	right string // at the right edge of the first line
	faint bool   // it counts for nothing now
	lines []textLine
}

type textLine struct {
	text string
	dim  bool
}

// draw draws as many lines of a row as there is room for.
func (it *item) draw(buf uv.ScreenBuffer, room uv.Rectangle, chosen bool, lk *look.Look) {
	x, y, w := room.Min.X, room.Min.Y, room.Dx()
	if it.kind == headingRow {
		if last := len(it.lines) - 1; last < room.Dy() {
			look.Put(buf, x, y+last, w, lk.Title, it.lines[last].text)
		}
		return
	}
	base, dim, lead := lk.Base, lk.Dim, lk.Accent
	if it.faint {
		base, lead = lk.Dim, lk.Dim
	}
	if chosen {
		base, dim, lead = lk.Selected, lk.SelectedDim, lk.Selected
		look.Fill(buf, room, lk.Selected)
	}
	in := look.Put(buf, x, y, w, lead, it.lead)
	end := x + w
	if it.right != "" {
		end = look.PutRight(buf, x+in, y, w-in, dim, it.right) - 1
	}
	for i := range min(len(it.lines), room.Dy()) {
		st := base
		if it.lines[i].dim {
			st = dim
		}
		look.Put(buf, x+in, y+i, end-x-in, st, it.lines[i].text)
		end = x + w
	}
}

// add appends text in at most rows lines, that are cut where it is longer.
func (it *item) add(text string, w, rows int, dim bool) {
	w = max(1, w-ansi.StringWidth(it.lead))
	if len(it.lines) == 0 && it.right != "" {
		w = max(1, w-ansi.StringWidth(it.right)-1)
	}
	if text = look.Within(text, (rows+1)*w); text == "" {
		return
	}
	lines := look.Wrap(text, w)
	if len(lines) > rows {
		lines = lines[:rows]
		lines[rows-1] = look.Continued(lines[rows-1], w)
	}
	for _, l := range lines {
		it.lines = append(it.lines, textLine{l, dim})
	}
}

// summaryKey names the row of the summary.
const summaryKey = "summary"

func cardKey(id storage.CardID) string { return "card " + string(id) }

// head appends a heading, with a blank line above it where there is room.
func (p *pane) head(items []item, words string) []item {
	it := item{kind: headingRow, lines: []textLine{{text: words}}}
	if len(items) > 0 && p.h >= tall {
		it.lines = append([]textLine{{}}, it.lines...)
	}
	return append(items, it)
}

// sureMark is the sign of how sure something is.
func sureMark(c storage.Confidence) string {
	switch c {
	case storage.HighConfidence:
		return "●●●"
	case storage.MediumConfidence:
		return "●●○"
	}
	return "●○○"
}

// mostRowLines is how many lines a row may take, for that it can be seen as a whole.
func (p *pane) mostRowLines() int {
	if p.h >= tall-2 {
		return p.h*2/3 - 1 // details stand below it
	}
	return max(3, p.h)
}

// profileItems are the rows of the profile: the summary, the cards, the numbers.
func (p *pane) profileItems() []item {
	if p.w <= 0 {
		return nil
	}
	var out, removed []item
	if look.Blank(p.view.Summary) && len(p.view.Cards) == p.left && look.Blank(p.view.StatsSummary) {
		return nil
	}
	if !look.Blank(p.view.Summary) {
		it := item{kind: summaryRow, key: summaryKey}
		it.add(p.view.Summary, p.w, max(2, p.h/3), false)
		out = append(p.head(out, "Summary"+yours(p.view.Hand.Summary != "")), it)
	}
	cards := 0
	for i := range p.view.Cards {
		c := &p.view.Cards[i]
		switch {
		case !c.Deleted:
			if cards++; cards == 1 {
				out = p.head(out, "Cards")
			}
			out = append(out, p.cardItem(c, i))
		case p.all:
			removed = append(removed, p.cardItem(c, i))
		}
	}
	if !look.Blank(p.view.StatsSummary) {
		it := item{kind: numbersRow, key: "numbers"}
		it.add(p.view.StatsSummary, p.w, max(2, p.h/3), true)
		out = append(p.head(out, "Statistics"), it)
	}
	if len(removed) > 0 {
		out = append(p.head(out, "Removed"), removed...)
	}
	return out
}

// yours marks what the user wrote.
func yours(is bool) string {
	if is {
		return look.Separator + "edited by you"
	}
	return ""
}

func (p *pane) cardItem(c *lessons.Card, i int) item {
	it := item{kind: cardRow, key: cardKey(c.ID), at: i, lead: sureMark(c.Confidence) + " ", faint: !c.Used()}
	switch {
	case c.Deleted:
		it.lead = "✗   "
	case c.Muted:
		it.lead, it.right = "–   ", "muted"
	case c.Over:
		it.lead, it.right = "–   ", "off"
	}
	if c.Own {
		it.right = look.Join(it.right, "yours")
	}
	it.add(c.Preference, p.w, 2, false)
	return it
}

// cardState says in words what is special about a card.
func cardState(c *lessons.Card) string {
	words := []string{string(c.Confidence) + " confidence"}
	for _, s := range []struct {
		on    bool
		words string
	}{{c.Deleted, "removed"}, {c.Muted, "muted: not used for plans"}, {c.Over, "off: " + strconv.Itoa(lessons.MostCards) + " others are used"}, {c.Own, "edited by you"},
		{c.For != "" && c.For != lessons.ForShots, "for " + c.For}} {
		if s.on {
			words = append(words, s.words)
		}
	}
	if seen := lessons.SeenWords(c.Seen); seen != "" {
		words = append(words, seen)
	}
	return look.Within(strings.Join(words, look.Separator), 180)
}

// conditions are the parts of a card or a lesson with what stands before them.
func conditions(appliesTo, avoid, evidence string) [][2]string {
	return [][2]string{{"for ", appliesTo}, {"not for ", avoid}, {"evidence: ", evidence}}
}

// sceneItems are the rows of what the scenes have taught.
func (p *pane) sceneItems() (out []item) {
	if p.w <= 0 {
		return nil
	}
	for i := range p.view.Memories {
		m := &p.view.Memories[i]
		it := item{kind: sceneRow, key: "scene " + string(m.Scene), at: i, lead: "▸ ", right: look.Plural(len(m.SceneLearnings), "lesson")}
		if p.open[m.Scene] {
			it.lead = "▾ "
		}
		it.add(p.sceneName(m), p.w, 1, false)
		if p.open[m.Scene] {
			out = append(append(out, it), p.lessonItems(m, i)...)
			continue
		}
		it.add(m.EditSummary, p.w, 2, true)
		out = append(out, it)
	}
	return out
}

// sceneName is how the scene of a memory is called.
func (p *pane) sceneName(m *taste.Memory) string {
	words := m.SceneName
	if words == "" {
		words = "a deleted scene"
	}
	if m.Chat != p.chat && m.ChatTitle != "" {
		words = look.Join(words, "“"+look.Within(m.ChatTitle, 40)+"”")
	}
	return look.Join(words, look.AgoWords(m.UpdatedAt))
}

// mostEdits bounds how many edits of a scene are told.
const mostEdits = 30

// lessonItems are the rows under a scene that is unfolded.
func (p *pane) lessonItems(m *taste.Memory, i int) (out []item) {
	told := func(name, lead, text string) {
		it := item{kind: toldRow, key: "scene " + string(m.Scene) + " " + name, at: i, lead: lead, faint: true}
		if it.add(text, p.w, p.mostRowLines(), true); len(it.lines) > 0 {
			out = append(out, it)
		}
	}
	told("edits", "  you: ", m.EditSummary)
	for n, l := range m.SceneLearnings {
		it := item{kind: lessonRow, key: "scene " + string(m.Scene) + " lesson " + strconv.Itoa(n), at: i, part: n, lead: "  " + sureMark(l.Confidence) + " "}
		it.add(l.Learning, p.w, p.mostRowLines()-2, false)
		if len(it.lines) == 0 {
			continue
		}
		for _, c := range conditions(l.AppliesTo, l.AvoidApplyingTo, "") {
			if room := p.mostRowLines() - len(it.lines); room > 0 && !look.Blank(c[1]) {
				it.add(c[0]+c[1], p.w, room, true)
			}
		}
		out = append(out, it)
	}
	told("context", "  scene: ", m.SceneContextSummary)
	told("numbers", "  shots: ", lessons.Stats([]storage.TasteMemory{m.TasteMemory}))
	for n, ev := range m.Events[:min(len(m.Events), mostEdits)] {
		told("event "+strconv.Itoa(n), "  · ", eventWords(ev))
	}
	if n := len(m.Events) - mostEdits; n > 0 {
		told("more", "  · ", "and "+look.Plural(n, "edit")+" more")
	}
	return out
}

// eventWords is what the user did, with the user's words for it.
func eventWords(ev storage.EditEvent) string {
	words := ev.Summary
	if ev.About != "" {
		words = ev.About + ": " + words
	}
	if ev.UserText != "" {
		words += " — “" + look.Within(ev.UserText, 200) + "”"
	}
	return words
}

// details are styled lines about the chosen row.
func (p *pane) details(it *item, w int, lk *look.Look) []string {
	t := look.Lines{Width: max(1, w)}
	say := func(parts [][2]string) {
		for _, c := range parts {
			if text := look.Within(c[1], 6*t.Width); text != "" {
				t.Hang(lk.Dim.Styled(c[0]), lk.Base, text)
			}
		}
	}
	switch it.kind {
	case summaryRow:
		if p.view.Hand.Summary != "" {
			say([][2]string{{"automatic text: ", p.view.ProfileSummary}})
		}
	case cardRow:
		c := &p.view.Cards[it.at]
		t.Add(lk.Accent, cardState(c))
		if strings.HasSuffix(it.lines[len(it.lines)-1].text, "…") {
			say([][2]string{{"", c.Preference}})
		}
		say(conditions(c.AppliesTo, c.AvoidApplyingTo, c.Evidence))
	case lessonRow:
		l := &p.view.Memories[it.at].SceneLearnings[it.part]
		t.Add(lk.Accent, look.Within(string(l.Confidence), 20)+" confidence")
		say([][2]string{{"evidence: ", l.Evidence}})
	case sceneRow:
		if m := &p.view.Memories[it.at]; !p.open[m.Scene] {
			say([][2]string{{"scene: ", m.SceneContextSummary}, {"you: ", m.EditSummary}})
		}
	}
	return t.Text
}
