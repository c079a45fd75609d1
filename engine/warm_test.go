package engine

import (
	"encoding/json"
	"sync"
	"testing"

	"ghostlight/engine/play/script"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"

	"github.com/google/go-cmp/cmp"
)

// readings are the prompts that the server has read.
type readings struct {
	mu   sync.Mutex
	list []rehearsal.Read
}

func (r *readings) add(one rehearsal.Read) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, one)
}

func (r *readings) last() rehearsal.Read {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list[len(r.list)-1]
}

// warming is a stage that reads ahead, with a chat that is long enough for it.
func warming(t *testing.T, change ...func(*setup)) (*stage, *readings) {
	t.Helper()
	var r readings
	s := newStage(t, append(change, func(o *setup) {
		o.cfg.Stage.WarmUp = true
		o.cfg.Stage.NoDirector, o.cfg.Stage.NoMemories, o.cfg.Stage.NoHooks = true, true, true
		o.house.OnRead = r.add
	})...)
	s.exchange(20, "lamp")
	return s, &r
}

// isAhead tells a request that reads ahead.
func isAhead(c rehearsal.Call) bool {
	var body struct {
		Options struct {
			NumPredict int `json:"num_predict"`
		}
	}
	return c.Path == "/api/chat" && json.Unmarshal(c.Body, &body) == nil && body.Options.NumPredict == 1
}

// readAhead are the requests that have read ahead.
func (s *stage) readAhead() (out []rehearsal.Call) {
	for _, c := range s.house.Calls() {
		if isAhead(c) {
			out = append(out, c)
		}
	}
	return out
}

// look has the engine look once, as its goroutine does.
func (s *stage) look(chat storage.ChatID) {
	w := &s.warming
	w.mu.Lock()
	w.chat = chat
	w.mu.Unlock()
	s.warmUp(w)
}

func TestWarm_TheNextTurnIsReadAhead(t *testing.T) {
	t.Parallel()
	s, r := warming(t)
	s.Entered(s.chat)
	begun := until[Warming](s, nil)
	ended := until[Warming](s, nil)
	if begun.Over || !ended.Over || begun.Chat != s.chat || begun.Tokens < warmLeast {
		t.Errorf("%+v, then %+v", begun, ended)
	}
	calls := s.readAhead()
	if len(calls) != 1 || len(calls[0].Format) > 0 {
		t.Fatalf("%d requests read ahead", len(calls))
	}
	s.stopWarm()
	v, err := s.Prompt(s.context(), s.chat, "And now?")
	if must(t, err); v.PredictedReread >= warmLeast {
		t.Errorf("%d tokens are still to be read", v.PredictedReread)
	}
	whole := r.last()
	s.say("And now?")
	if now := r.last(); now.Fresh*4 > whole.Fresh {
		t.Errorf("the turn read %d of %d tokens, reading ahead %d", now.Fresh, now.Prompt, whole.Fresh)
	}
	if ms := s.tokenMS(rehearsal.Model); ms <= 0 {
		t.Error("nothing was learnt of the speed")
	}
	s.sound()
}

// A scene's end changes what stands before the newest messages: that is read
// while the user types.
func TestWarm_AfterARecap(t *testing.T) {
	t.Parallel()
	s, r := warming(t)
	s.say("And now?")
	must(t, s.Start())
	s.Entered(s.chat)
	s.end(s.exchange(8, "door")[3])
	if s.runningNow().Version() == nil {
		t.Fatal("there is no running recap")
	}
	must(t, eventually(s, func() bool {
		v, err := s.Prompt(s.context(), s.chat, "And then?")
		return err == nil && v.PredictedReread < warmLeast
	}))
	s.say("And then?")
	if now := r.last(); now.Fresh > warmLeast {
		t.Errorf("the turn read %d of %d tokens", now.Fresh, now.Prompt)
	}
	s.sound()
}

// Every option but the length of the answer is that of the chat's own requests:
// another one would have the server load the model anew.
func TestWarm_AsksAsTheChatDoes(t *testing.T) {
	t.Parallel()
	top, seed := 7, 3
	s, _ := warming(t, func(o *setup) {
		o.cfg.Sampling = storage.Profile{TopK: &top, Seed: &seed, Stop: []string{"<end>"}}
	})
	s.look(s.chat)
	s.say("And now?")
	bodies := map[bool]map[string]any{}
	for _, c := range s.house.Calls() {
		if c.Path == "/api/chat" {
			var body map[string]any
			must(t, json.Unmarshal(c.Body, &body))
			delete(body, "messages")
			delete(body["options"].(map[string]any), "num_predict")
			bodies[isAhead(c)] = body
		}
	}
	if diff := cmp.Diff(bodies[false], bodies[true]); diff != "" || len(bodies) != 2 {
		t.Errorf("%d kinds of requests: %s", len(bodies), diff)
	}
}

func TestWarm_NothingToDo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(s *stage){
		"nobody is there":       func(s *stage) { s.look("") },
		"the chat is gone":      func(s *stage) { s.look("no chat") },
		"work waits":            func(s *stage) { must(s.t, s.waits()); s.look(s.chat) },
		"the server is silent":  func(s *stage) { s.spoil(rehearsal.Fault{Kind: rehearsal.Unavailable}); s.look(s.chat) },
		"what was read already": func(s *stage) { s.say("And now?"); s.look(s.chat) },
		"a short chat": func(s *stage) {
			c, _, err := s.Path(s.chat, 1)
			must(s.t, err)
			other, err := s.NewChat(c.Character, "")
			must(s.t, err)
			s.say("And now?") // the character is read
			s.look(other.ID)
		},
		"a reply is written": func(s *stage) {
			turn, err := s.reserve(s.chat)
			must(s.t, err)
			s.look(s.chat)
			s.abandon(s.chat, turn, ErrStopped)
		},
		"a picture is made": func(s *stage) {
			must(s.t, s.store.Update(func(tx *storage.Tx) error {
				return s.addCapture(tx, opCaptureSend, captureParams{Chat: s.chat})
			}))
			s.look(s.chat)
		},
		"work runs": func(s *stage) {
			free := make(chan struct{})
			defer close(free)
			s.onJobs(rehearsal.Fault{Kind: rehearsal.Wait, Until: free})
			must(s.t, s.Start())
			must(s.t, s.waits())
			s.queue.Wake()
			until(s, func(ev OperationChanged) bool { return ev.Operation.Status == storage.InProgress })
			s.look(s.chat)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := warming(t)
			test(s)
			if n := len(s.readAhead()); n > 0 && name != "the server is silent" {
				t.Errorf("%d requests read ahead", n)
			}
			s.sound()
		})
	}
}

// waits puts work on the model's lane.
func (s *stage) waits() error {
	return s.store.Update(func(tx *storage.Tx) error {
		_, err := s.addWork(tx, opDetect, sceneParams{Chat: s.chat, Node: s.lastID(tx)}, nil)
		return err
	})
}

func (s *stage) lastID(tx *storage.Tx) storage.NodeID {
	c, err := storage.Chats.Get(tx, s.chat)
	must(s.t, err)
	return c.Head
}

// aheadHangs has the server never answer what is read ahead, and tells when it was
// asked and when it was left again.
func (s *stage) aheadHangs() (asked <-chan struct{}) {
	seen := make(chan struct{}, 8)
	s.spoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if !isAhead(c) {
			return rehearsal.Fault{}
		}
		seen <- struct{}{}
		return rehearsal.Fault{Kind: rehearsal.Wait}
	})
	return seen
}

func TestWarm_GivesWay(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(s *stage){
		"to a turn": func(s *stage) { s.say("And now?") },
		"to work": func(s *stage) {
			must(s.t, s.waits())
			s.warmSoon()
			until(s, func(w Warming) bool { return w.Over })
			s.work()
		},
		"to leaving":     func(s *stage) { s.Left(s.chat) },
		"to another one": func(s *stage) { s.Entered("another chat") },
		"to the end":     func(s *stage) { s.close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := warming(t)
			asked := s.aheadHangs()
			s.Entered(s.chat)
			select {
			case <-asked:
			case <-s.context().Done():
				t.Fatal("nothing was read ahead")
			}
			stop(s)
			if s.Engine == nil {
				return
			}
			s.stopWarm()
			if s.warming.stop != nil {
				t.Error("it still reads")
			}
			s.sound()
		})
	}
}

// What was read of a prompt that was broken off is not known, but no more than
// what is the same as before counts as read.
func TestWarm_BrokenOff(t *testing.T) {
	t.Parallel()
	s, _ := warming(t)
	s.say("And now?")
	before := s.Engine.last.messages
	s.Engine.last.messages = []script.Message{before[0], {Role: "user", Content: "something else"}}
	asked := s.aheadHangs()
	s.Entered(s.chat)
	<-asked
	s.stopWarm()
	if diff := cmp.Diff(before[:1], s.Engine.last.messages); diff != "" {
		t.Error(diff)
	}
}

func TestWarm_IsOffByDefault(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.exchange(20, "lamp")
	s.Entered(s.chat)
	s.warmSoon()
	w := &s.warming
	if w.kick != nil {
		t.Error("something looks for prompts to read ahead")
	}
	s.stopWarm()
	s.Left(s.chat)
	if w.chat != "" {
		t.Error("the chat is still entered")
	}
}
