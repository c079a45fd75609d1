package pictures

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
)

// paintSomewhere has a picture painted by one of the servers. One that refuses it, lacks
// something after all, or is gone before it has begun, is passed over for the next. Where
// none is left the error says of each what was wrong.
func (p *painting) paintSomewhere(ctx context.Context, slot *slot, servers []*comfy.Client) (comfy.Output, error) {
	var tried []error
	var names []string
	room := false
	for {
		out, err := p.paintAt(ctx, slot, servers, &room)
		if err == nil || p.server == nil && len(tried) == 0 {
			return out, err
		}
		if p.server == nil {
			return out, refusedBy(names, tried) // of the others none answers
		}
		again := ctx.Err() == nil && !p.resume && p.elsewhere(err)
		if !again && len(tried) == 0 {
			return out, err
		}
		tried, names = append(tried, err), append(names, p.server.BaseURL())
		servers = slices.DeleteFunc(slices.Clone(servers), func(c *comfy.Client) bool { return c == p.server })
		switch {
		case again && len(servers) > 0:
			p.svc.core.Log.Info("a server is passed over", "server", p.server.BaseURL(), "err", err)
			p.svc.leaveServer(slot)
		case again:
			return out, refusedBy(names, tried)
		default:
			return out, err
		}
	}
}

// paintAt has a picture painted by the server of some that has the least to do. p.server
// is nil where none answers.
func (p *painting) paintAt(ctx context.Context, slot *slot, servers []*comfy.Client, room *bool) (comfy.Output, error) {
	var err error
	if p.server, err = p.svc.chooseServer(ctx, slot, servers, p.C.Server, p.resume); err != nil {
		p.server = nil
		return comfy.Output{}, err
	}
	p.resume = p.resume && p.server.BaseURL() == p.C.Server
	if err := p.settle(); err != nil {
		return comfy.Output{}, err
	}
	graph, err := p.graph(ctx)
	if err != nil {
		return comfy.Output{}, err
	}
	if !*room {
		if err := p.makeRoom(ctx, slot); err != nil {
			return comfy.Output{}, err
		}
		*room = true
	}
	p.clock = p.svc.startClock(p.key(p.flow.Name))
	p.beginStage(stagePaint, "sending the workflow to ComfyUI")
	return p.run(ctx, graph)
}

// elsewhere tells whether another server may paint what this one has not begun.
func (p *painting) elsewhere(err error) bool {
	for _, kind := range []error{comfy.ErrRejected, comfy.ErrNoModel, comfy.ErrDenied, comfy.ErrNotComfy} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return errors.Is(err, comfy.ErrUnreachable) && !p.heard
}

// refusedBy is the error of several servers: the first one's where all of them are of the
// same kind, else one that names each.
func refusedBy(names []string, errs []error) error {
	if len(errs) == 1 || !slices.ContainsFunc(errs, func(err error) bool { return !errors.Is(err, comfy.ErrUnreachable) }) {
		return errs[0]
	}
	var words []string
	for i, err := range errs {
		words = append(words, fmt.Sprintf("%s: %s", names[i], strings.TrimSuffix(failure.Words(err), ".")))
	}
	return failure.Refuse("no ComfyUI server could generate this. %s", strings.Join(words, ". "))
}
