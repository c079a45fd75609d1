package play_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// perform sends messages and has pictures made meanwhile, and prints which messages of the user are
// stored.
func perform(dir string) error {
	long := strings.Repeat("So it goes on, and the rain does not stop. ", 60)
	servers, err := demo.Start(demo.Options{Script: func([]storage.Node, int) string { return long }})
	if err != nil {
		return err
	}
	e, err := engine.Open(config.Config{DataDir: dir, ConfigDir: filepath.Join(dir, "config"),
		Ollama: servers.OllamaURL, Comfy: []string{servers.ComfyURL},
		// Else it waits for a model that is always in use.
		Model: demo.Model, LockWait: 5 * time.Second, VRAM: config.VRAM{KeepOllama: true}})
	if err != nil {
		return err
	}
	if err := e.Start(); err != nil {
		return err
	}
	return sendLines(e, func(i int, chat storage.ChatID) error {
		if i%3 != 0 {
			return nil
		}
		return sendOne(e, chat)
	})
}

// sendLines sends one line after the other, prints each message once it is stored, and calls after
// for each reply, until it is killed.
func sendLines(e *engine.Engine, after func(i int, chat storage.ChatID) error) error {
	chat, _, err := e.Chats.Last()
	for i := 0; err == nil; i++ {
		var node storage.NodeID
		if node, err = e.Play.Send(chat, fmt.Sprintf("line %d", i)); err != nil {
			break
		}
		fmt.Println(node)
		if _, err = e.Play.Wait(context.Background(), chat); err == nil {
			err = after(i, chat)
		}
	}
	return err
}

// sendOne has the prompt of a picture written and sends it; it is painted while the play continues.
func sendOne(e *engine.Engine, chat storage.ChatID) error {
	c, err := e.Pictures.Capture(chat, pictures.CaptureRequest{})
	if err != nil {
		return err
	}
	if _, err = e.Queue.Drain(context.Background()); err != nil {
		return err
	}
	_, err = e.Pictures.SendCapture(c.ID, pictures.CaptureEdit{ImagePrompt: "Tove under the lamp.", Workflow: "mine"})
	return err
}
