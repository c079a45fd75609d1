package folder

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func entries(names ...string) (list []Entry) {
	for _, n := range names {
		list = append(list, Entry{Path: n, Size: 1})
	}
	return list
}

// The layouts that versions of SillyTavern have had, and what is none.
func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		in     []Entry
		houses []string
		roles  map[string]Role
	}{
		"data of several users": {entries("data/default-user/characters/Ada.png", "data/default-user/chats/Ada/a.jsonl", "data/default-user/settings.json",
			"data/bea/worlds/W.json", "data/bea/User Avatars/b.png", "data/_storage/x", "data/default-user/secrets.json"),
			[]string{"data/bea", "data/default-user"}, map[string]Role{"data/default-user/characters/Ada.png": Character,
				"data/default-user/chats/Ada/a.jsonl": Chat, "data/default-user/settings.json": Settings, "data/bea/worlds/W.json": World, "data/bea/User Avatars/b.png": PersonaPicture}},
		"public of old": {entries("public/characters/Ada.png", "public/settings.json", "public/group chats/g.jsonl", "public/groups/g.json", "public/img/x.png", "server.js"),
			[]string{"public"}, map[string]Role{"public/characters/Ada.png": Character, "public/settings.json": Settings, "public/group chats/g.jsonl": GroupChat, "public/groups/g.json": Group}},
		"the zip of a user": {entries("characters/Ada.png", "characters/Ada/joy.png", "instruct/A.json", "settings.json", "backups/public/characters/Old.png", "backups/public/chats/x.jsonl"),
			[]string{""}, map[string]Role{"characters/Ada.png": Character, "characters/Ada/joy.png": Sprite, "instruct/A.json": Preset, "settings.json": Settings}},
		"characters alone, one folder down": {entries("old/characters/Ada.png"), []string{"old"}, map[string]Role{"old/characters/Ada.png": Character}},
		"loose files":                       {entries("a.png", "sub/b.jsonl", ".DS_Store"), nil, map[string]Role{"a.png": Loose, "sub/b.jsonl": Loose}},
	} {
		got := Find(c.in)
		if !slices.Equal(got.UserDirs, c.houses) {
			t.Errorf("%s: users' folders %q", name, got.UserDirs)
		}
		if len(got.Files) != len(c.roles) {
			t.Errorf("%s: %d files: %+v", name, len(got.Files), got.Files)
		}
		for _, f := range got.Files {
			if c.roles[f.Path] != f.Role {
				t.Errorf("%s: %s is a %s", name, f.Path, f.Role)
			}
		}
		n := len(got.Files)
		for _, l := range got.Skipped {
			if n += l.Files; l.Reason == "" {
				t.Errorf("%s: no word on %s", name, l.Path)
			}
		}
		if n != len(c.in) {
			t.Errorf("%s: %d of %d files are accounted for", name, n, len(c.in))
		}
	}
}

func TestReadSettings(t *testing.T) {
	now, err := ReadSettings([]byte(`{"power_user":{"personas":{"a.png":"Ann"},"default_persona":"a.png","persona_descriptions":{"a.png":{"description":"A pilot.","lorebook":"W",
		"connections":[{"type":"character","id":"Ada.png"},{"type":"group","id":"1"}]}}},"world_info_settings":{"world_info":{"globalSelect":["G"],"charLore":[{"name":"Ada","extraBooks":["X"]}]}},
		"tags":[{"id":"1","name":"fav"}],"tag_map":{"Ada.png":["1","2"]},"extension_settings":{"regex":[{"scriptName":"s"}],"note":{"default":"d","chara":[{"name":"Ada","prompt":"n","useChara":true}]}}}`))
	if err != nil {
		t.Fatal(err)
	}
	p := now.Personas[0]
	if p.Name != "Ann" || p.Book != "W" || !slices.Equal(p.Characters, []string{"Ada.png"}) || now.Default != "a.png" || !slices.Equal(now.GlobalBooks, []string{"G"}) ||
		!slices.Equal(now.CharBooks["Ada"], []string{"X"}) || !slices.Equal(now.Tags["Ada.png"], []string{"fav"}) || len(now.Regex) == 0 || now.Notes[""] != "d" || now.Notes["Ada"] != "n" {
		t.Errorf("%+v", now)
	}
	old, err := ReadSettings([]byte(`{"power_user":{},"world_info":"Old"}`))
	if err != nil || !slices.Equal(old.GlobalBooks, []string{"Old"}) {
		t.Errorf("%+v, %v", old, err)
	}
	for _, bad := range []string{"", "[]", "{}", `{"a":1}`} {
		if _, err := ReadSettings([]byte(bad)); err == nil {
			t.Errorf("%q was read as settings", bad)
		}
	}
}

func FuzzReadSettings(f *testing.F) {
	f.Add([]byte(`{"power_user":{"personas":{"a.png":"Ann"},"persona_descriptions":{"a.png":{"connections":[{"type":"character","id":"x"}]}}},"tags":[],"tag_map":{}}`))
	f.Add([]byte(`{"world_info_settings":{"world_info":{"globalSelect":[null],"charLore":[{}]}},"extension_settings":{"note":{"chara":[{"useChara":true}]}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadSettings(data)
		if err != nil {
			return
		}
		for _, p := range s.Personas {
			if p.Name == "" || filepath.Base(p.File) != p.File {
				t.Errorf("%+v", p)
			}
		}
	})
}

// An archive of anything is listed without harm, and nothing in it leads out.
func FuzzReadZip(f *testing.F) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, n := range []string{"characters/a.json", "../b", `c\d`, "/e"} {
		in, _ := w.Create(n)
		_, _ = in.Write([]byte("{}"))
	}
	_ = w.Close()
	f.Add(out.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		s, err := readZip(r, int64(len(data)))
		if err != nil {
			return
		}
		for _, e := range s.Entries {
			if !filepath.IsLocal(e.Path) {
				t.Errorf("%q leads out", e.Path)
			}
			in, err := s.Read(e)
			if err != nil {
				continue
			}
			if n, _ := io.Copy(io.Discard, io.LimitReader(in, 1<<20)); n > e.Size+1 {
				t.Errorf("%q gives %d bytes of %d", e.Path, n, e.Size)
			}
			_ = in.Close()
		}
		Find(s.Entries)
	})
}

func TestOpen_Refusals(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"a.zip": "PK\x03\x04 and no more", "a.tar.gz": "\x1f\x8b\x08"} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if s, err := Open(path); err == nil {
			t.Errorf("%s was opened: %+v", name, s.Entries)
		}
	}
	if _, err := Open(filepath.Join(dir, "none")); err == nil {
		t.Error("what is not there was opened")
	}
}
