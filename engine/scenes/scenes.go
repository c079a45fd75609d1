package scenes

import (
	"errors"
	"iter"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Span is a scene as the tree shows it.
type Span struct {
	Break *storage.Break // nil at the open scene
	after storage.NodeID // the break before it, "" for the first
	// first and last are the ends of the messages that are not deleted; zero if all are deleted.
	first, Last    storage.NodeInfo
	Messages, size int
}

// SpansOf cuts a path into scenes, oldest first; the open one, which may
// hold nothing, is last. It reads no message.
func SpansOf(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) []Span {
	marks := BreaksOf(tx, chat)
	list := []Span{{}}
	at := &list[0]
	for p := range tx.PathInfos(chat, leaf) {
		if b := marks[p.ID]; b != nil && !b.Hidden {
			at.after = p.ID
			list = append(list, Span{Break: b})
			at = &list[len(list)-1]
		}
		at.addAbove(p)
	}
	slices.Reverse(list)
	return list
}

// addAbove adds a message to a scene, above its current messages.
func (s *Span) addAbove(p storage.NodeInfo) {
	if p.Deleted {
		return
	}
	if s.Last.ID == "" {
		s.Last = p
	}
	s.first = p
	if p.InStory() {
		s.Messages++
		s.size += p.Size
	}
}

// BreaksOf returns all breaks of a chat by their messages, on every branch.
func BreaksOf(tx *storage.Tx, chat storage.ChatID) map[storage.NodeID]*storage.Break {
	marks := map[storage.NodeID]*storage.Break{}
	for id, b := range storage.Breaks.All(tx, chat) {
		marks[id] = &b
	}
	return marks
}

// SpanAt finds the scene that ends at node by going up from there.
func SpanAt(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) (Span, error) {
	b, err := storage.Breaks.Get(tx, chat, node)
	if err != nil {
		return Span{}, err
	}
	s := openUpTo(tx, chat, node)
	s.Break = &b
	return s, nil
}

// openUpTo returns a scene from its beginning up to a message.
func openUpTo(tx *storage.Tx, chat storage.ChatID, to storage.NodeID) (s Span) {
	for p := range walkScene(tx, chat, to) {
		s.addAbove(p)
		s.after = p.Parent
	}
	if !ShownBreak(tx, chat, s.after) {
		s.after = "" // the tree is damaged above
	}
	return s
}

// walkScene goes up from a message to the beginning of its scene.
func walkScene(tx *storage.Tx, chat storage.ChatID, from storage.NodeID) iter.Seq[storage.NodeInfo] {
	return func(yield func(storage.NodeInfo) bool) {
		for p := range tx.PathInfos(chat, from) {
			if p.ID != from && ShownBreak(tx, chat, p.ID) || !yield(p) {
				return
			}
		}
	}
}

// breaksAbove returns the breaks in force on a path for which want returns true, newest first. It
// stops at the depth of the chat's topmost wanted break.
func breaksAbove(
	tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID, want func(storage.Break) bool,
) iter.Seq[storage.Break] {
	return func(yield func(storage.Break) bool) {
		marks, least := map[storage.NodeID]storage.Break{}, 0
		for id, b := range storage.Breaks.All(tx, chat) {
			if b.Hidden || !want(b) {
				continue
			}
			if len(marks) == 0 || b.Depth < least {
				least = b.Depth
			}
			marks[id] = b
		}
		if len(marks) == 0 {
			return
		}
		for p := range tx.PathInfos(chat, leaf) {
			if p.Depth < least {
				return
			}
			if b, ok := marks[p.ID]; ok && !yield(b) {
				return
			}
		}
	}
}

// sceneEnd returns the last message of the scene that contains a message on the path to leaf, ""
// for the open scene. ok is false if the message is not on that path.
func sceneEnd(
	tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID, at storage.NodeInfo,
) (end storage.NodeID, ok bool) {
	for p := range tx.PathInfos(chat, leaf) {
		if p.Depth < at.Depth {
			break
		}
		if ShownBreak(tx, chat, p.ID) {
			end = p.ID
		}
		if p.ID == at.ID {
			return end, true
		}
	}
	return "", false
}

// ShownBreak reports whether a scene ends at a message.
func ShownBreak(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) bool {
	if !storage.Breaks.Has(tx, chat, node) {
		return false
	}
	b, err := storage.Breaks.Get(tx, chat, node)
	return err == nil && !b.Hidden
}

// List reads the scenes of a chat's path.
func (svc *Service) List(chat storage.ChatID) (Scenes, error) {
	var out Scenes
	err := svc.readChat(chat, "read scenes", func(tx *storage.Tx, c storage.Chat) error {
		out = svc.ReadScenes(tx, c)
		return nil
	})
	return out, err
}

// readChat reads something of a chat.
func (svc *Service) readChat(chat storage.ChatID, op string, f func(tx *storage.Tx, c storage.Chat) error) error {
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		return f(tx, c)
	})
	if err != nil {
		return failure.Wrap(op, err)
	}
	return nil
}

// ReadScenes returns the scenes of a chat, in a transaction of the caller.
func (svc *Service) ReadScenes(tx *storage.Tx, c storage.Chat) Scenes {
	out := Scenes{Chat: c.ID, CoversDepth: -1, Clock: clockView(tx, c)}
	list := SpansOf(tx, c.ID, c.Head)
	run := RunningOn(tx, c.ID, list)
	out.Running = RecapState{Version: run.at + 1, Versions: len(run.list),
		Stale: run.Current != nil && run.Past.stale(*run.Current, newStaleParts(tx, c.ID))}
	if m, err := svc.RecapForPrompt(tx, chats.Viewpoint{Chat: c}, c.Head, LastPrompt{},
		func(text string) int { return len(text) / 4 }, 0); err == nil && m.Covers != "" {
		out.Covers, out.CoversDepth = m.Covers, m.CoversDepth
	}
	merged := run.Past.Parts(run.Current)
	working, detecting := svc.working(tx, c.ID)
	out.Detecting = detecting
	number := 0
	for _, s := range list {
		if s.Break != nil && s.Last.ID == "" {
			continue // all of it was deleted
		}
		number++
		v := SceneView(tx, c.ID, s, number)
		v.InMemory, v.Working = merged[v.Break], working[v.Break]
		out.List = append(out.List, v)
	}
	for p := range tx.PathInfos(c.ID, c.Head) {
		if p.InStory() && !p.Checked && p.Depth > 0 { // nothing could end before the first
			out.Unchecked++
		}
	}
	return out
}

// SceneView returns a scene for front ends.
func SceneView(tx *storage.Tx, chat storage.ChatID, s Span, number int) Scene {
	v := Scene{Number: number, First: s.first.ID, Last: s.Last.ID, FirstDepth: s.first.Depth, LastDepth: s.Last.Depth,
		Messages: s.Messages, Tokens: s.size/4 + 6*s.Messages, Open: s.Break == nil}
	if s.Break == nil {
		return v
	}
	b := s.Break
	v.Break, v.Name, v.Expanded, v.Detected, v.Rationale = b.Node, b.Name, b.Expanded, b.Detected, b.Rationale
	if len(b.Versions) == 0 {
		return v
	}
	v.Recap = RecapState{Version: max(0, min(b.Current, len(b.Versions)-1)) + 1, Versions: len(b.Versions)}
	if r, err := storage.Recaps.Get(tx, chat, b.Recap()); err == nil {
		v.Recap.Stale, v.Lore = StaleFor(r, b.InputsHash), len(r.Lorebooks)
	}
	return v
}

// StaleFor reports whether a recap was made from other inputs than the current ones.
func StaleFor(r storage.Recap, inputs string) bool {
	return r.InputsHash != "" && inputs != "" && r.InputsHash != inputs
}

// working returns the scenes whose recap is being made, and whether the chat is being searched for
// breaks.
func (svc *Service) working(tx *storage.Tx, chat storage.ChatID) (nodes map[storage.NodeID]bool, detecting bool) {
	nodes = map[storage.NodeID]bool{}
	for op := range chats.Unfinished(tx, chat) {
		switch op.Type {
		case opRecap, opJoin, opMessage, opRecallTest:
			nodes[chats.ParamsOf(op).Node] = true
		case opDetectAll:
			detecting = true
		}
	}
	return nodes, detecting
}

// ToggleBreak ends a scene at a message, or takes that back, and reports whether
// a scene ends there now.
func (svc *Service) ToggleBreak(chat storage.ChatID, node storage.NodeID) (on bool, err error) {
	err = svc.ChangeScenes(chat, "scene break", func(tx *storage.Tx) error {
		on = !ShownBreak(tx, chat, node)
		_, err := svc.setBreak(tx, chat, node, on, nil)
		return err
	})
	return on, err
}

// SetBreak ends a scene at a message or takes that back; it reports whether that
// changed anything.
func (svc *Service) SetBreak(chat storage.ChatID, node storage.NodeID, on bool) (changed bool, err error) {
	err = svc.ChangeScenes(chat, "scene break", func(tx *storage.Tx) error {
		changed, err = svc.setBreak(tx, chat, node, on, nil)
		return err
	})
	return changed, err
}

// ChangeScenes changes a chat's scenes in one transaction and emits Changed.
func (svc *Service) ChangeScenes(chat storage.ChatID, op string, f func(tx *storage.Tx) error) error {
	if err := svc.core.Store.Update(f); err != nil {
		return failure.Wrap(op, err)
	}
	svc.core.Queue.Wake()
	svc.core.Emit(Changed{chat})
	svc.changed.Take() // the caller shows what is stale now at the scenes themselves
	return nil
}

// changeScenes is ChangeScenes with the stored chat.
func (svc *Service) changeScenes(chat storage.ChatID, op string, f func(tx *storage.Tx, c storage.Chat) error) error {
	return svc.ChangeScenes(chat, op, func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		return f(tx, c)
	})
}

// detection is why a break was detected.
type detection struct {
	rationale, cue string
	batch          string         // of the breaks found together with it
	next           storage.NodeID // the message that begins the next scene, "" for the one that ends this one
}

// setBreak shows or hides a break. by describes its detection, nil for the user. A hidden break
// keeps its recaps, and the messages around it may be checked again.
func (svc *Service) setBreak(
	tx *storage.Tx, chat storage.ChatID, node storage.NodeID, on bool, by *detection,
) (bool, error) {
	changed, err := svc.markBreak(tx, chat, node, on, by)
	if err != nil || !changed {
		return false, err
	}
	if err := svc.touchScenes(tx, chat, node); err != nil || !on {
		return true, err
	}
	return true, svc.recapEnded(tx, chat, node)
}

// markBreak is setBreak without updating the recaps of the scenes around.
func (svc *Service) markBreak(
	tx *storage.Tx, chat storage.ChatID, node storage.NodeID, on bool, by *detection,
) (bool, error) {
	p, err := tx.NodeInfo(chat, node)
	if err != nil {
		return false, err
	}
	b, err := storage.Breaks.Get(tx, chat, node)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		if !on {
			return false, nil
		}
		b = storage.Break{Node: node, Depth: p.Depth, CreatedAt: svc.core.Config.Now()}
	case err != nil:
		return false, err
	case b.Hidden == !on:
		return false, nil
	}
	if b.Hidden = !on; on {
		b.Detected, b.Rationale, b.Cue, b.Batch = by != nil, "", "", ""
		if !b.OffPath || by == nil || by.next == "" {
			b.DetectedFrom = nil // its earlier reason no longer applies
		}
		if by != nil {
			b.Rationale, b.Cue, b.Batch = by.rationale, by.cue, by.batch
			if by.next != "" {
				b.DetectedFrom = append(b.DetectedFrom, by.next)
			}
		}
	}
	b.OffPath = false
	if err := storage.Breaks.Put(tx, chat, b); err != nil {
		return false, err
	}
	switch {
	case on:
		return true, svc.Ended.Run(tx, core.MessageRef{Chat: chat, Node: node})
	case by == nil:
		return true, uncheck(tx, chat, node)
	}
	return true, nil
}

// uncheck makes detection check the scene that ended at node again.
func uncheck(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	var ids []storage.NodeID
	for p := range walkScene(tx, chat, node) {
		if p.Checked {
			ids = append(ids, p.ID)
		}
	}
	return setChecked(tx, chat, ids, false)
}

// setChecked marks messages as checked by detection, or not.
func setChecked(tx *storage.Tx, chat storage.ChatID, ids []storage.NodeID, on bool) error {
	for _, id := range ids {
		n, err := tx.Node(chat, id)
		if err != nil {
			return err
		}
		if n.Checked == on {
			continue
		}
		n.Checked = on
		if err := tx.PutNode(n); err != nil {
			return err
		}
	}
	return nil
}

// Rename sets the name of a scene; "" lets its recap name it again.
func (svc *Service) Rename(chat storage.ChatID, node storage.NodeID, name string) error {
	return svc.changeBreak(chat, node, "rename scene", func(tx *storage.Tx, b *storage.Break) error {
		b.Name, b.Named = failure.FirstRunes(strings.Join(strings.Fields(name), " "), 120), true
		if b.Name != "" {
			return nil
		}
		b.Named = false
		if r, err := storage.Recaps.Get(tx, chat, b.Recap()); err == nil {
			b.Name = r.SceneName
		}
		return nil
	})
}

// Expand shows or hides a scene's recap in the play.
func (svc *Service) Expand(chat storage.ChatID, node storage.NodeID, on bool) error {
	return svc.changeBreak(chat, node, "unfold scene",
		func(_ *storage.Tx, b *storage.Break) error { b.Expanded = on; return nil })
}

// changeBreak changes a break in force and emits Changed.
func (svc *Service) changeBreak(chat storage.ChatID, node storage.NodeID, op string,
	f func(*storage.Tx, *storage.Break) error) error {
	return svc.ChangeScenes(chat, op, func(tx *storage.Tx) error {
		b, err := VisibleBreak(tx, chat, node)
		if err != nil {
			return err
		}
		if err := f(tx, &b); err != nil {
			return err
		}
		return storage.Breaks.Put(tx, chat, b)
	})
}

// ErrNoScene is returned if no scene ends at a message.
var ErrNoScene = errors.New("no scene ends at this message")

// VisibleBreak reads a break in force.
func VisibleBreak(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) (storage.Break, error) {
	b, err := storage.Breaks.Get(tx, chat, node)
	if errors.Is(err, storage.ErrNotFound) || err == nil && b.Hidden {
		return b, ErrNoScene
	}
	return b, err
}

// Recapped is emitted for a new version of a scene's recap.
type Recapped struct {
	Chat  storage.ChatID
	Node  storage.NodeID // the scene's break
	Recap storage.RecapID
}

// RecapEdited is a recap as the user has left it. Made is the text that a model
// made.
type RecapEdited struct {
	Chat  storage.ChatID
	Recap storage.Recap
	Made  string
}

// IsGone reports whether a chat or a scene is not there any more.
func IsGone(err error) bool {
	return errors.Is(err, ErrNoScene) || errors.Is(err, storage.ErrNotFound)
}
