package storage

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// longChat makes a file with one chat of n messages of about 2 KB in a row.
func longChat(b *testing.B, n int) (path string, chat ChatID, head NodeID) {
	b.Helper()
	path = filepath.Join(b.TempDir(), "ghostlight.db")
	s := openAt(b, path, Options{})
	chat = newChat(b, s)
	words := strings.Repeat("She looks up from the lamp. \"Is anybody there?\" ", 40)
	for done := 0; done < n; {
		update(b, s, func(tx *Tx) error {
			for range min(1000, n-done) {
				node := Node{Chat: chat, Parent: head, Role: User, Name: "Ada", State: Complete, Content: fmt.Sprint(done, words), CreatedAt: time.Now()}
				if err := tx.AppendNode(&node); err != nil {
					return err
				}
				head = node.ID
				done++
			}
			return nil
		})
	}
	update(b, s, func(tx *Tx) error { return Chats.Put(tx, chat, Chat{Title: "long", Head: head}) })
	if err := s.Check(); err != nil {
		b.Fatal(err)
	}
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	return path, chat, head
}

func BenchmarkOpenLongChat(b *testing.B) {
	path, chat, head := longChat(b, 10_000)
	for b.Loop() {
		s, err := Open(path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		view(b, s, func(tx *Tx) error {
			nodes, err := tx.Path(chat, head, 200)
			if len(nodes) != 200 {
				b.Errorf("%d messages", len(nodes))
			}
			return err
		})
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenOnly(b *testing.B) {
	path, _, _ := longChat(b, 10_000)
	for b.Loop() {
		s, err := Open(path, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendNode(b *testing.B) {
	path, chat, head := longChat(b, 10_000)
	s := openAt(b, path, Options{})
	for b.Loop() {
		n := Node{Chat: chat, Parent: head, Role: User, Content: strings.Repeat("word ", 100)}
		update(b, s, func(tx *Tx) error { return tx.AppendNode(&n) })
		head = n.ID
	}
}

func BenchmarkPathBefore(b *testing.B) {
	path, chat, head := longChat(b, 10_000)
	s := openAt(b, path, Options{})
	for b.Loop() {
		view(b, s, func(tx *Tx) error {
			_, err := tx.PathBefore(chat, head, 200)
			return err
		})
	}
}

func BenchmarkLeafFromRoot(b *testing.B) {
	path, chat, head := longChat(b, 10_000)
	s := openAt(b, path, Options{})
	for b.Loop() {
		view(b, s, func(tx *Tx) error {
			got, err := tx.Leaf(chat, "")
			if got != head {
				b.Errorf("leaf %s, want %s", got, head)
			}
			return err
		})
	}
}

// BenchmarkFirst reads the first 150 messages of a path of 100,000, and BenchmarkPathInfos
// goes all the way up.
func BenchmarkFirst(b *testing.B) { ofShortMessages(b, firstMessages) }

func BenchmarkPathInfos(b *testing.B) { ofShortMessages(b, wholePath) }

func firstMessages(b *testing.B, tx *Tx, chat ChatID, head NodeID) {
	if nodes, err := tx.PathBelow(chat, head, "", 150); err != nil || len(nodes) != 150 || nodes[0].Parent != "" {
		b.Errorf("%d messages, %v", len(nodes), err)
	}
}

func wholePath(b *testing.B, tx *Tx, chat ChatID, head NodeID) {
	n := 0
	for range tx.PathInfos(chat, head) {
		n++
	}
	if n != 100_000 {
		b.Errorf("%d messages", n)
	}
}

func ofShortMessages(b *testing.B, do func(*testing.B, *Tx, ChatID, NodeID)) {
	s := openAt(b, filepath.Join(b.TempDir(), "ghostlight.db"), Options{})
	chat, head := newChat(b, s), NodeID("")
	for range 20 {
		update(b, s, func(tx *Tx) error {
			for range 5000 {
				node := Node{Chat: chat, Parent: head, Role: User, State: Complete, Content: "A line of some words."}
				if err := tx.AppendNode(&node); err != nil {
					return err
				}
				head = node.ID
			}
			return nil
		})
	}
	b.ReportAllocs()
	for b.Loop() {
		view(b, s, func(tx *Tx) error { do(b, tx, chat, head); return nil })
	}
}
