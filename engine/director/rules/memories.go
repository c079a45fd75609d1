package rules

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// How many memories a prompt contains, in all and of one type.
const (
	MaxMemories = 10
	MaxPerType  = 3
)

// Candidate is a memory that may be in a prompt. Near is how similar its meaning is to the moment,
// from 0 to 1; 0 if unknown.
type Candidate struct {
	ID         storage.MemoryID
	Type       storage.MemoryType
	Content    string
	Importance float64
	Last       time.Time
	Pinned     bool
	Near       float64
}

// weight returns a candidate's weight in the order: a memory that is near the moment counts as more
// important.
func (c *Candidate) weight() float64 { return clampUnit(c.Importance) + clampUnit(c.Near) }

// clampUnit limits a number to 0 to 1.
func clampUnit(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, 0), 1)
}

// Choose chooses the memories for a prompt: at most MaxMemories, and MaxPerType of a type, pinned
// ones first, then by importance and nearness, then the newest. The result does not depend on the
// order of the list.
func Choose(list []Candidate) []Candidate {
	var out []Candidate
	perType := map[storage.MemoryType]int{}
	for _, c := range InOrder(list) {
		t := kindOf(c.Type)
		again := c.ID != "" && slices.ContainsFunc(out, func(o Candidate) bool { return o.ID == c.ID })
		if perType[t] == MaxPerType || again {
			continue
		}
		perType[t]++
		if out = append(out, c); len(out) == MaxMemories {
			break
		}
	}
	return out
}

// InOrder returns the candidates that are not empty, sorted: the first ones are chosen first.
func InOrder(list []Candidate) []Candidate {
	sorted := slices.DeleteFunc(slices.Clone(list), func(c Candidate) bool {
		return strings.TrimSpace(c.Content) == ""
	})
	slices.SortFunc(sorted, func(a, b Candidate) int {
		return cmp.Or(TrueFirst(a.Pinned, b.Pinned), cmp.Compare(b.weight(), a.weight()), b.Last.Compare(a.Last),
			cmp.Compare(a.ID, b.ID), cmp.Compare(a.Type, b.Type), cmp.Compare(a.Content, b.Content),
			cmp.Compare(b.Importance, a.Importance))
	})
	return sorted
}

// TrueFirst sorts true before false.
func TrueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// kindOf returns the type of a memory; an unknown type is a fact.
func kindOf(t storage.MemoryType) storage.MemoryType {
	if slices.Contains(storage.MemoryTypes, t) {
		return t
	}
	return storage.FactMemory
}

// Section returns the heading of memories of a type.
func Section(t storage.MemoryType) string {
	switch t {
	case storage.EventMemory:
		return "Recent in their life"
	case storage.PreferenceMemory:
		return "Their tastes"
	case storage.RelationshipMemory:
		return "People in their life"
	case storage.GoalMemory:
		return "Goals/aspirations"
	case storage.EmotionMemory:
		return "How they've been feeling"
	}
	return "About them"
}

// maxMemoryRunes is the maximum length of a memory or hook in a prompt, in runes.
const maxMemoryRunes = 400

// MemoriesText returns memories by section, in the order of the types and, within a section, of the
// list. It is "" for none.
func MemoriesText(list []Candidate) string {
	var b strings.Builder
	for _, t := range storage.MemoryTypes {
		headed := false
		for _, c := range list {
			text := prompts.Bounded(prompts.OneLine(c.Content), maxMemoryRunes)
			if kindOf(c.Type) != t || text == "" {
				continue
			}
			if !headed {
				b.WriteString(Section(t) + ":\n")
				headed = true
			}
			b.WriteString("- " + text + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}
