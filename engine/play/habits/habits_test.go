package habits_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/play/habits"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// window returns replies r0, r1 … with texts.
func window(texts ...string) (list []habits.Reply) {
	for i, text := range texts {
		list = append(list, habits.Reply{ID: storage.NodeID(fmt.Sprint("r", i)), Text: text})
	}
	return list
}

func report(texts ...string) habits.Report {
	return habits.Of(window(texts...))
}

// told returns a group in short: each habit with the replies that have it.
func told(r habits.Report, kind habits.Kind) (list []string) {
	for _, it := range r.Group(kind).Items {
		list = append(list, fmt.Sprintf("%s ×%d %v", it.Text, it.Times, it.Messages))
	}
	return list
}

func TestReport_Habits(t *testing.T) {
	for _, c := range []struct {
		name  string
		kind  habits.Kind
		texts []string
		want  []string
	}{
		{"the longest opening stands for its parts", habits.Openings,
			[]string{"She looks up from the ledger.", "The rain fell.", "She looks up, tired.", "*She looks up* and waits."},
			[]string{"she looks up ×3 [r0 r2 r3]"}},
		{"a shorter opening counts where more have it", habits.Openings,
			[]string{"She looks up now.", "She looks up then.", "She looks away.", "She looks over.", "She looks down."},
			[]string{"she looks ×5 [r0 r1 r2 r3 r4]", "she looks up ×2 [r0 r1]"}},
		{"phrases are found across markup and case, and their parts are not told", habits.Phrases,
			[]string{"Then *a shiver runs* down his spine.", "A SHIVER _runs_ down", "A shiver runs down his spine again, and she counts the coins.", "And she counts the coins."},
			[]string{"a shiver runs down ×3 [r0 r1 r2]", "a shiver runs down his spine ×2 [r0 r2]", "and she counts the coins ×2 [r2 r3]"}},
		{"no phrase goes over the end of a sentence, or is short", habits.Phrases,
			[]string{"He sleeps. Tomorrow rain comes. It was in there.", "He sleeps, tomorrow rain comes; as it was in it"}, nil},
		{"a phrase within one reply is no habit", habits.Phrases,
			[]string{"The old lamp burns. The old lamp burns.", "Nothing of that."}, nil},
		{"ends", habits.Endings,
			[]string{`"Will you?"`, `She said: "No."`, "*He sits down.*", "The door falls shut.", "And so he went to the", "*What now?*", "“Stay,” he said"},
			[]string{"ends in question ×2 [r0 r5]", "cut off ×2 [r4 r6]", "ends in narration ×1 [r3]", "ends in action ×1 [r2]", "ends in speech ×1 [r1]"}},
		{"speech", habits.Dialogue,
			[]string{`"All of this is said."`, "Nothing is.", "—Toda esta línea —dijo— es voz.", `Half of it: "is said."`, "„Das ist alles gesagt.“", "« Tout est dit »"},
			[]string{"mostly speech ×4 [r0 r2 r4 r5]", "no speech ×1 [r1]"}},
		{"sentences", habits.Sentences,
			[]string{"He sat. She went. It rained.", strings.Repeat("One two three four five six seven eight nine ten. ", 4),
				"A " + strings.Repeat("word ", 25) + ". A " + strings.Repeat("word ", 30) + "."},
			[]string{"short sentences ×1 [r0]", "even sentences ×1 [r1]", "long sentences ×1 [r2]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, told(report(c.texts...), c.kind)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestReport_AReplyThatWasStoppedIsCut(t *testing.T) {
	r := habits.Of([]habits.Reply{{ID: "a", Text: "It ends well.", Cut: true}})
	if d := cmp.Diff([]string{"cut off ×1 [a]"}, told(r, habits.Endings)); d != "" {
		t.Error(d)
	}
}

func TestReport_Figures(t *testing.T) {
	r := report(`He sat down slowly. "Two more words."`, "It rained.")
	want := habits.Figures{Words: 9, PerReply: 4.5, Shortest: 2, Longest: 7, Sentence: 3, Spread: 0.82, Speech: 0.33}
	if d := cmp.Diff(want, r.Figures); d != "" {
		t.Error(d)
	}
	if empty := report(); empty.Replies != 0 || len(empty.Groups) != 5 {
		t.Errorf("of nothing: %+v", empty)
	}
	for _, g := range report().Groups {
		if g.Items == nil {
			t.Errorf("%s has no list", g.Kind)
		}
	}
}

func TestOf_IsBounded(t *testing.T) {
	var list []habits.Reply
	for i := range habits.MaxWindow + 50 {
		list = append(list, habits.Reply{ID: storage.NodeID(fmt.Sprint(i)), Text: strings.Repeat(fmt.Sprintf("word%d and ", i), 20000)})
	}
	r := habits.Of(list)
	if r.Replies != habits.MaxWindow {
		t.Errorf("%d replies are looked at", r.Replies)
	}
	if r.Figures.Longest > 24<<10 {
		t.Errorf("%d words of one reply were looked at", r.Figures.Longest)
	}
	if first := r.Group(habits.Endings).Items[0].Messages[0]; first != "50" {
		t.Errorf("the window begins with %s", first)
	}
}

func TestAdvice_EveryHabitHasSome(t *testing.T) {
	for _, kind := range []habits.Kind{habits.Openings, habits.Phrases} {
		if got := habits.Advice(kind, habits.Item{Text: "she looks up", Said: true}); !strings.Contains(got, `"she looks up"`) {
			t.Errorf("%s: %q", kind, got)
		}
	}
	for _, name := range []string{habits.Short, habits.Long, habits.Even, habits.MostlySpeech, habits.NoSpeech, habits.Question, habits.Speech, habits.Action, habits.Narration, habits.Cut} {
		if habits.Advice(habits.Endings, habits.Item{Text: name}) == "" {
			t.Errorf("nothing is advised of %q", name)
		}
	}
}

func FuzzOf(f *testing.F) {
	f.Add("She looks *up*. \"What?\"", "— Oui —dit-il. « Non »", true)
	f.Add("\xff\xfe'’--'", "“„”", false)
	f.Fuzz(func(t *testing.T, a, b string, cut bool) {
		r := habits.Of([]habits.Reply{{ID: "a", Text: a, Cut: cut}, {ID: "b", Text: b}, {ID: "c", Text: a}})
		for _, g := range r.Groups {
			for _, it := range g.Items {
				if it.Text == "" || !utf8.ValidString(it.Text) || len(it.Messages) == 0 || it.Times < len(it.Messages) || it.Share > 1 {
					t.Errorf("%s: %+v", g.Kind, it)
				}
				_ = habits.Advice(g.Kind, it)
			}
		}
	})
}

// prose returns a reply of about words words, unlike others.
func prose(rng *rand.Rand, words int) string {
	var b strings.Builder
	for i := range words {
		fmt.Fprintf(&b, "w%d", int(rng.ExpFloat64()*60))
		if b.WriteByte(' '); i%11 == 10 {
			b.WriteString(". ")
		}
	}
	return b.String()
}

func BenchmarkOf(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	var list []habits.Reply
	for i := range habits.DefaultWindow {
		list = append(list, habits.Reply{ID: storage.NodeID(fmt.Sprint(i)), Text: prose(rng, 300)})
	}
	for b.Loop() {
		habits.Of(list)
	}
}
