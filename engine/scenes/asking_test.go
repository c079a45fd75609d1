package scenes_test

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// readingHarness is a harness whose chat is long enough for its prompt to be kept, with all that the
// server has read.
func readingHarness(t *testing.T, change func(*enginetest.Setup)) (s *harness, reads func() []demo.Read) {
	t.Helper()
	var mu sync.Mutex
	var list []demo.Read
	s = (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 32768, 400
		o.Servers.OnRead = func(r demo.Read) {
			mu.Lock()
			defer mu.Unlock()
			list = append(list, r)
		}
		change(o)
	})})
	return s, func() []demo.Read {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(list)
	}
}

// pausedStart begins a recap's request at the end of the chat's prompt.
const pausedStart = "[Out of character.\n\nYou keep the "

// appendedAsked returns the requests of background work that are appended to the chat's prompt.
func (s *harness) appendedAsked() (out []demo.Call) {
	for _, c := range s.Servers.Calls() {
		if n := len(c.Messages); c.Path == "/api/chat" && len(c.Format) > 0 && n > 2 && strings.HasPrefix(c.Messages[n-1].Content, pausedStart) {
			out = append(out, c)
		}
	}
	return out
}

// The recap of a scene in the chat's prompt is asked for at the end of that prompt, and so is its
// merging: neither costs the chat its place in the server's cache.
func TestRecap_IsAppendedToTheChatsPrompt(t *testing.T) {
	t.Parallel()
	s, reads := readingHarness(t, func(*enginetest.Setup) {})
	first := s.long(30)
	s.Say("And *what* of <the rope>?")
	s.End(first[12])
	s.Say("And then?")
	whole := reads()[len(reads())-1].Prompt
	s.End(s.Last().ID)
	appended := s.appendedAsked()
	if len(appended) != 3 {
		t.Fatalf("%d requests are appended to the chat's prompt", len(appended))
	}
	n := len(appended[1].Messages)
	if last := appended[1].Messages[n-1].Content; !strings.Contains(last, "[1] ") || strings.Contains(last, "gulls cry above the roofs while the tide goes out. They walk on along the quay, slowly, and the gulls") ||
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

// It has a prompt of its own where the settings ask for that, and where there is no room.
func TestRecap_HasItsOwnPrompt(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*enginetest.Setup){
		"each by itself":        func(o *enginetest.Setup) { o.Cfg.Stage.Separate = true },
		"the user's words only": func(o *enginetest.Setup) { o.Cfg.Scenes.Types = "user" },
		"there is no room":      func(o *enginetest.Setup) { o.Cfg.Sampling.NumCtx = 4096 },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := readingHarness(t, change)
			all := s.long(30)
			s.Say("And the rope?")
			s.End(all[12])
			if n := len(s.appendedAsked()); n > 0 {
				t.Errorf("%d requests are appended to the chat's prompt", n)
			}
			s.Sound()
		})
	}
}

// An answer at the end of the chat's prompt that ran out of room there is asked for once more, by
// a prompt that has nothing else in it.
func TestRecap_CutShortIsAskedByItsOwnPrompt(t *testing.T) {
	t.Parallel()
	appended := func(c demo.Call) bool {
		return slices.ContainsFunc(c.Messages, func(m storage.Node) bool { return strings.HasPrefix(m.Content, pausedStart) })
	}
	s, _ := readingHarness(t, func(o *enginetest.Setup) {
		o.Servers.Fault = demo.Times(2, demo.Fault{Kind: demo.Cut, After: 3}, appended) // the second is asked to be shorter
	})
	all := s.long(30)
	s.Say("And the rope?")
	s.End(all[12])
	var asked []demo.Call
	for _, c := range s.Servers.Calls() {
		if c.Path == "/api/chat" && len(c.Format) > 0 {
			asked = append(asked, c)
		}
	}
	if len(asked) != 3 || !appended(asked[1]) || appended(asked[2]) {
		t.Errorf("the recap was asked for by %d requests, %d of them appended to the chat's prompt", len(asked), len(s.appendedAsked()))
	}
	if s.recapOf(all[12]).Version() == nil {
		t.Error("there is no recap")
	}
	s.Sound()
}

// The recap of the open scene's beginning is asked for at the end of the chat's prompt too. Two
// short interim recaps are joined without asking. The chat keeps its place in the server's cache
// until the history folds.
func TestInterim_IsAppendedToTheChatsPrompt(t *testing.T) {
	t.Parallel()
	s, reads := readingHarness(t, func(o *enginetest.Setup) {
		telling(o)
		o.Cfg.Sampling.NumCtx, o.Cfg.Sampling.NumPredict = 32768, 2000
		script := o.Servers.Script
		o.Servers.Script = func(m []storage.Node, take int) string {
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
	if parts < 2 || made != 2*parts || r.merges > 0 || len(s.appendedAsked()) != made { // full lists are asked for more
		t.Errorf("%d parts, %d requests of which %d are appended to the chat's prompt and %d put together", parts, made, len(s.appendedAsked()), r.merges)
	}
	s.Sound()
}
