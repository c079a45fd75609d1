package scenes_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// noRecaps is an engine that makes recaps only when it is asked to.
func noRecaps(o *enginetest.Setup) { o.Cfg.Scenes.NoRecap = true }

// recapsOf returns the scenes that have a recap, by their numbers.
func (s *harness) recapsOf() (with []int) {
	for _, v := range s.scenesNow().List {
		if v.Recap.Versions > 0 {
			with = append(with, v.Number)
		}
	}
	return with
}

func TestRecap_EveryEndedSceneGetsOne(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	a, b := s.Exchange(3, "lamp"), s.Exchange(3, "key")
	for _, at := range []storage.NodeID{a[3], b[3]} {
		_, err := s.Scenes.SetBreak(s.Chat, at, true)
		enginetest.Must(t, err)
	}
	s.Work()
	if got := s.recapsOf(); !slices.Equal(got, []int{1, 2}) {
		t.Errorf("scenes %v have a recap", got)
	}
	if n := s.RunningNow().Version().Scenes; n != 2 {
		t.Errorf("the running recap tells of %d scenes", n)
	}
}

func TestRecap_SwitchedOffMakesNone(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, noRecaps)})
	a := s.Exchange(3, "lamp")
	_, err := s.Scenes.SetBreak(s.Chat, a[3], true)
	enginetest.Must(t, err)
	s.Scenes.QueueMissing(s.Chat)
	s.Work()
	if got := s.recapsOf(); len(got) > 0 {
		t.Errorf("scenes %v have a recap", got)
	}
}

// Scenes of a chat of before, which have no recap, get theirs one after the other, the
// newest first; one that failed is left to the user.
func TestRecap_OldScenesAreCaughtUp(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, noRecaps)})
	var ends []storage.NodeID
	for _, about := range []string{"lamp", "key", "boat", "rope"} {
		ends = append(ends, s.Exchange(2, about)[3])
		_, err := s.Scenes.SetBreak(s.Chat, ends[len(ends)-1], true)
		enginetest.Must(t, err)
	}
	s.Core().Reconfigure(func(c *config.Config) { c.Scenes.NoRecap = false })
	s.Scenes.QueueMissing(s.Chat)
	s.Work()
	if got := s.recapsOf(); !slices.Equal(got, []int{1, 2, 3, 4}) {
		t.Errorf("scenes %v have a recap", got)
	}
	var made []storage.Recap
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		for _, r := range storage.Recaps.All(tx, s.Chat) {
			made = append(made, r)
		}
		return nil
	}))
	slices.SortFunc(made, func(a, b storage.Recap) int { return cmp.Compare(a.ID, b.ID) })
	var order []storage.NodeID
	for _, r := range made {
		order = append(order, r.Node)
	}
	slices.Reverse(ends)
	if !slices.Equal(order, ends) {
		t.Errorf("recaps were made of %v, want the newest first: %v", order, ends)
	}
}

// A scene ended by hand must not stop the memory: everything that has left the prompt is in a
// recap.
func TestMemory_GoesOnAfterBreaksByHand(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string][]int{"none": nil, "one": {3}, "four": {3, 10, 17, 28}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewHarness(t, small, tellsWhatItReads)})
			turns := 30
			if len(breaks) > 1 {
				turns = 40
			}
			for i := range turns {
				s.Say(boxedLine(i))
				if slices.Contains(breaks, i+1) {
					_, err := s.Scenes.SetBreak(s.Chat, s.View().Chat.Head, true)
					enginetest.Must(t, err)
				}
				s.Work()
			}
			prompt := s.next()
			recapped := s.told(prompt, 0, turns)
			if recapped < turns-2 {
				t.Errorf("%d of %d facts are in the prompt", recapped, turns)
				t.Log(memoryOf(prompt))
			}
		})
	}
}

// A scene whose recap failed leaves the prompt when there is no more room, and the scenes after it
// are recapped.
func TestMemory_GoesOnAfterAFailedRecap(t *testing.T) {
	t.Parallel()
	fails := true
	s := (&harness{enginetest.NewHarness(t, small, tellsWhatItReads, func(o *enginetest.Setup) {
		answer := o.Servers.Answer
		o.Servers.Answer = func(form json.RawMessage, messages []storage.Node) (string, bool) {
			if fails && strings.Contains(string(form), `"scene_name"`) {
				return "no", true
			}
			return answer(form, messages)
		}
	})})
	const turns, end = 30, 3
	for i := range turns {
		s.Say(boxedLine(i))
		if i+1 == end {
			_, err := s.Scenes.SetBreak(s.Chat, s.View().Chat.Head, true)
			enginetest.Must(t, err)
			enginetest.Must(t, s.Start())
			enginetest.Until(s.Harness, func(ev queue.Changed) bool { return ev.Operation.Status == storage.Failed })
			fails = false
			continue // the queue may not have counted the failure yet, and Work would report it
		}
		s.Work()
	}
	prompt := s.next()
	if got := s.told(prompt, end, turns); got < turns-end-2 {
		t.Errorf("%d of %d facts are in the prompt\n%s", got, turns-end, memoryOf(prompt))
	}
	if prompt.Uncovered == 0 {
		t.Error("nothing is said of the messages that no recap tells")
	}
}

// told returns how many of the facts from one to another are in a prompt.
func (s *harness) told(v play.PromptView, from, to int) (recapped int) {
	for i := from; i < to; i++ {
		if strings.Contains(wordsOf(v), boxed(i)) {
			recapped++
		}
	}
	return recapped
}

func boxed(i int) string {
	return fmt.Sprintf("box %d holds the letter %c%c", i+1, 'A'+i%26, 'a'+i/26)
}

func boxedLine(i int) string {
	return fmt.Sprintf("\"Remember: %s.\" I close the lid again and put the box back on its shelf, beside the others, and wipe the dust off my hands.", boxed(i))
}

// wordsOf is all that a prompt says.
func wordsOf(v play.PromptView) string {
	var b strings.Builder
	for _, m := range v.Messages {
		b.WriteString(m.Content + "\n")
	}
	return b.String()
}

// shownFact finds a message with a fact in a request about a scene.
var shownFact = regexp.MustCompile(`\[(\d+)\][^\n]*?(box \d+ holds the letter \w\w)`)

// tellsWhatItReads makes recaps contain the facts of their messages, and merges change nothing: all
// facts stay.
func tellsWhatItReads(o *enginetest.Setup) {
	o.Servers.Answer = func(form json.RawMessage, messages []storage.Node) (string, bool) {
		answer := func(v any) (string, bool) {
			data, err := json.Marshal(v)
			return string(data), err == nil
		}
		switch form := string(form); {
		case strings.Contains(form, `"dropped"`):
			return answer(map[string]any{"recap": told(nil), "dropped": []any{}})
		case strings.Contains(form, `"scene_name"`):
			var facts []any
			for _, m := range shownFact.FindAllStringSubmatch(messages[len(messages)-1].Content, -1) {
				n, _ := strconv.Atoi(m[1])
				facts = append(facts, enginetest.Fact(m[2]+".", n))
			}
			r := enginetest.RecapOf("Boxes")
			r["recap"] = enginetest.Object{"current_situation": []any{enginetest.Fact("Robin stands at the shelf.", 1)}, "key_developments": facts}
			return answer(r)
		}
		return "", false
	}
}

// careful makes recaps contain all facts of their messages under one heading, as far as a list has
// room, and the missing ones when they are asked for the rest.
func careful(section string) func(*enginetest.Setup) {
	return func(o *enginetest.Setup) {
		o.Servers.Answer = func(form json.RawMessage, messages []storage.Node) (string, bool) {
			if !strings.Contains(string(form), `"scene_name"`) || strings.Contains(string(form), `"dropped"`) {
				return "", false
			}
			request := messages[len(messages)-1].Content
			_, written, _ := strings.Cut(request, "Your entries so far:")
			var facts []any
			for _, m := range shownFact.FindAllStringSubmatch(request, -1) {
				if n, _ := strconv.Atoi(m[1]); len(facts) < 10 && !strings.Contains(written, m[2]) {
					facts = append(facts, enginetest.Fact(m[2]+".", n))
				}
			}
			lists := enginetest.Object{"current_situation": []any{enginetest.Fact("Robin stands at the shelf.", 1)}}
			lists[section] = facts
			r := enginetest.RecapOf("Boxes")
			r["recap"] = lists
			data, err := json.Marshal(r)
			return string(data), err == nil
		}
	}
}

// A list that comes back full is asked for its rest.
func TestRecap_AsksForTheRestOfFullLists(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		facts, recapped int
		unfinished      bool
	}{{9, 9, false}, {15, 15, false}, {20, 20, false}, {35, 35, false}, {60, 40, true}} {
		t.Run(fmt.Sprint(c.facts), func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewHarness(t, careful("key_developments"))})
			var lines []string
			for i := range c.facts {
				lines = append(lines, boxedLine(i), "She nods.")
			}
			ids := s.Tell(lines...)
			_, err := s.Scenes.SetBreak(s.Chat, ids[len(ids)-1], true)
			enginetest.Must(t, err)
			s.Work()
			v := s.recapOf(ids[len(ids)-1]).Version()
			recapped := 0
			for i := range c.facts {
				if strings.Contains(v.Text, boxed(i)) {
					recapped++
				}
			}
			if recapped != c.recapped || v.Unfinished != c.unfinished {
				t.Errorf("%d of %d facts are told, unfinished %v\n%s", recapped, c.facts, v.Unfinished, v.Text)
			}
		})
	}
}

// Facts of the parts of an open scene are kept, under any heading.
func TestInterim_KeepsFactsUnderAnyHeading(t *testing.T) {
	t.Parallel()
	for _, section := range []string{"current_situation", "key_developments", "dialogue_highlights", "pending_threads"} {
		t.Run(section, func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewHarness(t, small, careful(section))})
			const turns = 20
			for i := range turns + 10 {
				s.Say(boxedLine(i))
				s.Work()
			}
			if v := s.next(); s.told(v, 0, turns) != turns {
				t.Errorf("%d of %d facts are in the prompt:\n%s", s.told(v, 0, turns), turns, memoryOf(v))
			}
		})
	}
}
