package scene

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Position is a place in a list of messages: before the byte At of the message Number,
// which counts from 0.
type Position struct {
	Number int `json:"number"`
	At     int `json:"at,omitempty"`
}

// messageFrame is the size of a message in a transcript without its text, in tokens.
const messageFrame = 12

// Size returns the number of tokens of messages in a transcript, from a position on.
func Size(messages []Message, from Position, count func(string) int) (n int) {
	for _, m := range Slice(messages, from, Position{Number: len(messages)}) {
		n += messageFrame + count(m.Text)
	}
	return n
}

// ValidParts returns the leading parts whose messages have not changed, and the position at which
// the next part begins. of returns the end of a part and the hash of its messages, see
// HashMessages.
func ValidParts[P any](parts []P, messages []Message,
	of func(P) (to Position, inputs string)) (good []P, next Position) {
	for i, p := range parts {
		to, inputs := of(p)
		if to.Number > len(messages) || inputs != HashMessages(Slice(messages, next, to)) {
			return parts[:i], next
		}
		next = to
	}
	return parts, next
}

// PartEnd returns the end of a part that begins at from and takes about room tokens. A message is
// cut only if it alone takes more.
func PartEnd(messages []Message, from Position, room int, count func(string) int) Position {
	left := room
	for at := from; at.Number < len(messages); at = (Position{Number: at.Number + 1}) {
		text := messages[at.Number].Text[at.At:]
		cost := messageFrame + count(text)
		if cost <= left {
			left -= cost
			continue
		}
		if at != from && cost <= room || left <= room/4 {
			return at
		}
		if n := cutAt(text, left-messageFrame, count); n < len(text) {
			return Position{at.Number, at.At + n}
		}
	}
	return Position{Number: len(messages)}
}

// cutAt returns the length in bytes at which to cut a text so that it takes no more than most
// tokens: at the end of a paragraph, sentence or word if one is near.
func cutAt(text string, most int, count func(string) int) int {
	low, high := 0, len(text)
	for low < high {
		mid := (low + high + 1) / 2
		if count(text[:mid]) <= most {
			low = mid
		} else {
			high = mid - 1
		}
	}
	for low > 0 && low < len(text) && !utf8.RuneStart(text[low]) {
		low--
	}
	for _, end := range []string{"\n\n", "\n", ". ", " "} {
		if i := strings.LastIndex(text[:low], end); i > low*2/3 {
			return i + len(end)
		}
	}
	if low == 0 { // one letter at least, so that it goes on
		_, low = utf8.DecodeRuneInString(text)
	}
	return low
}

// Slice returns the messages from one spot to another, with their numbers.
func Slice(messages []Message, from, to Position) []Message {
	var out []Message
	for i := from.Number; i < len(messages) && (i < to.Number || i == to.Number && to.At > 0); i++ {
		m := messages[i]
		m.Number = i + 1
		if i == to.Number {
			m.Text = m.Text[:min(to.At, len(m.Text))]
		}
		if i == from.Number && from.At > 0 {
			m.Text, m.Cut = m.Text[min(from.At, len(m.Text)):], true
		}
		out = append(out, m)
	}
	return out
}

// Part is a part of a scene that is too long for one request.
type Part struct {
	Messages   []Message // as returned by Slice
	Number, Of int       // its number, from 1, and the number of parts as far as known
	Before     string    // the results of the earlier parts, in short
	Last       bool
	Open       bool // the scene is still being played
}

// PartPrompt asks for the record of a part of a scene. The answer has the form of a whole
// scene's; its numbers are those of the whole scene.
func PartPrompt(set *prompts.Set, in Input, p Part) []Prompt {
	user, char := withNames(in.User, in.Char)
	values := p.values(set, in)
	values["transcript"] = in.absences() + numbered(p.Messages, user, char)
	all := set.Request(SceneFile, values)
	if len(all) < 2 { // the user's own, in one block: p.Before goes into "earlier"
		values["earlier"] = blocks(append(slices.Clone(in.Earlier), p.Before))
		return set.Request(SceneFile, values)
	}
	return append(all[:1], set.Request(PartFile, values)...) // the rules are those of a whole scene
}

// PartAppendedPrompt asks the same at the end of the chat's own prompt, as AppendedPrompt does.
// That prompt contains the messages; the result of the earlier parts is added.
func PartAppendedPrompt(set *prompts.Set, in Input, p Part) []Prompt {
	return in.appended(set, PartAppendedFile, p.values(set, in), p.Messages)
}

// values returns the values for prompts about a part of a scene, except its messages.
func (p Part) values(set *prompts.Set, in Input) map[string]string {
	values := in.values(set)
	first, last := 0, 0
	if len(p.Messages) > 0 {
		first, last = p.Messages[0].Number, p.Messages[len(p.Messages)-1].Number
	}
	values["before"] = cmp.Or(defuse(strings.TrimSpace(p.Before)), none)
	values["part"], values["of"] = fmt.Sprint(p.Number), fmt.Sprint(max(p.Of, p.Number))
	values["first"], values["last"] = fmt.Sprint(first), fmt.Sprint(last)
	values["reading"] = fmt.Sprintf(
		"The scene is too long to be read at once, so you read it in %s parts, in their order.", values["of"])
	values["ending"] = "The part ends here, within the scene."
	switch {
	case p.Open:
		values["reading"] = "The scene is not over yet, so you read it in parts while it is played."
		values["ending"] = "The part ends here. The scene goes on after it."
	case p.Last:
		values["ending"] = "The scene ends here."
	}
	return values
}

// PartDraft makes the record of a part of an answer to PartPrompt.
func (a *Answer) PartDraft(in Input, p Part) storage.Recap {
	only := make([]Message, len(in.Messages))
	for _, m := range p.Messages {
		if m.Number >= 1 && m.Number <= len(only) {
			only[m.Number-1] = in.Messages[m.Number-1]
		}
	}
	in.Messages = only
	return a.Draft(in)
}

// MergedLore returns the lorebook facts of several records, each fact once. Facts about the same
// entity are merged later, by the lorebook.
func MergedLore(records []storage.Recap) (out []storage.LoreCandidate) {
	for _, r := range records {
		for _, l := range r.Lorebooks {
			if !slices.ContainsFunc(out, func(o storage.LoreCandidate) bool {
				return o.Name == l.Name && o.Content == l.Content
			}) {
				out = append(out, l)
			}
		}
	}
	return out
}

// shortenings are the numbers of runes of a message's beginning and end that are shown in scenes
// that are too long even for parts, largest first.
var shortenings = [][2]int{{4000, 2000}, {1500, 700}, {600, 300}, {250, 150}}

// MaxShortening returns the highest degree of Shortened.
func MaxShortening() int { return len(shortenings) }

// Shortened returns messages cut to their beginning and end, shorter with each degree from 1, and
// the number of messages that were cut. Degree 0 cuts nothing.
func Shortened(messages []Message, degree int) (out []Message, cut int) {
	if degree <= 0 {
		return messages, 0
	}
	e := shortenings[min(degree, len(shortenings))-1]
	out = slices.Clone(messages)
	for i := range out {
		if short := headAndTail(out[i].Text, e[0], e[1]); short != out[i].Text {
			out[i].Text = short
			cut++
		}
	}
	return out, cut
}
