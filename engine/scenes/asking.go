package scenes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// minAnswer is the room for an answer, in tokens, that must be free if its length is not known. A
// longer answer is cut off and asked for again with a prompt of its own.
const minAnswer = 500

// appendToChatPrompt returns the chat's prompt with a request at its end, and a job whose answer
// may use all the room that is left, at least least tokens. ok is false if the request needs a
// prompt of its own: because of the settings or a profile, because a character plays who does not
// know everything in the prompt, or because the request and its answer do not fit.
func (jobs *Jobs) appendToChatPrompt(
	ctx context.Context, j models.Job, c storage.Chat, request []scene.Prompt, least int,
) (_ models.Job, prompt []scene.Prompt, ok bool) {
	if jobs.core.Settings().Stage.Separate || chats.IsGroup(c) || j.Prefill != "" || !jobs.models.SameAsChat(j, c) ||
		!jobs.endsWithReply(c) {
		return j, nil, false
	}
	for ; j.Options.NumPredict >= least; j.Options.NumPredict /= 2 {
		prompt, _, err := jobs.prompts.AppendedPrompt(ctx, j, c, c.Head, "", asOutOfCharacter(request))
		if err == nil && j.Fits(prompt) == nil {
			return j, prompt, true
		}
	}
	return j, nil, false
}

// endsWithReply reports whether the last message of a chat is a reply that this program made.
// Without one the chat has no prompt yet, as after an import, and templates expect the user only
// after a reply.
func (svc *Service) endsWithReply(c storage.Chat) (ok bool) {
	_ = svc.core.Store.View(func(tx *storage.Tx) error {
		for p := range tx.PathInfos(c.ID, c.Head) {
			if p.InStory() {
				n, err := tx.Node(c.ID, p.ID)
				ok = err == nil && n.Role == storage.Assistant && n.Window != ""
				return err
			}
		}
		return nil
	})
	return ok
}

// asOutOfCharacter returns a request as one message that interrupts the roleplay.
func asOutOfCharacter(request []scene.Prompt) string {
	var parts []string
	for _, m := range request {
		parts = append(parts, m.Content)
	}
	return "[Out of character.\n\n" + strings.Join(parts, "\n\n") + "]"
}

// askAppended asks at the end of the chat's prompt if that contains all the messages. Otherwise, or
// if the answer was cut off there, it asks with a prompt of its own. appended may be nil. It
// returns the job and the prompt that were answered.
func (jobs *Jobs) askAppended(
	ctx context.Context, j models.Job, c storage.Chat, r recapRequest, form models.AnswerForm,
	report func(queue.Progress),
) (models.Job, []scene.Prompt, error) {
	if r.appended != nil {
		least := min(cmp.Or(r.least, minAnswer), j.Options.NumPredict)
		short, prompt, ok := jobs.appendToChatPrompt(ctx, j, c, r.appended, least)
		if ok && containsAll(prompt, r.messages) {
			first := form
			// without this, a cut-off answer would be requested again in a shorter form
			first.CutEnds = short.Options.NumPredict < j.Options.NumPredict
			err := jobs.models.AskJob(ctx, short, prompt, first, report)
			if !cutOff(err) {
				return short, prompt, err
			}
		}
	}
	return j, r.own, jobs.models.AskJob(ctx, j, r.own, form, report)
}

// cutOff reports whether an answer ran out of room.
func cutOff(err error) bool {
	var answer *ollama.AnswerError
	return errors.As(err, &answer) && answer.Ending == ollama.EndLength
}

// recapRequest asks for the record of messages. appended is for the end of a prompt that contains
// the messages, and names them by their beginnings; own repeats them. appended is nil if the user's
// own prompt file has no such form.
type recapRequest struct {
	messages      []scene.Message
	appended, own []scene.Prompt
	least         int // tokens that the answer needs, 0 if unknown
}

// askRecap asks for a record at the end of the chat's prompt if that contains all the messages.
// Otherwise, or if the answer was cut off there, it asks with a prompt of its own.
func (jobs *Jobs) askRecap(ctx context.Context, j models.Job, t recapInput, r recapRequest, in scene.Input,
	a *scene.Answer, report func(queue.Progress)) error {
	form := models.AnswerForm{Schema: scene.RecapSchema(r.messages, len(in.Memories)), Form: scene.RecapForm(), Into: a,
		Check: func() error { return a.Check(in) }, Usable: a.Usable, Show: scene.Partial}
	if !slices.Contains([]string{"", "both"}, jobs.core.Settings().Scenes.Types) {
		r.appended = nil
	}
	j, prompt, err := jobs.askAppended(ctx, j, t.chat, r, form, report)
	if err != nil {
		return err
	}
	return jobs.askRest(ctx, j, prompt, scene.RestSchema(r.messages, len(in.Memories)), a, report)
}

// maxRests is the maximum number of further requests for what did not fit into full lists.
const maxRests = 3

// askRest asks again for what did not fit into full lists of an answer, until no list is full. If
// that fails, the recap is marked as unfinished.
func (svc *Service) askRest(
	ctx context.Context, j models.Job, asked []scene.Prompt, schema json.RawMessage, a *scene.Answer,
	report func(queue.Progress),
) error {
	full := a.Full()
	for range maxRests {
		if len(full) == 0 {
			return nil
		}
		var more scene.Answer
		form := models.AnswerForm{Schema: schema, Form: scene.RecapForm(), Into: &more}
		prompt := scene.RestPrompt(svc.core.Prompts(), asked, a, full)
		if j.Fits(prompt) != nil {
			break
		}
		if err := svc.models.AskJob(ctx, j, prompt, form, report); ctx.Err() != nil {
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

// appendedInput returns the input of a recap for a request at the end of the chat's prompt. Most of
// the lorebook entries are in that prompt already, so few are repeated.
func (t recapInput) appendedInput(j models.Job) scene.Input {
	in := t.in
	in.Lore = fitLore(t.known, min(t.room.beside, j.Options.NumCtx/40), j.Known.Meter.Count)
	return in
}

// containsAll reports whether a prompt has all the messages, word for word and in their order.
func containsAll(prompt []scene.Prompt, messages []scene.Message) bool {
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
