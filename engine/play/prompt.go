package play

import (
	"context"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// preparedRequest is a request that is ready to send, with what is known about it.
type preparedRequest struct {
	prompt   prompt.Prompt
	request  ollama.Request
	name     string         // name of the speaker
	parent   storage.NodeID // the message before the reply
	depth    int            // depth of parent
	siblings int            // replies that parent already has
	reread   int
	meter    *ollama.Meter
	lore     lore.PromptLore
	notes    director.StageNotes
	moment   chats.Viewpoint
	presence *storage.Presence // of the reply
	steer    storage.Steer     // what the user wants of it
	anew     bool              // the model cannot continue a partial reply
	signs    []string          // that separate messages in its template
}

// lastPrompt holds the messages that the server read last, including its reply. The next request
// costs what differs from it.
type lastPrompt struct {
	model    string
	chat     storage.ChatID
	messages []prompt.Message
	// prompt is the prompt last compiled for the chat; nil if something else was asked since.
	prompt *prompt.Prompt
}

// prepare compiles the prompt of a request.
func (svc *Service) prepare(ctx context.Context, r request) (preparedRequest, error) {
	var p preparedRequest
	var c storage.Chat
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Chats.Get(tx, r.chat); err == nil && r.speaker == "" {
			r.speaker, _ = svc.director.NextSpeaker(tx, c, r.parent)
		}
		return err
	})
	if err != nil {
		return p, err
	}
	p.moment = chats.ViewpointOf(c, r.speaker, r.followsReply() || r.isWarmUp)
	model, err := svc.models.ChooseModel(ctx, c)
	if err != nil {
		return p, err
	}
	known, err := svc.models.Model(ctx, model)
	if err != nil {
		return p, err
	}
	input := ""
	if r.isWarmUp {
		input = placeholder
	}
	answer := 0
	g, err := svc.gather(ctx, r, p.moment, known, input, func(tx *storage.Tx, s *prompt.Snapshot) error {
		switch {
		case r.passage != nil:
			answer = askPassage(s, r.passage)
		case r.beats != nil:
			answer = askBeats(s, *r.beats)
		}
		p.presence = replyPresence(tx, c, r.parent, r.speaker)
		return locateReply(tx, r, &p)
	})
	if err != nil {
		return p, err
	}
	snap := g.snapshot
	p.name, p.meter, p.anew, p.signs = snap.Card.CharName(), known.Meter, known.CannotContinue, known.TemplateTokens
	p.steer, p.lore, p.notes = snap.Steer, g.lore, g.notes
	if p.prompt, err = prompt.Compile(snap); err != nil {
		return p, err
	}
	if r.isWarmUp {
		p.prompt = p.prompt.Before(g.input)
	}
	p.reread = svc.countReread(model, p.prompt.Messages, known)
	if p.request = svc.chatRequest(c, model, known, p.prompt.Messages); answer > 0 {
		p.request.Options.NumPredict = answer
	}
	return p, nil
}

// recentReplies is the number of last replies that the estimate of the next one's length uses.
const recentReplies = 8

// longestReply returns how many tokens the longest of the last replies has.
func longestReply(history []storage.Node) (longest int) {
	for i, seen := len(history)-1, 0; i >= 0 && seen < recentReplies; i-- {
		if n := &history[i]; n.Role == storage.Assistant && n.Usage != nil {
			longest = max(longest, n.Usage.ReplyTokens)
			seen++
		}
	}
	return longest
}

// locateReply sets the parent, depth and siblings of the reply to a request.
func locateReply(tx *storage.Tx, r request, p *preparedRequest) error {
	c, err := storage.Chats.Get(tx, r.chat)
	if err != nil {
		return err
	}
	p.depth = -1
	if p.parent = chats.Below(tx, c, r.parent); p.parent != "" {
		n, err := tx.Node(r.chat, p.parent)
		if err != nil {
			return err
		}
		p.depth = n.Depth
	}
	ids, err := tx.Children(r.chat, p.parent)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if n, err := tx.Node(r.chat, id); err == nil && !n.Deleted {
			p.siblings++
		}
	}
	return nil
}

// AppendedPrompt implements models.PromptAppender. It returns the chat's own prompt up to and
// including the reply at leaf, as the server has it in its cache, followed by an instruction. For a
// pass, older messages may leave it as they would for the next turn.
func (svc *Service) AppendedPrompt(
	ctx context.Context, j models.Job, c storage.Chat, leaf storage.NodeID, speaker storage.CharacterID,
	instructions ...string,
) (out []prompts.Message, used int, err error) {
	r := request{chat: c.ID, parent: leaf, speaker: speaker, appended: true}
	m := chats.ViewpointOf(c, speaker, true)
	g, err := svc.gather(ctx, r, m, j.Known, "", nil)
	if err != nil {
		return nil, 0, err
	}
	snap := g.snapshot
	snap.Limits.Pass = j.Options.NumPredict - snap.Limits.Reply // its answer is shorter than a reply
	var p prompt.Prompt
	for used = range instructions {
		snap.Appended = instructions[used]
		if p, err = prompt.Compile(snap); err == nil && !p.Folded {
			break
		}
	}
	switch {
	case err != nil:
		return nil, 0, err // it is too long to carry a question as well
	case p.Folded && (j.Kind != models.JobDirector || chats.IsGroup(c)):
		return nil, 0, models.ErrFolds
	}
	for _, m := range p.Messages {
		out = append(out, prompts.Message{Role: m.Role, Content: m.Content})
	}
	return out, used, nil
}

// chatRequest returns a prompt as a request to the server. Every request of a model has the same
// num_ctx: another value would reload the model.
func (svc *Service) chatRequest(c storage.Chat, model string, known *models.KnownModel,
	msgs []prompt.Message) ollama.Request {
	s := svc.models.SamplingOf(c, model)
	req := ollama.Request{Model: model, Think: ollama.Think(s.Think), Options: ollama.Options{
		NumCtx: svc.models.ContextOf(c, known), NumPredict: svc.models.ReplyCap(c, known), Temperature: s.Temperature,
		TopP: s.TopP, MinP: s.MinP, RepeatPenalty: s.RepeatPen, TopK: s.TopK, Seed: s.Seed, Stop: s.Stop,
		TypicalP: s.TypicalP, RepeatLastN: s.RepeatLastN, PresencePenalty: s.PresencePen,
		FrequencyPenalty: s.FrequencyPen}}
	for _, m := range msgs {
		req.Messages = append(req.Messages, ollama.Message{Role: m.Role, Content: m.Content})
	}
	return req
}

// Prompt returns the next prompt of a chat, as it would be sent now. input is the user's next line,
// with macros as in Send; with "" the prompt ends at the chat's last message.
func (svc *Service) Prompt(ctx context.Context, chat storage.ChatID, input string) (PromptView, error) {
	c, _, err := svc.chats.Path(chat, 1)
	if err != nil {
		return PromptView{}, err
	}
	model, err := svc.models.ChooseModel(ctx, c)
	if err != nil {
		model = ""
	}
	known := svc.models.ModelOr(ctx, model)
	if err := svc.core.Store.View(func(tx *storage.Tx) error {
		input, _ = svc.expandUserText(tx, c, input)
		return nil
	}); err != nil {
		return PromptView{}, err
	}
	m, r := svc.nextMoment(c, input)
	g, err := svc.gather(ctx, r, m, known, input, nil)
	if err != nil {
		return PromptView{}, err
	}
	snap, head := g.snapshot, g.history
	p, err := prompt.Compile(snap)
	if err != nil {
		return PromptView{}, err
	}
	s := svc.models.SamplingOf(c, model)
	v := PromptView{Model: model, Messages: p.Messages, Parts: p.Parts, Tokens: p.Tokens, Warnings: p.Warnings,
		Options: PromptOptions{NumCtx: snap.Limits.Context, NumPredict: snap.Limits.Reply, Temperature: s.Temperature,
			TopP: s.TopP, TopK: s.TopK, MinP: s.MinP, RepeatPenalty: s.RepeatPen, Seed: s.Seed, Stop: s.Stop,
			TypicalP: s.TypicalP, RepeatLastN: s.RepeatLastN, PresencePenalty: s.PresencePen,
			FrequencyPenalty: s.FrequencyPen},
		Budget:         snap.Limits.Context - snap.Limits.Reply,
		OldestInPrompt: p.Window, FoldedThisPrompt: p.Folded, Covered: p.Covered, Uncovered: p.Uncovered}
	if v.Uses = promptUsesOf(p.Parts); svc.core.Settings().Scenes.NoRecap {
		v.Unrecapped = p.Unrecapped
	}
	v.Speaker = snap.Card.CharName()
	seen, before := svc.promptBefore(ctx, model, snap, m, head)
	v.PredictedReread = prompt.Reread(seen, p.Messages, known.Meter.Count)
	v.TokenMS, v.Last = svc.models.TokenMS(model), svc.measured(model, head)
	if seen != nil && len(seen) == 0 {
		v.Miss = &CacheMiss{Layer: prompt.LayerMain, Source: "the beginning of the prompt",
			What: "it differs from the last prompt: a card, a persona, a lorebook or a setting has changed " +
				"since",
			Tokens: p.Tokens, Seconds: float64(p.Tokens) * v.TokenMS / 1000}
	}
	if before != nil {
		v.Changes = prompt.Compare(before, &p)
		v.Miss = svc.findCacheMiss(model, before, &p, known.Meter.Count)
	}
	return v, nil
}
