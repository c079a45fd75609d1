package director

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// SeriesView is a series with what belongs to it. Episodes are in their order.
type SeriesView struct {
	storage.Series
	Cast     []NamedCharacter // the main one first
	Episodes []storage.Episode
	Chats    int
	Memories int
}

// NamedCharacter is a character of a series.
type NamedCharacter struct {
	ID   storage.CharacterID `json:"id"`
	Name string              `json:"name"`
}

// Names are the names of its characters.
func (s SeriesView) Names() (names []string) {
	for _, c := range s.Cast {
		names = append(names, c.Name)
	}
	return names
}

// PlayState is where a play stands.
type PlayState string

const (
	PlayPlain    PlayState = "plain" // a chat without an episode
	PlayActive   PlayState = "active"
	PlayPaused   PlayState = "paused"
	PlayFaded    PlayState = "faded" // nothing was said for FadeAfter
	PlayComplete PlayState = "complete"
)

// PlayRequest asks for a chat that plays an episode. Character "" is the main
// one of the series; an empty title is made of the episode's.
type PlayRequest struct {
	Episode   storage.EpisodeID
	Character storage.CharacterID
	Title     string
}

// BeatView is a beat as a front end shows it. Said is the beginning of the reply
// that it is about.
type BeatView struct {
	storage.Beat
	Said  string
	Phase string
}

// EngagementView is how things stand, with the time since the two first met in
// words ("2 weeks").
type EngagementView struct {
	storage.Engagement
	Since    string
	Together string // how often and since when, by the clock on the wall, "" before the first session has ended
	Text     string // as the prompt tells it, "" while there is nothing to tell
}

// View is what the director knows of a chat. Beats are those of the
// head's path, the newest first.
type View struct {
	Chat       storage.Chat
	Series     *storage.Series
	Episode    *storage.Episode
	State      PlayState
	Ended      *storage.PlayEnd
	Turn       int
	Phase      string // establish, develop, escalate or resolution
	Mode       storage.SceneMode
	Allowance  int
	Left       int
	Beats      []BeatView
	Moment     string // the moment note as it stands
	Next       *storage.Episode
	Engagement EngagementView
	Working    bool // a pass runs or waits
	Off        bool // the settings switch the director off
}
