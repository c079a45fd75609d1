package formats

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func loadBook(t testing.TB, name string) []byte {
	t.Helper()
	return load(t, filepath.Join("books", name))
}

func mustBook(t testing.TB, name string, data []byte) ImportedBook {
	t.Helper()
	in, err := ReadBook(name, data)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func mustWriteBook(t testing.TB, format string, b storage.Lorebook, entries []storage.LoreEntry) []byte {
	t.Helper()
	out, _, err := WriteBook(format, b, entries)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func compacted(t testing.TB, data []byte) string {
	t.Helper()
	var buf bytes.Buffer
	if err := json.Compact(&buf, data); err != nil {
		t.Fatal(err)
	}
	return buf.String()
}

// usual returns an entry as a dialect gives it without settings, edited.
func usual(edit func(*storage.LoreEntry)) storage.LoreEntry {
	e := storage.NewLoreEntry()
	e.Role = storage.System
	edit(&e)
	return e
}

func to[T any](v T) *T { return &v }

// plain returns entries without what they were made of.
func plain(entries []storage.LoreEntry) []storage.LoreEntry {
	out := slices.Clone(entries)
	for i := range out {
		out[i].Source = nil
	}
	return out
}

func bookFiles(t testing.TB) []string {
	t.Helper()
	files, err := os.ReadDir("testdata/books")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name())
	}
	return names
}

func TestBooks_UnchangedBooksLeaveAsTheyCame(t *testing.T) {
	for _, name := range bookFiles(t) {
		if name == "odd.json" || name == "card.json" {
			continue // the one repairs what it warns of, the other is more than a book
		}
		t.Run(name, func(t *testing.T) {
			data := loadBook(t, name)
			in := mustBook(t, name, data)
			// As the store keeps them.
			kept, err := json.Marshal(in.Entries)
			if err != nil {
				t.Fatal(err)
			}
			var entries []storage.LoreEntry
			if err := json.Unmarshal(kept, &entries); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(compacted(t, data), string(mustWriteBook(t, FormatOriginal, in.Book, in.Entries))); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(tree(t, data), tree(t, mustWriteBook(t, FormatOriginal, in.Book, entries))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestBooks_EveryDialectBecomesWorldInfoAndCharacterBook(t *testing.T) {
	for _, name := range bookFiles(t) {
		for _, format := range []string{FormatWorldInfo, FormatCharacterBook, FormatLorebookV3} {
			t.Run(name+" "+format, func(t *testing.T) {
				in := mustBook(t, name, loadBook(t, name))
				again := mustBook(t, "again.json", mustWriteBook(t, format, in.Book, in.Entries))
				if again.Book.Format != format {
					t.Errorf("became %s", again.Book.Format)
				}
				if diff := cmp.Diff(plain(in.Entries), plain(again.Entries)); diff != "" {
					t.Error(diff)
				}
				if in.Book.Description != again.Book.Description || !equalPointers(in.Book.ScanDepth, again.Book.ScanDepth) {
					t.Errorf("%+v became %+v", in.Book, again.Book)
				}
			})
		}
	}
}

func TestReadBook_WorldInfo(t *testing.T) {
	in := mustBook(t, "x.json", loadBook(t, "worldinfo.json"))
	if in.Format != "World Info" || in.Book.Name != "Hollow Point" || in.Book.Description != "the coast" ||
		*in.Book.ScanDepth != 5 || in.Book.NextUID != 13 || in.Book.Format != FormatWorldInfo || len(in.Warnings) != 0 {
		t.Errorf("%+v %v", in.Book, in.Warnings)
	}
	want := []storage.LoreEntry{
		usual(func(e *storage.LoreEntry) {
			e.Name, e.Content = "The lamp", "The lamp of Hollow Point burns whale oil."
			e.Keys, e.SecondaryKeys, e.Logic = []string{"lamp", "/light(house)?/i"}, []string{"storm"}, storage.AndAll
			e.Order, e.Position, e.Depth, e.Role = 120, storage.AtDepth, 3, storage.Assistant
			e.ExcludeRecursion, e.DelayUntilRecursion, e.Probability = true, 2, 40
			e.MatchPersona, e.MatchScenario = true, true
			e.Group, e.GroupOverride, e.GroupWeight = "sea, light", true, 50
			e.ScanDepth, e.CaseSensitive, e.WholeWords = to(6), to(true), to(false)
			e.Sticky, e.Cooldown, e.Delay, e.Triggers = 3, 5, 1, []string{"normal", "swipe"}
			e.Characters = &storage.LoreFilter{Exclude: true, Names: []string{"Mara"}, Tags: []string{"sea"}}
		}),
		usual(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Keys, e.Content = 7, "inn", []string{"inn"}, "Marcus keeps the inn."
		}),
		usual(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Content, e.Constant = 3, "entry 3", "No uid here, and no keys.", true
			e.DelayUntilRecursion, e.Order, e.Probability, e.Position = 1, 55, 12.5, storage.AfterChar
		}),
		usual(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Keys, e.Content, e.Disabled = 12, "Fog", []string{"fog", "", "  "}, "Fogé / slash", true
			e.Aliases, e.Type, e.Synopsis, e.Locked = []string{"the mist"}, "location", "fog on the coast", true
		}),
	}
	if diff := cmp.Diff(want, plain(in.Entries)); diff != "" {
		t.Error(diff)
	}
}

func TestReadBook_CharacterBook(t *testing.T) {
	in := mustBook(t, "x.json", loadBook(t, "character_book.json"))
	if in.Format != "character_book" || in.Book.Name != "Coast" || *in.Book.ScanDepth != 3 || in.Book.NextUID != 10 {
		t.Errorf("%+v", in.Book)
	}
	want := []storage.LoreEntry{
		usual(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Content, e.Keys, e.SecondaryKeys = 4, "Lamp name", "Oil.", []string{"lamp"}, []string{"storm"}
			e.Order, e.Position = 10, storage.BeforeChar // and its case_sensitive stands where it is not regarded
		}),
		usual(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Content, e.Keys, e.Selective, e.Disabled = 9, "Inn", "Marcus.", []string{"inn"}, false, true
			e.Order, e.Position, e.Depth, e.Role, e.Logic = 20, storage.AtDepth, 2, storage.User, storage.NotAny
			e.Probability, e.UseProbability, e.ExcludeRecursion, e.PreventRecursion, e.DelayUntilRecursion = 30, false, true, true, 1
			e.ScanDepth, e.WholeWords, e.CaseSensitive, e.UseGroupScoring = to(9), to(true), to(false), to(true)
			e.Group, e.GroupOverride, e.GroupWeight, e.Vectorized = "g", true, 7, true
			e.Sticky, e.Cooldown, e.Delay, e.MatchScenario, e.Triggers = 1, 2, 3, true, []string{"quiet"}
			e.IgnoreBudget, e.Outlet = true, "o"
		}),
	}
	if diff := cmp.Diff(want, plain(in.Entries)); diff != "" {
		t.Error(diff)
	}
	third := mustBook(t, "x.json", loadBook(t, "lorebook_v3.json"))
	if third.Format != "lorebook_v3" || third.Book.Name != "Third" {
		t.Errorf("%+v", third.Book)
	}
	if diff := cmp.Diff([]string{`/lamp\d+/`, `/a\/b/`, `/already/i`}, third.Entries[0].Keys); diff != "" {
		t.Error(diff)
	}
	if got := third.Entries[1].Keys; !slices.Equal(got, []string{"inn"}) {
		t.Error(got)
	}
}

func TestReadBook_UseRegex(t *testing.T) {
	tests := []struct{ entry, want string }{
		{`{"keys":["inn+"],"use_regex":true}`, "/inn+/"},
		{`{"keys":["inn+"],"use_regex":true,"case_sensitive":false}`, "/inn+/i"},
		{`{"keys":["inn+"],"use_regex":false}`, "inn+"},
		{`{"keys":["a\\/b/c"],"use_regex":true}`, `/a\/b\/c/`},
		// Programs whose slashes tell say use_regex of every entry.
		{`{"keys":["inn"],"use_regex":true,"extensions":{"selectiveLogic":0}}`, "inn"},
	}
	for _, tt := range tests {
		in := mustBook(t, "x.json", []byte(`{"extensions":{},"entries":[`+tt.entry+`]}`))
		if got := in.Entries[0].Keys[0]; got != tt.want {
			t.Errorf("%s: %s, want %s", tt.entry, got, tt.want)
		}
	}
}

// Some programs write the keys of one dialect beside the order of another.
func TestReadBook_MixedDialects(t *testing.T) {
	for _, entry := range []string{
		`{"keys":["k"],"content":"c","order":5}`,
		`{"keys":["k"],"content":"c","order":5,"disable":false,"uid":3,"useProbability":true}`,
		`{"keys":"k","content":"c","insertion_order":5,"order":5}`,
		`{"key":["k"],"keys":[],"content":"c","order":5}`,
		`{"key":["k"],"content":"c","order":5,"enabled":true,"extensions":{},"case_sensitive":false,"use_regex":false}`,
	} {
		for _, book := range []string{`{"entries":[%s]}`, `{"name":"b","entries":[%s]}`, `{"entries":{"0":%s}}`, `{"name":"b","extensions":{},"entries":{"0":%s}}`} {
			in := mustBook(t, "x.json", []byte(fmt.Sprintf(book, entry)))
			e := in.Entries[0]
			if len(e.Keys) != 1 || e.Keys[0] != "k" || e.Order != 5 || e.Content != "c" {
				t.Errorf("%s in %s: keys %q, order %d, content %q", entry, book, e.Keys, e.Order, e.Content)
			}
			checkBook(t, in)
		}
	}
}

func TestReadBook_CharacterBookPositions(t *testing.T) {
	tests := []struct {
		entry string
		want  storage.LorePosition
		odd   bool
	}{
		{`"position":"before_char"`, storage.BeforeChar, false},
		{`"position":"after_char"`, storage.AfterChar, false},
		{`"keys":[]`, storage.AfterChar, false},
		{`"position":"","extensions":{"position":"4"}`, storage.AtDepth, false},
		{`"position":"before_char","extensions":{"position":1}`, storage.AfterChar, false},
		{`"position":"somewhere"`, storage.AfterChar, true},
		{`"position":{}`, storage.AfterChar, true},
		{`"position":"before_char","extensions":{"position":null}`, storage.BeforeChar, false},
		{`"position":"before_char","extensions":{"position":[]}`, storage.Outlet, true}, // nowhere
	}
	for _, tt := range tests {
		in := mustBook(t, "x.json", []byte(`{"extensions":{},"entries":[{"insertion_order":1,`+tt.entry+`}]}`))
		if got := in.Entries[0].Position; got != tt.want || (len(in.Warnings) > 0) != tt.odd {
			t.Errorf("%s: %d, want %d; %v", tt.entry, got, tt.want, in.Warnings)
		}
	}
}

func TestReadBook_Files(t *testing.T) {
	card := loadBook(t, "card.json")
	novel := loadBook(t, "novelai.lorebook")
	png := plainPNG(t)
	tests := []struct {
		name         string
		data         []byte
		format, book string
	}{
		{"My Book.json", loadBook(t, "worldinfo_original.json"), "World Info", "My Book"},
		{"a/b/card.json", card, "character_book", "Mara Quill"},
		{"card.png", withChunks(png, cardText("chara", string(card))), "character_book in a PNG", "Mara Quill"},
		{"card.charx", archive(t, entry{"card.json", card}), "character_book in a CHARX", "Mara Quill"},
		{"lore.png", withChunks(png, makeChunk("tEXt", []byte("naidata\x00"+base64.StdEncoding.EncodeToString(novel)))), "NovelAI in a PNG", "lore"},
		{"lore.lorebook", novel, "NovelAI", "lore"},
		{"bom.json", append([]byte(bom), loadBook(t, "worldinfo.json")...), "World Info", "Hollow Point"},
		{"save.json", loadBook(t, "kobold_save.json"), "KoboldAI Lite", "save"},
		{"wi.json", []byte(`{"wi":` + string(loadBook(t, "kobold_list.json")) + `}`), "KoboldAI Lite", "wi"},
		{"wi.json", loadBook(t, "kobold_list.json"), "KoboldAI Lite", "wi"},
		{"agnai.json", loadBook(t, "agnai.json"), "Agnai", "Coast"},
		{"risu.json", loadBook(t, "risu.json"), "Risu", "risu"},
		{"flat.json", []byte(`{"name":"Flat","description":"d","first_mes":"","character_book":{"entries":[{"keys":["a"],"content":"b"}]}}`), "character_book", "Flat"},
		{"empty.json", []byte(`{"entries":{}}`), "World Info", "empty"},
		{"empty.json", []byte(`{"entries":[],"extensions":{}}`), "character_book", "empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := mustBook(t, tt.name, tt.data)
			if in.Format != tt.format || in.Book.Name != tt.book {
				t.Errorf("%s %s", in.Format, in.Book.Name)
			}
			path := filepath.Join(t.TempDir(), filepath.Base(tt.name))
			if err := os.WriteFile(path, tt.data, 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := ReadBookFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(in, file); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func manyMembers() string {
	var out strings.Builder
	for i := range maxMembers {
		fmt.Fprintf(&out, `,"m%d":1`, i)
	}
	return out.String()
}

func TestReadBook_Refuses(t *testing.T) {
	wi := string(loadBook(t, "worldinfo.json"))
	long := strings.Repeat("a", MaxLoreContent+1)
	tests := []struct {
		name, data string
		want       error
		says       string
	}{
		{"empty", "", ErrDamaged, "empty"},
		{"cut off", wi[:len(wi)/2], ErrDamaged, "cut off at line"},
		{"not UTF-8", strings.Replace(wi, "whale", "wh\xffle", 1), ErrDamaged, "not UTF-8"},
		{"text", "hello", ErrNotBook, "this is a plain text: choose a lorebook"},
		{"a list", "[1,2]", ErrNotBook, "no entries"},
		{"a number", "5", ErrNotBook, ""},
		{"other JSON", `{"a":1}`, ErrNotBook, "no entries"},
		{"a Risu mark alone", `{"type":"risu"}`, ErrNotBook, "no entries"},
		{"a save file whose World Info is no list", `{"gamestarted":true,"prompt":"","actions":[],"worldinfo":3}`, ErrNotBook, "no entries"},
		{"a card without one", `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"A"}}`, ErrNotBook, "no lorebook"},
		{"a card with null", `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"A","character_book":null}}`, ErrNotBook, "no lorebook"},
		{"a card with text", `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"A","character_book":"b"}}`, ErrDamaged, "character_book"},
		{"a chat", `{"user_name":"a","character_name":"b"}` + "\n" + `{"mes":"c","name":"d"}`, ErrNotBook, "chat"},
		{"entries of text", `{"entries":"none"}`, ErrDamaged, "holds no entries"},
		{"a wrapper of nothing", `{"spec":"lorebook_v3","data":5}`, ErrDamaged, "is not a lorebook"},
		{"hostile nesting", `{"entries":` + strings.Repeat(`{"a":`, 200_000), ErrDamaged, ""},
		{"deep nesting", `{"entries":` + strings.Repeat(`[`, tooDeep) + strings.Repeat(`]`, tooDeep) + `}`, ErrDamaged, "max depth"},
		{"long content", `{"entries":{"0":{"comment":"Fine"},"1":{"comment":"The flood","content":"` + long + `"}}}`, ErrTooLarge, `entry 2 "The flood"`},
		{"long key", `{"entries":{"0":{"comment":"The flood","key":["` + long + `"]}}}`, ErrTooLarge, `entry 1 "The flood"`},
		{"too many", `{"entries":[` + strings.Repeat("{},", MaxBookEntries) + `{}]}`, ErrTooLarge, "split"},
		{"too many fields", `{"entries":[{"uid":0` + strings.Repeat(`,"a":1`, maxMembers) + `}]}`, ErrTooLarge, "entry 1"},
		{"too many fields of Agnai", `{"kind":"memory","entries":[{"name":"A"` + manyMembers() + `}]}`, ErrTooLarge, "entry 1"},
		{"too many extensions", `{"entries":[{"keys":[],"enabled":true,"extensions":{"a":0` + manyMembers() + `}}]}`, ErrTooLarge, "entry 1"},
		{"a picture", string(plainPNG(t)), ErrNotBook, "this is a PNG picture without a card"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ReadBook("x", []byte(tt.data))
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v, want %v that says %q", err, tt.want, tt.says)
			}
		})
	}
	if _, err := ReadBookFile(t.TempDir()); !errors.Is(err, ErrNotFile) {
		t.Error(err)
	}
}

func TestReadBook_OddFieldsAreNamed(t *testing.T) {
	in := mustBook(t, "odd.json", loadBook(t, "odd.json"))
	want := []storage.LoreEntry{
		usual(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Keys, e.SecondaryKeys = 1, "5", []string{"lamp", "oil"}, []string{"1", "", "x"}
			e.Constant, e.Vectorized, e.UseProbability, e.Position, e.GroupWeight = true, true, false, storage.Outlet, 0
			e.Role, e.ScanDepth, e.Sticky, e.Delay = storage.User, to(3), 2, 2
			e.CaseSensitive, e.DelayUntilRecursion = to(true), 1
		}),
		usual(func(e *storage.LoreEntry) { e.UID, e.Name = 7, "Twin" }),
		usual(func(e *storage.LoreEntry) { e.UID, e.Name, e.Keys = 5, "five", []string{"five"} }),
		usual(func(e *storage.LoreEntry) { e.UID, e.Name = 6, "entry 6" }),
	}
	if diff := cmp.Diff(want, plain(in.Entries)); diff != "" {
		t.Error(diff)
	}
	all := strings.Join(in.Warnings, "\n")
	for _, say := range []string{
		`entry 1 "5": the field order is a list where a number from -1000000000 to 1000000000 belongs; 100 is used`,
		`the field content is an object where a text belongs; "" is used`, "keysecondary", "comment", "constant", "selectiveLogic", "position",
		"probability", "field depth", "field group ", "groupWeight", "caseSensitive", "cooldown", "delay is", "triggers", "characterFilter",
		"delayUntilRecursion", "vectorized", "entry 2 is null instead of an entry", `entry 4 "Twin": the uid 1 is that of another entry; it is now 7`,
	} {
		if !strings.Contains(all, say) {
			t.Errorf("no warning says %q", say)
		}
	}
	if strings.Contains(all, "scanDepth") || strings.Contains(all, "sticky") {
		t.Error("numbers that are written as texts need no warning")
	}
}

// TestReadBook_WrongTypes gives every field of every dialect every type.
func TestReadBook_WrongTypes(t *testing.T) {
	for _, name := range bookFiles(t) {
		in := mustBook(t, name, loadBook(t, name))
		for i := range in.Entries {
			o, _ := parseObject(in.Entries[i].Source)
			for _, m := range o.members {
				var entries []storage.LoreEntry
				for uid, value := range []string{`null`, `true`, `-1.5`, `1e300`, `"text"`, `""`, `[]`, `[{}]`, `{}`, `{"a":1}`} {
					o.set(m.key, json.RawMessage(value))
					e := in.Entries[i]
					e.UID, e.Source = uid, o.encode()
					entries = append(entries, e)
				}
				out, _, err := WriteBook(FormatOriginal, in.Book, entries)
				if err != nil {
					t.Fatalf("%s: %s: %v", name, m.key, err)
				}
				if again := mustBook(t, name, out); len(again.Entries) != len(entries) {
					t.Fatalf("%s: %s: %d entries are left", name, m.key, len(again.Entries))
				}
				o.set(m.key, m.raw)
			}
		}
	}
}

func TestReadBook_ManyWarningsAreCounted(t *testing.T) {
	data := `{"entries":[` + strings.Repeat(`{"uid":1,"key":5,"order":"x"},`, 1000) + `{"uid":2}]}`
	in := mustBook(t, "x.json", []byte(data))
	if len(in.Entries) != 1001 || len(in.Warnings) != maxWarnings+1 || !strings.HasPrefix(in.Warnings[maxWarnings], "and ") {
		t.Errorf("%d entries, %d warnings", len(in.Entries), len(in.Warnings))
	}
}

func TestReadBook_HundredThousandEntries(t *testing.T) {
	var data strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&data, `,"%d":{"uid":%d,"key":["key %d"],"content":"What is known of it."}`, i, i, i)
	}
	in := mustBook(t, "big.json", []byte(`{"entries":{`+data.String()[1:]+`}}`))
	if len(in.Entries) != 100_000 || in.Book.NextUID != 100_000 || len(in.Warnings) != 0 {
		t.Errorf("%d entries, next uid %d, %v", len(in.Entries), in.Book.NextUID, in.Warnings)
	}
}

func TestReadBook_UIDs(t *testing.T) {
	tests := []struct {
		entries string
		want    []int
		next    int
	}{
		{`{"0":{},"1":{"uid":0},"9":{"uid":3}}`, []int{10, 0, 3}, 11},
		{`{"5":{},"x":{}}`, []int{5, 6}, 7},
		{`[{},{"uid":0},{}]`, []int{1, 0, 2}, 3},
		{`[{"uid":2},{"uid":2},{"uid":"2"}]`, []int{2, 3, 4}, 5},
		{`[{"uid":1700000000000},{}]`, []int{1700000000000, 1}, 1700000000001},
		{`{"0":{"uid":1e300},"1":{"uid":-1},"2":{"uid":0.5}}`, []int{0, 1, 2}, 3},
	}
	for _, tt := range tests {
		in := mustBook(t, "x.json", []byte(fmt.Sprintf(`{"entries":%s,"name":"n"}`, tt.entries)))
		var got []int
		for _, e := range in.Entries {
			got = append(got, e.UID)
		}
		if !slices.Equal(got, tt.want) || in.Book.NextUID != tt.next {
			t.Errorf("%s: %v and %d, want %v and %d", tt.entries, got, in.Book.NextUID, tt.want, tt.next)
		}
	}
}

func TestDetect_Books(t *testing.T) {
	for _, name := range bookFiles(t) {
		want := KindLorebook
		switch name {
		case "card.json":
			want = KindCard
		case "kobold_save.json":
			want = KindChat // a story, with a lorebook of its own
		case "kobold_list.json":
			want = KindUnknown // a list tells nothing at its top; reading it decides
		}
		if got := Detect(name, loadBook(t, name)); got != want {
			t.Errorf("%s is a %s, want %s", name, got, want)
		}
	}
}

func TestReadBook_KoboldKeysBeyondMeasure(t *testing.T) {
	many := strings.Repeat("many keys of an entry,", 20_000)
	in := mustBook(t, "x.json", []byte(`{"worldinfo":[{"key":"a","selective":true,"keysecondary":"`+many+`","keyanti":"`+many+`"}]}`))
	if got := len(in.Entries[0].SecondaryKeys); got != 20_000 || in.Entries[0].SecondaryKeys[0] != "many keys of an entry" {
		t.Errorf("%d keys", got)
	}
	warned(t, in, "anti-keys are ignored")
}
