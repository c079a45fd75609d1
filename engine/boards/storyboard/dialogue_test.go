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

func TestHeard(t *testing.T) {
	t.Parallel()
	h := Hear(`*Rain on the roof.* "You came," Tove says, and does not turn round. "I didn't think you would."`,
		`"Who told you?" She lets go of the net.`, `「誰が教えたの？」と彼女は聞いた。`, `„Wer hat dir das erzählt?“, fragt sie.`)
	for dialogue, missing := range map[string]string{
		"":                                     "",
		"You came.":                            "",
		"“you CAME”":                           "",
		"Tove: You came.":                      "",
		"You came. I didn’t think you would.":  "",
		"You came, I didnt think you would!":   "",
		"…think you would":                     "",
		"You came.\nWho told you?":             "",
		"誰が教えたの？":                              "",
		"Wer hat dir das erzahlt?":             "",
		"Stay.":                                "Stay.",
		"You came back.":                       "You came back.",
		"I did think you would.":               "I did think you would.",
		"You came.\nWho has told you?":         "Who has told you?",
		"誰が嘘をついたの？":                            "誰が嘘をついたの？",
		"I didn't think you would. You came.":  "I didn't think you would. You came.", // the order is another
		"You came. Who told you?":              "You came. Who told you?",             // of two messages
		strings.Repeat("came ", 500) + "Stay.": strings.Repeat("came ", 500) + "Stay.",
		"Rain on the roof of the net":          "Rain on the roof of the net",
	} {
		if got := h.Missing(dialogue); got != missing {
			t.Errorf("%.60q: %.60q is missing, want %.60q", dialogue, got, missing)
		}
	}
	if got := Hear().Missing("Stay."); got != "Stay." {
		t.Errorf("in a scene without words %q", got)
	}
}

func FuzzHeard(f *testing.F) {
	f.Add("You came, she says. Not today.", "You came. Not today.")
	f.Fuzz(func(t *testing.T, text, line string) {
		h := Hear(text)
		if got := h.Missing(line); got != "" && !strings.Contains(line, got) {
			t.Errorf("%q is no line of %q", got, line)
		}
		if one := strings.NewReplacer("\n", " ", "\r", " ").Replace(text); Hear(one).Missing(one) != "" && len(spokenWords(one)) > 0 {
			t.Errorf("%q does not stand in itself", one)
		}
	})
}

// What nobody says is asked for again, and kept where the model insists.
func TestTake_DialogueStandsInTheMessages(t *testing.T) {
	t.Parallel()
	in := harbour()
	in.Beat = "b1"
	pack := func(words string) json.RawMessage {
		return json.RawMessage(`{"beat":"b1","shots":[{"kind":"key","description":"Robin speaks.","dialogue":"` + words + `"}]}`)
	}
	if _, err := Take(GeneratePackage, in, pack("You lied about the boat.")); err != nil {
		t.Error(err)
	}
	call, err := Take(GeneratePackage, in, pack("You sank the boat."))
	if err == nil || !strings.Contains(err.Error(), `shot 1: nobody says "You sank the boat." in the messages`) || !strings.Contains(string(call.Params), "You sank the boat.") {
		t.Errorf("%v, %s", err, call.Params)
	}
	in.Wish = `let Robin say "You sank the boat."`
	if _, err := Take(GeneratePackage, in, pack("You sank the boat.")); err != nil {
		t.Errorf("the director's own words: %v", err)
	}
	in = shot(t)
	c := storage.ToolCall{Tool: InsertShot, Params: json.RawMessage(`{"shots":[{"description":"x","dialogue":"Never."}]}`)}
	if err := in.CheckDialogue(c); err == nil {
		t.Error("made up words go through")
	}
	in.Plan.Shots[0].Dialogue = "Never." // by the user's hand
	if err := in.CheckDialogue(c); err != nil {
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
			forms[tool.Name+" offer"] = tool.Offer()
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
