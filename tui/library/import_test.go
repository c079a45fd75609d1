package library_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// A path that is typed into the list of files is completed by tab and taken by enter;
// one that is wrong stays, with the reason, until it is right.
func TestImport_TypedPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"broken.json": "{",
		"orla.json":   `{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"Orla","description":"A pilot.","first_mes":"Hello."}}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("f7").See("Import from")
	s.TypeText(filepath.Join(dir, "none.json")).Press("enter").See("! ", "none.json", "Import from")
	open := func() (n int) { s.In(func(v *tui.Screen) { n = v.Dialogs() }); return n }
	if open() != 1 {
		t.Error("the dialog is gone after a wrong path")
	}
	s.Press("ctrl+u").NotSee("! ").TypeText(filepath.Join(dir, "br")).Press("tab").See("001/broken.json").Press("enter").See("damaged file")
	if open() != 1 {
		t.Error("the dialog is gone after a file that is no card")
	}
	s.Press("ctrl+u").NotSee("! ").TypeText(filepath.Join(dir, "o")).Press("tab").See("001/orla.json").Press("enter").See("Imported Orla")
	if open() != 1 {
		t.Error("the list of files is open still")
	}
	s.Press("n").Press("f7").See("Import from " + dir[:4]).Press("ctrl+u").TypeText("/").See("/tmp/").Press("esc")
}
