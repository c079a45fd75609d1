package queue

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

type ids = []storage.OperationID

// op makes a pending operation; later ones in the alphabet are younger.
func op(id, lane string, priority int, deps ...storage.OperationID) storage.Operation {
	return storage.Operation{
		ID: storage.OperationID(id), Type: "work", Lane: lane, Status: storage.Pending, Priority: priority,
		Dependencies: deps, CreatedAt: noon.Add(time.Duration(id[0]) * time.Second),
	}
}

func due(op storage.Operation, in time.Duration) storage.Operation {
	op.NotBefore = noon.Add(in)
	return op
}

func tried(op storage.Operation) storage.Operation {
	op.Attempts = 1
	return op
}

func typed(op storage.Operation, typ string) storage.Operation {
	op.Type = typ
	return op
}

func TestDecide(t *testing.T) {
	type finishedOps = map[storage.OperationID]storage.OperationStatus
	inProgress := op("a", "x", 10)
	inProgress.Status = storage.InProgress
	tests := []struct {
		name    string
		state   State
		start   ids
		wake    time.Duration // after noon; 0: none
		blocked map[storage.OperationID]string
		open    int
	}{
		{name: "nothing"},
		{
			name:  "higher priority first, then the older",
			state: State{Unfinished: []storage.Operation{op("a", "x", 10), op("c", "y", 20), op("b", "y", 20), op("d", "x", 11)}},
			start: ids{"b", "d"}, open: 4,
		},
		{
			name: "a busy lane waits, others go on",
			state: State{
				Unfinished: []storage.Operation{inProgress, op("b", "x", 99), op("c", "y", 1)},
				Running:    map[string]storage.OperationID{"x": "a"},
			},
			start: ids{"c"}, open: 2,
		},
		{
			name:  "what has just begun or ended is left alone",
			state: State{Unfinished: []storage.Operation{inProgress, op("b", "y", 10, "a")}},
			open:  1,
		},
		{
			name:  "a held lane starts nothing",
			state: State{Unfinished: []storage.Operation{op("a", "x", 10), op("b", "y", 10)}, Held: map[string]bool{"x": true}},
			start: ids{"b"}, open: 2,
		},
		{
			name:  "paused starts nothing and need not wake",
			state: State{Unfinished: []storage.Operation{op("a", "x", 10), due(op("b", "y", 10), time.Second)}, Paused: true},
			open:  2,
		},
		{
			name:  "limit over all lanes, what runs included",
			state: State{Unfinished: []storage.Operation{op("a", "x", 1), op("b", "y", 3), op("c", "z", 2)}, Running: map[string]storage.OperationID{"w": "q"}, Limit: 2},
			start: ids{"b"}, open: 3,
		},
		{
			name:  "waiting for a retry leaves the lane to others",
			state: State{Unfinished: []storage.Operation{due(op("a", "x", 99), 4*time.Second), due(op("b", "y", 10), time.Second), op("c", "x", 1)}},
			start: ids{"c"}, wake: time.Second, open: 3,
		},
		{
			name:  "a retry that is due",
			state: State{Unfinished: []storage.Operation{due(op("a", "x", 10), 0)}},
			start: ids{"a"}, open: 1,
		},
		{
			name:  "what was only put off starts while somebody waits for all, a retry does not",
			state: State{Unfinished: []storage.Operation{due(op("a", "x", 10), time.Second), due(tried(op("b", "y", 10)), time.Minute)}, Draining: true},
			start: ids{"a"}, wake: time.Minute, open: 2,
		},
		{
			name:  "a retry behind a dependency does not wake",
			state: State{Unfinished: []storage.Operation{due(op("a", "x", 10, "b"), time.Second), op("b", "x", 1)}},
			start: ids{"b"}, open: 2,
		},
		{
			name: "dependencies",
			state: State{
				Unfinished: []storage.Operation{op("a", "x", 10, "m", "n"), op("b", "y", 10, "m"), op("c", "z", 10, "a")},
				Finished:   finishedOps{"m": storage.Completed, "n": storage.Completed},
			},
			start: ids{"a", "b"}, open: 3,
		},
		{
			name: "a failed dependency blocks, and what hangs on it",
			state: State{
				Unfinished: []storage.Operation{op("a", "x", 10, "ok", "bad"), op("b", "x", 10, "a"), op("c", "x", 10)},
				Finished:   finishedOps{"ok": storage.Completed, "bad": storage.Failed},
			},
			start: ids{"c"}, open: 1,
			blocked: map[storage.OperationID]string{"a": "dependency failed: bad", "b": "dependency failed: bad"},
		},
		{
			name: "a cancelled one too",
			state: State{
				Unfinished: []storage.Operation{op("a", "x", 10, "gone")},
				Finished:   finishedOps{"gone": storage.Cancelled},
			},
			blocked: map[storage.OperationID]string{"a": "dependency cancelled: gone"},
		},
		{
			name:    "a missing one too",
			state:   State{Unfinished: []storage.Operation{op("a", "x", 10, "never")}},
			blocked: map[storage.OperationID]string{"a": "dependency missing: never"},
		},
		{
			name: "an unknown type waits for a newer program",
			state: State{
				Unfinished: []storage.Operation{typed(op("a", "x", 10), "novel"), op("b", "x", 10, "a"), op("c", "x", 10)},
				Known:      func(typ string) bool { return typ == "work" },
			},
			start: ids{"c"}, open: 1,
			blocked: map[storage.OperationID]string{"a": "no handler: a", "b": "no handler: a"},
		},
		{
			name:  "a cycle in a damaged store",
			state: State{Unfinished: []storage.Operation{op("a", "x", 10, "b"), op("b", "x", 10, "a"), op("c", "x", 10, "c")}},
			blocked: map[storage.OperationID]string{
				"a": "dependency cycle: a", "b": "dependency cycle: a", "c": "dependency cycle: c",
			},
		},
		{
			name:    "stranded",
			state:   State{Unfinished: []storage.Operation{inProgress, op("b", "y", 10, "a")}, Stranded: map[storage.OperationID]bool{"a": true}},
			blocked: map[storage.OperationID]string{"a": "stranded: a", "b": "stranded: a"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.state.Now = noon
			d := Decide(tt.state)
			got := map[storage.OperationID]string{}
			for id, b := range d.Blocked {
				got[id] = fmt.Sprintf("%s: %s", b.Obstacle, b.By)
				if b.Reason == "" {
					t.Errorf("%s is blocked without a reason", id)
				}
			}
			if tt.blocked == nil {
				tt.blocked = map[storage.OperationID]string{}
			}
			if !slices.Equal(d.Start, tt.start) {
				t.Errorf("start %v, want %v", d.Start, tt.start)
			}
			var wake time.Time
			if tt.wake > 0 {
				wake = noon.Add(tt.wake)
			}
			if !d.Wake.Equal(wake) {
				t.Errorf("wake %v, want %v", d.Wake, wake)
			}
			if diff := cmp.Diff(tt.blocked, got); diff != "" {
				t.Errorf("blocked (-want +got):\n%s", diff)
			}
			if d.Open != tt.open {
				t.Errorf("open %d, want %d", d.Open, tt.open)
			}
		})
	}
}

func TestBlockReasonNamesTheDependency(t *testing.T) {
	d := Decide(State{
		Unfinished: []storage.Operation{op("a", "x", 10, "bad")},
		Finished:   map[storage.OperationID]storage.OperationStatus{"bad": storage.Failed},
	})
	if reason := d.Blocked["a"].Reason; !strings.Contains(reason, "bad") || !strings.Contains(reason, "failed") {
		t.Errorf("reason %q", reason)
	}
}

// anyState draws a state as a store could hold it, cycles and all.
func anyState(t *rapid.T) State {
	names := ids{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"}
	s := State{
		Finished: map[storage.OperationID]storage.OperationStatus{}, Running: map[string]storage.OperationID{},
		Stranded: map[storage.OperationID]bool{}, Held: map[string]bool{},
		Known:    func(typ string) bool { return typ == "work" },
		Paused:   rapid.IntRange(0, 9).Draw(t, "paused") == 0,
		Limit:    rapid.IntRange(0, 3).Draw(t, "limit"),
		Draining: rapid.IntRange(0, 3).Draw(t, "hurry") == 0,
		Now:      noon,
	}
	lane := rapid.SampledFrom([]string{"x", "y", "z"})
	for _, id := range names {
		switch rapid.SampledFrom([]string{"pending", "pending", "pending", "completed", "failed", "cancelled", "missing", "running", "ending", "stranded"}).Draw(t, "kind "+string(id)) {
		case "completed":
			s.Finished[id] = storage.Completed
			continue
		case "failed":
			s.Finished[id] = storage.Failed
			continue
		case "cancelled":
			s.Finished[id] = storage.Cancelled
			continue
		case "missing":
			continue
		case "running":
			o := op(string(id), lane.Draw(t, "lane"), 10)
			if _, busy := s.Running[o.Lane]; !busy {
				s.Running[o.Lane] = id
				s.Unfinished = append(s.Unfinished, o)
			}
			continue
		case "ending", "stranded":
			o := op(string(id), lane.Draw(t, "lane"), 10)
			o.Status = storage.InProgress
			if rapid.Bool().Draw(t, "stranded") {
				s.Stranded[id] = true
			}
			s.Unfinished = append(s.Unfinished, o)
			continue
		}
		o := op(string(id), lane.Draw(t, "lane"), rapid.IntRange(8, 12).Draw(t, "priority"))
		if rapid.IntRange(0, 7).Draw(t, "type") == 0 {
			o.Type = "novel"
		}
		o.NotBefore = rapid.SampledFrom([]time.Time{{}, {}, noon, noon.Add(-time.Second), noon.Add(time.Second), noon.Add(time.Minute)}).Draw(t, "due")
		o.Attempts = rapid.IntRange(0, 1).Draw(t, "attempts")
		o.Dependencies = rapid.SliceOfNDistinct(rapid.SampledFrom(names), 0, 2, rapid.ID[storage.OperationID]).Draw(t, "deps")
		s.Unfinished = append(s.Unfinished, o)
	}
	for _, l := range []string{"x", "y", "z"} {
		if rapid.IntRange(0, 4).Draw(t, "held") == 0 {
			s.Held[l] = true
		}
	}
	return s
}

// reachable plays the state through with all the time there is: it returns what
// gets completed if nothing fails and nobody helps.
func reachable(s State) map[storage.OperationID]bool {
	done := map[storage.OperationID]bool{}
	for id, status := range s.Finished {
		done[id] = status == storage.Completed
	}
	for again := true; again; {
		again = false
		for _, o := range s.Unfinished {
			works := s.Running[o.Lane] == o.ID || o.Status == storage.InProgress && !s.Stranded[o.ID]
			can := works || o.Status == storage.Pending && s.Known(o.Type) && !slices.ContainsFunc(o.Dependencies, func(d storage.OperationID) bool { return !done[d] })
			if can && !done[o.ID] {
				done[o.ID], again = true, true
			}
		}
	}
	return done
}

func TestDecideProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anyState(t)
		d := Decide(s)
		works := func(o storage.Operation) bool {
			return s.Running[o.Lane] == o.ID || o.Status == storage.InProgress && !s.Stranded[o.ID]
		}
		ready := func(o storage.Operation) bool {
			return !works(o) && o.Status == storage.Pending && s.Known(o.Type) && !s.early(o) &&
				!slices.ContainsFunc(o.Dependencies, func(id storage.OperationID) bool { return s.Finished[id] != storage.Completed })
		}
		can := reachable(s)
		open := 0
		byID := map[storage.OperationID]storage.Operation{}
		for _, o := range s.Unfinished {
			byID[o.ID] = o
			_, blocked := d.Blocked[o.ID]
			if blocked == can[o.ID] {
				t.Fatalf("%s: blocked %v, but can be completed: %v", o.ID, blocked, can[o.ID])
			}
			if !blocked && !works(o) {
				open++
			}
		}
		if open != d.Open {
			t.Fatalf("open %d, want %d", d.Open, open)
		}
		lanes := map[string]storage.Operation{}
		for _, id := range d.Start {
			o := byID[id]
			if !ready(o) {
				t.Fatalf("%s was started but is not ready", id)
			}
			if _, twice := lanes[o.Lane]; twice || s.Running[o.Lane] != "" || s.Held[o.Lane] || s.Paused {
				t.Fatalf("%s was started on a lane that is not free", id)
			}
			lanes[o.Lane] = o
		}
		full := s.Limit > 0 && len(d.Start)+len(s.Running) >= s.Limit
		if s.Limit > 0 && len(d.Start) > max(0, s.Limit-len(s.Running)) {
			t.Fatalf("started %d beside %d with a limit of %d", len(d.Start), len(s.Running), s.Limit)
		}
		var wake time.Time
		for _, o := range s.Unfinished {
			chosen, free := lanes[o.Lane]
			switch {
			case ready(o) && free && compareRunOrder(o, chosen) < 0:
				t.Fatalf("%s was started before %s", chosen.ID, o.ID)
			case ready(o) && !free && !full && !s.Paused && !s.Held[o.Lane] && s.Running[o.Lane] == "":
				t.Fatalf("%s could start and does not", o.ID)
			}
			later := o
			later.NotBefore = time.Time{}
			if !s.Paused && !ready(o) && ready(later) && (wake.IsZero() || o.NotBefore.Before(wake)) {
				wake = o.NotBefore
			}
		}
		if !d.Wake.Equal(wake) {
			t.Fatalf("wake %v, want %v", d.Wake, wake)
		}
		s.Unfinished = rapid.Permutation(s.Unfinished).Draw(t, "other order")
		if other := Decide(s); !slices.Equal(other.Start, d.Start) || !maps.EqualFunc(other.Blocked, d.Blocked, func(a, b Block) bool { return a.Obstacle == b.Obstacle || cyclic(a, b) }) {
			t.Fatalf("another order of the same operations: %+v, was %+v", other, d)
		}
	})
}

// cyclic: where a cycle is entered decides what is named as the root.
func cyclic(a, b Block) bool { return a.Obstacle == DependencyCycle || b.Obstacle == DependencyCycle }

func TestLoops(t *testing.T) {
	graph := map[storage.OperationID]ids{"a": {"b", "c"}, "b": {"d"}, "c": {"d"}, "d": {"e"}, "p": {"q"}, "q": {"p"}}
	tests := []struct {
		id   storage.OperationID
		deps ids
		want bool
	}{
		{"n", nil, false},
		{"n", ids{"n"}, true},
		{"n", ids{"a"}, false},
		{"e", ids{"a"}, true},
		{"e", ids{"x", "c"}, true},
		{"n", ids{"p"}, false}, // an old cycle is not the new one's
	}
	for _, tt := range tests {
		if got := hasCycle(tt.id, tt.deps, func(id storage.OperationID) []storage.OperationID { return graph[id] }); got != tt.want {
			t.Errorf("loops(%s, %v) = %v", tt.id, tt.deps, got)
		}
	}
}

func TestSurplus(t *testing.T) {
	at := func(s int) time.Time { return noon.Add(time.Duration(s) * time.Second) }
	all := map[storage.OperationID]finishedOperation{
		"a": {status: storage.Completed, at: at(1)},
		"b": {status: storage.Completed, at: at(2)},
		"c": {status: storage.Failed, at: at(3), needs: ids{"a"}},
		"d": {status: storage.Completed, at: at(4)},
		"e": {status: storage.Failed, at: at(5), needs: ids{"c"}},
		"f": {status: storage.Completed, at: at(6)},
	}
	waiting := []storage.Operation{op("w", "x", 10, "b")}
	tests := []struct {
		name       string
		unfinished []storage.Operation
		keep       int
		want       ids
	}{
		{"few enough", nil, 6, nil},
		{"oldest first", nil, 5, nil}, // a is needed by c, which is needed by e
		{"a failure keeps what it needs", nil, 2, ids{"b", "d"}},
		{"what is waited for stays", waiting, 2, ids{"d"}},
		{"only completed ones left", nil, 1, ids{"a", "b", "c", "d", "e"}},
	}
	for _, tt := range tests {
		if got := forgettable(all, tt.unfinished, tt.keep); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

func BenchmarkDecide(b *testing.B) {
	s := State{Finished: map[storage.OperationID]storage.OperationStatus{}, Now: noon}
	for i := range 10_000 {
		s.Finished[storage.OperationID(fmt.Sprintf("f%025d", i))] = storage.Completed
	}
	for i := range 100 {
		o := op(fmt.Sprintf("p%025d", i), fmt.Sprint("lane", i%4), i%5)
		o.Dependencies = ids{storage.OperationID(fmt.Sprintf("f%025d", i*97))}
		s.Unfinished = append(s.Unfinished, o)
	}
	b.ReportAllocs()
	for b.Loop() {
		if d := Decide(s); len(d.Start) != 4 {
			b.Fatal(d.Start)
		}
	}
}
