package director_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// staging has the whole stage on, as a user finds it.
func staging(o *enginetest.Setup) {
	directing(o)
	enginetest.Detecting(o)
	o.Cfg.Stage.NoteEvery = 0
}

// Each answer brings something new to remember: nothing that the server has read, up to the newest
// message, may change for it. Behind that is the place of the scene, once and from the last
// evaluation.
func TestStageNotes_ATurnOnlyAdds(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, staging)})
	s.Plain()
	enginetest.Must(t, s.Chats.SetAuthorNote(s.Chat, "It rains all night."))
	n := 0
	s.answers(func(demo.Call) string {
		n++
		return fmt.Sprintf(`{"scene":{"rationale":"None.","status":false},"director":{"visual_type":"none","visual_hint":"","status":"going","tension":%d,"tone":"calm","beat":"talk","open":"question %d","setting":"room %d"},`+
			`"memories":[],"hooks":[],"taken":[]}`,
			n, n/3, n/4)
	})
	scope, err := s.Chats.ScopeOf(s.Chat)
	enginetest.Must(t, err)
	for i := range 12 {
		_, err := s.Memory.Save(scope, storage.Memory{Type: storage.FactMemory, Content: fmt.Sprintf("The user owns the %s number %d", things[i%len(things)], i*37)})
		enginetest.Must(t, err)
		_, err = s.Memory.SaveHook(scope, s.Chat, storage.Hook{Type: storage.FollowUpHook, Content: fmt.Sprintf("come back to the %s %d", things[(i+3)%len(things)], i*53), Priority: 3})
		enginetest.Must(t, err)
		s.Say(fmt.Sprintf("Line %d of the evening.", i))
		s.Worked()
	}
	sent := s.TurnsSent()
	if len(sent) != 12 {
		t.Fatalf("%d turns", len(sent))
	}
	for i := 1; i < len(sent); i++ {
		prev, next := sent[i-1].Messages, sent[i].Messages
		if i > 1 { // the first turn has seen nothing yet
			last := prev[len(prev)-1]
			want := fmt.Sprintf("The tone between them is calm. The scene is calm. What happened last: talk.\n\nHere and now: room %d. Unresolved: question %d.", (i-1)/4, (i-1)/3)
			if all := fmt.Sprint(prev); last.Role != "system" || last.Content != want || strings.Count(all, "Here and now") != 1 || strings.Count(all, "The tone") != 1 {
				t.Fatalf("turn %d: at the end stands %q, want %q, once", i-1, last.Content, want)
			}
			prev = prev[:len(prev)-1]
		}
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
	s := (&harness{enginetest.NewHarness(t, staging)})
	enginetest.Must(t, s.Chats.SetAuthorNote(s.Chat, "It rains."))
	s.answers(func(demo.Call) string { return seenPeak })
	s.Say("I repair clocks.")
	s.Worked()
	turn := s.Say("And now?")
	s.Worked()
	m, err := s.Chats.ScopeOf(s.Chat)
	enginetest.Must(t, err)
	_, err = s.Memory.Save(m, storage.Memory{Type: storage.GoalMemory, Content: "Wants to sail"})
	enginetest.Must(t, err)
	enginetest.Must(t, s.Play.Regenerate(s.Chat, turn.Message))
	_, err = s.Ended()
	enginetest.Must(t, err)
	sent := s.TurnsSent()
	a, b := sent[len(sent)-2].Messages, sent[len(sent)-1].Messages
	if len(a) != len(b) {
		t.Fatalf("%d messages, then %d", len(a), len(b))
	}
	for i := range a {
		if a[i].Content != b[i].Content {
			t.Errorf("message %d: %q, then %q", i, a[i].Content, b[i].Content)
		}
	}
	s.Say("Go on.")
	sent = s.TurnsSent()
	if !strings.Contains(fmt.Sprint(sent[len(sent)-1].Messages), "Wants to sail") {
		t.Error("the next turn does not know it")
	}
}

func TestStageNotes_BranchesKnowTheirOwn(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, staging)})
	s.answers(func(demo.Call) string { return seenPeak })
	first := s.Say("I repair clocks.")
	s.Worked()
	s.Say("Tell me more.")
	s.Worked()
	greeting := s.Node(s.Node(first.Message).Parent).Parent
	enginetest.Must(t, s.Chats.Branch(s.Chat, greeting))
	s.answers(func(demo.Call) string {
		return `{"scene":{"rationale":"None.","status":false},"director":{"visual_type":"none","visual_hint":"","status":"going","tension":1,"tone":"","beat":"","open":"","setting":""},"memories":[],"hooks":[],"taken":[]}`
	})
	s.Say("Nice to meet you.")
	s.Worked()
	s.Say("What do you know of me?")
	sent := s.TurnsSent()
	if strings.Contains(fmt.Sprint(sent[len(sent)-1].Messages), "repairs clocks") {
		t.Error("the branch knows what only the other one was told")
	}
	v, err := s.Director.View(s.Chat)
	enginetest.Must(t, err)
	if v.Turn != 2 {
		t.Errorf("turn %d on the branch, want 2", v.Turn)
	}
	enginetest.Must(t, s.Chats.Goto(s.Chat, first.Message))
	m, err := s.Memory.Memories(memory.Query{Chat: s.Chat})
	enginetest.Must(t, err)
	if len(m.List) != 1 {
		t.Errorf("back on the first branch: %d memories", len(m.List))
	}
}

// An episode of the same series remembers, another series does not.
func TestStageNotes_ScopedToTheSeries(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, staging)})
	ep := s.playing(nil)
	s.answers(func(demo.Call) string { return seenPeak })
	s.Say("I repair clocks.")
	s.Worked()
	other, err := s.Director.SaveEpisode(storage.Episode{Series: ep.Series, Title: "The second night"})
	enginetest.Must(t, err)
	next, err := s.Director.NewPlay(director.PlayRequest{Episode: other.ID})
	enginetest.Must(t, err)
	s.Chat = next.ID
	s.Say("Good evening.")
	sent := s.TurnsSent()
	if !strings.Contains(fmt.Sprint(sent[len(sent)-1].Messages), "repairs clocks") {
		t.Error("the next episode does not remember")
	}
	who, err := s.Library.Characters()
	enginetest.Must(t, err)
	plain, err := s.Chats.New(who[0].ID, "Elsewhere")
	enginetest.Must(t, err)
	s.Chat = plain.ID
	s.Say("Good evening.")
	sent = s.TurnsSent()
	if strings.Contains(fmt.Sprint(sent[len(sent)-1].Messages), "repairs clocks") {
		t.Error("a chat outside the series remembers")
	}
}

func TestAfterTurn_SeparateRequests(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, staging, func(o *enginetest.Setup) { o.Cfg.Stage.Separate = true })})
	s.Say("I repair clocks.")
	s.Worked()
	kinds := map[string]int{}
	for _, c := range s.Servers.Calls() {
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
	v, err := s.Director.View(s.Chat)
	enginetest.Must(t, err)
	if len(v.Turns) == 0 || !v.Turns[0].Evaluated {
		t.Error("the director saw nothing")
	}
}

func TestAfterTurn_EndsBySayingSo(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, staging)})
	ep := s.playing(nil)
	second, err := s.Director.SaveEpisode(storage.Episode{Series: ep.Series, Title: "The second night"})
	enginetest.Must(t, err)
	s.answers(func(demo.Call) string { return strings.Replace(seenPeak, `"going"`, `"done"`, 1) })
	turn := s.Say("Good night.")
	s.Worked()
	end := enginetest.Until[director.EpisodeEnded](s.Harness, nil)
	if end.By != storage.EndedSemantic || end.Next == nil || end.Next.ID != second.ID {
		t.Errorf("%+v", end)
	}
	v, err := s.Director.View(s.Chat)
	enginetest.Must(t, err)
	if v.State != director.PlayComplete || v.Ended == nil || v.Ended.Node != turn.Message {
		t.Errorf("%s %+v", v.State, v.Ended)
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, turn.UserMessage))
	if v, err = s.Director.View(s.Chat); err != nil || v.State != director.PlayActive {
		t.Errorf("before the end it is %s (%v)", v.State, err)
	}
	s.Say("One more thing.")
}

// Notes of the moment, and of sessions, that an older version has stored are not in prompts.
func TestStageNotes_OldNotesAreNotTold(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, staging)})
	turn := s.Say("I repair clocks.")
	s.Worked()
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		notes := []storage.StageNote{{ID: "moment/1", Layer: "moment", Source: "director", Text: "Here and now: the old quay."},
			{ID: "engagement/1", Layer: "engagement", Source: "engagement", Text: "They have had 4 sessions together."}}
		return director.KeepNotes(tx, s.Chat, []storage.StageNotesTurn{{Node: turn.UserMessage, Notes: notes, Speakers: []storage.CharacterID{""}}})
	}))
	s.Say("And now?")
	if got := s.lastTurn(); strings.Contains(got, "the old quay") || strings.Contains(got, "session") {
		t.Errorf("the prompt:\n%s", got)
	}
}
