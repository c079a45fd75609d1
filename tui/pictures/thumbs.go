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

// thumbs are the thumbnails of the gallery. Only visible ones are read, all that a frame needs in
// one job, because the next job would wait for a frame.
type thumbs struct {
	cached  map[storage.CaptureID]*thumb
	missing []storage.Capture // captures without a thumbnail in this frame
	reading bool
	dropped []storage.CaptureID // meanwhile
	frame   int
}

// thumb is a thumbnail and its last layout.
type thumb struct {
	img   image.Image // nil if it cannot be read
	cells []string
	w, h  int
	plain bool // of cells
	dark  bool // of cells
	frame int  // last frame with it
}

const (
	maxThumbs = 240 // more than any screen holds
	// thumbsBudget is the time for reading thumbnails before the finished ones are shown. It is
	// enough for a full screen, except for thumbnails that must be created first.
	thumbsBudget = 10 * time.Millisecond
)

// drop drops a capture's thumbnail because it has changed.
func (t *thumbs) drop(id storage.CaptureID) {
	delete(t.cached, id)
	if t.reading {
		t.dropped = append(t.dropped, id)
	}
}

// get returns a capture's thumbnail, nil while it is loading; there reports whether there will be
// one.
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

// load reads the thumbnails that the frame needs.
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

// keep stores thumbnails for the first captures of a list.
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

// fit lays the thumbnail out in at most w × h cells.
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

// drawThumb draws a capture's thumbnail centered in an area, or a mark if there is none, and
// nothing below bottom.
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
