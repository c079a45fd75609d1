package play_test

import (
	"bufio"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A process that is killed while a reply is cut and continued loses nothing of the user's, and
// stores no part of the phrase.
func TestBacktrack_KilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	var safe []storage.NodeID
	for range 6 {
		s.Shut()
		safe = append(safe, cutAndKilled(t, s.Cfg.DataDir)...)
		s.Open()
		s.Sound()
	}
	for _, id := range safe {
		if n := s.Node(id); n.Role != storage.User || !strings.HasPrefix(n.Content, "line ") {
			t.Errorf("the message %s became %+v", id, n)
		}
	}
	broken, rejected := 0, 0
	words := strings.Fields(banned)
	for _, n := range s.Nodes() {
		if n.Role != storage.Assistant || n.Parent == "" {
			continue
		}
		if n.State == storage.Broken {
			broken++
		}
		rejected += len(n.Rejected)
		if strings.Contains(n.Content, banned) {
			t.Errorf("%s: %q", n.State, n.Content)
		}
		for k := 1; k < len(words); k++ {
			if half := " " + strings.Join(words[:k], " "); strings.HasSuffix(strings.TrimSpace(n.Content), half) {
				t.Errorf("%s, half a phrase: %q", n.State, n.Content)
			}
		}
	}
	t.Logf("%d messages are safe, %d replies were broken off, %d things were rejected", len(safe), broken, rejected)
	if broken == 0 || rejected == 0 {
		t.Error("nothing was killed in the middle of a reply that is cut")
	}
	if turn := s.Say("and on"); turn.State != storage.Complete {
		t.Errorf("the play goes on with %+v", turn)
	}
}

func cutAndKilled(t *testing.T, dir string) (safe []storage.NodeID) {
	t.Helper()
	cmd := enginetest.Child(t, dir, "cut")
	out, err := cmd.StdoutPipe()
	enginetest.Must(t, err)
	enginetest.Must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if id := lines.Text(); len(id) == 26 {
			safe = append(safe, storage.NodeID(id))
			kill := time.AfterFunc(20*time.Millisecond+rand.N(150*time.Millisecond), func() { _ = cmd.Process.Kill() })
			defer kill.Stop()
		}
	}
	if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
		t.Fatalf("the child was not killed: %v", err)
	}
	return safe
}
