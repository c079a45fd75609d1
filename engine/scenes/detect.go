package scenes

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// maxLiveMessages is the maximum number of unchecked messages at the end of a path that are
	// checked after a turn: the exchange, and any left over from a failure.
	maxLiveMessages = 4
	// maxPassBatch is the maximum number of messages in one operation of a whole-chat pass. A crash
	// can lose that many.
	maxPassBatch = 8
	// DetectReply is the room for the answer about a break.
	DetectReply = 300
)

// DetectMarks finds explicit scene breaks in the newest messages of a path. rest are the messages
// without one, about which a model can be asked.
func (svc *Service) DetectMarks(tx *storage.Tx, chat storage.ChatID,
	leaf storage.NodeID) (rest []storage.NodeID, err error) {
	if svc.core.Settings().Scenes.NoDetect {
		return nil, nil
	}
	how := search{least: svc.core.Settings().Scenes.MinMessages, batch: storage.NewID()}
	rest, _, err = svc.findMarks(tx, chat, UncheckedMessages(tx, chat, leaf), how)
	return rest, err
}

// UncheckedMessages returns the last messages of a path that detection has not checked, oldest
// first. A message without a predecessor cannot begin another scene.
func UncheckedMessages(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) []storage.NodeID {
	var out []storage.NodeID
	for p := range walkScene(tx, chat, leaf) {
		if p.Checked || len(out) == maxLiveMessages {
			break
		}
		if p.InStory() && p.Depth > 0 {
			out = append(out, p.ID)
		}
	}
	slices.Reverse(out)
	return out
}

// search are the options of a search for breaks.
type search struct {
	least int    // messages of a scene, 0 for the defaults: with an explicit mark a single one can be a scene
	batch string // of breaks that are found, and undone, together
	again bool   // also set breaks that were removed
	turn  bool   // after a turn: messages no longer on the path are skipped
}

// findMarks looks for explicit marks in messages of one path, oldest first. Messages with a mark
// count as checked; rest are the messages left to a model.
func (svc *Service) findMarks(
	tx *storage.Tx, chat storage.ChatID, nodes []storage.NodeID, how search,
) (rest []storage.NodeID, n int, err error) {
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
		m := MessageFor(node)
		v := scene.ExplicitBreak(past, m)
		if past = append(past, m); len(past) > 2*scenePast {
			past = past[1:]
		}
		if !v.Break {
			rest = append(rest, id)
			continue
		}
		at, err := svc.placeBreak(tx, chat, id, v.After, detection{rationale: v.Rationale, cue: v.Cue}, how)
		if err != nil {
			return nil, 0, err
		}
		if at != "" {
			placed = append(placed, at)
		}
		if err := setChecked(tx, chat, []storage.NodeID{id}, true); err != nil {
			return nil, 0, err
		}
	}
	return rest, len(placed), svc.finishBreaks(tx, chat, placed)
}

// placeBreak ends a scene before a message, or with it if after is set, unless the scene would be
// too short or the break was removed before. It returns the last message of the ended scene, "" for
// none. The caller must call finishBreaks.
func (svc *Service) placeBreak(
	tx *storage.Tx, chat storage.ChatID, node storage.NodeID, after bool, why detection, how search,
) (storage.NodeID, error) {
	at := node
	if !after {
		at = ""
		for p := range tx.PathInfos(chat, node) {
			if p.ID != node && !p.Deleted {
				at = p.ID
				break
			}
		}
	}
	if at == "" || ShownBreak(tx, chat, at) {
		return "", nil
	}
	if storage.Breaks.Has(tx, chat, at) && !how.again {
		if b, err := storage.Breaks.Get(tx, chat, at); err != nil || !b.OffPath {
			return "", nil //nolint:nilerr // a damaged break is reported where it is read
		}
	}
	if openUpTo(tx, chat, at).Messages < max(1, how.least) {
		return "", nil
	}
	why.batch = how.batch
	if !after {
		why.next = node
	}
	if _, err := svc.markBreak(tx, chat, at, true, &why); err != nil {
		return "", err
	}
	svc.detected.Add(chat, at)
	return at, nil
}

// finishBreaks does the follow-up work of breaks that were detected together, once for all of them:
// a long chat may have thousands.
func (svc *Service) finishBreaks(tx *storage.Tx, chat storage.ChatID, nodes []storage.NodeID) error {
	if len(nodes) == 0 {
		return nil
	}
	if err := svc.touchScenes(tx, chat, nodes...); err != nil {
		return err
	}
	return svc.recapEnded(tx, chat, nodes...)
}

// EmitDetected emits the breaks that were detected and stored since the last call.
func (svc *Service) EmitDetected() {
	seen := map[storage.ChatID]bool{}
	for _, at := range svc.detected.Take() {
		var b storage.Break
		err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
			b, err = VisibleBreak(tx, at.Chat, at.Node)
			return err
		})
		if err != nil || !b.Detected {
			continue // it was not stored after all
		}
		if !seen[at.Chat] {
			seen[at.Chat] = true
			svc.core.Emit(Changed{at.Chat})
		}
		svc.core.Emit(BreakDetected{Chat: at.Chat, Node: at.Node, Rationale: b.Rationale})
	}
}

// DetectedKey returns the setting in which earlier builds stored the breaks that were detected
// together.
func DetectedKey(chat storage.ChatID) string { return "detected/" + string(chat) }

// earlierBatches returns the batches that earlier builds kept, by break.
func earlierBatches(tx *storage.Tx, chat storage.ChatID) map[storage.NodeID]string {
	var list []struct {
		ID    string           `json:"id"`
		Nodes []storage.NodeID `json:"nodes"`
	}
	of := map[storage.NodeID]string{}
	if _, err := tx.Setting(DetectedKey(chat), &list); err != nil {
		return of
	}
	for _, b := range list {
		for _, id := range b.Nodes {
			of[id] = b.ID
		}
	}
	return of
}

// lastDetected returns the breaks in force that were detected together last, on all branches.
func lastDetected(tx *storage.Tx, chat storage.ChatID) (nodes []storage.NodeID) {
	last, earlier := "", earlierBatches(tx, chat)
	for id, b := range storage.Breaks.All(tx, chat) {
		batch := cmp.Or(b.Batch, earlier[id], string(id))
		if !b.Detected || b.Hidden || batch < last {
			continue
		}
		if batch > last {
			last, nodes = batch, nil
		}
		nodes = append(nodes, id)
	}
	return nodes
}

// UndoDetection removes the breaks of the last detection and returns their number. Detection after
// a turn does not set them again; their recaps are kept.
func (svc *Service) UndoDetection(chat storage.ChatID) (n int, err error) {
	err = svc.ChangeScenes(chat, "undo detected breaks", func(tx *storage.Tx) error {
		last := lastDetected(tx, chat)
		if len(last) == 0 {
			return failure.Refusef("there are no detected scene breaks left to undo")
		}
		for _, node := range last {
			if _, err := svc.markBreak(tx, chat, node, false, &detection{}); err != nil {
				return err
			}
		}
		n = len(last)
		return svc.touchScenes(tx, chat, last...)
	})
	return n, err
}

// checkedMessage is a model's result for a message.
type checkedMessage struct {
	node  storage.NodeID
	found *detection // nil: no scene begins with it
}

// StoreDetection stores a model's answer about the messages at the end of a path: the break that it
// found, and that the messages are checked. UndoDetection undoes all breaks of a batch together.
func (svc *Service) StoreDetection(
	tx *storage.Tx, chat storage.ChatID, messages []scene.Message, d scene.Detection, batch string,
) error {
	at, cue, ok := scene.HasEvidence(d, messages)
	var all []checkedMessage
	for i, m := range messages {
		j := checkedMessage{node: m.ID}
		if ok && i == at {
			j.found = &detection{rationale: d.Rationale, cue: cue}
		}
		all = append(all, j)
	}
	how := search{least: svc.core.Settings().Scenes.MinMessages, batch: batch, turn: true}
	return svc.storeChecked(tx, chat, all, how)
}

// runDetect asks about the messages at the end of a path.
func (jobs *Jobs) runDetect(ctx context.Context, op storage.Operation, _ func(queue.Progress)) (queue.Effect, error) {
	p := chats.ParamsOf(op)
	var c storage.Chat
	var speaker storage.CharacterID
	var past, candidates []scene.Message
	err := jobs.core.Store.View(func(tx *storage.Tx) (err error) {
		if c, err = storage.Chats.Get(tx, p.Chat); err != nil {
			return queue.ErrDiscard
		}
		if !chats.OnPath(tx, p.Chat, c.Head, p.Node) {
			return queue.ErrDiscard // swiped away: it must not end a scene that others share
		}
		for _, id := range UncheckedMessages(tx, p.Chat, c.Head) { // more messages may have come while this waited
			n, err := tx.Node(p.Chat, id)
			if err != nil {
				return err
			}
			candidates, speaker = append(candidates, MessageFor(n)), n.Speaker
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
	d, err := jobs.askBreak(ctx, c, speaker, past, candidates)
	if errors.Is(err, models.ErrFolds) {
		return queue.Effect{}, queue.ErrDiscard // the next look finds them unlooked at
	}
	if err != nil {
		return queue.Effect{}, err
	}
	return queue.Effect{Result: d, Apply: func(tx *storage.Tx) error {
		return jobs.StoreDetection(tx, p.Chat, candidates, d, string(op.ID))
	}}, nil
}

// storeChecked stores the breaks that a model found and marks the messages as checked. Messages that
// were deleted, swiped away or checked meanwhile are skipped.
func (svc *Service) storeChecked(tx *storage.Tx, chat storage.ChatID, all []checkedMessage, how search) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return queue.ErrDiscard
	}
	var placed []storage.NodeID
	for _, j := range all {
		p, err := tx.NodeInfo(chat, j.node)
		if err != nil || p.Deleted || p.Checked || how.turn && !chats.OnPath(tx, chat, c.Head, j.node) {
			continue
		}
		if j.found != nil {
			at, err := svc.placeBreak(tx, chat, j.node, false, *j.found, how)
			if err != nil {
				return err
			}
			if at != "" {
				placed = append(placed, at)
			}
		}
		if err := setChecked(tx, chat, []storage.NodeID{j.node}, true); err != nil {
			return err
		}
	}
	return svc.finishBreaks(tx, chat, placed)
}

// askBreak asks whether one of the candidates begins a new scene. speaker is the character that
// speaks in the last one. By default the question follows the chat's own prompt, which is in the
// server's cache, if the same model is asked with the same options; otherwise it is a request of
// its own. Such a request evicts the chat's prompt from the cache, so that the next turn is slow.
// If the next turn will trim the history and make room for the question, the error is
// models.ErrFolds, unless more candidates than maxLiveMessages would be waiting by then.
func (jobs *Jobs) askBreak(
	ctx context.Context, c storage.Chat, speaker storage.CharacterID, past, candidates []scene.Message,
) (d scene.Detection, err error) {
	j, err := jobs.detectJob(ctx, c)
	if err != nil {
		return d, err
	}
	last := candidates[len(candidates)-1]
	if !jobs.core.Settings().Scenes.DetectAlone && jobs.models.SameAsChat(j, c) {
		question := scene.DetectInstruction(jobs.core.Prompts(), past, candidates)
		prompt, _, err := jobs.prompts.AppendedPrompt(ctx, j, c, last.ID, speaker, question)
		switch {
		case err == nil:
			return jobs.askVerdict(ctx, j, prompt)
		case errors.Is(err, models.ErrFolds) && len(candidates) < maxLiveMessages:
			return d, err
		}
	}
	return jobs.askAlone(ctx, j, past, last)
}

// detectJob returns the job for questions about breaks.
func (svc *Service) detectJob(ctx context.Context, c storage.Chat) (models.Job, error) {
	j, err := svc.models.Job(ctx, models.JobDetect, c)
	j.Options.NumPredict = min(j.Options.NumPredict, DetectReply)
	return j, err
}

// askVerdict asks about a break.
func (svc *Service) askVerdict(ctx context.Context, j models.Job,
	prompt []prompts.Message) (d scene.Detection, err error) {
	req := j.Request(prompt)
	req.Form = scene.DetectForm()
	_, err = j.Client.Structured(ctx, req, scene.DetectSchema(), &d, nil, nil)
	svc.models.NoteJob(j, prompt, err)
	return d, j.WrongForm(err)
}

// askAlone asks about one message in a separate request.
func (svc *Service) askAlone(
	ctx context.Context, j models.Job, past []scene.Message, m scene.Message,
) (d scene.Detection, err error) {
	prompt := scene.DetectPrompt(svc.core.Prompts(), past, m)
	if err := j.Fits(prompt); err != nil {
		return d, err
	}
	return svc.askVerdict(ctx, j, prompt)
}
