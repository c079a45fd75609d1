//go:build linux || darwin || freebsd

package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// eachPage calls f with the pages of a data file that hold entries of records, or of pages.
func eachPage(file []byte, kind uint16, f func(at []byte, number, entries int)) {
	size := os.Getpagesize()
	for n := 2; n < len(file)/size; n++ {
		at := file[n*size : (n+1)*size]
		if binary.NativeEndian.Uint16(at[8:]) == kind {
			f(at, n, int(binary.NativeEndian.Uint16(at[10:])))
		}
	}
}

// entriesAt has all entries of all pages of records begin at another place.
func entriesAt(file []byte, position uint32) []byte {
	eachPage(file, 2, func(at []byte, _, entries int) {
		for i := range min(entries, 200) {
			binary.NativeEndian.PutUint32(at[16+i*16+4:], position)
		}
	})
	return file
}

// Whatever a data file is damaged by, each command says so and what repairs it, and the backup
// comes back.
func TestDamaged_AllCommands(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: some fifty runs of the program, with -short")
	}
	for name, damage := range map[string]func(file []byte) []byte{
		"cut short": func(file []byte) []byte { return file[:100_000] },
		"cut off":   func(file []byte) []byte { return file[:1000] },
		"empty":     func([]byte) []byte { return nil },
		"entries behind the end": func(file []byte) []byte {
			return entriesAt(file, 0x7fffff00)
		},
		"entries of other pages": func(file []byte) []byte { return entriesAt(file, 0x8000) },
		"branches in a circle": func(file []byte) []byte {
			eachPage(file, 1, func(at []byte, number, entries int) {
				binary.NativeEndian.PutUint64(at[16+(entries-1)*16+8:], uint64(number))
			})
			return file
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			damagedCommands(t, damage)
		})
	}
}

func damagedCommands(t *testing.T, damage func(file []byte) []byte) {
	h := home{dir: t.TempDir()}
	data := filepath.Join(h.dir, "data")
	h.args = []string{"--ollama", "http://127.0.0.1:1", "--comfyui", "http://127.0.0.1:1", "--data", data}
	path := filepath.Join(data, "ghostlight.db")
	doc, errs, code := h.run(t, "chat", "new", "--title", "T")
	chat, _ := doc["id"].(string)
	if code != 0 {
		t.Fatal(errs)
	}
	sayMuch(t, path, storage.ChatID(chat))
	if _, errs, code = h.run(t, "backup"); code != 0 {
		t.Fatal(errs)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	damaged := damage(slices.Clone(whole))
	rot := func() {
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rot()
	said := ""
	for _, args := range [][]string{
		{"chat", "list"}, {"chat", "show", chat}, {"chat", "new"}, {"backup"}, {"doctor"},
	} {
		said += h.survives(t, args...)
	}
	if !strings.Contains(said, "data file is damaged") || !strings.Contains(said, "ghostlight doctor --repair") {
		t.Errorf("nothing names the damage and the repair: %s", said)
	}
	for _, args := range [][]string{{"restore", "latest"}, {"doctor", "--repair"}} {
		rot()
		doc, errs, code := h.run(t, args...)
		kept, _ := doc["kept"].(string)
		if repair, ok := doc["repair"].(map[string]any); ok {
			kept, _ = repair["kept"].(string)
		}
		if was, err := os.ReadFile(kept); code != 0 || err != nil || !bytes.Equal(was, damaged) {
			t.Errorf("%q ended with %d, %v: %s", args, code, err, errs)
		}
		if out, errs, code := h.said("", "chat", "show", chat); code != 0 || strings.Count(out, "rain goes on") != 300 {
			t.Errorf("after %q the chat has not what it had: %d %s", args, code, errs)
		}
	}
	list, _, _ := h.said("", "restore", "--json")
	var backups []map[string]any
	if err := json.Unmarshal([]byte(list), &backups); err != nil || len(backups) != 1 {
		t.Errorf("the backups: %v %s", err, list)
	}
}

// sayMuch puts 300 messages into a chat, in several transactions.
func sayMuch(t *testing.T, path string, chat storage.ChatID) {
	t.Helper()
	s, err := storage.Open(path, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 10 {
		err = errors.Join(err, s.Update(func(tx *storage.Tx) error {
			c, err := storage.Chats.Get(tx, chat)
			for range 30 {
				n := storage.Node{Chat: chat, Parent: c.Head, Role: storage.User, Content: "The rain goes on and on."}
				err = errors.Join(err, tx.AppendNode(&n))
				c.Head = n.ID
			}
			return errors.Join(err, storage.Chats.Put(tx, chat, c))
		}))
	}
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
}

// survives expects a command to end normally, with one document, and returns its output.
func (h home) survives(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, code := h.said("", append(args, "--json")...)
	if code != 0 && code != 1 || !json.Valid([]byte(out)) || strings.Contains(errs, "goroutine ") {
		t.Errorf("%q ended with %d: %s %s", args, code, out, errs)
	}
	return out + errs
}
