package lessons

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// edits are the events of a board without what the program planned.
func (b *board) edits(t *testing.T) []storage.EditEvent {
	t.Helper()
	var out []storage.EditEvent
	for _, e := range Harvest(b.calls).Events {
		if e.Type != storage.EventInitial {
			out = append(out, e)
		}
	}
	return out
}

func TestHarvest_Events(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(*board)
		want []storage.EditEvent
	}{
		"modify after insert resolves by id": {func(b *board) {
			b.insert(1, storage.Shot{Kind: storage.FillerShot, Job: "physical_detail", Size: "close_up", Description: "a hand"})
			b.modify(`"shot":"s2"`, map[string]string{"size": "wide"})
			b.modify(`"index":3`, map[string]string{"angle": "low"})
		}, []storage.EditEvent{
			{Type: storage.EventInsert, Summary: "added s7 (filler physical detail, close up) “a hand” at place 2, between s1 (key action) and s2 (key action)", ShotRefs: []storage.ShotID{"s7"}},
			{Type: storage.EventModify, Summary: "changed s2 (key action): size from medium to wide; angle from eye level to low", ShotRefs: []storage.ShotID{"s2"}},
		}},
		"remove is described from before": {func(b *board) { b.remove("s3") }, []storage.EditEvent{
			{Type: storage.EventRemove, Summary: "removed s3 (filler reaction, close up, eye level, 3 s) “what is seen in number 3”", ShotRefs: []storage.ShotID{"s3"}},
		}},
		"reorder counts moved shots only": {func(b *board) { b.move("s6", 0) }, []storage.EditEvent{
			{Type: storage.EventReorder, Summary: "moved s6 (filler reaction) from place 6 to 1, first, before s1 (key action)", ShotRefs: []storage.ShotID{"s6"}},
		}},
		"of two neighbours the one that was asked to move has moved": {func(b *board) { b.move("s3", 1) }, []storage.EditEvent{
			{Type: storage.EventReorder, Summary: "moved s3 (filler reaction) from place 3 to 2, between s1 (key action) and s2 (key action)", ShotRefs: []storage.ShotID{"s3"}},
		}},
		"merge is summarised": {func(b *board) { b.merge("s1", "s3") }, []storage.EditEvent{
			{Type: storage.EventMerge, Summary: "merged s1 (key action) and s3 (filler reaction) into s1 (key action, medium, eye level, 6 s) “what is seen in number 1; what is seen in number 3”", ShotRefs: []storage.ShotID{"s3", "s1"}},
		}},
		"merge into another": {func(b *board) {
			b.plan.Shots = b.plan.Shots[1:]
			b.call(mergeShots, `{"indexes":[1],"into":"s2"}`, storage.ByUser)
		}, []storage.EditEvent{
			{Type: storage.EventMerge, Summary: "merged s1 (key action) and s2 (key action) into s2 (key action, medium, eye level, 3 s) “what is seen in number 2”", ShotRefs: []storage.ShotID{"s1"}},
		}},
		"side effects of a modify are not counted": {func(b *board) {
			b.plan.Shots[0].Seconds = 9
			b.plan.Shots[1].Size = "wide"
			b.modify(`"shot":"s1"`, map[string]string{"size": "full"})
		}, []storage.EditEvent{
			{Type: storage.EventModify, Summary: "changed s1 (key action): size from medium to full", ShotRefs: []storage.ShotID{"s1"}},
		}},
		"places are read against the list before": {func(b *board) {
			b.plan.Shots[1].Size = "wide"
			b.put(0, storage.Shot{Kind: storage.KeyShot})
			b.call(modifyShot, `{"index":2,"size":"wide"}`, storage.ByUser)
			b.plan.Shots = append(b.plan.Shots[:3:3], b.plan.Shots[4:]...)
			b.call(mergeShots, `{"indexes":[3,4]}`, storage.ByUser)
			list := b.plan.Shots
			b.plan.Shots = append([]storage.Shot{list[1], list[0]}, list[2:]...)
			b.call(reorderShots, `{"index":1,"place":2}`, storage.ByUser)
		}, []storage.EditEvent{
			{Type: storage.EventModify, Summary: "changed s2 (key action): size from medium to wide", ShotRefs: []storage.ShotID{"s2"}},
			{Type: storage.EventMerge, Summary: "merged s2 (key action) and s3 (filler reaction) into s2 (key action, wide, eye level, 3 s) “what is seen in number 2”", ShotRefs: []storage.ShotID{"s3"}},
			{Type: storage.EventReorder, Summary: "moved s7 (key) from place 1 to 2, between s1 (key action) and s2 (key action)", ShotRefs: []storage.ShotID{"s7"}},
		}},
		"what the model does by itself tells nothing": {func(b *board) {
			b.plan.Shots[0].Size = "wide"
			b.call(modifyShot, `{"shot":"s1","size":"wide"}`, storage.ByModel)
			b.plan.Shots = b.plan.Shots[1:]
			b.call(removeShots, `{"shots":["s1"]}`, storage.ByModel)
			b.call(confirmShots, `{}`, storage.ByModel)
		}, nil},
		"what is changed to what it is tells nothing": {func(b *board) { b.modify(`"shot":"s1"`, map[string]string{"size": "medium"}) }, nil},
		"a line of the user's goes with what was done for it": {func(b *board) {
			b.text, b.turn = "make this\nmore uncomfortable", "t1"
			for _, id := range []string{"s1", "s2", "s4"} {
				b.modify(fmt.Sprintf(`"shot":%q`, id), map[string]string{"size": "close_up"})
			}
		}, []storage.EditEvent{
			{Type: storage.EventModify, Summary: "changed 3 shots: size to close up in 3", UserText: "make this more uncomfortable", ShotRefs: []storage.ShotID{"s1", "s2", "s4"}},
		}},
		"what is changed and changed back tells nothing": {func(b *board) {
			b.modify(`"shot":"s1"`, map[string]string{"size": "wide"})
			b.modify(`"shot":"s1"`, map[string]string{"size": "medium"})
		}, nil},
		"splitting by hand is one event": {func(b *board) {
			b.turn = "t1"
			b.modify(`"shot":"s1"`, map[string]string{"description": "what is seen", "seconds": "1.5"})
			b.insert(1, storage.Shot{Kind: storage.KeyShot, Job: "action", Description: "in number 1", Seconds: 1.5})
		}, []storage.EditEvent{
			{Type: storage.EventInsert, Summary: "split s1 (key action); the new part is s7 (key action, 1.5 s) “in number 1”", ShotRefs: []storage.ShotID{"s1", "s7"}},
		}},
		"a change and a new shot elsewhere in one go split nothing": {func(b *board) {
			b.turn = "t1"
			b.modify(`"shot":"s1"`, map[string]string{"size": "wide", "seconds": "2"})
			b.insert(5, storage.Shot{Kind: storage.FillerShot, Description: "rain"})
			b.modify(`"shot":"s1"`, map[string]string{"angle": "low"})
			b.insert(1, storage.Shot{Kind: storage.FillerShot, Description: "a door"})
		}, []storage.EditEvent{
			{Type: storage.EventModify, Summary: "changed s1 (key action): size from medium to wide; seconds from 3 s to 2 s", ShotRefs: []storage.ShotID{"s1"}},
			{Type: storage.EventInsert, Summary: "added s7 (filler) “rain” at place 6, between s5 (key action) and s6 (filler reaction)", ShotRefs: []storage.ShotID{"s7"}},
			{Type: storage.EventModify, Summary: "changed s1 (key action): angle from eye level to low", ShotRefs: []storage.ShotID{"s1"}},
			{Type: storage.EventInsert, Summary: "added s8 (filler) “a door” at place 2, between s1 (key action) and s2 (key action)", ShotRefs: []storage.ShotID{"s8"}},
		}},
		"of a block that was asked to move all shots have moved": {func(b *board) {
			list := b.plan.Shots
			b.plan.Shots = append([]storage.Shot{list[3], list[0], list[1], list[2]}, list[4:]...)
			b.call(reorderShots, `{"shots":["s1","s2","s3"],"after":"s4"}`, storage.ByUser)
		}, []storage.EditEvent{
			{Type: storage.EventReorder, Summary: "moved 3 shots: s1 (key action) from place 1 to 2, between s4 (key action) and s2 (key action); s2 (key action) from place 2 to 3, between s1 (key action) and s3 (filler reaction); s3 (filler reaction) from place 3 to 4, between s2 (key action) and s5 (key action)", ShotRefs: []storage.ShotID{"s1", "s2", "s3"}},
		}},
		"of two that changed places the one between has not moved": {func(b *board) {
			b.plan.Shots[0], b.plan.Shots[2] = b.plan.Shots[2], b.plan.Shots[0]
			b.call(reorderShots, `{"order":["s3","s1"]}`, storage.ByUser)
		}, []storage.EditEvent{
			{Type: storage.EventReorder, Summary: "moved 2 shots: s3 (filler reaction) from place 3 to 1, first, before s2 (key action); s1 (key action) from place 1 to 3, between s2 (key action) and s4 (key action)", ShotRefs: []storage.ShotID{"s3", "s1"}},
		}},
		"of a whole order only what explains it has moved": {func(b *board) {
			list := b.plan.Shots
			b.plan.Shots = []storage.Shot{list[5], list[0], list[1], list[2], list[3], list[4]}
			b.call(reorderShots, `{"order":["s6","s1","s2","s3","s4","s5"]}`, storage.ByUser)
		}, []storage.EditEvent{
			{Type: storage.EventReorder, Summary: "moved s6 (filler reaction) from place 6 to 1, first, before s1 (key action)", ShotRefs: []storage.ShotID{"s6"}},
		}},
		"an edit plan is told in words": {func(b *board) {
			b.plan.Proposal = &storage.EditPlan{Request: "tighter", Summary: "Shortens the fillers and drops the last."}
			b.text = "tighter"
			b.call("propose_edit_plan", `{"request":"tighter","calls":[{"tool":"modify_shot"}]}`, storage.ByModel)
			b.plan.Proposal = nil
			b.plan.Shots[2].Seconds = 1
			b.plan.Shots = b.plan.Shots[:5]
			b.call(executeEdit, `{}`, storage.BySteer)
		}, []storage.EditEvent{
			{Type: storage.EventBulk, Summary: "carried out an edit plan, 1 shot removed (s6 (filler reaction)), 1 shot changed: s3 (filler reaction): seconds from 3 s to 1 s: Shortens the fillers and drops the last.", UserText: "tighter", ShotRefs: []storage.ShotID{"s6", "s3"}},
		}},
		"steps of the planning count where the user made them": {func(b *board) {
			b.plan.Filler = &storage.FillerStrategy{Amount: "rich"}
			b.call("recommend_filler_strategy", `{"amount":"rich"}`, storage.ByModel)
			b.plan.Filler = &storage.FillerStrategy{Amount: "light"}
			b.call("recommend_filler_strategy", `{"amount":"light"}`, storage.ByUser)
			b.plan.Beats = []storage.BoardBeat{{ID: "b1", Text: "The letter burns"}}
			b.call("recommend_key_beats", `{}`, storage.ByUser)
		}, []storage.EditEvent{
			{Type: storage.EventBulk, Summary: "the filler strategy changed by hand"},
			{Type: storage.EventBulk, Summary: "the key beats changed by hand"},
		}},
		"a steering line that changes and adds splits nothing": {func(b *board) {
			b.text, b.turn = "show the door", "t1"
			b.modify(`"shot":"s1"`, map[string]string{"size": "wide"})
			b.insert(1, storage.Shot{Kind: storage.KeyShot, Subject: "the door"})
		}, []storage.EditEvent{
			{Type: storage.EventModify, Summary: "changed s1 (key action): size from medium to wide", UserText: "show the door", ShotRefs: []storage.ShotID{"s1"}},
			{Type: storage.EventInsert, Summary: "added s7 (key) “the door” at place 2, between s1 (key action) and s2 (key action)", UserText: "show the door", ShotRefs: []storage.ShotID{"s7"}},
		}},
		"a field that has its old value again tells nothing": {func(b *board) {
			b.modify(`"shot":"s1"`, map[string]string{"size": "wide", "angle": "low"})
			b.insert(5, storage.Shot{Kind: storage.FillerShot, Description: "rain"})
			b.modify(`"shot":"s1"`, map[string]string{"size": "medium"})
		}, []storage.EditEvent{
			{Type: storage.EventModify, Summary: "changed s1 (key action): angle from eye level to low", ShotRefs: []storage.ShotID{"s1"}},
			{Type: storage.EventInsert, Summary: "added s7 (filler) “rain” at place 6, between s5 (key action) and s6 (filler reaction)", ShotRefs: []storage.ShotID{"s7"}},
		}},
		"shots that were put in and taken out again tell nothing": {func(b *board) {
			b.insert(5, storage.Shot{Kind: storage.FillerShot, Description: "rain"})
			b.modify(`"shot":"s7"`, map[string]string{"size": "wide"})
			b.remove("s7")
		}, nil},
		"an order that is back tells nothing": {func(b *board) {
			b.move("s6", 0)
			b.modify(`"shot":"s1"`, map[string]string{"size": "wide"})
			b.move("s6", 5)
		}, []storage.EditEvent{
			{Type: storage.EventModify, Summary: "changed s1 (key action): size from medium to wide", ShotRefs: []storage.ShotID{"s1"}},
		}},
		"a text is told as it was and is": {func(b *board) {
			b.modify(`"shot":"s1"`, map[string]string{"description": "what is felt in number 1"})
		}, []storage.EditEvent{
			{Type: storage.EventModify, Summary: "changed s1 (key action): description: “what is seen in number 1” became “what is felt in number 1”", ShotRefs: []storage.ShotID{"s1"}},
		}},
		"confirming is acceptance": {func(b *board) { b.confirm() }, []storage.EditEvent{{Type: storage.EventAcceptance, Summary: "confirmed 6 shots"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := planned(6)
			c.do(b)
			if diff := cmp.Diff(c.want, b.edits(t)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Of what was changed twice the last counts.
func TestHarvest_Counts(t *testing.T) {
	t.Parallel()
	b := planned(6)
	b.modify(`"shot":"s1"`, map[string]string{"size": "wide", "seconds": "2"})
	b.modify(`"shot":"s1"`, map[string]string{"size": "full"})
	b.insert(2, storage.Shot{Kind: storage.FillerShot, Job: "reaction", Description: "a glance"})
	b.insert(2, storage.Shot{Kind: storage.FillerShot, Description: "dust"})
	b.remove("s3", "s4")
	b.move("s8", 0)
	b.merge("s1", "s2")
	b.confirm()
	want := storage.EditCounts{
		Fields:   []storage.Tally{{Name: "seconds", N: 1}, {Name: "size", N: 1}},
		Inserted: []storage.Tally{{Name: "filler", N: 1}, {Name: "filler reaction", N: 1}},
		Removed:  []storage.Tally{{Name: "filler reaction", N: 1}, {Name: "key action", N: 1}},
		Merges:   1, Reorders: 1,
	}
	if diff := cmp.Diff(want, Harvest(b.calls).Counts); diff != "" {
		t.Error(diff)
	}
}

// What nobody counts by name any more is counted still.
func TestTallies_Bounded(t *testing.T) {
	t.Parallel()
	counts := map[string]int{}
	for i := range 40 {
		counts[fmt.Sprint("job ", i)] = i + 1
	}
	got := tallies(counts, maxTallies)
	if len(got) != maxTallies || got[0].N != 40 || got[maxTallies-1].Name != "others" || total(got) != 40*41/2 {
		t.Errorf("%+v", got)
	}
}

func TestHarvest_Summary(t *testing.T) {
	t.Parallel()
	b := planned(6)
	want := &storage.ShotSummary{Shots: 6, Key: 4, Filler: 2, AverageSeconds: 3, PerKeyBeat: 3,
		Sizes: []storage.Tally{{Name: "medium", N: 4}, {Name: "close up", N: 2}}, Angles: []storage.Tally{{Name: "eye level", N: 6}},
		Jobs:     []storage.Tally{{Name: "action", N: 4}, {Name: "reaction", N: 2}},
		Sentence: "6 shots, 4 key and 2 filler, 3 seconds on average, 3 per key beat; most often medium, eye level, action."}
	if diff := cmp.Diff(want, Harvest(b.calls).Summary); diff != "" {
		t.Error(diff)
	}
	if h := Harvest(nil); h.Summary != nil || len(h.Events) > 0 {
		t.Errorf("nothing comes to %+v", h)
	}
}

func TestWorth(t *testing.T) {
	t.Parallel()
	b := planned(4)
	b.confirm()
	if HasLessons(Harvest(b.calls)) {
		t.Error("a plan that was taken as it is has nothing to teach")
	}
	b.modify(`"shot":"s1"`, map[string]string{"size": "wide"})
	if !HasLessons(Harvest(b.calls)) {
		t.Error("an edit of a confirmed board is worth a look")
	}
}

// What is kept of a session is small, however long it was, and holds no parameters.
func TestHarvest_Bounded(t *testing.T) {
	t.Parallel()
	h := Harvest(session(500, 60))
	data, err := json.Marshal(h)
	if err != nil {
		t.Fatal(err)
	}
	if len(h.Events) > maxEvents || len(data) > 40<<10 {
		t.Errorf("%d events and %d bytes are kept of 500 calls", len(h.Events), len(data))
	}
	if !strings.HasSuffix(h.Events[0].Summary, "earlier edits not listed here; the numbers count them all") {
		t.Errorf("nothing is said of those left out: %+v", h.Events[0])
	}
	for _, raw := range []string{`\"index\"`, `\"shot\"`, `"Params"`, `"params"`, `"After"`, `"after"`} {
		if strings.Contains(string(data), raw) {
			t.Errorf("what is kept holds %s of a call", raw)
		}
	}
	long := strings.Repeat("wör d", 5000)
	b := planned(3)
	b.text = long
	b.modify(`"shot":"s1"`, map[string]string{"size": long, "description": long, "job": long})
	b.insert(0, storage.Shot{Kind: storage.ShotKind(long), Job: long, Size: long, Description: long})
	if data, _ = json.Marshal(Harvest(b.calls)); len(data) > 8<<10 {
		t.Errorf("%d bytes are kept of two edits with long words", len(data))
	}
}

// Deltas of all calls, one upon the other, lead from the first list to the last.
func TestHarvest_EventsExplainTheResult(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := planned(rapid.IntRange(0, 8).Draw(t, "shots"))
		for range rapid.IntRange(0, 20).Draw(t, "edits") {
			b.edit(t)
		}
		var before, list []storage.Shot
		inserted, removed := 0, 0
		for i := range b.calls {
			d := changesOf(before, &b.calls[i])
			list = d.replay(list)
			before = b.calls[i].After.Shots
			switch b.calls[i].Tool {
			case insertShot:
				inserted += len(d.added)
			case removeShots:
				removed += len(d.removed)
			case reorderShots:
				if len(d.moved) > 1 {
					t.Fatalf("moving one shot moved %d", len(d.moved))
				}
			}
		}
		if diff := cmp.Diff(b.plan.Shots, list, cmp.Transformer("empty", func(s []storage.Shot) map[int]storage.Shot {
			m := map[int]storage.Shot{}
			for i, x := range s {
				m[i] = x
			}
			return m
		})); diff != "" {
			t.Fatal(diff)
		}
		h := Harvest(b.calls)
		if n := total(h.Counts.Inserted); n > inserted {
			t.Fatalf("%d insertions count as %d", inserted, n)
		}
		if n := total(h.Counts.Removed); n > removed {
			t.Fatalf("%d removals count as %d", removed, n)
		}
	})
}

func total(list []storage.Tally) (n int) {
	for _, x := range list {
		n += x.N
	}
	return n
}

// edit makes one edit by chance.
func (b *board) edit(t *rapid.T) {
	n := len(b.plan.Shots)
	word := rapid.SampledFrom([]string{"close_up", "wide", "low", "", "she holds the lamp", "2"})
	pick := func(name string) storage.ShotID { return b.plan.Shots[rapid.IntRange(0, n-1).Draw(t, name)].ID }
	b.turn = storage.CallID(rapid.SampledFrom([]string{"", "t1", "t2"}).Draw(t, "turn"))
	switch do := rapid.IntRange(0, 6).Draw(t, "do"); {
	case n == 0 || do == 0:
		b.insert(rapid.IntRange(0, n).Draw(t, "at"), storage.Shot{Kind: storage.FillerShot, Job: word.Draw(t, "job"), Description: "new"})
	case do == 1:
		target := fmt.Sprintf(`"shot":%q`, pick("shot"))
		if rapid.Bool().Draw(t, "by place") {
			target = fmt.Sprintf(`"index":%d`, rapid.IntRange(1, n).Draw(t, "place"))
		}
		field := rapid.SampledFrom([]string{"size", "angle", "movement", "job", "subject", "description", "dialogue", "beat", "kind"})
		b.modify(target, map[string]string{field.Draw(t, "field"): word.Draw(t, "value"), "seconds": fmt.Sprint(rapid.IntRange(1, 9).Draw(t, "seconds"))})
	case do == 2:
		b.remove(pick("gone"))
	case do == 3:
		b.move(pick("moved"), rapid.IntRange(0, n-1).Draw(t, "to"))
	case do == 4:
		if x, y := pick("one"), pick("other"); x != y {
			b.merge(x, y)
		}
	case do == 5:
		b.plan.Shots = rapid.Permutation(b.plan.Shots).Draw(t, "order")
		set(&b.plan.Shots[0], "size", word.Draw(t, "bulk size"))
		b.plan.Shots = b.plan.Shots[:rapid.IntRange(0, n).Draw(t, "left")]
		b.call(executeEdit, `{}`, storage.ByUser)
	default:
		b.confirm()
	}
}

// session is a long one: every kind of edit in turn.
func session(calls, shots int) []storage.BoardCall {
	b := planned(shots)
	for i := len(b.calls); i < calls; i++ {
		id := b.plan.Shots[i*7%len(b.plan.Shots)].ID
		switch i % 8 {
		case 0:
			b.insert(i%len(b.plan.Shots), storage.Shot{Kind: storage.FillerShot, Job: "reaction", Size: "close_up", Description: "a new look at it", Seconds: 2})
		case 1:
			b.remove(id)
		case 2:
			b.move(id, i%len(b.plan.Shots))
		case 3:
			b.modify(fmt.Sprintf(`"shot":%q`, id), map[string]string{"description": fmt.Sprintf("what is seen after edit %d", i)})
		default:
			b.modify(fmt.Sprintf(`"index":%d`, i%len(b.plan.Shots)+1), map[string]string{"size": []string{"wide", "close_up"}[i/8%2], "seconds": fmt.Sprint(i%9 + 1)})
		}
	}
	return b.calls
}

func BenchmarkHarvest500(b *testing.B) {
	calls := session(500, 60)
	b.ReportAllocs()
	for b.Loop() {
		if h := Harvest(calls); len(h.Events) == 0 {
			b.Fatal("nothing harvested")
		}
	}
}

func FuzzHarvest(f *testing.F) {
	for _, seed := range []string{`{"shot":"s2","size":"wide"}`, `{"index":"1","seconds":2,"job":null}`, `{"shots":[{"id":"S1"},3,"s2, s4"]}`, `{"indexes":[1e99,-1,"nan"]}`, `[`, `null`} {
		f.Add(seed, "wide", "wrong, she already left")
	}
	f.Fuzz(func(t *testing.T, raw, value, text string) {
		b := planned(4)
		for _, tool := range []string{modifyShot, insertShot, removeShots, reorderShots, mergeShots, executeEdit, "recommend_key_beats", "unknown"} {
			b.text = text
			b.plan.Shots[0].Size, b.plan.Shots[1].Description = value+tool, value
			b.plan.Shots = append(b.plan.Shots[1:], b.plan.Shots[0], storage.Shot{ID: storage.ShotID(value)})
			b.call(tool, raw, storage.ByUser)
		}
		h := Harvest(b.calls)
		if len(h.Events) > len(b.calls) {
			t.Errorf("%d calls made %d events", len(b.calls), len(h.Events))
		}
		for _, e := range h.Events {
			if len([]rune(e.Summary)) > maxSummary || len([]rune(e.UserText)) > maxUserText || strings.ContainsAny(e.Summary+e.UserText, "\n\x1b") {
				t.Errorf("an event is out of bounds: %q", e)
			}
		}
	})
}
