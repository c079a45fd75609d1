package widget_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// odd are pieces of text that terminals and libraries are known to lose.
var odd = []string{
	"👩‍👩‍👧‍👦", "👍🏽", "❤️", "🏳️‍🌈", "e\u0301", "\u05e9\u05dc\u05d5\u05dd", "\u202eabc\u202c", "\u0915\u094d\u0937", "한국", "\t", "\u200d", "\ufe0f", "\u0301",
	"\x1b[31m", "\x00", "\u009b", "\u2028", "\u00a0", "\ufeff", "\n", " ", "word", "a longer piece of prose, ",
}

func anyText(t *rapid.T, name string) string {
	pieces := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(odd), rapid.String()), 0, 12).Draw(t, name)
	return strings.ToValidUTF8(strings.ReplaceAll(strings.Join(pieces, ""), "\r", ""), "")
}

func stroke(code rune, mod tea.KeyMod) tea.KeyPressMsg {
	return tea.KeyPressMsg(tea.Key{Code: code, Mod: mod})
}

// A text is what was typed, pasted and deleted, byte for byte, wherever the cursor went
// meanwhile and however it was drawn.
func TestText_KeepsEveryByte(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := widget.NewInput(false)
		in.Focus()
		want := anyText(t, "set")
		in.Set(want)
		for range rapid.IntRange(1, 12).Draw(t, "steps") {
			in.Draw(uv.NewScreenBuffer(30, 8), uv.Rect(0, 0, rapid.IntRange(1, 30).Draw(t, "w"), rapid.IntRange(1, 8).Draw(t, "h")))
			more := anyText(t, "more")
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				in.Update(tea.PasteMsg{Content: more})
				want += more
			case 1:
				for _, r := range more {
					if !unicode.IsGraphic(r) && r != '\u200d' && r != '\ufe0f' {
						continue // no key is for these
					}
					in.Update(tea.KeyPressMsg(tea.Key{Code: r, Text: string(r)}))
					want += string(r)
				}
			case 2: // about, and back to the end
				for range rapid.IntRange(1, 9).Draw(t, "moves") {
					in.Update(stroke(rapid.SampledFrom([]rune{tea.KeyLeft, tea.KeyRight, tea.KeyUp, tea.KeyDown, tea.KeyHome, tea.KeyPgUp}).Draw(t, "key"),
						rapid.SampledFrom([]tea.KeyMod{0, tea.ModCtrl, tea.ModShift}).Draw(t, "mod")))
				}
				in.Update(stroke(tea.KeyEnd, tea.ModCtrl))
			case 3: // everything goes, a character at a time
				for range len(want) {
					in.Update(stroke(tea.KeyBackspace, 0))
				}
				if in.Value() != "" {
					t.Fatalf("%q is left of %q", in.Value(), want)
				}
				want = ""
			}
			if got := in.Value(); got != want {
				t.Fatalf("%q, not %q", got, want)
			}
		}
	})
}

// A text that is set keeps its line ends and bytes that are no text; what is pasted
// has \n for line ends, and U+FFFD for what is no text.
func TestText_LineEnds(t *testing.T) {
	t.Parallel()
	in := widget.NewInput(false)
	in.Focus()
	const raw = "one\r\ntwo\rthree\n\nfour\xff\r\n"
	in.Set(raw)
	if in.Value() != raw || in.Changed() {
		t.Errorf("set: %q", in.Value())
	}
	in.Update(tea.PasteMsg{Content: "x"})
	if got := in.Value(); got != raw+"x" {
		t.Errorf("after a letter: %q", got)
	}
	in.Set("")
	in.Update(tea.PasteMsg{Content: raw})
	if got, want := in.Value(), "one\ntwo\nthree\n\nfour\uFFFD\n"; got != want || !utf8.ValidString(got) {
		t.Errorf("pasted: %q", got)
	}
}

// A character is one step and one backspace, of however many runes it is.
func TestText_Characters(t *testing.T) {
	t.Parallel()
	for _, c := range []string{"👩‍👩‍👧‍👦", "👍🏽", "❤️", "e\u0301", "한", "\t", "x"} {
		in := widget.NewInput(false)
		in.Focus()
		in.Set("a" + c + "b")
		in.Update(stroke(tea.KeyLeft, 0))
		in.Update(stroke(tea.KeyBackspace, 0))
		if got := in.Value(); got != "ab" {
			t.Errorf("%q: backspace leaves %q", c, got)
		}
	}
}

// What is selected is replaced by what is typed.
func TestText_TypingReplacesTheSelection(t *testing.T) {
	t.Parallel()
	in := widget.NewInput(true)
	in.Focus()
	in.Set("what was there")
	in.Area.SelectAll()
	in.Update(tea.KeyPressMsg(tea.Key{Code: 'n', Text: "n"}))
	in.Update(tea.PasteMsg{Content: "ew\n"})
	if got := in.Value(); got != "new" {
		t.Errorf("%q", got)
	}
}

// Up and down keep to their cell, and the row of the cursor is in view.
func TestText_RowsAndCursor(t *testing.T) {
	t.Parallel()
	in := widget.NewInput(false)
	in.Focus()
	in.Set("The first line is long enough to need three rows here.\n\nThe last.")
	buf := uv.NewScreenBuffer(20, 3)
	cur := in.Draw(buf, uv.Rect(0, 0, 20, 3))
	if got := buf.Render(); !strings.Contains(got, "The last.") || cur.Y != 2 || cur.X != len("The last.") {
		t.Errorf("%q, cursor %v", got, cur)
	}
	for range 3 {
		in.Update(stroke(tea.KeyUp, 0))
	}
	buf = uv.NewScreenBuffer(20, 3)
	if cur = in.Draw(buf, uv.Rect(0, 0, 20, 3)); cur.X != len("The last.") || cur.Y != 0 {
		t.Errorf("cursor %v in %q", cur, buf.Render())
	}
	if in.AtTop() || in.AtBottom() {
		t.Error("the middle is neither top nor bottom")
	}
	in.Set("👩‍👩‍👧‍👦\x1b[2J\u202e")
	buf = uv.NewScreenBuffer(20, 1)
	in.Draw(buf, uv.Rect(0, 0, 20, 1))
	if got := buf.Render(); strings.ContainsAny(got, "\x1b\u202e\u200d") || !strings.Contains(got, "␛[2J·") {
		t.Errorf("drawn as %q", got)
	}
}
