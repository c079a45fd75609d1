package play

import (
	"context"
	"errors"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
)

// maxRefused is how often a prompt is compiled anew that a server has found too long.
const maxRefused = 2

// askFitting asks for the reply of a turn. How many tokens a model makes of a text is not
// known before its first reply: a prompt that was estimated to fit may be refused. That
// says how wrong the estimate was, and the prompt is compiled and sent anew.
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
		t.noReadTime = true // some of it was read to be counted
		if t.isReply() {
			t.mu.Lock()
			t.recordPrompt(next)
			t.mu.Unlock()
		}
	}
}

// learnRefused corrects the token estimate by a prompt that a server has found too long,
// and reports whether the next one will be shorter.
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

// countPrefix has the server read the first half of a prompt, and less of it while that
// is refused too, and concludes from its tokens how many all of it has; 0 where nothing
// came of that. Most of what is read so the next prompt begins with.
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
