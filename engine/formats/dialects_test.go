package formats

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// bounded returns an entry as Agnai and NovelAI mean theirs.
func bounded(edit func(*storage.LoreEntry)) storage.LoreEntry {
	return usual(func(e *storage.LoreEntry) {
		e.Selective, e.CaseSensitive, e.WholeWords = false, to(false), to(true)
		edit(e)
	})
}

func contained(edit func(*storage.LoreEntry)) storage.LoreEntry {
	return bounded(func(e *storage.LoreEntry) {
		e.WholeWords = to(false)
		edit(e)
	})
}

func warned(t *testing.T, in ImportedBook, says ...string) {
	t.Helper()
	all := strings.Join(in.Warnings, "\n")
	for _, say := range says {
		if !strings.Contains(all, say) {
			t.Errorf("no warning says %q in\n%s", say, all)
		}
	}
	if len(in.Warnings) != len(says) {
		t.Errorf("%d warnings, want %d:\n%s", len(in.Warnings), len(says), all)
	}
}

func TestReadBook_Agnai(t *testing.T) {
	in := mustBook(t, "x.json", loadBook(t, "agnai.json"))
	want := []storage.LoreEntry{
		bounded(func(e *storage.LoreEntry) {
			e.Name, e.Content, e.Order = "Lamp", "Oil.", 4
			e.Keys = []string{`/(?<!\w)lamp/is`, `/(?<!\w)(?!\s).use(?!\w)/is`, `/(?<!\w)red .*ship(?!\w)/is`, "inn", `/(?<!\w)old harbour(?!\w)/i`, "a+b", "/./s"}
		}),
		bounded(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Content, e.Order, e.Disabled = 1, "Inn", "Marcus.", 2, true
		}),
	}
	if diff := cmp.Diff(want, plain(in.Entries)); diff != "" {
		t.Error(diff)
	}
	if in.Book.Description != "by Agnai" {
		t.Error(in.Book.Description)
	}
	warned(t, in, "the priority of an entry")
}

func TestReadBook_Risu(t *testing.T) {
	in := mustBook(t, "x.json", loadBook(t, "risu.json"))
	want := []storage.LoreEntry{
		contained(func(e *storage.LoreEntry) {
			e.Name, e.Content, e.Order, e.Position = "Lamp", "@@probability 50\nOil.", 120, storage.AfterChar
			e.Keys, e.SecondaryKeys, e.Selective = []string{"lamp", "/red *ship/i"}, []string{"storm", "night"}, true
			e.Probability = 30
		}),
		contained(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Content, e.Position = 1, "Lamp, more", "Whale oil.", storage.AfterChar
			e.Keys = []string{"lamp", "/red *ship/i"}
		}),
		contained(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Content, e.Position, e.Constant = 2, "Fog", "Thick.", storage.AfterChar, true
			e.Keys, e.CaseSensitive = []string{"/fog|mist/i"}, to(true)
		}),
		contained(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Position, e.Disabled = 3, "A folder", storage.AfterChar, true
		}),
		contained(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Content, e.Position, e.Constant = 4, "inn", "Marcus.", storage.AfterChar, true
			e.Keys, e.Order = []string{"inn"}, 90
		}),
	}
	if diff := cmp.Diff(want, plain(in.Entries)); diff != "" {
		t.Error(diff)
	}
	warned(t, in, "spaces", "folders (1)")
	orphan := mustBook(t, "x.json", []byte(`{"type":"risu","ver":1,"data":[{"key":"","mode":"child","content":"a"},{"key":"k","id":"p","mode":"normal"},{"key":"","id":"p","mode":"child"},{"mode":"strange"}]}`))
	warned(t, orphan, "child entries without keys", "spaces", `the field mode is the text "strange"`)
	if got := orphan.Entries[2].Keys; !slices.Equal(got, []string{"k"}) {
		t.Error(got)
	}
}

func TestReadBook_NovelAI(t *testing.T) {
	in := mustBook(t, "x.json", loadBook(t, "novelai.lorebook"))
	want := []storage.LoreEntry{
		bounded(func(e *storage.LoreEntry) {
			e.Name, e.Content, e.Order, e.ScanDepth = "Lamp", "Oil.", 410, to(3)
			e.Keys = []string{"lamp", `/(?<!\w)old lamp(?!\w)/i`, "/L[ai]mp/",
				`/^(?=.*(?<!\w)storm(?!\w))(?=.*(?<!\w)night(?!\w))/is`}
		}),
		bounded(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Content, e.Order, e.ScanDepth, e.Keys = 1, "Inn", "Marcus.", 400, to(10), []string{"inn"}
			e.Constant, e.Disabled, e.ExcludeRecursion = true, true, true
		}),
	}
	if diff := cmp.Diff(want, plain(in.Entries)); diff != "" {
		t.Error(diff)
	}
	warned(t, in, "number of characters", "category that is turned off")
}

func TestReadBook_Kobold(t *testing.T) {
	once := func(edit func(*storage.LoreEntry)) storage.LoreEntry {
		return contained(func(e *storage.LoreEntry) {
			e.CaseSensitive, e.Position, e.ExcludeRecursion, e.PreventRecursion = to(true), storage.AfterChar, true, true
			edit(e)
		})
	}
	in := mustBook(t, "x.json", loadBook(t, "kobold_save.json"))
	want := []storage.LoreEntry{
		once(func(e *storage.LoreEntry) {
			e.Name, e.Content, e.Order, e.Probability = "Lamp", "Oil.", 100, 60
			e.Keys, e.SecondaryKeys, e.Selective = []string{"lamp", "light"}, []string{"storm"}, true
		}),
		once(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Content, e.Order, e.Disabled = 1, "inn", "Marcus.", 101, true
			e.Keys, e.SecondaryKeys, e.Selective, e.Logic = []string{"inn"}, []string{"burnt", "ruin"}, true, storage.NotAny
		}),
		once(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Content, e.Order, e.Keys = 2, "Ship", "A ship.", 102, []string{"ship"}
			e.SecondaryKeys, e.Selective = []string{`/^(?!.*(?:toy))(?=.*red)/s`}, true
		}),
		once(func(e *storage.LoreEntry) {
			e.UID, e.Name, e.Content, e.Order, e.Keys, e.Constant = 3, "Sea", "The sea.", 103, []string{"sea"}, true
		}),
	}
	if diff := cmp.Diff(want, plain(in.Entries)); diff != "" {
		t.Error(diff)
	}
	if *in.Book.ScanDepth != 6 {
		t.Error(*in.Book.ScanDepth)
	}
	warned(t, in, "2048 characters; here in 6 messages")
	all := mustBook(t, "x.json", []byte(`{"worldinfo":[],"savedsettings":{"wi_searchdepth":0}}`))
	if *all.Book.ScanDepth != 1000 || len(all.Warnings) != 0 {
		t.Error(*all.Book.ScanDepth, all.Warnings)
	}
	// A World Info file must not carry a whole story.
	if out := string(mustWriteBook(t, FormatWorldInfo, in.Book, in.Entries)); strings.Contains(out, "It was dark") {
		t.Error(out)
	}
}

func TestKeys_MatchWhatTheirDialectMeant(t *testing.T) {
	tests := []struct {
		made, text string
		want       bool
	}{
		{globKey("book*"), "two books", true},
		{globKey("book*"), "an ebook", false},
		{globKey("?book"), "an ebook", true},
		{globKey("?book"), "a book", false},
		{globKey("*book"), "an ebook", true},
		{globKey("*book"), "books", false},
		{globKey("***"), "?", true},
		{globKey("red*ship"), "a Red old ship.", true},
		{globKey("red*ship"), "a red old shipyard", false},
		{globKey("été*"), "cet étéx", true},
		{globKey("a.b*"), "axb", false},
		{boundedKey("old harbour"), "the old harbour.", true},
		{boundedKey("old harbour"), "cold harbour", false},
		{spacelessKey("red ship", false), "a REDSHIP", true},
		{spacelessKey("red ship", false), "a red   ship", true},
		{spacelessKey("red ship", true), "a Red ship", false},
		{spacelessKey("red  ship", false), "redder ship", false},
		{allWordsKey("storm & night"), "at night\nthe storm", true},
		{allWordsKey("storm & night"), "the storm", false},
		{exceptKey("red", []string{"toy", "a.b"}, false), "red a_b", true},
		{exceptKey("red", []string{"toy", "a.b"}, false), "red a.b", false},
		{exceptKey("red", []string{"toy"}, false), "a toy\nRED", false},
		{slashedKey(`in+/out`, false), "INN/out", true},
		{boundedKey("/a/"), "x /a/ y", true},
	}
	for _, tt := range tests {
		if !isRegexKey(tt.made) {
			t.Errorf("%s is no regex", tt.made)
			continue
		}
		end := strings.LastIndexByte(tt.made, '/')
		options := regexp2.RegexOptions(regexp2.ECMAScript)
		if strings.Contains(tt.made[end:], "i") {
			options |= regexp2.IgnoreCase
		}
		if strings.Contains(tt.made[end:], "s") {
			options |= regexp2.Singleline
		}
		re, err := regexp2.Compile(tt.made[1:end], options)
		if err != nil {
			t.Errorf("%s: %v", tt.made, err)
			continue
		}
		if got, err := re.MatchString(tt.text); got != tt.want || err != nil {
			t.Errorf("%s in %q: %v, want %v; %v", tt.made, tt.text, got, tt.want, err)
		}
	}
	for key, want := range map[string]bool{"/a/": true, "/a/i": true, "/a": false, "a/b": false, "//": false, "/a/b/": false, `/a\/b/g`: true, "/a/x": false, " /a/ ": true, "/a/gg": false, "/a/gimsuy": true, "/a/igi": false} {
		if isRegexKey(key) != want {
			t.Errorf("%s: %v", key, !want)
		}
	}
	if got := boundedKey("{{user}} the keeper"); got != `/(?<!\w){{user}} the keeper(?!\w)/i` {
		t.Error(got)
	}
}

func TestWriteBook_CarriesWhatItDoesNotKnow(t *testing.T) {
	tests := []struct {
		file, format string
		path         []string
		want         string
	}{
		{"worldinfo.json", FormatCharacterBook, []string{"extensions", "x_custom"}, `{"b":1.50,"a":[null,12345678901234567890]}`},
		{"worldinfo.json", FormatCharacterBook, []string{"extensions", "automation_id"}, `"lamp-1"`},
		{"worldinfo.json", FormatCharacterBook, []string{"extensions", "display_index"}, `4`},
		{"worldinfo_original.json", FormatCharacterBook, []string{"extensions", "mine"}, `1`},
		{"character_book.json", FormatWorldInfo, []string{"extensions", "priority"}, `3`},
		{"lorebook_v3.json", FormatWorldInfo, []string{"extensions", "own"}, `true`},
		{"novelai.lorebook", FormatWorldInfo, []string{"extensions", "novelai", "id"}, `"uuid-1"`},
		{"agnai.json", FormatCharacterBook, []string{"extensions", "agnai", "priority"}, `10`},
		{"risu.json", FormatWorldInfo, []string{"extensions", "risu", "loreCache"}, `null`},
		{"kobold_save.json", FormatCharacterBook, []string{"extensions", "kobold", "wigroup"}, `"General"`},
	}
	for _, tt := range tests {
		in := mustBook(t, tt.file, loadBook(t, tt.file))
		doc, ok := parseObject(mustBook(t, "x", mustWriteBook(t, tt.format, in.Book, in.Entries)).Entries[0].Source)
		if !ok {
			t.Fatal("no object")
		}
		var raw json.RawMessage
		for _, key := range tt.path {
			raw = doc.get(key)
			doc, _ = parseObject(raw)
		}
		if string(raw) != tt.want {
			t.Errorf("%s: %v is %s, want %s", tt.file, tt.path, raw, tt.want)
		}
	}
	in := mustBook(t, "x.json", loadBook(t, "character_book.json"))
	back := mustBook(t, "x", mustWriteBook(t, FormatWorldInfo, in.Book, in.Entries))
	root, _ := parseObject(mustWriteBook(t, FormatCharacterBook, back.Book, back.Entries))
	if string(root.get("token_budget")) != "500" || string(root.get("extensions")) != `{"who":"me"}` {
		t.Errorf("%s", root.encode())
	}
}
