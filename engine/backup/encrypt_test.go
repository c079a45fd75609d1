package backup_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/backup"
	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/health"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// secretWord is in all that these tests keep.
const secretWord = "marzipan-lighthouse"

// secretData returns a data directory with a story and files that belong to it.
func secretData(t *testing.T) (dir string, chat storage.ChatID) {
	t.Helper()
	dir = t.TempDir()
	s, err := storage.Open(filepath.Join(dir, "ghostlight.db"), storage.Options{})
	if err != nil {
		t.Fatal(err)
	}
	chat = storage.ChatID(storage.NewID())
	err = s.Update(func(tx *storage.Tx) error {
		err := errors.Join(storage.Chats.Put(tx, chat, storage.Chat{Title: secretWord}), tx.PutText("draft", string(chat), secretWord),
			tx.PutSetting(secretWord, secretWord), storage.Profiles.Put(tx, secretWord, storage.Profile{}))
		at := storage.NodeID("")
		for i := range 50 {
			n := storage.Node{Chat: chat, Parent: at, Role: storage.User, Content: fmt.Sprint(secretWord, i)}
			err = errors.Join(err, tx.AppendNode(&n))
			at = n.ID
		}
		return err
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	for i := range 24 {
		folder := []string{core.CaptureFolder, core.SmallFolder, core.ReferenceFolder}[i%3]
		path := filepath.Join(dir, folder, fmt.Sprint(i, ".png"))
		at := time.Unix(1_700_000_000+int64(i), 0)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, pictureOf(i), 0o600), os.Chtimes(path, at, at)); err != nil {
			t.Fatal(err)
		}
	}
	return dir, chat
}

func pictureOf(i int) []byte {
	return bytes.Repeat([]byte(fmt.Sprint(secretWord, " ", i, " ")), 100*(i+1))
}

// lookThrough names the files that say the word, without the backups.
func lookThrough(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == "backups" {
				return fs.SkipDir
			}
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(secretWord)) || strings.Contains(path, secretWord) {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// secretsWhole looks whether all is there that secretData has put.
func secretsWhole(t *testing.T, dir string, chat storage.ChatID, unlock storage.Unlock) {
	t.Helper()
	s, err := storage.Open(filepath.Join(dir, "ghostlight.db"), storage.Options{Unlock: unlock})
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	n := 0
	err = s.View(func(tx *storage.Tx) error {
		for _, m := range tx.Nodes(chat) {
			if m.Content == fmt.Sprint(secretWord, n) {
				n++
			}
		}
		text, err := tx.Text("draft", string(chat))
		if text != secretWord {
			t.Errorf("the draft is %q", text)
		}
		return err
	})
	if err != nil || n != 50 {
		t.Errorf("%d messages of 50: %v", n, err)
	}
	files := 0
	err = core.EachDataFile(dir, func(path string, info fs.FileInfo) error {
		files++
		data, err := os.ReadFile(path)
		if err == nil {
			data, err = s.Key().Decrypt(data)
		}
		var i int
		_, _ = fmt.Sscan(strings.TrimSuffix(filepath.Base(path), ".png"), &i)
		if !bytes.Equal(data, pictureOf(i)) || info.ModTime().Unix() != 1_700_000_000+int64(i) {
			t.Errorf("%s is not what it was", path)
		}
		return err
	})
	if err != nil || files != 24 {
		t.Errorf("%d files of 24: %v", files, err)
	}
}

// by opens with a passphrase.
func by(passphrase string) storage.Unlock {
	return func(g storage.WrappedKey) (*storage.Key, error) { return g.Unwrap(passphrase) }
}

func fresh(passphrase string) func() (string, error) {
	return func() (string, error) { return passphrase, nil }
}

func TestEncrypt(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: long, one step after the other, with -short")
	}
	t.Parallel()
	dir, chat := secretData(t)
	done, err := backup.Encrypt(dir, nil, fresh("one"))
	if err != nil || done.Files != 24 || len(done.Unread) != 0 {
		t.Fatalf("%+v, %v", done, err)
	}
	if found := lookThrough(t, dir); len(found) > 0 {
		t.Errorf("the word is in %q", found)
	}
	secretsWhole(t, dir, chat, by("one"))
	e, err := backup.EncryptionOf(dir)
	if err != nil || !e.Encrypted || e.Left != "" || e.Files != (backup.EncryptedCount{Encrypted: 24}) || len(e.PlainBackups) != 1 || e.PlainBackups[0] != done.Backup {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := backup.Encrypt(dir, by("one"), fresh("two")); err == nil {
		t.Error("it was encrypted twice")
	}
	for _, act := range []func(storage.Unlock) error{
		func(u storage.Unlock) error { _, err := backup.ChangePassphrase(dir, u, fresh("two")); return err },
		func(u storage.Unlock) error { _, err := backup.Decrypt(dir, u); return err },
		func(u storage.Unlock) error { _, err := backup.Restore(dir, done.Backup, u); return err },
		func(u storage.Unlock) error { _, _, err := backup.Compact(dir, u); return err },
		func(u storage.Unlock) error { _, err := backup.Repair(dir, u); return err },
	} {
		if err := act(by("other")); !errors.Is(err, storage.ErrPassphrase) {
			t.Errorf("with a wrong passphrase: %v", err)
		}
		if err := act(nil); !errors.Is(err, storage.ErrNoPassphrase) {
			t.Errorf("without a passphrase: %v", err)
		}
	}

	// A plain backup that is restored is encrypted as the present file is; so is a smaller one.
	if _, err := backup.Restore(dir, done.Backup, by("one")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := backup.Compact(dir, by("one")); err != nil {
		t.Fatal(err)
	}
	if found := lookThrough(t, dir); len(found) > 0 {
		t.Errorf("after restoring a plain backup the word is in %q", found)
	}
	secretsWhole(t, dir, chat, by("one"))

	older, err := backup.ChangePassphrase(dir, by("one"), fresh("two"))
	if err != nil {
		t.Fatal(err)
	}
	secretsWhole(t, dir, chat, by("two"))
	if _, err := storage.Open(filepath.Join(dir, "ghostlight.db"), storage.Options{Unlock: by("one")}); !errors.Is(err, storage.ErrPassphrase) {
		t.Errorf("the old passphrase: %v", err)
	}
	// The key of an older backup is the same, so that the new passphrase is enough for it.
	if _, err := backup.Restore(dir, older, by("two")); err != nil {
		t.Fatal(err)
	}
	secretsWhole(t, dir, chat, by("two"))

	if done, err = backup.Decrypt(dir, by("two")); err != nil || done.Files != 24 {
		t.Fatalf("%+v, %v", done, err)
	}
	secretsWhole(t, dir, chat, nil)
	if e, err := backup.EncryptionOf(dir); err != nil || e.Encrypted || e.Files.Encrypted > 0 {
		t.Errorf("%+v, %v", e, err)
	}
	// An encrypted backup is plain when it is restored where nothing is encrypted.
	if _, err := backup.Restore(dir, older, by("one")); err != nil {
		t.Fatal(err)
	}
	secretsWhole(t, dir, chat, nil)
}

// A data file whose pages are damaged, and whose key record is, is repaired as what it is:
// encrypted.
func TestEncrypt_Repair(t *testing.T) {
	t.Parallel()
	dir, chat := secretData(t)
	if _, err := backup.Encrypt(dir, nil, fresh("one")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "ghostlight.db")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(data, []byte(`"wrapped":"`))
	if at < 0 {
		t.Fatal("there is no key record")
	}
	for ; at >= 0; at = bytes.Index(data, []byte(`"wrapped":"`)) { // older pages may have it too
		data[at+30] ^= 1
		copy(data[at:], "\"Wrapped")
	}
	if err := errors.Join(os.WriteFile(path, data, 0o600), os.Rename(path+".key", path+".away")); err != nil {
		t.Fatal(err)
	}
	if _, err := storage.Open(path, storage.Options{Unlock: by("one")}); !errors.Is(err, storage.ErrKeyRecord) {
		t.Errorf("without a key record: %v", err)
	}
	if e, err := backup.EncryptionOf(dir); err != nil || !e.Encrypted || !e.Damaged {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := backup.Repair(dir, by("one")); !errors.Is(err, storage.ErrKeyRecord) {
		t.Errorf("a repair without any key record: %v", err)
	}
	if err := os.Rename(path+".away", path+".key"); err != nil {
		t.Fatal(err)
	}
	secretsWhole(t, dir, chat, by("one"))
	if found := lookThrough(t, dir); len(found) > 0 {
		t.Errorf("the word is in %q", found)
	}
}

// child is what TestEncrypt_Child does: an act, and on what directory.
const child = "GHOSTLIGHT_TEST_ENCRYPT"

// TestEncrypt_Child is run by TestEncrypt_Killed alone.
func TestEncrypt_Child(t *testing.T) {
	act, dir, ok := strings.Cut(os.Getenv(child), " ")
	if !ok {
		t.Skip("it is a part of another test")
	}
	var err error
	switch act {
	case "set":
		_, err = backup.Encrypt(dir, by("one"), fresh("one"))
	case "change":
		_, err = backup.ChangePassphrase(dir, either("one", "two"), fresh("two"))
	case "remove":
		_, err = backup.Decrypt(dir, either("two", "one"))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// either opens with one of two passphrases.
func either(a, b string) storage.Unlock {
	return func(g storage.WrappedKey) (*storage.Key, error) {
		k, err := g.Unwrap(a)
		if errors.Is(err, storage.ErrPassphrase) {
			return g.Unwrap(b)
		}
		return k, err
	}
}

// Whenever a change of encryption is killed, everything can be read, and it goes on.
func TestEncrypt_Killed(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: killing a child, with -short")
	}
	dir, chat := secretData(t)
	rng, until := enginetest.Chance(t), time.Now().Add(enginetest.Torture(t))
	kills := 0
	for round := 0; round < 2 || time.Now().Before(until); round++ {
		for _, act := range []string{"set", "change", "remove"} {
			for try := 0; ; try++ {
				killed := runChild(t, rng, act, dir, try < 3)
				if secretsWhole(t, dir, chat, either("one", "two")); t.Failed() {
					t.Fatalf("round %d: after %s was killed", round, act)
				}
				e, err := backup.EncryptionOf(dir)
				if err != nil {
					t.Fatal(err)
				}
				if killed {
					kills++
				} else if want := act != "remove"; e.Encrypted != want || e.Left != "" || (e.Files.Plain == 0) != want {
					t.Fatalf("round %d: after %s: %+v", round, act, e)
				}
				if !killed || act == "set" && e.Encrypted && e.Left == "" || act == "remove" && !e.Encrypted {
					break
				}
			}
			if act != "remove" {
				if found := lookThrough(t, dir); len(found) > 0 {
					t.Fatalf("round %d: after %s the word is in %q", round, act, found)
				}
			}
		}
	}
	t.Logf("%d kills", kills)
}

// runChild has another process do something, and kills it at some moment if it may.
func runChild(t *testing.T, rng *rand.Rand, act, dir string, kill bool) (killed bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestEncrypt_Child$")
	c.Env = append(os.Environ(), child+"="+act+" "+dir)
	if kill {
		defer time.AfterFunc(time.Duration(rng.IntN(4000))*time.Millisecond, cancel).Stop()
	}
	out, err := c.CombinedOutput()
	if err != nil && ctx.Err() == nil {
		t.Fatalf("%s: %v\n%s", act, err, out)
	}
	return err != nil
}

// doctor says what is encrypted, and what of that is not finished.
func TestDoctor_TellsOfEncryption(t *testing.T) {
	t.Parallel()
	row := func(s *enginetest.Harness) (c health.Check) {
		for _, one := range s.Doctor(t.Context()) {
			if one.Name == "encryption" {
				c = one
			}
		}
		return c
	}
	if c := row(enginetest.NewHarness(t)); !c.OK || c.Detail != "nothing is encrypted" {
		t.Errorf("plain: %+v", c)
	}
	s := enginetest.NewHarness(t, enginetest.Encrypted)
	if c := row(s); !c.OK || !strings.HasPrefix(c.Detail, "the data file is encrypted") {
		t.Errorf("encrypted: %+v", c)
	}
	enginetest.Must(t, s.Core().Store.PutFilesLeft(storage.FilesToClose))
	if c := row(s); c.OK || !strings.Contains(c.Detail, "lock set continues") {
		t.Errorf("half: %+v", c)
	}
	if err := s.Backup.CheckPassphrase("a lamp on the pier"); err != nil {
		t.Error(err)
	}
	if err := s.Backup.CheckPassphrase("swordfish"); !errors.Is(err, storage.ErrPassphrase) {
		t.Error(err)
	}
}
