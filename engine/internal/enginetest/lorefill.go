package enginetest

import (
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Filling lets recaps fill the lorebook.
func Filling(o *Setup) { o.Cfg.Lore.NoFill = false }

// TeachScene ends the scene at node with a recap that brings these candidates.
func (s *Harness) TeachScene(node storage.NodeID, list ...storage.LoreCandidate) {
	s.T.Helper()
	s.EndWithoutRecap(node)
	Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		b, err := scenes.VisibleBreak(tx, s.Chat, node)
		if err != nil {
			return err
		}
		r := storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.SceneRecap, Origin: storage.Generated,
			Text: "x", Lorebooks: list}
		if err := s.Scenes.AppendVersion(tx, s.Chat, b, r); err != nil {
			return err
		}
		return s.Lore.FillAfterRecap(tx, scenes.Recapped{Chat: s.Chat, Node: node, Recap: r.ID})
	}))
	s.Work()
}
