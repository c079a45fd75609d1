package storage

import "time"

// Ids, as in records.go.
type (
	BatchID string
	FactID  string
	EditID  string
)

// Camera holds the key of one preset per control of the camera; "" leaves it to the prompt. The
// presets are in engine/pictures/capture.
type Camera struct {
	Shot        string `json:"shot"`
	Angle       string `json:"angle"`
	Lens        string `json:"lens"`
	Lighting    string `json:"lighting"`
	Composition string `json:"composition"`
	Mood        string `json:"mood"`
	// Template is a place of everyday, such as a café, with all that belongs to it.
	Template string `json:"template"`
}

// BatchBy is the property in which the captures of a batch differ.
type BatchBy string

const (
	ByAngles BatchBy = "angles" // one moment, seen from several sides
	ByScenes BatchBy = "scenes" // one capture per scene
	ByEvery  BatchBy = "every"  // one capture every N messages
	ByDrafts BatchBy = "drafts" // of earlier versions: drafts that were sent together
	ByShots  BatchBy = "shots"  // the shots of a storyboard
)

// Batch is a group of captures that were requested together. Captures are in the order of the
// request and may include deleted ones.
type Batch struct {
	ID        BatchID     `json:"id"`
	By        BatchBy     `json:"by"`
	Every     int         `json:"every"` // messages, for ByEvery
	Captures  []CaptureID `json:"captures"`
	CreatedAt time.Time   `json:"created_at"`
	// OneSeed gives all of them the same seed. Keep lets all but the first take over
	// what its picture shows.
	OneSeed bool `json:"one_seed"`
	Keep    bool `json:"keep"`
}

// SeedPolicy says how the seeds of a character's pictures are chosen.
type SeedPolicy string

const (
	SeedNew   SeedPolicy = ""      // a new one for each
	SeedBatch SeedPolicy = "batch" // one for each batch and each storyboard
	SeedFixed SeedPolicy = "fixed" // always the same
)

// Reference is a picture of somebody's appearance: their avatar as it is when a picture is
// generated, or a file of the program's own, made from a picture that was chosen.
type Reference struct {
	Avatar bool   `json:"avatar"`
	File   string `json:"file"` // below references, named by its content
	// Capture is the picture of the gallery that the file was made from.
	Capture CaptureID `json:"capture"`
}

// StartImage is a picture that another one begins with.
type StartImage struct {
	Capture CaptureID `json:"capture"`
	// Strength is how much may change, from 0 (nothing) to 1 (everything).
	Strength float64 `json:"strength"`
}

// FactKind is the subject of a fact of the continuity sheet.
type FactKind string

const (
	FactAppearance FactKind = "appearance" // hair, eyes, build, marks
	FactClothes    FactKind = "clothes"
	FactPlace      FactKind = "place"
	FactLight      FactKind = "light" // time of day, weather, lamps
	FactProps      FactKind = "props"
)

// FactSource is the source of a fact.
type FactSource string

const (
	FactFromCapture FactSource = "capture"
	FactFromLore    FactSource = "lore"
	FactFromUser    FactSource = "user"
)

// Fact is one line of a chat's continuity sheet: something that stays the same from picture to
// picture until the story ends it. The program never changes a text that the user wrote. Who is ""
// for a fact about the place.
type Fact struct {
	ID        FactID     `json:"id"`
	Kind      FactKind   `json:"kind"`
	Who       string     `json:"who"`
	Text      string     `json:"text"`
	Source    FactSource `json:"source"`
	Capture   CaptureID  `json:"capture"` // that it was seen in
	At        NodeID     `json:"at"`      // the newest message at that time
	Muted     bool       `json:"muted"`   // not offered to prompts
	Ended     NodeID     `json:"ended"`   // the message at which it was no longer true
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
}

// CaptureInputs holds the values of a capture, beside its prompt, at the time when the prompt was
// written.
type CaptureInputs struct {
	NegativePrompt string `json:"negative_prompt"`
	Workflow       string `json:"workflow_id"`
	Width          int    `json:"width"`
	Height         int    `json:"height"`
	Camera         Camera `json:"camera"`
	// Warnings are the warnings about the prompt. Painting adds its own to the capture's Warnings.
	Warnings []string `json:"warnings"`
	// Shows are the facts of the picture that the next pictures must keep, as reported by the
	// model.
	Shows []ShownFact `json:"shows"`
	// Says is the model's description of who and what the picture shows. InView names the people in
	// it.
	Says   string   `json:"says"`
	InView []string `json:"in_view"`
	// Notes are remarks that are not warnings.
	Notes []string `json:"notes"`
}

// ShotOrder describes a shot of a storyboard in a request for its picture. Empty fields are left
// out.
type ShotOrder struct {
	Size     string `json:"size"`
	Angle    string `json:"angle"`
	Movement string `json:"movement"`
	Subject  string `json:"subject"`
	Action   string `json:"action"`
	Purpose  string `json:"purpose"`
	Dialogue string `json:"dialogue"`
}

// ShownFact is a fact that a picture shows.
type ShownFact struct {
	Kind FactKind `json:"kind"`
	Who  string   `json:"who"`
	Text string   `json:"text"`
}

// Edit records the user's changes to something that the program wrote, in compact form. The program
// learns from them how this user directs. About is the id of what was edited.
type Edit struct {
	ID      EditID       `json:"id"`
	Kind    string       `json:"kind"` // capture or recap
	About   string       `json:"about"`
	Changes []EditChange `json:"changes"`
	At      time.Time    `json:"at"`
}

// EditChange is one change to one field: words that went, and words that came in
// their place. Long ones are cut, with an ellipsis.
type EditChange struct {
	Field   string `json:"field"`
	Removed string `json:"removed"`
	Added   string `json:"added"`
}
