package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestWriteBook_EditsChangeOnlyTheirField(t *testing.T) {
	tests := []struct {
		file     string
		at       int
		edit     func(*storage.LoreEntry)
		from, to string
	}{
		{"worldinfo.json", 0, func(e *storage.LoreEntry) { e.Content = "Gas." }, `"content":"The lamp of Hollow Point burns whale oil."`, `"content":"Gas."`},
		{"worldinfo.json", 0, func(e *storage.LoreEntry) { e.Sticky = 0 }, `"sticky":3`, `"sticky":null`},
		{"worldinfo.json", 0, func(e *storage.LoreEntry) { e.CaseSensitive = nil }, `"caseSensitive":true`, `"caseSensitive":null`},
		{"worldinfo.json", 0, func(e *storage.LoreEntry) { e.Role = storage.System }, `"role":2`, `"role":0`},
		{"worldinfo.json", 0, func(e *storage.LoreEntry) { e.Characters = nil }, `"characterFilter":{"isExclude":true,"names":["Mara"],"tags":["sea"]}`, `"characterFilter":{"isExclude":false,"names":[],"tags":[]}`},
		{"worldinfo.json", 1, func(e *storage.LoreEntry) { e.Keys = append(e.Keys, "tavern") }, `"key":["inn"]`, `"key":["inn","tavern"]`},
		{"worldinfo.json", 1, func(e *storage.LoreEntry) { e.Locked = true }, `Marcus keeps the inn."}`, `Marcus keeps the inn.","ghostlight":{"locked":true}}`},
		{"worldinfo.json", 2, func(e *storage.LoreEntry) { e.Name = "Named" }, `"comment":"","content":"No uid`, `"comment":"Named","content":"No uid`},
		{"worldinfo.json", 2, func(e *storage.LoreEntry) { e.Probability = 50 }, `"probability":"12.5"`, `"probability":50`},
		{"worldinfo.json", 3, func(e *storage.LoreEntry) { e.Aliases, e.Locked = nil, false },
			`"ghostlight":{"aliases":["the mist"],"type":"location","synopsis":"fog on the coast","locked":true,"later":1}`, `"ghostlight":{"later":1,"type":"location","synopsis":"fog on the coast"}`},
		{"character_book.json", 0, func(e *storage.LoreEntry) { e.Disabled = true }, `"enabled":true`, `"enabled":false`},
		{"character_book.json", 0, func(e *storage.LoreEntry) { e.Position = storage.AfterChar }, `"position":"before_char"`, `"position":"after_char"`},
		{"character_book.json", 0, func(e *storage.LoreEntry) { e.Depth = 7 }, `"extensions":{},"enabled"`, `"extensions":{"depth":7},"enabled"`},
		{"character_book.json", 1, func(e *storage.LoreEntry) { e.Logic = storage.AndAny }, `"selectiveLogic":2`, `"selectiveLogic":0`},
		{"character_book.json", 1, func(e *storage.LoreEntry) { e.Keys = []string{"a", "/b/"} }, `"keys":["inn"]`, `"keys":["a","/b/"]`},
		{"character_book.json", 1, func(e *storage.LoreEntry) { e.Synopsis = "s" }, `"unknown_ext":[1]}`, `"unknown_ext":[1],"ghostlight":{"synopsis":"s"}}`},
		{"lorebook_v3.json", 0, func(e *storage.LoreEntry) { e.Keys = e.Keys[1:] }, `["lamp\\d+","a/b","/already/i"],"content":"@@depth 2\nOil.","extensions":{"own":true}`,
			`["/a\\/b/","/already/i"],"content":"@@depth 2\nOil.","extensions":{"own":true,"selectiveLogic":0},"secondary_keys":[]`},
		{"lorebook_v3.json", 0, func(e *storage.LoreEntry) { e.Keys = append(e.Keys, "plain") },
			`["lamp\\d+","a/b","/already/i"],"content":"@@depth 2\nOil.","extensions":{"own":true}`,
			`["/lamp\\d+/","/a\\/b/","/already/i","plain"],"content":"@@depth 2\nOil.","extensions":{"own":true,"selectiveLogic":0},"secondary_keys":[]`},
		{"lorebook_v3.json", 0, func(e *storage.LoreEntry) { e.Position = storage.AtDepth },
			`["lamp\\d+","a/b","/already/i"],"content":"@@depth 2\nOil.","extensions":{"own":true},"enabled":true,"insertion_order":1,"use_regex":true,"constant":false}`,
			`["/lamp\\d+/","/a\\/b/","/already/i"],"content":"@@depth 2\nOil.","extensions":{"own":true,"position":4,"selectiveLogic":0},"secondary_keys":[],"enabled":true,"insertion_order":1,"use_regex":true,"constant":false,"position":"after_char"}`},
		{"worldinfo_original.json", 0, func(e *storage.LoreEntry) { e.Order = 11 }, `"insertion_order":10`, `"insertion_order":11`},
	}
	for _, tt := range tests {
		t.Run(tt.file+" "+tt.to, func(t *testing.T) {
			data := loadBook(t, tt.file)
			in := mustBook(t, tt.file, data)
			tt.edit(&in.Entries[tt.at])
			out := mustWriteBook(t, FormatOriginal, in.Book, in.Entries)
			want := compacted(t, data)
			if !strings.Contains(want, tt.from) {
				t.Fatalf("the file has no %s", tt.from)
			}
			want = strings.Replace(want, tt.from, tt.to, 1)
			if tt.file == "worldinfo_original.json" { // both copies
				want = strings.Replace(want, `"order":10`, `"order":11`, 1)
			}
			if diff := cmp.Diff(tree(t, []byte(want)), tree(t, out)); diff != "" {
				t.Error(diff)
			}
			again := mustBook(t, tt.file, out)
			if !strings.Contains(string(in.Entries[tt.at].Source), `"comment"`) { // then its name comes from its keys
				again.Entries[tt.at].Name = in.Entries[tt.at].Name
			}
			if diff := cmp.Diff(plain(in.Entries), plain(again.Entries)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWriteBook_EditsOfTheBook(t *testing.T) {
	data := loadBook(t, "worldinfo.json")
	in := mustBook(t, "x.json", data)
	in.Book.Name, in.Book.Description, in.Book.ScanDepth = "New", "", nil
	want := compacted(t, data)
	want = strings.Replace(want, `"name":"Hollow Point","description":"the coast","scan_depth":5`, `"name":"New","description":""`, 1)
	if diff := cmp.Diff(tree(t, []byte(want)), tree(t, mustWriteBook(t, FormatOriginal, in.Book, in.Entries))); diff != "" {
		t.Error(diff)
	}
	// A book that is called after its file is renamed all the same.
	in = mustBook(t, "file.json", loadBook(t, "worldinfo_original.json"))
	in.Book.Name = "New"
	if again := mustBook(t, "other.json", mustWriteBook(t, FormatOriginal, in.Book, in.Entries)); again.Book.Name != "New" {
		t.Error(again.Book.Name)
	}
}

// A book of a dialect that is only read leaves as it came, see
// TestBooks_UnchangedBooksLeaveAsTheyCame, and as World Info once anything was edited.
func TestWriteBook_EditedBooksOfReadOnlyDialectsBecomeWorldInfo(t *testing.T) {
	for _, name := range []string{"agnai.json", "risu.json", "novelai.lorebook", "kobold_save.json", "kobold_list.json"} {
		for what, edit := range map[string]func(in *ImportedBook){
			"name":    func(in *ImportedBook) { in.Book.Name = "New" },
			"depth":   func(in *ImportedBook) { in.Book.ScanDepth = to(7) },
			"content": func(in *ImportedBook) { in.Entries[0].Content = "Edited." },
			"keys":    func(in *ImportedBook) { in.Entries[0].Keys = []string{"other"} },
			"another entry": func(in *ImportedBook) {
				in.Entries = append(in.Entries, usual(func(e *storage.LoreEntry) { e.UID, e.Name = in.Book.NextUID, "More" }))
			},
		} {
			in := mustBook(t, name, loadBook(t, name))
			edit(&in)
			out, warnings, err := WriteBook(FormatOriginal, in.Book, in.Entries)
			if err != nil || len(warnings) != 1 || !strings.Contains(warnings[0], "written as World Info") {
				t.Fatalf("%s, %s: %v %q", name, what, err, warnings)
			}
			again := mustBook(t, "x.json", out)
			if diff := cmp.Diff(plain(in.Entries), plain(again.Entries)); diff != "" || again.Book.Format != FormatWorldInfo || again.Book.Name != in.Book.Name {
				t.Errorf("%s, %s: %s %q %s", name, what, again.Book.Format, again.Book.Name, diff)
			}
		}
	}
}

func TestWriteBook_EntriesComeAndGo(t *testing.T) {
	for _, name := range []string{"worldinfo.json", "worldinfo_list.json", "character_book.json", "lorebook_v3.json"} {
		in := mustBook(t, name, loadBook(t, name))
		e := usual(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Keys, e.Content = in.Book.NextUID, "New \"one\"", []string{"new", "/n[ew]+/i"}, "Néw\n\u2028<b>"
			e.Type, e.Aliases, e.CaseSensitive, e.Characters = "item", []string{"other"}, to(true), &storage.LoreFilter{Tags: []string{"t"}}
		})
		entries := append(slices.Clone(in.Entries[1:]), e)
		again := mustBook(t, name, mustWriteBook(t, FormatOriginal, in.Book, entries))
		want := plain(entries)
		if name == "lorebook_v3.json" {
			want[0].UID = 0 // its id is a text, which stays as it is
			want[1].UID = 2
		}
		if diff := cmp.Diff(want, plain(again.Entries)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestWriteBook_MadeHere(t *testing.T) {
	b := storage.Lorebook{Name: "Mine", Description: "about", ScanDepth: to(3), NextUID: 2}
	entries := []storage.LoreEntry{storage.NewLoreEntry(), storage.NewLoreEntry()}
	entries[0].Name, entries[0].Content = "One", "Text."
	entries[1].UID, entries[1].Name, entries[1].Outlet, entries[1].Position = 1, "Two", "o", storage.Outlet
	for _, format := range []string{FormatWorldInfo, FormatCharacterBook, FormatLorebookV3, FormatOriginal} {
		again := mustBook(t, "x.json", mustWriteBook(t, format, b, entries))
		for i := range again.Entries {
			again.Entries[i].Role, again.Entries[i].Source = "", nil // the default is said
		}
		if diff := cmp.Diff(entries, again.Entries); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
		if again.Book.Name != "Mine" || again.Book.Description != "about" || *again.Book.ScanDepth != 3 || again.Book.NextUID != 2 {
			t.Errorf("%+v", again.Book)
		}
	}
	if _, _, err := WriteBook("agnai", b, entries); err == nil {
		t.Error("a format that nothing is converted to")
	}
	entries[1].UID = 0
	if _, _, err := WriteBook(FormatWorldInfo, b, entries); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	b.Format, b.Source = FormatWorldInfo, json.RawMessage(`{"entries":`)
	if _, _, err := WriteBook(FormatWorldInfo, b, nil); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}

// TestWriteBook_EntriesOfSeveralBooks has entries that were moved here from
// books of other dialects.
func TestWriteBook_EntriesOfSeveralBooks(t *testing.T) {
	home := mustBook(t, "x.json", loadBook(t, "worldinfo_list.json"))
	entries := home.Entries
	for _, name := range []string{"character_book.json", "agnai.json", "risu.json", "novelai.lorebook", "kobold_save.json", "worldinfo.json"} {
		for _, e := range mustBook(t, name, loadBook(t, name)).Entries {
			e.UID = home.Book.NextUID
			home.Book.NextUID++
			entries = append(entries, e)
		}
	}
	for _, format := range []string{FormatOriginal, FormatCharacterBook} {
		again := mustBook(t, "x.json", mustWriteBook(t, format, home.Book, entries))
		if diff := cmp.Diff(plain(entries), plain(again.Entries)); diff != "" {
			t.Errorf("%s: %s", format, diff)
		}
	}
}

func TestCardBook(t *testing.T) {
	card := mustRead(t, "card.json", loadBook(t, "card.json"))
	if world := CardWorld(card.Source); world != "Hollow Point" {
		t.Error(world)
	}
	in, ok, err := CardBook(card.Source)
	if !ok || err != nil || in.Book.Name != "Mara Quill" || len(in.Entries) != 1 {
		t.Fatal(ok, err, in)
	}
	same, err := WithBook(card.Source, in.Book, in.Entries)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree(t, card.Source), tree(t, same)); diff != "" {
		t.Error(diff)
	}
	in.Entries[0].Content = "Gas."
	edited, err := WithBook(card.Source, in.Book, in.Entries)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tree(t, bytes.Replace(card.Source, []byte("Oil."), []byte("Gas."), 1)), tree(t, edited)); diff != "" {
		t.Error(diff)
	}
	out, err := WriteCardV2JSON(storage.Character{Card: card.Card, Source: edited})
	if err != nil {
		t.Fatal(err)
	}
	if again := mustBook(t, "out.json", out); again.Entries[0].Content != "Gas." {
		t.Errorf("%+v", again)
	}
}

func TestCardBook_CardsWithoutOne(t *testing.T) {
	for _, source := range []string{"", `{"name":"A","description":""}`, `{"spec":"chara_card_v2","data":{"name":"A","character_book":null}}`} {
		if _, ok, err := CardBook(json.RawMessage(source)); ok || err != nil {
			t.Errorf("%s: %v %v", source, ok, err)
		}
		if CardWorld(json.RawMessage(source)) != "" {
			t.Errorf("%s has a world", source)
		}
	}
	for _, source := range []string{`{"name":`, `{"name":"A","character_book":[]}`} {
		if _, ok, err := CardBook(json.RawMessage(source)); ok || !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v %v", source, ok, err)
		}
	}
	book := mustBook(t, "x.json", loadBook(t, "worldinfo.json"))
	for _, source := range []string{"", `{"name":"A","description":""}`, `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"A"}}`} {
		out, err := WithBook(json.RawMessage(source), book.Book, book.Entries)
		if err != nil {
			t.Fatal(err)
		}
		data, err := WriteCardJSON(storage.Character{Card: storage.Card{Name: "A"}, Source: out})
		if err != nil {
			t.Fatal(err)
		}
		again := mustBook(t, "x.json", data)
		if diff := cmp.Diff(plain(book.Entries), plain(again.Entries)); diff != "" {
			t.Error(diff)
		}
	}
}
