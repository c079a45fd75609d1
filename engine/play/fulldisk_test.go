//go:build unix

package play_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// performOnFullDisk reaches the file size limit in the middle of a reply and when sending, and
// tries what still works.
func performOnFullDisk(dir string) error {
	signal.Ignore(syscall.SIGXFSZ)
	var on strings.Builder // no repetitions, which would look like a model that hangs
	for night := range 4000 {
		fmt.Fprintf(&on, "So it goes on, and the rain of night %d does not stop. ", night)
	}
	long := on.String()
	servers, err := demo.Start(demo.Options{Script: func([]storage.Node, int) string { return long }})
	if err != nil {
		return err
	}
	e, err := engine.Open(config.Config{DataDir: dir, Ollama: servers.OllamaURL, Comfy: []string{servers.ComfyURL},
		Model:    demo.Model,
		Sampling: storage.Profile{NumCtx: 32768, NumPredict: 9999}})
	if err != nil {
		return err
	}
	id, _, err := e.Chats.Last()
	if err != nil {
		return err
	}
	v, err := e.Play.View(id, 0)
	if err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(dir, "ghostlight.db"))
	if err != nil {
		return err
	}
	perform := func(text string) (play.TurnResult, error) {
		if _, err := e.Play.Send(id, text); err != nil {
			return play.TurnResult{}, err
		}
		return e.Play.Wait(context.Background(), id)
	}
	if err := limitFiles(uint64(info.Size())); err != nil {
		return err
	}
	// There may be room for some of it.
	var turn play.TurnResult
	for range 60 {
		if turn, err = perform("one " + long[:9000]); err != nil || turn.State == storage.Broken {
			break
		}
	}
	switch {
	case err == nil && (turn.State != storage.Broken || turn.Content == "" ||
		!strings.Contains(turn.Fault, "disk is full")):
		return fmt.Errorf("the limit does not show: %s %q", turn.State, turn.Fault)
	case err != nil && !strings.Contains(failure.Text(err), "disk is full"):
		return fmt.Errorf("the words are %q", failure.Text(err))
	}
	if err := e.Chats.SaveDraft(id, strings.Repeat(long, 9)); err == nil ||
		!strings.Contains(failure.Text(err), "disk is full") {
		return fmt.Errorf("a draft larger than the disk: %w", err)
	}
	now, err := e.Play.View(id, 3)
	if err != nil || len(now.Messages) != 3 || now.Running != "" || v.Messages[0].Content == "" {
		return fmt.Errorf("reading fails: %d messages, %w", len(now.Messages), err)
	}
	if turn.Message != "" && now.Messages[2].Content != turn.Content {
		return fmt.Errorf("the reply is off the screen")
	}
	if err := limitFiles(1 << 40); err != nil {
		return err
	}
	unsaved := turn
	if turn, err = perform("two"); err != nil || turn.State == storage.Broken {
		return fmt.Errorf("with room again: %+v %w", turn.State, err)
	}
	if unsaved.Message != "" { // the reply that there was no room for
		v, err := e.Play.View(id, 3)
		if err != nil || v.Messages[0].ID != unsaved.Message || v.Messages[0].Content != unsaved.Content ||
			v.Messages[0].State == storage.Broken {
			return fmt.Errorf("the reply of the full disk is lost: %+v %w", v.Messages[0].State, err)
		}
	}
	return errors.Join(e.Close(), servers.Close())
}

func limitFiles(n uint64) error {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l); err != nil {
		return err
	}
	l.Cur = min(n, l.Max)
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l)
}
