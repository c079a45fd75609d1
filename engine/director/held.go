package director

import (
	"slices"

	"ghostlight/engine/config"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
)

// playEnd is where a chat's play was complete on the head's path, nil where it
// was not.
func playEnd(tx *storage.Tx, c storage.Chat) *storage.PlayEnd {
	for _, end := range slices.Backward(c.Play.Ends) {
		if chats.ShownOn(tx, c, end.Node) {
			return &end
		}
	}
	return nil
}

// playState is where a chat's play stands.
func (svc *Service) playState(tx *storage.Tx, c storage.Chat) PlayState {
	switch {
	case c.Play.Episode == "":
		return PlayPlain
	case playEnd(tx, c) != nil:
		return PlayComplete
	case c.Play.Paused:
		return PlayPaused
	case svc.core.Config.Now().Sub(c.UpdatedAt) > config.FadeAfter:
		return PlayFaded
	}
	return PlayActive
}

// allowance is what a chat may spend on pictures made by themselves.
func (svc *Service) allowance(c storage.Chat) int {
	switch {
	case c.Play.Sparks != nil:
		return max(0, *c.Play.Sparks)
	case svc.core.Config.Stage.Sparks != nil:
		return max(0, *svc.core.Config.Stage.Sparks)
	}
	return config.DefaultSparks
}
