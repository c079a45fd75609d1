package memory_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// takes has the hooks of these words taken up by a reply.
func (s *harness) takes(node storage.NodeID, words ...string) {
	s.T.Helper()
	mention, scope := s.MentionAt(s.Chat, node), s.ScopeNow()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		ids := []storage.HookID{storage.HookID(storage.NewID())} // one that has gone
		for id, h := range storage.Hooks.All(tx, scope) {
			if slices.Contains(words, h.Content) {
				ids = append(ids, id)
			}
		}
		return memory.MarkHooksTaken(tx, scope, mention, ids)
	}))
}

// stand checks the hooks of a chat with their states.
func (s *harness) stand(want string) {
	s.T.Helper()
	var out []string
	for _, h := range s.Hooks(memory.Query{All: true}).List {
		state := string(h.State)
		if !h.Holds {
			state = "elsewhere"
		}
		out = append(out, h.Content+": "+state)
	}
	slices.Sort(out)
	if got := strings.Join(out, "; "); got != want {
		s.T.Errorf("hooks:\n got %s\nwant %s", got, want)
	}
}

func hookIn(turns int, content string) rules.FoundHook {
	return rules.FoundHook{Type: storage.FollowUpHook, Content: content, Turns: turns, Priority: 3}
}

const (
	exam  = "Ask how the exam went."
	uncle = "Write to the uncle in Bergen."
	roof  = "Mend the chapel roof before winter."
)

func TestHooks_AreDueByTurnsAndByTheClock(t *testing.T) {
	c := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(c))})
	a := s.Exchange(1, "lamp")
	if !s.Hears(a[1], hookIn(2, exam), hookIn(0, uncle), hookIn(0, roof)) || s.Hears(a[1], hookIn(2, exam)) {
		t.Error("the same pass twice has to change something once")
	}
	for _, h := range s.Hooks(memory.Query{}).List {
		if h.Content == uncle {
			h.Due.At = c.Now().Add(3 * time.Hour)
			_, err := s.Memory.SaveHook(s.ScopeNow(), s.Chat, h.Hook)
			enginetest.Must(t, err)
		}
	}
	s.stand("Ask how the exam went.: waiting; Mend the chapel roof before winter.: due; Write to the uncle in Bergen.: waiting")
	s.Exchange(1, "key")
	c.Advance(3 * time.Hour)
	s.stand("Ask how the exam went.: waiting; Mend the chapel roof before winter.: due; Write to the uncle in Bergen.: due")
	b := s.Exchange(1, "door")
	s.Reopen()
	list := s.Hooks(memory.Query{})
	if list.Turn != 3 || len(list.List) != 3 {
		t.Fatalf("%+v", list)
	}
	for _, h := range list.List {
		if h.State != memory.HookDue || !h.InPrompt || h.When == "" || h.Source != a[1] {
			t.Errorf("%+v", h)
		}
	}
	s.takes(b[1], exam, uncle)
	s.takes(b[1], exam)
	s.stand("Ask how the exam went.: taken; Mend the chapel roof before winter.: due; Write to the uncle in Bergen.: taken")
	if n := len(s.Hooks(memory.Query{}).List); n != 1 {
		t.Errorf("%d are open", n)
	}
	s.Sibling(b[1], "another reply") // which has not taken them up
	s.stand("Ask how the exam went.: due; Mend the chapel roof before winter.: due; Write to the uncle in Bergen.: due")
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[0]))
	s.stand("Ask how the exam went.: elsewhere; Mend the chapel roof before winter.: elsewhere; Write to the uncle in Bergen.: elsewhere")
	enginetest.Must(t, s.Chats.Goto(s.Chat, b[1]))
	enginetest.Must(t, s.Chats.Delete(s.Chat, b[1], false))
	s.stand("Ask how the exam went.: due; Mend the chapel roof before winter.: due; Write to the uncle in Bergen.: due")
}

// A hook with a story time is due on the paths on which a pass has found so.
func TestHooks_AreDueByTheStorysTime(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(enginetest.NewClock()))})
	a := s.Exchange(1, "lamp")
	scope := s.ScopeNow()
	when := func(at storage.NodeID, day string, days int) {
		t.Helper()
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			return s.Scenes.StoreTime(tx, s.Chat, at, scenes.TimeUpdate{Day: day, Days: days})
		}))
	}
	when(a[1], "Thursday", 0)
	later := hookIn(0, exam)
	later.When = "in three days"
	s.Hears(a[1], later)
	s.stand("Ask how the exam went.: waiting")
	b := s.Exchange(99, "key")
	when(b[1], "Sunday", 3)
	known := func() memory.KnownHook {
		t.Helper()
		var list []memory.KnownHook
		enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
			list = memory.PathsOf(tx, scope, s.Chat, s.View().Chat.Head).Hooks()
			return nil
		}))
		if len(list) != 1 {
			t.Fatalf("%+v", list)
		}
		return list[0]
	}
	if h := known(); h.Story || h.Deadline != "in three days (said on Thursday, 3 days ago)" {
		t.Errorf("%+v", h)
	}
	mention := s.MentionAt(s.Chat, b[1])
	for range 2 {
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			return memory.MarkHooksDue(tx, scope, mention, []storage.HookID{storage.HookID(storage.NewID()), known().ID})
		}))
	}
	s.Reopen()
	s.stand("Ask how the exam went.: due")
	if h := known(); !h.Story || len(h.CameDue) != 1 {
		t.Errorf("%+v", h)
	}
	if v := s.Hooks(memory.Query{}).List[0]; v.When != "due: in three days" || !v.InPrompt {
		t.Errorf("%+v", v)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[1]))
	s.stand("Ask how the exam went.: waiting")
	enginetest.Must(t, s.Chats.Goto(s.Chat, s.Node(b[1]).ID))
	enginetest.Must(t, s.Chats.Delete(s.Chat, b[1], false))
	s.stand("Ask how the exam went.: waiting")
	enginetest.Must(t, s.Chats.Undo(s.Chat))
	s.stand("Ask how the exam went.: due")

	// Another time of the story has yet to come.
	h := known().Hook
	h.Due.When, h.Due.From = "at the fair", storage.StoryTime{}
	saved, err := s.Memory.SaveHook(scope, s.Chat, h)
	if enginetest.Must(t, err); saved.Due.From.Day != "Sunday" || saved.Due.From.Passed != 3 {
		t.Errorf("%+v", saved)
	}
	s.stand("Ask how the exam went.: waiting")
	if _, err := s.Memory.SaveHook(scope, s.Chat, storage.Hook{ID: h.ID, Type: h.Type, Content: exam, Due: storage.HookDue{When: strings.Repeat("x", 121)}}); err == nil {
		t.Error("a time of any length is taken")
	}
}

func TestHooks_CountTheTurnsOfTheirStory(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(enginetest.NewClock()))})
	_, eps := s.Series("S", []storage.CharacterID{s.Main()}, storage.Episode{Title: "one"}, storage.Episode{Title: "two"})
	enginetest.Must(t, s.Director.SetEpisode(s.Chat, eps[0].ID))
	first := s.Chat
	a := s.Exchange(5, "lamp")
	s.Hears(a[9], hookIn(3, exam))
	s.Exchange(1, "key")
	second, err := s.Director.NewPlay(director.PlayRequest{Episode: eps[1].ID})
	enginetest.Must(t, err)
	s.Chat = second.ID
	s.Exchange(1, "door")
	s.stand("Ask how the exam went.: waiting")
	b := s.Exchange(1, "window")
	s.stand("Ask how the exam went.: due")
	s.takes(b[1], exam)
	s.Chat = first
	s.stand("Ask how the exam went.: taken") // by the other chat's head
	s.Chat = second.ID
	enginetest.Must(t, s.Chats.Branch(s.Chat, b[0]))
	s.Chat = first
	if list := s.Hooks(memory.Query{}); list.List[0].State != memory.HookWaiting || list.List[0].When != "in 2 turns" {
		t.Errorf("%+v", list)
	}
}

func TestHooks_TheUserHasTheLastWord(t *testing.T) {
	c := enginetest.NewClock()
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(c))})
	a := s.Exchange(2, "lamp")
	scope := s.ScopeNow()
	h, err := s.Memory.SaveHook(scope, s.Chat, storage.Hook{Type: storage.ReminderHook, Content: exam, Due: storage.HookDue{Turns: 2}})
	enginetest.Must(t, err)
	if h.Turn != 2 || h.Priority != memory.PlainPriority {
		t.Errorf("%+v", h)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[0]))
	s.stand("Ask how the exam went.: waiting") // it holds everywhere
	enginetest.Must(t, s.Chats.Goto(s.Chat, a[3]))
	for _, step := range []struct {
		do    memory.HookAction
		n     int
		state memory.HookState
	}{{memory.HookReopen, 0, memory.HookWaiting}, {memory.HookNow, 1, memory.HookDue}, {memory.HookNow, 0, memory.HookDue}, {memory.HookClose, 1, memory.HookClosed}, {memory.HookClose, 0, memory.HookClosed},
		{memory.HookDrop, 1, memory.HookDropped}, {memory.HookReopen, 1, memory.HookDue}} {
		if n, err := s.Memory.ActHook(scope, []storage.HookID{h.ID}, step.do); n != step.n || err != nil {
			t.Errorf("%s: %d %v", step.do, n, err)
		}
		if list := s.Hooks(memory.Query{All: true}).List; list[0].State != step.state {
			t.Errorf("after %s it is %s", step.do, list[0].State)
		}
	}
	s.takes(a[3], exam)
	s.stand("Ask how the exam went.: taken")
	_, err = s.Memory.ActHook(scope, []storage.HookID{h.ID}, memory.HookReopen)
	enginetest.Must(t, err)
	s.stand("Ask how the exam went.: due")
	_, err = s.Memory.ActHook(scope, []storage.HookID{h.ID}, memory.HookDrop)
	enginetest.Must(t, err)
	s.Hears(a[3], rules.FoundHook{Type: storage.ReminderHook, Content: exam, Priority: 5})
	s.stand("Ask how the exam went.: dropped")
	if _, err := s.Memory.ActHook(scope, []storage.HookID{h.ID}, "burn"); !errors.Is(err, failure.ErrRefused) {
		t.Error(err)
	}
	if found, err := s.Memory.FindHook(scope, strings.ToLower(string(h.ID[18:]))); err != nil || found.ID != h.ID {
		t.Error(found, err)
	}
	for want, bad := range map[string]storage.Hook{
		"content":  {Type: storage.ReminderHook},
		"song":     {Type: "song", Content: "x"},
		"priority": {Type: storage.ReminderHook, Content: "x", Priority: 6},
		"turns":    {Type: storage.ReminderHook, Content: "x", Due: storage.HookDue{Turns: -1}},
		"opener":   {Type: storage.ReminderHook, Content: "x", Opener: strings.Repeat("x", memory.LongestMemory+1)},
	} {
		if _, err := s.Memory.SaveHook(scope, s.Chat, bad); field.AsError(err) == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	due := c.Now().Add(time.Hour)
	saved, err := s.Memory.SaveHook(scope, "", storage.Hook{ID: h.ID, Type: storage.ScheduledHook, Content: uncle, Priority: 5, Due: storage.HookDue{At: due}})
	enginetest.Must(t, err)
	if saved.Turn != 2 || !saved.Dropped || !saved.Due.At.Equal(due) || saved.Content != uncle {
		t.Errorf("%+v", saved)
	}
}

// recaps gives a scene a recap with these words.
func (s *harness) recaps(brk storage.NodeID, text string, sources ...storage.Source) {
	s.T.Helper()
	s.EndWithoutRecap(brk)
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		b, err := storage.Breaks.Get(tx, s.Chat, brk)
		if err != nil {
			return err
		}
		return s.Scenes.AppendVersion(tx, s.Chat, b, storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.SceneRecap, Text: text, Sources: sources})
	}))
}

func (s *harness) threadsNow() []memory.Thread {
	s.T.Helper()
	list, err := s.Memory.Threads(s.Chat)
	enginetest.Must(s.T, err)
	return list
}

func threadLines(list []memory.Thread) string {
	var out []string
	for _, t := range list {
		out = append(out, t.Text+" "+t.State)
	}
	return strings.Join(out, "; ")
}

func TestThreads_AreOneLedger(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.WithClock(enginetest.NewClock()))})
	a := s.Exchange(4, "lamp")
	s.recaps(a[3], "## Events\n- They met.\n\n## Pending Threads\n- Who stole the ledger from the vestry\n- The debt to Osric the miller\n",
		storage.Source{Bullet: "The debt to Osric the miller", Messages: []storage.NodeID{a[0], a[2]}})
	s.recaps(a[5], "## Pending Threads\n- The debt to Osric the miller\n")
	s.Hears(a[5], hookIn(9, exam), hookIn(0, uncle))
	want := "The debt to Osric the miller open; Who stole the ledger from the vestry open; " + uncle + " due; " + exam + " waiting"
	list := s.threadsNow()
	if got := threadLines(list); got != want {
		t.Fatalf("got %s", got)
	}
	if list[0].Break != a[5] || list[0].Source != a[2] || list[1].Break != a[3] || list[2].Hook == "" {
		t.Errorf("%+v", list)
	}
	enginetest.Must(t, s.Memory.MarkThread(s.Chat, list[0].Key, "closed"))
	enginetest.Must(t, s.Memory.MarkThread(s.Chat, list[2].Key, "dropped"))
	s.Reopen()
	want = "Who stole the ledger from the vestry open; " + exam + " waiting; The debt to Osric the miller closed; " + uncle + " dropped"
	if got := threadLines(s.threadsNow()); got != want {
		t.Errorf("got %s", got)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, a[4]))
	if got := threadLines(s.threadsNow()); got != "Who stole the ledger from the vestry open; The debt to Osric the miller closed" {
		t.Errorf("on the branch %s", got)
	}
	enginetest.Must(t, s.Chats.Goto(s.Chat, a[7]))
	enginetest.Must(t, s.Memory.MarkThread(s.Chat, list[0].Key, "open"))
	enginetest.Must(t, s.Memory.MarkThread(s.Chat, list[2].Key, "open"))
	if got := threadLines(s.threadsNow()); got != threadLines(list) {
		t.Errorf("got %s", got)
	}
	if err := s.Memory.MarkThread(s.Chat, list[0].Key, "lost"); !errors.Is(err, failure.ErrRefused) {
		t.Error(err)
	}
	for _, key := range []string{"thread/none", "hook/none", ""} {
		if err := s.Memory.MarkThread(s.Chat, key, "closed"); !errors.Is(err, storage.ErrNotFound) {
			t.Error(key, err)
		}
	}
}

func TestThreads_TheRunningRecapKnowsWhatCameOfThem(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	a := s.Exchange(4, "lamp")
	s.recaps(a[3], "## Pending Threads\n- Who stole the ledger from the vestry\n- The debt to Osric the miller\n")
	_, err := s.Scenes.MergeRunning(s.Chat, a[3])
	enginetest.Must(t, err)
	s.Work()
	if got := threadLines(s.threadsNow()); got != "Who stole the ledger from the vestry open; The debt to Osric the miller open" {
		t.Errorf("got %s", got)
	}
	for _, t2 := range s.threadsNow() {
		if t2.Break != "" {
			t.Errorf("it is told by the scene still: %+v", t2)
		}
	}
	r := s.RunningNow().Version()
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		now, err := storage.RunningRecaps.Get(tx, s.Chat, r.ID)
		if err != nil {
			return err
		}
		now.Text = "## Pending Threads\n- The debt to Osric the miller\n"
		return storage.RunningRecaps.Put(tx, s.Chat, now)
	}))
	if got := threadLines(s.threadsNow()); got != "The debt to Osric the miller open" {
		t.Errorf("got %s", got)
	}
}
