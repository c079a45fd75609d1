package taste

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// rowKind is the kind of a row.
type rowKind int

const (
	summaryRow rowKind = iota
	cardRow
	numbersRow
	sceneRow  // what a scene taught, as a whole
	lessonRow // one of its lessons
	detailRow // something else about a scene
)

// item is a row of the taste pane.
type item struct {
	kind   rowKind
	key    string // identifies it as long as it exists
	head   string // its heading
	at     int    // of the view's cards or memories
	part   int    // index in the memory's lessons
	prefix string // before the text
	text   string // the text of the row
}

// The headings of the profile.
const (
	summaryHead = "Summary"
	cardsHead   = "Cards"
	numbersHead = "Statistics"
	removedHead = "Removed"
)

// maxLines is the maximum number of lines of a text in its row.
const maxLines = 6

// summaryKey is the key of the summary's row.
const summaryKey = "summary"

func cardKey(id storage.CardID) string { return "card " + string(id) }

// confidenceMark returns the mark of a confidence.
func confidenceMark(c storage.Confidence) string {
	switch c {
	case storage.HighConfidence:
		return "●●●"
	case storage.MediumConfidence:
		return "●●○"
	}
	return "●○○"
}

// itemsOf returns the rows of both views: the summary, the cards and the statistics, and the
// lessons of the scenes.
func itemsOf(v *taste.View) (out []item) {
	if !draw.Blank(v.Summary) {
		out = append(out, item{kind: summaryRow, key: summaryKey, head: summaryHead})
	}
	var removed []item
	for i := range v.Cards {
		if it := (item{kind: cardRow, key: cardKey(v.Cards[i].ID), head: cardsHead, at: i}); v.Cards[i].Deleted {
			it.head = removedHead
			removed = append(removed, it)
		} else {
			out = append(out, it)
		}
	}
	if !draw.Blank(v.StatsSummary) {
		out = append(out, item{kind: numbersRow, key: "numbers", head: numbersHead})
	}
	out = append(out, removed...)
	for i := range v.Memories {
		m := &v.Memories[i]
		out = append(append(out, item{kind: sceneRow, key: sceneKey(m), at: i}), lessonItems(m, i)...)
	}
	return out
}

func sceneKey(m *taste.Memory) string { return "scene " + string(m.Scene) }

// hidden reports whether a row is not shown: it is in the other view, in a folded scene, or
// removed.
func (p *tastePane) hidden(it *item) bool {
	switch {
	case (it.kind < sceneRow) != (p.at == profileView):
		return true
	case it.kind > sceneRow:
		return !p.open[p.view.Memories[it.at].Scene]
	}
	return it.head == removedHead && !p.removed
}

// headingNote returns the note after a heading: the number of cards, or that the user wrote it.
func (p *tastePane) headingNote(head string) string {
	switch {
	case head == cardsHead:
		return strconv.Itoa(p.count(false))
	case head == removedHead:
		return strconv.Itoa(p.count(true))
	case head == summaryHead && p.view.Overrides.Summary != "":
		return "edited by you"
	}
	return ""
}

// row returns the row of an item.
func (p *tastePane) row(it *item, _ int) (r pane.Row) {
	sty := p.Host.Styles()
	r = pane.Row{SignStyle: sty.Accent, Lines: maxLines, MoreLines: 2}
	switch it.kind {
	case summaryRow:
		r.Text = p.view.Summary
	case cardRow:
		c := &p.view.Cards[it.at]
		r.Sign, r.Text, r.Lines, r.Faint = confidenceMark(c.Confidence), c.Preference, 2, !c.IsActive()
		switch {
		case c.Deleted:
			r.Sign = "✗  "
		case c.Muted:
			r.Sign, r.Right = "–  ", "muted"
		case c.BeyondLimit:
			r.Sign, r.Right = "–  ", "off"
		}
		if c.Own {
			r.Right = draw.Join(r.Right, "yours")
		}
	case numbersRow:
		r.Text, r.Faint = p.view.StatsSummary, true
	case sceneRow:
		m := &p.view.Memories[it.at]
		r.Sign, r.Text, r.Lines, r.More = "▸", p.sceneName(m), 1, m.EditSummary
		r.Right = draw.Plural(len(m.SceneLearnings), "lesson")
		if p.open[m.Scene] {
			r.Sign, r.More = "▾", ""
		}
	case lessonRow:
		l := &p.view.Memories[it.at].SceneLearnings[it.part]
		r.Sign, r.Text, r.MoreLines = "  "+confidenceMark(l.Confidence), l.Learning, maxLines
		r.More = draw.Join(withPrefix("for ", l.AppliesTo), withPrefix("not for ", l.AvoidApplyingTo))
	case detailRow:
		r.Sign, r.Text, r.Faint = it.prefix, it.text, true
	}
	if draw.Blank(r.Text) {
		r.Text, r.Faint = "(no words)", true
	}
	if r.Faint {
		r.SignStyle = sty.Dim
	}
	return r
}

// withPrefix returns a text with a prefix, "" for an empty text.
func withPrefix(lead, text string) string {
	if draw.Blank(text) {
		return ""
	}
	return lead + draw.Truncate(text, 1000)
}

// cardState describes the state of a card.
func cardState(c *lessons.Card) string {
	words := []string{string(c.Confidence) + " confidence"}
	for _, s := range []struct {
		on    bool
		words string
	}{{c.Deleted, "removed"}, {c.Muted, "muted: not used for plans"},
		{c.BeyondLimit, "off: " + strconv.Itoa(lessons.MaxCards) + " others are used"}, {c.Own, "edited by you"},
		{c.For != "" && c.For != lessons.ForShots, "for " + c.For}} {
		if s.on {
			words = append(words, s.words)
		}
	}
	if seen := lessons.SeenText(c.Seen); seen != "" {
		words = append(words, seen)
	}
	return draw.Truncate(strings.Join(words, draw.Separator), 180)
}

// conditions returns the conditions of a card or a lesson with their labels.
func conditions(appliesTo, avoid, evidence string) [][2]string {
	return [][2]string{{"for ", appliesTo}, {"not for ", avoid}, {"evidence: ", evidence}}
}

// sceneName returns the name of a memory's scene.
func (p *tastePane) sceneName(m *taste.Memory) string {
	words := m.SceneName
	if words == "" {
		words = "a deleted scene"
	}
	if m.Chat != p.Chat && m.ChatTitle != "" {
		words = draw.Join(words, "“"+draw.Truncate(m.ChatTitle, 40)+"”")
	}
	return draw.Join(words, draw.AgoWords(m.UpdatedAt))
}

// maxEdits limits the shown edits of a scene.
const maxEdits = 30

// lessonItems returns the rows under an unfolded scene.
func lessonItems(m *taste.Memory, i int) (out []item) {
	told := func(name, lead, text string) {
		if !draw.Blank(text) {
			out = append(out, item{kind: detailRow, key: sceneKey(m) + " " + name, at: i, prefix: lead, text: text})
		}
	}
	told("edits", "  you:", m.EditSummary)
	for n := range m.SceneLearnings {
		if !draw.Blank(m.SceneLearnings[n].Learning) {
			out = append(out, item{kind: lessonRow, key: sceneKey(m) + " lesson " + strconv.Itoa(n), at: i, part: n})
		}
	}
	told("context", "  scene:", m.SceneContextSummary)
	told("numbers", "  shots:", lessons.Stats([]storage.TasteMemory{m.TasteMemory}))
	for n, ev := range m.Events[:min(len(m.Events), maxEdits)] {
		told("event "+strconv.Itoa(n), "  ·", eventText(ev))
	}
	if n := len(m.Events) - maxEdits; n > 0 {
		told("more", "  ·", "and "+draw.Plural(n, "edit")+" more")
	}
	return out
}

// eventText describes an edit of the user, with the user's words.
func eventText(ev storage.EditEvent) string {
	words := ev.Summary
	if ev.About != "" {
		words = ev.About + ": " + words
	}
	if ev.UserText != "" {
		words += " — “" + draw.Truncate(ev.UserText, 200) + "”"
	}
	return words
}

// details returns styled lines about the selected row.
func (p *tastePane) details(it *item, w int) []string {
	sty, t := p.Host.Styles(), draw.Lines{Width: max(1, w)}
	say := func(parts [][2]string) {
		for _, c := range parts {
			if text := draw.Truncate(c[1], 6*t.Width); text != "" {
				t.Hang(sty.Dim.Styled(c[0]), sty.Base, text)
			}
		}
	}
	switch it.kind {
	case summaryRow:
		if p.view.Overrides.Summary != "" {
			say([][2]string{{"automatic text: ", p.view.ProfileSummary}})
		}
	case cardRow:
		c := &p.view.Cards[it.at]
		t.Add(sty.Accent, cardState(c))
		if ansi.StringWidth(c.Preference) > 2*(w-12) { // its row may have cut it
			say([][2]string{{"", c.Preference}})
		}
		say(conditions(c.AppliesTo, c.AvoidApplyingTo, c.Evidence))
	case lessonRow:
		l := &p.view.Memories[it.at].SceneLearnings[it.part]
		t.Add(sty.Accent, draw.Truncate(string(l.Confidence), 20)+" confidence")
		say([][2]string{{"evidence: ", l.Evidence}})
	case sceneRow:
		if m := &p.view.Memories[it.at]; !p.open[m.Scene] {
			say([][2]string{{"scene: ", m.SceneContextSummary}, {"you: ", m.EditSummary}})
		}
	}
	return t.Text
}
