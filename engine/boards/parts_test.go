package boards_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

var turned = regexp.MustCompile(`\[(\d+)\] [^\n]*?(The mark (\d+) is broken)`)

// longScene returns a scene of n long messages, of a model with a context of 4,096 tokens.
func longScene(t *testing.T, n int) (*harness, storage.NodeID, []string) {
	s := &harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Sampling.NumCtx = 4096 })}
	filler := strings.Repeat("They walk on along the quay, slowly, and the gulls cry above the roofs while the tide goes out. ", 18)
	var texts []string
	for i := range n {
		texts = append(texts, filler+fmt.Sprintf("The mark %d is broken. ", i)+filler)
	}
	ids := s.Tell(texts...)
	s.EndWithoutRecap(ids[n-1])
	s.DrainFeed()
	return s, ids[n-1], texts
}

// readers answers for key beats with every mark that a request shows, and keeps what it
// was asked.
type readers struct {
	parts, chosen, packages []string
	fail                    func(part int) bool
}

func (s *harness) readers() *readers {
	r := &readers{}
	s.SpoilBy(func(c demo.Call) demo.Fault {
		form, all := string(c.Format), enginetest.Flat(c)
		switch {
		case strings.Contains(form, `"beats"`):
			if r.fail != nil && r.fail(len(r.parts)) {
				return demo.Fault{Kind: demo.Say, Text: "no answer at all"}
			}
			list := []any{}
			for _, m := range turned.FindAllStringSubmatch(all, -1) {
				n, _ := strconv.Atoi(m[1])
				list = append(list, map[string]any{"text": m[2], "why": "it cannot be mended", "messages": []int{n}})
			}
			if strings.Contains(all, "Choose among what was found") {
				r.chosen = append(r.chosen, all)
				list = list[:4]
			} else {
				r.parts = append(r.parts, all)
			}
			data, _ := json.Marshal(map[string]any{"beats": list})
			return demo.Fault{Kind: demo.Say, Text: string(data)}
		case strings.Contains(all, "Now write the shots of one beat"):
			r.packages = append(r.packages, all)
		}
		return demo.Fault{}
	})
	return r
}

func TestPlanBoard_ReadsALongSceneInPartsAndLosesNoBeat(t *testing.T) {
	t.Parallel()
	s, node, texts := longScene(t, 20)
	r := s.readers()
	s.plan(node, boards.PlanRequest{Tool: storyboard.RecommendBeats})
	shown := strings.Join(r.parts, "\n")
	for i := range texts {
		if want := fmt.Sprintf("The mark %d is broken", i); !strings.Contains(shown, want) {
			t.Errorf("no part shows %q", want)
		}
		if len(r.chosen) == 1 && !strings.Contains(r.chosen[0], fmt.Sprintf("[%d] Found: The mark %d is broken", i+2, i)) {
			t.Errorf("mark %d is not there to be chosen", i)
		}
	}
	if len(r.parts) < 4 || len(r.chosen) != 1 || !strings.Contains(r.parts[1], "- The mark 0 is broken") {
		t.Fatalf("%d parts, %d choices", len(r.parts), len(r.chosen))
	}
	if v := s.board(node); len(v.Beats) != 4 || v.Beats[3].Text != "The mark 3 is broken" || len(v.Calls) != 1 {
		t.Errorf("%+v", v.Board)
	}
}

func TestPlanBoard_APartThatWasReadIsNotReadAgain(t *testing.T) {
	t.Parallel()
	s, node, _ := longScene(t, 8)
	r := s.readers()
	failed := false
	r.fail = func(part int) bool { failed = failed || part == 2; return part == 2 && len(r.chosen) == 0 }
	_, err := s.Boards.Plan(s.Chat, node, boards.PlanRequest{Tool: storyboard.RecommendBeats})
	enginetest.Must(t, err)
	_, _ = s.Queue.Drain(s.Context())
	if !failed || len(s.board(node).Beats) > 0 {
		t.Fatal("it did not fail")
	}
	r.fail = nil
	before := len(r.parts)
	for _, op := range s.operations() {
		if op.Type == boards.OpBoardPlan && op.Status == storage.Failed {
			enginetest.Must(t, s.Queue.Retry(op.ID))
		}
	}
	s.Work()
	if before != 2 || len(s.board(node).Beats) == 0 {
		t.Errorf("%d parts before, beats %d", before, len(s.board(node).Beats))
	}
	for i, p := range r.parts {
		for _, q := range r.parts[i+1:] {
			if p == q {
				t.Error("a part was read twice")
			}
		}
	}
}

func TestPlanBoard_OfALongSceneShowsTheMessagesOfABeatWhole(t *testing.T) {
	t.Parallel()
	s, node, texts := longScene(t, 12)
	r := s.readers()
	v := s.plan(node, boards.PlanRequest{All: true})
	if len(v.Beats) != 4 || len(v.Shots) == 0 || v.Stage != storage.BoardShots {
		t.Fatalf("%+v", v.Board)
	}
	if len(r.packages) != 4 {
		t.Fatalf("%d packages", len(r.packages))
	}
	for i, p := range r.packages {
		if !strings.Contains(p, strings.TrimSpace(texts[i])) {
			t.Errorf("the package of beat %d is not shown its message whole", i+1)
		}
	}
	if _, err := s.Boards.Steer(s.Chat, node, "more of her hands"); err != nil {
		t.Fatal(err)
	}
	s.Work()
	if v := s.board(node); len(v.Talk) == 0 {
		t.Errorf("the line was not carried out: %+v", s.operations()[len(s.operations())-1])
	}
}

func (s *harness) operations() (list []storage.Operation) {
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		for _, op := range storage.Operations.All(tx) {
			list = append(list, op)
		}
		return nil
	}))
	return list
}
