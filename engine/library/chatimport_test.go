package library_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const dialects = "../formats/testdata"

func load(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dialects, name))
	enginetest.Must(t, err)
	return data
}

// sameLines compares files line for line as parsed JSON.
func sameLines(t *testing.T, want, have []byte) {
	t.Helper()
	w, h := strings.Split(strings.TrimSpace(string(want)), "\n"), strings.Split(strings.TrimSpace(string(have)), "\n")
	if len(w) != len(h) {
		t.Fatalf("%d lines became %d:\n%s", len(w), len(h), have)
	}
	for i := range w {
		if diff := cmp.Diff(decoded(t, []byte(w[i])), decoded(t, []byte(h[i]))); diff != "" {
			t.Errorf("line %d: %s", i+1, diff)
		}
	}
}

// TestChat_AllDialects: what comes out is what went in, of every dialect that is known,
// and of what came out once more.
func TestChat_AllDialects(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(dialects, "chats", "*.jsonl"))
	enginetest.Must(t, err)
	files = append(files, filepath.Join(dialects, "chat.jsonl"), filepath.Join(dialects, "scenes.jsonl"))
	if len(files) < 7 {
		t.Fatalf("%q", files)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			s := enginetest.NewHarness(t)
			data, err := os.ReadFile(file)
			enginetest.Must(t, err)
			for range 2 {
				got, err := s.Library.Import(enginetest.Write(t, "a chat.jsonl", string(data)))
				enginetest.Must(t, err)
				var out bytes.Buffer
				enginetest.Must(t, s.Library.ExportChat(got.Chat.ID, &out))
				sameLines(t, data, out.Bytes())
				data = bytes.Clone(out.Bytes())
			}
		})
	}
}

func readChat(t *testing.T, name string) formats.ChatFile {
	t.Helper()
	f, err := formats.ReadChat(bytes.NewReader(load(t, name)))
	enginetest.Must(t, err)
	return f
}

func readGroup(t *testing.T, name string) formats.Group {
	t.Helper()
	g, err := formats.ReadGroup(name, load(t, name))
	enginetest.Must(t, err)
	return g
}

func TestImportGroupChat(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	mara, err := s.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Mara Quill"}})
	enginetest.Must(t, err)
	got, err := s.Library.ImportGroupChat(readGroup(t, "groups/2024.json"), "2024-06-02@10h11m12s", readChat(t, "chats/group_2024.jsonl"))
	enginetest.Must(t, err)
	c := got.Chat
	if c.Title != "The lighthouse" || c.Character != mara.ID || c.Play.MainAway || len(c.Play.Cast) != 3 || c.Play.Order != storage.OrderRoundRobin {
		t.Errorf("%+v", c)
	}
	var list []string
	for _, m := range c.Play.Cast {
		ch, err := s.Library.FindCharacter(string(m.Character))
		enginetest.Must(t, err)
		word := ch.Card.Name
		if m.Away {
			word += " away"
		}
		if m.Left {
			word += " left"
		}
		list = append(list, word)
	}
	if diff := cmp.Diff([]string{"Bo", "Silent Sue away", "Old Tom left"}, list); diff != "" {
		t.Error(diff)
	}
	if c.AuthorNote != "Keep to the {{group}}." || c.Note != (storage.NotePlan{Place: storage.NoteAtDepth, Depth: 2, Every: 1, Role: storage.System}) || c.Overrides.Scenario != "A storm." {
		t.Errorf("the group's metadata: %q %+v %+v", c.AuthorNote, c.Note, c.Overrides)
	}
	s.Chat = c.ID
	var said []string
	for _, m := range s.View().Messages {
		who := "-"
		if m.Speaker != "" {
			ch, err := s.Library.FindCharacter(string(m.Speaker))
			enginetest.Must(t, err)
			who = ch.Card.Name
		}
		said = append(said, string(m.Role)+" "+who)
	}
	if diff := cmp.Diff([]string{"assistant Mara Quill", "assistant Bo", "user -", "assistant Bo", "assistant Old Tom", "narrator -"}, said); diff != "" {
		t.Error(diff)
	}
	words := strings.Join(got.Warnings, "\n")
	for _, want := range []string{`empty characters created`, `"Bo"`, `"Silent Sue"`, `"Old Tom"`, "no longer in the group", "here one character does"} {
		if !strings.Contains(words, want) {
			t.Errorf("%q is not said in\n%s", want, words)
		}
	}
	s.Sound()
}

// TestGroup_RoundTrip: both files come out as they went in, and what was changed since is
// in them.
func TestGroup_RoundTrip(t *testing.T) {
	t.Parallel()
	for group, chat := range map[string]string{"2024": "group_2024", "2025": "group_2025", "2023_names": "group_2024"} {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			s := enginetest.NewHarness(t)
			g := readGroup(t, "groups/"+group+".json")
			got, err := s.Library.ImportGroupChat(g, g.Current, readChat(t, "chats/"+chat+".jsonl"))
			enginetest.Must(t, err)
			file, err := s.Library.ExportGroup(got.Chat.ID)
			enginetest.Must(t, err)
			if diff := cmp.Diff(decoded(t, load(t, "groups/"+group+".json")), decoded(t, file.Data)); diff != "" {
				t.Error(diff)
			}
			if file.Name != g.ID+".json" || file.Chat != g.Current+".jsonl" {
				t.Errorf("%q %q", file.Name, file.Chat)
			}
			var out bytes.Buffer
			enginetest.Must(t, s.Library.ExportChat(got.Chat.ID, &out))
			sameLines(t, load(t, "chats/"+chat+".jsonl"), out.Bytes())
		})
	}
	s := enginetest.NewHarness(t)
	g := readGroup(t, "groups/2024.json")
	got, err := s.Library.AddChat(library.ChatImport{Name: g.Current, Group: &g, File: readChat(t, "chats/group_2024.jsonl")})
	enginetest.Must(t, err)
	s.Chat = got.Chat.ID
	enginetest.Must(t, s.Chats.SetAway(s.Chat, got.Chat.Play.Cast[0].Character, true))
	enginetest.Must(t, s.Chats.SetAway(s.Chat, got.Chat.Play.Cast[1].Character, false))
	enginetest.Must(t, s.Chats.SetTurnOrder(s.Chat, storage.OrderUser))
	enginetest.Must(t, s.Chats.SetAuthorNote(s.Chat, "Other."))
	s.Say("And now?")
	file, err := s.Library.ExportGroup(s.Chat)
	enginetest.Must(t, err)
	var doc struct {
		Muted    []string `json:"disabled_members"`
		Strategy int      `json:"activation_strategy"`
		Delay    int      `json:"auto_mode_delay"`
	}
	enginetest.Must(t, json.Unmarshal(file.Data, &doc))
	if len(doc.Muted) != 1 || doc.Muted[0] != "Bo1.png" || doc.Strategy != 2 || doc.Delay != 5 {
		t.Errorf("%s", file.Data)
	}
	var out bytes.Buffer
	enginetest.Must(t, s.Library.ExportChat(s.Chat, &out))
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if !strings.Contains(lines[0], `"note_prompt":"Other."`) || !strings.Contains(lines[len(lines)-1], `"original_avatar":"`) {
		t.Errorf("%s", out.String())
	}
	again, err := s.Library.ImportGroupChat(readGroupOf(t, file.Data), "again", readOf(t, out.Bytes()))
	enginetest.Must(t, err)
	if len(again.Chat.Play.Cast) != len(got.Chat.Play.Cast) || again.Chat.Character != got.Chat.Character {
		t.Errorf("again: %+v", again.Chat.Play)
	}
}

func readGroupOf(t *testing.T, data []byte) formats.Group {
	t.Helper()
	g, err := formats.ReadGroup("g.json", data)
	enginetest.Must(t, err)
	return g
}

func readOf(t *testing.T, data []byte) formats.ChatFile {
	t.Helper()
	f, err := formats.ReadChat(bytes.NewReader(data))
	enginetest.Must(t, err)
	return f
}

// TestImportChat_Several: a group chat without its group file has its cast all the same.
func TestImportChat_Several(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	got, err := s.Library.Import(enginetest.Write(t, "evening.jsonl", string(load(t, "chats/group_2024.jsonl"))))
	enginetest.Must(t, err)
	if len(got.Chat.Play.Cast) != 2 || got.Chat.Play.Order != storage.OrderNatural || got.Character.Card.Name != "Mara Quill" {
		t.Errorf("%+v", got.Chat)
	}
	one, err := s.Library.ImportChat(enginetest.Write(t, "evening.jsonl", string(load(t, "chats/group_2024.jsonl"))), got.Character.ID)
	enginetest.Must(t, err)
	if len(one.Chat.Play.Cast) != 0 || one.Chat.Character != got.Character.ID {
		t.Errorf("with one character: %+v", one.Chat)
	}
}
