package storage

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// openAt opens a store that is checked and closed when the test ends.
func openAt(t testing.TB, path string, opts Options) *Store {
	t.Helper()
	s, err := Open(path, opts)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Check(); err != nil && !errors.Is(err, ErrClosed) {
			t.Errorf("check at the end: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func open(t testing.TB) *Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "ghostlight.db"), Options{})
}

func update(t testing.TB, s *Store, f func(*Tx) error) {
	t.Helper()
	if err := s.Update(f); err != nil {
		t.Fatalf("update: %v", err)
	}
}

func view(t testing.TB, s *Store, f func(*Tx) error) {
	t.Helper()
	if err := s.View(f); err != nil {
		t.Fatalf("view: %v", err)
	}
}

func newChat(t testing.TB, s *Store) ChatID {
	t.Helper()
	id := ChatID(NewID())
	update(t, s, func(tx *Tx) error { return Chats.Put(tx, id, Chat{Title: "a play"}) })
	return id
}

func TestTable_RoundTrip(t *testing.T) {
	s := open(t)
	id := CharacterID(NewID())
	want := Character{
		ID:        id,
		Card:      Card{Name: "Ada", Description: "<b>\"tags\" & more</b> \u2028 🎭", Tags: []string{"x"}},
		Source:    json.RawMessage(`{"a":1.0,"b":"<&>"}`),
		Immersion: Full,
		CreatedAt: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC),
	}
	update(t, s, func(tx *Tx) error { return Characters.Put(tx, id, want) })
	view(t, s, func(tx *Tx) error {
		got, err := Characters.Get(tx, id)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return err
	})
	update(t, s, func(tx *Tx) error { return Characters.Delete(tx, id) })
	view(t, s, func(tx *Tx) error {
		_, err := Characters.Get(tx, id)
		var missing *NotFoundError
		if !errors.Is(err, ErrNotFound) || !errors.As(err, &missing) || missing.Kind != "character" || missing.ID != string(id) {
			t.Errorf("get after delete: %v", err)
		}
		return nil
	})
	if err := s.Update(func(tx *Tx) error { return Characters.Delete(tx, id) }); !errors.Is(err, ErrNotFound) {
		t.Errorf("second delete: %v", err)
	}
}

func TestTable_Keys(t *testing.T) {
	s := open(t)
	id := NewID()
	tests := []struct {
		name string
		put  func(*Tx) error
		want error
	}{
		{"good", func(tx *Tx) error { return Personas.Put(tx, PersonaID(id), Persona{}) }, nil},
		{"empty", func(tx *Tx) error { return Personas.Put(tx, "", Persona{}) }, ErrBadID},
		{"short", func(tx *Tx) error { return Personas.Put(tx, PersonaID(id[:25]), Persona{}) }, ErrBadID},
		{"lower case", func(tx *Tx) error { return Personas.Put(tx, PersonaID(strings.ToLower(id)), Persona{}) }, ErrBadID},
		{"letter U", func(tx *Tx) error { return Personas.Put(tx, PersonaID(id[:25]+"U"), Persona{}) }, ErrBadID},
		{"path", func(tx *Tx) error { return Personas.Put(tx, "../../../../../etc/passwd!", Persona{}) }, ErrBadID},
		{"too large a time", func(tx *Tx) error { return Personas.Put(tx, PersonaID("8"+id[1:]), Persona{}) }, ErrBadID},
		{"another's id", func(tx *Tx) error { return Personas.Put(tx, PersonaID(id), Persona{ID: PersonaID(NewID())}) }, ErrBadID},
		{"profile by name", func(tx *Tx) error { return Profiles.Put(tx, "chat model", Profile{}) }, nil},
		{"profile without one", func(tx *Tx) error { return Profiles.Put(tx, "", Profile{}) }, ErrBadID},
		{"profile with control", func(tx *Tx) error { return Profiles.Put(tx, "a\x00b", Profile{}) }, ErrBadID},
		{"profile not UTF-8", func(tx *Tx) error { return Profiles.Put(tx, "a\xff", Profile{}) }, ErrBadID},
		{"setting without key", func(tx *Tx) error { return tx.PutSetting("", 1) }, ErrBadID},
		{"avatar of nobody", func(tx *Tx) error { return tx.PutAvatar("x", []byte("png")) }, ErrBadID},
		{"text of no kind", func(tx *Tx) error { return tx.PutText("", "k", "t") }, ErrBadID},
		{"too large", func(tx *Tx) error {
			return tx.PutText("k", "k", strings.Repeat("x", MaxRecord+1))
		}, ErrTooLarge},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := s.Update(tt.put); !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	view(t, s, func(tx *Tx) error {
		if p, err := Personas.Get(tx, PersonaID(id)); err != nil || p.ID != PersonaID(id) {
			t.Errorf("the empty id was not filled in: %+v, %v", p, err)
		}
		for _, odd := range []PersonaID{"", "x", PersonaID(strings.Repeat("y", 70000))} {
			if _, err := Personas.Get(tx, odd); !errors.Is(err, ErrNotFound) {
				t.Errorf("get of an odd id: %v", err)
			}
		}
		return nil
	})
}

func TestTable_OrderAndFind(t *testing.T) {
	s := open(t)
	var ids []CaptureID
	update(t, s, func(tx *Tx) error {
		for range 300 {
			id := CaptureID(NewID())
			ids = append(ids, id)
			if err := Captures.Put(tx, id, Capture{}); err != nil {
				return err
			}
		}
		return nil
	})
	check := func(tx *Tx) error {
		var forward, back []CaptureID
		for id, c := range Captures.All(tx) {
			if c.ID != id {
				t.Errorf("record %s under %s", c.ID, id)
			}
			forward = append(forward, id)
		}
		for id := range Captures.Backward(tx) {
			back = append(back, id)
		}
		slices.Reverse(back)
		if !slices.Equal(forward, ids) || !slices.Equal(back, ids) {
			t.Error("the order is not that of making")
		}
		for id := range Captures.Backward(tx) {
			if id != ids[len(ids)-1] {
				t.Error("the newest does not come first")
			}
			break
		}
		got, err := Captures.Find(tx, strings.ToLower(string(ids[7])), 0)
		if err != nil || !slices.Equal(got, ids[7:8]) {
			t.Errorf("find one: %v, %v", got, err)
		}
		if got, _ = Captures.Find(tx, "", 5); !slices.Equal(got, ids[:5]) {
			t.Errorf("find five: %v", got)
		}
		if got, _ = Captures.Find(tx, "7ZZ", 5); len(got) != 0 {
			t.Errorf("find none: %v", got)
		}
		return nil
	}
	view(t, s, check)
	update(t, s, check)
}

func TestTable_ChangeWhileRanging(t *testing.T) {
	s := open(t)
	update(t, s, func(tx *Tx) error {
		for range 500 {
			if err := Captures.Put(tx, CaptureID(NewID()), Capture{Prompt: strings.Repeat("x", 200)}); err != nil {
				return err
			}
		}
		return nil
	})
	seen := 0
	update(t, s, func(tx *Tx) error {
		for id, c := range Captures.All(tx) {
			seen++
			c.Prompt = strings.Repeat("y", 900)
			if err := errors.Join(Captures.Put(tx, id, c), Captures.Put(tx, CaptureID(NewID()), Capture{})); err != nil {
				return err
			}
		}
		return nil
	})
	if seen != 500 {
		t.Errorf("saw %d of 500 while putting", seen)
	}
	update(t, s, func(tx *Tx) error {
		for id := range Captures.Backward(tx) {
			seen++
			if err := Captures.Delete(tx, id); err != nil {
				return err
			}
		}
		return nil
	})
	if seen != 1500 {
		t.Errorf("saw %d of 1000 while deleting", seen-500)
	}
}

func TestTable_UnreadableRecord(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "ghostlight.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	good, bad := PersonaID(NewID()), PersonaID(NewID())
	update(t, s, func(tx *Tx) error {
		return errors.Join(
			Personas.Put(tx, good, Persona{Name: "me"}),
			tx.bucket(bucketPersonas).put([]byte(bad), []byte(`{"name":`)))
	})
	view(t, s, func(tx *Tx) error {
		n := 0
		for id := range Personas.All(tx) {
			if n++; id != good {
				t.Errorf("yielded %s", id)
			}
		}
		if n != 1 || len(tx.Skipped()) != 1 || !errors.Is(tx.Skipped()[0], ErrCorrupt) {
			t.Errorf("%d yielded, skipped: %v", n, tx.Skipped())
		}
		if _, err := Personas.Get(tx, bad); !errors.Is(err, ErrCorrupt) || errors.Is(err, ErrNotFound) {
			t.Errorf("get: %v", err)
		}
		return nil
	})
	if err := s.Check(); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), string(bad)) {
		t.Errorf("check: %v", err)
	}
}

func TestUpdate_ErrorUndoesEverything(t *testing.T) {
	s := open(t)
	boom := errors.New("boom")
	err := s.Update(func(tx *Tx) error {
		if err := tx.PutSetting("a", 1); err != nil {
			return err
		}
		return boom
	})
	if err != boom {
		t.Errorf("got %v, want f's own error", err)
	}
	func() {
		defer func() {
			if r := recover(); r != "oops" {
				t.Errorf("recovered %v, want the program's own panic", r)
			}
		}()
		_ = s.Update(func(tx *Tx) error {
			_ = tx.PutSetting("a", 1)
			panic("oops")
		})
	}()
	view(t, s, func(tx *Tx) error {
		var a int
		if found, err := tx.Setting("a", &a); found || err != nil {
			t.Errorf("kept in spite of the error: %v", err)
		}
		return nil
	})
	update(t, s, func(tx *Tx) error { return tx.PutSetting("a", 2) })
}

func TestView_RefusesWrites(t *testing.T) {
	s := open(t)
	chat := newChat(t, s)
	n := Node{Chat: chat, Role: User}
	update(t, s, func(tx *Tx) error { return tx.AppendNode(&n) })
	writes := map[string]func(*Tx) error{
		"put":     func(tx *Tx) error { return Chats.Put(tx, chat, Chat{}) },
		"delete":  func(tx *Tx) error { return Chats.Delete(tx, chat) },
		"append":  func(tx *Tx) error { return tx.AppendNode(&Node{Chat: chat}) },
		"rewrite": func(tx *Tx) error { return tx.PutNode(n) },
		"setting": func(tx *Tx) error { return tx.PutSetting("a", 1) },
		"unset":   func(tx *Tx) error { return tx.PutSetting("a", nil) },
		"text":    func(tx *Tx) error { return tx.PutText("draft", "a", "b") },
		"avatar":  func(tx *Tx) error { return tx.PutAvatar(CharacterID(NewID()), []byte("p")) },
		"chat":    func(tx *Tx) error { return tx.DeleteChat(chat) },
	}
	for name, write := range writes {
		if err := s.View(write); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestSettingsTextsAvatars(t *testing.T) {
	s := open(t)
	who := CharacterID(NewID())
	type pair struct{ A, B int }
	update(t, s, func(tx *Tx) error {
		return errors.Join(
			tx.PutSetting("pair", pair{1, 2}), tx.PutSetting("gone", true), tx.PutSetting("gone", nil),
			tx.PutText("draft", "k", "line\nline"), tx.PutText("sent", "k", "x"), tx.PutText("sent", "k", ""),
			tx.PutAvatar(who, []byte("\x89PNG")))
	})
	view(t, s, func(tx *Tx) error {
		var p pair
		if found, err := tx.Setting("pair", &p); !found || err != nil || p != (pair{1, 2}) {
			t.Errorf("setting: %v %v %v", p, found, err)
		}
		var wrong []string
		if found, err := tx.Setting("pair", &wrong); found || err == nil {
			t.Errorf("setting of another shape: %v %v", found, err)
		}
		for _, key := range []string{"gone", "never", ""} {
			if found, err := tx.Setting(key, &p); found || err != nil {
				t.Errorf("setting %q: %v %v", key, found, err)
			}
		}
		for kind, want := range map[string]string{"draft": "line\nline", "sent": "", "other": "", "": ""} {
			if got, err := tx.Text(kind, "k"); got != want || err != nil {
				t.Errorf("text %q: %q %v", kind, got, err)
			}
		}
		if png, err := tx.Avatar(who); string(png) != "\x89PNG" || err != nil {
			t.Errorf("avatar: %q %v", png, err)
		}
		if _, err := tx.Avatar(CharacterID(NewID())); !errors.Is(err, ErrNotFound) {
			t.Errorf("no avatar: %v", err)
		}
		return nil
	})
	update(t, s, func(tx *Tx) error { return tx.PutAvatar(who, nil) })
	view(t, s, func(tx *Tx) error {
		if _, err := tx.Avatar(who); !errors.Is(err, ErrNotFound) {
			t.Errorf("removed avatar: %v", err)
		}
		return nil
	})
}

func TestDeleteChat_TakesItsOwnOnly(t *testing.T) {
	s := open(t)
	doomed, kept := newChat(t, s), newChat(t, s)
	update(t, s, func(tx *Tx) error {
		for _, chat := range []ChatID{doomed, kept} {
			root := Node{Chat: chat}
			if err := tx.AppendNode(&root); err != nil {
				return err
			}
			child := Node{Chat: chat, Parent: root.ID}
			brk, recap := Break{Node: root.ID}, Recap{ID: RecapID(NewID()), Node: root.ID}
			if err := errors.Join(tx.AppendNode(&child), Breaks.Put(tx, chat, brk), Recaps.Put(tx, chat, recap), RunningRecaps.Put(tx, chat, recap),
				Captures.Put(tx, CaptureID(NewID()), Capture{Chat: chat}),
				tx.PutText("draft", string(chat), "hm"), tx.PutText("sent", string(chat), "ho")); err != nil {
				return err
			}
		}
		return nil
	})
	update(t, s, func(tx *Tx) error { return tx.DeleteChat(doomed) })
	view(t, s, func(tx *Tx) error {
		want := map[string]int{"characters": 0, "personas": 0, "chats": 1, "captures": 1, "operations": 0, "profiles": 0, "settings": 0, "messages": 2,
			"scene breaks": 1, "recaps": 1, "running recaps": 1, "series": 0, "episodes": 0}
		if diff := cmp.Diff(want, tx.Counts()); diff != "" {
			t.Error(diff)
		}
		for _, kind := range []string{"draft", "sent"} {
			gone, _ := tx.Text(kind, string(doomed))
			stays, _ := tx.Text(kind, string(kept))
			if gone != "" || stays == "" {
				t.Errorf("%s: %q and %q", kind, gone, stays)
			}
		}
		return nil
	})
	err := s.Update(func(tx *Tx) error { return tx.AppendNode(&Node{Chat: doomed}) })
	if !errors.Is(err, ErrNotFound) {
		t.Errorf("append to a deleted chat: %v", err)
	}
	if err := s.Update(func(tx *Tx) error { return tx.DeleteChat(doomed) }); !errors.Is(err, ErrNotFound) {
		t.Errorf("delete again: %v", err)
	}
	empty := newChat(t, s)
	update(t, s, func(tx *Tx) error { return tx.DeleteChat(empty) })
}

func TestClosed(t *testing.T) {
	s := open(t)
	if err := errors.Join(s.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	nothing := func(*Tx) error { return nil }
	if err := s.View(nothing); !errors.Is(err, ErrClosed) {
		t.Errorf("view: %v", err)
	}
	if err := s.Update(nothing); !errors.Is(err, ErrClosed) {
		t.Errorf("update: %v", err)
	}
	if _, err := os.Stat(sidecarPath(s.Path())); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the sidecar stayed: %v", err)
	}
}

// What changes nothing is not written: the file has the state it had.
func TestUpdate_WritesNothingWhereNothingChanges(t *testing.T) {
	t.Parallel()
	plain := filepath.Join(t.TempDir(), "ghostlight.db")
	encrypted := filepath.Join(t.TempDir(), "ghostlight.db")
	if err := open(t).CopyEncrypted(encrypted, testKey()); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"plain": plain, "encrypted": encrypted} {
		s := openAt(t, path, unlocked())
		state := func() (id int) {
			view(t, s, func(tx *Tx) error {
				id = tx.tx.ID()
				return nil
			})
			return id
		}
		chat := Chat{ID: ChatID(NewID()), Title: "The lamp"}
		for i, step := range []struct {
			what   string
			f      func(*Tx) error
			writes bool
		}{
			{"a chat", func(tx *Tx) error { return Chats.Put(tx, chat.ID, chat) }, true},
			{"the same chat", func(tx *Tx) error { return Chats.Put(tx, chat.ID, chat) }, false},
			{"a setting", func(tx *Tx) error { return tx.PutSetting("theme", "dusk") }, true},
			{"the same setting", func(tx *Tx) error { return tx.PutSetting("theme", "dusk") }, false},
			{"a text", func(tx *Tx) error { return tx.PutText("draft", "a", "I say") }, true},
			{"the same text", func(tx *Tx) error { return tx.PutText("draft", "a", "I say") }, false},
			{"a look", func(tx *Tx) error { _, err := Chats.Get(tx, chat.ID); return err }, false},
			{"another setting", func(tx *Tx) error { return tx.PutSetting("theme", "dawn") }, true},
			{"the chat goes", func(tx *Tx) error { return Chats.Delete(tx, chat.ID) }, true},
		} {
			before := state()
			update(t, s, step.f)
			if wrote := state() != before; wrote != step.writes {
				t.Errorf("%s, step %d, %s: written %t, not %t", name, i, step.what, wrote, step.writes)
			}
		}
		view(t, s, func(tx *Tx) error {
			theme := ""
			if _, err := tx.Setting("theme", &theme); err != nil || theme != "dawn" {
				t.Errorf("%s: the theme is %q, %v", name, theme, err)
			}
			return nil
		})
	}
}
