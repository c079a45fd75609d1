package taste_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A model with little context learns from as much as it can read.
func TestLearning_InASmallContext(t *testing.T) {
	t.Parallel()
	l := newSchool(t, func(o *enginetest.Setup) { o.Cfg.Sampling.NumCtx = 4096 })
	scope := l.Chats.ScopeIn(l.Chat)
	enginetest.Must(t, l.Core().Store.Update(func(tx *storage.Tx) error {
		for range 300 {
			m := storage.TasteMemory{ID: storage.TasteMemoryID(storage.NewID()), Scene: storage.NodeID(storage.NewID()), Chat: l.Chat,
				SceneContextSummary: strings.Repeat("Two people talk. ", 30), EditSummary: strings.Repeat("A shot became closer. ", 30)}
			for range 8 {
				m.SceneLearnings = append(m.SceneLearnings, storage.SceneLearning{Learning: strings.Repeat("Hold reactions before speaking. ", 7), AppliesTo: "confrontations", Confidence: storage.MediumConfidence})
			}
			if err := storage.TasteMemories.Put(tx, scope, m); err != nil {
				return err
			}
		}
		return nil
	}))
	node, calls := l.scene("lamp"), confirmed()
	for i := range 60 {
		plan := calls[len(calls)-1].After
		plan.Shots = append([]storage.Shot{}, plan.Shots...)
		plan.Shots[i%2].Description = strings.Repeat(fmt.Sprintf("attempt %d ", i), 12)
		c := boardCall(storyboard.ModifyShot, fmt.Sprintf(`{"shot":"s%d","description":"…"}`, i%2+1), plan)
		c.Text = strings.Repeat(fmt.Sprintf("wish %d ", i), 30)
		calls = append(calls, c)
	}
	l.direct(node, calls...)
	l.Work()
	if v := l.taste(); len(v.Memories) != 301 || len(v.Cards) != 1 {
		t.Errorf("%d memories and %d cards; the log:\n%s", len(v.Memories), len(v.Cards), l.log)
	}
}

// What is taken back is not learnt from.
func TestLearning_NotFromWhatIsTakenBack(t *testing.T) {
	t.Parallel()
	l, node := withLesson(t)
	wide := planned(storage.BoardReady, "close_up: The kitchen, the lamp between them", "wide: Tove turns the lamp over")
	l.direct(node, boardCall(storyboard.ModifyShot, `{"shot":"s2","size":"wide"}`, wide))
	_, err := l.Boards.Undo(l.Chat, node)
	enginetest.Must(t, err)
	l.Work()
	if m := l.taste().Memories[0]; len(m.Counts.Fields) != 1 || m.Counts.Fields[0].N != 1 {
		t.Errorf("learnt: %+v", m.Counts)
	}
}

// A card and a sentence of the summary that hold a name of the story are left out, also
// where the model gives them twice.
func TestTaste_NothingOfTheScene(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	l.teach(func() string { return someLessons }, func() string {
		return strings.NewReplacer("before anybody speaks", "of Tove", "Fillers stand", "Fillers of Halloran stand").Replace(someProfile)
	})
	l.direct(l.scene("lamp"), confirmed()...)
	l.Work()
	v := l.taste()
	u, err := l.Taste.Block(l.Chats.ScopeIn(l.Chat), lessons.SteerTool)
	enginetest.Must(t, err)
	for _, secret := range []string{"Tove", "Halloran"} {
		if strings.Contains(v.ProfileSummary+u.Block, secret) {
			t.Errorf("%s is told: %s\n%s", secret, v.ProfileSummary, u.Block)
		}
	}
	if len(v.Cards) != 0 || !strings.Contains(v.ProfileSummary, "Silence is given time.") {
		t.Errorf("%+v", v)
	}
}

// Names are known of everybody who ever played, also in a chat that has left.
func TestTaste_StoryNames(t *testing.T) {
	t.Parallel()
	l, node := withLesson(t)
	who, err := l.Library.Characters()
	enginetest.Must(t, err)
	series, err := l.Director.SaveSeries(storage.Series{Title: "The dark house"})
	enginetest.Must(t, err)
	gone, err := l.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Quentin Ashgrove"}})
	enginetest.Must(t, err)
	to := storage.ScopeID(series.ID)
	enginetest.Must(t, l.Core().Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, l.Chat)
		enginetest.Must(t, err)
		m, err := storage.TasteMemories.Get(tx, l.Chats.ScopeIn(l.Chat), node)
		enginetest.Must(t, err)
		c.Play.Cast = []storage.CastMember{{Character: who[0].ID}, {Character: gone.ID, Left: true}}
		return errors.Join(storage.Chats.Put(tx, c.ID, c), storage.TasteMemories.Put(tx, to, m))
	}))
	enginetest.Must(t, l.Core().Store.View(func(tx *storage.Tx) error {
		names, err := taste.StoryNames(l.Taste, tx, to)
		if !slices.Contains(names, "Quentin Ashgrove") || !slices.Contains(names, who[0].Card.CharName()) {
			t.Errorf("only %q are known", names)
		}
		return err
	}))
}

// Of too many edits the oldest goes, not that of the oldest picture.
func TestTrimEdits(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	enginetest.Must(t, l.Core().Store.Update(func(tx *storage.Tx) error {
		var ids []storage.EditID
		for i := range taste.MostEdits + 1 {
			x := storage.Edit{ID: storage.EditID(storage.NewID()), Kind: taste.EditCaptures, At: l.clock.Now().Add(time.Duration(i) * time.Second)}
			if i == 0 {
				x.At = l.clock.Now().Add(time.Hour)
			}
			ids = append(ids, x.ID)
			enginetest.Must(t, storage.Edits.Put(tx, l.Chat, x))
		}
		err := taste.TrimEdits(tx, l.Chat)
		if !storage.Edits.Has(tx, l.Chat, ids[0]) || storage.Edits.Has(tx, l.Chat, ids[1]) || !storage.Edits.Has(tx, l.Chat, ids[2]) {
			t.Error("another than the oldest was forgotten")
		}
		return err
	}))
}
