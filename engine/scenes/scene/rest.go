package scene

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// loreKey is the name of the schema's list for the lorebook.
const loreKey = "lorebooks"

// Full returns the lists of an answer that are full, by their names in the schema.
func (a *Answer) Full() (lists []string) {
	for i, s := range a.body.sections {
		if len(s) >= sceneItems {
			lists = append(lists, sectionKeys[i])
		}
	}
	if len(a.lore) >= loreItemsMost {
		lists = append(lists, loreKey)
	}
	return lists
}

// RestPrompt asks, after a request and its answer, for items that did not fit into full lists. The
// answer has the form of the first one, and any of its lists may be empty.
func RestPrompt(set *prompts.Set, asked []Prompt, a *Answer, full []string) []Prompt {
	var lines strings.Builder
	for i, s := range a.body.sections {
		if len(s) > 0 {
			lines.WriteString(sectionKeys[i] + ":\n")
		}
		for _, it := range s {
			lines.WriteString("- " + it.text + "\n")
		}
	}
	if len(a.lore) > 0 {
		lines.WriteString(loreKey + ":\n")
	}
	for _, l := range a.lore {
		lines.WriteString("- " + l.Name + "\n")
	}
	more := set.Request(RestFile, map[string]string{"lists": strings.Join(full, ", "),
		"recap": defuse(strings.TrimSpace(lines.String()))})
	out := slices.Clone(asked)
	// Two messages of the user's in a row are more than some templates take.
	last := &out[len(out)-1]
	for _, m := range more {
		last.Content += "\n\n" + m.Content
	}
	return out
}

// RestSchema bounds the answer to RestPrompt as RecapSchema does that of the first one.
func RestSchema(messages []Message, memories int) json.RawMessage {
	return recapSchema(messages, memories, 0)
}

// Add adds the lines of a later answer that are new, and returns the lists that are full again and
// got something new.
func (a *Answer) Add(more *Answer) (full []string) {
	var grown []string
	for i, s := range more.body.sections {
		before := len(a.body.sections[i])
		for _, it := range s {
			if !a.body.has(it.text) {
				a.body.put(i, it)
			}
		}
		if len(a.body.sections[i]) > before {
			grown = append(grown, sectionKeys[i])
		}
	}
	for _, l := range more.lore {
		same := func(o candidate) bool { return strings.EqualFold(o.Name, l.Name) && o.Content == l.Content }
		if len(a.lore) < maxLore && !slices.ContainsFunc(a.lore, same) {
			a.lore, grown = append(a.lore, l), append(grown, loreKey)
		}
	}
	return slices.DeleteFunc(more.Full(), func(list string) bool { return !slices.Contains(grown, list) })
}

// MarkUnfinished marks the recap as possibly incomplete: its lists were still full after all
// requests.
func (a *Answer) MarkUnfinished() { a.unfinished = true }
