package rules

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// What stands for a missing part, and how much of a text from outside is shown:
// in bytes where words are cut, in runes of a message's beginning and end.
const (
	nothing = "(none)"

	shownQuestion = 60 // bytes, in the instruction
	shownSetting  = 45 // likewise
	shownName     = 40 // bytes of a name, in the instruction
	shownSpeakers = 60 // bytes of all their names
	maxSpeakers   = 12

	shownField = 600  // runes
	shownKnown = 8000 // bytes of all known memories
	newestFew  = 2    // messages of which more is shown
	newHead    = 1500
	newTail    = 1500
	oldHead    = 300
	oldTail    = 500
)

// Instruction is the one instruction that asks for all the parts at once. It is
// appended to the chat's own prompt, in which the messages stand, so it quotes
// none of them. It is "" where nothing is asked.
func Instruction(set *prompts.Set, p Parts, in Input) string {
	if !p.Any() {
		return ""
	}
	values := map[string]string{
		"user":     text.Shorten(inline(in.User, "the user"), shownName),
		"char":     text.Shorten(inline(in.Char, "the character"), shownName),
		"count":    counted(max(1, len(in.Fresh)), "message"),
		"speakers": speakerNames(in.Speakers),
		"than":     "before",
		"due":      dueList(in.Known, shownItem), // for files of the user's own
	}
	if len(in.Fresh) < 2 {
		values["count"] = "message"
	}
	setting := strings.TrimRight(text.Shorten(inline(in.Setting, ""), shownSetting), ". ")
	if setting != "" {
		values["than"] = "that"
	}
	var parts []string
	add := func(wanted bool, file string) {
		if wanted {
			parts = append(parts, filled(set, file, values))
		}
	}
	known := p.lists() && len(in.Known) > 0
	add(p.Break, PassBreakFile)
	add(p.Director, PassDirectorFile)
	add(p.Director && len(in.Speakers) > 0, PassNextFile)
	add(p.Memories, PassMemoriesFile)
	add(p.Hooks, PassHooksFile)
	add(p.Hooks && in.due(), PassTakenFile)
	add(known, PassEndedFile)
	add(known && in.Aside, PassAsideFile)
	at := where(p, in)
	if setting != "" {
		at += " Scene: " + setting + "."
	}
	if known {
		at += "\nKnown:\n" + numberedList(in.Known, shownItem)
	}
	return filled(set, PassFile, map[string]string{
		"user": values["user"], "char": values["char"],
		"where": at,
		"parts": strings.Join(parts, "\n"),
	})
}

// filled is the text of a prompt file with its values put in.
func filled(set *prompts.Set, file string, values map[string]string) string {
	var parts []string
	for _, m := range set.Request(file, values) {
		parts = append(parts, m.Content)
	}
	return strings.Join(parts, "\n\n")
}

// where tells the director where the play stands, in a few words.
func where(p Parts, in Input) string {
	switch {
	case !p.Director:
		return "It is turn " + strconv.Itoa(max(in.Turn, 0)) + "."
	case in.Over:
		return episodeOver
	}
	said := "It is " + PhaseWords(in.Turn, in.Budget) + "."
	if q := text.Shorten(inline(in.Question, ""), shownQuestion); q != "" {
		said += " The play asks: “" + q + "”"
	}
	return said
}

// episodeOver says where a play stands whose episode has ended.
const episodeOver = "The episode has ended, and the story goes on."

// Request asks for one part, or several, with the messages: for where it is not
// asked on the chat's own prompt. Breaks are asked elsewhere. It is empty where
// nothing is asked.
func Request(set *prompts.Set, p Parts, in Input) []Prompt {
	values := map[string]string{
		"user": inline(in.User, "the user"), "char": inline(in.Char, "the character"),
		"genre":     or(block(prompts.OneLine(in.Genre), shownField), nothing),
		"situation": or(block(prompts.OneLine(in.Situation), shownField), nothing),
		"question":  or(block(prompts.OneLine(in.Question), shownField), nothing),
		"where":     PhaseWords(in.Turn, in.Budget),
		"messages":  or(talk(in), nothing),
		"known":     or(numberedList(in.Known, shownField), nothing),
		"also":      "",
		"due":       or(dueList(in.Known, shownField), nothing), // for files of the user's own
		"next":      "",
		"speakers":  speakerNames(in.Speakers),
	}
	if in.Over {
		values["question"], values["where"] = nothing, episodeOver
	}
	if also := knownList(in.Also); also != "" {
		values["also"] = "\n" + also
	}
	if len(in.Speakers) > 0 {
		values["next"] = filled(set, EvaluateNextFile, values) + "\n"
	}
	var system, user, keys []string
	add := func(wanted bool, file string, key ...string) {
		if !wanted {
			return
		}
		for _, m := range set.Request(file, values) {
			if m.Role == "system" {
				system = append(system, m.Content)
			} else {
				user = append(user, m.Content)
			}
		}
		keys = append(keys, key...)
		values["messages"] = "(as above)"
		if file != EvaluateFile {
			values["known"], values["also"] = "(as above)", ""
		}
	}
	add(p.Director, EvaluateFile, "director")
	add(p.Memories, MemoriesFile, "memories")
	add(p.Hooks, HooksFile, "hooks", "taken")
	add(p.lists() && len(in.Known) > 0, EndedFile, "why", "outdated", "settled")
	if len(user) > 1 {
		user = append(user, "Answer all of this with one JSON object that has the fields "+strings.Join(keys, ", ")+".")
	}
	var out []Prompt
	for _, m := range []Prompt{{Role: "system", Content: strings.Join(system, "\n\n")}, {Role: "user", Content: strings.Join(user, "\n\n")}} {
		if m.Content != "" {
			out = append(out, m)
		}
	}
	return out
}

// fences are the tags that the prompt files put around what others have written.
var fences = []string{"messages", "known", "waiting"}

// block is text from outside fit to stand within a fence: at most n runes of it.
func block(s string, n int) string {
	return prompts.Defuse(prompts.Bounded(strings.TrimSpace(s), n), fences)
}

// inline is a name or a phrase from outside fit to stand within a sentence.
func inline(s, fallback string) string {
	return or(strings.Trim(quoteless.Replace(prompts.Defuse(prompts.Bounded(prompts.OneLine(head(s, 4*shownField)), shownField), fences)), " "), fallback)
}

// quoteless takes out what would end a quotation or the instruction's brackets.
var quoteless = strings.NewReplacer("[", "(", "]", ")", "“", "'", "”", "'", "\"", "'")

// head keeps at most n bytes.
func head(s string, n int) string { return s[:min(len(s), n)] }

// speakerNames lists who may speak, as the schema spells them.
func speakerNames(speakers []string) string {
	return text.Shorten(strings.Join(spoken(speakers), ", "), shownSpeakers)
}

// spoken are the names that a model can answer with: on one line, each once, and
// not too many.
func spoken(speakers []string) []string {
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

// dueList are the lines of that list about hooks that are due.
func dueList(list []Listed, most int) string {
	var b strings.Builder
	for i, x := range list {
		if x.Due {
			b.WriteString(numberedLine(i+1, text.Shorten(strings.TrimPrefix(inline(x.Text, nothing), "- "), most), false))
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// numberedLine is a line of the list of what is known.
func numberedLine(n int, text string, due bool) string {
	if due {
		text += " (due)"
	}
	return strconv.Itoa(n) + ". " + text + "\n"
}

// knownList lists what is known, as far as there is room.
func knownList(known []string) string {
	var b strings.Builder
	for _, k := range known {
		if k = inline(k, ""); k == "" {
			continue
		}
		if b.Len()+len(k) > shownKnown {
			break
		}
		b.WriteString("- " + k + "\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// talk writes the messages for a request, the newest ones at greater length.
func talk(in Input) string {
	var b strings.Builder
	for i, m := range in.Messages {
		fallback := named(in.Char, "the character")
		if m.User {
			fallback = named(in.User, "the user")
		}
		speaker := prompts.Bounded(prompts.OneLine(nameless.Replace(head(m.Speaker, 4*maxName))), maxName)
		front, back := oldHead, oldTail
		if i >= len(in.Messages)-newestFew {
			front, back = newHead, newTail
		}
		b.WriteString(or(speaker, fallback) + ": " + prompts.Defuse(ends(strings.TrimSpace(m.Text), front, back), fences) + "\n\n")
	}
	return strings.TrimSpace(b.String())
}

// nameless takes out of a name what would make its line look like another's.
var nameless = strings.NewReplacer("[", "", "]", "", ":", "", "<", "")

// ends keeps front runes from the beginning of s and back from its end.
func ends(s string, front, back int) string {
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
