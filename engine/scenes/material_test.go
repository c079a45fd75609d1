package scenes_test

import (
	"strings"
	"testing"

	"ghostlight/engine/enginetest"
	"ghostlight/engine/rehearsal"
	"ghostlight/engine/scenes"
)

// asked collects what is asked about scenes, and answers with a recap of what facts says.
func (s *stage) asked(facts func(subject string) map[string]any) *[]string {
	var out []string
	s.SpoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if !strings.Contains(string(c.Format), `"scene_name"`) || strings.Contains(string(c.Format), `"dropped"`) {
			return rehearsal.Fault{}
		}
		all := ""
		for _, m := range c.Messages {
			all += m.Content + "\n"
		}
		out = append(out, all)
		_, scene, _ := strings.Cut(all, "<transcript>")
		_, subject, _ := strings.Cut(scene, "I ask about the ")
		subject, _, _ = strings.Cut(subject, ",")
		return answer(map[string]any{"scene_name": "About the " + subject, "recap": facts(subject), "atmosphere": "", "emotional_beats": "", "lorebooks": []any{}})
	})
	return &out
}

func inBlock(prompt, tag string) string {
	_, rest, _ := strings.Cut(prompt, "\n<"+tag+">")
	text, _, _ := strings.Cut(rest, "</"+tag+">")
	return text
}

// A scene is recapped with what the play remembered when it began, and with nothing of
// what came after.
func TestRecap_IsShownWhatWasBefore(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	asked := s.asked(func(subject string) map[string]any {
		return told(map[string][]string{"current_situation": {"Tove holds the " + subject}, "key_developments": {"The " + subject + " belongs to Clara"}})
	})
	first, second, third := s.Exchange(4, "lamp"), s.Exchange(3, "key"), s.Exchange(3, "boat")
	s.End(first[7])
	s.End(second[5])
	s.End(third[3])
	if got := inBlock((*asked)[0], "earlier"); !strings.Contains(got, "(none)") {
		t.Errorf("before the first scene: %s", got)
	}
	third3 := inBlock((*asked)[2], "earlier")
	for _, want := range []string{"lamp belongs to Clara", "key belongs to Clara", "Tove holds the key"} {
		if strings.Count(third3, want) != 1 {
			t.Errorf("%q stands %d times before the third scene: %s", want, strings.Count(third3, want), third3)
		}
	}
	_, err := s.Scenes.Recap(s.Chat, second[5], scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	again := inBlock((*asked)[len(*asked)-1], "earlier")
	if !strings.Contains(again, "lamp belongs to Clara") || strings.Contains(again, "boat") || strings.Contains(again, "key belongs") {
		t.Errorf("before the second scene, made once more: %s", again)
	}
}

// Where several scenes wait for their recaps, none is merged yet: their own recaps tell
// what was before.
func TestRecap_IsShownScenesThatAreNotMergedYet(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	asked := s.asked(func(subject string) map[string]any {
		return told(map[string][]string{"current_situation": {"Tove holds the " + subject}, "key_developments": {"The " + subject + " belongs to Clara"}})
	})
	for _, subject := range []string{"lamp", "key", "boat"} {
		a := s.Exchange(3, subject)
		_, err := s.Scenes.SetBreak(s.Chat, a[len(a)-1], true)
		enginetest.Must(t, err)
	}
	_, err := s.Scenes.RecapMissing(s.Chat)
	enginetest.Must(t, err)
	s.Work()
	if got := inBlock((*asked)[2], "earlier"); !strings.Contains(got, "lamp belongs to Clara") || !strings.Contains(got, "key belongs to Clara") {
		t.Errorf("before the third scene: %s", got)
	}
}

// What was played before is cut to its names and how things stand where the scene needs
// the room.
func TestRecap_ALongPastLeavesRoomForTheScene(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStage(t)})
	s.cfgContext(8192)
	many := strings.Repeat("and told it at great length to everybody who would listen to her in the harbour ", 3)
	asked := s.asked(func(subject string) map[string]any {
		var list []string
		for i := range 10 {
			list = append(list, kept(i)+" "+many)
		}
		return told(map[string][]string{"current_situation": {"Tove holds the " + subject + " of Marguerite"}, "key_developments": list})
	})
	s.End(s.Exchange(3, "lamp")[3])
	a := s.long(14)
	s.End(a[8])
	got := inBlock((*asked)[len(*asked)-1], "earlier")
	if len(*asked) != 2 || !strings.Contains(got, "Named so far: ") || !strings.Contains(got, "Marguerite") || !strings.Contains(got, "Tove holds the lamp") || strings.Count(got, many) == 10 {
		t.Errorf("%d requests, before the scene:\n%s", len(*asked), got)
	}
}

// An edited message makes its recap stale; made anew, what the old recap said of it goes
// from the running recap too, later scenes or not.
func TestRunning_AnEditReachesTheMemory(t *testing.T) {
	t.Parallel()
	for _, later := range []bool{false, true} {
		s := (&stage{enginetest.NewStage(t)})
		word := "stolen"
		s.forgetful(func(subject string) map[string]any {
			if subject != "key" {
				return told(map[string][]string{"current_situation": {"It is the day of the " + subject}, "key_developments": {"The " + subject + " was bought"}})
			}
			return told(map[string][]string{"current_situation": {"It is the day of the key"}, "key_developments": {"The key was " + word}})
		}, func(rehearsal.Call) any { return nil })
		s.End(s.Exchange(4, "lamp")[7])
		second := s.Exchange(3, "key")
		s.End(second[5])
		if later {
			s.End(s.Exchange(3, "boat")[5])
			s.End(s.Exchange(3, "rope")[5])
		}
		enginetest.Must(t, s.Chats.Edit(s.Chat, second[1], "*Tove mends the key.*"))
		if !s.recapOf(second[5]).Version().Stale || !s.scenesNow().Running.Stale {
			t.Fatal("nothing is stale")
		}
		word = "mended"
		_, err := s.Scenes.RecapMissing(s.Chat)
		enginetest.Must(t, err)
		s.Work()
		text := s.RunningNow().Version().Text
		if strings.Contains(text, "stolen") || !strings.Contains(text, "mended") || !strings.Contains(text, "lamp was bought") || later && !strings.Contains(text, "rope was bought") {
			t.Errorf("later scenes %v:\n%s", later, text)
		}
		if s.scenesNow().Running.Stale {
			t.Error("the running recap is stale still")
		}
		s.Sound()
	}
}
