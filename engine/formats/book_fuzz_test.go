package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// checkBook holds a book that was read to what is promised of every book: it can
// be written, in its own dialect and in others, and comes back as it was.
func checkBook(t *testing.T, in ImportedBook) {
	t.Helper()
	seen := map[int]bool{}
	for _, e := range in.Entries {
		if e.UID < 0 || e.UID >= in.Book.NextUID || seen[e.UID] || e.Name == "" || len(e.Content) > MaxLoreContent {
			t.Fatalf("%+v in a book whose next uid is %d", e, in.Book.NextUID)
		}
		seen[e.UID] = true
	}
	if strings.TrimSpace(in.Book.Name) == "" || len(in.Warnings) > maxWarnings+1 {
		t.Fatalf("name %q, %d warnings", in.Book.Name, len(in.Warnings))
	}
	for _, format := range []string{FormatOriginal, FormatWorldInfo, FormatCharacterBook, FormatLorebookV3} {
		out, _, err := WriteBook(format, in.Book, in.Entries)
		if errors.Is(err, ErrTooLarge) {
			continue // a wrapper adds a level
		}
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadBook("again.json", out)
		if err != nil {
			t.Fatalf("%s: %v in %s", format, err, out)
		}
		want, got := plain(in.Entries), plain(again.Entries)
		if family(in.Book.Format) != FormatWorldInfo || format != FormatOriginal && format != FormatWorldInfo {
			// Where a list has no uids of its own they are places in it, and those
			// that were left out are gone.
			for i := range min(len(want), len(got)) {
				if want[i].Name == fmt.Sprintf("entry %d", want[i].UID) {
					want[i].Name, got[i].Name = "", ""
				}
				want[i].UID, got[i].UID = 0, 0
				if in.Book.Format == FormatKobold {
					want[i].Order, got[i].Order = 0, 0
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s: %s in %s", format, diff, out)
		}
	}
}

func FuzzReadBook(f *testing.F) {
	for _, name := range bookFiles(f) {
		f.Add(loadBook(f, name))
	}
	f.Add([]byte(`{"entries":{"-1":{},"007":{"uid":"7"},"7":{"uid":7},"\u0037x":{}},"name":5,"scan_depth":"x"}`))
	f.Add([]byte(`{"extensions":1,"entries":[{"keys":["a/","\\/"],"use_regex":true,"case_sensitive":0,"id":1,"position":0},{"id":"1","extensions":[]}]}`))
	f.Add([]byte(`{"type":"risu","data":[{"key":["a b",","],"mode":"child"},{"useRegex":1,"key":"/","secondkey":" b"}]}`))
	f.Add([]byte(`{"worldinfo":[{"key":",","selective":true,"keysecondary":"a","keyanti":["b",{}]}],"savedsettings":[],"wisearchdepth":"12"}`))
	f.Add([]byte(`{"name":"n","entries":[{"uid":1e99},{"extensions":{"delayUntilRecursion":-3}},{"uid":0}]}`))
	f.Add([]byte(`{"entries":{"0":{"keys":["k"],"content":"c","order":5},"1":{"keys":"a","key":["b"],"order":2}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if in, err := ReadBook("a.json", data); err == nil {
			checkBook(t, in)
		}
	})
}

// FuzzCompact compares what is taken for JSON with what encoding/json takes.
func FuzzCompact(f *testing.F) {
	for _, s := range []string{` {"a" : [1, -0.5e+3, true, null, "\u00e9\n"] }`, `[[],{},[{}]]`, `01`, `"\x"`, `{"a":1,}`, `[1 2]`, `-`, "\"\t\"",
		`{"a" 1}`, `1.`, `[}`, `{]`, `{"a":1,"a":"\ud800"}`, `1 2`, ``} {
		f.Add([]byte(s))
	}
	f.Add([]byte(strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000)))
	f.Fuzz(func(t *testing.T, data []byte) {
		var want bytes.Buffer
		wantErr := json.Compact(&want, data)
		got, err := jsontext.AppendFormat(nil, data, lenient)
		if (err == nil) != (wantErr == nil) || err == nil && string(got) != want.String() {
			t.Fatalf("%q: %s %v, want %s %v", data, got, err, want.String(), wantErr)
		}
	})
}

// anyEntry draws an entry as the program may hold it.
func anyEntry() *rapid.Generator[storage.LoreEntry] {
	return rapid.Custom(func(t *rapid.T) storage.LoreEntry {
		text := func(label string) string { return rapid.String().Draw(t, label) }
		texts := func(label string) []string {
			list := trimList(rapid.SliceOfN(rapid.String(), 0, 3).Draw(t, label))
			return list
		}
		yes := func(label string) bool { return rapid.Bool().Draw(t, label) }
		count := func(label string, high int) int { return rapid.IntRange(0, high).Draw(t, label) }
		e := storage.NewLoreEntry()
		e.Name, e.Content = "n"+text("name"), text("content")
		e.Keys, e.SecondaryKeys, e.Selective, e.Logic = texts("keys"), texts("secondary"), yes("selective"), storage.LoreLogic(count("logic", 3))
		e.Constant, e.Vectorized, e.Disabled, e.Order = yes("constant"), yes("vectorized"), yes("disabled"), count("order", 2000)-1000
		e.Position, e.Depth = storage.LorePosition(count("position", 7)), count("depth", 99)
		e.Role = rapid.SampledFrom([]storage.Role{storage.System, storage.User, storage.Assistant}).Draw(t, "role")
		e.Outlet, e.Group, e.GroupOverride = text("outlet"), text("group"), yes("override")
		e.GroupWeight = float64(count("weight", 1000))
		e.Probability, e.UseProbability = rapid.Float64Range(0, 100).Draw(t, "probability"), yes("use probability")
		if e.Probability == 0 {
			e.Probability = 0
		}
		e.ScanDepth, e.CaseSensitive = rapid.Ptr(rapid.IntRange(0, 50), true).Draw(t, "scan depth"), rapid.Ptr(rapid.Bool(), true).Draw(t, "case")
		e.WholeWords, e.UseGroupScoring = rapid.Ptr(rapid.Bool(), true).Draw(t, "words"), rapid.Ptr(rapid.Bool(), true).Draw(t, "scoring")
		e.ExcludeRecursion, e.PreventRecursion, e.DelayUntilRecursion, e.IgnoreBudget = yes("exclude"), yes("prevent"), count("level", 5), yes("ignore")
		e.Sticky, e.Cooldown, e.Delay, e.Triggers = count("sticky", 9), count("cooldown", 9), count("delay", 9), texts("triggers")
		if names, tags := texts("names"), texts("tags"); len(names)+len(tags) > 0 {
			e.Characters = &storage.LoreFilter{Exclude: yes("not"), Names: names, Tags: tags}
		}
		e.MatchPersona, e.MatchDescription, e.MatchPersonality = yes("persona"), yes("description"), yes("personality")
		e.MatchDepthPrompt, e.MatchScenario, e.MatchCreatorNotes = yes("depth prompt"), yes("scenario"), yes("creator notes")
		e.Aliases, e.Type, e.Synopsis, e.Locked = texts("aliases"), text("type"), text("synopsis"), yes("locked")
		return e
	})
}

// TestBooks_AnyBookComesBack writes any entries, reads them, edits some, and
// expects each time what was written, and of unedited ones their very bytes.
func TestBooks_AnyBookComesBack(t *testing.T) {
	for _, format := range []string{FormatWorldInfo, FormatCharacterBook, FormatLorebookV3} {
		t.Run(format, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				entries := rapid.SliceOfN(anyEntry(), 0, 4).Draw(rt, "entries")
				for i := range entries {
					entries[i].UID = i * 3
				}
				b := storage.Lorebook{Name: "b" + strings.TrimSpace(rapid.String().Draw(rt, "book"))}
				b.Name = strings.TrimSpace(b.Name)
				out := mustWriteBook(t, format, b, entries)
				in, err := ReadBook("x.json", out)
				if err != nil {
					rt.Fatalf("%v in %s", err, out)
				}
				if diff := cmp.Diff(entries, plain(in.Entries)); diff != "" || len(in.Warnings) > 0 {
					rt.Fatalf("%s %v", diff, in.Warnings)
				}
				if same := mustWriteBook(t, FormatOriginal, in.Book, in.Entries); string(same) != string(out) {
					rt.Fatalf("%s became %s", out, same)
				}
				for i := range in.Entries {
					if rapid.Bool().Draw(rt, "edit") {
						source, uid := in.Entries[i].Source, in.Entries[i].UID
						in.Entries[i] = anyEntry().Draw(rt, "edited")
						in.Entries[i].Source, in.Entries[i].UID = source, uid
					}
				}
				again := mustBook(t, "x.json", mustWriteBook(t, FormatOriginal, in.Book, in.Entries))
				if diff := cmp.Diff(plain(in.Entries), plain(again.Entries)); diff != "" {
					rt.Fatal(diff)
				}
			})
		})
	}
}

// TestBooks_UnknownFieldsSurvive puts any values under unknown names at every
// level, edits an entry, and expects them back as they were.
func TestBooks_UnknownFieldsSurvive(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		unknown := func(label string) string {
			return fmt.Sprintf(`"x-%s":%s,"y-%s":%s`, label, anyJSON(3).Draw(rt, label), label, anyJSON(1).Draw(rt, label))
		}
		shape := rapid.SampledFrom([]string{
			`{%s,"entries":{"0":{"uid":0,"key":["k"],"content":"c",%s,"extensions":{%s}},"n":{"uid":"4",%s}},%s}`,
			`{%s,"entries":[{"keys":["k"],"content":"c","insertion_order":1,"enabled":true,%s,"extensions":{%s}},{"id":4,"keys":["l"],%s}],%s}`,
			`{"spec":"lorebook_v3",%s,"data":{"entries":[{"id":0,"keys":["k"],"content":"c","use_regex":true,%s,"extensions":{%s}},{"id":4,"keys":["l"],%s}],%s}}`,
			`{"kind":"memory",%s,"entries":[{"keywords":["k"],"entry":"c",%s,"extensions":{%s}},{"name":"n","entry":"",%s}],%s}`,
			`{"type":"risu",%s,"data":[{"key":"k","content":"c","mode":"normal",%s,"extentions":{%s}},{"secondkey":"",%s}],%s}`,
			`{"lorebookVersion":5,%s,"entries":[{"keys":["k"],"text":"c","displayName":"",%s,"contextConfig":{%s}},{"text":"",%s}],%s}`,
			`{"savedsettings":{},%s,"worldinfo":[{"key":"k","content":"c","keyanti":"",%s,"folder":{%s}},{"key":"l","keyanti":"",%s}],%s}`,
		}).Draw(rt, "shape")
		doc := fmt.Sprintf(shape, unknown("root"), unknown("entry"), unknown("ext"), unknown("second"), unknown("end"))
		in, err := ReadBook("a.json", []byte(doc))
		if err != nil {
			rt.Fatalf("%v in %s", err, doc)
		}
		want := compacted(t, []byte(doc))
		if got := string(mustWriteBook(t, FormatOriginal, in.Book, in.Entries)); got != want {
			rt.Fatal(cmp.Diff(want, got))
		}
		checkBook(t, in)
		if readOnly(in.Book.Format) {
			return
		}
		in.Entries[0].Content = "edited"
		got := string(mustWriteBook(t, FormatOriginal, in.Book, in.Entries))
		want = strings.Replace(want, `"content":"c"`, `"content":"edited"`, 1)
		if diff := cmp.Diff(tree(t, []byte(want)), tree(t, []byte(got))); diff != "" {
			rt.Fatal(diff)
		}
		checkBook(t, in)
		if !slices.EqualFunc(in.Entries, in.Entries, func(a, b storage.LoreEntry) bool { return json.Valid(a.Source) && json.Valid(b.Source) }) {
			rt.Fatal("a source that is no JSON")
		}
	})
}

// TestBooks_OddBooksComeBack gives the fields of every dialect values of every
// kind, fit ones among them.
func TestBooks_OddBooksComeBack(t *testing.T) {
	shapes := map[string][]string{
		`{"name":"n","entries":[%s]}`: {"uid", "key", "keysecondary", "comment", "content", "selective", "selectiveLogic", "order", "position", "disable", "depth",
			"role", "characterFilter", "delayUntilRecursion", "sticky", "probability", "groupWeight", "scanDepth", "caseSensitive", "triggers", "ghostlight", "extensions"},
		`{"extensions":{},"entries":[%s]}`: {"id", "keys", "secondary_keys", "name", "comment", "content", "enabled", "insertion_order", "position", "use_regex",
			"case_sensitive", "selective", "extensions", "constant"},
		`{"kind":"memory","entries":[%s]}`:       {"id", "name", "entry", "keywords", "weight", "priority", "enabled", "position", "secondaryKeys", "selective"},
		`{"type":"risu","data":[%s]}`:            {"key", "secondkey", "mode", "id", "comment", "content", "insertorder", "alwaysActive", "selective", "useRegex", "activationPercent", "extentions"},
		`{"lorebookVersion":5,"entries":[%s]}`:   {"displayName", "text", "keys", "enabled", "forceActivation", "searchRange", "contextConfig", "nonStoryActivatable"},
		`{"savedsettings":{},"worldinfo":[%s]}`:  {"uid", "key", "keysecondary", "keyanti", "comment", "content", "selective", "constant", "probability", "widisabled"},
		`{"wisearchdepth":400,"worldinfo":[%s]}`: {"key", "keysecondary", "keyanti", "selective", "probability"},
	}
	values := []string{`null`, `true`, `false`, `0`, `1`, `"1"`, `7`, `-3`, `2.5`, `1e9`, `1e99`, `""`, `" "`, `"a"`, `"a, b c,"`, `"/x/i"`, `"/"`, `"a & b"`, `"*a?"`,
		`"before_char"`, `"user"`, `"child"`, `"folder"`, `"\u0000\ud800"`, `[]`, `["a","b c","/x/","x/y\\"," ","a"]`, `["",null,3,{}]`, `{}`,
		`{"position":"4","selectiveLogic":1,"depth":-1,"role":"2","name":1}`, `{"names":["a"],"tags":[5]}`, `{"aliases":"a,b","type":3,"locked":"x"}`,
		`{"budgetPriority":"9","risu_case_sensitive":true,"case_sensitive":true}`}
	for shape, fields := range shapes {
		t.Run(shape, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				var entries []string
				for range rapid.IntRange(1, 3).Draw(rt, "entries") {
					var members []string
					for _, field := range rapid.SliceOfNDistinct(rapid.SampledFrom(fields), 0, 8, rapid.ID).Draw(rt, "fields") {
						members = append(members, fmt.Sprintf("%q:%s", field, rapid.SampledFrom(values).Draw(rt, field)))
					}
					entries = append(entries, "{"+strings.Join(members, ",")+"}")
				}
				doc := fmt.Sprintf(shape, strings.Join(entries, ","))
				in, err := ReadBook("a.json", []byte(doc))
				if err != nil {
					rt.Fatalf("%v in %s", err, doc)
				}
				rt.Log(doc)
				checkBook(t, in)
			})
		})
	}
}
