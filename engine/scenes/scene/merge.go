package scene

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/coverage"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MergeAnswer is a model's answer to Merge.Prompt, in any of the forms that
// MergeForm takes. Its numbers mean nothing without the Merge.
type MergeAnswer struct {
	body    body
	dropped map[int]string // why a fact is left out, by its number
	read    bool           // an answer was taken in
}

// UnmarshalJSON takes an answer in, as that of Answer does.
func (a *MergeAnswer) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("running recap: %w", err)
	}
	*a = MergeAnswer{body: bodyOf(fields["recap"]), dropped: coverage.Dropped(fields["dropped"]), read: true}
	return nil
}

// bulletList writes the bullets of a recap for a prompt, counted on from the
// number before; it returns the last number. over are those that have ended, by their
// keys.
func bulletList(r storage.Recap, number int, over map[string]string) (string, int) {
	var b strings.Builder
	heading := ""
	for _, bullet := range Bullets(r.Text) {
		if bullet.Heading != heading {
			heading = bullet.Heading
			b.WriteString(heading + ":\n")
		}
		number++
		mark := ""
		if over[BulletKey(bullet.Text)] != "" {
			mark = overMark
		}
		fmt.Fprintf(&b, "[%d] %s%s\n", number, defuse(bullet.Text), mark)
	}
	if b.Len() == 0 {
		return nothing, number
	}
	return strings.TrimSuffix(b.String(), "\n"), number
}

// overMark stands behind a fact that has ended.
const overMark = " (over)"

// MessageAnswer is a model's answer to MessagePrompt.
type MessageAnswer struct {
	Recap string `json:"recap"`
}

// maxMessageRecap is how long the recap of one message may be, in runes.
const maxMessageRecap = 1500

// Check finds what is wrong with the answer, in words for the model.
func (a *MessageAnswer) Check() error {
	if a.Text() == "" {
		return fmt.Errorf(`"recap" is empty: say in a line or two what the message brings`)
	}
	return nil
}

// Text is the recap as it is to be kept: Markdown without headings.
func (a *MessageAnswer) Text() string {
	var lines []string
	for _, l := range strings.Split(paragraphs(a.Recap), "\n") {
		text := bulletText(l)
		switch {
		case text == "":
			continue
		case cutItem(l) != l:
			text = "- " + text
		}
		lines = append(lines, text)
	}
	return prompts.Bounded(strings.Join(lines, "\n"), maxMessageRecap)
}

var (
	_ json.Unmarshaler = (*Answer)(nil)
	_ json.Unmarshaler = (*MergeAnswer)(nil)
)
