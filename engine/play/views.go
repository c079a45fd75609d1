package play

import (
	"ghostlight/engine/play/script"
	"ghostlight/storage"
)

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
