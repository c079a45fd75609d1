package voice

import (
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// A sentence is a repetition if it has at least repeatWords words and repeatBytes bytes, and
// repeatShare of its word sequences occurred before. Such a sentence is held back while it is being
// written, and it is certain with repeatRun words.
const (
	repeatWords = 6
	repeatRun   = 10
	repeatBytes = 30
	repeatShare = 0.8
)

// maxSaid limits the word sequences kept of earlier replies.
const maxSaid = 100_000

// NewSaid returns the word sequences of the sentences in replies. replies must begin with the
// newest. The result must not be changed.
func NewSaid(replies []string) text.Shingles {
	said := text.Shingles{}
	for _, reply := range replies {
		for _, s := range text.Sentences(reply) {
			maps.Copy(said, text.NewShingles(s))
		}
		if len(said) > maxSaid {
			break
		}
	}
	return said
}

// repeats returns the number of words of a sentence that is a repetition, 0 for one that is not.
func (w *Filter) repeats(sentence string) (words int) {
	for range text.Words(sentence) {
		words++
	}
	s := text.NewShingles(sentence)
	if words < repeatWords || len(sentence) < repeatBytes ||
		max(s.Containment(w.rules.Earlier), s.Containment(w.own)) < repeatShare {
		return 0
	}
	return words
}

// fewLetters is the least number of letters that makes a script one of the play. strangeLetters is
// the number of consecutive letters in another script that are no longer just a name.
const (
	fewLetters     = 4
	strangeLetters = 5
)

// Scripts returns the scripts of a play, from its messages and the card's texts; nil if these are
// too short.
func Scripts(texts ...string) map[string]bool {
	letters := map[string]int{}
	for _, s := range texts {
		for _, w := range text.Words(s) {
			letters[text.Script(w)] += utf8.RuneCountInString(w)
		}
	}
	var scripts map[string]bool
	for script, n := range letters {
		if script == "" || n < fewLetters {
			continue
		}
		if scripts == nil {
			scripts = map[string]bool{}
		}
		scripts[script] = true
	}
	return scripts
}

// checkScript counts letters in scripts that the play does not have, word by word.
func (w *Filter) checkScript(t token) {
	script := text.Script(string(w.text[t.from:t.to]))
	if script == "" {
		return
	}
	if w.rules.Scripts[script] {
		w.strangers = 0
		return
	}
	if w.strangers == 0 {
		w.strangeAt = t.from
	}
	if w.strangers += len([]rune(t.text)); w.strangers >= strangeLetters {
		w.strangers = 0
		if !w.foreignSpeech() {
			w.find(Found{Kind: Language, At: w.strangeAt}, t.to)
		}
	}
}

// foreignSpeech reports whether the strange letters are part of somebody's speech that is entirely
// in their script. Speech that changes its script midway is the model's error.
func (w *Filter) foreignSpeech() bool {
	para := string(w.text[max(0, w.strangeAt-maxSentence):w.strangeAt])
	para = para[strings.LastIndexByte(para, '\n')+1:]
	from := speech(para)
	return from >= 0 && strings.IndexFunc(para[from:], func(r rune) bool {
		return unicode.IsLetter(r) && w.rules.Scripts[text.Script(string(r))]
	}) < 0
}
