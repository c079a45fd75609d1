package lessons

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestFromEdits(t *testing.T) {
	t.Parallel()
	edit := func(kind string, changes ...storage.EditChange) storage.Edit {
		return storage.Edit{ID: "e1", Kind: kind, About: "c1", Changes: changes}
	}
	event := func(about, words string) storage.EditEvent {
		return storage.EditEvent{Type: storage.EventModify, About: about, Summary: words}
	}
	for name, c := range map[string]struct {
		edit storage.Edit
		want []storage.EditEvent
	}{
		"words and settings of a picture": {edit("capture", storage.EditChange{Field: "prompt", Removed: "bright daylight", Added: "low lamp light"}, storage.EditChange{Field: "negative_prompt", Added: "smiling"},
			storage.EditChange{Field: "camera", Removed: "wide"}),
			[]storage.EditEvent{event("capture", "changed a picture's prompt: prompt: “bright daylight” became “low lamp light”; negative prompt: put in “smiling”; camera: took out “wide”")}},
		"a seed says nothing": {edit("capture", storage.EditChange{Field: "seed", Added: "42"}), []storage.EditEvent{}},
		"another kind":        {edit("dream", storage.EditChange{Field: "events", Added: "x"}), []storage.EditEvent{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, FromEdits([]storage.Edit{c.edit})); diff != "" {
				t.Error(diff)
			}
		})
	}
	var many []storage.Edit
	for i := range 100 {
		many = append(many, edit("recap", storage.EditChange{Field: "mood", Added: fmt.Sprint("number ", i)}))
	}
	got := FromEdits(many)
	if len(got) != mostEdits || got[len(got)-1].Summary != "changed a recap: mood: put in “number 99”" || got[0].Summary != "changed a recap: mood: put in “number 76”" {
		t.Errorf("of many the newest are kept in order: %d, %+v … %+v", len(got), got[0], got[len(got)-1])
	}
}

// Both sides of a change read as language, with some words around it.
func TestExcerpt(t *testing.T) {
	t.Parallel()
	prompt := "A storm outside. The captain stands near the window, lit from behind by one lamp, with her coat still wet, in a room full of maps"
	for name, c := range map[string]struct{ before, after, removed, added string }{
		"words in the middle": {prompt, strings.Replace(prompt, "stands near", "and", 1),
			"A storm outside. The captain stands near the window, lit from behind by …", "A storm outside. The captain and the window, lit from behind by …"},
		"at the end":     {"one two three four five six seven eight nine", "one two three four five six seven eight ten", "… three four five six seven eight nine", "… three four five six seven eight ten"},
		"put in":         {"", "smiling", "", "smiling"},
		"taken out":      {"a crowd in the rain", "a crowd", "a crowd in the rain", "a crowd"},
		"the same words": {"a  crowd", "a crowd", "", ""},
	} {
		got := Excerpt("prompt", c.before, c.after)
		if c.removed+c.added == "" {
			if got != nil {
				t.Errorf("%s: %+v", name, got)
			}
			continue
		}
		if diff := cmp.Diff([]storage.EditChange{{Field: "prompt", Removed: c.removed, Added: c.added}}, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	long := strings.Repeat("rain and smoke ", 400)
	if got := Excerpt("prompt", long, "fog "+long+" dust"); len(got) != 1 || len(got[0].Removed)+len(got[0].Added) > 600 {
		t.Errorf("%+v", got)
	}
}
