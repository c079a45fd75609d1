// Package linter finds faults and possible faults in a lorebook, such as keys that never match and
// contents in the wrong form. It fixes what can be fixed without the user. It is pure: it reads no
// store and calls no server.
package linter

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Severity is the importance of a finding.
type Severity string

// The severities.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Hint    Severity = "hint"
)

// Finding is a problem, or a possible problem, of an entry. Other is the second entry if the
// finding is about two.
type Finding struct {
	Rule     string          `json:"rule"` // plist, dead-key, regex …
	Severity Severity        `json:"severity"`
	Entry    storage.EntryID `json:"entry"`
	Other    storage.EntryID `json:"other"` // of a finding about two
	Name     string          `json:"name"`  // of the entry
	Key      string          `json:"key"`   // the key it is about, "" for none
	Text     string          `json:"text"`  // the fault, in words
	Fix      string          `json:"fix"`   // the fix, in words; "" if only the user can fix it
}

// Input is the input of the linter.
type Input struct {
	Entries []storage.LoreEntry // of one book, in its order
	Types   []string            // that entries may have; empty: any
	// Texts are the messages of the chat, newest last; empty without a chat. Triggered is the
	// number of times that each entry triggered in it; nil if that is unknown.
	Texts     []string
	Triggered map[storage.EntryID]int
	// Defaults of entries for case sensitivity and whole words.
	CaseSensitive, WholeWords bool
	User, Char                string // names of both sides, "" for not known
}

// Lint finds faults and possible faults in a book: the worst first, then in the order of the
// entries. Entries that are switched off are not checked, but count as members of their groups. The
// time is about linear in the size of the book and the chat.
func Lint(in Input) []Finding {
	l := newLinter(in)
	l.checkContents()
	l.checkTriggers()
	return l.sorted()
}

// checkTriggers judges when the entries come in.
func (l *linter) checkTriggers() {
	l.search()
	for i, e := range l.entries {
		l.checkSettings(i)
		if !e.Constant {
			l.checkSecondary(i)
			l.checkKeys(i)
		}
	}
	l.checkShared()
	l.checkGroups()
	l.checkRecursion()
}

// linter is one run.
type linter struct {
	in      Input
	entries []*storage.LoreEntry // that are judged
	keys    [][]entryKey         // of entries
	names   *strings.Replacer    // of the macros for names
	persons map[string]bool      // names that occur in every scene, folded
	found   []locatedFinding
}

type locatedFinding struct {
	Finding
	at int // of the entry
}

func newLinter(in Input) linter {
	l := linter{in: in, persons: map[string]bool{}}
	var pairs []string
	for _, n := range []struct{ macro, name string }{{"user", in.User}, {"char", in.Char}} {
		folded := strings.ToLower(strings.TrimSpace(n.name))
		if folded == "" {
			continue
		}
		pairs = append(pairs, "{{"+n.macro+"}}", n.name, "{{"+strings.ToUpper(n.macro[:1])+n.macro[1:]+"}}", n.name)
		l.persons[folded] = true
		if first, _, ok := strings.Cut(folded, " "); ok && len(first) > 3 {
			l.persons[first] = true
		}
	}
	l.names = strings.NewReplacer(pairs...)
	for i := range in.Entries {
		e := &in.Entries[i]
		if e.Removed || e.Disabled {
			continue
		}
		keys := make([]entryKey, len(e.Keys))
		for j, raw := range e.Keys {
			keys[j] = l.readKey(e, raw)
		}
		l.entries, l.keys = append(l.entries, e), append(l.keys, keys)
	}
	return l
}

// report adds a finding about the entry at i.
func (l *linter) report(i int, f Finding) {
	f.Entry, f.Name = l.entries[i].ID, nameOf(l.entries[i])
	l.found = append(l.found, locatedFinding{f, i})
}

// reportf adds a finding that concerns no key and no other entry.
func (l *linter) reportf(i int, rule string, s Severity, fix, format string, args ...any) {
	l.report(i, Finding{Rule: rule, Severity: s, Fix: fix, Text: fmt.Sprintf(format, args...)})
}

func (l *linter) sorted() []Finding {
	weight := map[Severity]int{Error: 0, Warning: 1, Hint: 2}
	slices.SortStableFunc(l.found, func(a, b locatedFinding) int {
		return cmp.Or(cmp.Compare(weight[a.Severity], weight[b.Severity]), cmp.Compare(a.at, b.at))
	})
	out := make([]Finding, len(l.found))
	for i, f := range l.found {
		out[i] = f.Finding
	}
	return out
}

// nameOf returns the name of an entry for messages.
func nameOf(e *storage.LoreEntry) string {
	if name := strings.TrimSpace(e.Name); name != "" {
		return excerpt(name, 80)
	}
	for _, k := range e.Keys {
		if k = excerpt(k, 80); k != "" {
			return k
		}
	}
	return fmt.Sprintf("entry %d", e.UID)
}

// activates reports whether a decorator at the beginning of the content switches
// the entry on.
func activates(e *storage.LoreEntry) bool {
	content := e.Content
	for strings.HasPrefix(content, "@@") {
		line, rest, _ := strings.Cut(content, "\n")
		if line == "@@activate" {
			return true
		}
		content = rest
	}
	return false
}
