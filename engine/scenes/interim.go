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

// interim is a recap of how a scene began that is still being played. It stands in a
// prompt for what has left that, and the scene's own recap goes on from it.
type interim struct {
	storage.Recap                // Node is the last message that it tells of
	After         storage.NodeID `json:"after,omitempty"` // the break before its scene, "" for the first
	Depth         int            `json:"depth"`           // of Node
}

const (
	// interimKind is the kind of text that a chat keeps interim recaps as, so that they
	// go with it.
	interimKind  = "interim"
	mostInterims = 6
	// mostUntold is how many messages of a scene are read for an interim recap, and
	// leastUntold how many are worth one: of a long play in which nobody has marked a scene,
	// each one reads the next of them.
	mostUntold  = 240
	leastUntold = 4
	// interimRest is how many messages are played before one is asked for again that
	// failed, or that the user did not want.
	interimRest = 8
)

// interimPriority lets an interim recap go after recaps and before what waits for nobody.
const interimPriority = 15

// interimsOf are the interim recaps of a chat, on all branches, in the order in which
// they were made.
func interimsOf(tx *storage.Tx, chat storage.ChatID) []interim {
	return keptList[interim](tx, interimKind, chat) // damaged: they can be made again
}

func putInterims(tx *storage.Tx, chat storage.ChatID, list []interim) error {
	return keepList(tx, interimKind, chat, list, mostInterims)
}

// removeInterims throws away interim recaps that gone reports.
func removeInterims(tx *storage.Tx, chat storage.ChatID, gone func(interim) bool) error {
	list := interimsOf(tx, chat)
	if kept := slices.DeleteFunc(slices.Clone(list), gone); len(kept) < len(list) {
		return putInterims(tx, chat, kept)
	}
	return nil
}

// interimsAt are those of a path, the furthest first: each tells its scene from the
// beginning. Where there are none no step is gone up the path.
func interimsAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (out []interim) {
	list := interimsOf(tx, chat)
	if len(list) == 0 {
		return nil
	}
	least := list[0].Depth
	for _, i := range list {
		least = min(least, i.Depth)
	}
	for p := range tx.Spine(chat, leaf) {
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

// interimsFor are of a path's interim recaps those of the scene after a break, "" for the
// first scene.
func interimsFor(tx *storage.Tx, chat storage.ChatID, list []interim, after storage.NodeID) []interim {
	return slices.DeleteFunc(slices.Clone(list), func(i interim) bool {
		return i.After != after && (i.After == "" || tellingBefore(tx, chat, i.After) != after)
	})
}

// FoldNears asks for an interim recap of the open scene where older messages will soon leave the
// prompt: up to the newest of these.
func (svc *Service) FoldNears(tx *storage.Tx, n chats.FinishedReply) error {
	chat, leaf, to := n.Chat, n.ID, n.Leaves
	if to == "" || svc.core.Settings().Scenes.NoInterim || svc.core.Settings().Memory.Mode == config.MemoryShort {
		return nil
	}
	if making(tx, chat, opInterim) {
		return nil
	}
	at, err := tx.Place(chat, to)
	if err != nil {
		return ignoreGone(err)
	}
	if end, ok := sceneEnd(tx, chat, leaf, at); !ok || end != "" {
		return svc.recapOf(tx, chat, end)
	}
	told := storage.NodeID("") // the last message that an interim recap tells
	if list := interimsFor(tx, chat, interimsAt(tx, chat, to), openUpTo(tx, chat, to).after); len(list) > 0 {
		told = list[0].Node
	}
	var untold []storage.Place // the newest first
	for p := range upScene(tx, chat, to) {
		if p.ID == told {
			break
		}
		if p.Said() {
			untold = append(untold, p)
		}
	}
	if n := len(untold); n < leastUntold {
		return nil
	} else if n > mostUntold {
		at = untold[n-mostUntold]
	}
	failed := failedTry(tx, func(op storage.Operation) bool {
		return op.Type == opInterim && chats.ParamsOf(op).Chat == chat
	})
	if was, err := tx.Place(chat, failed.Node); err == nil && was.Depth > at.Depth-interimRest {
		return nil
	}
	_, err = svc.core.Queue.AddKind(tx, opInterim, chats.Params{Chat: chat, Node: at.ID, Read: failed.Read}, nil)
	return err
}

// openInterimAt is the interim recap of the scene that is open at a message.
func openInterimAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (i interim, ok bool) {
	list := interimsAt(tx, chat, leaf)
	if len(list) == 0 {
		return i, false
	}
	end, ok := sceneEnd(tx, chat, leaf, storage.Place{ID: list[0].Node, Depth: list[0].Depth})
	return list[0], ok && end == ""
}

// OpenRecapAt is the interim recap of the scene that is open at a message, and the depth of
// the last message that it tells of; false where there is none.
func OpenRecapAt(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) (r storage.Recap, depth int, ok bool) {
	i, ok := openInterimAt(tx, chat, leaf)
	return i.Recap, i.Depth, ok
}

// InterimRecap returns an interim recap of a chat by its id, also one whose scene has ended since;
// the zero value where it is not kept any more.
func InterimRecap(tx *storage.Tx, chat storage.ChatID, id storage.RecapID) storage.Recap {
	for _, i := range interimsOf(tx, chat) {
		if i.ID == id {
			return i.Recap
		}
	}
	return storage.Recap{}
}

// runInterim makes the interim recap of the open scene up to a message: it reads what
// none tells yet, and puts that together with the one before.
func (svc *Jobs) runInterim(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	t, err := svc.readScene(chats.ParamsOf(op), true)
	if err != nil {
		return queue.Effect{}, err
	}
	j, err := svc.models.Job(ctx, models.JobRecap, t.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	t = fittedInParts(svc.core.Prompts(), j, t)
	made, done, err := svc.readInParts(ctx, j, t, report)
	if err != nil {
		return queue.Effect{}, err
	}
	if made == nil {
		return goOn(t.Params, done)
	}
	made.Kind, made.Node, made.CreatedAt = storage.InterimRecap, t.Node, svc.core.Config.Now()
	return queue.Effect{Result: recapResult{Recap: made.ID}, Apply: func(tx *storage.Tx) error {
		return keepInterim(tx, svc.core.Settings().Scenes.Types, t.Chat, interim{Recap: *made, After: t.after})
	}}, nil
}

// keepInterim stores an interim recap, if what it tells is still as it was.
func keepInterim(tx *storage.Tx, types string, chat storage.ChatID, i interim) error {
	c, err := storage.Chats.Get(tx, chat)
	if err != nil {
		return queue.ErrDiscard
	}
	at, err := tx.Place(chat, i.Node)
	if err != nil || !stillTold(tx, types, chat, i) {
		return queue.ErrDiscard
	}
	i.Depth = at.Depth
	if i.Witnesses, err = witnessesOf(tx, c, openUpTo(tx, chat, i.Node)); err != nil {
		return err
	}
	list := slices.DeleteFunc(interimsOf(tx, chat), func(o interim) bool { return o.Node == i.Node })
	return putInterims(tx, chat, append(list, i))
}

// stillTold reports whether the messages of an interim recap are as they were, in one
// scene that begins where it did.
func stillTold(tx *storage.Tx, types string, chat storage.ChatID, i interim) bool {
	s := openUpTo(tx, chat, i.Node)
	messages, err := MessagesIn(tx, chat, s)
	return err == nil && s.after == i.After && scene.Inputs(recapMessages(types, messages)) == i.Inputs
}

// touchInterims throws interim recaps away whose messages have changed, or in whose scene
// another ends now. least is the depth of the first message of those that were touched.
func touchInterims(tx *storage.Tx, types string, chat storage.ChatID, least int) error {
	return removeInterims(tx, chat, func(i interim) bool { return i.Depth >= least && !stillTold(tx, types, chat, i) })
}

// dropInterims throws away, when a scene has its own recap, the interim ones of the scenes
// before it. Its own go on to be told, by prompts that tell them already, until these
// fold.
func dropInterims(tx *storage.Tx, chat storage.ChatID, brk storage.NodeID) error {
	onPath := interimsAt(tx, chat, openUpTo(tx, chat, brk).after)
	return removeInterims(tx, chat, func(i interim) bool {
		return slices.ContainsFunc(onPath, func(o interim) bool { return o.ID == i.ID })
	})
}

// begun is what an interim recap has read of a scene already: the first of its parts. It
// is nil where there is none for the same scene in the same style, or messages that it
// tells are not there.
func begun(tx *storage.Tx, chat storage.ChatID, s stretch, in scene.Input) *readPart {
	for _, i := range interimsFor(tx, chat, interimsAt(tx, chat, s.Last.ID), s.after) {
		n := slices.IndexFunc(in.Messages, func(m scene.Message) bool { return m.ID == i.Node }) + 1
		if n == 0 { // the last one is none of those that recaps are made of
			for n < len(in.Messages) && in.Messages[n].ID <= i.Node { // ids sort by time
				n++
			}
		}
		if i.Style != in.Style || i.After != s.after || scene.Inputs(in.Messages[:n]) != i.Inputs {
			continue
		}
		made := i.Recap
		made.Kind, made.Key, made.Witnesses = storage.SceneRecap, "", nil
		return &readPart{To: scene.Spot{Number: n}, Inputs: i.Inputs, Made: made}
	}
	return nil
}

// Interim is the interim recap of the open scene of a chat, nil where there is none, and
// whether one is being made.
func (svc *Service) Interim(chat storage.ChatID) (v *InterimView, working bool, err error) {
	err = svc.look(chat, "read the interim recap", func(tx *storage.Tx, c storage.Chat) error {
		working = making(tx, chat, opInterim)
		if i, ok := openInterimAt(tx, chat, c.Head); ok {
			s := openUpTo(tx, chat, i.Node)
			v = &InterimView{RecapVersion: RecapVersion{Recap: i.Recap, Reads: readsOf(tx, chat, i.Recap, i.Node)},
				First: s.first.ID, Last: i.Node, FirstDepth: s.first.Depth, LastDepth: i.Depth, Messages: s.Said}
		}
		return nil
	})
	return v, working, err
}
