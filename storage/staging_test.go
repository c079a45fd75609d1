package storage

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// below makes n messages, each below the one before.
func below(parent NodeID, n int) (list []Node) {
	for i := range n {
		id := NodeID(NewID())
		list = append(list, Node{ID: id, Parent: parent, Role: User, Content: fmt.Sprint("line ", i)})
		parent = id
	}
	return list
}

func TestStage(t *testing.T) {
	for name, opts := range map[string]Options{"plain": {}, "encrypted": unlocked()} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ghostlight.db")
			s := openAt(t, path, opts)
			if name == "encrypted" {
				if err := s.encryptEmpty(testKey()); err != nil {
					t.Fatal(err)
				}
			}
			chat := ChatID(NewID())
			g := s.Stage(chat)
			first := below("", 50)
			second := below(first[49].ID, 50)
			for _, list := range [][]Node{first, second} {
				if err := g.Append(list); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Check(); err != nil {
				t.Errorf("what is on its way in is no damage: %v", err)
			}
			if err := s.Update(func(tx *Tx) error { return tx.CommitStaged(chat) }); !errors.Is(err, ErrNotFound) {
				t.Errorf("messages without a chat: %v", err)
			}
			update(t, s, func(tx *Tx) error {
				return errors.Join(Chats.Put(tx, chat, Chat{Title: "long", Head: second[49].ID}), tx.CommitStaged(chat))
			})
			if err := g.Append(below("", 1)); !errors.Is(err, ErrBadID) {
				t.Errorf("a chat that is there takes no more that way: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			s = openAt(t, path, unlocked())
			view(t, s, func(tx *Tx) error {
				list, err := tx.Path(chat, second[49].ID, 0)
				if len(list) != 100 || list[0].Content != "line 0" || list[99].Depth != 99 {
					t.Errorf("%d messages", len(list))
				}
				return err
			})
		})
	}
}

// What was on its way in when the program ended is gone with the next start, in a repaired
// file too, and what is dropped at once.
func TestStage_IsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ghostlight.db")
	s := openAt(t, path, Options{})
	kept := newChat(t, s)
	update(t, s, func(tx *Tx) error { return tx.AppendNode(&Node{Chat: kept, Role: User, Content: "stays"}) })
	dropped := s.Stage(ChatID(NewID()))
	if err := errors.Join(dropped.Append(below("", 20)), s.Stage(ChatID(NewID())).Append(below("", 3000))); err != nil {
		t.Fatal(err)
	}
	if err := dropped.Drop(); err != nil {
		t.Fatal(err)
	}
	only := func(s *Store, want int) {
		t.Helper()
		view(t, s, func(tx *Tx) error {
			if n := tx.Counts()["messages"]; n != want || want == 1 && len(staged(tx.tx)) > 0 {
				t.Errorf("%d messages", n)
			}
			return nil
		})
	}
	only(s, 3001)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	repaired := filepath.Join(dir, "repaired.db")
	if got, err := Salvage(path, repaired, nil, nil); err != nil || len(got.Lost) > 0 {
		t.Errorf("repaired: %+v, %v", got.Lost, err)
	}
	read, err := Open(path, Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(read.Check(), read.Close()); err != nil {
		t.Errorf("only read: %v", err)
	}
	for _, p := range []string{path, repaired} {
		s := openAt(t, p, Options{})
		only(s, 1)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A message that cannot be added keeps all of its portion out.
func TestStage_Refusals(t *testing.T) {
	s := open(t)
	g := s.Stage(ChatID(NewID()))
	list := below("", 3)
	for name, spoil := range map[string]func(n *Node){
		"no id":               func(n *Node) { n.ID = "" },
		"id taken":            func(n *Node) { n.ID = list[0].ID },
		"a parent of nowhere": func(n *Node) { n.Parent = NodeID(NewID()) },
		"too large":           func(n *Node) { n.Content = strings.Repeat("x", MaxRecord) },
	} {
		bad := append([]Node(nil), list...)
		spoil(&bad[2])
		if err := g.Append(bad); err == nil {
			t.Errorf("%s: it was taken", name)
		}
	}
	if err := s.Stage("nobody").Append(below("", 1)); !errors.Is(err, ErrBadID) {
		t.Error(err)
	}
	view(t, s, func(tx *Tx) error {
		if n := tx.Counts()["messages"]; n != 0 {
			t.Errorf("%d messages", n)
		}
		return nil
	})
}
