package studiobench

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The reader of the requests that the model gets. It knows the people of the bench by name
// and by how they look, what a camera can be set to, and of the requests only their form:
// fields, tags, and lines that begin with a number. So the texts of prompts can be
// rewritten without a change here.

// reading is a request for a picture, or for sentences of one.
type reading struct {
	people    []person
	order     string     // the message that asks
	action    string     // what is to be seen, as a sentence
	sentences []sentence // those to be written anew
	below     string     // what stands below them
}

type person struct{ name, looks string }

// sentence is a line that begins with a number.
type sentence struct {
	n    int
	text string
}

// chosen is what a camera is set to.
type chosen struct{ key, phrase string }

var (
	// field is "Name: value", also as an item of a list, or <name>value</name>.
	field    = regexp.MustCompile(`^(?:[-*•]\s+)?(?:\*\*)?([^:<>*]{1,80})(?:\*\*)?:(?:\*\*)?\s+(.+)$`)
	inTag    = regexp.MustCompile(`^<([A-Za-z][\w-]*)[^<>]*>(.+)</([A-Za-z][\w-]*)>$`)
	attrs    = regexp.MustCompile(`^<[A-Za-z][\w-]*(?:\s+[\w-]+="([^"]*)")`)
	titled   = regexp.MustCompile(`^#+\s+(.+)$`)
	numbered = regexp.MustCompile(`^\[?(\d{1,2})[.\])]+\s+(.+)$`)
	numbers  = regexp.MustCompile(`\d+`)
)

// newReading reads the messages of a request. An answer that is asked for once more, and
// what is said of it, are left out.
func newReading(messages []storage.Node) reading {
	for n := len(messages); repeated(messages); n = len(messages) {
		messages = messages[:n-2]
	}
	r := reading{order: messages[len(messages)-1].Content}
	for _, msg := range messages {
		if msg.Role != storage.Assistant {
			r.people = append(r.people, peopleIn(msg.Content)...)
		}
	}
	r.action = actionIn(r.order)
	r.sentences, r.below = sentencesIn(r.order)
	return r
}

// repeated reports whether an answer is asked for once more: it stands before the last
// message.
func repeated(messages []storage.Node) bool {
	n := len(messages)
	if n < 3 || messages[n-2].Role != storage.Assistant {
		return false
	}
	return strings.HasPrefix(strings.TrimSpace(messages[n-2].Content), "{")
}

// choices are what a text decides of the camera: of each control the longest of its phrases
// that stands there.
func choices(text string) map[string]chosen {
	low, out := strings.ToLower(text), map[string]chosen{}
	for _, c := range capture.Controls() {
		for _, p := range c.Presets {
			if strings.Contains(low, strings.ToLower(p.Phrase)) && len(p.Phrase) > len(out[c.Key].phrase) {
				out[c.Key] = chosen{p.Key, p.Phrase}
			}
		}
	}
	return out
}

// value splits a line that is a field into its name and what it says.
func value(line string) (name, says string) {
	if m := inTag.FindStringSubmatch(line); m != nil && m[1] == m[3] {
		return m[1], strings.TrimSpace(m[2])
	}
	if m := field.FindStringSubmatch(line); m != nil {
		return strings.TrimSpace(m[1]), strings.TrimSpace(m[2])
	}
	return "", ""
}

// called is who of the bench goes by a whole name, as "Tove" for "Tove Lind"; "" for nobody.
// With a remark behind it a name is not certain.
func called(text string) string {
	words := strings.Fields(strings.Trim(text, ` *_"`))
	if len(words) == 0 || len(words) > 3 || looksOf[words[0]] == nil || strings.ContainsAny(text, "(),.:;!?") {
		return ""
	}
	return words[0]
}

// peopleIn finds those whose names stand alone, in a field, a tag's attribute, a heading or
// before a colon, with the first that is said of them which has a word of how they look.
func peopleIn(text string) (out []person) {
	who := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, says := value(line)
		full := says
		if m := titled.FindStringSubmatch(line); m != nil {
			full = m[1]
		} else if m := attrs.FindStringSubmatch(line); m != nil && called(full) == "" {
			full = m[1]
		} else if called(full) == "" && called(name) != "" && looksLike(called(name), says) {
			full = name
		}
		if now := called(full); now != "" {
			who = now
			out = append(out, person{name: strings.Trim(full, ` *_"`)})
		}
		if who != "" && called(says) == "" && out[len(out)-1].looks == "" && looksLike(who, says) {
			out[len(out)-1].looks = says
		}
	}
	return out
}

// looksLike reports whether a text has a word of how somebody looks.
func looksLike(who, text string) bool {
	for _, l := range looksOf[who] {
		if strings.Contains(text, l) {
			return true
		}
	}
	return false
}

// actionIn is the first field that says in a whole sentence what one of the people does.
func actionIn(text string) string {
	for line := range strings.Lines(text) {
		name, says := value(strings.TrimSpace(line))
		if name == "" || looksOf[name] != nil || !strings.HasSuffix(says, ".") || len(choices(says)) > 0 {
			continue
		}
		who := strings.FieldsFunc(says, func(r rune) bool { return strings.ContainsRune(" '’,.", r) })
		all := strings.Count(says, ",") >= len(looksOf)-1 // a list of everybody
		if len(who) > 0 && looksOf[who[0]] != nil && !all {
			return says
		}
	}
	return ""
}

// sentencesIn finds the first lines that are numbered from 1, and what stands below them.
func sentencesIn(text string) (out []sentence, below string) {
	rest := ""
	for line := range strings.Lines(text) {
		m := numbered.FindStringSubmatch(strings.TrimSpace(line))
		n := 0
		if m != nil {
			n, _ = strconv.Atoi(m[1])
		}
		if rest == "" && n == len(out)+1 {
			out = append(out, sentence{n, m[2]})
			continue
		}
		if len(out) > 0 && strings.TrimSpace(line) != "" {
			rest += line
		}
	}
	return out, rest
}

// cameras splits what stands below the sentences into so many orders: each begins at the
// first line that has its number and none of the phrases of an order.
func (r reading) cameras(most int) []string {
	var out []string
	for line := range strings.Lines(r.below) {
		if n := numbers.FindString(line); n == strconv.Itoa(len(out)+1) && len(out) < most && len(choices(line)) == 0 {
			out = append(out, "")
		}
		if len(out) > 0 {
			out[len(out)-1] += line
		}
	}
	return out
}
