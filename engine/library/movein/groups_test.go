package movein_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// sameGroup looks whether the small folder's group chat is there once: its members in
// their order, the muted one away, each line of whoever said it, and what its file says of
// the chat.
func sameGroup(t *testing.T, tx *storage.Tx, who map[string]storage.Character, personas map[string]storage.Persona) {
	t.Helper()
	n := 0
	for id, c := range storage.Chats.All(tx) {
		if !strings.HasPrefix(c.Title, "The crew") {
			continue
		}
		n++
		want := []storage.CastMember{{Character: who["Player 0"].ID}, {Character: who["Player 2"].ID, Away: true}}
		if c.Title != "The crew" || c.Character != who["Player 1"].ID || !slices.Equal(c.Play.Cast, want) || c.Play.MainAway || c.Play.Order != storage.OrderPooled {
			t.Errorf("%s: cast %+v with %s, order %v", c.Title, c.Play.Cast, c.Character, c.Play.Order)
		}
		if c.Persona != personas["Ann"].ID || c.AuthorNote != "All at sea." || c.From == nil || c.From.Group == nil || c.From.File != "2024-01-01@10h" {
			t.Errorf("persona %s, note %q, from %+v", c.Persona, c.AuthorNote, c.From)
		}
		path, err := tx.Path(id, c.Head, 100)
		if err != nil || len(path) != 11 {
			t.Errorf("%d messages, %v", len(path), err)
		}
		for i, node := range path {
			if speaker := []storage.CharacterID{who["Player 0"].ID, who["Player 1"].ID, ""}[i%3]; node.Speaker != speaker || node.Role == storage.User != (speaker == "") {
				t.Errorf("message %d is of %q (%s)", i, node.Speaker, node.Role)
			}
		}
		if left := tx.NextUnindexed(id, 1); len(left) > 0 {
			t.Error("the words of the group chat are not all taken in")
		}
	}
	if n != 1 {
		t.Errorf("%d group chats are there", n)
	}
}

const twoVoices = `{"name":"Vera","is_user":false,"mes":"Who is at the door?","original_avatar":"Vera.png"}
{"name":"Osk","is_user":false,"mes":"Nobody.","original_avatar":"Osk1.png"}
`

func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		enginetest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		enginetest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	return dir
}

// What a folder lacks of a group is said, and made up for as far as it can be.
func TestMoveIn_GroupsInPieces(t *testing.T) {
	t.Parallel()
	const crew = `{"id":"7","name":"Crew","members":["Vera.png","Osk1.png"],"chats":["one","two"],"chat_id":"one"}`
	card := `{"spec":"chara_card_v2","data":{"name":"Vera","description":"A clerk."}}`
	for _, c := range []struct {
		name         string
		files        map[string]string
		titles       []string
		left, remark string
	}{
		{"no group file", map[string]string{"characters/Vera.json": card, "group chats/one.jsonl": twoVoices}, []string{"one"}, "", "no group file names this chat"},
		{"no chats", map[string]string{"characters/Vera.json": card, "groups/7.json": crew}, nil, "none of the chats of this group was found", ""},
		{"two chats of one group", map[string]string{"groups/7.json": crew, "group chats/one.jsonl": twoVoices, "group chats/two.jsonl": twoVoices + twoVoices}, []string{"Crew - one", "Crew - two"}, "", "empty characters created"},
		{"a damaged group", map[string]string{"groups/7.json": crew[:40], "group chats/one.jsonl": twoVoices}, []string{"one"}, "groups/7.json", "no group file"},
		{"told by content alone", map[string]string{"a/7.json": crew, "b/one.jsonl": twoVoices, "b/Vera.json": card}, []string{"Crew - one"}, "", "empty characters created"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := enginetest.NewHarness(t)
			dir := write(t, c.files)
			before := titles(t, s)
			got := move(t, s, dir, false)
			now := slices.DeleteFunc(titles(t, s), func(title string) bool { return slices.Contains(before, title) })
			if !slices.Equal(now, c.titles) {
				t.Errorf("chats %q, want %q: %+v", now, c.titles, got)
			}
			has := func(lines []storage.MoveRemark, want string) bool {
				return slices.ContainsFunc(lines, func(l storage.MoveRemark) bool { return strings.Contains(l.Path+": "+l.Why, want) })
			}
			if c.left != "" && !has(got.Left, c.left) || c.left == "" && len(got.Left) > 0 {
				t.Errorf("left out: %+v, want %q", got.Left, c.left)
			}
			if c.remark != "" && !has(got.Remarks, c.remark) {
				t.Errorf("remarks: %+v, want %q", got.Remarks, c.remark)
			}
			move(t, s, dir, false)
			if again := titles(t, s); len(again) != len(before)+len(c.titles) {
				t.Errorf("moved in again: %q", again)
			}
		})
	}
}

func titles(t *testing.T, s *enginetest.Harness) (out []string) {
	t.Helper()
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		for _, c := range storage.Chats.All(tx) {
			out = append(out, c.Title)
		}
		return nil
	}))
	slices.Sort(out)
	return out
}

// What moves out moves in again.
func TestMoveIn_WhatMovedOut(t *testing.T) {
	t.Parallel()
	s := enginetest.NewHarness(t)
	s.Say("One.")
	_, err := s.Library.SavePersona(storage.Persona{Name: "Ada Lund", Description: "A diver.", Default: true})
	enginetest.Must(t, err)
	s.Book(storage.Lorebook{Name: "Tides", Kind: storage.GlobalBook}, enginetest.Keyed("tide", "High at six.", "tide"))
	dir := filepath.Join(t.TempDir(), "out")
	_, err = s.Library.MoveOut(t.Context(), dir, nil, func(string) {})
	enginetest.Must(t, err)
	// A backup of the other program lies beside it, with one persona more.
	enginetest.Must(t, os.WriteFile(filepath.Join(dir, "personas_20250101.json"),
		[]byte(`{"personas":{"Ada Lund.png":"Another Ada","bo.png":"Bo Ek"},"persona_descriptions":{"bo.png":{"description":"A cook."}}}`), 0o600))

	other := enginetest.NewHarness(t)
	before := titles(t, other)
	got := move(t, other, dir, false)
	who := map[string]string{}
	enginetest.Must(t, other.Core().Store.View(func(tx *storage.Tx) error {
		for _, p := range storage.Personas.All(tx) {
			who[p.Name] = p.Description
		}
		return nil
	}))
	if who["Ada Lund"] != "A diver." || who["Bo Ek"] != "A cook." || who["Another Ada"] != "" {
		t.Errorf("personas %q: %+v", who, got.Left)
	}
	if now := titles(t, other); len(now) != len(before)+1 {
		t.Errorf("chats %q, before %q", now, before)
	}
	if n := counts(got.Kinds, "lorebooks"); n.New < 1 {
		t.Errorf("no lorebook came in: %+v", got)
	}
}
