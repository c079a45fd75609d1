package play_test

import (
	"testing"

	"ghostlight/engine/enginetest"
	"ghostlight/engine/pictures"
	"ghostlight/storage"
)

func TestVRAM_WarmAfter(t *testing.T) {
	t.Parallel()
	for _, cold := range []bool{false, true} {
		s, _ := warming(t, func(o *enginetest.Setup) { o.Cfg.VRAM.NoWarm = cold })
		enginetest.Must(t, s.Start())
		s.look(s.Chat)
		before := len(s.readAhead())
		c := s.Drafted(pictures.CaptureRequest{Requested: "the rope"})
		s.SettledAs(s.Send(c, enginetest.Small(c)).ID, storage.CaptureCompleted)
		if cold {
			if s.Play.ModelFree() {
				t.Error("the prompt would be read again")
			}
			s.Say("And on.")
			if !s.Pictures.LeftCold() {
				continue
			}
			t.Error("after the user's turn it is still cold")
			continue
		}
		enginetest.Must(t, enginetest.Eventually(s.Stage, func() bool { return len(s.readAhead()) > before && s.Unloads() > 0 }))
	}
}
