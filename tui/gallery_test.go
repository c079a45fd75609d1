package tui

import (
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ghostlight/engine/event"
	"ghostlight/engine/house"
	"ghostlight/engine/pictures"
	"ghostlight/engine/play"
	"ghostlight/engine/queue"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// However the gallery is laid out, every capture stands in one slot, and the
// chosen one is in view.
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
		g := newGallery(&app{})
		g.Rows = g.taking(scenes)()
		g.Lay("")
		for range rapid.IntRange(1, 12).Draw(r, "keys") {
			area := uv.Rect(0, 0, rapid.IntRange(1, 90).Draw(r, "width"), rapid.IntRange(1, 40).Draw(r, "height"))
			g.layGrid(area, rapid.Bool().Draw(r, "tiles"), rapid.Bool().Draw(r, "plain"))
			checkGrid(r, g, area)
			g.Move(rapid.IntRange(-4, 4).Draw(r, "by"))
			g.aside(rapid.IntRange(-1, 1).Draw(r, "aside"))
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
		if diff := cmp.Diff(c.want, families(c.items)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// Of what changes, only the captures of this chat have it read again; progress
// never does.
func TestGallery_ReadsOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	_, g := stageGallery(t, 80, 24, manyCaptures(3))
	for _, c := range []struct {
		ev   event.Event
		want bool
	}{
		{house.OperationProgress{ID: "o", Type: desk.Paints, Capture: "c000001", Chat: "c"}, false},
		{pictures.CaptureChanged{Capture: storage.Capture{ID: "z", Chat: "other"}}, false},
		{pictures.CaptureChanged{Capture: storage.Capture{ID: "c000001", Chat: "c"}}, true},
		{scenes.Changed{Chat: "other"}, false},
		{scenes.Changed{Chat: "c"}, true},
		{play.ReplyDelta{Chat: "c"}, false},
		{house.OperationChanged{Operation: storage.Operation{Type: "after_turn", Status: storage.Completed}}, false},
		{house.OperationChanged{Operation: storage.Operation{Type: desk.Paints, Status: storage.Completed, Params: []byte(`{"capture":"c000001","chat":"c"}`)}}, true},
	} {
		g.Busy, g.Again = true, false // a reading that goes on notes that another is wanted
		g.event(c.ev)
		if g.Again != c.want {
			t.Errorf("%T %+v: read again %t", c.ev, c.ev, g.Again)
		}
	}
}

// A new capture is shown, unless the user looks at another one.
func TestGallery_FollowsTheNewest(t *testing.T) {
	t.Parallel()
	_, g := stageGallery(t, 80, 24, manyCaptures(30))
	if g.Key() != "c000029" {
		t.Errorf("it opens at %s", g.Key())
	}
	take := func(n int) {
		was := g.Key()
		g.Rows = g.taking(manyCaptures(n))()
		g.Lay(was)
	}
	take(31)
	if g.Key() != "c000030" {
		t.Errorf("%s is shown after a new one", g.Key())
	}
	g.Move(-3)
	was := g.Key()
	take(32)
	if g.Key() != was {
		t.Errorf("%s is shown instead of %s, which the user had chosen", g.Key(), was)
	}
}

// The batches stand above the list: up from the first row goes there, down leads
// back.
func TestGallery_BatchesAreRows(t *testing.T) {
	t.Parallel()
	a, g := stageGallery(t, 80, 24, manyCaptures(3))
	batch := pictures.BatchView{Batch: storage.Batch{ID: "b", By: storage.ByAngles}, Chat: "c", Total: 4, Done: 2, Painting: 1, Prompting: 1, Left: 110 * time.Second}
	a.event(pictures.BatchChanged{Batch: batch})
	a.paint()
	if f := a.painter.Text(); !strings.Contains(f, "angles 2/4 · painting 1 · being written 1 · 2 min left") {
		t.Errorf("the batch is not on the screen:\n%s", f)
	}
	for range 5 {
		a.update(tea.KeyPressMsg{Code: 'k', Text: "k"})
		a.paint()
	}
	if b := g.chosenBatch(); b == nil || b.ID != "b" {
		t.Error("up does not lead to the batch")
	}
	if f := a.painter.Text(); !strings.Contains(f, "x cancel all of it") {
		t.Errorf("its keys are not told:\n%s", f)
	}
	a.update(tea.KeyPressMsg{Code: 'j', Text: "j"})
	if g.chosenBatch() != nil || g.Key() != "c000000" {
		t.Errorf("down leads to %v, %s", g.chosenBatch(), g.Key())
	}
	batch.Done, batch.Painting, batch.Prompting = 4, 0, 0
	a.event(pictures.BatchChanged{Batch: batch})
	if len(a.batches()) != 0 {
		t.Error("a batch that is done is still shown")
	}
	batch.ID, batch.Chat, batch.Drafts = "other", "d", 1
	if a.event(pictures.BatchChanged{Batch: batch}); len(a.batches()) != 0 {
		t.Error("a batch of another chat is shown")
	}
}

func TestTimeLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		d    time.Duration
		want string
	}{{0, ""}, {-time.Second, ""}, {time.Millisecond, "1 s left"}, {40 * time.Second, "40 s left"}, {89 * time.Second, "89 s left"},
		{90 * time.Second, "2 min left"}, {110 * time.Second, "2 min left"}, {89 * time.Minute, "89 min left"}, {3 * time.Hour, "3 h left"}} {
		if got := look.TimeLeft(c.d); got != c.want {
			t.Errorf("%s: %q, want %q", c.d, got, c.want)
		}
	}
}

func TestProgressWords(t *testing.T) {
	t.Parallel()
	stages := []queue.Stage{{Name: "making room", State: queue.StageDone}, {Name: "painting", State: queue.StageNow}}
	paints := storage.Operation{Type: desk.Paints, StartedAt: time.Now()}
	for _, c := range []struct {
		name        string
		p           queue.Progress
		play, short string
	}{
		{"nothing yet", queue.Progress{}, "waiting for ComfyUI", "painting 0s"},
		{"a queue", queue.Progress{Text: "3 ahead in ComfyUI's queue"}, "3 ahead in ComfyUI's queue", "painting: 3 ahead in ComfyUI's queue"},
		{"steps", queue.Progress{Text: "KSampler", Step: 12, Of: 20, Left: 40 * time.Second}, "KSampler ▰▰▰▰▰▱▱▱ 12/20 · 40 s left", "painting 12/20 · 40 s left"},
		{"a stage", queue.Progress{Stages: stages}, "painting", "painting: painting"},
	} {
		j := &job{Job: desk.Job{Op: paints, Progress: c.p}}
		if got := captureProgress(&j.Job); got != c.play {
			t.Errorf("%s: %q in the play", c.name, got)
		}
		if got := desk.BriefProgress(&j.Job); got != c.short {
			t.Errorf("%s: %q in the status line", c.name, got)
		}
	}
}

// Of frames that come while one is decoded only the newest is shown, and none
// after the work has ended.
func TestShowFrame_NewestOnly(t *testing.T) {
	t.Parallel()
	a, _ := stageGallery(t, 80, 24, manyCaptures(1))
	j := &job{Job: desk.Job{Op: storage.Operation{ID: "o", Type: desk.Paints}, Capture: "c000000"}}
	a.work.running = map[storage.OperationID]*job{"o": j}
	frame := func(n byte) house.OperationProgress {
		return house.OperationProgress{ID: "o", Capture: "c000000", Progress: queue.Progress{Preview: []byte{n}}}
	}
	if a.showFrame(j, frame(1)) == nil || !j.frames.busy {
		t.Fatal("the first frame is not decoded at once")
	}
	for n := byte(2); n < 100; n++ {
		if a.showFrame(j, frame(n)) != nil {
			t.Fatal("a second one is decoded beside it")
		}
	}
	if got := j.frames.next.Progress.Preview; !slices.Equal(got, []byte{99}) {
		t.Errorf("%v is next", got)
	}
	j.frames.last = time.Time{} // long ago
	if a.nextFrame(j) == nil || j.frames.next != nil || !j.frames.busy {
		t.Error("the newest does not follow")
	}
	a.showFrame(j, frame(100))
	delete(a.work.running, "o")
	j.frames.last = time.Time{}
	if a.nextFrame(j) != nil || j.frames.busy {
		t.Error("a frame is shown after the end")
	}
}

// A picture that was asked for comes up by itself only where no key falls into
// it.
func TestPictureAsked_StealsNoKeys(t *testing.T) {
	t.Parallel()
	a, _ := stageGallery(t, 80, 24, manyCaptures(1))
	if !strings.Contains(said(a, storage.Capture{ID: "q", Chat: "d"}), "another chat") {
		t.Error("one of another chat is not told as such")
	}
	if said(a, storage.Capture{ID: "q", Chat: "c"}) == "" {
		t.Error("nothing is said in the pane")
	}
	a.closePane()
	a.composer.in.Insert("I was just")
	if got := said(a, storage.Capture{ID: "q", Chat: "c"}); got != "a picture was asked for: f2 shows it" {
		t.Errorf("while the user types: %q", got)
	}
	a.composer.in.Set("")
	a.dialogs.Open(&widget.Confirm{Choices: []widget.Choice{{Key: "n", Words: "no", Do: nil}}})
	if said(a, storage.Capture{ID: "q", Chat: "c"}) == "" {
		t.Error("nothing is said while a dialog is open")
	}
	a.dialogs.All = nil
	if got := said(a, storage.Capture{ID: "q", Chat: "c"}); got != "" {
		t.Errorf("%q instead of the preview", got)
	}
}

// said is the notice that a picture leads to which was asked for, "" where its
// preview is opened.
func said(a *app, c storage.Capture) string {
	a.notice.text = ""
	a.pictureAsked(c)
	return a.notice.text
}
