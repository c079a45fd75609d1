package engine

import (
	"time"

	"ghostlight/storage"
)

// StageConfig is how episodes are directed and what is remembered. Its zero
// value means the defaults.
type StageConfig struct {
	NoDirector bool // do not look at each exchange
	NoMemories bool // do not look for what is worth remembering
	NoHooks    bool // do not look for what is to be brought up later
	Separate   bool // ask by a request for each of these, not by one on the chat's prompt
	NoMoment   bool // no moment note in the prompt
	NoEngaged  bool // nothing of how things stand between the two in the prompt
	// Sparks is what a chat may spend on pictures that are made by themselves;
	// nil: DefaultSparks, 0: none are made.
	Sparks *int
	// Idle is the pause that ends a session; 0: DefaultIdle.
	Idle time.Duration
	// NoteEvery is after how many of the user's messages the author's note is said
	// again; 0: DefaultNoteEvery, 1: it moves with every turn.
	NoteEvery int
	WarmUp    bool // read the prompt ahead while nothing else is asked
	// EmbedModel is the model that finds memories by their meaning, "" for none;
	// EmbedServer its server, "" for the chats' own.
	EmbedModel, EmbedServer string
}

// The defaults of the stage.
const (
	DefaultSparks    = 50
	DefaultIdle      = 30 * time.Minute
	DefaultNoteEvery = 2
	// FadeAfter is how long a play lies until it counts as faded.
	FadeAfter = 14 * 24 * time.Hour
)

// SeriesView is a series with what belongs to it. Episodes are in their order.
type SeriesView struct {
	storage.Series
	Names    []string // of its characters
	Episodes []storage.Episode
	Chats    int
	Memories int
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
	Since string
	Text  string // as the prompt tells it, "" while there is nothing to tell
}

// DirectorView is what the director knows of a chat. Beats are those of the
// head's path, the newest first.
type DirectorView struct {
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

// MemoryAsk says whose memories or hooks are meant: those of a chat's story as
// its head knows them, or of a series as all its chats' heads do.
type MemoryAsk struct {
	Chat   storage.ChatID
	Series storage.SeriesID
	Search string // words that all have to be in it; "" for all
	All    bool   // those too that are removed, done, or of other branches
}

// MemoryView is a memory as a front end shows it.
type MemoryView struct {
	storage.Memory
	Importance float64 // the user's, or the greatest of those on the path
	Last       time.Time
	Holds      bool // it is known on the path
	InPrompt   bool // it is among those that the next prompt would tell
	Chat       storage.ChatID
	ChatTitle  string
	Source     storage.NodeID // the newest message that it came from, "" for none
}

// MemoryList are the memories of a story, the most important first.
type MemoryList struct {
	Scope storage.ScopeID
	Name  string // of the series or the chat
	List  []MemoryView
}

// MemoryAction is what can be done to memories at once.
type MemoryAction string

const (
	MemoryPin    MemoryAction = "pin"
	MemoryUnpin  MemoryAction = "unpin"
	MemoryMute   MemoryAction = "mute"
	MemoryUnmute MemoryAction = "unmute"
	MemoryRemove MemoryAction = "remove"
	MemoryBack   MemoryAction = "bring_back"
)

// HookState is where a hook stands.
type HookState string

const (
	HookWaiting HookState = "waiting" // its time has not come
	HookDue     HookState = "due"
	HookTaken   HookState = "taken" // a reply took it up
	HookClosed  HookState = "closed"
	HookDropped HookState = "dropped"
)

// HookView is a hook as a front end shows it. When says in words when it is due
// or was taken up.
type HookView struct {
	storage.Hook
	State     HookState
	When      string
	Holds     bool
	InPrompt  bool
	Chat      storage.ChatID
	ChatTitle string
	Source    storage.NodeID
}

// HookList are the hooks of a story: due ones first, by priority.
type HookList struct {
	Scope storage.ScopeID
	Name  string
	Turn  int // of the chat that was asked about
	List  []HookView
}

// HookAction is what can be done to hooks at once.
type HookAction string

const (
	HookClose  HookAction = "close"
	HookReopen HookAction = "reopen"
	HookDrop   HookAction = "drop"
	HookNow    HookAction = "due_now"
)

// Thread is something that is still open in the story: a pending thread of a
// recap, or a hook. Open ones are those whose state is open, waiting or due.
type Thread struct {
	Key    string // names it for MarkThread
	Text   string
	State  string // open, closed or dropped; of a hook its HookState
	Hook   storage.HookID
	Break  storage.NodeID // the scene whose recap tells of it, "" for the running recap
	Scene  string         // its name
	Source storage.NodeID // a message that it came from, "" for none
}

// CastView is a character of a chat.
type CastView struct {
	Character storage.CharacterID
	Name      string
	Main      bool
	Away      bool
	HasAvatar bool
}

// CastList is who plays in a chat besides the user. Next is who would speak
// next, and Why.
type CastList struct {
	List  []CastView
	Order storage.TurnOrder
	Next  storage.CharacterID
	Why   string
}

// Measured is what the last request of a chat really cost.
type Measured struct {
	Node      storage.NodeID // the reply
	Prompt    int            // tokens, reported
	Predicted int            // to be read anew
	Read      int            // read anew, judged by the time that it took; -1 while the speed is not known
	MS        int64
}

// PrefixBreak is what makes the server read again more than a turn needs: the
// first part of the prompt that has changed, and what that costs.
type PrefixBreak struct {
	Layer, Source string
	What          string // in words
	Tokens        int
	Seconds       float64 // 0 while the speed is not known
}
