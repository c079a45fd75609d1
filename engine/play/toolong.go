package play

import (
	"context"
	"errors"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
)

// maxRefused is how often a prompt is compiled again after a server has found it too long.
const maxRefused = 2

// askFitting asks for the reply of a turn. A model's number of tokens for a text is unknown before
// its first reply, so a prompt that was estimated to fit may be refused. The refusal corrects the
// estimate, and the prompt is compiled and sent again.
func (svc *Service) askFitting(t *liveTurn, p *preparedRequest) (ollama.Result, error) {
	for try := 0; ; try++ {
		res, err := svc.generate(t, *p)
		if try == maxRefused || !svc.learnRefused(t.ctx, *p, err) {
			return res, err
		}
		next, err := svc.prepare(t.ctx, t.request)
		if err != nil {
			return res, err
		}
		*p = next
		t.noReadTime = true // the server read some of it only to count it
		if t.isReply() {
			t.mu.Lock()
			t.recordPrompt(next)
			t.mu.Unlock()
		}
	}
}

// learnRefused corrects the token estimate after a server has refused a prompt as too long, and
// reports whether the next one will be shorter.
func (svc *Service) learnRefused(ctx context.Context, p preparedRequest, err error) bool {
	if !errors.Is(err, ollama.ErrTooLong) || p.meter == nil || ctx.Err() != nil {
		return false
	}
	tokens := ollama.CountedIn(err)
	if tokens <= p.request.Options.NumCtx {
		tokens = svc.countPrefix(ctx, p)
	}
	if tokens > 0 {
		tokens = max(tokens, p.request.Options.NumCtx+1)
	}
	return svc.models.LearnRefused(p.request.Model, p.meter, p.prompt.Tokens, tokens, p.request.Options.NumCtx) &&
		ctx.Err() == nil
}

// countPrefix has the server read the first half of a prompt, or less if that is refused too, and
// estimates from its tokens the number in the full prompt; 0 if that fails. The next prompt begins
// with most of the text that was read.
func (svc *Service) countPrefix(ctx context.Context, p preparedRequest) int {
	req := p.request
	req.Options.NumPredict = 1
	all := ollama.Size(p.request.Messages)
	for part := 2; part <= 8; part *= 2 {
		req.Messages = ollama.Prefix(p.request.Messages, all/part)
		res, err := svc.models.Ollama.Chat(ctx, req, nil)
		if errors.Is(err, ollama.ErrTooLong) {
			continue
		}
		read := ollama.Size(req.Messages)
		if err != nil || res.PromptTokens == 0 || read == 0 {
			return 0
		}
		return int(float64(res.PromptTokens) / float64(read) * float64(all))
	}
	return 0
}
