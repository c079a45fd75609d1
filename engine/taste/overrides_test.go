package taste_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// withLesson returns a harness on which one scene has taught.
func withLesson(t *testing.T, change ...func(*enginetest.Setup)) (l *lessonHarness, node storage.NodeID) {
	t.Helper()
	l = newSchool(t, change...)
	node = l.scene("lamp")
	l.direct(node, confirmed()...)
	l.Work()
	return l, node
}

func (l *lessonHarness) card(id storage.CardID) lessons.Card {
	l.T.Helper()
	c, err := l.Taste.FindCard(l.Chats.ScopeIn(l.Chat), string(id))
	enginetest.Must(l.T, err)
	return c
}

// What the user makes of a profile stays when there is a new one.
func TestTaste_TheUsersHand(t *testing.T) {
	t.Parallel()
	l, node := withLesson(t)
	scope := l.Chats.ScopeIn(l.Chat)
	learnt := l.taste().Cards[0]
	act := func(do taste.Action, want int, ids ...storage.CardID) {
		t.Helper()
		if n, err := l.Taste.ApplyAction(scope, ids, do); err != nil || n != want {
			t.Errorf("%s: %d %v, want %d", do, n, err, want)
		}
	}
	act(taste.MuteCards, 1, learnt.ID)
	act(taste.MuteCards, 0, learnt.ID)
	own, err := l.Taste.SaveCard(scope, storage.PreferenceCard{Preference: "  Doors are shown before they open ", AppliesTo: "entrances"})
	enginetest.Must(t, err)
	if own.ID == "" || own.Confidence != storage.HighConfidence || own.Preference != "Doors are shown before they open" {
		t.Errorf("a card of one's own: %+v", own)
	}
	enginetest.Must(t, l.Taste.SaveSummary(scope, "Quiet, and close."))
	again := func() taste.View {
		t.Helper()
		l.clock.Advance(time.Hour)
		l.direct(node, boardCall(storyboard.ModifyShot, `{"shot":"s2","seconds":4}`, planned(storage.BoardReady, "close_up: The kitchen", "medium: Tove turns the lamp over")))
		l.Work()
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
	act(taste.UnmuteCards, 1, learnt.ID)
	words := learnt.PreferenceCard
	words.AvoidApplyingTo = "fights"
	_, err = l.Taste.SaveCard(scope, words)
	enginetest.Must(t, err)
	act(taste.DeleteCards, 1, own.ID)
	again()
	if c := l.card(learnt.ID); !c.Own || c.AvoidApplyingTo != "fights" {
		t.Errorf("the edited card in a new profile: %+v", c)
	}
	if c := l.card(own.ID); !c.Deleted {
		t.Errorf("the deleted card: %+v", c)
	}
	act(taste.RestoreCards, 2, learnt.ID, own.ID)
	if c := l.card(learnt.ID); c.Own || c.AvoidApplyingTo != learnt.AvoidApplyingTo {
		t.Errorf("as the program has it: %+v", c)
	}
	if c := l.card(own.ID); c.Deleted || !c.Own {
		t.Errorf("brought back: %+v", c)
	}
	was := l.taste().Overrides
	act(taste.DeleteCards, 1, own.ID)
	enginetest.Must(t, l.Taste.RestoreOverrides(scope, was))
	if c := l.card(own.ID); c.Deleted {
		t.Errorf("deleted, and undone: %+v", c)
	}
	act(taste.DeleteCards, 1, own.ID)
	enginetest.Must(t, l.Taste.SaveSummary(scope, ""))
	if v := l.taste(); v.Summary != v.ProfileSummary || v.Summary == "" {
		t.Errorf("the profile's summary: %q", v.Summary)
	}
}

// At most eight cards are used: another of one's own is refused until one is muted.
func TestTaste_EightCards(t *testing.T) {
	t.Parallel()
	l, _ := withLesson(t)
	scope := l.Chats.ScopeIn(l.Chat)
	learnt := l.taste().Cards[0].ID
	for i := range lessons.MaxCards {
		_, err := l.Taste.SaveCard(scope, storage.PreferenceCard{Preference: "prefer " + enginetest.Letters(i)})
		enginetest.Must(t, err)
	}
	if c := l.card(learnt); !c.BeyondLimit || c.IsActive() {
		t.Errorf("the learned card gives way to one's own: %+v", c)
	}
	if _, err := l.Taste.SaveCard(scope, storage.PreferenceCard{Preference: "one more"}); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("a ninth card: %v", err)
	}
	if _, err := l.Taste.ApplyAction(scope, []storage.CardID{learnt}, taste.UnmuteCards); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("switched on as the ninth: %v", err)
	}
	_, err := l.Taste.ApplyAction(scope, []storage.CardID{l.taste().Cards[1].ID}, taste.MuteCards)
	enginetest.Must(t, err)
	if c := l.card(learnt); !c.IsActive() {
		t.Errorf("there is room again: %+v", c)
	}
}

// A profile of an earlier version may have more cards: those beyond eight stay, switched
// off, also when there are new profiles with fewer cards.
func TestTaste_CardsBeyondEightStayOff(t *testing.T) {
	t.Parallel()
	l, _ := withLesson(t)
	scope := l.Chats.ScopeIn(l.Chat)
	enginetest.Must(t, l.Core().Store.Update(func(tx *storage.Tx) error {
		old, err := storage.Tastes.Get(tx, scope)
		if err != nil {
			return err
		}
		old.PreferenceCards = nil
		for i := range 12 {
			c := storage.PreferenceCard{ID: storage.CardID(storage.NewID()), Preference: "prefer " + enginetest.Letters(i), AppliesTo: "talks", Confidence: storage.LowConfidence}
			old.PreferenceCards = append(old.PreferenceCards, c)
		}
		return storage.Tastes.Put(tx, scope, old)
	}))
	over := l.taste().Cards[lessons.MaxCards:]
	for range 2 {
		l.clock.Advance(time.Hour)
		_, err := l.Taste.Aggregate(scope)
		enginetest.Must(t, err)
		l.Work()
		if v := l.taste(); len(v.Cards) != 1+len(over) || !v.Cards[0].IsActive() {
			t.Errorf("cards: %+v", v.Cards)
		}
		for _, c := range over {
			if got := l.card(c.ID); got.IsActive() || got.PreferenceCard != c.PreferenceCard {
				t.Errorf("%+v is %+v", c, got)
			}
		}
	}
	_, err := l.Taste.ApplyAction(scope, []storage.CardID{over[0].ID}, taste.UnmuteCards)
	enginetest.Must(t, err)
	if c := l.card(over[0].ID); !c.IsActive() {
		t.Errorf("switched on: %+v", c)
	}
}

func TestTaste_WhatIsRefused(t *testing.T) {
	t.Parallel()
	l, _ := withLesson(t)
	scope := l.Chats.ScopeIn(l.Chat)
	long := strings.Repeat("a", 5000)
	for name, c := range map[string]storage.PreferenceCard{
		"no words":       {Preference: " \n "},
		"too long":       {Preference: long},
		"a long when":    {Preference: "a", AppliesTo: long},
		"a confidence":   {Preference: "a", Confidence: "total"},
		"long evidence":  {Preference: "a", Evidence: long},
		"a long because": {Preference: "a", AvoidApplyingTo: long},
	} {
		if _, err := l.Taste.SaveCard(scope, c); field.AsError(err) == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := l.Taste.SaveCard(scope, storage.PreferenceCard{ID: "01JZZZZZZZZZZZZZZZZZZZZZZZ", Preference: "a"}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no such card: %v", err)
	}
	if _, err := l.Taste.ApplyAction(scope, nil, "burn"); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("no such action: %v", err)
	}
	if _, err := l.Taste.ApplyAction(scope, []storage.CardID{"x"}, taste.MuteCards); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no such card: %v", err)
	}
	if err := l.Taste.SaveSummary(scope, long); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("a long summary: %v", err)
	}
	if err := l.Taste.RestoreOverrides(scope, storage.ProfileEdits{Summary: long}); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("a long summary put back: %v", err)
	}
	if err := l.Taste.DeleteMemory(scope, "01JZZZZZZZZZZZZZZZZZZZZZZZ"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no such memory: %v", err)
	}
	if err := l.Taste.Reset("01JZZZZZZZZZZZZZZZZZZZZZZZ"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no such story: %v", err)
	}
	if _, err := l.Taste.Block(scope, storyboard.ModifyShot); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("no planning tool: %v", err)
	}
	if v := l.taste(); len(v.Overrides.Cards) != 0 || len(v.Cards) != 1 {
		t.Errorf("something was kept: %+v", v)
	}
	enginetest.Must(t, taste.ChangeTaste(l.Taste, "test", scope, func(_ storage.Taste, h *storage.ProfileEdits) error {
		for i := range taste.MostOverrides {
			c := storage.PreferenceCard{ID: storage.CardID(storage.NewID()), Preference: "prefer " + enginetest.Letters(i), Confidence: storage.HighConfidence}
			h.Cards = append(h.Cards, storage.CardEdits{ID: c.ID, Card: &c, Deleted: i == 0, Muted: i > 0})
		}
		return nil
	}))
	_, err := l.Taste.SaveCard(scope, storage.PreferenceCard{Preference: "one that takes the place of a deleted one"})
	enginetest.Must(t, err)
	if _, err := l.Taste.SaveCard(scope, storage.PreferenceCard{Preference: "one more"}); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("too many: %v", err)
	}
}

func TestTaste_Forgetting(t *testing.T) {
	t.Parallel()
	l, node := withLesson(t)
	scope := l.Chats.ScopeIn(l.Chat)
	other := l.scene("key")
	l.direct(other, confirmed()...)
	l.Work()
	if v := l.taste(); len(v.Memories) != 2 {
		t.Fatalf("learnt: %+v", v.Memories)
	}
	enginetest.Must(t, l.Taste.DeleteMemory(scope, node))
	if ops := l.unended(taste.OpAggregate); len(ops) != 1 {
		t.Errorf("the profile is not made anew: %+v", ops)
	}
	l.Work()
	if v := l.taste(); len(v.Memories) != 1 || len(v.SourceSceneIDs) != 1 || v.SourceSceneIDs[0] != other {
		t.Errorf("after a scene was forgotten: %+v", v)
	}
	own, err := l.Taste.SaveCard(scope, storage.PreferenceCard{Preference: "Doors are shown before they open"})
	enginetest.Must(t, err)
	enginetest.Must(t, l.Taste.DeleteMemory(scope, other))
	if v := l.taste(); len(v.Memories) != 0 || v.ProfileSummary != "" || len(v.Cards) != 1 || v.Cards[0].ID != own.ID || v.Working {
		t.Errorf("after the last scene was forgotten: %+v", v)
	}
	_, err = l.Taste.Harvest(l.Chat, node)
	enginetest.Must(t, err)
	if err := l.Taste.DeleteMemory(scope, node); !errors.Is(err, storage.ErrNotFound) || len(l.unended(taste.OpHarvest)) != 1 {
		t.Errorf("nothing was forgotten, and what waits is called off: %v", err)
	}
	// What is just being learnt does not come back.
	enginetest.Must(t, l.Taste.Reset(scope))
	l.Work()
	if v := l.taste(); len(v.Memories)+len(v.Cards)+len(v.Overrides.Cards) != 0 || v.Summary != "" {
		t.Errorf("after the reset: %+v", v)
	}
	if list, err := l.Taste.List(); err != nil || len(list) != 0 {
		t.Errorf("stories: %+v %v", list, err)
	}
}

// A chat takes along what its scenes have taught, and the user's overrides.
func TestTaste_IntoASeries(t *testing.T) {
	t.Parallel()
	l, node := withLesson(t)
	from := l.Chats.ScopeIn(l.Chat)
	own, err := l.Taste.SaveCard(from, storage.PreferenceCard{Preference: "Doors are shown before they open"})
	enginetest.Must(t, err)
	who, err := l.Library.Characters()
	enginetest.Must(t, err)
	series, err := l.Director.SaveSeries(storage.Series{Title: "The dark house", Characters: []storage.CharacterID{who[0].ID}})
	enginetest.Must(t, err)
	ep, err := l.Director.SaveEpisode(storage.Episode{Series: series.ID, Title: "The first night"})
	enginetest.Must(t, err)
	enginetest.Must(t, l.Director.SetEpisode(l.Chat, ep.ID))
	to := l.Chats.ScopeIn(l.Chat)
	if to == from || to != storage.ScopeID(series.ID) {
		t.Fatalf("the story is %s, was %s", to, from)
	}
	l.Work()
	v := l.taste()
	if v.Name != "The dark house" || len(v.Memories) != 1 || v.Memories[0].Scene != node || len(v.Cards) != 2 || l.card(own.ID).Preference != own.Preference {
		t.Errorf("in the series: %+v", v)
	}
	if old, err := l.Taste.View(from); err != nil || len(old.Memories) != 1 || len(old.Cards) != 2 {
		t.Errorf("where it comes from: %+v %v", old, err)
	}
	enginetest.Must(t, l.Play.DeleteChat(l.Chat))
	left, err := l.Taste.View(to)
	if err != nil || len(left.Memories) != 1 || left.Memories[0].SceneName != "" || len(left.Cards) != 2 {
		t.Errorf("of a chat that is gone: %+v %v", left, err)
	}
	if _, err := l.Taste.View(from); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("its own story: %v", err)
	}
	if op, err := l.Taste.Aggregate(to); err != nil || op == "" {
		t.Errorf("a profile without a chat: %v", err)
	}
	l.Work()
}

func TestTaste_Block(t *testing.T) {
	t.Parallel()
	l, _ := withLesson(t)
	seen := map[string]string{}
	for _, tool := range []string{storyboard.RecommendBeats, storyboard.RecommendFiller, storyboard.BudgetPackages, storyboard.GenerateShots, storyboard.ProposeEdit, lessons.SteerTool} {
		u, err := l.Taste.Block(l.Chats.ScopeIn(l.Chat), tool)
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
		if got := l.Taste.TasteFor(l.Chat, tool); got.Block != u.Block {
			t.Errorf("%s is told something else for the chat: %q", tool, got.Block)
		}
	}
	if !strings.Contains(l.log.String(), "profile used") || strings.Contains(l.log.String(), "Hold reactions") {
		t.Errorf("the log:\n%s", l.log)
	}
	who, err := l.Library.Characters()
	enginetest.Must(t, err)
	c, err := l.Chats.New(who[0].ID, "another")
	enginetest.Must(t, err)
	if u := l.Taste.TasteFor(c.ID, storyboard.RecommendBeats); u.Block != "" || len(u.Cards) != 0 {
		t.Errorf("another story is told %+v", u)
	}
	if u := l.Taste.TasteFor("01JZZZZZZZZZZZZZZZZZZZZZZZ", storyboard.RecommendBeats); u.Block != "" {
		t.Errorf("no story is told %+v", u)
	}
}
