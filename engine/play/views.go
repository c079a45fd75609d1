package play

import (
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// TurnResult is how a request for a reply ended.
type TurnResult struct {
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
	State        storage.State  `json:"-"`
	// Fault is what went wrong with a reply of which a part was kept.
	Fault    string             `json:"error,omitempty"`
	Rejected []storage.Rejected `json:"rejected"` // what the reply was not let say
}

// PromptOptions are the options that go with a prompt.
type PromptOptions struct {
	NumCtx           int      `json:"num_ctx"`
	NumPredict       int      `json:"num_predict"`
	Temperature      *float64 `json:"temperature,omitempty"`
	TopP             *float64 `json:"top_p,omitempty"`
	TopK             *int     `json:"top_k,omitempty"`
	MinP             *float64 `json:"min_p,omitempty"`
	RepeatPenalty    *float64 `json:"repeat_penalty,omitempty"`
	TypicalP         *float64 `json:"typical_p,omitempty"`
	RepeatLastN      *int     `json:"repeat_last_n,omitempty"`
	PresencePenalty  *float64 `json:"presence_penalty,omitempty"`
	FrequencyPenalty *float64 `json:"frequency_penalty,omitempty"`
	Seed             *int     `json:"seed,omitempty"`
	Stop             []string `json:"stop,omitempty"`
}

// PromptView is the next prompt of a chat.
type PromptView struct {
	Model           string           `json:"model"`
	Options         PromptOptions    `json:"options"`
	Messages        []script.Message `json:"messages"`
	Ledger          []script.Part    `json:"ledger"`
	PredictedReread int              `json:"predicted_reread_tokens"`
	Speaker         string           `json:"speaker"` // who is to speak
	// Changes are what differs from the prompt that the server saw last, in the
	// order of the prompt; Break is what costs more than a turn has to, nil for
	// nothing.
	Changes  []script.Change `json:"changes"`
	Warnings []string        `json:"warnings,omitempty"` // of what would have every prompt read anew
	Break    *PrefixBreak    `json:"break,omitempty"`
	// TokenMS is how long this machine needs to read a token, 0 while that is not
	// known.
	TokenMS float64      `json:"token_ms"`
	Last    *RequestCost `json:"last,omitempty"` // nil before the first reply

	Tokens           int            `json:"-"`
	Budget           int            `json:"-"` // tokens that the prompt may have
	OldestInPrompt   storage.NodeID `json:"-"`
	FoldedThisPrompt bool           `json:"-"`
	// Covered and Uncovered are the older messages that are not in the prompt:
	// those that a recap stands for, and those that nothing does.
	Covered   int `json:"-"`
	Uncovered int `json:"-"`
	// Unrecapped are the messages in the prompt that will leave it without a recap: those of
	// ended scenes, where the settings have no recaps made.
	Unrecapped int `json:"-"`
	// PromptUses is what the prompt's tokens are used for.
	Uses PromptUses `json:"uses"`
}

// PromptUses are the tokens of a prompt by what they are used for.
type PromptUses struct {
	Words        int `json:"words"`  // messages, word for word
	Memory       int `json:"memory"` // recaps, memories, hooks, facts
	Lore         int `json:"lore"`
	Cards        int `json:"cards"` // character, persona, scenario, episode, cast, examples
	Instructions int `json:"instructions"`
}

func promptUsesOf(ledger []script.Part) (u PromptUses) {
	for _, p := range ledger {
		if !p.Included {
			continue
		}
		switch p.Layer {
		case script.LayerHistory:
			u.Words += p.Tokens
		case script.LayerMemory, script.LayerMemories, script.LayerHooks, script.LayerRecalled, script.LayerEngagement,
			script.LayerMoment:
			u.Memory += p.Tokens
		case script.LayerLore:
			u.Lore += p.Tokens
		case script.LayerPersona, script.LayerDescription, script.LayerPersonality, script.LayerActor,
			script.LayerScenario,
			script.LayerEpisode, script.LayerCast, script.LayerExamples:
			u.Cards += p.Tokens
		default:
			u.Instructions += p.Tokens
		}
	}
	return u
}

// RequestCost is what the last request of a chat really cost, as far as a server tells: how
// many tokens the prompt has, of which it counts those in its cache too, and the time that
// reading it took. How many of them were read follows from the time alone, and is a guess.
type RequestCost struct {
	Node      storage.NodeID `json:"message"`                 // the reply
	Prompt    int            `json:"prompt_tokens"`           // reported
	Predicted int            `json:"predicted_reread_tokens"` // to be read anew
	// Read is judged by the time that it took; -1 while the speed is not known.
	Read int   `json:"reread_tokens"`
	MS   int64 `json:"prompt_eval_ms"`
	// Backtracks is how often the reply was cut and carried on, RejectedTokens about what that
	// threw away, BacktrackMS how long it took until the next words came, in all.
	Backtracks     int   `json:"backtracks"`
	RejectedTokens int   `json:"rejected_tokens"`
	BacktrackMS    int64 `json:"backtrack_ms"`
	// BegunAnew is how often the reply was begun anew, as its model cannot go on from the
	// beginning of one.
	BegunAnew int `json:"begun_anew,omitempty"`
}

// PrefixBreak is what makes the server read again more than a turn needs: the
// first part of the prompt that has changed, and what that costs.
type PrefixBreak struct {
	Layer   string  `json:"layer"`
	Source  string  `json:"source"`
	What    string  `json:"what"` // in words
	Tokens  int     `json:"tokens"`
	Seconds float64 `json:"seconds"` // 0 while the speed is not known
}
