package engine

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ghostlight/engine/pictures/capture"
	"ghostlight/engine/queue"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// batched asks for a batch and waits until no prompt is missing.
func (s *stage) batched(r BatchRequest) BatchView {
	s.t.Helper()
	v, err := s.CaptureBatch(s.chat, r)
	must(s.t, err)
	return s.batchWhere(v.ID, func(v BatchView) bool { return v.Prompting == 0 })
}

// batchWhere waits until a batch is as wanted.
func (s *stage) batchWhere(id storage.BatchID, want func(BatchView) bool) BatchView {
	s.t.Helper()
	for {
		v, err := s.FindBatch(string(id))
		must(s.t, err)
		if want(v) {
			return v
		}
		until(s, func(ev BatchChanged) bool { return ev.Batch.ID == id })
	}
}

// promptCalls counts what was asked for the prompts of captures.
func (s *stage) promptCalls() (n int) {
	for _, c := range s.asked() {
		if strings.Contains(string(c.Format), `"negative_prompt"`) {
			n++
		}
	}
	return n
}

func TestCaptureBatch_AnglesCostOneCall(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	v := s.batched(BatchRequest{By: storage.ByAngles, Camera: storage.Camera{Lighting: "candle"}, Words: "film grain"})
	if v.Total != 4 || v.Drafts != 4 || v.Painting+v.Done+v.Failed != 0 || len(s.files()) != 0 {
		t.Fatalf("the batch: %+v", v)
	}
	if n := s.promptCalls(); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	var bases []string
	for i, id := range v.Captures {
		c := s.stored(id)
		if c.Camera.Angle != capture.UsualAngles()[i] || c.Camera.Lighting != "candle" || c.Batch != v.ID || !strings.HasSuffix(c.Prompt, "film grain") {
			t.Errorf("capture %d: %+v", i, c)
		}
		bases = append(bases, capture.Redirect(strings.TrimSuffix(c.Prompt, " film grain"), c.Camera, storage.Camera{}))
	}
	if len(slices.Compact(bases)) != 1 {
		t.Errorf("different moments: %q", bases)
	}
	sent, err := s.SendBatch(s.chat, v.ID)
	if err != nil || len(sent.Captures) != 4 || len(sent.Faults) != 0 {
		t.Fatalf("sent: %+v %v", sent, err)
	}
	v = s.batchWhere(v.ID, func(v BatchView) bool { return v.Done == v.Total })
	if _, err := s.SendBatch(s.chat, v.ID); !errors.Is(err, ErrNothing) {
		t.Errorf("sending it again: %v", err)
	}
	s.sound()
}

func TestCaptureBatch_OneThatFailsLeavesTheOthers(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	spoilt := 0
	s.spoilBy(func(c rehearsal.Call) rehearsal.Fault {
		if !strings.Contains(string(c.Format), `"negative_prompt"`) || spoilt == 2 {
			return rehearsal.Fault{}
		}
		spoilt++
		return rehearsal.Fault{Kind: rehearsal.Say, Text: "No."}
	})
	v := s.batched(BatchRequest{By: storage.ByAngles, Angles: []string{"low", "high", "low"}})
	if v.Total != 2 || v.Failed != 1 || v.Drafts != 1 {
		t.Fatalf("the batch: %+v", v)
	}
	calls := s.promptCalls()
	must(t, s.RedoCapturePrompt(v.Captures[0]))
	s.batchWhere(v.ID, func(v BatchView) bool { return v.Drafts == 2 })
	if n := s.promptCalls(); n != calls+1 {
		t.Errorf("another prompt for one cost %d calls", n-calls)
	}
}

func TestCaptureBatch_AlongTheStory(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	first := s.view().Messages
	_, err := s.SetBreak(s.chat, first[len(first)-1].ID, true)
	must(t, err)
	s.say("*I sit down.*")
	s.say("*I stand up.*")
	path := s.view().Messages
	scenes := s.batched(BatchRequest{By: storage.ByScenes})
	var at []storage.NodeID
	for _, id := range scenes.Captures {
		at = append(at, s.stored(id).At)
	}
	if want := []storage.NodeID{first[len(first)-1].ID, path[len(path)-1].ID}; !slices.Equal(at, want) {
		t.Errorf("by scenes: %v, want %v", at, want)
	}
	if n := s.promptCalls(); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
	every := s.batched(BatchRequest{By: storage.ByEvery, Every: 3, Kind: "video"})
	at = nil
	for _, id := range every.Captures {
		at = append(at, s.stored(id).At)
	}
	if want := []storage.NodeID{path[2].ID, path[5].ID}; !slices.Equal(at, want) || every.Every != 3 {
		t.Errorf("every third: %v, want %v", at, want)
	}
	list, err := s.Batches(s.chat)
	if err != nil || len(list) != 2 || list[0].ID != every.ID {
		t.Errorf("batches: %+v %v", list, err)
	}
	ops, err := s.Operations()
	must(t, err)
	for _, op := range ops {
		if op.Type == opCapturePrompt && op.Priority >= queue.DefaultPriority {
			t.Errorf("a batch goes before others: %+v", op)
		}
	}
	must(t, s.DeleteCapture(every.Captures[0]))
	if v := s.batchWhere(every.ID, func(BatchView) bool { return true }); v.Total != 1 || len(v.Captures) != 2 {
		t.Errorf("one deleted: %+v", v)
	}
}

func TestCaptureBatch_Refuses(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	for range 100 {
		must(t, s.store.Update(func(tx *storage.Tx) error {
			c, err := storage.Chats.Get(tx, s.chat)
			if err != nil {
				return err
			}
			for _, role := range []storage.Role{storage.User, storage.Assistant} {
				n := storage.Node{Chat: s.chat, Parent: c.Head, Role: role, Content: "words", State: storage.Complete}
				if err := tx.AppendNode(&n); err != nil {
					return err
				}
				c.Head = n.ID
			}
			return storage.Chats.Put(tx, s.chat, c)
		}))
	}
	for name, test := range map[string]struct {
		r    BatchRequest
		want string
	}{
		"too many":       {BatchRequest{By: storage.ByEvery, Every: 1}, "200 are the limit"},
		"too few":        {BatchRequest{By: storage.ByEvery, Every: 1000}, "fewer than"},
		"no number":      {BatchRequest{By: storage.ByEvery}, "at least 1"},
		"by drafts":      {BatchRequest{By: storage.ByDrafts}, "angles, scenes"},
		"no such angle":  {BatchRequest{By: storage.ByAngles, Angles: []string{"sideways"}}, "eye, low, high"},
		"an empty angle": {BatchRequest{By: storage.ByAngles, Angles: []string{""}}, "needs a name"},
		"no such kind":   {BatchRequest{By: storage.ByScenes, Kind: "opera"}, "image or a video"},
		"nobody":         {BatchRequest{By: storage.ByScenes, Focus: []string{"Zaphod"}}, "Tove"},
	} {
		if _, err := s.CaptureBatch(s.chat, test.r); !errors.Is(err, ErrNothing) || !strings.Contains(Words(err), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	who := s.view().Character
	who.Immersion = storage.Balanced
	_, err := s.SaveCharacter(who)
	must(t, err)
	if _, err := s.CaptureBatch(s.chat, BatchRequest{By: storage.ByAngles}); err == nil || !strings.Contains(Words(err), "immersion") {
		t.Errorf("a character that is not immersed: %v", err)
	}
	if list, err := s.Captures(s.chat); err != nil || len(list) != 0 {
		t.Errorf("what was refused stays: %d captures, %v", len(list), err)
	}
}

func TestCancelBatch(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.say("*I lift the lamp.*") // the queue does not run
	v, err := s.CaptureBatch(s.chat, BatchRequest{By: storage.ByAngles})
	must(t, err)
	n, err := s.CancelBatch(s.chat, v.ID)
	if err != nil || n != 4 {
		t.Fatalf("cancelled %d, %v", n, err)
	}
	if v, err = s.FindBatch(string(v.ID)); err != nil || v.Prompting != 0 || v.Drafts != 4 {
		t.Errorf("after that: %+v %v", v, err)
	}
	if _, err := s.CancelBatch(s.chat, v.ID); !errors.Is(err, ErrNothing) {
		t.Errorf("cancelling it twice: %v", err)
	}
	sent, err := s.SendBatch(s.chat, v.ID)
	if err != nil || len(sent.Captures) != 0 || len(sent.Faults) != 4 {
		t.Errorf("sending drafts without a prompt: %+v %v", sent, err)
	}
}

func TestCapture_OlderMomentAndFocus(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	first := s.view().Messages[0]
	s.say("*I sit down.*")
	c := s.drafted(CaptureRequest{At: first.ID, Focus: []string{"tove"}, Camera: storage.Camera{Shot: "Close-up"}})
	if c.At != first.ID || !slices.Equal(c.Focus, []string{s.view().Character.Card.CharName()}) || c.Camera.Shot != "close" || !strings.Contains(c.Prompt, "Close-up of the face.") {
		t.Errorf("drafted: %+v", c)
	}
	call := s.asked()[len(s.asked())-1]
	if strings.Contains(flat(call), "I sit down") || !strings.Contains(flat(call), "matters most") {
		t.Errorf("asked with what came later: %s", flat(call))
	}
	for _, r := range []CaptureRequest{{At: "nowhere"}, {Focus: []string{"Zaphod"}}, {Camera: storage.Camera{Lens: "fish"}}, {Words: strings.Repeat("x", 2000)}} {
		if _, err := s.Capture(s.chat, r); !errors.Is(err, ErrNothing) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestResendCapture_Variants(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c := s.drafted(CaptureRequest{Camera: storage.Camera{Mood: "epic"}})
	edit := small(c)
	edit.Camera = c.Camera
	first := s.settledAs(s.send(c, edit).ID, storage.CaptureCompleted)
	second, err := s.ResendCapture(first.ID)
	must(t, err)
	second = s.settledAs(second.ID, storage.CaptureCompleted)
	third, err := s.ResendCapture(second.ID)
	must(t, err)
	if second.From != first.ID || third.From != first.ID || second.Camera.Mood != "epic" || third.Camera.Mood != "epic" || *second.Seed == *first.Seed {
		t.Errorf("variants: %+v, %+v", second, third)
	}
	s.settledAs(third.ID, storage.CaptureCompleted)
}

func TestCameraPresets(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	list, err := s.CameraPresets()
	must(t, err)
	builtIn := len(list)
	must(t, s.SaveCameraPreset(NamedCamera{Name: "  My   look ", Camera: storage.Camera{Shot: "Wide", Mood: "tense"}}))
	must(t, s.SaveCameraPreset(NamedCamera{Name: "my LOOK", Camera: storage.Camera{Shot: "close"}}))
	must(t, s.SaveCameraPreset(NamedCamera{Name: "Noir", Camera: storage.Camera{Lighting: "neon"}}))
	if list, err = s.CameraPresets(); err != nil || len(list) != builtIn+1 {
		t.Fatalf("presets: %+v %v", list, err)
	}
	if p, err := s.CameraPreset("NOIR"); err != nil || p.Camera != (storage.Camera{Lighting: "neon"}) {
		t.Errorf("noir: %+v %v", p, err)
	}
	must(t, s.DeleteCameraPreset("noir"))
	if p, err := s.CameraPreset("noir"); err != nil || p.Camera.Lighting != "chiaroscuro" {
		t.Errorf("the program's own is back: %+v %v", p, err)
	}
	for _, p := range []NamedCamera{{Name: " ", Camera: storage.Camera{Shot: "wide"}}, {Name: strings.Repeat("x", 100), Camera: storage.Camera{Shot: "wide"}},
		{Name: "empty"}, {Name: "wrong", Camera: storage.Camera{Shot: "none"}}} {
		if err := s.SaveCameraPreset(p); !errors.Is(err, ErrNothing) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if err := s.DeleteCameraPreset("noir"); !errors.Is(err, ErrNothing) {
		t.Errorf("deleting the program's own: %v", err)
	}
	if err := s.DeleteCameraPreset("nosuch"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("deleting none: %v", err)
	}
	for i := range mostCameras - 1 {
		must(t, s.SaveCameraPreset(NamedCamera{Name: fmt.Sprint("p", i), Camera: storage.Camera{Shot: "wide"}}))
	}
	if err := s.SaveCameraPreset(NamedCamera{Name: "one more", Camera: storage.Camera{Shot: "wide"}}); !errors.Is(err, ErrNothing) {
		t.Errorf("too many: %v", err)
	}
}

func TestCaptureEdits(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	c := s.drafted(CaptureRequest{})
	edits := func() []storage.Edit {
		t.Helper()
		list, err := s.CaptureEdits(s.chat)
		must(t, err)
		return list
	}
	asIs := CaptureEdit{ImagePrompt: c.Prompt, NegativePrompt: c.NegativePrompt, Workflow: c.Workflow}
	must(t, s.SaveCapture(c.ID, asIs))
	if got := edits(); len(got) != 0 {
		t.Fatalf("nothing was changed: %+v", got)
	}
	one := asIs
	one.ImagePrompt, one.Width, one.Height = c.Prompt+" Rain falls.", 64, 64
	must(t, s.SaveCapture(c.ID, one))
	two := one
	seed := int64(7)
	two.Seed, two.NegativePrompt, two.Camera = &seed, c.NegativePrompt+", hats", storage.Camera{Shot: "close"}
	sent := s.send(c, two)
	got := edits()
	if len(got) != 1 || got[0].About != string(c.ID) || got[0].Kind != editCaptures {
		t.Fatalf("edits: %+v", got)
	}
	want := map[string]string{"prompt": "Rain falls.", "negative_prompt": "hats", "size": "64×64", "camera": "Close-up", "seed": "7"}
	have := map[string]string{}
	for _, ch := range got[0].Changes {
		have[ch.Field] = strings.TrimSpace(have[ch.Field] + " " + ch.Added)
	}
	for field, words := range want {
		if !strings.HasSuffix(have[field], words) {
			t.Errorf("%s: %q, want %q", field, have[field], words)
		}
	}
	sent = s.settledAs(sent.ID, storage.CaptureCompleted)
	again, err := s.ResendCapture(sent.ID)
	must(t, err)
	s.settledAs(again.ID, storage.CaptureCompleted)
	if now := edits(); cmp.Diff(got, now) != "" {
		t.Errorf("the same picture again counts as an edit: %s", cmp.Diff(got, now))
	}
	back := s.drafted(CaptureRequest{})
	changed := asIs
	changed.ImagePrompt = "Something else."
	must(t, s.SaveCapture(back.ID, changed))
	must(t, s.SaveCapture(back.ID, CaptureEdit{ImagePrompt: back.Prompt, NegativePrompt: back.NegativePrompt, Workflow: back.Workflow}))
	if now := edits(); len(now) != 1 {
		t.Errorf("what was taken back stays: %+v", now)
	}
}
