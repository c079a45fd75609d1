package director

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// askPass asks about an exchange: with one request after the chat's prompt as far as possible, and
// separate requests for the rest. A malformed answer is ignored; only a server that does not answer
// is an error.
func (jobs *Jobs) askPass(ctx context.Context, p pass) (a passAnswer, err error) {
	appended, alone, err := jobs.requests(ctx, p)
	if err != nil {
		return a, err
	}
	if appended.parts.Any() {
		got, fits, err := jobs.askAppended(ctx, appended, p)
		switch {
		case errors.Is(err, ollama.ErrTooLong), err == nil && !fits:
			alone = append(alone, appended)
		case err != nil && !failure.IsAnswerFault(err):
			return a, err
		case err != nil:
			a.fault = failure.Text(err)
		default:
			a.add(got, appended.parts)
		}
	}
	for _, q := range alone {
		got, err := jobs.askAlone(ctx, q, p)
		if err != nil && !failure.IsAnswerFault(err) {
			return a, err
		}
		if err != nil {
			a.fault = failure.Text(err)
			continue
		}
		a.add(got, q.parts)
	}
	return a, nil
}

// add adds the answer about some parts.
func (a *passAnswer) add(got rules.Answer, parts rules.Parts) {
	a.asked = a.asked.Union(parts)
	if parts.Break {
		a.Scene = got.Scene
	}
	if parts.Director {
		a.Director = got.Director
	}
	if parts.Memories {
		a.Memories = got.Memories
	}
	if parts.Hooks {
		a.Hooks, a.TakenUp, a.Due = got.Hooks, got.TakenUp, got.Due
	}
	if parts.Picture {
		a.Picture = got.Picture
	}
	a.Outdated, a.Settled = append(a.Outdated, got.Outdated...), append(a.Settled, got.Settled...)
	a.When = cmp.Or(a.When, got.When)
}

// singleParts returns each of the parts as a value of its own.
func singleParts(p rules.Parts) (out []rules.Parts) {
	for _, one := range []rules.Parts{{Break: p.Break}, {Director: p.Director}, {Memories: p.Memories},
		{Hooks: p.Hooks}, {Picture: p.Picture}} {
		if one.Any() {
			out = append(out, one)
		}
	}
	return out
}

func partJob(p rules.Parts) models.JobKind {
	switch {
	case p.Break:
		return models.JobDetect
	case p.Director:
		return models.JobDirector
	case p.Memories:
		return models.JobMemory
	case p.Hooks:
		return models.JobHooks
	}
	return models.JobDirector
}

// passRequest is one request of a pass: the parts that it asks for, and the job that sends it.
type passRequest struct {
	parts rules.Parts
	job   models.Job
}

// requests returns the requests of a pass: the one after the chat's prompt, whose parts are empty
// if there is none, and one for each model that is asked the rest.
func (svc *Service) requests(ctx context.Context, p pass) (appended passRequest, alone []passRequest, err error) {
	s := svc.core.Settings()
	for _, part := range singleParts(p.parts) {
		j, err := svc.models.Job(ctx, partJob(part), p.chat)
		if err != nil {
			return appended, nil, err
		}
		if s.Stage.Separate || part.Break && s.Scenes.DetectAlone || !svc.models.SameAsChat(j, p.chat) {
			alone = addRequest(alone, passRequest{part, j}, part.Break && s.Scenes.DetectAlone)
			continue
		}
		if !appended.parts.Any() {
			appended.job = j
		}
		appended.parts = appended.parts.Union(part)
	}
	return appended, alone, nil
}

// addRequest adds a part to the request with the same server, model and options. It adds a new
// request if there is none, or if byItself is set.
func addRequest(list []passRequest, q passRequest, byItself bool) []passRequest {
	at := slices.IndexFunc(list, func(o passRequest) bool {
		return o.job.Server == q.job.Server && o.job.Model == q.job.Model && o.job.Profiled == q.job.Profiled
	})
	if at < 0 || byItself {
		return append(list, q)
	}
	list[at].parts = list[at].parts.Union(q.parts)
	return list
}

// askAppended asks at the end of the chat's own prompt, which the server has in its cache. fits is
// false if that is not possible.
func (jobs *Jobs) askAppended(ctx context.Context, q passRequest, p pass) (a rules.Answer, fits bool, err error) {
	j := q.job
	j.Kind, j.Options.NumPredict = models.JobDirector, min(j.Options.NumPredict, PassReply(j.Options.NumCtx))
	var inputs []rules.Input
	var texts []string
	for n := len(p.in.Known); ; n /= 2 { // if there is no room, facts are dropped first
		in := p.in
		in.Known = in.Known[:n]
		inputs, texts = append(inputs, in), append(texts, rules.Instruction(jobs.core.Prompts(), q.parts, in))
		if n == 0 {
			break
		}
	}
	prompt, used, err := jobs.prompts.AppendedPrompt(ctx, j, p.chat, p.leaf.ID, p.leaf.Speaker, texts...)
	if ctx.Err() != nil {
		return a, false, ctx.Err()
	}
	if err != nil {
		return a, false, nil //nolint:nilerr // it is asked by requests of their own then
	}
	a, err = jobs.askDirector(ctx, j, prompt, q.parts, inputs[used])
	return a, true, err
}

// askAlone asks in a separate request.
func (svc *Service) askAlone(ctx context.Context, q passRequest, p pass) (rules.Answer, error) {
	j := q.job
	j.Options.NumPredict = min(j.Options.NumPredict, PassReply(j.Options.NumCtx))
	in := p.in
	for {
		prompt := rules.Request(svc.core.Prompts(), q.parts, in)
		if err := j.Fits(prompt); err != nil {
			if len(in.Known) == 0 {
				return rules.Answer{}, err
			}
			in.Known = in.Known[:len(in.Known)/2]
			continue
		}
		return svc.askDirector(ctx, j, prompt, q.parts, in)
	}
}

// askDirector asks, and cleans the answer.
func (svc *Service) askDirector(ctx context.Context, j models.Job, prompt []prompts.Message, parts rules.Parts,
	in rules.Input) (a rules.Answer, err error) {
	j.Think = ollama.ThinkOff
	req := j.Request(prompt)
	req.Form = rules.Form(parts, in)
	foreign := false // asked again once because of text in another script than the story's
	_, err = j.Client.Structured(ctx, req, rules.Schema(parts, in), &a, func() error {
		if err := a.Usable(parts, in); err != nil || foreign {
			return err
		}
		err := a.Foreign(in)
		foreign = err != nil
		return err
	}, nil)
	svc.models.NoteJob(j, prompt, err)
	if errors.Is(err, context.Canceled) {
		return a, err
	}
	return a.Clean(parts, in), j.WrongForm(err)
}
