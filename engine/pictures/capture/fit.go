package capture

import (
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// truncation is what is shown where there is little room, in runes: of the fields of cards, of
// the messages of the background and of those of the present from their beginning and
// their end, and of the newest message its end. A zero leaves nothing out; background
// messages of which nothing at all is shown are told by what was before.
type truncation struct {
	field               int
	background, present [2]int
	newest              int
	no                  bool // none of the background
}

// truncations are the degrees: what is farthest from the present goes first, and the newest
// message last.
var truncations = []truncation{
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
func Degrees() int { return len(truncations) - 1 }

// NewestTruncated reports whether of the newest message only the end is shown at a degree.
func (in Input) NewestTruncated() bool { return in.truncation().newest > 0 }

func (in Input) truncation() truncation { return truncations[max(0, min(in.Degree, Degrees()))] }

// IsTight reports whether there is so little room at a degree that what was before has to
// be brief as well.
func (in Input) IsTight() bool { return in.truncation().no }

// before is the head of a transcript that does not show all.
func (in Input) before() string {
	if in.Degree == 0 || strings.TrimSpace(in.Before) == "" {
		return ""
	}
	return "(BACKGROUND, the story up to here in short:)\n" + strings.TrimSpace(in.Before)
}

// isOmitted reports whether a message, one of several, is not shown at all.
func (in Input) isOmitted(i, of int) bool { return in.truncation().no && i < of-present }

// messageText is what is shown of a message, one of several.
func (in Input) messageText(i, of int, n storage.Node) string {
	c, text := in.truncation(), strings.TrimSpace(n.Content)
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

// truncateField keeps the beginning of a field of a card.
func (in Input) truncateField(s string) string {
	if most := in.truncation().field; most > 0 {
		return beginning(s, most)
	}
	return truncateToField(s)
}

// truncateToField keeps the beginning of a field.
func truncateToField(s string) string { return beginning(s, maxField) }

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
