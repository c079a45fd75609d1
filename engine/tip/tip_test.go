package tip

import (
	"slices"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestTeller(t *testing.T) {
	t.Parallel()
	words := func(s string) func() string { return func() string { return s } }
	folded, way := false, ""
	all := []Tip{
		{ID: "a", Text: words("on an event"), On: func(ev event.Event) bool { return ev == "reply" }},
		{ID: "b", Text: words("when something is so"), When: func() bool { return folded }},
		{ID: "c", Text: words("once it was looked"), On: func(ev event.Event) bool { return ev == "lore" }, Look: func(storage.ChatID) bool { return true }},
		{ID: "d", Text: func() string { return way }, On: func(ev event.Event) bool { return ev == "reply" }},
		{ID: "e", Text: words("said long ago")},
	}
	x := New(all, []string{"e"})
	next := func(want string) {
		t.Helper()
		if got, ok := x.Next(); got != want || ok != (want != "") {
			t.Errorf("%q, not %q", got, want)
		}
	}
	x.Handle("other")
	next("")
	x.Handle("reply")
	next("on an event")
	next("") // d has no words now
	x.Handle("reply")
	next("")
	way = "ctrl+x"
	next("ctrl+x")
	folded = true
	x.Handle(nil)
	next("when something is so")
	look := x.Handle("lore")
	if len(look) != 1 || look[0].ID != "c" || len(x.Handle("lore")) != 0 {
		t.Fatalf("%v is to be looked at", look)
	}
	if !x.Checked("c", false) {
		t.Fatal("what happened while it was looked at is not looked at")
	}
	if x.Checked("c", false) {
		t.Fatal("it is looked at for ever")
	}
	next("")
	if len(x.Handle("lore")) != 1 {
		t.Fatal("it is not looked at again")
	}
	x.Checked("c", true)
	next("once it was looked")
	x.Requeue()
	next("once it was looked")
	x.Handle("lore")
	x.Handle("reply")
	next("")
	if got := x.Shown(); !slices.Equal(got, []string{"e", "a", "d", "b", "c"}) {
		t.Errorf("told %v", got)
	}
	y := New(all, x.Shown())
	y.Handle("reply")
	if len(y.Handle("lore")) > 0 {
		t.Error("it is looked at although it was said")
	}
	if got, ok := y.Next(); ok {
		t.Errorf("%q is said again", got)
	}
}
