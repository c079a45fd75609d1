package engine

import (
	"fmt"
	"strings"
	"testing"

	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// staging has the whole stage on, as a user finds it.
func staging(o *setup) {
	directing(o)
	detecting(o)
	o.cfg.Stage.NoteEvery = 0
}

// plain goes on in a chat whose card asks for nothing at the end of the prompt.
func (s *stage) plain() {
	s.t.Helper()
	who, err := s.SaveCharacter(storage.Character{Card: storage.Card{Name: "Ada", Description: "Keeps the light.", FirstMessage: "Good evening."}, Immersion: storage.Full})
	must(s.t, err)
	c, err := s.NewChat(who.ID, "")
	must(s.t, err)
	s.chat = c.ID
}

// turnsSent are the requests for replies, oldest first.
func (s *stage) turnsSent() (out []rehearsal.Call) {
	for _, c := range s.house.Calls() {
		if c.Path == "/api/chat" && len(c.Format) == 0 {
			out = append(out, c)
		}
	}
	return out
}

// Each answer brings something new to remember: nothing of what the server has
// read may change for it, the last reply included.
func TestStageNotes_ATurnOnlyAdds(t *testing.T) {
	s := newStage(t, staging)
	s.plain()
	must(t, s.SetAuthorNote(s.chat, "It rains all night."))
	n := 0
	s.answers(func(rehearsal.Call) string {
		n++
		return fmt.Sprintf(`{"scene":{"rationale":"None.","status":false},"director":{"visual_type":"none","visual_hint":"","status":"going","tension":%d,"tone":"calm","beat":"talk","open":"question %d","setting":"room %d"},`+
			`"memories":[{"type":"fact","content":"The user owns the %s number %d","importance":0.5}],"hooks":[{"type":"follow_up","content":"come back to the %s %d","opener":"So?","turns":0,"priority":3}],"taken":[]}`,
			n, n/3, n/4, things[n%len(things)], n*37, things[(n+3)%len(things)], n*53)
	})
	for i := range 12 {
		s.say(fmt.Sprintf("Line %d of the evening.", i))
		s.worked()
	}
	sent := s.turnsSent()
	if len(sent) != 12 {
		t.Fatalf("%d turns", len(sent))
	}
	for i := 1; i < len(sent); i++ {
		prev, next := sent[i-1].Messages, sent[i].Messages
		for j, m := range prev {
			if j >= len(next) || next[j].Role != m.Role || next[j].Content != m.Content {
				t.Fatalf("turn %d reads message %d of %d again:\n%q\nbefore: %q", i, j, len(prev), next[min(j, len(next)-1)].Content, m.Content)
			}
		}
		if next[len(prev)].Role != "assistant" {
			t.Fatalf("turn %d: the reply does not follow the prompt that it answered", i)
		}
	}
	all := fmt.Sprint(sent[11].Messages)
	for what, want := range map[string]string{"memories": "The user owns the", "hooks": "come back to the", "moment": "room 2", "note": "It rains all night."} {
		if !strings.Contains(all, want) {
			t.Errorf("no %s in the prompt", what)
		}
	}
	if got := strings.Count(all, "It rains all night."); got != 6 {
		t.Errorf("the note stands %d times in 12 turns, want every second turn", got)
	}
}

var things = []string{"clock", "boat", "violin", "orchard", "map", "kettle", "lantern", "ladder"}

// Another reply to the same message finds what the first has found, whatever was
// learnt meanwhile.
func TestStageNotes_AnotherReplyFindsTheSame(t *testing.T) {
	s := newStage(t, staging)
	must(t, s.SetAuthorNote(s.chat, "It rains."))
	s.answers(func(rehearsal.Call) string { return seenPeak })
	s.say("I repair clocks.")
	s.worked()
	turn := s.say("And now?")
	s.worked()
	m, err := s.ScopeOf(s.chat)
	must(t, err)
	_, err = s.SaveMemory(m, storage.Memory{Type: storage.GoalMemory, Content: "Wants to sail"})
	must(t, err)
	must(t, s.Regenerate(s.chat, turn.Message))
	_, err = s.ended()
	must(t, err)
	sent := s.turnsSent()
	a, b := sent[len(sent)-2].Messages, sent[len(sent)-1].Messages
	if len(a) != len(b) {
		t.Fatalf("%d messages, then %d", len(a), len(b))
	}
	for i := range a {
		if a[i].Content != b[i].Content {
			t.Errorf("message %d: %q, then %q", i, a[i].Content, b[i].Content)
		}
	}
	s.say("Go on.")
	sent = s.turnsSent()
	if !strings.Contains(fmt.Sprint(sent[len(sent)-1].Messages), "Wants to sail") {
		t.Error("the next turn does not know it")
	}
}

func TestStageNotes_BranchesKnowTheirOwn(t *testing.T) {
	s := newStage(t, staging)
	s.answers(func(rehearsal.Call) string { return seenPeak })
	first := s.say("I repair clocks.")
	s.worked()
	s.say("Tell me more.")
	s.worked()
	greeting := s.node(s.node(first.Message).Parent).Parent
	must(t, s.Branch(s.chat, greeting))
	s.answers(func(rehearsal.Call) string {
		return `{"scene":{"rationale":"None.","status":false},"director":{"visual_type":"none","visual_hint":"","status":"going","tension":1,"tone":"","beat":"","open":"","setting":""},"memories":[],"hooks":[],"taken":[]}`
	})
	s.say("Nice to meet you.")
	s.worked()
	s.say("What do you know of me?")
	sent := s.turnsSent()
	if strings.Contains(fmt.Sprint(sent[len(sent)-1].Messages), "repairs clocks") {
		t.Error("the branch knows what only the other one was told")
	}
	v, err := s.Director(s.chat)
	must(t, err)
	if v.Turn != 2 {
		t.Errorf("turn %d on the branch, want 2", v.Turn)
	}
	must(t, s.Goto(s.chat, first.Message))
	m, err := s.Memories(MemoryAsk{Chat: s.chat})
	must(t, err)
	if len(m.List) != 1 {
		t.Errorf("back on the first branch: %d memories", len(m.List))
	}
}

// An episode of the same series remembers, another series does not.
func TestStageNotes_ScopedToTheSeries(t *testing.T) {
	s := newStage(t, staging)
	ep := s.playing(nil)
	s.answers(func(rehearsal.Call) string { return seenPeak })
	s.say("I repair clocks.")
	s.worked()
	other, err := s.SaveEpisode(storage.Episode{Series: ep.Series, Title: "The second night"})
	must(t, err)
	next, err := s.NewPlay(PlayRequest{Episode: other.ID})
	must(t, err)
	s.chat = next.ID
	s.say("Good evening.")
	sent := s.turnsSent()
	if !strings.Contains(fmt.Sprint(sent[len(sent)-1].Messages), "repairs clocks") {
		t.Error("the next episode does not remember")
	}
	who, err := s.Characters()
	must(t, err)
	plain, err := s.NewChat(who[0].ID, "Elsewhere")
	must(t, err)
	s.chat = plain.ID
	s.say("Good evening.")
	sent = s.turnsSent()
	if strings.Contains(fmt.Sprint(sent[len(sent)-1].Messages), "repairs clocks") {
		t.Error("a chat outside the series remembers")
	}
}

func TestAfterTurn_SeparateRequests(t *testing.T) {
	s := newStage(t, staging, func(o *setup) { o.cfg.Stage.Separate = true })
	s.say("I repair clocks.")
	s.worked()
	kinds := map[string]int{}
	for _, c := range s.house.Calls() {
		format := string(c.Format)
		for _, part := range []string{`"visual_type"`, `"memories"`, `"hooks"`, `"rationale"`} {
			if strings.Contains(format, part) {
				kinds[part]++
			}
		}
	}
	for _, part := range []string{`"visual_type"`, `"memories"`, `"hooks"`, `"rationale"`} {
		if kinds[part] != 1 {
			t.Errorf("%s was asked %d times", part, kinds[part])
		}
	}
	v, err := s.Director(s.chat)
	must(t, err)
	if len(v.Beats) == 0 || v.Beats[0].Seen == nil {
		t.Error("the director saw nothing")
	}
}

func TestAfterTurn_EndsBySayingSo(t *testing.T) {
	s := newStage(t, staging)
	ep := s.playing(nil)
	second, err := s.SaveEpisode(storage.Episode{Series: ep.Series, Title: "The second night"})
	must(t, err)
	s.answers(func(rehearsal.Call) string { return strings.Replace(seenPeak, `"going"`, `"done"`, 1) })
	turn := s.say("Good night.")
	s.worked()
	end := until[EpisodeEnded](s, nil)
	if end.By != storage.EndedSemantic || end.Next == nil || end.Next.ID != second.ID {
		t.Errorf("%+v", end)
	}
	v, err := s.Director(s.chat)
	must(t, err)
	if v.State != PlayComplete || v.Ended == nil || v.Ended.Node != turn.Message {
		t.Errorf("%s %+v", v.State, v.Ended)
	}
	must(t, s.Branch(s.chat, turn.UserMessage))
	if v, err = s.Director(s.chat); err != nil || v.State != PlayActive {
		t.Errorf("before the end it is %s (%v)", v.State, err)
	}
	s.say("One more thing.")
}
