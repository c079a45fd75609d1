package storage

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestBackupTo_Rotates(t *testing.T) {
	s := open(t)
	newChat(t, s)
	dir := filepath.Join(t.TempDir(), "backups")
	var made []string
	for range 5 {
		path, err := s.BackupTo(dir, 0)
		if err != nil {
			t.Fatal(err)
		}
		if mode(t, path) != 0o600 || mode(t, dir) != 0o700 {
			t.Error("others can read the backup")
		}
		made = append(made, filepath.Base(path))
	}
	if !slices.IsSorted(made) || !slices.Equal(names(t, dir), made) {
		t.Fatalf("made %v, there are %v", made, names(t, dir))
	}
	bystanders := []string{
		"notes.txt", "other-20200101T000000.000Z.db", "ghostlight-20200101T000000.000Z-before-v2.db", "ghostlight-mine.db",
		unfinished + "of another",
	}
	for _, name := range bystanders {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path, err := s.BackupTo(dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	want := append(append(made[3:], filepath.Base(path)), bystanders...)
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
	copied := openAt(t, path, Options{})
	view(t, copied, func(tx *Tx) error {
		if n := tx.Counts()["chats"]; n != 1 {
			t.Errorf("%d chats in the backup", n)
		}
		return nil
	})
}

func TestBackup_WhileWriting(t *testing.T) {
	s := open(t)
	chat := newChat(t, s)
	stop, done := make(chan struct{}), make(chan error)
	go func() {
		for {
			select {
			case <-stop:
				done <- nil
				return
			default:
			}
			n := Node{Chat: chat, Content: strings.Repeat("x", 3000)}
			if err := s.Update(func(tx *Tx) error { return tx.AppendNode(&n) }); err != nil {
				done <- err
				return
			}
		}
	}()
	for range 5 {
		var buf bytes.Buffer
		if n, err := s.Backup(&buf); err != nil || n != int64(buf.Len()) {
			t.Fatalf("%d of %d bytes: %v", n, buf.Len(), err)
		}
		path := filepath.Join(t.TempDir(), "copy.db")
		if err := os.WriteFile(path, buf.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := openAt(t, path, Options{}).Check(); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestCompact(t *testing.T) {
	s := open(t)
	chat, doomed := newChat(t, s), newChat(t, s)
	ids := plant(t, s, chat, sample)
	update(t, s, func(tx *Tx) error {
		for range 300 {
			if err := tx.AppendNode(&Node{Chat: doomed, Content: strings.Repeat("x", 5000)}); err != nil {
				return err
			}
		}
		return nil
	})
	update(t, s, func(tx *Tx) error { return tx.DeleteChat(doomed) })
	dst := filepath.Join(t.TempDir(), "small.db")
	if err := s.Compact(dst); err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(dst)
	if err != nil {
		t.Fatal(err)
	}
	if after.Size() >= before.Size() || after.Mode().Perm() != 0o600 {
		t.Errorf("%d bytes became %d, mode %o", before.Size(), after.Size(), after.Mode().Perm())
	}
	if err := s.Compact(dst); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over an existing file: %v", err)
	}
	c := openAt(t, dst, Options{})
	if c.SchemaVersion() != s.SchemaVersion() {
		t.Errorf("version %d", c.SchemaVersion())
	}
	view(t, c, func(tx *Tx) error {
		path, err := tx.Path(chat, ids["e"], 0)
		if contents(path) != "g1 a b d e" {
			t.Errorf("path %q", contents(path))
		}
		return err
	})
}

// sabotage is a way to damage a chat planted from sample, and what Check has to
// say to it.
type sabotage struct {
	name   string
	damage func(tx *Tx, chat ChatID, ids map[string]NodeID) error
	want   string
}

func sabotages() []sabotage {
	return []sabotage{
		{"parent missing", func(tx *Tx, chat ChatID, ids map[string]NodeID) error {
			return tx.tree(chat).nodes.remove([]byte(ids["d"]))
		}, "does not exist"},
		{"wrong depth", func(tx *Tx, chat ChatID, ids map[string]NodeID) error {
			return tx.tree(chat).nodes.putJSON("", string(ids["d"]), Node{ID: ids["d"], Parent: ids["c"], Depth: 7})
		}, "depth 7 instead of 4"},
		{"not in the index", func(tx *Tx, chat ChatID, ids map[string]NodeID) error {
			return tx.tree(chat).kids.Delete(indexKey(ids["c"], ids["d"]))
		}, "1 messages are missing in the index"},
		{"too much in the index", func(tx *Tx, chat ChatID, ids map[string]NodeID) error {
			return tx.tree(chat).index(ids["a"], ids["e"], false)
		}, "where it is not"},
		{"wrong mark", func(tx *Tx, chat ChatID, ids map[string]NodeID) error {
			return tx.tree(chat).index(ids["c"], ids["d"], true)
		}, "whether"},
		{"wrong id", func(tx *Tx, chat ChatID, ids map[string]NodeID) error {
			return tx.tree(chat).nodes.putJSON("", string(ids["g2"]), Node{ID: ids["e"]})
		}, "names itself"},
		{"unreadable message", func(tx *Tx, chat ChatID, ids map[string]NodeID) error {
			return tx.tree(chat).nodes.put([]byte(ids["f"]), []byte("{"))
		}, string(kindNode)},
		{"head missing", func(tx *Tx, chat ChatID, _ map[string]NodeID) error {
			return Chats.Put(tx, chat, Chat{Title: "t", Head: NodeID(NewID())})
		}, "stands on"},
		{"chat missing", func(tx *Tx, chat ChatID, _ map[string]NodeID) error {
			return Chats.Delete(tx, chat)
		}, "of a chat"},
		{"index gone", func(tx *Tx, chat ChatID, _ map[string]NodeID) error {
			return tx.drop(string(chat), bucketChildren)
		}, "lacks"},
		{"setting", func(tx *Tx, _ ChatID, _ map[string]NodeID) error {
			return tx.bucket(bucketSettings).put([]byte("k"), []byte("{"))
		}, "setting k"},
		{"record under another id", func(tx *Tx, _ ChatID, _ map[string]NodeID) error {
			return tx.put(bucketPersonas, "", NewID(), Persona{ID: PersonaID(NewID())})
		}, "names itself"},
	}
}

func TestCheck_FindsFaults(t *testing.T) {
	for _, tt := range sabotages() {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Open(filepath.Join(t.TempDir(), "ghostlight.db"), Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = s.Close() }()
			chat := newChat(t, s)
			ids := plant(t, s, chat, sample)
			if err := s.Check(); err != nil {
				t.Fatalf("before: %v", err)
			}
			update(t, s, func(tx *Tx) error { return tt.damage(tx, chat, ids) })
			var found *CheckError
			if err := s.Check(); !errors.Is(err, ErrCorrupt) || !errors.As(err, &found) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

func TestCheck_ListsTwentyAtMost(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "ghostlight.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	update(t, s, func(tx *Tx) error {
		for range 50 {
			if err := Chats.Put(tx, ChatID(NewID()), Chat{Head: "x"}); err != nil {
				return err
			}
		}
		return nil
	})
	var found *CheckError
	if !errors.As(s.Check(), &found) || len(found.Faults) != 20 || found.More != 30 {
		t.Errorf("%+v", found)
	}
}

func TestPath_DamagedTreeEnds(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "ghostlight.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	chat := newChat(t, s)
	ids := plant(t, s, chat, "a b<a c<b d<c x y<x")
	update(t, s, func(tx *Tx) error {
		tr := tx.tree(chat)
		return errors.Join(
			// a circle in the parents, one in the index, and a hole
			tr.nodes.putJSON("", string(ids["b"]), Node{ID: ids["b"], Parent: ids["c"], Depth: 1}),
			tr.index(ids["d"], ids["b"], true), tr.index(ids["b"], ids["d"], true), tr.index(ids["b"], ids["c"], true),
			tr.nodes.remove([]byte(ids["x"])))
	})
	view(t, s, func(tx *Tx) error {
		for _, leaf := range []string{"d", "y"} {
			if _, err := tx.Path(chat, ids[leaf], 0); !errors.Is(err, ErrCorrupt) {
				t.Errorf("path to %s: %v", leaf, err)
			}
		}
		if _, err := tx.Leaf(chat, ids["b"]); !errors.Is(err, ErrCorrupt) {
			t.Errorf("leaf in a circle: %v", err)
		}
		return nil
	})
}

// Backups of a time when the clock was years ahead do not make room for themselves: the
// one that was made last is the newest, and stays.
func TestBackupTo_AfterAClockThatWasAhead(t *testing.T) {
	s := open(t)
	dir := t.TempDir()
	var ahead []string
	for _, day := range []string{"01", "02", "03"} {
		name := "ghostlight-203101" + day + "T000000.000Z.db"
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		ahead = append(ahead, name)
	}
	first, err := s.BackupTo(dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	second, err := s.BackupTo(dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Base(first), filepath.Base(second), ahead[2]}
	slices.Sort(want)
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("left %v, want %v", got, want)
	}
	if third, err := s.BackupTo(dir, 1); err != nil || !slices.Equal(names(t, dir), []string{filepath.Base(third)}) {
		t.Errorf("%s is not the only one left: %v, %v", third, names(t, dir), err)
	}
}

func TestReadBackupName(t *testing.T) {
	for name, want := range map[string]BackupName{
		"ghostlight-20200101T000000.000Z.db":                      {},
		"ghostlight-20200101T000000.000Z-before-v2.db":            {Why: "before-v2"},
		"ghostlight-20200101T000000.000Z-000012.db":               {Number: 12},
		"ghostlight-20200101T000000.000Z-000012-replaced.db":      {Number: 12, Why: "replaced"},
		"ghostlight-20200101T000000.000Z-1000012-before-v3.db":    {Number: 1000012, Why: "before-v3"},
		"ghostlight-20200101T000000.000Z-99999999999999999999.db": {Why: "99999999999999999999"},
		"ghostlight-20200101T000000.000Z--5.db":                   {Why: "-5"},
	} {
		want.At = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		if got, ok := ReadBackupName("ghostlight", name); !ok || got != want {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
	for _, name := range []string{"", "ghostlight.db", "ghostlight-mine.db", "other-20200101T000000.000Z.db", "ghostlight-20200101T000000.000Z"} {
		if got, ok := ReadBackupName("ghostlight", name); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
