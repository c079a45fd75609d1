package rules

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// usualPriority is the priority of hooks without one.
const usualPriority = 3

// Clean returns the answer as it may be stored: only the wanted parts, every text on one line and
// bounded, every number within its bounds, unknown words replaced by harmless ones. Meaningless
// texts are dropped: placeholders, words of the prompt itself, repetitions, and numbers of unknown
// facts and messages. The receiver is not changed.
func (a Answer) Clean(p Parts, in Input) Answer {
	var out Answer
	if p.Break && a.Scene != nil {
		out.Scene = &Scene{Rationale: prompts.Bounded(prompts.OneLine(a.Scene.Rationale), maxRationale),
			Status: a.Scene.Status}
	}
	if p.Director && a.Director != nil {
		seen := cleanSeen(*a.Director, in)
		out.Director = &seen
	}
	if p.Memories && a.Memories != nil {
		out.Memories = cleanMemories(a.Memories, in)
	}
	if p.Hooks && a.Hooks != nil {
		out.Hooks = cleanHooks(a.Hooks, in)
	}
	if p.Hooks {
		out.TakenUp, out.Due = cleanNumbers(a.TakenUp, in, KnownFact.isDue), cleanNumbers(a.Due, in, KnownFact.isAhead)
	}
	if p.facts() {
		out.Settled, out.Outdated = cleanEnded(a.Settled, in), cleanEnded(a.Outdated, in)
		out.Outdated = slices.DeleteFunc(out.Outdated, func(e EndedFact) bool {
			return slices.ContainsFunc(out.Settled, func(s EndedFact) bool { return s.Fact == e.Fact })
		})
		if n := len(out.Settled) + len(out.Outdated); n >= minKnown && n == len(in.Known) {
			out.Settled, out.Outdated = []EndedFact{}, []EndedFact{} // it has copied the list
		}
	}
	if p.when() && a.When != nil {
		out.When = &TimeUpdate{Day: cleanPhrase(a.When.Day, maxTone), Time: cleanPhrase(a.When.Time, maxTone),
			Days: min(max(a.When.Days, 0), maxDays)}
	}
	if p.Picture && a.Picture != nil {
		if kind := matchWord(a.Picture.Kind, pictureKinds); kind != "" && kind != pictureKinds[0] {
			out.Picture = &WantedPicture{Kind: kind, Subject: cleanPhrase(a.Picture.Subject, maxContent)}
		}
	}
	return out
}

// minKnown is the number of known facts from which on an answer cannot end all of them together.
const minKnown = 3

// cleanNumbers returns the numbers of facts that fit, each once.
func cleanNumbers(list []int, in Input, fits func(KnownFact) bool) []int {
	if list == nil {
		return nil
	}
	out := []int{}
	for _, n := range list {
		if n >= 1 && n <= len(in.Known) && fits(in.Known[n-1]) && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// cleanEnded returns the ended facts that exist, each once, without those whose reason is copied
// from the prompt.
func cleanEnded(list []EndedFact, in Input) []EndedFact {
	out := []EndedFact{}
	for _, e := range list {
		again := func(o EndedFact) bool { return o.Fact == e.Fact }
		if e.Fact >= 1 && e.Fact <= len(in.Known) && !slices.ContainsFunc(out, again) && !isFromPrompt(e.Why, in) {
			out = append(out, EndedFact{Why: cleanPhrase(e.Why, maxContent), From: cited(e.From, in), Fact: e.Fact})
		}
	}
	return out
}

// cited returns the numbers of messages that were shown, each once.
func cited(from []int, in Input) []int {
	from = slices.DeleteFunc(slices.Clone(from), func(n int) bool { return n < 1 || n > len(in.Messages) })
	slices.Sort(from)
	return slices.Compact(from)
}

func cleanSeen(e storage.Evaluation, in Input) storage.Evaluation {
	e.VisualType = or(matchWord(e.VisualType, visualTypes), noPicture)
	e.Status = or(matchWord(e.Status, statuses), "going")
	e.Tension = min(max(e.Tension, 0), 100)
	own := func(s string, most int) string { // not copied from the prompt
		if s = cleanPhrase(s, most); isFromPrompt(s, in) {
			return ""
		}
		return s
	}
	e.Beat, e.Tone = own(e.Beat, maxBeat), own(e.Tone, maxTone)
	e.Open, e.Setting = own(e.Open, maxBeat), own(e.Setting, maxBeat)
	e.VisualHint, e.Why = own(e.VisualHint, maxOpener), own(e.Why, maxContent)
	if e.VisualType == noPicture {
		e.VisualHint = ""
	}
	e.Next = speakerOf(e.Next, in.Speakers)
	return e
}

// speakerOf returns the speaker that an answer names, "" for none.
func speakerOf(next string, speakers []string) string {
	next = prompts.Bounded(inline(next, ""), maxName)
	for _, s := range speakers[:min(len(speakers), 4*maxSpeakers)] {
		if next != "" && (s == next || strings.EqualFold(prompts.Bounded(inline(s, ""), maxName), next)) {
			return s
		}
	}
	return ""
}

func cleanMemories(list []FoundMemory, in Input) []FoundMemory {
	out := []FoundMemory{}
	for _, m := range list[:min(len(list), maxRead)] {
		m.Type = storage.MemoryType(or(matchWord(string(m.Type), wordsOf(storage.MemoryTypes)),
			string(storage.FactMemory)))
		m.Content, m.From = cleanContent(m.Content, in), cited(m.From, in)
		m.Importance = toShare(m.Importance)
		again := func(o FoundMemory) bool { return text.Equal(o.Content, m.Content) }
		if m.Content != "" && len(out) < maxFoundMemories && !slices.ContainsFunc(out, again) {
			out = append(out, m)
		}
	}
	return out
}

// toShare limits an importance to 0 to 1; larger values are read as marks out of ten or a hundred.
func toShare(x float64) float64 {
	switch {
	case x > 10:
		x /= 100
	case x > 1:
		x /= 10
	}
	return clampUnit(x)
}

func cleanHooks(list []FoundHook, in Input) []FoundHook {
	out := []FoundHook{}
	for _, h := range list[:min(len(list), maxRead)] {
		h.Type = storage.HookType(or(matchWord(string(h.Type), wordsOf(storage.HookTypes)),
			string(storage.FollowUpHook)))
		h.Content, h.Opener, h.When = cleanContent(h.Content, in), cleanPhrase(h.Opener, maxOpener),
			cleanPhrase(h.When, maxTone)
		h.From = cited(h.From, in)
		h.Turns = min(max(h.Turns, 0), maxTurns)
		if h.Priority <= 0 {
			h.Priority = usualPriority
		}
		h.Priority = min(h.Priority, maxPriority)
		again := func(o FoundHook) bool { return text.Equal(o.Content, h.Content) }
		if h.Content != "" && len(out) < maxFoundHooks && !slices.ContainsFunc(out, again) {
			out = append(out, h)
		}
	}
	return out
}

func wordsOf[S ~string](list []S) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = string(s)
	}
	return out
}

// cleanContent returns the phrase of a memory or hook, "" if it only repeats the prompt.
func cleanContent(s string, in Input) string {
	s = cleanPhrase(s, maxContent)
	switch {
	case s == "" || isRepetitive(s) || isFromPrompt(s, in) || foreign(s, in):
		return ""
	case text.Equal(s, head(in.Question, maxSaid)) || text.Equal(s, head(in.Situation, maxSaid)):
		return ""
	}
	return s
}

// maxSaid is the number of bytes of a text that are read before it is bounded.
const maxSaid = 4 << 10

// cleanPhrase returns a text on one line, bounded and without enclosing marks; "" if it says
// nothing.
func cleanPhrase(s string, most int) string {
	s = prompts.OneLine(head(s, maxSaid))
	for {
		inner := strings.TrimSpace(unquoted(strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "- "), "* "))))
		if inner == s {
			break
		}
		s = inner
	}
	if s = prompts.Bounded(s, most); !strings.ContainsFunc(s, unicode.IsLetter) || SaysNothing(s) {
		return ""
	}
	return s
}

// unquoted removes the quotation marks around a text, if one pair encloses all of it.
func unquoted(s string) string {
	for _, q := range [...][2]string{{`"`, `"`}, {"“", "”"}, {"`", "`"}, {"'", "'"}} {
		inner, ok := strings.CutPrefix(s, q[0])
		if !ok {
			continue
		}
		if inner, ok = strings.CutSuffix(inner, q[1]); ok && !strings.Contains(inner, q[0]) &&
			!strings.Contains(inner, q[1]) {
			return inner
		}
	}
	return s
}

// SaysNothing reports whether a text is a placeholder such as "None." or "<content>".
func SaysNothing(s string) bool {
	s = strings.ToLower(strings.Trim(s, " .!*_…-–—:"))
	for _, pair := range [...][2]string{{"{{", "}}"}, {"<", ">"}, {"[", "]"}, {"(", ")"}, {"{", "}"}} {
		inner, ok := strings.CutPrefix(s, pair[0])
		if ok {
			inner, ok = strings.CutSuffix(inner, pair[1])
		}
		if ok && !strings.ContainsAny(inner, pair[0]+pair[1]) {
			return pair[0] == "{{" || pair[0] == "<" || pair[0] == "[" || pair[0] == "{" || placeholders()[inner]
		}
	}
	return placeholders()[s]
}

var placeholders = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, s := range strings.Split(`none|nothing|nothing new|nothing yet|no|nil|null|n/a|na|unknown|undefined|empty|
		string|text|content|opener|example|placeholder|todo|tbd|memory|memories|no memories|no new memories|no memory|
		hook|hooks|no hooks|no new hooks|fact|event|preference|relationship|goal|emotion|reminder|follow_up|follow up|
		follow-up|milestone|scheduled|short sentence|one short sentence|one sentence|a short sentence|your text here|
		insert text here|lorem ipsum|not applicable|not specified|unspecified|no content|true|false|importance|
		priority|nothing to remember|nothing worth remembering|nothing is worth remembering|nothing important|
		no change|none needed|no picture|no open tension|no unresolved tension`, "|") {
		set[strings.TrimSpace(s)] = true
	}
	return set
})

// Bounds of babble: the text of a model that does not stop.
const (
	maxWord        = 60 // runes, of scripts that set blanks
	minBabbleWords = 8
	minNewShare    = 3 // one in this many words is new
)

// isRepetitive reports whether a text only repeats itself.
func isRepetitive(s string) bool {
	different := map[string]bool{}
	n := 0
	for w := range strings.FieldsSeq(strings.ToLower(s)) {
		n++
		different[w] = true
		if utf8.RuneCountInString(w) > maxWord && !strings.ContainsFunc(w, text.Unspaced) {
			return true
		}
	}
	return n >= minBabbleWords && len(different)*minNewShare <= n
}

// minEchoWords is the number of words above which a text is searched for in the prompt.
const minEchoWords = 4

// isFromPrompt reports whether a text occurs in the prompt files, in which the names are macros.
func isFromPrompt(s string, in Input) bool {
	s = plainWords(s)
	for _, n := range [...][2]string{{in.Char, " char "}, {in.User, " user "}} {
		if name := plainWords(head(n[0], 4*maxName)); name != " " {
			s = strings.ReplaceAll(s, name, n[1])
		}
	}
	return strings.Count(s, " ") > minEchoWords && strings.Contains(promptWords(), s)
}

// promptWords are the words of the built-in prompt files.
var promptWords = sync.OnceValue(func() string {
	var b strings.Builder
	for _, info := range prompts.BuiltIn().Names() {
		if strings.HasPrefix(info.Name, "director/") {
			b.WriteString(plainWords(prompts.BuiltIn().Text(info.Name)))
		}
	}
	return b.String()
})

// plainWords returns the folded words of a text, with a blank before and after each.
func plainWords(s string) string {
	var b strings.Builder
	b.WriteByte(' ')
	for _, w := range text.Words(s) {
		b.WriteString(text.Fold(w) + " ")
	}
	return b.String()
}

// Foreign finds in an answer what is written in another script than the story, in words for
// the model; Clean leaves it out.
func (a *Answer) Foreign(in Input) error {
	for _, m := range a.Memories {
		if foreign(m.Content, in) {
			return errForeign
		}
	}
	for _, h := range a.Hooks {
		if foreign(h.Content, in) {
			return errForeign
		}
	}
	return nil
}

var errForeign = errors.New("write every “content” in the language of the story")

// foreign reports whether a text is in another script than the messages.
func foreign(s string, in Input) bool {
	var all strings.Builder
	for _, m := range in.Messages {
		all.WriteString(head(m.Text, maxSaid))
	}
	script, story := text.Script(head(s, maxSaid)), text.Script(all.String())
	return script != "" && story != "" && script != story
}
