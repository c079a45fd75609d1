package keys

import (
	"testing"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// Each letter of a layout has one key.
func TestLayouts_AreWhole(t *testing.T) {
	t.Parallel()
	seen := map[rune]bool{}
	for _, l := range layouts {
		if utf8.RuneCountInString(l[0]) != utf8.RuneCountInString(l[1]) {
			t.Errorf("%s has %d letters, and %d keys", l[0], utf8.RuneCountInString(l[0]), utf8.RuneCountInString(l[1]))
		}
		for _, r := range l[0] {
			if seen[r] || r < utf8.RuneSelf {
				t.Errorf("%c stands there twice, or is a key of every layout", r)
			}
			seen[r] = true
		}
	}
}

// pressed returns the key press for bytes of a terminal.
func pressed(t *testing.T, sent string) tea.KeyPressMsg {
	t.Helper()
	var d uv.EventDecoder
	n, ev := d.Decode([]byte(sent))
	k, ok := ev.(uv.KeyPressEvent)
	if !ok || n != len(sent) {
		t.Fatalf("%q is %T, %d bytes of it", sent, ev, n)
	}
	return OnUS(tea.KeyPressMsg(k))
}

// A chord is identified by its position, for any layout and any form in which the terminal sends
// it.
func TestOnUS(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ sent, stroke string }{
		"kitty, Russian":                     {"\x1b[1081::113;5u", "ctrl+q"},
		"kitty without alternate keys":       {"\x1b[1081;5u", "ctrl+q"},
		"kitty, Greek":                       {"\x1b[961::114;5u", "ctrl+r"},
		"kitty, Greek, a sign of every one":  {"\x1b[59::113;5u", "ctrl+;"},
		"kitty, Hebrew":                      {"\x1b[1511::101;3u", "alt+e"},
		"kitty, Bulgarian, as it is printed": {"\x1b[1072::100;5u", "ctrl+d"},
		"kitty, French":                      {"\x1b[97::113;5u", "ctrl+a"},
		"kitty, German":                      {"\x1b[246::59;5u", "ctrl+ö"},
		"kitty, with shift":                  {"\x1b[1081:1049:113;6u", "ctrl+shift+q"},
		"xterm, Russian":                     {"\x1b[27;5;1081~", "ctrl+q"},
		"xterm, Greek":                       {"\x1b[27;5;961~", "ctrl+r"},
		"xterm, Hebrew":                      {"\x1b[27;3;1511~", "alt+e"},
		"bytes, Russian":                     {"\x11", "ctrl+q"},
		"bytes, Russian, alt":                {"\x1bы", "alt+s"},
		"bytes, Greek, alt":                  {"\x1bσ", "alt+s"},
		"bytes, Hebrew, alt":                 {"\x1bד", "alt+s"},
		"an arrow":                           {"\x1b[A", "up"},
	} {
		if got := pressed(t, c.sent).Keystroke(); got != c.stroke {
			t.Errorf("%s: %q is %s, not %s", name, c.sent, got, c.stroke)
		}
	}
}

// What is typed stays what it is; while browsing it is the key of its place.
func TestTextOnUS(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{"о": "j", "О": "J", "ξ": "j", "ח": "j", "ㅓ": "j", "j": "", "é": "", "?": ""} {
		k := pressed(t, sent)
		if got := TextOnUS(k); got != want || k.Text != sent {
			t.Errorf("%s types %q and is %q, not %q", sent, k.Text, got, want)
		}
	}
}
