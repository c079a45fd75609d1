package pane

import (
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// listHost is as much of a host as a list needs.
type listHost struct {
	Host
	sty *draw.Styles
}

func (d *listHost) Styles() *draw.Styles { return d.sty }
func (*listHost) Do(work func() func() tea.Cmd) tea.Cmd {
	return func() tea.Msg { work()(); return nil }
}

type fruit struct{ name, kind string }

func fruits(t *testing.T, lines int, names ...string) *List[fruit] {
	t.Helper()
	set, err := themes.Load("")
	if err != nil {
		t.Fatal(err)
	}
	l := NewList[fruit](&listHost{sty: draw.New(set[0], true, 1)}, lines)
	l.Chat = "chat"
	l.ID = func(f *fruit) string { return f.name }
	l.Head = func(f *fruit) string { return f.kind }
	l.Search = func(f *fruit) []string { return []string{f.name} }
	l.Empty = func() string { return "No fruits." }
	l.Row = func(f *fruit, _ int) Row {
		return Row{Sign: "·", Text: f.name, Right: "4 min", More: strings.Repeat("x", lines-1)}
	}
	show(&l, names...)
	return &l
}

func show(l *List[fruit], names ...string) {
	var items []fruit
	for _, n := range names {
		kind, name, _ := strings.Cut(n, "/")
		items = append(items, fruit{name, kind})
	}
	l.Show(items)
}

func frame(l *List[fruit], w, h int) []string {
	buf := uv.NewScreenBuffer(w, h)
	l.Draw(buf, uv.Rect(0, 0, w, h), true)
	lines := strings.Split(ansi.Strip(buf.Render()), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \r")
	}
	return lines
}

// The chosen thing stays chosen after a new reading, and marks of removed things are dropped.
func TestList_ChoiceStays(t *testing.T) {
	t.Parallel()
	l := fruits(t, 1, "/c", "/b", "/a")
	l.Move(1)
	l.Mark()
	l.Move(-1)
	show(l, "/d", "/c", "/b", "/a")
	if l.Item().name != "b" || !l.Marked["b"] {
		t.Errorf("chosen: %s, marked: %v", l.Item().name, l.Marked)
	}
	if show(l, "/c", "/a"); l.Item() == nil || len(l.Marked) != 0 {
		t.Errorf("chosen: %v, marked: %v", l.Item(), l.Marked)
	}
	if show(l); l.Item() != nil {
		t.Errorf("chosen: %v", l.Item())
	}
}

// Things are under their headings, which count them.
func TestList_Headings(t *testing.T) {
	t.Parallel()
	l := fruits(t, 1, "red/apple", "red/cherry", "blue/plum")
	got := frame(l, 30, 8)
	for i, want := range []string{"red 2", "· apple", "· cherry", "blue 1", "· plum"} {
		if !strings.HasPrefix(got[i], want) {
			t.Errorf("line %d: %q, not %q", i, got[i], want)
		}
	}
	l.Click(0, 4)
	if l.Item().name != "plum" {
		t.Errorf("a click chose %s", l.Item().name)
	}
}

// A row's text ends before the text at its right, at every width.
func TestList_TextAndRightStandApart(t *testing.T) {
	t.Parallel()
	l := fruits(t, 2, "/"+strings.Repeat("pomegranate", 6))
	for w := 12; w < 60; w++ {
		if line := frame(l, w, 2)[0]; !strings.Contains(line, " 4 min") {
			t.Errorf("%d cells: %q", w, line)
		}
	}
}

// The chosen row is in view at every height, whole where it fits.
func TestList_ChosenIsInView(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 40 {
		names = append(names, string(rune('a'+i/10))+"/"+string(rune('A'+i)))
	}
	l := fruits(t, 2, names...)
	for h := 3; h < 20; h++ {
		for l.Move(-100); ; l.Move(1) {
			if got := frame(l, 30, h); !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, "· "+l.Item().name) }) {
				t.Fatalf("%d lines: %s is not in view:\n%s", h, l.Item().name, strings.Join(got, "\n"))
			}
			if l.Item().name == names[len(names)-1][2:] {
				break
			}
		}
	}
}

// A list says why nothing is in it.
func TestList_Empty(t *testing.T) {
	t.Parallel()
	l := fruits(t, 1)
	if got := frame(l, 30, 3)[0]; got != "No fruits." {
		t.Errorf("%q", got)
	}
	show(l, "/apple", "/plum")
	l.SetFilter("melon")()
	if got := strings.Join(frame(l, 30, 4), " "); !strings.Contains(got, "No match for “melon”.") {
		t.Errorf("%q", got)
	}
	l.SetFilter("plum")()
	if l.Item() == nil || l.Item().name != "plum" || len(l.Lines) != 1 {
		t.Errorf("chosen: %v", l.Item())
	}
}

// A wrapped list has rows as tall as their texts, within their bounds, at every width.
func TestList_Wrapped(t *testing.T) {
	t.Parallel()
	l := fruits(t, 1, "/plum", "/quince")
	l.Wrapped = true
	l.Row = func(f *fruit, _ int) Row {
		if f.name == "plum" {
			return Row{Sign: "●●●", Text: f.name, More: strings.Repeat("sweet and round ", 9), MoreLines: 2}
		}
		return Row{Sign: "●", Text: strings.Repeat(f.name+" ", 9), Right: "x", Lines: 3}
	}
	for _, c := range []struct{ w, h, plum, quince int }{{30, 12, 3, 3}, {60, 12, 3, 2}, {200, 12, 2, 1}} {
		got := frame(l, c.w, c.h)
		if at := slices.IndexFunc(got, func(s string) bool { return strings.HasPrefix(s, "● quince") }); at != c.plum {
			t.Errorf("%d cells: the second row is in line %d, not %d:\n%s", c.w, at, c.plum, strings.Join(got, "\n"))
		}
		if n := l.Outline.Rows[1].Height; n != c.quince {
			t.Errorf("%d cells: the second row has %d lines, not %d", c.w, n, c.quince)
		}
		if !strings.HasPrefix(got[0], "●●● plum") || !strings.HasPrefix(got[1], "    sweet") {
			t.Errorf("%d cells: %q", c.w, got[:2])
		}
	}
}

// The text after a heading can be set, and the text while nothing was read yet.
func TestList_BesideAndWait(t *testing.T) {
	t.Parallel()
	l := fruits(t, 1, "red/apple", "blue/plum")
	l.HeadingNote, l.LoadingText = func(head string) string { return "as " + head }, "Reading …"
	if got := frame(l, 30, 8)[0]; got != "red as red" {
		t.Errorf("%q", got)
	}
	if l.Reset("chat"); frame(l, 30, 8)[0] != "Reading …" {
		t.Errorf("%q", frame(l, 30, 8))
	}
}

// All about the chosen thing is shown where half of the list has room, else the short version.
func TestList_Whole(t *testing.T) {
	t.Parallel()
	l := fruits(t, 1, "/plum")
	l.Detail = func(*fruit, int) []string { return []string{"in short"} }
	l.FullDetail = func(*fruit, int) []string { return []string{"1", "2", "3", "4", "5", "6", "7", "8"} }
	for h, want := range map[int]string{30: "8", 14: "in short", 10: ""} {
		got := frame(l, 30, h)
		if last := strings.TrimSpace(got[len(got)-1]); last != want {
			t.Errorf("%d lines end with %q, not %q", h, last, want)
		}
	}
}

// The text below the list starts at its top when another thing is chosen. The wheel scrolls it over
// the text, and moves the selection above it.
func TestListDialog_Text(t *testing.T) {
	t.Parallel()
	d := &ListDialog[fruit]{List: *fruits(t, 1, "/apple", "/plum")}
	d.Text = func(f *fruit, _ int) (lines []string) {
		for i := range 40 {
			lines = append(lines, f.name+" line "+string(rune('A'+i)))
		}
		return lines
	}
	wheel := func(y int) string {
		d.Handle(tea.MouseWheelMsg{X: 5, Y: y, Button: tea.MouseWheelDown})
		buf := uv.NewScreenBuffer(40, 16)
		d.Draw(buf, uv.Rect(0, 0, 40, 16), d.Host.Styles())
		lines := strings.Split(ansi.Strip(buf.Render()), "\n")
		return lines[4]
	}
	d.Draw(uv.NewScreenBuffer(40, 16), uv.Rect(0, 0, 40, 16), d.Host.Styles())
	if got := wheel(8); !strings.Contains(got, "apple line D") {
		t.Errorf("the wheel over the text: %q", got)
	}
	if got := wheel(1); !strings.Contains(got, "plum line A") {
		t.Errorf("the wheel over the list: %q", got)
	}
}

// The number of selected rows comes before the line above the list. The key that shows all removes
// the selection first, and then the filter.
func TestList_Selection(t *testing.T) {
	t.Parallel()
	l := fruits(t, 1, "/apple", "/plum", "/pear")
	l.Above = func(int, int) []string { return []string{"the fruits", ""} }
	l.Mark()
	l.Mark()
	if got := frame(l, 40, 8); got[0] != "2 selected · the fruits" || !strings.Contains(got[2], "apple") {
		t.Errorf("%q", got)
	}
	l.SetFilter("plum")()
	all := l.Filtering(func() Pane { return nil })[1]
	for _, want := range []struct {
		marked int
		filter string
	}{{2, "plum"}, {0, "plum"}, {0, ""}} {
		if len(l.Marked) != want.marked || l.Filter.Text != want.filter || all.IsVisible() != (want.marked > 0 || want.filter != "") {
			t.Errorf("%d selected, filter %q", len(l.Marked), l.Filter.Text)
		}
		all.Do()
	}
}

// A sign of several cells moves the texts of its row.
func TestList_WideSign(t *testing.T) {
	t.Parallel()
	l := fruits(t, 2, "/apple")
	row := l.Row
	l.Row = func(f *fruit, w int) Row { r := row(f, w); r.Sign = "│ 12"; return r }
	if got := frame(l, 30, 2); got[0] != "│ 12 apple              4 min" || got[1] != "     x" {
		t.Errorf("%q", got)
	}
}

// What is under something folded is shown by the filter only, and what is fixed is never marked.
func TestList_FoldedAndFixed(t *testing.T) {
	t.Parallel()
	l := fruits(t, 1)
	l.Head, l.Marks = nil, true
	l.Folded = func(f *fruit) bool { return f.kind == "folded" }
	l.Fixed = func(f *fruit) bool { return f.kind == "fixed" }
	show(l, "fixed/tree", "/apple", "folded/plum")
	if len(l.Lines) != 2 {
		t.Errorf("%d lines", len(l.Lines))
	}
	l.MarkAll()
	l.Mark() // the tree is chosen
	if len(l.Marked) != 1 || !l.Marked["apple"] {
		t.Errorf("marked: %v", l.Marked)
	}
	l.SetFilter("plum")()
	if l.Item() == nil || l.Item().name != "plum" {
		t.Errorf("found: %v", l.Item())
	}
	l.Find = func(want string, _ *atomic.Bool) func() []int {
		return func() []int { return []int{2, 0} }
	}
	l.SetFilter("anything")()
	if len(l.Lines) != 2 || l.Item().name != "plum" {
		t.Errorf("found: %v", l.Lines)
	}
}

// The text beside the others has a column if there is room, and gives way if there is none.
func TestList_Beside(t *testing.T) {
	t.Parallel()
	l := fruits(t, 1, "/fig", "/pomegranate")
	l.Row = func(f *fruit, _ int) Row { return Row{Text: f.name, Column: "round", Right: "4"} }
	at := func(w, line int) int { return strings.Index(frame(l, w, 3)[line], "round") }
	if a, b := at(80, 0), at(80, 1); a < 20 || a != b {
		t.Errorf("80 cells: it begins at %d and %d", a, b)
	}
	if a, b := at(40, 0), at(40, 1); a < 0 || a >= b {
		t.Errorf("40 cells: it begins at %d and %d", a, b)
	}
	if got := frame(l, 18, 3)[1]; !strings.Contains(got, "pomegranate") || strings.Contains(got, "rou") {
		t.Errorf("18 cells: %q", got)
	}
}

// dialogFrame returns the frame of a list in a dialog.
func dialogFrame(d *ListDialog[fruit], w, h int) string {
	buf := uv.NewScreenBuffer(w, h)
	d.Draw(buf, uv.Rect(0, 0, w, h), d.Host.Styles())
	return ansi.Strip(buf.Render())
}

// A list in a dialog takes what a short text leaves, and an empty one is as tall as its words.
func TestListDialog_Height(t *testing.T) {
	t.Parallel()
	var names []string
	for i := range 12 {
		names = append(names, "/"+string(rune('a'+i)))
	}
	d := &ListDialog[fruit]{List: *fruits(t, 1, names...)}
	d.Text = func(f *fruit, _ int) []string { return []string{"about " + f.name} }
	if got := dialogFrame(d, 40, 20); !strings.Contains(got, "· l") || !strings.Contains(got, "about a") {
		t.Errorf("the dialog is\n%s", got)
	}
	d.Empty = func() string { return strings.Repeat("no fruits ", 12) + "at all" }
	show(&d.List)
	if got := dialogFrame(d, 40, 20); !strings.Contains(got, "at all") {
		t.Errorf("the empty dialog is\n%s", got)
	}
}
