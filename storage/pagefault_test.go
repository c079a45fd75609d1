package storage

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// What a damaged page makes bbolt panic with is an ErrCorrupt; a fault of the program's own
// within a transaction is not.
func TestPageFault_IsNoFaultOfTheProgram(t *testing.T) {
	t.Parallel()
	s := open(t)
	var list []int
	for name, f := range map[string]func(*Tx) error{
		"an index":        func(*Tx) error { _ = list[len(list)]; return nil },
		"its own panic":   func(*Tx) error { panic("page 5: mine") },
		"after its end":   func(*Tx) error { panic(ErrTxClosed) },
		"a nil structure": func(*Tx) error { var n *Node; n.Content = "a"; return nil },
	} {
		for _, run := range []func(func(*Tx) error) error{s.View, s.Update} {
			if r := panicOf(func() { _ = run(f) }); r == nil {
				t.Errorf("%s: it was taken for damage", name)
			}
		}
	}
	missing := func(tx *Tx) error { return tx.tx.Bucket([]byte("no such table")).Put([]byte("a"), nil) }
	if err := s.Update(missing); !errors.Is(err, ErrCorrupt) {
		t.Errorf("within bbolt: %v", err)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

// Where even undoing a transaction fails, the store can still be read and closed.
func TestPageFault_OfTheFreeList(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: another handle cannot write to a locked file there")
	}
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	s := openAt(t, path, Options{})
	chat := newChat(t, s)
	p, err := openPages(s.file)
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(make([]byte, p.size), int64(p.free)*int64(p.size))
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	own := errors.New("changed my mind")
	for range 2 {
		if err := s.Update(func(*Tx) error { return own }); err == nil || !errors.Is(err, ErrCorrupt) && err != own {
			t.Errorf("an update: %v", err)
		}
	}
	if err := s.View(func(tx *Tx) error { _, err := Chats.Get(tx, chat); return err }); err != nil {
		t.Errorf("reading: %v", err)
	}
	if err := s.Check(); !errors.Is(err, ErrCorrupt) {
		t.Errorf("the check: %v", err)
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case err := <-closed:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not close")
	}
	if _, err := Open(path, Options{}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("opening it again: %v", err)
	}
}

// A branch that leads back to itself is found before bbolt follows it.
func TestOpen_BranchesInACircle(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	s := openAt(t, path, Options{})
	line(t, s, newChat(t, s), 400)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	size, found := os.Getpagesize(), 0
	for n := 2; n < len(file)/size; n++ {
		at := file[n*size:]
		if at[8] == pageBranch {
			found++
			at[pageHead+8], at[pageHead+9] = byte(n), byte(n>>8)
		}
	}
	if err := os.WriteFile(path, file, 0o600); err != nil || found == 0 {
		t.Fatal(found, err)
	}
	for _, o := range []Options{{}, {ReadOnly: true}, {AsIs: true}} {
		if s, err := Open(path, o); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%+v: %v %v", o, s, err)
		}
	}
}
