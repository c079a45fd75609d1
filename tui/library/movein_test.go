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
	s.See("‹1/3›").PasteText(dir).See("Move in default-user", "22 new ones will come in", "characters", "Left out", "enter move in").Golden("move-in")
	s.Press("enter").See("moved in: 4 lorebooks")
	s.PasteText(dir).See("There is nothing new in it").Press("esc")
	s.Press("ctrl+p").TypeText("report of the last").Press("enter").See("Moved in from default-user").Golden("move-report").Press("esc")
	s.Press("ctrl+p").TypeText("move in from").Press("enter").See("The folder where SillyTavern").Golden("move-in-path").Press("esc")
	s.PasteText("/tmp is not a folder to move in").See("is not a folder to move in")
}
