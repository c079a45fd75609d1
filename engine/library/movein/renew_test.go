package movein_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A newer card brings the files that came with it: those of the older one are gone.
func TestMoveIn_NewerAssets(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	dir := filepath.Join(t.TempDir(), "u")
	enginetest.Must(t, os.MkdirAll(filepath.Join(dir, "characters"), 0o700))
	card := func(text string, assets ...formats.Asset) {
		c := storage.Character{Card: storage.Card{Name: "Orla", Description: text}}
		data, _, err := formats.WriteCard("charx", c, nil, assets)
		enginetest.Must(t, err)
		enginetest.Must(t, os.WriteFile(filepath.Join(dir, "characters", "Orla.charx"), data, 0o600))
	}
	asset := func(name, data string) formats.Asset {
		return formats.Asset{Path: "assets/other/" + name, Data: []byte(data)}
	}
	card("one", asset("old.txt", "old"), asset("both.txt", "first"))
	move(t, s, dir, false)
	card("two", asset("new.txt", "new"), asset("both.txt", "second"))
	move(t, s, dir, true)
	orla, err := s.Library.FindCharacter("Orla")
	enginetest.Must(t, err)
	if orla.Card.Description != "two" {
		t.Errorf("the card says %q", orla.Card.Description)
	}
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		if paths, _ := tx.Assets(orla.ID); len(paths) != 2 {
			t.Errorf("the files are %q", paths)
		}
		for name, want := range map[string]string{"new.txt": "new", "both.txt": "second"} {
			if data, err := tx.Asset(orla.ID, "assets/other/"+name); err != nil || string(data) != want {
				t.Errorf("%s is %q, %v", name, data, err)
			}
		}
		return nil
	}))
}
