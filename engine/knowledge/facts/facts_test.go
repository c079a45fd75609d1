package facts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Clara was born in Vale.", "For a birthplace Clara has Vale.", true},
		{"Clara was born in Vale.", "Clara was born in Moor.", false},
		{"Clara fears deep water", "Clara is afraid of dogs", false},
		{"The debt of 30 crowns is due on Friday", "The debt of 40 crowns is due on Friday", false},
		{"Clara swore to bring Piet home before winter.", "Clara swore to bring Piet home", true},
		{"Clara", "Clara", false},
		{"Clara repairs the clocks of Vale", "Clara never repairs the clocks of Vale", false},
		{"Clara isn't afraid of water", "Clara is afraid of no water", true},
		{"Jon sold the boat to Piet", "Piet sold the boat to Jon, who wept", true}, // words alone do not tell who did it
	} {
		if got := Alike(WordsOf(c.a), WordsOf(c.b)); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
		if got := Alike(WordsOf(c.b), WordsOf(c.a)); got != c.want {
			t.Errorf("%q and %q: %v", c.b, c.a, got)
		}
	}
}

func TestOtherwise(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Clara waits at the well.", "Clara waits at the mill.", true},
		{"Clara waits at the well.", "Clara waits at the well", false},
		{"Clara waits at the well.", "Jon waits at the well.", false},
		{"Clara was born in Vale.", "Clara swore to bring Piet home.", false},
		{"Clara", "Jon", false},
	} {
		if got := Otherwise(WordsOf(c.a), WordsOf(c.b)); got != c.want {
			t.Errorf("%q and %q: %v", c.a, c.b, got)
		}
	}
}

// What came from one message: the same in other words, and the nearest misses.
func TestSame(t *testing.T) {
	for _, c := range []struct {
		said, a, b string
		want       bool
	}{
		{"Clara waits at the well of Kern.", "Clara waits at the well of Kern.", "At present Clara is by the well of Kern.", true},
		{"Clara waits at the well of Kern, then at the mill of Kern.", "Clara waits at the well of Kern.", "Clara waits at the mill of Kern.", false},
		{"Clara sold the boat to Piet.", "Clara sold the boat to Piet.", "The boat of Clara went to Piet.", true},
		{"Clara sold boat and cart to Piet.", "Clara sold the boat to Piet.", "Clara sold the cart to Piet.", false},
		{"Clara owes Piet 30 crowns and Jon 40 crowns.", "Clara owes Piet 30 crowns.", "Clara owes Jon 40 crowns.", false},
		{"Clara swore to bring Piet home.", "Clara swore to bring Piet home.", "By an oath of Clara there is a way home for Piet.", true},
		{"Clara swore to bring Piet home.", "Clara swore to bring Piet home.", "Clara swore not to bring Piet home.", false},
		{"Clara kann Piet nicht leiden.", "Clara kann Piet leiden.", "Clara kann Piet nicht leiden.", false},
		{"Clara wartet am Brunnen von Kern.", "Clara wartet am Brunnen von Kern.", "Clara wartet gerade am Brunnen von Kern.", true},
		{"Clara wartet am Brunnen, Jon an der Mühle.", "Clara wartet am Brunnen von Kern.", "Clara wartet an der Mühle von Kern.", false},
		{"Clara verkauft Piet das Boot und den Karren.", "Clara verkauft Piet das Boot.", "Clara verkauft Piet den Karren.", false},
		{"Clara attend au puits de Kern.", "Clara attend au puits de Kern.", "Clara est au puits de Kern maintenant.", true},
		{"Clara attend au puits puis au moulin de Kern.", "Clara attend au puits de Kern.", "Clara attend au moulin de Kern.", false},
		{"Clara n'aime pas le vin de Piet.", "Clara aime le vin de Piet.", "Clara n'aime pas le vin de Piet.", false},
		{"", "Clara waits at the well of Kern.", "Clara waits at the well of Kern.", false}, // nobody knows what was said
	} {
		for _, p := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if got := Same(WordsOf(p[0]), WordsOf(p[1]), WordsOf(c.said)); got != c.want {
				t.Errorf("%q and %q of %q: %v", p[0], p[1], c.said, got)
			}
		}
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		line, statement string
		want            bool
	}{
		{"Clara gave Jon the key of the tower, and he wept.", "Clara gave Jon the key.", true},
		{"Clara gave Jon the key.", "Clara gave Jon the key of the tower and a warning.", false},
		{"Clara no longer has the key of Jon.", "Clara has the key of Jon.", false},
		{"Clara hat keinen Schlüssel zum Turm.", "Clara hat den Schlüssel zum Turm.", false},
		{"Clara n'a pas la clé de la tour.", "Clara a la clé de la tour.", false},
		{"Clara waits at the old well by the mill of Kern.", "Clara waits at the old well by the mill of Moor.", false},
		{"Clara pays 30 crowns at the old well by the mill.", "Clara pays 40 crowns at the old well by the mill.", false},
		{"Clara", "Clara", false},
	} {
		if got := Covers(WordsOf(c.line), WordsOf(c.statement)); got != c.want {
			t.Errorf("%q of %q: %v", c.line, c.statement, got)
		}
	}
}

func texts(hits []Hit) (out []string) {
	for _, h := range hits {
		out = append(out, h.Text)
	}
	return out
}

func TestIndex_About(t *testing.T) {
	var x Index
	for i, text := range []string{"Clara fears deep water.", "Jon keeps the key of the tower.", "It rained on the tower all the night.", "Clara gave Jon a silver ring.", "The lamp was lit again."} {
		x.Put(Fact{ID: fmt.Sprint(i), Text: text, Depth: i, Messages: []storage.NodeID{storage.NodeID(fmt.Sprint("n", i/2))}})
	}
	for asked, want := range map[string][]string{
		"What of Clara?":            {"Clara gave Jon a silver ring.", "Clara fears deep water."},
		"where is clara":            {"Clara gave Jon a silver ring.", "Clara fears deep water."},
		"Clara and Jon":             {"Clara gave Jon a silver ring.", "Jon keeps the key of the tower.", "Clara fears deep water."},
		"the key of that old tower": {"Jon keeps the key of the tower."},
		"the lamp":                  nil, // one word that is no name
		"":                          nil,
	} {
		if got := texts(x.About(nil, asked, 9, nil)); !slices.Equal(got, want) {
			t.Errorf("%q: %q", asked, got)
		}
	}
	if got := x.About(nil, "Clara and Jon", 1, nil); len(got) != 1 {
		t.Errorf("%d hits", len(got))
	}
	if got := len(x.From("n0")); got != 2 {
		t.Errorf("%d facts came from the first message", got)
	}
	x.Drop("0")
	x.Put(Fact{ID: "3", Text: "Nobody was given a ring."})
	if got := texts(x.About(nil, "What of Clara?", 9, nil)); len(got) != 0 {
		t.Errorf("after dropping: %q", got)
	}
	if got := len(x.From("n0")); got != 1 {
		t.Errorf("%d facts came from the first message", got)
	}
}

// Whatever is put in and taken out, the index finds what one finds that was made anew.
func TestIndex_AsMadeAnew(t *testing.T) {
	words := strings.Fields("Clara Jon Piet well tower key debt water swore waits at the of")
	rapid.Check(t, func(t *rapid.T) {
		var x Index
		held := map[string]Fact{}
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			id := fmt.Sprint(rapid.IntRange(0, 12).Draw(t, "id"))
			if rapid.Bool().Draw(t, "drop") {
				x.Drop(id)
				delete(held, id)
				continue
			}
			f := Fact{ID: id, Text: strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 8).Draw(t, "text"), " "), Depth: rapid.IntRange(0, 9).Draw(t, "depth")}
			x.Put(f)
			held[id] = f
		}
		var anew Index
		for _, f := range held {
			anew.Put(f)
		}
		if x.Len() != len(held) {
			t.Fatalf("%d of %d facts", x.Len(), len(held))
		}
		ids := func(hits []Hit) (out []string) {
			for _, h := range hits {
				out = append(out, h.ID)
			}
			slices.Sort(out)
			return out
		}
		q := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 5).Draw(t, "asked"), " ")
		if a, b := ids(x.About(nil, q, 99, nil)), ids(anew.About(nil, q, 99, nil)); !slices.Equal(a, b) {
			t.Fatalf("%q: %v, made anew %v", q, a, b)
		}
	})
}

func TestTelling(t *testing.T) {
	tell := Telling{Said: func(id storage.NodeID) string {
		return map[storage.NodeID]string{"c": "“Clara,” she said, “was born in Vale.”", "d": "Clara sold the boat to Piet, and the cart too."}[id]
	}}
	tell.Message("a")
	tell.Message("b")
	tell.Line("For a birthplace Clara has Vale.", "the recap", "c")
	tell.Line("Clara sold the boat to Piet.", "a memory", "d")
	tell.Line("Jon swims.", "a memory")
	for _, c := range []struct {
		text string
		from []storage.NodeID
		by   string
	}{
		{"Clara was born in Vale", []storage.NodeID{"c"}, "the recap"},
		{"Clara was born in Vale", []storage.NodeID{"x"}, ""}, // another time of saying
		{"has Vale for her birthplace: Clara", nil, "the recap"},
		{"Clara was born in Moor", []storage.NodeID{"c"}, ""},
		{"Jon has the key", []storage.NodeID{"a", "b"}, messagesTell},
		{"Jon has the key", []storage.NodeID{"a", "c"}, ""},
		{"Jon has the key", nil, ""},
		{"The boat of Clara went to Piet.", []storage.NodeID{"d"}, "a memory"},
		{"Clara sold the cart to Piet.", []storage.NodeID{"d"}, ""},
		{"Clara let Piet have the boat that she sold.", []storage.NodeID{"d"}, "a memory"},
		{"Clara rowed her boat to Piet.", []storage.NodeID{"x"}, ""},
		{"Jon swims in the lake before the house.", nil, ""}, // more than the line says
	} {
		if by, _ := tell.Of(c.text, c.from); by != c.by {
			t.Errorf("%q of %v: told by %q", c.text, c.from, by)
		}
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"Clara's boat", "猫が好き", "l'été d'Anna", "a\xff\x00b", strings.Repeat("word ", 4000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		w := WordsOf(s)
		if len(w.All) > mostWords {
			t.Fatalf("%d words", len(w.All))
		}
		if len(w.All) > 1 && !Alike(w, w) {
			t.Fatal("a text is not alike itself")
		}
		var x Index
		x.Put(Fact{ID: "a", Text: s})
		x.About(nil, s, 3, nil)
		x.Drop("a")
		if x.Len() != 0 {
			t.Fatal("it is still there")
		}
	})
}

// A turn in an index of 10,000 facts: four facts come in, one goes, and what bears on
// two messages is looked for.
func BenchmarkIndex_Turn(b *testing.B) {
	var x Index
	name := func(i int) string { return fmt.Sprintf("%c%c%cton", 'A'+i%26, 'a'+i/26%26, 'a'+i/676%26) }
	for i := range 10_000 {
		x.Put(Fact{ID: fmt.Sprint(i), Text: fmt.Sprintf("%s swore to bring %s home to the house number %d by the river.", name(i%400), name(i%733), i), Depth: i})
	}
	n := 10_000
	b.ReportAllocs()
	for b.Loop() {
		for range 4 {
			x.Put(Fact{ID: fmt.Sprint(n), Text: fmt.Sprintf("%s waits for %s at the mill while the river rises.", name(n%400), name(n%733)), Depth: n})
			n++
		}
		x.Drop(fmt.Sprint(n - 5000))
		x.About(nil, fmt.Sprintf("What of %s, and where is %s now? The key is on the table.", name(n%400), name(n%91)), 48, nil)
	}
}
