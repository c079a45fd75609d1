package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// However filling a lorebook ends, the command says so, what was learnt before
// stays, and the queue can go on with the rest.
func TestLoreFill_OddEndings(t *testing.T) {
	t.Parallel()
	server := newFaulty(t)
	fine := func(demo.Call) demo.Fault { return demo.Fault{} }
	for _, c := range []struct {
		name  string
		fault demo.Fault
		times int
		code  int
	}{
		{"fine", demo.Fault{}, 0, cli.ExitDone},
		{"once no JSON", demo.Fault{Kind: demo.Say, Text: "Once upon a time"}, 1, cli.ExitDone},
		{"no JSON", demo.Fault{Kind: demo.Say, Text: "Once upon a time"}, 99, cli.ExitFailed},
		{"model gone", demo.Fault{Kind: demo.Missing}, 99, cli.ExitFailed},
		{"another server", demo.Fault{Kind: demo.HTML}, 99, cli.ExitFailed},
		{"escapes", demo.Fault{Kind: demo.Escapes}, 1, cli.ExitDone},
	} {
		t.Run(c.name, func(t *testing.T) {
			server.set(fine)
			h := playedHome(t, server.url)
			settings := filepath.Join(h.dir, "nofill.toml")
			if err := os.WriteFile(settings, []byte("[lore]\nfill = false\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"scene", "recap", "T", "1", "--config", settings}, {"lore", "new", "Own", "--chat", "T"},
				{"lore", "add", "Own", "--name", "The old stage", "--type", "location", "--content", "A stage."},
				{"lore", "add", "Own", "--name", "The prompter", "--type", "character", "--content", "She prompts."}} {
				if doc, errs, code := h.run(t, args...); code != cli.ExitDone {
					t.Fatalf("%v: %v %s", args, doc, errs)
				}
			}
			server.set(demo.Times(c.times, c.fault, asks))
			doc, errs, code := h.run(t, "lore", "fill", "T", "1")
			if words, _ := doc["error"].(string); code != c.code || (words != "") != (code != cli.ExitDone) {
				t.Fatalf("ended with %d: %v %s", code, doc, errs)
			}
			if safetext.Block(errs) != errs {
				t.Errorf("standard error is %q", errs)
			}
			server.set(fine)
			h.run(t, "queue", "retry", "--failed")
			if doc, errs, code := h.run(t, "queue", "run"); code != cli.ExitDone || doc["failed"] != 0.0 {
				t.Fatalf("the queue ended with %d: %v %s", code, doc, errs)
			}
			plain := h.command("lore", "taught", "T", "1")
			out, err := plain.Output()
			if err != nil || safetext.Block(string(out)) != string(out) || !strings.Contains(string(out), "Tove Halloran") {
				t.Errorf("printed was %q (%v)", out, err)
			}
		})
	}
}
