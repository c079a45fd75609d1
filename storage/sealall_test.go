package storage

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// unsealed takes the seals off a file again: it is then as version 8 left it.
func unsealed(t *testing.T, path string) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		list, err := sealedBuckets(tx)
		for _, h := range list {
			for _, k := range (&bucket{raw: h.b}).keys() {
				v := h.b.Get([]byte(k))
				err = errors.Join(err, h.b.Put([]byte(k), append([]byte(nil), v[:len(v)-sealSize]...)))
			}
		}
		meta := tx.Bucket([]byte(bucketMeta))
		return errors.Join(err, meta.Delete([]byte(keySealed)), meta.Put([]byte(keySchema), []byte("8")), tx.DeleteBucket([]byte(bucketMoveIns)))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

func content(t *testing.T, s *Store) (all map[string]string) {
	t.Helper()
	view(t, s, func(tx *Tx) error { all = held(tx.tx); return nil })
	return all
}

// A file without seals gets them when it is opened, after a backup; also one whose first
// opening was killed in the middle of it.
func TestSealAll(t *testing.T) {
	for _, killed := range []int{0, 1, 2, 7, 40, 200} {
		path := filepath.Join(t.TempDir(), "ghostlight.db")
		s, err := Open(path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		furnish(t, s)
		truth := content(t, s)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		unsealed(t, path)
		if killed > 0 {
			interrupted(t, path, killed)
		}
		if _, err := Open(path, Options{ReadOnly: true}); !errors.Is(err, ErrOlder) {
			t.Errorf("killed after %d: one who only reads: %v", killed, err)
		}
		again := openAt(t, path, Options{})
		if err := again.Check(); err != nil {
			t.Errorf("killed after %d: %v", killed, err)
		}
		if diff := differences(truth, content(t, again)); diff != "" {
			t.Errorf("killed after %d: %s", killed, diff)
		}
		backups, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "backups", "*-before-v*.db"))
		if want := 1; len(backups) != want && killed == 0 {
			t.Errorf("killed after %d: backups %q", killed, backups)
		}
	}
}

// interrupted does of an opening the migration and a few of its values.
func interrupted(t *testing.T, path string, values int) {
	t.Helper()
	db, err := bolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(func(tx *bolt.Tx) error {
		err := sealRoom(tx)
		meta := tx.Bucket([]byte(bucketMeta))
		for range 3 {
			from := strings.TrimPrefix(string(meta.Get([]byte(keySealed))), sealedUpTo)
			to, failed := sealSome(tx, from, values)
			err = errors.Join(err, failed, meta.Put([]byte(keySealed), []byte(sealedUpTo+to)))
		}
		return errors.Join(err, meta.Put([]byte(keySchema), []byte("9")))
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
}

// What is read is what was stored, or it is said that it is not: values that changed on the
// disk, and those that stand where another was put.
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

// bbolt takes the older of its two heads where the newer cannot be read: what was stored
// last is gone, which is told until it is repaired.
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
