package play_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A paused queue continues running work: nothing is read ahead beside a picture.
func TestPictures_NothingIsReadAheadWhilePaused(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{})
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{Hang: true})
	s.Send(c, enginetest.Small(c))
	enginetest.Until(s.Harness, func(ev queue.Progressed) bool {
		return ev.Capture == c.ID && ev.Progress.Text == "Sampler"
	})
	s.Queue.Pause()
	if s.Play.ModelFree() {
		t.Error("a prompt would be read beside the picture")
	}
	enginetest.Must(t, s.Pictures.CancelCapture(c.ID))
	enginetest.Must(t, enginetest.Eventually(s.Harness, s.Play.ModelFree))
}

// After a picture the chat's prompt is read again.
func TestVRAM_WarmAfter(t *testing.T) {
	t.Parallel()
	s, _ := warming(t)
	enginetest.Must(t, s.Start())
	s.look(s.Chat)
	before := len(s.readAhead())
	c := s.Drafted(pictures.CaptureRequest{Requested: "the rope"})
	s.SettledAs(s.Send(c, enginetest.Small(c)).ID, storage.CaptureCompleted)
	enginetest.Must(t, enginetest.Eventually(s.Harness,
		func() bool { return len(s.readAhead()) > before && s.Unloads() > 0 }))
}
