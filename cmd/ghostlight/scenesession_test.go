package main_test

import (
	"os"
	"strings"
	"testing"
	"time"
)

// TestTerminal_ASceneIsToldAgain is an evening with a scene in it, played with --demo.
func TestTerminal_ASceneIsToldAgain(t *testing.T) {
	s := demo(t)
	s.set("GHOSTLIGHT_DEMO_DELAY", "0s")
	s.sceneSession(false, "--demo")
}

// TestReal_ASceneIsToldAgain is the same with a real Ollama, whose model writes
// gibberish of the right form.
func TestReal_ASceneIsToldAgain(t *testing.T) {
	url, model := realOllama(t)
	s := newTerminal(t)
	config := s.path("config.toml")
	settings := "[ollama]\nnum_ctx = 16384\nnum_predict = 60\n[scenes]\nauto_detect = false\n"
	if err := os.WriteFile(config, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	s.patience = 6 * time.Minute // a recap of gibberish is as long as it may be
	s.sceneSession(true, "--config", config, "--ollama", url, "--model", model)
}

// recapDoc is the document of `scene recap --show`.
type recapDoc struct {
	Scene, Version, Versions int
	SceneName                string `json:"scene_name"`
	Recap                    string
	Lorebooks                []struct{ Name, Type, Content string }
}

// sceneSession goes the whole way of a scene: a break, a recap, a look into the
// store, an edit and another recap, its versions back and forth, the facts for
// the lorebook, and the recap in the next prompt.
func (s *terminal) sceneSession(real bool, flags ...string) {
	t := s.t
	t.Helper()
	flags = append(flags, "--data", s.path("house"))
	s.start(flags...)
	s.welcomed()
	s.do("send-keys", "Enter")
	s.see("Write a message", "WRITE")
	for _, line := range []string{"I light the lamp.", "I read the letter aloud."} {
		s.do("send-keys", "-l", line)
		s.see("› " + line)
		s.do("send-keys", "Enter")
		s.until("the end of the turn", turnEnded)
	}

	s.do("send-keys", "Escape")
	s.see("BROWSE")
	s.do("send-keys", "b")
	s.see("── 1 ·", "messages ")
	s.do("send-keys", "C-r") // an ended scene is recapped by itself
	s.see("Recap · 1")
	s.recapped("v1/1", "r")
	s.do("send-keys", "C-q")
	s.until("the program's end", func(screen string) bool { return screen == "" })

	first := s.recapDoc(flags)
	if first.Version != 1 || first.Versions != 1 || first.Scene != 1 {
		t.Fatalf("stored: %+v", first)
	}
	order := -1
	for _, h := range []string{"## Current Situation", "## Key Developments", "## Dialogue Highlights", "## Tone & Style", "## Pending Threads"} {
		at := strings.Index(first.Recap, h)
		if at <= order {
			t.Errorf("%q is missing or in the wrong place:\n%s", h, first.Recap)
		}
		order = at
	}
	if !real && len(first.Lorebooks) == 0 {
		t.Error("no facts for the lorebook")
	}

	s.start(flags...)
	s.see("Write a message", "recap v1/1")
	s.do("send-keys", "C-r")
	s.see("Recap · 1", "v1/1")
	s.do("send-keys", "e")
	s.see("^S save")
	s.do("send-keys", "-l", "Mended by hand. ")
	s.do("send-keys", "C-s")
	s.see("v1 edited")
	s.do("send-keys", "r")
	s.recapped("v2/2", "r")
	s.do("send-keys", "Left")
	s.see("v1/2")
	s.do("send-keys", "Right")
	s.see("v2/2")
	s.do("send-keys", "C-q")
	s.until("the program's end", func(screen string) bool { return screen == "" })

	var versions []struct {
		Version int
		Current bool
		Text    string
	}
	s.command(&versions, append([]string{"scene", "versions", "Tove Halloran", "1"}, flags...)...)
	if len(versions) != 2 || !strings.Contains(versions[0].Text, "Mended by hand.") || strings.Contains(versions[1].Text, "Mended") || !versions[1].Current {
		t.Errorf("the versions: %+v", versions)
	}
	var prompt struct {
		Ledger []struct{ Layer, Source, Reason string }
	}
	s.command(&prompt, append([]string{"prompt", "Tove Halloran"}, flags...)...)
	told := false
	for _, p := range prompt.Ledger { // a short story is still in the prompt itself
		told = told || p.Layer == "memory" && p.Source == "the running recap of 1 scene" && p.Reason == "already in context, skipped"
	}
	if !told {
		t.Errorf("the running recap is not told of: %+v", prompt.Ledger)
	}
}

// recapped waits for a version in the recap pane's title. Where an answer came
// in the wrong form, as those of a random model may, it is asked for again.
func (s *terminal) recapped(version, again string) {
	s.t.Helper()
	for range 6 {
		screen := s.until("the recap "+version, func(screen string) bool {
			return strings.Contains(screen, version) && !strings.Contains(screen, "making v") || strings.Contains(screen, "failed:")
		})
		if strings.Contains(screen, version) && !strings.Contains(screen, "making v") {
			return
		}
		s.do("send-keys", again)
		s.until("another try", func(screen string) bool { // it may be over before anybody looks
			return strings.Contains(screen, "making v") || strings.Contains(screen, version)
		})
	}
	s.t.Fatal("no recap came in the right form")
}

func (s *terminal) recapDoc(flags []string) (d recapDoc) {
	s.t.Helper()
	s.command(&d, append([]string{"scene", "recap", "Tove Halloran", "1", "--show"}, flags...)...)
	return d
}
