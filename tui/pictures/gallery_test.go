package pictures

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// fakeHost is a host with nothing behind it.
type fakeHost struct {
	pane.Host
	chat storage.ChatID
	jobs []*pane.Operation
	said string
	pane pane.Pane

	draft string // in the composer
	stack widget.Stack
}

// fakePlay, fakePanes and fakeWork are returned by the fake host.
type (
	fakePlay struct {
		pane.Play
		d *fakeHost
	}
	fakePanes struct {
		pane.Panes
		d *fakeHost
	}
	fakeWork struct {
		pane.Background
		d *fakeHost
	}
)

func (p fakePlay) Chat() chats.View           { return chats.View{Chat: storage.Chat{ID: p.d.chat}} }
func (p fakePlay) Draft() string              { return p.d.draft }
func (d *fakeHost) Dialogs() *widget.Stack    { return &d.stack }
func (p fakePanes) Current() pane.Pane        { return p.d.pane }
func (w fakeWork) Running() []*pane.Operation { return w.d.jobs }
func (d *fakeHost) Play() pane.Play           { return fakePlay{d: d} }
func (d *fakeHost) Panes() pane.Panes         { return fakePanes{d: d} }
func (d *fakeHost) Work() pane.Background     { return fakeWork{d: d} }
func (d *fakeHost) Mode() keys.Mode           { return keys.Write }
func (d *fakeHost) Log() *slog.Logger         { return slog.New(slog.DiscardHandler) }
func (d *fakeHost) Keys() *keys.Map {
	km, _ := keys.New(nil, keys.NewBinding(keys.Open, keys.MessageGroup, "open", keys.Browse, "o"),
		keys.NewBinding(keys.PaneCaptures, keys.PlayGroup, "gallery", keys.Any, "f2"))
	return km
}
func (d *fakeHost) Do(work func() func() tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		if f := work(); f != nil {
			return pane.Callback(f)
		}
		return nil
	}
}
func (d *fakeHost) Say(_ event.Level, text string) tea.Cmd { d.said = text; return nil }

// listing returns a gallery of a chat whose captures were read.
func listing(scenes []pictures.GalleryScene) (*fakeHost, *gallery) {
	d := &fakeHost{chat: "c"}
	r := New(d, nil)
	r.batching.chat = "c"
	g := newGallery(r)
	d.pane = g
	g.Chat, g.Loaded = "c", true
	g.Rows = g.prepareItems(scenes)()
	g.LayOut("")
	return d, g
}

// In any layout of the gallery, every capture is in one slot, and the chosen one is in view.
func TestGallery_GridHoldsAll(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var scenes []pictures.GalleryScene
		for i, n := range rapid.SliceOfN(rapid.IntRange(0, 9), 1, 9).Draw(r, "scenes") {
			s := pictures.GalleryScene{Number: i + 1}
			for j := range n {
				s.Captures = append(s.Captures, pictures.GalleryItem{Capture: storage.Capture{ID: storage.CaptureID(rune('a'+i)) + storage.CaptureID(rune('a'+j))}})
			}
			scenes = append(scenes, s)
		}
		g := newGallery(New(&fakeHost{}, nil))
		g.Rows = g.prepareItems(scenes)()
		g.LayOut("")
		for range rapid.IntRange(1, 12).Draw(r, "keys") {
			area := uv.Rect(0, 0, rapid.IntRange(1, 90).Draw(r, "width"), rapid.IntRange(1, 40).Draw(r, "height"))
			g.layoutGrid(area, rapid.Bool().Draw(r, "tiles"), rapid.Bool().Draw(r, "plain"))
			checkGrid(r, g, area)
			g.Move(rapid.IntRange(-4, 4).Draw(r, "by"))
			g.moveSideways(rapid.IntRange(-1, 1).Draw(r, "aside"))
			if c := g.current(); c == nil && len(g.items) > 0 {
				r.Fatal("no capture is chosen")
			}
		}
	})
}

func checkGrid(r *rapid.T, g *gallery, area uv.Rectangle) {
	at := 0
	for _, s := range g.grid.slots {
		if s.from != at || s.n < 1 || s.n > g.grid.cols {
			r.Fatalf("slots %+v of lines %v", g.grid.slots, g.Lines)
		}
		for _, n := range g.Lines[s.from : s.from+s.n] {
			if n < 0 != s.head {
				r.Fatalf("a heading in slot %+v of lines %v", s, g.Lines)
			}
		}
		at += s.n
	}
	if at != len(g.Lines) {
		r.Fatalf("%d of %d lines stand in slots", at, len(g.Lines))
	}
	if len(g.Lines) == 0 {
		return
	}
	d := &g.grid
	if i := d.slotAt(g.At); i < d.top || i >= d.top+d.shown && d.height(d.top, i+1) > area.Dy() && i > d.top {
		r.Fatalf("slot %d is not in view: top %d, %d shown, %d lines", i, d.top, d.shown, area.Dy())
	}
}

func TestFamilies(t *testing.T) {
	t.Parallel()
	item := func(id, from storage.CaptureID) pictures.GalleryItem {
		return pictures.GalleryItem{Capture: storage.Capture{ID: id, From: from}}
	}
	for _, c := range []struct {
		name  string
		items []pictures.GalleryItem
		want  map[storage.CaptureID][]storage.CaptureID
	}{
		{"none", []pictures.GalleryItem{item("a", ""), item("b", "")}, map[storage.CaptureID][]storage.CaptureID{}},
		{"a chain", []pictures.GalleryItem{item("a", ""), item("b", "a"), item("c", "b"), item("d", "")},
			map[storage.CaptureID][]storage.CaptureID{"a": {"a", "b", "c"}, "b": {"a", "b", "c"}, "c": {"a", "b", "c"}}},
		{"the first is gone", []pictures.GalleryItem{item("b", "x"), item("c", "b")},
			map[storage.CaptureID][]storage.CaptureID{"b": {"b", "c"}, "c": {"b", "c"}}},
		{"a ring", []pictures.GalleryItem{item("a", "b"), item("b", "a")},
			map[storage.CaptureID][]storage.CaptureID{"a": {"a", "b"}, "b": {"a", "b"}}},
	} {
		if diff := cmp.Diff(c.want, variantsOf(c.items)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Of what changes, only the captures of this chat have it read again; progress
// never does.
func TestGallery_ReadsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	_, g := listing(manyCaptures(3))
	for _, c := range []struct {
		ev   event.Event
		want bool
	}{
		{queue.Progressed{ID: "o", Type: pane.Paints, Capture: "c000001", Chat: "c"}, false},
		{pictures.CaptureChanged{Capture: storage.Capture{ID: "z", Chat: "other"}}, false},
		{pictures.CaptureChanged{Capture: storage.Capture{ID: "c000001", Chat: "c"}}, true},
		{scenes.Changed{Chat: "other"}, false},
		{scenes.Changed{Chat: "c"}, true},
		{play.ReplyDelta{Chat: "c"}, false},
		{queue.Changed{Operation: storage.Operation{Type: "after_turn", Status: storage.Completed}}, false},
		{queue.Changed{Operation: storage.Operation{Type: pane.Paints, Status: storage.Completed, Params: []byte(`{"capture":"c000001","chat":"c"}`)}}, true},
	} {
		g.Busy, g.Stale = true, false // a reading that goes on notes that another is wanted
		g.event(c.ev)
		if g.Stale != c.want {
			t.Errorf("%T %+v: read again %t", c.ev, c.ev, g.Stale)
		}
	}
}

// A new capture is shown, unless the user looks at another one.
func TestGallery_FollowsTheNewest(t *testing.T) {
	t.Parallel()
	_, g := listing(manyCaptures(30))
	if g.Key() != "c000029" {
		t.Errorf("it opens at %s", g.Key())
	}
	take := func(n int) {
		was := g.Key()
		g.Rows = g.prepareItems(manyCaptures(n))()
		g.LayOut(was)
	}
	take(31)
	if g.Key() != "c000030" {
		t.Errorf("%s is shown after a new one", g.Key())
	}
	g.layoutGrid(uv.Rect(0, 0, 60, 40), false, true)
	g.Move(-3)
	was := g.Key()
	take(32)
	if g.Key() != was {
		t.Errorf("%s is shown instead of %s, which the user had chosen", g.Key(), was)
	}
}

func TestProgressWords(t *testing.T) {
	t.Parallel()
	phases := []queue.Phase{{Name: "making room", State: queue.PhaseDone}, {Name: "painting", State: queue.PhaseRunning}}
	paints := storage.Operation{Type: pane.Paints, StartedAt: time.Now()}
	for _, c := range []struct {
		name        string
		p           queue.Progress
		play, short string
	}{
		{"nothing yet", queue.Progress{}, "waiting for ComfyUI", "generating a picture 0s"},
		{"a queue", queue.Progress{Text: "3 ahead in ComfyUI's queue"}, "3 ahead in ComfyUI's queue", "generating a picture: 3 ahead in ComfyUI's queue"},
		{"steps", queue.Progress{Text: "KSampler", Step: 12, Of: 20, Left: 40 * time.Second}, "KSampler ▰▰▰▰▰▱▱▱ 12/20 · 40 s left", "generating a picture 12/20 · 40 s left"},
		{"a phase", queue.Progress{Phases: phases}, "painting", "generating a picture: painting"},
	} {
		j := &pane.Operation{Op: paints, Progress: c.p}
		if got := captureProgress(j); got != c.play+" · 0s" {
			t.Errorf("%s: %q in the play", c.name, got)
		}
		if got := pane.BriefProgress(j); got != c.short {
			t.Errorf("%s: %q in the status line", c.name, got)
		}
	}
}

// manyCaptures are n captures in scenes of 25.
func manyCaptures(n int) []pictures.GalleryScene {
	var out []pictures.GalleryScene
	for i := range n {
		if i%25 == 0 {
			out = append(out, pictures.GalleryScene{Number: len(out) + 1, Name: fmt.Sprintf("The %d. evening", len(out)+1)})
		}
		seed := int64(i)
		c := storage.Capture{ID: storage.CaptureID(fmt.Sprintf("c%06d", i)), Chat: "c", Kind: imageKind, Status: storage.CaptureCompleted,
			Seed: &seed, Workflow: "text-to-image", Width: 832, Height: 1216, GenerationTime: 23, CreatedAt: time.Unix(int64(1_700_000_000+i), 0),
			ImagePrompt: fmt.Sprintf("Picture %d. A wide shot of the harbour at dusk, lanterns along the quay, the innkeeper at the rail. ", i),
			ImagePath:   "captures/x.png", ThumbnailPath: "captures/x_thumb.png"}
		s := &out[len(out)-1]
		s.Captures = append(s.Captures, pictures.GalleryItem{Capture: c, Variant: 1, Variants: 1})
	}
	return out
}

// Of frames that come while one is decoded only the newest is shown, and none
// after the work has ended.
func TestShowFrame_NewestOnly(t *testing.T) {
	t.Parallel()
	d, g := listing(manyCaptures(1))
	r := g.part
	d.jobs = []*pane.Operation{{Op: storage.Operation{ID: "o", Type: pane.Paints}, Capture: "c000000"}}
	frame := func(n byte) queue.Progressed {
		return queue.Progressed{ID: "o", Capture: "c000000", Progress: queue.Progress{Preview: []byte{n}}}
	}
	if r.progressed(frame(1)) == nil || !r.live["o"].busy {
		t.Fatal("the first frame is not decoded at once")
	}
	for n := byte(2); n < 100; n++ {
		if r.progressed(frame(n)) != nil {
			t.Fatal("a second one is decoded beside it")
		}
	}
	p := r.live["o"]
	if got := p.next.Progress.Preview; !slices.Equal(got, []byte{99}) {
		t.Errorf("%v is next", got)
	}
	p.last = time.Time{} // long ago
	if r.nextFrame("o", p) == nil || p.next != nil || !p.busy {
		t.Error("the newest does not follow")
	}
	r.progressed(frame(100))
	d.jobs = nil
	g.stale, g.Busy = false, true
	r.Event(queue.Changed{Operation: storage.Operation{ID: "o", Type: pane.Paints, Status: storage.Completed}})
	p.last = time.Time{}
	if r.nextFrame("o", p) != nil || p.busy {
		t.Error("a frame is shown after the end")
	}
}

// A picture that was asked for comes up by itself only where no key falls into
// it.
func TestPictureAsked_StealsNoKeys(t *testing.T) {
	t.Parallel()
	d, g := listing(manyCaptures(1))
	d.draft = "She"
	said := func(chat storage.ChatID) string {
		d.said, g.Busy = "", true
		g.part.confirmRequested(storage.Capture{ID: "q", Chat: chat})
		return d.said
	}
	if !strings.Contains(said("d"), "another chat") {
		t.Error("one of another chat is not told as such")
	}
	if said("c") == "" {
		t.Error("nothing is said in the pane")
	}
	d.pane = nil
	if got := said("c"); got != "picture requested: f2 shows it" {
		t.Errorf("while the user types: %q", got)
	}
	d.draft = ""
	if got := said("c"); got != "" {
		t.Errorf("%q instead of the preview", got)
	}
}

// BenchmarkGalleryEvent is a capture that changes among many.
func BenchmarkGalleryEvent(b *testing.B) {
	_, g := listing(manyCaptures(2_000))
	c := g.items[1_000].Capture
	g.Busy = true // what it leads to is measured elsewhere
	for b.Loop() {
		g.event(pictures.CaptureChanged{Capture: c})
	}
}
