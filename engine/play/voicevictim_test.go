package play_test

import (
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// banned is in every sentence of the unruly model, before it finds something better.
const banned = "a shiver down her spine"

// unruly is that model: it writes a cut text in another way.
func unruly(messages []storage.Node, _ int) string {
	const sentence, better = "She waits at the door and feels", " the rain coming nearer."
	kept := ""
	if n := len(messages); messages[n-1].Role == storage.Assistant {
		kept = messages[n-1].Content
	}
	rest := strings.Repeat(" "+sentence+" "+banned+".", 20)
	switch {
	case strings.HasSuffix(kept, "feels"):
		return better + rest
	case kept == "":
		return strings.TrimSpace(rest)
	}
	return " " + sentence + better + rest
}

// cutAway plays with a model that is cut in every sentence, and whose drafts are stored all the
// time, until it is killed. It prints which messages of the user are stored.
func cutAway(dir string) error {
	servers, err := demo.Start(demo.Options{Script: unruly, TokenDelay: 200 * time.Microsecond})
	if err != nil {
		return err
	}
	began := time.Now()
	fast := func() time.Time { return began.Add(1000 * time.Since(began)) } // a draft every millisecond
	e, err := engine.Open(config.Config{DataDir: dir, Ollama: servers.OllamaURL, Comfy: []string{servers.ComfyURL},
		Model: demo.Model, LockWait: 5 * time.Second, Now: fast,
		Voice: config.Voice{Backtrack: true, Ends: true, Phrases: []string{banned}},
		VRAM:  config.VRAM{KeepOllama: true}})
	if err != nil {
		return err
	}
	return sendLines(e, func(int, storage.ChatID) error { return nil })
}
