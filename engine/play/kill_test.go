package play_test

import (
	"bufio"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Cfg.ConfigDir = filepath.Join(s.Cfg.DataDir, "config")
	folder := filepath.Join(s.Cfg.ConfigDir, "workflows")
	enginetest.Must(t, os.MkdirAll(folder, 0o700))
	enginetest.Must(t, os.WriteFile(filepath.Join(folder, "mine.json"),
		[]byte(enginetest.Checkpoint(enginetest.Paintable)), 0o600))
	var safe []storage.NodeID
	for range 5 {
		s.Shut()
		safe = append(safe, bleed(t, s.Cfg.DataDir, 3+rand.IntN(6))...)
		s.Open()
		s.Sound()
	}
	if len(safe) < 5 {
		t.Fatalf("only %d messages were sent", len(safe))
	}
	for _, id := range safe {
		if n := s.Node(id); n.Role != storage.User || !strings.HasPrefix(n.Content, "line ") || n.Deleted {
			t.Errorf("the message %s became %+v", id, n)
		}
	}
	enginetest.Must(t, s.Start())
	if sum, err := s.Queue.Drain(s.Context()); err != nil || sum.Blocked != 0 {
		t.Errorf("the queue does not go on: %+v %v", sum, err)
	}
	caps, err := s.Pictures.Captures(s.Chat)
	enginetest.Must(t, err)
	done := 0
	for _, c := range caps {
		if n := s.Hung(c.ID); n > 1 || (n == 1) != (c.Status == storage.CaptureCompleted) {
			t.Errorf("capture %s is %s and hangs %d times", c.ID, c.Status, n)
		}
		if c.Status == storage.CaptureCompleted {
			done++
		} else if c.Status != storage.CaptureDraft {
			t.Errorf("capture %s is left as %s: %s", c.ID, c.Status, c.Error)
		}
	}
	t.Logf("%d messages are safe, %d of %d captures were painted", len(safe), done, len(caps))
	if got := s.Files(); done == 0 || len(got) != 2*done {
		t.Errorf("%d pictures, %d files", done, len(got))
	}
	s.Sound()
	if turn := s.Say("and on"); turn.State != storage.Complete {
		t.Errorf("the play goes on with %+v", turn)
	}
}

// bleed runs a child and kills it some time after it has stored after messages. It returns the
// messages that the child reported as stored.
func bleed(t *testing.T, dir string, after int) (safe []storage.NodeID) {
	t.Helper()
	cmd := enginetest.Child(t, dir, "play")
	var faults strings.Builder
	cmd.Stderr = &faults
	out, err := cmd.StdoutPipe()
	enginetest.Must(t, err)
	enginetest.Must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if id := lines.Text(); len(id) == 26 { // a torn line is no promise
			safe = append(safe, storage.NodeID(id))
		}
		if len(safe) == after {
			kill := time.AfterFunc(rand.N(30*time.Millisecond), func() { _ = cmd.Process.Kill() })
			defer kill.Stop()
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() || faults.Len() > 0 {
		t.Fatalf("the child was not killed: %v %s", err, faults.String())
	}
	return safe
}
