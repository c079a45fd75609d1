package pictures

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestTimeLeft(t *testing.T) {
	t.Parallel()
	sec := func(n float64) time.Duration { return time.Duration(n * float64(time.Second)) }
	past := []timing{{Total: sec(100), Nodes: map[string]float64{"load": 0.2, "paint": 0.7, "save": 0.1}}, {Total: sec(90)}, {Total: sec(110)}}
	plain := []timing{{Total: sec(60)}}
	tests := []struct {
		name    string
		past    []timing
		elapsed float64
		ended   map[string]time.Duration
		at      jobStand
		inNode  float64
		want    float64 // seconds
	}{
		{"nothing is known", nil, 5, nil, jobStand{Node: "paint"}, 5, 0},
		{"the first step may load a model", nil, 5, nil, jobStand{Node: "paint", Step: 1, Of: 10}, 5, 0},
		{"nothing but steps", nil, 5, nil, jobStand{Node: "paint", Step: 5, Of: 10}, 5, 5},
		{"all steps are done", nil, 5, nil, jobStand{Node: "paint", Step: 10, Of: 10}, 5, 0},
		{"not begun", past, 0, nil, jobStand{}, 0, 100},
		{"two are ahead", past, 0, nil, jobStand{Queue: 2}, 0, 300},
		{"ahead, and nothing is known", nil, 0, nil, jobStand{Queue: 2}, 0, 0},
		{"no nodes were kept", plain, 20, nil, jobStand{Node: "x"}, 20, 40},
		{"later than ever", plain, 80, nil, jobStand{Node: "x"}, 80, 0},
		{"as usual, in the middle of a node", past, 55, map[string]time.Duration{"load": sec(20)}, jobStand{Node: "paint", Step: 5, Of: 10}, 35, 45},
		{"twice as slow", past, 110, map[string]time.Duration{"load": sec(40)}, jobStand{Node: "paint", Step: 5, Of: 10}, 70, 0.45 * (0.45*100 + 110)},
		{"a node that does not count its steps", past, 10, nil, jobStand{Node: "load"}, 10, 90},
		{"such a node takes longer than ever", past, 50, nil, jobStand{Node: "load"}, 50, 0.8 * (0.8*100 + 50)},
		{"nonsense", past, -3, nil, jobStand{Node: "paint", Step: 99, Of: 3, Queue: -1}, -7, 0.3 * (0.3*100 + -3)},
	}
	for _, tt := range tests {
		got := timeLeft(tt.past, sec(tt.elapsed), tt.ended, tt.at, sec(tt.inNode))
		if d := got - sec(tt.want); d < -time.Millisecond || d > time.Millisecond {
			t.Errorf("%s: %s, want %s", tt.name, got, sec(tt.want))
		}
	}
}

// Whatever a server says: what is told is never below nothing and moves evenly.
func TestTimeLeft_NeverJumps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var past []timing
		for i := range rapid.IntRange(0, 5).Draw(t, "runs") {
			past = append(past, timing{Total: time.Duration(rapid.Int64Range(-5, 600_000).Draw(t, "total")) * time.Millisecond,
				Nodes: map[string]float64{fmt.Sprint(i % 3): rapid.Float64Range(-1, 2).Draw(t, "share")}})
		}
		now := time.Unix(1000, 0)
		c := clock{past: past, took: map[string]time.Duration{}, start: now}
		var last time.Duration
		for range rapid.IntRange(1, 60).Draw(t, "reports") {
			since := time.Duration(rapid.Int64Range(0, 3000).Draw(t, "pause")) * time.Millisecond
			now = now.Add(since)
			got := c.left(now, jobStand{Queue: rapid.IntRange(-1, 3).Draw(t, "ahead"), Node: fmt.Sprint(rapid.IntRange(0, 3).Draw(t, "node")),
				Step: rapid.IntRange(-2, 40).Draw(t, "step"), Of: rapid.IntRange(-2, 30).Draw(t, "of")})
			if got < 0 {
				t.Fatalf("%s are left", got)
			}
			if room := max(last, 4*time.Second)/2 + since; last > 0 && got > 0 && (got > last+room || got < last-room) {
				t.Fatalf("%s after %s, %s later", got, last, since)
			}
			last = got
		}
		if run := c.ended(now); run.Total < 0 || len(run.Nodes) > timingNodes {
			t.Fatalf("it took %+v", run)
		}
	})
}

func TestTimings_AreBounded(t *testing.T) {
	t.Parallel()
	kept := map[string]timedKind{}
	now := time.Unix(0, 0)
	for i := range 500 {
		now = now.Add(time.Second)
		kept = withRun(kept, fmt.Sprint(i/7), timing{Total: time.Duration(i+1) * time.Second}, now)
	}
	kept = withRun(kept, "nothing", timing{}, now)
	if len(kept) != timingKeys || len(kept["70"].Runs) != timingRuns || usualTotal(kept["70"].Runs) != 495*time.Second {
		t.Errorf("%d kinds, the newest %+v", len(kept), kept["70"])
	}
	if _, old := kept["0"]; old {
		t.Error("the oldest is still there")
	}
	for _, pair := range [][4]int{{512, 512, 500, 520}, {832, 1216, 1216, 832}} {
		if sizeClass(pair[0], pair[1]) != sizeClass(pair[2], pair[3]) {
			t.Errorf("%v are of two classes", pair)
		}
	}
	if sizeClass(512, 512) == sizeClass(1024, 1024) || sizeClass(0, 512) != 0 || sizeClass(-1, -1) != 0 {
		t.Error("the classes are wrong")
	}
}
