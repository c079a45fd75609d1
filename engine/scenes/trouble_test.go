package scenes_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recapped is a harness with one scene that has a recap, and its break.
func recapped(t *testing.T, change ...func(*enginetest.Setup)) (*harness, storage.NodeID) {
	s := (&harness{enginetest.NewHarness(t, change...)})
	a := s.Exchange(4, "lamp")
	s.End(a[5])
	s.DrainFeed()
	return s, a[5]
}

// fails has another recap made, which fails, and returns the operation.
func (s *harness) fails(node storage.NodeID) storage.Operation {
	s.T.Helper()
	id, err := s.Scenes.Recap(s.Chat, node, scenes.RecapRequest{Force: true})
	enginetest.Must(s.T, err)
	if _, err := s.Queue.Drain(s.Context()); !errors.Is(err, queue.ErrFailed) {
		s.T.Fatalf("draining: %v", err)
	}
	op, err := s.FindOperation(string(id))
	enginetest.Must(s.T, err)
	return op
}

// Failures of a recap, and the messages to the user. Stored data stays, and when the trouble is
// over a retry does the work.
func TestRecapTrouble(t *testing.T) {
	cases := map[string]struct {
		spoil func(*harness)
		mend  func(*harness)
		words []string
		calls int // answers asked for; -1 for any number
	}{
		"the call fails": {
			spoil: func(s *harness) { s.OnJobs(demo.Fault{Kind: demo.Missing}) },
			words: []string{demo.Model}, calls: -1},
		"not JSON": {
			spoil: func(s *harness) {
				s.OnJobs(demo.Fault{Kind: demo.Say, Text: "Once upon a time the lamp went out."})
			},
			words: []string{"the recap had an invalid format", "Existing data is unchanged"}, calls: 2},
		"a field is missing": {
			spoil: func(s *harness) { s.OnJobs(demo.Fault{Kind: demo.Say, Text: `{"scene_name": "The lamp"}`}) },
			words: []string{"the recap had an invalid format", "recap"}, calls: 2},
		"cut off": {
			spoil: func(s *harness) { s.OnJobs(demo.Fault{Kind: demo.Cut, After: 5}) },
			words: []string{"the recap had an invalid format", "length"}, calls: 2},
		"no room": {
			spoil: func(s *harness) { s.cfgContext(400) },
			mend:  func(s *harness) { s.cfgContext(0) },
			words: []string{"400", "split the scene", "larger context"}, calls: 0},
		"no such model": {
			spoil: func(s *harness) {
				s.ProfileFor(models.JobRecap, storage.Profile{Name: "gone", Model: "nosuch:7b", NumPredict: 500})
			},
			mend:  func(s *harness) { enginetest.Must(s.T, s.Models.AssignProfile(models.JobRecap, "")) },
			words: []string{`"gone"`, `"nosuch:7b"`, "model pull"}, calls: 0},
		"no such profile": {
			spoil: func(s *harness) {
				s.ProfileFor(models.JobRecap, storage.Profile{Name: "gone", NumPredict: 500})
				enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Profiles.Delete(tx, "gone") }))
			},
			mend:  func(s *harness) { enginetest.Must(s.T, s.Models.AssignProfile(models.JobRecap, "")) },
			words: []string{`"gone"`, "choose another"}, calls: 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, node := recapped(t)
			before := s.recapOf(node)
			c.spoil(s)
			calls := s.AskedFor("scene_name")
			op := s.fails(node)
			if got := s.AskedFor("scene_name") - calls; c.calls >= 0 && got != c.calls {
				t.Errorf("asked %d times, want %d", got, c.calls)
			}
			for _, w := range c.words {
				if !strings.Contains(op.Error, w) {
					t.Errorf("%q does not say %q", op.Error, w)
				}
			}
			if now := s.recapOf(node); len(now.Versions) != 1 || now.Version().Text != before.Version().Text {
				t.Error("what was stored has changed")
			}
			s.SpoilBy(nil)
			if c.mend != nil {
				c.mend(s)
			}
			enginetest.Must(t, s.Queue.Retry(op.ID))
			s.Work()
			if n := len(s.recapOf(node).Versions); n != 2 {
				t.Errorf("%d versions after the retry", n)
			}
			s.Sound()
		})
	}
}

// cfgContext sets the context length of requests.
func (s *harness) cfgContext(n int) {
	s.Engine.Core().Reconfigure(func(c *config.Config) { c.Sampling.NumCtx = n })
}

func TestRecap_AFaultThatPassesIsTriedAgain(t *testing.T) {
	t.Parallel()
	s, node := recapped(t)
	n := 0
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if c.Path != "/api/chat" || c.Reads() {
			return demo.Fault{}
		}
		if n++; n == 1 {
			return demo.Fault{Kind: demo.ServerError}
		}
		return demo.Fault{}
	})
	id, err := s.Scenes.Recap(s.Chat, node, scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	op, err := s.FindOperation(string(id))
	if enginetest.Must(t, err); op.Attempts != 2 || len(s.recapOf(node).Versions) != 2 {
		t.Errorf("%d attempts, %d versions", op.Attempts, len(s.recapOf(node).Versions))
	}
}

func TestRecap_AWrongAnswerIsAskedAgainOnce(t *testing.T) {
	t.Parallel()
	s, node := recapped(t)
	n := 0
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if !strings.Contains(string(c.Format), "scene_name") {
			return demo.Fault{}
		}
		if n++; n == 1 {
			return demo.Fault{Kind: demo.Say, Text: `{"recap": "no name"}`}
		}
		return demo.Fault{}
	})
	_, err := s.Scenes.Recap(s.Chat, node, scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	if got := len(s.recapOf(node).Versions); got != 2 || n != 2 {
		t.Errorf("%d versions after %d answers", got, n)
	}
}

// A line that only a message says that does not exist is asked for once more, and then left
// out, where the user sees it and can bring it back.
func TestRecap_WhatNoMessageSaysIsLeftOut(t *testing.T) {
	t.Parallel()
	s, node := recapped(t)
	n, again := 0, ""
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if !strings.Contains(string(c.Format), "scene_name") {
			return demo.Fault{}
		}
		if n++; n > 1 {
			again = c.Messages[len(c.Messages)-1].Content
		}
		return answer(map[string]any{"scene_name": "A lamp", "atmosphere": "quiet", "emotional_beats": "trust", "lorebooks": []any{}, "recap": map[string]any{
			"current_situation": []map[string]any{{"text": "Tove has the lamp.", "messages": []int{1}}}, "key_developments": []any{},
			"dialogue_highlights": []any{}, "tone_style": []any{}, "pending_threads": []map[string]any{{"text": "The moon is out.", "messages": []int{99}}}}})
	})
	_, err := s.Scenes.Recap(s.Chat, node, scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	v := s.recapOf(node).Version()
	if n != 2 || !strings.Contains(again, "names message 99") {
		t.Errorf("asked %d times, the last time: %s", n, again)
	}
	if strings.Contains(v.Text, "moon") || len(v.Dropped) != 1 || v.Dropped[0].Bullet != "The moon is out." || !strings.Contains(v.Dropped[0].Why, "99") {
		t.Errorf("%s\n%+v", v.Text, v.Dropped)
	}
}

// A model that numbers no message rightly still makes a recap.
func TestRecap_NoNumberIsRight(t *testing.T) {
	t.Parallel()
	s, node := recapped(t)
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if !strings.Contains(string(c.Format), "scene_name") {
			return demo.Fault{}
		}
		return answer(map[string]any{"scene_name": "A lamp", "atmosphere": "quiet", "emotional_beats": "trust", "lorebooks": []any{}, "recap": map[string]any{
			"current_situation": []map[string]any{{"text": "Tove has the lamp.", "messages": []int{98}}}, "key_developments": []any{},
			"dialogue_highlights": []any{}, "tone_style": []any{}, "pending_threads": []map[string]any{{"text": "The moon is out.", "messages": []int{99}}}}})
	})
	_, err := s.Scenes.Recap(s.Chat, node, scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	v := s.recapOf(node).Version()
	if !strings.Contains(v.Text, "has the lamp") || !strings.Contains(v.Text, "moon") || len(v.Dropped) != 0 || len(v.Sources) != 0 {
		t.Errorf("%s\n%+v %+v", v.Text, v.Dropped, v.Sources)
	}
}

// The form of other programs' answers is accepted too.
func TestRecap_AMarkdownAnswerIsTaken(t *testing.T) {
	t.Parallel()
	s, node := recapped(t)
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if !strings.Contains(string(c.Format), "scene_name") {
			return demo.Fault{}
		}
		return answer(map[string]any{"scene_name": "A lamp", "atmosphere": "quiet", "emotional_beats": "trust",
			"recap":        "## Key Developments\n- Tove says the lamp belonged to her brother [2]\n## Pending Threads\n- Who lit it?",
			"setting_lore": []map[string]any{{"name": "Lamp", "type": "item", "keywords": []string{"Lamp"}, "content": "[item-Lamp: brass]"}}})
	})
	_, err := s.Scenes.Recap(s.Chat, node, scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	s.Work()
	v := s.recapOf(node).Version()
	order := -1
	for _, h := range []string{"## Current Situation", "## Key Developments", "## Dialogue Highlights", "## Tone & Style", "## Pending Threads"} {
		at := strings.Index(v.Text, h)
		if at <= order {
			t.Errorf("%s stands at %d in:\n%s", h, at, v.Text)
		}
		order = at
	}
	if v.SceneName != "A lamp" || len(v.Lorebooks) != 1 || v.Lorebooks[0].Name != "Lamp" || len(v.Sources) == 0 {
		t.Errorf("%+v", v.Recap)
	}
}

func TestRecap_CancelledIsNoError(t *testing.T) {
	t.Parallel()
	s, node := recapped(t)
	enginetest.Must(t, s.Start())
	s.OnJobs(demo.Fault{Kind: demo.Hang})
	id, err := s.Scenes.Recap(s.Chat, node, scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	enginetest.Until(s.Harness, func(ev queue.Changed) bool {
		return ev.Operation.ID == id && ev.Operation.Status == storage.InProgress
	})
	enginetest.Must(t, s.Queue.Cancel(id))
	enginetest.Until(s.Harness, func(ev queue.Changed) bool {
		return ev.Operation.ID == id && ev.Operation.Status == storage.Cancelled
	})
	for _, ev := range s.Seen {
		if n, ok := ev.(event.Notice); ok && n.Level == event.Error {
			t.Errorf("the user is told: %s", n.Text)
		}
	}
	if s.scenesNow().List[0].Working {
		t.Error("the scene is still worked on")
	}
}

func TestRecap_WhatItWorksOnGoesAway(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(*harness, storage.NodeID) error{
		"the break": func(s *harness, n storage.NodeID) error { _, err := s.Scenes.SetBreak(s.Chat, n, false); return err },
		"the chat":  func(s *harness, _ storage.NodeID) error { return s.Play.DeleteChat(s.Chat) },
		"the messages": func(s *harness, n storage.NodeID) error {
			return s.Chats.Delete(s.Chat, n, false)
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, node := recapped(t)
			enginetest.Must(t, s.Start())
			open := make(chan struct{})
			s.OnJobs(demo.Fault{Kind: demo.Wait, Until: open})
			id, err := s.Scenes.Recap(s.Chat, node, scenes.RecapRequest{Force: true})
			enginetest.Must(t, err)
			enginetest.Until(s.Harness, func(ev queue.Changed) bool {
				return ev.Operation.ID == id && ev.Operation.Status == storage.InProgress
			})
			enginetest.Must(t, remove(s, node))
			close(open)
			done := enginetest.Until(s.Harness, func(ev queue.Changed) bool {
				return ev.Operation.ID == id && ev.Operation.Status != storage.InProgress
			})
			if done.Operation.Status != storage.Completed {
				t.Errorf("%s: %s", done.Operation.Status, done.Operation.Error)
			}
			s.Sound()
		})
	}
}

func TestRecap_AServerThatHangsRunsOutOfTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		limit func(*enginetest.Setup)
		hang  demo.Fault
	}{
		"of one try":       {func(o *enginetest.Setup) { o.Cfg.Jobs.Timeout = 3 * time.Second }, demo.Fault{Kind: demo.Hang}},
		"without progress": {func(o *enginetest.Setup) { o.Cfg.GiveUp = 3 * time.Second }, demo.Fault{Kind: demo.Hang}},
		"in the middle":    {func(o *enginetest.Setup) { o.Cfg.GiveUp = 3 * time.Second }, demo.Fault{Kind: demo.Hang, After: 5}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, node := recapped(t, c.limit)
			s.SpoilBy(demo.Times(1, c.hang, func(c demo.Call) bool { return c.Job() == demo.SceneJob }))
			id, err := s.Scenes.Recap(s.Chat, node, scenes.RecapRequest{Force: true})
			enginetest.Must(t, err)
			enginetest.Must(t, s.Start())
			enginetest.Until(s.Harness, func(ev queue.Changed) bool {
				return ev.Operation.ID == id && strings.Contains(ev.Operation.Error, "too long")
			})
			enginetest.Until(s.Harness, func(ev queue.Changed) bool {
				return ev.Operation.ID == id && ev.Operation.Status == storage.Completed
			})
		})
	}
}

func TestQueue_TheUserComesFirst(t *testing.T) {
	t.Parallel()
	for name, waits := range map[string]bool{"interrupted": false, "waited for": true} {
		t.Run(name, func(t *testing.T) {
			s, node := recapped(t, func(o *enginetest.Setup) { o.Cfg.Jobs.ChatWaits = waits })
			enginetest.Must(t, s.Start())
			open := make(chan struct{})
			s.OnJobs(demo.Fault{Kind: demo.Wait, Until: open})
			id, err := s.Scenes.Recap(s.Chat, node, scenes.RecapRequest{Force: true})
			enginetest.Must(t, err)
			enginetest.Until(s.Harness, func(ev queue.Changed) bool {
				return ev.Operation.ID == id && ev.Operation.Status == storage.InProgress
			})
			if waits {
				_, err := s.Play.Send(s.Chat, "Never mind that.")
				enginetest.Must(t, err)
				close(open)
				_, err = s.Ended()
				enginetest.Must(t, err)
				op, err := s.FindOperation(string(id))
				if enginetest.Must(t, err); op.Status != storage.Completed || op.Attempts != 1 {
					t.Errorf("%s after %d attempts", op.Status, op.Attempts)
				}
				return
			}
			s.Say("Never mind that.")
			close(open)
			done := enginetest.Until(s.Harness, func(ev queue.Changed) bool {
				return ev.Operation.ID == id && ev.Operation.Status == storage.Completed
			})
			if done.Operation.Attempts != 1 {
				t.Errorf("%d attempts count", done.Operation.Attempts)
			}
			if n := len(s.recapOf(node).Versions); n != 2 {
				t.Errorf("%d versions", n)
			}
		})
	}
}

func TestProfiles_AreCheckedWhenSaved(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	ctx := context.Background()
	hot := 9.0
	for name, c := range map[string]struct {
		p    storage.Profile
		want string
	}{
		"no name":             {storage.Profile{NumPredict: 100}, "name"},
		"no room":             {storage.Profile{Name: "a"}, "num_predict must be"},
		"less than no room":   {storage.Profile{Name: "a", NumPredict: -1}, "num_predict must be"},
		"no room for prompts": {storage.Profile{Name: "a", NumCtx: 512, NumPredict: 512}, "no room for the prompt"},
		"no such model":       {storage.Profile{Name: "a", NumPredict: 100, Model: "nosuch"}, demo.Model},
		"too much context":    {storage.Profile{Name: "a", NumPredict: 100, NumCtx: 1 << 20, Model: demo.Model}, "at most"},
		"cannot think":        {storage.Profile{Name: "a", NumPredict: 100, Model: demo.Model, Think: storage.ThinkOn}, "does not support thinking"},
		"too hot":             {storage.Profile{Name: "a", NumPredict: 100, Temperature: &hot}, "temperature"},
		"a bad address":       {storage.Profile{Name: "a", NumPredict: 100, Server: "::nowhere"}, "address"},
	} {
		if _, err := s.Models.SaveProfile(ctx, c.p); err == nil || !strings.Contains(failure.Text(err), c.want) {
			t.Errorf("%s: %q does not say %q", name, failure.Text(err), c.want)
		}
	}
	notes, err := s.Models.SaveProfile(ctx, storage.Profile{Name: "far", NumPredict: 100, Server: "http://127.0.0.1:1", Model: "any"})
	if err != nil || len(notes) != 1 || !strings.Contains(notes[0], "not checked") {
		t.Errorf("a server that is away: %v %v", notes, err)
	}
	if notes, err := s.Models.SaveProfile(ctx, storage.Profile{Name: "good", NumPredict: 2000, Model: demo.ThinkModel, Think: storage.ThinkOn}); err != nil || len(notes) != 0 {
		t.Errorf("%v %v", notes, err)
	}
	enginetest.Must(t, s.Models.AssignProfile(models.JobRecap, "good"))
	if err := s.Models.AssignProfile("dreams", "good"); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("an unknown kind: %v", err)
	}
	a := s.Exchange(3, "lamp")
	s.End(a[3])
	if m := s.recapOf(a[3]).Version().Model; m != demo.ThinkModel {
		t.Errorf("the recap was made by %s", m)
	}
	enginetest.Must(t, s.Models.DeleteProfile("good"))
	_, jobs, err := s.Models.Profiles()
	enginetest.Must(t, err)
	for _, j := range jobs {
		if j.Profile != "" {
			t.Errorf("%s still uses %s", j.Kind, j.Profile)
		}
	}
}
