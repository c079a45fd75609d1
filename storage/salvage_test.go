package storage

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	bolt "go.etcd.io/bbolt"
)

// rescued is a damaged file after Salvage, and what that says.
func rescued(t *testing.T, dir string, damaged []byte, encrypted bool, backups ...string) (
	map[string]string, Salvaged, error) {
	t.Helper()
	from, to := filepath.Join(dir, "damaged.db"), filepath.Join(dir, "repaired.db")
	if err := os.WriteFile(from, damaged, 0o600); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = os.Remove(from), os.Remove(to) }()
	if encrypted { // as opening such a file leaves it
		guard, err := json.Marshal(testKey().WrappedKey)
		if err := errors.Join(err, os.WriteFile(wrappedKeyCopy(from), guard, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Salvage(from, to, backups, unlocked().Unlock)
	if err != nil {
		return nil, got, err
	}
	if after, err := os.ReadFile(from); err != nil || !slices.Equal(after, damaged) {
		t.Errorf("the damaged file was changed (%v)", err)
	}
	s, err := Open(to, unlocked())
	if err != nil {
		t.Fatal(err)
	}
	all := content(t, s)
	if len(backups) > 0 {
		all = said(t, s)
	}
	if err := errors.Join(s.Check(), s.Close()); err != nil {
		t.Fatal(err)
	}
	return all, got, nil
}

// told returns the losses that Salvage reports, named as held names them.
func told(got Salvaged) map[string]bool {
	list := map[string]bool{}
	for _, l := range got.Lost {
		list[placeOfLost(l)] = true
	}
	return list
}

// placeOfLost returns the name of a lost record, as held names it.
func placeOfLost(l Lost) string { return strings.ReplaceAll(l.Table+"/"+l.Owner+"/"+l.Key, "//", "/") }

// strange reports whether something is lost whose key was damaged itself.
func strange(got Salvaged, truth map[string]string) bool {
	return slices.ContainsFunc(got.Lost, func(l Lost) bool { _, real := truth[placeOfLost(l)]; return !real })
}

// derived are tables that are made anew, and what a repair changes of others: a chat's head,
// and the place of a message.
func derived(key string) bool {
	return strings.HasPrefix(key, bucketPlaces) || strings.HasPrefix(key, bucketChildren) || strings.HasPrefix(key, bucketMeta)
}

func TestSalvage_SavesWhatCanBeSaved(t *testing.T)  { salvageSaves(t, false) }
func TestSalvage_SavesWhatIsEncrypted(t *testing.T) { salvageSaves(t, true) }

func salvageSaves(t *testing.T, encrypted bool) {
	if testing.Short() {
		t.Skip("NOT TESTED: long, one step after the other, with -short")
	}
	file, truth := furnished(t, encrypted)
	rng, until, dir := chance(t), time.Now().Add(torture(t)), t.TempDir()
	values, lost, gaps, hopeless := 0, 0, 0, 0
	for i := 0; i < damageRounds/4 || time.Now().Before(until); i++ {
		damaged := slices.Clone(file)
		how := damage(rng, damaged)
		all, got, err := rescued(t, dir, damaged, encrypted)
		if errors.Is(err, ErrCorrupt) && all == nil && rootHit(file, damaged) {
			hopeless++
			continue
		}
		if err != nil {
			t.Errorf("damage %d, %s: %v", i, how, err)
			continue
		}
		gaps += min(1, got.Gaps)
		list := told(got)
		for k, v := range truth {
			if derived(k) {
				continue
			}
			values++
			switch w, ok := all[k]; {
			case ok && w == v || list[k]:
			case !ok && (got.Gaps > 0 || strange(got, truth)):
			case ok && (strings.HasPrefix(k, bucketNodes) || strings.HasPrefix(k, bucketChats)) && (got.Gaps > 0 || len(list) > 0): // its place was mended
			default:
				t.Errorf("damage %d, %s: %s is not what it was (there: %t), and nobody says so: %+v", i, how, k, ok, got)
			}
			if all[k] != v {
				lost++
			}
		}
	}
	t.Logf("%d values in damaged files, %d lost, all told; %d of the files had pages that cannot be read; %d had no root", values, lost, gaps, hopeless)
}

// rootHit reports whether damage is in the root page of a bbolt file, which the newer of its two
// meta pages names.
func rootHit(file, damaged []byte) bool {
	const meta, rootAt, txAt = 16, 16, 48
	size := os.Getpagesize()
	newest, second := file[:size], file[size:2*size]
	if binary.LittleEndian.Uint64(second[meta+txAt:]) > binary.LittleEndian.Uint64(newest[meta+txAt:]) {
		newest = second
	}
	at := int(binary.LittleEndian.Uint64(newest[meta+rootAt:])) * size
	return len(damaged) < at+size || !bytes.Equal(file[at:at+size], damaged[at:at+size])
}

func TestSalvage_TakesTheRestFromABackup(t *testing.T)           { salvageFromBackup(t, false) }
func TestSalvage_TakesTheRestFromAnEncryptedBackup(t *testing.T) { salvageFromBackup(t, true) }

func salvageFromBackup(t *testing.T, encrypted bool) {
	if testing.Short() {
		t.Skip("NOT TESTED: long, one step after the other, with -short")
	}
	file, _ := furnished(t, encrypted)
	backup := filepath.Join(t.TempDir(), "backup.db")
	if err := os.WriteFile(backup, file, 0o600); err != nil {
		t.Fatal(err)
	}
	whole := openAt(t, backup, unlocked())
	truth := said(t, whole)
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	rng, dir := chance(t), t.TempDir()
	for i := range damageRounds / 4 {
		damaged := slices.Clone(file)
		how := damage(rng, damaged)
		all, got, err := rescued(t, dir, damaged, encrypted, filepath.Join(dir, "not there.db"), backup)
		if err != nil {
			t.Errorf("damage %d, %s: %v", i, how, err)
			continue
		}
		for k, v := range truth {
			if !derived(k) && all[k] != v {
				t.Errorf("damage %d, %s: %s is not what it was: %+v", i, how, k, got)
			}
		}
		for _, l := range got.Lost {
			if _, real := truth[placeOfLost(l)]; l.Backup != backup && real {
				t.Errorf("damage %d, %s: %+v", i, how, l)
			}
		}
	}
}

// An unreadable message keeps its place: later messages still follow earlier ones.
func TestSalvage_AMessageLeavesItsPlace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ghostlight.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	chat := newChat(t, s)
	ids := line(t, s, chat, 9)
	update(t, s, func(tx *Tx) error {
		c, err := Chats.Get(tx, chat)
		c.Head = ids[8]
		b := tx.tree(chat).nodes.raw
		bad := slices.Clone(b.Get([]byte(ids[4])))
		bad[9] ^= 2
		return errors.Join(err, Chats.Put(tx, chat, c), b.Put([]byte(ids[4]), bad))
	})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Salvage(path, filepath.Join(dir, "repaired.db"), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := Lost{Table: bucketNodes, Owner: string(chat), Key: string(ids[4])}
	if len(got.Lost) != 1 || got.Lost[0] != want || got.Gaps != 0 {
		t.Errorf("lost %+v", got)
	}
	repaired := openAt(t, filepath.Join(dir, "repaired.db"), Options{})
	view(t, repaired, func(tx *Tx) error {
		way, err := tx.Path(chat, ids[8], 0)
		if len(way) != 9 || way[4].ID != ids[4] || way[4].Content != "" || way[4].Fault != lostText || way[5].Content == "" {
			t.Errorf("%d messages: %+v", len(way), way)
		}
		return err
	})
	if err := os.WriteFile(path, []byte("no data file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Salvage(path, filepath.Join(dir, "nothing.db"), nil, nil); !errors.Is(err, ErrCorrupt) {
		t.Errorf("of nothing: %v", err)
	}
}

// What a repair does not know of it does not carry over, and a check does not look at it.
func TestTables_AreAll(t *testing.T) {
	t.Parallel()
	s := open(t)
	furnish(t, s)
	view(t, s, func(tx *Tx) error {
		return tx.tx.ForEach(func(name []byte, _ *bolt.Bucket) error {
			if string(name) != bucketMeta && !slices.Contains(tables(), string(name)) {
				t.Errorf("%s is no table", name)
			}
			return nil
		})
	})
}

// A leaf whose count was overwritten still shows by its first entry how many entries it has: they
// are saved, and the damage is reported.
func TestSalvage_ALeafThatCallsItselfEmpty(t *testing.T) {
	file, _ := furnished(t, false)
	dir := t.TempDir()
	backup := filepath.Join(dir, "backup.db")
	if err := os.WriteFile(backup, file, 0o600); err != nil {
		t.Fatal(err)
	}
	whole := openAt(t, backup, unlocked())
	truth := content(t, whole)
	if err := whole.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := openPages(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	w := pageWalk{pages: p, fault: func(_ keyRange, err error) { t.Error(err) }, visit: func(at keyRange, e element) bool { return at.path != "" || !isIndex(string(e.key)) }}
	w.descend(p.root, keyRange{})
	for id := uint64(2); id < p.high; id++ {
		at := int(id) * p.size
		page := file[at : at+p.size]
		list, _, err := elements(page, false)
		if !p.seen[id] || err != nil || binary.NativeEndian.Uint16(page[8:]) != pageLeaf || len(list) < 2 || id == p.root {
			continue
		}
		if seen++; seen%6 != 1 {
			continue // each takes a whole repair
		}
		for _, count := range []uint16{0, 1} {
			damaged := slices.Clone(file)
			binary.NativeEndian.PutUint16(damaged[at+10:], count)
			all, got, err := rescued(t, dir, damaged, false)
			if err != nil {
				t.Errorf("page %d says %d: %v", id, count, err)
				continue
			}
			if got.Gaps == 0 {
				t.Errorf("page %d says %d, and nothing is told", id, count)
			}
			for k, v := range truth {
				if _, there := all[k]; !derived(k) && !there && v != "" {
					t.Errorf("page %d says %d: %s is lost", id, count, k)
				}
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d leaves", seen)
	}
}

// A message that is not there although nothing says so, as where an older copy of a page was
// left, is taken from a backup.
func TestSalvage_AMessageThatIsNotThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ghostlight.db")
	s, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	chat := newChat(t, s)
	ids := line(t, s, chat, 9)
	backup := filepath.Join(dir, "backup.db")
	if err := s.CopyTo(backup, nil); err != nil {
		t.Fatal(err)
	}
	var want Node
	view(t, s, func(tx *Tx) error { want, err = tx.Node(chat, ids[4]); return err })
	update(t, s, func(tx *Tx) error { return tx.tree(chat).nodes.raw.Delete([]byte(ids[4])) })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "to.db")
	got, err := Salvage(path, to, []string{backup}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s = openAt(t, to, Options{})
	defer func() { _ = s.Close() }()
	view(t, s, func(tx *Tx) error {
		n, err := tx.Node(chat, ids[4])
		if n.Content != want.Content || n.State == Broken {
			t.Errorf("%+v, %+v", n, got)
		}
		return err
	})
}
