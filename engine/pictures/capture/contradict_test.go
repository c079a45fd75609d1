package capture

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// sheet is what the tables below compare with.
func sheet() []storage.Fact {
	fact := func(kind storage.FactKind, who, text string) storage.Fact {
		return storage.Fact{Kind: kind, Who: who, Text: text}
	}
	return []storage.Fact{
		fact(storage.FactAppearance, "Tove Halloran", "black hair"),
		fact(storage.FactAppearance, "Tove Halloran", "green eyes"),
		fact(storage.FactClothes, "Tove Halloran", "a grey wool coat"),
		fact(storage.FactClothes, "Tove Halloran", "no hat"),
		fact(storage.FactAppearance, "Robin", "short brown hair and a full beard"),
		fact(storage.FactAppearance, "Robin", "eyes are blue"),
		fact(storage.FactClothes, "Robin", "dark blue coat, leather boots"),
		fact(storage.FactLight, "", "night, a single lamp, heavy rain outside"),
		fact(storage.FactPlace, "", "the prompt corner of the theatre"),
		{Kind: storage.FactAppearance, Who: "Robin", Text: "long hair", Muted: true},
	}
}

func TestSheet_Contradictions(t *testing.T) {
	for _, test := range []struct {
		prompt string
		want   string // a part of the only contradiction; "" for none
	}{
		{"Tove stands by the desk, her red hair loose.", "Tove Halloran's hair is black, the prompt says red hair"},
		{"Tove's red hair shines.", "red hair"},
		{"Red-haired Tove leans in.", "red-haired"},
		{"Tove, red-haired and pale, waits.", "red-haired"},
		{"Tove is a young woman with long red hair.", "red hair"},
		{"Tove, a tall woman with blonde hair, listens.", "blonde hair"},
		{"The auburn hair of Tove falls over the ledger.", "auburn hair"},
		{"Tove's hair is bright red.", "red hair"},
		{"Tove's hair, still wet, and her brown eyes.", "eyes are green, the prompt says brown eyes"},
		{"Tove waits. Her blue eyes do not move.", "blue eyes"},
		{"Tove in a red coat.", "coat is grey, the prompt says red coat"},
		{"Tove wears a grey leather coat.", "coat is wool, the prompt says"},
		{"Tove wears a black hat.", "no hat"},
		{"Tove stands without her coat.", "a coat, the prompt says without her coat"},
		{"Robin, clean-shaven, holds the lamp.", "a beard, the prompt says clean-shaven"},
		{"Robin is bald.", "hair, the prompt says bald"},
		{"Robin with long hair to the waist.", "hair is short, the prompt says long hair"},
		{"Tove turns; Robin's green eyes widen.", "Robin's eyes are blue"},
		{"Tove and Robin at the desk under a hard noon sun.", "the light is night"},
		{"Morning light on the desk.", "morning"},
		{"Daylight falls through the door.", "daylight"},
		{"Under a cloudless sky they talk.", "cloudless"},
		{"Tove sits in a small kitchen.", "kitchen"},
		{"They stand on a beach, at night.", "beach"},

		// traps
		{"Tove stands by the desk, her black hair loose.", ""},
		{"Tove's raven hair.", ""},
		{"Tove's dark hair.", ""},
		{"Tove's black and silver hair.", ""},
		{"Tove's red hair ribbon is untied.", ""},
		{"Tove's black hair is red in the firelight.", ""},
		{"Tove's hair glows golden in the lamplight.", ""},
		{"Tove's red eyes show that she has cried.", ""},
		{"Tove looks at Robin, his brown hair wet.", ""},
		{"Tove and a stranger with red hair.", ""},
		{"A red-haired woman watches Tove.", ""},
		{"Tove strokes a black cat with yellow eyes.", ""},
		{"Tove under the portrait of a lady with blonde hair.", ""},
		{"Tove stands beside a red coat on a hook.", ""},
		{"Tove remembers her mother's red hair.", ""},
		{"Tove has no red hair.", ""},
		{"Tove's hair is not red.", ""},
		{"Tove says \"I had red hair once\" and smiles.", ""},
		{"Tove in a grey coat and a red scarf.", ""},
		{"Tove in a red scarf, grey coat open, under red curtains.", ""},
		{"Robin in a navy coat and black boots.", ""},
		{"Robin wears a dark coat.", ""},
		{"Tove, black hair, a red lamp behind her.", ""},
		{"Her hair, red curtains behind it, is combed. Tove waits.", ""},
		{"The lamp is bright as the noon sun.", ""},
		{"A painting of a beach in daylight hangs in the theatre.", ""},
		{"They talk until morning.", ""},
		{"Good light, midnight, rain on the roof of the theatre.", ""},
		{"A night at the theatre; a kitchen chair stands on the stage.", ""},
		{"Tove at the kitchen door.", ""},
		{"The library books lie in the wings of the theatre.", ""},
		{"Tove's evening: a single lamp and rain.", ""},
		{"Robin's full brown beard is wet.", ""},
		{"Somebody will tove red hair.", ""},
		{"Tove, eyes closed, hair wet, coat open.", ""},
		{"", ""},
	} {
		got := NewSheet(sheet(), []string{"Tove Halloran", "Robin"}).Contradictions(test.prompt)
		switch {
		case test.want == "" && len(got) > 0:
			t.Errorf("%q: false alarm %q", test.prompt, got)
		case test.want != "" && (len(got) != 1 || !strings.Contains(got[0], test.want)):
			t.Errorf("%q: got %q, want %q", test.prompt, got, test.want)
		}
	}
}

func TestSheet_NothingOfItsOwnPhrases(t *testing.T) {
	for _, c := range Controls() {
		if c.Key == "lighting" || c.Key == "template" {
			continue // they may well disagree with a sheet
		}
		for _, p := range c.Presets {
			if got := NewSheet(sheet(), nil).Contradictions("Tove and Robin talk. " + capitalised(p.Phrase) + "."); len(got) > 0 {
				t.Errorf("%s: %q", p.Phrase, got)
			}
		}
	}
}

func FuzzSheet(f *testing.F) {
	f.Add("Tove's red hair", "black hair", "Tove")
	f.Add("red-, -haired ’s's of of", "no no hat", "’s")
	f.Add("without a and or and red red hair is", "", "")
	f.Fuzz(func(t *testing.T, prompt, fact, who string) {
		var facts []storage.Fact
		for _, kind := range []storage.FactKind{storage.FactAppearance, storage.FactClothes, storage.FactPlace, storage.FactLight, storage.FactProps} {
			facts = append(facts, storage.Fact{Kind: kind, Who: who, Text: fact})
		}
		if got := NewSheet(facts, []string{who}).Contradictions(prompt); len(got) > mostContradictions {
			t.Errorf("%d contradictions", len(got))
		}
	})
}

func BenchmarkSheet(b *testing.B) {
	var facts []storage.Fact
	var people []string
	for i := range 20 {
		people = append(people, fmt.Sprintf("Person%c Name%c", 'a'+i, 'a'+i))
	}
	for i := range 200 {
		f := sheet()[i%9]
		f.Who = people[i%20]
		facts = append(facts, f)
	}
	prompt := strings.Repeat("Persona stands by the window, her red hair loose over a grey coat, and Personb watches in the rain. ", 17)
	b.ReportAllocs()
	sheet := NewSheet(facts, people)
	for b.Loop() {
		sheet.Contradictions(prompt)
	}
}
