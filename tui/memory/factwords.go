package memory

import (
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// mark returns the sign of a row: in the next prompt or not, a contradiction, a duplicate, or a
// doubt.
func (r *row) mark() string {
	switch {
	case r.doubt != nil:
		return "?"
	case r.other != nil && r.same:
		return "="
	case r.other != nil:
		return "≠"
	case r.fact.InPrompt:
		return "●"
	}
	return "○"
}

func (r *row) text() string {
	if r.doubt != nil && r.doubt.Instead != "" {
		return r.doubt.Text + " / " + r.doubt.Instead
	}
	if r.other == nil {
		return r.fact.Text
	}
	return r.fact.Text + " / " + r.other.Text
}

// where returns the position of a row's newest message, in a few cells.
func (r *row) where() string {
	f := &r.fact
	if r.other != nil {
		f = r.other
	}
	words := string(f.Kind)
	if n := len(f.Sources); n > 0 {
		words += " #" + strconv.Itoa(f.Sources[n-1].Number)
	}
	return words
}

// verdict describes the conflict of two facts.
func (r *row) verdict() string {
	switch {
	case r.same:
		return "Duplicate facts"
	case r.later && r.why != "":
		return "Contradiction: the second is newer (" + draw.Truncate(r.why, 120) + ")"
	case r.later:
		return "Contradiction: the second is newer"
	}
	return "Contradiction: unclear which is newer"
}

// about returns the details of a fact besides its text and the prompt.
func about(f *memory.Fact) string {
	out := []string{draw.Truncate(f.Home, 60)}
	if f.Scene > 0 {
		words := "since message " + strconv.Itoa(f.Since) + ", scene " + strconv.Itoa(f.Scene)
		if f.SceneName != "" {
			words += " “" + draw.Truncate(f.SceneName, 40) + "”"
		}
		out = append(out, words)
	} else if f.Since > 0 {
		out = append(out, "since message "+strconv.Itoa(f.Since))
	}
	return strings.Join(append(out, knowers(f)), draw.Separator)
}

// knowers returns words about who may know a fact.
func knowers(f *memory.Fact) string {
	switch {
	case f.Everybody:
		return "known to everyone"
	case len(f.Knowers) == 0:
		return "known to nobody in this chat"
	}
	var names []string
	for i, k := range f.Knowers {
		if i == 6 {
			names = append(names, strconv.Itoa(len(f.Knowers)-i)+" more")
			break
		}
		names = append(names, draw.Truncate(k.Name, 24))
	}
	return "known to " + strings.Join(names, ", ")
}

// promptWords returns a text about whether and why a fact is in the next prompt.
func promptWords(f *memory.Fact, v memory.FactList) string {
	switch {
	case v.Fault != "":
		return "Next prompt unavailable: " + draw.Truncate(v.Fault, 100)
	case f.InPrompt:
		return "In " + draw.Truncate(v.PromptOf, 24) + "’s next prompt, from " + f.InPromptBy
	}
	return "Not in " + draw.Truncate(v.PromptOf, 24) + "’s next prompt: " + f.WhyNotInPrompt
}
