package movein_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// sameSettings looks whether the presets, quick replies and scripts of the small folder are
// there once, with their profiles and texts, and act where they did.
func sameSettings(t *testing.T, s *enginetest.Harness, tx *storage.Tx, who map[string]storage.Character) {
	t.Helper()
	var presets, profiles, scripts, files []string
	for _, p := range storage.Presets.All(tx) {
		presets, files = append(presets, p.Name), append(files, p.Files...)
	}
	for _, p := range storage.Profiles.All(tx) {
		profiles = append(profiles, p.Name)
	}
	for _, r := range storage.RegexScripts.All(tx) {
		name := r.Name
		if r.Off {
			name += " off"
		}
		scripts = append(scripts, name)
	}
	slices.Sort(presets)
	if !slices.Equal(presets, []string{"Calm", "Calm", "Lines", "Set", "Warm"}) || !slices.Equal(profiles, []string{"Calm", "Warm"}) || !slices.Equal(scripts, []string{"dashes", "status off"}) {
		t.Errorf("presets %q, profiles %q, scripts %q", presets, profiles, scripts)
	}
	dir := filepath.Join(s.Cfg.ConfigDir, "prompts")
	there, err := filepath.Glob(filepath.Join(dir, "presets", "*", "*"))
	enginetest.Must(t, err)
	// A file that was being written when the program was killed stays beside, and is nobody's.
	there = slices.DeleteFunc(there, func(path string) bool { return strings.HasPrefix(filepath.Base(path), ".ghostlight-") })
	for i, path := range there {
		rel, _ := filepath.Rel(dir, path)
		there[i] = filepath.ToSlash(rel)
	}
	slices.Sort(files)
	slices.Sort(there)
	if !slices.Equal(files, there) || len(files) != 5 {
		t.Errorf("the presets have %q, in the folder are %q", files, there)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "presets", "calm", "main.md")); err != nil || string(text) != "You are {{char}}.\n" {
		t.Errorf("%q %v", text, err)
	}
	for name, want := range map[string]bool{"Player 0": true, "Player 1": false} {
		said, err := storage.CardRegexes.Get(tx, who[name].ID)
		if acts := err == nil && said.On; acts != want {
			t.Errorf("the script of %s acts: %v", name, acts)
		}
	}
}

// What came in otherwise is not taken again, a newer preset stands beside the older one,
// and a newer script takes the place of one that was not changed here.
func TestMoveIn_Settings(t *testing.T) {
	t.Parallel()
	const warm, cool = `{"temp":1.1,"top_p":0.95}`, `{"temp":0.4,"top_p":0.95}`
	settings := func(scripts string) string { return `{"extension_settings":{"regex":[` + scripts + `]}}` }
	script := func(id, name, with string) string {
		return `{"id":"` + id + `","scriptName":"` + name + `","findRegex":"a","replaceString":"` + with + `","placement":[2]}`
	}
	for name, test := range map[string]struct {
		before func(s *enginetest.Harness)
		first  map[string]string
		second map[string]string // nil for the first again
		update bool
		want   map[string]storage.MoveCount // of the second move
		has    []string                     // words of its report
		holds  []string                     // replacements of scripts, temperatures of profiles
	}{
		"a preset that was imported by itself": {
			before: func(s *enginetest.Harness) {
				_, err := s.Library.ImportPreset(enginetest.Write(t, "Mine.json", warm))
				enginetest.Must(t, err)
			},
			first: map[string]string{"TextGen Settings/Warm.json": warm, "worlds/x.json": `{"entries":{}}`},
			want:  map[string]storage.MoveCount{"presets": {Found: 1, Here: 1}}, holds: []string{"1.1"},
		},
		"a script that was imported by itself": {
			before: func(s *enginetest.Harness) {
				_, err := s.Chats.Regex.Import(enginetest.Write(t, "a.json", script("x", "one", "b")))
				enginetest.Must(t, err)
			},
			first: map[string]string{"settings.json": settings(script("r1", "one", "b")), "worlds/x.json": `{"entries":{}}`},
			want:  map[string]storage.MoveCount{"regex scripts": {Found: 1, Here: 1}}, holds: []string{"b"},
		},
		"a newer preset": {
			first:  map[string]string{"TextGen Settings/Warm.json": warm, "worlds/x.json": `{"entries":{}}`},
			second: map[string]string{"TextGen Settings/Warm.json": cool, "worlds/x.json": `{"entries":{}}`},
			update: true,
			want:   map[string]storage.MoveCount{"presets": {Found: 1, New: 1}}, has: []string{"added separately"}, holds: []string{"1.1", "0.4"},
		},
		"a newer preset that is not asked for": {
			first:  map[string]string{"TextGen Settings/Warm.json": warm, "worlds/x.json": `{"entries":{}}`},
			second: map[string]string{"TextGen Settings/Warm.json": cool, "worlds/x.json": `{"entries":{}}`},
			want:   map[string]storage.MoveCount{"presets": {Found: 1, Newer: 1}}, holds: []string{"1.1"},
		},
		"newer scripts, one of them renamed": {
			first:  map[string]string{"settings.json": settings(script("r1", "one", "b") + "," + script("r2", "two", "c")), "worlds/x.json": `{"entries":{}}`},
			second: map[string]string{"settings.json": settings(script("r1", "first", "d") + "," + script("r2", "two", "c")), "worlds/x.json": `{"entries":{}}`},
			update: true,
			want:   map[string]storage.MoveCount{"regex scripts": {Found: 2, New: 1, Here: 1}}, holds: []string{"d", "c"},
		},
		"loose files, told by content": {
			first: map[string]string{"a.json": script("r1", "one", "b"), "b.json": "[" + script("r2", "two", "c") + "," + script("r3", "three", "d") + "]", "Warm.json": warm,
				"q.json": `{"version":2,"name":"Set","qrList":[{"label":"Go on","message":"Go on."}]}`},
			want:  map[string]storage.MoveCount{"regex scripts": {Found: 2, Here: 2}, "presets": {Found: 1, Here: 1}, "quick replies": {Found: 1, Here: 1}},
			holds: []string{"b", "c", "d", "1.1"},
		},
		"damaged ones": {
			first: map[string]string{"TextGen Settings/Warm.json": "{", "QuickReplies/q.json": "[]", "settings.json": settings(`5,` + script("r1", "one", "b")), "worlds/x.json": `{"entries":{}}`},
			want:  map[string]storage.MoveCount{"regex scripts": {Found: 2, Here: 1, Left: 1}, "presets": {Found: 1, Left: 1}, "quick replies": {Found: 1, Left: 1}},
			holds: []string{"b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := furnished(t)
			if test.before != nil {
				test.before(s)
			}
			dir := write(t, test.first)
			move(t, s, dir, false)
			for name, text := range test.second {
				enginetest.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			got := move(t, s, dir, test.update)
			for kind, want := range test.want {
				if want.Kind = kind; counts(got.Kinds, kind) != want {
					t.Errorf("%+v, want %+v: %+v", counts(got.Kinds, kind), want, got.Left)
				}
			}
			for _, words := range test.has {
				if !slices.ContainsFunc(got.Remarks, func(l storage.MoveRemark) bool { return strings.Contains(l.Why, words) }) {
					t.Errorf("no remark says %q: %+v", words, got.Remarks)
				}
			}
			var holds []string
			enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
				for _, r := range storage.RegexScripts.All(tx) {
					holds = append(holds, r.Replace)
				}
				for _, p := range storage.Presets.All(tx) {
					for _, want := range []string{"1.1", "0.4"} {
						if strings.Contains(string(p.Source), want) {
							holds = append(holds, want)
						}
					}
				}
				return nil
			}))
			if !slices.Equal(holds, test.holds) {
				t.Errorf("there are %q, want %q", holds, test.holds)
			}
		})
	}
}

// A script that was changed here stays as it is, and so does the word on a card's scripts.
func TestMoveIn_ScriptChangedHere(t *testing.T) {
	t.Parallel()
	s := furnished(t)
	settings := func(with string) string {
		return `{"extension_settings":{"regex":[{"id":"r1","scriptName":"one","findRegex":"a","replaceString":"` + with + `","placement":[2]}]}}`
	}
	dir := write(t, map[string]string{"settings.json": settings("b"), "worlds/x.json": `{"entries":{}}`})
	move(t, s, dir, false)
	v, err := s.Chats.Regex.Find("one")
	enginetest.Must(t, err)
	v.RegexScript.Replace = "mine"
	_, err = s.Chats.Regex.Put(v.RegexScript)
	enginetest.Must(t, err)
	enginetest.Must(t, os.WriteFile(filepath.Join(dir, "settings.json"), []byte(settings("c")), 0o600))
	got := move(t, s, dir, true)
	if c := counts(got.Kinds, "regex scripts"); c.Left != 1 || !strings.Contains(got.Left[0].Why, "changed here") {
		t.Errorf("%+v %+v", c, got.Left)
	}
	if v, err = s.Chats.Regex.Find("one"); err != nil || v.Replace != "mine" {
		t.Errorf("%+v %v", v, err)
	}
}

// The report says of a card's scripts what becomes of them, also where they came in with a
// newer card.
func TestMoveIn_CardScripts(t *testing.T) {
	t.Parallel()
	card := func(text string) string {
		return `{"spec":"chara_card_v2","data":{"name":"Orla","description":"` + text + `","first_mes":"Hm.","extensions":{"regex_scripts":[{"scriptName":"s","findRegex":"` + text + `","placement":[2]}]}}}`
	}
	for name, test := range map[string]struct {
		allowed string
		acts    bool
		words   string
	}{
		"allowed":     {`"Orla.json"`, true, "was allowed there"},
		"not allowed": {`"Osk.png", 5`, false, "inactive until you allow it"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := enginetest.NewHarness(t)
			dir := write(t, map[string]string{"characters/Orla.json": card("one"), "settings.json": `{"extension_settings":{"character_allowed_regex":[` + test.allowed + `]}}`})
			for _, text := range []string{"one", "two"} {
				enginetest.Must(t, os.WriteFile(filepath.Join(dir, "characters/Orla.json"), []byte(card(text)), 0o600))
				got := move(t, s, dir, true)
				if !slices.ContainsFunc(got.Remarks, func(l storage.MoveRemark) bool {
					return l.Path == "characters/Orla.json" && strings.Contains(l.Why, test.words)
				}) {
					t.Errorf("%s: %+v", text, got.Remarks)
				}
				list, err := s.Chats.Regex.List("")
				if err != nil || len(list) != 1 || list[0].On != test.acts || list[0].Find != text {
					t.Errorf("%s: %+v %v", text, list, err)
				}
			}
		})
	}
}

// The texts of a preset whose record was lost with the program are taken up again.
func TestMoveIn_TextsWithoutRecord(t *testing.T) {
	t.Parallel()
	s := furnished(t)
	dir := write(t, map[string]string{"sysprompt/Calm.json": `{"name":"Calm","content":"Write.","post_history":"Stay calm."}`, "worlds/x.json": `{"entries":{}}`})
	texts := filepath.Join(s.Cfg.ConfigDir, "prompts", "presets")
	enginetest.Must(t, os.MkdirAll(filepath.Join(texts, "calm"), 0o700))
	enginetest.Must(t, os.WriteFile(filepath.Join(texts, "calm", "main.md"), []byte("Write.\n"), 0o600))
	move(t, s, dir, false)
	list, err := s.Library.Presets()
	if err != nil || len(list) != 1 || !slices.Equal(list[0].Files, []string{"presets/calm/main.md", "presets/calm/after.md"}) {
		t.Fatalf("%+v %v", list, err)
	}
	// Another one of the same name has a folder of its own, and so has one beside the user's files.
	enginetest.Must(t, os.MkdirAll(filepath.Join(texts, "lamp"), 0o700))
	enginetest.Must(t, os.WriteFile(filepath.Join(texts, "lamp", "main.md"), []byte("Mine.\n"), 0o600))
	for name, want := range map[string]string{"Calm": "presets/calm-2/main.md", "Lamp": "presets/lamp-2/main.md"} {
		got, err := formats.ReadPreset("x.json", []byte(`{"name":"`+name+`","content":"Write."}`))
		enginetest.Must(t, err)
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			p, err := s.Library.AddPreset(tx, got)
			if !slices.Equal(p.Files, []string{want}) {
				t.Errorf("%s: %q", name, p.Files)
			}
			return err
		}))
	}
}
