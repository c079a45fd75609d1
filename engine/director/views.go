package director

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// SeriesView is a series with everything that belongs to it. Episodes are in their order.
type SeriesView struct {
	storage.Series
	Cast     []NamedCharacter  `json:"characters"` // the main one first
	Episodes []storage.Episode `json:"-"`
	Count    int               `json:"episodes"` // how many there are
	Chats    int               `json:"chats"`
	Memories int               `json:"memories"`
}

// NamedCharacter is a character of a series.
type NamedCharacter struct {
	ID   storage.CharacterID `json:"id"`
	Name string              `json:"name"`
}

// Names returns the names of its characters.
func (s SeriesView) Names() (names []string) {
	for _, c := range s.Cast {
		names = append(names, c.Name)
	}
	return names
}

// PlayState is the state of a play.
type PlayState string

const (
	PlayPlain    PlayState = "plain" // a chat without an episode
	PlayActive   PlayState = "active"
	PlayPaused   PlayState = "paused"
	PlayInactive PlayState = "faded" // no message for config.InactiveAfter
	PlayComplete PlayState = "complete"
)

// PlayRequest asks for a chat that plays an episode. Character "" is the main one of the series; an
// empty title is derived from the episode's.
type PlayRequest struct {
	Episode   storage.EpisodeID
	Character storage.CharacterID
	Title     string
}

// TurnView is the director's evaluation of an exchange.
type TurnView struct {
	Node      storage.NodeID `json:"message"` // the reply
	Excerpt   string         `json:"said"`    // its beginning
	Turn      int            `json:"turn"`
	Phase     string         `json:"phase"`
	Evaluated bool           `json:"evaluated"`
	storage.Evaluation
	Fault      string            `json:"fault"`   // why there is no evaluation
	Capture    storage.CaptureID `json:"capture"` // "" for none
	CaptureWhy string            `json:"capture_why"`
	TakenUp    []storage.HookID  `json:"hooks_taken"`
	At         time.Time         `json:"at"`
}

// EngagementView is the engagement between the user and the characters.
type EngagementView struct {
	Sessions int       `json:"sessions"` // that have ended
	FirstMet time.Time `json:"first_met_at"`
	Since    string    `json:"since"` // they first met, in words ("2 weeks")
	LastEnd  time.Time `json:"last_end_at"`
	storage.Dynamic
	Milestones []string `json:"milestones"` // oldest first
	Text       string   `json:"text"`       // as in the prompt, "" if there is nothing to say yet
	Turns      int      `json:"turns"`      // of the session that runs
	// Together says how often they have met and since when, in real time; "" before the first
	// session has ended.
	Together string `json:"-"`
}

// Sparks is a chat's budget for automatic pictures.
type Sparks struct {
	Allowance int                       `json:"allowance"`
	Spent     int                       `json:"spent"`
	Left      int                       `json:"left"`
	Answer    storage.AutoPictureAnswer `json:"answer"` // "" while nobody was asked
	Waits     storage.NodeID            `json:"waits"`  // the message whose picture waits for the answer
}

// PlayEnd is the message at which a play was complete. See storage.PlayEnd.
type PlayEnd struct {
	Node storage.NodeID  `json:"message"`
	By   storage.EndedBy `json:"by"`
	At   time.Time       `json:"at"`
}

// View is the director's view of a chat.
type View struct {
	Chat       storage.Chat      `json:"-"`
	Series     *storage.Series   `json:"-"`
	Episode    *storage.Episode  `json:"-"`
	Next       *storage.Episode  `json:"-"`
	State      PlayState         `json:"state"`
	Ended      *PlayEnd          `json:"ended"`
	Turn       int               `json:"turn"`
	Phase      string            `json:"phase"`   // establish, develop, escalate or resolution
	Tension    int               `json:"tension"` // that the director saw last, 0 before that
	Mode       storage.SceneMode `json:"auto_scene_mode"`
	Sparks     Sparks            `json:"sparks"`
	Moment     string            `json:"moment"` // the current moment note
	Turns      []TurnView        `json:"beats"`  // of the head's path, the newest first
	Engagement EngagementView    `json:"engagement"`
	Working    bool              `json:"working"` // a pass runs or waits
	Off        bool              `json:"off"`     // the settings switch the director off
}
