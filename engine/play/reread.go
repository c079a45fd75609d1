package play

import (
	"context"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// countReread predicts how many tokens the server will read again.
func (svc *Service) countReread(model string, next []prompt.Message, known *models.KnownModel) int {
	last := svc.lastRead()
	if last.model != model {
		last.messages = nil
	}
	return prompt.Reread(last.messages, next, known.Meter.Count)
}

// lastRead returns what the server has in its cache. It has no messages and no prompt once the
// server has unloaded the model.
func (svc *Service) lastRead() lastPrompt {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	if time.Since(svc.lastAsked) > svc.models.Ollama.KeepAlive() {
		svc.last.messages, svc.last.prompt = nil, nil
	}
	return svc.last
}

func promptOf(sent []prompts.Message) []prompt.Message {
	list := make([]prompt.Message, len(sent))
	for i, m := range sent {
		list[i] = prompt.Message{Role: m.Role, Content: m.Content}
	}
	return list
}

// learn records what the server has now read, and corrects the token estimate by the numbers it
// reported. It returns the estimate's new ratio if that has changed.
func (svc *Service) learn(p preparedRequest, res ollama.Result) *float64 {
	seen := slices.Clone(p.prompt.Messages)
	n := len(seen)
	switch {
	case n == 0:
		return nil // it was stopped before anything was sent
	case seen[n-1].Role == string(storage.Assistant):
		seen[n-1].Content += res.Content // the server continues that message
	default:
		seen = append(seen, prompt.Message{Role: string(storage.Assistant), Content: res.Content})
	}
	svc.mu.Lock()
	svc.last = lastPrompt{model: p.request.Model, chat: p.moment.Chat.ID, messages: seen, prompt: &p.prompt}
	svc.lastAsked = time.Now()
	svc.mu.Unlock()
	if res.PromptTokens == 0 || p.meter == nil {
		return nil
	}
	before := p.meter.Ratio()
	p.meter.Observe(p.prompt.Tokens, res.PromptTokens)
	if after := p.meter.Ratio(); after != before {
		return &after
	}
	return nil
}

// findCacheMiss returns the part of a prompt that makes the server read more again than a turn
// needs, nil for none.
func (svc *Service) findCacheMiss(model string, prev, next *prompt.Prompt, count func(string) int) *CacheMiss {
	b, ok := prompt.FindCacheMiss(prev, next, count)
	if !ok {
		return nil
	}
	return &CacheMiss{Layer: b.Layer, Source: b.Source, What: b.What, Tokens: b.Tokens,
		Seconds: float64(b.Tokens) * svc.models.TokenMS(model) / 1000}
}

// warnCacheMiss warns if a prompt that is about to be sent begins differently than the one before
// it in the same chat. It ignores breaks that the program causes regularly, such as a fold or a new
// recap.
func (svc *Service) warnCacheMiss(p preparedRequest) {
	last := svc.lastRead()
	if last.prompt == nil || last.chat != p.moment.Chat.ID || last.model != p.request.Model ||
		chats.IsGroup(p.moment.Chat) {
		return
	}
	b := svc.findCacheMiss(last.model, last.prompt, &p.prompt, p.meter.Count)
	if b == nil || b.Layer == prompt.LayerHistory || b.Layer == prompt.LayerRecap {
		return
	}
	svc.core.Emit(CacheMissed{Chat: last.chat, Miss: *b})
}

// measured returns the real cost of the newest reply of a path, nil if there is none.
func (svc *Service) measured(model string, path []storage.Node) *RequestCost {
	for i := len(path) - 1; i >= 0; i-- {
		n := &path[i]
		if n.Role != storage.Assistant || n.Usage == nil {
			continue
		}
		m := &RequestCost{Node: n.ID, Prompt: n.Usage.PromptTokens, Predicted: n.Usage.EstimatedRead,
			MS:         n.Usage.PromptEvalMS,
			Backtracks: n.Usage.Backtracks, RejectedTokens: n.Usage.RejectedTokens, BacktrackMS: n.Usage.BacktrackMS,
			Restarts: n.Usage.Restarts}
		m.Read = models.EstimateRead(svc.models.TokenMS(model), m.MS, m.Prompt)
		return m
	}
	return nil
}

// stableHash returns a hash of a prompt's first message, to compare the beginnings of prompts.
func stableHash(msgs []prompt.Message) string {
	if len(msgs) == 0 {
		return ""
	}
	return core.ContentHash(msgs[0].Content)
}

// promptBefore returns what the server saw last, as messages and as the prompt that was compiled
// for the chat. In a process that has not sent anything yet, it compiles the prompt of the chat's
// last reply again: the server saw that one last, if this chat was the last one used.
func (svc *Service) promptBefore(ctx context.Context, model string, snap prompt.Snapshot, m chats.Viewpoint,
	path []storage.Node) ([]prompt.Message, *prompt.Prompt) {
	last := svc.lastRead()
	switch {
	case last.model == model && last.chat == m.Chat.ID:
		return last.messages, last.prompt
	case last.model == model:
		return last.messages, nil
	case last.model != "":
		return nil, nil
	}
	for i := len(path) - 1; i > 0; i-- {
		if path[i].Role != storage.Assistant || path[i].Usage == nil {
			continue
		}
		was := path[i].Usage.Stable
		snap.History, snap.Window = path[:i], path[i].Window
		snap.AuthorNote = m.Chat.AuthorNote
		if err := svc.core.Store.View(func(tx *storage.Tx) error {
			_, _, err := svc.addContext(tx, &snap, m, director.NewestEmbedding{})
			return err
		}); err != nil {
			return nil, nil
		}
		p, err := prompt.Compile(snap)
		if err != nil {
			return nil, nil
		}
		if was != "" && was != stableHash(p.Messages) {
			return []prompt.Message{}, nil // it was another prompt
		}
		return append(p.Messages, prompt.Message{Role: "assistant", Content: path[i].Content}), &p
	}
	return nil, nil
}

// NoteOtherPrompt records that the server has read something other than a chat's prompt.
func (svc *Service) NoteOtherPrompt(a models.BackgroundPrompt) {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	if svc.last.model != a.Model {
		return
	}
	svc.lastAsked = time.Now()
	seen, had := promptOf(a.Prompt), svc.last.messages
	kept := commonPrefix(had, seen)
	if svc.last.prompt != nil && len(kept) == len(had) {
		return // it followed the chat's prompt, which the server still has
	}
	if a.Broken {
		seen = kept
	}
	svc.last.messages, svc.last.prompt = seen, nil
}

// ForgetCachedPrompt records that models were unloaded: the server's cache has nothing of them any more.
func (svc *Service) ForgetCachedPrompt(models []string) {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	svc.last.messages, svc.last.prompt = nil, nil
	if svc.last.model == "" {
		svc.last.model = models[0]
	}
}
