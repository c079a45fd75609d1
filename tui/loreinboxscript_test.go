package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ghostlight/engine/config"
	"ghostlight/engine/lore"
	"ghostlight/engine/lore/plist"
	"ghostlight/storage"
	"ghostlight/tui/keys"
)

// waitFirst makes every change that scenes teach wait for the user's word.
var waitFirst = config.Lore{Review: map[string]string{"default": "review"}}

// inbox reads what waits in the open chat.
func (s *session) inbox() []lore.Proposal {
	s.t.Helper()
	all, err := s.eng.Lore.Inbox(s.chat().Chat.ID, "")
	s.must(err)
	return all
}

// chatLore is the chat's own book.
func (s *session) chatLore() []lore.Row {
	s.t.Helper()
	chat := s.chat().Chat.ID
	books, err := s.eng.Lore.Books(chat)
	s.must(err)
	var out []lore.Row
	for _, b := range books {
		if b.Kind == storage.ChatBook {
			rows, err := s.eng.Lore.Entries(b.ID, chat)
			s.must(err)
			out = append(out, rows...)
		}
	}
	return out
}

// learnt are the names of the entries of the chat's own book.
func (s *session) learnt() []string {
	s.t.Helper()
	var out []string
	for _, r := range s.chatLore() {
		out = append(out, r.Name)
	}
	slices.Sort(out)
	return out
}

// knows is all that the chat's own book says.
func (s *session) knows() string {
	s.t.Helper()
	var out []string
	for _, r := range s.chatLore() {
		out = append(out, r.Content)
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

func TestLoreInboxScript(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 140, h: 44, fill: true, lore: waitFirst, prepare: withStory(t, harbour, true)})
	all := s.inbox()
	if len(all) < 4 || len(s.learnt()) != 0 {
		t.Fatalf("%d changes wait, %v learnt", len(all), s.learnt())
	}
	n := len(all)
	first, second := proposalName(&all[0]), proposalName(&all[1])
	s.see("blue boat").press("alt+l").see("1 Entries", "(").press("3").see(waitingWords(n), first, "Scene 1")
	s.press("j", "S").see("this came from")
	s.press("g", "A").see(first+": accepted", waitingWords(n-1)).press("X").see(second+": rejected", waitingWords(n-2))
	if got := s.learnt(); len(got) != 1 || got[0] != first {
		t.Errorf("learnt: %v", got)
	}
	s.press("u").see("undone: rejecting", waitingWords(n-1), second)
	s.press("e").see("Edit, then accept").typeText("Written by hand. ").press("ctrl+s").see("accepted as you wrote it", waitingWords(n-2))
	s.press("R").see("Accept many").press("enter").see("Each change can be undone").press("y").see("accepted").see("Nothing waits")
	if got := s.learnt(); len(got) < 2 {
		t.Errorf("learnt: %v", got)
	}
	s.press("u").see("undone: accepting", "1 change waits")
	s.press("o").see("there is no such entry yet")
}

// Several decisions in a row each meet another change.
func TestLoreInboxScript_QuickDecisions(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{fill: true, lore: waitFirst, prepare: withStory(t, harbour, true)})
	n := len(s.inbox())
	s.see("blue boat").openView(keys.LoreInbox).see(waitingWords(n))
	for range n {
		s.press("A")
	}
	s.see("Nothing waits")
	s.until("all to be stored", func() bool { return len(s.inbox()) == 0 })
	if got := s.learnt(); len(got) == 0 {
		t.Error("nothing was learnt")
	}
}

func TestLoreInboxScript_SomeFacts(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 140, h: 44, fill: true, lore: waitFirst, prepare: withStory(t, harbour, true)})
	s.see("blue boat").openView(keys.LoreInbox).see("Scene 1")
	var left, id string
	s.in(func(a *app) {
		p := a.inbox()
		for i := range p.all {
			if n, _ := p.facts(&p.all[i]); n > 1 {
				p.open = p.all[i].ID
				id = proposalName(&p.all[i])
				for j := range p.all[i].Hunks {
					if choosable(&p.all[i].Hunks[j]) {
						left = p.all[i].Hunks[j].After
						p.lay(factRef{p.open, j})
						break
					}
				}
				return
			}
		}
	})
	if left == "" {
		t.Fatal("no change has two facts")
	}
	s.press(".").see("[ ]").press("A").see(id + ": ")
	s.until("the entry", func() bool { return slices.Contains(s.learnt(), id) })
	for _, r := range s.chatLore() {
		if r.Name == id && slices.Contains(plist.Facts(r.Content), left) {
			t.Errorf("%q was left out and is in %s", left, r.Content)
		}
	}
}

// What cannot be stored is back in the list, with the reason.
func TestLoreInboxScript_FailedDecision(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 140, h: 44, fill: true, lore: waitFirst, prepare: withStory(t, harbour, true)})
	n := len(s.inbox())
	s.see("blue boat").openView(keys.LoreInbox).see(waitingWords(n))
	s.in(func(a *app) {
		c := a.inbox().proposal()
		a.send2(a.inbox().decide(decision{c.ID, "stored", func() error { return errors.New("the disk is full") }}))
		if len(a.inbox().all) != n-1 {
			t.Errorf("%d wait on the screen", len(a.inbox().all))
		}
	})
	s.see("disk is full", waitingWords(n)).press("A").see(waitingWords(n - 1))
	s.until("it to be stored", func() bool { return len(s.inbox()) == n-1 })
}

// A scene that is told anew offers to take back what earlier recaps taught.
func TestLoreTaughtScript_ToldAnew(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 200, h: 40, fill: true, prepare: withStory(t, harbour, true)})
	s.see("blue boat", "1 · I Come").press("alt+s").see("Scenes", " tokens").press("g", "R").see("has another recap", "alt+b takes it back").still()
	brk := s.scenes()[0].Break
	list, err := s.eng.Lore.Taught(s.chat().Chat.ID, brk)
	s.must(err)
	if len(list) == 0 {
		t.Fatal("the second recap says all that the first one taught")
	}
	s.press("alt+b").see("Take this back").press("y").see("was taken back from")
}

// Changes that come to wait are told of while the pane is not open.
func TestLoreToast_TellsWhatWaits(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 140, h: 40, fill: true, lore: waitFirst, prepare: withStory(t, harbour, false)})
	s.see("blue boat").press("alt+s").see("Scenes", " tokens").press("g", "c").see("for your word in the lorebooks").press("alt+x").still()
	s.openView(keys.LoreInbox).see("Scene 1")
}

// Taking a break away offers to take back what its scene taught, and does so only
// when it is told to.
func TestLoreTaughtScript(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 160, h: 40, fill: true, prepare: withStory(t, harbour, true)})
	learnt := s.knows()
	if learnt == "" {
		t.Fatal("nothing was learnt")
	}
	s.see("blue boat", "2 · The Next").press("alt+s").see("Scenes", " tokens").press("g", "b").see("what it taught the lorebooks stays", "alt+b takes it back")
	if got := s.knows(); got != learnt {
		t.Errorf("learnt: %s\nwas %s", got, learnt)
	}
	s.press("alt+b").see("Take this back out of the lorebooks?").press("esc").notSee("Take this back")
	if got := s.knows(); got != learnt {
		t.Errorf("learnt: %s\nwas %s", got, learnt)
	}
	s.press("alt+b").see("Take this back out of the lorebooks?").press("y").see("taught was taken back from")
	if got := s.knows(); len(got) >= len(learnt) {
		t.Errorf("learnt: %s\nwas %s", got, learnt)
	}
	s.press("u").see("the break is back")
}
