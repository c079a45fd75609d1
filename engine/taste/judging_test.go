package taste_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// undecided puts a profile into the store with cards that the rules cannot decide.
func undecided(l *lessonStage) storage.ScopeID {
	l.T.Helper()
	scope := l.Chats.ScopeIn(l.Chat)
	enginetest.Must(l.T, l.Core().Store.Update(func(tx *storage.Tx) error {
		return storage.Tastes.Put(tx, scope, storage.Taste{Scope: scope, UpdatedAt: l.clock.Now(), PreferenceCards: []storage.PreferenceCard{
			{ID: "c1", Preference: "Hold on the gizmo before anybody speaks", AppliesTo: "quiet talks", Confidence: "high"},
			{ID: "c2", Preference: "Keep the nephew at the edge of the frame", AppliesTo: "quiet talks", Confidence: "high"},
			{ID: "c3", Preference: "Hold on faces before a difficult answer", AppliesTo: "quiet talks", Confidence: "high"}}})
	}))
	return scope
}

// A card that the rules cannot decide waits and is not told, until the model has
// answered; what it said stays.
func TestTaste_UndecidedCardsWaitForTheModel(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	scope := undecided(l)
	asked := 0
	l.SpoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if c.Job() != rehearsal.JudgeJob {
			return rehearsal.Fault{}
		}
		asked++
		return rehearsal.Fault{Kind: rehearsal.Say, Text: `{"cards":[{"card":1,"why":"any talk has things","detail":"","fits":"any story"},{"card":2,"why":"a certain nephew","detail":"the nephew","fits":"one story"}]}`}
	})
	block := func() string {
		u := l.Taste.TasteFor(l.Chat, lessons.SteerTool, "")
		return u.Block
	}
	if b := block(); !strings.Contains(b, "Hold on faces") || strings.Contains(b, "the gizmo") || strings.Contains(b, "nephew") {
		t.Errorf("before anybody was asked it told\n%s", b)
	}
	held := map[storage.CardID]lessons.Held{}
	for _, c := range l.taste().Cards {
		held[c.ID] = c.Held
	}
	if held["c1"] != lessons.HeldWaits || held["c2"] != lessons.HeldWaits || held["c3"] != "" {
		t.Errorf("held: %v", held)
	}
	l.Work()
	if b := block(); !strings.Contains(b, "the gizmo") || strings.Contains(b, "nephew") {
		t.Errorf("after the answer it told\n%s", b)
	}
	l.Work()
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	for _, c := range l.taste().Cards {
		if c.ID == "c2" && (c.Held != lessons.HeldPlot || c.HeldWhy != "the nephew") {
			t.Errorf("%+v", c)
		}
	}
	own := storage.PreferenceCard{ID: "c2", Preference: "Keep the nephew at the edge of the frame", AppliesTo: "talks", Confidence: "high"}
	_, err := l.Taste.SaveCard(scope, own)
	enginetest.Must(t, err)
	if !strings.Contains(block(), "nephew") {
		t.Error("the user's own words are held back")
	}
}

// An answer in which verdict and detail contradict each other is asked for again,
// and holds the card back if it stays so.
func TestTaste_CarelessVerdictsHoldBack(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	undecided(l)
	asked := 0
	l.SpoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if c.Job() != rehearsal.JudgeJob {
			return rehearsal.Fault{}
		}
		asked++
		return rehearsal.Fault{Kind: rehearsal.Say, Text: `{"cards":[{"card":1,"why":"","detail":"","fits":"any story"},{"card":2,"why":"","detail":"the nephew","fits":"any story"}]}`}
	})
	l.Taste.TasteFor(l.Chat, lessons.SteerTool, "")
	l.Work()
	if b := l.Taste.TasteFor(l.Chat, lessons.SteerTool, "").Block; asked < 2 || strings.Contains(b, "nephew") || !strings.Contains(b, "the gizmo") {
		t.Errorf("asked %d times, and told\n%s", asked, b)
	}
}
