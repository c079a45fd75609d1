package keys

import (
	"strings"
	"testing"
)

func TestFree(t *testing.T) {
	m, errs := New(map[string][]string{"capture": {"f12"}}, declared...)
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	for key, want := range map[string]string{
		"alt+1": "", "f11": "", "ctrl+alt+x": "", "ctrl+g": "", "insert": "", "ctrl+right": "",
		"": "no key", "hello": "no key", "ctrl+enterr": "no key", "alt+ctrl+x": "no key",
		"a": "is text", "space": "is text", "shift+b": "is text", "?": "is text",
		"backspace": "edits", "up": "edits", "shift+left": "edits",
		"ctrl+i": "terminals", "ctrl+m": "terminals",
		"f12": "means capture", "ctrl+q": "means quit", "alt+q": "means quick-replies",
		"enter": "edits", "esc": "edits",
	} {
		err := m.Free(key)
		switch {
		case want == "" && err != nil:
			t.Errorf("%q is refused: %v", key, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, not %q", key, err, want)
		}
	}
}
