package movein_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What leaves as a folder and moves in elsewhere is the same there: cards with their
// pictures and what their scripts may do, books and what they are bound to, personas,
// chats with their swipes, notes and casts, presets, scripts in their order.
func TestMoveIn_RoundTrip(t *testing.T) {
	t.Parallel()
	s := furnished(t)
	move(t, s, made(t, small), false)
	v, err := s.Chats.Regex.Find("status")
	enginetest.Must(t, err)
	enginetest.Must(t, s.Chats.Regex.Move(v, 0))
	s.Book(storage.Lorebook{Name: "Harbour/Tides", Kind: storage.GlobalBook}, enginetest.Keyed("tide", "High at six.", "tide"))
	_, err = s.Library.Import(enginetest.Write(t, "c.json", `{"spec":"chara_card_v2","data":{"name":"Ori/on: \"O\"","first_mes":"Hm.","character_book":{"name":"His book?","entries":[{"keys":["moon"],"content":"Far.","enabled":true,"insertion_order":5,"extensions":{}}]}}}`))
	enginetest.Must(t, err)
	own, err := s.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Made here", FirstMessage: "Hello."}})
	enginetest.Must(t, err)
	chat, err := s.Chats.New(own.ID, "A play: of \"two\"")
	enginetest.Must(t, err)
	s.Book(storage.Lorebook{Name: "Own/book", Kind: storage.CharacterBook, Character: own.ID}, enginetest.Keyed("sea", "Wet.", "sea"))
	enginetest.Must(t, s.Chats.SetAuthorNote(chat.ID, "In the rain."))
	enginetest.Must(t, s.Chats.SetNotePlan(chat.ID, storage.NotePlan{Place: storage.NoteAtDepth, Depth: 2, Every: 3, Role: storage.User}))
	crew, err := s.Chats.Find("The crew")
	enginetest.Must(t, err)
	enginetest.Must(t, s.Chats.SetAuthorNote(crew.ID, "All ashore."))
	dir := filepath.Join(t.TempDir(), "out")
	out, err := s.Library.MoveOut(t.Context(), dir, nil, nil)
	enginetest.Must(t, err)
	if len(out.Left) > 0 {
		t.Errorf("not written: %q", out.Left)
	}
	there := furnished(t)
	got := move(t, there, dir, false)
	for _, l := range got.Left {
		if l.Kind != "" {
			t.Errorf("%s: %s", l.Path, l.Why)
		}
	}
	before, after := inventory(t, s), inventory(t, there)
	for _, kind := range slices.Sorted(maps.Keys(before)) {
		for _, line := range before[kind] {
			if !slices.Contains(after[kind], line) {
				t.Errorf("lost: %s %s", kind, line)
			}
		}
		for _, line := range after[kind] {
			if !slices.Contains(before[kind], line) {
				t.Errorf("made up: %s %s", kind, line)
			}
		}
		if len(before[kind]) != len(after[kind]) {
			t.Errorf("%s: %d before, %d after", kind, len(before[kind]), len(after[kind]))
		}
		if kind == "script" && !slices.Equal(before[kind], after[kind]) {
			t.Errorf("the scripts have another order: %q", after[kind])
		}
	}
	for _, kind := range []string{"character", "book", "persona", "chat", "preset", "script"} {
		if len(before[kind]) == 0 {
			t.Errorf("there was no %s to begin with", kind)
		}
	}
	if again := move(t, there, dir, false); func() bool {
		return slices.ContainsFunc(again.Kinds, func(c storage.MoveCount) bool { return c.New > 0 })
	}() {
		t.Errorf("moved in again: %+v", again.Kinds)
	}
	enginetest.Must(t, there.Core().Store.Check())
}

// inventory says of each thing that may leave what there is to it, by names.
func inventory(t *testing.T, s *enginetest.Harness) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	line := func(kind string, parts ...any) {
		var words []string
		for _, p := range parts {
			data, err := json.Marshal(p)
			enginetest.Must(t, err)
			words = append(words, string(data))
		}
		out[kind] = append(out[kind], strings.Join(words, " "))
	}
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		name := map[string]string{"": ""}
		for id, c := range storage.Characters.All(tx) {
			name[string(id)] = c.Card.Name
			said, _ := storage.CardRegexes.Get(tx, id)
			if c.Card.Name != "Tove Halloran" {
				line("character", c.Card, c.HasAvatar, said.On, said.Off)
			}
		}
		for id, p := range storage.Personas.All(tx) {
			name[string(id)] = p.Name
			if p.Name != "Robin" {
				line("persona", p.Name, p.Description, p.Default)
			}
		}
		for id, b := range storage.Lorebooks.All(tx) {
			name[string(id)] = b.Name
			var owners []string
			for _, of := range append([]string{string(b.Character), string(b.Persona)}, b.Also...) {
				if of != "" {
					owners = append(owners, name[of])
				}
			}
			slices.Sort(owners)
			var entries []string
			for _, e := range storage.LoreEntries.All(tx, id) {
				e.ID, e.CreatedAt, e.UpdatedAt = "", time.Time{}, time.Time{}
				entries = append(entries, fmt.Sprint(e.UID, e.Name, e.Content, e.Keys, e.SecondaryKeys, e.Logic, e.Order))
			}
			line("book", b.Name, cmp.Or(b.Character, "") == "", owners, b.Off, entries)
		}
		for id, c := range storage.Chats.All(tx) {
			if name[string(c.Character)] == "Tove Halloran" {
				continue
			}
			var cast, path []string
			for _, m := range c.Play.Cast {
				cast = append(cast, fmt.Sprint(name[string(m.Character)], m.Away, m.Left))
			}
			books := map[string]bool{}
			for book, on := range c.Lorebooks {
				books[name[string(book)]] = on
			}
			nodes, err := tx.Path(id, c.Head, 100)
			enginetest.Must(t, err)
			for _, n := range nodes {
				all, _, err := tx.Siblings(id, n.ID)
				enginetest.Must(t, err)
				path = append(path, fmt.Sprint(n.Role, n.Name, name[string(n.Speaker)], n.Content, n.CreatedAt.UTC().Truncate(time.Millisecond)))
				for _, id := range all {
					swipe, err := tx.Node(c.ID, id)
					enginetest.Must(t, err)
					path = append(path, "swipe "+swipe.Content)
				}
			}
			line("chat", c.Title, name[string(c.Character)], name[string(c.Persona)], c.AuthorNote, c.Note, c.Overrides, c.Variables, books, cast, c.Play.MainAway, c.Play.Order, path)
		}
		for _, p := range storage.Presets.All(tx) {
			line("preset", p.Name, p.Kinds, p.Profile, p.Files, p.Source)
		}
		return nil
	}))
	list, err := s.Chats.Regex.List("")
	enginetest.Must(t, err)
	for _, v := range list {
		if v.Character == "" {
			v.ID, v.CreatedAt, v.UpdatedAt, v.Order = "", time.Time{}, time.Time{}, 0
			v.RegexScript.ID = ""
			line("script", v.RegexScript)
		}
	}
	return out
}
