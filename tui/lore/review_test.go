package lore_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	enginelore "github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/lore"
)

// waitFirst makes every change that scenes teach wait for the user's word.
var waitFirst = config.Lore{Review: map[string]string{"default": "review"}}

// inbox reads what waits in the open chat.
func (s *session) inbox() []enginelore.Proposal {
	s.T().Helper()
	all, err := s.Engine.Lore.Inbox(s.Chat().Chat.ID, "")
	s.Must(err)
	return all
}

// chatLore is the chat's own book.
func (s *session) chatLore() []enginelore.Row {
	s.T().Helper()
	chat := s.Chat().Chat.ID
	books, err := s.Engine.Lore.Books(chat)
	s.Must(err)
	var out []enginelore.Row
	for _, b := range books {
		if b.Kind == storage.ChatBook {
			rows, err := s.Engine.Lore.Entries(b.ID, chat)
			s.Must(err)
			out = append(out, rows...)
		}
	}
	return out
}

// learnt are the names of the entries of the chat's own book.
func (s *session) learnt() []string {
	s.T().Helper()
	var out []string
	for _, r := range s.chatLore() {
		out = append(out, r.Name)
	}
	slices.Sort(out)
	return out
}

// knows is all that the chat's own book says.
func (s *session) knows() string {
	s.T().Helper()
	var out []string
	for _, r := range s.chatLore() {
		out = append(out, r.Content)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func TestInboxScript(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 140, H: 44, Fill: true, Lore: waitFirst, Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	all := s.inbox()
	if len(all) < 4 || len(s.learnt()) != 0 {
		t.Fatalf("%d changes wait, %v learnt", len(all), s.learnt())
	}
	n := len(all)
	first, second := lore.ProposalName(&all[0]), lore.ProposalName(&all[1])
	s.see("blue boat").press("alt+l").see("1 Entries", "(").press("3").see(lore.WaitingWords(n), first, "Scene 1")
	s.press("j", "S").see("ource message")
	s.press("g", "A").see(first+": accepted", lore.WaitingWords(n-1)).press("X").see(second+": rejected", lore.WaitingWords(n-2))
	if got := s.learnt(); len(got) != 1 || got[0] != first {
		t.Errorf("learnt: %v", got)
	}
	s.press("u").see("undone: rejecting", lore.WaitingWords(n-1), second)
	s.press("e").see("Edit, then accept").typeText("Written by hand. ").press("ctrl+s").see("accepted with your text", lore.WaitingWords(n-2))
	s.press("R").see("Accept several").press("enter").see("Each change can be undone").press("y").see("accepted").see("Nothing to review")
	if got := s.learnt(); len(got) < 2 {
		t.Errorf("learnt: %v", got)
	}
	s.press("u").see("undone: accepting", "1 change to review")
	s.openView("lore-show-entry").see("does not exist yet")
}

// Several decisions in a row each meet another change.
func TestInboxScript_QuickDecisions(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Fill: true, Lore: waitFirst, Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	n := len(s.inbox())
	s.see("blue boat").openView(keys.LoreInbox).see(lore.WaitingWords(n))
	for range n {
		s.press("A")
	}
	s.see("Nothing to review")
	s.Until("all to be stored", func() bool { return len(s.inbox()) == 0 })
	if got := s.learnt(); len(got) == 0 {
		t.Error("nothing was learnt")
	}
}

func TestInboxScript_SomeFacts(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 140, H: 44, Fill: true, Lore: waitFirst, Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.see("blue boat").openView(keys.LoreInbox).see("Scene 1")
	var left, id string
	s.look(func(r *lore.Part) { id, left = r.OpenFacts() })
	if left == "" {
		t.Fatal("no change has two facts")
	}
	s.press(".").see("[ ]").press("A").see(id + ": ")
	s.Until("the entry", func() bool { return slices.Contains(s.learnt(), id) })
	for _, r := range s.chatLore() {
		if r.Name == id && slices.Contains(plist.Facts(r.Content), left) {
			t.Errorf("%q was left out and is in %s", left, r.Content)
		}
	}
}

// What cannot be stored is back in the list, with the reason.
func TestInboxScript_FailedDecision(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 140, H: 44, Fill: true, Lore: waitFirst, Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	n := len(s.inbox())
	s.see("blue boat").openView(keys.LoreInbox).see(lore.WaitingWords(n))
	s.in(func(_ *tui.Screen, r *lore.Part) tea.Cmd {
		cmd := r.Decide(func() error { return errors.New("the disk is full") })
		if len(r.Inbox()) != n-1 {
			t.Errorf("%d wait on the screen", len(r.Inbox()))
		}
		return cmd
	})
	s.see("disk is full", lore.WaitingWords(n)).press("A").see(lore.WaitingWords(n - 1))
	s.Until("it to be stored", func() bool { return len(s.inbox()) == n-1 })
}

// A new recap of a scene offers to undo the changes from earlier recaps.
func TestTaughtScript_ToldAnew(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 200, H: 40, Fill: true, Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.see("blue boat", "1 · The Photograph").press("alt+s").see("Scenes", " tokens").press("g", "r").see("has a new recap", "alt+b undoes them").still()
	brk := s.scenes()[0].Break
	list, err := s.Engine.Lore.SceneChanges(s.Chat().Chat.ID, brk)
	s.Must(err)
	if len(list) == 0 {
		t.Fatal("the second recap says all that the first one taught")
	}
	s.press("alt+b").see("Undo these lorebook changes").press("u").see("undone in")
}

// A notice reports waiting changes while the pane is not open.
func TestNews_TellsWhatWaits(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 140, H: 40, Fill: true, Lore: waitFirst, Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.see("blue boat").press("alt+s").see("Scenes", " tokens").press("g", "r").see("for review in the lorebooks").press("alt+x").still()
	s.openView(keys.LoreInbox).see("Scene 1")
}

// Removing a break offers to undo the changes from its scene, and does so only on request.
func TestTaughtScript(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 160, H: 40, Fill: true, Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	learnt := s.knows()
	if learnt == "" {
		t.Fatal("nothing was learnt")
	}
	s.see("blue boat", "2 · The Next").press("alt+s").see("Scenes", " tokens").press("g", "d").see("its lorebook changes are kept", "alt+b undoes them")
	if got := s.knows(); got != learnt {
		t.Errorf("learnt: %s\nwas %s", got, learnt)
	}
	s.press("alt+b").see("Undo these lorebook changes?").press("esc").notSee("Undo these lorebook changes")
	if got := s.knows(); got != learnt {
		t.Errorf("learnt: %s\nwas %s", got, learnt)
	}
	s.press("alt+b").see("Undo these lorebook changes?").press("u").see("undone in")
	if got := s.knows(); len(got) >= len(learnt) {
		t.Errorf("learnt: %s\nwas %s", got, learnt)
	}
	s.press("u").see("scene break restored")
}

// What undoes a decision follows it.
func TestInbox_UndoneAtOnce(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Fill: true, Lore: waitFirst, Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	n := len(s.inbox())
	s.see("blue boat").openView(keys.LoreInbox).see(lore.WaitingWords(n))
	accept := s.pressed("A")
	if s.pressed("u") != nil {
		t.Fatal("it is undone before it is stored")
	}
	s.in(func(*tui.Screen, *lore.Part) tea.Cmd { return accept })
	s.see("undone: accepting", lore.WaitingWords(n))
}
