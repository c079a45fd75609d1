package play

import (
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// TurnResult is the result of a request for a reply.
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
	// Fault describes what went wrong with a reply that was kept in part.
	Fault    string             `json:"error,omitempty"`
	Rejected []storage.Rejected `json:"rejected"` // by the voice rules
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
	Messages        []prompt.Message `json:"messages"`
	Parts           []prompt.Part    `json:"ledger"`
	PredictedReread int              `json:"predicted_reread_tokens"`
	Speaker         string           `json:"speaker"` // name of the next speaker
	// Changes are the differences from the prompt that the server saw last, in prompt order. Break
	// is a change that costs more reading than a turn needs, nil for none.
	Changes  []prompt.Change `json:"changes"`
	Warnings []string        `json:"warnings,omitempty"` // things that make the server read every prompt again
	Miss     *CacheMiss      `json:"break,omitempty"`
	// TokenMS is the time this machine needs to read a token, 0 if unknown.
	TokenMS float64      `json:"token_ms"`
	Last    *RequestCost `json:"last,omitempty"` // nil before the first reply

	Tokens           int            `json:"-"`
	Budget           int            `json:"-"` // tokens that the prompt may have
	OldestInPrompt   storage.NodeID `json:"-"`
	FoldedThisPrompt bool           `json:"-"`
	// Covered and Uncovered count the older messages that are not in the prompt: those that a recap
	// replaces, and those that nothing replaces.
	Covered   int `json:"-"`
	Uncovered int `json:"-"`
	// Unrecapped counts the messages in the prompt that will leave it without a recap: those of
	// ended scenes, if the settings switch recaps off.
	Unrecapped int `json:"-"`
	// Uses divides the prompt's tokens by purpose.
	Uses PromptUses `json:"uses"`
}

// PromptUses holds the tokens of a prompt by purpose.
type PromptUses struct {
	Words        int `json:"words"`  // messages, word for word
	Memory       int `json:"memory"` // recaps, memories, hooks, facts
	Lore         int `json:"lore"`
	Cards        int `json:"cards"` // character, persona, scenario, episode, cast, examples
	Instructions int `json:"instructions"`
}

func promptUsesOf(ledger []prompt.Part) (u PromptUses) {
	for _, p := range ledger {
		if !p.Included {
			continue
		}
		switch p.Layer {
		case prompt.LayerHistory:
			u.Words += p.Tokens
		case prompt.LayerRecap, prompt.LayerMemories, prompt.LayerHooks, prompt.LayerRecalled, prompt.LayerEngagement,
			prompt.LayerMoment:
			u.Memory += p.Tokens
		case prompt.LayerLore:
			u.Lore += p.Tokens
		case prompt.LayerPersona, prompt.LayerDescription, prompt.LayerPersonality, prompt.LayerActor,
			prompt.LayerScenario,
			prompt.LayerEpisode, prompt.LayerCast, prompt.LayerExamples:
			u.Cards += p.Tokens
		default:
			u.Instructions += p.Tokens
		}
	}
	return u
}

// RequestCost is the measured cost of the last request of a chat, as far as the server reports it:
// the tokens of the prompt, including those in the server's cache, and the time to read it. The
// number of tokens that were really read is an estimate from that time.
type RequestCost struct {
	Node      storage.NodeID `json:"message"`                 // the reply
	Prompt    int            `json:"prompt_tokens"`           // reported
	Predicted int            `json:"predicted_reread_tokens"` // to be read again
	// Read is estimated from the time that reading took; -1 if the speed is unknown.
	Read int   `json:"reread_tokens"`
	MS   int64 `json:"prompt_eval_ms"`
	// Backtracks is how often the reply was cut and continued, RejectedTokens about how many tokens
	// that discarded, and BacktrackMS the total wait for the next words.
	Backtracks     int   `json:"backtracks"`
	RejectedTokens int   `json:"rejected_tokens"`
	BacktrackMS    int64 `json:"backtrack_ms"`
	// Restarts is how often the reply was begun again, because its model cannot continue a partial
	// reply.
	Restarts int `json:"begun_anew,omitempty"`
}

// CacheMiss describes a change that makes the server read more again than a turn needs: the first
// changed part of the prompt, and the cost.
type CacheMiss struct {
	Layer   string  `json:"layer"`
	Source  string  `json:"source"`
	What    string  `json:"what"` // description
	Tokens  int     `json:"tokens"`
	Seconds float64 `json:"seconds"` // 0 while the speed is not known
}
