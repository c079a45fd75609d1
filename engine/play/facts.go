package play

import (
	"context"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Facts returns the facts that a play knows, and which of them the next prompt contains.
func (svc *Service) Facts(ctx context.Context, ask memory.FactQuery) (memory.FactList, error) {
	return svc.memory.Facts(ctx, ask, svc.factsPrompt)
}

// factsPrompt returns a memory.NextPrompt.
func (svc *Service) factsPrompt(ctx context.Context, c storage.Chat,
	speaker storage.CharacterID) (s prompt.Snapshot, p prompt.Prompt, m chats.Viewpoint, err error) {
	model, err := svc.models.ChooseModel(ctx, c)
	if err != nil {
		model = "" // compile the prompt for a model with unknown properties
	}
	known := svc.models.ModelOr(ctx, model)
	m, r := svc.nextMoment(c, "")
	if speaker != "" && chats.IsGroup(c) {
		r.speaker = speaker
		m = chats.ViewpointOf(c, speaker, r.followsReply())
	}
	g, err := svc.gather(ctx, r, m, known, "", nil)
	if err != nil {
		return s, p, m, err
	}
	p, err = prompt.Compile(g.snapshot)
	return g.snapshot, p, m, err
}
