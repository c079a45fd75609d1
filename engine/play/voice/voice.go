// Package voice watches a reply while it is written. It finds unwanted phrases, words put into the
// user's mouth and repeated sentences, and returns where to cut the reply so that the model can
// continue from there. It is pure: it makes no requests, starts no goroutines, and has no clock.
package voice

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind is the kind of a finding.
type Kind string

// The kinds of findings.
const (
	Phrase   Kind = "phrase"   // of a ban list
	User     Kind = "user"     // speaks or acts for the user
	Speaker  Kind = "speaker"  // speaks for another character
	Repeat   Kind = "repeat"   // a repeated sentence
	Language Kind = "language" // continues in another script
	Control  Kind = "control"  // a sign of a chat template: the reply ends before it
	List     Kind = "list"     // a list without an end
	Length   Kind = "length"   // more than was wanted; the reply ends regularly
	End      Kind = "end"      // the limit came in the middle of a sentence
)

// The limits of a rule.
const (
	MaxRule    = 200 // bytes of a phrase
	MaxPattern = 500 // bytes of a regular expression
	MaxRules   = 50_000
	MaxRegexes = 500
)

// Rule is one phrase of a list: its words, or a regular expression between slashes. Case, line
// breaks and markup make no difference. A phrase begins at the beginning of a word. A single word
// matches only that whole word, unless it ends with a star; the last word of a longer phrase may be
// longer in the text.
type Rule struct {
	Text string `json:"text"`
	Set  string `json:"set,omitempty"` // name of its list
}

// ErrRule is the error that all faults of rules wrap.
var ErrRule = errors.New("this phrase cannot be used")

// Check returns the fault of a rule's text, nil if it is valid.
func Check(text string) error {
	_, _, _, err := read(text)
	return err
}

// read parses a rule's text into words or a pattern. open means that the last word may be longer in
// a match.
func read(text string) (words []token, open bool, p *pattern, err error) {
	text = strings.TrimSpace(text)
	if !utf8.ValidString(text) {
		return nil, false, nil, fmt.Errorf("%w: it is not UTF-8", ErrRule)
	}
	if body, ok := slashed(text); ok {
		if p, err = newPattern(body); err != nil {
			return nil, false, nil, fmt.Errorf("%w: %w", ErrRule, err)
		}
		return nil, false, p, nil
	}
	if len(text) > MaxRule {
		return nil, false, nil, fmt.Errorf("%w: a phrase may have at most %d bytes", ErrRule, MaxRule)
	}
	letters := 0
	words = tokens(text, 0)
	for _, w := range words {
		letters += len(w.text)
	}
	if letters < 2 || !words[len(words)-1].word && len(words) < 2 {
		return nil, false, nil, fmt.Errorf(
			"%w: use two letters or more; write a single character as an expression, for example /—/", ErrRule)
	}
	return words, len(words) > 1 || strings.HasSuffix(text, "*") && !strings.HasPrefix(text, "*"), nil, nil
}

// slashed returns the text between the slashes of a regular expression. Flags after the second
// slash are accepted and ignored: case never matters.
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

// Set is a compiled list of rules. It is immutable and safe for concurrent use.
type Set struct {
	rules    []Rule
	phrases  *node
	patterns []pattern
	longest  int // longest text that an expression needs, in bytes
}

// Fault is a rule that cannot be used, and the reason.
type Fault struct {
	Rule Rule
	Err  error
}

// Compile compiles a set of rules. Of equal rules only the first counts; allowed ones are left out.
// Rules that cannot be used are returned as faults and left out.
func Compile(rules []Rule, allowed []string) (*Set, []Fault) {
	s := &Set{phrases: newNode(0)}
	seen := make(map[string]bool, len(rules)+len(allowed))
	for _, text := range allowed {
		seen[Key(text)] = true
	}
	var faults []Fault
	for _, r := range rules {
		key := Key(r.Text)
		if seen[key] {
			continue
		}
		seen[key] = true
		words, open, re, err := read(r.Text)
		if err == nil && (len(s.rules) >= MaxRules || re != nil && len(s.patterns) >= MaxRegexes) {
			err = fmt.Errorf("%w: there are more than %d rules, or %d regular expressions", ErrRule,
				MaxRules, MaxRegexes)
		}
		if err != nil {
			faults = append(faults, Fault{r, err})
			continue
		}
		if re != nil {
			re.rule = len(s.rules)
			s.patterns = append(s.patterns, *re)
			for _, need := range re.needs {
				s.longest = max(s.longest, len(need))
			}
			for _, head := range re.heads {
				s.phrases.putBeginning(head, re.whole)
			}
		} else {
			s.phrases.put(words, open, len(s.rules))
		}
		s.rules = append(s.rules, r)
	}
	return s, faults
}

// Len returns the number of rules.
func (s *Set) Len() int {
	if s == nil {
		return 0
	}
	return len(s.rules)
}

// Within returns the texts of the rules that a text matches, in order of appearance.
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

// Key returns a normalized form of a rule, equal for different spellings of one phrase.
func Key(text string) string {
	text = strings.TrimSpace(text)
	if body, ok := slashed(text); ok {
		return "/" + body + "/"
	}
	var b strings.Builder
	for _, w := range tokens(text, 0) {
		b.WriteString(w.text + " ")
	}
	return b.String() + text[len(strings.TrimRight(text, "*")):]
}

// Listed parses a list of phrases in the format of package phrases: one per line, without comment
// lines.
func Listed(set string, text []byte) (rules []Rule) {
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			rules = append(rules, Rule{Text: line, Set: set})
		}
	}
	return rules
}
