package scene

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

const twoThreads = "## Current Situation\n\n- They wait.\n\n## Pending Threads\n\n- Robin wants the cup.\n  He wants it badly.\n- Mara owes ten coins.\n"

func TestWithout(t *testing.T) {
	got := WithoutEnded(twoThreads, func(b string) bool { return strings.HasPrefix(b, "Robin") })
	if got != "## Current Situation\n\n- They wait.\n\n## Pending Threads\n\n- Mara owes ten coins." {
		t.Errorf("%q", got)
	}
	if got = WithoutEnded(twoThreads, func(string) bool { return false }); got != twoThreads {
		t.Errorf("it was changed: %q", got)
	}
}

// What has ended is shown as such and comes into nothing, whatever the model says of it.
func TestMerge_WhatIsOver(t *testing.T) {
	base := storage.Recap{Text: "## Pending Threads\n\n- Robin wants the cup.\n- Mara owes ten coins.\n"}
	next := storage.Recap{Text: "## Key Developments\n\n- The boat is sold.\n"}
	for _, running := range []bool{false, true} {
		m := Merge{Records: []storage.Recap{base, next}, Running: running, Ended: map[string]string{BulletKey("Robin wants the cup."): "it is settled"}}
		prompt := m.Prompt(prompts.BuiltIn())
		if text := prompt[len(prompt)-1].Content; !strings.Contains(text, "[1] Robin wants the cup. (over)\n[2] Mara owes ten coins.\n") {
			t.Errorf("running %v:\n%s", running, text)
		}
		for name, text := range map[string]string{
			"honest":   `{"recap":{"key_developments":[{"text":"The boat is sold.","bullets":[3]}],"pending_threads":[{"text":"Mara owes ten coins.","bullets":[2]}]},"dropped":[{"fact":1,"why":"over"}]}`,
			"careless": `{"recap":{"key_developments":[{"text":"The boat is sold.","bullets":[3]}],"pending_threads":[{"text":"Robin wants the cup.","bullets":[1]},{"text":"Mara owes ten coins.","bullets":[2]}]},"dropped":[]}`,
			"empty":    `{"recap":{}}`,
		} {
			var a MergeAnswer
			if err := a.UnmarshalJSON([]byte(text)); err != nil {
				t.Fatal(err)
			}
			d := m.Draft(&a)
			if strings.Contains(d.Text, "cup") || !strings.Contains(d.Text, "Mara owes ten coins.") || !strings.Contains(d.Text, "The boat is sold.") {
				t.Errorf("running %v, %s:\n%s", running, name, d.Text)
			}
			if len(d.Dropped) != 1 || d.Dropped[0].Why != "it is settled" {
				t.Errorf("running %v, %s: %+v", running, name, d.Dropped)
			}
		}
	}
}

func TestMarked(t *testing.T) {
	got := MarkEnded(twoThreads, func(b string) bool { return strings.HasPrefix(b, "Robin") })
	if want := strings.TrimSpace(strings.Replace(twoThreads, "cup.\n  He wants it badly.\n", "cup. He wants it badly. (over)\n", 1)); got != want {
		t.Errorf("%q", got)
	}
	if got = MarkEnded(twoThreads, func(b string) bool { return strings.HasPrefix(b, "They") }); !strings.Contains(got, "- They wait. (over)\n\n## Pending") {
		t.Errorf("%q", got)
	}
}

// A model that recaps a scene sees the past with its ended facts: copies of these are dropped.
func TestRecap_WhatIsOver(t *testing.T) {
	in := Input{Messages: []Message{{ID: "m1", Role: storage.User, Text: "I pay Mara the ten coins."}}, Earlier: []string{"## Pending Threads\n\n- Robin owes Mara ten coins. (over)\n- Robin wants the cup."}}
	for _, p := range [][]prompts.Message{RecapPrompt(prompts.BuiltIn(), in), PartPrompt(prompts.BuiltIn(), in, Part{Messages: in.Messages, Number: 1, Of: 2})} {
		if text := p[len(p)-1].Content; !strings.Contains(text, "ten coins. (over)\n") || !strings.Contains(text, `What ends with "(over)" no longer holds when the scene ends`) {
			t.Errorf("it is asked:\n%s", text)
		}
	}
	for name, c := range map[string]struct{ text, want string }{
		"honest":   {`{"scene_name":"A debt","recap":{"current_situation":[],"key_developments":[{"text":"Robin has paid Mara the ten coins.","messages":[1]}],"dialogue_highlights":[],"tone_style":[],"pending_threads":[]}}`, "has paid"},
		"careless": {`{"scene_name":"A debt","recap":{"current_situation":[],"key_developments":[{"text":"Robin has paid Mara the ten coins.","messages":[1]}],"dialogue_highlights":[],"tone_style":[],"pending_threads":[{"text":"Robin owes Mara ten coins. (over)","messages":[1]}]}}`, "has paid"},
		"prose":    {`{"scene_name":"A debt","recap":"## Current Situation\n\n- Robin has paid Mara.\n\n## Pending Threads\n\n- Robin owes Mara ten coins (over)."}`, "has paid"},
	} {
		var a Answer
		if err := a.UnmarshalJSON([]byte(c.text)); err != nil {
			t.Fatal(err)
		}
		if d := a.Draft(in); strings.Contains(d.Text, "owes") || !strings.Contains(d.Text, c.want) {
			t.Errorf("%s:\n%s", name, d.Text)
		}
	}
}
