package main

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"syscall"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// An interrupted reply ends the command, and what was written is kept.
func TestSend_Interrupted(t *testing.T) {
	t.Parallel()
	h := home{dir: t.TempDir(), args: []string{"--demo"}, env: []string{"GHOSTLIGHT_DEMO_DELAY=30ms"}}
	h.run(t, "chat", "new", "--title", "T")
	send := h.command("send", "T", "Tell me everything.")
	var out, errs bytes.Buffer
	send.Stderr = &errs
	pipe, err := send.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := send.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.CopyN(&out, pipe, 1); err != nil { // the reply has begun
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if err := send.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(&out, pipe) // ends with the process, which is looked at below
	_ = send.Wait()
	if code := send.ProcessState.ExitCode(); code != cli.ExitFailed || !strings.Contains(errs.String(), "kept") {
		t.Fatalf("ended with %d and said %q", code, errs.String())
	}
	last := h.lastMessage(t, "T")
	if printed := strings.TrimSpace(out.String()); last.Role != storage.Assistant || last.State != storage.Stopped ||
		strings.TrimSpace(last.Content) != printed {
		t.Errorf("kept %q as %s; printed was %q", last.Content, last.State, printed)
	}
}

// When nobody reads a reply any more it is stopped, and what came is kept.
func TestSend_ReaderGone(t *testing.T) {
	t.Parallel()
	h := home{dir: t.TempDir(), args: []string{"--demo"}, env: []string{"GHOSTLIGHT_DEMO_DELAY=30ms"}}
	h.run(t, "chat", "new", "--title", "T")
	send := h.command("send", "T", "Tell me everything.")
	var errs bytes.Buffer
	send.Stderr = &errs
	pipe, err := send.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := send.Start(); err != nil {
		t.Fatal(err)
	}
	first := make([]byte, 1)
	if _, err := io.ReadFull(pipe, first); err != nil { // the reply has begun
		t.Fatalf("%v\n%s", err, errs.String())
	}
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	_ = send.Wait()
	if code := send.ProcessState.ExitCode(); code != cli.ExitFailed || strings.Count(errs.String(), "\n") != 1 { // the note about demo mode
		t.Fatalf("ended with %d (%v) and said %q", code, send.ProcessState, errs.String())
	}
	last := h.lastMessage(t, "T")
	if last.Role != storage.Assistant || last.State != storage.Stopped || !strings.HasPrefix(last.Content, string(first)) {
		t.Errorf("kept %q as %s", last.Content, last.State)
	}
}

// shownMessage holds the fields of a message of chat show that these tests read.
type shownMessage struct {
	Role    storage.Role
	State   storage.State
	Content string
}

func (h home) lastMessage(t *testing.T, chat string) shownMessage {
	t.Helper()
	data, err := h.command("chat", "show", chat, "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct{ Messages []shownMessage }
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Messages[len(doc.Messages)-1]
}
