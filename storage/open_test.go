package storage

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	bolt "go.etcd.io/bbolt"
)

func mode(t *testing.T, path string) fs.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestOpen_MakesPrivateFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "ghostlight.db")
	s := openAt(t, path, Options{Program: "test"})
	if s.Path() != path || s.SchemaVersion() != schemaVersion {
		t.Errorf("path %s, schema %d", s.Path(), s.SchemaVersion())
	}
	for name, want := range map[string]fs.FileMode{path: 0o600, sidecarPath(path): 0o600, filepath.Dir(path): 0o700} {
		if got := mode(t, name); got != want {
			t.Errorf("%s has mode %o", name, got)
		}
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v %v", entries, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Size() > 2<<20 {
		t.Errorf("a new file has %d bytes (%v)", info.Size(), err)
	}
}

// A link into a folder that is not there, as that of a disk which is not mounted, is named,
// and stays as it is; one into a folder that is there gets its file.
func TestOpen_DanglingLink(t *testing.T) {
	dir := t.TempDir()
	path, there := filepath.Join(dir, "ghostlight.db"), filepath.Join(dir, "disk")
	if err := os.Symlink(filepath.Join("disk", "data.db"), path); err != nil {
		t.Skip(err)
	}
	if _, err := Open(path, Options{}); err == nil || !strings.Contains(err.Error(), there) || !strings.Contains(err.Error(), "mount") {
		t.Error(err)
	}
	if err := os.Mkdir(there, 0o700); err != nil {
		t.Fatal(err)
	}
	openAt(t, path, Options{})
	if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("%v %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(there, "data.db")); err != nil || info.Size() == 0 {
		t.Errorf("%v %v", info, err)
	}
}

func TestOpen_TightensMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	if err := openAt(t, path, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	openAt(t, path, Options{})
	if got := mode(t, path); got != 0o600 {
		t.Errorf("mode %o", got)
	}
}

func TestOpen_WhatIsNoDataFile(t *testing.T) {
	foreign := filepath.Join(t.TempDir(), "foreign.db")
	db, err := bolt.Open(foreign, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Update(func(tx *bolt.Tx) error { _, err := tx.CreateBucket([]byte("theirs")); return err }); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	foreignData, err := os.ReadFile(foreign)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string][]byte{
		"text":        []byte("hello, I am a text"),
		"longer text": []byte(strings.Repeat("hello, I am a text\n", 5000)),
		"one page":    make([]byte, 5000),
		"zeroes":      make([]byte, 100_000),
		"foreign":     foreignData,
	}
	for name, data := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ghostlight.db")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			for _, readOnly := range []bool{false, true} {
				s, err := Open(path, Options{ReadOnly: readOnly})
				if !errors.Is(err, ErrCorrupt) || !strings.Contains(err.Error(), path) {
					t.Errorf("read-only %v: %v %v", readOnly, s, err)
				}
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data) {
				t.Errorf("the file was changed (%v)", err)
			}
			// The lock must have been let go.
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			openAt(t, path, Options{})
		})
	}
	if _, err := Open(t.TempDir(), Options{}); err == nil {
		t.Error("opened a folder")
	}
}

func TestOpen_ReadOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	if _, err := Open(path, Options{ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{ReadOnly: true}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("empty file: %v", err)
	}
	w := openAt(t, path, Options{})
	newChat(t, w)
	if _, err := Open(path, Options{ReadOnly: true, LockWait: 1}); !errors.Is(err, ErrLocked) {
		t.Errorf("beside a writer: %v", err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	one := openAt(t, path, Options{ReadOnly: true})
	openAt(t, path, Options{ReadOnly: true})
	if _, err := os.Stat(sidecarPath(path)); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a reader wrote a sidecar")
	}
	if err := one.Update(func(*Tx) error { return nil }); !errors.Is(err, ErrReadOnly) {
		t.Errorf("update: %v", err)
	}
	view(t, one, func(tx *Tx) error {
		if n := tx.Counts()["chats"]; n != 1 {
			t.Errorf("%d chats", n)
		}
		return nil
	})
	if _, err := Open(path, Options{LockWait: 1}); !errors.Is(err, ErrLocked) {
		t.Errorf("writing beside readers: %v", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("reading changed the file (%v)", err)
	}
}

func TestOpen_OtherVersions(t *testing.T) {
	for version, want := range map[int]struct {
		err   error
		words string
	}{schemaVersion + 2: {ErrNewer, "use the newer program"}, schemaOldest - 1: {ErrTooOld, "export with move-out"}} {
		path := older(t, version)
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []Options{{}, {ReadOnly: true}} {
			_, err = Open(path, o)
			if !errors.Is(err, want.err) || !strings.Contains(err.Error(), fmt.Sprint("version ", version)) || !strings.Contains(err.Error(), want.words) {
				t.Errorf("version %d: %v", version, err)
			}
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
			t.Errorf("the file was changed (%v)", err)
		}
		if _, err := os.Stat(filepath.Join(filepath.Dir(path), "backups")); !errors.Is(err, fs.ErrNotExist) {
			t.Error("a backup was made for nothing")
		}
	}
}

// older makes a file with one chat that says it is of a version, and changes it otherwise.
func older(t *testing.T, version int, also ...func(*bolt.Tx) error) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "ghostlight.db")
	s := openAt(t, path, Options{})
	newChat(t, s)
	err := s.write(func(tx *bolt.Tx) error {
		for _, f := range also {
			if err := f(tx); err != nil {
				return err
			}
		}
		return tx.Bucket([]byte(bucketMeta)).Put([]byte(keySchema), writeVersion(version, false))
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestMigration_AfterBackup(t *testing.T) {
	path := older(t, schemaOldest)
	opts := Options{BackupDir: filepath.Join(filepath.Dir(path), "kept"), ReadOnly: true}
	if _, err := Open(path, opts); !errors.Is(err, ErrOlder) {
		t.Errorf("read-only: %v", err)
	}
	opts.ReadOnly = false
	s := openAt(t, path, opts)
	backups, err := filepath.Glob(filepath.Join(opts.BackupDir, "*"))
	if err != nil || len(backups) != 1 || !strings.HasSuffix(backups[0], fmt.Sprintf("-before-v%d.db", schemaVersion)) {
		t.Fatalf("backups: %v %v", backups, err)
	}
	if got := mode(t, backups[0]); got != 0o600 {
		t.Errorf("backup has mode %o", got)
	}
	if _, err := Open(backups[0], Options{ReadOnly: true}); !errors.Is(err, ErrOlder) {
		t.Errorf("the backup is not as the file was: %v", err)
	}
	view(t, s, func(tx *Tx) error {
		if n := tx.Counts()["chats"]; n != 1 {
			t.Errorf("%d chats in %s", n, s.Path())
		}
		return nil
	})
	if err := errors.Join(s.Check(), s.Close()); err != nil {
		t.Fatal(err)
	}
	openAt(t, path, opts)
	if again, _ := filepath.Glob(filepath.Join(opts.BackupDir, "*")); len(again) != 1 {
		t.Errorf("the second opening made a backup too: %v", again)
	}
}

func TestMigration_FaultChangesNothing(t *testing.T) {
	path := older(t, schemaOldest, func(tx *bolt.Tx) error {
		return errors.Join(tx.DeleteBucket([]byte(bucketCardRegexes)), tx.Bucket([]byte(bucketMeta)).Put([]byte(oldSealed), []byte(oldAll)),
			tx.Cursor().Bucket().Put([]byte(bucketCardRegexes), []byte("a value in the way")))
	})
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // also: the lock was let go
		if _, err := Open(path, Options{}); !errors.Is(err, ErrCorrupt) {
			t.Fatalf("got %v", err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed (%v)", err)
	}
}

// A file whose records an earlier program was giving their checksums when it was killed is
// refused, not taken for damaged.
func TestMigration_OfHalfAFile(t *testing.T) {
	path := older(t, schemaOldest, func(tx *bolt.Tx) error {
		return tx.Bucket([]byte(bucketMeta)).Put([]byte(oldSealed), []byte("to somewhere"))
	})
	if _, err := Open(path, Options{}); !errors.Is(err, ErrTooOld) {
		t.Errorf("got %v", err)
	}
}

func TestMigration_NotWithoutBackup(t *testing.T) {
	path := older(t, schemaOldest)
	kept := filepath.Join(filepath.Dir(path), "kept")
	if err := os.WriteFile(kept, []byte("in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path, Options{BackupDir: kept}); err == nil {
		t.Fatal("migrated without a backup")
	}
	openAt(t, path, Options{})
}

// TestOpen_DamagedPages makes sure that damage ends in an error and never takes
// the program down.
func TestOpen_DamagedPages(t *testing.T) {

	path := filepath.Join(t.TempDir(), "ghostlight.db")
	s := openAt(t, path, Options{})
	chat := newChat(t, s)
	update(t, s, func(tx *Tx) error {
		var parent NodeID
		for range 200 {
			n := Node{Chat: chat, Parent: parent, Content: strings.Repeat("word ", 60)}
			if err := tx.AppendNode(&n); err != nil {
				return err
			}
			parent = n.ID
		}
		return nil
	})
	var whole bytes.Buffer
	if _, err := s.Backup(&whole); err != nil {
		t.Fatal(err)
	}
	used := usedPages(t, s)
	if len(used) < 10 {
		t.Fatalf("only %d pages to damage", len(used))
	}
	try := func(name string, data []byte) { t.Helper(); openDamaged(t, name, data, chat) }
	rng := rand.New(rand.NewPCG(1, 2))
	size := os.Getpagesize()
	for _, at := range used {
		noise := slices.Clone(whole.Bytes())
		for i := range size {
			noise[at*size+i] = byte(rng.Uint32())
		}
		try(fmt.Sprintf("noise in page %d", at), noise)
		zero := slices.Clone(whole.Bytes())
		clear(zero[at*size : (at+1)*size])
		try(fmt.Sprintf("zeroes in page %d", at), zero)
		try(fmt.Sprintf("cut before page %d", at), whole.Bytes()[:at*size])
	}
}

// openDamaged wants data to be refused, by Open or by Check.
func openDamaged(t *testing.T, name string, data []byte, chat ChatID) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "damaged.db")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := Open(file, Options{})
	if err == nil {
		_ = s.View(func(tx *Tx) error {
			for range tx.Nodes(chat) {
			}
			return nil
		})
		err = errors.Join(s.Check(), s.Close())
	}
	if !errors.Is(err, ErrCorrupt) || strings.Contains(err.Error(), "runtime error") {
		t.Errorf("%s: %v", name, err)
	}
	// Whatever happened, the lock must have been let go.
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = Open(file, Options{LockWait: 1}); err != nil {
		t.Errorf("%s: afterwards: %v", name, err)
		return
	}
	if err := errors.Join(s.Check(), s.Close()); err != nil {
		t.Errorf("%s: afterwards: %v", name, err)
	}
}

// usedPages lists the pages that hold anything, the two headers left out.
func usedPages(t *testing.T, s *Store) []int {
	t.Helper()
	var used []int
	view(t, s, func(tx *Tx) error {
		for at := 2; ; {
			info, err := tx.tx.Page(at)
			if err != nil || info == nil {
				return err
			}
			if at++; info.Type != "free" {
				used = append(used, info.ID)
				at += info.OverflowCount
			}
		}
	})
	return used
}

// What a killed process left half written beside the data file and among its backups goes
// when the file is opened again; nothing else does, and not by one who only reads.
func TestOpen_SweepsWhatWasLeftUnfinished(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ghostlight.db")
	if err := openAt(t, path, Options{}).Close(); err != nil {
		t.Fatal(err)
	}
	left := []string{filepath.Join(dir, ".unfinished-1"), filepath.Join(dir, "backups", ".unfinished-2")}
	keep := filepath.Join(dir, "unfinished-3")
	if err := os.Mkdir(filepath.Join(dir, "backups"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, d := range append([]string{keep}, left...) {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d, "ghostlight.db"), []byte("private"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if s := openAt(t, path, Options{ReadOnly: true}); len(s.Swept()) != 0 || s.Close() != nil {
		t.Error("a reader removed something")
	}
	s := openAt(t, path, Options{})
	if got := s.Swept(); !slices.Equal(got, left) {
		t.Errorf("swept %q", got)
	}
	for _, d := range left {
		if _, err := os.Stat(d); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", d, err)
		}
	}
	if _, err := os.Stat(keep); err != nil {
		t.Error(err)
	}
}
