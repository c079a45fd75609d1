package scenes_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Each kind of operation is killed again and again, and in the end everything
// was done, and once.
func TestOperationsKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	add := map[string]func(s *harness, a []storage.NodeID) error{
		scenes.OpRecap: func(s *harness, a []storage.NodeID) error {
			_, err := s.Scenes.Recap(s.Chat, a[3], scenes.RecapRequest{Force: true})
			return err
		},
		scenes.OpRunning: func(s *harness, a []storage.NodeID) error { _, err := s.Scenes.RebuildRunning(s.Chat); return err },
		scenes.OpMessage: func(s *harness, a []storage.NodeID) error {
			_, err := s.Scenes.RecapMessage(s.Chat, a[9], scenes.RecapRequest{Force: true})
			return err
		},
		scenes.OpRecallTest: func(s *harness, a []storage.NodeID) error {
			_, err := s.Scenes.QueueRecallTest(s.Chat, a[3])
			return err
		},
		scenes.OpJoin: func(s *harness, a []storage.NodeID) error {
			if _, err := s.Scenes.SetBreak(s.Chat, a[3], true); err != nil {
				return err
			}
			return s.Scenes.Join(s.Chat, a[3], a[7])
		},
		scenes.OpInterim: func(s *harness, a []storage.NodeID) error {
			return s.Core().Store.Update(func(tx *storage.Tx) error {
				_, err := s.Core().Queue.AddOperation(tx, scenes.OpInterim, chats.Params{Chat: s.Chat, Node: a[10]}, nil)
				return err
			})
		},
		scenes.OpDetectAll: func(s *harness, a []storage.NodeID) error {
			_, err := s.Scenes.Detect(s.Chat, scenes.DetectRequest{Again: true})
			return err
		},
		director.OpAfterTurn: func(s *harness, a []storage.NodeID) error {
			s.Exchange(1, "lamp")
			_, err := s.Director.Evaluate(s.Chat)
			return err
		},
		boards.OpBoardPlan: func(s *harness, a []storage.NodeID) error {
			_, err := s.Boards.Plan(s.Chat, a[3], boards.PlanRequest{Tool: storyboard.RecommendBeats, All: true})
			return err
		},
		boards.OpBoardSteer: func(s *harness, a []storage.NodeID) error {
			if _, err := s.Boards.Call(s.Chat, a[3], enginetest.Shots(s.T, "the lamp", "the door")); err != nil {
				return err
			}
			_, err := s.Boards.Steer(s.Chat, a[3], "Remove the last shot.")
			return err
		},
		scenes.OpDetect: func(s *harness, a []storage.NodeID) error {
			s.Exchange(1, "lamp")
			return s.Core().Store.Update(func(tx *storage.Tx) error {
				_, err := s.Core().Queue.AddOperation(tx, scenes.OpDetect, chats.Params{Chat: s.Chat, Node: a[9]}, nil)
				return err
			})
		},
	}
	for typ, again := range add {
		t.Run(typ, func(t *testing.T) {
			s := (&harness{enginetest.NewHarness(t)})
			a := s.Exchange(6, "lamp")
			s.End(a[3])
			s.End(a[7])
			enginetest.Must(t, again(s, a))
			dir, done := s.Cfg.DataDir, 0
			for range enginetest.Kills() {
				s.Shut()
				finished := enginetest.KilledWork(t, dir)
				s.Open()
				s.onceOnly()
				if finished {
					done++
					enginetest.Must(t, again(s, a))
				}
			}
			s.Work()
			s.onceOnly()
			s.Sound()
			if typ == scenes.OpInterim {
				enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
					if list := scenes.InterimsOf(tx, s.Chat); len(list) != 1 || list[0].Node != a[10] {
						t.Errorf("interim recaps: %+v", list)
					}
					return nil
				}))
			}
			t.Logf("killed %d times, of which %d came after the work was done", enginetest.Kills(), done)
			if err := s.Core().Store.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// onceOnly fails the test when what is stored is not what the completed
// operations have made: less is lost, more was done twice.
func (s *harness) onceOnly() {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		made := map[storage.RecapID]string{}
		want := map[string]int{}
		for _, op := range storage.Operations.All(tx) {
			var r scenes.RecapResult
			if op.Status != storage.Completed || json.Unmarshal(op.Result, &r) != nil {
				continue
			}
			switch op.Type {
			case scenes.OpRecap, scenes.OpJoin, scenes.OpMessage, scenes.OpRunning:
				if r.Recap == "" || r.Reused {
					continue
				}
				if other := made[r.Recap]; other != "" {
					s.T.Errorf("%s made %s, as %s did", op.Type, r.Recap, other)
				}
				made[r.Recap] = op.Type
				want[op.Type]++
			}
		}
		have := 0
		for id := range storage.Recaps.All(tx, s.Chat) {
			if have++; made[id] == "" {
				s.T.Errorf("nobody made the recap %s", id)
			}
		}
		for id := range storage.RunningRecaps.All(tx, s.Chat) {
			if have++; made[id] == "" {
				s.T.Errorf("nobody made the running recap %s", id)
			}
		}
		if have != len(made) {
			s.T.Errorf("%d versions of %d that were made (%v)", have, len(made), want)
		}
		s.passesOnce(tx)
		s.boardsOnce(tx)
		for _, b := range storage.Breaks.All(tx, s.Chat) {
			for _, id := range b.Versions {
				if !storage.Recaps.Has(tx, s.Chat, id) {
					s.T.Errorf("the break at %s names a version that is not there", b.Node)
				}
			}
		}
		return nil
	}))
}

func BenchmarkScenes500(b *testing.B) {
	s := manyScenes(b, 500, 4)
	for b.Loop() {
		if _, err := s.Scenes.List(s.Chat); err != nil {
			b.Fatal(err)
		}
	}
}

// manyScenes is a chat of n scenes of some messages each, all with recaps, and
// a running recap of all of them.
func manyScenes(tb testing.TB, n, messages int) *harness {
	s := (&harness{enginetest.NewHarness(tb)})
	text := "## Current Situation\n" + strings.Repeat("- Robin and Tove still look for the brother's lamp in the harbour town.\n", 20)
	var texts []string
	for i := range n * messages {
		texts = append(texts, fmt.Sprintf("They talk on about the lamp, %d, and what it may have seen by the water.", i))
	}
	ids := s.Tell(texts...)
	enginetest.Must(tb, s.Core().Store.Update(func(tx *storage.Tx) error {
		base := storage.RecapID("")
		after := storage.NodeID("")
		for i := range n {
			at := ids[(i+1)*messages-1]
			b := storage.Break{Node: at, Depth: (i+1)*messages + 0, CreatedAt: time.Now(), Name: fmt.Sprintf("Scene number %d", i)}
			r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: at, Kind: storage.SceneRecap, Text: text, CreatedAt: time.Now()}
			run := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: at, Kind: storage.RunningRecap, Text: text, Covers: at, Base: base,
				Part: &storage.Part{Break: at, After: after, Recap: r.ID, TextHash: scenes.TextHash(text)}, CreatedAt: time.Now()}
			if base != "" {
				run.BaseTextHash = scenes.TextHash(text)
			}
			b.Versions, b.TextHash, b.Running = []storage.RecapID{r.ID}, scenes.TextHash(text), run.ID
			for _, err := range []error{storage.Recaps.Put(tx, s.Chat, r), storage.RunningRecaps.Put(tx, s.Chat, run), storage.Breaks.Put(tx, s.Chat, b)} {
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
	known := s.Models.NewKnownModel(demo.Model)
	head := s.Last().ID
	for b.Loop() {
		err := s.Core().Store.View(func(tx *storage.Tx) error {
			_, err := s.Scenes.RecapForPrompt(tx, chats.Viewpoint{Chat: storage.Chat{ID: s.Chat}}, head, scenes.LastPrompt{}, known.Meter.Count, 0)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// passesOnce fails the test where a pass has left less than all it found, or has
// left something twice.
func (s *harness) passesOnce(tx *storage.Tx) {
	s.T.Helper()
	looked := map[storage.NodeID]bool{}
	for _, op := range storage.Operations.All(tx) {
		var r director.PassResult
		if op.Type == director.OpAfterTurn && op.Status == storage.Completed && json.Unmarshal(op.Result, &r) == nil {
			looked[r.Node] = true
		}
	}
	for id, b := range storage.TurnRecords.All(tx, s.Chat) {
		if (b.Seen != nil || b.Fault != "") && !looked[id] {
			s.T.Errorf("the beat of %s was kept, its operation was not completed", id)
		}
		if looked[id] && b.Seen == nil && b.Fault == "" {
			s.T.Errorf("the operation was completed, the beat of %s was not kept", id)
		}
	}
	for id, m := range storage.Memories.All(tx, storage.ScopeID(s.Chat)) {
		recapped := map[storage.NodeID]bool{}
		for _, at := range m.Mentions {
			if recapped[at.Node] || !looked[at.Node] {
				s.T.Errorf("memory %s was told twice at %s, or by nobody", id, at.Node)
			}
			recapped[at.Node] = true
		}
	}
}
