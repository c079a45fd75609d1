package scenes

import (
	"context"
	"errors"
	"slices"
	"strings"

	"ghostlight/engine/house"
	"ghostlight/engine/ollama"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/queue"
	"ghostlight/engine/scenes/scene"
	"ghostlight/prompts"
	"ghostlight/storage"
)

// leastRidden is from how many tokens on the prompt of a chat is worth keeping in the
// server's cache: less is soon read again.
const leastRidden = 6000

// ride puts a request about a chat behind that chat's own prompt, as the pass after a turn
// stands there: the server has it in its cache, and has it still when the next turn comes.
// A request of its own would cost a reading of the whole chat besides. ok is false where
// the server has something else, where there is no room for it and an answer of least
// tokens, and where others play who do not know all that stands in the prompt.
func ride(ctx context.Context, svc *Service, j house.Job, c storage.Chat, request string, least int) (_ house.Job, prompt []scene.Prompt, ok bool) {
	if svc.core.Config.Stage.Separate || chats.Several(c) || j.Prefill != "" || !svc.house.SameAsChat(j, c.Model) {
		return j, nil, false
	}
	leaf, ok := answered(svc, c)
	if !ok {
		return j, nil, false
	}
	for _, room := range []int{j.Options.NumPredict, least} {
		if room < least {
			continue
		}
		j.Options.NumPredict = room
		prompt, err := svc.house.Appender.AppendedPrompt(ctx, j, c, leaf, "", request)
		if err != nil || j.Fits(prompt) != nil {
			continue
		}
		size := 0
		for _, m := range prompt {
			size += j.Known.Meter.Count(m.Content) + 6
		}
		fresh := svc.house.Appender.Unread(j, prompt)
		kept := size - fresh
		return j, prompt, kept >= leastRidden && fresh <= j.Known.Meter.Count(request)+kept/8
	}
	return j, nil, false
}

// answered is the end of a chat's path, if that is a turn which has its reply.
func answered(svc *Service, c storage.Chat) (leaf storage.NodeID, ok bool) {
	_ = svc.core.Store.View(func(tx *storage.Tx) error {
		for p := range tx.Spine(c.ID, c.Head) {
			if p.Said() {
				n, err := tx.Node(c.ID, p.ID)
				ok = err == nil && n.Role == storage.Assistant && n.Window != ""
				return err
			}
		}
		return nil
	})
	return c.Head, ok
}

// aside is a request as it is said behind a chat's own prompt.
func aside(request []scene.Prompt) string {
	var parts []string
	for _, m := range request {
		parts = append(parts, m.Content)
	}
	return "[Out of character.\n\n" + strings.Join(parts, "\n\n") + "]"
}

// riding is a request that puts texts together, behind the chat's own prompt where it can
// stand there.
func riding(ctx context.Context, svc *Service, j house.Job, c storage.Chat, own []scene.Prompt, texts ...string) (house.Job, []scene.Prompt) {
	least := mergeFrame
	for _, text := range texts {
		least += j.Known.Meter.Count(text)
	}
	if behind, prompt, ok := ride(ctx, svc, j, c, aside(own), least); ok {
		return behind, prompt
	}
	return j, own
}

// askRecap asks for the recap of a scene: at the end of the chat's own prompt where all of
// the scene stands in that, else by a request of its own.
func askRecap(ctx context.Context, svc *Service, j house.Job, t recapInput, form house.AnswerForm, report func(queue.Progress)) error {
	if behind, prompt, ok := recapBehind(ctx, svc, j, t); ok {
		err := svc.house.AskJob(ctx, behind, prompt, form, report)
		var answer *ollama.AnswerError
		if !errors.As(err, &answer) || answer.Ending != ollama.EndLength {
			return err
		}
	}
	return svc.house.AskJob(ctx, j, scene.RecapPrompt(svc.core.Set(), t.in), form, report)
}

// recapBehind is the request for a scene's recap as it stands behind the chat's prompt.
func recapBehind(ctx context.Context, svc *Service, j house.Job, t recapInput) (house.Job, []scene.Prompt, bool) {
	if !slices.Contains([]string{"", "both"}, svc.core.Config.Scenes.Types) {
		return j, nil, false
	}
	in := t.in
	in.Lore = loreIn(t.known, min(t.room.beside, mostKnownBehind), j.Known.Meter.Count)
	request := scene.AppendedPrompt(svc.core.Set(), in)
	if request == nil {
		return j, nil, false
	}
	behind, prompt, ok := ride(ctx, svc, j, t.chat, aside(request), min(j.Options.NumPredict, recapAnswer))
	return behind, prompt, ok && standsIn(prompt, t.in.Messages)
}

const (
	// recapAnswer is the least room for the record of a scene, in tokens.
	recapAnswer = 1200
	// mostKnownBehind is what a recap that stands behind the chat's prompt is told of the
	// lorebook at most, in tokens: much of that stands in the prompt.
	mostKnownBehind = 400
)

// standsIn tells whether a prompt has all the messages, word for word and in their order.
func standsIn(prompt []prompts.Message, messages []scene.Message) bool {
	at := 0
	for _, m := range messages {
		for at < len(prompt) && (prompt[at].Role != string(m.Role) || prompt[at].Content != m.Text) {
			at++
		}
		if at == len(prompt) {
			return false
		}
		at++
	}
	return true
}
