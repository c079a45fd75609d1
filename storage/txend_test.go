package storage

import (
	"errors"
	"testing"
)

// panicOf returns what f panics with, nil for nothing.
func panicOf(f func()) (cause any) {
	defer func() { cause = recover() }()
	f()
	return nil
}

// A transaction that is used after its end says so at once, and is no damage of the file,
// also where another one is open.
func TestTx_UsedAfterItsEnd(t *testing.T) {
	s := open(t)
	var kept *Tx
	keep := func(tx *Tx) error {
		kept = tx
		return nil
	}
	for name, use := range map[string]func() error{
		"read": func() error { _, err := Chats.Get(kept, "x"); return err },
		"look": func() error { Chats.Keys(kept); return nil },
		"range": func() error {
			for range Chats.All(kept) {
			}
			return nil
		},
		"inner":   func() error { Breaks.Any(kept, "x"); return nil },
		"tree":    func() error { _, err := kept.Node("x", "y"); return err },
		"write":   func() error { return Chats.Put(kept, ChatID(NewID()), Chat{}) },
		"version": func() error { kept.Version(); return nil },
	} {
		for kind, begin := range map[string]func(func(*Tx) error) error{"View": s.View, "Update": s.Update} {
			if err := begin(keep); err != nil {
				t.Fatal(err)
			}
			if err, _ := panicOf(func() { _ = use() }).(error); !errors.Is(err, ErrTxClosed) {
				t.Errorf("%s after a %s: %v", name, kind, err)
			}
			var err error
			within := func() { err = s.View(func(*Tx) error { return use() }) }
			if cause, _ := panicOf(within).(error); !errors.Is(cause, ErrTxClosed) || err != nil {
				t.Errorf("%s after a %s, within another: %v, %v", name, kind, cause, err)
			}
		}
	}
}

// What has begun to read in a transaction cannot read on, and that is no damage either.
func TestTx_BucketReadAfterItsEnd(t *testing.T) {
	s := open(t)
	var b *bucket
	if err := s.View(func(tx *Tx) error { b = tx.bucket(bucketChats); return nil }); err != nil {
		t.Fatal(err)
	}
	var err error
	within := func() { err = s.View(func(*Tx) error { b.keys(); return nil }) }
	if cause := panicOf(within); cause != txClosed || err != nil {
		t.Errorf("%v, %v", cause, err)
	}
}

// A panic undoes its transaction, and the next one finds the store as it was.
func TestUpdate_PanicUndoesEverything(t *testing.T) {
	s := open(t)
	id := ChatID(NewID())
	if cause := panicOf(func() {
		_ = s.Update(func(tx *Tx) error {
			if err := Chats.Put(tx, id, Chat{Title: "half"}); err != nil {
				t.Error(err)
			}
			panic("halfway")
		})
	}); cause != "halfway" {
		t.Fatal(cause)
	}
	if err := s.Update(func(tx *Tx) error {
		if tx.has(bucketChats, string(id)) {
			t.Error("it was kept")
		}
		return Chats.Put(tx, id, Chat{Title: "whole"})
	}); err != nil {
		t.Error(err)
	}
}
