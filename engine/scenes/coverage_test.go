package scenes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// forgetful makes recaps of scenes contain the facts that facts returns for their first message,
// and answers merges with the result of merge.
func (s *harness) forgetful(facts func(subject string) map[string]any, merge func(c demo.Call) any) {
	s.SpoilBy(func(c demo.Call) demo.Fault {
		last := ""
		if n := len(c.Messages); n > 0 {
			last = c.Messages[n-1].Content
		}
		switch form := string(c.Format); {
		case strings.Contains(form, `"dropped"`):
			if v := merge(c); v != nil {
				return answer(v)
			}
		case strings.Contains(form, `"scene_name"`):
			_, subject, _ := strings.Cut(last, "I ask about the ")
			subject, _, _ = strings.Cut(subject, ",")
			return answer(map[string]any{"scene_name": "About the " + subject, "recap": facts(subject), "atmosphere": "", "emotional_beats": "", "lorebooks": []any{}})
		}
		return demo.Fault{}
	})
}

func told(sections map[string][]string) map[string]any {
	out := map[string]any{}
	for _, key := range []string{"current_situation", "key_developments", "dialogue_highlights", "tone_style", "pending_threads"} {
		list := []any{}
		for _, text := range sections[key] {
			list = append(list, map[string]any{"text": text, "messages": []int{1}})
		}
		out[key] = list
	}
	return out
}

func bulletsIn(text string) (out []string) {
	for _, b := range scene.Bullets(text) {
		out = append(out, b.Text)
	}
	return out
}

// An answer mentions one of twelve facts: the rest stays, and nothing is asked for twice.
func TestRunning_NothingIsForgottenSilently(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	asked := 0
	s.forgetful(func(subject string) map[string]any {
		var list []string
		for i := range 5 {
			list = append(list, fmt.Sprintf("The %s holds secret number %d", subject, i))
		}
		return told(map[string][]string{"current_situation": {"Tove holds the " + subject}, "key_developments": list})
	}, func(demo.Call) any {
		asked++
		return map[string]any{"recap": map[string]any{"current_situation": []any{map[string]any{"text": "Tove holds the key", "bullets": []int{7}}}}, "dropped": []any{}}
	})
	a := s.Exchange(4, "lamp")
	s.End(a[7])
	b := s.Exchange(2, "key")
	s.End(b[3])
	v := s.RunningNow().Version()
	got := bulletsIn(v.Text)
	if asked != 1 || len(got) != 12 {
		t.Fatalf("asked %d times, %d bullets:\n%s", asked, len(got), v.Text)
	}
	if len(v.Dropped) > 0 {
		t.Errorf("dropped: %+v", v.Dropped)
	}
	for _, src := range v.Sources {
		if len(src.Messages) == 0 {
			t.Errorf("%q has lost its source", src.Bullet)
		}
	}
	s.Sound()
}

// A scene that is recapped after later ones adds to the memory and overrules nothing.
func TestRunning_ALateSceneOverrulesNothing(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, noRecaps)})
	late := false
	s.forgetful(func(subject string) map[string]any {
		return told(map[string][]string{"current_situation": {"It is the day of the " + subject}, "key_developments": {"The " + subject + " was found"},
			"pending_threads": {"Who owns the " + subject + "?"}})
	}, func(c demo.Call) any {
		late = late || strings.Contains(c.Messages[len(c.Messages)-1].Content, "Scene 2 of 2")
		return nil
	})
	first, second, third := s.Exchange(4, "lamp"), s.Exchange(3, "key"), s.Exchange(3, "boat")
	for _, at := range []storage.NodeID{first[7], second[5], third[3]} {
		_, err := s.Scenes.SetBreak(s.Chat, at, true)
		enginetest.Must(t, err)
	}
	for _, at := range []storage.NodeID{first[7], third[3], second[5]} {
		_, err := s.Scenes.Recap(s.Chat, at, scenes.RecapRequest{})
		enginetest.Must(t, err)
		s.Work()
	}
	text := s.RunningNow().Version().Text
	if !late {
		t.Error("the records were not merged in the order of the story")
	}
	got := scene.Bullets(text)
	var now []string
	for _, b := range got {
		if b.Heading == "Current Situation" {
			now = append(now, b.Text)
		}
	}
	if !slices.Equal(now, []string{"It is the day of the boat"}) || !strings.Contains(text, "The key was found") {
		t.Errorf("after the late scene:\n%s", text)
	}
	s.Sound()
}

// If a scene is recapped again after later ones were merged, the running recap is rebuilt from
// there.
func TestRunning_ARepairedSceneGoesBackToItsPlace(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	word := "stolen"
	s.forgetful(func(subject string) map[string]any {
		return told(map[string][]string{"current_situation": {"It is the day of the " + subject}, "key_developments": {"The " + subject + " was " + word}})
	}, func(demo.Call) any { return nil })
	first, second, third := s.Exchange(4, "lamp"), s.Exchange(3, "key"), s.Exchange(3, "boat")
	for _, at := range []storage.NodeID{first[7], second[5], third[3]} {
		s.End(at)
	}
	word = "mended"
	_, err := s.Scenes.Recap(s.Chat, second[5], scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	text := s.RunningNow().Version().Text
	if strings.Contains(text, "key was stolen") || !strings.Contains(text, "key was mended") || !strings.Contains(text, "boat was stolen") {
		t.Errorf("after the repair:\n%s", text)
	}
	if b := scene.Bullets(text); b[0].Text != "It is the day of the boat" || b[1].Heading == b[0].Heading {
		t.Errorf("where things stand:\n%s", text)
	}
	s.Sound()
}

// A running recap that is too large for one request is merged heading by heading, or joined without
// a model: merging never stops.
func TestRunning_NoMemoryIsTooLong(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.cfgContext(4096)
	s.forgetful(func(subject string) map[string]any {
		var list []string
		for i := range 10 {
			list = append(list, fmt.Sprintf("The %s number %d was carried up the stairs, down to the harbour and back to the lighthouse before anybody had seen it, said Tove", subject, i))
		}
		return told(map[string][]string{"current_situation": {"Tove holds the " + subject}, "key_developments": list, "pending_threads": list[:3]})
	}, func(demo.Call) any { return nil })
	want := 0
	for _, subject := range []string{"lamp", "key", "boat", "rope", "oar", "bell", "map", "coin", "ring"} {
		s.End(s.Exchange(2, subject)[3])
		want += 10
	}
	if n := strings.Count(s.RunningNow().Version().Text, "before anybody had seen it"); n < want {
		t.Errorf("%d of %d facts are left", n, want)
	}
	s.Sound()
}

// The running recap is rebuilt in the order of the story, whatever the order of its merges.
func TestRunning_ARepairAfterALateSceneKeepsTheStorysOrder(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.forgetful(func(subject string) map[string]any {
		return told(map[string][]string{"current_situation": {"It is the day of the " + subject}, "key_developments": {"The " + subject + " was found"}})
	}, func(demo.Call) any { return nil })
	first, second, third := s.Exchange(4, "lamp"), s.Exchange(3, "key"), s.Exchange(3, "boat")
	for _, at := range []storage.NodeID{first[7], second[5], third[3]} {
		_, err := s.Scenes.SetBreak(s.Chat, at, true)
		enginetest.Must(t, err)
	}
	for _, at := range []storage.NodeID{first[7], third[3], second[5], first[7]} {
		_, err := s.Scenes.Recap(s.Chat, at, scenes.RecapRequest{Force: true})
		enginetest.Must(t, err)
		s.Work()
		s.forgetful(func(subject string) map[string]any {
			return told(map[string][]string{"current_situation": {"It is the day of the " + subject}, "key_developments": {"The " + subject + " was found", "The " + subject + " is heavy"}})
		}, func(demo.Call) any { return nil })
	}
	if b := scene.Bullets(s.RunningNow().Version().Text); b[0].Text != "It is the day of the boat" {
		t.Errorf("it stands at %q", b[0].Text)
	}
	s.Sound()
}

// A join of scenes loses nothing either: what its answer does not mention stays.
func TestJoin_NothingIsForgottenSilently(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	asked := 0
	s.forgetful(func(subject string) map[string]any {
		return told(map[string][]string{"current_situation": {"Tove holds the " + subject}, "key_developments": {"The " + subject + " was bought in Ulm", "The " + subject + " needs a new handle"}})
	}, func(c demo.Call) any {
		if !strings.Contains(string(c.Format), `"scene_name"`) {
			return nil
		}
		asked++
		return map[string]any{"scene_name": "Lamp and key", "recap": map[string]any{"current_situation": []any{map[string]any{"text": "Tove holds the key", "bullets": []int{4}}}},
			"dropped": []any{map[string]any{"fact": 3, "why": "it has one by now"}}, "atmosphere": "", "emotional_beats": ""}
	})
	a := s.Exchange(4, "lamp")
	s.End(a[7])
	b := s.Exchange(2, "key")
	s.End(b[3])
	enginetest.Must(t, s.Scenes.Join(s.Chat, a[7], b[3]))
	s.Work()
	v := s.recapOf(b[3]).Version()
	if asked != 1 || len(bulletsIn(v.Text)) != 5 || len(v.Dropped) != 1 || v.Dropped[0].Why != "it has one by now" {
		t.Fatalf("asked %d times:\n%s\n%+v", asked, v.Text, v.Dropped)
	}
	s.Sound()
}
