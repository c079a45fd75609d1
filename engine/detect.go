package engine

import (
	"cmp"
	"context"
	"slices"

	"ghostlight/engine/queue"
	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

const (
	// liveLook is how many unchecked messages at the end of a path are looked at
	// after a turn: the exchange, and what a failure left over.
	liveLook = 4
	// passBatch is how many messages one operation of a whole-chat pass asks
	// about: as much as a crash can cost.
	passBatch = 8
	// detectReply is the room for the answer about a break.
	detectReply = 300
	// batchesKept is how many times UndoDetection can be asked.
	batchesKept = 20
)

// lookAt looks for explicit marks of scene breaks in what was said last on a path.
// rest are the messages that show none, which a model can be asked about.
func (e *Engine) lookAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (rest []storage.NodeID, err error) {
	if e.cfg.Scenes.NoDetect {
		return nil, nil
	}
	rest, _, err = e.byTable(tx, chat, unlooked(tx, chat, leaf), search{least: e.cfg.Scenes.MinMessages, batch: storage.NewID(), live: true})
	return rest, err
}

// unlooked are the last messages of a path that detection has not looked at,
// oldest first. A message with nothing before it cannot begin another scene.
func unlooked(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) []storage.NodeID {
	var out []storage.NodeID
	for p := range tx.Spine(chat, leaf) {
		if p.Checked || p.ID != leaf && shownBreak(tx, chat, p.ID) || len(out) == liveLook {
			break
		}
		if p.Said() && p.Depth > 0 {
			out = append(out, p.ID)
		}
	}
	slices.Reverse(out)
	return out
}

// search is how breaks are looked for. least is the setting for the fewest
// messages of a scene, 0 for the defaults: after a turn a single message can be
// one. again also sets breaks that somebody
// took away; live, after a turn, also has the scene told again.
type search struct {
	least       int
	batch       string // what is found at one time, and taken back at one time
	again, live bool
}

// byTable looks for explicit marks in messages, which lie on one path, oldest
// first. What a mark decides is checked; rest is left to a model.
func (e *Engine) byTable(tx *storage.Tx, chat storage.ChatID, nodes []storage.NodeID, how search) (rest []storage.NodeID, n int, err error) {
	var past []scene.Message
	var placed []storage.NodeID
	for i, id := range nodes {
		node, err := tx.Node(chat, id)
		if err != nil {
			return nil, 0, err
		}
		if i == 0 || node.Parent != nodes[i-1] {
			if past, err = saidBefore(tx, chat, id, scenePast); err != nil {
				return nil, 0, err
			}
		}
		m := toldBy(node)
		v := scene.Table(past, m)
		if past = append(past, m); len(past) > 2*scenePast {
			past = past[1:]
		}
		if !v.Break {
			rest = append(rest, id)
			continue
		}
		own := how
		if own.least = cmp.Or(how.least, DefaultMinMessages); v.Explicit || how.live {
			own.least = cmp.Or(how.least, 1)
		}
		at, err := e.placeBreak(tx, chat, id, v.After, found{v.Rationale, v.Cue}, own)
		if err != nil {
			return nil, 0, err
		}
		if at != "" {
			placed = append(placed, at)
		}
		if err := check(tx, chat, []storage.NodeID{id}, true); err != nil {
			return nil, 0, err
		}
	}
	return rest, len(placed), e.placedBreaks(tx, chat, placed, how.batch)
}

// placeBreak ends a scene before a message, or with it where after is set,
// unless the scene would be too short or somebody took that break away before.
// It returns the message that the scene ends with now, "" for none; placedBreaks
// is to follow.
func (e *Engine) placeBreak(tx *storage.Tx, chat storage.ChatID, node storage.NodeID, after bool, why found, how search) (storage.NodeID, error) {
	at := node
	if !after {
		at = ""
		for p := range tx.Spine(chat, node) {
			if p.ID != node && !p.Deleted {
				at = p.ID
				break
			}
		}
	}
	if at == "" || shownBreak(tx, chat, at) || storage.Breaks.Has(tx, chat, at) && !how.again {
		return "", nil
	}
	said := 0
	for p := range tx.Spine(chat, at) {
		if p.ID != at && shownBreak(tx, chat, p.ID) || said >= how.least {
			break
		}
		if p.Said() {
			said++
		}
	}
	if said < max(1, how.least) {
		return "", nil
	}
	if _, err := e.markBreak(tx, chat, at, true, &why); err != nil {
		return "", err
	}
	e.detected.add(chat, at)
	if how.live && !e.cfg.Scenes.NoRecap {
		if _, err := e.queueRecap(tx, chat, at, RecapRequest{}); err != nil {
			return "", err
		}
	}
	return at, nil
}

// placedBreaks follows breaks that were detected at one time: at once, since a
// long chat may have thousands.
func (e *Engine) placedBreaks(tx *storage.Tx, chat storage.ChatID, nodes []storage.NodeID, batch string) error {
	if len(nodes) == 0 {
		return nil
	}
	if err := rememberDetected(tx, chat, nodes, batch); err != nil {
		return err
	}
	return e.touchScenes(tx, chat, nodes...)
}

// tellDetected tells of detected breaks that have been stored meanwhile.
func (e *Engine) tellDetected() {
	told := map[storage.ChatID]bool{}
	for _, at := range e.detected.take() {
		var b storage.Break
		err := e.store.View(func(tx *storage.Tx) (err error) { b, err = theBreak(tx, at.Chat, at.Node); return err })
		if err != nil || !b.Detected {
			continue // it was not stored after all
		}
		if !told[at.Chat] {
			told[at.Chat] = true
			e.emit(ScenesChanged{at.Chat})
		}
		e.emit(BreakDetected{Chat: at.Chat, Node: at.Node, Rationale: b.Rationale})
	}
}

// batch is a number of breaks that were detected at one time.
type batch struct {
	ID    string           `json:"id"`
	Nodes []storage.NodeID `json:"nodes"`
}

func detectedKey(chat storage.ChatID) string { return "detected/" + string(chat) }

func batchesOf(tx *storage.Tx, chat storage.ChatID) (list []batch, err error) {
	_, err = tx.Setting(detectedKey(chat), &list)
	return list, err
}

func rememberDetected(tx *storage.Tx, chat storage.ChatID, nodes []storage.NodeID, id string) error {
	list, err := batchesOf(tx, chat)
	if err != nil {
		list = nil // what cannot be read cannot be taken back either
	}
	if n := len(list); n == 0 || list[n-1].ID != id {
		list = append(list, batch{ID: id})
	}
	last := &list[len(list)-1]
	last.Nodes = append(last.Nodes, nodes...)
	return tx.PutSetting(detectedKey(chat), list[max(0, len(list)-batchesKept):])
}

// undetectable are the batches that can be taken back, as far as their breaks
// are still in force, oldest first.
func undetectable(tx *storage.Tx, chat storage.ChatID) [][]storage.NodeID {
	list, err := batchesOf(tx, chat)
	if err != nil {
		return nil
	}
	var out [][]storage.NodeID
	for _, b := range list {
		nodes := slices.DeleteFunc(b.Nodes, func(n storage.NodeID) bool {
			brk, err := theBreak(tx, chat, n)
			return err != nil || !brk.Detected
		})
		if len(nodes) > 0 {
			out = append(out, nodes)
		}
	}
	return out
}

// UndoDetection takes back the breaks that were detected last, and tells how
// many. Detection will not set them again after a turn; their recaps are kept.
func (e *Engine) UndoDetection(chat storage.ChatID) (n int, err error) {
	err = e.reshape(chat, "undo detected breaks", func(tx *storage.Tx) error {
		list := undetectable(tx, chat)
		if len(list) == 0 {
			return refuse("no detected scene break is left to take back")
		}
		last := list[len(list)-1]
		for _, node := range last {
			if _, err := e.markBreak(tx, chat, node, false, &found{}); err != nil {
				return err
			}
		}
		n = len(last)
		return e.touchScenes(tx, chat, last...)
	})
	return n, err
}

// judged is what a model said of a message.
type judged struct {
	node  storage.NodeID
	brk   bool
	found found
}

// runDetect asks about the messages at the end of a path.
func (e *Engine) runDetect(ctx context.Context, op storage.Operation, _ func(queue.Progress)) (queue.Effect, error) {
	p := sceneParamsOf(op)
	var c storage.Chat
	var past, candidates []scene.Message
	err := e.store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		if !onPath(tx, p.Chat, c.Head, p.Node) {
			return queue.ErrDiscard // swiped away: it must not end a scene that others share
		}
		for _, id := range unlooked(tx, p.Chat, c.Head) { // more may have been said while this waited
			n, err := tx.Node(p.Chat, id)
			if err != nil {
				return err
			}
			candidates = append(candidates, toldBy(n))
		}
		if len(candidates) == 0 {
			return queue.ErrDiscard
		}
		past, err = saidBefore(tx, p.Chat, candidates[0].ID, scenePast)
		return err
	})
	if err != nil {
		return queue.Effect{}, err
	}
	d, err := e.askBreak(ctx, c, past, candidates)
	if err != nil {
		return queue.Effect{}, err
	}
	at, cue, ok := scene.Judge(d, candidates)
	var all []judged
	for i, m := range candidates {
		j := judged{node: m.ID}
		if ok && i == at {
			j.brk, j.found = true, found{d.Rationale, cue}
		}
		all = append(all, j)
	}
	return queue.Effect{Result: d, Apply: func(tx *storage.Tx) error {
		return e.keepJudged(tx, p.Chat, all, search{least: cmp.Or(e.cfg.Scenes.MinMessages, 1), batch: string(op.ID), live: true})
	}}, nil
}

// keepJudged sets the breaks that a model found and checks the messages. A
// message that is gone or swiped away, or was looked at meanwhile, is passed over.
func (e *Engine) keepJudged(tx *storage.Tx, chat storage.ChatID, all []judged, how search) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return queue.ErrDiscard
	}
	var placed []storage.NodeID
	for _, j := range all {
		p, err := tx.Place(chat, j.node)
		if err != nil || p.Deleted || p.Checked || how.live && !onPath(tx, chat, c.Head, j.node) {
			continue
		}
		if j.brk {
			at, err := e.placeBreak(tx, chat, j.node, false, j.found, how)
			if err != nil {
				return err
			}
			if at != "" {
				placed = append(placed, at)
			}
		}
		if err := check(tx, chat, []storage.NodeID{j.node}, true); err != nil {
			return err
		}
	}
	return e.placedBreaks(tx, chat, placed, how.batch)
}

// askBreak asks whether one of the candidates begins a scene. By default the
// question rides on the chat's own prompt, which the server has in its cache
// already; where that cannot be, it is a request of its own.
func (e *Engine) askBreak(ctx context.Context, c storage.Chat, past, candidates []scene.Message) (d scene.Detection, err error) {
	j, err := e.job(ctx, JobDetect, c)
	if err != nil {
		return d, err
	}
	j.options.NumPredict = min(j.options.NumPredict, detectReply)
	prompt, rides := e.ridingPrompt(ctx, j, c, past, candidates)
	if !rides {
		return e.askAlone(ctx, j, past, candidates[len(candidates)-1])
	}
	err = judge(ctx, j, prompt, &d)
	e.noteServer(err)
	return d, err
}

// judge asks about a break.
func judge(ctx context.Context, j job, prompt []scene.Prompt, d *scene.Detection) error {
	req := j.request(prompt)
	req.Form = scene.DetectForm()
	_, err := j.client.Structured(ctx, req, scene.DetectSchema(), d, nil, nil)
	return j.wrongForm(err)
}

// sameAsChat tells whether a job asks the chat's model in the same way, so that
// the server has the chat's prompt in its cache.
func (e *Engine) sameAsChat(j job, model string) bool {
	want := e.modelOf(storage.Chat{Model: model})
	return j.server == "" && (j.model == want || want == "") && j.options.NumCtx == e.contextOf(j.known)
}

// ridingPrompt is the chat's own prompt with the question at its end. It rides
// only where the last candidate ends the chat, and the same model is asked in
// the same way.
func (e *Engine) ridingPrompt(ctx context.Context, j job, c storage.Chat, past, candidates []scene.Message) ([]scene.Prompt, bool) {
	if e.cfg.Scenes.DetectAlone || !e.sameAsChat(j, c.Model) {
		return nil, false
	}
	last := candidates[len(candidates)-1].ID
	var speaker storage.CharacterID
	if err := e.store.View(func(tx *storage.Tx) error {
		n, err := tx.Node(c.ID, last)
		speaker = n.Speaker
		return err
	}); err != nil {
		return nil, false
	}
	out, err := e.rider.Riding(ctx, j, c, last, speaker, scene.DetectInstruction(e.set(), past, candidates))
	return out, err == nil
}

// askAlone asks about one message by a request of its own.
func (e *Engine) askAlone(ctx context.Context, j job, past []scene.Message, m scene.Message) (d scene.Detection, err error) {
	prompt := scene.DetectPrompt(e.set(), past, m)
	if err := j.fits(prompt); err != nil {
		return d, err
	}
	err = judge(ctx, j, prompt, &d)
	e.noteJob(j, prompt, err)
	return d, err
}
