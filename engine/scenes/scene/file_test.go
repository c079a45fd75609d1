package scene

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func exported() File {
	at := time.Date(2026, 3, 4, 5, 6, 7, 890, time.UTC)
	return File{Chat: "Lanterns --> & <gulls>", Scenes: []FileScene{
		{Number: 1, Name: "The boathouse: night", First: "m1", Last: "m4", Running: "r1", Current: 1, Versions: []storage.Recap{
			{ID: "v1", Origin: storage.Generated, SceneName: "Boathouse", Text: wholeText, Model: "tiny:1b", Style: "bullets", CreatedAt: at,
				Atmosphere: "damp --> dim", EmotionalBeats: "trust\n\nworry",
				Lorebooks: []storage.LoreCandidate{{Name: "Brass Lantern", Type: "item", Keywords: []string{"lantern", "brass"}, SecondaryKeys: []string{"keeper"}, Content: "[item-Brass Lantern: brass]", UID: "7"}},
				Sources: []storage.Source{{Bullet: "A brass lantern was found", Messages: []storage.NodeID{"m1", "m2"}},
					{Bullet: "Mara met Robin", Messages: []storage.NodeID{"m2"}}, {Bullet: "An older bullet --> gone", Messages: []storage.NodeID{"m3"}}}},
			{ID: "v2", Origin: storage.Edited, Text: "Mine.\n<!-- scene {\"number\":9} -->\n\\<!-- version {} -->\n - a <!-- from m9 -->\n- b <!-- from -->\n  <!-- lore {} -->\n# Scene 4: x",
				Original: "Before.\n<!-- atmosphere -->", EditedAt: at},
		}},
		{Number: 2, First: "m5", Last: "m5"},
		{Number: 3, Name: "#3", Versions: []storage.Recap{{Text: ""}}},
	}, Running: []storage.Recap{
		{ID: "r1", Node: "m4", Covers: "m4", Origin: storage.Copied, Text: "## Current Situation\n\n- All is well", Sources: []storage.Source{{Bullet: "All is well", Messages: []storage.NodeID{"m4"}}}},
		{ID: "r2", Node: "m5", Text: "- x"},
	}}
}

func TestFile_RoundTrips(t *testing.T) {
	for name, export := range map[string]func(File) []byte{"Markdown": ExportMarkdown, "JSON": ExportJSON} {
		data := export(exported())
		got, err := ReadFile(data)
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, data)
		}
		want := exported()
		want.tidy()
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s\n%s", name, diff, data)
		}
		if again := export(got); !bytes.Equal(again, data) {
			t.Errorf("%s: the second export differs", name)
		}
		if got, err := ReadFile(append([]byte("\ufeff"), bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n"))...)); err != nil || !cmp.Equal(want, got) {
			t.Errorf("%s with other line ends: %v %s", name, err, cmp.Diff(want, got))
		}
		if empty, err := ReadFile(export(File{})); err != nil || !cmp.Equal(empty, File{Scenes: empty.Scenes}) || len(empty.Scenes) > 0 {
			t.Errorf("%s of nothing: %+v %v", name, empty, err)
		}
	}
}

func TestReadFile_TakesMarkdownEditedByHand(t *testing.T) {
	text := string(ExportMarkdown(exported()))
	for old, now := range map[string]string{
		"# Scene 1: The boathouse: night":                 "# Scene 1: At the boathouse",
		"- A brass lantern was found <!-- from m1 m2 -->": "* A lantern of brass was found   <!--  from m1 m2 -->",
		"- Mara met Robin <!-- from m2 -->":               "- A new bullet\n- Mara met Robin again <!-- from m2 -->",
		"damp --> dim":                                    "dry",
		"[item-Brass Lantern: brass]":                     "[item-Brass Lantern: brass, heavy]",
		"\n# Scene 2\n":                                   "\n# Scene 2: Alone\n\n<!-- version {} -->\nWritten by hand.\n",
	} {
		if !strings.Contains(text, old) {
			t.Fatalf("%q is not there:\n%s", old, text)
		}
		text = strings.Replace(text, old, now, 1)
	}
	text = strings.Replace(text, "<!--  from", "<!-- from", 1)
	f, err := ReadFile([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	v := f.Scenes[0].Versions[0]
	if f.Scenes[0].Name != "At the boathouse" || v.Atmosphere != "dry" || v.Lorebooks[0].Content != "[item-Brass Lantern: brass, heavy]" ||
		f.Scenes[1].Name != "Alone" || f.Scenes[1].Versions[0].Text != "Written by hand." {
		t.Errorf("%+v", f)
	}
	want := []storage.Source{{Bullet: "A lantern of brass was found", Messages: []storage.NodeID{"m1", "m2"}}, {Bullet: "Mara met Robin again", Messages: []storage.NodeID{"m2"}},
		{Bullet: "An older bullet --> gone", Messages: []storage.NodeID{"m3"}}}
	if diff := cmp.Diff(want, v.Sources); diff != "" {
		t.Error(diff)
	}
}

func TestReadFile_NamesTheLine(t *testing.T) {
	head := "# Recaps\n<!-- ghostlight-recaps {\"version\":1} -->\n"
	for name, c := range map[string]struct{ data, says string }{
		"nothing":           {"", "line 1: this is no recap file"},
		"something else":    {"# My notes\n\n- a\n", "line 1: this is no recap file"},
		"no beginning":      {"x\n<!-- scene {\"number\":1} -->\n", "line 2: this is no recap file"},
		"other JSON":        {"{\"spec\": \"chara_card_v2\"}", "line 1: this is no recap file"},
		"broken JSON":       {"{\n\"format\": \"ghostlight-recaps\",\n\"scenes\": [}\n}", "line 3: "},
		"wrong JSON":        {"{\n\"format\": \"ghostlight-recaps\",\n\"scenes\": 3\n}", "line 3: "},
		"newer JSON":        {"{\"format\": \"ghostlight-recaps\", \"version\": 2}", "newer version"},
		"newer":             {"<!-- ghostlight-recaps {\"version\":2} -->", "line 1: written by a newer version"},
		"twice":             {head + "<!-- ghostlight-recaps {} -->", "line 3: a second beginning"},
		"damaged comment":   {head + "<!-- scene {\"number\":1 -->", "line 3: the comment is damaged"},
		"empty comment":     {head + "\n<!-- scene -->", "line 4: the comment lacks"},
		"no scene":          {head + "<!-- version {} -->", "line 3: <!-- version --> belongs to no scene"},
		"no version":        {head + "<!-- scene {} -->\n<!-- atmosphere -->", "line 4: <!-- atmosphere --> belongs to no version"},
		"stray text":        {head + "<!-- scene {} -->\n# Scene 1\n\n- a lost bullet\n", "line 6: text that belongs to no version"},
		"too large":         {strings.Repeat("x", MaxFile+1), "larger than 8 MB"},
		"damaged candidate": {head + "<!-- scene {} -->\n<!-- version {} -->\na\n<!-- lore {\"keywords\":3} -->\n", "line 6: the comment is damaged"},
	} {
		if _, err := ReadFile([]byte(c.data)); err == nil || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "recap file: ") {
			t.Errorf("%s: %v, want %q", name, err, c.says)
		}
	}
}

func TestReadFile_CleansWhatItReads(t *testing.T) {
	f, err := ReadFile([]byte(`{"format": "ghostlight-recaps", "version": 1, "chat": "a\u001b\nb", "scenes": [{"number": -4, "name": "x\u202ey", "last": "m 1", "current": 99,
		"versions": [{"text": "a\r\n\u0007b\n", "sources": [{"bullet": "a", "messages": ["m1", "bad id", ""]}]}]}, {"current": -1}]}`))
	if err != nil {
		t.Fatal(err)
	}
	s := f.Scenes[0]
	if f.Chat != "a b" || s.Number != 0 || s.Name != "xy" || s.Current != 0 || s.Versions[0].Text != "a\nb" || f.Scenes[1].Current != 0 {
		t.Errorf("%+v", f)
	}
}

func FuzzReadFile(f *testing.F) {
	f.Add(ExportMarkdown(exported()))
	f.Add(ExportJSON(exported()))
	f.Add([]byte("<!-- ghostlight-recaps {} -->\n<!-- scene {} -->\n# Scene 1\n<!-- version {} -->\n\\\\<!-- scene -->\n- a <!-- from x --> <!-- from y -->\n<!-- from z -->\n\n<!-- running {} -->\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := ReadFile(data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "recap file: ") {
				t.Fatal(err)
			}
			return
		}
		for name, export := range map[string]func(File) []byte{"Markdown": ExportMarkdown, "JSON": ExportJSON} {
			out := export(file)
			again, err := ReadFile(out)
			if err != nil {
				t.Fatalf("%s: %v\n%s", name, err, out)
			}
			if fmt.Sprintf("%#v", again) != fmt.Sprintf("%#v", file) && !cmp.Equal(file, again, equateEmpty) {
				t.Fatalf("%s: %s\n%s", name, cmp.Diff(file, again, equateEmpty), out)
			}
		}
	})
}

var equateEmpty = cmp.FilterValues(func(a, b []FileScene) bool { return len(a)+len(b) == 0 }, cmp.Ignore())
