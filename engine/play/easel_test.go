package play_test

import (
	"testing"

	"ghostlight/engine/enginetest"
	"ghostlight/engine/house"
	"ghostlight/engine/pictures"
	"ghostlight/engine/rehearsal"
)

// A paused queue goes on with what runs: nothing is read ahead beside a picture.
func TestEasel_NothingIsReadAheadWhilePaused(t *testing.T) {
	t.Parallel()
	s := (&stage{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{})
	s.Servers.Comfy.SetFaults(rehearsal.ComfyFaults{Hang: true})
	s.Send(c, enginetest.Small(c))
	enginetest.Until(s.Stage, func(ev house.OperationProgress) bool { return ev.Capture == c.ID && ev.Progress.Text == "Sampler" })
	s.House.QueuePause(true)
	if s.Play.ModelFree() {
		t.Error("a prompt would be read beside the picture")
	}
	enginetest.Must(t, s.Pictures.CancelCapture(c.ID))
	enginetest.Must(t, enginetest.Eventually(s.Stage, s.Play.ModelFree))
}
