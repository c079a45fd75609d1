package facts

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func texts(hits []Hit) (out []string) {
	for _, h := range hits {
		out = append(out, h.Text)
	}
	return out
}

func TestIndex_About(t *testing.T) {
	var x Index
	for i, text := range []string{"Clara fears deep water.", "Jon keeps the key of the tower.", "It rained on the tower all the night.", "Clara gave Jon a silver ring.", "The lamp was lit again."} {
		x.Put(Fact{ID: fmt.Sprint(i), Text: text, Depth: i})
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
	x.Drop("0")
	x.Put(Fact{ID: "3", Text: "Nobody was given a ring."})
	if got := texts(x.About(nil, "What of Clara?", 9, nil)); len(got) != 0 {
		t.Errorf("after dropping: %q", got)
	}
}

// Whatever is added and removed, the index finds the same as a new one.
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
	var tell PromptFacts
	tell.AddMessage("a")
	tell.AddMessage("b")
	tell.AddLine("Clara was born in Vale.", "the recap")
	tell.AddMemories("the recap", "m1")
	for _, c := range []struct {
		text   string
		memory storage.MemoryID
		from   []storage.NodeID
		by     string
	}{
		{"clara was born in **Vale**", "", nil, "the recap"},
		{"For a birthplace Clara has Vale.", "", []storage.NodeID{"c"}, ""}, // other words say nothing
		{"Was Clara born in Vale?", "", nil, ""},
		{"Jon has the key", "", []storage.NodeID{"a", "b"}, messagesSource},
		{"Jon has the key", "", []storage.NodeID{"a", "c"}, ""}, // sharing one message is not enough
		{"Jon has the key", "", nil, ""},
		{"Jon has the key", "m1", []storage.NodeID{"c"}, "the recap"},
		{"Jon has the key", "m2", []storage.NodeID{"c"}, ""},
		{"", "", nil, ""},
	} {
		if by, _ := tell.MemorySource(c.memory, c.text, c.from); by != c.by {
			t.Errorf("%q of %v: told by %q", c.text, c.from, by)
		}
	}
}

// Statements of the same words are different facts.
func TestTelling_SixStatements(t *testing.T) {
	list := []string{"Mara killed Jonas.", "Jonas killed Mara.", "Ines is older than Mara.", "Mara is older than Ines.", "Mara owes Jonas.", "Jonas owes Mara."}
	var tell PromptFacts
	for _, s := range list {
		if by, ok := tell.Source(s, nil); ok {
			t.Errorf("%q is told by %q", s, by)
		}
		tell.AddLine(s, "a memory")
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"Clara's boat", "猫が好き", "l'été d'Anna", "a\xff\x00b", strings.Repeat("word ", 4000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		w := WordsOf(s)
		if len(w.All) > maxWords {
			t.Fatalf("%d words", len(w.All))
		}
		if len(w.All) > 0 && !w.Has(w) {
			t.Fatal("a text has not its own words")
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
