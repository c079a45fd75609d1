package engine

import (
	"ghostlight/engine/ollama"
	"ghostlight/engine/play/script"
	"ghostlight/storage"
)

// Message is a node as a front end shows it: with its place among its
// siblings (At counts from 0, Siblings from 1) and the picture it stands for.
type Message struct {
	storage.Node
	Siblings int
	At       int
	Picture  *storage.Capture
}

// View is an open chat: the newest messages of the head's path, oldest first,
// and all that is needed to show them. It is a copy; the caller owns it.
type View struct {
	Chat      storage.Chat
	Character storage.Character
	Persona   storage.Persona
	Messages  []Message
	Total     int  // messages from root to head, deleted ones included
	More      bool // there are messages before the first one here
	Draft     string
	Model     string // that the next turn will ask
	Running   storage.NodeID
}

// ChatInfo is a line of the list of chats.
type ChatInfo struct {
	storage.Chat
	CharacterName string
	Messages      int    // from root to head
	Preview       string // how the newest message begins
}

// Turn is how a request for a reply ended.
type Turn struct {
	Chat         storage.ChatID
	UserMessage  storage.NodeID
	Message      storage.NodeID
	Content      string
	Thinking     string
	DoneReason   string
	PromptTokens int
	ReplyTokens  int
	PromptEvalMS int64
	TotalMS      int64
	State        storage.State
	Fault        string
}

// PromptOptions are the options that go with a prompt.
type PromptOptions struct {
	NumCtx        int      `json:"num_ctx"`
	NumPredict    int      `json:"num_predict"`
	Temperature   *float64 `json:"temperature,omitempty"`
	TopP          *float64 `json:"top_p,omitempty"`
	TopK          *int     `json:"top_k,omitempty"`
	MinP          *float64 `json:"min_p,omitempty"`
	RepeatPenalty *float64 `json:"repeat_penalty,omitempty"`
	Seed          *int     `json:"seed,omitempty"`
	Stop          []string `json:"stop,omitempty"`
}

// PromptView is the next prompt of a chat.
type PromptView struct {
	Model            string
	Options          PromptOptions
	Messages         []script.Message
	Ledger           []script.Part
	PredictedReread  int
	Tokens           int
	Room             int // tokens that the prompt may have
	Warnings         []string
	OldestInPrompt   storage.NodeID
	FoldedThisPrompt bool
	// Covered and Uncovered are the older messages that are not in the prompt:
	// those that a recap stands for, and those that nothing does.
	Covered, Uncovered int
	// Changes are what differs from the prompt that the server saw last, in the
	// order of the prompt; Break is what costs more than a turn has to, nil for
	// nothing.
	Changes []script.Change
	Break   *PrefixBreak
	// TokenMS is how long this machine needs to read a token, 0 while that is not
	// known.
	TokenMS float64
	Last    *Measured // nil before the first reply
	Speaker string    // who is to speak
}

// Servers is what is known of the two servers since they were last asked.
type Servers struct {
	Ollama OllamaState
	Comfy  ComfyState
}

// OllamaState is what is known of the Ollama server. Err is in words for the
// user, "" while it answers.
type OllamaState struct {
	URL     string
	Asked   bool // false until the first answer or failure
	Up      bool
	Version string
	Err     string
	Models  []ollama.Model
	Model   string // the default one, "" when none is chosen or there
	Context int    // the context length that requests will carry
}

// ComfyState is what is known of the ComfyUI servers: of that with the shortest
// queue, or of the first where none answers.
type ComfyState struct {
	URL   string
	Asked bool
	Up    bool   // one of them answers
	Err   string // why the first of those that do not answer does not
	Queue int    // jobs that run or wait there
}

// Check is one line of what doctor found.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}
