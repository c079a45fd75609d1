package lessons

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/exampletest"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// Each prompt's example is an answer that the program takes and keeps.
func TestPrompts_Examples(t *testing.T) {
	t.Parallel()
	set := prompts.BuiltIn()
	for _, example := range exampletest.Of(t, set.Text(LessonsFile)) {
		exampletest.Keeps(t, LessonsSchema(), example)
		var l Lessons
		err := json.Unmarshal(example, &l)
		if err = errors.Join(err, CheckLessons(Scene{}, l)); err != nil || len(CleanLessons(Scene{}, l).SceneLearnings) != 1 {
			t.Errorf("%v:\n%s", err, example)
		}
	}
	s := aStory()
	for _, example := range exampletest.Of(t, set.Text(ProfileFile)) {
		exampletest.Keeps(t, ProfileSchema(s), example)
		var p Profile
		err := json.Unmarshal(example, &p)
		if err = errors.Join(err, CheckProfile(s, p)); err != nil || len(NewProfile(s, p).PreferenceCards) != 1 {
			t.Errorf("%v:\n%s", err, example)
		}
	}
}
