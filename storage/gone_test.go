package storage

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// A file that is renamed, removed or replaced while it is open takes nothing any more, is
// read and copied on, and takes all again where it is put back.
func TestGone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		away    func(path string) error
		another bool
	}{
		"the file is renamed":   {func(path string) error { return os.Rename(path, path+".old") }, false},
		"the file is removed":   {func(path string) error { return errors.Join(os.Link(path, path+".old"), os.Remove(path)) }, false},
		"the folder is renamed": {func(path string) error { return os.Rename(filepath.Dir(path), filepath.Dir(path)+".old") }, false},
		"another is there": {func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, []byte("another"), 0o600))
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "data", "ghostlight.db")
			s := openAt(t, path, Options{})
			chat := newChat(t, s)
			if err := s.Gone(); err != nil {
				t.Fatal(err)
			}
			if err := c.away(path); err != nil {
				t.Skip("NOT TESTED: what is open cannot be moved here: ", err)
			}
			var gone *GoneError
			if err := s.Gone(); !errors.As(err, &gone) || gone.Another != c.another || gone.Path != path {
				t.Errorf("gone says %v", err)
			}
			ran := false
			if err := s.Update(func(*Tx) error { ran = true; return nil }); !errors.Is(err, ErrGone) || ran {
				t.Errorf("an update ran: %v, with %v", ran, err)
			}
			view(t, s, func(tx *Tx) error { _, err := Chats.Get(tx, chat); return err })

			to := filepath.Join(t.TempDir(), "new", "copy.db")
			if err := s.CopyTo(to, func(tx *Tx) error { return tx.PutText("draft", string(chat), "half a thought") }); err != nil {
				t.Fatal(err)
			}
			if err := s.CopyTo(to, nil); !errors.Is(err, fs.ErrExist) {
				t.Errorf("a second copy to the same place: %v", err)
			}
			copied := openAt(t, to, Options{})
			view(t, copied, func(tx *Tx) error {
				text, err := tx.Text("draft", string(chat))
				if text != "half a thought" {
					t.Errorf("the draft in the copy is %q", text)
				}
				return err
			})

			_ = os.Remove(path)
			if name == "the folder is renamed" {
				path = filepath.Dir(path)
			}
			if err := os.Rename(path+".old", path); err != nil {
				t.Fatal(err)
			}
			update(t, s, func(tx *Tx) error { return tx.PutText("draft", string(chat), "again") })
		})
	}
}

// A copy to which the rest cannot be added is whole, and says what it lacks.
func TestCopyTo_WithoutTheRest(t *testing.T) {
	t.Parallel()
	s, fault := open(t), errors.New("the rest is lost")
	chat := newChat(t, s)
	to := filepath.Join(t.TempDir(), "copy.db")
	if err := s.CopyTo(to, func(*Tx) error { return fault }); !errors.Is(err, fault) {
		t.Errorf("copying says %v", err)
	}
	view(t, openAt(t, to, Options{}), func(tx *Tx) error { _, err := Chats.Get(tx, chat); return err })
}
