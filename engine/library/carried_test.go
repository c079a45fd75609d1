package library_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// told returns the prompt of a chat's next turn, a line for each message.
func told(t *testing.T, s *enginetest.Harness, chat storage.ChatID, input string) (string, play.PromptView) {
	t.Helper()
	v, err := s.Play.Prompt(s.Context(), chat, input)
	enginetest.Must(t, err)
	var b strings.Builder
	for _, m := range v.Messages {
		fmt.Fprintf(&b, "<%s> %s\n", m.Role, m.Content)
	}
	return b.String(), v
}

// TestChat_WhatItCarriesIsUsed: persona, note, overrides, variables, lorebook and timed
// effects of a chat, hidden messages and narrators.
func TestChat_WhatItCarriesIsUsed(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	_, err := s.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Mara Quill", Scenario: "The card's scenario.", Description: "Mood: {{getvar::mood}}, {{getvar::lamps}} lamps."}})
	enginetest.Must(t, err)
	ada, err := s.Library.SavePersona(storage.Persona{Name: "Ada"})
	enginetest.Must(t, err)
	x := storage.NewLoreEntry()
	x.Name, x.Content, x.Keys, x.Sticky = "oil", "The oil is nearly gone.", []string{"never said"}, 5
	book, _ := s.Book(storage.Lorebook{Name: "Harbour", Kind: storage.GlobalBook, Off: true}, x)
	got, err := s.Library.Import(enginetest.Write(t, "a chat.jsonl", string(load(t, "chats/2024_full.jsonl"))))
	enginetest.Must(t, err)
	c := got.Chat
	if c.Persona != ada.ID || !c.Lorebooks[book] || c.Overrides.Scenario != "A lighthouse in a storm." || c.Variables["lamps"] != "3" || c.Variables["mood"] != "grim" {
		t.Errorf("%+v", c)
	}
	if c.AuthorNote != "Keep it {{user}}-sized." || c.Note != (storage.NotePlan{Place: storage.NoteAtDepth, Depth: 3, Every: 2, Role: storage.User}) {
		t.Errorf("the note: %q %+v", c.AuthorNote, c.Note)
	}
	if words := strings.Join(got.Warnings, "\n"); !strings.Contains(words, "attachments, quickReply") {
		t.Errorf("what is kept alone is not said: %s", words)
	}
	text, _ := told(t, s, c.ID, "third")
	for _, want := range []string{"A lighthouse in a storm.", "Mood: grim, 3 lamps.", "<system> Narrator: Outside, the wind turns.", "The oil is nearly gone.", "<user> The ferry was slow."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not told in\n%s", want, text)
		}
	}
	for _, not := range []string{"The card's scenario.", "hidden", "remember the lamp", "Ada-sized"} {
		if strings.Contains(text, not) {
			t.Errorf("%q is told in\n%s", not, text)
		}
	}
	s.Chat = c.ID
	s.Say("third")
	text, v := told(t, s, c.ID, "fourth")
	at := -1
	for i, m := range v.Messages {
		if m.Role == "user" && m.Content == "Keep it Ada-sized." {
			at = i
		}
	}
	if at < 0 || at > len(v.Messages)-4 {
		t.Errorf("with the fourth message the note is at %d of %d:\n%s", at, len(v.Messages), text)
	}
	enginetest.Must(t, s.Chats.SetNotePlan(c.ID, storage.NotePlan{Place: storage.NoteInPrompt}))
	if _, v := told(t, s, c.ID, "fourth"); !strings.HasSuffix(v.Messages[0].Content, "Keep it Ada-sized.") {
		t.Errorf("in the prompt: %s", v.Messages[0].Content)
	}
	enginetest.Must(t, s.Chats.SetNotePlan(c.ID, storage.NotePlan{Place: storage.NoteAtDepth, Every: storage.NoteNever}))
	if text, _ := told(t, s, c.ID, "fourth"); strings.Contains(text, "Ada-sized") {
		t.Errorf("never: %s", text)
	}
	// And out again, as it is now.
	var out bytes.Buffer
	enginetest.Must(t, s.Library.ExportChat(c.ID, &out))
	f := readOf(t, out.Bytes())
	meta, _ := formats.ReadMetadata(f.Metadata)
	if meta.Note != c.AuthorNote || meta.NotePlan.Every != storage.NoteNever || meta.Overrides != c.Overrides || len(meta.Timed) != 1 || meta.Persona != "1717312272000-Ada.png" {
		t.Errorf("out again: %+v", meta)
	}
	s.Sound()
}

// TestChat_OwnNoteComesBack: a chat of the program's own takes its note along.
func TestChat_OwnNoteComesBack(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	s.Say("Hello.")
	enginetest.Must(t, s.Chats.SetAuthorNote(s.Chat, "Short."))
	var out bytes.Buffer
	enginetest.Must(t, s.Library.ExportChat(s.Chat, &out))
	got, err := s.Library.ImportChat(enginetest.Write(t, "again.jsonl", out.String()), "")
	enginetest.Must(t, err)
	if got.Chat.AuthorNote != "Short." || got.Chat.Note != (storage.NotePlan{}) {
		t.Errorf("%+v", got.Chat)
	}
}

// TestChat_OldStores: a chat that was imported before its metadata were read keeps its
// header, and its narrators come out as narrators.
func TestChat_OldStores(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	data := load(t, "chats/2024_full.jsonl")
	got, err := s.Library.Import(enginetest.Write(t, "a chat.jsonl", string(data)))
	enginetest.Must(t, err)
	c := got.Chat
	enginetest.Must(t, s.Engine.Core().Store.Update(func(tx *storage.Tx) error {
		c.AuthorNote, c.Note, c.Overrides, c.Variables, c.From = "", storage.NotePlan{}, storage.CardOverrides{}, nil, nil
		return storage.Chats.Put(tx, c.ID, c)
	}))
	var out bytes.Buffer
	enginetest.Must(t, s.Library.ExportChat(c.ID, &out))
	sameLines(t, data, out.Bytes())
	if text, _ := told(t, s, c.ID, "third"); strings.Contains(text, "A lighthouse in a storm.") {
		t.Errorf("%s", text)
	}
}

func TestImportGroup(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	group := enginetest.Write(t, "g.json", string(load(t, "groups/2024.json")))
	for _, refuse := range []func() error{
		func() error { _, err := s.Library.Import(group); return err },
		func() error { _, err := s.Library.ImportGroup(group, nil); return err },
		func() error { _, err := s.Library.ImportGroup(group, []string{t.TempDir()}); return err },
		func() error { _, err := s.Library.ImportGroup(group, []string{group}); return err },
	} {
		if err := refuse(); err == nil || !strings.Contains(err.Error(), "group") {
			t.Errorf("%v", err)
		}
	}
	if list, err := s.Chats.List(); err != nil || len(list) != 1 {
		t.Errorf("%d chats, %v", len(list), err)
	}
}

// TestImportGroup_Folder reads in a folder what the group names there, and nothing else.
func TestImportGroup_Folder(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	dir, outside := t.TempDir(), t.TempDir()
	chat := load(t, "chats/group_2024.jsonl")
	write := func(path string, data []byte) {
		enginetest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		enginetest.Must(t, os.WriteFile(path, data, 0o600))
	}
	write(filepath.Join(dir, "group chats", "a.jsonl"), chat)
	write(filepath.Join(dir, "b.jsonl"), chat)
	write(filepath.Join(dir, "unnamed.jsonl"), chat)
	write(filepath.Join(outside, "c.jsonl"), chat)
	group := func(chats string) string {
		return enginetest.Write(t, "g.json", `{"id":"1","name":"G","members":["Mara Quill.png","Bo1.png"],"chat_id":"a","chats":[`+chats+`]}`)
	}
	got, err := s.Library.ImportGroup(group(`"a","b","gone","../`+filepath.Base(outside)+`/c"`), []string{dir})
	enginetest.Must(t, err)
	if len(got) != 2 || got[0].Chat.Character != got[1].Chat.Character || got[1].Chat.Title != "G (2)" || !strings.Contains(strings.Join(got[0].Warnings, "\n"), `"gone"`) {
		t.Errorf("%+v", got)
	}
	if err := os.Symlink(filepath.Join(outside, "c.jsonl"), filepath.Join(dir, "link.jsonl")); err != nil {
		t.Skip("no links here")
	}
	if got, err := s.Library.ImportGroup(group(`"a","link"`), []string{dir}); err == nil || !strings.Contains(err.Error(), "link") || len(got) != 0 {
		t.Errorf("a link out of the folder: %+v %v", got, err)
	}
}
