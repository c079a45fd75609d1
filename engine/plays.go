package engine

import (
	"errors"

	"ghostlight/storage"
)

var errUnbuilt = errors.New("not there yet")

// NewPlay begins a chat that plays an episode: its opening line is the first
// message, else the character's greeting; the other characters of the series are
// its cast.
func (e *Engine) NewPlay(r PlayRequest) (storage.Chat, error) { return storage.Chat{}, errUnbuilt }

// SetEpisode has a chat play an episode from now on, "" none.
func (e *Engine) SetEpisode(chat storage.ChatID, ep storage.EpisodeID) error { return errUnbuilt }

// PausePlay pauses a play: the director does nothing meanwhile.
func (e *Engine) PausePlay(chat storage.ChatID, paused bool) error { return errUnbuilt }

// CompletePlay says that a play is complete where it stands, or that it goes on.
func (e *Engine) CompletePlay(chat storage.ChatID, done bool) error { return errUnbuilt }

// Director is what the director knows of a chat.
func (e *Engine) Director(chat storage.ChatID) (DirectorView, error) {
	return DirectorView{}, errUnbuilt
}

// RefillSparks gives a chat n sparks to spend from now on.
func (e *Engine) RefillSparks(chat storage.ChatID, n int) error { return errUnbuilt }
