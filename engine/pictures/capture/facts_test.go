package capture

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestLearn(t *testing.T) {
	fact := func(id, who, text string, source storage.FactSource, at storage.NodeID) storage.Fact {
		return storage.Fact{ID: storage.FactID(id), Kind: storage.FactAppearance, Who: who, Text: text, Source: source, At: at}
	}
	ended := fact("5", "Tove", "a grey coat", storage.FactFromCapture, "a")
	ended.Ended = "b"
	sheet := []storage.Fact{
		fact("1", "Tove", "black hair", storage.FactFromCapture, "b"),
		fact("2", "Tove", "green eyes", storage.FactFromUser, "a"),
		{ID: "4", Kind: storage.FactAppearance, Who: "Robin", Text: "a scar", Source: storage.FactFromCapture, Muted: true},
		ended,
	}
	put, gone := UpdateSheet(sheet, []storage.Fact{
		fact("", "Tove Halloran", "Black hair.", storage.FactFromCapture, "c"),
		fact("", "Tove", "green eyes", storage.FactFromCapture, "c"),
		fact("", "Robin", "A scar", storage.FactFromCapture, "c"),
		fact("", "Robin", "tall", storage.FactFromCapture, "c"),
		fact("", "Tove", "a grey coat", storage.FactFromCapture, "a"), // an older picture, painted again
		fact("", "Tove", "a grey coat", storage.FactFromCapture, "c"), // put on again
	})
	want := []storage.Fact{fact("", "Robin", "tall", storage.FactFromCapture, "c"), fact("", "Tove", "a grey coat", storage.FactFromCapture, "c")}
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
	put, gone := UpdateSheet(sheet, []storage.Fact{{Kind: storage.FactProps, Text: "a lamp"}, {Kind: storage.FactProps, Text: "a book"}})
	if len(put) != 2 || !cmp.Equal(gone, []storage.FactID{"198", "197"}) {
		t.Errorf("put %v, gone %v", put, gone)
	}
	for i := range sheet {
		sheet[i].Source = storage.FactFromUser
	}
	if put, gone := UpdateSheet(sheet, []storage.Fact{{Kind: storage.FactProps, Text: "a lamp"}}); len(put)+len(gone) > 0 {
		t.Errorf("the user's own gave way: %v %v", put, gone)
	}
}

func TestSeenFacts(t *testing.T) {
	got := CleanSeenFacts([]SeenFact{{"Clothes", " Tove\n", "grey\tcoat\x1b[31m"}, {"clothes", "Tove", "Grey coat[31m."}, {"place", "Tove", "a stage"}, {"mood", "", "sad"}, {"props", "", " "}})
	want := []storage.Fact{{Kind: storage.FactClothes, Who: "Tove", Text: "grey coat[31m"}, {Kind: storage.FactPlace, Text: "a stage"}}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	var many []SeenFact
	for i := range 100 {
		many = append(many, SeenFact{"props", "", fmt.Sprintf("thing%dx", i)})
	}
	if got := CleanSeenFacts(many); len(got) != maxSeen {
		t.Errorf("%d facts", len(got))
	}
}

func TestOffered(t *testing.T) {
	lamp := storage.Fact{Kind: storage.FactProps, Text: "a green lamp"}
	if d := cmp.Diff([]storage.Fact{lamp}, PromptFacts([]storage.Fact{lamp, {Kind: storage.FactProps, Text: "a book", Muted: true}})); d != "" {
		t.Error(d)
	}
	if got := PromptFacts(make([]storage.Fact, 100)); len(got) != maxPromptFacts {
		t.Errorf("%d facts", len(got))
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
	})
}
