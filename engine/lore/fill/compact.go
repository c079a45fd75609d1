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

// Compacting is an entry that is to be shortened.
type Compacting struct {
	Name    string
	Aliases []string
	Type    string
	Content string
	Max     int // characters; 0: MaxContent
}

// CompactingOf is the shortening of an entry.
func CompactingOf(e *storage.LoreEntry, most int) Compacting {
	return Compacting{Name: e.Name, Aliases: e.Aliases, Type: e.Type, Content: e.Content, Max: most}
}

// mostCompacted is how long an entry may be for a model to shorten it.
const mostCompacted = 12000

func (c *Compacting) most() int {
	if c.Max <= 0 {
		return MaxContent
	}
	return min(c.Max, maxMerged)
}

// TooLong reports whether the entry is longer than it should be, and yet can be
// shortened.
func (c *Compacting) TooLong() bool {
	n := utf8.RuneCountInString(c.Content)
	return n > c.most() && n <= mostCompacted
}

// Facts are those that the prompt numbers, from 1.
func (c *Compacting) Facts() []string { return plist.Facts(clip(c.Content, mostCompacted)) }

// CompactPrompt asks for an entry in fewer words.
func CompactPrompt(set *prompts.Set, c Compacting, user, char string) []Prompt {
	facts := c.Facts()
	return set.Request(CompactFile, people(map[string]string{
		"name": or(shown(c.Name), nothing), "type": or(shown(plist.PlainType(c.Type)), nothing),
		"form": formOf(!plist.Is(c.Content)),
		"most": fmt.Sprint(c.most()), "length": fmt.Sprint(utf8.RuneCountInString(c.Content)),
		"content": numbered(facts, 0), "count": fmt.Sprint(len(facts)),
	}, user, char))
}

// Schema bounds the answer to CompactPrompt for this entry.
func (c *Compacting) Schema() json.RawMessage {
	n := len(c.Facts())
	return factsSchema(n, n, false)
}

// CompactForm is what such an answer must look like to be read.
func CompactForm() json.RawMessage { return factsForm }

// Compact is a model's answer to CompactPrompt. Of says what it was asked about;
// set it before an answer is read.
type Compact struct {
	answer
	Of Compacting
}

// UnmarshalJSON takes an answer in, as that of Lookup does.
func (c *Compact) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("lore compaction: %w", err)
	}
	c.answer = answerOf(fields)
	return nil
}

// Check finds what is wrong with the answer, in words for the model: all of it, since
// it is asked once more only.
func (c *Compact) Check() error {
	if err := c.form(); err != nil {
		return err
	}
	w := c.weigh()
	out := w.outcome(c.Of.Facts())
	var long error
	if n := utf8.RuneCountInString(c.content(out)); n > c.Of.most() && len(w.missing) == 0 {
		long = fmt.Errorf(`the entry has %d characters, and %d are allowed: say it in fewer words`, n, c.Of.most())
	}
	return joined(w.complain(), long)
}

// form finds what makes an answer none at all.
func (c *Compact) form() error {
	if len(c.said) == 0 {
		return errors.New(`"facts" is empty: it must be the whole entry in fewer words`)
	}
	if !plist.Is(c.Of.Content) {
		if c.list {
			return errors.New(`"facts" is a list in brackets, but the entry is plain text: write plain text`)
		}
		return c.shorter()
	}
	want := plist.Want{Name: c.Of.Name, Aliases: append([]string{}, c.Of.Aliases...)}
	typ, head, ok := plist.Head(c.Of.Content)
	if ok {
		want.Aliases = append(want.Aliases, head)
	}
	if err := c.faults(typ, or(head, c.Of.Name), want, c.Of.Facts()); err != nil {
		return err
	}
	return c.shorter()
}

// shorter finds that what the model said is no shorter than the entry.
func (c *Compact) shorter() error {
	texts := make([]string, len(c.said))
	for i, s := range c.said {
		texts[i] = s.Text
	}
	if utf8.RuneCountInString(plist.With(c.Of.Content, texts)) >= utf8.RuneCountInString(c.Of.Content) {
		return errors.New(`"facts" is not shorter than the entry`)
	}
	return nil
}

// Usable reports whether the answer is at least shorter and of the right form: the
// user sees what it leaves out.
func (c *Compact) Usable() bool { return c.form() == nil }

func (c *Compact) weigh() weighed {
	facts := c.Of.Facts()
	return c.answer.weigh(facts, len(facts), plist.Is(c.Of.Content), nil)
}

func (c *Compact) content(out Outcome) string {
	texts := make([]string, len(out.Facts))
	for i, f := range out.Facts {
		texts[i] = f.Text
	}
	return plist.With(c.Of.Content, texts)
}

// Result is the shortened entry, with the head that it had.
func (c *Compact) Result() Outcome {
	out := c.weigh().outcome(c.Of.Facts())
	out.Content = c.content(out)
	return out
}
