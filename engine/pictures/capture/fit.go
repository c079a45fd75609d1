package capture

import (
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// cut is what is shown where there is little room, in runes: of the fields of cards, of
// the messages of the background and of those of the present from their beginning and
// their end, and of the newest message its end. A zero leaves nothing out; background
// messages of which nothing at all is shown are told by what was before.
type cut struct {
	field               int
	background, present [2]int
	newest              int
	no                  bool // none of the background
}

// cuts are the degrees: what is farthest from the present goes first, and the newest
// message last.
var cuts = []cut{
	{},
	{field: 2000, background: [2]int{1500, 700}},
	{field: 1200, background: [2]int{600, 300}},
	{field: 700, background: [2]int{250, 150}},
	{field: 400, background: [2]int{120, 80}},
	{field: 400, no: true},
	{field: 400, no: true, present: [2]int{800, 400}},
	{field: 250, no: true, present: [2]int{250, 250}},
	{field: 160, no: true, present: [2]int{80, 80}},
	{field: 250, no: true, present: [2]int{120, 120}, newest: 2400},
	{field: 160, no: true, present: [2]int{80, 80}, newest: 1200},
}

// Degrees is the highest degree of an Input.
func Degrees() int { return len(cuts) - 1 }

// Ended reports whether of the newest message only the end is shown at a degree.
func (in Input) Ended() bool { return in.cut().newest > 0 }

func (in Input) cut() cut { return cuts[max(0, min(in.Degree, Degrees()))] }

// Tight reports whether there is so little room at a degree that what was before has to
// be brief as well.
func (in Input) Tight() bool { return in.cut().no }

// before is the head of a transcript that does not show all.
func (in Input) before() string {
	if in.Degree == 0 || strings.TrimSpace(in.Before) == "" {
		return ""
	}
	return "(BACKGROUND, the story up to here in short:)\n" + strings.TrimSpace(in.Before)
}

// leftOut reports whether a message, one of several, is not shown at all.
func (in Input) leftOut(i, of int) bool { return in.cut().no && i < of-present }

// shown is what is shown of a message, one of several.
func (in Input) shown(i, of int, n storage.Node) string {
	c, text := in.cut(), strings.TrimSpace(n.Content)
	switch {
	case i == of-1 && c.newest > 0:
		return ending(text, c.newest)
	case i == of-1:
	case i < of-present && c.background[0] > 0:
		return ends(text, c.background)
	case i >= of-present && c.present[0] > 0:
		return ends(text, c.present)
	}
	return ending(text, maxMessage)
}

// bound keeps the beginning of a field of a card.
func (in Input) bound(s string) string {
	if most := in.cut().field; most > 0 {
		return beginning(s, most)
	}
	return bound(s)
}

// bound keeps the beginning of a field.
func bound(s string) string { return beginning(s, maxField) }

func beginning(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	return string(r[:most]) + "…"
}

// ending keeps the end of a message: it is nearer to the present than the beginning.
func ending(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	return "…" + string(r[len(r)-most:])
}

// ends keeps the beginning and the end of a message.
func ends(s string, of [2]int) string {
	if utf8.RuneCountInString(s) <= of[0]+of[1] {
		return s
	}
	r := []rune(s)
	return string(r[:of[0]]) + " […] " + string(r[len(r)-of[1]:])
}
