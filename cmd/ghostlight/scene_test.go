package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// faulty is a server whose answers go wrong as a test says.
type faulty struct {
	url   string
	fault atomic.Pointer[func(demo.Call) demo.Fault]
}

func newFaulty(t *testing.T) *faulty {
	t.Helper()
	f := &faulty{}
	f.set(func(demo.Call) demo.Fault { return demo.Fault{} })
	servers, err := demo.Start(demo.Options{Fault: func(c demo.Call) demo.Fault { return (*f.fault.Load())(c) },
		Scripted: demo.InOrder(map[demo.Job][]any{demo.SceneJob: {recapWithLore}})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = servers.Close() })
	f.url = servers.OllamaURL
	return f
}

// recapWithLore is the answer to a scene's recap that teaches the lorebook one thing.
const recapWithLore = `{"scene_name":"The Key","recap":{"current_situation":[{"text":"Robin sits beside the kettle.","messages":[2]}],
	"key_developments":[{"text":"Tove has hidden the brass key under the stage.","messages":[1]}]},"atmosphere":"Quiet.","emotional_beats":"Both are tired.",
	"lorebooks":[{"name":"Tove Halloran","type":"character","keywords":["tove"],"content":"[character-Tove Halloran: has hidden(the brass key under the stage)]"}]}`

func (f *faulty) set(fault func(demo.Call) demo.Fault) { f.fault.Store(&fault) }

func asks(c demo.Call) bool { return c.Path == "/api/chat" && !c.Reads() }

// playedHome returns a home with the chat T, whose first scene has ended.
func playedHome(t *testing.T, url string) home {
	t.Helper()
	h := home{dir: t.TempDir(), args: []string{"--ollama", url, "--model", demo.Model}}
	const story = `{"user_name":"Robin","character_name":"Tove Halloran","create_date":"2024-1-1 @00h 00m 00s 000ms","chat_metadata":{}}
{"name":"Tove Halloran","is_user":false,"send_date":"2024-01-01T00:00:01Z","mes":"*She hides the brass key under the stage.*"}
{"name":"Robin","is_user":true,"send_date":"2024-01-01T00:00:02Z","mes":"\"The bridge was closed.\" I sit down beside the kettle."}
{"name":"Tove Halloran","is_user":false,"send_date":"2024-01-01T00:00:03Z","mes":"\"Then we leave tomorrow.\""}
`
	file := filepath.Join(h.dir, "T.jsonl")
	if err := os.WriteFile(file, []byte(story), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"chat", "import", file, "--character", "Tove Halloran"}, {"scene", "break", "T", "2"}} {
		if doc, errs, code := h.run(t, args...); code != cli.ExitDone {
			t.Fatalf("%v: %v %s", args, doc, errs)
		}
	}
	return h
}

// However the making of a recap ends, the command says so, and what was stored
// stays.
func TestSceneRecap_OddEndings(t *testing.T) {
	t.Parallel()
	server := newFaulty(t)
	for _, c := range []struct {
		name     string
		fault    demo.Fault
		times    int
		code     int
		words    string
		versions float64
	}{
		{"fine", demo.Fault{}, 0, cli.ExitDone, "", 2},
		{"once no JSON", demo.Fault{Kind: demo.Say, Text: "Once upon a time"}, 1, cli.ExitDone, "", 2},
		{"no JSON", demo.Fault{Kind: demo.Say, Text: "Once upon a time"}, 9, cli.ExitFailed, "invalid format", 1},
		{"model gone", demo.Fault{Kind: demo.Missing}, 9, cli.ExitFailed, demo.Model, 1},
		{"another server", demo.Fault{Kind: demo.HTML}, 9, cli.ExitFailed, "", 1},
		{"escapes", demo.Fault{Kind: demo.Escapes}, 1, cli.ExitDone, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			server.set(demo.Times(0, c.fault, asks))
			h := playedHome(t, server.url)
			if doc, errs, code := h.run(t, "scene", "recap", "T", "1"); code != cli.ExitDone {
				t.Fatalf("%v %s", doc, errs)
			}
			server.set(demo.Times(c.times, c.fault, asks))
			doc, errs, code := h.run(t, "scene", "recap", "T", "1", "--force")
			if code != c.code || !strings.Contains(errs, c.words) {
				t.Fatalf("ended with %d: %v %s", code, doc, errs)
			}
			if safetext.Block(errs) != errs {
				t.Errorf("standard error is %q", errs)
			}
			shown, _, _ := h.run(t, "scene", "recap", "T", "1", "--show")
			if shown["versions"] != c.versions {
				t.Errorf("%v versions are kept", shown["versions"])
			}
			plain := h.command("scene", "recap", "T", "1", "--show")
			out, err := plain.Output()
			if err != nil || safetext.Block(string(out)) != string(out) || !bytes.Contains(out, []byte("## Pending Threads")) {
				t.Errorf("printed was %q (%v)", out, err)
			}
		})
	}
}

// The work that follows a recap may fail: the recap is kept, and the user gets a message.
func TestSceneRecap_WhatFollowsFails(t *testing.T) {
	t.Parallel()
	server := newFaulty(t)
	h := playedHome(t, server.url)
	settings := filepath.Join(h.dir, "asked.toml") // recaps are made when the test asks for them
	if err := os.WriteFile(settings, []byte("[scenes]\nauto_generate_recap = false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.args = append(h.args, "--config", settings)
	h.run(t, "scene", "break", "T", "3")
	if doc, errs, code := h.run(t, "scene", "recap", "T", "1"); code != cli.ExitDone {
		t.Fatalf("%v %s", doc, errs)
	}
	var calls atomic.Int32
	server.set(func(c demo.Call) demo.Fault {
		if asks(c) && calls.Add(1) > 1 {
			return demo.Fault{Kind: demo.Say, Text: "Once upon a time"}
		}
		return demo.Fault{}
	})
	doc, errs, code := h.run(t, "scene", "recap", "T", "2")
	if code != cli.ExitDone || doc["version"] != 1.0 || !strings.Contains(errs, "note: running recap: ") {
		t.Errorf("ended with %d: %v %s", code, doc, errs)
	}
	if doc, _, _ := h.run(t, "scene", "running", "T"); doc["version"] != 1.0 {
		t.Errorf("the running recap is %v", doc)
	}
	server.set(func(demo.Call) demo.Fault { return demo.Fault{} })
	if doc, errs, code := h.run(t, "queue", "retry", "--failed"); code != cli.ExitDone || doc["changed"] == 0.0 { // what the recap teaches the lorebook has failed as well
		t.Fatalf("%v %s", doc, errs)
	}
	h.run(t, "queue", "run")
	if doc, _, _ := h.run(t, "scene", "running", "T"); doc["version"] != 2.0 {
		t.Errorf("the running recap is %v", doc)
	}
}

// An interrupted command leaves its work in the queue.
func TestSceneRecap_Interrupted(t *testing.T) {
	t.Parallel()
	server := newFaulty(t)
	h := playedHome(t, server.url)
	asked, until := make(chan struct{}, 9), make(chan struct{})
	server.set(func(c demo.Call) demo.Fault {
		if !asks(c) {
			return demo.Fault{}
		}
		asked <- struct{}{}
		return demo.Fault{Kind: demo.Wait, Until: until}
	})
	recap := h.command("scene", "recap", "T", "1")
	var errs bytes.Buffer
	recap.Stderr = &errs
	if err := recap.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	if err := recap.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = recap.Wait()
	close(until)
	if code := recap.ProcessState.ExitCode(); code != cli.ExitFailed || !strings.Contains(errs.String(), "queue run") {
		t.Fatalf("ended with %d and said %q", code, errs.String())
	}
	server.set(func(demo.Call) demo.Fault { return demo.Fault{} })
	if doc, errs, code := h.run(t, "queue", "run"); code != cli.ExitDone || doc["failed"] != 0.0 {
		t.Fatalf("%v %s", doc, errs)
	}
	if doc, _, _ := h.run(t, "scene", "recap", "T", "1", "--show"); doc["versions"] != 1.0 {
		t.Errorf("the recap is %v", doc)
	}
	if doc, _, _ := h.run(t, "scene", "running", "T"); doc["version"] != 1.0 {
		t.Errorf("the running recap is %v", doc)
	}
}
