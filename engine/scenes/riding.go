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
		prompt, _, err := svc.house.Appender.AppendedPrompt(ctx, j, c, leaf, "", request)
		if err != nil || j.Fits(prompt) != nil {
			continue
		}
		fresh := svc.house.Appender.Unread(j, prompt)
		kept := tokensOf(j, prompt) - fresh
		return j, prompt, kept >= leastRidden && fresh <= j.Known.Meter.Count(request)+kept/8
	}
	return j, nil, false
}

func tokensOf(j house.Job, prompt []scene.Prompt) (n int) {
	for _, m := range prompt {
		n += j.Known.Meter.Count(m.Content) + 6
	}
	return n
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
	if behind, prompt, ok := ride(ctx, svc, j, c, aside(own), answerSize(j, texts)); ok {
		return behind, prompt
	}
	if prompt := behindPart(svc, j, c, aside(own), nil, whole); prompt != nil {
		return j, prompt
	}
	return j, own
}

// How much of a chat's prompt a request may stand behind that has no room behind all of it.
const (
	whole = 0
	head  = 1 // what it begins with: the character and the rules of the play

	leastHead = 800 // tokens that are worth keeping of that
)

// behindPart puts a request that has no room behind a chat's whole prompt behind as much of
// that as has room, and of which the server has all in its cache: with the messages that the
// request is about, if any, and no more than most of the prompt's. What is behind there is
// lost; but mostly the history folds next, and then no more than the head would stay. nil
// where that does not do.
//
// In a context of 8,192 tokens, where such requests come right before a fold, a request of
// its own costs 3,200 tokens and the fold 3,600; so they cost 1,600 and 2,200.
func behindPart(svc *Service, j house.Job, c storage.Chat, request string, about []scene.Message, most int) []scene.Prompt {
	if !rides(svc, j, c) {
		return nil
	}
	kept := svc.house.Appender.Kept(j, c)
	if most > 0 {
		kept = kept[:min(len(kept), most)]
	}
	long := tokensOf(j, kept) >= leastRidden
	for n := len(kept); n > 0; n-- {
		switch {
		case n > 1 && (!long || kept[n-1].Role != string(storage.Assistant)): // models expect the user after a reply
			continue
		case n == 1 && (kept[0].Role != string(storage.System) || tokensOf(j, kept[:1]) < leastHead), !standsIn(kept[:n], about):
			return nil
		}
		if prompt := append(kept[:n:n], scene.Prompt{Role: string(storage.User), Content: request}); j.Fits(prompt) == nil {
			return prompt
		}
	}
	return nil
}

// rides tells whether requests may stand behind a chat's own prompt at all.
func rides(svc *Service, j house.Job, c storage.Chat) bool {
	return !svc.core.Settings().Stage.Separate && !chats.Several(c) && j.Prefill == "" && svc.house.SameAsChat(j, c)
}

// recording is a request for the record of messages: as it stands behind a prompt that has
// them, nil where it cannot, and as it stands by itself.
type recording struct {
	messages []scene.Message
	behind   func(scene.Input) []scene.Prompt
	own      []scene.Prompt
}

// askRecord asks for a record of in: behind the chat's own prompt, or what of that has room,
// and where the answer has no room there by a request of its own.
func (t *recapInput) askRecord(ctx context.Context, svc *Service, j house.Job, r recording, in scene.Input, a *scene.Answer, report func(queue.Progress)) error {
	form := house.AnswerForm{Schema: scene.RecapSchema(), Form: scene.RecapForm(), Into: a, Check: func() error { return a.Check(in) }, Usable: a.Usable, Show: scene.Partial}
	if behind, prompt, ok := t.behind(ctx, svc, j, r); ok {
		err := svc.house.AskJob(ctx, behind, prompt, form, report)
		var answer *ollama.AnswerError
		if !errors.As(err, &answer) || answer.Ending != ollama.EndLength {
			if err == nil {
				err = askRest(ctx, svc, behind, prompt, a, report)
			}
			return err
		}
	}
	if err := svc.house.AskJob(ctx, j, r.own, form, report); err != nil {
		return err
	}
	return askRest(ctx, svc, j, r.own, a, report)
}

// mostRests is how often what full lists had no room for is asked for.
const mostRests = 3

// askRest asks for what the lists of an answer had no room for, until none comes back full.
// What cannot be had is said by the recap.
func askRest(ctx context.Context, svc *Service, j house.Job, asked []scene.Prompt, a *scene.Answer, report func(queue.Progress)) error {
	j.Unasked = false // the server has just read what this goes on from
	full := a.Full()
	for range mostRests {
		if len(full) == 0 {
			return nil
		}
		var more scene.Answer
		form := house.AnswerForm{Schema: scene.RestSchema(), Form: scene.RecapForm(), Into: &more}
		prompt := scene.RestPrompt(svc.core.Set(), asked, a, full)
		if j.Fits(prompt) != nil {
			break
		}
		if err := svc.house.AskJob(ctx, j, prompt, form, report); ctx.Err() != nil {
			return err
		} else if err != nil {
			svc.core.Log.Warn("the rest of a recap did not come", "err", err)
			break
		}
		full = a.Add(&more)
	}
	if len(full) > 0 {
		a.MarkUnfinished()
	}
	return nil
}

// behind is the request as it stands behind the chat's prompt, if it can: where that has all
// the messages they are not told again, and else behind its head.
func (t *recapInput) behind(ctx context.Context, svc *Service, j house.Job, r recording) (_ house.Job, prompt []scene.Prompt, ok bool) {
	least := min(j.Options.NumPredict, recapAnswer)
	rooms := []int{j.Options.NumPredict, least}
	in := t.in
	in.Lore = loreIn(t.known, min(t.room.beside, int(float64(j.Options.NumCtx)*mostKnownBehind)), j.Known.Meter.Count)
	if asked := r.behind(in); asked != nil && slices.Contains([]string{"", "both"}, svc.core.Settings().Scenes.Types) {
		if behind, prompt, ok := ride(ctx, svc, j, t.chat, aside(asked), least); ok && standsIn(prompt, r.messages) {
			return behind, prompt, true
		}
		for _, room := range rooms {
			j.Options.NumPredict = room
			if prompt := behindPart(svc, j, t.chat, aside(asked), r.messages, whole); prompt != nil {
				return j, prompt, true
			}
		}
	}
	for _, room := range rooms {
		j.Options.NumPredict = room
		if prompt := behindPart(svc, j, t.chat, aside(r.own), nil, head); prompt != nil {
			return j, prompt, true
		}
	}
	return j, nil, false
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
