package pictures

import (
	"image"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine"
	"ghostlight/engine/pictures"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/look"
	"ghostlight/tui/picture"
)

// thumbs are the small pictures of the gallery. Only those in view are read, a few
// at a time: each that comes brings a frame, which asks for the next.
type thumbs struct {
	kept    map[storage.CaptureID]*thumb
	loading int
	frame   int
}

// thumb is one small picture, and how it was last drawn.
type thumb struct {
	img    image.Image // nil while it is read, and where it cannot be
	cells  []string
	w, h   int
	plain  bool // of cells
	dark   bool // likewise
	frame  int  // that it was last in
	failed bool
}

const (
	thumbSide     = 64  // pixels
	keptThumbs    = 240 // more than any screen holds
	thumbsLoading = 4   // at a time
)

// drop forgets a capture's small picture: it has another one.
func (t *thumbs) drop(id storage.CaptureID) { delete(t.kept, id) }

// get is a capture's small picture, nil where it is not there; load is what has
// it read, or nil.
func (t *thumbs) get(d desk.Desk, c *storage.Capture) (small *thumb, load tea.Cmd) {
	if small = t.kept[c.ID]; small != nil {
		small.frame = t.frame
		return small, nil
	}
	if t.loading >= thumbsLoading || c.ThumbnailPath == "" && c.Kind == "video" || c.ImagePath == "" {
		return nil, nil
	}
	if t.kept == nil {
		t.kept = map[storage.CaptureID]*thumb{}
	}
	if len(t.kept) >= keptThumbs {
		for id, old := range t.kept {
			if old.frame < t.frame-1 {
				delete(t.kept, id)
			}
		}
	}
	fresh := &thumb{frame: t.frame}
	t.kept[c.ID] = fresh
	t.loading++
	capture := *c
	return fresh, d.Do(func() func() tea.Cmd {
		img, err := readThumb(d.Engine(), capture)
		return func() tea.Cmd {
			t.loading--
			fresh.img, fresh.failed = img, err != nil
			return nil
		}
	})
}

func readThumb(e *engine.Engine, c storage.Capture) (image.Image, error) {
	data, err := e.Pictures.Gallery.Picture(c, true)
	if err != nil {
		return nil, err
	}
	img, err := picture.Decode(data)
	if err != nil {
		return nil, err
	}
	return picture.Thumbnail(img, thumbSide), nil
}

// fit lays the small picture out in at most w × h cells.
func (s *thumb) fit(w, h int, plain, dark bool) []string {
	if s.cells != nil && s.w == w && s.h == h && s.plain == plain && s.dark == dark {
		return s.cells
	}
	s.w, s.h, s.plain, s.dark = w, h, plain, dark
	if plain {
		s.cells = picture.Shades(s.img, w, h, dark)
	} else {
		s.cells = picture.HalfBlocks(s.img, w, h)
	}
	return s.cells
}

// drawThumb draws a capture's small picture in the middle of an area, or a sign
// where there is none; nothing of it from the line bottom on.
func (g *gallery) drawThumb(buf uv.ScreenBuffer, area uv.Rectangle, bottom int, c *pictures.GalleryItem) {
	small, load := g.thumbs.get(g.Desk, &c.Capture)
	if load != nil {
		g.room.display.wanted = append(g.room.display.wanted, load)
	}
	if small == nil || small.img == nil {
		x, y := area.Min.X+area.Dx()/2, area.Min.Y+area.Dy()/2
		if y < bottom && (small == nil || small.failed) {
			look.Put(buf, x, y, 1, g.Desk.Look().Faint, captureMark(c))
		}
		return
	}
	cells := small.fit(area.Dx(), area.Dy(), g.room.display.plain, g.Desk.Look().Dark)
	y := area.Min.Y + max(0, area.Dy()-len(cells))/2
	for i, l := range cells {
		if y+i < min(area.Max.Y, bottom) {
			look.PutStyled(buf, area.Min.X, y+i, area.Dx(), l)
		}
	}
}
