package storage

import (
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// line appends n messages below each other and returns their ids.
func line(t testing.TB, s *Store, chat ChatID, n int) []NodeID {
	t.Helper()
	var ids []NodeID
	update(t, s, func(tx *Tx) error {
		parent := NodeID("")
		for i := range n {
			role := User
			if i%2 == 1 {
				role = Assistant
			}
			node := Node{Chat: chat, Parent: parent, Role: role, Content: "words"[:1+i%5]}
			if err := tx.AppendNode(&node); err != nil {
				return err
			}
			parent = node.ID
			ids = append(ids, node.ID)
		}
		return nil
	})
	return ids
}

func TestPathInfos_FollowsEveryChange(t *testing.T) {
	s := open(t)
	chat := newChat(t, s)
	ids := line(t, s, chat, 5)
	update(t, s, func(tx *Tx) error {
		n, err := tx.Node(chat, ids[2])
		if err != nil {
			return err
		}
		n.Deleted, n.Checked, n.Content = true, true, "longer than before"
		return tx.PutNode(n)
	})
	view(t, s, func(tx *Tx) error {
		got := slices.Collect(tx.PathInfos(chat, ids[4]))
		slices.Reverse(got)
		var want []NodeInfo
		for i, id := range ids {
			n, err := tx.Node(chat, id)
			if err != nil {
				return err
			}
			if n.Depth != i {
				t.Errorf("depth %d of message %d", n.Depth, i)
			}
			want = append(want, placeOf(n))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if got[2].InStory() || !got[1].InStory() {
			t.Error("what was deleted is not said, the rest is")
		}
		return nil
	})
}

func TestChatTable(t *testing.T) {
	s := open(t)
	chat, other := newChat(t, s), newChat(t, s)
	ids := line(t, s, chat, 2)
	b := Break{Node: ids[1], Depth: 1, Name: "The harbour"}
	update(t, s, func(tx *Tx) error { return Breaks.Put(tx, chat, b) })
	view(t, s, func(tx *Tx) error {
		got, err := Breaks.Get(tx, chat, ids[1])
		if err != nil || !cmp.Equal(got, b) {
			t.Errorf("%+v, %v", got, err)
		}
		if _, err := Breaks.Get(tx, other, ids[1]); !errors.Is(err, ErrNotFound) {
			t.Errorf("in another chat: %v", err)
		}
		if !Breaks.Has(tx, chat, ids[1]) || Breaks.Has(tx, chat, ids[0]) || Breaks.Has(tx, other, ids[1]) {
			t.Error("Has")
		}
		n := 0
		for range Breaks.All(tx, chat) {
			n++
		}
		if n != 1 {
			t.Errorf("%d breaks", n)
		}
		return nil
	})
	for name, bad := range map[string]func(*Tx) error{
		"a chat that is not there": func(tx *Tx) error { return Breaks.Put(tx, ChatID(NewID()), b) },
		"no id":                    func(tx *Tx) error { return Breaks.Put(tx, chat, Break{}) },
		"none to delete":           func(tx *Tx) error { return Breaks.Delete(tx, chat, ids[0]) },
	} {
		if err := s.Update(bad); err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
	update(t, s, func(tx *Tx) error { return Breaks.Delete(tx, chat, ids[1]) })
}

func BenchmarkPathInfos10000(b *testing.B) {
	s, err := Open(filepath.Join(b.TempDir(), "bench.db"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	chat, leaf := ChatID(NewID()), NodeID("")
	err = s.Update(func(tx *Tx) error {
		if err := Chats.Put(tx, chat, Chat{Title: "long"}); err != nil {
			return err
		}
		for range 10000 {
			n := Node{Chat: chat, Parent: leaf, Role: User, Content: "something said"}
			if err := tx.AppendNode(&n); err != nil {
				return err
			}
			leaf = n.ID
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		_ = s.View(func(tx *Tx) error {
			for range tx.PathInfos(chat, leaf) {
			}
			return nil
		})
	}
}
