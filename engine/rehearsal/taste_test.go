package rehearsal

import (
	"strings"
	"testing"
)

const (
	lessonsSchema = `{"type":"object","properties":{"sceneContextSummary":{"type":"string","minLength":1,"maxLength":900},"editSummary":{"type":"string","minLength":1,"maxLength":1200},"sceneLearnings":{"type":"array","maxItems":8,"items":{"type":"object","properties":{"learning":{"type":"string","maxLength":240},"appliesTo":{"type":"string","maxLength":180},"avoidApplyingTo":{"type":"string","maxLength":180},"evidence":{"type":"string","maxLength":240},"confidence":{"type":"string","enum":["low","medium","high"]}},"required":["learning","appliesTo","avoidApplyingTo","evidence","confidence"]}}},"required":["sceneContextSummary","editSummary","sceneLearnings"]}`
	profileSchema = `{"type":"object","properties":{"preferenceCards":{"type":"array","maxItems":12,"items":{"type":"object","properties":{"preference":{"type":"string","maxLength":240},"appliesTo":{"type":"string","maxLength":180},"avoidApplyingTo":{"type":"string","maxLength":180},"scenes":{"type":"array","minItems":1,"maxItems":40,"items":{"type":"integer","minimum":1,"maximum":9999}},"evidence":{"type":"string","maxLength":240},"confidence":{"type":"string","enum":["low","medium","high"]}},"required":["preference","appliesTo","avoidApplyingTo","scenes","evidence","confidence"]}},"profileSummary":{"type":"string","minLength":1,"maxLength":2000}},"required":["preferenceCards","profileSummary"]}`
)

type learnt struct {
	SceneContextSummary, EditSummary, ProfileSummary string
	SceneLearnings                                   []struct{ Learning, AppliesTo, Evidence, Confidence string }
	PreferenceCards                                  []struct {
		Preference, Confidence string
		Scenes                 []int
	}
}

func TestTaste_LearnsOfEditsOnly(t *testing.T) {
	l := perfect[learnt](t, lessonsSchema, asked("You note what the director's edits show.", `The scene: The pier.

<recap>
- Tove ran.
</recap>

<edits>
E1 (initial_generation) planned 6 shots
E2 (modify) changed s1 (key action): seconds from 3 to 4.5
E3 (modify) mended a mistake: changed s2 (key action): size from medium to close up; seconds from 2 to 5
E4 (remove) removed s3 (filler reaction, close up, eye level, 3 s) “what is seen” The user's words: “less of that”
E5 (modify) changed 5 shots: seconds in 5 The user's words: “slower”
E6 (acceptance) confirmed 5 shots
</edits>`), 0)
	var got []string
	for _, x := range l.SceneLearnings {
		got = append(got, x.Evidence+" "+x.Confidence)
	}
	if all := strings.Join(got, "; "); all != "E4: fillers were taken out. high; E2, E5: times became longer. high" {
		t.Error(all)
	}
	if !strings.Contains(l.EditSummary, "shots were changed and shots were taken out") || !strings.Contains(l.EditSummary, "mistakes of the plan were mended") {
		t.Error(l.EditSummary)
	}
	l = perfect[learnt](t, lessonsSchema, asked("", "<edits>\nE1 (initial_generation) planned 6 shots\nE2 (acceptance) confirmed 6 shots\n</edits>"), 0)
	if len(l.SceneLearnings) > 0 || strings.Count(l.EditSummary, ".") != 3 {
		t.Errorf("learnt of nothing: %+v", l)
	}
}

func TestTaste_SameLessonInScenesIsOneCard(t *testing.T) {
	p := perfect[learnt](t, profileSchema, asked("You write one profile.", `What the scenes have taught:

<scenes>
Scene 1
Kind of scene: Two people face each other.
- Shots that carry a feeling stand longer. | applies to: quiet moments | not for: fast action | medium
- Hands are shown. | applies to: threats | not for: comedy | low

Scene 2
- Shots that carry a feeling stand longer here. | applies to: quiet moments | not for: fast action | low

Scene 7
- Shots that carry a feeling stand longer. | applies to: quiet moments | not for: fast action | high
- Angles leave eye level where power is uneven. | applies to: uneven power | not for: equals | medium
</scenes>

<numbers>
(none)
</numbers>`), 0)
	if c := p.PreferenceCards; len(c) != 2 || c[0].Confidence != "high" || len(c[0].Scenes) != 3 || c[0].Scenes[2] != 7 || c[1].Confidence != "medium" {
		t.Errorf("cards %+v", p.PreferenceCards)
	}
	if n := strings.Count(p.ProfileSummary, "."); n < 3 || n > 8 {
		t.Errorf("%d sentences: %s", n, p.ProfileSummary)
	}
}
