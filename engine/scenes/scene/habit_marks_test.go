package scene

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What a message means depends on what the ones before it carry.
func TestExplicitBreak_AgainstTheMessagesBefore(t *testing.T) {
	for name, c := range map[string]struct {
		before []string // alternating, the last one the user's
		text   string
		want   string
	}{
		"chapter repeated on every message":     {[]string{"Chapter 3\nGulls.", "I wait."}, "Chapter 3\nGulls.", ""},
		"chapter in another dress":              {[]string{"**Chapter 3**\nGulls.", "I wait."}, "## Chapter 3\nGulls.", ""},
		"the next chapter":                      {[]string{"Chapter 3\nGulls.", "I wait."}, "Chapter 4\nGulls.", "heading"},
		"a rule at the top of every reply":      {[]string{"---\nGulls.", "I wait."}, "---\nGulls.", ""},
		"a rule at the bottom of every reply":   {[]string{"Gulls.\n\n---", "I wait."}, "Gulls.\n\n---", ""},
		"a rule the user has set before":        {[]string{"Gulls.", "---\nI wait."}, "---\nGulls.", "separator"},
		"a rule with a chapter, though a habit": {[]string{"---\nGulls.", "I wait."}, "---\nChapter 4\nGulls.", "heading"},
	} {
		var before []Message
		for i, text := range c.before {
			role, who := storage.Assistant, "Mara"
			if i%2 == 1 {
				role, who = storage.User, "Robin"
			}
			before = append(before, Message{Role: role, Name: who, Text: text})
		}
		v := ExplicitBreak(before, Message{Role: storage.Assistant, Name: "Mara", Text: c.text})
		if got := described(v); got != c.want {
			t.Errorf("%s: got %q (%s), want %q", name, got, v.Rationale, c.want)
		}
	}
}

func TestExplicitBreak_FirstMessageHasNothingInFront(t *testing.T) {
	for text, want := range map[string]string{
		"Chapter 1\nGulls.": "", "---\nGulls.": "", "((new scene))\nGulls.": "",
		"Gulls.\n\n---": ">separator", "Gulls.\n\n((scene end))": ">mark",
	} {
		if got := described(ExplicitBreak(nil, Message{Role: storage.Assistant, Text: text})); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// hostile messages are long, or made to keep the table busy.
func hostile() []string {
	long := func(s string) string { return strings.Repeat(s, 100<<10/len(s)) }
	return []string{
		long("a"), long("\n"), long("-"), long("- "), long("*"), long("#"), long("[("), long("(("), long("\x00\xff"), long("three "),
		long("a few "), long("the next "), long("Chapter "), long("📍"), long("=\n"), long("Location:"), long("---\n"), long("…"), long("\u200b"),
		long("— "), long("<"), "---\n" + long("x"), long("x") + "\n---", long("x") + "\n((new scene))", long("**"), long("OOC:"), long("\r"), long("'"),
	}
}

func TestExplicitBreak_DoesNotReadLongMessages(t *testing.T) {
	texts := hostile()
	for _, text := range texts {
		m := Message{Role: storage.Assistant, Name: "Mara", Text: text}
		v := ExplicitBreak([]Message{m, m, m}, m)
		if !utf8.ValidString(v.Cue+v.Rationale) || len(v.Rationale) > 4<<10 {
			t.Errorf("%.20q: %+v", text, v)
		}
	}
	if got := described(ExplicitBreak(talkBefore(), Message{Role: storage.User, Text: "---\n" + texts[0]})); got != "separator" {
		t.Errorf("a rule in front of a long message: %q", got)
	}
	if got := described(ExplicitBreak(talkBefore(), Message{Role: storage.User, Text: texts[0] + "\n\n---"})); got != ">separator" {
		t.Errorf("a rule after a long message: %q", got)
	}
}

func FuzzExplicitBreak(f *testing.F) {
	for i, c := range tableCases {
		f.Add(c.text, tableCases[(i*7+1)%len(tableCases)].text)
	}
	for _, text := range hostile() {
		f.Add(text[:min(len(text), 3000)], text[:min(len(text), 100)])
	}
	f.Fuzz(func(t *testing.T, text, older string) {
		before := []Message{{Role: storage.Assistant, Name: "Mara", Text: older}, {Role: storage.User, Name: "Robin", Text: text}}
		m := Message{Role: storage.Assistant, Name: "Mara", Text: text}
		v := ExplicitBreak(before, m)
		if v != ExplicitBreak(before, m) {
			t.Fatal("two answers to one question")
		}
		if v.Break != (v.Kind != "") || v.Break != (v.Rationale != "") || !v.Break && v.After {
			t.Fatalf("%+v", v)
		}
		if !utf8.ValidString(v.Cue) || strings.ContainsAny(v.Cue, "\n\r\x00\x1b") || utf8.RuneCountInString(v.Cue) > maxCue {
			t.Fatalf("cue %q", v.Cue)
		}
		if w := ExplicitBreak(nil, m); w.Break && !w.After {
			t.Fatalf("%+v in front of nothing", w)
		}
	})
}

// variedTalk is a chat such as people play, with a cue now and then.
func variedTalk(n int) []Message {
	rng := rand.New(rand.NewPCG(1, 2))
	prose := []string{
		"*Mara leans over the table and looks at the map for a long time.* \"There is no road here,\" she says at last. \"Whoever drew this has never been north of the river.\"",
		"I fold my arms. \"Then we make one.\"",
		"She laughs, and the lamp flickers. The rain has found a hole in the roof and drips into the bucket, one drop for every breath.\n\n\"You always say that,\" she murmurs, *rolling the map up again*. \"And then I am the one who has to carry the axe.\"",
		"The next door stands open. Three men sit there, playing cards; none of them looks up.\n\n\"Not there,\" Mara whispers.",
		"**Mara:** \"Part of me wants to stay.\"\n\n*She does not.*",
		"*nods* ok",
		"“A few minutes later he was gone,” I tell her. “I counted.”",
		"(OOC: brb, dinner)",
		"| item | weight |\n|---|---|\n| rope | 3 |\n| axe | 5 |",
	}
	out := make([]Message, n)
	for i := range out {
		role, name := storage.Assistant, "Mara"
		if i%2 == 1 {
			role, name = storage.User, "Robin"
		}
		text := prose[rng.IntN(len(prose))]
		for range rng.IntN(4) {
			text += "\n\n" + prose[rng.IntN(3)]
		}
		if rng.IntN(12) == 0 {
			text = tableCases[rng.IntN(len(tableCases))].text + "\n\n" + text
		}
		out[i] = Message{ID: "m", Role: role, Name: name, Text: text}
	}
	return out
}

func BenchmarkExplicitBreak(b *testing.B) {
	messages := variedTalk(2000)
	breaks := 0
	b.ReportAllocs()
	for b.Loop() {
		breaks = 0
		for i, m := range messages {
			if ExplicitBreak(messages[max(0, i-3):i], m).Break {
				breaks++
			}
		}
	}
	b.ReportMetric(float64(len(messages))*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
	b.ReportMetric(float64(breaks), "breaks")
}
