package play

import (
	"time"

	"ghostlight/cmd/ghostlight/cli"
	"ghostlight/engine/play"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/play/script"
	"ghostlight/storage"
)

type chatLine struct {
	cli.ChatDoc
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

func newChatLine(c chats.ChatInfo) chatLine {
	return chatLine{cli.NewChatDoc(c.Chat), c.CharacterName, c.Persona, c.Model, c.Messages, c.Preview, c.CreatedAt, c.UpdatedAt, c.Play.Series, c.Play.Episode}
}

type messageDoc struct {
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

func newMessageDocs(list []chats.Message) []messageDoc {
	out := []messageDoc{}
	for _, m := range list {
		doc := messageDoc{m.ID, m.Parent, m.Depth, shownRole(m), m.Name, m.Content, m.Thinking, m.State, m.CreatedAt,
			m.Siblings, m.Stale, m.Fault, m.Capture, m.Speaker, false, nil}
		if p := m.Presence; p != nil {
			doc.Whisper, doc.HeardBy = p.Whisper, cli.OrEmpty(p.Witnesses)
		}
		out = append(out, doc)
	}
	return out
}

type showDoc struct {
	ID       storage.ChatID `json:"id"`
	Title    string         `json:"title"`
	Head     storage.NodeID `json:"head"`
	Messages []messageDoc   `json:"messages"`
}

// turnDoc is what a request for a reply came to. Error says what went wrong
// with a reply of which a part was kept.
type turnDoc struct {
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

func newTurnDoc(t play.Turn, words string) turnDoc {
	return turnDoc{t.Chat, t.UserMessage, t.Message, t.Content, t.Thinking, t.DoneReason, t.PromptTokens, t.ReplyTokens,
		t.PromptEvalMS, t.TotalMS, words}
}

// promptDoc is the next prompt. Break and Last are missing where nothing costs
// more than a turn has to, and before the first reply.
type promptDoc struct {
	Model           string             `json:"model"`
	Options         play.PromptOptions `json:"options"`
	Messages        []script.Message   `json:"messages"`
	Ledger          []script.Part      `json:"ledger"`
	PredictedReread int                `json:"predicted_reread_tokens"`
	Speaker         string             `json:"speaker"`
	Changes         []script.Change    `json:"changes"`            // since the prompt that the server saw last
	Warnings        []string           `json:"warnings,omitempty"` // of what would have every prompt read anew
	Break           *breakageDoc       `json:"break,omitempty"`
	TokenMS         float64            `json:"token_ms"` // to read one; 0 while that is not known
	Last            *measuredDoc       `json:"last,omitempty"`
}

// breakageDoc is what makes the server read again more than a turn needs.
type breakageDoc struct {
	Layer   string  `json:"layer"`
	Source  string  `json:"source"`
	What    string  `json:"what"`
	Tokens  int     `json:"tokens"`
	Seconds float64 `json:"seconds"` // 0 while the machine's speed is not known
}

// measuredDoc is what the last request of a chat really cost.
type measuredDoc struct {
	Message   storage.NodeID `json:"message"`
	Prompt    int            `json:"prompt_tokens"`
	Predicted int            `json:"predicted_reread_tokens"`
	Read      int            `json:"reread_tokens"` // -1 while the machine's speed is not known
	MS        int64          `json:"prompt_eval_ms"`
}

func newPromptDoc(v play.PromptView) promptDoc {
	doc := promptDoc{Model: v.Model, Options: v.Options, Messages: cli.OrEmpty(v.Messages), Ledger: cli.OrEmpty(v.Ledger), PredictedReread: v.PredictedReread,
		Speaker: v.Speaker, Changes: cli.OrEmpty(v.Changes), Warnings: v.Warnings, TokenMS: v.TokenMS}
	if b := v.Break; b != nil {
		doc.Break = &breakageDoc{b.Layer, b.Source, b.What, b.Tokens, b.Seconds}
	}
	if m := v.Last; m != nil {
		doc.Last = &measuredDoc{m.Node, m.Prompt, m.Predicted, m.Read, m.MS}
	}
	return doc
}

type castDoc struct {
	Chat       storage.ChatID      `json:"chat"`
	Order      storage.TurnOrder   `json:"order"`
	Next       storage.CharacterID `json:"next"`
	NextName   string              `json:"next_name"`
	Why        string              `json:"why"`
	Characters []castMemberDoc     `json:"characters"`
}

type castMemberDoc struct {
	ID        storage.CharacterID `json:"id"`
	Name      string              `json:"name"`
	Main      bool                `json:"main"`
	Away      bool                `json:"away"`
	HasAvatar bool                `json:"has_avatar"`
}

func newCastDoc(chat storage.ChatID, list chats.CastList) castDoc {
	doc := castDoc{Chat: chat, Order: list.Order, Next: list.Next, Why: list.Why, Characters: []castMemberDoc{}}
	if doc.Order == "" {
		doc.Order = storage.OrderRobin
	}
	for _, c := range list.List {
		doc.Characters = append(doc.Characters, castMemberDoc{c.Character, c.Name, c.Main, c.Away, c.HasAvatar})
		if c.Character == list.Next {
			doc.NextName = c.Name
		}
	}
	return doc
}
