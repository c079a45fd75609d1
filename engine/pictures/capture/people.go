package capture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Person is somebody whom a picture may show. Image models know no names: they paint looks and
// clothes.
type Person struct {
	Name  string
	Looks string // the appearance written for pictures
	Who   string // the description
	Role  string // the personality, in short
	// Remembered are facts about them from memories and lorebooks, the most important first.
	Remembered []string
	// Known means that facts state looks and clothes, which replace the description even after
	// they have ended.
	Known bool
	Gone  string // why they are not present, "" if they are
	Maybe bool   // they are mentioned and may be present
}

// people returns the people of a moment: the character and the persona if none were given.
func (in Input) people() []Person {
	if in.People != nil {
		return in.People
	}
	card := in.Character.Card
	return []Person{
		NewPerson(
			or(card.CharName(), "the character"),
			in.Character.Imagery.Appearance,
			or(in.Description, card.Description),
			card.Personality,
		),
		NewPerson(userName(in), "", or(in.PersonaText, in.Persona.Description), ""),
	}
}

// NewPerson returns a person with the appearance that was written for pictures and the
// description.
func NewPerson(name, appearance, description, role string) Person {
	return Person{
		Name:  name,
		Looks: strings.TrimSpace(appearance),
		Who:   strings.TrimSpace(description),
		Role:  strings.TrimSpace(role),
	}
}

// Limits of the text about somebody besides their looks: runes of a description, and remembered
// facts.
const (
	maxWhoRunes   = 700
	maxRemembered = 6
)

// peopleBlock describes the people of a moment with the facts about each. For an order that names
// people it has only these.
func (in Input) peopleBlock() string {
	var out []string
	for _, p := range in.shownPeople() {
		name := "Name: " + or(p.Name, "the character")
		if p.Maybe {
			name += " (perhaps here)"
		}
		lines := []string{name}
		add := func(label, text string) {
			if text = strings.TrimSpace(text); text != "" {
				lines = append(lines, label+": "+in.truncateField(text))
			}
		}
		looks, who := p.Looks, p.Who
		if p.Known {
			looks, who = "", ""
		}
		of := in.factsOf(p.Name)
		add("Role", beginning(p.Role, maxWhoRunes))
		if looks != "" {
			who = beginning(who, maxWhoRunes)
		}
		add("Description", who)
		add("Remembered", strings.Join(p.Remembered[:min(len(p.Remembered), maxRemembered)], " "))
		add("Appearance", or(of[storage.FactAppearance], looks)) // what changes comes last
		add("Clothes", of[storage.FactClothes])
		add("Has", of[storage.FactProps])
		if len(lines) == 1 {
			add("Appearance", "not said")
		}
		out = append(out, strings.Join(lines, "\n"))
	}
	return or(strings.Join(out, "\n\n"), "nobody")
}

// shownPeople returns the people in a request: those whom the order names, or, if it names
// nobody, all.
func (in Input) shownPeople() (out []Person) {
	var named []Person
	for _, p := range in.people() {
		if p.Gone != "" {
			continue // the order says so
		}
		out = append(out, p)
		if in.orderNames(p.Name) || hasName(in.Focus, p.Name) {
			named = append(named, p)
		}
	}
	if in.subject() == subjectShot && len(named) > 0 {
		return named
	}
	return out
}

// factsOf returns the numbered facts about somebody, by kind.
func (in Input) factsOf(name string) map[storage.FactKind]string {
	out := map[storage.FactKind]string{}
	for i, f := range in.Facts {
		if f.Who != "" && SameName(f.Who, name) {
			out[f.Kind] = strings.TrimPrefix(out[f.Kind]+fmt.Sprintf(", [%d] %s", i+1, f.Text), ", ")
		}
	}
	return out
}

// otherFacts returns the numbered facts about nobody in the request.
func (in Input) otherFacts() string {
	var out []string
	for i, f := range in.Facts {
		switch {
		case f.Who == "":
			out = append(out, fmt.Sprintf("[%d] %s: %s", i+1, f.Kind, f.Text))
		case !slices.ContainsFunc(in.people(), func(p Person) bool { return SameName(p.Name, f.Who) }):
			out = append(out, fmt.Sprintf("[%d] %s: %s", i+1, f.Who, f.Text))
		}
	}
	return strings.Join(out, "; ")
}
