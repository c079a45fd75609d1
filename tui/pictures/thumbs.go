package pictures

import (
	"image"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/picture"
)

// thumbs are the small pictures of the gallery. Only those in view are read: all that a
// frame lacks by one piece of work, since the next would wait for a frame.
type thumbs struct {
	cached  map[storage.CaptureID]*thumb
	missing []storage.Capture // that the frame has no small picture of
	reading bool
	dropped []storage.CaptureID // meanwhile
	frame   int
}

// thumb is one small picture, and how it was last drawn.
type thumb struct {
	img   image.Image // nil where it cannot be read
	cells []string
	w, h  int
	plain bool // of cells
	dark  bool // likewise
	frame int  // that it was last in
}

const (
	maxThumbs = 240 // more than any screen holds
	// thumbsBudget is how long small pictures are read before those that came are shown.
	// It does for a screen full of them, but for those that have to be made first.
	thumbsBudget = 10 * time.Millisecond
)

// drop forgets a capture's small picture: it has another one.
func (t *thumbs) drop(id storage.CaptureID) {
	delete(t.cached, id)
	if t.reading {
		t.dropped = append(t.dropped, id)
	}
}

// get is a capture's small picture, nil while it is not there; there reports whether there
// is one to come.
func (t *thumbs) get(c *storage.Capture) (small *thumb, there bool) {
	if small = t.cached[c.ID]; small != nil {
		small.frame = t.frame
		return small, true
	}
	if c.ThumbnailPath == "" && c.Kind == "video" || c.ImagePath == "" {
		return nil, false
	}
	t.missing = append(t.missing, *c)
	return nil, true
}

// load has the small pictures read that the frame lacks.
func (t *thumbs) load(d pane.Host) tea.Cmd {
	list := t.missing
	t.missing = nil
	if t.reading || len(list) == 0 {
		return nil
	}
	t.reading = true
	return d.Do(func() func() tea.Cmd {
		var read []*thumb
		for began := time.Now(); len(read) == 0 || len(read) < len(list) && time.Since(began) < thumbsBudget; {
			c := list[len(read)]
			img, err := d.Engine().Pictures.Gallery.Small(c)
			if err != nil {
				d.Log().Debug("a thumbnail cannot be read", "capture", c.ID, "err", err)
			}
			read = append(read, &thumb{img: img})
		}
		return func() tea.Cmd {
			t.keep(list, read)
			t.reading, t.dropped = false, nil
			return nil
		}
	})
}

// keep takes over small pictures, those of the first of a list.
func (t *thumbs) keep(list []storage.Capture, read []*thumb) {
	if t.cached == nil {
		t.cached = map[storage.CaptureID]*thumb{}
	}
	if len(t.cached) >= maxThumbs {
		for id, old := range t.cached {
			if old.frame < t.frame-1 {
				delete(t.cached, id)
			}
		}
	}
	for i, small := range read {
		if id := list[i].ID; !slices.Contains(t.dropped, id) {
			small.frame = t.frame
			t.cached[id] = small
		}
	}
}

// fit lays the small picture out in at most w × h cells.
func (s *thumb) fit(w, h int, plain, dark bool) []string {
	if s.cells != nil && s.w == w && s.h == h && s.plain == plain && s.dark == dark {
		return s.cells
	}
	s.w, s.h, s.plain, s.dark = w, h, plain, dark
	if plain {
		s.cells = picture.ShadeBlocks(s.img, w, h, dark)
	} else {
		s.cells = picture.HalfBlocks(s.img, w, h)
	}
	return s.cells
}

// drawThumb draws a capture's small picture in the middle of an area, or a sign
// where there is none; nothing of it from the line bottom on.
func (g *gallery) drawThumb(buf uv.ScreenBuffer, area uv.Rectangle, bottom int, c *pictures.GalleryItem) {
	small, there := g.thumbs.get(&c.Capture)
	if small == nil || small.img == nil {
		x, y := area.Min.X+area.Dx()/2, area.Min.Y+area.Dy()/2
		if y < bottom && (!there || small != nil) {
			draw.Put(buf, x, y, 1, g.Host.Styles().Faint, captureMark(c))
		}
		return
	}
	cells := small.fit(area.Dx(), area.Dy(), g.part.display.plain, g.Host.Styles().Dark)
	y := area.Min.Y + max(0, area.Dy()-len(cells))/2
	for i, l := range cells {
		if y+i < min(area.Max.Y, bottom) {
			draw.PutStyled(buf, area.Min.X, y+i, area.Dx(), l)
		}
	}
}
