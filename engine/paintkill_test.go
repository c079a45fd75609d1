package engine

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// victimPaints names, in the environment, the addresses of the servers that a
// child uses which paints until it is killed.
const victimPaints = "GHOSTLIGHT_ENGINE_PAINTS"

// paintAway works the queue off on servers that outlive it.
func paintAway(dir string) error {
	ollama, comfy, _ := strings.Cut(os.Getenv(victimPaints), " ")
	e, err := Open(Config{DataDir: dir, Ollama: ollama, Comfy: []string{comfy}, Model: rehearsal.Model, LockWait: 5 * time.Second})
	if err != nil {
		return err
	}
	feed := e.Follow()
	defer feed.Close()
	if err := e.Start(); err != nil {
		return err
	}
	for {
		ev, err := feed.Next(context.Background())
		if err != nil {
			return err
		}
		if p, ok := ev.(OperationProgress); ok && p.Type == opCaptureSend {
			fmt.Println("at it")
		}
	}
}

// paintedAway has a child work the queue off, and kills it after so many steps of a
// painting.
func (s *stage) paintedAway(t *testing.T, steps int) {
	t.Helper()
	s.close()
	cmd := child(t, s.cfg.DataDir, victimPaints+"="+s.house.OllamaURL+" "+s.house.ComfyURL)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for ; steps > 0 && lines.Scan(); steps-- {
	}
	must(t, cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	s.open()
}

// TestKilledWhilePainting kills the program while ComfyUI goes on painting for it:
// the next start takes the job up again, so that nothing is painted twice.
func TestKilledWhilePainting(t *testing.T) {
	t.Parallel()
	s := newStudio(t, slow)
	c := s.drafted(CaptureRequest{})
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{}) // counts from here
	const rounds = 4
	for i := range rounds {
		s.QueuePause(true)
		s.send(c, small(c)) // the first time the draft itself, then another one like it
		s.paintedAway(t, 1+rand.IntN(12))
		must(t, s.Start())
		if sum, err := s.QueueDrain(s.context()); err != nil || sum.Failed+sum.Blocked > 0 {
			t.Errorf("the queue does not go on: %+v %v", sum, err)
		}
		list, err := s.Captures(s.chat)
		must(t, err)
		for _, c := range list {
			if c.Status != storage.CaptureCompleted || s.hung(c.ID) != 1 {
				t.Errorf("capture %s is %s (%s) and hangs %d times", c.ID, c.Status, c.Error, s.hung(c.ID))
			}
		}
		if sent := s.house.Comfy.Answered("POST /prompt"); len(list) != i+1 || sent != i+1 || len(s.files()) != 2*(i+1) {
			t.Errorf("%d captures were sent %d times and have %d files", len(list), sent, len(s.files()))
		}
		c = s.stored(c.ID)
	}
	s.sound()
}
