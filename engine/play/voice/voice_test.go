package voice_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/play/voice"
	"github.com/ghostlight-theatre/ghostlight/engine/play/voice/phrases"
)

func compile(t testing.TB, texts ...string) *voice.Set {
	t.Helper()
	var rules []voice.Rule
	for _, text := range texts {
		rules = append(rules, voice.Rule{Text: text})
	}
	s, faults := voice.Compile(rules, nil)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return s
}

// first feeds a text in pieces of n bytes or more and returns the first finding.
func first(r voice.Rules, text string, n int) (*voice.Found, *voice.Filter) {
	w := voice.New(r, "")
	for len(text) > 0 {
		k := min(n, len(text))
		for k < len(text) && !utf8.RuneStart(text[k]) {
			k++
		}
		if f := w.Add(text[:k]); f != nil {
			return f, w
		}
		text = text[k:]
	}
	return w.Finish(), w
}

func TestWatch_FindsPhrases(t *testing.T) {
	for _, tc := range []struct{ phrase, text, found string }{
		{"shiver down her spine", "He sent a shiver down her spine.", "shiver down her spine"},
		{"shiver down her spine", "A SHIVER *down* her\n\nspine, at last", "SHIVER *down* her\n\nspine"},
		{"shiver down her spine", "shivers down her spine", ""},
		{"shiver down her spine", "A shiver down her back, and a shiver down her spines", "shiver down her spine"},
		{"delve", "They delve. They delved", "delve"},
		{"delve", "They delved into it", ""},
		{"delve*", "They delved into it", "delve"},
		{"ass", "They assemble, compass", ""},
		{"don't you dare", "“Don’t you dare,” she said", "Don’t you dare"},
		{"spine", "the spine' was", "spine"},
		{"well, well", "“Well — well, well…”", "well, well"},
		{"barely above a whisper", "barely above a whis", ""},
		{"barely above a whisper", "It was barely\u00a0above a\u200b whisper.", "barely\u00a0above a\u200b whisper"},
		{"Über den Rücken", "lief ihr ÜBER DEN RÜCKEN", "ÜBER DEN RÜCKEN"},
		{"/shivers? (ran|went)/", "A Shiver\n*ran* down", "Shiver\n*ran"},
		{"/\\bspine\\b/", "spineless. Her spine.", "spine"},
		{"/spine$/", "spineless spine", "spine"},
		{"/testament to/", "It was a testament to it", "testament to"},
	} {
		for _, n := range []int{1, 3, 7, 1000} {
			f, _ := first(voice.Rules{Set: compile(t, tc.phrase)}, tc.text, n)
			got := ""
			if f != nil {
				got = f.Text
			}
			if (got == "") != (tc.found == "") || !strings.HasPrefix(got, tc.found) {
				t.Errorf("%q in %q by %d: found %q, want %q", tc.phrase, tc.text, n, got, tc.found)
			}
		}
	}
}

// A text is cut repeatedly at the same place, then from its sentence, and is let through in the
// end.
func TestWatch_GivesIn(t *testing.T) {
	w := voice.New(voice.Rules{Set: compile(t, "a shiver down her spine")}, "")
	w.Add("The door fell shut. She felt")
	var cuts []string
	for range 20 {
		f := w.Add(" a shiver down her spine and")
		if f == nil {
			break
		}
		kept, gap := w.Back()
		cuts = append(cuts, kept)
		if gap != " " {
			t.Errorf("gap %q", gap)
		}
		if !strings.Contains(kept, "She") {
			w.Add(" She felt")
		}
	}
	want := []string{"The door fell shut. She felt", "The door fell shut. She felt", "The door fell shut. She felt", "The door fell shut.", "The door fell shut."}
	if fmt.Sprint(cuts) != fmt.Sprint(want) {
		t.Errorf("cuts %q", cuts)
	}
	all := w.Found()
	if last := all[len(all)-1]; !last.Allowed || last.Try != 6 || len(all) != 6 {
		t.Errorf("found %+v", all)
	}
	w.Add(" went home. Then she felt")
	if f := w.Add(" a shiver down her spine."); f == nil || f.Try != 1 {
		t.Errorf("in the next sentence: %+v", f)
	}
}

// No complete phrase is ever shown, whatever the pieces are; and all is shown in the end.
func TestWatch_ShowsNoPhrase(t *testing.T) {
	phrases := []string{"a shiver down her spine", "barely above a whisper", "ministrations", "her eyes sparkled with", "/testament to (his|her)/"}
	bad := []string{"a shiver down her spine", "barely above a whisper", "ministrations", "her eyes sparkled with", "testament to his"}
	words := strings.Fields("a her the shiver down spine barely above whisper eyes sparkled with testament to and . , door his")
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 400 {
		var text strings.Builder
		for range 60 {
			if rnd.IntN(6) == 0 {
				text.WriteString(" " + bad[rnd.IntN(len(bad))])
			}
			text.WriteString(" " + words[rnd.IntN(len(words))])
		}
		w := voice.New(voice.Rules{Set: compile(t, phrases...)}, "")
		rest := text.String()
		for rest != "" {
			n := min(1+rnd.IntN(6), len(rest))
			f := w.Add(rest[:n])
			rest = rest[n:]
			if w.Certain() > w.Show() || w.Final() > w.Certain() {
				t.Fatalf("firm %d, certain %d, show %d", w.Final(), w.Certain(), w.Show())
			}
			shown := w.Text()[:w.Show()]
			for _, b := range bad {
				if strings.Contains(" "+shown, " "+b) && len(w.Found()) == 0 {
					t.Fatalf("%q shows %q", shown, b)
				}
			}
			if f != nil {
				if f.Allowed || f.Cut > f.At {
					t.Fatalf("%+v", f)
				}
				w = voice.New(voice.Rules{Set: compile(t, phrases...)}, w.Text()[:f.Cut])
			}
		}
		if w.Finish() == nil && w.Show() != w.Len() && w.Text()[w.Show():] == "" {
			t.Fatal("something stays hidden")
		}
	}
}

func TestWatch_SpeaksForTheUser(t *testing.T) {
	r := voice.Rules{User: []string{"Ada Brandt", "Ada"}, Acts: []string{"Ada Brandt", "Ada"}, Others: []string{"Rowan"}}
	for _, tc := range []struct {
		text string
		kind voice.Kind
		kept string
		ends bool
	}{
		{"She nods.\n\nAda: I will come.", voice.User, "She nods.", true},
		{"She nods.\n\n**Ada Brandt:** I will come.", voice.User, "She nods.", true},
		{"She nods.\n\nAda smiles and says nothing.", voice.User, "She nods.", false},
		{"She nods.\n\nRowan: Me too.", voice.Speaker, "She nods.", true},
		{"Ada: I will come.", voice.User, "", false},
		{"She nods.\n\nAda's hand is warm. She looks at Ada and waits.", "", "", false},
		{"She nods.\n\n\"Ada, come here,\" she says. \"You say that often. Ada: that is you.\"", "", "", false},
		{"She nods.\n\nAdamant she stays. Rowan laughs.\nRowan laughs again. You sayer.", "", "", false},
	} {
		for _, n := range []int{1, 5, 1000} {
			f, _ := first(r, tc.text, n)
			switch {
			case f == nil && tc.kind != "":
				t.Errorf("%q: not found", tc.text)
			case f != nil && (f.Kind != tc.kind || tc.text[:f.Cut] != tc.kept || f.Ends != tc.ends):
				t.Errorf("%q by %d: %+v", tc.text, n, f)
			}
		}
	}
}

func TestWatch_SaysNothingTwice(t *testing.T) {
	said := voice.NewSaid([]string{"She looks at the lamp and thinks of the ship that left in May. Fine."})
	for text, found := range map[string]bool{
		"It rains. She looks at the lamp, and thinks of the ship that left in May. Good.":                            true,
		"It rains. She looks at the lamp":                                                                            false,
		"It rains. She looks at the harbour and waits for a ship in May.":                                            false,
		"She looks at a thing. He walks to the old harbour wall alone. Then he walks to the old harbour wall alone.": true,
	} {
		f, w := first(voice.Rules{Earlier: said}, text, 3)
		if (f != nil && f.Kind == voice.Repeat) != found {
			t.Errorf("%q: %+v", text, f)
		}
		if f != nil && w.Text()[:f.Cut] == "" {
			t.Errorf("%q: nothing stays", text)
		}
	}
}

// A reply that continues in another script is cut; a name in one is allowed.
func TestWatch_OtherScripts(t *testing.T) {
	scripts := voice.Scripts("The door of the house is open, and the lamp is lit. She was there with him, and it was cold.")
	for text, found := range map[string]bool{
		"She waits. 彼女は静かに待っている。":                  true,
		"She waits at the Straße, and says 東京.":    false,
		"She waits. Она ждёт его у двери.":         true,
		"She waits. Sie geht mit ihm in das Haus.": false,
	} {
		if f, _ := first(voice.Rules{Scripts: scripts}, text, 4); (f != nil && f.Kind == voice.Language) != found {
			t.Errorf("%q: %+v", text, f)
		}
	}
}

func TestWatch_EndsLists(t *testing.T) {
	var b strings.Builder
	b.WriteString("Here is all of it:\n")
	for i := range 30 {
		fmt.Fprintf(&b, "%d. a thing called %c\n", i+1, 'a'+i%26)
	}
	f, w := first(voice.Rules{Items: 12}, b.String(), 5)
	if f == nil || !f.Ends || strings.Count(w.Text()[:f.Cut], "\n") != 12 {
		t.Fatalf("%+v", f)
	}
}

func TestWatch_EndsWhereEnoughIsSaid(t *testing.T) {
	var b strings.Builder
	for i := range 40 {
		fmt.Fprintf(&b, "This is the sentence of number %d, \"which talks. It goes on\" to here.", i)
		if b.WriteByte(' '); i%5 == 4 {
			b.WriteString("\n\n")
		}
	}
	f, w := first(voice.Rules{Words: 60}, b.String(), 5)
	if f == nil || f.Kind != voice.Length || !f.Ends {
		t.Fatalf("%+v", f)
	}
	kept := w.Text()[:f.Cut]
	if n := len(strings.Fields(kept)); n < 60 || n > 110 || !voice.Whole(kept) {
		t.Errorf("%d words: %q", n, kept)
	}
}

func TestLastEnd(t *testing.T) {
	for _, tc := range []struct{ text, kept string }{
		{"She nods. Then she", "She nods."},
		{"She met him at 3.5 degrees. Then", "She met him at 3.5 degrees."},
		{"\"I know. But the", "\"I know.\""},
		{"*She nods. Then she", "*She nods.*"},
		{"„Ich weiß. Aber", "„Ich weiß.“"},
		{"“I know. But", "“I know.”"},
		{"\"Go!\" she said, and", "\"Go!\""},
		{"彼女は待つ。それから", "彼女は待つ。"},
		{"She waits… and then", ""},
		{"A line\nAnother li", "A line"},
		{"She nods.", "She nods."},
		{"", ""},
	} {
		at, closing := voice.LastEnd(tc.text, 0)
		if got := tc.text[:at] + closing; got != tc.kept {
			t.Errorf("%q: kept %q, want %q", tc.text, got, tc.kept)
		}
	}
}

func TestCompile_NamesWhatIsWrong(t *testing.T) {
	s, faults := voice.Compile([]voice.Rule{{Text: "/(/"}, {Text: "x"}, {Text: "/a*/"}, {Text: strings.Repeat("long ", 100)}, {Text: "fine words"}, {Text: "Fine  Words"}, {Text: "allowed one"}}, []string{"Allowed ONE"})
	if len(faults) != 4 || s.Len() != 1 {
		t.Errorf("%d rules, %v", s.Len(), faults)
	}
}

func FuzzWatch(f *testing.F) {
	f.Add("She nods. *A shiver* down her spine.\n\nAda: no. 1. x\n2. y", "a shiver", 3)
	f.Add("…“”‘’«» ￼\u200b„", "/a.b/", 1)
	said := voice.NewSaid([]string{"She nods and looks at him over the rim of the cup."})
	f.Fuzz(func(t *testing.T, text, rule string, n int) {
		text = strings.ToValidUTF8(text, "?")
		set, _ := voice.Compile([]voice.Rule{{Text: rule}, {Text: "she nods"}}, nil)
		r := voice.Rules{Set: set, User: []string{"Ada"}, Earlier: said, Scripts: voice.Scripts("the and of is"), Acts: []string{"Ada"}, Items: 3, Words: 20}
		w := voice.New(r, "")
		for i := 0; text != "" && i < 200; i++ {
			k := min(max(n, 1)%20+1, len(text))
			for k < len(text) && !utf8.RuneStart(text[k]) {
				k++
			}
			f := w.Add(text[:k])
			if text = text[k:]; text == "" && f == nil {
				f = w.Finish()
			}
			if w.Final() > w.Certain() || w.Certain() > w.Show() || w.Show() > w.Len() {
				t.Fatalf("firm %d certain %d show %d len %d in %q", w.Final(), w.Certain(), w.Show(), w.Len(), w.Text())
			}
			if f != nil {
				if f.Cut > w.Len() || !utf8.ValidString(w.Text()[:f.Cut]) {
					t.Fatalf("%+v of %d", f, w.Len())
				}
				if f.Ends {
					return
				}
				w.Back()
			}
		}
		at, closing := voice.LastEnd(w.Text(), 0)
		if at > w.Len() || !utf8.ValidString(w.Text()[:at]+closing) {
			t.Fatalf("%q ends at %d with %q", w.Text(), at, closing)
		}
	})
}

func BenchmarkWatch(b *testing.B) {
	for _, n := range []int{0, 300, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var rules []voice.Rule
			for i := range n {
				rules = append(rules, voice.Rule{Text: fmt.Sprintf("%c%c stock phrase number %d of the list", 'a'+i%26, 'a'+i/26%26, i)})
			}
			if n == 300 {
				for i := range 30 {
					rules = append(rules, voice.Rule{Text: fmt.Sprintf("/(stock|phrase)s? (number|of) %d+/", i)})
				}
			}
			set, _ := voice.Compile(rules, nil)
			token := []string{" the", " door", " of", " her", " house", " fell", ".", " A", " lamp", " burns"}
			b.ReportAllocs()
			for b.Loop() {
				w := voice.New(voice.Rules{Set: set, User: []string{"Ada"}}, "")
				for i := range 2000 {
					if w.Add(token[i%len(token)]) != nil {
						b.Fatal("found")
					}
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	var rules []voice.Rule
	for i := range 10_000 {
		rules = append(rules, voice.Rule{Text: fmt.Sprintf("%c%c stock phrase number %d of the list", 'a'+i%26, 'a'+i/26%26, i)})
	}
	for b.Loop() {
		voice.Compile(rules, nil)
	}
}

// Set.Within returns the rules that match a text, whatever is between the words.
func TestSet_Within(t *testing.T) {
	t.Parallel()
	set, _ := voice.Compile([]voice.Rule{{Text: "down her spine"}, {Text: "velvet"}, {Text: "/testaments? to/"}, {Text: "never said"}}, nil)
	if got := set.Within("The *velvet*, and a shiver down\nher spine: a testament to it."); strings.Join(got, "|") != "velvet|down her spine|/testaments? to/" {
		t.Errorf("%q", got)
	}
	if got := (*voice.Set)(nil).Within("velvet"); got != nil {
		t.Errorf("%q", got)
	}
}

// BenchmarkWatchBundled measures the cost of the bundled lists per token of a reply without a
// match.
func BenchmarkWatchBundled(b *testing.B) {
	var rules []voice.Rule
	for line := range strings.Lines(string(phrases.Bundled("en"))) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			rules = append(rules, voice.Rule{Text: line})
		}
	}
	set, _ := voice.Compile(rules, nil)
	tokens := strings.SplitAfter("She shuts the door of the lamp room, and her eyes follow the light over the water. \"It will be late,\" she says. A gull cries, and the stair is cold.\n\n", " ")
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		w := voice.New(voice.Rules{Set: set, User: []string{"Ada"}}, "")
		for i := range 2000 {
			n++
			if w.Add(tokens[i%len(tokens)]) != nil {
				b.Fatal("found")
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/token")
}

func TestListed(t *testing.T) {
	for _, lang := range phrases.Languages() {
		rules := voice.Listed(lang, phrases.Bundled(lang))
		if set, faults := voice.Compile(rules, nil); len(faults) > 0 || set.Len() < 40 || rules[0].Set != lang {
			t.Errorf("%s: %d rules, %v", lang, set.Len(), faults)
		}
	}
}

// Final covers only complete sentences, and Releasable never a whole phrase.
func TestWatch_FirmAndLate(t *testing.T) {
	w := voice.New(voice.Rules{Set: compile(t, "a shiver down her spine", "delve")}, "")
	for _, step := range []struct{ add, firm, late string }{
		{"She nods", "", "She nods"},
		{". ", "", "She nods. "},
		{"Then a sh", "She nods.", "She nods. Then a "},
		{"iver down her spin", "She nods.", "She nods. Then a shiver down her "},
	} {
		w.Add(step.add)
		if firm, late := w.Text()[:w.Final()], w.Text()[:w.Releasable()]; firm != step.firm || late != step.late {
			t.Errorf("after %q: firm %q, late %q", step.add, firm, late)
		}
	}
	w = voice.New(voice.Rules{Set: compile(t, "/shivers? .*/")}, "")
	w.Add("It shivers and goes on and on")
	if late := w.Text()[:w.Releasable()]; late != "It " {
		t.Errorf("late %q", late)
	}
	if f := w.Overdue(); f == nil || f.At != 3 {
		t.Errorf("overdue: %+v", f)
	}
}
