package widget_test

import (
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Whatever was done to a text, undoing all of it gives the text that was set, byte for byte,
// and doing it again what it had become.
func TestText_Undo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := widget.NewInput(false)
		in.Focus()
		was := anyText(t, "set") + rapid.SampledFrom([]string{"", "\r\n", "a\r\nb"}).Draw(t, "ends")
		in.Set(was)
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				in.Insert(anyText(t, "typed"))
			case 1:
				in.Update(stroke(rapid.SampledFrom([]rune{tea.KeyLeft, tea.KeyUp, tea.KeyBackspace, tea.KeyDelete, tea.KeyHome}).Draw(t, "key"), 0))
			case 2:
				in.Update(stroke(rapid.SampledFrom([]rune{'k', 'u', 'w', 't', tea.KeySpace}).Draw(t, "ctrl"), tea.ModCtrl))
			case 3:
				from, to := in.Area.Marked()
				in.Area.Replace(from, to, anyText(t, "put"))
			}
		}
		become := in.Value()
		for in.Area.Undo() {
		}
		if got := in.Value(); got != was {
			t.Fatalf("undone: %q, not %q", got, was)
		}
		for in.Area.Redo() {
		}
		if got := in.Value(); got != become {
			t.Fatalf("done again: %q, not %q", got, become)
		}
	})
}

// What is typed without a pause is undone word by word, and no key undoes more than there
// was.
func TestText_UndoesWords(t *testing.T) {
	t.Parallel()
	in := widget.NewInput(false)
	in.Focus()
	in.Set("Well, ")
	for _, r := range "one two" {
		in.Update(tea.KeyPressMsg(tea.Key{Code: r, Text: string(r)}))
	}
	for _, want := range []string{"Well, one ", "Well, ", "Well, "} {
		if in.Update(stroke('z', tea.ModCtrl)); in.Value() != want {
			t.Errorf("%q, not %q", in.Value(), want)
		}
	}
}

func TestText_SelectMore(t *testing.T) {
	t.Parallel()
	const text = "*She nods.* \"You came,\" she says. \"Why? It’s late!\"\n\nThe rain goes on."
	for _, c := range []struct {
		at   int
		want []string
	}{
		{15, []string{"You", "\"You came,\" she says.", "*She nods.* \"You came,\" she says. \"Why? It’s late!\"", text, ""}},
		{2, []string{"She", "*She nods.*"}},
		{42, []string{"It’s", "It’s late!\""}},
		{len(text), []string{"The rain goes on.", text, ""}},
		{len(text) - 1, []string{"on", "The rain goes on."}},
	} {
		in := widget.NewInput(false)
		in.Focus()
		in.Set(text)
		in.Area.Replace(c.at, c.at, "")
		for i, want := range c.want {
			in.Update(stroke(tea.KeySpace, tea.ModCtrl))
			if got := in.Area.Selected(); got != want {
				t.Errorf("at %d, press %d: %q, not %q", c.at, i+1, got, want)
			}
		}
	}
}

// The mouse puts the cursor where it clicks, selects what it is pulled over, and a word by
// two clicks.
func TestText_Mouse(t *testing.T) {
	t.Parallel()
	in := widget.NewInput(false)
	in.Focus()
	in.Set("one two three\nfour")
	buf := uv.NewScreenBuffer(40, 10)
	in.Draw(buf, uv.Rect(5, 3, 30, 4))
	at := func(x, y int) tea.Mouse { return tea.Mouse{X: x, Y: y, Button: tea.MouseLeft} }
	in.Update(tea.MouseClickMsg(at(9, 3)))
	in.Update(tea.MouseMotionMsg(at(12, 3)))
	in.Update(tea.MouseReleaseMsg(at(12, 3)))
	if got := in.Area.Selected(); got != "two" {
		t.Errorf("pulled over %q", got)
	}
	in.Update(tea.MouseMotionMsg(at(16, 3)))
	if got := in.Area.Selected(); got != "two" {
		t.Errorf("after the button was let go: %q", got)
	}
	in.Update(tea.MouseClickMsg(at(6, 4)))
	in.Update(tea.MouseClickMsg(at(6, 4)))
	if got := in.Area.Selected(); got != "four" {
		t.Errorf("two clicks select %q", got)
	}
	in.Update(tea.MouseClickMsg(at(9, 3)))
	in.Insert("X")
	if got := in.Value(); got != "one Xtwo three\nfour" {
		t.Errorf("typed where it clicked: %q", got)
	}
	in.Update(tea.MouseClickMsg(at(0, 0)))
	in.Insert("Y")
	if got := in.Value(); got != "one XYtwo three\nfour" {
		t.Errorf("a click beside it: %q", got)
	}
}
