package storage

import "time"

// Ids of what belongs to the stage.
type (
	SeriesID  string
	EpisodeID string
	MemoryID  string
	HookID    string
	// ScopeID is whose story memories, hooks and engagement belong to: a series,
	// or a chat that belongs to none.
	ScopeID string
)

// Actor holds a character's traits beside the fields of its card: the notes of the actor who plays
// it. Weights go from 0 to 100, by trait ("warmth").
type Actor struct {
	Goal       string         `json:"current_goal"`
	Struggle   string         `json:"current_struggle"`
	Dream      string         `json:"secret_dream"`
	Stressor   string         `json:"current_stressor"`
	Weights    map[string]int `json:"weights"`
	Tone       string         `json:"tone"`
	Speech     string         `json:"speech_patterns"`
	Boundaries string         `json:"boundaries"`
	// Phrases are phrases that this character must not say.
	Phrases []string `json:"phrases"`
}

// Series groups episodes with one character or several, the first of them the
// main one. What is remembered belongs to it.
type Series struct {
	ID          SeriesID      `json:"id"`
	Title       string        `json:"title"` // never empty
	Description string        `json:"description"`
	Genre       string        `json:"genre"`
	Characters  []CharacterID `json:"characters"`
	CreatedAt   time.Time     `json:"created_at"`
	UpdatedAt   time.Time     `json:"updated_at"`
}

// SceneMode says when pictures are made automatically.
type SceneMode string

const (
	ScenesOff      SceneMode = "off"
	ScenesPeaks    SceneMode = "peaks"    // at peaks that the director sees
	ScenesRhythmic SceneMode = "rhythmic" // at a fixed interval of turns, and at peaks
)

// Resolutions are the possible endings of an episode.
var Resolutions = []string{"positive", "neutral", "negative", "surprise"}

// The defaults of an episode.
const (
	DefaultInterval  = 5 // turns between rhythmic pictures
	DefaultSceneCost = 5 // sparks
)

// Episode is the director's notes for a play: a template that chats play.
// Number orders the episodes of a series, from 1. TurnBudget 0 is none;
// SceneMode "" is ScenesPeaks; SceneInterval 0 is DefaultInterval; SceneCost nil
// is DefaultSceneCost.
type Episode struct {
	ID            EpisodeID `json:"id"`
	Series        SeriesID  `json:"series"`
	Number        int       `json:"number"`
	Title         string    `json:"title"` // never empty
	Situation     string    `json:"situation"`
	Frame         string    `json:"frame"`
	Question      string    `json:"dramatic_question"`
	Resolutions   []string  `json:"resolution_types"`
	Objective     string    `json:"objective"`
	Obstacle      string    `json:"obstacle"`
	Tactic        string    `json:"tactic"`
	Genre         string    `json:"genre"` // "" is the series'
	Opening       string    `json:"opening_line"`
	TurnBudget    int       `json:"turn_budget"`
	SceneMode     SceneMode `json:"auto_scene_mode"`
	SceneInterval int       `json:"scene_interval"`
	SceneCost     *int      `json:"scene_cost"`
	CreatedAt     time.Time `json:"created_at"`
	UpdatedAt     time.Time `json:"updated_at"`
}

// Mode returns when pictures are made automatically, with the default filled in.
func (e Episode) Mode() SceneMode {
	switch e.SceneMode {
	case ScenesOff, ScenesRhythmic:
		return e.SceneMode
	}
	return ScenesPeaks
}

// Interval returns how many turns lie between rhythmic pictures, the default filled in.
func (e Episode) Interval() int {
	if e.SceneInterval > 0 {
		return e.SceneInterval
	}
	return DefaultInterval
}

// Cost returns the cost of an automatic picture in sparks, with the default filled in.
func (e Episode) Cost() int {
	if e.SceneCost != nil && *e.SceneCost >= 0 {
		return *e.SceneCost
	}
	return DefaultSceneCost
}

// EndedBy is why a play is complete.
type EndedBy string

const (
	EndedSemantic EndedBy = "semantic"   // the director judged it complete
	EndedByTurns  EndedBy = "turn_limit" // its turn budget was reached
	EndedByUser   EndedBy = "user"
)

// PlayEnd is a place at which a play was complete.
type PlayEnd struct {
	Node NodeID    `json:"node"`
	By   EndedBy   `json:"by"`
	At   time.Time `json:"at"`
}

// Play is the state of a chat's play: its episode, its cast, and the director's allowance. The zero
// value is a plain chat with one character.
type Play struct {
	Series  SeriesID  `json:"series"`
	Episode EpisodeID `json:"episode"`
	Paused  bool      `json:"paused"`
	// From is the number of turns that had been played when the episode was begun.
	From int `json:"from"`
	// Ends are the places at which the play was complete. Each applies to the paths that contain
	// it.
	Ends []PlayEnd `json:"ends"`

	// Cast are the characters besides Chat.Character.
	Cast  []CastMember `json:"cast"`
	Order TurnOrder    `json:"order"`
	// MainAway: Chat.Character is not present now.
	MainAway bool `json:"main_away"`

	// Sparks is the allowance of this chat, nil for the settings' own. Spent is the part of it that
	// is used.
	Sparks *int `json:"sparks"`
	Spent  int  `json:"spent"`
	// Asked says whether the user was asked about automatic pictures, and holds the answer.
	Asked AutoPictureAnswer `json:"asked"`
	// Wanted is the reply whose picture waits for that answer.
	Wanted NodeID `json:"wanted"`
}

// AutoPictureAnswer is the user's answer to the question about automatic pictures.
type AutoPictureAnswer string

const (
	SparksUnasked AutoPictureAnswer = ""
	SparksAsked   AutoPictureAnswer = "asked"
	SparksAllowed AutoPictureAnswer = "yes"
	SparksRefused AutoPictureAnswer = "no"
)

// CastMember is another character in a chat. Away: it is not present now. Left: it has left
// permanently; it is kept, because messages addressed to it alone still exist. Since is the depth
// at which it joined: it has not witnessed messages of a smaller depth. Back is the depth at which
// it joined again, 0 if it never left.
type CastMember struct {
	Character CharacterID `json:"character"`
	Away      bool        `json:"away"`
	Left      bool        `json:"left"`
	Since     int         `json:"since"`
	Back      int         `json:"back"`
	// Been is a range before Since in which it is said to have been present, nil for none.
	Been *Attendance `json:"been"`
}

// Attendance is a range of depths from From up to, but not including, To.
type Attendance struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// TurnOrder says who speaks next if several characters play.
type TurnOrder string

const (
	OrderRoundRobin TurnOrder = "robin"    // one after the other; the default
	OrderMention    TurnOrder = "mention"  // who was named last, else as robin
	OrderDirector   TurnOrder = "director" // whom the director calls, else as mention
	OrderUser       TurnOrder = "user"     // whom the user picks, else as robin
	OrderNatural    TurnOrder = "natural"  // who was named, else by chance, the talkative sooner
	OrderPooled     TurnOrder = "pooled"   // by chance, among those who have not spoken since the user
)

// Presence says who witnessed a message if several characters play, besides its speaker and the
// user. A nil Presence means everybody who was present at that time.
type Presence struct {
	Witnesses []CharacterID `json:"witnesses"`
	Whisper   bool          `json:"whisper"`
}

// TurnRecord is the director's record of an exchange. It belongs to the reply that ended the
// exchange. Turn counts the exchanges on the path, this one included. Without an evaluation, Seen
// is nil, and Fault may say why.
type TurnRecord struct {
	Node NodeID      `json:"node"`
	Turn int         `json:"turn"`
	Seen *Evaluation `json:"seen"`
	// Witnesses are the characters who know everything that Seen may be based on, nil for
	// everybody.
	Witnesses []CharacterID `json:"witnesses,omitzero"`
	// Fault is why there is no evaluation, in words for the user.
	Fault string `json:"fault"`
	// Passed reports that the messages up to here have been examined.
	Passed bool `json:"passed"`
	// Capture is the picture that was made automatically. Why says why one was made or not.
	Capture CaptureID `json:"capture"`
	Why     string    `json:"why"`
	// Taken are the hooks that the reply took up.
	Taken []HookID  `json:"taken"`
	At    time.Time `json:"at"`
}

// Evaluation is the director's judgement of the last exchanges. Tension goes from 0 to 100.
type Evaluation struct {
	VisualType string `json:"visual_type"` // character, object, atmosphere, instruction or none
	VisualHint string `json:"visual_hint"`
	Status     string `json:"status"` // going, closing or done
	Tension    int    `json:"tension"`
	Tone       string `json:"tone"`
	Beat       string `json:"beat"`    // what happened, in a few words
	Open       string `json:"open"`    // the unresolved tension
	Setting    string `json:"setting"` // place and time
	Next       string `json:"next"`    // who should speak next, by name
	Why        string `json:"why"`
}

// MemoryType is the subject of a memory.
type MemoryType string

const (
	FactMemory         MemoryType = "fact"
	EventMemory        MemoryType = "event"
	PreferenceMemory   MemoryType = "preference"
	RelationshipMemory MemoryType = "relationship"
	GoalMemory         MemoryType = "goal"
	EmotionMemory      MemoryType = "emotion"
)

// MemoryTypes are all types, in the order in which prompts list them.
var MemoryTypes = []MemoryType{FactMemory, EventMemory, PreferenceMemory, RelationshipMemory, GoalMemory, EmotionMemory}

// Mention is a place where something came up in the story. It counts on the paths that contain
// the place. Node "" is everywhere: the user added it.
type Mention struct {
	Chat       ChatID        `json:"chat"`
	Node       NodeID        `json:"node"`
	Depth      int           `json:"depth"`
	Sources    []NodeID      `json:"sources"`            // the messages that it came from
	Witnesses  []CharacterID `json:"witnesses,omitzero"` // nil: everybody
	Importance float64       `json:"importance"`
	At         time.Time     `json:"at"`
}

// Memory is something worth remembering beyond its chat. Mentions is never empty: the first one is
// its first occurrence, the others are repetitions. Importance is from 0 to 1; Weight is the user's
// own importance.
type Memory struct {
	ID        MemoryID   `json:"id"`
	Type      MemoryType `json:"type"`
	Content   string     `json:"content"`
	Original  string     `json:"original"` // the text as it was made, set if the user has edited it
	Mentions  []Mention  `json:"told"`
	Weight    *float64   `json:"weight"`
	Pinned    bool       `json:"pinned"`
	Muted     bool       `json:"muted"`
	Removed   bool       `json:"removed"`
	Ends      []End      `json:"ends"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
}

// HookType is the kind of a hook.
type HookType string

const (
	ReminderHook  HookType = "reminder"
	FollowUpHook  HookType = "follow_up"
	MilestoneHook HookType = "milestone"
	ScheduledHook HookType = "scheduled"
)

// HookTypes are all of them.
var HookTypes = []HookType{ReminderHook, FollowUpHook, MilestoneHook, ScheduledHook}

// HookDue says when a hook is due: Turns turns of the story after it was made, at the wall-clock
// time At, or at the story time When, whichever comes first of those that are set. With none of
// them it is due immediately. When is in the story's own words; a pass decides when it has come.
// From is the story's time when the hook was made.
type HookDue struct {
	Turns int       `json:"turns"`
	At    time.Time `json:"at"`
	When  string    `json:"when"`
	From  StoryTime `json:"from"`
}

// Hook is something to be brought up later. Priority is from 1 to 5, 5 the most urgent. TakenUp
// are the replies that took it up: it is done on the paths that contain one. CameDue are the places
// at which its story time had come.
type Hook struct {
	ID       HookID    `json:"id"`
	Type     HookType  `json:"type"`
	Content  string    `json:"content"`
	Opener   string    `json:"opener"` // how it may be brought up
	Due      HookDue   `json:"due"`
	Turn     int       `json:"turn"` // of the story, when it was made
	Priority int       `json:"priority"`
	Mentions []Mention `json:"told"`
	TakenUp  []Mention `json:"taken"`
	CameDue  []Mention `json:"came"`
	// Closed: the user says that it is done, Dropped: or that it is to be forgotten.
	Closed    bool      `json:"closed"`
	Dropped   bool      `json:"dropped"`
	Ends      []End     `json:"ends"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

// Engagement is the relationship between user and characters, kept across sessions.
type Engagement struct {
	Scope     ScopeID   `json:"scope"`
	Sessions  int       `json:"sessions"` // that have ended
	FirstMet  time.Time `json:"first_met"`
	LastEnd   time.Time `json:"last_end"`
	Dynamic   Dynamic   `json:"dynamic"`
	Milestone []string  `json:"milestones"` // oldest first
	// Open is the session in progress, nil for none.
	Open *Session `json:"open"`
}

// Dynamic is the present mood between user and characters. Tension goes from 0 to 100; the newest
// beat comes last.
type Dynamic struct {
	Tone    string   `json:"tone"`
	Tension int      `json:"tension_level"`
	Beats   []string `json:"recent_beats"`
}

// Session is a run of turns in a chat without a long pause.
type Session struct {
	Chat  ChatID    `json:"chat"`
	First NodeID    `json:"first"`
	Last  NodeID    `json:"last"`
	Began time.Time `json:"began"`
	Heard time.Time `json:"heard"`
	Turns int       `json:"turns"`
}

// StageNotesTurn holds the notes that were inserted before a message of the user's. They stay there
// until the message leaves the window. Node is that message.
//
// Speakers are the characters that the notes of that turn were chosen for, "" in a chat with one
// character.
type StageNotesTurn struct {
	Node     NodeID        `json:"node"`
	Notes    []StageNote   `json:"notes"`
	Speakers []CharacterID `json:"speakers"`
	// Gone are the ids of notes that were inserted before older messages and were left out of this
	// turn's prompt. From here on they are not inserted anywhere.
	Gone []string `json:"gone"`
}

// StageNote is one note as it is in the prompt. ID is the id of its source, with a hash of its
// text.
type StageNote struct {
	ID      string `json:"id"`
	Layer   string `json:"layer"`
	Section string `json:"section"`
	Source  string `json:"source"`
	Text    string `json:"text"`
	Reason  string `json:"reason"`
	// Speaker is set on a note that is for this speaker alone, if several characters play.
	Speaker CharacterID `json:"speaker"`
}

// Vector is the meaning of a text as an embedding model gave it: of a memory, or of a fact,
// whose id is IDOf its words.
type Vector struct {
	Memory MemoryID  `json:"memory"`
	Model  string    `json:"model"`
	Hash   string    `json:"hash"` // of the text
	Values []float32 `json:"values"`
}
