package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"time"

	"ghostlight/engine/comfy"
	"ghostlight/engine/failure"
	"ghostlight/engine/house"
	"ghostlight/engine/ollama"
	"ghostlight/engine/play"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/play/script"
	"ghostlight/prompts"
	"ghostlight/storage"
)

// The documents that --json prints. Other programs rely on them: names and
// meanings stay, and a list is never null.

type chatShape struct {
	ID        storage.ChatID      `json:"id"`
	Title     string              `json:"title"`
	Character storage.CharacterID `json:"character"`
	Head      storage.NodeID      `json:"head"`
}

func shapeChat(c storage.Chat) chatShape { return chatShape{c.ID, c.Title, c.Character, c.Head} }

type chatLine struct {
	chatShape
	CharacterName string            `json:"character_name"`
	Persona       storage.PersonaID `json:"persona"`
	Model         string            `json:"model"`
	Messages      int               `json:"messages"`
	Preview       string            `json:"preview"`
	CreatedAt     time.Time         `json:"created_at"`
	UpdatedAt     time.Time         `json:"updated_at"`
	Series        storage.SeriesID  `json:"series,omitempty"`  // that it belongs to
	Episode       storage.EpisodeID `json:"episode,omitempty"` // that it plays
}

func shapeChats(list []chats.ChatInfo) []chatLine {
	out := []chatLine{}
	for _, c := range list {
		out = append(out, chatLine{shapeChat(c.Chat), c.CharacterName, c.Persona, c.Model, c.Messages, c.Preview, c.CreatedAt, c.UpdatedAt, c.Play.Series, c.Play.Episode})
	}
	return out
}

type messageShape struct {
	ID        storage.NodeID    `json:"id"`
	Parent    storage.NodeID    `json:"parent"` // "" at a root
	Depth     int               `json:"depth"`
	Role      storage.Role      `json:"role"`
	Name      string            `json:"name"`
	Content   string            `json:"content"`
	Thinking  string            `json:"thinking,omitempty"`
	State     storage.State     `json:"state"`
	CreatedAt time.Time         `json:"created_at"`
	Siblings  int               `json:"siblings"` // itself included
	Stale     bool              `json:"stale,omitempty"`
	Fault     string            `json:"fault,omitempty"`
	Capture   storage.CaptureID `json:"capture,omitempty"` // the picture that it shows

	// Where several characters play: who said it, and who of them witnessed it
	// where not all did.
	Speaker storage.CharacterID   `json:"speaker,omitempty"`
	Whisper bool                  `json:"whisper,omitempty"`
	HeardBy []storage.CharacterID `json:"heard_by,omitempty"`
}

// shownRole is who a message is shown as: a picture that was asked for is the
// character's.
func shownRole(m chats.Message) storage.Role {
	if m.Requested() {
		return storage.Assistant
	}
	return m.Role
}

func shapeMessages(list []chats.Message) []messageShape {
	out := []messageShape{}
	for _, m := range list {
		doc := messageShape{m.ID, m.Parent, m.Depth, shownRole(m), m.Name, m.Content, m.Thinking, m.State, m.CreatedAt,
			m.Siblings, m.Stale, m.Fault, m.Capture, m.Speaker, false, nil}
		if p := m.Presence; p != nil {
			doc.Whisper, doc.HeardBy = p.Whisper, orNone(p.Witnesses)
		}
		out = append(out, doc)
	}
	return out
}

type showShape struct {
	ID       storage.ChatID `json:"id"`
	Title    string         `json:"title"`
	Head     storage.NodeID `json:"head"`
	Messages []messageShape `json:"messages"`
}

// turnShape is what a request for a reply came to. Error says what went wrong
// with a reply of which a part was kept.
type turnShape struct {
	Chat         storage.ChatID `json:"chat"`
	UserMessage  storage.NodeID `json:"user_message"`
	Message      storage.NodeID `json:"message"`
	Content      string         `json:"content"`
	Thinking     string         `json:"thinking"`
	DoneReason   string         `json:"done_reason"`
	PromptTokens int            `json:"prompt_tokens"`
	ReplyTokens  int            `json:"reply_tokens"`
	PromptEvalMS int64          `json:"prompt_eval_ms"`
	TotalMS      int64          `json:"total_ms"`
	Error        string         `json:"error,omitempty"`
}

func shapeTurn(t play.Turn, words string) turnShape {
	return turnShape{t.Chat, t.UserMessage, t.Message, t.Content, t.Thinking, t.DoneReason, t.PromptTokens, t.ReplyTokens,
		t.PromptEvalMS, t.TotalMS, words}
}

// promptShape is the next prompt. Break and Last are missing where nothing costs
// more than a turn has to, and before the first reply.
type promptShape struct {
	Model           string             `json:"model"`
	Options         play.PromptOptions `json:"options"`
	Messages        []script.Message   `json:"messages"`
	Ledger          []script.Part      `json:"ledger"`
	PredictedReread int                `json:"predicted_reread_tokens"`
	Speaker         string             `json:"speaker"`
	Changes         []script.Change    `json:"changes"`            // since the prompt that the server saw last
	Warnings        []string           `json:"warnings,omitempty"` // of what would have every prompt read anew
	Break           *breakageShape     `json:"break,omitempty"`
	TokenMS         float64            `json:"token_ms"` // to read one; 0 while that is not known
	Last            *measuredShape     `json:"last,omitempty"`
}

// breakageShape is what makes the server read again more than a turn needs.
type breakageShape struct {
	Layer   string  `json:"layer"`
	Source  string  `json:"source"`
	What    string  `json:"what"`
	Tokens  int     `json:"tokens"`
	Seconds float64 `json:"seconds"` // 0 while the machine's speed is not known
}

// measuredShape is what the last request of a chat really cost.
type measuredShape struct {
	Message   storage.NodeID `json:"message"`
	Prompt    int            `json:"prompt_tokens"`
	Predicted int            `json:"predicted_reread_tokens"`
	Read      int            `json:"reread_tokens"` // -1 while the machine's speed is not known
	MS        int64          `json:"prompt_eval_ms"`
}

func shapePrompt(v play.PromptView) promptShape {
	doc := promptShape{Model: v.Model, Options: v.Options, Messages: orNone(v.Messages), Ledger: orNone(v.Ledger), PredictedReread: v.PredictedReread,
		Speaker: v.Speaker, Changes: orNone(v.Changes), Warnings: v.Warnings, TokenMS: v.TokenMS}
	if b := v.Break; b != nil {
		doc.Break = &breakageShape{b.Layer, b.Source, b.What, b.Tokens, b.Seconds}
	}
	if m := v.Last; m != nil {
		doc.Last = &measuredShape{m.Node, m.Prompt, m.Predicted, m.Read, m.MS}
	}
	return doc
}

type characterLine struct {
	ID        storage.CharacterID `json:"id"`
	Name      string              `json:"name"`
	Immersion storage.Immersion   `json:"immersion"`
	Tags      []string            `json:"tags"`
	HasAvatar bool                `json:"has_avatar"`
	CreatedAt time.Time           `json:"created_at"`
	UpdatedAt time.Time           `json:"updated_at"`
}

func shapeCharacterLine(c storage.Character) characterLine {
	return characterLine{c.ID, c.Card.Name, c.Immersion, orNone(c.Card.Tags), c.HasAvatar, c.CreatedAt, c.UpdatedAt}
}

type characterShape struct {
	characterLine
	Card     storage.Card    `json:"card"`
	Actor    actorShape      `json:"actor"`
	Imagery  storage.Imagery `json:"imagery"`
	Warnings []string        `json:"warnings,omitempty"` // of an import
}

func shapeCharacter(c storage.Character, warnings []string) characterShape {
	return characterShape{shapeCharacterLine(c), c.Card, shapeActor(c.Actor), c.Imagery, warnings}
}

type personaShape struct {
	ID          storage.PersonaID `json:"id"`
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Default     bool              `json:"default"`
}

func shapePersona(p storage.Persona) personaShape {
	return personaShape{p.ID, p.Name, p.Description, p.Default}
}

type capturePromptShape struct {
	ID             storage.CaptureID `json:"id"`
	Kind           string            `json:"kind"`
	Prompt         string            `json:"prompt"`
	NegativePrompt string            `json:"negative_prompt"`
	Reasoning      string            `json:"reasoning"`
	Words          int               `json:"words"`
	Warnings       []string          `json:"warnings"`
}

type captureSendShape struct {
	ID             storage.CaptureID     `json:"id"`
	Status         storage.CaptureStatus `json:"status"`
	Seed           *int64                `json:"seed"`
	FinalPrompt    string                `json:"final_prompt"`
	ImagePath      string                `json:"image_path"` // absolute, "" while there is none
	ThumbnailPath  string                `json:"thumbnail_path"`
	GenerationTime float64               `json:"generation_time"` // seconds
	Error          string                `json:"error,omitempty"`
}

func (d *door) shapeCaptureSend(c storage.Capture) captureSendShape {
	return captureSendShape{c.ID, c.Status, c.Seed, c.FinalPrompt, d.inData(c.ImagePath), d.inData(c.ThumbnailPath), c.GenerationTime, c.Error}
}

type captureShape struct {
	captureSendShape
	Chat           storage.ChatID `json:"chat"`
	At             storage.NodeID `json:"at"`
	Message        storage.NodeID `json:"message"` // that shows it, "" while none does
	Kind           string         `json:"kind"`
	Requested      string         `json:"requested"`
	Prompt         string         `json:"prompt"`       // as it would be sent
	ImagePrompt    string         `json:"image_prompt"` // as the user saw and sent it, "" while it is a draft of the model's
	NegativePrompt string         `json:"negative_prompt"`
	Reasoning      string         `json:"reasoning"`
	Workflow       string         `json:"workflow"`
	WorkflowID     string         `json:"workflow_id"` // the same, under the name that the stored record has
	ImageID        string         `json:"image_id"`
	Width          int            `json:"width"`
	Height         int            `json:"height"`
	Warnings       []string       `json:"warnings"`
	CreatedAt      time.Time      `json:"created_at"`
	UpdatedAt      time.Time      `json:"updated_at"`
}

func (d *door) shapeCapture(c storage.Capture) captureShape {
	return captureShape{d.shapeCaptureSend(c), c.Chat, c.At, c.Node, c.Kind, c.Requested, first(c.ImagePrompt, c.Prompt), c.ImagePrompt, c.NegativePrompt,
		c.Reasoning, c.Workflow, c.Workflow, c.ImageID, c.Width, c.Height, orNone(c.Warnings), c.CreatedAt, c.UpdatedAt}
}

// inData is the full path of a file below the data folder.
func (d *door) inData(rel string) string {
	if rel == "" {
		return ""
	}
	return filepath.Join(d.at.data, rel)
}

type operationShape struct {
	ID           storage.OperationID     `json:"id"`
	Type         string                  `json:"type"`
	Status       storage.OperationStatus `json:"status"`
	Priority     int                     `json:"priority"`
	Dependencies []storage.OperationID   `json:"dependencies"`
	Attempts     int                     `json:"attempts"`
	Error        string                  `json:"error,omitempty"`
	Blocked      string                  `json:"blocked,omitempty"` // why it waits for somebody
	CreatedAt    time.Time               `json:"created_at"`
	StartedAt    *time.Time              `json:"started_at"`
	CompletedAt  *time.Time              `json:"completed_at"`
}

func shapeOperation(o storage.Operation, blocked string) operationShape {
	return operationShape{o.ID, o.Type, o.Status, o.Priority, orNone(o.Dependencies), o.Attempts, o.Error, blocked, o.CreatedAt,
		whenSet(o.StartedAt), whenSet(o.CompletedAt)}
}

// operationWholeShape is an operation with what it was given and what came of it.
type operationWholeShape struct {
	operationShape
	Lane      string          `json:"lane"`
	Params    json.RawMessage `json:"params,omitempty"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	NotBefore *time.Time      `json:"not_before,omitempty"` // it waits for another try
}

func shapeOperationWhole(o storage.Operation, blocked string) operationWholeShape {
	return operationWholeShape{shapeOperation(o, blocked), discreetLane(o.Lane), o.Params, o.Metadata, o.Result, whenSet(o.NotBefore)}
}

// discreetLane is the name of a lane without the password of an address in it.
func discreetLane(lane string) string {
	name, server, ok := strings.Cut(lane, " ")
	if !ok {
		return lane
	}
	return name + " " + discreetAddress(server)
}

type modelLine struct {
	Name          string    `json:"name"`
	Size          int64     `json:"size"` // bytes
	Family        string    `json:"family"`
	ParameterSize string    `json:"parameter_size"`
	Quantization  string    `json:"quantization"`
	ModifiedAt    time.Time `json:"modified_at"`
	Loaded        bool      `json:"loaded"`
}

func shapeModel(m ollama.Model, loaded bool) modelLine {
	return modelLine{m.Name, m.Size, m.Family, m.ParameterSize, m.Quantization, m.Modified, loaded}
}

type modelShape struct {
	Name          string   `json:"name"`
	ContextLength int      `json:"context_length"`
	Capabilities  []string `json:"capabilities"`
	Family        string   `json:"family"`
	ParameterSize string   `json:"parameter_size"`
	Quantization  string   `json:"quantization"`
}

type promptFiles struct {
	Prompts []prompts.Info `json:"prompts"`
	Faults  []string       `json:"faults"`
}

type workflowShape struct {
	Name     string     `json:"name"`
	BuiltIn  bool       `json:"built_in"`
	Kind     comfy.Kind `json:"kind"`
	How      string     `json:"how"`
	Found    []string   `json:"found"`
	Warnings []string   `json:"warnings"`
}

func shapeWorkflow(w comfy.Workflow) workflowShape {
	p := w.Inspect()
	return workflowShape{w.Name, w.Builtin, p.Kind, p.How, orNone(p.Found), orNone(p.Warnings)}
}

type checksShape struct {
	Checks []house.Check `json:"checks"`
	Error  string        `json:"error,omitempty"`
}

// orNone is an empty list in place of none at all.
func orNone[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// whenSet is a time, or nothing where there is none.
func whenSet(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func wordsOf(faults []error) []string {
	out := []string{}
	for _, err := range faults {
		out = append(out, failure.Words(err))
	}
	return out
}
