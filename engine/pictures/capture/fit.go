package capture

import (
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// truncation holds the lengths to which texts are cut when the context is small, in runes: of card
// fields, of the beginning and the end of background and present messages, and of the end of the
// newest message. A zero means no limit; background messages that are not shown are replaced by the
// summary.
type truncation struct {
	field               int
	background, present [2]int
	newest              int
	no                  bool // nothing of the background
}

// truncations are the degrees: what is farthest from the present is cut first, and the newest
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

// Degrees returns the highest degree of an Input.
func Degrees() int { return len(truncations) - 1 }

// NewestTruncated reports whether only the end of the newest message is shown.
func (in Input) NewestTruncated() bool { return in.truncation().newest > 0 }

func (in Input) truncation() truncation { return truncations[max(0, min(in.Degree, Degrees()))] }

// IsTight reports whether there is so little room that the summary has to be brief too.
func (in Input) IsTight() bool { return in.truncation().no }

// before returns the head of a transcript that is not complete.
func (in Input) before() string {
	if in.Degree == 0 || strings.TrimSpace(in.Before) == "" {
		return ""
	}
	return "(BACKGROUND, the story up to here in short:)\n" + strings.TrimSpace(in.Before)
}

// isOmitted reports whether message i of a number of messages is not shown at all.
func (in Input) isOmitted(i, of int) bool { return in.truncation().no && i < of-present }

// messageText returns what is shown of message i of a number of messages.
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

// truncateField returns the beginning of a card field.
func (in Input) truncateField(s string) string {
	if most := in.truncation().field; most > 0 {
		return beginning(s, most)
	}
	return truncateToField(s)
}

// truncateToField returns the beginning of a field.
func truncateToField(s string) string { return beginning(s, maxField) }

func beginning(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	return string(r[:most]) + "…"
}

// ending returns the end of a message: it is closer to the present than the beginning.
func ending(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	r := []rune(s)
	return "…" + string(r[len(r)-most:])
}

// ends returns the beginning and the end of a message.
func ends(s string, of [2]int) string {
	if utf8.RuneCountInString(s) <= of[0]+of[1] {
		return s
	}
	r := []rune(s)
	return string(r[:of[0]]) + " […] " + string(r[len(r)-of[1]:])
}
