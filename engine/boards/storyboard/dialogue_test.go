package storyboard

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The program takes the words of a shot from the messages that it cites.
func TestTake_WordsOfTheCitedMessages(t *testing.T) {
	t.Parallel()
	in := harbour()
	in.Beat = "b2"
	in.Messages[2].Text = `*She turns.* "Who told you?" she says, and waits. „Was it Piet?“ The rain stops. "Say it."`
	in.Messages[3].Text = "I can read. *I push the lamp nearer.*"
	call, err := ReadAnswer(GeneratePackage, in, json.RawMessage(`{"beat":"b2","shots":[
		{"kind":"key","job":"reaction","size":"wide","angle":"low","movement":"static","subject":"Tove","description":"Tove turns.","seconds":3,"spoken_in":3},
		{"kind":"key","job":"reaction","size":"wide","angle":"low","movement":"static","subject":"Robin","description":"Robin waits.","seconds":3,"spoken_in":["message 3","4"]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	p := after(t, in.Plan, call)
	for i, want := range []string{"Who told you?\nWas it Piet?", "Say it.\nI can read."} {
		if got := p.Packages[0].Shots[i].Dialogue; got != want {
			t.Errorf("shot %d says %q, want %q", i+1, got, want)
		}
	}
}

// In steering too, also within a proposal.
func TestPinned_WordsOfTheCitedMessages(t *testing.T) {
	t.Parallel()
	in := shot(t)
	for _, c := range []storage.ToolCall{
		{Tool: ModifyShot, Params: json.RawMessage(`{"index":3,"spoken_in":[3]}`)},
		{Tool: InsertShot, Params: json.RawMessage(`{"description":"x","spoken_in":[3]}`)},
		{Tool: ProposeEdit, Params: json.RawMessage(`{"calls":[{"tool":"modify_shot","params":{"shot":"s3","spoken_in":3}}]}`)},
	} {
		if got := string(in.Normalize(in.Plan, c).Params); !strings.Contains(got, `"dialogue":"Who told you?"`) || strings.Contains(got, "spoken_in") {
			t.Errorf("%s: %s", c.Tool, got)
		}
	}
}

// A line may give words of the director's own, which no message has.
func TestCheckDialogue(t *testing.T) {
	t.Parallel()
	in := shot(t)
	words := func(words string) storage.ToolCall {
		return storage.ToolCall{Tool: InsertShot, Params: json.RawMessage(`{"shots":[{"description":"x","dialogue":"` + words + `"}]}`)}
	}
	if err := in.CheckDialogue(words("Never.")); err == nil {
		t.Error("made up words go through")
	}
	for _, said := range []string{"You lied about the boat", "“who TOLD you”", ""} {
		if err := in.CheckDialogue(words(said)); err != nil {
			t.Errorf("%q: %v", said, err)
		}
	}
	in.Instruction = `let Robin say "Never!"`
	if err := in.CheckDialogue(words("Never.")); err != nil {
		t.Error("the director's own words:", err)
	}
	in.Instruction, in.Plan.Shots[0].Dialogue = "", "Never." // by the user's hand
	if err := in.CheckDialogue(words("Never.")); err != nil {
		t.Error(err)
	}
}

// In every form that a model fills in, what it decides by stands before what it
// decides: a why first, size and angle before what is seen.
func TestSchemas_TheWhyStandsFirst(t *testing.T) {
	t.Parallel()
	in := shot(t)
	in.Beat = "b2"
	forms := map[string]json.RawMessage{"steer": SteerSchema(in)}
	for _, tool := range Tools() {
		forms[tool.Name+" parameters"] = tool.Params
		if tool.Steering {
			forms[tool.Name+" offer"] = tool.CompactParams()
		}
		if tool.Planning {
			forms[tool.Name] = Schema(tool.Name, in)
		}
	}
	for name, raw := range forms {
		for _, keys := range objectsOf(t, raw) {
			at := func(key string) int { return slices.Index(keys, key) }
			for before, after := range map[string][]string{"why": {"text", "amount", "budget", "calls", "question"}, "summary": {"calls"}, "messages": {"text"},
				"size": {"description", "subject"}, "angle": {"description"}, "job": {"description"}, "question": {"calls"}} {
				for _, later := range after {
					if i, j := at(before), at(later); i >= 0 && j >= 0 && i > j {
						t.Errorf("%s: %s stands behind %s: %v", name, before, later, keys)
					}
				}
			}
		}
	}
	for _, tool := range []string{RecommendBeats, RecommendFiller, BudgetPackages} {
		if !strings.Contains(string(forms[tool]), `"why"`) {
			t.Errorf("%s asks for no reason", tool)
		}
	}
}

// objectsOf are the names of the properties of all objects in a schema, as they
// stand.
func objectsOf(t *testing.T, raw json.RawMessage) (all [][]string) {
	t.Helper()
	var s struct {
		Properties json.RawMessage
		Items      json.RawMessage
		AnyOf      []json.RawMessage
	}
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	var of map[string]json.RawMessage
	if s.Properties != nil {
		if err := json.Unmarshal(s.Properties, &of); err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(bytes.NewReader(s.Properties))
		var names []string
		for _, err := d.Token(); err == nil && d.More(); {
			name, _ := d.Token()
			names = append(names, name.(string))
			err = d.Decode(new(json.RawMessage))
		}
		all = append(all, names)
	}
	for _, p := range append(slices.Collect(maps.Values(of)), append(s.AnyOf, s.Items)...) {
		if p != nil {
			all = append(all, objectsOf(t, p)...)
		}
	}
	return all
}
