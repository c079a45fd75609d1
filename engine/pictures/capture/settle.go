package capture

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures/camera"
)

// Settle makes of an answer the prompt that is kept: what disagrees with the camera is
// mended, and what it lacks of camera, looks and house style is added. The result never
// disagrees with the camera; changed tells which of the model's sentences are others
// now.
func Settle(in Input, a Answer) (prompt string, changed []camera.Change) {
	prompt = strings.TrimSpace(a.Prompt)
	if prompt == "" {
		return "", nil
	}
	look := camera.Implied(in.Camera, in.Words)
	prompt, changed = camera.Mend(prompt, look, true)
	prompt = in.withLooks(prompt)
	prompt = add(prompt, lackingPhrases(prompt, in.Camera)...)
	prompt = in.withStyle(prompt)
	more, rest := camera.Mend(prompt, look, true) // also what style and looks say
	if prompt = more; len(rest) > 0 {
		prompt = add(prompt, lackingPhrases(prompt, in.Camera)...)
	}
	return addWords(prompt, in.Words), append(changed, rest...)
}

// Turn takes a prompt to another camera: the phrases of the old one leave it, sentences
// that disagree with the new one are mended, and what is lacking is added. What else
// the prompt says stays word for word.
func Turn(prompt string, old, now Camera) (string, []camera.Change) {
	gone := old
	for _, control := range Controls() { // what stays stays where it stands
		if *control.Value(&old) == *control.Value(&now) {
			*control.Value(&gone) = ""
		}
	}
	prompt = Redirect(prompt, gone, Camera{})
	prompt, changed := camera.Mend(prompt, now, false)
	return add(prompt, lackingPhrases(prompt, now)...), changed
}

// Directed is a prompt that agrees with a camera, with the user's own words about it
// behind. Doing it twice changes nothing.
func Directed(prompt string, c Camera, extra string) string {
	prompt, _ = camera.Mend(prompt, camera.Implied(c, extra), true)
	return addWords(add(prompt, lackingPhrases(prompt, c)...), extra)
}

// lackingPhrases are the phrases of a camera for what a prompt does not say of it.
func lackingPhrases(prompt string, c Camera) (out []string) {
	unsaid := map[string]bool{"mood": true, "template": true}
	for _, a := range camera.Unsaid(prompt, c) {
		key := a.String()
		if a == camera.Light {
			key = "lighting"
		}
		unsaid[key] = true
	}
	for _, control := range Controls() {
		p, ok := control.preset(*control.Value(&c))
		if !ok || !unsaid[control.Key] || find(prompt, p.Phrase, true) >= 0 {
			continue
		}
		if words := strings.Fields(p.Phrase); control.Key == "mood" && find(prompt, words[0][:len(strings.TrimRight(words[0], ","))], true) >= 0 ||
			control.Key == "template" && told(prompt, p.Phrase) {
			continue
		}
		out = append(out, p.Phrase)
	}
	return out
}

// told tells whether a prompt has most of the words of a phrase.
func told(prompt, phrase string) bool {
	have := map[string]bool{}
	for _, t := range terms(prompt) {
		have[t.low] = true
	}
	n, of := 0, 0
	for _, t := range terms(phrase) {
		if utf8.RuneCountInString(t.low) < 4 || closers[t.low] {
			continue
		}
		of++
		if have[t.low] || have[strings.TrimSuffix(t.low, "s")] {
			n++
		}
	}
	return of > 0 && 2*n >= of
}

// withLooks adds what is known of the looks of those whom a prompt names and says
// nothing of: an image model knows no names.
func (in Input) withLooks(prompt string) string {
	var parts []string
	for _, p := range camera.View(prompt, in.People).Nameless {
		looks := strings.Trim(strings.Join(slices.DeleteFunc([]string{p.Looks, p.Clothes}, func(s string) bool { return strings.TrimSpace(s) == "" || strings.Contains(s, "“") }), ", "), " .")
		if looks != "" {
			parts = append(parts, p.Name+": "+clipped(onOneLine(looks, plainLooks), plainLooks))
		}
	}
	for _, p := range parts {
		prompt = add(prompt, p)
	}
	return prompt
}

// withStyle adds the house style where a prompt has little of it.
func (in Input) withStyle(prompt string) string {
	style := strings.Trim(onOneLine(Style(in), plainLooks), " .")
	if style == "" || told(prompt, style) {
		return prompt
	}
	return add(prompt, style)
}

// add puts phrases behind a prompt as a sentence of their own, with one full stop.
func add(prompt string, phrases ...string) string {
	if len(phrases) == 0 {
		return prompt
	}
	prompt = strings.TrimRightFunc(prompt, unicode.IsSpace)
	if prompt == "" {
		return sentence(phrases)
	}
	if !strings.ContainsRune(".!?…\"”", last(prompt)) {
		prompt = strings.TrimRight(prompt, ",;: ") + "."
	}
	s := strings.TrimRight(strings.Join(phrases, ", "), " .,") + "."
	return prompt + " " + capitalised(s)
}

// addWords puts the user's own words about the camera at the end, once.
func addWords(prompt, extra string) string {
	if extra = strings.TrimSpace(extra); extra == "" || strings.HasSuffix(prompt, extra) {
		return prompt
	}
	return strings.TrimSpace(prompt + " " + extra)
}

// Review finds what is wrong with a prompt that was settled. How long it is counts as
// the model wrote it.
func Review(in Input, a Answer, settled string) []Fault {
	faults := in.Form.check(in.Kind, a.Prompt)
	for _, f := range Check(in, Answer{Prompt: settled}) {
		if !strings.HasPrefix(f.Words, "The prompt has ") {
			faults = append(faults, f)
		}
	}
	return faults
}

// checkCamera finds where a prompt disagrees with the camera.
func checkCamera(in Input, prompt string) (faults []Fault) {
	for _, c := range camera.Clashes(prompt, camera.Implied(in.Camera, in.Words), false) {
		want := choiceLabel(c)
		faults = append(faults, Fault{
			fmt.Sprintf("The camera says %s %s, the prompt says “%s”.", c.Axis, want, clipped(c.Words, 60)),
			fmt.Sprintf("The order decides the %s: %s. The prompt says %q. Rewrite that sentence for the order.", c.Axis, want, clipped(c.Words, 60)),
		})
		if len(faults) == mostContradictions {
			break
		}
	}
	return faults
}

// choiceLabel is what a choice of the camera's is called.
func choiceLabel(c camera.Clash) string {
	for _, control := range Controls() {
		if control.Key == c.Axis.String() || control.Key == "lighting" && c.Axis == camera.Light {
			if p, ok := control.preset(c.Chosen); ok {
				return strings.ToLower(p.Label)
			}
		}
	}
	return c.Chosen
}

// checkPeople finds who of those in view is missing in a prompt, and who should not be
// in it. A near shot need not show everybody, and what was asked for decides itself.
func checkPeople(in Input, prompt string) (faults []Fault) {
	v := camera.View(prompt, in.People)
	if in.everybody() {
		for _, p := range v.Missing {
			if p.Maybe || SameName(p.Name, in.Character.Card.CharName()) {
				continue // of the character it is told anyway
			}
			faults = append(faults, Fault{
				fmt.Sprintf("%s is in view and missing in the prompt.", p.Name),
				fmt.Sprintf("%s is in view and missing. Show %s by name, with looks and clothes, or as far as this camera sees them.", p.Name, p.Name),
			})
		}
	}
	for _, p := range v.Ghosts {
		faults = append(faults, Fault{
			fmt.Sprintf("%s is not here (%s), and the prompt shows them.", p.Name, p.Gone),
			fmt.Sprintf("%s is not here (%s). Leave %s out.", p.Name, p.Gone, p.Name),
		})
	}
	return faults
}

// onOneLine puts a text on one line and keeps at most n letters of it.
func onOneLine(s string, n int) string {
	if len(s) > 8*n {
		s = s[:8*n]
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return strings.TrimSpace(string([]rune(s)[:n])) + "…"
}
