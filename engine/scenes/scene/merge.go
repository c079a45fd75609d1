package scene

import (
	"encoding/json"
	"fmt"
	"strings"

	"ghostlight/prompts"
	"ghostlight/storage"
)

// MergeAnswer is a model's answer to Merge.Prompt, in any of the forms that
// MergeForm takes. Its numbers mean nothing without the Merge.
type MergeAnswer struct {
	body    body
	dropped map[int]string // why a fact is left out, by its number
}

// UnmarshalJSON takes an answer in, as that of Answer does.
func (a *MergeAnswer) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("running recap: %w", err)
	}
	*a = MergeAnswer{body: bodyOf(fields["recap"]), dropped: dropsOf(fields["dropped"])}
	return nil
}

// dropsOf reads which facts are left out, and why.
func dropsOf(raw json.RawMessage) map[int]string {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	out := map[int]string{}
	for _, r := range list[:min(len(list), maxBullets)] {
		fields, err := prompts.Object(r)
		if err != nil {
			continue
		}
		why := ""
		for _, key := range []string{"why", "reason"} {
			why = or(why, prompts.Bounded(prompts.OneLine(phraseOf(fields[key])), maxWhy))
		}
		for _, key := range []string{"fact", "facts", "bullet", "bullets", "number"} {
			for _, n := range numbersOf(fields[key]) {
				if why != "" {
					out[n] = why
				}
			}
		}
	}
	return out
}

// maxWhy is how long the reason may be for which a fact is left out, in runes.
const maxWhy = 160

// Joined makes the answer to JoinPrompt a recap: its numbers mean the bullets
// of the scenes, and the sources are theirs.
func (a *Answer) Joined(scenes []storage.Recap, style string) Draft {
	return a.draft(bulletsOf(scenes...), nil, style)
}

// bulletsOf lists the bullets of several recaps as they are numbered in a
// prompt.
func bulletsOf(recaps ...storage.Recap) []cited {
	var out []cited
	for _, r := range recaps {
		for _, b := range Bullets(r.Text) {
			out = append(out, cited{text: b.Text, nodes: SourcesOf(r, b.Text), bullet: true})
		}
	}
	return out
}

// bulletList writes the bullets of a recap for a prompt, counted on from the
// number before; it returns the last number.
func bulletList(r storage.Recap, number int) (string, int) {
	var b strings.Builder
	heading := ""
	for _, bullet := range Bullets(r.Text) {
		if bullet.Heading != heading {
			heading = bullet.Heading
			b.WriteString(heading + ":\n")
		}
		number++
		fmt.Fprintf(&b, "[%d] %s\n", number, defuse(bullet.Text))
	}
	if b.Len() == 0 {
		return nothing, number
	}
	return strings.TrimSuffix(b.String(), "\n"), number
}

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
