package engine

import (
	"context"
	"slices"

	"ghostlight/engine/ollama"
	"ghostlight/engine/script"
	"ghostlight/storage"
)

// prepared is a request ready to be sent, with what is known of it.
type prepared struct {
	prompt   script.Prompt
	request  ollama.Request
	name     string         // who will speak
	parent   storage.NodeID // below which the reply will stand
	depth    int            // of that
	siblings int            // replies that it has already
	reread   int
	meter    *ollama.Meter
	lore     firedLore
}

// lastPrompt is what the server saw last, its reply included: the next request
// costs what differs from it.
type lastPrompt struct {
	model    string
	messages []script.Message
}

// prepare compiles the prompt of a request.
func (e *Engine) prepare(ctx context.Context, r request) (prepared, error) {
	var p prepared
	var c storage.Chat
	if err := e.store.View(func(tx *storage.Tx) (err error) { c, err = storage.Chats.Get(tx, r.chat); return err }); err != nil {
		return p, err
	}
	model, err := e.chooseModel(ctx, c)
	if err != nil {
		return p, err
	}
	known, err := e.know(ctx, model)
	if err != nil {
		return p, err
	}
	snap, err := e.snapshot(r, known)
	if err != nil {
		return p, err
	}
	p.name, p.meter = snap.Card.CharName(), known.meter
	if p.lore, err = e.bringLore(&snap, r.mode == script.Continue || r.mode == script.Impersonate); err != nil {
		return p, err
	}
	if p.prompt, err = script.Compile(snap); err != nil {
		return p, err
	}
	if err := e.store.View(func(tx *storage.Tx) error { return findPlace(tx, r, &p) }); err != nil {
		return p, err
	}
	p.reread = e.reread(model, p.prompt.Messages, known)
	p.request = e.chatRequest(model, known, p.prompt.Messages)
	return p, nil
}

// findPlace tells where the reply to a request will stand, as things are now.
func findPlace(tx *storage.Tx, r request, p *prepared) error {
	c, err := storage.Chats.Get(tx, r.chat)
	if err != nil {
		return err
	}
	p.depth = -1
	if p.parent = below(tx, c, r.parent); p.parent != "" {
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

// chatRequest puts a prompt into the form that the server takes. Every request
// of a model carries the same num_ctx: another one would reload the model.
func (e *Engine) chatRequest(model string, known *knownModel, msgs []script.Message) ollama.Request {
	s := e.sampling()
	req := ollama.Request{Model: model, Think: s.Think, Options: ollama.Options{NumCtx: e.contextOf(known), NumPredict: e.replyCap(known),
		Temperature: s.Temperature, TopP: s.TopP, MinP: s.MinP, RepeatPenalty: s.RepeatPen, TopK: s.TopK, Seed: s.Seed, Stop: s.Stop}}
	for _, m := range msgs {
		req.Messages = append(req.Messages, ollama.Message{Role: m.Role, Content: m.Content})
	}
	return req
}

// sampling is the configured way of speaking, defaults filled in.
func (e *Engine) sampling() storage.Profile {
	s := e.cfg.Sampling
	if s.NumCtx <= 0 {
		s.NumCtx = DefaultContext
	}
	if s.NumPredict <= 0 {
		s.NumPredict = DefaultReply
	}
	if s.Temperature == nil {
		t := DefaultTemperature
		s.Temperature = &t
	}
	return s
}

// contextOf is the context length for a model: the configured one, or the
// model's own where that is smaller.
func (e *Engine) contextOf(known *knownModel) int {
	n := e.sampling().NumCtx
	if known != nil && known.context > 0 {
		n = min(n, known.context)
	}
	return n
}

// replyCap is the longest reply that is asked for: never more than a third of a
// small context, so that there is room for the play.
func (e *Engine) replyCap(known *knownModel) int {
	return max(1, min(e.sampling().NumPredict, e.contextOf(known)/3))
}

// snapshot reads from the store what a prompt is made of.
func (e *Engine) snapshot(r request, known *knownModel) (script.Snapshot, error) {
	s := script.Snapshot{Mode: r.mode, Set: e.set(), Now: e.cfg.Now(), Chat: r.chat, Model: known.name,
		Limits: script.Limits{Context: e.contextOf(known), Reply: e.replyCap(known)}, Count: known.meter.Count}
	err := e.store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, r.chat)
		if err != nil {
			return err
		}
		who, persona := e.cast(tx, c)
		s.Card, s.Immersion, s.Persona, s.AuthorNote = who.Card, who.Immersion, persona, c.AuthorNote
		if s.Memory, err = e.memory(tx, r.chat, r.parent, s.Count); err != nil {
			return err
		}
		s.History, s.More, s.Window, err = history(tx, r.chat, r.parent, s.Memory.Covers, s.Limits.Context)
		return err
	})
	if err != nil {
		return s, fail("read the play", err)
	}
	if r.grow != nil {
		s.History = append(s.History, *r.grow)
		s.Window = r.grow.Window
	}
	return s, nil
}

// bringLore puts into a snapshot what the lorebooks have to say. rides tells that
// the request goes on from an answered turn, whose lore it shares.
func (e *Engine) bringLore(s *script.Snapshot, rides bool) (f firedLore, err error) {
	if err := e.adopt(s.Chat); err != nil {
		return f, fail("read the character's lorebook", err)
	}
	err = e.store.View(func(tx *storage.Tx) error { f, err = e.loreFor(tx, s, rides); return err })
	if err != nil {
		return f, fail("activate lore", err)
	}
	return f, nil
}

// historyPage is how many messages are read at first: mostly all that is needed.
const historyPage = 256

// history reads the end of a path: back to where the last prompt began and to
// the last message that memory covers, a little more, or more than a context can
// hold.
func history(tx *storage.Tx, chat storage.ChatID, leaf, covered storage.NodeID, context int) (nodes []storage.Node, more bool, window storage.NodeID, err error) {
	if leaf == "" {
		return nil, false, "", nil
	}
	page, err := tx.Path(chat, leaf, historyPage)
	for err == nil {
		more = len(page) > 0 && page[0].Parent != ""
		nodes = append(page, nodes...)
		window = windowOf(nodes)
		known := reaches(nodes, window) && (covered == "" || reaches(nodes[min(len(nodes), keptLook):], covered))
		if !more || known || bytesIn(nodes) > context*bytesPerToken {
			return nodes, more, window, nil
		}
		page, err = tx.PathBefore(chat, nodes[0].ID, len(nodes))
	}
	return nil, false, "", err
}

// keptLook is how many messages are read beyond the last that memory covers:
// some of them stay in the prompt.
const keptLook = 40

// bytesPerToken is more than any model makes of a text on the whole.
const bytesPerToken = 8

// windowOf is where the newest prompt on a path began.
func windowOf(nodes []storage.Node) storage.NodeID {
	for i := len(nodes) - 1; i >= 0; i-- {
		if nodes[i].Window != "" {
			return nodes[i].Window
		}
	}
	return ""
}

func reaches(nodes []storage.Node, id storage.NodeID) bool {
	for _, n := range nodes {
		if n.ID == id {
			return true
		}
	}
	return false
}

func bytesIn(nodes []storage.Node) (n int) {
	for _, m := range nodes {
		n += len(m.Content)
	}
	return n
}

// reread predicts how many tokens the server will read anew.
func (e *Engine) reread(model string, next []script.Message, known *knownModel) int {
	e.mu.Lock()
	last := e.last
	e.mu.Unlock()
	if last.model != model {
		last.messages = nil
	}
	return script.Reread(last.messages, next, known.meter.Count)
}

// learn keeps what the server has now seen, and corrects the token estimate by
// what it reported. It returns the estimate's new ratio where that has changed.
func (e *Engine) learn(p prepared, res ollama.Result) *float64 {
	seen := slices.Clone(p.prompt.Messages)
	n := len(seen)
	switch {
	case n == 0:
		return nil // it was stopped before anything was sent
	case seen[n-1].Role == string(storage.Assistant):
		seen[n-1].Content += res.Content // the server goes on with that
	default:
		seen = append(seen, script.Message{Role: string(storage.Assistant), Content: res.Content})
	}
	e.mu.Lock()
	e.last = lastPrompt{p.request.Model, seen}
	e.mu.Unlock()
	if res.PromptTokens == 0 || p.meter == nil {
		return nil
	}
	before := p.meter.Ratio()
	p.meter.Observe(p.prompt.Tokens, res.PromptTokens)
	if after := p.meter.Ratio(); after != before {
		return &after
	}
	return nil
}

func meterKey(model string) string { return "meter/" + model }

// Prompt is the next prompt of a chat, as it would be sent now. input is what
// the user would say; with "" the prompt ends where the chat does.
func (e *Engine) Prompt(ctx context.Context, chat storage.ChatID, input string) (PromptView, error) {
	c, _, err := e.Path(chat, 1)
	if err != nil {
		return PromptView{}, err
	}
	model, err := e.chooseModel(ctx, c)
	if err != nil {
		model = ""
	}
	known := e.knowOr(ctx, model)
	snap, err := e.snapshot(request{chat: chat, parent: c.Head}, known)
	if err != nil {
		return PromptView{}, err
	}
	head := snap.History
	appendInput(&snap, c, input)
	if _, err := e.bringLore(&snap, false); err != nil {
		return PromptView{}, err
	}
	p, err := script.Compile(snap)
	if err != nil {
		return PromptView{}, err
	}
	s := e.sampling()
	return PromptView{Model: model, Messages: p.Messages, Ledger: p.Ledger, Tokens: p.Tokens, Warnings: p.Warnings,
		Options: PromptOptions{NumCtx: snap.Limits.Context, NumPredict: snap.Limits.Reply, Temperature: s.Temperature,
			TopP: s.TopP, TopK: s.TopK, MinP: s.MinP, RepeatPenalty: s.RepeatPen, Seed: s.Seed, Stop: s.Stop},
		Room:            snap.Limits.Context - snap.Limits.Reply,
		PredictedReread: e.rereadFrom(model, snap, head, p.Messages, known),
		OldestInPrompt:  p.Window, FoldedThisPrompt: p.Folded, Covered: p.Covered, Uncovered: p.Uncovered}, nil
}

// rereadFrom predicts what a prompt costs when it is sent next. In a process
// that has sent nothing yet, the prompt behind the chat's last reply is made
// again: that is what the server saw last, if it was this chat.
func (e *Engine) rereadFrom(model string, snap script.Snapshot, path []storage.Node, next []script.Message, known *knownModel) int {
	e.mu.Lock()
	fresh := e.last.model == ""
	e.mu.Unlock()
	if !fresh {
		return e.reread(model, next, known)
	}
	for i := len(path) - 1; i > 0; i-- {
		if path[i].Role != storage.Assistant || path[i].Usage == nil {
			continue
		}
		snap.History = path[:i]
		snap.Window = path[i].Window
		if _, err := e.bringLore(&snap, false); err != nil {
			break
		}
		p, err := script.Compile(snap)
		if err != nil {
			break
		}
		return script.Reread(append(p.Messages, script.Message{Role: "assistant", Content: path[i].Content}), next, known.meter.Count)
	}
	return script.Reread(nil, next, known.meter.Count)
}
