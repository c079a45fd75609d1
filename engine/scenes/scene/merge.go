package scene

import (
	"encoding/json"
	"fmt"
	"strings"

	"ghostlight/prompts"
	"ghostlight/storage"
)

// MergeAnswer is a model's answer to MergePrompt, in any of the forms that
// MergeForm takes.
type MergeAnswer struct{ body body }

// UnmarshalJSON takes an answer in, as that of Answer does.
func (a *MergeAnswer) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("running recap: %w", err)
	}
	*a = MergeAnswer{body: bodyOf(fields["recap"])}
	return nil
}

// Check finds what is wrong with the answer, in words for the model.
func (a *MergeAnswer) Check() error { return a.body.check() }

// Usable tells whether the answer holds any recap at all.
func (a *MergeAnswer) Usable() bool { return a.body.count() > 0 }

// Draft makes a running recap of the answer. A bullet's sources are those of
// the bullets that it was made of.
func (a *MergeAnswer) Draft(base, next storage.Recap) Draft {
	var d Draft
	d.Text, d.Sources = a.body.render(bulletsOf(base, next), nil, false)
	return d
}

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
