package library_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// TestImport_OtherPrograms stores what files of other programs hold: a chat with its own
// lorebook, several chats of one character, and a chat whose character only its folder
// names.
func TestImport_OtherPrograms(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	save := `{"gamestarted":true,"prompt":"Ada: Hello?","memory":"","actions":["\nMara Quill: Hm."],"worldinfo":[{"key":"lamp","content":"It burns oil.","comment":"Lamp"}],"savedsettings":{"opmode":3,"chatname":"Ada","chatopponent":"Mara Quill"}}`
	got, err := s.Library.Import(enginetest.Write(t, "night.json", save))
	enginetest.Must(t, err)
	if got.Chat.Title != "night" || got.Format != "KoboldAI Lite, chat" || got.Character.Card.Name != "Mara Quill" || got.Lorebook.Kind != storage.ChatBook || got.Lorebook.Chat != got.Chat.ID || got.Entries != 1 {
		t.Errorf("a save: %+v", got)
	}
	mara := got.Character.ID
	got, err = s.Library.Import(enginetest.Write(t, "watches.json", `{"type":"risuAllChats","ver":2,"data":[{"name":"One","message":[{"role":"char","data":"a"}]},{"name":"Two","message":[{"role":"user","data":"b"}]}]}`))
	enginetest.Must(t, err)
	if got.Chat.Title != "One" || len(got.More) != 1 || got.More[0].Chat.Title != "Two" || got.More[0].Character.ID != got.Character.ID {
		t.Errorf("several chats: %+v", got)
	}
	dir := filepath.Join(t.TempDir(), "Mara Quill")
	enginetest.Must(t, os.Mkdir(dir, 0o700))
	path := filepath.Join(dir, "20240501-10-00-00.json")
	enginetest.Must(t, os.WriteFile(path, []byte(`{"internal":[["Hello?","Hm."]],"visible":[["Hello?","Hm."]]}`), 0o600))
	got, err = s.Library.ImportChat(path, "")
	enginetest.Must(t, err)
	if got.Character.ID != mara || len(got.Warnings) != 0 {
		t.Errorf("a chat in the folder of its character: %+v", got)
	}
}

func TestImportPersonas(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	path := enginetest.Write(t, "personas.json", `{"personas":{"a.png":"Ada","b.png":"Bo"},"persona_descriptions":{"a.png":{"description":"Walks."}},"default_persona":"a.png"}`)
	for _, want := range []struct{ made, had int }{{2, 0}, {0, 2}} {
		got, err := s.Library.ImportPersonas(path)
		enginetest.Must(t, err)
		if len(got.Personas) != want.made || got.Existing != want.had {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	list, err := s.Library.Personas()
	if err != nil || len(list) != 3 || list[0].Name != "Robin" || !list[0].Default {
		t.Errorf("%+v %v", list, err)
	}
}
