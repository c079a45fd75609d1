package scene

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// none replaces a missing part. The others are the numbers of runes of a message's beginning and
// end that detection shows.
const (
	none         = "(none)"
	newHead      = 3000
	newTail      = 1000
	oldHead      = 500
	oldTail      = 500
	candidateCue = 80
	shortCue     = 40
)

// DetectPrompt asks, in a separate request, whether m begins a new scene.
func DetectPrompt(set *prompts.Set, previous []Message, m Message) []Prompt {
	previous = previous[max(0, len(previous)-compared):]
	user, char := namesIn(append(previous[:len(previous):len(previous)], m))
	return set.Request(DetectFile, map[string]string{
		"user": user, "char": char,
		"previous": cmp.Or(transcript(previous, user, char, oldHead, oldTail), none),
		"message":  transcript([]Message{m}, user, char, newHead, newTail),
	})
}

// compared is the number of previous messages that a new one is compared with.
const compared = 3

// DetectInstruction asks the same about several messages together, for the end of the chat's own
// prompt. That prompt contains them and the messages before them.
func DetectInstruction(set *prompts.Set, previous, candidates []Message) string {
	user, char := namesIn(append(previous[:len(previous):len(previous)], candidates...))
	var list strings.Builder
	for _, m := range candidates {
		fmt.Fprintf(&list, "- %s, beginning “%s”\n", speaker(m, user, char),
			clip(defuse(m.Text[:min(len(m.Text), maxEdge)]), candidateCue))
	}
	p := set.Request(DetectAppendedFile, map[string]string{
		"user": user, "char": char,
		"count":      fmt.Sprint(len(candidates)),
		"before":     fmt.Sprint(min(len(previous), compared)),
		"candidates": strings.TrimSpace(list.String()),
	})
	parts := make([]string, len(p))
	for i := range p {
		parts[i] = p[i].Content
	}
	return strings.Join(parts, "\n\n")
}

// RecapPrompt asks for the recap of a scene.
func RecapPrompt(set *prompts.Set, in Input) []Prompt {
	user, char := withNames(in.User, in.Char)
	values := in.values(set)
	values["transcript"] = in.absences() + numbered(in.Messages, user, char)
	return set.Request(SceneFile, values)
}

// AppendedPrompt asks the same at the end of the chat's own prompt, which contains the scene's
// messages: it names each message by number and first words. It is nil if the user's prompt file
// does not separate the rules from the scene.
func AppendedPrompt(set *prompts.Set, in Input) []Prompt {
	return in.appended(set, SceneAppendedFile, in.values(set), in.Messages)
}

func (in Input) appended(set *prompts.Set, file string, values map[string]string, messages []Message) []Prompt {
	user, char := withNames(in.User, in.Char)
	values["transcript"] = in.absences() + openings(messages, user, char)
	rules := set.Request(SceneFile, values)
	if len(rules) < 2 {
		return nil
	}
	return append(rules[:1:1], set.Request(file, values)...)
}

// openings writes the first words of each message with its number, as many as make it unique.
func openings(messages []Message, user, char string) string {
	cue := func(m Message, most int) string { return clip(defuse(m.Text[:min(len(m.Text), maxEdge)]), most) }
	seen := map[string]int{}
	for _, m := range messages {
		seen[cue(m, shortCue)]++
	}
	var b strings.Builder
	for i, m := range messages {
		begins := cue(m, shortCue)
		if seen[begins] > 1 {
			begins = cue(m, candidateCue)
		}
		fmt.Fprintf(&b, "[%d] %s, beginning “%s”\n", cmp.Or(m.Number, i+1), speaker(m, user, char), begins)
	}
	return cmp.Or(strings.TrimSpace(b.String()), none)
}

// values returns the values for prompts about a scene, except its messages.
func (in Input) values(set *prompts.Set) map[string]string {
	user, char := withNames(in.User, in.Char)
	return map[string]string{
		"user": user, "char": char,
		"style":    style(set, in.Style, user, char),
		"earlier":  cmp.Or(blocks(in.Earlier), none),
		"lore":     cmp.Or(blocks(in.Lore), none),
		"memories": in.memoryList(),
		"count":    fmt.Sprint(len(in.Messages)),
		"wish":     in.userWishes(),
	}
}

// memoryList lists the memories of the scene by their numbers.
func (in Input) memoryList() string {
	var b strings.Builder
	for i, m := range in.Memories {
		fmt.Fprintf(&b, "[M%d] %s\n", i+1, defuse(prompts.OneLine(m.Text)))
	}
	return cmp.Or(strings.TrimSpace(b.String()), none)
}

// userWishes returns the user's instruction, and below it what is known about the user's taste in
// recaps. Both come after everything that other requests share.
func (in Input) userWishes() string {
	return strings.TrimSpace(cmp.Or(strings.TrimSpace(defuse(in.Instruction)), none) + "\n\n" + in.Taste)
}

// absences says above a transcript who was not present all the time.
func (in Input) absences() string {
	var b strings.Builder
	for _, line := range in.Present {
		fmt.Fprintf(&b, "(%s)\n", defuse(prompts.OneLine(line)))
	}
	if b.Len() > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// MessagePrompt asks for the recap of one message.
func MessagePrompt(set *prompts.Set, previous []Message, m Message, styleName, user, char string) []Prompt {
	user, char = withNames(user, char)
	previous = previous[max(0, len(previous)-compared):]
	return set.Request(MessageFile, map[string]string{
		"user": user, "char": char, "style": style(set, styleName, user, char),
		"previous": cmp.Or(transcript(previous, user, char, oldHead, oldTail), none),
		"message":  transcript([]Message{m}, user, char, 0, 0),
	})
}

// style returns the text of a style's file, or that of the bullet style if there is none.
func style(set *prompts.Set, name, user, char string) string {
	if name == "" || set.Source(StyleFile+name) == "" {
		name = Bulleted
	}
	return strings.TrimSpace(set.Fill(StyleFile+name, map[string]string{"user": user, "char": char}))
}

// numbered writes a scene for a prompt, each message with its number.
func numbered(messages []Message, user, char string) string {
	var b strings.Builder
	for i, m := range messages {
		how := Whispered(m)
		if m.Cut {
			how += " (going on)"
		}
		text := defuse(strings.TrimSpace(m.Text))
		fmt.Fprintf(&b, "[%d] %s%s: %s\n\n", cmp.Or(m.Number, i+1), speaker(m, user, char), how, text)
	}
	return cmp.Or(strings.TrimSpace(b.String()), none)
}

// transcript writes messages without numbers. A long message is cut to head runes from its
// beginning and tail from its end; 0 keeps all.
func transcript(messages []Message, user, char string, head, tail int) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "%s%s: %s\n\n", speaker(m, user, char), Whispered(m),
			defuse(headAndTail(strings.TrimSpace(m.Text), head, tail)))
	}
	return strings.TrimSpace(b.String())
}

func headAndTail(s string, head, tail int) string {
	if head == 0 || len(s) <= head+tail || utf8.RuneCountInString(s) <= head+tail {
		return s
	}
	front, back := s, s
	for i := range s {
		if head == 0 {
			front = s[:i]
			break
		}
		head--
	}
	for ; tail > 0; tail-- {
		_, size := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-size]
	}
	return front + " […] " + back[len(s):]
}

// fences are the tags that the prompt files put around text that others have written.
var fences = []string{"transcript", "earlier", "known", "memory", "newest", "before", "message", "scenes",
	"recap", "questions"}

// defuse keeps outside text from closing the block around it.
func defuse(s string) string { return prompts.Defuse(s, fences) }

func blocks(texts []string) string {
	var out []string
	for _, t := range texts {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, defuse(t))
		}
	}
	return strings.Join(out, "\n\n")
}

// Characters that separate the parts of a prompt's lines are removed from names.
var (
	nameless  = strings.NewReplacer("[", "", "]", "", ":", "", "<", "")
	heardless = strings.NewReplacer("[", "", "]", "", ":", "", "<", "", "(", "", ")", "")
)

// speaker returns the name of the speaker of m.
func speaker(m Message, user, char string) string {
	fallback := char
	if m.Role == storage.User {
		fallback = user
	}
	return cmp.Or(prompts.Bounded(prompts.OneLine(nameless.Replace(m.Name)), 80), fallback)
}

// Whispered returns the note on a whispered message that says who heard it.
func Whispered(m Message) string {
	if m.Heard == nil {
		return ""
	}
	var names []string
	for _, n := range m.Heard {
		names = append(names, prompts.Bounded(prompts.OneLine(heardless.Replace(n)), 80))
	}
	if len(names) == 0 {
		return " (whispered, heard by nobody else)"
	}
	return " (whispered, heard only by " + strings.Join(names, " and ") + ")"
}

// withNames gives both sides of the play a name.
func withNames(user, char string) (string, string) {
	return cmp.Or(prompts.Bounded(prompts.OneLine(user), 80), "User"),
		cmp.Or(prompts.Bounded(prompts.OneLine(char), 80), "the character")
}

// namesIn takes the names of user and character from the messages.
func namesIn(messages []Message) (user, char string) {
	for _, m := range messages {
		if m.Role == storage.User {
			user = cmp.Or(m.Name, user)
		} else {
			char = cmp.Or(m.Name, char)
		}
	}
	return withNames(user, char)
}
