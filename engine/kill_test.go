package engine

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// victimDir names, in the environment, the data of a child of this test binary
// that plays until it is killed.
const victimDir = "GHOSTLIGHT_ENGINE_VICTIM"

func victim(dir string) int {
	play := perform
	switch {
	case os.Getenv(victimDisk) != "":
		play = performOnFullDisk
	case os.Getenv(victimScenes) != "":
		play = workOff
	case os.Getenv(victimPaints) != "":
		play = paintAway
	}
	if err := play(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// perform sends, and has pictures made meanwhile, and says on stdout which
// messages of the user are safe.
func perform(dir string) error {
	long := strings.Repeat("So it goes on, and the rain does not stop. ", 60)
	house, err := rehearsal.Start(rehearsal.Options{Script: func([]storage.Node, int) string { return long }})
	if err != nil {
		return err
	}
	e, err := Open(Config{DataDir: dir, ConfigDir: filepath.Join(dir, "config"), Ollama: house.OllamaURL, Comfy: []string{house.ComfyURL},
		Model: rehearsal.Model, LockWait: 5 * time.Second, VRAM: VRAMConfig{KeepOllama: true}}) // else it waits for a model that is always in use
	if err != nil {
		return err
	}
	if err := e.Start(); err != nil {
		return err
	}
	id, _, err := e.LastChat()
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		node, err := e.Send(id, fmt.Sprintf("line %d", i))
		if err != nil {
			return err
		}
		fmt.Println(node)
		if _, err := e.Wait(context.Background(), id); err != nil {
			return err
		}
		if i%3 == 0 {
			if err := sendOne(e, id); err != nil {
				return err
			}
		}
	}
}

// sendOne has the prompt of a picture written and sends it; it is painted while
// the play goes on.
func sendOne(e *Engine, chat storage.ChatID) error {
	c, err := e.Capture(chat, CaptureRequest{})
	if err != nil {
		return err
	}
	if _, err = e.QueueDrain(context.Background()); err != nil {
		return err
	}
	_, err = e.SendCapture(c.ID, CaptureEdit{ImagePrompt: "Tove under the lamp.", Workflow: "mine"})
	return err
}

func child(t *testing.T, dir string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	must(t, err)
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(append(os.Environ(), victimDir+"="+dir), env...)
	return cmd
}

func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.cfg.ConfigDir = filepath.Join(s.cfg.DataDir, "config")
	folder := filepath.Join(s.cfg.ConfigDir, "workflows")
	must(t, os.MkdirAll(folder, 0o700))
	must(t, os.WriteFile(filepath.Join(folder, "mine.json"), []byte(checkpoint(paintable)), 0o600))
	var safe []storage.NodeID
	for range 5 {
		s.close()
		safe = append(safe, bleed(t, s.cfg.DataDir, 3+rand.IntN(6))...)
		s.open()
		s.sound()
	}
	if len(safe) < 5 {
		t.Fatalf("only %d messages were sent", len(safe))
	}
	for _, id := range safe {
		if n := s.node(id); n.Role != storage.User || !strings.HasPrefix(n.Content, "line ") || n.Deleted {
			t.Errorf("the message %s became %+v", id, n)
		}
	}
	must(t, s.Start())
	if sum, err := s.QueueDrain(s.context()); err != nil || sum.Blocked != 0 {
		t.Errorf("the queue does not go on: %+v %v", sum, err)
	}
	caps, err := s.Captures(s.chat)
	must(t, err)
	done := 0
	for _, c := range caps {
		if n := s.hung(c.ID); n > 1 || (n == 1) != (c.Status == storage.CaptureCompleted) {
			t.Errorf("capture %s is %s and hangs %d times", c.ID, c.Status, n)
		}
		if c.Status == storage.CaptureCompleted {
			done++
		} else if c.Status != storage.CaptureDraft {
			t.Errorf("capture %s is left as %s: %s", c.ID, c.Status, c.Error)
		}
	}
	t.Logf("%d messages are safe, %d of %d captures were painted", len(safe), done, len(caps))
	if got := s.files(); done == 0 || len(got) != 2*done {
		t.Errorf("%d pictures, %d files", done, len(got))
	}
	s.sound()
	if turn := s.say("and on"); turn.State != storage.Complete {
		t.Errorf("the play goes on with %+v", turn)
	}
}

// bleed lets a child play and kills it some time after so many messages. It
// returns what the child said to be safe.
func bleed(t *testing.T, dir string, after int) (safe []storage.NodeID) {
	t.Helper()
	cmd := child(t, dir)
	var faults strings.Builder
	cmd.Stderr = &faults
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
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
