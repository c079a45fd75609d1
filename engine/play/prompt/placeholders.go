package prompt

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// The placeholders of a character's texts and of prompt files, in single braces.
const (
	memoriesPlace     = "memories"
	hooksPlace        = "hooks"
	relationshipPlace = "relationship_stage"
)

// relationshipStage is the initial stage for all characters. The engagement text describes how the
// relationship develops.
const relationshipStage = "acquaintance"

// pointers returns the placeholder values for the stable part. Memories change from turn to turn
// and would change the whole prompt: the stable part only says where they are.
func (c *compiler) pointers() map[string]string {
	at := func(name string) string {
		text, _ := prompts.Expand(c.set.Text(name), prompts.Env{User: c.env.User, Char: c.env.Char, Frozen: true})
		return strings.TrimSpace(text)
	}
	return map[string]string{memoriesPlace: at("chat/pointer-memories"), hooksPlace: at("chat/pointer-hooks"),
		relationshipPlace: relationshipStage}
}

// Placeholders returns the values of a character's placeholders by name, for prompts.Env, for texts
// that change during the play. For a spoken text, such as a greeting, both arguments are "".
func Placeholders(memories, hooks string) map[string]string {
	return map[string]string{memoriesPlace: strings.TrimSpace(memories), hooksPlace: strings.TrimSpace(hooks),
		relationshipPlace: relationshipStage}
}

// metPointer records that a text of the stable part uses a placeholder whose text is elsewhere in
// the prompt.
func (c *compiler) metPointer(name string) {
	if name != relationshipPlace && !slices.Contains(c.pointed, name) {
		c.pointed = append(c.pointed, name)
	}
}

// pointing adds to a reason the placeholders in the text expanded last, and clears them.
func (c *compiler) pointing(reason string) string {
	for _, name := range c.pointed {
		if reason != "" {
			reason += "; "
		}
		reason += "{" + name + "} refers to them, so that this text stays the same"
	}
	c.pointed = nil
	return reason
}
