package engine

import (
	"errors"
	"slices"
	"strings"

	"ghostlight/engine/scenes/scene"
	"ghostlight/storage"
)

// stretch is a scene as the tree shows it.
type stretch struct {
	brk   *storage.Break // nil at the open scene
	after storage.NodeID // the break before it, "" for the first
	// first and last are the ends of what is shown of it; zero where all was
	// deleted.
	first, last storage.Place
	said, size  int
}

// stretchesOf cuts a path into scenes, oldest first; the open one, which may
// hold nothing, is last. It reads no message.
func stretchesOf(tx *storage.Tx, chat storage.ChatID, leaf storage.NodeID) []stretch {
	marks := breaksOf(tx, chat)
	list := []stretch{{}}
	at := &list[0]
	for p := range tx.Spine(chat, leaf) {
		if b := marks[p.ID]; b != nil && !b.Hidden {
			at.after = p.ID
			list = append(list, stretch{brk: b})
			at = &list[len(list)-1]
		}
		if p.Deleted {
			continue
		}
		if at.last.ID == "" {
			at.last = p
		}
		at.first = p
		if p.Said() {
			at.said++
			at.size += p.Size
		}
	}
	slices.Reverse(list)
	return list
}

func breaksOf(tx *storage.Tx, chat storage.ChatID) map[storage.NodeID]*storage.Break {
	marks := map[storage.NodeID]*storage.Break{}
	for id, b := range storage.Breaks.All(tx, chat) {
		marks[id] = &b
	}
	return marks
}

// stretchAt finds the scene that ends at node by going up from there.
func stretchAt(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) (stretch, error) {
	b, err := storage.Breaks.Get(tx, chat, node)
	if err != nil {
		return stretch{}, err
	}
	s := stretch{brk: &b}
	for p := range tx.Spine(chat, node) {
		if p.ID != node && shownBreak(tx, chat, p.ID) {
			s.after = p.ID
			break
		}
		if p.Deleted {
			continue
		}
		if s.last.ID == "" {
			s.last = p
		}
		s.first = p
		if p.Said() {
			s.said++
			s.size += p.Size
		}
	}
	return s, nil
}

// shownBreak tells whether a scene ends at a message.
func shownBreak(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) bool {
	if !storage.Breaks.Has(tx, chat, node) {
		return false
	}
	b, err := storage.Breaks.Get(tx, chat, node)
	return err == nil && !b.Hidden
}

// messagesIn reads what was said in a scene.
func messagesIn(tx *storage.Tx, chat storage.ChatID, s stretch) ([]scene.Message, error) {
	var out []scene.Message
	if s.last.ID == "" {
		return nil, nil
	}
	for p := range tx.Spine(chat, s.last.ID) {
		if p.Said() {
			n, err := tx.Node(chat, p.ID)
			if err != nil {
				return nil, err
			}
			out = append(out, toldBy(n))
		}
		if p.ID == s.first.ID {
			break
		}
	}
	slices.Reverse(out)
	return out, nil
}

func toldBy(n storage.Node) scene.Message {
	return scene.Message{ID: n.ID, Role: n.Role, Name: n.Name, Text: n.Content}
}

// Scenes reads the scenes of a chat's path.
func (e *Engine) Scenes(chat storage.ChatID) (Scenes, error) {
	var out Scenes
	err := e.store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, chat)
		if err != nil {
			return err
		}
		out = e.scenes(tx, c)
		return nil
	})
	if err != nil {
		return Scenes{}, fail("read scenes", err)
	}
	return out, nil
}

func (e *Engine) scenes(tx *storage.Tx, c storage.Chat) Scenes {
	out := Scenes{Chat: c.ID, CoversDepth: -1}
	list := stretchesOf(tx, c.ID, c.Head)
	for _, batch := range undetectable(tx, c.ID) {
		out.Undetect = len(batch) // the newest is last
	}
	run := runningOn(tx, c.ID, list)
	out.Running = RecapState{Version: run.at + 1, Versions: len(run.list), Stale: run.current != nil && run.past.stale(*run.current, newStaleParts(tx, c.ID))}
	if m, err := e.memory(tx, moment{chat: c}, c.Head, func(text string) int { return len(text) / 4 }); err == nil && m.Covers != "" {
		out.Covers, out.CoversDepth = m.Covers, m.CoversDepth
	}
	merged := run.past.parts(run.current)
	working, detecting := e.working(tx, c.ID)
	out.Detecting = detecting
	number := 0
	for _, s := range list {
		if s.brk != nil && s.last.ID == "" {
			continue // all of it was deleted
		}
		number++
		v := sceneView(tx, c.ID, s, number)
		v.InMemory, v.Working = merged[v.Break], working[v.Break]
		out.List = append(out.List, v)
	}
	for p := range tx.Spine(c.ID, c.Head) {
		if p.Said() && !p.Checked && p.Depth > 0 { // nothing could end before the first
			out.Unchecked++
		}
	}
	return out
}

// sceneView is a scene as a front end shows it.
func sceneView(tx *storage.Tx, chat storage.ChatID, s stretch, number int) Scene {
	v := Scene{Number: number, First: s.first.ID, Last: s.last.ID, FirstDepth: s.first.Depth, LastDepth: s.last.Depth,
		Messages: s.said, Tokens: s.size/4 + 6*s.said, Open: s.brk == nil}
	if s.brk == nil {
		return v
	}
	b := s.brk
	v.Break, v.Name, v.Expanded, v.Detected, v.Rationale = b.Node, b.Name, b.Expanded, b.Detected, b.Rationale
	if len(b.Versions) == 0 {
		return v
	}
	v.Recap = RecapState{Version: max(0, min(b.Current, len(b.Versions)-1)) + 1, Versions: len(b.Versions)}
	if r, err := storage.Recaps.Get(tx, chat, b.Recap()); err == nil {
		v.Recap.Stale, v.Lore = staleFor(r, b.Inputs), len(r.Lorebooks)
	}
	return v
}

// staleFor tells whether a recap was made of something else than is there now.
func staleFor(r storage.Recap, inputs string) bool {
	return r.Inputs != "" && inputs != "" && r.Inputs != inputs
}

// working tells of which scenes a recap is being made, and whether the chat is
// being searched for breaks.
func (e *Engine) working(tx *storage.Tx, chat storage.ChatID) (nodes map[storage.NodeID]bool, detecting bool) {
	nodes = map[storage.NodeID]bool{}
	for op := range unfinished(tx, chat) {
		switch op.Type {
		case opRecap, opJoin, opMessage, opExam:
			nodes[sceneParamsOf(op).Node] = true
		case opDetectAll:
			detecting = true
		}
	}
	return nodes, detecting
}

// ToggleBreak ends a scene at a message, or takes that back, and tells whether
// a scene ends there now.
func (e *Engine) ToggleBreak(chat storage.ChatID, node storage.NodeID) (on bool, err error) {
	err = e.reshape(chat, "scene break", func(tx *storage.Tx) error {
		on = !shownBreak(tx, chat, node)
		_, err := e.setBreak(tx, chat, node, on, nil)
		return err
	})
	return on, err
}

// SetBreak ends a scene at a message or takes that back; it tells whether that
// changed anything.
func (e *Engine) SetBreak(chat storage.ChatID, node storage.NodeID, on bool) (changed bool, err error) {
	err = e.reshape(chat, "scene break", func(tx *storage.Tx) error {
		changed, err = e.setBreak(tx, chat, node, on, nil)
		return err
	})
	return changed, err
}

// reshape changes a chat's scenes in one transaction and tells of it.
func (e *Engine) reshape(chat storage.ChatID, op string, f func(tx *storage.Tx) error) error {
	if err := e.store.Update(f); err != nil {
		return fail(op, err)
	}
	e.queue.Wake()
	e.emit(ScenesChanged{chat})
	e.changed.take() // who changes scenes sees at their lines what is stale now
	return nil
}

// found is why a break was detected.
type found struct{ rationale, cue string }

// setBreak shows or hides a break; by says who found it, nil the user. A hidden
// break keeps all that hangs on it, and what it parted may be looked at anew.
func (e *Engine) setBreak(tx *storage.Tx, chat storage.ChatID, node storage.NodeID, on bool, by *found) (bool, error) {
	changed, err := e.markBreak(tx, chat, node, on, by)
	if err != nil || !changed {
		return false, err
	}
	return true, e.touchScenes(tx, chat, node)
}

// markBreak is setBreak without a look at the recaps of the scenes around.
func (e *Engine) markBreak(tx *storage.Tx, chat storage.ChatID, node storage.NodeID, on bool, by *found) (bool, error) {
	p, err := tx.Place(chat, node)
	if err != nil {
		return false, err
	}
	b, err := storage.Breaks.Get(tx, chat, node)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		if !on {
			return false, nil
		}
		b = storage.Break{Node: node, Depth: p.Depth, CreatedAt: e.cfg.Now()}
	case err != nil:
		return false, err
	case b.Hidden == !on:
		return false, nil
	}
	if b.Hidden = !on; on {
		b.Detected, b.Rationale, b.Cue = by != nil, "", ""
		if by != nil {
			b.Rationale, b.Cue = by.rationale, by.cue
		}
	}
	if err := storage.Breaks.Put(tx, chat, b); err != nil {
		return false, err
	}
	switch {
	case on:
		return true, e.sceneEnded.Run(tx, Place{chat, node})
	case by == nil:
		return true, e.uncheck(tx, chat, node)
	}
	return true, nil
}

// uncheck lets detection look again at the scene that ended at node.
func (e *Engine) uncheck(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) error {
	s, err := stretchAt(tx, chat, node)
	if err != nil {
		return err
	}
	var ids []storage.NodeID
	for p := range tx.Spine(chat, node) {
		if p.ID == s.after {
			break
		}
		if p.Checked {
			ids = append(ids, p.ID)
		}
	}
	return check(tx, chat, ids, false)
}

// check marks messages as looked at by detection, or not.
func check(tx *storage.Tx, chat storage.ChatID, ids []storage.NodeID, on bool) error {
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

// RenameScene names a scene; "" lets its recap name it again.
func (e *Engine) RenameScene(chat storage.ChatID, node storage.NodeID, name string) error {
	return e.changeBreak(chat, node, "rename scene", func(tx *storage.Tx, b *storage.Break) error {
		b.Name, b.Named = firstRunes(strings.Join(strings.Fields(name), " "), 120), true
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

// ExpandScene shows or hides a scene's recap in the play.
func (e *Engine) ExpandScene(chat storage.ChatID, node storage.NodeID, on bool) error {
	return e.changeBreak(chat, node, "unfold scene", func(_ *storage.Tx, b *storage.Break) error { b.Expanded = on; return nil })
}

// changeBreak rewrites a break in force and tells of it.
func (e *Engine) changeBreak(chat storage.ChatID, node storage.NodeID, op string, f func(*storage.Tx, *storage.Break) error) error {
	return e.reshape(chat, op, func(tx *storage.Tx) error {
		b, err := theBreak(tx, chat, node)
		if err != nil {
			return err
		}
		if err := f(tx, &b); err != nil {
			return err
		}
		return storage.Breaks.Put(tx, chat, b)
	})
}

// errNoScene says that no scene ends at a message.
var errNoScene = errors.New("no scene ends at this message")

// theBreak reads a break in force.
func theBreak(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) (storage.Break, error) {
	b, err := storage.Breaks.Get(tx, chat, node)
	if errors.Is(err, storage.ErrNotFound) || err == nil && b.Hidden {
		return b, errNoScene
	}
	return b, err
}

// Place names a message of a chat.
type Place struct {
	Chat storage.ChatID
	Node storage.NodeID
}

// Recapped is a version of a scene's recap that has just been made.
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
