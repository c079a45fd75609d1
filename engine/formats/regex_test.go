package formats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func depthOf(n int) *int { return &n }

func mustRegex(t *testing.T, file string) RegexFile {
	t.Helper()
	f, err := ReadRegex("dir/"+file, load(t, "regex/"+file))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return f
}

func TestReadRegex(t *testing.T) {
	t.Parallel()
	all := storage.RegexPlaces
	for file, want := range map[string]RegexFile{
		"script.json": {From: "script", Scripts: []storage.RegexScript{{Name: "Hide the tally", Find: `/<tally>([\s\S]*?)<\/tally>\n?/gi`, Replace: "<small>{{match}}</small>",
			Trim: []string{"<tally>", "</tally>"}, Places: []storage.RegexPlace{storage.RegexReply, storage.RegexThinking}, DisplayOnly: true, OnEdit: true}}},
		"list.json": {From: "list of scripts", Scripts: []storage.RegexScript{
			{Name: "Old tallies go", Find: `/<tally>[\s\S]*?<\/tally>/g`, Places: []storage.RegexPlace{storage.RegexReply}, PromptOnly: true, Macros: storage.RegexEscaped, MinDepth: depthOf(3), MaxDepth: depthOf(40)},
			{Name: "As 1.10 wrote it", Find: "teh", Replace: "the", Places: all, DisplayOnly: true, PromptOnly: true, Macros: storage.RegexRaw},
			{Name: "Sent as somebody", Find: "/a/g", Replace: "b", Places: []storage.RegexPlace{storage.RegexCommand}, Off: true, MinDepth: depthOf(2)},
			{Name: "Odd", Replace: "5"}},
			Remarks: []string{`"Odd": substituteRegex is "7", which is unknown: macros in the pattern are not replaced`, `"Odd": its placement "9" is not known`,
				`"Odd": it does not say which text it affects, so it has no effect`, `"Odd": it has no pattern, so it has no effect`,
				"script 5 is none: it has no findRegex", "script 6 is none: it has no findRegex"}},
		"settings.json": {From: "settings file", Allowed: []string{"Harbour Master.png"}, Scripts: []storage.RegexScript{{Name: "Straight quotes", Find: "/[“”]/g", Replace: `"`,
			Places: []storage.RegexPlace{storage.RegexUser, storage.RegexReply, storage.RegexLore}, OnEdit: true, Macros: storage.RegexRaw}}},
		"preset.json": {From: "preset", Scripts: []storage.RegexScript{{Name: "Of a preset", Find: "/x/g", Replace: "y", Places: []storage.RegexPlace{storage.RegexUser}, PromptOnly: true, OnEdit: true}}},
	} {
		got := mustRegex(t, file)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(storage.RegexScript{}, "Source"), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
	if got := mustRegex(t, "card.json"); got.From != "card" || len(got.Scripts) != 2 || len(CardRegex(load(t, "regex/card.json"))) != 2 {
		t.Errorf("%+v", got)
	}
}

// A script comes out as it came in, but for what was changed of it.
func TestWriteRegex(t *testing.T) {
	t.Parallel()
	whole := load(t, "regex/script.json")
	s := mustRegex(t, "script.json").Scripts[0]
	if out, err := WriteRegex(s); err != nil || !bytes.Equal(out, whole) {
		t.Fatalf("%v\n%s", err, out)
	}
	list := mustRegex(t, "list.json").Scripts
	list[0].Name, list[0].MinDepth, list[1].Off, list[1].Macros = "Newer", nil, true, storage.RegexAsWritten
	out, err := WriteRegex(list...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"x_mine": {`, `"scriptName": "Newer"`, `"minDepth": null`, `"maxDepth": 40`, `"disabled": true`, `"substituteRegex": 0`, `"replaceString": 5`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in %s", want, out)
		}
	}
	again, err := ReadRegex("x.json", out)
	if diff := cmp.Diff(list, again.Scripts, cmpopts.IgnoreFields(storage.RegexScript{}, "Source")); err != nil || diff != "" {
		t.Errorf("%v %s", err, diff)
	}
	made := storage.RegexScript{ID: "x", Name: "New", Find: "a", Places: slices.Clone(storage.RegexPlaces), PromptOnly: true, Macros: storage.RegexEscaped, MaxDepth: depthOf(0)}
	if out, err = WriteRegex(made); err != nil {
		t.Fatal(err)
	}
	if again, err = ReadRegex("x.json", out); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(made, again.Scripts[0], cmpopts.IgnoreFields(storage.RegexScript{}, "Source", "ID")); diff != "" {
		t.Error(diff)
	}
}

func TestRefusedRegex(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]error{
		`{"temperature":1,"top_p":1,"extensions":{"regex_scripts":[]}}`: ErrNotRegex,
		`[1]`: ErrNotRegex, `"x"`: ErrNotRegex, `{"entries":{}}`: ErrNotRegex, `{"findRegex":`: ErrDamaged, "\x89PNG\r\n\x1a\n": nil,
		`{"extension_settings":{"regex":{}}}`: ErrNotRegex, "[" + strings.Repeat(`{"findRegex":"a"},`, MaxRegexScripts) + `{"findRegex":"a"}]`: ErrNotRegex,
	} {
		if got, err := ReadRegex("x.json", []byte(data)); err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%.40s: %v %v", data, got, err)
		}
	}
	long := fmt.Sprintf(`[{"findRegex":%q},{"findRegex":"a","replaceString":%q},{"findRegex":"b"}]`, strings.Repeat("a", maxRegexFind+1), strings.Repeat("a", maxRegexReplace+1))
	if got, err := ReadRegex("x.json", []byte(long)); err != nil || len(got.Scripts) != 1 || len(got.Remarks) != 3 {
		t.Errorf("%v, %d scripts, %q", err, len(got.Scripts), got.Remarks)
	}
}

func FuzzReadRegex(f *testing.F) {
	for _, file := range []string{"script.json", "list.json", "settings.json", "preset.json", "card.json"} {
		f.Add(load(f, "regex/"+file))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := ReadRegex("x.json", data)
		if err != nil {
			return
		}
		out, err := WriteRegex(got.Scripts...)
		if err != nil || !json.Valid(out) {
			t.Fatalf("%v: %s", err, out)
		}
		again, err := ReadRegex("x.json", out)
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if diff := cmp.Diff(got.Scripts, again.Scripts, cmpopts.IgnoreFields(storage.RegexScript{}, "Source")); diff != "" {
			t.Fatal(diff)
		}
	})
}
