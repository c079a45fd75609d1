package movein_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

var small = dataFolder{Characters: 5, Chats: 12, Worlds: 4, Messages: 11}

// everything is the number of imported items of each kind in the small folder.
var everything = map[string]int{"characters": 5, "chats": 12, "lorebooks": 4, "personas": 2, "groups": 1, "group chats": 1, "presets": 4, "regex scripts": 2, "quick replies": 1, "persona pictures": 1}

// furnished is a harness with a folder for prompt files.
func furnished(t testing.TB) *enginetest.Harness {
	t.Helper()
	s := enginetest.NewHarness(t)
	s.Cfg.ConfigDir = filepath.Join(s.Cfg.DataDir, "config")
	s.Reopen()
	return s
}

func made(t testing.TB, f dataFolder) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data", "default-user")
	enginetest.Must(t, f.Write(dir))
	return dir
}

func move(t testing.TB, s *enginetest.Harness, path string, update bool) storage.MoveIn {
	t.Helper()
	_, err := s.MoveIn.Begin(path, update)
	enginetest.Must(t, err)
	_, err = s.Queue.Drain(t.Context())
	enginetest.Must(t, err)
	list, err := s.MoveIn.Moves()
	enginetest.Must(t, err)
	return list[0]
}

func counts(list []storage.MoveCount, kind string) storage.MoveCount {
	i := slices.IndexFunc(list, func(c storage.MoveCount) bool { return c.Kind == kind })
	return list[i]
}

// contents are all files below a folder, to tell whether one was changed.
func contents(t testing.TB, dir string) map[string]string {
	out := map[string]string{}
	enginetest.Must(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			data, rerr := os.ReadFile(name)
			out[name], err = string(data), rerr
		}
		return err
	}))
	return out
}

// A folder comes in whole, with what is bound where; nothing of it is changed, and nothing
// comes twice.
func TestMoveIn_Folder(t *testing.T) {
	t.Parallel()
	s := furnished(t)
	dir := made(t, small)
	before := contents(t, dir)
	plan, err := s.MoveIn.Preview(t.Context(), filepath.Dir(filepath.Dir(dir)), nil)
	enginetest.Must(t, err)
	if !slices.Equal(plan.UserDirs, []string{"data/default-user"}) || plan.New() != 5+12+4+2+1+1+4+2+1+1 {
		t.Errorf("planned %v: %+v", plan.UserDirs, plan.Kinds)
	}
	got := move(t, s, filepath.Dir(filepath.Dir(dir)), false)
	if got.Ended.IsZero() {
		t.Error("the report is not ended")
	}
	for kind, n := range everything {
		if c := counts(got.Kinds, kind); kind == "regex scripts" && (c.Found != 3 || c.New != 2 || c.Left != 1) || kind != "regex scripts" && (c.Found != n || c.New != n || c.Left != 0) {
			t.Errorf("%s: %+v %v", kind, c, got.Left)
		}
	}
	for _, name := range []string{"backgrounds/", "thumbnails/", "secrets.json", "settings.json: regex script no script"} {
		if !slices.ContainsFunc(got.Left, func(l storage.MoveRemark) bool { return strings.Contains(l.Path, name) && l.Why != "" }) {
			t.Errorf("the report does not say why %s is left out", name)
		}
	}
	sameData(t, s)
	for range 2 {
		again := move(t, s, dir, false)
		for kind := range everything {
			if c := counts(again.Kinds, kind); c.New != 0 || c.Here+c.Left != c.Found {
				t.Errorf("moved in again, %s: %+v", kind, c)
			}
		}
	}
	sameData(t, s)
	after := contents(t, dir)
	if len(after) != len(before) {
		t.Error("files were made or removed in the folder")
	}
	for name, text := range before {
		if after[name] != text {
			t.Errorf("%s was changed", name)
		}
	}
}

// Chats that are too long for one transaction, with one character and of a group, come in as
// others do.
func TestMoveIn_TooLongToHold(t *testing.T) {
	t.Parallel()
	s := furnished(t)
	dir := made(t, small)
	blank := strings.Repeat(strings.Repeat(" ", 8191)+"\n", formats.MaxChatInMemory>>13+1)
	for _, files := range []string{"chats/Player 0/*.jsonl", "group chats/*.jsonl"} {
		found, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(files)))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: %q %v", files, found, err)
		}
		text, err := os.ReadFile(found[0])
		enginetest.Must(t, err)
		enginetest.Must(t, os.WriteFile(found[0], append(append(text, '\n'), blank...), 0o600))
	}
	got := move(t, s, dir, false)
	for _, kind := range []string{"chats", "group chats"} {
		if c := counts(got.Kinds, kind); c.New != everything[kind] || c.Left != 0 {
			t.Errorf("%s: %+v %v", kind, c, got.Left)
		}
	}
	waitIndexed(t, s)
	sameData(t, s)
	s.Sound()
	if again := move(t, s, dir, false); counts(again.Kinds, "chats").Here != everything["chats"] {
		t.Errorf("moved in again: %+v", again.Kinds)
	}
}

// waitIndexed waits until all imported chats are indexed.
func waitIndexed(t *testing.T, s *enginetest.Harness) {
	t.Helper()
	for left := true; left && t.Context().Err() == nil; <-time.After(time.Millisecond) {
		left = false
		enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
			for id, c := range storage.Chats.All(tx) {
				left = left || c.From != nil && len(tx.NextUnindexed(id, 1)) > 0
			}
			return nil
		}))
	}
}

// sameData looks whether all of the small folder is there, once, and bound as it was.
func sameData(t *testing.T, s *enginetest.Harness) {
	t.Helper()
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		who, books, personas := map[string]storage.Character{}, map[string]storage.Lorebook{}, map[string]storage.Persona{}
		for _, c := range storage.Characters.All(tx) {
			if _, twice := who[c.Card.Name]; twice {
				t.Errorf("%s is there twice", c.Card.Name)
			}
			who[c.Card.Name] = c
		}
		for _, b := range storage.Lorebooks.All(tx) {
			if _, twice := books[b.Name]; twice {
				t.Errorf("%s is there twice", b.Name)
			}
			books[b.Name] = b
		}
		for _, p := range storage.Personas.All(tx) {
			personas[p.Name] = p
		}
		if c := who["Player 0"]; !slices.Contains(c.Card.Tags, "favourite") || !c.HasAvatar {
			t.Errorf("Player 0 has the tags %v, a picture: %v", c.Card.Tags, c.HasAvatar)
		}
		if b := books["World 0"]; b.Character != who["Player 0"].ID || b.Off {
			t.Errorf("the lorebook of Player 0: %+v", b)
		}
		if b := books["World 1"]; b.Kind != storage.GlobalBook || b.Off {
			t.Errorf("the lorebook for all chats: %+v", b)
		}
		if b := books["World 2"]; b.Character != who["Player 1"].ID {
			t.Errorf("the additional lorebook: %+v", b)
		}
		if b := books["World 3"]; b.Persona != personas["Ann"].ID {
			t.Errorf("the lorebook of a persona: %+v", b)
		}
		if !personas["Bea"].Default || personas["Ann"].Description != "A pilot." {
			t.Errorf("personas: %+v", personas)
		}
		sameGroup(t, tx, who, personas)
		sameSettings(t, s, tx, who)
		n := 0
		for id, c := range storage.Chats.All(tx) {
			if !strings.HasPrefix(c.Title, "Player") {
				continue
			}
			n++
			if i := slices.IndexFunc([]string{"Player 0", "Player 1", "Player 2", "Player 3", "Player 4"}, func(p string) bool { return strings.HasPrefix(c.Title, p) }); c.Character != who["Player "+string(rune('0'+i))].ID {
				t.Errorf("%s is with somebody else", c.Title)
			}
			path, err := tx.Path(id, c.Head, 100)
			if err != nil || len(path) != 11 {
				t.Errorf("%s has %d messages, %v", c.Title, len(path), err)
			}
			swipes, _, _ := tx.Siblings(id, path[0].ID)
			if len(swipes) != 2 {
				t.Errorf("%s begins with %d swipes", c.Title, len(swipes))
			}
			if left := tx.NextUnindexed(id, 1); len(left) > 0 {
				t.Errorf("the words of %s are not all taken in", c.Title)
			}
			switch text := path[0].Content; {
			case strings.HasPrefix(text, "0:"):
				if c.Persona != personas["Ann"].ID || !c.Lorebooks[books["World 0"].ID] {
					t.Errorf("%s: persona %s, lorebooks %v", c.Title, c.Persona, c.Lorebooks)
				}
			case strings.HasPrefix(text, "1:"):
				if c.Persona != personas["Bea"].ID || len(c.Lorebooks) > 0 {
					t.Errorf("%s: persona %s, lorebooks %v", c.Title, c.Persona, c.Lorebooks)
				}
			}
		}
		if n != 12 {
			t.Errorf("%d chats are there", n)
		}
		return nil
	}))
	found, err := s.Chats.Search(t.Context(), chats.Search{Text: "lamp"})
	enginetest.Must(t, err)
	if len(found.Hits) == 0 {
		t.Error("nothing of an imported chat is found")
	}
	enginetest.Must(t, s.Core().Store.Check())
}
