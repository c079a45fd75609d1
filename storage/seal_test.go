package storage

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func content(t *testing.T, s *Store) (all map[string]string) {
	t.Helper()
	view(t, s, func(tx *Tx) error { all = held(tx.tx); return nil })
	return all
}

// Reading returns the stored value or an error: it detects values that changed on the disk, and
// values that are stored for another key.
func TestSeal_ReadingFindsDamage(t *testing.T) {
	s := open(t)
	chats := furnish(t, s)
	var n Node
	undo := errors.New("only tried")
	try := func(what string, damage func(tx *Tx) error, read func(tx *Tx) error) {
		t.Helper()
		err := s.Update(func(tx *Tx) error {
			if err := damage(tx); err != nil {
				t.Errorf("%s: %v", what, err)
			}
			if err := read(tx); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), errSeal.Error()) {
				t.Errorf("%s: %v", what, err)
			}
			return undo
		})
		if !errors.Is(err, undo) {
			t.Error(err)
		}
	}
	view(t, s, func(tx *Tx) error {
		c, err := Chats.Get(tx, chats[0])
		if err != nil {
			return err
		}
		n, err = tx.Node(c.ID, c.Head)
		return err
	})
	stored := func(b *bucket, key string, change func([]byte) []byte) error {
		return b.raw.Put([]byte(key), change(append([]byte(nil), b.raw.Get([]byte(key))...)))
	}
	flip := func(v []byte) []byte { v[len(v)/2] ^= 1; return v }
	try("a letter of a message", func(tx *Tx) error { return stored(tx.tree(n.Chat).nodes, string(n.ID), flip) },
		func(tx *Tx) error { _, err := tx.Node(n.Chat, n.ID); return err })
	try("a path", func(tx *Tx) error { return stored(tx.tree(n.Chat).nodes, string(n.Parent), flip) },
		func(tx *Tx) error { _, err := tx.Path(n.Chat, n.ID, 0); return err })
	try("a message of another chat", func(tx *Tx) error {
		v := tx.tree(n.Chat).nodes.raw.Get([]byte(n.ID))
		return tx.inner(bucketNodes, string(chats[1])).raw.Put([]byte(n.ID), v)
	}, func(tx *Tx) error { _, err := tx.Node(chats[1], n.ID); return err })
	try("a draft", func(tx *Tx) error { return stored(tx.bucket(bucketTexts).in("draft"), string(n.Chat), flip) },
		func(tx *Tx) error { _, err := tx.Text("draft", string(n.Chat)); return err })
	try("a setting", func(tx *Tx) error {
		return stored(tx.bucket(bucketSettings), "setting1", func(v []byte) []byte { return v[:3] })
	},
		func(tx *Tx) error { _, err := tx.Setting("setting1", new(map[string]int)); return err })
	view(t, s, func(tx *Tx) error {
		who := Characters.Keys(tx)[0]
		try("a picture", func(tx *Tx) error { return stored(tx.bucket(bucketAvatars), string(who), flip) },
			func(tx *Tx) error { _, err := tx.Avatar(who); return err })
		try("an asset", func(tx *Tx) error { return stored(tx.inner(bucketAssets, string(who)), "assets/a.png", flip) },
			func(tx *Tx) error { _, err := tx.Asset(who, "assets/a.png"); return err })
		return nil
	})
}

// bbolt takes the older of its two heads if the newer cannot be read: the last transaction is lost,
// which is reported until the file is repaired.
func TestHead_LostIsTold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	newChat(t, s)
	size := int64(s.db.Info().PageSize)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	newer := newerHead(t, path, size)
	flipAt(t, path, (1-newer)*size+headAt+20)
	older, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := older.Check(); err != nil {
		t.Errorf("the older head is no loss: %v", err)
	}
	newChat(t, older) // written over the bad one, so that both are good again
	if err := older.Close(); err != nil {
		t.Fatal(err)
	}
	newer = newerHead(t, path, size)
	flipAt(t, path, newer*size+headAt+20)
	for range 2 {
		s, err = Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(); !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), "the change that was made last") {
			t.Errorf("a lost head: %v", err)
		}
		newChat(t, s) // both heads are good again
		newChat(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
