package taste_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recapEdits returns the edits to recaps of the harness's chat.
func (s *harness) recapEdits() (list []storage.Edit) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.View(func(tx *storage.Tx) error {
		for _, x := range storage.Edits.All(tx, s.Chat) {
			if x.Kind == taste.EditRecaps {
				list = append(list, x)
			}
		}
		return nil
	}))
	return list
}

func TestRecapEdits(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	a := l.Exchange(2, "lamp")
	l.End(a[3])
	v, err := l.Scenes.SceneRecap(l.Chat, a[3])
	enginetest.Must(t, err)
	r := v.Version().Recap
	if _, err := l.Scenes.EditRecap(l.Chat, r.ID, r.Text+" And the rain."); err != nil {
		t.Fatal(err)
	}
	got := l.recapEdits()
	if len(got) != 1 || got[0].About != string(r.ID) || len(got[0].Changes) != 1 || got[0].Changes[0].Field != "text" || !strings.HasSuffix(got[0].Changes[0].Added, " Threads And the rain.") {
		t.Fatalf("edits: %+v", got)
	}
	if list, err := l.Taste.CaptureEdits(l.Chat); err != nil || len(list) != 0 {
		t.Errorf("counted as a capture's: %+v %v", list, err)
	}
	if ops := l.unended(taste.OpHarvest); len(ops) != 1 || taste.LearnParamsOf(ops[0]).Node != a[3] {
		t.Errorf("queued: %+v", ops)
	}
	// Against what was made, not against the edit before.
	if _, err := l.Scenes.EditRecap(l.Chat, r.ID, r.Text+" And the wind."); err != nil {
		t.Fatal(err)
	}
	if got := l.recapEdits(); len(got) != 1 || !strings.HasSuffix(got[0].Changes[0].Added, " Threads And the wind.") || !strings.HasSuffix(got[0].Changes[0].Removed, " Threads") {
		t.Errorf("edits: %+v", got)
	}
	l.Work()
	memory := l.taste().Memories
	if len(memory) != 1 || len(memory[0].Events) != 1 || memory[0].Events[0].About != "recap" || memory[0].Summary != nil {
		t.Errorf("learnt: %+v", memory)
	}
	enginetest.Must(t, l.Scenes.RestoreRecap(l.Chat, r.ID))
	if got := l.recapEdits(); len(got) != 0 {
		t.Errorf("what was taken back stays: %+v", got)
	}
	l.Work()
	if v := l.taste(); len(v.Memories) != 0 || len(v.Cards) != 0 || v.Summary != "" {
		t.Errorf("an edit that was undone has left something: %+v", v)
	}
	// While another version is made, the edit is a version of its own.
	_, err = l.Scenes.Recap(l.Chat, a[3], scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	own, err := l.Scenes.EditRecap(l.Chat, r.ID, r.Text+" And the snow.")
	enginetest.Must(t, err)
	if got := l.recapEdits(); own == r.ID || len(got) != 1 || got[0].About != string(own) || !strings.HasSuffix(got[0].Changes[0].Added, "Threads And the snow.") {
		t.Errorf("a version of its own: %s, %+v", own, got)
	}
	// Of that too what was made counts, not what the user wrote first.
	l.Work()
	_, err = l.Scenes.EditRecap(l.Chat, own, r.Text+" And the hail.")
	enginetest.Must(t, err)
	if got := l.recapEdits(); len(got) != 1 || !strings.HasSuffix(got[0].Changes[0].Added, "Threads And the hail.") || !strings.HasSuffix(got[0].Changes[0].Removed, "Threads") {
		t.Errorf("changed again: %+v", got)
	}
	// What was changed before in the one that it is made from is kept with that one.
	_, err = l.Scenes.Recap(l.Chat, a[3], scenes.RecapRequest{Force: true})
	enginetest.Must(t, err)
	own, err = l.Scenes.EditRecap(l.Chat, own, r.Text+" And the hail. And the fog.")
	enginetest.Must(t, err)
	if got := l.recapEdits(); len(got) != 2 || got[1].About != string(own) || !strings.HasSuffix(got[1].Changes[0].Added, "And the hail. And the fog.") {
		t.Errorf("a version of a changed one: %+v", got)
	}
}

func TestLearning_FromRunningAndMessageRecaps(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	a := l.Exchange(3, "lamp")
	l.End(a[3])
	_, err := l.Scenes.RecapMessage(l.Chat, a[1], scenes.RecapRequest{})
	enginetest.Must(t, err)
	l.Work()
	of, err := l.Scenes.MessageRecap(l.Chat, a[1])
	enginetest.Must(t, err)
	run, err := l.Scenes.RunningRecap(l.Chat)
	enginetest.Must(t, err)
	for _, v := range []scenes.RecapView{of, run} {
		r := v.Version()
		if r == nil {
			t.Fatalf("no recap: %+v", v)
		}
		if _, err := l.Scenes.EditRecap(l.Chat, r.ID, "Something else entirely."); err != nil {
			t.Fatal(err)
		}
	}
	if ops := l.unended(taste.OpHarvest); len(ops) != 1 || taste.LearnParamsOf(ops[0]).Node != a[3] {
		t.Errorf("queued: %+v", ops)
	}
	enginetest.Must(t, l.Core().Store.View(func(tx *storage.Tx) error {
		if edits := taste.EditsIn(tx, l.Chat, a[3]); len(edits) != 2 {
			t.Errorf("edits of the scene: %+v", edits)
		}
		return nil
	}))
}

// An edit to a picture's prompt teaches the scene that its moment lies in, once
// that has ended.
func TestLearning_FromCaptures(t *testing.T) {
	t.Parallel()
	l := newSchool(t)
	first := l.Exchange(2, "lamp")
	second := l.Exchange(2, "key")
	enginetest.Must(t, l.Start())
	edit := func(at storage.NodeID, words string) storage.Capture {
		t.Helper()
		c := l.Drafted(pictures.CaptureRequest{At: at})
		enginetest.Must(t, l.Pictures.SaveCapture(c.ID, pictures.CaptureEdit{ImagePrompt: c.Prompt + words, NegativePrompt: c.NegativePrompt}))
		return c
	}
	edit(first[1], " Rain falls.")
	if ops := l.unended(taste.OpHarvest); len(ops) != 0 {
		t.Fatalf("the scene has not ended: %+v", ops)
	}
	_, err := l.Scenes.SetBreak(l.Chat, first[3], true)
	enginetest.Must(t, err)
	ops := l.unended(taste.OpHarvest)
	if len(ops) != 1 || taste.LearnParamsOf(ops[0]).Node != first[3] {
		t.Fatalf("when it ends: %+v", ops)
	}
	_, err = l.Scenes.SetBreak(l.Chat, second[3], true)
	enginetest.Must(t, err)
	if ops := l.unended(taste.OpHarvest); len(ops) != 1 {
		t.Fatalf("a scene without edits: %+v", ops)
	}
	c := edit(second[1], " Snow falls.")
	if ops := l.unended(taste.OpHarvest); len(ops) != 2 {
		t.Fatalf("an edit in a scene that has ended: %+v", ops)
	}
	l.clock.Advance(2 * taste.QuietTime)
	l.Work()
	v := l.taste()
	if len(v.Memories) != 2 || len(v.Memories[0].Events) != 1 || !strings.Contains(v.Memories[0].Events[0].Summary+v.Memories[1].Events[0].Summary, "Snow falls.") {
		t.Fatalf("learnt: %+v", v.Memories)
	}
	// The same words again are no news.
	enginetest.Must(t, l.Pictures.SaveCapture(c.ID, pictures.CaptureEdit{ImagePrompt: c.Prompt + " Snow falls.", NegativePrompt: c.NegativePrompt}))
	if ops := l.unended(taste.OpHarvest); len(ops) != 0 {
		t.Errorf("nothing was changed: %+v", ops)
	}
	// An edit that is undone leaves nothing of itself.
	enginetest.Must(t, l.Pictures.SaveCapture(c.ID, pictures.CaptureEdit{ImagePrompt: c.Prompt, NegativePrompt: c.NegativePrompt}))
	l.clock.Advance(2 * taste.QuietTime)
	l.Work()
	if v := l.taste(); len(v.Memories) != 1 || v.Memories[0].Scene != first[3] || strings.Contains(v.Memories[0].Events[0].Summary, "Snow") {
		t.Errorf("after undoing: %+v", v.Memories)
	}
	enginetest.Must(t, l.Pictures.DeleteCapture(c.ID))
	enginetest.Must(t, l.Core().Store.View(func(tx *storage.Tx) error {
		if edits := taste.EditsIn(tx, l.Chat, second[3]); len(edits) != 0 {
			t.Errorf("of a capture that is gone: %+v", edits)
		}
		return nil
	}))
}
