package painter

import (
	"bytes"
	"testing"
)

func TestPaint_SilentOnceDrawn(t *testing.T) {
	for _, text := range []string{"你好 x", "é", "e\u0301", "👍🏽 a", "❤️ b", "👨‍👩‍👧 c", "a\u200bb", "한글", "▀▀", "🇩🇪"} {
		var w bytes.Buffer
		p := New(&w, []string{"TERM=xterm-256color"})
		p.Resize(20, 4)
		_ = p.Enter("")
		_ = p.Paint(hello(text))
		for range 3 {
			w.Reset()
			_ = p.Paint(hello(text))
			if w.Len() != 0 {
				t.Errorf("%q: drawn again, it wrote %q", text, w.String())
				break
			}
		}
	}
}
