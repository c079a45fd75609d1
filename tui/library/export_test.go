package library_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// A chat is exported in the chosen format; the path is shown, and an existing file is replaced only
// if the user confirms.
func TestExport_AsABookAndAsText(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("ctrl+p").See("Command").TypeText("export this chat").Press("enter").See("Export this chat", "book (EPUB)")
	s.Press("tab", "ctrl+u").TypeText(filepath.Join(dir, "lamp")).Press("ctrl+s").See("Exported", "open")
	data, err := os.ReadFile(filepath.Join(dir, "lamp.epub"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(data[:min(len(data), 128)], []byte("mimetypeapplication/epub+zip")) {
		t.Errorf("a book begins with %q", data[:min(len(data), 64)])
	}
	s.Press("c").Press("ctrl+p").See("Command").TypeText("export this chat").Press("enter").See("Export this chat")
	s.Press("right", "right", "right", "tab", "ctrl+u").TypeText(filepath.Join(dir, "lamp.epub")).See("plain text").Press("ctrl+s").See("Exported", "lamp.txt")
	if text, err := os.ReadFile(filepath.Join(dir, "lamp.txt")); err != nil || !strings.Contains(string(text), "Tove") {
		t.Errorf("%s %v", text, err)
	}
	s.Press("c").Press("ctrl+p").See("Command").TypeText("export this chat").Press("enter").See("Export this chat")
	s.Press("tab", "ctrl+u").TypeText(filepath.Join(dir, "lamp.epub")).Press("ctrl+s").See("Overwrite it?").Press("y").See("Exported").Press("c")
}
