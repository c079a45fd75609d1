package habits_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/play/habits"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// window makes replies r0, r1 … of texts.
func window(texts ...string) (list []habits.Reply) {
	for i, text := range texts {
		list = append(list, habits.Reply{ID: storage.NodeID(fmt.Sprint("r", i)), Text: text})
	}
	return list
}

func report(texts ...string) habits.Report {
	t := habits.New()
	t.Set(window(texts...))
	return t.Report(habits.About{})
}

// told is a group in short: each habit with where it is found.
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
			[]string{"Then *a shiver runs* down his spine.", "A SHIVER runs\ndown", "A shiver runs down his spine again, and she counts the coins.", "And she counts the coins."},
			[]string{"a shiver runs down ×3 [r0 r1 r2]", "a shiver runs down his spine ×2 [r0 r2]", "and she counts the coins ×2 [r2 r3]"}},
		{"no phrase goes over the end of a sentence, or is of small words alone", habits.Phrases,
			[]string{"He sleeps. Tomorrow rain. It was in the end of it.", "He sleeps, tomorrow rain; as it was in the"}, nil},
		{"a phrase within one reply is no habit", habits.Phrases,
			[]string{"The old lamp burns. The old lamp burns.", "Nothing of that."}, nil},
		{"words of manner", habits.Adverbs,
			[]string{"She softly hums and only nods.", "The family softly hums, softly.", "Slowly."}, []string{"softly ×3 [r0 r1]"}},
		{"adverbs of German", habits.Adverbs,
			[]string{"Er geht langsam, und sie lacht leise, weil es so ist.", "Sie nickt langsam, als er nicht mehr da ist."}, []string{"langsam ×2 [r0 r1]"}},
		{"a French noun is no adverb", habits.Adverbs,
			[]string{"Elle marche tristement, et il a un moment pour le ralentissement de la roue.", "Il est là, et elle rit tristement dans un ralentissement de la roue."},
			[]string{"tristement ×2 [r0 r1]"}},
		{"ends", habits.Endings,
			[]string{`"Will you?"`, `She said: "No."`, "*He sits down.*", "The door falls shut.", "And so he went to the", "*What now?*", "“Stay,” he said"},
			[]string{"ends in question ×2 [r0 r5]", "cut off ×2 [r4 r6]", "ends in narration ×1 [r3]", "ends in action ×1 [r2]", "ends in speech ×1 [r1]"}},
		{"speech", habits.Dialogue,
			[]string{`"All of this is said."`, "Nothing is.", "—Toda esta línea —dijo— es voz.", `Half of it: "is said."`, "„Das ist alles gesagt.“", "« Tout est dit »"},
			[]string{"mostly speech ×4 [r0 r2 r4 r5]", "no speech ×1 [r1]"}},
		{"sentences", habits.Sentences,
			[]string{"He sat. She went. It rained.", strings.Repeat("one two three four five six seven eight nine ten. ", 4),
				strings.Repeat("word ", 25) + ". " + strings.Repeat("word ", 30) + "."},
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
	tally := habits.New()
	tally.Set([]habits.Reply{{ID: "a", Text: "It ends well.", Cut: true}})
	if d := cmp.Diff([]string{"cut off ×1 [a]"}, told(tally.Report(habits.About{}), habits.Endings)); d != "" {
		t.Error(d)
	}
}

// What everybody is called, what every story is made of and what the user says too is no
// habit of the model's.
func TestReport_WordsAreTheModelsOwn(t *testing.T) {
	var texts []string
	rng := rand.New(rand.NewPCG(3, 3))
	for range 12 {
		said := strings.Fields("Mara's gossamer cloak said nothing lantern Thomas she looked number")
		rng.Shuffle(len(said), func(i, j int) { said[i], said[j] = said[j], said[i] })
		texts = append(texts, "One. "+strings.Join(said, ", ")+".")
	}
	tally := habits.New()
	tally.Set(window(texts...))
	words := func(about habits.About) (list []string) {
		for _, it := range tally.Report(about).Group(habits.Words).Items {
			list = append(list, it.Text)
		}
		slices.Sort(list)
		return list
	}
	if d := cmp.Diff([]string{"cloak", "gossamer", "lantern", "mara's", "number", "thomas"}, words(habits.About{})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"cloak", "gossamer", "number"}, words(habits.About{Names: []string{"Mara", "Thomas of the Lantern"}, User: "I turn to them"})); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"cloak", "gossamer", "number"}, words(habits.About{Names: []string{"Mara", "Thomas"}, User: "I take the lantern, and the lantern is hot."})); d != "" {
		t.Error(d)
	}
}

func TestReport_Figures(t *testing.T) {
	r := report(`He sat down slowly. "Two more words."`, "It rained.")
	want := habits.Figures{Words: 9, PerReply: 4.5, Shortest: 2, Longest: 7, Sentence: 3, Spread: 0.82, Speech: 0.33, AdverbsPer100: 11.11}
	if d := cmp.Diff(want, r.Figures); d != "" {
		t.Error(d)
	}
	if empty := report(); empty.Replies != 0 || len(empty.Groups) != 7 {
		t.Errorf("of nothing: %+v", empty)
	}
	for _, g := range report().Groups {
		if g.Items == nil {
			t.Errorf("%s has no list", g.Kind)
		}
	}
}

func TestReport_Language(t *testing.T) {
	for want, text := range map[string]string{
		"en": "The rain had stopped by the time she reached the ferry.",
		"de": "Der Regen hatte aufgehört, als sie die Fähre erreichte.",
		"fr": "La pluie avait cessé quand elle arriva au bac.",
		"es": "Había dejado de llover cuando llegó a la barca, y las cuerdas aún estaban mojadas.",
		"":   "雨はやんでいた。",
	} {
		if got := report(text).Language; got != want {
			t.Errorf("%q is %q, not %q", text, got, want)
		}
	}
}

// A window that moved, lost a branch and had replies edited tells what one tells that never
// saw anything else.
func TestTally_ItsPastDoesNotShow(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	vocabulary := strings.Fields("the lamp she he looks softly down river stone and waits a shiver runs spine slowly * \" . , ? \n")
	text := func() string {
		var b strings.Builder
		for range rng.IntN(40) {
			b.WriteString(vocabulary[rng.IntN(len(vocabulary))] + " ")
		}
		return b.String()
	}
	tally := habits.New()
	var now []habits.Reply
	for step := range 400 {
		switch n := len(now); {
		case n > 0 && rng.IntN(4) == 0:
			now[rng.IntN(n)].Text = text()
		case n > 0 && rng.IntN(6) == 0:
			now = slices.Delete(now, rng.IntN(n), n)
		default:
			now = append(now, habits.Reply{ID: storage.NodeID(fmt.Sprint("s", step)), Text: text(), Cut: rng.IntN(9) == 0})
		}
		now = now[max(0, len(now)-30):]
		tally.Set(now)
		if step%20 != 0 {
			continue
		}
		fresh := habits.New()
		fresh.Set(now)
		if d := cmp.Diff(fresh.Report(habits.About{}), tally.Report(habits.About{})); d != "" {
			t.Fatalf("step %d: %s", step, d)
		}
	}
	tally.Set(nil)
	if n := tally.Kept(); n != 0 {
		t.Errorf("%d counts are kept of nothing", n)
	}
}

func TestTally_IsBounded(t *testing.T) {
	var list []habits.Reply
	for i := range habits.MostWindow + 50 {
		list = append(list, habits.Reply{ID: storage.NodeID(fmt.Sprint(i)), Text: strings.Repeat(fmt.Sprintf("word%d and ", i), 20000)})
	}
	tally := habits.New()
	tally.Set(list)
	if tally.Len() != habits.MostWindow {
		t.Errorf("%d replies are looked at", tally.Len())
	}
	r := tally.Report(habits.About{})
	if r.Figures.Longest > 24<<10 {
		t.Errorf("%d words of one reply were looked at", r.Figures.Longest)
	}
	if first := r.Group(habits.Endings).Items[0].Messages[0]; first != "50" {
		t.Errorf("the window begins with %s", first)
	}
}

func TestAdvice_EveryHabitHasSome(t *testing.T) {
	for _, kind := range []habits.Kind{habits.Openings, habits.Phrases, habits.Words, habits.Adverbs} {
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

func FuzzTally(f *testing.F) {
	f.Add("She looks *up*. \"What?\"", "— Oui —dit-il. « Non »", true)
	f.Add("\xff\xfe'’--'", "“„”", false)
	f.Fuzz(func(t *testing.T, a, b string, cut bool) {
		tally := habits.New()
		tally.Set([]habits.Reply{{ID: "a", Text: a, Cut: cut}, {ID: "b", Text: b}, {ID: "c", Text: a}})
		r := tally.Report(habits.About{Names: []string{b}, User: a})
		for _, g := range r.Groups {
			for _, it := range g.Items {
				if it.Text == "" || !utf8.ValidString(it.Text) || len(it.Messages) == 0 || it.Times < len(it.Messages) || it.Share > 1 {
					t.Errorf("%s: %+v", g.Kind, it)
				}
				_ = habits.Advice(g.Kind, it)
			}
		}
		tally.Set([]habits.Reply{{ID: "b", Text: a}})
		tally.Set(nil)
		if n := tally.Kept(); n != 0 {
			t.Errorf("%d counts are kept of nothing", n)
		}
	})
}

// prose is a reply of about so many words, unlike others.
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

func BenchmarkTally_OneMoreReply(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	var list []habits.Reply
	for i := range 5000 {
		list = append(list, habits.Reply{ID: storage.NodeID(fmt.Sprint(i)), Text: prose(rng, 300)})
	}
	tally := habits.New()
	tally.Set(list[:habits.DefaultWindow])
	for i := 0; b.Loop(); i++ {
		at := i % (len(list) - habits.DefaultWindow)
		tally.Set(list[at : at+habits.DefaultWindow])
	}
}

func BenchmarkTally_Report(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	var list []habits.Reply
	for i := range habits.DefaultWindow {
		list = append(list, habits.Reply{ID: storage.NodeID(fmt.Sprint(i)), Text: prose(rng, 300)})
	}
	tally := habits.New()
	tally.Set(list)
	for b.Loop() {
		tally.Report(habits.About{})
	}
}
