package play_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/play"
)

// A user who presses anything at all, at any size, while replies stream and
// pictures are painted, brings nothing down; one begins in a storyboard.
func TestMonkey(t *testing.T) {
	t.Parallel()
	for _, seed := range []uint64{1, 2, 3, uint64(time.Now().UnixNano())} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			t.Logf("seed %d", seed)
			rng := rand.New(rand.NewPCG(seed, 0))
			prepare := tuitest.WithChat(t)
			if seed == 3 {
				prepare = withStoryboard(t)
			}
			s := tuitest.Begin(t, tuitest.Options{Prepare: prepare,
				Servers: demo.Options{TokenDelay: 200 * time.Microsecond}})
			if seed == 3 {
				s.See("blue boat").Press("alt+h").See("Shots 3")
			} else {
				s.See("‹1/3›")
			}
			names := monkeyKeys()
			for range 400 {
				s.Send(monkeyMessage(t, rng, names))
				if rng.IntN(20) == 0 && !s.InUnlessLeft(func(v *tui.Screen) { check(t, v) }) {
					break // it has found "quit" in the list of commands
				}
			}
			if !s.InUnlessLeft(func(v *tui.Screen) { v.CloseDialogs(); check(t, v) }) {
				s.Gone()
				tuitest.Scan(t, s.Written())
				return
			}
			s.Size(80, 24)
			if n := strings.Count(s.Now(), "\n"); n != 23 {
				t.Errorf("a frame of %d lines", n+1)
			}
			tuitest.Scan(t, s.Written())
		})
	}
}

// withStoryboard makes the harbour's play with a storyboard of its second scene.
func withStoryboard(t *testing.T) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		tuitest.WithStory(t, tuitest.Harbour, false)(e)
		chat, _, err := e.Chats.Last()
		if err != nil {
			t.Fatal(err)
		}
		list, err := e.Scenes.List(chat)
		if err != nil {
			t.Fatal(err)
		}
		call := func(tool, with string) storage.ToolCall { return storage.ToolCall{Tool: tool, Params: []byte(with)} }
		_, err = e.Boards.Call(chat, list.List[1].Break,
			call(storyboard.RecommendBeats, `{"beats":[{"text":"Tove goes pale"}]}`),
			call(storyboard.InsertShot,
				`{"shots":[{"beat":"b1","description":"The lighthouse."},{"description":"The `+
					`notebook."},{"kind":"filler","description":"The beam."}]}`))
		if err != nil {
			t.Fatal(err)
		}
	}
}

// monkeyKeys are all keys that do something, those that end the program left out.
func monkeyKeys() []string {
	m, _ := tui.Keys(nil)
	names := []string{"a", "B", " ", "backspace", "delete", "tab", "shift+tab", "ctrl+s", "ctrl+d", "ctrl+n", "ctrl+e",
		"ctrl+r", "ctrl+k", "esc", "enter", "up", "down", "left", "right"}
	for _, b := range m.Bindings() {
		for _, k := range b.Keys() {
			if k != "ctrl+q" && k != "ctrl+c" && k != "ctrl+z" {
				names = append(names, k)
			}
		}
	}
	return names
}

func monkeyMessage(t *testing.T, rng *rand.Rand, names []string) tea.Msg {
	switch n := rng.IntN(100); {
	case n < 4:
		return tea.WindowSizeMsg{Width: 1 + rng.IntN(150), Height: 1 + rng.IntN(50)}
	case n < 8:
		return tea.PasteMsg{Content: []string{"two\nlines", tuitest.Evil, strings.Repeat("x", 3000), "/tmp",
			""}[rng.IntN(5)]}
	case n < 14:
		return tea.MouseClickMsg{X: rng.IntN(150), Y: rng.IntN(50), Button: tea.MouseLeft}
	case n < 18:
		return tea.MouseWheelMsg{X: rng.IntN(150), Y: rng.IntN(50),
			Button: []tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}[rng.IntN(2)]}
	default:
		return tuitest.KeyNamed(t, names[rng.IntN(len(names))])
	}
}

// check looks at what must hold of the list of messages at any time.
func check(t *testing.T, v *tui.Screen) {
	if fault := play.RoomOf(v.Parts()).Fault(); fault != "" {
		t.Error(fault)
	}
}
