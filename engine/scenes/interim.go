package scenes

import (
	"context"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// interim is a recap of the beginning of a scene that is still being played. It replaces messages
// that have left the prompt, and the scene's own recap continues it.
type interim struct {
	storage.Recap                // Node is the last message that it covers
	After         storage.NodeID `json:"after,omitempty"` // the break before its scene, "" for the first
	Depth         int            `json:"depth"`           // of Node
}

const (
	// interimKind is the kind of the chat text that stores interim recaps.
	interimKind = "interim"
	maxInterims = 6
	// maxUnrecapped is the maximum number of messages that an interim recap reads, and
	// minUnrecapped the minimum. In a long play without scene breaks, each interim recap reads the
	// next messages.
	maxUnrecapped = 240
	minUnrecapped = 4
	// minBetweenInterims is the number of messages after which an interim recap that failed or was
	// cancelled is tried again.
	minBetweenInterims = 8
)

// interimPriority puts interim recaps after recaps and before background work.
const interimPriority = 15

// interimsOf returns the interim recaps of a chat, on all branches, in the order of creation.
func interimsOf(tx *storage.Tx, chat storage.ChatID) []interim {
	return readList[interim](tx, interimKind, chat) // damaged: they can be made again
}

func putInterims(tx *storage.Tx, chat storage.ChatID, list []interim) error {
	return writeList(tx, interimKind, chat, list, maxInterims)
}

// removeInterims removes the interim recaps for which gone returns true.
func removeInterims(tx *storage.Tx, chat storage.ChatID, gone func(interim) bool) error {
	list := interimsOf(tx, chat)
	if kept := slices.DeleteFunc(slices.Clone(list), gone); len(kept) < len(list) {
		return putInterims(tx, chat, kept)
	}
	return nil
}

// interimsAt returns the interim recaps on a path, the furthest first. Each covers its scene from
// the beginning. If the chat has none, the path is not walked.
func interimsAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (out []interim) {
	list := interimsOf(tx, chat)
	if len(list) == 0 {
		return nil
	}
	least := list[0].Depth
	for _, i := range list {
		least = min(least, i.Depth)
	}
	for p := range tx.PathInfos(chat, leaf) {
		if p.Depth < least {
			break
		}
		for _, i := range slices.Backward(list) {
			if i.Node == p.ID && (i.After == "" || ShownBreak(tx, chat, i.After)) {
				out = append(out, i)
				break
			}
		}
	}
	return out
}

// interimsFor returns the interim recaps in list that belong to the scene after a break, "" for the
// first scene.
func interimsFor(tx *storage.Tx, chat storage.ChatID, list []interim, after storage.NodeID) []interim {
	return slices.DeleteFunc(slices.Clone(list), func(i interim) bool {
		return i.After != after && (i.After == "" || nonEmptyBefore(tx, chat, i.After) != after)
	})
}

// QueueInterimRecap queues an interim recap of the open scene if older messages will soon leave the
// prompt: up to the newest of these.
func (svc *Service) QueueInterimRecap(tx *storage.Tx, n chats.FinishedReply) error {
	chat, leaf, to := n.Chat, n.ID, n.Leaves
	if to == "" || svc.core.Settings().Scenes.NoInterim || svc.core.Settings().Memory.Mode == config.MemoryShort {
		return nil
	}
	if isQueued(tx, chat, opInterim) {
		return nil
	}
	at, err := tx.NodeInfo(chat, to)
	if err != nil {
		return ignoreGone(err)
	}
	if end, ok := sceneEnd(tx, chat, leaf, at); !ok || end != "" {
		return svc.recapOf(tx, chat, end)
	}
	covered := storage.NodeID("") // the last message that an interim recap covers
	if list := interimsFor(tx, chat, interimsAt(tx, chat, to), openUpTo(tx, chat, to).after); len(list) > 0 {
		covered = list[0].Node
	}
	var unrecapped []storage.NodeInfo // the newest first
	for p := range walkScene(tx, chat, to) {
		if p.ID == covered {
			break
		}
		if p.InStory() {
			unrecapped = append(unrecapped, p)
		}
	}
	if n := len(unrecapped); n < minUnrecapped {
		return nil
	} else if n > maxUnrecapped {
		at = unrecapped[n-maxUnrecapped]
	}
	failed := failedTry(tx, func(op storage.Operation) bool {
		return op.Type == opInterim && chats.ParamsOf(op).Chat == chat
	})
	if was, err := tx.NodeInfo(chat, failed.Node); err == nil && was.Depth > at.Depth-minBetweenInterims {
		return nil
	}
	_, err = svc.core.Queue.AddOperation(tx, opInterim, chats.Params{Chat: chat, Node: at.ID, Read: failed.Read}, nil)
	return err
}

// openInterimAt returns the interim recap of the scene that is open at a message.
func openInterimAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (i interim, ok bool) {
	list := interimsAt(tx, chat, leaf)
	if len(list) == 0 {
		return i, false
	}
	end, ok := sceneEnd(tx, chat, leaf, storage.NodeInfo{ID: list[0].Node, Depth: list[0].Depth})
	return list[0], ok && end == ""
}

// OpenRecapAt returns the interim recap of the scene that is open at a message and the depth of the
// last message that it covers; false if there is none.
func OpenRecapAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (r storage.Recap, depth int, ok bool) {
	i, ok := openInterimAt(tx, chat, leaf)
	return i.Recap, i.Depth, ok
}

// InterimRecap returns an interim recap of a chat by id, also if its scene has ended; the zero
// value if it was removed.
func InterimRecap(tx *storage.Tx, chat storage.ChatID, id storage.RecapID) storage.Recap {
	for _, i := range interimsOf(tx, chat) {
		if i.ID == id {
			return i.Recap
		}
	}
	return storage.Recap{}
}

// runInterim makes the interim recap of the open scene up to a message: it reads the messages that
// no interim recap covers and merges them with the one before.
func (jobs *Jobs) runInterim(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	t, err := jobs.readScene(chats.ParamsOf(op), true)
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := jobs.models.Job(ctx, models.JobRecap, t.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	t = fitPartRequest(jobs.core.Prompts(), j, t)
	made, done, err := jobs.readInParts(ctx, j, t, report)
	if err != nil {
		return queue.Effect{}, err
	}
	if made == nil {
		return continueLater(t.Params, done)
	}
	made.Kind, made.Node, made.CreatedAt = storage.InterimRecap, t.Node, jobs.core.Config.Now()
	return queue.Effect{Result: recapResult{Recap: made.ID}, Apply: func(tx *storage.Tx) error {
		return keepInterim(tx, jobs.core.Settings().Scenes.Types, t.Chat, interim{Recap: *made, After: t.after})
	}}, nil
}

// keepInterim stores an interim recap unless the messages that it covers have changed.
func keepInterim(tx *storage.Tx, types string, chat storage.ChatID, i interim) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return queue.ErrDiscard
	}
	at, err := tx.NodeInfo(chat, i.Node)
	if err != nil || !isCurrent(tx, types, chat, i) {
		return queue.ErrDiscard
	}
	i.Depth = at.Depth
	if i.Witnesses, err = witnessesOf(tx, c, openUpTo(tx, chat, i.Node)); err != nil {
		return err
	}
	list := slices.DeleteFunc(interimsOf(tx, chat), func(o interim) bool { return o.Node == i.Node })
	return putInterims(tx, chat, append(list, i))
}

// isCurrent reports whether the messages of an interim recap are unchanged and in one scene that
// still begins at the same place.
func isCurrent(tx *storage.Tx, types string, chat storage.ChatID, i interim) bool {
	s := openUpTo(tx, chat, i.Node)
	messages, err := MessagesIn(tx, chat, s)
	return err == nil && s.after == i.After && scene.HashMessages(recapMessages(types, messages)) == i.InputsHash
}

// touchInterims removes interim recaps whose messages have changed, or whose scene now ends
// elsewhere. least is the depth of the first message that was changed.
func touchInterims(tx *storage.Tx, types string, chat storage.ChatID, least int) error {
	return removeInterims(tx, chat, func(i interim) bool { return i.Depth >= least && !isCurrent(tx, types, chat, i) })
}

// dropInterims removes the interim recaps of earlier scenes when a scene has got its own recap. The
// scene's own interim recaps stay for prompts that already contain them, until these are trimmed.
func dropInterims(tx *storage.Tx, chat storage.ChatID, brk storage.NodeID) error {
	onPath := interimsAt(tx, chat, openUpTo(tx, chat, brk).after)
	return removeInterims(tx, chat, func(i interim) bool {
		return slices.ContainsFunc(onPath, func(o interim) bool { return o.ID == i.ID })
	})
}

// startedPart returns the part of a scene that an interim recap has already read. It is nil if
// there is none for the same scene and style, or if messages that it covers are gone.
func startedPart(tx *storage.Tx, chat storage.ChatID, s Span, in scene.Input) *readPart {
	for _, i := range interimsFor(tx, chat, interimsAt(tx, chat, s.Last.ID), s.after) {
		n := slices.IndexFunc(in.Messages, func(m scene.Message) bool { return m.ID == i.Node }) + 1
		if n == 0 { // recaps do not use the last one
			for n < len(in.Messages) && in.Messages[n].ID <= i.Node { // ids sort by time
				n++
			}
		}
		if i.Style != in.Style || i.After != s.after || scene.HashMessages(in.Messages[:n]) != i.InputsHash {
			continue
		}
		made := i.Recap
		made.Kind, made.RequestHash, made.Witnesses = storage.SceneRecap, "", nil
		return &readPart{To: scene.Position{Number: n}, Inputs: i.InputsHash, Made: made}
	}
	return nil
}

// Interim returns the interim recap of a chat's open scene, nil for none, and whether one is being
// made.
func (svc *Service) Interim(chat storage.ChatID) (v *InterimView, working bool, err error) {
	err = svc.readChat(chat, "read the interim recap", func(tx *storage.Tx, c storage.Chat) error {
		working = isQueued(tx, chat, opInterim)
		if i, ok := openInterimAt(tx, chat, c.Head); ok {
			s := openUpTo(tx, chat, i.Node)
			v = &InterimView{RecapVersion: RecapVersion{Recap: i.Recap, Reads: partEnds(tx, chat, i.Recap, i.Node)},
				First: s.first.ID, Last: i.Node, FirstDepth: s.first.Depth, LastDepth: i.Depth, Messages: s.Messages}
		}
		return nil
	})
	return v, working, err
}
