package widget

import (
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

func formFrame(f *Form, w, h int, sty *draw.Styles) string {
	buf := uv.NewScreenBuffer(w, h)
	f.Draw(buf, uv.Rect(0, 0, w, h), sty)
	return ansi.Strip(buf.Render())
}

// The field with the focus is shown at every height, with those around it.
func TestForm_FocusIsShown(t *testing.T) {
	t.Parallel()
	sty := &draw.Styles{}
	f := &Form{Title: "Form", Notes: []string{"a note"}}
	f.Below = func(int, *draw.Styles) []string { return []string{"said below"} }
	for i := range 20 {
		f.Fields = append(f.Fields, CheckField("field "+strconv.Itoa(i), i%2 == 0))
	}
	f.Fields[10] = TextField(sty, "field 10", strings.Repeat("words ", 100), 5)
	for h := 5; h < 50; h++ {
		for i := range f.Fields {
			f.Focus(i)
			if got := formFrame(f, 40, h, sty); !strings.Contains(got, "field "+strconv.Itoa(i)) {
				t.Fatalf("%d lines, field %d:\n%s", h, i, got)
			}
		}
	}
	got := formFrame(f, 40, 60, sty)
	for _, want := range []string{"✓ field 0 ", "– field 19", "said below", "a note"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the whole form:\n%s", want, got)
		}
	}
}

// What is said below gives way to what is wrong, and says that it goes on.
func TestForm_Below(t *testing.T) {
	t.Parallel()
	sty := &draw.Styles{}
	f := &Form{Title: "Form", Fields: []*Field{LineField(sty, "Name", "", "")}}
	f.Below = func(int, *draw.Styles) []string { return []string{"first", "second", "third"} }
	f.Count = func() (string, bool) { return "3 words, better 20", true }
	f.Start()
	shows := func(w int, not string, want ...string) {
		t.Helper()
		got := formFrame(f, w, 5, sty)
		for _, words := range want {
			if !strings.Contains(got, words) || strings.Contains(got, not) {
				t.Errorf("%q is not in the form, or %q is:\n%s", words, not, got)
			}
		}
	}
	shows(40, "third", "first", "second", "…", "3 words, better 20")
	f.Fault = "enter a name"
	shows(24, "second", "first", "enter a name", "3 words")
}

// The wheel goes through the fields and stops at the ends.
func TestForm_Wheel(t *testing.T) {
	t.Parallel()
	f := &Form{Fields: []*Field{CheckField("a", true), CheckField("b", true)}}
	for i, want := range []int{1, 1} {
		if f.Handle(tea.MouseWheelMsg{Button: tea.MouseWheelDown}); f.At != want {
			t.Errorf("%d: field %d has the focus, not %d", i, f.At, want)
		}
	}
	f.Handle(tea.MouseWheelMsg{Button: tea.MouseWheelUp})
	if f.Handle(tea.MouseWheelMsg{Button: tea.MouseWheelUp}); f.At != 0 {
		t.Errorf("field %d has the focus", f.At)
	}
}
