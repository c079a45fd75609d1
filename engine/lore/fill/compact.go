package fill

import (
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CompactInput is an entry to shorten.
type CompactInput struct {
	Name    string
	Aliases []string
	Type    string
	Content string
	Max     int // characters; 0: MaxContent
}

// NewCompactInput returns the input for shortening an entry.
func NewCompactInput(e *storage.LoreEntry, most int) CompactInput {
	return CompactInput{Name: e.Name, Aliases: e.Aliases, Type: e.Type, Content: e.Content, Max: most}
}

// maxCompactInput is the maximum length, in runes, of an entry that a model may shorten.
const maxCompactInput = 12000

func (c *CompactInput) maxRunes() int {
	if c.Max <= 0 {
		return MaxContent
	}
	return min(c.Max, maxMerged)
}

// TooLong reports whether the entry is longer than it should be, and yet can be
// shortened.
func (c *CompactInput) TooLong() bool {
	n := utf8.RuneCountInString(c.Content)
	return n > c.maxRunes() && n <= maxCompactInput
}

// Facts returns the facts that the prompt numbers, from 1.
func (c *CompactInput) Facts() []string { return plist.Facts(clip(c.Content, maxCompactInput)) }

// CompactPrompt asks for an entry in fewer words.
func CompactPrompt(set *prompts.Set, c CompactInput, user, char string) []Prompt {
	facts := c.Facts()
	return set.Request(CompactFile, addNames(map[string]string{
		"name": or(promptName(c.Name), nothing), "type": or(promptName(plist.CleanType(c.Type)), nothing),
		"form": formWords(!plist.IsList(c.Content)),
		"most": fmt.Sprint(c.maxRunes()), "length": fmt.Sprint(utf8.RuneCountInString(c.Content)),
		"content": numbered(facts, 0), "count": fmt.Sprint(len(facts)),
	}, user, char))
}

// Schema bounds the answer to CompactPrompt for this entry.
func (c *CompactInput) Schema() json.RawMessage {
	n := len(c.Facts())
	return factsSchema(n, n, false)
}

// CompactForm returns the schema that such an answer is checked against.
func CompactForm() json.RawMessage { return factsForm }

// CompactAnswer is a model's answer to CompactPrompt. Input must be set before it is decoded.
type CompactAnswer struct {
	answer
	Input CompactInput
}

// UnmarshalJSON reads an answer; see LookupAnswer.UnmarshalJSON.
func (c *CompactAnswer) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("lore compaction: %w", err)
	}
	c.answer = answerOf(fields)
	return nil
}

// Check returns the faults of the answer, worded for the model.
func (c *CompactAnswer) Check() error {
	if err := c.form(); err != nil {
		return err
	}
	n := utf8.RuneCountInString(c.Result().Content)
	if n >= utf8.RuneCountInString(c.Input.Content) {
		return errors.New(`the entry is no shorter: write facts in fewer words, or drop some`)
	}
	if n > c.Input.maxRunes() {
		return fmt.Errorf(`the entry has %d characters, and %d are allowed: say it in fewer words`, n,
			c.Input.maxRunes())
	}
	return nil
}

// form checks whether the answer is usable at all.
func (c *CompactAnswer) form() error {
	if !plist.IsList(c.Input.Content) {
		if c.list {
			return errors.New(`"facts" is a list in brackets, but the entry is plain text: write plain text`)
		}
		return nil
	}
	want := plist.Want{Name: c.Input.Name, Aliases: append([]string{}, c.Input.Aliases...)}
	typ, head, ok := plist.Head(c.Input.Content)
	if ok {
		want.Aliases = append(want.Aliases, head)
	}
	return c.faults(typ, or(head, c.Input.Name), want, c.Input.Facts())
}

// Usable reports whether the answer has the right form. It may be as long as the entry. The user
// sees what it leaves out.
func (c *CompactAnswer) Usable() bool { return c.form() == nil }

func (c *CompactAnswer) checkFacts() factCheck {
	facts := c.Input.Facts()
	return c.answer.checkFacts(facts, len(facts), plist.IsList(c.Input.Content), nil)
}

func (c *CompactAnswer) content(out Outcome) string {
	texts := make([]string, len(out.Facts))
	for i, f := range out.Facts {
		texts[i] = f.Text
	}
	return plist.ReplaceFacts(c.Input.Content, texts)
}

// Result returns the shortened entry, with the head that it had.
func (c *CompactAnswer) Result() Outcome {
	out := c.checkFacts().outcome(c.Input.Facts())
	out.Content = c.content(out)
	return out
}
