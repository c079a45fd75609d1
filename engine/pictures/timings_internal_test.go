package pictures

import (
	"fmt"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
)

func TestClock_Left(t *testing.T) {
	t.Parallel()
	type at = comfy.Progress
	const s = time.Second
	for _, tt := range []struct {
		name    string
		usual   time.Duration
		reports []at // a second apart, but for the last, which comes after wait
		wait    time.Duration
		want    time.Duration
	}{
		{"nothing is known", 0, []at{{Node: "paint"}}, 0, 0},
		{"the first step may load a model", 0, []at{{Node: "paint"}, {Node: "paint", Step: 1, Of: 10}}, 5 * s, 0},
		{"nothing but steps", 0, []at{{Node: "paint"}, {Node: "paint", Step: 5, Of: 10}}, 5 * s, 5 * s},
		{"all steps are done", 0, []at{{Node: "paint"}, {Node: "paint", Step: 10, Of: 10}}, 5 * s, 0},
		{"steps of no node", 0, []at{{Step: 5, Of: 10}}, 5 * s, 0},
		{"not begun", 100 * s, []at{{}}, 9 * s, 100 * s},
		{"two are ahead", 100 * s, []at{{Queue: 2}}, 0, 300 * s},
		{"ahead, and nothing is known", 0, []at{{Queue: 2}}, 0, 0},
		{"as usual", 60 * s, []at{{Queue: 1}, {Node: "x"}, {Node: "y"}}, 20 * s, 40 * s},
		{"later than ever", 60 * s, []at{{Node: "x"}, {Node: "y"}}, 80 * s, 0},
		{"later than ever, with steps to do", 60 * s, []at{{Node: "x"}, {Node: "x", Step: 5, Of: 10}}, 80 * s, 80 * s},
		{"nonsense", 60 * s, []at{{Node: "x"}, {Node: "x", Step: 99, Of: -3, Queue: -1}}, 20 * s, 40 * s},
	} {
		now := time.Unix(1000, 0)
		c := clock{expected: tt.usual, start: now}
		var got time.Duration
		for i, r := range tt.reports {
			if i == len(tt.reports)-1 {
				now = now.Add(tt.wait)
			}
			got = c.remaining(now, r)
		}
		if got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestTimings_AreBounded(t *testing.T) {
	t.Parallel()
	kept := map[string]timedKind{}
	now := time.Unix(0, 0)
	for i := range 500 {
		now = now.Add(time.Second)
		kept = addRun(kept, fmt.Sprint(i/7), time.Duration(i+1)*time.Second, now)
	}
	kept = addRun(kept, "nothing", 0, now)
	if len(kept) != timingKeys || len(kept["70"].Runs) != timingRuns || kept["70"].median() != 495*time.Second {
		t.Errorf("%d kinds, the newest %+v", len(kept), kept["70"])
	}
	if _, old := kept["0"]; old {
		t.Error("the oldest is still there")
	}
}
