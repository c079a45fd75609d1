package taste

import (
	"cmp"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Point is what the storyboard of one scene tells of whether the profile helps.
type Point struct {
	lessons.Effect
	Chat  storage.ChatID
	Scene storage.NodeID
	Name  string // "Scene 3: The harbour"
}

// Effects is what a story's confirmed storyboards tell of whether the profile helps.
type Effects struct {
	Points []Point // oldest scene first
	// With and Without are the edits per shot of the storyboards for which the profile
	// was told, and of the others; Told and Untold how many there are of each.
	With, Without float64
	Told, Untold  int
	Doubted       []storage.CardID // cards whose advice the user keeps undoing
	Missed        []Missed         // confirmed scenes that were not learnt from
}

// Missed is a confirmed scene that was not learnt from.
type Missed struct {
	Chat  storage.ChatID
	Scene storage.NodeID
	Name  string
}

// Effects reads whether the profile of a story helps.
func (svc *Service) Effects(scope storage.ScopeID) (e Effects, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		v, err := svc.tasteView(tx, scope, "")
		if err != nil {
			return err
		}
		e, err = svc.effects(tx, v)
		return err
	})
	if err != nil {
		return e, failure.Fail("read taste", err)
	}
	return e, nil
}

func (svc *Service) effects(tx *storage.Tx, v View) (e Effects, err error) {
	kept := map[storage.CardID]int{}
	for _, h := range v.Hand.Cards {
		kept[h.ID] = h.Kept
	}
	var all []lessons.Effect
	for _, c := range chatsOfStory(tx, v.Scope) {
		told := scenesToldOf(tx, c.ID)
		for node, b := range storage.Boards.All(tx, c.ID) {
			if b.Stage != storage.BoardReady {
				continue
			}
			if _, err := scenes.TheBreak(tx, c.ID, node); err != nil {
				continue
			}
			calls, err := CallsOf(tx, c.ID, b)
			if err != nil {
				return e, err
			}
			if x, ok := lessons.EffectOf(calls, v.Cards); ok {
				e.Points = append(e.Points, Point{x, c.ID, node, told.names[node]})
			}
			if lessons.Worth(lessons.Harvest(calls)) && !storage.TasteMemories.Has(tx, v.Scope, node) && len(learningOps(tx, v.Scope, node)) == 0 {
				e.Missed = append(e.Missed, Missed{c.ID, node, told.names[node]})
			}
		}
	}
	slices.SortStableFunc(e.Points, func(a, b Point) int { return cmp.Compare(a.Scene, b.Scene) })
	for _, p := range e.Points {
		all = append(all, p.Effect)
	}
	e.With, e.Told = lessons.Average(all, true)
	e.Without, e.Untold = lessons.Average(all, false)
	e.Doubted = lessons.Doubted(all, kept)
	return e, nil
}

// LearnMissed queues the learning from the confirmed scenes of a story that were not
// learnt from, since learning was off then, and says how many they are.
func (svc *Service) LearnMissed(scope storage.ScopeID) (n int, err error) {
	err = svc.memory.InStory("learn from missed scenes", scope, func(tx *storage.Tx) error {
		v, err := svc.tasteView(tx, scope, "")
		if err != nil {
			return err
		}
		e, err := svc.effects(tx, v)
		if err != nil {
			return err
		}
		if n = len(e.Missed); n == 0 {
			return failure.Refuse("all confirmed and edited storyboards have been learned")
		}
		for _, m := range e.Missed {
			if _, err := svc.queueHarvest(tx, m.Chat, m.Scene, svc.core.Config.Now()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	svc.core.Queue.Wake()
	svc.core.Emit(Changed{scope})
	return n, nil
}

// KeepCard says that a card whose advice is being undone shall stay as it is: it is
// asked about again once more of it is undone.
func (svc *Service) KeepCard(scope storage.ScopeID, id storage.CardID) error {
	undone := 0
	e, err := svc.Effects(scope)
	if err != nil {
		return err
	}
	for _, p := range e.Points {
		if slices.Contains(p.Undone, id) {
			undone++
		}
	}
	err = svc.changeTaste("keep card", scope, func(t storage.Taste, h *storage.TasteHand) error {
		x, err := overrideOf(t, h, id)
		if err == nil {
			x.Kept = undone
		}
		return err
	})
	if err != nil {
		return err
	}
	return svc.memory.InStory("keep card", scope, func(tx *storage.Tx) error { return svc.doubt(tx, scope) })
}

// doubt keeps with a profile which of its cards the user keeps undoing: they are asked
// about, and told as doubtful ones until then.
func (svc *Service) doubt(tx *storage.Tx, scope storage.ScopeID) error {
	v, err := svc.tasteView(tx, scope, "")
	if err != nil || v.UpdatedAt.IsZero() {
		return err
	}
	e, err := svc.effects(tx, v)
	if err != nil || slices.Equal(e.Doubted, v.Taste.Doubted) {
		return err
	}
	v.Taste.Doubted = e.Doubted
	return storage.Tastes.Put(tx, scope, v.Taste)
}
