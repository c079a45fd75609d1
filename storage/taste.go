package storage

import "time"

// Ids, as in records.go.
type (
	TasteMemoryID string
	CardID        string
)

// Confidence is the certainty of a lesson.
type Confidence string

const (
	LowConfidence    Confidence = "low"
	MediumConfidence Confidence = "medium"
	HighConfidence   Confidence = "high"
)

// EventType is the kind of an edit event.
type EventType string

const (
	EventInitial    EventType = "initial_generation"
	EventModify     EventType = "modify"
	EventInsert     EventType = "insert"
	EventRemove     EventType = "remove"
	EventReorder    EventType = "reorder"
	EventMerge      EventType = "merge"
	EventBulk       EventType = "bulk_edit"
	EventAcceptance EventType = "acceptance"
	EventWish       EventType = "wish" // the user's words, if they did not change shots directly
)

// EditEvent records a change by the user to something that the program made, in compact form. About
// is capture or recap, or "" for a storyboard.
type EditEvent struct {
	Type     EventType `json:"type"`
	About    string    `json:"about"`
	Summary  string    `json:"summary"`
	UserText string    `json:"userText"`
	ShotRefs []ShotID  `json:"shotRefs"`
}

// Tally is the number of occurrences of a name.
type Tally struct {
	Name string `json:"name"`
	N    int    `json:"n"`
}

// ShotSummary is a finished list of shots in numbers. Tallies are the most common
// first.
type ShotSummary struct {
	Shots          int     `json:"shots"`
	Key            int     `json:"key"`
	Filler         int     `json:"filler"`
	AverageSeconds float64 `json:"averageSeconds"`
	PerKeyBeat     float64 `json:"perKeyBeat"` // shots
	Sizes          []Tally `json:"sizes"`
	Angles         []Tally `json:"angles"`
	Movements      []Tally `json:"movements"`
	Jobs           []Tally `json:"jobs"`
	Sentence       string  `json:"sentence"`
}

// EditCounts are a scene's edits in numbers.
type EditCounts struct {
	Fields   []Tally `json:"fields"`   // that were changed
	Inserted []Tally `json:"inserted"` // by kind and job
	Removed  []Tally `json:"removed"`  // by kind and job
	Merges   int     `json:"merges"`
	Reorders int     `json:"reorders"`
	Bulk     int     `json:"bulk"`
}

// SceneLearning is a lesson of one scene.
type SceneLearning struct {
	Learning        string     `json:"learning"`
	AppliesTo       string     `json:"appliesTo"`
	AvoidApplyingTo string     `json:"avoidApplyingTo"`
	Evidence        string     `json:"evidence"`
	Confidence      Confidence `json:"confidence"`
}

// TasteMemory holds what one scene has shown about how the user directs. Scene is the scene's last
// message; a new harvest of the scene replaces the record.
type TasteMemory struct {
	ID    TasteMemoryID `json:"id"`
	Scene NodeID        `json:"scene"`
	Chat  ChatID        `json:"chat"`

	SceneContextSummary string          `json:"sceneContextSummary"`
	EditSummary         string          `json:"editSummary"`
	SceneLearnings      []SceneLearning `json:"sceneLearnings"`

	Events    []EditEvent  `json:"events"`
	Summary   *ShotSummary `json:"summary"` // nil without a storyboard
	Counts    EditCounts   `json:"counts"`
	CreatedAt time.Time    `json:"createdAt"`
	UpdatedAt time.Time    `json:"updatedAt"`
}

// PreferenceCard is one conditional preference. It holds nothing of any scene's
// plot.
type PreferenceCard struct {
	ID              CardID     `json:"id"`
	Preference      string     `json:"preference"`
	AppliesTo       string     `json:"appliesTo"`
	AvoidApplyingTo string     `json:"avoidApplyingTo"`
	Evidence        string     `json:"evidence"`
	Confidence      Confidence `json:"confidence"`
	// Seen is the number of scenes in which it was shown, zero if that is not known.
	Seen CardCount `json:"seen"`
	// For is the subject: shots, pictures, recaps or prose; "" means shots.
	For string `json:"for"`
}

// CardCount counts the scenes in which a preference was shown.
type CardCount struct {
	Scenes int `json:"scenes"`
}

// Taste is the profile: the preferences learnt from all scenes of a story. It is written by the
// program. The user's changes are in ProfileEdits.
type Taste struct {
	Scope           ScopeID          `json:"scope"`
	SourceSceneIDs  []NodeID         `json:"sourceSceneIds"`
	SourceMemoryIDs []TasteMemoryID  `json:"sourceMemoryIds"`
	ProfileSummary  string           `json:"profileSummary"`
	PreferenceCards []PreferenceCard `json:"preferenceCards"`
	StatsSummary    string           `json:"statsSummary"`
	CreatedAt       time.Time        `json:"createdAt"`
	UpdatedAt       time.Time        `json:"updatedAt"`
}

// ProfileEdits holds the user's changes to a story's profile. It is kept when a new profile is
// made.
type ProfileEdits struct {
	Scope     ScopeID     `json:"scope"`
	Summary   string      `json:"summary"` // in place of the profile's
	Cards     []CardEdits `json:"cards"`
	UpdatedAt time.Time   `json:"updated_at"`
}

// CardEdits is the user's hand on one card.
type CardEdits struct {
	ID CardID `json:"id"`
	// Was is the preference as the program wrote it, used to recognise the card in a new profile;
	// "" for a card of the user's own.
	Was     string          `json:"was"`
	Card    *PreferenceCard `json:"card"` // the user's words, nil for the program's
	Muted   bool            `json:"muted"`
	Deleted bool            `json:"deleted"`
}

// TasteUse records the part of the profile that was in the prompt of one call.
type TasteUse struct {
	Block string   `json:"block"` // the text in the prompt
	Cards []CardID `json:"cards"`
}
