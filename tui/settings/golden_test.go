package settings_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

func TestGolden_FirstRun(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Bare: true})
	s.See("Your name", "› Robin").Golden("first-name")
	s.Press("enter").See("Choose a model", "demo:latest").Golden("first-model")
	s.Press("enter").See("Choose a character", "› Tove").Golden("first-character")
	s.Press("esc").NotSee("Choose a character").Golden("first-empty").GoldenStyled("first-empty")
	s.Press("ctrl+t").See("Characters").Press("enter").See("Tove ‹1/3›").Golden("first-chat")
}

func TestGolden_Away(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Offline: true, Bare: true})
	s.See("Your name").Press("enter").See("Welcome", "› Try the demo").Golden("away")
	s.Press("esc").NotSee("Welcome").Press("f6").See("No Ollama").Press("b").See("Characters").Press("enter").See("Tove ‹1/3›").Golden("away-chat")
	s.TypeText("hello?").Press("enter").See("No Ollama", "hello?") // and what was written stays
}

func TestGolden_Models(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("f6").See("Models").Golden("models", tuitest.Size{W: 80, H: 24})
	s.Press("ctrl+n").See("Download a model").Golden("pull", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24})
}

func TestGolden_Queue(t *testing.T) {
	t.Parallel()
	// The model stays loaded: what of the prompt it would read anew after a picture is none of this.
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t), VRAM: config.VRAM{KeepOllama: true}})
	s.See("‹1/3›").Say("I hold up the letter.")
	s.Press("ctrl+g").See("Scene Capture", "^S send").Still()
	s.See("Why:")
	s.Press("tab", "tab", "tab").TypeText("77").Press("tab").TypeText("512x384")
	s.Press("ctrl+s").NotSee("Negative prompt").See("Scene Capture", "▀").NotSee("loading picture")
	s.Press("f3").See("generating a picture", "completed").Golden("queue")
	s.Press("enter").See("status: completed").Press("esc")
}

func TestGolden_QueueFailed(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.Servers().Comfy.SetFaults(demo.ComfyFaults{OutOfMemory: true})
	s.See("‹1/3›").Press("ctrl+g").See("Scene Capture").Still().See("Why:").Press("ctrl+s")
	s.NotSee("Negative prompt").Press("f3").See("✗ generating a picture", "generating a picture failed").Press("g").Golden("queue-failed", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24}, tuitest.Size{W: 120, H: 30})
}
