package voice_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
)

// A phrase is found in every spelling, in pieces of any size, and no more of the reply is shown
// than the text before it.
func TestWatch_FindsPhrasesHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ phrase, text, found string }{
		{"caché dans l’ombre", "Il reste cache\u0301 dans l'ombre.", "cache\u0301 dans l'ombre"},
		{"cache\u0301 dans", "Il reste caché dans l'ombre.", "caché dans"},
		{"/caché dans/", "Il reste cache\u0301 dans l'ombre.", "cache\u0301 dans"},
		{"/cache\u0301 dans/", "Il reste CACHÉ dans l'ombre.", "CACHÉ dans"},
		{"caché", "Il reste cache\u0301", "cache"},
		{"große Straße", "Die GROSSE STRASSE.", "GROSSE STRASSE"},
		{"grosse strasse", "Die große Straße.", "große Straße"},
		{"ο λόγος της", "Ο ΛΌΓΟΣ ΤΗΣ νύχτας", "Ο ΛΌΓΟΣ ΤΗΣ"},
		{"istanbul nights", "The İstanbul nights.", "İstanbul nights"},
		{"a shiver down", "A \"shiver\" down", "A \"shiver\" down"},
		{"a shiver down", "A “shiver” «down»", "A “shiver” «down"},
		{"\"a shiver down\"", "It was a shiver down her", "a shiver down"},
		{"not a room - a door", "It is not a room—a door.", "not a room—a door"},
		{"not a room—a door", "It is not a room -- a door.", "not a room -- a door"},
		{"a shiver down", "a ~~shiver~~ `down` it", "a ~~shiver~~ `down"},
		{"a shiver down", "a sh\u00adiver\u00a0do\u2060wn it", "a sh\u00adiver\u00a0do\u2060wn"},
		{"a shiver down", "a sh\ufe0fiver down it", "a sh\ufe0fiver down"},
		{"背筋が凍る", "彼女は背筋が凍るのを感じた。", "背筋が凍る"},
		{"背筋", "彼女は背筋が凍る", "背筋"},
		{"不寒而栗", "她" + strings.Repeat("走在黑暗的街道上感到", 40) + "不寒而栗。", "不寒而栗"},
		{"/不寒.栗/", "她" + strings.Repeat("走在黑暗的街道上感到", 40) + "不寒而栗。", "不寒而栗"},
		{`/不是[^。\s]+而是/`, "这不是" + strings.Repeat("一条黑暗的街道", 7) + "而是梦。", "不是"},
		{`/心\p{Han}+跳/`, "她的心" + strings.Repeat("在黑暗中慢慢地", 5) + "跳。", "心在"},
		{`/ใจ\S+แรง/`, "หัวใจ" + strings.Repeat("เต้น", 12) + "แรง ", "ใจ"},
		{`/h[ae]+h/`, "He says h" + strings.Repeat("ae", 60) + "h.", "hae"},
		{`/\pL+ed \pL+ly/`, strings.Repeat("lamp ", 30) + "she " + strings.Repeat("un", 30) + "walked slowly.", "un"},
		{`/(?:\x{D800}){0,20}foo bar/`, "A foo bar", "foo bar"},
		{"hmm", "She says hmm", "hmm"},
		{"ki", "Ich bin eine KI.", "KI"},
		{"/—/", "It is a well-known door — at last.", "—"},
		{"/[—–]/", "It is a well-known door—at last.", "—"},
		{"/don't/", "They don’t know", "don’t"},
		{"/don’t/", "They don't know", "don't"},
		{"/“no”/", "He said \"no\" to it", "\"no\""},
		{"/^she nods/", strings.Repeat("He waits and ", 30) + "she nods.", ""},
		{"/^she nods/", "She nods. She nods.", "She nods"},
		{`/\bine\b/`, "A spine. The ine", "ine"},
		{`/sp|\bine/`, strings.Repeat("lamp ", 9) + "spine", "sp"},
		{"/she .* forever more/", "It rains. She " + strings.Repeat("waits at the door of the old house and ", 15) + "forever more. Then", "She "},
		{"one two", "one two three", "one two"},
		{"two three four", "one two three four", "one two three"},
	} {
		for _, n := range []int{1, 2, 3, 7, 10000} {
			set, faults := voice.Compile([]voice.Rule{{Text: tc.phrase}, {Text: "one two three"}}, nil)
			if len(faults) > 0 {
				t.Errorf("%q: %v", tc.phrase, faults)
				break
			}
			f, _ := first(voice.Rules{Set: set}, tc.text, n)
			switch {
			case f == nil && tc.found != "", f != nil && (tc.found == "" || !strings.HasPrefix(f.Text, tc.found)):
				t.Errorf("%q in %.60q by %d: found %+v, want %q", tc.phrase, tc.text, n, f, tc.found)
			}
		}
	}
}

// A short word that is banned is never shown as a whole, though it may be the beginning of
// another one.
func TestWatch_ShortWordsAreHeldBack(t *testing.T) {
	t.Parallel()
	for _, phrase := range []string{"hmm", "ki", "ooc", "背"} {
		w := voice.New(voice.Rules{Set: compile(t, phrase)}, "")
		for _, r := range "She says " + phrase {
			w.Add(string(r))
		}
		if shown := w.Text()[:w.Show()]; strings.Contains(shown, phrase) {
			t.Errorf("%q is shown: %q", phrase, shown)
		}
	}
}

// Rules that would leave nothing of any reply, or never match, are refused.
func TestCheck_RefusesWhatMatchesNothingOrAll(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`/\b/`, `/\B/`, `/x*\b/`, `/$/`, `/^/`, `/^$/`, `/(?:)/`, `/a?b?/`, `/./`, `/.+/`, `/\w/`, `/\pL+/`, `/[a-z]/`, `/\s/`, "/ /", `/[^x]/`, "—", "\"\"", "''", "* *", "/((((a{100}){100}){100}){100})/", "/\\*\\*/", "/~~/", `/(\pL+ ){1,400}zq/`, `/(?:(?:\pL+ ){0,30}){0,30}\d\d\d/`} {
		if err := voice.Check(text); err == nil {
			t.Errorf("%q may be looked for", text)
		}
	}
	for _, text := range []string{`/—/`, `/\d{4}/`, `/\bx\b/`, `/!{2}/`, "ab", "/ee/i", "/a/b/"} {
		if err := voice.Check(text); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Scripts without blanks have words too.
func TestWatch_WordsWithoutBlanksCount(t *testing.T) {
	t.Parallel()
	f, w := first(voice.Rules{Words: 60}, strings.Repeat("彼女は静かに扉を開けて部屋に入った。\n", 60), 3)
	if f == nil || f.Kind != voice.Length {
		t.Fatalf("%+v", f)
	}
	if n := len([]rune(w.Text()[:f.Cut])); n < 120 || n > 240 {
		t.Errorf("%d letters are not about 60 words", n)
	}
	said := voice.NewSaid([]string{"彼女は頷いた。そして扉を開けて暗い部屋の中へ静かに入って行った。"})
	if f, _ := first(voice.Rules{Earlier: said}, "雨が降る。彼女は頷いた。", 1); f != nil {
		t.Errorf("a short sentence is cut: %+v", f)
	}
	if f, _ := first(voice.Rules{Earlier: said}, "雨が降る。そして扉を開けて暗い部屋の中へ静かに入って行った。", 1); f == nil {
		t.Error("a long one is not")
	}
}
