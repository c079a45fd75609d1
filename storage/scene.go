package storage

import "time"

// RecapID names a version of a recap.
type RecapID string

// Break is a mark on the last message of a scene. The scene is the run of
// messages after the break before it on the path, up to and including Node.
type Break struct {
	Node   NodeID `json:"node"`
	Depth  int    `json:"depth"`  // of Node
	Hidden bool   `json:"hidden"` // counts as absent; its recaps are kept
	// Expanded shows the recap under the scene's line in the play.
	Expanded bool   `json:"expanded"`
	Name     string `json:"name"`
	Named    bool   `json:"named"` // by the user: no recap renames it
	// Detected breaks were not set by the user; Rationale says why, Cue is the
	// text that shows it. What was found together has one Batch; later ones sort after it.
	Detected  bool   `json:"detected"`
	Rationale string `json:"rationale"`
	Cue       string `json:"cue"`
	Batch     string `json:"batch"`
	// DetectedFrom are the messages that begin the next scene, one for each branch, if the break was
	// detected from them. It is empty if the user set the break. On paths without any of them the
	// break is OffPath: hidden until one is back.
	DetectedFrom []NodeID `json:"because"`
	OffPath      bool     `json:"away"`
	// Versions are the scene's recaps, oldest first; Current counts from 0 and
	// means nothing while there are none.
	Versions []RecapID `json:"versions"`
	Current  int       `json:"current"`
	// InputsHash is the hash of the scene's present messages, "" before the first recap. TextHash
	// is the hash of the current version's text.
	InputsHash string `json:"inputs"`
	TextHash   string `json:"text"`
	// Running is the running recap in force from here on, "" if none was chosen here.
	Running   RecapID   `json:"running"`
	CreatedAt time.Time `json:"created_at"`
}

// Recap returns the current version, "" if there is none.
func (b Break) Recap() RecapID {
	if len(b.Versions) == 0 {
		return ""
	}
	return b.Versions[max(0, min(b.Current, len(b.Versions)-1))]
}

// RecapKind is the kind of text that a recap covers.
type RecapKind string

const (
	SceneRecap   RecapKind = "scene"
	RunningRecap RecapKind = "running"
	MessageRecap RecapKind = "message"
	InterimRecap RecapKind = "interim" // of how the open scene began
)

// RecapOrigin is the way in which a version was made.
type RecapOrigin string

const (
	Generated RecapOrigin = "generated"
	Edited    RecapOrigin = "edited" // by the user, while another was being made
	Copied    RecapOrigin = "copied" // of the first scene's recap, without a model
	Imported  RecapOrigin = "imported"
)

// Recap is one version of a recap. Versions are never removed.
type Recap struct {
	ID     RecapID     `json:"id"`
	Node   NodeID      `json:"node"` // the break or message that it belongs to
	Kind   RecapKind   `json:"kind"`
	Origin RecapOrigin `json:"origin"`

	SceneName      string          `json:"scene_name"`
	Text           string          `json:"text"`     // Markdown
	Original       string          `json:"original"` // the text as it was made, set if Text was edited since
	Atmosphere     string          `json:"atmosphere"`
	EmotionalBeats string          `json:"emotional_beats"`
	Lorebooks      []LoreCandidate `json:"lorebooks"`
	Sources        []Source        `json:"sources"`

	// InputsHash is the hash of the messages that it was made from, RequestHash the hash of the whole
	// request.
	InputsHash  string `json:"inputs"`
	RequestHash string `json:"key"`
	Style       string `json:"style"`
	Instruction string `json:"instruction"` // the user's, for this version

	// A running recap grew out of the version Base, whose text had the hash
	// BaseTextHash, by taking Part in; the parts of all it grew out of are in it too.
	// Covers is the last message up to which nothing is missing in it, "" for
	// none.
	Part         *Part   `json:"part"`
	Base         RecapID `json:"base"`
	BaseTextHash string  `json:"base_text"`
	Covers       NodeID  `json:"covers"`
	Scenes       int     `json:"scenes"` // that are in it

	// Dropped are the facts that it was made of and that are not in it.
	Dropped []DroppedBullet `json:"dropped"`

	// Parts is the number of parts that the scene was read in, if it was too long for one request.
	// PartEnds are the last messages of the parts. Shortened is the number of messages of which
	// only the beginning and the end were read.
	Parts     int      `json:"parts"`
	PartEnds  []NodeID `json:"part_ends"`
	Shortened int      `json:"shortened"`
	// Unfinished reports that the model's lists were full, so that facts may be missing.
	Unfinished bool `json:"unfinished"`

	// Witnesses are the characters who know all of the recap, nil for everybody.
	Witnesses  []CharacterID `json:"witnesses,omitzero"`
	FilledLore bool          `json:"taught"` // its candidates were queued for the lorebook
	RecallTest *RecallTest   `json:"exam"`
	Model      string        `json:"model"`
	CreatedAt  time.Time     `json:"created_at"`
	EditedAt   time.Time     `json:"edited_at"`
}

// Edited reports whether the text differs from the original one.
func (r Recap) Edited() bool { return r.Original != "" && r.Original != r.Text }

// DroppedBullet is a fact that is no longer in a recap made of others.
type DroppedBullet struct {
	Heading  string   `json:"heading"` // that it stood under
	Bullet   string   `json:"bullet"`
	Why      string   `json:"why"`
	Messages []NodeID `json:"messages"` // that it came from
}

// Source says which messages a bullet of a recap came from.
type Source struct {
	Bullet   string     `json:"bullet"`
	Messages []NodeID   `json:"messages"`
	UserEdit BulletEdit `json:"hand"` // what the user has done to it
	// Memories are the memories that the bullet covers as well, as reported by the model.
	Memories []MemoryID `json:"memories"`
}

// BulletEdit is the kind of change that the user made to a bullet of a recap.
type BulletEdit string

const (
	// BulletCorrected means that the bullet's text is the user's. It is also in prompts that contain
	// messages that contradict it.
	BulletCorrected BulletEdit = "corrected"
	// BulletRestored means that the user restored a bullet that had left the recap. No model removes
	// it again.
	BulletRestored BulletEdit = "brought back"
)

// Part is a scene in a running recap: the version of the scene's recap, and the hash of that
// version's text at that time. After is the break before the scene, "" for the first scene.
type Part struct {
	Break    NodeID  `json:"break"`
	After    NodeID  `json:"after"`
	Recap    RecapID `json:"recap"`
	TextHash string  `json:"text"`
}

// LoreCandidate is a fact for the lorebook that a scene's recap has found. Apart from Messages it
// has the form of files for other programs, which have no message ids.
type LoreCandidate struct {
	Name          string   `json:"name"`
	Type          string   `json:"type"`
	Keywords      []string `json:"keywords"`
	SecondaryKeys []string `json:"secondaryKeys"`
	Content       string   `json:"content"`
	UID           string   `json:"uid"`
	Messages      []NodeID `json:"messages,omitempty"` // the scene's messages that state it, nil if none were named
}

// RecallTest is the result of asking a model questions that it could answer from a recap only.
type RecallTest struct {
	At        time.Time        `json:"at"`
	Model     string           `json:"model"`
	Questions []RecallQuestion `json:"questions"`
}

// RecallQuestion is one question of a recall test. Lost means that the answer from
// memory does not hold what the scene says.
type RecallQuestion struct {
	Question string   `json:"question"`
	Expected string   `json:"expected"`
	Answer   string   `json:"answer"`
	Lost     bool     `json:"lost"`
	Messages []NodeID `json:"messages"`
}

// Lost lists the facts that the recall test has shown to be missing.
func (x *RecallTest) Lost() []RecallQuestion {
	if x == nil {
		return nil
	}
	var out []RecallQuestion
	for _, q := range x.Questions {
		if q.Lost {
			out = append(out, q)
		}
	}
	return out
}
