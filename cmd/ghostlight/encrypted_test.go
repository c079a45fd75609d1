//go:build linux || darwin || freebsd

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// All ways to run the program know encrypted data: with the passphrase's file they do what
// they always do, without it they say what is missing, and beside an open program nobody
// is asked.
func TestEncrypted_AllWays(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("many commands, one after another")
	}
	h := homeWithChat(t)
	file := filepath.Join(t.TempDir(), "passphrase")
	for path, text := range map[string]string{file: "swordfish\n", file + ".wrong": "lamp\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(in string, args []string, code int, words ...string) {
		t.Helper()
		out, errs, got := h.said(in, args...)
		if got != code {
			t.Errorf("%q ended with %d, want %d:\n%s\n%s", args, got, code, out, errs)
		}
		for _, w := range words {
			if !strings.Contains(out+errs, w) {
				t.Errorf("%q does not say %q:\n%s\n%s", args, w, out, errs)
			}
		}
	}
	const chat = "T"
	expect("", []string{"doctor"}, 0, "nothing is encrypted")
	h.run(t, "lock", "set", "--passphrase-file", file)

	ways := [][]string{{"chat", "list"}, {"send", chat, "I wait."}, {"queue", "run"}, {"--plain"}, {"serve"}}
	for _, args := range ways {
		expect("", args, 1, "passphrase")
		expect("", append([]string{"--passphrase-file", file + ".wrong"}, args...), 1, "Wrong passphrase")
	}
	h = h.with("GHOSTLIGHT_PASSPHRASE_FILE=" + file)
	expect("", []string{"send", chat, "I light the lamp."}, 0)
	expect("", []string{"queue", "run"}, 0)
	expect("I wait.\n/quit\n", []string{"--plain", "--chat", chat}, 0, "I light the lamp.")
	expect("", []string{"doctor"}, 0, "the data file is encrypted", "1 backup not encrypted")
	expect("", []string{"chat", "export", chat, "--output", "-"}, 0, "I wait.", "the export is not encrypted")
	h.run(t, "character", "new", "Mara Quill")
	h.run(t, "chat", "cast", chat, "add", "Mara Quill")
	h.run(t, "series", "new", "Nights")

	open := h.open(t)
	h = h.with("GHOSTLIGHT_PASSPHRASE_FILE=")
	expect("", []string{"send", chat, "Beside it."}, 0)
	expect("", []string{"chat", "show", chat}, 0, "Beside it.")
	for _, args := range [][]string{{"chat", "export", chat, "-o"}, {"chat", "export", chat, "--all-branches", "-o"}, {"chat", "group", chat, "-o"}, {"character", "export", "Mara Quill", "--format", "v2", "-o"},
		{"scene", "export", chat, "-o"}, {"series", "export", "Nights", "-o"}, {"move-out"}} {
		expect("", append(args, filepath.Join(t.TempDir(), "out")), 0, "the export is not encrypted")
	}
	expect("", []string{"series", "export", "Nights"}, 0, "the export is not encrypted")
	if err := open.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_ = open.Wait()
	expect("", []string{"chat", "show", chat}, 1, "passphrase")

	files, err := filepath.Glob(filepath.Join(h.dir, "*", "ghostlight.db"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "lamp") {
		t.Error("what was said stands in the data file")
	}
}
