package scenes_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// cast is a harness whose chat several play, with a small context and a fact in each reply.
func cast(t *testing.T, o func(*enginetest.Setup), names ...string) (s *harness, r *reads, who []storage.CharacterID) {
	t.Helper()
	s = &harness{enginetest.NewHarness(t, telling, func(e *enginetest.Setup) {
		if o != nil {
			o(e)
		}
	})}
	r = s.reader()
	who = append(who, s.Main())
	for _, name := range names {
		who = append(who, s.Joined(name))
	}
	return s, r, who
}

// answerOf lets a speaker answer the step's message, which is whispered to the characters in to,
// and checks for each fact in the prompt whether the speaker may know it. It reports whether some
// facts that it knows had left the messages.
func (s *harness) answerOf(step int, who storage.CharacterID, to ...storage.CharacterID) (left bool) {
	s.T.Helper()
	var nodes []storage.Node
	var c storage.Chat
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) (err error) {
		c, err = storage.Chats.Get(tx, s.Chat)
		return err
	}))
	nodes = s.Nodes()
	s.SayTo(fmt.Sprintf("I go on, step %d.", step), who, to...)
	sent := s.Sent()
	for i := range nodes {
		n := &nodes[i]
		f, _, ok := strings.Cut(n.Content, ". They walk")
		if !ok || n.Role != storage.Assistant {
			continue
		}
		knows, recapped := chats.Knows(c, who, n), strings.Contains(sent, f)
		stands := strings.Contains(sent, f+". They walk")
		switch {
		case knows && !recapped:
			s.T.Errorf("step %d: %s is not told %q, which it has witnessed", step, who, f)
		case !knows && recapped:
			s.T.Errorf("step %d: %s is told %q, which it has not witnessed", step, who, f)
		}
		left = left || knows && recapped && !stands
	}
	if s.T.Failed() {
		_, memory, _ := strings.Cut(sent, "<roleplay_memory>")
		memory, _, _ = strings.Cut(memory, "</roleplay_memory>")
		s.T.Fatalf("it was told %s", strings.ReplaceAll(memory, `\n`, "\n"))
	}
	return left
}

// Nothing leaves a speaker's history unless this speaker's own memory states it, and nothing
// reaches a speaker who has not witnessed it: with scenes that end, with one that does not, and
// with whispers in both.
func TestFold_NothingLeavesASpeakerUntold(t *testing.T) {
	t.Parallel()
	for name, scene := range map[string]int{"scenes of 8 turns": 8, "an open scene": 1000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _, who := cast(t, nil, "Sam")
			left := map[storage.CharacterID]int{}
			for step := range 44 {
				speaker := who[step%3%2]
				var to []storage.CharacterID
				if step%7 == 3 {
					to = []storage.CharacterID{speaker}
				}
				if s.answerOf(step, speaker, to...) {
					left[speaker]++
				}
				if step%scene == scene-1 {
					s.End(s.Last().ID)
				}
				s.Work()
			}
			for _, id := range who {
				if left[id] < 3 {
					t.Errorf("%s: of %d prompts something had left: the case shows nothing", id, left[id])
				}
			}
			s.Sound()
		})
	}
}

// A cast in which one leaves and comes back, and another comes late: each knows the events that it
// was there for, and nothing of the time that it was away.
func TestFold_ACyclingCast(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("44 turns, one after another")
	}
	s, _, who := cast(t, nil, "Sam")
	left := 0
	for step := range 44 {
		switch step {
		case 10:
			enginetest.Must(t, s.Chats.LeaveCast(s.Chat, who[1]))
		case 14:
			who = append(who, s.Joined("Nora"))
		case 20:
			enginetest.Must(t, s.Chats.JoinCast(s.Chat, who[1]))
		case 26:
			enginetest.Must(t, s.Chats.SetAway(s.Chat, who[2], true))
		case 32:
			enginetest.Must(t, s.Chats.SetAway(s.Chat, who[2], false))
		}
		at := step % len(who)
		if at == 1 && step >= 10 && step < 20 || at == 2 && step >= 26 && step < 32 {
			at = 0
		}
		if s.answerOf(step, who[at]) {
			left++
		}
		if step == 12 || step == 29 {
			s.End(s.Last().ID)
		}
		s.Work()
	}
	if left < 10 {
		t.Errorf("of %d prompts something had left", left)
	}
	s.Sound()
}

// A recap whose facts cite no messages is hidden from a speaker who has not heard the whole scene.
// This speaker keeps the scene's own words while they fit, even if recaps of a later scene are
// shown. A speaker who has heard everything gets the recap instead.
func TestFold_AScenesWordsStayForWhoIsToldNothingOfIt(t *testing.T) {
	t.Parallel()
	s, _, who := cast(t, func(o *enginetest.Setup) { o.Cfg.Scenes.NoInterim = true }, "Sam")
	uncited := true
	s.SpoilBy(func(c demo.Call) demo.Fault {
		form, all := string(c.Format), ""
		for _, m := range c.Messages {
			all += m.Content + "\n"
		}
		switch {
		case strings.Contains(form, `"dropped"`):
			return answer(weighed(c))
		case strings.Contains(form, `"scene_name"`):
			var list []any
			for _, f := range secret.FindAllStringSubmatch(all, -1) {
				n, _ := strconv.Atoi(f[1])
				numbers := []int{n}
				if uncited {
					numbers = []int{}
				}
				list = append(list, map[string]any{"text": f[2], "messages": numbers})
			}
			return answer(map[string]any{"scene_name": "On the quay", "recap": map[string]any{"current_situation": []any{}, "key_developments": list,
				"dialogue_highlights": []any{}, "tone_style": []any{}, "pending_threads": []any{}}, "atmosphere": "", "emotional_beats": "", "lorebooks": []any{}})
		}
		return demo.Fault{}
	})
	first := func(step int) string { return strings.Split(fact(step), ". They")[0] }
	for step := range 12 {
		speaker := who[step%2]
		var to []storage.CharacterID
		if step == 2 {
			to = []storage.CharacterID{speaker}
		}
		s.SayTo(fmt.Sprintf("I go on, step %d.", step), speaker, to...)
		sent := s.Sent()
		if step == 3 || step == 6 {
			s.End(s.Last().ID)
			uncited = false
		}
		s.Work()
		switch folded := step > 0 && !strings.Contains(sent, first(0)+". They"); {
		case speaker == who[0] && folded:
			if !strings.Contains(sent, first(0)) {
				t.Errorf("step %d: who has heard all is not told it", step)
			}
			for range 4 {
				step++
				s.SayTo(fmt.Sprintf("I go on, step %d.", step), who[1])
				if sent = s.Sent(); !strings.Contains(sent, first(0)+". They") {
					t.Errorf("step %d: the words of a scene are gone that nothing tells", step)
				}
			}
			return
		case folded:
			t.Fatalf("step %d: the words of a scene have left the prompt of who is told nothing of it", step)
		}
	}
	t.Fatal("no prompt has folded")
}

// The material of a whole scene's recap contains who heard a whisper, who was there, and the
// lorebook's facts about any of its messages, however many parts it is read in.
func TestRecap_MaterialOfAWholeScene(t *testing.T) {
	t.Parallel()
	s, r, who := cast(t, func(o *enginetest.Setup) { o.Cfg.Scenes.NoInterim = true }, "Sam")
	s.Book(storage.Lorebook{Name: "Mine", Kind: storage.ChatBook, Chat: s.Chat}, enginetest.Keyed("Quay", "The quay was built by monks.", "step 0"), enginetest.Keyed("Gulls", "The gulls belong to nobody.", "step 13"))
	for step := range 16 {
		var to []storage.CharacterID
		switch step {
		case 2:
			to = who[1:2]
		case 4:
			enginetest.Must(t, s.Chats.SetAway(s.Chat, who[1], true))
		case 12:
			enginetest.Must(t, s.Chats.SetAway(s.Chat, who[1], false))
		}
		speaker := who[0]
		if step == 2 {
			speaker = who[1]
		}
		s.SayTo(fmt.Sprintf("I go on, step %d.", step), speaker, to...)
	}
	s.End(s.Last().ID)
	if len(r.prompt) < 2 {
		t.Fatalf("read in %d parts", len(r.prompt))
	}
	for i, p := range r.prompt {
		if known := inBlock(p, "known"); !strings.Contains(known, "built by monks") || !strings.Contains(known, "belong to nobody") {
			t.Errorf("part %d: the lorebook: %s", i+1, known)
		}
		if text := inBlock(p, "transcript"); !strings.Contains(text, "(Sam is not there in the messages 1 to 1 and 10 to 25.)") {
			t.Errorf("part %d: who is there: %.300s", i+1, text)
		}
	}
	whole := strings.Join(r.prompt, "\n")
	for _, want := range []string{"Robin (whispered, heard only by Sam): I go on, step 2.", "Sam (whispered, heard only by Robin): " + kept(2)} {
		if strings.Count(whole, want) != 1 {
			t.Errorf("%q stands %d times", want, strings.Count(whole, want))
		}
	}
	if n := strings.Count(whole, "(whispered"); n != 2 {
		t.Errorf("%d whispers", n)
	}
}
