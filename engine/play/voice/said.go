package voice

import (
	"maps"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// A sentence stands there again when it has repeatWords and nearly all its runs of words were
// said before. One that is still being written is held back then, and with repeatRun words it is
// certain.
const (
	repeatWords = 6
	repeatRun   = 10
	repeatBytes = 30
	repeatShare = 0.8
)

// maxSaid bounds what is kept of earlier replies, in runs of words.
const maxSaid = 100_000

// NewSaid takes the sentences of replies, from the newest. It is never changed.
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

// repeats reports how many words a sentence has that was said before, 0 for one that was not.
func (w *Watch) repeats(sentence string) (words int) {
	for range text.Words(sentence) {
		words++
	}
	s := text.NewShingles(sentence)
	if words < repeatWords || len(sentence) < repeatBytes ||
		max(s.Containment(w.rules.Said), s.Containment(w.own)) < repeatShare {
		return 0
	}
	return words
}

// A script that has so few letters in a play is not one of it, and so many letters in a row of
// another one are no name any more.
const (
	fewLetters     = 4
	strangeLetters = 5
)

// Scripts are the scripts of a play, by what was said and what the card says; nil where that is
// too little to tell.
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

// checkScript counts letters of scripts that the play does not have, word by word.
func (w *Watch) checkScript(t token) {
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

// foreignSpeech reports whether the strange letters are somebody's speech, which is all of their
// script: one that changes in its middle is the model's, not a character's.
func (w *Watch) foreignSpeech() bool {
	para := string(w.text[max(0, w.strangeAt-maxSentence):w.strangeAt])
	para = para[strings.LastIndexByte(para, '\n')+1:]
	from := speech(para)
	return from >= 0 && strings.IndexFunc(para[from:], func(r rune) bool {
		return unicode.IsLetter(r) && w.rules.Scripts[text.Script(string(r))]
	}) < 0
}
