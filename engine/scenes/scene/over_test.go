package scene

import (
	"strings"
	"testing"

	"ghostlight/prompts"
	"ghostlight/storage"
)

const twoThreads = "## Current Situation\n\n- They wait.\n\n## Pending Threads\n\n- Robin wants the cup.\n  He wants it badly.\n- Mara owes ten coins.\n"

func TestWithout(t *testing.T) {
	got := Without(twoThreads, func(b string) bool { return strings.HasPrefix(b, "Robin") })
	if got != "## Current Situation\n\n- They wait.\n\n## Pending Threads\n\n- Mara owes ten coins." {
		t.Errorf("%q", got)
	}
	if got = Without(twoThreads, func(string) bool { return false }); got != twoThreads {
		t.Errorf("it was changed: %q", got)
	}
}

// What has ended is shown as such and comes into nothing, whatever the model says of it.
func TestMerge_WhatIsOver(t *testing.T) {
	base := storage.Recap{Text: "## Pending Threads\n\n- Robin wants the cup.\n- Mara owes ten coins.\n"}
	next := storage.Recap{Text: "## Key Developments\n\n- The boat is sold.\n"}
	for _, late := range []bool{false, true} {
		m := Merge{Base: base, Next: next, Late: late, Over: map[string]string{BulletKey("Robin wants the cup."): "it is settled"}}
		prompt := m.Prompt(prompts.BuiltIn())
		if text := prompt[len(prompt)-1].Content; !strings.Contains(text, "[1] Robin wants the cup. (over)\n[2] Mara owes ten coins.\n") {
			t.Errorf("late %v:\n%s", late, text)
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
				t.Errorf("late %v, %s:\n%s", late, name, d.Text)
			}
			if len(d.Dropped) != 1 || d.Dropped[0].Why != "it is settled" {
				t.Errorf("late %v, %s: %+v", late, name, d.Dropped)
			}
		}
	}
}
