package tui_test

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

func declaredTips(t *testing.T) (out []pane.Tip) {
	t.Helper()
	v, _ := tuitest.Still(t)
	for _, r := range v.Parts() {
		if t, ok := r.(pane.TipSource); ok {
			out = append(out, t.Tips()...)
		}
	}
	return out
}

// toldBefore has all tips but one behind it.
func toldBefore(t *testing.T, prepare func(*engine.Engine), but string) func(*engine.Engine) {
	list := declaredTips(t)
	return func(e *engine.Engine) {
		prepare(e)
		kept := e.Settings.Screen()
		for _, d := range list {
			if d.ID != but {
				kept.Tips = append(kept.Tips, d.ID)
			}
		}
		if err := e.Settings.RememberScreen(kept); err != nil {
			t.Fatal(err)
		}
	}
}

// Each tip is one line that fits beside the mode at 80 columns, and has an id of its own.
func TestTips_FitTheStatusLine(t *testing.T) {
	t.Parallel()
	list := declaredTips(t)
	if len(list) < 7 {
		t.Errorf("%d tips", len(list))
	}
	var ids []string
	for _, d := range list {
		if slices.Contains(ids, d.ID) {
			t.Errorf("two tips have the id %s", d.ID)
		}
		ids = append(ids, d.ID)
		line := "Tip: " + strings.ReplaceAll(d.Line, "%s", "ctrl+x k m")
		if strings.Count(d.Line, "%s") != 1 || ansi.StringWidth(line) > 80-len(" BROWSE  DEMO ") {
			t.Errorf("%q is not one short line about one way", d.Line)
		}
	}
}

// A tip is shown at its moment, goes with the next key, and never comes again, also not
// after the program was left. Where tips are off there is none, and none counts as said.
func TestTips_EachOnce(t *testing.T) {
	t.Parallel()
	story := func(t *testing.T) func(*engine.Engine) { return tuitest.WithStory(t, tuitest.Harbour, true) }
	chat := func(t *testing.T) func(*engine.Engine) { return tuitest.WithChat(t) }
	say := func(s *tuitest.Session) { s.Say("\"And then?\"") }
	for _, x := range []struct {
		id, words string
		o         tuitest.Options
		chat      func(t *testing.T) func(*engine.Engine)
		moment    func(s *tuitest.Session)
	}{
		{"another-reply", "Tip: esc, then r: regenerate", tuitest.Options{}, chat, say},
		{"capture", "Tip: ComfyUI is online · ^G: capture this scene", tuitest.Options{}, chat, say},
		{"scenes", "Tip: a scene has ended · alt+s: scenes and recaps", tuitest.Options{}, chat, func(s *tuitest.Session) {
			c, _, err := s.Engine.Chats.Last()
			s.Must(err)
			s.Say("\"And then?\"")
			v, err := s.Engine.Play.View(c, 1)
			s.Must(err)
			_, err = s.Engine.Scenes.ToggleBreak(c, v.Messages[0].ID)
			s.Must(err)
		}},
		{"branches", "Tip: the old branch is kept · ", tuitest.Options{}, chat, func(s *tuitest.Session) {
			s.Say("\"And then?\"").Press("esc").See("BROWSE").Press("k", "B").See("a new branch")
			s.Silent().In(func(v *tui.Screen) { v.Start(v.Host().Play().Reload()) })
		}},
		{"folded", "Tip: the context is full · f4: what the model sees", tuitest.Options{}, story, func(s *tuitest.Session) {
			s.Must(s.Engine.Models.SetModelSampling(demo.Model, "num_ctx", "1920"))
			s.Must(s.Engine.Models.SetModelSampling(demo.Model, "num_predict", "300"))
			say(s)
			s.Still()
		}},
		{"lore-inbox", "Tip: lorebook changes to review · ", tuitest.Options{Fill: true, Lore: config.Lore{Review: map[string]string{"default": "review"}}}, story, func(s *tuitest.Session) {
			_, err := s.Engine.Lore.AddBook(storage.Lorebook{Name: "The harbour", Kind: storage.GlobalBook})
			s.Must(err)
			s.See("changes wait for review").Silent().In(func(v *tui.Screen) { v.Start(v.Host().Play().Reload()) })
		}},
		{"hook-due", "Tip: a hook is due · alt+m", tuitest.Options{}, chat, func(s *tuitest.Session) {
			c, _, err := s.Engine.Chats.Last()
			s.Must(err)
			scope, err := s.Engine.Chats.ScopeOf(c)
			s.Must(err)
			_, err = s.Engine.Memory.SaveHook(scope, c, storage.Hook{Type: storage.ReminderHook, Content: "Bring the boat back.", Priority: 3, Due: storage.HookDue{Turns: 1}})
			s.Must(err)
			say(s)
		}},
	} {
		t.Run(x.id, func(t *testing.T) {
			t.Parallel()
			for _, on := range []bool{false, true} {
				o := x.o
				o.Screen.Tips, o.W, o.H = on, 100, 24
				o.Prepare = toldBefore(t, x.chat(t), x.id)
				s := tuitest.Begin(t, o)
				x.moment(s)
				if !on {
					s.Still().NotSee("Tip:")
					if got := s.Engine.Settings.Screen().Tips; slices.Contains(got, x.id) {
						t.Errorf("it counts as said: %v", got)
					}
					continue
				}
				s.See(x.words).Press("end").NotSee("Tip:")
				s.Until("it is remembered", func() bool { return slices.Contains(s.Engine.Settings.Screen().Tips, x.id) })
				s.Again()
				x.moment(s)
				s.Still().NotSee("Tip:")
			}
		})
	}
}

// A tip hides nothing: it waits for what went wrong to be read and for a line to be
// written, and there are no two in the time of one reply.
func TestTips_HideNothing(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Screen: tui.Options{Tips: true}, Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›")
	s.Asked(func(v *tui.Screen) tea.Cmd { return v.Host().Say(event.Error, "the disk is full") })
	s.Say("\"And then?\"").Still().See("the disk is full").NotSee("Tip:")
	s.Asked(func(v *tui.Screen) tea.Cmd {
		n, _ := v.Host().Notices().Last()
		v.Host().Notices().Dismiss(n)
		return v.Host().Play().Reload()
	})
	s.See("Tip: esc, then r")
	s.Press("f1").See("Keys while").NotSee("Tip:").Press("esc").NotSee("Keys while").Still().NotSee("Tip:")
	s.Say("\"And then?\"").See("Tip: ComfyUI is online").TypeText("I").NotSee("Tip:")
}

// The way that a tip tells is that of the user's own keys.
func TestTips_TellTheUsersKeys(t *testing.T) {
	t.Parallel()
	s := tuitest.Begin(t, tuitest.Options{Screen: tui.Options{Tips: true, Keys: map[string][]string{"regenerate": {"R"}, "browse": {"f12"}}}, Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("\"And then?\"").See("Tip: f12, then R: regenerate")
}
