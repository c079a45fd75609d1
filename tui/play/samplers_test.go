package play_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// withPreset prepares a chat and a preset of another program.
func withPreset(t *testing.T) func(*engine.Engine) {
	file := filepath.Join(t.TempDir(), "Warm.json")
	preset := `{"temp": 1.2, "top_p": 0.95, "rep_pen": 1.08, "xtc_probability": 0.5, "dry_multiplier": 0.8, ` +
		`"banned_tokens": "\"a shiver runs\"\n\"barely above a whisper\""}`
	if err := os.WriteFile(file, []byte(preset), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(e *engine.Engine) {
		tuitest.NewChat(t, e)
		if _, err := e.Library.ImportPreset(file); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSamplers(t *testing.T) {
	t.Parallel()
	file := make(written, 9)
	s := begin(t, tuitest.Options{Prepare: withPreset(t), Screen: tui.Options{Settings: file},
		Config: func(c *config.Config) { c.Voice.Phrases = []string{"A shiver runs"} }})
	eng := s.Engine
	open := func() { s.In(func(v *tui.Screen) { v.Start(v.Host().Run(keys.PaneSamplers)) }) }
	temperature := func() float64 {
		if v := s.Chat().Chat.Sampling.Temperature; v != nil {
			return *v
		}
		return -1
	}
	model := func() storage.Profile { return eng.Models.ModelSampling(eng.Models.ModelOf(s.Chat().Chat)) }
	s.See("‹1/3›")
	open()
	s.See("Sampler presets", "steady", "this chat, model").Golden("samplers").GoldenStyled("samplers")

	// enter is for the chat, R for its model; both can be taken back.
	s.Press("j", "enter").Until("the chat goes by it", func() bool { return temperature() == 0.6 })
	s.See("✓ steady").Press("j", "j", "R").Until("the model goes by it",
		func() bool { v := model().Temperature; return v != nil && *v == 1.1 })
	s.Golden("samplers-used", tuitest.Size{W: 80, H: 24})
	s.Press("u").Until("the model is asked as before", func() bool { return model().Temperature == nil })
	s.Press("u").Until("the chat is asked as before", func() bool { return temperature() < 0 })
	list, err := eng.Chats.Changes(s.Chat().Chat.ID, "")
	if err != nil || len(list) != 1 || !list[0].Undone {
		t.Errorf("in the list of the chat's changes: %+v %v", list, err)
	}

	// The filter narrows the list; missing features of an imported preset are shown, and its
	// phrases banned.
	s.Press("/").TypeText("warm").Press("enter").See("/ warm", "2 phrases", "DRY, XTC")
	s.Silent().Golden("samplers-imported", tuitest.Size{W: 40, H: 12}, tuitest.Size{W: 80, H: 24},
		tuitest.Size{W: 200, H: 60})
	s.Press("W").See("XTC (xtc_probability 0.5)").Golden("samplers-values", tuitest.Size{W: 40, H: 12},
		tuitest.Size{W: 80, H: 24}).Press("esc").NotSee("xtc_probability 0.5)")
	s.Press("x")
	if got := <-file; got != [2]string{"voice.phrases", `["A shiver runs","barely above a whisper"]`} {
		t.Errorf("it wrote %q", got)
	}
	s.See("banned").Press("u")
	if got := <-file; got != [2]string{"voice.phrases", `["A shiver runs"]`} {
		t.Errorf("it wrote %q", got)
	}
}

// What is set is saved under a name, which can be changed; what was deleted comes back.
func TestSamplers_Own(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	eng := s.Engine
	has := func(name string) func() bool {
		return func() bool {
			v, err := eng.Library.FindPresetView(name)
			return err == nil && v.Origin == library.PresetYours
		}
	}
	hasNot := func(name string) func() bool { return func() bool { return !has(name)() } }
	s.See("‹1/3›")
	if err := eng.Chats.SetSampling(s.Chat().Chat.ID, "min_p", "0.21"); err != nil {
		t.Fatal(err)
	}
	s.In(func(v *tui.Screen) { v.Start(v.Host().Run(keys.PaneSamplers)) })
	s.See("custom values")
	s.Press("n").See("Save current samplers").TypeText("wild").Press("enter").See("built-in preset")
	s.Press("ctrl+u").TypeText("my voice").Press("enter").Until("it to be saved", has("my voice"))
	s.See("✓ my voice", "min_p 0.21").Golden("samplers-own", tuitest.Size{W: 80, H: 24})
	s.Press("E").See("Rename a preset").TypeText("s").Press("enter").Until("it to be renamed", has("my voices"))
	s.See("✓ my voices").Press("d").Until("it to be deleted", hasNot("my voices"))
	s.Press("u").Until("it to be back", has("my voices"))
	s.Press("u").Until("it to have its first name", has("my voice"))
	s.Press("u").Until("it to be gone", hasNot("my voice"))
	s.NotSee("✓ my voice").Press("g").See("sets nothing").Press("E").See("is built in").Press("d").See("is built in")
}
