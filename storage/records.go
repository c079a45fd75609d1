package storage

import (
	"encoding/json"
	"slices"
	"time"
)

// Every id is a ULID in its canonical 26 characters: it sorts by the moment it
// was made. The types keep one kind of id from standing where another belongs.
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
	// DepthPrompt is extensions.depth_prompt, a note that stands DepthPromptDepth
	// messages above the end of the history, spoken as DepthPromptRole.
	DepthPrompt      string `json:"depth_prompt"`
	DepthPromptDepth int    `json:"depth_prompt_depth"`
	DepthPromptRole  string `json:"depth_prompt_role"`
}

// CharName returns what {{char}} stands for: the nickname where the card has one.
func (c Card) CharName() string {
	if c.Nickname != "" {
		return c.Nickname
	}
	return c.Name
}

// Immersion is how far a character claims a life of its own; scene capture
// asks for Full or Unbounded.
type Immersion string

const (
	Minimal   Immersion = "minimal"
	Balanced  Immersion = "balanced"
	Full      Immersion = "full"
	Unbounded Immersion = "unbounded"
)

// Imagery is how pictures of a character are made. Empty fields mean the
// settings' own.
type Imagery struct {
	Style          string `json:"style"`
	NegativePrompt string `json:"negative_prompt"`
	TriggerWord    string `json:"trigger_word"`
	Workflow       string `json:"workflow"`
	Appearance     string `json:"appearance"`
	// VideoWorkflow is the workflow for videos. Width and Height are in pixels, 0
	// for the workflow's own. Off switches pictures of the character off that are
	// asked for in the talk.
	VideoWorkflow string `json:"video_workflow"`
	Width         int    `json:"width"`
	Height        int    `json:"height"`
	Off           bool   `json:"off"`
	// Lora is the file of a LoRA that knows the look, LoraWeight how much it counts,
	// 0 for 1. References are pictures that show the look, the best one first.
	Lora       string      `json:"lora"`
	LoraWeight float64     `json:"lora_weight"`
	References []Reference `json:"references"`
	// Seeds is how seeds are chosen, Seed the one of SeedFixed, 0 for one of its own.
	Seeds SeedPolicy `json:"seeds"`
	Seed  int64      `json:"seed"`
}

// Character is somebody a chat can be played with. Source is the card document
// as it was imported, whole, so that fields unknown here survive an export; it
// is nil for a character made in the program.
type Character struct {
	ID        CharacterID     `json:"id"`
	Card      Card            `json:"card"`
	Source    json.RawMessage `json:"source"`
	Immersion Immersion       `json:"immersion"`
	Imagery   Imagery         `json:"imagery"`
	Actor     Actor           `json:"actor"`
	HasAvatar bool            `json:"has_avatar"`
	// Book is the lorebook that the card brought, "" while nobody has looked.
	Book      LorebookID `json:"book"`
	CreatedAt time.Time  `json:"created_at"`
	UpdatedAt time.Time  `json:"updated_at"`
}

// Persona is who the user plays. At most one is the default.
type Persona struct {
	ID          PersonaID `json:"id"`
	Name        string    `json:"name"`
	Description string    `json:"description"`
	Default     bool      `json:"default"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
}

// Chat is a tree of nodes and the leaf that the user stands on. Title is never
// empty. Head is "" only in a chat without a message.
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
	// Extra is what an imported chat carried in its metadata, whole.
	Extra json.RawMessage `json:"extra"`
	// Note is how AuthorNote is told, Over what stands in the place of the cards' texts,
	// Variables what macros find set.
	Note      NotePlan          `json:"note"`
	Over      CardOver          `json:"over"`
	Variables map[string]string `json:"variables"`
	// Voice is how replies of this chat are to sound, where it says so itself.
	Voice ChatVoice `json:"voice"`
	// From is what else an imported chat came with, nil for nothing.
	From *ChatSource `json:"from"`
	// Steer is what the user wants of the next reply, which takes it over.
	Steer Steer `json:"steer"`
}

// ChatVoice is how replies of one chat are to sound; what it does not name is as the
// settings say. Sets are lists of phrases by their names, Watch what else is watched for, by
// the names of the settings. Length is a length, "any", or "" for the settings' own.
type ChatVoice struct {
	Sets   map[string]bool `json:"sets"`
	Watch  map[string]bool `json:"watch"`
	Length string          `json:"length"`
}

// Steer is what the user wants of one reply and of its other takes. Beat is what happens
// in it, in a line; Acts are names of quick acts, in the order in which they were chosen.
type Steer struct {
	Beat string   `json:"beat"`
	Acts []string `json:"acts"`
}

// IsZero reports whether nothing is wanted.
func (s Steer) IsZero() bool { return s.Beat == "" && len(s.Acts) == 0 }

// Equal reports whether two want the same.
func (s Steer) Equal(o Steer) bool { return s.Beat == o.Beat && slices.Equal(s.Acts, o.Acts) }

// NotePlace is where an author's note stands.
type NotePlace string

const (
	NoteDefault      NotePlace = ""       // the position that the program chooses
	NoteAtDepth      NotePlace = "depth"  // so many messages above the newest
	NoteInPrompt     NotePlace = "prompt" // at the end of what stands before the history
	NoteBeforePrompt NotePlace = "before" // at its beginning
)

// NoteNever is, as NotePlan.Every, a note that is not told.
const NoteNever = -1

// NotePlan is how an author's note is told. The zero value is the program's own way. Every
// is with how many messages of the user's it comes, 0 and 1 with each. Depth and Role
// count where it stands at a depth.
type NotePlan struct {
	Place NotePlace `json:"place"`
	Depth int       `json:"depth"`
	Every int       `json:"every"`
	Role  Role      `json:"role"`
}

// CardOver are texts that a chat has in the place of those of its cards; "" leaves a
// card's own.
type CardOver struct {
	Scenario string `json:"scenario"`
	Examples string `json:"mes_example"`
	System   string `json:"system_prompt"`
}

// Apply puts the texts into a card.
func (o CardOver) Apply(c *Card) {
	for text, in := range map[*string]string{&c.Scenario: o.Scenario, &c.MessageExample: o.Examples,
		&c.SystemPrompt: o.System} {
		if in != "" {
			*text = in
		}
	}
}

// ChatSource is what an imported chat came with beside its own lines. Group is its group
// file, nil for a chat that came without one; File the name that the chat has there. Faces
// are those who play by their avatar files. Bare tells that the chat had no header.
type ChatSource struct {
	Group json.RawMessage        `json:"group"`
	File  string                 `json:"file"`
	Faces map[string]CharacterID `json:"faces"`
	Bare  bool                   `json:"bare"`
}

// Role is who speaks in a node. What a Narrator says belongs to the story, and nobody
// plays it. SceneCapture nodes show a picture, have empty content and, like System ones,
// never reach a language model.
type Role string

const (
	User         Role = "user"
	Assistant    Role = "assistant"
	System       Role = "system"
	SceneCapture Role = "scene_capture"
	Narrator     Role = "narrator"
)

// InPrompt reports whether a language model is told what this role says.
func (r Role) InPrompt() bool { return r == User || r == Assistant || r == Narrator }

// State is how a node's text came to its end.
type State string

const (
	Draft    State = "draft"    // still streaming, or its process died while it was
	Complete State = "complete" // ended as it should
	Stopped  State = "stopped"  // the user stopped it
	Cut      State = "cut"      // ran into the reply cap or the context limit
	Broken   State = "broken"   // the server ended it; Fault says how
)

// Node is one message of a chat's tree. Parent is "" for a root (greetings are
// sibling roots). Depth is 0 at a root and one more than the parent's below.
// Nodes are never removed: Deleted ones are left out of paths, and what hangs
// below them stays where it is.
type Node struct {
	ID     NodeID `json:"id"`
	Chat   ChatID `json:"-"`
	Parent NodeID `json:"parent"`
	Depth  int    `json:"depth"`
	Role   Role   `json:"role"`
	Name   string `json:"name"` // the speaker, as displayed
	// Speaker is the character who said it, where several play; Presence who
	// witnessed it.
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
	// Window is, on a reply, the oldest message of the history that its prompt
	// held. The next prompt starts there again until it has to fold.
	Window NodeID `json:"window"`
	// Recaps are, on a reply, the versions of recaps that its prompt told. The next
	// prompt that begins at Window tells them too, unless they were corrected since.
	Recaps []RecapID `json:"recaps"`
	Model  string    `json:"model"`
	Usage  *Usage    `json:"usage"`
	// Rejected is, on a reply, what was written and taken out again while it came.
	Rejected []Rejected `json:"rejected"`
	// Steer is, on a reply, what the user wanted of it.
	Steer Steer `json:"steer"`
	// Capture is the picture that a SceneCapture node shows.
	Capture CaptureID `json:"capture"`
	// Extra is what the message carried where it was imported from, whole.
	Extra json.RawMessage `json:"extra"`
}

// Usage is what the server reported of the request behind a reply.
type Usage struct {
	DoneReason    string `json:"done_reason"`
	PromptTokens  int    `json:"prompt_tokens"`
	ReplyTokens   int    `json:"reply_tokens"`
	PromptEvalMS  int64  `json:"prompt_eval_ms"`
	TotalMS       int64  `json:"total_ms"`
	EstimatedRead int    `json:"estimated_read"` // tokens predicted to be re-read
	// Stable is the hash of the prompt's first message, by which a later process
	// sees that the prompt no longer begins with it.
	Stable string `json:"stable"`
	// Backtracks is how often the reply was cut and carried on, RejectedTokens what was
	// thrown away by that, BacktrackMS how long it took until the next word came each time.
	Backtracks     int   `json:"backtracks"`
	RejectedTokens int   `json:"rejected_tokens"`
	BacktrackMS    int64 `json:"backtrack_ms"`
	// BegunAnew is how often the reply was begun anew for that: its model cannot go on from the
	// beginning of one.
	BegunAnew int `json:"begun_anew"`
}

// Rejected is something that a reply was not let say: Text as the model wrote it, its
// beginning where it is long.
type Rejected struct {
	Kind  string `json:"kind"`
	Text  string `json:"text"`
	Rule  string `json:"rule"`  // the phrase that was looked for
	Set   string `json:"set"`   // the list that has it
	At    int    `json:"at"`    // how many bytes of the message stood before it
	Tries int    `json:"tries"` // how often the model tried it there
	Let   bool   `json:"let"`   // it stands there all the same: the model had nothing else
	Ended bool   `json:"ended"` // the reply ends there
}

// CaptureStatus is where a capture stands.
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

	// Camera and Focus are how the moment is looked at; the words for it stand in
	// the prompt. Focus holds names of those who matter most, nil for nobody.
	Camera Camera   `json:"camera"`
	Focus  []string `json:"focus"`
	// Words are what the user has added about the camera, at the prompt's end.
	Words string  `json:"words"`
	Batch BatchID `json:"batch"`
	// Board and Shot are the storyboard and the shot of it that this is a sketch of.
	Board NodeID `json:"board"`
	Shot  ShotID `json:"shot"`
	// Order is how that shot is ordered, nil for no shot, or for one that Requested
	// says.
	Order *ShotOrder `json:"order"`
	// Hint is what the director of the story wants to see of the moment, Visual what
	// kind of thing that is: character, object, atmosphere, or "" for no matter.
	Hint   string `json:"hint"`
	Visual string `json:"visual"`
	// From is the capture that this is a variant of.
	From CaptureID `json:"from"`
	// StartImage is the picture that it begins with, nil for none.
	Start *StartImage `json:"start"`
	// Asked tells that the user asked for it in the talk, not by a key.
	Asked bool `json:"asked"`
	// Waiting drafts were sent by the user, but no server was there.
	Waiting bool `json:"waiting"`
	// Wrote is what model and program made of it before the user changed anything,
	// nil while there is no prompt.
	Wrote *CaptureInputs `json:"wrote"`
	// Server is the address of the ComfyUI that was given the job, Job its id
	// there. Both are stored before the job is sent.
	Server string `json:"server"`
	Job    string `json:"job"`
}

// OperationStatus is where an operation stands in the queue.
type OperationStatus string

const (
	Pending    OperationStatus = "pending"
	InProgress OperationStatus = "in_progress"
	Completed  OperationStatus = "completed"
	Failed     OperationStatus = "failed"
	Cancelled  OperationStatus = "cancelled"
)

// Operation is one background job. Higher Priority runs first; among equals the
// older. Lane names what it must not share: operations of one lane run one at a
// time. NotBefore is set while it waits for a retry, or is put off.
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

// Profile is how a kind of work speaks to a model. A zero field means the
// settings' own.
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
