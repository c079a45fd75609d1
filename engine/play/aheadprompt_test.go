package play_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// requestStart are the messages of a request.
func requestStart(t testing.TB, c demo.Call) (out []prompt.Message) {
	t.Helper()
	var body struct{ Messages []prompt.Message }
	enginetest.Must(t, json.Unmarshal(c.Body, &body))
	return body.Messages
}

// lastAsked are the messages of the newest request that keep picks.
func (s *harness) lastAsked(keep func(demo.Call) bool) []prompt.Message {
	s.T.Helper()
	for _, c := range slices.Backward(s.Servers.Calls()) {
		if c.Path == "/api/chat" && keep(c) {
			return requestStart(s.T, c)
		}
	}
	s.T.Fatal("there is no such request")
	return nil
}

func isTurn(c demo.Call) bool { return !c.Reads() && len(c.Format) == 0 }

// The next turn's prompt begins with what was read ahead, whatever follows the user's message or is
// above the newest ones.
func TestWarm_TheTurnBeginsWithIt(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*storage.Card){
		"plain": func(*storage.Card) {},
		"a last word": func(c *storage.Card) {
			c.PostHistoryInstructions = "Stay in the scene with {{lastUserMessage}}."
		},
		"a note at depth": func(c *storage.Card) { c.DepthPrompt, c.DepthPromptDepth = "Rain falls.", 3 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, r := warming(t)
			s.Book(storage.Lorebook{Name: "The house", Chat: s.Chat}, enginetest.Keyed("Lamp", "[item-Lamp: green]",
				"lamp"), enginetest.Keyed("Rope", "[item-Rope: long]", "rope"))
			enginetest.Must(t, s.Chats.SetAuthorNote(s.Chat, "Short sentences."))
			all, err := s.Library.Characters()
			enginetest.Must(t, err)
			change(&all[0].Card)
			_, err = s.Library.SaveCharacter(all[0])
			enginetest.Must(t, err)
			s.Say("The lamp again.")
			play.SetLastMessages(s.Engine.Play, nil) // something else was asked
			s.look(s.Chat)
			ahead := s.lastAsked(demo.Call.Reads)
			s.Say("And the rope?")
			turn := s.lastAsked(isTurn)
			if len(turn) <= len(ahead) || !slices.Equal(turn[:len(ahead)], ahead) {
				t.Fatalf("read ahead: %q\nthe turn: %q", ahead, turn)
			}
			if ahead[len(ahead)-1].Role != string(storage.Assistant) {
				t.Errorf("it ends with %q", ahead[len(ahead)-1])
			}
			own := 0
			for _, m := range turn[len(ahead):] {
				own += s.Models.NewKnownModel(demo.Model).Meter.Count(m.Content) + 8
			}
			if now := r.last(); now.Fresh > own+20 {
				t.Errorf("the turn read %d tokens, %d of them its own", now.Fresh, own)
			}
			s.Sound()
		})
	}
}

// The history folds while the user thinks, and four of five turns find it folded: text that comes
// with the user's message may make it fold later, or elsewhere.
func TestWarm_FoldsAhead(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("60 turns, one after another")
	}
	s, r := warming(t, func(o *enginetest.Setup) {
		o.Cfg.Scenes.NoDetect = true
		o.Cfg.Stage = config.Stage{WarmUp: true, NoDirector: true, NoMemories: true, NoHooks: true}
		o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 4096, 300
	})
	enginetest.Must(t, s.createSessionCast(true))
	folds, ahead := 0, 0
	window := storage.NodeID("")
	for i := range 60 {
		s.Say(told(uint64(i), 110))
		now := s.newestWindow()
		if window != "" && now != window {
			folds++
			if last := r.last(); last.Fresh < 300 {
				ahead++
			} else {
				t.Logf("turn %d read %d tokens", i, last.Fresh)
			}
		}
		if window = now; i%10 == 9 {
			s.End(s.Last().ID)
		}
		s.Work()
		play.WarmOnce(s.Play, s.Chat)
	}
	if t.Logf("%d folds, %d of them read ahead", folds, ahead); folds < 3 || ahead*5 < folds*4 {
		t.Errorf("%d folds, %d of them read ahead", folds, ahead)
	}
	s.Sound()
}
