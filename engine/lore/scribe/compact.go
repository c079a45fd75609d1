package scribe

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ghostlight/engine/lore/plist"
	"ghostlight/prompts"
	"ghostlight/storage"
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

// TooLong tells whether the entry is longer than it should be, and yet can be
// shortened.
func (c *Compacting) TooLong() bool {
	n := utf8.RuneCountInString(c.Content)
	return n > c.most() && n <= mostCompacted
}

// CompactPrompt asks for an entry in fewer words.
func CompactPrompt(set *prompts.Set, c Compacting, user, char string) []Prompt {
	return set.Request(CompactFile, people(map[string]string{
		"name": or(shown(c.Name), nothing), "type": or(shown(plist.PlainType(c.Type)), nothing),
		"form": formOf(!plist.Is(c.Content), c.Type, c.Name),
		"most": fmt.Sprint(c.most()), "length": fmt.Sprint(utf8.RuneCountInString(c.Content)),
		"content": or(strings.TrimSpace(defuse(clip(c.Content, mostCompacted))), nothing),
	}, user, char))
}

// CompactSchema bounds the answer to CompactPrompt for any entry.
func CompactSchema() json.RawMessage { return compactSchema(maxMerged) }

// Schema bounds the answer to CompactPrompt for this entry.
func (c *Compacting) Schema() json.RawMessage { return compactSchema(max(c.most(), leastSchema)) }

// leastSchema is the least bound of an answer's content, in characters.
const leastSchema = 80

func compactSchema(most int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"content":{"type":"string","minLength":2,"maxLength":%d}},`+
		`"required":["content"],"additionalProperties":false}`, most))
}

// CompactForm is what such an answer must look like to be read.
func CompactForm() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"content":{"type":"string"}},"required":["content"]}`)
}

// Compact is a model's answer to CompactPrompt. Of says what it was asked about;
// set it before an answer is read.
type Compact struct {
	Content string
	Of      Compacting
}

// UnmarshalJSON takes an answer in, as that of Lookup does.
func (c *Compact) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("lore compaction: %w", err)
	}
	c.Content = contentOf(prompts.Text(fields["content"]))
	return nil
}

// Check finds what is wrong with the answer, in words for the model.
func (c *Compact) Check() error {
	if err := c.form(); err != nil {
		return err
	}
	if n := utf8.RuneCountInString(c.Content); n > c.Of.most() {
		return fmt.Errorf(`"content" has %d characters, and %d are allowed: say it in fewer words`, n, c.Of.most())
	}
	if lost := lostNames(c.Of.Content, c.Content); len(lost) > 0 {
		return fmt.Errorf(`"content" no longer speaks of %s: leave out words, not facts`, strings.Join(lost, ", "))
	}
	return nil
}

func (c *Compact) form() error {
	switch {
	case c.Content == "":
		return errors.New(`"content" is empty: it must be the whole entry in fewer words`)
	case utf8.RuneCountInString(c.Content) >= utf8.RuneCountInString(c.Of.Content):
		return errors.New(`"content" is not shorter than the entry`)
	case !plist.Is(c.Of.Content):
		if plist.Is(c.Content) {
			return errors.New(`"content" is a list in brackets, but the entry is plain text: write it as plain text`)
		}
		return nil
	}
	aliases := append([]string{}, c.Of.Aliases...)
	if _, head, ok := plist.Head(c.Of.Content); ok {
		aliases = append(aliases, head)
	}
	isPronoun := func(p plist.Problem) bool { return p.Kind == plist.Pronoun }
	had := slices.ContainsFunc(plist.Check(c.Of.Content, plist.Want{}), isPronoun)
	var said []string
	for _, p := range plist.Check(plist.Tidy(c.Content), plist.Want{Name: c.Of.Name, Aliases: aliases}) {
		if !had || !isPronoun(p) { // whom an old one means, the answer cannot know
			said = append(said, p.String())
		}
	}
	return faultsOf(said)
}

// Usable tells whether the answer is at least shorter and of the right form: the
// user sees what it leaves out.
func (c *Compact) Usable() bool { return c.form() == nil }

// Result is the shortened content, with the head that the entry had.
func (c *Compact) Result() string {
	if !plist.Is(c.Of.Content) {
		return c.Content
	}
	m := Merge{Of: Merging{Name: c.Of.Name, Type: c.Of.Type, Content: c.Of.Content}}
	return m.headed(plist.Tidy(c.Content), "")
}

// maxLost is how many lost names are told.
const maxLost = 6

// lostNames lists names and numbers of a text that another lacks.
func lostNames(before, after string) []string {
	have := plist.Stems(after)
	seen := map[string]bool{}
	var out []string
	last := 0
	plist.Words(before, func(w string, at int, dense bool) bool {
		start := at == 0 || strings.ContainsAny(before[last:at], ".!?[:,;()\n")
		last = at + len(w)
		r, _ := utf8.DecodeRuneInString(w)
		s := plist.Stem(w)
		if dense || s == "" || seen[s] || have[s] || !unicode.IsDigit(r) && (start || !unicode.IsUpper(r)) {
			return true
		}
		seen[s] = true
		out = append(out, "“"+clip(w, 40)+"”")
		return len(out) < maxLost
	})
	return out
}
