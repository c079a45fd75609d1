package library_test

import (
	"path/filepath"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// A folder that is dropped on the screen shows what would come in, comes in by enter, and
// has a report; dropped again, there is nothing new in it.
func TestMoveIn_Dropped(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs(filepath.Join("testdata", "default-user"))
	if err != nil {
		t.Fatal(err)
	}
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").PasteText(dir).See("Import default-user", "23 new items will be imported", "characters", "Skipped", "enter import").Golden("move-in")
	s.Press("enter").See("imported: 4 lorebooks")
	s.PasteText(dir).See("There is nothing new to import").Press("esc")
	s.Press("ctrl+p").TypeText("import report").Press("enter").See("Imported from default-user").Golden("move-report").Press("esc")
	s.Press("ctrl+p").TypeText("import a SillyTavern").Press("enter").See("The SillyTavern data folder").Golden("move-in-path").Press("esc")
	s.PasteText("/tmp is not a folder to move in").See("is not a folder to move in")
}
