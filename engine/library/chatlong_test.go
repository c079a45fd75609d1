package library_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// long writes a chat's file with blank lines behind it, so that it is too long to be held.
func long(t *testing.T, data []byte) string {
	t.Helper()
	blank := []byte(strings.Repeat(" ", 8191) + "\n")
	return enginetest.Write(t, "a chat.jsonl", string(bytes.TrimRight(data, "\n"))+"\n"+string(bytes.Repeat(blank, 1025)))
}

// TestImportChat_TooLongToHold: what is too long for one transaction comes out as it went in, too,
// and is cast also.
func TestImportChat_TooLongToHold(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(dialects, "chats", "*.jsonl"))
	enginetest.Must(t, err)
	files = append(files, filepath.Join(dialects, "chat.jsonl"), filepath.Join(dialects, "scenes.jsonl"))
	for name, change := range map[string]func(*enginetest.Setup){"plain": func(*enginetest.Setup) {}, "encrypted": enginetest.Encrypted} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := enginetest.NewHarness(t, change)
			for _, file := range files {
				data, err := os.ReadFile(file)
				enginetest.Must(t, err)
				short, err := s.Library.ImportChat(enginetest.Write(t, "a chat.jsonl", string(data)), "")
				enginetest.Must(t, err)
				got, err := s.Library.ImportChat(long(t, data), "")
				enginetest.Must(t, err)
				var out bytes.Buffer
				enginetest.Must(t, s.Library.ExportChat(got.Chat.ID, &out))
				sameLines(t, data, out.Bytes())
				if a, b := short.Chat, got.Chat; a.Character != b.Character || len(a.Play.Cast) != len(b.Play.Cast) || a.Persona != b.Persona || a.Play.Order != b.Play.Order {
					t.Errorf("%s: %+v, and short: %+v", file, b, a)
				}
				a, b := said(t, s, short.Chat.ID), said(t, s, got.Chat.ID)
				if a != b {
					t.Errorf("%s:\n%s\nand short:\n%s", file, b, a)
				}
			}
			s.Sound()
		})
	}
}

// said returns who says what along a chat's path.
func said(t *testing.T, s *enginetest.Harness, chat storage.ChatID) string {
	t.Helper()
	v, err := s.Play.View(chat, 0)
	enginetest.Must(t, err)
	var out strings.Builder
	for _, m := range v.Messages {
		_, _ = fmt.Fprintln(&out, m.Depth, m.Role, m.Name, m.Speaker, m.Content)
	}
	return out.String()
}

// TestImportChat_LongOfSeveral: who speaks is known in the first portion, and nobody is
// made twice.
func TestImportChat_LongOfSeveral(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	before, err := s.Library.Characters()
	enginetest.Must(t, err)
	got, err := s.Library.ImportChat(long(t, load(t, "chats/group_2024.jsonl")), "")
	enginetest.Must(t, err)
	after, err := s.Library.Characters()
	enginetest.Must(t, err)
	if made := len(after) - len(before); made != 3 || len(got.Chat.Play.Cast) != 2 {
		t.Errorf("%d characters were made, %d play", made, len(got.Chat.Play.Cast)+1)
	}
	if who := said(t, s, got.Chat.ID); !strings.Contains(who, string(got.Chat.Play.Cast[0].Character)) {
		t.Errorf("nobody of the cast speaks:\n%s", who)
	}
}

// TestImportChat_LongRefused: what is refused at its end leaves nothing behind.
func TestImportChat_LongRefused(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	count := func() (n int) {
		enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
			n = tx.Counts()["messages"] + tx.Counts()["characters"] + tx.Counts()["chats"]
			return nil
		}))
		return n
	}
	before := count()
	f, err := formats.ReadChatFile(long(t, load(t, "chats/group_2024.jsonl")))
	enginetest.Must(t, err)
	if _, err := s.Library.AddChat(library.ChatImport{Name: "x", File: f, Character: storage.CharacterID(storage.NewID())}); err == nil {
		t.Error("a character that does not exist was taken")
	}
	if n := count(); n != before {
		t.Errorf("%d records, %d before", n, before)
	}
	s.Sound()
}

// TestStage_Stopped: of what is stopped while it comes in nothing is left.
func TestStage_Stopped(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	f, err := formats.ReadChatFile(long(t, load(t, "chats/group_2024.jsonl")))
	enginetest.Must(t, err)
	ctx, stop := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	stop(enough)
	if _, err := s.Library.Stage(ctx, library.ChatImport{Name: "x", File: f}); !errors.Is(err, enough) {
		t.Error(err)
	}
	s.Sound()
}

// importer names, in the environment, the data of a child of this test binary that
// imports the chat at its first argument.
const importer = "GHOSTLIGHT_LIBRARY_VICTIM"

func importAway(dir, path string) error {
	servers, err := demo.Start(demo.Options{})
	if err != nil {
		return err
	}
	e, err := engine.Open(config.Config{DataDir: dir, Ollama: servers.OllamaURL, Comfy: []string{servers.ComfyURL}, Model: demo.Model})
	if err != nil {
		return err
	}
	_, err = e.Library.ImportChat(path, "")
	if err == nil {
		err = e.Close()
	}
	return err
}

// TestImportChat_KilledAtAnyMoment: a long chat is there as a whole or not at all.
func TestImportChat_KilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("NOT TESTED: killing a child, with -short")
	}
	const messages = 30_000
	path := filepath.Join(t.TempDir(), "long.jsonl")
	enginetest.WriteLongChat(t, path, messages)
	data, err := os.ReadFile(path)
	enginetest.Must(t, err)
	path = long(t, data)
	whole, none := 0, 0
	for range 2 * enginetest.Kills() {
		dir := t.TempDir()
		file := filepath.Join(dir, "ghostlight.db")
		exe, err := os.Executable()
		enginetest.Must(t, err)
		ctx, kill := context.WithCancel(t.Context())
		cmd := exec.CommandContext(ctx, exe, path)
		cmd.Env = append(os.Environ(), importer+"="+dir)
		enginetest.Must(t, cmd.Start())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = cmd.Wait() // it was killed, mostly
		}()
		// The file grows to some 25 MB; with the next growth the child is killed.
		for most, running := rand.Int64N(26<<20), true; running; {
			info, err := os.Stat(file)
			if err == nil && info.Size() > most {
				kill()
			}
			select {
			case <-ended:
				running = false
			case <-time.After(time.Millisecond):
			}
		}
		kill()
		s, err := storage.Open(file, storage.Options{})
		if err != nil {
			continue // it was killed before there was a file
		}
		enginetest.Must(t, s.View(func(tx *storage.Tx) error {
			got := tx.Counts()
			switch {
			case got["chats"] == 0 && got["messages"] == 0 && got["characters"] == 0:
				none++
			case got["chats"] == 1 && got["messages"] == messages && got["characters"] == 1:
				whole++
			default:
				t.Errorf("half a chat is left: %v", got)
			}
			return nil
		}))
		enginetest.Must(t, s.Check())
		enginetest.Must(t, s.Close())
	}
	t.Logf("%d times it was there, %d times not", whole, none)
	if none == 0 {
		t.Error("it was never killed on its way")
	}
}
