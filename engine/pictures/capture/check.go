package capture

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// Fault is something wrong with an answer: in words for the user, and as what
// the model is told when it is asked again.
type Fault struct {
	Words string
	Reask string
}

// Check finds what is wrong with an answer to in: its length, its point of
// view, a missing name, a camera that is not the chosen one, who should or should not
// be there, a trigger word, and in a video that nothing moves or that
// something is to be read. A requested picture may take any point of view and any
// subject, so there the view and the character's name do not count.
func Check(in Input, a Answer) []Fault {
	faults := append(in.Form.check(in.Kind, a.Prompt), checkSound(a.Prompt)...)
	if in.Requested == "" {
		faults = append(faults, checkView(a.Prompt)...)
		faults = append(faults, checkName(in, a.Prompt)...)
	}
	faults = append(faults, checkFocus(in, a.Prompt)...)
	if in.Kind == Video {
		faults = append(faults, checkMotion(a.Prompt)...)
	}
	faults = append(append(faults, checkCamera(in, a.Prompt)...), checkPeople(in, a.Prompt)...)
	return append(faults, checkTrigger(in, a.Prompt)...)
}

// Reask puts faults into one correction for the model. It is "" without any.
func Reask(faults []Fault) string {
	if len(faults) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("That answer breaks the rules:\n")
	for _, f := range faults {
		b.WriteString("- " + f.Reask + "\n")
	}
	b.WriteString("Write the whole answer again, as JSON, with this put right and everything else kept.")
	return b.String()
}

// Words counts the words of a prompt: runs of text between blanks that hold a
// letter or a digit.
func Words(s string) int {
	n := 0
	for w := range strings.FieldsSeq(s) {
		if strings.IndexFunc(w, isWordRune) >= 0 {
			n++
		}
	}
	return n
}

func checkView(prompt string) []Fault {
	found := firstPerson(prompt)
	if len(found) == 0 {
		return nil
	}
	list := `"` + strings.Join(found, `", "`) + `"`
	return []Fault{{
		"The prompt speaks in the first person (" + list + ").",
		"The prompt speaks in the first person (" + list + "). Nobody in the scene holds the camera: use names, he, she or they.",
	}}
}

func checkName(in Input, prompt string) []Fault {
	parts := nameParts(in)
	if len(parts) == 0 {
		return nil
	}
	for _, part := range parts {
		if named(prompt, part) {
			return nil
		}
	}
	name := in.Character.Card.CharName()
	return []Fault{{
		fmt.Sprintf("The prompt does not name %s.", name),
		fmt.Sprintf("The prompt does not name %s. Call the character by name.", name),
	}}
}

// Calls tells whether a text calls somebody by name, or by a word of it.
func Calls(text, who string) bool {
	return slices.ContainsFunc(words(who), func(p string) bool { return !particle(p) && named(text, p) })
}

// checkFocus misses those who matter most. One name of several words is enough.
func checkFocus(in Input, prompt string) (faults []Fault) {
	for _, name := range in.Focus {
		parts := slices.DeleteFunc(words(name), particle)
		if len(parts) == 0 || slices.ContainsFunc(parts, func(p string) bool { return named(prompt, p) }) {
			continue
		}
		faults = append(faults, Fault{
			fmt.Sprintf("The prompt does not name %s, who matters most.", name),
			fmt.Sprintf("The prompt does not name %s. %s matters most: call them by name and put them in front.", name, name),
		})
	}
	return faults
}

func checkTrigger(in Input, prompt string) []Fault {
	w := trigger(in)
	if w == "" || find(prompt, w, true) < 0 {
		return nil
	}
	return []Fault{{
		fmt.Sprintf("The prompt contains the trigger word %q, which is added by itself.", w),
		fmt.Sprintf("The prompt contains %q. Leave that word out: it is added later.", w),
	}}
}

// trigger is the word that must not appear, "" where there is none. A trigger
// word that is also the character's name is not forbidden: the name must appear.
func trigger(in Input) string {
	w := strings.TrimSpace(in.Character.Imagery.TriggerWord)
	for _, part := range nameParts(in) {
		if find(w, part, true) >= 0 {
			return ""
		}
	}
	return w
}

// WithTrigger puts the trigger word in front of a prompt that does not hold it
// yet as a whole word, in whatever case.
func WithTrigger(prompt, trigger string) string {
	trigger = strings.TrimSpace(trigger)
	switch {
	case trigger == "" || find(prompt, trigger, true) >= 0:
		return prompt
	case strings.TrimSpace(prompt) == "":
		return trigger
	}
	return trigger + ", " + prompt
}

// particle reports whether a word of a name is a title or the like, which says
// nothing of who is meant.
func particle(word string) bool {
	switch strings.ToLower(word) {
	case "the", "of", "and", "von", "van", "der", "den", "de", "la", "le", "du", "da", "di", "del", "el", "al",
		"mr", "mrs", "ms", "miss", "dr", "sir", "lady", "lord":
		return true
	}
	return false
}

// maxParts is how many words of a name are looked for.
const maxParts = 16

// nameParts are the words that a prompt may call the character by.
func nameParts(in Input) []string {
	card := in.Character.Card
	all := strings.FieldsFunc(card.Nickname+" "+card.Name, func(r rune) bool { return !isWordRune(r) && !isApostrophe(r) })
	var parts []string
	for _, p := range all {
		p = strings.TrimFunc(p, isApostrophe)
		if p != "" && !particle(p) && (utf8.RuneCountInString(p) > 1 || len(all) == 1 || !unicode.Is(unicode.Latin, first(p))) {
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		parts = all
	}
	return parts[:min(len(parts), maxParts)]
}

// named reports whether text holds a name as a word. A name that begins with a
// capital letter must do so in the text, else Will would be found in "will".
// Scripts that set no blanks between words are searched for the bare letters.
func named(text, name string) bool {
	if !spaced(name) {
		return strings.Contains(text, name)
	}
	capital := unicode.IsUpper(first(name))
	for at := 0; at < len(text); {
		i := find(text[at:], name, true)
		if i < 0 {
			return false
		}
		if !capital || unicode.IsUpper(first(text[at+i:])) {
			return true
		}
		_, size := utf8.DecodeRuneInString(text[at+i:])
		at += i + size
	}
	return false
}

func spaced(s string) bool {
	return !strings.ContainsFunc(s, text.Unspaced)
}

// find returns where text first holds phrase, letter case aside, or -1. With
// whole, the phrase must not continue into a longer word on either side.
func find(text, phrase string, whole bool) int {
	n := utf8.RuneCountInString(phrase)
	if n == 0 {
		return -1
	}
	head := phrase[:after(phrase, 1)]
	before := rune(' ')
	for i, r := range text {
		end := -1
		if strings.EqualFold(text[i:i+after(text[i:], 1)], head) { // a cheap look first
			end = after(text[i:], n)
		}
		if end >= 0 && strings.EqualFold(text[i:i+end], phrase) {
			next, _ := utf8.DecodeRuneInString(text[i+end:])
			if !whole || !joins(before, first(phrase)) && !joins(last(phrase), next) {
				return i
			}
		}
		before = r
	}
	return -1
}

// after is the length in bytes of the first n runes of s, -1 if s is shorter.
func after(s string, n int) int {
	at := 0
	for ; n > 0; n-- {
		if at >= len(s) {
			return -1
		}
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	return at
}

func joins(a, b rune) bool {
	return (isWordRune(a) || a == '_') && (isWordRune(b) || b == '_')
}

func isWordRune(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == 'ʼ' }

func first(s string) rune { r, _ := utf8.DecodeRuneInString(s); return r }
func last(s string) rune  { r, _ := utf8.DecodeLastRuneInString(s); return r }
