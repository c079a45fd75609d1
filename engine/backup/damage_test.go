package backup_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// damageRounds is how many damages a run of all tests makes, of which each is read and written,
// and either restored or repaired; all of that is tried with each where GHOSTLIGHT_TEST_TORTURE
// says for how long more to go on. GHOSTLIGHT_TEST_SEED gives other damages.
const damageRounds = 180

// story fills a store as some evenings do, in many transactions, and returns what it says then.
func story(t *testing.T, s *storage.Store) string {
	t.Helper()
	for i := range 3 {
		chat, book, who := storage.ChatID(storage.NewID()), storage.LorebookID(storage.NewID()), storage.CharacterID(storage.NewID())
		err := s.Update(func(tx *storage.Tx) error {
			return errors.Join(
				storage.Characters.Put(tx, who, storage.Character{Card: storage.Card{Name: fmt.Sprint("Ada ", i), Description: strings.Repeat("tall and quiet ", 90)}}),
				tx.PutAvatar(who, bytes.Repeat([]byte{0x89, byte(i), 3}, 4000)),
				storage.Chats.Put(tx, chat, storage.Chat{Title: fmt.Sprint("Evening ", i)}),
				storage.Lorebooks.Put(tx, book, storage.Lorebook{Name: "book"}),
				tx.PutSetting(fmt.Sprint("setting", i), i), tx.PutText("draft", string(chat), "what comes next"))
		})
		for j := range 24 {
			err = errors.Join(err, s.Update(func(tx *storage.Tx) error {
				c, err := storage.Chats.Get(tx, chat)
				for k := range 5 {
					n := storage.Node{Chat: chat, Parent: c.Head, Role: storage.User}
					n.Content = fmt.Sprint("line ", j, ".", k, strings.Repeat(" and the rain goes on", (j+k)%17))
					err = errors.Join(err, tx.AppendNode(&n))
					c.Head = n.ID
				}
				entry := storage.LoreEntry{ID: storage.EntryID(storage.NewID()), Content: strings.Repeat("an old tower ", j)}
				return errors.Join(err, storage.Chats.Put(tx, chat, c), storage.LoreEntries.Put(tx, book, entry))
			}))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	said, err := told(s)
	if err := errors.Join(err, s.Check()); err != nil {
		t.Fatal(err)
	}
	return said
}

// told is what a store says, as far as it can be read.
func told(s *storage.Store) (string, error) {
	var all strings.Builder
	err := s.View(func(tx *storage.Tx) error {
		for id, c := range storage.Characters.All(tx) {
			picture, err := tx.Avatar(id)
			_, _ = fmt.Fprintln(&all, c.Card.Name, c.Card.Description, len(picture), err)
		}
		for id, b := range storage.Lorebooks.All(tx) {
			_, _ = fmt.Fprintln(&all, b.Name)
			for _, e := range storage.LoreEntries.All(tx, id) {
				_, _ = fmt.Fprintln(&all, e.ID, e.Content)
			}
		}
		for id, c := range storage.Chats.All(tx) {
			draft, err := tx.Text("draft", string(id))
			way, fault := tx.Path(id, c.Head, 0)
			_, _ = fmt.Fprintln(&all, c.Title, c.Head, draft, err, len(way), fault)
			for _, n := range tx.Nodes(id) {
				_, _ = fmt.Fprintln(&all, n.ID, n.Parent, n.Content)
			}
		}
		_, _ = fmt.Fprintln(&all, tx.Counts(), tx.Skipped())
		return nil
	})
	return all.String(), err
}

// changeAll writes into every table that told reads, so that its pages are taken apart.
func changeAll(s *storage.Store) error {
	return s.Update(func(tx *storage.Tx) error {
		var faults []error
		for id, c := range storage.Chats.All(tx) {
			n := storage.Node{Chat: id, Parent: c.Head, Role: storage.User, Content: "on"}
			faults = append(faults, tx.AppendNode(&n), tx.PutText("draft", string(id), "another"), storage.Chats.Put(tx, id, c))
		}
		for id := range storage.Lorebooks.All(tx) {
			faults = append(faults, storage.LoreEntries.Put(tx, id, storage.LoreEntry{ID: storage.EntryID(storage.NewID())}))
		}
		return errors.Join(faults...)
	})
}

// harm damages a data file as disks, other programs and a copy that was cut off do, mostly in
// what is its structure, and says how.
func harm(rng *rand.Rand, file []byte) ([]byte, string) {
	size := os.Getpagesize()
	var used, branches []int // pages
	for at := range len(file) / size {
		switch flags := binary.NativeEndian.Uint16(file[at*size+8:]); flags {
		case 1:
			used, branches = append(used, at), append(branches, at)
		case 2, 4, 16:
			used = append(used, at)
		}
	}
	page := used[rng.IntN(len(used))]
	at := file[page*size : (page+1)*size]
	switch rng.IntN(12) {
	case 0:
		n := rng.IntN(len(file))
		return file[:n], fmt.Sprintf("cut after %d bytes", n)
	case 1:
		n := rng.IntN(used[len(used)-1]+1) * size
		return file[:n], fmt.Sprintf("cut after page %d", n/size-1)
	case 2:
		n := 1 + rng.IntN(64)
		from := rng.IntN(size - n)
		for i := range n {
			at[from+i] = byte(rng.Uint32())
		}
		return file, fmt.Sprintf("%d bytes of page %d from %d on", n, page, from)
	case 3:
		for i := range at {
			at[i] = byte(rng.Uint32())
		}
		return file, fmt.Sprintf("noise in page %d", page)
	case 4:
		n := min(1+rng.IntN(8), len(file)/size-page)
		clear(file[page*size : (page+n)*size])
		return file, fmt.Sprintf("zeroes in %d pages from %d on", n, page)
	case 5:
		from := used[rng.IntN(len(used))]
		copy(at, file[from*size:(from+1)*size])
		return file, fmt.Sprintf("page %d where page %d should be", from, page)
	case 6:
		// A branch where a leaf was has bbolt run in circles, and is nothing that happens by itself.
		from := used[rng.IntN(len(used))]
		for binary.NativeEndian.Uint16(file[from*size+8:]) != binary.NativeEndian.Uint16(at[8:]) {
			from = used[rng.IntN(len(used))]
		}
		copy(at[8:], file[from*size+8:(from+1)*size])
		return file, fmt.Sprintf("page %d where page %d should be, under its number", from, page)
	case 7:
		field := []int{0, 8, 10, 12}[rng.IntN(4)]
		binary.NativeEndian.PutUint16(at[field:], uint16(rng.Uint32()))
		return file, fmt.Sprintf("the header of page %d at %d", page, field)
	case 8, 9:
		i := rng.IntN(1 + int(binary.NativeEndian.Uint16(at[10:]))%200)
		field := 16 + i*16 + rng.IntN(4)*4
		value := rng.Uint32() >> rng.IntN(32)
		binary.NativeEndian.PutUint32(at[field:], value)
		return file, fmt.Sprintf("entry %d of page %d: %d at %d", i, page, value, field)
	case 10:
		n := rng.IntN(2)
		for i := n; i < 2; i++ {
			file[i*size+16+rng.IntN(64)] ^= 1 << rng.IntN(8)
		}
		return file, fmt.Sprintf("%d heads", 2-n)
	default:
		if len(branches) > 0 {
			page = branches[rng.IntN(len(branches))]
			i := rng.IntN(int(binary.NativeEndian.Uint16(file[page*size+10:])))
			to := used[rng.IntN(len(used))]
			if rng.IntN(3) == 0 {
				to = page
			}
			binary.NativeEndian.PutUint64(file[page*size+16+i*16+8:], uint64(to))
			return file, fmt.Sprintf("entry %d of page %d leads to page %d", i, page, to)
		}
		at[rng.IntN(size)] ^= 1 << rng.IntN(8)
		return file, fmt.Sprintf("a bit of page %d", page)
	}
}

// wreck is a data directory with a damaged data file and a backup that is sound.
type wreck struct {
	t       *testing.T
	how     string
	damaged []byte // the data file
	backup  []byte
	said    string // by the backup
	tally   *tally
	pushed  bool // whether the good backup may be gone
	hidden  bool // whether the damaged file may look like one of an earlier moment
}

// tally counts what went wrong, by what was tried.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.counts[what]++
}

func (w *wreck) fault(what, format string, args ...any) {
	w.t.Helper()
	w.tally.add(what)
	w.t.Errorf("%s, %s: %s", w.how, what, fmt.Sprintf(format, args...))
}

// try does something with the data directory, and wants that it never panics, that the newest
// backup is sound and the good one still there, and that nothing is left unfinished.
func (w *wreck) try(what string, f func(dir, backup string)) {
	w.t.Helper()
	dir := w.t.TempDir()
	good := filepath.Join(dir, "backups", "ghostlight-20260101T000000.000Z-000001.db")
	if err := errors.Join(os.Mkdir(filepath.Dir(good), 0o700), os.WriteFile(good, w.backup, 0o600),
		os.WriteFile(filepath.Join(dir, "ghostlight.db"), w.damaged, 0o600)); err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	func() {
		defer func() {
			if r := recover(); r != nil {
				w.fault(what+": panic", "%v", r)
			}
		}()
		f(dir, good)
	}()
	list, err := backup.List(dir)
	if err != nil || len(list) == 0 {
		w.fault(what+": no backups", "%v %v", list, err)
		return
	}
	if err := wholeFile(list[0].Path); err != nil {
		w.fault(what+": newest backup", "%s: %v", list[0].Path, err)
	}
	if kept, err := os.ReadFile(good); !w.pushed && (err != nil || !bytes.Equal(kept, w.backup)) {
		w.fault(what+": good backup", "%v", err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, ".unfinished-*"))
	more, _ := filepath.Glob(filepath.Join(dir, "backups", ".unfinished-*"))
	if left = append(left, more...); len(left) > 0 {
		w.fault(what+": left behind", "%q", left)
	}
}

// wholeFile checks a file without changing it.
func wholeFile(path string) error {
	s, err := storage.Open(path, storage.Options{ReadOnly: true})
	if err != nil {
		return err
	}
	return errors.Join(s.Check(), s.Close())
}

// isSaid wants an error to be one of damage, in words that help.
func (w *wreck) isSaid(what string, err error) {
	w.t.Helper()
	if err != nil && !errors.Is(err, storage.ErrCorrupt) && !errors.Is(err, storage.ErrNewer) {
		w.fault(what+": error", "%v", err)
	} else if err != nil && strings.Contains(err.Error(), "runtime error") {
		w.fault(what+": words", "%v", err)
	}
}

// isBack wants the data directory to hold what the backup says, and what was there before
// to lie where kept says.
func (w *wreck) isBack(what, dir, kept string) {
	w.t.Helper()
	s, err := storage.Open(filepath.Join(dir, "ghostlight.db"), storage.Options{})
	if err != nil {
		w.fault(what+": result", "%v", err)
		return
	}
	said, err := told(s)
	if err := errors.Join(err, s.Check(), s.Close()); err != nil {
		w.fault(what+": result", "%v", err)
	} else if said != w.said && (what != "repair" || !w.hidden) {
		w.fault(what+": result", "%s", difference(w.said, said))
	}
	if was, err := os.ReadFile(kept); err != nil || !bytes.Equal(was, w.damaged) && wholeFile(kept) != nil {
		w.fault(what+": kept", "%q is not what was there: %v", kept, err)
	}
}

// difference is the first line that is not the same.
func difference(want, got string) string {
	lines := strings.Split(got, "\n")
	for i, line := range strings.Split(want, "\n") {
		if i >= len(lines) || lines[i] != line {
			return fmt.Sprintf("line %d is %.300q and not %.300q", i, slices.Concat(lines, make([]string, i+1))[i], line)
		}
	}
	return "there is more than there should be"
}

func (w *wreck) use(dir, _ string) {
	s, err := storage.Open(filepath.Join(dir, "ghostlight.db"), storage.Options{})
	w.isSaid("open", err)
	if err != nil {
		return
	}
	_, err = told(s)
	w.isSaid("read", err)
	sound := s.Check() == nil
	err = changeAll(s)
	w.isSaid("write", err)
	if sound && err != nil {
		w.fault("write: sound", "%v", err)
	}
	sound = s.Check() == nil // a damaged page may be free by now
	made, err := s.BackupTo(filepath.Join(dir, "backups"), 1)
	w.isSaid("backup", err)
	if sound != (err == nil) {
		w.fault("backup: damage", "sound: %v, %v", sound, err)
	}
	w.pushed = made != "" // the good one makes room for one that is as good
	if err := s.Close(); err != nil {
		w.fault("close: error", "%v", err)
	}
}

func (w *wreck) restore(dir, good string) {
	kept, err := backup.Restore(dir, good, nil)
	if err != nil {
		w.fault("restore: refused", "%v", err)
		return
	}
	w.isBack("restore", dir, kept)
}

func (w *wreck) restoreLatest(dir, _ string) {
	done, err := backup.RestoreLatest(dir, nil)
	if err != nil {
		w.fault("latest: refused", "%v", err)
		return
	}
	w.isBack("latest", dir, done.Kept)
}

func (w *wreck) repair(dir, _ string) {
	done, err := backup.Repair(dir, nil)
	if err != nil {
		w.fault("repair: gave up", "%v", err)
		return
	}
	w.isBack("repair", dir, cmp.Or(done.Kept, filepath.Join(dir, "ghostlight.db")))
}

// However a data file is damaged, nothing crashes, a good backup can be restored, a repair takes
// from it what is lost, and no backup is pushed out by a damaged one.
func TestDamage_NothingCrashesAndBackupsHelp(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: long, with -short")
	}
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	s, err := storage.Open(path, storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	said := story(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := strconv.ParseUint(cmp.Or(os.Getenv("GHOSTLIGHT_TEST_SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	long, err := time.ParseDuration(cmp.Or(os.Getenv("GHOSTLIGHT_TEST_TORTURE"), "0s"))
	if err != nil {
		t.Fatal(err)
	}
	const workers = 4 // most of the time goes into waiting for the disk
	var next atomic.Int64
	counts, until := &tally{counts: map[string]int{}}, time.Now().Add(long)
	t.Run("damages", func(t *testing.T) {
		for range workers {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				for {
					i := int(next.Add(1) - 1)
					if i >= damageRounds && !time.Now().Before(until) {
						return
					}
					damaged, how := harm(rand.New(rand.NewPCG(seed, uint64(i))), slices.Clone(file))
					w := &wreck{t: t, how: fmt.Sprintf("damage %d, %s", i, how), damaged: damaged, backup: file, said: said, tally: counts}
					// With the newer head the last change is gone, and nothing tells what that was; nor
					// does anything tell an older page of a table that stands where a newer one was.
					heads := 2 * os.Getpagesize()
					w.hidden = strings.HasSuffix(how, "under its number") ||
						len(damaged) >= heads && !bytes.Equal(damaged[:heads], file[:heads])
					synctest.Test(t, func(*testing.T) { w.all(i, long > 0) }) // the clock there does not wait
				}
			})
		}
	})
	t.Logf("%d damages, seed %d; went wrong: %v", next.Load()-workers, seed, counts.counts)
}

// all tries what there is to try with damage i, or a part of it.
func (w *wreck) all(i int, whole bool) {
	w.try("use", w.use)
	w.pushed = false
	for at, f := range []func(dir, backup string){w.restoreLatest, w.restore, w.repair} {
		if whole || i%3 == at {
			w.try([]string{"latest", "restore", "repair"}[at], f)
		}
	}
}
