package scenes_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// judge has the model judge scene breaks by what the last message of the prompt
// that it is asked about holds.
func (s *harness) judge(f func(prompt string) (status bool, rationale string)) {
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if !strings.Contains(string(c.Format), `"rationale"`) {
			return demo.Fault{}
		}
		text := ""
		for _, m := range c.Messages {
			text += m.Content + "\n"
		}
		status, why := f(text)
		return answer(map[string]any{"status": status, "rationale": why})
	})
}

func TestDetect_ExplicitMarksAskNoModel(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Detecting, func(o *enginetest.Setup) { o.Cfg.Scenes.NoRecap = true })})
	s.judge(func(string) (bool, string) { return false, "the same scene goes on" })
	s.Say("A lamp, please.")
	s.Say("Chapter 2: The quay\n\nI follow her down to the water.")
	s.scenesAre("1:3; 2:2 open")
	first := s.scenesNow().List[0]
	if !first.Detected || !strings.Contains(first.Rationale, "Chapter 2") {
		t.Errorf("%+v", first)
	}
	enginetest.Until(s.Harness, func(ev scenes.BreakDetected) bool { return ev.Node == first.Break })
	n, err := s.Scenes.UndoDetection(s.Chat)
	if enginetest.Must(t, err); n != 1 {
		t.Errorf("%d taken back", n)
	}
	s.scenesAre("1:5 open")
	s.Say("And then?")
	s.Work()
	s.scenesAre("1:7 open")
}

func TestDetect_AModelsCueMustBeThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rationale string
		want      string
	}{
		"quoted from the message": {`It skips time: "when the tide had turned twice".`, "1:5 v1/1 in memory; 2:2 open"},
		"made up":                 {`It skips time: "three weeks afterwards".`, "1:7 open"},
		"not quoted":              {`It skips some time.`, "1:7 open"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewHarness(t, enginetest.Detecting)})
			s.Exchange(2, "lamp")
			enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
				return scenes.Check(tx, s.Chat, scenes.PathToLook(tx, s.Chat, s.Last().ID, false), true)
			}))
			s.judge(func(prompt string) (bool, string) { return true, c.rationale })
			s.Say("I come back when the tide had turned twice, and the shop is dark.")
			s.Work()
			s.scenesAre(c.want)
		})
	}
}

// After a turn even a single message can be a scene, unless a setting says
// otherwise.
func TestDetect_AShortSceneEnds(t *testing.T) {
	t.Parallel()
	for least, want := range map[int]string{0: "1:1; 2:2 open", 2: "1:3 open"} {
		s := (&harness{enginetest.NewHarness(t, enginetest.Detecting, func(o *enginetest.Setup) { o.Cfg.Scenes.NoRecap, o.Cfg.Scenes.MinMessages = true, least })})
		s.judge(func(string) (bool, string) { return false, "the same scene goes on" })
		s.Say("((new scene)) I come back with the letter.")
		s.Work()
		s.scenesAre(want)
	}
}

func TestDetect_RidesOnTheChatsPrompt(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Detecting)})
	s.Say("A lamp, please.")
	s.Work()
	calls := s.Servers.Calls()
	var chat, question demo.Call
	for _, c := range calls {
		switch {
		case c.Path != "/api/chat":
		case strings.Contains(string(c.Format), "rationale"):
			question = c
		default:
			chat = c
		}
	}
	for i, m := range chat.Messages {
		if i >= len(question.Messages) || question.Messages[i].Content != m.Content {
			t.Fatalf("message %d of the chat's prompt is not in the question's", i)
		}
	}
	if extra := len(question.Messages) - len(chat.Messages); extra != 2 {
		t.Errorf("the question adds %d messages, not the reply and itself", extra)
	}
}

func TestDetectScenes_GoesOverAWholeChatAndOnAfterACrash(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, noRecaps)})
	var texts []string
	for i := range 60 {
		switch {
		case i == 20:
			texts = append(texts, "---\nThe next morning the harbour was empty.")
		case i%25 == 24:
			texts = append(texts, fmt.Sprintf("They reach the lighthouse number %d at last.", i))
		default:
			texts = append(texts, fmt.Sprintf("They talk on about the lamp, %d.", i))
		}
	}
	s.Tell(texts...)
	s.judge(func(prompt string) (bool, string) {
		for _, i := range []int{24, 49} {
			cue := fmt.Sprintf("reach the lighthouse number %d at last", i)
			if at := strings.LastIndex(prompt, cue); at >= 0 && !strings.Contains(prompt[at:], "talk on about") {
				return true, `Another place: "` + cue + `".`
			}
		}
		return false, "nothing changes"
	})
	d, err := s.Scenes.Detect(s.Chat, scenes.DetectRequest{})
	enginetest.Must(t, err)
	if d.Found != 1 || d.Left == 0 || d.Total != 60 {
		t.Errorf("%+v", d)
	}
	if _, err := s.Scenes.Detect(s.Chat, scenes.DetectRequest{}); err == nil {
		t.Error("two searches at once")
	}
	// Every step is one operation that queues the next, so that closing loses
	// nothing of what was found.
	for range 3 {
		enginetest.Must(t, s.Start())
		enginetest.Until(s.Harness, func(ev queue.Changed) bool {
			return ev.Operation.Type == scenes.OpDetectAll && ev.Operation.Status == storage.Completed
		})
		s.Reopen()
	}
	s.Work()
	s.scenesAre("1:21; 2:4; 3:25; 4:11 open")
	if n := s.scenesNow().Unchecked; n > 1 {
		t.Errorf("%d messages unchecked", n)
	}
	n, err := s.Scenes.UndoDetection(s.Chat)
	if enginetest.Must(t, err); n != 3 {
		t.Errorf("%d taken back", n)
	}
	d, err = s.Scenes.Detect(s.Chat, scenes.DetectRequest{TableOnly: true, Again: true, Min: 30})
	if enginetest.Must(t, err); d.Found != 0 {
		t.Errorf("a scene of 21 messages although 30 are the least: %+v", d)
	}
}

func TestDetect_ASwipedReplyIsNotLookedAtAndItsSiblingIs(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.Detecting)})
	a := s.Exchange(6, "lamp")
	s.judge(func(string) (bool, string) { return true, `"harbour the next morning" is a new place` })
	sibling := storage.Node{Chat: s.Chat, Parent: a[10], Role: storage.Assistant, Name: "Tove", Content: "She shrugs, and says nothing.",
		State: storage.Complete, CreatedAt: time.Now()}
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		n, err := tx.Node(s.Chat, a[11])
		if err != nil {
			return err
		}
		n.Content = "Then they are at the harbour the next morning, without a word."
		if err := tx.PutNode(n); err != nil {
			return err
		}
		if _, err := s.Core().Queue.AddOperation(tx, scenes.OpDetect, chats.Params{Chat: s.Chat, Node: a[11]}, nil); err != nil {
			return err
		}
		if err := tx.AppendNode(&sibling); err != nil {
			return err
		}
		if err := s.Chats.SetHead(tx, s.Chat, sibling.ID); err != nil {
			return err
		}
		return s.Director.QueuePass(tx, chats.FinishedReply{Node: &storage.Node{Chat: s.Chat, ID: sibling.ID}})
	}))
	s.Work()
	if n := len(s.scenesNow().List); n != 1 {
		t.Errorf("%d scenes: a reply that was swiped away has ended one", n)
	}
	if s.Node(a[11]).Checked || !s.Node(sibling.ID).Checked {
		t.Errorf("looked at: the reply swiped away %t, the one in its place %t", s.Node(a[11]).Checked, s.Node(sibling.ID).Checked)
	}
}

func TestDetectScenes_ThousandsOfScenesInNoTime(t *testing.T) {
	if testing.Short() {
		t.Skip("2,000 scenes, in one goroutine")
	}
	s := (&harness{enginetest.NewHarness(t)})
	var texts []string
	for i := range 2000 {
		texts = append(texts, "They talk on about the lamp.", fmt.Sprintf("Chapter %d\nThe next morning the harbour was empty.", i+1))
	}
	s.Tell(texts...)
	start := time.Now()
	d, err := s.Scenes.Detect(s.Chat, scenes.DetectRequest{TableOnly: true})
	enginetest.Must(t, err)
	n, err := s.Scenes.UndoDetection(s.Chat)
	enginetest.Must(t, err)
	if d.Found != 2000 || n != 2000 {
		t.Errorf("%d found, %d taken back", d.Found, n)
	}
	if took := time.Since(start); took > 5*time.Second { // it took 30 s when each break looked at all others
		t.Errorf("it took %s", took)
	}
}

func BenchmarkDetectScenes2000(b *testing.B) {
	s := (&harness{enginetest.NewHarness(b)})
	var texts []string
	for i := range 2000 {
		if i%40 == 39 {
			texts = append(texts, "---\nThe next morning the harbour was empty, and nobody spoke of it.")
			continue
		}
		texts = append(texts, strings.Repeat("They talk on about the lamp and what it may have seen. ", 8))
	}
	s.Tell(texts...)
	for b.Loop() {
		d, err := s.Scenes.Detect(s.Chat, scenes.DetectRequest{TableOnly: true, Again: true})
		if err != nil {
			b.Fatal(err)
		}
		if d.Found == 0 {
			b.StopTimer()
			b.Fatal("nothing found")
		}
		b.StopTimer()
		if _, err := s.Scenes.UndoDetection(s.Chat); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(2000*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

// A reply that begins a scene as the one before it did keeps the break, and so do both.
func TestDetect_ABreakIsFoundOnEachBranch(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Detecting, func(o *enginetest.Setup) { o.Cfg.Scenes.NoRecap = true })})
	s.judge(func(string) (bool, string) { return false, "the same scene goes on" })
	s.Say("A lamp, please.")
	s.Say("Shall we go?")
	s.Work()
	s.Spoil(demo.Fault{Kind: demo.Say, Text: "Chapter 2: The quay\n\nThe water is black."})
	s.Say("And then?")
	first := s.Last().ID
	s.Spoil(demo.Fault{Kind: demo.Say, Text: "Chapter 2: The roof\n\nThe wind is cold."})
	if _, err := s.Play.Swipe(s.Chat, first, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ended(); err != nil {
		t.Fatal(err)
	}
	second := s.Last().ID
	for _, at := range []storage.NodeID{second, first, second} {
		enginetest.Must(t, s.Chats.Goto(s.Chat, at))
		s.scenesAre("1:6; 2:1 open")
	}
	s.Sound()
}

// A break that was found in a reply goes with it when another reply takes its place, with
// what hangs on it, and comes back with it.
func TestDetect_ABreakGoesWithTheReplyThatBroughtIt(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, enginetest.Detecting, func(o *enginetest.Setup) { o.Cfg.Scenes.NoRecap = true })})
	s.judge(func(string) (bool, string) { return false, "the same scene goes on" })
	s.Say("A lamp, please.")
	s.Say("Shall we go?")
	s.Work()
	s.Spoil(demo.Fault{Kind: demo.Say, Text: "Chapter 2: The quay\n\nThe water is black."})
	s.Say("And then?")
	reply := s.Last().ID
	s.judge(func(string) (bool, string) { return false, "the same scene goes on" })
	s.Work()
	s.scenesAre("1:6; 2:1 open")
	enginetest.Must(t, s.Scenes.Rename(s.Chat, s.scenesNow().List[0].Break, "The shop"))
	if _, err := s.Play.Swipe(s.Chat, reply, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ended(); err != nil {
		t.Fatal(err)
	}
	s.Work()
	s.scenesAre("1:7 open")
	s.Say("On we go.")
	s.Work()
	s.scenesAre("1:9 open")
	enginetest.Must(t, s.Chats.Goto(s.Chat, reply))
	s.scenesAre("1:6; 2:1 open")
	if name := s.scenesNow().List[0].Name; name != "The shop" {
		t.Errorf("it has come back as %q", name)
	}
	s.Sound()
}
