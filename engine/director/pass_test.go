package director_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// directing has each exchange looked at.
func directing(o *enginetest.Setup) {
	o.Cfg.Stage.NoDirector, o.Cfg.Stage.NoMemories, o.Cfg.Stage.NoHooks = false, false, false
}

// answers has the model answer passes with these words; "" is as it likes.
func (s *harness) answers(f func(c demo.Call) string) {
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Path != "/api/chat" || !isPass(c) {
			return demo.Fault{}
		}
		if text := f(c); text != "" {
			return demo.Fault{Kind: demo.Say, Text: text}
		}
		return demo.Fault{}
	})
}

// isPass reports whether a request asks about an exchange.
func isPass(c demo.Call) bool {
	format := string(c.Format)
	return strings.Contains(format, `"visual_type"`) || strings.Contains(format, `"memories"`) || strings.Contains(format, `"taken"`)
}

// passes are the after-turn operations, oldest first.
func (s *harness) passes() (list []storage.Operation) {
	s.T.Helper()
	all, err := s.Queue.List()
	enginetest.Must(s.T, err)
	for _, op := range all {
		if op.Type == director.OpAfterTurn {
			list = append(list, op)
		}
	}
	return list
}

func (s *harness) beatOf(node storage.NodeID) (b storage.TurnRecord) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) (err error) { b, err = storage.TurnRecords.Get(tx, s.Chat, node); return err }))
	return b
}

// playing has the chat play an episode.
func (s *harness) playing(change func(*storage.Episode)) storage.Episode {
	s.T.Helper()
	who, err := s.Library.Characters()
	enginetest.Must(s.T, err)
	series, err := s.Director.SaveSeries(storage.Series{Title: "General", Characters: []storage.CharacterID{who[0].ID}})
	enginetest.Must(s.T, err)
	ep := storage.Episode{Series: series.ID, Title: "The lamp", Situation: "The stage after the last show.", Question: "Will they put the light out?"}
	if change != nil {
		change(&ep)
	}
	ep, err = s.Director.SaveEpisode(ep)
	enginetest.Must(s.T, err)
	enginetest.Must(s.T, s.Director.SetEpisode(s.Chat, ep.ID))
	return ep
}

const seenPeak = `{"scene":{"rationale":"No cue.","status":false},"director":{"visual_type":"object","visual_hint":"the lamp","status":"going","tension":40,"tone":"wary","beat":"they meet","open":"who left the lamp on","setting":"the stage, midnight"},` +
	`"memories":[{"type":"fact","content":"The user repairs clocks","importance":0.7}],"hooks":[{"type":"follow_up","content":"ask about the clock in the hall","opener":"And the clock?","turns":1,"priority":4}],"taken":[]}`

func TestAfterTurn_OneRequestKeepsEverything(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, directing, enginetest.Detecting)})
	s.answers(func(demo.Call) string { return seenPeak })
	turn := s.Say("I repair clocks. Who left the lamp on?")
	s.Worked()
	list := s.passes()
	if len(list) != 1 || list[0].Status != storage.Completed {
		t.Fatalf("passes: %+v", list)
	}
	b := s.beatOf(turn.Message)
	if b.Turn != 1 || b.Seen == nil || b.Seen.VisualType != "object" || b.Seen.Tension != 40 || b.Seen.Open != "who left the lamp on" {
		t.Errorf("beat: %+v %+v", b, b.Seen)
	}
	m, err := s.Memory.Memories(memory.Query{Chat: s.Chat})
	enginetest.Must(t, err)
	if len(m.List) != 1 || m.List[0].Content != "The user repairs clocks" || m.List[0].Mentions[0].Node != turn.Message || !slices.Contains(m.List[0].Mentions[0].Sources, turn.UserMessage) {
		t.Errorf("memories: %+v", m.List)
	}
	h, err := s.Memory.Hooks(memory.Query{Chat: s.Chat})
	enginetest.Must(t, err)
	if len(h.List) != 1 || h.List[0].State != memory.HookWaiting || h.List[0].Due.Turns != 1 {
		t.Errorf("hooks: %+v", h.List)
	}
	asked := 0
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" && len(c.Format) > 0 {
			asked++
		}
	}
	if asked != 1 {
		t.Errorf("%d structured requests, want the one", asked)
	}
	for _, id := range []storage.NodeID{turn.Message, turn.UserMessage} {
		if !s.Node(id).Checked {
			t.Errorf("message %s was not checked for a break", id)
		}
	}
}

// The pass follows the chat's prompt: all that the turn sent comes first.
func TestAfterTurn_RidesOnThePrompt(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, directing, enginetest.Detecting, func(o *enginetest.Setup) { o.Cfg.Stage.NoteEvery = 0 })})
	enginetest.Must(t, s.Chats.SetAuthorNote(s.Chat, "It rains."))
	s.answers(func(demo.Call) string { return seenPeak })
	for i := range 4 {
		s.Say([]string{"I repair clocks.", "Take me to the hall.", "And the clock?", "Good night."}[i])
		s.Worked()
		var turn, pass demo.Call
		for _, c := range s.Servers.Calls() {
			if c.Path == "/api/chat" && isPass(c) {
				pass = c
			} else if c.Path == "/api/chat" {
				turn = c
			}
		}
		if len(pass.Messages) != len(turn.Messages)+2 {
			t.Fatalf("turn %d: the pass has %d messages, the turn %d", i, len(pass.Messages), len(turn.Messages))
		}
		for j, m := range turn.Messages {
			if pass.Messages[j].Role != m.Role || pass.Messages[j].Content != m.Content {
				t.Fatalf("turn %d: message %d differs:\n%s\n---\n%s", i, j, m.Content, pass.Messages[j].Content)
			}
		}
	}
}

func TestAfterTurn_NonsenseIsNotFelt(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, directing, enginetest.Detecting)})
	s.playing(func(ep *storage.Episode) {
		ep.SceneMode, ep.SceneInterval, ep.TurnBudget = storage.ScenesRhythmic, 2, 3
	})
	s.answers(func(demo.Call) string { return "I would rather not." })
	var ended []director.EpisodeEnded
	for range 3 {
		s.Say("Go on.")
		s.Worked()
	}
	s.DrainFeed()
	asked := 0
	for _, ev := range s.Seen {
		switch ev := ev.(type) {
		case director.EpisodeEnded:
			ended = append(ended, ev)
		case director.SparksWanted:
			asked++
		case event.Notice:
			if ev.Level == event.Error {
				t.Errorf("it was felt: %s", ev.Text)
			}
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times about pictures, want once", asked)
	}
	if len(ended) != 1 || ended[0].By != storage.EndedByTurns {
		t.Errorf("ended: %+v", ended)
	}
	for _, op := range s.passes() {
		if op.Status != storage.Completed {
			t.Errorf("a pass is %s: %s", op.Status, op.Error)
		}
	}
	v, err := s.Director.View(s.Chat)
	enginetest.Must(t, err)
	if v.State != director.PlayComplete || v.Turn != 3 || v.Turns[0].Fault == "" || v.Turns[0].Evaluated {
		t.Errorf("director: %s turn %d %+v", v.State, v.Turn, v.Turns)
	}
}

func TestAfterTurn_SparksAskedOnceThenSpent(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, directing)})
	who, err := s.Library.Characters()
	enginetest.Must(t, err)
	who[0].Immersion = storage.Full
	_, err = s.Library.SaveCharacter(who[0])
	enginetest.Must(t, err)
	cost, all := 20, 45
	s.playing(func(ep *storage.Episode) { ep.SceneCost = &cost })
	enginetest.Must(t, s.Director.RefillSparks(s.Chat, all))
	s.answers(func(demo.Call) string { return seenPeak })
	first := s.Say("Look at the lamp.")
	s.Worked()
	ask := enginetest.Until[director.SparksWanted](s.Harness, nil)
	if ask.Cost != cost || ask.Left != all || ask.Node != first.Message {
		t.Errorf("asked: %+v", ask)
	}
	if list, _ := s.Pictures.Captures(s.Chat); len(list) != 0 {
		t.Fatal("a picture was made before the answer")
	}
	enginetest.Must(t, s.Director.AllowScenes(s.Chat, true))
	s.Worked()
	for range 2 {
		s.Say("And again.")
		s.Worked()
	}
	list, err := s.Pictures.Captures(s.Chat)
	enginetest.Must(t, err)
	if len(list) != 2 {
		t.Fatalf("%d pictures for %d sparks at %d", len(list), all, cost)
	}
	for _, c := range list {
		if c.Status != storage.CaptureCompleted {
			t.Errorf("capture %s: %s %s", c.ID, c.Status, c.Error)
		}
	}
	v, err := s.Director.View(s.Chat)
	enginetest.Must(t, err)
	if v.Sparks.Left != all-2*cost || !strings.Contains(v.Turns[0].CaptureWhy, "no sparks") {
		t.Errorf("left %d, why %q", v.Sparks.Left, v.Turns[0].CaptureWhy)
	}
}

func TestAfterTurn_MemoriesStayWhereTheyCameUp(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, directing, enginetest.Detecting)})
	s.Plain()
	s.Say("Good evening.")
	scope, err := s.Chats.ScopeOf(s.Chat)
	enginetest.Must(t, err)
	_, err = s.Memory.Save(scope, storage.Memory{Type: storage.FactMemory, Content: "The user repairs clocks"})
	enginetest.Must(t, err)
	s.Say("And now?")
	p, err := s.Play.Prompt(s.Context(), s.Chat, "")
	enginetest.Must(t, err)
	at := -1
	for i, m := range p.Messages {
		if strings.Contains(m.Content, "The user repairs clocks") {
			if at >= 0 {
				t.Fatal("it stands twice")
			}
			at = i
		}
	}
	if at < 0 || !strings.Contains(p.Messages[at+1].Content, "And now?") || !strings.Contains(p.Messages[at].Content, "About them") {
		t.Fatalf("the memory stands at %d: %+v", at, p.Messages)
	}
	m, err := s.Memory.Memories(memory.Query{Chat: s.Chat})
	enginetest.Must(t, err)
	if _, err := s.Memory.Act(m.Scope, []storage.MemoryID{m.List[0].ID}, memory.Remove); err != nil {
		t.Fatal(err)
	}
	p, err = s.Play.Prompt(s.Context(), s.Chat, "")
	enginetest.Must(t, err)
	if data, _ := json.Marshal(p.Messages); strings.Contains(string(data), "repairs clocks") {
		t.Error("a deleted memory is still told")
	}
}

// Where the question does not fit behind the chat's prompt it is asked with the
// newest messages alone, by one request.
func TestAfterTurn_AskedAloneWhereItDoesNotFit(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, directing, enginetest.Detecting)})
	refused := 0
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Path == "/api/chat" && isPass(c) && len(c.Messages) > 1 {
			refused++
			return demo.Fault{Kind: demo.ServerError, Text: "the input length exceeds the context length"}
		}
		return demo.Fault{}
	})
	turn := s.Say("I repair clocks.")
	s.Worked()
	if refused == 0 {
		t.Fatal("nothing was refused")
	}
	if b := s.beatOf(turn.Message); b.Seen == nil || b.Fault != "" {
		t.Errorf("beat: %+v", b)
	}
	apart := 0
	for _, c := range s.Servers.Calls() {
		if format := string(c.Format); c.Path == "/api/chat" && isPass(c) && len(c.Messages) == 1 {
			apart++
			if !strings.Contains(format, `"scene"`) || !strings.Contains(format, `"memories"`) || !strings.Contains(format, `"hooks"`) {
				t.Errorf("not all that was left was asked at once: %s", format)
			}
		}
	}
	if apart != 1 {
		t.Errorf("%d requests for it, want one", apart)
	}
	for _, op := range s.passes() {
		if op.Status != storage.Completed {
			t.Errorf("the pass is %s: %s", op.Status, op.Error)
		}
	}
}
