package director

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/house"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// askPass asks about an exchange: what can follow the chat's prompt by one
// request, the rest by requests of their own. An answer of the wrong form is
// none; only a server that does not answer is a failure.
func (svc *Service) askPass(ctx context.Context, p pass) (a passAnswer, err error) {
	appended, job, alone, err := svc.passJobs(ctx, p)
	if err != nil {
		return a, err
	}
	if appended.Any() {
		got, fits, err := svc.askAppended(ctx, job, p, appended)
		switch {
		case errors.Is(err, ollama.ErrTooLong):
			alone = append(alone, askedAlone(appended)...)
		case err != nil && !failure.IsAnswerFault(err):
			return a, err
		case err != nil:
			a.fault = failure.Words(err)
		case fits:
			a.take(got, appended)
		default:
			alone = append(alone, askedAlone(appended)...)
		}
	}
	for _, part := range alone {
		got, err := svc.askPart(ctx, p, part)
		if err != nil && !failure.IsAnswerFault(err) {
			return a, err
		}
		if err != nil {
			a.fault = failure.Words(err)
			continue
		}
		a.take(got, part)
	}
	return a, nil
}

// take adds the answer about some parts.
func (a *passAnswer) take(got rules.Answer, parts rules.Parts) {
	if parts.Break {
		a.Scene, a.asked.Break = got.Scene, true
	}
	if parts.Director {
		a.Director, a.asked.Director = got.Director, true
	}
	if parts.Memories {
		a.Memories, a.asked.Memories = got.Memories, true
	}
	if parts.Hooks {
		a.Hooks, a.Taken, a.asked.Hooks = got.Hooks, got.Taken, true
	}
	if parts.Memories || parts.Hooks {
		a.Outdated, a.Settled = append(a.Outdated, got.Outdated...), append(a.Settled, got.Settled...)
		a.Why = cmp.Or(a.Why, got.Why)
	}
}

// apart are the parts one by one.
func apart(p rules.Parts) (out []rules.Parts) {
	for _, one := range []rules.Parts{{Break: p.Break}, {Director: p.Director}, {Memories: p.Memories}, {Hooks: p.Hooks}} {
		if one.Any() {
			out = append(out, one)
		}
	}
	return out
}

// askedAlone are the parts that did not fit there after all, by as few requests as can be.
func askedAlone(p rules.Parts) (out []rules.Parts) {
	for _, some := range []rules.Parts{{Break: p.Break}, {Director: p.Director, Memories: p.Memories, Hooks: p.Hooks}} {
		if some.Any() {
			out = append(out, some)
		}
	}
	return out
}

func partJob(p rules.Parts) house.JobKind {
	switch {
	case p.Break:
		return house.JobDetect
	case p.Director:
		return house.JobDirector
	case p.Memories:
		return house.JobMemory
	}
	return house.JobHooks
}

// passJobs tells which parts follow the chat's prompt, and how they are asked:
// those whose profile asks the same model in the same way.
func (svc *Service) passJobs(ctx context.Context, p pass) (appended rules.Parts, job house.Job, alone []rules.Parts, err error) {
	for _, part := range apart(p.parts) {
		j, err := svc.house.Job(ctx, partJob(part), p.chat)
		if err != nil {
			return appended, job, nil, err
		}
		if svc.core.Settings().Stage.Separate || part.Break && svc.core.Settings().Scenes.DetectAlone || !svc.house.SameAsChat(j, p.chat) {
			alone = append(alone, part)
			continue
		}
		if !appended.Any() {
			job = j
		}
		appended.Break, appended.Director = appended.Break || part.Break, appended.Director || part.Director
		appended.Memories, appended.Hooks = appended.Memories || part.Memories, appended.Hooks || part.Hooks
	}
	return appended, job, alone, nil
}

// askAppended asks about several parts at the end of the chat's own prompt, which
// the server has in its cache. fits is false where they cannot.
func (svc *Service) askAppended(ctx context.Context, j house.Job, p pass, parts rules.Parts) (a rules.Answer, fits bool, err error) {
	if parts == (rules.Parts{Break: true}) {
		d, err := svc.scenes.AskBreak(ctx, p.chat, p.past, p.fresh)
		if errors.Is(err, house.ErrFolds) {
			return a, false, nil
		}
		return rules.Answer{Scene: &rules.Scene{Rationale: d.Rationale, Status: d.Status}}, true, err
	}
	j.Kind, j.Options.NumPredict = house.JobDirector, min(j.Options.NumPredict, PassReply(j.Options.NumCtx))
	meter := j.Known.Meter
	room := passSaid(meter.Ratio())
	in := rules.Fitting(svc.core.Set(), parts, p.in, func(instruction string) bool { return meter.Count(instruction) <= room })
	prompt, err := svc.house.Appender.AppendedPrompt(ctx, j, p.chat, p.leaf.ID, p.leaf.Speaker, rules.Instruction(svc.core.Set(), parts, in))
	if ctx.Err() != nil {
		return a, false, ctx.Err()
	}
	if err != nil {
		return a, false, nil //nolint:nilerr // it is asked by requests of their own then
	}
	unread := svc.house.Appender.Unread(j, prompt)
	a, took, err := svc.askDirector(ctx, j, prompt, parts, in)
	if unread > 2*room {
		svc.house.NoteJob(j, prompt, err)
		return a, true, err
	}
	svc.house.NoteServer(err)
	svc.house.LearnRead(j.Model, unread, took)
	return a, true, err
}

// askPart asks about one part by a request of its own.
func (svc *Service) askPart(ctx context.Context, p pass, part rules.Parts) (rules.Answer, error) {
	j, err := svc.house.Job(ctx, partJob(part), p.chat)
	if err != nil {
		return rules.Answer{}, err
	}
	if part.Break {
		j.Options.NumPredict = min(j.Options.NumPredict, scenes.DetectReply)
		d, err := svc.scenes.AskAlone(ctx, j, p.past, p.fresh[len(p.fresh)-1])
		return rules.Answer{Scene: &rules.Scene{Rationale: d.Rationale, Status: d.Status}}, err
	}
	j.Options.NumPredict = min(j.Options.NumPredict, PassReply(j.Options.NumCtx))
	var prompt []prompts.Message
	for _, m := range rules.Request(svc.core.Set(), part, p.in) {
		prompt = append(prompt, prompts.Message(m))
	}
	if err := j.Fits(prompt); err != nil {
		return rules.Answer{}, err
	}
	a, _, err := svc.askDirector(ctx, j, prompt, part, p.in)
	svc.house.NoteJob(j, prompt, err)
	return a, err
}

// askDirector asks, and tells for how long the server has read.
func (svc *Service) askDirector(ctx context.Context, j house.Job, prompt []prompts.Message, parts rules.Parts, in rules.Input) (a rules.Answer, took time.Duration, err error) {
	off := false
	j.Think = &off
	req := j.Request(prompt)
	req.Form = rules.Form(parts, in)
	res, err := j.Client.Structured(ctx, req, rules.Schema(parts, in), &a, func() error { return a.Usable(parts, in) }, nil)
	if errors.Is(err, context.Canceled) {
		return a, 0, err
	}
	return a.Clean(parts, in), res.PromptEval, j.WrongForm(err)
}
