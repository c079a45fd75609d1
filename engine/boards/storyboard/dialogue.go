package storyboard

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/words"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Heard are the words of a scene's messages, in which dialogue is looked for.
type Heard struct{ texts [][]string }

// Hear reads texts, each of which is one message.
func Hear(texts ...string) Heard {
	var h Heard
	for _, t := range texts {
		if w := spokenWords(t); len(w) > 0 {
			h.texts = append(h.texts, w)
		}
	}
	return h
}

// Missing is the first line of a shot's dialogue that stands in none of the
// messages, "" where all do. Case, accents, quotation marks and a name before the
// words do not matter, and neither does what the teller puts between two parts of
// one speech; the words and their order do.
func (h Heard) Missing(dialogue string) string {
	for line := range strings.Lines(dialogue) {
		line = strings.TrimSpace(line)
		_, after, named := strings.Cut(line, ":")
		if !h.has(line) && !(named && h.has(after)) {
			return line
		}
	}
	return ""
}

// mostBetween is how many words of the teller's may stand between two parts of one
// speech: "No," she says, and does not turn round. "Not today."
const mostBetween = 16

// has tells whether the parts of a line stand in one message after each other.
func (h Heard) has(line string) bool {
	var parts [][]string
	for _, p := range strings.FieldsFunc(line, func(r rune) bool {
		return strings.ContainsRune(".,;:!?…—–\"“”„«»。、！？「」『』", r)
	}) {
		if w := spokenWords(p); len(w) > 0 {
			parts = append(parts, w)
		}
	}
	return len(parts) == 0 || slices.ContainsFunc(h.texts, func(text []string) bool { return follow(text, parts) })
}

// follow tells whether parts stand in a text after each other, with little between
// them.
func follow(text []string, parts [][]string) bool {
	for at := find(text, parts[0], 0, len(text)); at >= 0; at = find(text, parts[0], at+1, len(text)) {
		end := at + len(parts[0])
		for i := 1; i < len(parts) && end >= 0; i++ {
			next := find(text, parts[i], end, end+mostBetween)
			if end = next + len(parts[i]); next < 0 {
				end = -1
			}
		}
		if end >= 0 {
			return true
		}
	}
	return false
}

// find is where a part begins in a text, at from at the earliest and to at the
// latest, -1 for nowhere.
func find(text, part []string, from, to int) int {
	for at := from; at <= min(to, len(text)-len(part)); at++ {
		if slices.Equal(text[at:at+len(part)], part) {
			return at
		}
	}
	return -1
}

// spokenWords are the words of a text as they are compared: each character by
// itself in scripts that set no blanks.
func spokenWords(text string) []string {
	var all []string
	words.Runs(text, func(from, to int, dense bool) bool {
		run := strings.NewReplacer("'", "", "’", "").Replace(words.Fold(text[from:to]))
		if dense {
			for _, r := range run {
				all = append(all, string(r))
			}
		} else if run != "" {
			all = append(all, run)
		}
		return true
	})
	return all
}

// heard are the words that may be spoken in a shot: those of the messages, those
// that stand in the plan already, and those that the director says.
func (in Input) heard() Heard {
	texts := []string{in.Wish}
	for _, m := range in.Messages {
		texts = append(texts, m.Text)
	}
	for _, t := range in.Talk {
		texts = append(texts, t.Line)
	}
	for _, s := range in.Plan.Shots {
		texts = append(texts, s.Dialogue)
	}
	for _, k := range in.Plan.Packages {
		for _, s := range k.Shots {
			texts = append(texts, s.Dialogue)
		}
	}
	return Hear(texts...)
}

// CheckDialogue says, for a model, which words a call has spoken that nobody says.
func (in Input) CheckDialogue(c storage.ToolCall) error {
	var params any
	if json.Unmarshal(c.Params, &params) != nil {
		return nil // for Apply to say
	}
	if line := missingIn(in.heard(), params); line != "" {
		return unsaid(line)
	}
	return nil
}

// missingIn looks for dialogue through all objects of a call's parameters.
func missingIn(h Heard, v any) string {
	switch v := v.(type) {
	case map[string]any:
		if text, ok := v["dialogue"].(string); ok {
			if line := h.Missing(text); line != "" {
				return line
			}
		}
		for _, of := range v {
			if line := missingIn(h, of); line != "" {
				return line
			}
		}
	case []any:
		for _, of := range v {
			if line := missingIn(h, of); line != "" {
				return line
			}
		}
	}
	return ""
}

func unsaid(line string) error {
	return refuse("nobody says %q in the messages: copy the words of a message exactly, or leave dialogue empty", clip(line, 80))
}
