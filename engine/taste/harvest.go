package taste

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxContext limits the context of a scene's lessons, in runes.
const maxContext = 4000

// harvest is the material of a scene's lessons.
type harvest struct {
	chat    storage.Chat
	Scene   lessons.Scene
	ready   bool   // it has a confirmed storyboard
	version string // of its inputs: another text for other inputs
}

// readHarvest reads the material of a scene: of its storyboard only the calls in effect, and only
// once it is confirmed.
func (svc *Service) readHarvest(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) (l harvest, err error) {
	if l.chat, err = storage.Chats.Get(tx, chat); err != nil {
		return l, err
	}
	brk, err := scenes.VisibleBreak(tx, chat, node)
	if err != nil {
		return l, err
	}
	calls, err := confirmedCalls(tx, chat, node)
	if err != nil {
		return l, err
	}
	edits := editsIn(tx, chat, node)
	l.version = versionOf(calls, edits)
	l.Scene.HarvestResult = lessons.Harvest(calls)
	if len(calls) > 0 {
		l.ready = true
		l.Scene.Planned, l.Scene.Final = lessons.Plans(calls)
		b, _ := storage.Boards.Get(tx, chat, node) // it was there for its calls
		l.Scene.Events = append(l.Scene.Events, lessons.FromTalk(b.Talk, l.Scene.Events)...)
	}
	l.Scene.Events = append(l.Scene.Events, lessons.FromEdits(edits)...)
	l.Scene.Char, l.Scene.User = svc.chats.Names(tx, l.chat)
	l.Scene.Name = brk.Name
	if l.Scene.Recap, err = contextOf(tx, chat, brk); err != nil {
		return l, err
	}
	scope := chats.ScopeOf(l.chat)
	if l.Scene.Material, err = svc.material(tx, scope, tasteMemories(tx, scope)); err == nil {
		l.Scene.Texts = append(l.Scene.Texts, l.Scene.Recap)
	}
	return l, err
}

// confirmedCalls returns the calls in effect of a scene's storyboard, oldest first; none before it
// is confirmed.
func confirmedCalls(tx *storage.Tx, chat storage.ChatID, node storage.NodeID) ([]storage.BoardCall, error) {
	b, err := storage.Boards.Get(tx, chat, node)
	if err != nil {
		return nil, failure.IgnoreMissing(err)
	}
	if b.Stage != storage.BoardReady {
		return nil, nil
	}
	return CallsOf(tx, chat, b)
}

// versionOf returns a text that changes with the calls and edits.
func versionOf(calls []storage.BoardCall, edits []storage.Edit) string {
	var b strings.Builder
	for _, c := range calls {
		fmt.Fprintln(&b, c.ID)
	}
	for _, x := range edits {
		changes, _ := json.Marshal(x.Changes) // text only
		fmt.Fprintf(&b, "%s %s\n", x.ID, changes)
	}
	return scenes.TextHash(b.String())
}

// contextOf returns the context of a scene: its recap, or its beginning.
func contextOf(tx *storage.Tx, chat storage.ChatID, brk storage.Break) (string, error) {
	if r, err := storage.Recaps.Get(tx, chat, brk.Recap()); err == nil {
		return failure.FirstRunes(r.Text, maxContext), nil
	}
	s, err := scenes.SpanAt(tx, chat, brk.Node)
	if err != nil {
		return "", err
	}
	msgs, err := scenes.MessagesIn(tx, chat, s)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, m := range msgs {
		if b.WriteString(m.Name + ": " + m.Text + "\n"); b.Len() > maxContext {
			break
		}
	}
	return failure.FirstRunes(strings.TrimSpace(b.String()), maxContext), nil
}

// runHarvest derives lessons from the user's edits of a scene. Earlier lessons stay until there
// are new ones.
func (svc *Service) runHarvest(ctx context.Context, op storage.Operation,
	report func(queue.Progress)) (queue.Effect, error) {
	p := learnParamsOf(op)
	var l harvest
	err := svc.core.Store.View(func(tx *storage.Tx) (err error) {
		l, err = svc.readHarvest(tx, p.Chat, p.Node)
		return err
	})
	if scenes.IsGone(err) {
		return queue.Effect{}, queue.ErrDiscard
	}
	if err != nil {
		return queue.Effect{}, err
	}
	svc.core.Log.Info("harvest started", "operation", op.ID, "story", chats.ScopeOf(l.chat), "scene", p.Node, "events",
		len(l.Scene.Events))
	if !lessons.HasLessons(l.Scene.HarvestResult) { // a confirmed storyboard has its numbers, which need no model
		note := learnResult{Events: len(l.Scene.Events), Note: "nothing to learn"}
		return queue.Effect{Result: note, Apply: func(tx *storage.Tx) error {
			return svc.storeHarvest(tx, p, l, lessons.Lessons{SceneLearnings: []storage.SceneLearning{}})
		}}, nil
	}
	j, err := svc.models.Job(ctx, models.JobTaste, l.chat)
	if err != nil {
		return queue.Effect{}, err
	}
	var a lessons.Lessons
	form := models.AnswerForm{Schema: lessons.LessonsSchema(), Form: lessons.LessonsForm(), Into: &a,
		Check: func() error { return lessons.CheckLessons(l.Scene, a) }, Usable: a.Usable}
	prompt := j.Shorten(lessons.LessonsBudget, func(room int) []prompts.Message {
		return lessons.AskLessons(svc.core.Prompts(), l.Scene, room)
	})
	if err := svc.models.AskJob(ctx, j, prompt, form, report); err != nil {
		return queue.Effect{}, err
	}
	a = lessons.CleanLessons(l.Scene, a)
	return queue.Effect{Result: learnResult{Events: len(l.Scene.Events), Lessons: len(a.SceneLearnings)},
		Apply: func(tx *storage.Tx) error {
			return svc.storeHarvest(tx, p, l, a)
		}}, nil
}

// storeHarvest replaces the lessons of a scene and queues the story's profile. A scene without a
// storyboard whose edits were undone keeps nothing. If something was changed meanwhile, the scene
// is queued again.
func (svc *Service) storeHarvest(tx *storage.Tx, p learnParams, l harvest, a lessons.Lessons) error {
	c, err := storage.Chats.Get(tx, p.Chat)
	if err != nil {
		return queue.ErrDiscard
	}
	if _, err := scenes.VisibleBreak(tx, p.Chat, p.Node); err != nil {
		return queue.ErrDiscard
	}
	calls, err := confirmedCalls(tx, p.Chat, p.Node)
	if err != nil {
		return err
	}
	now := svc.core.Config.Now()
	if versionOf(calls, editsIn(tx, p.Chat, p.Node)) != l.version {
		_, err := svc.queueHarvest(tx, p.Chat, p.Node, now.Add(quietPeriod))
		return err
	}
	scope := chats.ScopeOf(c)
	if !l.ready && !lessons.HasLessons(l.Scene.HarvestResult) {
		if storage.Boards.Has(tx, p.Chat, p.Node) || !storage.TasteMemories.Has(tx, scope, p.Node) {
			return nil // of a storyboard that is being changed it stays until that is confirmed
		}
		if err := storage.TasteMemories.Delete(tx, scope, p.Node); err != nil {
			return err
		}
		_, err = svc.queueProfile(tx, scope, p.Chat)
		return err
	}
	m := storage.TasteMemory{ID: storage.TasteMemoryID(storage.NewID()), CreatedAt: now}
	if old, err := storage.TasteMemories.Get(tx, scope, p.Node); err == nil {
		m.ID, m.CreatedAt = old.ID, old.CreatedAt
	}
	m.Scene, m.Chat, m.UpdatedAt = p.Node, p.Chat, now
	m.SceneContextSummary, m.EditSummary, m.SceneLearnings = a.SceneContextSummary, a.EditSummary, a.SceneLearnings
	m.Events, m.Summary, m.Counts = l.Scene.Events, l.Scene.Summary, l.Scene.Counts
	if err := storage.TasteMemories.Put(tx, scope, m); err != nil {
		return err
	}
	_, err = svc.queueProfile(tx, scope, p.Chat)
	return err
}

// PlanningTools returns the names of the tools whose parameters the model plans.
func PlanningTools() (names []string) {
	for _, t := range storyboard.Tools() {
		if t.Planning {
			names = append(names, t.Name)
		}
	}
	return names
}
