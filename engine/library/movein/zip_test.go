package movein_test

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// zipped packs a folder, below a path in the archive, and what else is given.
func zipped(t *testing.T, dir, below string, more map[string]string) string {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	enginetest.Must(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		f, err := w.Create(below + filepath.ToSlash(rel))
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err == nil {
			_, err = f.Write(data)
		}
		return err
	}))
	for name, text := range more {
		f, err := w.Create(name)
		enginetest.Must(t, err)
		_, err = f.Write([]byte(text))
		enginetest.Must(t, err)
	}
	link := &zip.FileHeader{Name: below + "characters/link.png"}
	link.SetMode(fs.ModeSymlink | 0o777)
	f, err := w.CreateHeader(link)
	enginetest.Must(t, err)
	_, err = f.Write([]byte("/etc/passwd"))
	enginetest.Must(t, err)
	enginetest.Must(t, w.Close())
	path := filepath.Join(t.TempDir(), "default-user-20240101.zip")
	enginetest.Must(t, os.WriteFile(path, out.Bytes(), 0o600))
	return path
}

// The zip of a backup comes in like the folder, and what came from the one is here when
// the other is moved in. What leads out of the archive is left out and named.
func TestMoveIn_Backup(t *testing.T) {
	t.Parallel()
	s := furnished(t)
	dir := made(t, small)
	evil := `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Evil"}}`
	path := zipped(t, dir, "", map[string]string{"../characters/evil.json": evil, "/characters/evil.json": evil, `..\..\evil.json`: evil,
		"characters/bomb.json": strings.Repeat(" ", 40<<20)})
	got := move(t, s, path, false)
	sameData(t, s)
	for _, name := range []string{"../characters/evil.json", "/characters/evil.json", "../../evil.json", "characters/bomb.json", "characters/link.png"} {
		if !slices.ContainsFunc(got.Left, func(l storage.MoveRemark) bool { return l.Path == name && l.Why != "" }) {
			t.Errorf("the report does not say why %s is left out", name)
		}
	}
	if again := move(t, s, dir, false); counts(again.Kinds, "chats").Here != 12 || counts(again.Kinds, "characters").Here != 5 {
		t.Errorf("the folder after its backup: %+v", again.Kinds)
	}
	sameData(t, s)
}

// Links in a folder are not followed, whether they lead out of it or in a circle.
func TestMoveIn_Links(t *testing.T) {
	t.Parallel()
	s := furnished(t)
	dir := made(t, small)
	outside := filepath.Join(t.TempDir(), "card.json")
	enginetest.Must(t, os.WriteFile(outside, []byte(`{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Outside"}}`), 0o600))
	enginetest.Must(t, os.Symlink(outside, filepath.Join(dir, "characters", "outside.json")))
	enginetest.Must(t, os.Symlink(dir, filepath.Join(dir, "chats", "circle")))
	enginetest.Must(t, os.Symlink("self", filepath.Join(dir, "worlds", "self")))
	got := move(t, s, dir, false)
	sameData(t, s)
	for _, name := range []string{"characters/outside.json", "chats/circle", "worlds/self"} {
		if !slices.ContainsFunc(got.Left, func(l storage.MoveRemark) bool { return l.Path == name && strings.Contains(l.Why, "link") }) {
			t.Errorf("the report does not name the link %s", name)
		}
	}
}

// What is newer there waits until it is asked for; what was changed here stays even then.
func TestMoveIn_Newer(t *testing.T) {
	t.Parallel()
	s := furnished(t)
	dir := filepath.Join(t.TempDir(), "u")
	card := func(name, text string) {
		enginetest.Must(t, os.MkdirAll(filepath.Join(dir, "characters"), 0o700))
		enginetest.Must(t, os.WriteFile(filepath.Join(dir, "characters", name+".json"),
			[]byte(`{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"`+name+`","description":"`+text+`"}}`), 0o600))
	}
	card("Orla", "one")
	card("Bram", "one")
	if c := counts(move(t, s, dir, false).Kinds, "characters"); c.New != 2 {
		t.Fatalf("%+v", c)
	}
	bram, err := s.Library.FindCharacter("Bram")
	enginetest.Must(t, err)
	bram.Card.Personality = "changed here"
	_, err = s.Library.SaveCharacter(bram)
	enginetest.Must(t, err)
	card("Orla", "two")
	card("Bram", "two")
	if c := counts(move(t, s, dir, false).Kinds, "characters"); c.Newer != 2 || c.New != 0 {
		t.Errorf("newer cards: %+v", c)
	}
	about := func(name string) string {
		c, err := s.Library.FindCharacter(name)
		enginetest.Must(t, err)
		return c.Card.Description + c.Card.Personality
	}
	if about("Orla") != "one" {
		t.Error("a newer card was taken unasked")
	}
	got := move(t, s, dir, true)
	if about("Orla") != "two" || about("Bram") != "onechanged here" {
		t.Errorf("Orla is %q, Bram %q: %+v", about("Orla"), about("Bram"), got.Left)
	}
	if c := counts(move(t, s, dir, true).Kinds, "characters"); c.Here != 1 || c.Left != 1 {
		t.Errorf("once more: %+v", c)
	}
}
