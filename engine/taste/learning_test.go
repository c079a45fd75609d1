package taste_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// syncLog is a log that a test may read while it is written.
type syncLog struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *syncLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *syncLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// lessonHarness is a harness whose scenes teach: its clock does not advance by itself, and the model
// gives the answers set here.
type lessonHarness struct {
	*harness
	clock *enginetest.ManualClock
	log   *syncLog

	lessons, profile func() string // the model's answers; "" for the fake server's
}

func newSchool(t testing.TB, change ...func(*enginetest.Setup)) *lessonHarness {
	t.Helper()
	l := &lessonHarness{clock: enginetest.NewClock(), log: &syncLog{}}
	l.harness = (&harness{enginetest.NewHarness(t, append([]func(*enginetest.Setup){func(o *enginetest.Setup) {
		o.Cfg.Now, o.Cfg.Log = l.clock.Now, slog.New(slog.NewTextHandler(l.log, nil))
	}}, change...)...)})
	l.teach(func() string { return someLessons }, func() string { return someProfile })
	return l
}

// teach scripts the model's answers about lessons and profiles.
func (l *lessonHarness) teach(lessons, profile func() string) {
	l.lessons, l.profile = lessons, profile
	l.SpoilBy(func(c demo.Call) demo.Fault {
		say := func(f func() string) demo.Fault {
			return demo.Fault{Kind: demo.Say, Text: f()}
		}
		switch {
		case c.Path == "/api/chat" && strings.Contains(string(c.Format), `"sceneLearnings"`):
			return say(lessons)
		case c.Path == "/api/chat" && strings.Contains(string(c.Format), `"preferenceCards"`):
			return say(profile)
		}
		return demo.Fault{}
	})
}

const someLessons = `{"sceneContextSummary": "Two people talk about an old thing. One of them is afraid of the answer.",
"editSummary": "The user made one shot closer. A filler went in before it. A wide shot at the end was taken out.",
"sceneLearnings": [
{"learning": "Reactions are held in close shots before anybody speaks", "appliesTo": "quiet confrontations", "avoidApplyingTo": "chases and crowds", "evidence": "E2, E3", "confidence": "medium"}]}`

const someProfile = `{"profileSummary": "Closeness comes before width when a talk turns tense. Silence is given time. Fillers stand where a reaction needs room.",
"preferenceCards": [
{"preference": "Hold reactions in close shots before anybody speaks", "appliesTo": "quiet confrontations", "avoidApplyingTo": "chases and crowds", "scenes": [1], "evidence": "seen in one scene", "confidence": "medium"}]}`

// planned returns a plan with shots; each is given as size and description.
func planned(stage storage.BoardStage, shots ...string) storage.Plan {
	p := storage.Plan{Stage: stage, LastShot: len(shots), LastBeat: 1, Beats: []storage.BoardBeat{{ID: "b1", Text: "The question is asked"}}}
	for i, s := range shots {
		size, words, _ := strings.Cut(s, ": ")
		kind := storage.KeyShot
		if i%2 == 1 {
			kind = storage.FillerShot
		}
		p.Shots = append(p.Shots, storage.Shot{ID: storage.ShotID(fmt.Sprintf("s%d", i+1)), Beat: "b1", Kind: kind, Size: size, Job: "reaction", Description: words, Seconds: 3})
	}
	return p
}

// direct puts a storyboard with these calls into the store, each with the plan after
// it, and has the scene learnt from.
func (s *harness) direct(node storage.NodeID, calls ...storage.BoardCall) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		b := storage.Board{Node: node, CreatedAt: s.Engine.Core().Config.Now()}
		if old, err := storage.Boards.Get(tx, s.Chat, node); err == nil {
			b = old
		}
		for _, c := range calls {
			c.ID, c.Board, c.At = storage.CallID(storage.NewID()), node, s.Engine.Core().Config.Now()
			c.Turn = c.ID
			if err := storage.BoardCalls.Put(tx, s.Chat, c); err != nil {
				return err
			}
			b.Calls, b.Plan = append(b.Calls, c.ID), c.After
		}
		b.Done, b.UpdatedAt = len(b.Calls), s.Engine.Core().Config.Now()
		if err := storage.Boards.Put(tx, s.Chat, b); err != nil {
			return err
		}
		return s.Taste.QueueScene(tx, s.Chat, node)
	}))
	s.Core().Queue.Wake()
}

func boardCall(tool, params string, after storage.Plan) storage.BoardCall {
	by := storage.ByUser
	if tool == storyboard.GenerateShots {
		by = storage.ByModel
	}
	return storage.BoardCall{ToolCall: storage.ToolCall{Tool: tool, Params: json.RawMessage(params)}, By: by, After: after}
}

// confirmed returns how a scene is planned, edited and confirmed.
func confirmed() []storage.BoardCall {
	two := planned(storage.BoardShots, "wide: The kitchen, the lamp between them", "medium: Tove turns the lamp over")
	close := planned(storage.BoardShots, "close_up: The kitchen, the lamp between them", "medium: Tove turns the lamp over")
	ready := close
	ready.Stage = storage.BoardReady
	return []storage.BoardCall{boardCall(storyboard.GenerateShots, `{}`, two), boardCall(storyboard.ModifyShot, `{"shot":"s1","size":"close_up"}`, close),
		boardCall(storyboard.ConfirmShots, `{}`, ready)}
}

// scene plays a scene and ends it; it returns its last message.
func (s *harness) scene(subject string) storage.NodeID {
	s.T.Helper()
	a := s.Exchange(2, subject)
	s.EndWithoutRecap(a[3])
	return a[3]
}

func (s *harness) taste() taste.View {
	s.T.Helper()
	v, err := s.Taste.View(s.Chats.ScopeIn(s.Chat))
	enginetest.Must(s.T, err)
	return v
}

// unended returns the operations of a type that have not ended.
func (s *harness) unended(typ string) (list []storage.Operation) {
	s.T.Helper()
	all, err := s.Queue.List()
	enginetest.Must(s.T, err)
	for _, op := range all {
		if op.Type == typ && (op.Status == storage.Pending || op.Status == storage.InProgress) {
			list = append(list, op)
		}
	}
	return list
}

func TestLearning_FromAScene(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	node := l.scene("lamp")
	l.direct(node, confirmed()...)
	ops := l.unended(taste.OpHarvest)
	if len(ops) != 1 || ops[0].Priority >= 10 || ops[0].NotBefore.Sub(l.clock.Now()) != taste.QuietTime {
		t.Fatalf("queued: %+v", ops)
	}
	l.clock.Advance(taste.QuietTime / 2)
	l.direct(node)
	if ops = l.unended(taste.OpHarvest); len(ops) != 1 || ops[0].NotBefore.Sub(l.clock.Now()) != taste.QuietTime {
		t.Fatalf("after another edit: %+v", ops)
	}
	if v := l.taste(); !v.Working || len(v.Memories) != 0 {
		t.Errorf("before: %+v", v)
	}
	l.DrainFeed()
	l.Work()
	enginetest.Until(l.harness.Harness, func(ev taste.Changed) bool { return ev.Scope == l.Chats.ScopeIn(l.Chat) })
	v := l.taste()
	if v.Working || len(v.Memories) != 1 || len(v.Memories[0].SceneLearnings) != 1 || v.Memories[0].SceneName != "Scene 1" || v.Memories[0].ChatTitle == "" {
		t.Fatalf("learnt: %+v", v)
	}
	if v.Summary == "" || len(v.Cards) != 1 || !slices.Equal(v.SourceSceneIDs, []storage.NodeID{node}) || !slices.Equal(v.SourceMemoryIDs, []storage.TasteMemoryID{v.Memories[0].ID}) {
		t.Fatalf("the profile: %+v", v.Taste)
	}
	for _, words := range []string{"harvest started", "harvest completed", "lessons=1", "aggregate started", "aggregate completed", "cards=1", "took="} {
		if !strings.Contains(l.log.String(), words) {
			t.Errorf("the log does not say %q:\n%s", words, l.log)
		}
	}
	l.keptCompact(node)

	first := v.Memories[0]
	l.clock.Advance(time.Hour)
	l.direct(node, boardCall(storyboard.ModifyShot, `{"shot":"s2","size":"wide"}`, planned(storage.BoardReady, "close_up: The kitchen, the lamp between them", "wide: Tove turns the lamp over")))
	l.Work()
	again := l.taste()
	if len(again.Memories) != 1 || again.Memories[0].ID != first.ID || !again.Memories[0].CreatedAt.Equal(first.CreatedAt) || !again.Memories[0].UpdatedAt.After(first.UpdatedAt) {
		t.Errorf("learnt again: %+v", again.Memories)
	}
	if len(again.Cards) != 1 || again.Cards[0].ID != v.Cards[0].ID || !again.CreatedAt.Equal(v.CreatedAt) || !again.UpdatedAt.After(v.UpdatedAt) {
		t.Errorf("the profile again: %+v, was %+v", again.Taste, v.Taste)
	}
	if list, err := l.Taste.List(); err != nil || len(list) != 1 || list[0].Scope != l.Chats.ScopeIn(l.Chat) {
		t.Errorf("stories: %+v %v", list, err)
	}
}

// keptCompact fails the test when what is stored of a scene holds results of calls,
// or marks that no record of taste has.
func (l *lessonHarness) keptCompact(node storage.NodeID) {
	l.T.Helper()
	enginetest.Must(l.T, l.Core().Store.View(func(tx *storage.Tx) error {
		m, err := storage.TasteMemories.Get(tx, l.Chats.ScopeIn(l.Chat), node)
		if err != nil {
			return err
		}
		p, err := storage.Tastes.Get(tx, l.Chats.ScopeIn(l.Chat))
		if err != nil {
			return err
		}
		for _, record := range []any{m, p} {
			data, err := json.Marshal(record)
			if err != nil {
				return err
			}
			// The last is a shot that nobody has touched.
			for _, raw := range []string{`"after"`, `"params"`, `"calls"`, `"status"`, `"hash"`, `"version"`, `"error"`, `"took"`, "turns the lamp over"} {
				if strings.Contains(string(data), raw) {
					l.T.Errorf("%s is kept: %s", raw, data)
				}
			}
		}
		return nil
	}))
}

func TestLearning_WhatTeachesNothing(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	node := l.scene("lamp")
	if _, err := l.Taste.Harvest(l.Chat, node); !errors.Is(err, failure.ErrRefused) || !strings.Contains(failure.Text(err), "nothing to learn from") {
		t.Errorf("a scene without edits: %v", err)
	}
	l.direct(node, confirmed()[:2]...) // not confirmed
	if _, err := l.Taste.Harvest(l.Chat, node); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("a storyboard that is not confirmed: %v", err)
	}
	l.Work()
	if v := l.taste(); len(v.Memories) != 0 || l.AskedFor("sceneLearnings") != 0 {
		t.Errorf("learnt: %+v", v)
	}
	if _, err := l.Taste.Aggregate(l.Chats.ScopeIn(l.Chat)); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("a profile of nothing: %v", err)
	}
	if _, err := l.Taste.Harvest(l.Chat, l.Exchange(1, "key")[1]); !errors.Is(err, scenes.ErrNoScene) {
		t.Errorf("an open scene: %v", err)
	}
	if _, err := l.Taste.View("01JZZZZZZZZZZZZZZZZZZZZZZZ"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("no story: %v", err)
	}
	// What was learnt before stays when what it was learnt from is taken back.
	l.direct(node, confirmed()[2])
	l.Work()
	enginetest.Must(t, l.Core().Store.Update(func(tx *storage.Tx) error {
		b, err := storage.Boards.Get(tx, l.Chat, node)
		if err != nil {
			return err
		}
		b.Stage, b.Done = storage.BoardShots, b.Done-1
		if err := storage.Boards.Put(tx, l.Chat, b); err != nil {
			return err
		}
		return l.Taste.QueueScene(tx, l.Chat, node)
	}))
	l.Work()
	if v := l.taste(); len(v.Memories) != 1 || len(v.Cards) != 1 {
		t.Errorf("what was learnt before is gone: %+v", v)
	}
}

func TestLearning_Off(t *testing.T) {
	t.Parallel()
	l := newSchool(t, func(o *enginetest.Setup) { o.Cfg.Taste = config.Taste{Off: true, Mute: true} })
	node := l.scene("lamp")
	l.direct(node, confirmed()...)
	if ops := l.unended(taste.OpHarvest); len(ops) != 0 {
		t.Errorf("queued: %+v", ops)
	}
	_, err := l.Taste.Harvest(l.Chat, node)
	enginetest.Must(t, err)
	l.Work()
	v := l.taste()
	if !v.Off || len(v.Memories) != 1 || len(v.Cards) != 1 {
		t.Errorf("by hand: %+v", v)
	}
	if u, err := l.Taste.Block(l.Chats.ScopeIn(l.Chat), storyboard.RecommendBeats); err != nil || u.Block != "" || len(u.Cards) != 0 {
		t.Errorf("muted, and told all the same: %+v %v", u, err)
	}
	if u := l.Taste.TasteFor(l.Chat, storyboard.RecommendBeats); u.Block != "" {
		t.Errorf("muted, and told all the same: %+v", u)
	}
}

// What the model cannot do leaves what was learnt before as it was.
func TestLearning_FailingKeepsTheOld(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name            string
		lesson, profile func() string
		spoil           demo.Fault
		typ, log        string
	}{
		{name: "lessons in the wrong form", lesson: func() string { return "No." }, typ: taste.OpHarvest, log: "harvest failed"},
		{name: "empty lessons", lesson: func() string { return `{"sceneContextSummary": "", "editSummary": "", "sceneLearnings": []}` }, typ: taste.OpHarvest, log: "harvest failed"},
		{name: "a profile in the wrong form", profile: func() string { return `{"profileSummary": 3}` }, typ: taste.OpAggregate, log: "aggregate failed"},
		{name: "a server that fails", spoil: demo.Fault{Kind: demo.ServerError, Text: "the input length exceeds the context length"}, typ: taste.OpHarvest, log: "harvest failed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := newSchool(t)
			node := l.scene("lamp")
			l.direct(node, confirmed()...)
			l.Work()
			before := l.taste()
			say := func(f func() string, usual string) func() string {
				if f != nil {
					return f
				}
				return func() string { return usual }
			}
			l.teach(say(tt.lesson, someLessons), say(tt.profile, someProfile))
			if tt.spoil.Kind != 0 {
				l.Spoil(tt.spoil)
			}
			l.direct(node, boardCall(storyboard.ModifyShot, `{"shot":"s2","size":"wide"}`, planned(storage.BoardReady, "close_up: The kitchen", "wide: Tove turns the lamp over")))
			if _, err := l.Queue.Drain(l.Context()); err == nil {
				t.Fatal("nothing failed")
			}
			after := l.taste()
			if after.ProfileSummary != before.ProfileSummary || !after.UpdatedAt.Equal(before.UpdatedAt) || len(after.Cards) != len(before.Cards) {
				t.Errorf("the profile is %+v, was %+v", after.Taste, before.Taste)
			}
			if tt.typ == taste.OpHarvest && (len(after.Memories) != 1 || !after.Memories[0].UpdatedAt.Equal(before.Memories[0].UpdatedAt)) {
				t.Errorf("the memories are %+v, were %+v", after.Memories, before.Memories)
			}
			if !strings.Contains(l.log.String(), tt.log) {
				t.Errorf("the log does not say %q:\n%s", tt.log, l.log)
			}
			l.Sound()
		})
	}
}

// What is edited while the model thinks about what was before is learnt instead.
func TestLearning_ChangedMeanwhile(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	node := l.scene("lamp")
	changed := false
	l.teach(func() string {
		if !changed {
			changed = true
			l.direct(node, boardCall(storyboard.ModifyShot, `{"shot":"s2","size":"wide"}`, planned(storage.BoardReady, "close_up: The kitchen", "wide: Tove turns the lamp over")))
		}
		return someLessons
	}, func() string { return someProfile })
	l.direct(node, confirmed()...)
	l.Work()
	if n := l.AskedFor("sceneLearnings"); n != 2 {
		t.Errorf("asked for lessons %d times", n)
	}
	if n := l.AskedFor("preferenceCards"); n != 1 {
		t.Errorf("asked for a profile %d times", n)
	}
	v := l.taste()
	if len(v.Memories) != 1 || len(v.Memories[0].Counts.Fields) != 1 || v.Memories[0].Counts.Fields[0].N != 2 {
		t.Errorf("learnt: %+v", v.Memories)
	}
}

// A scene that is none any more teaches nothing, and the log does not say it did.
func TestLearning_SceneGoneMeanwhile(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	node := l.scene("lamp")
	l.teach(func() string {
		_, err := l.Scenes.SetBreak(l.Chat, node, false)
		enginetest.Must(t, err)
		return someLessons
	}, func() string { return someProfile })
	l.direct(node, confirmed()...)
	l.Work()
	if v := l.taste(); len(v.Memories) != 0 || l.AskedFor("sceneLearnings") != 1 {
		t.Errorf("learnt: %+v", v.Memories)
	}
	if log := l.log.String(); !strings.Contains(log, "result discarded") || strings.Contains(log, "harvest completed") {
		t.Errorf("the log says:\n%s", log)
	}
}

// A plan's prompt contains the lessons, and its call records them; without a profile neither.
func TestLearning_PlansAreToldOfIt(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	first, second := l.scene("lamp"), l.scene("key")
	plan := func() (asked string, used *storage.TasteUse) {
		t.Helper()
		_, err := l.Boards.Plan(l.Chat, second, boards.PlanRequest{Tool: storyboard.RecommendBeats})
		enginetest.Must(t, err)
		l.Work()
		calls := l.Asked()
		list, err := l.Boards.Calls(l.Chat, second)
		enginetest.Must(t, err)
		if len(list) == 0 || list[len(list)-1].Tool != storyboard.RecommendBeats {
			t.Fatalf("calls: %+v", list)
		}
		return enginetest.Flat(calls[len(calls)-1]), list[len(list)-1].Used
	}
	if asked, used := plan(); used != nil || strings.Contains(asked, "preference") {
		t.Errorf("told of %+v in\n%s", used, asked)
	}
	l.direct(first, confirmed()...)
	l.Work()
	u, err := l.Taste.Block(l.Chats.ScopeIn(l.Chat), storyboard.RecommendBeats)
	enginetest.Must(t, err)
	asked, used := plan()
	if used == nil || used.Block != u.Block || len(used.Cards) != 1 || !strings.Contains(asked, u.Block) {
		t.Errorf("told of %+v in\n%s", used, asked)
	}
}

// BenchmarkHarvest500 reads a scene with a session of 500 calls on 60 shots and
// finds what there is to learn from.
func BenchmarkHarvest500(b *testing.B) {
	l := newSchool(b)
	node := l.scene("lamp")
	var list []string
	for i := range 60 {
		list = append(list, fmt.Sprintf("medium: Number %d of the shots, with some words on what it shows", i+1))
	}
	calls := []storage.BoardCall{boardCall(storyboard.GenerateShots, `{}`, planned(storage.BoardShots, list...))}
	for i := range 499 {
		list[i%60] = fmt.Sprintf("close_up: Number %d of the shots, changed at %d", i%60+1, i)
		calls = append(calls, boardCall(storyboard.ModifyShot, fmt.Sprintf(`{"shot":"s%d","size":"close_up"}`, i%60+1), planned(storage.BoardReady, list...)))
	}
	l.direct(node, calls...)
	for b.Loop() {
		enginetest.Must(b, l.Core().Store.View(func(tx *storage.Tx) error {
			h, err := taste.ReadHarvest(l.Taste, tx, l.Chat, node)
			if err == nil && len(h.Scene.Events) == 0 {
				b.Fatal("nothing to learn from")
			}
			return err
		}))
	}
}

// forgotten removes pending lessons from the queue, as if they had never been there.
func forgotten(l *lessonHarness) {
	l.T.Helper()
	enginetest.Must(l.T, l.Core().Store.Update(func(tx *storage.Tx) error {
		for id, op := range storage.Operations.All(tx) {
			if op.Type == taste.OpHarvest {
				return storage.Operations.Delete(tx, id)
			}
		}
		return errors.New("nothing was queued")
	}))
}

// Confirming a scene queues what is missing of the scenes before.
func TestLearning_ConfirmingQueuesWhatIsMissing(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	first, second := l.scene("lamp"), l.scene("key")
	l.direct(first, confirmed()...)
	forgotten(l)
	insert := enginetest.Call(t, storyboard.InsertShot, map[string]any{"description": "The key on its nail."})
	_, err := l.Boards.Call(l.Chat, second, insert)
	enginetest.Must(t, err)
	if ops := l.unended(taste.OpHarvest); len(ops) != 0 {
		t.Fatalf("before it is confirmed: %+v", ops)
	}
	_, err = l.Boards.Call(l.Chat, second, enginetest.Call(t, storyboard.ConfirmShots, nil))
	enginetest.Must(t, err)
	if ops := l.unended(taste.OpHarvest); len(ops) != 2 {
		t.Errorf("queued: %+v", ops)
	}
	l.Work()
	if v := l.taste(); len(v.Memories) != 2 {
		t.Errorf("learnt: %+v", v.Memories)
	}
}

// Confirmed scenes that were not learned from, for example because learning was off, are learned
// from when the next one is planned. A scene that was accepted as planned only counts in the
// numbers, which need no model.
func TestLearning_WhatIsMissing(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	node := l.scene("lamp")
	l.direct(node, confirmed()[0], confirmed()[2])
	forgotten(l)
	second := l.scene("key")
	_, err := l.Boards.Plan(l.Chat, second, boards.PlanRequest{})
	enginetest.Must(t, err)
	l.Work()
	v := l.taste()
	if len(v.Memories) != 1 || v.Memories[0].Scene != node || len(v.Memories[0].SceneLearnings) != 0 || l.AskedFor("sceneLearnings")+l.AskedFor("preferenceCards") != 0 {
		t.Fatalf("learnt: %+v", v)
	}
	u, err := l.Taste.Block(l.Chats.ScopeIn(l.Chat), storyboard.BudgetPackages)
	if err != nil || !strings.Contains(u.Block, "Over 1 finished scene") {
		t.Errorf("the budget is told %q, %v", u.Block, err)
	}
}
