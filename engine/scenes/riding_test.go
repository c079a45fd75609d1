package scenes_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// riding is a stage whose chat is long enough for its prompt to be kept, with all that the
// server has read.
func riding(t *testing.T, change func(*enginetest.Setup)) (s *stage, reads func() []rehearsal.Read) {
	t.Helper()
	var mu sync.Mutex
	var list []rehearsal.Read
	s = (&stage{enginetest.NewStage(t, func(o *enginetest.Setup) {
		o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 32768, 400
		o.House.OnRead = func(r rehearsal.Read) {
			mu.Lock()
			defer mu.Unlock()
			list = append(list, r)
		}
		change(o)
	})})
	return s, func() []rehearsal.Read {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}
}

// asideAsked are the requests of background work that stand behind the chat's prompt, and
// not only behind what that begins with.
func (s *stage) asideAsked() (out []rehearsal.Call) {
	for _, c := range s.Servers.Calls() {
		if n := len(c.Messages); c.Path == "/api/chat" && len(c.Format) > 0 && n > 2 && strings.HasPrefix(c.Messages[n-1].Content, "[Out of character.\n\nThe roleplay is paused.") {
			out = append(out, c)
		}
	}
	return out
}

// The recap of a scene that stands in the chat's prompt is asked for behind that, and so
// is its merging: neither costs the chat its place in the server's cache.
func TestRecap_StandsBehindTheChat(t *testing.T) {
	t.Parallel()
	s, reads := riding(t, func(*enginetest.Setup) {})
	first := s.long(30)
	s.Say("And *what* of <the rope>?")
	s.End(first[12])
	s.Say("And then?")
	whole := reads()[len(reads())-1].Prompt
	s.End(s.Last().ID)
	asides := s.asideAsked()
	if len(asides) != 3 {
		t.Fatalf("%d requests stand behind the chat's prompt", len(asides))
	}
	n := len(asides[1].Messages)
	if last := asides[1].Messages[n-1].Content; !strings.Contains(last, "[1] ") || strings.Contains(last, "gulls cry above the roofs while the tide goes out. They walk on along the quay, slowly, and the gulls") ||
		!strings.Contains(last, "beginning “"+kept(13)) || strings.Contains(last, kept(12)) {
		t.Errorf("the scene is told of with: %s", last)
	}
	for _, r := range reads()[len(reads())-2:] {
		if r.Fresh > whole/2 {
			t.Errorf("%d of %d tokens were read", r.Fresh, r.Prompt)
		}
	}
	s.Say("And now?")
	if now := reads()[len(reads())-1]; now.Fresh > 200 {
		t.Errorf("the turn after it read %d of %d tokens", now.Fresh, now.Prompt)
	}
	if s.RunningNow().Version() == nil || s.recapOf(first[12]).Version() == nil {
		t.Error("nothing came of it")
	}
	s.Sound()
}

// It does not where that would tell another story, or cost more.
func TestRecap_StandsAlone(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(s *stage, all []storage.NodeID){
		"something else was read": func(s *stage, all []storage.NodeID) {
			s.Play.ForgetRead([]string{rehearsal.Model})
			s.End(all[12])
		},
		"it has left the prompt": func(s *stage, all []storage.NodeID) {
			enginetest.Must(s.T, s.Chats.Edit(s.Chat, all[3], "*Tove shuts the lamp room.*")) // the server has it as it was
			s.End(all[12])
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := riding(t, func(*enginetest.Setup) {})
			all := s.long(30)
			s.Say("And the rope?")
			test(s, all)
			if n := len(s.asideAsked()); n > 0 {
				t.Errorf("%d requests stand behind the chat's prompt", n)
			}
			s.Sound()
		})
	}
	for name, change := range map[string]func(*enginetest.Setup){
		"each by itself":        func(o *enginetest.Setup) { o.Cfg.Stage.Separate = true },
		"the user's words only": func(o *enginetest.Setup) { o.Cfg.Scenes.Types = "user" },
		"there is no room":      func(o *enginetest.Setup) { o.Cfg.Sampling.NumCtx = 8192 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := riding(t, change)
			all := s.long(30)
			s.Say("And the rope?")
			s.End(all[12])
			if n := len(s.asideAsked()); n > 0 {
				t.Errorf("%d requests stand behind the chat's prompt", n)
			}
			s.Sound()
		})
	}
}

// A recap that cannot stand behind the chat's prompt stands behind what that begins with,
// which the server keeps so; where it has something else, the recap stands alone.
func TestRecap_StandsBehindTheHead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before func(s *stage)
		kept   bool
	}{
		"the head is there": {func(*stage) {}, true},
		"it was unloaded":   {func(s *stage) { s.Play.ForgetRead([]string{rehearsal.Model}) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, reads := riding(t, func(*enginetest.Setup) {})
			all := s.long(30)
			s.Say("And the rope?")
			enginetest.Must(t, s.Chats.Edit(s.Chat, all[3], "*Tove shuts the lamp room.*"))
			test.before(s)
			s.End(all[12])
			s.Say("And now?")
			calls, read := s.Servers.Calls(), reads()
			head := calls[slices.IndexFunc(calls, func(c rehearsal.Call) bool { return c.Path == "/api/chat" })].Messages[0]
			recap := calls[slices.IndexFunc(calls, func(c rehearsal.Call) bool { return c.Job() == rehearsal.SceneJob })].Messages
			if got := recap[0].Content == head.Content && recap[0].Role == storage.System; got != test.kept {
				t.Errorf("the recap begins with %.80q", recap[0].Content)
			}
			if last := read[len(read)-1]; last.Fresh < last.Prompt-8 != test.kept {
				t.Errorf("the turn after it read %d of %d tokens", last.Fresh, last.Prompt)
			}
			if v := s.recapOf(all[12]).Version(); v == nil || len(v.Sources) == 0 {
				t.Errorf("it came to %+v", v)
			}
			s.Sound()
		})
	}
}

// A recap that has no room behind the whole prompt stands behind as much of it as has its
// scene: it costs no more than its own words, though the chat loses what is behind there.
func TestRecap_StandsBehindAPart(t *testing.T) {
	t.Parallel()
	s, reads := riding(t, func(o *enginetest.Setup) {
		telling(o)
		o.Cfg.Sampling.NumCtx, o.Cfg.Scenes.NoInterim = 8192, true
	})
	for i := 0; i < 40 && s.turn(i).Tokens < 6300; i++ {
	}
	nodes := s.Nodes()
	calls := s.Servers.Calls()
	turn := calls[len(calls)-1]
	s.End(nodes[6].ID)
	var asked []rehearsal.Call
	for _, c := range s.Servers.Calls()[len(calls):] {
		if c.Job() == rehearsal.SceneJob {
			asked = append(asked, c)
		}
	}
	if len(asked) != 1 || len(asked[0].Messages) < 8 || len(asked[0].Messages) > len(turn.Messages) {
		t.Fatalf("%d requests, %d of %d messages", len(asked), len(asked[0].Messages), len(turn.Messages))
	}
	if before := asked[0].Messages[len(asked[0].Messages)-2]; before.Role != storage.Assistant {
		t.Errorf("it comes after what %s says", before.Role)
	}
	for _, r := range reads() {
		if r.Structured && r.Fresh > r.Last+10 {
			t.Errorf("%d of %d tokens were read, %d of them the request", r.Fresh, r.Prompt, r.Last)
		}
	}
	if shown := enginetest.Flat(asked[0]); !strings.Contains(shown, kept(0)) || !strings.Contains(shown, kept(1)) {
		t.Errorf("it is asked of %s", shown)
	}
	if v := s.recapOf(nodes[6].ID).Version(); v == nil || len(v.Sources) == 0 || !slices.Equal(v.Sources[0].Messages, []storage.NodeID{nodes[0].ID}) {
		t.Errorf("it came to %+v", v)
	}
	s.Sound()
}

// How an open scene began is told behind the chat's prompt too, and what two interim
// recaps tell is put together without asking as long as it is little: the chat keeps its
// place in the server's cache until the history folds.
func TestInterim_StandsBehindTheChat(t *testing.T) {
	t.Parallel()
	s, reads := riding(t, func(o *enginetest.Setup) {
		telling(o)
		o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 32768, 2000
		script := o.House.Script
		o.House.Script = func(m []storage.Node, take int) string {
			return script(m, take) + strings.Repeat("They walk on along the quay, slowly. ", 110)
		}
	})
	r := s.reader()
	made, parts := 0, 0
	for i := 0; i < 60 && parts < 2; i++ {
		s.turn(i)
		v := s.interim()
		if v == nil || v.Parts == parts {
			continue
		}
		parts = v.Parts
		for n, m := range s.Nodes() {
			f, _, ok := strings.Cut(m.Content, ". They walk")
			if ok && m.Role == storage.Assistant && n < v.Messages && !strings.Contains(v.Text, f) {
				t.Errorf("part %d: %q is lost", parts, f)
			}
		}
		if len(v.Carried) > 0 {
			t.Errorf("part %d: %q is said to be forgotten", parts, v.Carried)
		}
	}
	for i, read := range reads() {
		if !read.Structured {
			continue
		}
		made++
		if read.Fresh > read.Prompt/2 {
			t.Errorf("request %d read %d of %d tokens", i, read.Fresh, read.Prompt)
		}
	}
	if parts < 2 || made != 2*parts || r.merges > 0 || len(s.asideAsked()) != made { // full lists are asked for more
		t.Errorf("%d parts, %d requests of which %d stand behind the chat's prompt and %d put together", parts, made, len(s.asideAsked()), r.merges)
	}
	s.Sound()
}
