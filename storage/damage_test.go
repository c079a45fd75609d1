package storage

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// The damage suite: a file with something in every kind of table is damaged as disks and
// other programs damage files, at random places. Nothing may be wrong without being told.
// GHOSTLIGHT_TEST_TORTURE says for how long it goes on, GHOSTLIGHT_TEST_SEED repeats a run.

// damageRounds is the number of damages in a run of all tests.
const damageRounds = 200

func chance(t *testing.T) *rand.Rand {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv("GHOSTLIGHT_TEST_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("seed %d: GHOSTLIGHT_TEST_SEED=%d repeats it", seed, seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func torture(t *testing.T) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(cmp.Or(os.Getenv("GHOSTLIGHT_TEST_TORTURE"), "0s"))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// furnish puts something into most tables, in several transactions, some of it rewritten.
func furnish(t testing.TB, s *Store) (chats []ChatID) {
	t.Helper()
	for i := range 6 {
		update(t, s, func(tx *Tx) error {
			who, me, book := CharacterID(NewID()), PersonaID(NewID()), LorebookID(NewID())
			chat := ChatID(NewID())
			chats = append(chats, chat)
			err := errors.Join(
				Characters.Put(tx, who, Character{Card: Card{Name: fmt.Sprint("Ada ", i), Description: strings.Repeat("tall and quiet ", 60)}}),
				tx.PutAvatar(who, bytes.Repeat([]byte{0x89, byte(i), 3}, 3000)),
				tx.PutAsset(who, "assets/a.png", bytes.Repeat([]byte("picture"), 100)),
				Personas.Put(tx, me, Persona{Name: "I"}),
				Chats.Put(tx, chat, Chat{Title: "a play"}),
				Lorebooks.Put(tx, book, Lorebook{Name: "book"}),
				tx.PutSetting(fmt.Sprint("setting", i), map[string]int{"a": i}),
				tx.PutText("draft", string(chat), "what I was about to say"),
				Profiles.Put(tx, fmt.Sprint("profile", i), Profile{}),
				RegexScripts.Put(tx, RegexID(NewID()), RegexScript{Name: fmt.Sprint("Tallies ", i), Find: "/a/g"}),
				CardRegexes.Put(tx, who, CardRegex{On: true}),
			)
			for j := range 30 {
				err = errors.Join(err, LoreEntries.Put(tx, book, LoreEntry{ID: EntryID(NewID()), Content: strings.Repeat("an old tower ", j)}))
			}
			return err
		})
	}
	for _, chat := range chats {
		var ids []NodeID
		update(t, s, func(tx *Tx) error {
			for j := range 80 {
				n := Node{Chat: chat, Role: User, Content: fmt.Sprint("line ", j, strings.Repeat(" and the rain goes on", j%17))}
				if j > 0 {
					n.Parent = ids[max(0, len(ids)-1-j%5/4)]
				}
				if err := tx.AppendNode(&n); err != nil {
					return err
				}
				ids = append(ids, n.ID)
			}
			c, err := Chats.Get(tx, chat)
			c.Head = ids[len(ids)-1]
			change := Change{Kind: ChangeEdit, Nodes: ids[:1], Was: &TextState{Text: "was"}, Now: &TextState{Text: "now"}}
			return errors.Join(err, Chats.Put(tx, chat, c), tx.AddChange(chat, &change),
				Breaks.Put(tx, chat, Break{Node: ids[9]}),
				Recaps.Put(tx, chat, Recap{ID: RecapID(NewID()), Text: strings.Repeat("They met. ", 40)}),
				Memories.Put(tx, ScopeID(chat), Memory{ID: MemoryID(NewID()), Content: "she has the key"}))
		})
		update(t, s, func(tx *Tx) error {
			n, err := tx.Node(chat, ids[4])
			n.Content, n.Deleted = "said otherwise", true
			return errors.Join(err, tx.PutNode(n))
		})
		indexWords(t, s, chat, 50)
	}
	return chats
}

// held are all values that a file holds, by their places, as far as they can be read.
func held(tx *bolt.Tx) map[string]string {
	all := map[string]string{}
	var walk func(place string, b *bolt.Bucket)
	walk = func(place string, b *bolt.Bucket) {
		c := b.Cursor()
		for k, v := c.First(); k != nil; k, v = c.Next() {
			at := place + "/" + shownKey(k)
			if v != nil {
				all[at] = string(v)
			} else if inner := b.Bucket(k); inner != nil {
				walk(at, inner)
			}
		}
	}
	_ = tx.ForEach(func(name []byte, b *bolt.Bucket) error {
		if string(name) != bucketWords { // WordSums compares these with what messages say
			walk(string(name), b)
		}
		return nil
	})
	return all
}

// damage changes some bytes of a file as disks do, and says how.
func damage(rng *rand.Rand, file []byte) string {
	sector := func() int { return rng.IntN(len(file)/512) * 512 }
	at := rng.IntN(len(file))
	switch rng.IntN(8) {
	case 0, 1, 2:
		file[at] ^= 1 << rng.IntN(8)
		return fmt.Sprintf("a bit of byte %d", at)
	case 3:
		file[at] = byte(rng.Uint32())
		return fmt.Sprintf("byte %d", at)
	case 4:
		n := min(16, len(file)-at)
		for i := range n {
			file[at+i] = byte(rng.Uint32())
		}
		return fmt.Sprintf("%d bytes from %d on", n, at)
	case 5:
		at = sector()
		clear(file[at : at+512])
		return fmt.Sprintf("zeroes in the sector at %d", at)
	case 6:
		at = sector()
		from := sector()
		copy(file[at:at+512], file[from:from+512])
		return fmt.Sprintf("the sector at %d where that at %d should be", from, at)
	default:
		size := os.Getpagesize()
		at = rng.IntN(len(file)/size) * size
		from := rng.IntN(len(file)/size) * size
		copy(file[at:at+size], file[from:from+size])
		return fmt.Sprintf("page %d where page %d should be", from/size, at/size)
	}
}

// furnished is a data file with something in it, and what it holds.
func furnished(t *testing.T, encrypted bool) (file []byte, truth map[string]string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if encrypted {
		if err := s.encryptEmpty(CopyEncryption{Key: testKey().Key, WrappedKey: testKey().WrappedKey}); err != nil {
			t.Fatal(err)
		}
	}
	furnish(t, s)
	if err := s.Check(); err != nil {
		t.Fatalf("before any damage: %v", err)
	}
	_ = s.db.View(func(tx *bolt.Tx) error { truth = held(tx); return nil })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if file, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return file, truth
}

func TestDamage_IsSeen(t *testing.T)            { damageIsSeen(t, false) }
func TestDamage_OfAnEncryptedFile(t *testing.T) { damageIsSeen(t, true) }

func damageIsSeen(t *testing.T, encrypted bool) {
	file, truth := furnished(t, encrypted)
	rng, until := chance(t), time.Now().Add(torture(t))
	harmless, refused, found, rounds := 0, 0, 0, damageRounds
	if encrypted {
		rounds /= 2
	}
	for i := 0; i < rounds || time.Now().Before(until); i++ {
		damaged := slices.Clone(file)
		how := damage(rng, damaged)
		path := filepath.Join(t.TempDir(), "ghostlight.db")
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := Open(path, unlocked())
		switch {
		case err != nil:
			refused++
		case s.Check() != nil:
			found++
		default:
			harmless++
			var got map[string]string
			_ = s.View(func(tx *Tx) error { got = held(tx.tx); return nil })
			if diff := differences(truth, got); diff != "" {
				t.Errorf("damage %d, %s, was not seen: %s", i, how, diff)
			}
		}
		if s != nil {
			err = s.Close()
		}
		if err != nil && !errors.Is(err, ErrCorrupt) && !(encrypted && (errors.Is(err, ErrKeyRecord) || errors.Is(err, ErrNewer))) {
			t.Errorf("damage %d, %s: %v", i, how, err)
		}
		_ = os.Remove(path)
	}
	t.Logf("%d damages: %d refused at the opening, %d found by Check, %d in pages that hold nothing", harmless+refused+found, refused, found, harmless)
}

// differences names a value that is not the same in two files.
func differences(truth, got map[string]string) string {
	if len(got) != len(truth) {
		return fmt.Sprintf("%d values instead of %d", len(got), len(truth))
	}
	for k, v := range truth {
		if w, ok := got[k]; !ok {
			return fmt.Sprintf("%q is missing", k)
		} else if w != v {
			return fmt.Sprintf("%q is %s instead of %s", k, hex.EncodeToString([]byte(clip(w, 100))), hex.EncodeToString([]byte(clip(v, 100))))
		}
	}
	for k := range got {
		if _, ok := truth[k]; !ok {
			return fmt.Sprintf("%q is too much", k)
		}
	}
	return ""
}

// newerHead returns the number of the page with the newer head, 0 or 1.
func newerHead(t *testing.T, path string, size int64) int64 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	one, _ := readHead(f, 0)
	two, _ := readHead(f, size)
	if two.tx > one.tx {
		return 1
	}
	return 0
}

func flipAt(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	var b [1]byte
	_, err = f.ReadAt(b[:], at)
	b[0] ^= 4
	_, failed := f.WriteAt(b[:], at)
	if err := errors.Join(err, failed, f.Close()); err != nil {
		t.Fatal(err)
	}
}
