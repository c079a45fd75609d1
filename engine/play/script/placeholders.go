package script

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

// Everybody on stage stands at the same distance at first; what grows between
// them is told by engagement.
const relationshipStage = "acquaintance"

// pointers returns what placeholders stand for in the stable part. What is remembered
// changes from turn to turn and would change the whole prompt with it: the stable
// part only says where it is told.
func (c *compiler) pointers() map[string]string {
	at := func(name string) string {
		text, _ := prompts.Expand(c.set.Text(name), prompts.Env{User: c.env.User, Char: c.env.Char, Frozen: true})
		return strings.TrimSpace(text)
	}
	return map[string]string{memoriesPlace: at("chat/pointer-memories"), hooksPlace: at("chat/pointer-hooks"),
		relationshipPlace: relationshipStage}
}

// Placeholders returns what a character's placeholders stand for where its text moves
// with the play, by their names, for prompts.Env. Where a text is spoken, as a
// greeting is, nothing is remembered in it: both are "".
func Placeholders(memories, hooks string) map[string]string {
	return map[string]string{memoriesPlace: strings.TrimSpace(memories), hooksPlace: strings.TrimSpace(hooks),
		relationshipPlace: relationshipStage}
}

// metPointer takes down that a text of the stable part points to what is told
// elsewhere.
func (c *compiler) metPointer(name string) {
	if name != relationshipPlace && !slices.Contains(c.pointed, name) {
		c.pointed = append(c.pointed, name)
	}
}

// pointing adds to a reason what the text expanded last points to.
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
