package boards_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/boards"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// script lets the model give these answers to the next requests, one after the
// other; first, which may be nil, is done when the first of them comes.
func (s *harness) script(first func(), answers ...demo.Fault) {
	var mu sync.Mutex
	n := 0
	s.SpoilBy(func(c demo.Call) demo.Fault {
		mu.Lock()
		defer mu.Unlock()
		if c.Path != "/api/chat" || c.Reads() || n == len(answers) {
			return demo.Fault{}
		}
		if n++; n == 1 && first != nil {
			first()
		}
		return answers[n-1]
	})
}

func says(text string, calls ...storage.ToolCall) demo.Fault {
	return demo.Fault{Kind: demo.Say, Text: text, Calls: calls}
}

// steer has a line carried out and returns what came of it.
func (s *harness) steer(node storage.NodeID, line string) boards.View {
	s.T.Helper()
	_, err := s.Boards.Steer(s.Chat, node, line)
	enginetest.Must(s.T, err)
	s.Work()
	return s.board(node)
}

// toolless asks a model that cannot call tools.
func toolless(o *enginetest.Setup) { o.Cfg.Model = demo.ThinkModel }

func modify(t testing.TB, shot, description string) storage.ToolCall {
	t.Helper()
	return enginetest.Call(t, storyboard.ModifyShot, map[string]any{"shot": shot, "description": description})
}

func lastTalk(t testing.TB, v boards.View) storage.BoardTalk {
	t.Helper()
	if len(v.Talk) == 0 {
		t.Fatal("nothing was said")
	}
	return v.Talk[len(v.Talk)-1]
}

func (s *harness) chats() (out []demo.Call) {
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" && !c.Reads() {
			out = append(out, c)
		}
	}
	return out
}

func offers(c demo.Call) bool { return strings.Contains(string(c.Body), `"tools":[`) }

func TestSteerBoard_CallsTools(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	s.script(nil, says("", modify(t, "s1", "the lamp flickers"), enginetest.Call(t, storyboard.RemoveShots, map[string]any{"indexes": []int{2}})),
		says("", enginetest.Shots(t, "rain")), says("It is darker now."))
	v := s.steer(node, "  darker ")
	if listed(v) != "s1 the lamp flickers, s3 her hands, s4 rain" || v.Done != 4 {
		t.Errorf("%s after %d calls", listed(v), v.Done)
	}
	if talk := lastTalk(t, v); talk.Line != "darker" || talk.Reply != "It is darker now." || talk.Calls != 3 || talk.Question || talk.At.IsZero() {
		t.Errorf("%+v", talk)
	}
	calls, err := s.Boards.Calls(s.Chat, node)
	enginetest.Must(t, err)
	for _, c := range calls[1:] {
		if c.By != storage.BySteer || c.Text != "darker" || c.Turn != calls[1].ID {
			t.Errorf("%+v", c)
		}
	}
	asked := s.chats()
	if len(asked) != 3 || !offers(asked[0]) || len(asked[0].Format) > 0 {
		t.Fatalf("asked %d times: %s", len(asked), asked[0].Body)
	}
	if last := asked[2].Messages; last[len(last)-1].Role != "tool" || !strings.HasPrefix(last[len(last)-1].Content, "Done: ") {
		t.Errorf("the model is told what came of a call: %+v", last[len(last)-1])
	}
	s.SpoilBy(nil)
	v, err = s.Boards.Undo(s.Chat, node)
	enginetest.Must(t, err)
	if listed(v) != "s1 the lamp, s2 the door, s3 her hands" {
		t.Errorf("one undo takes a line back: %s", listed(v))
	}
	s.Sound()
}

func TestSteerBoard_TheModelMayCorrectItself(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	s.script(nil, says("", modify(t, "s99", "gone"), modify(t, "s1", "the lamp flickers")), says("", modify(t, "s2", "the door opens")), says("Done."))
	v := s.steer(node, "more life")
	if listed(v) != "s1 the lamp flickers, s2 the door opens, s3 her hands" || lastTalk(t, v).Reply != "Done." {
		t.Errorf("%s, %+v", listed(v), v.Talk)
	}
	faulty := s.chats()[1].Messages
	if tool := faulty[len(faulty)-2]; !strings.HasPrefix(tool.Content, "Not done: ") || !strings.Contains(tool.Content, "s99") {
		t.Errorf("the model is told what is wrong: %+v", tool)
	}
}

func TestSteerBoard_EndsWhereTheModelDoesNot(t *testing.T) {
	t.Parallel()
	t.Run("the same again", func(t *testing.T) {
		s, node := drawn(t)
		s.script(nil, says("", modify(t, "s1", "dark")), says("", modify(t, "s1", "dark")), says("never asked"))
		if v := s.steer(node, "darker"); v.Done != 2 || lastTalk(t, v).Calls != 1 || lastTalk(t, v).Reply == "" || len(s.chats()) != 2 {
			t.Errorf("%d calls, %+v", v.Done, v.Talk)
		}
	})
	t.Run("always something new", func(t *testing.T) {
		s, node := drawn(t)
		var answers []demo.Fault
		for i := range 9 {
			answers = append(answers, says("", modify(t, "s1", fmt.Sprint("dark ", i))))
		}
		s.script(nil, answers...)
		if v := s.steer(node, "darker"); v.Done != 1+boards.MostRounds || len(s.chats()) != boards.MostRounds {
			t.Errorf("%d calls after %d questions", v.Done, len(s.chats()))
		}
	})
	t.Run("only faults", func(t *testing.T) {
		s, node := drawn(t)
		s.script(nil, says("I did it.", modify(t, "s98", "dark")), says("I did it.", modify(t, "s99", "dark")), says("I did it."))
		v := s.steer(node, "darker")
		if v.Done != 1 || lastTalk(t, v).Calls != 0 {
			t.Errorf("%d calls, %+v", v.Done, v.Talk)
		}
	})
}

func TestSteerBoard_AsksBack(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	s.script(nil, says("Which of the shots is meant?"), says("", modify(t, "s2", "the door slams")), says("The door slams."))
	if talk := lastTalk(t, s.steer(node, "louder")); !talk.Question || talk.Calls != 0 || talk.Reply != "Which of the shots is meant?" {
		t.Errorf("%+v", talk)
	}
	v := s.steer(node, "the second")
	if listed(v) != "s1 the lamp, s2 the door slams, s3 her hands" || len(v.Talk) != 2 || v.Talk[1].Question {
		t.Errorf("%s, %+v", listed(v), v.Talk)
	}
	prompt := s.chats()[1].Messages
	if last := prompt[len(prompt)-1].Content; !strings.Contains(last, "louder") || !strings.Contains(last, "Which of the shots") {
		t.Errorf("the next line comes with what was said before: %s", last)
	}
}

// form returns an answer that names tools.
func form(t testing.TB, reply string, calls ...storage.ToolCall) demo.Fault {
	t.Helper()
	raw, err := json.Marshal(map[string]any{"calls": append([]storage.ToolCall{}, calls...), "reply": reply, "propose": false, "question": false})
	enginetest.Must(t, err)
	return says(string(raw))
}

func TestSteerBoard_ByAnAnswerThatNamesTools(t *testing.T) {
	t.Parallel()
	t.Run("a model without tools", func(t *testing.T) {
		s, node := drawn(t, toolless)
		s.script(nil, form(t, "Done.", modify(t, "s99", "gone")), form(t, "Done now.", modify(t, "s1", "dark"), modify(t, "s2", "dark too")))
		v := s.steer(node, "darker")
		if listed(v) != "s1 dark, s2 dark too, s3 her hands" || lastTalk(t, v).Reply != "Done now." || len(s.chats()) != 2 || offers(s.chats()[0]) {
			t.Errorf("%s, %+v", listed(v), v.Talk)
		}
	})
	t.Run("a model that calls none", func(t *testing.T) {
		s, node := drawn(t)
		s.script(nil, says(`{"name": "modify_shot", "arguments": {"shot": "s1"}}`), form(t, "Dark.", modify(t, "s1", "dark")))
		if v := s.steer(node, "darker"); listed(v) != "s1 dark, s2 the door, s3 her hands" || lastTalk(t, v).Reply != "Dark." {
			t.Errorf("%s, %+v", listed(v), v.Talk)
		}
	})
	t.Run("what can be used of a faulty one", func(t *testing.T) {
		s, node := drawn(t, toolless)
		bad := form(t, "Done.", modify(t, "s99", "gone"), modify(t, "s1", "dark"))
		s.script(nil, bad, bad)
		v := s.steer(node, "darker")
		if talk := lastTalk(t, v); listed(v) != "s1 dark, s2 the door, s3 her hands" || talk.Calls != 1 || !strings.Contains(talk.Reply, "s99") {
			t.Errorf("%s, %+v", listed(v), v.Talk)
		}
	})
}

// Whatever a model answers, the board stays one that can be worked with, and what
// was there stays.
func TestSteerBoard_HostileAnswers(t *testing.T) {
	t.Parallel()
	deep := json.RawMessage(strings.Repeat(`{"shots":[`, 200) + strings.Repeat(`]}`, 200))
	for name, answers := range map[string][]demo.Fault{
		"other tools":   {says("", enginetest.Call(t, storyboard.ImportBoard, map[string]any{"shots": []any{}}), storage.ToolCall{Tool: "rm", Params: json.RawMessage(`{}`)})},
		"deep":          {says("", storage.ToolCall{Tool: storyboard.InsertShot, Params: deep})},
		"long":          {says(strings.Repeat("la ", 9000), enginetest.Call(t, storyboard.ModifyShot, map[string]any{"shot": "s1", "description": strings.Repeat("x", 5000)}))},
		"escapes":       {{Kind: demo.Escapes}},
		"not JSON":      {says(""), says("Once upon a time."), says("Once more.")},
		"wrong types":   {says(""), says(`{"calls": 7, "reply": [1]}`), says(`{"calls": [{"tool": 1}], "reply": {}}`)},
		"a dead server": {{Kind: demo.Missing}, {Kind: demo.Missing}, {Kind: demo.Missing}, {Kind: demo.Missing}},
		"cut off":       {{Kind: demo.Cut, After: 3}, {Kind: demo.Cut, After: 3}, {Kind: demo.Cut, After: 3}},
		"only thoughts": {{Kind: demo.ThinkOnly}, {Kind: demo.ThinkOnly}, {Kind: demo.ThinkOnly}},
		"too much at once": {says("", func() (out []storage.ToolCall) {
			for i := range 60 {
				out = append(out, enginetest.Shots(t, strings.Split(strings.Repeat(fmt.Sprint("s", i, ","), 9), ",")...))
			}
			return out
		}()...)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, node := drawn(t)
			s.script(nil, answers...)
			_, err := s.Boards.Steer(s.Chat, node, "darker")
			enginetest.Must(t, err)
			_, _ = s.Queue.Drain(s.Context()) // it may fail
			v := s.board(node)
			if len(v.Shots) < 3 || v.Shots[0].Description != "the lamp" || len(v.Shots) > 300 || v.Working != "" {
				t.Errorf("%d shots, %s", len(v.Shots), listed(v)[:min(200, len(listed(v)))])
			}
			for _, talk := range v.Talk {
				if n := len([]rune(talk.Reply)); n > 2*boards.LongestReply {
					t.Errorf("a reply of %d characters is kept", n)
				}
			}
			s.SpoilBy(nil)
			_, err = s.Boards.Call(s.Chat, node, enginetest.Shots(t, "more"))
			enginetest.Must(t, err)
			s.Sound()
		})
	}
}

func TestSteerBoard_TheUserWorksOnMeanwhile(t *testing.T) {
	t.Parallel()
	s, node := drawn(t)
	s.script(func() {
		if _, err := s.Boards.Call(s.Chat, node, enginetest.Call(t, storyboard.RemoveShots, map[string]any{"shots": []string{"s2"}}), enginetest.Shots(t, "mine")); err != nil {
			t.Error(err)
		}
	}, says("", modify(t, "s1", "dark"), modify(t, "s2", "dark"), enginetest.Shots(t, "rain"), modify(t, "s4", "hard rain"),
		enginetest.Call(t, storyboard.ModifyShot, map[string]any{"shot": 4, "description": "hail"}), enginetest.Call(t, storyboard.ModifyShot, map[string]any{"shot": "s1", "subject": "12"}),
		enginetest.Call(t, storyboard.ReorderShots, map[string]any{"shot": "s3", "to": 1})), says("All of it."))
	v := s.steer(node, "darker")
	if listed(v) != "s3 her hands, s1 dark, s4 mine, s5 rain" {
		t.Error(listed(v))
	}
	talk := lastTalk(t, v)
	for _, want := range []string{"All of it.", "Left out: ", "s2", "s4, which is another shot now"} {
		if !strings.Contains(talk.Reply, want) {
			t.Errorf("%q does not say %q", talk.Reply, want)
		}
	}
	if talk.Calls != 4 || v.Done != 7 || v.Shots[1].Subject != "12" {
		t.Errorf("%d calls, %+v", v.Done, talk)
	}
}

func TestBoardWork_TheSceneGoesMeanwhile(t *testing.T) {
	t.Parallel()
	ask := map[string]func(s *harness, node storage.NodeID) error{
		"steering": func(s *harness, node storage.NodeID) error {
			_, err := s.Boards.Steer(s.Chat, node, "darker")
			return err
		},
		"planning": func(s *harness, node storage.NodeID) error {
			_, err := s.Boards.Plan(s.Chat, node, boards.PlanRequest{Tool: storyboard.RecommendBeats})
			return err
		},
	}
	for name, begin := range ask {
		for what, goes := range map[string]func(s *harness, node storage.NodeID) error{
			"the break is taken back": func(s *harness, node storage.NodeID) error {
				_, err := s.Scenes.SetBreak(s.Chat, node, false)
				return err
			},
			"the board is deleted": func(s *harness, node storage.NodeID) error {
				return s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Boards.Delete(tx, s.Chat, node) })
			},
			"the chat is deleted": func(s *harness, _ storage.NodeID) error { return s.Play.DeleteChat(s.Chat) },
		} {
			t.Run(name+", "+what, func(t *testing.T) {
				t.Parallel()
				s, node := drawn(t)
				enginetest.Must(t, begin(s, node))
				s.script(func() { enginetest.Must(t, goes(s, node)) }, demo.Fault{})
				if sum, err := s.Queue.Drain(s.Context()); err != nil {
					t.Errorf("%+v %v", sum, err)
				}
				enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
					if b, err := storage.Boards.Get(tx, s.Chat, node); err == nil && b.Done != 1 {
						t.Errorf("the board has %d calls", b.Done)
					}
					return nil
				}))
			})
		}
	}
}

// A model that says it has changed something and has called no tool is told so and
// asked once more; what was not carried out is never shown as done.
func TestSteerBoard_ClaimsWithoutCalls(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change  []func(*enginetest.Setup)
		answers []demo.Fault
		board   string
		talk    storage.BoardTalk
		asked   int
	}{
		"it calls when it is told": {nil, []demo.Fault{says("I have made it darker."), says("", modify(t, "s1", "dark")), says("Now it is.")},
			"s1 dark, s2 the door, s3 her hands", storage.BoardTalk{Reply: "Now it is.", Did: "Changed shot s1: description.", Calls: 1}, 3},
		"it insists": {nil, []demo.Fault{says("Ich habe alles dunkler gemacht."), says("Es ist jetzt dunkler.")},
			"s1 the lamp, s2 the door, s3 her hands", storage.BoardTalk{Reply: "Es ist jetzt dunkler."}, 2},
		"it asks back": {nil, []demo.Fault{says("¿Cuál de los planos?")},
			"s1 the lamp, s2 the door, s3 her hands", storage.BoardTalk{Reply: "¿Cuál de los planos?", Question: true}, 1},
		"by a form": {[]func(*enginetest.Setup){toolless}, []demo.Fault{form(t, "It is darker now."), form(t, "Dark.", modify(t, "s1", "dark"))},
			"s1 dark, s2 the door, s3 her hands", storage.BoardTalk{Reply: "Dark.", Did: "Changed shot s1: description.", Calls: 1}, 2},
		"by a form, insisting": {[]func(*enginetest.Setup){toolless}, []demo.Fault{form(t, "It is darker now."), form(t, "It is darker.")},
			"s1 the lamp, s2 the door, s3 her hands", storage.BoardTalk{Reply: "It is darker."}, 2},
		"all of it was so already": {nil, []demo.Fault{says("", modify(t, "s1", "the lamp")), says("Done.")},
			"s1 the lamp, s2 the door, s3 her hands", storage.BoardTalk{Reply: "Done.", Did: "Shot s1 is like that already."}, 2},
		"more is claimed than done": {nil, []demo.Fault{says("", modify(t, "s1", "dark")), says("All three are dark.")},
			"s1 dark, s2 the door, s3 her hands", storage.BoardTalk{Reply: "All three are dark.", Did: "Changed shot s1: description.", Calls: 1}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, node := drawn(t, test.change...)
			s.script(nil, test.answers...)
			v := s.steer(node, "darker")
			talk := lastTalk(t, v)
			talk.Line, talk.At = "", test.talk.At
			if listed(v) != test.board || talk != test.talk || len(s.chats()) != test.asked {
				t.Errorf("%s, %+v after %d requests", listed(v), talk, len(s.chats()))
			}
			if test.talk.Calls == 0 && v.Done != 1 {
				t.Errorf("%d turns are kept", v.Done)
			}
		})
	}
}

// Words that nobody says are not put into anybody's mouth; those of the line are.
func TestSteerBoard_DialogueStandsInTheMessages(t *testing.T) {
	t.Parallel()
	speak := func(words string) storage.ToolCall {
		return enginetest.Call(t, storyboard.ModifyShot, map[string]any{"shot": "s1", "dialogue": words})
	}
	s, node := drawn(t)
	s.script(nil, says("", speak("Nobody ever said that.")), says("She says it now."), says("She says it."))
	v := s.steer(node, "let her speak")
	if talk := lastTalk(t, v); v.Shots[0].Dialogue != "" || talk.Calls != 0 || !strings.Contains(s.chats()[1].Messages[len(s.chats()[1].Messages)-1].Content, "Not done: nobody says") {
		t.Errorf("%+v, %+v", v.Shots[0], talk)
	}
	s.script(nil, says("", speak("Stay with me, Tove.")), says("She says it."))
	v = s.steer(node, `let her say "Stay with me, Tove."`)
	if talk := lastTalk(t, v); v.Shots[0].Dialogue != "Stay with me, Tove." || talk.Calls != 1 {
		t.Errorf("%+v, %+v", v.Shots[0], talk)
	}
}
