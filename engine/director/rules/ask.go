package rules

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// The length to which texts from outside are shown; in bytes if words are cut.
const (
	shownQuestion  = 160
	shownSetting   = 100
	shownName      = 40
	shownSpeakers  = 160 // of all their names
	shownBeginning = 60  // of a message that is above in the prompt
	shownFact      = 600
	maxSpeakers    = 12
)

// The number of runes of a message's beginning and end in a separate request, for numbered messages
// and for those before.
const (
	newHead, newTail = 1500, 1500
	oldHead, oldTail = 300, 500
)

// Instruction asks for all the parts at the end of the chat's own prompt. That prompt contains the
// messages, so the instruction quotes only their beginnings. It is "" if nothing is asked.
func Instruction(set *prompts.Set, p Parts, in Input) string {
	return instruction(set, p, in, "<messages>\n"+beginnings(in)+"</messages>")
}

// Request asks for the same in a prompt of its own, which contains the messages.
func Request(set *prompts.Set, p Parts, in Input) []Prompt {
	asked := instruction(set, p, in, "<messages>\n"+transcript(in)+"\n</messages>")
	if asked == "" {
		return nil
	}
	return []Prompt{{Role: "user", Content: asked}}
}

// instruction returns the text of the pass.
func instruction(set *prompts.Set, p Parts, in Input, messages string) string {
	if !p.Any() {
		return ""
	}
	where := []string{"<story>\n" + storyLines(p, in) + "</story>"}
	if p.facts() && len(in.Known) > 0 {
		where = append(where, "<facts>\n"+factList(in.Known)+"</facts>")
	}
	parts, example := fields(set, p, in)
	values := names(in)
	values["where"] = strings.Join(append(where, messages), "\n\n")
	values["parts"], values["example"] = parts, "{"+example+"}"
	asked, _ := fillFile(set, PassFile, values)
	return asked
}

// fields explains the fields of an answer, in the order of Schema, and gives the example of
// each.
func fields(set *prompts.Set, p Parts, in Input) (explained, example string) {
	values := names(in)
	values["speakers"], values["next"] = speakerNames(in.Speakers), ""
	var next string
	if p.Director && len(in.Speakers) > 0 {
		next, values["next"] = fillFile(set, PassNextFile, values)
	}
	var texts, examples []string
	add := func(asked bool, file string) {
		if !asked {
			return
		}
		text, form := fillFile(set, file, values)
		texts = append(texts, text)
		if form != "" {
			examples = append(examples, form)
		}
	}
	facts := p.facts() && len(in.Known) > 0
	add(p.Break, PassBreakFile)
	add(p.Director, PassDirectorFile)
	if next != "" {
		texts = append(texts, next)
	}
	add(p.Memories, PassMemoriesFile)
	add(p.Hooks, PassHooksFile)
	add(p.Hooks && in.anyFact(KnownFact.isDue), PassTakenFile)
	add(facts, PassOutdatedFile)
	add(p.Hooks && in.anyFact(KnownFact.isAhead), PassDueFile)
	add(p.when(), PassWhenFile)
	add(p.Picture, PassPictureFile)
	return strings.Join(texts, "\n"), strings.Join(examples, ", ")
}

// names returns the names of character and user for the prompt files.
func names(in Input) map[string]string {
	return map[string]string{
		"user": text.Shorten(inline(in.User, "the user"), shownName),
		"char": text.Shorten(inline(in.Char, "the character"), shownName),
	}
}

// fillFile returns the two parts of a prompt file, above and below its line of dashes, with values
// filled in.
func fillFile(set *prompts.Set, file string, values map[string]string) (above, below string) {
	messages := set.Request(file, values)
	switch len(messages) {
	case 0:
		return "", ""
	case 1:
		return messages[0].Content, ""
	}
	return messages[0].Content, messages[1].Content
}

// storyLines describes the state of the play, one fact per line.
func storyLines(p Parts, in Input) string {
	var b strings.Builder
	say := func(name, what string, most int) {
		if what = text.Shorten(inline(what, ""), most); what != "" {
			b.WriteString(name + ": " + what + "\n")
		}
	}
	switch {
	case p.Director && in.Over:
		b.WriteString("The episode has ended, and the story goes on.\n")
	case p.Director:
		b.WriteString("Now: " + PhaseWords(in.Turn, in.Budget) + "\n")
		say("Genre", in.Genre, shownSetting)
		say("Situation", in.Situation, shownQuestion)
		say("Question of the story", in.Question, shownQuestion)
	default:
		b.WriteString("Now: turn " + strconv.Itoa(max(in.Turn, 0)) + "\n")
	}
	say("Scene before the numbered messages", in.Setting, shownSetting)
	say("Time in the story before the numbered messages", in.Time, shownSetting)
	return b.String()
}

// fences are the tags around text that others have written.
var fences = []string{"messages", "facts", "story"}

// inline returns a name or phrase from outside in a form that fits into a sentence.
func inline(s, fallback string) string {
	const most = 600 // runes
	s = prompts.Defuse(prompts.Bounded(prompts.OneLine(head(s, 4*most)), most), fences)
	return or(strings.Trim(quoteless.Replace(s), " "), fallback)
}

// quoteless replaces everything that would end a quotation or the instruction's brackets.
var quoteless = strings.NewReplacer("[", "(", "]", ")", "“", "'", "”", "'", "\"", "'")

// head returns at most n bytes.
func head(s string, n int) string { return s[:min(len(s), n)] }

// speakerNames lists the possible speakers, spelled as in the schema.
func speakerNames(speakers []string) string {
	return text.Shorten(strings.Join(answerNames(speakers), ", "), shownSpeakers)
}

// answerNames returns the names that a model can answer with: on one line, each once, and not too
// many.
func answerNames(speakers []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, s := range speakers {
		if len(out) == maxSpeakers {
			break
		}
		if s = prompts.Bounded(inline(s, ""), maxName); s != "" && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

// factList lists facts by their numbers, a line each.
func factList(facts []KnownFact) string {
	var b strings.Builder
	for i, x := range facts {
		b.WriteString(factLine(i+1, x))
	}
	return b.String()
}

// factLine returns the line of a fact.
func factLine(n int, x KnownFact) string {
	line := fmt.Sprintf("%d. %s", n, text.Shorten(strings.TrimPrefix(inline(x.Text, "(none)"), "- "), shownFact))
	switch {
	case x.isDue():
		line += " (due)"
	case x.isAhead():
		line += " (by " + text.Shorten(inline(x.DueBy, ""), maxTone) + ")"
	}
	return line + "\n"
}

// beginnings lists the first words of the numbered messages.
func beginnings(in Input) string {
	var b strings.Builder
	for i, m := range in.Messages {
		begins := text.Shorten(inline(m.Text, "…"), shownBeginning)
		fmt.Fprintf(&b, "[%d] %s, beginning “%s”\n", i+1, speakerOfLine(in, m), begins)
	}
	return b.String()
}

// transcript returns the messages in full, and shortened ones before the numbered ones.
func transcript(in Input) string {
	var b strings.Builder
	write := func(m Line, label string, front, back int) {
		said := prompts.Defuse(headAndTail(strings.TrimSpace(m.Text), front, back), fences)
		b.WriteString(label + speakerOfLine(in, m) + ": " + said + "\n\n")
	}
	for _, m := range in.Before {
		write(m, "", oldHead, oldTail)
	}
	for i, m := range in.Messages {
		write(m, fmt.Sprintf("[%d] ", i+1), newHead, newTail)
	}
	return strings.TrimSpace(b.String())
}

// speakerOfLine returns the speaker of a message and, for a whisper, its hearers.
func speakerOfLine(in Input, m Line) string {
	fallback := named(in.Char, "the character")
	if m.User {
		fallback = named(in.User, "the user")
	}
	name := or(prompts.Bounded(prompts.OneLine(nameless.Replace(head(m.Speaker, 4*maxName))), maxName), fallback)
	if m.Hearers == nil {
		return name
	}
	return name + " (whispered, heard only by " + or(speakerNames(m.Hearers), "nobody") + ")"
}

// nameless removes characters from a name that would make its line look like another one's.
var nameless = strings.NewReplacer("[", "", "]", "", ":", "", "<", "")

// headAndTail returns front runes from the beginning of s and back from its end.
func headAndTail(s string, front, back int) string {
	if len(s) <= front+back || utf8.RuneCountInString(s) <= front+back {
		return strings.ToValidUTF8(s, "")
	}
	at := 0
	for range front {
		_, size := utf8.DecodeRuneInString(s[at:])
		at += size
	}
	end := len(s)
	for range back {
		_, size := utf8.DecodeLastRuneInString(s[:end])
		end -= size
	}
	return strings.ToValidUTF8(s[:at]+" […] "+s[end:], "")
}

func or(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
