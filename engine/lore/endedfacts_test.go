package lore_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// over returns the facts of Marla that have ended.
func (s *harness) over(book storage.LorebookID) (list []string) {
	s.T.Helper()
	for _, o := range s.named(book, "Marla Tew").Ended {
		list = append(list, o.Fact+" "+string(o.End.Kind))
	}
	return list
}

// The user ends a fact of an entry in one chat: prompts do not contain it any more, the entry keeps
// it and shows how it ended, and it holds again when that is undone.
func TestEndFact(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(x *storage.LoreEntry){
		"taught":  func(*storage.LoreEntry) {},
		"locked":  func(x *storage.LoreEntry) { x.Locked = true },
		"written": func(x *storage.LoreEntry) { x.Facts = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, book := taught(t)
			x := s.named(book, "Marla Tew").LoreEntry
			change(&x)
			enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.LoreEntries.Put(tx, book, x) }))
			s.Reopen()
			told := func(ok bool) {
				t.Helper()
				if p := s.prompt("What of Marla?"); strings.Contains(p, "violet boat") != ok || !strings.Contains(p, "Gull Inn") {
					t.Errorf("told is not %v: %s", ok, p)
				}
			}
			told(true)
			back, err := s.Lore.EndFact(s.Chat, x.ID, 1)
			enginetest.Must(t, err)
			told(false)
			if got := s.over(book); len(got) != 1 || got[0] != "owns(violet boat) withdrawn" || s.named(book, "Marla Tew").Content != x.Content {
				t.Errorf("over: %q", got)
			}
			enginetest.Must(t, back())
			told(true)
			_, err = s.Lore.EndFact(s.Chat, x.ID, 1)
			enginetest.Must(t, err)
			back, err = s.Lore.ReopenFact(s.Chat, x.ID, 1)
			enginetest.Must(t, err)
			told(true)
			enginetest.Must(t, back())
			told(false)
			s.Reopen()
			if got := s.over(book); len(got) != 1 {
				t.Errorf("opened again: %q", got)
			}
		})
	}
}

// A fact that the story has ended is shown with the reason and the time; one of several that ended
// together can be reopened alone.
func TestEndFact_ByTheStory(t *testing.T) {
	t.Parallel()
	s, book := taught(t)
	s.ends("Marla Tew: owns violet boat")
	s.ends("Marla Tew: runs Gull Inn")
	list := s.named(book, "Marla Tew").Ended
	if len(list) != 2 || list[1].End.Kind != storage.Outdated || list[1].End.Node != s.Last().ID {
		t.Fatalf("%+v", list)
	}
	_, err := s.Lore.ReopenFact(s.Chat, s.named(book, "Marla Tew").ID, 1)
	enginetest.Must(t, err)
	if got := s.over(book); len(got) != 1 || got[0] != "runs(Gull Inn) outdated" {
		t.Errorf("over: %q", got)
	}
	if p := s.prompt("What of Marla?"); !strings.Contains(p, "violet boat") || strings.Contains(p, "Gull Inn") {
		t.Errorf("told: %s", p)
	}
	for _, nth := range []int{-1, 2} {
		if _, err := s.Lore.EndFact(s.Chat, s.named(book, "Marla Tew").ID, nth); err == nil {
			t.Errorf("%d ended", nth)
		}
	}
	if _, err := s.Lore.EndFact(s.Chat, "nothing", 0); err == nil {
		t.Error("a fact of nothing ended")
	}
}
