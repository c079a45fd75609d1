package pane

import (
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// quiet is a host that runs work and shows nothing.
type quiet struct{ Host }

func (quiet) Do(work func() func() tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		if f := work(); f != nil {
			return Callback(f)
		}
		return nil
	}
}

func (quiet) Say(event.Level, string) tea.Cmd { return func() tea.Msg { return nil } }

func (quiet) Keys() *keys.Map {
	m, _ := keys.New(nil)
	return m
}

// What is still being stored can be taken back.
func TestUndoing_WhatIsBeingStored(t *testing.T) {
	t.Parallel()
	p := &UndoStack{Host: quiet{}}
	did := ""
	cmd := p.Change("muted", func() error { did += "on "; return nil }, func() error { did += "off"; return nil })
	if p.Undo() != nil {
		t.Fatal("nothing can be undone before it is stored")
	}
	undo := cmd().(Callback)()
	undo().(tea.BatchMsg)[0]()
	if did != "on off" {
		t.Error(did)
	}
}

// What is pressed while a change is being stored waits for it: the one may be what
// takes the other back.
func TestUndoing_InOrder(t *testing.T) {
	t.Parallel()
	p := &UndoStack{Host: quiet{}}
	var did string
	change := func(words string) tea.Cmd {
		return p.Change(words, func() error { did += words; return nil }, nil)
	}
	cmd := change("a")
	if change("b") != nil || change("c") != nil {
		t.Fatal("two changes are stored at once")
	}
	after := cmd().(Callback)()
	after = after().(tea.BatchMsg)[0]().(Callback)()
	after().(tea.BatchMsg)[0]()
	if did != "abc" {
		t.Error(did)
	}
}
