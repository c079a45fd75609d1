package script

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// note is something that a prompt file is told around: an actor's or a
// director's.
type note struct {
	what string // names it in the ledger
	file string // the prompt file around it, below chat/
	key  string // its macro in that file
	text string
	asIs bool // whether text is told without expanding macros
	main bool // whether {{char}} in text is the chat's main character
}

// Bounds of what is told of weights.
const (
	maxWeights = 40
	fullWeight = 100
)

// actorNotes returns what an actor is told of the part beside the card.
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

// weighed tells weights by their names' order, whatever order a map has.
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

// actor compiles the actor's notes. Those that are empty leave no trace.
func (c *compiler) actor(char string) []piece {
	return c.headed("Notes for playing "+char,
		c.notes(LayerActor, "character: "+char, "in force for the whole chat", actorNotes(c.s.Actor)))
}

// notes makes a line for each of notes that has a text.
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

// noteText puts a note into the prompt file around it, or at its end where the file
// has no place for it. The note's macros are its own: nothing in it is taken for
// one of the file's.
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

// putIn puts text where place stands in around, or below it where it stands
// nowhere.
func putIn(around, place, text string) string {
	if !strings.Contains(around, place) {
		around = strings.TrimLeft(around+"\n"+place, "\n")
	}
	return strings.ReplaceAll(around, place, text)
}
