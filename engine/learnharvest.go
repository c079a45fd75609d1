package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"ghostlight/engine/queue"
	"ghostlight/engine/scenes/scene"
	"ghostlight/engine/taste/lessons"
	"ghostlight/storage"
)

// longestContext bounds what a lesson is told of its scene, in runes.
const longestContext = 4000

// harvest is what there is to learn from in a scene.
type harvest struct {
	chat  storage.Chat
	scene lessons.Scene
	seen  string // what it was made of: another text for anything else
}

// readHarvest reads what there is to learn from in a scene: of a storyboard only
// what is in force, and only once it is confirmed.
func (e *Engine) readHarvest(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) (l harvest, err error) {
	if l.chat, err = storage.Chats.Get(tx, chat); err != nil {
		return l, err
	}
	brk, err := theBreak(tx, chat, node)
	if err != nil {
		return l, err
	}
	calls, err := taughtCalls(tx, chat, node)
	if err != nil {
		return l, err
	}
	edits := editsIn(tx, chat, node)
	l.seen = seenOf(calls, edits)
	l.scene.Harvested = lessons.Harvest(calls)
	l.scene.Events = append(l.scene.Events, lessons.FromEdits(edits)...)
	l.scene.Char, l.scene.User = e.names(tx, l.chat)
	l.scene.Name = brk.Name
	if l.scene.Recap, err = contextOf(tx, chat, brk); err != nil {
		return l, err
	}
	l.scene.Names, err = e.storyNames(tx, scopeOf(l.chat))
	return l, err
}

// taughtCalls are the calls of a scene's storyboard that are in force, oldest
// first; none before it is confirmed.
func taughtCalls(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) ([]storage.BoardCall, error) {
	b, err := storage.Boards.Get(tx, chat, node)
	if err != nil {
		return nil, ignoreMissing(err)
	}
	if b.Stage != storage.BoardReady {
		return nil, nil
	}
	return callsOf(tx, chat, b)
}

// seenOf is another text for other calls or edits.
func seenOf(calls []storage.BoardCall, edits []storage.Edit) string {
	var b strings.Builder
	for _, c := range calls {
		fmt.Fprintln(&b, c.ID)
	}
	for _, x := range edits {
		changes, _ := json.Marshal(x.Changes) // text only
		fmt.Fprintf(&b, "%s %s\n", x.ID, changes)
	}
	return textHash(b.String())
}

// contextOf is what a scene tells: its recap, or its beginning.
func contextOf(tx *storage.Tx, chat storage.ChatID, brk storage.Break) (string, error) {
	if r, err := storage.Recaps.Get(tx, chat, brk.Recap()); err == nil {
		return firstRunes(r.Text, longestContext), nil
	}
	s, err := stretchAt(tx, chat, brk.Node)
	if err != nil {
		return "", err
	}
	msgs, err := messagesIn(tx, chat, s)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, m := range msgs {
		if b.WriteString(m.Name + ": " + m.Text + "\n"); b.Len() > longestContext {
			break
		}
	}
	return firstRunes(strings.TrimSpace(b.String()), longestContext), nil
}

// runHarvest distils what the user's edits of a scene teach. What was learnt of it
// before stays until there is something new.
func (e *Engine) runHarvest(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	p := learnParamsOf(op)
	var l harvest
	err := e.store.View(func(tx *storage.Tx) (err error) { l, err = e.readHarvest(tx, p.Chat, p.Node); return err })
	if sceneGone(err) {
		return queue.Effect{}, queue.ErrDiscard
	}
	if err != nil {
		return queue.Effect{}, err
	}
	e.log.Info("harvest started", "operation", op.ID, "story", scopeOf(l.chat), "scene", p.Node, "events", len(l.scene.Events))
	if !lessons.Worth(l.scene.Harvested) {
		return queue.Effect{Result: learnt{Events: len(l.scene.Events), Note: "nothing to learn"}}, nil
	}
	j, err := e.job(ctx, JobTaste, l.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	var a lessons.Lessons
	form := answerForm{schema: lessons.LessonsSchema(), form: lessons.LessonsForm(), into: &a,
		check: func() error { return lessons.CheckLessons(l.scene, a) }, usable: a.Usable}
	prompt := j.fitted(lessons.LessonsRoom, func(room int) []scene.Prompt { return lessons.AskLessons(e.set(), l.scene, room) })
	if err := e.askJob(ctx, j, prompt, form, report); err != nil {
		return queue.Effect{}, err
	}
	a = lessons.KeepLessons(l.scene, a)
	return queue.Effect{Result: learnt{Events: len(l.scene.Events), Lessons: len(a.SceneLearnings)}, Apply: func(tx *storage.Tx) error {
		return e.keepHarvest(tx, p, l, a)
	}}, nil
}

// keepHarvest stores what a scene has taught in place of what it taught before, and
// has the story's profile made anew. What was changed meanwhile is learnt from
// again instead.
func (e *Engine) keepHarvest(tx *storage.Tx, p learnParams, l harvest, a lessons.Lessons) error {
	c, err := storage.Chats.Get(tx, p.Chat)
	if err != nil {
		return queue.ErrDiscard
	}
	if _, err := theBreak(tx, p.Chat, p.Node); err != nil {
		return queue.ErrDiscard
	}
	calls, err := taughtCalls(tx, p.Chat, p.Node)
	if err != nil {
		return err
	}
	now := e.cfg.Now()
	if seenOf(calls, editsIn(tx, p.Chat, p.Node)) != l.seen {
		_, err := e.queueHarvest(tx, p.Chat, p.Node, now.Add(quietTime))
		return err
	}
	scope := scopeOf(c)
	m := storage.TasteMemory{ID: storage.TasteMemoryID(storage.NewID()), CreatedAt: now}
	if old, err := storage.TasteMemories.Get(tx, scope, p.Node); err == nil {
		m.ID, m.CreatedAt = old.ID, old.CreatedAt
	}
	m.Scene, m.Chat, m.UpdatedAt = p.Node, p.Chat, now
	m.SceneContextSummary, m.EditSummary, m.SceneLearnings = a.SceneContextSummary, a.EditSummary, a.SceneLearnings
	m.Events, m.Summary, m.Counts = l.scene.Events, l.scene.Summary, l.scene.Counts
	if err := storage.TasteMemories.Put(tx, scope, m); err != nil {
		return err
	}
	_, err = e.profileNext(tx, scope, p.Chat)
	return err
}
