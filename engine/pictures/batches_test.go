package pictures_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// batched asks for a batch and waits until no prompt is missing.
func (s *harness) batched(r pictures.BatchRequest) pictures.BatchView {
	s.T.Helper()
	v, err := s.Pictures.CaptureBatch(s.Chat, r)
	enginetest.Must(s.T, err)
	return s.BatchWhere(v.ID, func(v pictures.BatchView) bool { return v.Prompting == 0 })
}

// promptCalls counts what was asked for the prompts of captures.
func (s *harness) promptCalls() (n int) {
	for _, c := range s.Asked() {
		if strings.Contains(string(c.Format), `"negative_prompt"`) {
			n++
		}
	}
	return n
}

func TestCaptureBatch_AnglesCostOneCall(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	v := s.batched(pictures.BatchRequest{By: storage.ByAngles, Camera: storage.Camera{Lighting: "candle"}, Words: "film grain"})
	if v.Total != 4 || v.Drafts != 4 || v.Painting+v.Done+v.Failed != 0 || len(s.Files()) != 0 {
		t.Fatalf("the batch: %+v", v)
	}
	if n := s.promptCalls(); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	var bases []string
	for i, id := range v.Captures {
		c := s.Stored(id)
		if c.Camera.Angle != capture.DefaultAngles()[i] || c.Camera.Lighting != "candle" || c.Batch != v.ID || !strings.HasSuffix(c.Prompt, "film grain") {
			t.Errorf("capture %d: %+v", i, c)
		}
		rest := c.Prompt
		for _, p := range capture.Phrases(c.Camera) {
			if !strings.Contains(strings.ToLower(rest), strings.ToLower(p)) {
				t.Errorf("capture %d does not say %q: %s", i, p, rest)
			}
		}
		bases = append(bases, capture.ChangeCamera(rest, c.Camera, storage.Camera{}))
	}
	if len(slices.Compact(bases)) != 1 {
		t.Errorf("more than what says how it is looked at is different: %q", bases)
	}
	sent, err := s.Pictures.SendBatch(s.Chat, v.ID)
	if err != nil || len(sent.Captures) != 4 || len(sent.Faults) != 0 {
		t.Fatalf("sent: %+v %v", sent, err)
	}
	v = s.BatchWhere(v.ID, func(v pictures.BatchView) bool { return v.Done == v.Total })
	if _, err := s.Pictures.SendBatch(s.Chat, v.ID); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("sending it again: %v", err)
	}
	s.Sound()
}

func TestCaptureBatch_OneThatFailsLeavesTheOthers(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	spoilt := 0
	s.SpoilBy(func(c demo.Call) demo.Fault {
		if !strings.Contains(string(c.Format), `"negative_prompt"`) || spoilt == 2 {
			return demo.Fault{}
		}
		spoilt++
		return demo.Fault{Kind: demo.Say, Text: "No."}
	})
	v := s.batched(pictures.BatchRequest{By: storage.ByAngles, Angles: []string{"low", "high", "low"}})
	if v.Total != 2 || v.Failed != 1 || v.Drafts != 1 {
		t.Fatalf("the batch: %+v", v)
	}
	calls := s.promptCalls()
	enginetest.Must(t, s.Pictures.RedoCapturePrompt(v.Captures[0]))
	s.BatchWhere(v.ID, func(v pictures.BatchView) bool { return v.Drafts == 2 })
	if n := s.promptCalls(); n != calls+1 {
		t.Errorf("another prompt for one cost %d calls", n-calls)
	}
}

func TestCaptureBatch_AlongTheStory(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	first := s.View().Messages
	_, err := s.Scenes.SetBreak(s.Chat, first[len(first)-1].ID, true)
	enginetest.Must(t, err)
	s.Say("*I sit down.*")
	s.Say("*I stand up.*")
	path := s.View().Messages
	scenes := s.batched(pictures.BatchRequest{By: storage.ByScenes})
	var at []storage.NodeID
	for _, id := range scenes.Captures {
		at = append(at, s.Stored(id).At)
	}
	if want := []storage.NodeID{first[len(first)-1].ID, path[len(path)-1].ID}; !slices.Equal(at, want) {
		t.Errorf("by scenes: %v, want %v", at, want)
	}
	if n := s.promptCalls(); n != 2 {
		t.Errorf("the model was asked %d times", n)
	}
	every := s.batched(pictures.BatchRequest{By: storage.ByEvery, Every: 3, Kind: "video"})
	at = nil
	for _, id := range every.Captures {
		at = append(at, s.Stored(id).At)
	}
	if want := []storage.NodeID{path[2].ID, path[5].ID}; !slices.Equal(at, want) || every.Every != 3 {
		t.Errorf("every third: %v, want %v", at, want)
	}
	list, err := s.Pictures.Batches(s.Chat)
	if err != nil || len(list) != 2 || list[0].ID != every.ID {
		t.Errorf("batches: %+v %v", list, err)
	}
	ops, err := s.Queue.List()
	enginetest.Must(t, err)
	for _, op := range ops {
		if op.Type == pictures.OpCapturePrompt && op.Priority >= queue.DefaultPriority {
			t.Errorf("a batch goes before others: %+v", op)
		}
	}
	enginetest.Must(t, s.Pictures.DeleteCapture(every.Captures[0]))
	if v := s.BatchWhere(every.ID, func(pictures.BatchView) bool { return true }); v.Total != 1 || len(v.Captures) != 2 {
		t.Errorf("one deleted: %+v", v)
	}
}

func TestCaptureBatch_Refuses(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	for range 100 {
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			c, err := storage.Chats.Get(tx, s.Chat)
			if err != nil {
				return err
			}
			for _, role := range []storage.Role{storage.User, storage.Assistant} {
				n := storage.Node{Chat: s.Chat, Parent: c.Head, Role: role, Content: "words", State: storage.Complete}
				if err := tx.AppendNode(&n); err != nil {
					return err
				}
				c.Head = n.ID
			}
			return storage.Chats.Put(tx, s.Chat, c)
		}))
	}
	for name, test := range map[string]struct {
		r    pictures.BatchRequest
		want string
	}{
		"too many":       {pictures.BatchRequest{By: storage.ByEvery, Every: 1}, "the limit is 200"},
		"too few":        {pictures.BatchRequest{By: storage.ByEvery, Every: 1000}, "fewer than"},
		"no number":      {pictures.BatchRequest{By: storage.ByEvery}, "at least 1"},
		"by drafts":      {pictures.BatchRequest{By: storage.ByDrafts}, "angles, scenes"},
		"no such angle":  {pictures.BatchRequest{By: storage.ByAngles, Angles: []string{"sideways"}}, "eye, low, high"},
		"an empty angle": {pictures.BatchRequest{By: storage.ByAngles, Angles: []string{""}}, "needs a name"},
		"no such kind":   {pictures.BatchRequest{By: storage.ByScenes, Kind: "opera"}, "image or a video"},
		"nobody":         {pictures.BatchRequest{By: storage.ByScenes, Focus: []string{"Zaphod"}}, "Tove"},
	} {
		if _, err := s.Pictures.CaptureBatch(s.Chat, test.r); !errors.Is(err, failure.ErrRefused) && field.AsError(err) == nil || !strings.Contains(failure.Text(err), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	who := s.View().Character
	who.Immersion = storage.Balanced
	_, err := s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	if _, err := s.Pictures.CaptureBatch(s.Chat, pictures.BatchRequest{By: storage.ByAngles}); err == nil || !strings.Contains(failure.Text(err), "immersion") {
		t.Errorf("a character that is not immersed: %v", err)
	}
	if list, err := s.Pictures.Captures(s.Chat); err != nil || len(list) != 0 {
		t.Errorf("what was refused stays: %d captures, %v", len(list), err)
	}
}

func TestCancelBatch(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Say("*I lift the lamp.*") // the queue does not run
	v, err := s.Pictures.CaptureBatch(s.Chat, pictures.BatchRequest{By: storage.ByAngles})
	enginetest.Must(t, err)
	n, err := s.Pictures.CancelBatch(s.Chat, v.ID)
	if err != nil || n != 4 {
		t.Fatalf("cancelled %d, %v", n, err)
	}
	if v, err = s.Pictures.FindBatch(string(v.ID)); err != nil || v.Prompting != 0 || v.Drafts != 4 {
		t.Errorf("after that: %+v %v", v, err)
	}
	if _, err := s.Pictures.CancelBatch(s.Chat, v.ID); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("cancelling it twice: %v", err)
	}
	sent, err := s.Pictures.SendBatch(s.Chat, v.ID)
	if err != nil || len(sent.Captures) != 0 || len(sent.Faults) != 4 {
		t.Errorf("sending drafts without a prompt: %+v %v", sent, err)
	}
}

func TestCapture_OlderMomentAndFocus(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	first := s.View().Messages[0]
	s.Say("*I sit down.*")
	c := s.Drafted(pictures.CaptureRequest{At: first.ID, Focus: []string{"tove"}, Camera: storage.Camera{Shot: "Close-up"}})
	if c.At != first.ID || !slices.Equal(c.Focus, []string{s.View().Character.Card.CharName()}) || c.Camera.Shot != "close" || !strings.Contains(c.Prompt, "Close-up of the face") {
		t.Errorf("drafted: %+v", c)
	}
	call := s.Asked()[len(s.Asked())-1]
	if strings.Contains(enginetest.Flat(call), "I sit down") || !strings.Contains(enginetest.Flat(call), "matters most") {
		t.Errorf("asked with what came later: %s", enginetest.Flat(call))
	}
	for _, r := range []pictures.CaptureRequest{{At: "nowhere"}, {Focus: []string{"Zaphod"}}, {Camera: storage.Camera{Lens: "fish"}}, {Words: strings.Repeat("x", 2000)}} {
		if _, err := s.Pictures.Capture(s.Chat, r); !errors.Is(err, failure.ErrRefused) {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

func TestResendCapture_Variants(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{Camera: storage.Camera{Mood: "epic"}})
	edit := enginetest.Small(c)
	edit.Camera = c.Camera
	first := s.SettledAs(s.Send(c, edit).ID, storage.CaptureCompleted)
	second, err := s.Pictures.ResendCapture(first.ID)
	enginetest.Must(t, err)
	second = s.SettledAs(second.ID, storage.CaptureCompleted)
	third, err := s.Pictures.ResendCapture(second.ID)
	enginetest.Must(t, err)
	if second.From != first.ID || third.From != first.ID || second.Camera.Mood != "epic" || third.Camera.Mood != "epic" || *second.Seed == *first.Seed {
		t.Errorf("variants: %+v, %+v", second, third)
	}
	s.SettledAs(third.ID, storage.CaptureCompleted)
}

func TestCameraPresets(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	list, err := s.Pictures.Cameras.List()
	enginetest.Must(t, err)
	builtIn := len(list)
	enginetest.Must(t, s.Pictures.Cameras.Save(pictures.NamedCamera{Name: "  My   look ", Camera: storage.Camera{Shot: "Wide", Mood: "tense"}}))
	enginetest.Must(t, s.Pictures.Cameras.Save(pictures.NamedCamera{Name: "my LOOK", Camera: storage.Camera{Shot: "close"}}))
	enginetest.Must(t, s.Pictures.Cameras.Save(pictures.NamedCamera{Name: "Noir", Camera: storage.Camera{Lighting: "neon"}}))
	if list, err = s.Pictures.Cameras.List(); err != nil || len(list) != builtIn+1 {
		t.Fatalf("presets: %+v %v", list, err)
	}
	if p, err := s.Pictures.Cameras.Find("NOIR"); err != nil || p.Camera != (storage.Camera{Lighting: "neon"}) {
		t.Errorf("noir: %+v %v", p, err)
	}
	enginetest.Must(t, s.Pictures.Cameras.Delete("noir"))
	if p, err := s.Pictures.Cameras.Find("noir"); err != nil || p.Camera.Lighting != "chiaroscuro" {
		t.Errorf("the program's own is back: %+v %v", p, err)
	}
	for _, p := range []pictures.NamedCamera{{Name: " ", Camera: storage.Camera{Shot: "wide"}}, {Name: strings.Repeat("x", 100), Camera: storage.Camera{Shot: "wide"}},
		{Name: "empty"}, {Name: "wrong", Camera: storage.Camera{Shot: "none"}}} {
		if err := s.Pictures.Cameras.Save(p); !errors.Is(err, failure.ErrRefused) {
			t.Errorf("%+v: %v", p, err)
		}
	}
	if err := s.Pictures.Cameras.Delete("noir"); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("deleting the program's own: %v", err)
	}
	if err := s.Pictures.Cameras.Delete("nosuch"); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("deleting none: %v", err)
	}
	for i := range pictures.MostCameras - 1 {
		enginetest.Must(t, s.Pictures.Cameras.Save(pictures.NamedCamera{Name: fmt.Sprint("p", i), Camera: storage.Camera{Shot: "wide"}}))
	}
	if err := s.Pictures.Cameras.Save(pictures.NamedCamera{Name: "one more", Camera: storage.Camera{Shot: "wide"}}); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("too many: %v", err)
	}
}

func TestCaptureEdits(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{})
	edits := func() []storage.Edit {
		t.Helper()
		list, err := s.Taste.CaptureEdits(s.Chat)
		enginetest.Must(t, err)
		return list
	}
	asIs := pictures.CaptureEdit{ImagePrompt: c.Prompt, NegativePrompt: c.NegativePrompt, Workflow: c.Workflow}
	enginetest.Must(t, s.Pictures.SaveCapture(c.ID, asIs))
	if got := edits(); len(got) != 0 {
		t.Fatalf("nothing was changed: %+v", got)
	}
	one := asIs
	one.ImagePrompt, one.Width, one.Height = c.Prompt+" Rain falls.", 64, 64
	enginetest.Must(t, s.Pictures.SaveCapture(c.ID, one))
	two := one
	seed := int64(7)
	two.Seed, two.NegativePrompt, two.Camera = &seed, c.NegativePrompt+", hats", storage.Camera{Shot: "close"}
	sent := s.Send(c, two)
	got := edits()
	if len(got) != 1 || got[0].About != string(c.ID) || got[0].Kind != taste.EditCaptures {
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
	sent = s.SettledAs(sent.ID, storage.CaptureCompleted)
	again, err := s.Pictures.ResendCapture(sent.ID)
	enginetest.Must(t, err)
	s.SettledAs(again.ID, storage.CaptureCompleted)
	if now := edits(); cmp.Diff(got, now) != "" {
		t.Errorf("the same picture again counts as an edit: %s", cmp.Diff(got, now))
	}
	back := s.Drafted(pictures.CaptureRequest{})
	changed := asIs
	changed.ImagePrompt = "Something else."
	enginetest.Must(t, s.Pictures.SaveCapture(back.ID, changed))
	enginetest.Must(t, s.Pictures.SaveCapture(back.ID, pictures.CaptureEdit{ImagePrompt: back.Prompt, NegativePrompt: back.NegativePrompt, Workflow: back.Workflow}))
	if now := edits(); len(now) != 1 {
		t.Errorf("what was taken back stays: %+v", now)
	}
}
