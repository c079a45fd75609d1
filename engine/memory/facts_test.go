package memory_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func known(s *enginetest.Harness, ask memory.FactQuery) memory.FactList {
	s.T.Helper()
	ask.Chat = s.Chat
	v, err := s.Play.Facts(s.Context(), ask)
	enginetest.Must(s.T, err)
	if v.Fault != "" {
		s.T.Fatalf("no prompt: %s", v.Fault)
	}
	return v
}

// saying finds the fact of a view that has words.
func saying(t *testing.T, v memory.FactList, words string) memory.Fact {
	t.Helper()
	for _, f := range v.Facts {
		if strings.Contains(f.Text, words) {
			return f
		}
	}
	t.Fatalf("no fact says %q: %+v", words, v.Facts)
	return memory.Fact{}
}

func TestKnown_FactsWithTheirHomes(t *testing.T) {
	s := enginetest.NewHarness(t)
	ids := s.Tell("I repair clocks.", "So you do. Clara waits by the well.")
	mention := s.MentionAt(s.Chat, ids[1])
	mention.Sources = ids[1:]
	s.RemembersBy(mention, "Clara waits by the well")
	s.Book(storage.Lorebook{Name: "Harbour", Kind: storage.ChatBook, Chat: s.Chat}, enginetest.Keyed("Gull Inn", "The inn stands on piles. Marla runs it.", "inn"))
	v := known(s, memory.FactQuery{})
	m := saying(t, v, "Clara waits")
	if m.Kind != facts.Memory || m.Subject != "Clara" || len(m.Sources) != 1 || m.Sources[0].Message != ids[1] || m.Since != m.Sources[0].Number || m.Scene != 1 || !m.Everybody {
		t.Errorf("the memory: %+v", m)
	}
	if !m.InPrompt || m.InPromptBy != "the messages in context" {
		t.Errorf("its message stands in the prompt, and it says told %v by %q, %q", m.InPrompt, m.InPromptBy, m.WhyNotInPrompt)
	}
	l := saying(t, v, "piles")
	if l.Kind != facts.Lore || l.Subject != "Gull Inn" || l.InPrompt || !strings.Contains(l.WhyNotInPrompt, "keys") {
		t.Errorf("the lore: %+v", l)
	}
	if v := known(s, memory.FactQuery{Subject: "gull inn"}); len(v.Facts) != 2 {
		t.Errorf("of one subject: %+v", v.Facts)
	}
	if v := known(s, memory.FactQuery{Subject: "Marla"}); len(v.Facts) != 1 {
		t.Errorf("of a name in a fact: %+v", v.Facts)
	}
	filled(s)
	if m := saying(t, known(s, memory.FactQuery{}), "Clara waits"); !m.InPrompt || m.InPromptBy != "a memory" {
		t.Errorf("the message has left, and it says told %v by %q, %q", m.InPrompt, m.InPromptBy, m.WhyNotInPrompt)
	}
}

func TestKnown_RecapsAndWhatStandsTwice(t *testing.T) {
	s := enginetest.NewHarness(t)
	ids := s.Exchange(3, "lamp")
	s.End(ids[len(ids)-1])
	v := known(s, memory.FactQuery{})
	at := slices.IndexFunc(v.Facts, func(f memory.Fact) bool { return f.Kind == facts.Recap && len(f.Sources) > 0 })
	if at < 0 {
		t.Fatalf("no fact of a recap has a source: %+v", v.Facts)
	}
	r := v.Facts[at]
	mention := s.MentionAt(s.Chat, r.Sources[0].Message)
	mention.Sources = []storage.NodeID{r.Sources[0].Message}
	s.RemembersBy(mention, r.Text)
	if v = known(s, memory.FactQuery{}); len(v.Duplicates) > 0 {
		t.Errorf("a recap that says what a memory says is no fault: %+v", v.Duplicates)
	}
	_, err := s.Memory.Save(s.ScopeNow(), storage.Memory{Type: storage.EventMemory, Content: r.Text})
	enginetest.Must(t, err)
	v = known(s, memory.FactQuery{})
	if len(v.Duplicates) != 1 || v.Find(v.Duplicates[0].Older).Kind != facts.Memory || v.Find(v.Duplicates[0].Newer).Kind != facts.Memory {
		t.Errorf("what stands twice is not said to: %+v", v.Duplicates)
	}
}

// A fact that a model has replaced is shown next to its replacement, with the reason. Texts that
// only look alike are no pair.
func TestKnown_WhatContradicts(t *testing.T) {
	s := enginetest.NewHarness(t)
	ids := s.Tell("I ask.", "Clara waits at the well of Vale.", "I ask again.", "Clara waits at the mill of Vale.")
	for i, text := range map[int]string{1: "Clara waits at the well of Vale", 3: "Clara waits at the mill of Vale"} {
		mention := s.MentionAt(s.Chat, ids[i])
		mention.Sources = []storage.NodeID{ids[i]}
		s.RemembersBy(mention, text)
	}
	v := known(s, memory.FactQuery{})
	if len(v.Facts) != 2 || len(v.Contradictions)+len(v.Duplicates) != 0 {
		t.Fatalf("%+v", v)
	}
	well, mill := saying(t, v, "well"), saying(t, v, "mill")
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		e := storage.End{Mention: s.MentionAt(s.Chat, ids[3]), Kind: storage.Outdated, Why: "she has gone to the mill", By: storage.MemoryID(mill.Record)}
		return memory.StoreEnds(tx, s.ScopeNow(), []memory.Ending{{Text: well.Text, Memories: []storage.MemoryID{storage.MemoryID(well.Record)}, End: e}})
	}))
	for _, subject := range []string{"", "mill"} {
		v = known(s, memory.FactQuery{Subject: subject})
		if len(v.Contradictions) != 1 || len(v.Facts) != 1 {
			t.Fatalf("%q: %+v", subject, v)
		}
		p := v.Contradictions[0]
		if a, b := v.Find(p.Older), v.Find(p.Newer); a == nil || a.Text != well.Text || b == nil || b.ID != mill.ID || p.Later != b.ID || p.Reason != "she has gone to the mill" {
			t.Errorf("%q: %+v", subject, p)
		}
	}
}

func TestKnown_WhoMayKnow(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Plain()
	other := s.Joined("Brona")
	ids := s.Tell("Hush.", "Clara hides in the boathouse.")
	mention := s.MentionAt(s.Chat, ids[1])
	mention.Sources, mention.Witnesses = ids[1:], []storage.CharacterID{other}
	s.RemembersBy(mention, "Clara hides in the boathouse")
	f := saying(t, known(s, memory.FactQuery{}), "boathouse")
	if f.Everybody || len(f.Knowers) != 1 || f.Knowers[0].Name != "Brona" {
		t.Errorf("who knows it: %+v", f)
	}
	if v := known(s, memory.FactQuery{As: s.Main()}); len(v.Facts) != 0 {
		t.Errorf("who has not heard it knows %+v", v.Facts)
	}
	if v := known(s, memory.FactQuery{As: other}); len(v.Facts) != 1 || !v.Facts[0].InPrompt || v.PromptOf != "Brona" || v.AsName != "Brona" {
		t.Errorf("who has heard it: %+v", v)
	}
	if _, err := s.Play.Facts(s.Context(), memory.FactQuery{Chat: s.Chat, As: "nobody"}); err == nil {
		t.Error("somebody who does not play was asked")
	}
}

// Hooks show why they are not in the prompt.
func TestKnown_HooksThatWait(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Tell("I ask.", "Later.")
	_, err := s.Memory.SaveHook(s.ScopeNow(), s.Chat, storage.Hook{Type: storage.FollowUpHook, Content: "The ferry of Moor leaves", Priority: 3, Due: storage.HookDue{Turns: 9}})
	enginetest.Must(t, err)
	if f := saying(t, known(s, memory.FactQuery{}), "ferry"); f.Kind != facts.Hook || f.InPrompt || f.WhyNotInPrompt != "it is not due yet: in 9 turns" {
		t.Errorf("%+v", f)
	}
}

// What has ended is not known any more.
func TestKnown_WhatHasEnded(t *testing.T) {
	s := enginetest.NewHarness(t)
	ids := s.Exchange(3, "lamp")
	s.End(ids[len(ids)-1])
	v := known(s, memory.FactQuery{})
	if len(v.Facts) == 0 {
		t.Fatal("the recap tells nothing")
	}
	over := v.Facts[0]
	after := s.Tell("I look.", "It is over.")
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		mention := storage.Mention{Chat: s.Chat, Node: after[1], Sources: after[1:], At: s.Now()}
		return scenes.PutStatementEnds(tx, s.Chat, []storage.StatementEnd{{Text: over.Text, End: storage.End{Mention: mention, Kind: storage.Settled}}})
	}))
	if f := known(s, memory.FactQuery{}).Find(over.ID); f != nil {
		t.Errorf("it has ended, and is known: %+v", f)
	}
}

// A memory written after a line was answered is used from the next line on, and other replies to
// that line stay unchanged.
func TestKnown_WrittenAfterTheLine(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Say("I look around.")
	_, err := s.Memory.Save(s.ScopeNow(), storage.Memory{Type: storage.FactMemory, Content: "Clara repairs the clocks of Vale."})
	enginetest.Must(t, err)
	_, err = s.Memory.SaveHook(s.ScopeNow(), s.Chat, storage.Hook{Type: storage.FollowUpHook, Content: "The ferry of Moor leaves"})
	enginetest.Must(t, err)
	v := known(s, memory.FactQuery{})
	for _, words := range []string{"clocks", "ferry"} {
		if f := saying(t, v, words); f.InPrompt || f.WhyNotInPrompt != "it is included from the next message on" {
			t.Errorf("%q: told %v by %q, %q", words, f.InPrompt, f.InPromptBy, f.WhyNotInPrompt)
		}
	}
	s.Say("I look again.")
	v = known(s, memory.FactQuery{})
	for _, words := range []string{"clocks", "ferry"} {
		if f := saying(t, v, words); !f.InPrompt {
			t.Errorf("after the next line %q is not told: %q", words, f.WhyNotInPrompt)
		}
	}
}
