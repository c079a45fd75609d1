package prompt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// note is a text that a prompt file wraps: an actor's or a director's.
type note struct {
	what string // its name in the list of parts
	file string // the prompt file around it, below chat/
	key  string // its macro in that file
	text string
	asIs bool // do not expand macros in text
	main bool // whether {{char}} in text is the chat's main character
}

// Limits of the personality weights in a prompt.
const (
	maxWeights = 40
	fullWeight = 100
)

// actorNotes returns the notes about an actor's part, in addition to the card.
func actorNotes(a storage.Actor) []note {
	return []note{
		{what: "current goal", file: "actor-goal", key: "goal", text: a.Goal},
		{what: "current struggle", file: "actor-struggle", key: "struggle", text: a.Struggle},
		{what: "secret dream", file: "actor-dream", key: "dream", text: a.Dream},
		{what: "current stressor", file: "actor-stressor", key: "stressor", text: a.Stressor},
		{what: "personality weights", file: "actor-weights", key: "weights", text: weighed(a.Weights)},
		{what: "tone", file: "actor-tone", key: "tone", text: a.Tone},
		{what: "speech patterns", file: "actor-speech", key: "speech", text: a.Speech},
		{what: "boundaries", file: "actor-boundaries", key: "boundaries", text: a.Boundaries},
	}
}

// weighed returns weights as text, sorted by name so that it does not depend on map order.
func weighed(weights map[string]int) string {
	type weight struct {
		trait string
		of    int
	}
	var all []weight
	for name, of := range weights {
		if trait := label(name); trait != "" {
			all = append(all, weight{trait, min(max(of, 0), fullWeight)})
		}
	}
	slices.SortFunc(all, func(a, b weight) int {
		return cmp.Or(cmp.Compare(a.trait, b.trait), cmp.Compare(a.of, b.of))
	})
	var told []string
	for _, w := range all[:min(len(all), maxWeights)] {
		told = append(told, fmt.Sprintf("%s %d of %d", w.trait, w.of, fullWeight))
	}
	return strings.Join(told, ", ")
}

// actor compiles the actor's notes. Empty ones are left out.
func (c *compiler) actor(char string) []piece {
	return c.headed("Notes for playing "+char,
		c.notes(LayerActor, "character: "+char, "in force for the whole chat", actorNotes(c.s.Actor)))
}

// notes compiles a line for each note that has a text.
func (c *compiler) notes(layer, whose, reason string, notes []note) []piece {
	var pieces []piece
	for _, n := range notes {
		source := fmt.Sprintf("%s (%s)", whose, n.what)
		if p, ok := c.piece(layer, source, reason, c.noteText(layer, source, n)); ok {
			p.join, p.id = "\n", n.what
			pieces = append(pieces, p)
		}
	}
	return pieces
}

// noteText returns a note inside its prompt file, or after it if the file has no place for the
// note. The note's macros are expanded separately, so none is mistaken for one of the file's.
func (c *compiler) noteText(layer, source string, n note) string {
	text := strings.TrimSpace(n.text)
	switch {
	case n.asIs:
	case n.main:
		text = strings.TrimSpace(c.expand(c.ofMain(), layer, source, text))
	default:
		text = strings.TrimSpace(c.stable(layer, source, text))
	}
	if text == "" {
		return ""
	}
	place := "\x00" + n.key + "\x00"
	around := strings.TrimSpace(c.stable(layer, "", c.set.Fill("chat/"+n.file, map[string]string{n.key: place})))
	return putIn(around, place, text)
}

// putIn replaces place in around with text, or appends text below it if around does not contain
// place.
func putIn(around, place, text string) string {
	if !strings.Contains(around, place) {
		around = strings.TrimLeft(around+"\n"+place, "\n")
	}
	return strings.ReplaceAll(around, place, text)
}
