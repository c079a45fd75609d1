// Package voice watches a reply while it is written: it finds phrases that are not wanted,
// words put into the user's mouth, sentences that were said before, and says where the reply
// is to be cut so that the model can go on from there. It is pure: it asks nobody, starts
// nothing, and knows no clock.
package voice

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what kind of thing was found.
type Kind string

// The kinds of what is found.
const (
	Phrase   Kind = "phrase"   // of a ban list
	User     Kind = "user"     // speaks or acts for the user
	Role     Kind = "role"     // steps out of the part
	Speaker  Kind = "speaker"  // speaks for another character
	Repeat   Kind = "repeat"   // a sentence that was said before
	Language Kind = "language" // goes on in another language
	List     Kind = "list"     // a list without an end
	Length   Kind = "length"   // more than was wanted; the reply ends in order
	End      Kind = "end"      // the limit came in the middle of a sentence
)

// The bounds of a rule.
const (
	MostRule    = 200 // bytes of a phrase
	MostPattern = 500 // bytes of a regular expression
	MostRules   = 50_000
	MostRegexes = 500
)

// Rule is one phrase of a list: its words, or a regular expression between slashes. Upper and
// lower case, the ends of lines and markup make no difference. A phrase begins where a word
// does. One of a single word is that word alone, unless it ends with a star; one of several
// may go on after its last letter.
type Rule struct {
	Text string `json:"text"`
	Set  string `json:"set,omitempty"`  // of which list it is
	Kind Kind   `json:"kind,omitempty"` // Phrase where it is empty
}

// ErrRule is what every fault of a rule is.
var ErrRule = errors.New("this phrase cannot be used")

// Check says what is wrong with a rule's text, nil for nothing.
func Check(text string) error {
	_, _, err := read(text)
	return err
}

// read makes of a rule's text what is looked for: folded bytes, or a pattern.
func read(text string) (plain []byte, p *pattern, err error) {
	text = strings.TrimSpace(text)
	if !utf8.ValidString(text) {
		return nil, nil, fmt.Errorf("%w: it is not UTF-8", ErrRule)
	}
	if body, ok := slashed(text); ok {
		if p, err = newPattern(body); err != nil {
			return nil, nil, fmt.Errorf("%w: %w", ErrRule, err)
		}
		return nil, p, nil
	}
	if len(text) > MostRule {
		return nil, nil, fmt.Errorf("%w: a phrase has at most %d bytes", ErrRule, MostRule)
	}
	var letters int
	if plain, letters = folded(text); letters < 2 {
		return nil, nil, fmt.Errorf("%w: use two letters or more; write a single sign as an expression, for example /—/", ErrRule)
	}
	return plain, nil, nil
}

// slashed is what stands between the slashes of a regular expression. Flags after the second
// are not needed: case never counts.
func slashed(text string) (string, bool) {
	if len(text) < 3 || text[0] != '/' {
		return "", false
	}
	end := strings.LastIndexByte(text, '/')
	if end == 0 || strings.Trim(text[end+1:], "gimsuy") != "" {
		return "", false
	}
	return text[1:end], end > 1
}

// folded is a phrase as it is looked for, and how many bytes that is without marks.
func folded(text string) (plain []byte, letters int) {
	open := strings.HasSuffix(text, "*") && !strings.HasPrefix(text, "*")
	var f folder
	f.add(strings.TrimRight(text, "*"), 0)
	plain = slices.Clone(f.out)
	if bytes.Count(plain, []byte{wordBegins}) == 1 && !open {
		f.finish()
		plain = f.out
	}
	for _, b := range plain {
		if b > wordEnds && b != ' ' {
			letters++
		}
	}
	return plain, letters
}

// Set is a list of rules, ready to be looked for. It is never changed, and may be used by
// several at once.
type Set struct {
	rules    []Rule
	tree     *tree
	patterns []pattern
	needs    needs // of the patterns
	begins   *begins
}

// Fault is a rule that cannot be looked for, and why.
type Fault struct {
	Rule Rule
	Err  error
}

// Compile makes a set of rules. Rules that are equal count once, the first; allowed ones are
// left out. What cannot be looked for is named, and the rest goes without it.
func Compile(rules []Rule, allowed []string) (*Set, []Fault) {
	s := &Set{tree: newTree()}
	seen := make(map[string]bool, len(rules)+len(allowed))
	for _, text := range allowed {
		seen[Key(text)] = true
	}
	var faults []Fault
	type leaf struct {
		plain []byte
		rule  int
	}
	var leaves []leaf
	for _, r := range rules {
		key := Key(r.Text)
		if seen[key] {
			continue
		}
		seen[key] = true
		plain, re, err := read(r.Text)
		if err == nil && (len(s.rules) >= MostRules || re != nil && len(s.patterns) >= MostRegexes) {
			err = fmt.Errorf("%w: there are more than %d rules, or %d regular expressions", ErrRule, MostRules, MostRegexes)
		}
		if err != nil {
			faults = append(faults, Fault{r, err})
			continue
		}
		if r.Kind == "" {
			r.Kind = Phrase
		}
		if re != nil {
			re.rule = len(s.rules)
			s.patterns = append(s.patterns, *re)
		} else {
			leaves = append(leaves, leaf{plain, len(s.rules)})
		}
		s.rules = append(s.rules, r)
	}
	slices.SortFunc(leaves, func(a, b leaf) int { return slices.Compare(a.plain, b.plain) })
	for _, l := range leaves {
		s.tree.put(l.plain, int32(l.rule))
	}
	s.tree.link()
	s.needs, s.begins = newNeeds(s.patterns), newBegins(s.patterns)
	for i := range s.patterns { // a sixth of what a set takes in memory
		s.patterns[i].tree, s.patterns[i].prog = nil, nil
	}
	return s, faults
}

// Len is how many rules are looked for.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.rules)
}

// Within are the rules that a text has, in its order, as they are written.
func (s *Set) Within(text string) (rules []string) {
	for s.Len() > 0 && strings.TrimSpace(text) != "" {
		w := New(Rules{Set: s}, "")
		f := w.Add(text)
		if f == nil {
			f = w.Finish()
		}
		if f == nil {
			break
		}
		rules = append(rules, f.Rule.Text)
		_, n := utf8.DecodeRuneInString(text[f.At:])
		text = text[f.At+n:]
		if next := strings.IndexFunc(text, unicode.IsSpace); next >= 0 {
			text = text[next:]
		} else {
			break
		}
	}
	return rules
}

// Key is what two spellings of one rule have in common.
func Key(text string) string {
	text = strings.TrimSpace(text)
	if body, ok := slashed(text); ok {
		return "/" + body + "/"
	}
	plain, _ := folded(text)
	return string(plain)
}
