package prompt

import (
	"cmp"
	"fmt"
	"strings"

	prose "github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Person is a character of a chat as the others know it, from its card.
type Person struct {
	Name        string // value of {{char}} in Description and Looks
	Description string // the card's; the prompt has its first sentences
	Looks       string // as in pictures
}

// Limits of the lines about the other characters, of one and of all together, in runes.
const (
	maxPersonLen    = 300
	maxCompanyLen   = 4000
	personSentences = 2
)

// Names returns the names of the chat's characters.
func (s *Snapshot) Names() []string { return namesOf(s.Group) }

func namesOf(people []Person) []string {
	out := make([]string, len(people))
	for i, p := range people {
		out[i] = p.Name
	}
	return out
}

// others returns the members of a group other than the character, each name once.
func others(group []Person, char string) []Person {
	var out []Person
	seen := map[string]bool{strings.ToLower(label(char)): true}
	for _, p := range group {
		name := label(p.Name)
		if folded := strings.ToLower(name); name != "" && !seen[folded] {
			seen[folded] = true
			p.Name = name
			out = append(out, p)
		}
	}
	return out
}

// cast returns who else plays: a line for each other character, and one for the user's persona,
// whose description has a heading of its own. Characters that are away are named too, so that
// nothing is read again when somebody leaves or returns: a note in the history says who is away. It
// comes after everything from the cards: the server reads from here when somebody joins the chat or
// leaves it permanently.
func (c *compiler) cast() []piece {
	people := others(c.s.Group, c.env.Char)
	if len(people) == 0 {
		return nil
	}
	who := note{what: "who plays", file: "cast", key: "others", text: strings.Join(namesOf(people), ", "), asIs: true}
	pieces := c.notes(LayerCast, "this chat", "while they are in this chat", []note{who})
	add := func(source, reason, line string) {
		if p, ok := c.piece(LayerCast, source, reason, line); ok {
			p.join, p.id = "\n", source
			pieces = append(pieces, p)
		}
	}
	most := min(maxPersonLen, maxCompanyLen/len(people))
	for _, p := range people {
		source := "card: " + p.Name
		add(source, "who "+p.Name+" is, in short", c.personLine(source, p, most))
	}
	persona, about := c.s.Persona, "played by the user"
	if strings.TrimSpace(persona.Description) != "" {
		about = "played by the user, described above"
	}
	add("persona: "+label(persona.Name), "whom the user plays", fmt.Sprintf("- %s: %s.", label(c.env.User), about))
	return c.headed("Who else is on stage", pieces)
}

// personLine returns one line about a person, with no more than most runes of the description and
// as many of the looks.
func (c *compiler) personLine(source string, p Person, most int) string {
	expand := func(text string) string { return c.expand(c.about(p.Name), LayerCast, source, text) }
	about := withMark(prompts.Bounded(firstSentences(expand(p.Description)), most))
	looks := withMark(prompts.Bounded(prompts.OneLine(expand(p.Looks)), most))
	if looks != "" {
		looks = "Looks: " + looks
	}
	c.pointed = nil
	return fmt.Sprintf("- %s: %s", p.Name, cmp.Or(strings.TrimSpace(about+" "+looks), "another character."))
}

// firstSentences returns the first sentences of a description, on one line.
func firstSentences(description string) string {
	description = prompts.OneLine(prose.Truncate(description, 16*maxPersonLen))
	n := 0
	for at, sentence := range prose.Sentences(description) {
		if n++; n == personSentences {
			return strings.TrimSpace(description[:at+len(sentence)])
		}
	}
	return description
}

// withMark returns s with a period if it has no final mark; "" stays "".
func withMark(s string) string {
	if s == "" || strings.ContainsAny(s[len(s)-1:], ".!?)]}") || strings.HasSuffix(s, "…") {
		return s
	}
	return s + "."
}

// about returns the macro values for a text of another character's card: {{char}} is that
// character, and variables that the text sets do not affect other texts.
func (c *compiler) about(char string) prompts.Env {
	env := c.env
	env.Char, env.Vars = char, prompts.VarsOf(c.s.Variables)
	env.Outlets = nil
	env.Placeholders = map[string]string{memoriesPlace: "", hooksPlace: "", relationshipPlace: relationshipStage}
	return env
}

// ofMain returns the macro values for texts in which {{char}} is the chat's main character.
func (c *compiler) ofMain() prompts.Env {
	env := c.env
	env.Char = cmp.Or(c.s.Main, env.Char)
	return env
}

// scenario compiles the chat's scenario, which is the same for all speakers. It is left out if the
// episode's situation replaces it.
func (c *compiler) scenario(reason string) []piece {
	source := "card: " + label(cmp.Or(c.s.Main, c.s.Card.Name))
	if c.usesEpisodeSituation() {
		c.leaveOut(LayerScenario, source, "replaced by the episode's situation", c.s.Card.Scenario)
		return nil
	}
	text := strings.TrimSpace(c.expand(c.ofMain(), LayerScenario, source, c.s.Card.Scenario))
	if text != "" {
		text = "## Scenario\n" + text
	}
	if p, ok := c.piece(LayerScenario, c.by(c.s.Overrides.Scenario, source), reason, text); ok {
		return []piece{p}
	}
	return nil
}
