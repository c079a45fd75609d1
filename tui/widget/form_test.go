package widget

import (
	"strconv"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

func formLook(t *testing.T) *look.Look {
	t.Helper()
	set, err := themes.Load("")
	if err != nil {
		t.Fatal(err)
	}
	return look.New(set[0], true, 1)
}

func formFrame(f *Form, w, h int, lk *look.Look) string {
	buf := uv.NewScreenBuffer(w, h)
	f.Draw(buf, uv.Rect(0, 0, w, h), lk)
	return ansi.Strip(buf.Render())
}

// The field with the focus is shown at every height, with those around it.
func TestForm_FocusIsShown(t *testing.T) {
	t.Parallel()
	lk := formLook(t)
	f := &Form{Title: "Form", Notes: []string{"a note"}, Below: func(int, *look.Look) []string { return []string{"said below"} }}
	for i := range 20 {
		f.Fields = append(f.Fields, CheckField("field "+strconv.Itoa(i), i%2 == 0))
	}
	f.Fields[10] = TextField(lk, "field 10", strings.Repeat("words ", 100), 5)
	for h := 5; h < 50; h++ {
		for i := range f.Fields {
			f.Focus(i)
			if got := formFrame(f, 40, h, lk); !strings.Contains(got, "field "+strconv.Itoa(i)) {
				t.Fatalf("%d lines, field %d:\n%s", h, i, got)
			}
		}
	}
	if got := formFrame(f, 40, 60, lk); !strings.Contains(got, "✓ field 0 ") || !strings.Contains(got, "– field 19") || !strings.Contains(got, "said below") || !strings.Contains(got, "a note") {
		t.Errorf("the whole form:\n%s", got)
	}
}

// What is said below gives way to what is wrong, and says that it goes on.
func TestForm_Below(t *testing.T) {
	t.Parallel()
	lk := formLook(t)
	f := &Form{Title: "Form", Fields: []*Field{LineField(lk, "Name", "", "")}}
	f.Below = func(int, *look.Look) []string { return []string{"first", "second", "third"} }
	f.Count = func() (string, bool) { return "3 words, better 20", true }
	f.Start()
	if got := formFrame(f, 40, 5, lk); !strings.Contains(got, "second") || !strings.Contains(got, "…") || strings.Contains(got, "third") || !strings.Contains(got, "3 words, better 20") {
		t.Errorf("the form:\n%s", got)
	}
	f.Fault = "enter a name"
	if got := formFrame(f, 24, 5, lk); !strings.Contains(got, "enter a name") || !strings.Contains(got, "first") || strings.Contains(got, "second") || !strings.Contains(got, "3 words") {
		t.Errorf("the form:\n%s", got)
	}
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
