package storage

import (
	"encoding/json"
	"slices"
	"time"
)

// Every id is a ULID in its canonical 26 characters: it sorts by the moment at which it was made.
// The types prevent using one kind of id in place of another.
type (
	CharacterID string
	PersonaID   string
	ChatID      string
	NodeID      string
	CaptureID   string
	OperationID string
)

// Card holds the fields of a character card that the program itself reads,
// under the names of the V2 and V3 formats. Text is raw, macros unexpanded.
type Card struct {
	Name                    string   `json:"name"`
	Nickname                string   `json:"nickname"`
	Description             string   `json:"description"`
	Personality             string   `json:"personality"`
	Scenario                string   `json:"scenario"`
	FirstMessage            string   `json:"first_mes"`
	AlternateGreetings      []string `json:"alternate_greetings"`
	MessageExample          string   `json:"mes_example"`
	SystemPrompt            string   `json:"system_prompt"`
	PostHistoryInstructions string   `json:"post_history_instructions"`
	CreatorNotes            string   `json:"creator_notes"`
	Creator                 string   `json:"creator"`
	CharacterVersion        string   `json:"character_version"`
	Tags                    []string `json:"tags"`
	// DepthPrompt is extensions.depth_prompt: a note that is inserted DepthPromptDepth messages
	// above the end of the history, with the role DepthPromptRole.
	DepthPrompt      string `json:"depth_prompt"`
	DepthPromptDepth int    `json:"depth_prompt_depth"`
	DepthPromptRole  string `json:"depth_prompt_role"`
}

// CharName returns the replacement of {{char}}: the nickname if the card has one, else the name.
func (c Card) CharName() string {
	if c.Nickname != "" {
		return c.Nickname
	}
	return c.Name
}

// Immersion is the degree to which a character claims a life of its own. Scene capture requires
// Full or Unbounded.
type Immersion string

const (
	Minimal   Immersion = "minimal"
	Balanced  Immersion = "balanced"
	Full      Immersion = "full"
	Unbounded Immersion = "unbounded"
)

// Imagery holds a character's settings for pictures. An empty field means the general setting.
type Imagery struct {
	Style          string `json:"style"`
	NegativePrompt string `json:"negative_prompt"`
	TriggerWord    string `json:"trigger_word"`
	Workflow       string `json:"workflow"`
	Appearance     string `json:"appearance"`
	// VideoWorkflow is the workflow for videos. Width and Height are in pixels, 0 for the
	// workflow's own. Off disables pictures of the character that are requested in the
	// conversation.
	VideoWorkflow string `json:"video_workflow"`
	Width         int    `json:"width"`
	Height        int    `json:"height"`
	Off           bool   `json:"off"`
	// Lora is the file of a LoRA that knows the look, LoraWeight how much it counts,
	// 0 for 1. References are pictures that show the look, the best one first.
	Lora       string      `json:"lora"`
	LoraWeight float64     `json:"lora_weight"`
	References []Reference `json:"references"`
	// Seeds says how seeds are chosen. Seed is the seed for SeedFixed, 0 to derive one.
	Seeds SeedPolicy `json:"seeds"`
	Seed  int64      `json:"seed"`
}

// Character is a character to chat with. Source is the complete card document as it was imported,
// so that fields unknown here survive an export; it is nil for a character made in the program.
type Character struct {
	ID        CharacterID     `json:"id"`
	Card      Card            `json:"card"`
	Source    json.RawMessage `json:"source"`
	Immersion Immersion       `json:"immersion"`
	Imagery   Imagery         `json:"imagery"`
	Actor     Actor           `json:"actor"`
	HasAvatar bool            `json:"has_avatar"`
	// Book is the lorebook from the card, "" if it was not looked for yet.
	Book      LorebookID `json:"book"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
}

// Persona is a role that the user plays. At most one persona is the default.
type Persona struct {
	ID          PersonaID `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Default     bool      `json:"default"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

// Chat is a tree of nodes with Head, the leaf of the current branch. Title is never empty. Head is
// "" only in a chat without messages.
type Chat struct {
	ID         ChatID      `json:"id"`
	Title      string      `json:"title"`
	Character  CharacterID `json:"character"`
	Persona    PersonaID   `json:"persona"`
	Head       NodeID      `json:"head"`
	Model      string      `json:"model"`    // "" means the settings' model
	Sampling   Profile     `json:"sampling"` // how the model is asked, as far as the chat says itself
	AuthorNote string      `json:"author_note"`
	CreatedAt  time.Time   `json:"created_at"`
	UpdatedAt  time.Time   `json:"updated_at"` // last time the story moved
	// Lorebooks are the books that this chat switches on or off itself.
	Lorebooks map[LorebookID]bool `json:"lorebooks"`
	Play      Play                `json:"play"`
	// Extra is the complete metadata of an imported chat.
	Extra json.RawMessage `json:"extra"`
	// Note says how AuthorNote is inserted. Overrides replaces texts of the cards. Variables are the
	// variables that macros can read.
	Note      NotePlan          `json:"note"`
	Overrides CardOverrides     `json:"over"`
	Variables map[string]string `json:"variables"`
	// Voice holds this chat's own settings for how replies sound.
	Voice ChatVoice `json:"voice"`
	// From holds other data of an imported chat, nil for none.
	From *ChatSource `json:"from"`
	// Steer holds the user's wishes for the next reply. The reply takes them over.
	Steer Steer `json:"steer"`
}

// ChatVoice holds one chat's settings for how replies sound; the general settings fill in the rest.
// Sets switches lists of phrases on or off by name, Watch other checks, by the names of their
// settings. Length is a length, "any", or "" for the general setting.
type ChatVoice struct {
	Sets   map[string]bool `json:"sets"`
	Watch  map[string]bool `json:"watch"`
	Length string          `json:"length"`
}

// Steer holds the user's wishes for one reply and its swipes. Beat describes in one line what
// happens in it. Acts are names of quick acts, in the order in which they were chosen.
type Steer struct {
	Beat string   `json:"beat"`
	Acts []string `json:"acts"`
}

// IsZero reports whether nothing is wanted.
func (s Steer) IsZero() bool { return s.Beat == "" && len(s.Acts) == 0 }

// Equal reports whether two want the same.
func (s Steer) Equal(o Steer) bool { return s.Beat == o.Beat && slices.Equal(s.Acts, o.Acts) }

// NotePlace is the position of an author's note in the prompt.
type NotePlace string

const (
	NoteDefault      NotePlace = ""       // the position that the program chooses
	NoteAtDepth      NotePlace = "depth"  // Depth messages above the newest
	NoteInPrompt     NotePlace = "prompt" // at the end of the text before the history
	NoteBeforePrompt NotePlace = "before" // at the beginning of the prompt
)

// NoteNever is the value of NotePlan.Every for a note that is not inserted.
const NoteNever = -1

// NotePlan says how an author's note is inserted. The zero value leaves it to the program. Depth,
// Role and Every apply only to a note at a depth: Every N inserts it with every Nth message of the
// user's, 0 and 1 with each. NoteNever applies to all places.
type NotePlan struct {
	Place NotePlace `json:"place"`
	Depth int       `json:"depth"`
	Every int       `json:"every"`
	Role  Role      `json:"role"`
}

// CardOverrides holds a chat's replacements for texts of its cards; "" keeps the card's own text.
type CardOverrides struct {
	Scenario string `json:"scenario"`
	Examples string `json:"mes_example"`
	System   string `json:"system_prompt"`
}

// Apply puts the texts into a card.
func (o CardOverrides) Apply(c *Card) {
	for text, in := range map[*string]string{&c.Scenario: o.Scenario, &c.MessageExample: o.Examples,
		&c.SystemPrompt: o.System} {
		if in != "" {
			*text = in
		}
	}
}

// ChatSource holds the data of an imported chat other than its messages. Group is its group file,
// nil if it had none. File is the chat's name in that group. Faces are the characters by their
// avatar files. Bare reports that the chat file had no header.
type ChatSource struct {
	Group json.RawMessage        `json:"group"`
	File  string                 `json:"file"`
	Faces map[string]CharacterID `json:"faces"`
	Bare  bool                   `json:"bare"`
}

// Role is the kind of speaker of a node. A Narrator's text belongs to the story, but nobody plays
// it. SceneCapture nodes show a picture and have empty content. Like System nodes, they are never
// sent to a language model.
type Role string

const (
	User         Role = "user"
	Assistant    Role = "assistant"
	System       Role = "system"
	SceneCapture Role = "scene_capture"
	Narrator     Role = "narrator"
)

// InPrompt reports whether messages of this role are sent to a language model.
func (r Role) InPrompt() bool { return r == User || r == Assistant || r == Narrator }

// State says whether and how a node's text was completed.
type State string

const (
	Draft    State = "draft"    // still streaming, or its process died while it was
	Complete State = "complete" // ended as it should
	Stopped  State = "stopped"  // the user stopped it
	Cut      State = "cut"      // ran into the reply cap or the context limit
	Broken   State = "broken"   // the server ended it; Fault says how
)

// Node is one message of a chat's tree. Parent is "" for a root (greetings are sibling roots).
// Depth is 0 at a root and one more than the parent's below. Nodes are never removed: deleted ones
// are left out of paths, and their descendants stay where they are.
type Node struct {
	ID     NodeID `json:"id"`
	Chat   ChatID `json:"-"`
	Parent NodeID `json:"parent"`
	Depth  int    `json:"depth"`
	Role   Role   `json:"role"`
	Name   string `json:"name"` // the speaker, as displayed
	// Speaker is the character who said it, if several play. Presence holds its witnesses.
	Speaker   CharacterID `json:"speaker"`
	Presence  *Presence   `json:"presence"`
	Content   string      `json:"content"`
	Thinking  string      `json:"thinking"`
	State     State       `json:"state"`
	Fault     string      `json:"fault"` // in words for the user
	CreatedAt time.Time   `json:"created_at"`
	EditedAt  time.Time   `json:"edited_at"`
	Deleted   bool        `json:"deleted"`
	Stale     bool        `json:"stale"`
	// Checked messages have been looked at for a scene break.
	Checked bool `json:"checked"`
	// Window is, on a reply, the oldest message of the history in its prompt. The next prompt
	// starts there again, until messages have to be folded.
	Window NodeID `json:"window"`
	// Recaps are, on a reply, the versions of recaps that its prompt contained. The next prompt
	// that begins at Window contains them too, except those that were corrected since.
	Recaps []RecapID `json:"recaps"`
	Model  string    `json:"model"`
	Usage  *Usage    `json:"usage"`
	// Rejected is, on a reply, text that was rejected while it was generated.
	Rejected []Rejected `json:"rejected"`
	// Steer holds, on a reply, the user's wishes for it.
	Steer Steer `json:"steer"`
	// Capture is the picture that a SceneCapture node shows.
	Capture CaptureID `json:"capture"`
	// Extra is the complete message as it was in the file that it was imported from.
	Extra json.RawMessage `json:"extra"`
}

// Usage holds the server's figures on the requests behind a reply, and the program's own.
type Usage struct {
	DoneReason    string `json:"done_reason"`
	PromptTokens  int    `json:"prompt_tokens"`
	ReplyTokens   int    `json:"reply_tokens"`
	PromptEvalMS  int64  `json:"prompt_eval_ms"`
	TotalMS       int64  `json:"total_ms"`
	EstimatedRead int    `json:"estimated_read"` // tokens predicted to be re-read
	// Stable is the hash of the prompt's first message. A later process uses it to detect that the
	// prompt begins differently now.
	Stable string `json:"stable"`
	// Backtracks is the number of times the reply was cut and continued. RejectedTokens is the
	// number of tokens that were thrown away, BacktrackMS the total time in milliseconds until the
	// next words came.
	Backtracks     int   `json:"backtracks"`
	RejectedTokens int   `json:"rejected_tokens"`
	BacktrackMS    int64 `json:"backtrack_ms"`
	// Restarts is the number of times the reply was started over instead, because its model cannot
	// continue a partial reply.
	Restarts int `json:"begun_anew"`
}

// Rejected is a text that a reply was not allowed to contain. Text is as the model wrote it; a long
// one is truncated.
type Rejected struct {
	Kind    string `json:"kind"`
	Text    string `json:"text"`
	Rule    string `json:"rule"`  // the phrase that was looked for
	Set     string `json:"set"`   // the list that contains it
	At      int    `json:"at"`    // its byte offset in the message
	Tries   int    `json:"tries"` // how often the model tried it there
	Allowed bool   `json:"let"`   // it was kept, because the model had no alternative
	Ended   bool   `json:"ended"` // the reply ends there
}

// CaptureStatus is the progress of a capture.
type CaptureStatus string

const (
	CapturePrompting  CaptureStatus = "prompting" // its prompt is being written
	CaptureDraft      CaptureStatus = "draft"     // has a prompt, not sent
	CaptureGenerating CaptureStatus = "generating"
	CaptureCompleted  CaptureStatus = "completed"
	CaptureFailed     CaptureStatus = "failed"
)

// Capture is a moment turned into a picture, from draft to file. ImagePath and
// ThumbnailPath are relative to the data directory and made from our own ids.
type Capture struct {
	ID             CaptureID     `json:"id"`
	Chat           ChatID        `json:"chat"`
	At             NodeID        `json:"at"`   // the message it was taken after
	Node           NodeID        `json:"node"` // the message that shows it
	Kind           string        `json:"kind"` // image or video
	Requested      string        `json:"requested"`
	Prompt         string        `json:"prompt"`       // as the model wrote it
	ImagePrompt    string        `json:"image_prompt"` // as the user saw and sent it
	FinalPrompt    string        `json:"final_prompt"` // as the server got it, trigger word included
	NegativePrompt string        `json:"negative_prompt"`
	Reasoning      string        `json:"reasoning"`
	Warnings       []string      `json:"warnings"`
	Seed           *int64        `json:"seed"`
	Workflow       string        `json:"workflow_id"`
	Width          int           `json:"width"`
	Height         int           `json:"height"`
	Status         CaptureStatus `json:"status"`
	ImageID        string        `json:"image_id"`
	ImagePath      string        `json:"image_path"`
	ThumbnailPath  string        `json:"thumbnail_path"`
	GenerationTime float64       `json:"generation_time"` // seconds
	Error          string        `json:"error"`
	CreatedAt      time.Time     `json:"created_at"`
	UpdatedAt      time.Time     `json:"updated_at"`

	// Camera describes the view of the moment; its words are part of the prompt. Focus holds the
	// names of the people who matter most, nil for nobody.
	Camera Camera   `json:"camera"`
	Focus  []string `json:"focus"`
	// Words are the user's additions about the camera, at the prompt's end.
	Words string  `json:"words"`
	Batch BatchID `json:"batch"`
	// Board and Shot are the storyboard and the shot of it that this is a sketch of.
	Board NodeID `json:"board"`
	Shot  ShotID `json:"shot"`
	// Order describes the requested shot, nil without a shot, or if Requested describes it.
	Order *ShotOrder `json:"order"`
	// Hint is the director's wish for the content of the picture. Visual is the kind of its
	// subject: character, object, atmosphere, or "" for any.
	Hint   string `json:"hint"`
	Visual string `json:"visual"`
	// From is the capture that this is a variant of.
	From CaptureID `json:"from"`
	// Start is the picture that it starts from, nil for none.
	Start *StartImage `json:"start"`
	// Asked reports that the user asked for it in the conversation, not with a key.
	Asked bool `json:"asked"`
	// Waiting drafts were sent by the user, but no server was there.
	Waiting bool `json:"waiting"`
	// Wrote holds the values that the model and the program chose, before any change by the user;
	// nil if there is no prompt yet.
	Wrote *CaptureInputs `json:"wrote"`
	// Server is the address of the ComfyUI server that was given the job, and Job is the job's id
	// there. Both are stored before the job is sent.
	Server string `json:"server"`
	Job    string `json:"job"`
}

// OperationStatus is the status of an operation in the queue.
type OperationStatus string

const (
	Pending    OperationStatus = "pending"
	InProgress OperationStatus = "in_progress"
	Completed  OperationStatus = "completed"
	Failed     OperationStatus = "failed"
	Cancelled  OperationStatus = "cancelled"
)

// Operation is one background job. Jobs with a higher Priority run first; among equals, the oldest.
// Lane names a shared resource: operations of one lane run one at a time. NotBefore is set while it
// waits for a retry, or is postponed.
type Operation struct {
	ID           OperationID     `json:"id"`
	Type         string          `json:"type"`
	Lane         string          `json:"lane"`
	Status       OperationStatus `json:"status"`
	Priority     int             `json:"priority"`
	Params       json.RawMessage `json:"params"`
	Metadata     json.RawMessage `json:"metadata"`
	Dependencies []OperationID   `json:"dependencies"`
	Attempts     int             `json:"attempts"`
	Result       json.RawMessage `json:"result"`
	Error        string          `json:"error"`
	NotBefore    time.Time       `json:"not_before"`
	CreatedAt    time.Time       `json:"created_at"`
	StartedAt    time.Time       `json:"started_at"`
	CompletedAt  time.Time       `json:"completed_at"`
}

// Profile holds the parameters of requests to a model for one kind of work. The zero value of a
// field means the general setting.
type Profile struct {
	Name        string   `json:"name"`
	Server      string   `json:"server"`
	Model       string   `json:"model"`
	NumCtx      int      `json:"num_ctx"`
	NumPredict  int      `json:"num_predict"`
	Temperature *float64 `json:"temperature"`
	TopP        *float64 `json:"top_p"`
	TopK        *int     `json:"top_k"`
	MinP        *float64 `json:"min_p"`
	RepeatPen   *float64 `json:"repeat_penalty"`
	TypicalP    *float64 `json:"typical_p"`
	// RepeatLastN is over how many tokens the penalties look back: 0 switches them off, -1
	// is the whole context.
	RepeatLastN  *int     `json:"repeat_last_n"`
	PresencePen  *float64 `json:"presence_penalty"`
	FrequencyPen *float64 `json:"frequency_penalty"`
	Seed         *int     `json:"seed"`
	Stop         []string `json:"stop"`
	Think        Thinking `json:"think"`
	// Prefill begins the model's answer: some models need a nudge to keep to
	// the form.
	Prefill string `json:"prefill"`
}
