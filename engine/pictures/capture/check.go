package capture

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Fault is something wrong with an answer: Message is for the user, Correction for the model when
// it is asked again.
type Fault struct {
	Message    string
	Correction string
	// people marks a fault about who is in the picture: an answer that repeats the same people is
	// accepted.
	people bool
}

// Check returns what is wrong with an answer to in: its text, who is in the picture, and the
// camera that it used.
func Check(in Input, a Answer) []Fault {
	faults := CheckText(in, a.Prompt)
	faults = append(faults, checkPeople(in, a)...)
	return append(faults, checkCamera(in, a)...)
}

// CheckText returns what is wrong with the text of a prompt: its length, that it broke off or
// repeats itself, and a trigger word.
func CheckText(in Input, prompt string) []Fault {
	faults := append(in.Form.check(in.Kind, prompt), checkSound(prompt)...)
	return append(faults, checkTrigger(in, prompt)...)
}

// Corrections returns the corrections for the model, one per line; "" for none.
func Corrections(faults []Fault) string {
	var lines []string
	for _, f := range faults {
		lines = append(lines, f.Correction)
	}
	if len(lines) > 1 {
		return "\n- " + strings.Join(lines, "\n- ") + "\n"
	}
	return strings.Join(lines, "")
}

// Remaining returns the faults of a corrected answer for the user. before is the first answer.
// People that both answers have in the picture are a note and not a warning.
func Remaining(in Input, before, a Answer) (warnings, notes []string) {
	same := before.Prompt != "" && sameNames(before.InView, a.InView)
	for _, f := range Check(in, a) {
		if f.people && same {
			notes = append(notes, f.Message+" The model said so twice.")
		} else {
			warnings = append(warnings, f.Message)
		}
	}
	return warnings, notes
}

// sameNames reports whether two lists name the same people.
func sameNames(a, b []string) bool {
	missing := func(in []string) func(string) bool { return func(s string) bool { return !hasName(in, s) } }
	return !slices.ContainsFunc(a, missing(b)) && !slices.ContainsFunc(b, missing(a))
}

// CountWords counts the words of a prompt: runs of text between spaces with a letter or a digit.
func CountWords(s string) int {
	n := 0
	for w := range strings.FieldsSeq(s) {
		if strings.IndexFunc(w, isWordRune) >= 0 {
			n++
		}
	}
	return n
}

// checkPeople compares the people in the picture with those who must and must not be in it, by
// name.
func checkPeople(in Input, a Answer) (faults []Fault) {
	add := func(words, order string) { faults = append(faults, Fault{words, words + " " + order, true}) }
	for _, name := range in.requiredPeople(a) {
		switch {
		case a.InView != nil && !hasName(a.InView, name):
			add(
				fmt.Sprintf("%s is missing in the picture.", name),
				fmt.Sprintf("Show %s, by name, and put the name into in_view.", name),
			)
		case !Calls(a.Prompt, name):
			add(fmt.Sprintf("The prompt does not name %s.", name), fmt.Sprintf("Call %s by name.", name))
		}
	}
	for _, p := range in.people() {
		if p.Gone != "" && hasName(a.InView, p.Name) {
			add(
				fmt.Sprintf("%s is not here (%s), and the picture shows them.", p.Name, p.Gone),
				fmt.Sprintf("Leave %s out.", p.Name),
			)
		}
	}
	for _, name := range in.unrequestedPeople(a) {
		add(
			fmt.Sprintf("%s is in the picture, and nobody asked for that.", name),
			fmt.Sprintf("Leave %s out, or say in asked_for which words of the order ask for it.", name),
		)
	}
	return faults
}

// requiredPeople returns the names of the people who have to be in the picture. For the moment
// these are the user's focus and the speakers of the newest messages, otherwise those whom the
// order names, also according to the answer.
func (in Input) requiredPeople(a Answer) (out []string) {
	add := func(name string) {
		if strings.TrimSpace(name) != "" && !hasName(out, name) {
			out = append(out, name)
		}
	}
	for _, name := range in.Focus {
		add(name)
	}
	if in.subject() == subjectMoment {
		if in.needsEverybody() {
			for _, p := range in.people() {
				if p.Gone == "" && in.isSpeaking(p.Name) {
					add(p.Name)
				}
			}
		}
		return out
	}
	for _, p := range in.people() {
		if p.Gone == "" && in.orderNames(p.Name) {
			add(p.Name)
		}
	}
	for _, asked := range a.RequestedPeople {
		if containsWords(in.orderText(), asked.Words) && !in.isGone(asked.Name) {
			add(asked.Name)
		}
	}
	return out
}

// orderNames reports whether the order names somebody.
func (in Input) orderNames(name string) bool {
	var story strings.Builder
	story.WriteString(in.orderText())
	for _, n := range Conversation(in) {
		story.WriteString("\n" + n.Content)
	}
	return callsBy(in.orderText(), name, story.String())
}

func (in Input) isGone(name string) bool {
	return slices.ContainsFunc(in.people(), func(p Person) bool { return p.Gone != "" && SameName(p.Name, name) })
}

// isSpeaking reports whether one of the newest messages is by somebody. Before the first message
// the character counts.
func (in Input) isSpeaking(name string) bool {
	nodes := Conversation(in)
	if len(nodes) == 0 {
		char := in.Character.Card.CharName()
		return len(nameWords(char)) > 0 && SameName(name, char)
	}
	return slices.ContainsFunc(
		nodes[max(0, len(nodes)-present):],
		func(n storage.Node) bool { return SameName(speaker(in, n), name) },
	)
}

// unrequestedPeople returns the people in a picture whom neither the order nor the user has asked
// for. It is empty for a picture of the moment.
func (in Input) unrequestedPeople(a Answer) (out []string) {
	if in.subject() == subjectMoment {
		return nil
	}
	wanted := in.requiredPeople(a)
	for _, name := range a.InView {
		if !hasName(wanted, name) && !containsWords(in.orderText(), name) && !in.isGone(name) {
			out = append(out, name)
		}
	}
	return out
}

// checkCamera compares the camera of an answer with the ordered one: the user's, else the one that
// the order asks for according to the answer.
func checkCamera(in Input, a Answer) (faults []Fault) {
	for _, c := range cameraAxes() {
		want, got := *c.control.Value(&in.Camera), *c.used(&a)
		if asked := c.requested(&a); want == "" && asked != Open && asked != Other && in.subject() != subjectMoment {
			want = asked
		}
		if want == "" || got == "" || want == got {
			continue
		}
		label := strings.ToLower(c.control.Label)
		words := fmt.Sprintf(
			"The %s is %s, and the prompt is written for %s.",
			label,
			c.control.label(want),
			c.control.label(got),
		)
		faults = append(
			faults,
			Fault{
				Message:    words,
				Correction: fmt.Sprintf("%s Write the whole picture for %s: %s.", words, want, c.control.phrase(want)),
			},
		)
	}
	return faults
}

func checkTrigger(in Input, prompt string) []Fault {
	w := trigger(in)
	if w == "" || !containsPhrase(prompt, w) {
		return nil
	}
	return []Fault{{Message: fmt.Sprintf("The prompt contains the trigger word %q, which is added by itself.", w),
		Correction: fmt.Sprintf("The prompt contains %q. Leave that word out.", w)}}
}

// trigger returns the word that must not occur, "" for none. A trigger word that is also the
// character's name is allowed, because the name must occur.
func trigger(in Input) string {
	w := strings.TrimSpace(in.Character.Imagery.TriggerWord)
	card := in.Character.Card
	for _, part := range callNames(card.Nickname + " " + card.Name) {
		if containsPhrase(w, part) {
			return ""
		}
	}
	return w
}

// WithTrigger prepends the trigger word to a prompt that does not contain it as a whole word,
// ignoring case.
func WithTrigger(prompt, trigger string) string {
	trigger = strings.TrimSpace(trigger)
	switch {
	case trigger == "" || containsPhrase(prompt, trigger):
		return prompt
	case strings.TrimSpace(prompt) == "":
		return trigger
	}
	return trigger + ", " + prompt
}
