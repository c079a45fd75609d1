package capture

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestAspect(t *testing.T) {
	for _, test := range []struct {
		kind       storage.FactKind
		text, want string
	}{
		{storage.FactAppearance, "long black hair, wet", "hair"},
		{storage.FactAppearance, "eyes are green", "eyes"},
		{storage.FactAppearance, "clean-shaven", "beard"},
		{storage.FactAppearance, "tall", "tall"},
		{storage.FactClothes, "a grey overcoat with brass buttons", "coat"},
		{storage.FactProps, "the green lamps on the desk", "lamp"},
		{storage.FactLight, "heavy rain", "weather"},
		{storage.FactLight, "late evening", "time"},
		{storage.FactLight, "a single green lamp", "lamp"},
		{storage.FactPlace, "prompt corner", "place"},
		{storage.FactProps, "", ""},
	} {
		if got := Aspect(storage.Fact{Kind: test.kind, Text: test.text}); got != test.want {
			t.Errorf("%s %q: %q, want %q", test.kind, test.text, got, test.want)
		}
	}
}

func TestLearn(t *testing.T) {
	fact := func(id, who, text string, source storage.FactSource, at storage.NodeID) storage.Fact {
		return storage.Fact{ID: storage.FactID(id), Kind: storage.FactAppearance, Who: who, Text: text, Source: source, At: at}
	}
	sheet := []storage.Fact{
		fact("1", "Tove", "black hair", storage.FactFromCapture, "b"),
		fact("2", "Tove", "green eyes", storage.FactFromUser, "a"),
		fact("3", "Robin", "brown hair", storage.FactFromCapture, "d"),
		{ID: "4", Kind: storage.FactAppearance, Who: "Robin", Text: "a scar", Source: storage.FactFromCapture, Muted: true},
	}
	put, gone := Learn(sheet, []storage.Fact{
		fact("", "Tove Halloran", "red hair", storage.FactFromCapture, "c"),
		fact("", "Tove", "blue eyes", storage.FactFromCapture, "c"),
		fact("", "Robin", "white hair", storage.FactFromCapture, "c"),
		fact("", "Robin", "no scar", storage.FactFromCapture, "c"),
		fact("", "Robin", "tall", storage.FactFromCapture, "c"),
	})
	want := []storage.Fact{fact("1", "Tove", "red hair", storage.FactFromCapture, "c"), fact("", "Robin", "tall", storage.FactFromCapture, "c")}
	if d := cmp.Diff(want, put); d != "" || len(gone) > 0 {
		t.Errorf("%s %v", d, gone)
	}
}

func TestLearn_FullSheet(t *testing.T) {
	var sheet []storage.Fact
	for i := range MaxFacts {
		sheet = append(sheet, storage.Fact{ID: storage.FactID(fmt.Sprint(i)), Kind: storage.FactProps, Text: fmt.Sprintf("thing%dx", i), Source: storage.FactFromCapture,
			UpdatedAt: time.Unix(int64(1000-i), 0)})
	}
	sheet[MaxFacts-1].Source = storage.FactFromUser
	put, gone := Learn(sheet, []storage.Fact{{Kind: storage.FactProps, Text: "a lamp"}, {Kind: storage.FactProps, Text: "a book"}})
	if len(put) != 2 || !cmp.Equal(gone, []storage.FactID{"198", "197"}) {
		t.Errorf("put %v, gone %v", put, gone)
	}
	for i := range sheet {
		sheet[i].Source = storage.FactFromUser
	}
	if put, gone := Learn(sheet, []storage.Fact{{Kind: storage.FactProps, Text: "a lamp"}}); len(put)+len(gone) > 0 {
		t.Errorf("the user's own gave way: %v %v", put, gone)
	}
}

func TestSeenFacts(t *testing.T) {
	got := SeenFacts([]Seen{{"Clothes", " Tove\n", "grey\tcoat\x1b[31m"}, {"clothes", "Tove", "a red coat"}, {"place", "Tove", "a stage"}, {"mood", "", "sad"}, {"props", "", " "}})
	want := []storage.Fact{{Kind: storage.FactClothes, Who: "Tove", Text: "grey coat[31m"}, {Kind: storage.FactPlace, Text: "a stage"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	var many []Seen
	for i := range 100 {
		many = append(many, Seen{"props", "", fmt.Sprintf("thing%dx", i)})
	}
	if got := SeenFacts(many); len(got) != maxSeen {
		t.Errorf("%d facts", len(got))
	}
}

func TestDescribe(t *testing.T) {
	var got []string
	for _, f := range Describe("Tove", "Tall, black hair; wears a grey coat. Keeps the prompt book\nof the house and knows every line of every play that was ever given there, eyes or no eyes.", false) {
		got = append(got, string(f.Kind)+": "+f.Text)
	}
	if d := cmp.Diff([]string{"appearance: black hair", "clothes: wears a grey coat", "appearance: eyes or no eyes"}, got); d != "" {
		t.Error(d)
	}
	got = nil
	for _, f := range Describe("Tove", "Tove, a tall, slightly stooped woman with freckles, a cane, grey eyes", true) {
		got = append(got, f.Text)
	}
	if d := cmp.Diff([]string{"a tall, slightly stooped woman with freckles", "a cane", "grey eyes"}, got); d != "" {
		t.Error(d)
	}
	if all := Describe("Tove", "tall, black hair", true); len(all) != 2 || all[0].Text != "tall" || all[0].Source != storage.FactFromLore {
		t.Errorf("a plain description: %+v", all)
	}
}

func TestDescribe_WholePhrases(t *testing.T) {
	for text, want := range map[string][]string{
		"Tove: a tall, black-haired woman with grey eyes, in a grey coat.": {"a tall, black-haired woman with grey eyes", "in a grey coat"},
		"Tove, 34, a tall, slim, pale woman; wears a grey coat, mostly.":   {"a tall, slim, pale woman", "wears a grey coat"},
		"She has long, dark, curly hair, green eyes. Tall, thin.":          {"She has long, dark, curly hair", "green eyes", "Tall", "thin"},
		"eyes: green, hair: black (dyed), long":                            {"green eyes", "black, long hair"},
		"hair(black, long), clothes(grey coat, boots)":                     {"black, long hair", "grey coat", "boots"},
		"Her hair is long, black, and usually":                             {"Her hair is long, black"},
		"Height: 1.75 m. Eyes: grey, e.g. in rain.":                        {"Height: 1.75 m", "grey eyes"},
		"Tove": nil, "34": nil, "long": nil, "hair, eyes": nil, "mostly, always": nil, ", (, ), :": nil,
	} {
		var got []string
		for _, f := range Describe("Tove", text, true) {
			got = append(got, f.Text)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
	sheet := NewSheet(Describe("Tove", "Tove: a tall, black-haired woman. Eyes: green.", true), []string{"Tove"})
	if got := sheet.Contradictions("Tove with red hair and blue eyes."); len(got) != 2 {
		t.Errorf("what it is compared by: %q", got)
	}
}

func BenchmarkDescribe_Hostile(b *testing.B) {
	for _, unit := range []string{"a long, ", "é, ", "(", "eyes: (", "x: ", "long, "} {
		text := strings.Repeat(unit, 4000)
		b.Run(unit, func(b *testing.B) {
			for b.Loop() {
				Describe("Tove", text, true)
			}
		})
	}
}

func TestOffer(t *testing.T) {
	got := Offer([]storage.Fact{{Kind: storage.FactAppearance, Who: "Tove", Text: "black hair"}, {Kind: storage.FactPlace, Text: "a stage"},
		{Kind: storage.FactProps, Text: "a green lamp"}, {Kind: storage.FactProps, Text: "a book", Muted: true}})
	if d := cmp.Diff([]string{"Tove: black hair", "place: a stage", "a green lamp"}, got); d != "" {
		t.Error(d)
	}
}

func FuzzCleanFact(f *testing.F) {
	f.Add("clothes", "Tove", "grey coat")
	f.Add(" PROPS ", "\x00\u202e", strings.Repeat("é, ", MaxFact/2))
	f.Fuzz(func(t *testing.T, kind, who, text string) {
		if len(kind)+len(who)+len(text) > 2*MaxFact {
			return // long ones only take long to be made short
		}
		got, ok := CleanFact(storage.Fact{Kind: storage.FactKind(kind), Who: who, Text: text})
		if utf8.RuneCountInString(got.Text) > MaxFact || utf8.RuneCountInString(got.Who) > maxWho || ok && got.Text == "" {
			t.Errorf("%+v", got)
		}
		if strings.ContainsFunc(got.Text+got.Who, unicode.IsControl) {
			t.Errorf("control characters in %+v", got)
		}
		if again, _ := CleanFact(got); again != got {
			t.Errorf("%+v became %+v", got, again)
		}
		Aspect(got)
		Describe(who, text, true)
	})
}

func TestChanges(t *testing.T) {
	got := Changes("prompt", "Tove in a grey coat under the lamp.", "Tove in a long red coat under a lamp.")
	want := []storage.EditChange{{Field: "prompt", Removed: "grey", Added: "long red"}, {Field: "prompt", Removed: "the", Added: "a"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if got := Changes("prompt", "the  same\nwords", "the same words"); got != nil {
		t.Errorf("nothing changed: %+v", got)
	}
	long := Changes("prompt", strings.Repeat("word ", 5000), strings.Repeat("other ", 5000))
	if len(long) != 1 || !strings.Contains(long[0].Added, "…") || len(long[0].Added) > 2*longHunk {
		t.Errorf("a long change: %+v", long)
	}
	var many []string
	for i := range 200 {
		many = append(many, fmt.Sprintf("w%d", i), "same")
	}
	text := strings.Join(many, " ")
	if got := Changes("prompt", text, strings.ReplaceAll(text, "w", "v")); len(got) > mostHunks+1 || got[len(got)-1].Added != "…" {
		t.Errorf("%d changes", len(got))
	}
}

func TestHunks_ExplainTheChange(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d"}), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		a, b := words.Draw(t, "before"), words.Draw(t, "after")
		var out []string
		at := 0
		for _, h := range hunks(a, b) {
			if h.from < at || h.from == h.to && h.came == h.until {
				t.Fatalf("hunk %+v after %d", h, at)
			}
			out = append(append(out, a[at:h.from]...), b[h.came:h.until]...)
			at = h.to
		}
		if out = append(out, a[at:]...); !cmp.Equal(strings.Join(out, " "), strings.Join(b, " ")) {
			t.Fatalf("%v became %v, not %v", a, out, b)
		}
	})
}

func TestCheck_Focus(t *testing.T) {
	in := scene(3)
	in.Focus = []string{"Robin Vale", "The Keeper"}
	faults := Check(in, Answer{Prompt: "Mara and Robin on the pier. " + filler(110)})
	if len(faults) != 1 || !strings.Contains(faults[0].Words, "The Keeper") {
		t.Errorf("%+v", faults)
	}
	if got := whole(in); !strings.Contains(got, "Robin Vale and The Keeper matter most") {
		t.Errorf("the instruction does not name them: %s", got)
	}
}

func TestCheck_Motion(t *testing.T) {
	for prompt, want := range map[string]int{
		"Mara turns and lifts the lamp; the camera pushes in.":        0,
		"Mara shivers on the pier.":                                   0,
		"Waves break, foam sliding back over the sand by Mara.":       0,
		"Mara, a pier, fog, a grey coat, stillness.":                  1,
		"Mara stands on a pier. A painting of the building, evening.": 1,
		"Mara turns while a caption reads The End.":                   1,
		"Mara turns, without any caption on the screen.":              0,
		"A static shot of Mara, grey sea, no text.":                   0,
	} {
		in := scene(3)
		in.Kind = Video
		if faults := Check(in, Answer{Prompt: prompt}); len(faults) != want {
			t.Errorf("%q: %+v", prompt, faults)
		}
	}
}
