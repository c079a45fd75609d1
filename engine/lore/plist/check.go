package plist

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Fault is a kind of problem.
type Fault string

// The faults. With the first six the text is no entry at all.
const (
	NotBracketed Fault = "not bracketed"
	TwoEntries   Fault = "two entries"
	Outside      Fault = "text outside"
	NoHead       Fault = "no head"
	Unbalanced   Fault = "unbalanced parentheses"
	TooDeep      Fault = "nested too deep"
	UpperType    Fault = "type in capitals"
	UnknownType  Fault = "unknown type"
	Empty        Fault = "empty property"
	Duplicate    Fault = "said twice"
	OtherHead    Fault = "another name"
	TooLong      Fault = "too long"
)

func (f Fault) fatal() bool {
	switch f {
	case NotBracketed, TwoEntries, Outside, NoHead, Unbalanced, TooDeep:
		return true
	}
	return false
}

// Form reports whether a text with such a fault is no entry at all.
func (f Fault) Form() bool { return f.fatal() }

// Problem is a fault at a place in a text. Text describes it for the author. At and End are byte
// offsets; Line and Column count from 1, the column in characters.
type Problem struct {
	Kind   Fault  `json:"kind"`
	At     int    `json:"-"`
	End    int    `json:"-"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Text   string `json:"text"`
}

// String returns the problem with its place.
func (p Problem) String() string {
	if p.Line <= 1 {
		return fmt.Sprintf("character %d: %s", max(p.Column, 1), p.Text)
	}
	return fmt.Sprintf("line %d, character %d: %s", p.Line, max(p.Column, 1), p.Text)
}

func (p *Problem) locate(text string) {
	before := text[:min(p.At, len(text))]
	p.Line = 1 + strings.Count(before, "\n")
	p.Column = 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
}

// maxProblems is the maximum number of problems that are reported for a text.
const maxProblems = 24

// Want holds the expectations for an entry. Empty fields are not checked.
type Want struct {
	Types   []string
	Name    string // whose entry it is
	Aliases []string
	Max     int // characters
}

// Check returns the problems of an entry in the order of the text, at most the first two dozen; nil
// if there are none.
func Check(text string, want Want) []Problem {
	p := parse(text)
	if p.isValid() {
		p.checkHead(want)
		p.checkTwice()
	}
	if n := utf8.RuneCountInString(text); want.Max > 0 && n > want.Max {
		p.fault(TooLong, span{}, "it is %d characters long, and %d are allowed", n, want.Max)
	}
	slices.SortStableFunc(p.faults, func(a, b Problem) int { return cmp.Compare(a.At, b.At) })
	for i := range p.faults {
		p.faults[i].locate(text)
	}
	return p.faults
}

func (p *parsed) checkHead(want Want) {
	typ, name := oneLine(p.at(p.typ)), oneLine(p.at(p.name))
	if lower := strings.ToLower(typ); lower != typ {
		p.fault(UpperType, p.typ, "the type “%s” should be in lower case: “%s”", clip(typ), clip(lower))
	}
	if len(want.Types) > 0 && !slices.ContainsFunc(want.Types,
		func(t string) bool { return CleanType(t) == strings.ToLower(typ) }) {
		p.fault(UnknownType, p.typ, "“%s” is none of the types %s", clip(typ), strings.Join(want.Types, ", "))
	}
	names := want.Aliases
	if want.Name != "" {
		names = append([]string{want.Name}, names...)
	}
	if len(names) > 0 && !slices.ContainsFunc(names, func(n string) bool { return SameName(n, name) }) {
		p.fault(OtherHead, p.name, "the entry is about “%s”, and should be about “%s”", clip(name), clip(names[0]))
	}
}

func (p *parsed) checkTwice() {
	first := make(map[string]bool, len(p.facts))
	for _, s := range p.facts {
		k := factKey(p.at(s))
		if first[k] {
			p.fault(Duplicate, s, "“%s” is said twice", clip(p.at(s)))
		}
		first[k] = true
	}
}

// Tidy fixes everything that has only one correct form: the type in lower case, no empty or
// repeated property, all on one line. A text that Parse rejects is returned unchanged.
func Tidy(text string) string {
	l, err := Parse(text)
	if err != nil {
		return text
	}
	seen := make(map[string]bool, len(l.Properties))
	l.Properties = slices.DeleteFunc(l.Properties, func(p Property) bool {
		k := factKey(p.String())
		twice := seen[k]
		seen[k] = true
		return twice
	})
	return l.String()
}
