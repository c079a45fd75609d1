package library_test

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestMoveOut_AllSubjects(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	one := s.Say("One.")
	s.Say("Two.")
	enginetest.Must(t, s.Chats.Branch(s.Chat, one.Message))
	s.Say("Instead.")
	picture := shoot(t, s, ".png", enginetest.Graphed(t, 40), true, "the lamp")
	gone := shoot(t, s, ".png", nil, true, "lost")
	evil, err := s.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "../../..\\evil:\x00 name. ", FirstMessage: "Hello."}})
	enginetest.Must(t, err)
	chat, err := s.Chats.New(evil.ID, "CON")
	enginetest.Must(t, err)
	_, err = s.Library.SavePersona(storage.Persona{Name: "Ada", Description: "A diver.", Default: true})
	enginetest.Must(t, err)
	s.Book(storage.Lorebook{Name: "Harbour/Tides", Kind: storage.GlobalBook}, enginetest.Keyed("tide", "High at six.", "tide"))
	warm := 0.9
	_, err = s.Models.SaveProfile(context.Background(), storage.Profile{Name: "warm", NumPredict: 512, Server: "http://me:secret@host:11434", Temperature: &warm, TopP: &warm})
	enginetest.Must(t, err)

	dir := filepath.Join(t.TempDir(), "out")
	var told []string
	got, err := s.Library.MoveOut(context.Background(), dir, []byte("url = \"http://me:secret@host\"\n"), func(what string) { told = append(told, what) })
	enginetest.Must(t, err)
	if got.Characters != 2 || got.Chats != 2 || got.Branches != 1 || got.Lorebooks < 1 || got.Personas != 2 || got.Pictures != 1 || got.Profiles != 1 || len(got.Left) != 1 || !strings.Contains(got.Left[0], string(gone.ID)) {
		t.Errorf("%+v", got)
	}
	n := 0
	enginetest.Must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			n++
			if strings.HasPrefix(d.Name(), ".ghostlight") {
				t.Errorf("%s is left over", path)
			}
			if data := enginetest.Read(t, path); strings.Contains(string(data), "secret") {
				t.Errorf("%s holds a secret", path)
			}
		}
		return err
	}))
	if n != got.Files || len(told) < 5 {
		t.Errorf("%d files, %d told, %q", n, got.Files, told)
	}
	for _, rel := range []string{"characters/Tove Halloran.png", "chats/Tove Halloran/Tove Halloran.jsonl", "chats/Tove Halloran/Tove Halloran - branch at message 3.jsonl", "chats/evil name/_CON.jsonl", "characters/evil name.png",
		"worlds/HarbourTides.json", "personas.json", "user/images/Tove Halloran/" + string(picture.ID) + ".png", "TextGen Settings/warm.json", "ghostlight/config.toml", "README.md"} {
		if len(enginetest.Read(t, filepath.Join(dir, rel))) == 0 {
			t.Error(rel)
		}
	}
	var personas struct {
		Names   map[string]string                       `json:"personas"`
		About   map[string]struct{ Description string } `json:"persona_descriptions"`
		Default string                                  `json:"default_persona"`
	}
	text := enginetest.Read(t, filepath.Join(dir, "personas.json"))
	enginetest.Must(t, json.Unmarshal(text, &personas))
	if personas.Names["Ada.png"] != "Ada" || personas.About["Ada.png"].Description != "A diver." || personas.Default != "Ada.png" || formats.Detect("x", text) != formats.KindPersonas {
		t.Errorf("%s", text)
	}
	other := enginetest.NewHarness(t) // what left can come in elsewhere
	for _, rel := range []string{"characters/evil name.png", "chats/evil name/_CON.jsonl", "worlds/HarbourTides.json"} {
		if _, err := other.Library.Import(filepath.Join(dir, rel)); err != nil {
			t.Errorf("%s: %v", rel, err)
		}
	}
	if _, err := s.Library.MoveOut(context.Background(), dir, nil, nil); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Errorf("into a folder with files: %v", err)
	}
	if _, err := s.Library.MoveOut(context.Background(), filepath.Join(s.Core().Config.DataDir, "x"), nil, nil); err == nil {
		t.Error("into our own folder")
	}
	_ = chat
}

func TestMoveOut_AGroupKeepsWhoPlays(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	who, err := s.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Bo"}})
	enginetest.Must(t, err)
	enginetest.Must(t, s.Chats.Change(s.Chat, func(c *storage.Chat) {
		c.Play.Cast, c.Play.MainAway, c.Play.Order = []storage.CastMember{{Character: who.ID}}, true, storage.OrderPooled
	}))
	dir := t.TempDir()
	_, err = s.Library.MoveOut(context.Background(), dir, nil, nil)
	enginetest.Must(t, err)
	text := enginetest.Read(t, filepath.Join(dir, "groups", "Tove Halloran.json"))
	var g struct {
		Members  []string `json:"members"`
		Disabled []string `json:"disabled_members"`
		Chats    []string `json:"chats"`
		Strategy int      `json:"activation_strategy"`
	}
	enginetest.Must(t, json.Unmarshal(text, &g))
	if len(g.Members) != 2 || !slices.Equal(g.Disabled, g.Members[:1]) || g.Strategy != int(formats.Pooled) || len(g.Chats) != 1 || len(enginetest.Read(t, filepath.Join(dir, "group chats", g.Chats[0]+".jsonl"))) == 0 || formats.Detect("x", text) != formats.KindGroup {
		t.Errorf("%s", text)
	}
}

func TestMoveOut_StoppedLeavesWholeFiles(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	ctx, cancel := context.WithCancel(context.Background())
	dir := t.TempDir()
	got, err := s.Library.MoveOut(ctx, dir, nil, func(what string) {
		if what == "chats" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || got.Characters != 1 || got.Chats != 0 {
		t.Errorf("%+v %v", got, err)
	}
	enginetest.Must(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (strings.HasSuffix(path, ".jsonl") || strings.HasPrefix(d.Name(), ".ghostlight")) {
			t.Errorf("%s is there", path)
		}
		return err
	}))
}
