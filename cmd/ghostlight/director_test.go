package main

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// An evaluation without a result is no failure of the command: the output says why, and the play
// continues. Only a server that does not answer is an error.
func TestDirectorEvaluate_OddEndings(t *testing.T) {
	t.Parallel()
	server := newFaulty(t)
	for _, c := range []struct {
		name  string
		fault demo.Fault
		times int
		code  int
		seen  bool
		words string // on standard error
	}{
		{"fine", demo.Fault{}, 0, cli.ExitDone, true, ""},
		{"no JSON", demo.Fault{Kind: demo.Say, Text: "Once upon a time"}, 9, cli.ExitDone, false, ""},
		{"half of it", demo.Fault{Kind: demo.Cut}, 9, cli.ExitDone, false, ""},
		{"escapes", demo.Fault{Kind: demo.Escapes}, 9, cli.ExitDone, false, ""},
		{"model gone", demo.Fault{Kind: demo.Missing}, 9, cli.ExitFailed, false, demo.Model},
		{"another server", demo.Fault{Kind: demo.HTML}, 9, cli.ExitFailed, false, "ghostlight: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			server.set(func(demo.Call) demo.Fault { return demo.Fault{} })
			h := playedHome(t, server.url)
			if doc, errs, code := h.run(t, "send", "T", "I light the lamp."); code != cli.ExitDone {
				t.Fatalf("%v %s", doc, errs)
			}
			server.set(demo.Times(c.times, c.fault, asks))
			doc, errs, code := h.run(t, "director", "evaluate", "T", "--wait")
			if code != c.code || !strings.Contains(errs, c.words) || safetext.Block(errs) != errs {
				t.Fatalf("ended with %d: %v %q", code, doc, errs)
			}
			server.set(func(demo.Call) demo.Fault { return demo.Fault{} })
			shown, _, _ := h.run(t, "director", "show", "T")
			beats, _ := shown["beats"].([]any)
			if len(beats) == 0 {
				t.Fatalf("there is no beat: %v", shown)
			}
			beat := beats[0].(map[string]any)
			if beat["evaluated"] != c.seen {
				t.Errorf("the beat is %v", beat)
			}
			if fault, _ := beat["fault"].(string); c.code == cli.ExitDone && (fault == "") != c.seen {
				t.Errorf("the beat's fault is %q", fault)
			}
			plain, err := h.command("director", "show", "T").Output()
			if err != nil || safetext.Block(string(plain)) != string(plain) {
				t.Errorf("printed was %q (%v)", plain, err)
			}
			if doc, errs, code := h.run(t, "send", "T", "I sit down."); code != cli.ExitDone {
				t.Errorf("the play does not go on: %v %s", doc, errs)
			}
		})
	}
}
