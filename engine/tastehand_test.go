package engine

import (
	"errors"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/boards/storyboard"
	"ghostlight/engine/taste/lessons"
	"ghostlight/storage"
)

// schooled is a school in which one scene has taught.
func schooled(t *testing.T, change ...func(*setup)) (l *school, node storage.NodeID) {
	t.Helper()
	l = newSchool(t, change...)
	node = l.scene("lamp")
	l.direct(node, confirmed()...)
	l.work()
	return l, node
}

func (l *school) card(id storage.CardID) lessons.Card {
	l.t.Helper()
	c, err := l.FindCard(l.scopeIn(l.chat), string(id))
	must(l.t, err)
	return c
}

// What the user makes of a profile stays when there is a new one.
func TestTaste_TheUsersHand(t *testing.T) {
	t.Parallel()
	l, node := schooled(t)
	scope := l.scopeIn(l.chat)
	learnt := l.taste().Cards[0]
	act := func(do TasteAction, want int, ids ...storage.CardID) {
		t.Helper()
		if n, err := l.ActCards(scope, ids, do); err != nil || n != want {
			t.Errorf("%s: %d %v, want %d", do, n, err, want)
		}
	}
	act(MuteCards, 1, learnt.ID)
	act(MuteCards, 0, learnt.ID)
	own, err := l.SaveCard(scope, storage.PreferenceCard{Preference: "  Doors are shown before they open ", AppliesTo: "entrances"})
	must(t, err)
	if own.ID == "" || own.Confidence != storage.HighConfidence || own.Preference != "Doors are shown before they open" {
		t.Errorf("a card of one's own: %+v", own)
	}
	must(t, l.SaveTasteSummary(scope, "Quiet, and close."))
	again := func() TasteView {
		t.Helper()
		l.clock.advance(time.Hour)
		l.direct(node, boardCall(storyboard.ModifyShot, `{"shot":"s2","seconds":4}`, planned(storage.BoardReady, "close_up: The kitchen", "medium: Tove turns the lamp over")))
		l.work()
		return l.taste()
	}
	v := again()
	if c := l.card(learnt.ID); !c.Muted || c.Own {
		t.Errorf("the muted card in a new profile: %+v", c)
	}
	if c := l.card(own.ID); !c.Own || c.Preference != own.Preference {
		t.Errorf("the own card in a new profile: %+v", c)
	}
	if v.Summary != "Quiet, and close." || v.ProfileSummary == v.Summary {
		t.Errorf("the summary in a new profile: %q", v.Summary)
	}
	act(UnmuteCards, 1, learnt.ID)
	words := learnt.PreferenceCard
	words.AvoidApplyingTo = "fights"
	_, err = l.SaveCard(scope, words)
	must(t, err)
	act(DeleteCards, 1, own.ID)
	again()
	if c := l.card(learnt.ID); !c.Own || c.AvoidApplyingTo != "fights" {
		t.Errorf("the edited card in a new profile: %+v", c)
	}
	if c := l.card(own.ID); !c.Deleted {
		t.Errorf("the deleted card: %+v", c)
	}
	act(RestoreCards, 2, learnt.ID, own.ID)
	if c := l.card(learnt.ID); c.Own || c.AvoidApplyingTo != learnt.AvoidApplyingTo {
		t.Errorf("as the program has it: %+v", c)
	}
	if c := l.card(own.ID); c.Deleted || !c.Own {
		t.Errorf("brought back: %+v", c)
	}
	was := l.taste().Hand
	act(DeleteCards, 1, own.ID)
	must(t, l.PutTasteHand(scope, was))
	if c := l.card(own.ID); c.Deleted {
		t.Errorf("deleted, and undone: %+v", c)
	}
	act(DeleteCards, 1, own.ID)
	must(t, l.SaveTasteSummary(scope, ""))
	if v := l.taste(); v.Summary != v.ProfileSummary || v.Summary == "" {
		t.Errorf("the profile's summary: %q", v.Summary)
	}
}

func TestTaste_WhatIsRefused(t *testing.T) {
	t.Parallel()
	l, _ := schooled(t)
	scope := l.scopeIn(l.chat)
	long := strings.Repeat("a", 5000)
	for name, c := range map[string]storage.PreferenceCard{
		"no words":       {Preference: " \n "},
		"too long":       {Preference: long},
		"a long when":    {Preference: "a", AppliesTo: long},
		"a confidence":   {Preference: "a", Confidence: "total"},
		"long evidence":  {Preference: "a", Evidence: long},
		"a long because": {Preference: "a", AvoidApplyingTo: long},
	} {
		if _, err := l.SaveCard(scope, c); !errors.Is(err, ErrNothing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := l.SaveCard(scope, storage.PreferenceCard{ID: "01JZZZZZZZZZZZZZZZZZZZZZZZ", Preference: "a"}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no such card: %v", err)
	}
	if _, err := l.ActCards(scope, nil, "burn"); !errors.Is(err, ErrNothing) {
		t.Errorf("no such action: %v", err)
	}
	if _, err := l.ActCards(scope, []storage.CardID{"x"}, MuteCards); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no such card: %v", err)
	}
	if err := l.SaveTasteSummary(scope, long); !errors.Is(err, ErrNothing) {
		t.Errorf("a long summary: %v", err)
	}
	if err := l.PutTasteHand(scope, storage.TasteHand{Summary: long}); !errors.Is(err, ErrNothing) {
		t.Errorf("a long summary put back: %v", err)
	}
	if err := l.DeleteTasteMemory(scope, "01JZZZZZZZZZZZZZZZZZZZZZZZ"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no such memory: %v", err)
	}
	if err := l.ResetTaste("01JZZZZZZZZZZZZZZZZZZZZZZZ"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no such story: %v", err)
	}
	if _, err := l.TasteBlock(scope, storyboard.ModifyShot); !errors.Is(err, ErrNothing) {
		t.Errorf("no planning tool: %v", err)
	}
	if v := l.taste(); len(v.Hand.Cards) != 0 || len(v.Cards) != 1 {
		t.Errorf("something was kept: %+v", v)
	}
	must(t, l.changeTaste("test", scope, func(_ storage.Taste, h *storage.TasteHand) error {
		for i := range mostHandCards {
			c := storage.PreferenceCard{ID: storage.CardID(storage.NewID()), Preference: "prefer " + letters(i), Confidence: storage.HighConfidence}
			h.Cards = append(h.Cards, storage.HandCard{ID: c.ID, Card: &c, Deleted: i == 0})
		}
		return nil
	}))
	_, err := l.SaveCard(scope, storage.PreferenceCard{Preference: "one that takes the place of a deleted one"})
	must(t, err)
	if _, err := l.SaveCard(scope, storage.PreferenceCard{Preference: "one more"}); !errors.Is(err, ErrNothing) {
		t.Errorf("too many: %v", err)
	}
}

func TestTaste_Forgetting(t *testing.T) {
	t.Parallel()
	l, node := schooled(t)
	scope := l.scopeIn(l.chat)
	other := l.scene("key")
	l.direct(other, confirmed()...)
	l.work()
	if v := l.taste(); len(v.Memories) != 2 {
		t.Fatalf("learnt: %+v", v.Memories)
	}
	must(t, l.DeleteTasteMemory(scope, node))
	if ops := l.unended(opAggregate); len(ops) != 1 {
		t.Errorf("the profile is not made anew: %+v", ops)
	}
	l.work()
	if v := l.taste(); len(v.Memories) != 1 || len(v.SourceSceneIDs) != 1 || v.SourceSceneIDs[0] != other {
		t.Errorf("after a scene was forgotten: %+v", v)
	}
	own, err := l.SaveCard(scope, storage.PreferenceCard{Preference: "Doors are shown before they open"})
	must(t, err)
	must(t, l.DeleteTasteMemory(scope, other))
	if v := l.taste(); len(v.Memories) != 0 || v.ProfileSummary != "" || len(v.Cards) != 1 || v.Cards[0].ID != own.ID || v.Working {
		t.Errorf("after the last scene was forgotten: %+v", v)
	}
	_, err = l.HarvestScene(l.chat, node)
	must(t, err)
	if err := l.DeleteTasteMemory(scope, node); !errors.Is(err, storage.ErrNotFound) || len(l.unended(opHarvest)) != 1 {
		t.Errorf("nothing was forgotten, and what waits is called off: %v", err)
	}
	// What is just being learnt does not come back.
	must(t, l.ResetTaste(scope))
	l.work()
	if v := l.taste(); len(v.Memories)+len(v.Cards)+len(v.Hand.Cards) != 0 || v.Summary != "" {
		t.Errorf("after the reset: %+v", v)
	}
	if list, err := l.Tastes(); err != nil || len(list) != 0 {
		t.Errorf("stories: %+v %v", list, err)
	}
}

// A chat takes along what its scenes have taught, and the user's hand on it.
func TestTaste_IntoASeries(t *testing.T) {
	t.Parallel()
	l, node := schooled(t)
	from := l.scopeIn(l.chat)
	own, err := l.SaveCard(from, storage.PreferenceCard{Preference: "Doors are shown before they open"})
	must(t, err)
	who, err := l.Characters()
	must(t, err)
	series, err := l.SaveSeries(storage.Series{Title: "The dark house", Characters: []storage.CharacterID{who[0].ID}})
	must(t, err)
	ep, err := l.SaveEpisode(storage.Episode{Series: series.ID, Title: "The first night"})
	must(t, err)
	must(t, l.SetEpisode(l.chat, ep.ID))
	to := l.scopeIn(l.chat)
	if to == from || to != storage.ScopeID(series.ID) {
		t.Fatalf("the story is %s, was %s", to, from)
	}
	l.work()
	v := l.taste()
	if v.Name != "The dark house" || len(v.Memories) != 1 || v.Memories[0].Scene != node || len(v.Cards) != 2 || l.card(own.ID).Preference != own.Preference {
		t.Errorf("in the series: %+v", v)
	}
	if old, err := l.Taste(from); err != nil || len(old.Memories) != 1 || len(old.Cards) != 2 {
		t.Errorf("where it comes from: %+v %v", old, err)
	}
	must(t, l.DeleteChat(l.chat))
	left, err := l.Taste(to)
	if err != nil || len(left.Memories) != 1 || left.Memories[0].SceneName != "" || len(left.Cards) != 2 {
		t.Errorf("of a chat that is gone: %+v %v", left, err)
	}
	if _, err := l.Taste(from); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("its own story: %v", err)
	}
	if op, err := l.AggregateTaste(to); err != nil || op == "" {
		t.Errorf("a profile without a chat: %v", err)
	}
	l.work()
}

func TestTaste_Block(t *testing.T) {
	t.Parallel()
	l, _ := schooled(t)
	seen := map[string]string{}
	for _, tool := range []string{storyboard.RecommendBeats, storyboard.RecommendFiller, storyboard.BudgetPackages, storyboard.GenerateShots, storyboard.ProposeEdit, lessons.SteerTool} {
		u, err := l.TasteBlock(l.scopeIn(l.chat), tool)
		if err != nil || u.Block == "" || len(u.Cards) != 1 || !strings.Contains(u.Block, "Hold reactions in close shots") {
			t.Fatalf("%s: %+v %v", tool, u, err)
		}
		if other := seen[u.Block]; other != "" {
			t.Errorf("%s is told the same as %s", tool, other)
		}
		seen[u.Block] = tool
		for _, secret := range []string{"seen in one scene", "E2", string(l.taste().Cards[0].ID), "lamp", "afraid of the answer", "Tove"} {
			if strings.Contains(u.Block, secret) {
				t.Errorf("%s is told %q:\n%s", tool, secret, u.Block)
			}
		}
		if got := l.tasteFor(l.chat, tool); got.Block != u.Block {
			t.Errorf("%s is told something else for the chat: %q", tool, got.Block)
		}
	}
	if !strings.Contains(l.log.String(), "profile used") || strings.Contains(l.log.String(), "Hold reactions") {
		t.Errorf("the log:\n%s", l.log)
	}
	who, err := l.Characters()
	must(t, err)
	c, err := l.NewChat(who[0].ID, "another")
	must(t, err)
	if u := l.tasteFor(c.ID, storyboard.RecommendBeats); u.Block != "" || len(u.Cards) != 0 {
		t.Errorf("another story is told %+v", u)
	}
	if u := l.tasteFor("01JZZZZZZZZZZZZZZZZZZZZZZZ", storyboard.RecommendBeats); u.Block != "" {
		t.Errorf("no story is told %+v", u)
	}
}
