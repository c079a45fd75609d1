package tui

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What an editor has left unchanged is the same text, byte for byte, and of what it
// has changed only the line end that was added for it is taken off.
func TestEditor_KeepsBytes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", "a\n", "a\n\n\n", "\n", "a\r", "a\r\nb", "a\rb", "👩‍👩‍👧‍👦 👍🏽 ❤️", "\xff\xfe", "\tx \t"} {
		if got := edited(text, text+"\n"); got != text {
			t.Errorf("%q comes back as %q", text, got)
		}
		if got := edited(text, text); got != text {
			t.Errorf("%q without a line end comes back as %q", text, got)
		}
	}
	for _, c := range []struct{ was, got, want string }{
		{"a", "b\n", "b"}, {"a", "b\n\n", "b\n"}, {"a", "b", "b"}, {"a\nb", "a\r\nc\r\n", "a\nc"}, {"a\r\nb", "a\r\nc\n", "a\r\nc"}, {"a", "\xff\n", "\uFFFD"},
	} {
		if got := edited(c.was, c.got); got != c.want {
			t.Errorf("%q edited to %q is %q, not %q", c.was, c.got, got, c.want)
		}
	}
}

// What is too long for a text is not read, and not thrown away either.
func TestReadEdited(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text.md")
	if err := os.WriteFile(path, []byte("Tove nods.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := readEdited(path); err != nil || got != "Tove nods.\n" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the file was left")
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 300<<20); err != nil {
		t.Fatal(err)
	}
	if _, err := readEdited(path); err == nil || !strings.Contains(err.Error(), "300 MB") || !strings.Contains(err.Error(), path) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error("what was written is gone")
	}
}

// The command of an editor has its words as in a shell.
func TestEditorWords(t *testing.T) {
	for command, want := range map[string][]string{
		"": nil, "  \t": nil, "vi": {"vi"}, " code  --wait ": {"code", "--wait"}, `"/my apps/subl" -w`: {"/my apps/subl", "-w"}, `'/my apps/subl' -w`: {"/my apps/subl", "-w"},
		`/my\ apps/subl -w`: {"/my apps/subl", "-w"}, `emacsclient -a "" -c`: {"emacsclient", "-a", "", "-c"}, `a"b c"'d e'f`: {"ab cd ef"}, `vim -c "set tw=\"0\" \n"`: {"vim", "-c", `set tw="0" \n`},
		`'a\b'`: {`a\b`},
	} {
		if got, err := editorWords(command, true); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q %v", command, got, err)
		}
	}
	if got, err := editorWords(`C:\vim\vim.exe -f`, false); err != nil || !slices.Equal(got, []string{`C:\vim\vim.exe`, "-f"}) {
		t.Errorf("%q %v", got, err)
	}
	for _, open := range []string{`"vi`, `vi 'x`} {
		if _, err := editorWords(open, true); err == nil {
			t.Errorf("%s: taken", open)
		}
	}
}
