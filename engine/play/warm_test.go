package play_test

import (
	"encoding/json"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// readings are the prompts that the server has read.
type readings struct {
	mu   sync.Mutex
	list []demo.Read
}

func (r *readings) add(one demo.Read) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, one)
}

// fresh returns the tokens that all of them read again.
func (r *readings) fresh() (sum int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.list {
		sum += one.Fresh
	}
	return sum
}

func (r *readings) last() demo.Read {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list[len(r.list)-1]
}

// warming is a harness that reads ahead, with a chat that is long enough for it.
func warming(t *testing.T, change ...func(*enginetest.Setup)) (*harness, *readings) {
	t.Helper()
	var r readings
	s := (&harness{enginetest.NewHarness(t, append(change, func(o *enginetest.Setup) {
		o.Cfg.Stage.WarmUp = true
		o.Cfg.Stage.NoDirector, o.Cfg.Stage.NoMemories, o.Cfg.Stage.NoHooks = true, true, true
		o.Servers.OnRead = r.add
	})...)})
	s.Exchange(20, "lamp")
	return s, &r
}

// readAhead are the requests that have read ahead.
func (s *harness) readAhead() (out []demo.Call) {
	for _, c := range s.Servers.Calls() {
		if c.Reads() {
			out = append(out, c)
		}
	}
	return out
}

// look has the engine look once, as its goroutine does.
func (s *harness) look(chat storage.ChatID) {
	play.WarmNow(s.Play, chat)
}

func TestWarm_TheNextTurnIsReadAhead(t *testing.T) {
	t.Parallel()
	s, r := warming(t, func(o *enginetest.Setup) { o.Servers.ReadingTime = 2 * time.Millisecond })
	s.Play.EnterChat(s.Chat)
	begun := enginetest.Until[play.Warming](s.Harness, nil)
	ended := enginetest.Until[play.Warming](s.Harness, nil)
	if begun.Over || !ended.Over || begun.Chat != s.Chat || begun.Tokens < play.WarmLeast {
		t.Errorf("%+v, then %+v", begun, ended)
	}
	calls := s.readAhead()
	if len(calls) < 2 || len(calls[0].Format) > 0 {
		t.Fatalf("%d requests read ahead, of a pace that nobody knows", len(calls))
	}
	play.StopWarm(s.Play)
	v, err := s.Play.Prompt(s.Context(), s.Chat, "And now?")
	if enginetest.Must(t, err); v.PredictedReread >= play.WarmLeast {
		t.Errorf("%d tokens are still to be read", v.PredictedReread)
	}
	whole := r.fresh()
	if ms, is := s.Models.TokenMS(demo.Model), 2.0; ms < is*0.7 || ms > is*1.4 {
		t.Errorf("of the speed was learnt that a token takes %v ms; it takes %v", ms, is)
	}
	s.Say("And now?")
	if now := r.last(); now.Fresh*4 > whole {
		t.Errorf("the turn read %d of %d tokens, reading ahead %d", now.Fresh, now.Prompt, whole)
	}
	s.Sound()
}

// A scene's end changes the text before the newest messages: it is read while the user types.
func TestWarm_AfterARecap(t *testing.T) {
	t.Parallel()
	s, r := warming(t)
	s.Say("And now?")
	enginetest.Must(t, s.Start())
	s.Play.EnterChat(s.Chat)
	s.End(s.Exchange(8, "door")[3])
	if s.RunningNow().Version() == nil {
		t.Fatal("there is no running recap")
	}
	enginetest.Must(t, enginetest.Eventually(s.Harness, func() bool {
		v, err := s.Play.Prompt(s.Context(), s.Chat, "And then?")
		return err == nil && v.PredictedReread < play.WarmLeast
	}))
	s.Say("And then?")
	if now := r.last(); now.Fresh > play.WarmLeast {
		t.Errorf("the turn read %d of %d tokens", now.Fresh, now.Prompt)
	}
	s.Sound()
}

// All options except the length of the answer are those of the chat's own requests: others would
// reload the model.
func TestWarm_AsksAsTheChatDoes(t *testing.T) {
	t.Parallel()
	top, seed := 7, 3
	s, _ := warming(t, func(o *enginetest.Setup) {
		o.Cfg.Sampling = storage.Profile{TopK: &top, Seed: &seed, Stop: []string{"<end>"}}
	})
	s.look(s.Chat)
	s.Say("And now?")
	bodies := map[bool]map[string]any{}
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" {
			var body map[string]any
			enginetest.Must(t, json.Unmarshal(c.Body, &body))
			delete(body, "messages")
			delete(body["options"].(map[string]any), "num_predict")
			bodies[c.Reads()] = body
		}
	}
	if diff := cmp.Diff(bodies[false], bodies[true]); diff != "" || len(bodies) != 2 {
		t.Errorf("%d kinds of requests: %s", len(bodies), diff)
	}
}

func TestWarm_NothingToDo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(s *harness){
		"nobody is there":  func(s *harness) { s.look("") },
		"the chat is gone": func(s *harness) { s.look("no chat") },
		"work waits":       func(s *harness) { enginetest.Must(s.T, s.waits()); s.look(s.Chat) },
		"the server is silent": func(s *harness) {
			s.Spoil(demo.Fault{Kind: demo.Unavailable})
			s.look(s.Chat)
		},
		"what was read already": func(s *harness) { s.Say("And now?"); s.look(s.Chat) },
		"a short chat": func(s *harness) {
			c, _, err := s.Chats.Path(s.Chat, 1)
			enginetest.Must(s.T, err)
			other, err := s.Chats.New(c.Character, "")
			enginetest.Must(s.T, err)
			s.Say("And now?") // the character is read
			s.look(other.ID)
		},
		"a reply is written": func(s *harness) {
			turn, err := play.Reserve(s.Play, s.Chat)
			enginetest.Must(s.T, err)
			s.look(s.Chat)
			play.Abandon(s.Play, s.Chat, turn, failure.ErrStopped)
		},
		"a picture is made": func(s *harness) {
			enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
				return s.Pictures.QueueCapture(tx, pictures.OpCaptureSend, pictures.CaptureParams{Chat: s.Chat})
			}))
			s.look(s.Chat)
		},
		"work runs": func(s *harness) {
			free := make(chan struct{})
			defer close(free)
			s.OnJobs(demo.Fault{Kind: demo.Wait, Until: free})
			enginetest.Must(s.T, s.Start())
			enginetest.Must(s.T, s.waits())
			s.Core().Queue.Wake()
			enginetest.Until(s.Harness, func(ev queue.Changed) bool { return ev.Operation.Status == storage.InProgress })
			s.look(s.Chat)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := warming(t)
			test(s)
			if n := len(s.readAhead()); n > 0 && name != "the server is silent" {
				t.Errorf("%d requests read ahead", n)
			}
			s.Sound()
		})
	}
}

// waits adds work to the model's lane.
func (s *harness) waits() error {
	return s.Core().Store.Update(func(tx *storage.Tx) error {
		_, err := s.Core().Queue.AddOperation(tx, scenes.OpDetect, chats.Params{Chat: s.Chat, Node: s.lastID(tx)}, nil)
		return err
	})
}

func (s *harness) lastID(tx *storage.Tx) storage.NodeID {
	c, err := storage.Chats.Get(tx, s.Chat)
	enginetest.Must(s.T, err)
	return c.Head
}

// aheadHangs has the server never answer the first prompt that is read ahead, and returns a channel
// that reports the request.
func (s *harness) aheadHangs() (asked <-chan struct{}) {
	seen := make(chan struct{}, 1)
	var first atomic.Bool
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if !c.Reads() || !first.CompareAndSwap(false, true) {
			return demo.Fault{}
		}
		seen <- struct{}{}
		return demo.Fault{Kind: demo.Wait}
	})
	return seen
}

func TestWarm_GivesWay(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(s *harness){
		"to a turn": func(s *harness) { s.Say("And now?") },
		"to work": func(s *harness) {
			enginetest.Must(s.T, s.waits())
			s.Play.WarmUpSoon()
			enginetest.Until(s.Harness, func(w play.Warming) bool { return w.Over })
			s.Work()
		},
		"to leaving":     func(s *harness) { s.Play.LeaveChat(s.Chat) },
		"to another one": func(s *harness) { s.Play.EnterChat("another chat") },
		"to the end":     func(s *harness) { s.Shut() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := warming(t)
			asked := s.aheadHangs()
			s.Play.EnterChat(s.Chat)
			select {
			case <-asked:
			case <-s.Context().Done():
				t.Fatal("the cache was not warmed")
			}
			stop(s)
			if s.Engine == nil {
				return
			}
			play.StopWarm(s.Play)
			if play.IsWarming(s.Play) {
				t.Error("it still reads")
			}
			s.Sound()
		})
	}
}

// How much of an interrupted prompt was read is unknown: only the part that is the same as before
// counts as read.
func TestWarm_BrokenOff(t *testing.T) {
	t.Parallel()
	s, _ := warming(t)
	s.Say("And now?")
	_, before := play.LastPrompt(s.Engine.Play)
	play.SetLastMessages(s.Engine.Play, []prompt.Message{before[0], {Role: "user", Content: "something else"}})
	asked := s.aheadHangs()
	s.Play.EnterChat(s.Chat)
	<-asked
	play.StopWarm(s.Play)
	_, read := play.LastPrompt(s.Engine.Play)
	if diff := cmp.Diff(before[:1], read); diff != "" {
		t.Error(diff)
	}
}

func TestWarm_IsOffByDefault(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Exchange(20, "lamp")
	s.Play.EnterChat(s.Chat)
	s.Play.WarmUpSoon()
	if play.LooksForWarming(s.Play) {
		t.Error("something looks for prompts to read ahead")
	}
	play.StopWarm(s.Play)
	s.Play.LeaveChat(s.Chat)
	if play.WarmedChat(s.Play) != "" {
		t.Error("the chat is still entered")
	}
}

// Work whose answer has the wrong form has been read too: the next prompt is read ahead after it.
func TestWarm_AfterAnAnswerOfTheWrongForm(t *testing.T) {
	t.Parallel()
	s, r := warming(t, func(o *enginetest.Setup) { o.Cfg.Stage.Separate = true })
	s.Say("And the rope?")
	s.look(s.Chat)
	before := len(s.readAhead())
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if len(c.Format) == 0 {
			return demo.Fault{}
		}
		return demo.Fault{Kind: demo.Say,
			Text: `{"scene_name": "The rope", "recap": {"current_situation": [], "key_developments": [], "dialogue_highlights": [],
			"tone_style": [], "pending_threads": [{"text": "The rope is still there", "messages": [1]}]}, "atmosphere": "", "emotional_beats": "", "lorebooks": []}`}
	})
	s.End(s.Last().ID)
	s.look(s.Chat)
	if n := len(s.readAhead()) - before; n == 0 || r.last().Fresh < play.WarmLeast {
		t.Errorf("%d parts of a prompt were read ahead, %d of %d tokens of the last", n, r.last().Fresh,
			r.last().Prompt)
	}
	s.Say("And now?")
	if last := r.last(); last.Fresh > 100 {
		t.Errorf("the turn reads %d of %d tokens", last.Fresh, last.Prompt)
	}
}
