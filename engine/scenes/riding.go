package scenes

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// leastRidden is from how many tokens on the prompt of a chat is worth keeping in the
// server's cache: less is soon read again.
const leastRidden = 3000

// ride puts a request about a chat behind that chat's own prompt, as the pass after a turn
// stands there: the server has it in its cache, and has it still when the next turn comes.
// A request of its own would cost a reading of the whole chat besides. ok is false where
// the server has something else, where there is no room for it and an answer of least
// tokens, and where others play who do not know all that stands in the prompt.
func ride(ctx context.Context, svc *Service, j house.Job, c storage.Chat, request string, least int) (_ house.Job, prompt []scene.Prompt, ok bool) {
	if !rides(svc, j, c) {
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
	return j, headed(svc, j, c, own)
}

// headed puts a request that cannot stand behind the chat's whole prompt behind what that
// begins with: the character and the rules of the play, which stay whatever else folds.
// They take room, but the server does not lose them: in a context of 8,192 tokens, where
// such requests come right before a fold, that fold reads 2,200 tokens and not 3,600.
func headed(svc *Service, j house.Job, c storage.Chat, own []scene.Prompt) []scene.Prompt {
	if !rides(svc, j, c) {
		return own
	}
	head := svc.house.Appender.Head(j, c)
	prompt := append(head, scene.Prompt{Role: string(storage.User), Content: aside(own)})
	if head == nil || j.Fits(prompt) != nil {
		return own
	}
	return prompt
}

// rides tells whether requests may stand behind a chat's own prompt at all.
func rides(svc *Service, j house.Job, c storage.Chat) bool {
	return !svc.core.Settings().Stage.Separate && !chats.Several(c) && j.Prefill == "" && svc.house.SameAsChat(j, c)
}

// askRecap asks for the recap of a scene: at the end of the chat's own prompt where all of
// the scene stands in that, else by a request of its own.
func askRecap(ctx context.Context, svc *Service, j house.Job, t recapInput, form house.AnswerForm, report func(queue.Progress)) error {
	behind, prompt, ok := recordBehind(ctx, svc, j, t, t.in.Messages, func(in scene.Input) []scene.Prompt { return scene.AppendedPrompt(svc.core.Set(), in) })
	return askBehind(ctx, svc, j, t.chat, behind, prompt, ok, scene.RecapPrompt(svc.core.Set(), t.in), form, report)
}

// askBehind asks behind the chat's prompt where a request can stand there (ok), and else,
// or where the answer has no room there, by a request of its own.
func askBehind(ctx context.Context, svc *Service, j house.Job, c storage.Chat, behind house.Job, prompt []scene.Prompt, ok bool, own []scene.Prompt, form house.AnswerForm, report func(queue.Progress)) error {
	if ok {
		err := svc.house.AskJob(ctx, behind, prompt, form, report)
		var answer *ollama.AnswerError
		if !errors.As(err, &answer) || answer.Ending != ollama.EndLength {
			return err
		}
	}
	return svc.house.AskJob(ctx, j, headed(svc, j, c, own), form, report)
}

// partBehind is the request for the record of a part of a scene as it stands behind the
// chat's prompt: where that has all of the part's messages, and none is cut.
func partBehind(ctx context.Context, svc *Service, j house.Job, t recapInput, in scene.Input, part scene.Part) (house.Job, []scene.Prompt, bool) {
	return recordBehind(ctx, svc, j, t, part.Messages, func(with scene.Input) []scene.Prompt {
		in.Lore = with.Lore
		return scene.PartAppendedPrompt(svc.core.Set(), in, part)
	})
}

// recordBehind is a request for the record of messages as it stands behind the chat's
// prompt, if they all stand in that.
func recordBehind(ctx context.Context, svc *Service, j house.Job, t recapInput, messages []scene.Message, request func(scene.Input) []scene.Prompt) (house.Job, []scene.Prompt, bool) {
	if !slices.Contains([]string{"", "both"}, svc.core.Settings().Scenes.Types) {
		return j, nil, false
	}
	in := t.in
	in.Lore = loreIn(t.known, min(t.room.beside, int(float64(j.Options.NumCtx)*mostKnownBehind)), j.Known.Meter.Count)
	asked := request(in)
	if asked == nil {
		return j, nil, false
	}
	behind, prompt, ok := ride(ctx, svc, j, t.chat, aside(asked), min(j.Options.NumPredict, recapAnswer))
	return behind, prompt, ok && standsIn(prompt, messages)
}

const (
	// recapAnswer is the least room for the record of a scene, in tokens.
	recapAnswer = 900
	// mostKnownBehind is what a recap that stands behind the chat's prompt is told of the
	// lorebook at most, a share of the context: much of that stands in the prompt.
	mostKnownBehind = 1.0 / 40
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
