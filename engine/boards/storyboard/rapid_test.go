package storyboard

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// anyCall draws a call that often makes sense for a plan.
func anyCall(t *rapid.T, p storage.Plan) storage.ToolCall {
	tool := rapid.SampledFrom(Tools()).Draw(t, "tool").Name
	in := object{}
	for _, key := range []string{"shot", "before", "after", "into"} {
		if rapid.IntRange(0, 2).Draw(t, key+"?") == 0 {
			in[key] = anyID(t, p.LastShot, "s")
		}
	}
	for _, key := range []string{"shots", "order"} {
		in[key] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return anyID(t, p.LastShot, "s") }), 0, 4).Draw(t, key)
	}
	for _, key := range []string{"index", "to"} {
		if rapid.IntRange(0, 3).Draw(t, key+"?") == 0 {
			in[key] = rapid.IntRange(-1, len(p.Shots)+2).Draw(t, key)
		}
	}
	switch tool {
	case InsertShot, GeneratePackage, ImportBoard:
		in["shots"] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return anyShot(t, p) }), 0, 5).Draw(t, "shots")
		delete(in, "shot")
	case GenerateShots:
		in["fillers"] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any { return anyShot(t, p) }), 0, 3).Draw(t, "fillers")
	case ModifyShot, MergeShots:
		for k, v := range anyShot(t, p) {
			in[k] = v
		}
	case ProposeEdit:
		c := anyEdit(t, p)
		in = object{"summary": "x", "calls": []any{object{"tool": c.Tool, "params": c.Params}}}
	}
	in["beat"] = anyID(t, p.LastBeat, "b")
	in["beats"] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any {
		return object{"id": anyID(t, p.LastBeat, "b"), "text": rapid.StringN(0, 20, -1).Draw(t, "text")}
	}), 0, 4).Draw(t, "beats")
	in["amount"] = rapid.SampledFrom([]string{"none", "rich", "odd"}).Draw(t, "amount")
	in["budget"] = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) any {
		return object{"beat": anyID(t, p.LastBeat, "b"), "key": rapid.IntRange(-1, 41).Draw(t, "key"), "seconds": rapid.Float64().Draw(t, "s")}
	}), 0, 3).Draw(t, "budget")
	raw, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return storage.ToolCall{Tool: tool, Params: raw}
}

func anyEdit(t *rapid.T, p storage.Plan) storage.ToolCall {
	for {
		if c := anyCall(t, p); isEditTool(c.Tool) {
			return c
		}
	}
}

func anyID(t *rapid.T, last int, letter string) any {
	n := rapid.IntRange(0, last+1).Draw(t, "id")
	if rapid.Bool().Draw(t, "bare") {
		return n
	}
	return fmt.Sprint(letter, n)
}

func anyShot(t *rapid.T, p storage.Plan) object {
	o := object{"description": rapid.SampledFrom([]string{"x", "A door", "", "y\n\n\nz"}).Draw(t, "description")}
	if rapid.Bool().Draw(t, "more") {
		o["id"], o["beat"] = anyID(t, p.LastShot, "s"), anyID(t, p.LastBeat, "b")
		o["after"] = anyID(t, p.LastShot, "s")
		o["seconds"] = rapid.OneOf(rapid.Float64Range(-1, 700), rapid.Float64()).Draw(t, "seconds")
		o["kind"] = rapid.SampledFrom([]string{"key", "filler", "", "odd"}).Draw(t, "kind")
		for _, key := range []string{FieldSize, FieldAngle, "subject", "dialogue"} {
			o[key] = rapid.String().Draw(t, key)
		}
	}
	return o
}

func deepCopy(t *rapid.T, p storage.Plan) storage.Plan {
	raw, err := json.Marshal(p)
	if err != nil {
		t.Fatal("a plan must be something that can be stored:", err)
	}
	var q storage.Plan
	if err := json.Unmarshal(raw, &q); err != nil {
		t.Fatal(err)
	}
	return q
}

// TestAnyCallsLeaveAPlanThatHolds: whatever is called in whatever order, the plan
// holds, the one before stays as it was, and an id is never given a second time.
func TestAnyCallsLeaveAPlanThatHolds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var p storage.Plan
		gone := map[storage.ShotID]bool{}
		for range rapid.IntRange(1, 25).Draw(t, "calls") {
			c := anyCall(t, p)
			if p.LastShot == 0 { // begin with something to change
				c = storage.ToolCall{Tool: ImportBoard, Params: json.RawMessage(`{"beats":[{"text":"a"},{"text":"b"}],
					"shots":[{"beat":"b1","description":"1"},{"description":"2"},{"beat":"b2","description":"3"},{"description":"4"}]}`)}
			}
			before := deepCopy(t, p)
			next, out, err := Apply(p, c)
			if !reflect.DeepEqual(deepCopy(t, p), before) {
				t.Fatalf("%s has changed the plan before it", c.Tool)
			}
			if err != nil {
				continue
			}
			if err := Check(next); err != nil {
				t.Fatalf("%s %s: %v", c.Tool, c.Params, err)
			}
			if out.Message == "" || next.LastShot < p.LastShot || next.LastBeat < p.LastBeat {
				t.Fatalf("%s: %+v", c.Tool, out)
			}
			there := map[storage.ShotID]bool{}
			for _, s := range all(next) {
				if there[s.ID] = true; gone[s.ID] {
					t.Fatalf("%s has given %s again", c.Tool, s.ID)
				}
			}
			for _, s := range all(p) {
				gone[s.ID] = !there[s.ID]
			}
			p = next
		}
		roundTrip(t, p)
	})
}

func all(p storage.Plan) []storage.Shot {
	list := append([]storage.Shot(nil), p.Shots...)
	for _, k := range p.Packages {
		list = append(list, k.Shots...)
	}
	return list
}

// roundTrip: what a document holds comes back from it as it was.
func roundTrip(t *rapid.T, p storage.Plan) {
	if len(p.Beats)+len(p.Shots) == 0 {
		return
	}
	data, err := Write("The hall", p)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Read(data)
	if err != nil {
		t.Fatalf("%v\n%s", err, data)
	}
	q, _, err := Apply(storage.Plan{}, c)
	if err != nil {
		t.Fatal(err)
	}
	p.Packages, p.Proposal, p.LastBeat, p.LastShot, q.LastBeat, q.LastShot = nil, nil, 0, 0, 0, 0
	if d := cmp.Diff(p, q, cmpopts.EquateEmpty()); d != "" {
		t.Fatal(d)
	}
	_ = Markdown("The hall", p)
}

func TestWordsSettle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		field := rapid.SampledFrom([]string{FieldSize, FieldAngle, FieldMovement, FieldJob}).Draw(t, "field")
		if once := NormalizeWord(field, text); NormalizeWord(field, once) != once || len([]rune(once)) > maxWord {
			t.Fatalf("%q, then %q", once, NormalizeWord(field, once))
		}
		if once := cleanText(text); cleanText(once) != once {
			t.Fatalf("%q, then %q", once, cleanText(once))
		}
	})
}

// FuzzApply: parameters of any bytes are refused or leave a plan that holds.
func FuzzApply(f *testing.F) {
	for i, s := range []string{`{"shot":"s1","size":"cu"}`, `{"shots":["s1","s2"],"into":2}`, `{"after":1,"shots":[{"description":"x"}]}`,
		`{"order":["s3","s1"]}`, `{"index":1,"to":3}`, `{"beats":[{"text":"x"}],"shots":[{"id":"s9","description":"y"}]}`, `{"budget":[{"beat":"b1","key":1}]}`} {
		f.Add(uint8(i), []byte(s))
	}
	begin, _, err := Apply(storage.Plan{}, storage.ToolCall{Tool: ImportBoard, Params: json.RawMessage(`{"beats":[{"text":"a"}],
		"shots":[{"beat":"b1","description":"1"},{"description":"2"},{"description":"3","seconds":4}]}`)})
	if err != nil {
		f.Fatal(err)
	}
	tools := Tools()
	f.Fuzz(func(t *testing.T, n uint8, params []byte) {
		c := storage.ToolCall{Tool: tools[int(n)%len(tools)].Name, Params: params}
		p, _, err := Apply(begin, c)
		if err != nil {
			return
		}
		if err := Check(p); err != nil {
			t.Fatalf("%s %s: %v", c.Tool, c.Params, err)
		}
	})
}
