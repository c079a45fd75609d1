package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/boards/storyboard"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// victimScenes makes the child of this test binary work the queue off.
const victimScenes = "GHOSTLIGHT_ENGINE_SCENES"

// killsEnv says how often each kind of operation is killed; a few times by
// default.
const killsEnv = "GHOSTLIGHT_TEST_KILLS"

func kills() int {
	if n, err := strconv.Atoi(os.Getenv(killsEnv)); err == nil && n > 0 {
		return n
	}
	return 4
}

// workOff opens a store, says so, and works the queue off.
func workOff(dir string) error {
	house, err := rehearsal.Start(rehearsal.Options{})
	if err != nil {
		return err
	}
	e, err := Open(Config{DataDir: dir, Ollama: house.OllamaURL, Comfy: []string{house.ComfyURL}, Model: rehearsal.Model, LockWait: 5 * time.Second})
	if err != nil {
		return err
	}
	fmt.Println("open")
	if _, err := e.QueueDrain(context.Background()); err != nil {
		return err
	}
	fmt.Println("done")
	return e.Close()
}

// killedWork kills a child that works the queue off, at any moment.
func killedWork(t *testing.T, dir string) (finished bool) {
	t.Helper()
	cmd := child(t, dir, victimScenes+"=1")
	out, err := cmd.StdoutPipe()
	must(t, err)
	cmd.Stderr = os.Stderr
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the child did not open the store")
	}
	timer := time.AfterFunc(time.Duration(rand.IntN(40000))*time.Microsecond, func() { _ = cmd.Process.Kill() })
	for lines.Scan() {
		finished = finished || lines.Text() == "done"
	}
	timer.Stop()
	_ = cmd.Wait() // killed, mostly
	return finished
}

// Each kind of operation is killed again and again, and in the end everything
// was done, and once.
func TestOperationsKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	add := map[string]func(s *stage, a []storage.NodeID) error{
		opRecap: func(s *stage, a []storage.NodeID) error {
			_, err := s.RecapScene(s.chat, a[3], RecapRequest{Force: true})
			return err
		},
		opRunning: func(s *stage, a []storage.NodeID) error { _, err := s.RebuildRunning(s.chat); return err },
		opMessage: func(s *stage, a []storage.NodeID) error {
			_, err := s.RecapMessage(s.chat, a[9], RecapRequest{Force: true})
			return err
		},
		opExam: func(s *stage, a []storage.NodeID) error { _, err := s.Examine(s.chat, a[3]); return err },
		opJoin: func(s *stage, a []storage.NodeID) error {
			if _, err := s.SetBreak(s.chat, a[3], true); err != nil {
				return err
			}
			return s.JoinScenes(s.chat, a[3], a[7])
		},
		opDetectAll: func(s *stage, a []storage.NodeID) error {
			_, err := s.DetectScenes(s.chat, DetectRequest{Again: true})
			return err
		},
		opAfterTurn: func(s *stage, a []storage.NodeID) error {
			s.exchange(1, "lamp")
			_, err := s.Evaluate(s.chat)
			return err
		},
		opBoardPlan: func(s *stage, a []storage.NodeID) error {
			_, err := s.PlanBoard(s.chat, a[3], PlanRequest{Tool: storyboard.RecommendBeats, All: true})
			return err
		},
		opBoardSteer: func(s *stage, a []storage.NodeID) error {
			if _, err := s.CallBoard(s.chat, a[3], shots(s.t, "the lamp", "the door")); err != nil {
				return err
			}
			_, err := s.SteerBoard(s.chat, a[3], "Remove the last shot.")
			return err
		},
		opDetect: func(s *stage, a []storage.NodeID) error {
			s.exchange(1, "lamp")
			return s.store.Update(func(tx *storage.Tx) error {
				_, err := s.addWork(tx, opDetect, sceneParams{Chat: s.chat, Node: a[9]}, nil)
				return err
			})
		},
	}
	for typ, again := range add {
		t.Run(typ, func(t *testing.T) {
			s := newStage(t)
			a := s.exchange(6, "lamp")
			s.end(a[3])
			s.end(a[7])
			must(t, again(s, a))
			dir, done := s.cfg.DataDir, 0
			for range kills() {
				s.close()
				finished := killedWork(t, dir)
				s.open()
				s.onceOnly()
				if finished {
					done++
					must(t, again(s, a))
				}
			}
			s.work()
			s.onceOnly()
			s.sound()
			t.Logf("killed %d times, of which %d came after the work was done", kills(), done)
			if err := s.store.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// onceOnly fails the test when what is stored is not what the completed
// operations have made: less is lost, more was done twice.
func (s *stage) onceOnly() {
	s.t.Helper()
	must(s.t, s.store.View(func(tx *storage.Tx) error {
		made := map[storage.RecapID]string{}
		want := map[string]int{}
		for _, op := range storage.Operations.All(tx) {
			var r recapResult
			if op.Status != storage.Completed || json.Unmarshal(op.Result, &r) != nil {
				continue
			}
			switch op.Type {
			case opRecap, opJoin, opMessage, opRunning:
				if r.Recap == "" || r.Reused {
					continue
				}
				if other := made[r.Recap]; other != "" {
					s.t.Errorf("%s made %s, as %s did", op.Type, r.Recap, other)
				}
				made[r.Recap] = op.Type
				want[op.Type]++
			}
		}
		have := 0
		for id := range storage.Recaps.All(tx, s.chat) {
			if have++; made[id] == "" {
				s.t.Errorf("nobody made the recap %s", id)
			}
		}
		for id := range storage.Runnings.All(tx, s.chat) {
			if have++; made[id] == "" {
				s.t.Errorf("nobody made the running recap %s", id)
			}
		}
		if have != len(made) {
			s.t.Errorf("%d versions of %d that were made (%v)", have, len(made), want)
		}
		s.passesOnce(tx)
		s.boardsOnce(tx)
		for _, b := range storage.Breaks.All(tx, s.chat) {
			for _, id := range b.Versions {
				if !storage.Recaps.Has(tx, s.chat, id) {
					s.t.Errorf("the break at %s names a version that is not there", b.Node)
				}
			}
		}
		return nil
	}))
}

func BenchmarkScenes500(b *testing.B) {
	s := manyScenes(b, 500, 4)
	for b.Loop() {
		if _, err := s.Scenes(s.chat); err != nil {
			b.Fatal(err)
		}
	}
}

// manyScenes is a chat of n scenes of some messages each, all with recaps, and
// a running recap of all of them.
func manyScenes(tb testing.TB, n, messages int) *stage {
	s := newStage(tb)
	text := "## Current Situation\n" + strings.Repeat("- Robin and Tove still look for the brother's lamp in the harbour town.\n", 20)
	var texts []string
	for i := range n * messages {
		texts = append(texts, fmt.Sprintf("They talk on about the lamp, %d, and what it may have seen by the water.", i))
	}
	ids := s.tell(texts...)
	must(tb, s.store.Update(func(tx *storage.Tx) error {
		base := storage.RecapID("")
		after := storage.NodeID("")
		for i := range n {
			at := ids[(i+1)*messages-1]
			b := storage.Break{Node: at, Depth: (i+1)*messages + 0, CreatedAt: time.Now(), Name: fmt.Sprintf("Scene number %d", i)}
			r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: at, Kind: storage.SceneRecap, Text: text, CreatedAt: time.Now()}
			run := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: at, Kind: storage.RunningRecap, Text: text, Covers: at, Base: base,
				Part: &storage.Part{Break: at, After: after, Recap: r.ID, Text: textHash(text)}, CreatedAt: time.Now()}
			if base != "" {
				run.BaseText = textHash(text)
			}
			b.Versions, b.Text, b.Running = []storage.RecapID{r.ID}, textHash(text), run.ID
			for _, err := range []error{storage.Recaps.Put(tx, s.chat, r), storage.Runnings.Put(tx, s.chat, run), storage.Breaks.Put(tx, s.chat, b)} {
				if err != nil {
					return err
				}
			}
			base, after = run.ID, at
		}
		return nil
	}))
	return s
}

func BenchmarkTurnMemory500(b *testing.B) {
	s := manyScenes(b, 500, 4)
	known := s.newKnown(rehearsal.Model)
	head := s.last().ID
	for b.Loop() {
		err := s.store.View(func(tx *storage.Tx) error {
			_, err := s.memory(tx, moment{chat: storage.Chat{ID: s.chat}}, head, known.meter.Count)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// passesOnce fails the test where a pass has left less than all it found, or has
// left something twice.
func (s *stage) passesOnce(tx *storage.Tx) {
	s.t.Helper()
	looked := map[storage.NodeID]bool{}
	for _, op := range storage.Operations.All(tx) {
		var r afterResult
		if op.Type == opAfterTurn && op.Status == storage.Completed && json.Unmarshal(op.Result, &r) == nil {
			looked[r.Node] = true
		}
	}
	for id, b := range storage.Beats.All(tx, s.chat) {
		if (b.Seen != nil || b.Fault != "") && !looked[id] {
			s.t.Errorf("the beat of %s was kept, its operation was not completed", id)
		}
		if looked[id] && b.Seen == nil && b.Fault == "" {
			s.t.Errorf("the operation was completed, the beat of %s was not kept", id)
		}
	}
	for id, m := range storage.Memories.All(tx, storage.ScopeID(s.chat)) {
		told := map[storage.NodeID]bool{}
		for _, at := range m.Told {
			if told[at.Node] || !looked[at.Node] {
				s.t.Errorf("memory %s was told twice at %s, or by nobody", id, at.Node)
			}
			told[at.Node] = true
		}
	}
}
