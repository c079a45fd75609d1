package pictures_test

import (
	"math/rand/v2"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// TestKilledWhilePainting kills the program while ComfyUI goes on painting for it:
// the next start takes the job up again, so that nothing is painted twice.
func TestKilledWhilePainting(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, enginetest.Slow)})
	c := s.Drafted(pictures.CaptureRequest{})
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{}) // counts from here
	const rounds = 4
	for i := range rounds {
		s.Queue.Pause()
		s.Send(c, enginetest.Small(c)) // the first time the draft itself, then another one like it
		s.PaintedAway(t, 1+rand.IntN(12))
		enginetest.Must(t, s.Start())
		if sum, err := s.Queue.Drain(s.Context()); err != nil || sum.Failed+sum.Blocked > 0 {
			t.Errorf("the queue does not go on: %+v %v", sum, err)
		}
		list, err := s.Pictures.Captures(s.Chat)
		enginetest.Must(t, err)
		for _, c := range list {
			if c.Status != storage.CaptureCompleted || s.Hung(c.ID) != 1 {
				t.Errorf("capture %s is %s (%s) and hangs %d times", c.ID, c.Status, c.Error, s.Hung(c.ID))
			}
		}
		if sent := s.Servers.Comfy.Answered("POST /prompt"); len(list) != i+1 || sent != i+1 || len(s.Files()) != 2*(i+1) {
			t.Errorf("%d captures were sent %d times and have %d files", len(list), sent, len(s.Files()))
		}
		c = s.Stored(c.ID)
	}
	s.Sound()
}
