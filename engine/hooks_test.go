package engine

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/director/rules"
	"ghostlight/storage"
)

// hears has hooks found at a message of the open chat.
func (s *stage) hears(node storage.NodeID, found ...rules.FoundHook) (changed bool) {
	s.t.Helper()
	told, scope := s.toldAtNode(s.chat, node), s.scopeNow()
	must(s.t, s.store.Update(func(tx *storage.Tx) (err error) {
		changed, err = keepHooks(tx, scope, s.chat, told, turnAt(tx, s.chat, node), found)
		return err
	}))
	return changed
}

// takes has the hooks of these words taken up by a reply.
func (s *stage) takes(node storage.NodeID, words ...string) {
	s.t.Helper()
	told, scope := s.toldAtNode(s.chat, node), s.scopeNow()
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		ids := []storage.HookID{storage.HookID(storage.NewID())} // one that has gone
		for id, h := range storage.Hooks.All(tx, scope) {
			if slices.Contains(words, h.Content) {
				ids = append(ids, id)
			}
		}
		return takeHooks(tx, scope, told, ids)
	}))
}

func (s *stage) hooks(ask MemoryAsk) HookList {
	s.t.Helper()
	if ask.Chat == "" && ask.Series == "" {
		ask.Chat = s.chat
	}
	list, err := s.Hooks(ask)
	must(s.t, err)
	return list
}

// stand are the hooks of a chat with their states.
func (s *stage) stand(want string) {
	s.t.Helper()
	var out []string
	for _, h := range s.hooks(MemoryAsk{All: true}).List {
		state := string(h.State)
		if !h.Holds {
			state = "elsewhere"
		}
		out = append(out, h.Content+": "+state)
	}
	slices.Sort(out)
	if got := strings.Join(out, "; "); got != want {
		s.t.Errorf("hooks:\n got %s\nwant %s", got, want)
	}
}

func hookIn(turns, hours int, content string) rules.FoundHook {
	return rules.FoundHook{Type: storage.FollowUpHook, Content: content, Turns: turns, Hours: hours, Priority: 3}
}

const (
	exam  = "Ask how the exam went."
	uncle = "Write to the uncle in Bergen."
	roof  = "Mend the chapel roof before winter."
)

func TestHooks_AreDueByTurnsAndByTheClock(t *testing.T) {
	c := newClock()
	s := newStage(t, withClock(c))
	a := s.exchange(1, "lamp")
	if !s.hears(a[1], hookIn(2, 0, exam), hookIn(0, 3, uncle), hookIn(0, 0, roof)) || s.hears(a[1], hookIn(2, 0, exam)) {
		t.Error("the same pass twice has to change something once")
	}
	s.stand("Ask how the exam went.: waiting; Mend the chapel roof before winter.: due; Write to the uncle in Bergen.: waiting")
	s.exchange(1, "key")
	c.advance(3 * time.Hour)
	s.stand("Ask how the exam went.: waiting; Mend the chapel roof before winter.: due; Write to the uncle in Bergen.: due")
	b := s.exchange(1, "door")
	s.reopen()
	list := s.hooks(MemoryAsk{})
	if list.Turn != 3 || len(list.List) != 3 {
		t.Fatalf("%+v", list)
	}
	for _, h := range list.List {
		if h.State != HookDue || !h.InPrompt || h.When == "" || h.Source != a[1] {
			t.Errorf("%+v", h)
		}
	}
	s.takes(b[1], exam, uncle)
	s.takes(b[1], exam)
	s.stand("Ask how the exam went.: taken; Mend the chapel roof before winter.: due; Write to the uncle in Bergen.: taken")
	if n := len(s.hooks(MemoryAsk{}).List); n != 1 {
		t.Errorf("%d are open", n)
	}
	s.sibling(b[1], "another reply") // which has not taken them up
	s.stand("Ask how the exam went.: due; Mend the chapel roof before winter.: due; Write to the uncle in Bergen.: due")
	must(t, s.Branch(s.chat, a[0]))
	s.stand("Ask how the exam went.: elsewhere; Mend the chapel roof before winter.: elsewhere; Write to the uncle in Bergen.: elsewhere")
	must(t, s.Goto(s.chat, b[1]))
	must(t, s.Delete(s.chat, b[1], false))
	s.stand("Ask how the exam went.: due; Mend the chapel roof before winter.: due; Write to the uncle in Bergen.: due")
}

func TestHooks_CountTheTurnsOfTheirStory(t *testing.T) {
	s := newStage(t, withClock(newClock()))
	_, eps := s.series("S", []storage.CharacterID{s.main()}, storage.Episode{Title: "one"}, storage.Episode{Title: "two"})
	must(t, s.SetEpisode(s.chat, eps[0].ID))
	first := s.chat
	a := s.exchange(5, "lamp")
	s.hears(a[9], hookIn(3, 0, exam))
	s.exchange(1, "key")
	second, err := s.NewPlay(PlayRequest{Episode: eps[1].ID})
	must(t, err)
	s.chat = second.ID
	s.exchange(1, "door")
	s.stand("Ask how the exam went.: waiting")
	b := s.exchange(1, "window")
	s.stand("Ask how the exam went.: due")
	s.takes(b[1], exam)
	s.chat = first
	s.stand("Ask how the exam went.: taken") // by the other chat's head
	s.chat = second.ID
	must(t, s.Branch(s.chat, b[0]))
	s.chat = first
	if list := s.hooks(MemoryAsk{}); list.List[0].State != HookWaiting || list.List[0].When != "in 2 turns" {
		t.Errorf("%+v", list)
	}
}

func TestHooks_TheUserHasTheLastWord(t *testing.T) {
	c := newClock()
	s := newStage(t, withClock(c))
	a := s.exchange(2, "lamp")
	scope := s.scopeNow()
	h, err := s.SaveHook(scope, s.chat, storage.Hook{Type: storage.ReminderHook, Content: exam, Due: storage.Due{Turns: 2}})
	must(t, err)
	if h.Turn != 2 || h.Priority != plainPriority {
		t.Errorf("%+v", h)
	}
	must(t, s.Branch(s.chat, a[0]))
	s.stand("Ask how the exam went.: waiting") // it holds everywhere
	must(t, s.Goto(s.chat, a[3]))
	for _, step := range []struct {
		do    HookAction
		n     int
		state HookState
	}{{HookReopen, 0, HookWaiting}, {HookNow, 1, HookDue}, {HookNow, 0, HookDue}, {HookClose, 1, HookClosed}, {HookClose, 0, HookClosed},
		{HookDrop, 1, HookDropped}, {HookReopen, 1, HookDue}} {
		if n, err := s.ActHook(scope, []storage.HookID{h.ID}, step.do); n != step.n || err != nil {
			t.Errorf("%s: %d %v", step.do, n, err)
		}
		if list := s.hooks(MemoryAsk{All: true}).List; list[0].State != step.state {
			t.Errorf("after %s it is %s", step.do, list[0].State)
		}
	}
	s.takes(a[3], exam)
	s.stand("Ask how the exam went.: taken")
	_, err = s.ActHook(scope, []storage.HookID{h.ID}, HookReopen)
	must(t, err)
	s.stand("Ask how the exam went.: due")
	_, err = s.ActHook(scope, []storage.HookID{h.ID}, HookDrop)
	must(t, err)
	s.hears(a[3], rules.FoundHook{Type: storage.ReminderHook, Content: exam, Priority: 5})
	s.stand("Ask how the exam went.: dropped")
	if _, err := s.ActHook(scope, []storage.HookID{h.ID}, "burn"); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	if found, err := s.FindHook(scope, strings.ToLower(string(h.ID[18:]))); err != nil || found.ID != h.ID {
		t.Error(found, err)
	}
	for want, bad := range map[string]storage.Hook{
		"words":    {Type: storage.ReminderHook},
		"song":     {Type: "song", Content: "x"},
		"priority": {Type: storage.ReminderHook, Content: "x", Priority: 6},
		"turns":    {Type: storage.ReminderHook, Content: "x", Due: storage.Due{Turns: -1}},
		"opener":   {Type: storage.ReminderHook, Content: "x", Opener: strings.Repeat("x", longestMemory+1)},
	} {
		if _, err := s.SaveHook(scope, s.chat, bad); !errors.Is(err, ErrNothing) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	due := c.Now().Add(time.Hour)
	saved, err := s.SaveHook(scope, "", storage.Hook{ID: h.ID, Type: storage.ScheduledHook, Content: uncle, Priority: 5, Due: storage.Due{At: due}})
	must(t, err)
	if saved.Turn != 2 || !saved.Dropped || !saved.Due.At.Equal(due) || saved.Content != uncle {
		t.Errorf("%+v", saved)
	}
}

func TestHooks_FromAModelAreBounded(t *testing.T) {
	s := newStage(t, withClock(newClock()))
	a := s.exchange(1, "lamp")
	s.hears(a[1], rules.FoundHook{Type: "song", Content: "x"}, rules.FoundHook{Type: storage.ReminderHook, Content: " "},
		rules.FoundHook{Type: storage.ReminderHook, Content: strings.Repeat("y", 2*longestMemory), Turns: 1 << 40, Hours: 1 << 40, Priority: 99})
	list := s.hooks(MemoryAsk{All: true}).List
	if len(list) != 1 || list[0].Priority != 5 || len(list[0].Content) != longestMemory || list[0].Due.Turns != mostTurns || list[0].State != HookWaiting {
		t.Errorf("%+v", list)
	}
}

// recaps gives a scene a recap with these words.
func (s *stage) recaps(brk storage.NodeID, text string, sources ...storage.Source) {
	s.t.Helper()
	_, err := s.SetBreak(s.chat, brk, true)
	must(s.t, err)
	must(s.t, s.store.Update(func(tx *storage.Tx) error {
		b, err := storage.Breaks.Get(tx, s.chat, brk)
		if err != nil {
			return err
		}
		return s.appendVersion(tx, s.chat, b, storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.SceneRecap, Text: text, Sources: sources})
	}))
}

func (s *stage) threadsNow() []Thread {
	s.t.Helper()
	list, err := s.Threads(s.chat)
	must(s.t, err)
	return list
}

func threadLines(list []Thread) string {
	var out []string
	for _, t := range list {
		out = append(out, t.Text+" "+t.State)
	}
	return strings.Join(out, "; ")
}

func TestThreads_AreOneLedger(t *testing.T) {
	s := newStage(t, withClock(newClock()))
	a := s.exchange(4, "lamp")
	s.recaps(a[3], "## Events\n- They met.\n\n## Pending Threads\n- Who stole the ledger from the vestry\n- The debt to Osric the miller\n",
		storage.Source{Bullet: "The debt to Osric the miller", Messages: []storage.NodeID{a[0], a[2]}})
	s.recaps(a[5], "## Pending Threads\n- The debt to Osric the miller\n")
	s.hears(a[5], hookIn(9, 0, exam), hookIn(0, 0, uncle))
	want := "The debt to Osric the miller open; Who stole the ledger from the vestry open; " + uncle + " due; " + exam + " waiting"
	list := s.threadsNow()
	if got := threadLines(list); got != want {
		t.Fatalf("got %s", got)
	}
	if list[0].Break != a[5] || list[0].Source != a[2] || list[1].Break != a[3] || list[2].Hook == "" {
		t.Errorf("%+v", list)
	}
	must(t, s.MarkThread(s.chat, list[0].Key, "closed"))
	must(t, s.MarkThread(s.chat, list[2].Key, "dropped"))
	s.reopen()
	want = "Who stole the ledger from the vestry open; " + exam + " waiting; The debt to Osric the miller closed; " + uncle + " dropped"
	if got := threadLines(s.threadsNow()); got != want {
		t.Errorf("got %s", got)
	}
	must(t, s.Branch(s.chat, a[4]))
	if got := threadLines(s.threadsNow()); got != "Who stole the ledger from the vestry open; The debt to Osric the miller closed" {
		t.Errorf("on the branch %s", got)
	}
	must(t, s.Goto(s.chat, a[7]))
	must(t, s.MarkThread(s.chat, list[0].Key, "open"))
	must(t, s.MarkThread(s.chat, list[2].Key, "open"))
	if got := threadLines(s.threadsNow()); got != threadLines(list) {
		t.Errorf("got %s", got)
	}
	if err := s.MarkThread(s.chat, list[0].Key, "lost"); !errors.Is(err, ErrNothing) {
		t.Error(err)
	}
	for _, key := range []string{"thread/none", "hook/none", ""} {
		if err := s.MarkThread(s.chat, key, "closed"); !errors.Is(err, storage.ErrNotFound) {
			t.Error(key, err)
		}
	}
}

func TestThreads_TheRunningRecapKnowsWhatCameOfThem(t *testing.T) {
	s := newStage(t)
	a := s.exchange(4, "lamp")
	s.recaps(a[3], "## Pending Threads\n- Who stole the ledger from the vestry\n- The debt to Osric the miller\n")
	_, err := s.MergeRunning(s.chat, a[3])
	must(t, err)
	s.work()
	if got := threadLines(s.threadsNow()); got != "Who stole the ledger from the vestry open; The debt to Osric the miller open" {
		t.Errorf("got %s", got)
	}
	for _, t2 := range s.threadsNow() {
		if t2.Break != "" {
			t.Errorf("it is told by the scene still: %+v", t2)
		}
	}
	r := s.runningNow().Version()
	must(t, s.store.Update(func(tx *storage.Tx) error {
		now, err := storage.Runnings.Get(tx, s.chat, r.ID)
		if err != nil {
			return err
		}
		now.Text = "## Pending Threads\n- The debt to Osric the miller\n"
		return storage.Runnings.Put(tx, s.chat, now)
	}))
	if got := threadLines(s.threadsNow()); got != "The debt to Osric the miller open" {
		t.Errorf("got %s", got)
	}
}
