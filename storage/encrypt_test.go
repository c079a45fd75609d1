package storage

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	bolt "go.etcd.io/bbolt"
)

// testKey is a key with its wrapped key; making one takes a while.
var testKey = sync.OnceValue(func() (u CopyEncryption) {
	var err error
	if u.Key, err = NewKey(); err == nil {
		u.WrappedKey, err = u.Key.Wrap("swordfish")
	}
	if err != nil {
		panic(err)
	}
	return u
})

// unlocked opens files that testKey has encrypted, and others.
func unlocked() Options { return Options{Unlock: KeyOr(testKey().Key, nil)} }

// said returns all values as they were put, by their places, without the index of words.
func said(t testing.TB, s *Store) map[string]string {
	t.Helper()
	all := map[string]string{}
	view(t, s, func(tx *Tx) error {
		for b := range tx.buckets() {
			for k, v := range tx.values(b, false) {
				data, err := v.read()
				if err != nil {
					t.Errorf("%s %s: %v", b.path, k, err)
				}
				all[b.path+"/"+k] = string(data)
			}
		}
		return nil
	})
	return all
}

// words are in what furnish puts, each in another kind of table.
var furnishedWords = []string{"tall and quiet", "rain goes", "said otherwise", "old tower", "about to say", "she has the key", "They met",
	"setting0", "profile0", "assets/a.png", "picturepicture", "a play", "\"name\"", "rain", "line"}

func holds(t testing.TB, path string) (found []string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range furnishedWords {
		if bytes.Contains(data, []byte(w)) {
			found = append(found, w)
		}
	}
	return found
}

func TestEncrypt_ThereAndBack(t *testing.T) {
	dir := t.TempDir()
	plain := openAt(t, filepath.Join(dir, "plain.db"), Options{})
	furnish(t, plain)
	truth := said(t, plain)
	if found := holds(t, plain.Path()); len(found) != len(furnishedWords) {
		t.Fatalf("the plain file holds %q alone", found)
	}
	path := filepath.Join(dir, "encrypted.db")
	if err := plain.CopyEncrypted(path, CopyEncryption{Key: testKey().Key, WrappedKey: testKey().WrappedKey, Files: FilesToClose}); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path, unlocked())
	if !maps.Equal(said(t, s), truth) {
		t.Error("the encrypted file says something else")
	}
	if left, err := s.FilesLeft(); err != nil || left != FilesToClose {
		t.Errorf("its files: %q, %v", left, err)
	}
	for _, chat := range chatsOf(t, s) { // the index of words is made anew
		indexWords(t, s, chat, 1000)
	}
	if found := holds(t, path); len(found) > 0 {
		t.Errorf("the encrypted file holds %q", found)
	}
	small := filepath.Join(dir, "small.db")
	if err := s.Compact(small); err != nil {
		t.Fatal(err)
	}
	backup, err := s.BackupTo(filepath.Join(dir, "backups"), 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, copied := range []string{small, backup} {
		if found := holds(t, copied); len(found) > 0 {
			t.Errorf("%s holds %q", copied, found)
		}
		if _, encrypted, err := WrappedKeyOf(copied); err != nil || !encrypted {
			t.Errorf("%s is encrypted: %t, %v", copied, encrypted, err)
		}
		if c := openAt(t, copied, unlocked()); !maps.Equal(said(t, c), truth) {
			t.Errorf("%s says something else", copied)
		}
	}
	elsewhere := filepath.Join(dir, "elsewhere.db")
	if err := s.CopyTo(elsewhere, func(tx *Tx) error { return tx.PutText("late", "x", "an old tower") }); err != nil {
		t.Fatal(err)
	}
	if found := holds(t, elsewhere); len(found) > 0 {
		t.Errorf("what was saved elsewhere holds %q", found)
	}
	again := filepath.Join(dir, "again.db")
	if err := s.CopyEncrypted(again, CopyEncryption{}); err != nil {
		t.Fatal(err)
	}
	if back := openAt(t, again, Options{}); !maps.Equal(said(t, back), truth) || back.Encrypted() {
		t.Error("what was made plain again says something else")
	}
	if _, encrypted, err := WrappedKeyOf(again); err != nil || encrypted {
		t.Errorf("what was made plain again is encrypted: %t, %v", encrypted, err)
	}
}

func chatsOf(t testing.TB, s *Store) (list []ChatID) {
	t.Helper()
	view(t, s, func(tx *Tx) error { list = Chats.Keys(tx); return nil })
	return list
}

// Whatever is found in a plain file is found in an encrypted one: by the beginning of a
// word, within words, and by who uses it.
func TestEncrypt_WordsAreFound(t *testing.T) {
	dir := t.TempDir()
	plain := openAt(t, filepath.Join(dir, "plain.db"), Options{})
	chat := furnish(t, plain)[0]
	path := filepath.Join(dir, "encrypted.db")
	if err := plain.CopyEncrypted(path, CopyEncryption{Key: testKey().Key, WrappedKey: testKey().WrappedKey}); err != nil {
		t.Fatal(err)
	}
	s := openAt(t, path, unlocked())
	for indexWords(t, plain, chat, 30) > 0 {
	}
	for indexWords(t, s, chat, 30) > 0 {
	}
	for _, w := range []WordQuery{{Begin: []string{"ra"}}, {Begin: []string{"line", "1"}}, {Within: "in"}, {Begin: []string{"nobody"}}, {Begin: []string{"the"}, Within: "oe"}} {
		var want, got []NodeID
		view(t, plain, func(tx *Tx) error { want = slices.Collect(tx.MessagesWithWords(chat, w)); return nil })
		view(t, s, func(tx *Tx) error { got = slices.Collect(tx.MessagesWithWords(chat, w)); return nil })
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%+v: %d found instead of %d", w, len(got), len(want))
		}
	}
	view(t, s, func(tx *Tx) error {
		for id, sum := range tx.IndexedSums(chat) {
			n, err := tx.Node(chat, id)
			if err != nil || SumWords(wordsOf(n.Content)) != sum {
				t.Errorf("the words of %s: %v", id, err)
			}
		}
		return nil
	})
}

func TestEncrypt_Refusals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.encryptEmpty(testKey()), s.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{}); !errors.Is(err, ErrNoPassphrase) {
		t.Errorf("with nobody to ask: %v", err)
	}
	ask := func(pass string) Options {
		return Options{Unlock: func(g WrappedKey) (*Key, error) { return g.Unwrap(pass) }}
	}
	for _, pass := range []string{"", "Swordfish", "swordfish "} {
		if _, err := Open(path, ask(pass)); !errors.Is(err, ErrPassphrase) {
			t.Errorf("%q: %v", pass, err)
		}
	}
	s, err = Open(path, ask("swordfish"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	// A damaged wrapped key is taken from its copy, and mended.
	spoil := func() {
		db, err := bolt.Open(path, 0o600, nil)
		if err != nil {
			t.Fatal(err)
		}
		err = db.Update(func(tx *bolt.Tx) error {
			b := tx.Bucket([]byte(bucketMeta))
			v := bytes.Clone(b.Get([]byte(keyWrapped)))
			v[len(v)/2] ^= 1
			return b.Put([]byte(keyWrapped), v)
		})
		if err := errors.Join(err, db.Close()); err != nil {
			t.Fatal(err)
		}
	}
	spoil()
	for range 2 {
		if s, err = Open(path, ask("swordfish")); err != nil {
			t.Fatalf("with a damaged key record and its copy: %v", err)
		}
		if err := errors.Join(s.Check(), s.Close()); err != nil {
			t.Fatal(err)
		}
		if err := os.Remove(wrappedKeyCopy(path)); err != nil { // the second time the file itself is whole
			t.Fatal(err)
		}
	}
	spoil()
	before, _ := os.ReadFile(path)
	if _, err := Open(path, ask("swordfish")); !errors.Is(err, ErrKeyRecord) {
		t.Errorf("with no key record: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

// A value that is stored for another key cannot be decrypted.
func TestEncrypt_ValuesAreBoundToTheirPlace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.encryptEmpty(testKey()); err != nil {
		t.Fatal(err)
	}
	chat := newChat(t, s)
	ids := line(t, s, chat, 3)
	update(t, s, func(tx *Tx) error {
		b := tx.tree(chat).nodes.raw
		return b.Put([]byte(ids[0]), bytes.Clone(b.Get([]byte(ids[1]))))
	})
	view(t, s, func(tx *Tx) error {
		if _, err := tx.Node(chat, ids[0]); !errors.Is(err, ErrCorrupt) {
			t.Errorf("a value of another place: %v", err)
		}
		return nil
	})
	if err := s.Check(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("the check: %v", err)
	}
}

func TestKeyFile(t *testing.T) {
	k := testKey().Key
	for _, size := range []int{0, 1, 64 << 10, 200_000} {
		data := bytes.Repeat([]byte("picture "), size/8+1)[:size]
		sealed, err := k.Encrypt(data)
		if err != nil {
			t.Fatal(err)
		}
		if !IsEncrypted(sealed) || size > 8 && bytes.Contains(sealed, data[:8]) {
			t.Errorf("%d bytes are not encrypted", size)
		}
		if int64(len(sealed)) != k.SizeOf(int64(size)) {
			t.Errorf("%d bytes have %d, not %d", size, len(sealed), k.SizeOf(int64(size)))
		}
		got, err := k.Decrypt(sealed)
		if err != nil || !bytes.Equal(got, data) {
			t.Errorf("%d bytes: %v", size, err)
		}
		r, n, err := k.ReaderAt(bytes.NewReader(sealed), int64(len(sealed)))
		if err != nil || n != int64(size) {
			t.Errorf("%d bytes read at places: %d, %v", size, n, err)
		} else if size > 8 {
			part := make([]byte, 5)
			if _, err := r.ReadAt(part, int64(size-5)); err != nil && !errors.Is(err, io.EOF) || !bytes.Equal(part, data[size-5:]) {
				t.Errorf("the end of %d bytes: %q, %v", size, part, err)
			}
		}
		if plain, err := k.Decrypt(data); err != nil || !bytes.Equal(plain, data) {
			t.Errorf("a plain file of %d bytes: %v", size, err)
		}
		sealed[len(sealed)-1] ^= 1
		if _, err := k.Decrypt(sealed); !errors.Is(err, ErrCorrupt) {
			t.Errorf("damaged: %v", err)
		}
		if _, err := (*Key)(nil).Decrypt(sealed); !errors.Is(err, ErrCorrupt) {
			t.Errorf("without a key: %v", err)
		}
	}
}

// BenchmarkEncrypted measures what encryption costs where one waits: opening a file with a
// chat of 10,000 messages, reading what a screen shows of it, all of it, and saying a line.
func BenchmarkEncrypted(b *testing.B) {
	dir := b.TempDir()
	plain, err := Open(filepath.Join(dir, "plain.db"), Options{})
	if err != nil {
		b.Fatal(err)
	}
	chat := newChat(b, plain)
	ids := line(b, plain, chat, 10_000)
	path := filepath.Join(dir, "encrypted.db")
	if err := errors.Join(plain.CopyEncrypted(path, testKey()), plain.Close()); err != nil {
		b.Fatal(err)
	}
	for name, file := range map[string]string{"plain": plain.Path(), "encrypted": path} {
		b.Run("open/"+name, func(b *testing.B) {
			for b.Loop() {
				s, err := Open(file, unlocked())
				if err := errors.Join(err, s.Close()); err != nil {
					b.Fatal(err)
				}
			}
		})
		s := openAt(b, file, unlocked())
		read := func(b *testing.B, n int) {
			for b.Loop() {
				view(b, s, func(tx *Tx) error {
					for _, id := range ids[len(ids)-n:] {
						if _, err := tx.Node(chat, id); err != nil {
							return err
						}
					}
					return nil
				})
			}
		}
		b.Run("read 60/"+name, func(b *testing.B) { read(b, 60) })
		b.Run("read 10000/"+name, func(b *testing.B) { read(b, 10_000) })
		b.Run("append/"+name, func(b *testing.B) {
			for b.Loop() {
				update(b, s, func(tx *Tx) error {
					return tx.AppendNode(&Node{Chat: chat, Parent: ids[len(ids)-1], Role: User, Content: "and the rain goes on"})
				})
			}
		})
	}
}
