package tui

import (
	"bytes"
	"fmt"
	"image"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine"
	"ghostlight/storage"
	"ghostlight/tui/picture"
)

// pictures holds what is drawn of captures: cells of half blocks, or, on
// terminals that have Kitty graphics, placeholder cells and the transmission
// that fills them. Decoding happens off the screen's goroutine.
type pictures struct {
	mode   string // auto, kitty, blocks, off
	kitty  bool   // the terminal said that it has it
	plain  bool   // the terminal has no colours
	gen    int    // tells cached layouts that a picture has come
	shown  map[storage.CaptureID]*shownPicture
	order  []storage.CaptureID
	ask    func(storage.Capture) tea.Cmd
	wanted []tea.Cmd
	raw    strings.Builder
	sent   int // pictures handed to the terminal
}

// shownPicture is one picture, laid out in the few sizes that are on the screen
// at once.
type shownPicture struct {
	img   image.Image
	png   []byte // as it was read, for Kitty; nil for a preview
	fault string
	asked bool
	sizes []sizedPicture
}

type sizedPicture struct {
	cols, rows int    // the room it was fitted into
	id         uint32 // Kitty's, 0 when none was sent
	cells      []string
}

// keptSizes bounds the layouts of one picture: in the play, in the pane, and
// what a resize leaves behind.
const keptSizes = 3

const keptPictures = 24

func (p *pictures) query() string {
	if p.mode == "auto" || p.mode == "" {
		return picture.Query()
	}
	return ""
}

// answer takes the terminal's answer to the query.
func (p *pictures) answer(ev uv.KittyGraphicsEvent) {
	if ok, ours := picture.Answer(ev.Options.ID, ev.Payload); ok && ours && p.mode != "blocks" && p.mode != "off" && !p.kitty {
		p.kitty = true
		p.forget()
	}
}

func (p *pictures) forget() {
	for _, s := range p.shown {
		p.drop(s)
	}
	p.gen++
}

// drop forgets the layouts of a picture, in the terminal too.
func (p *pictures) drop(s *shownPicture) {
	for _, z := range s.sizes {
		if z.id != 0 {
			p.raw.WriteString(picture.Delete(z.id))
		}
	}
	s.sizes = nil
}

func (p *pictures) get(id storage.CaptureID) *shownPicture {
	if p.shown == nil {
		p.shown = map[storage.CaptureID]*shownPicture{}
	}
	s := p.shown[id]
	if s == nil {
		s = &shownPicture{}
		p.shown[id] = s
		p.order = append(p.order, id)
		for len(p.order) > keptPictures {
			if old := p.shown[p.order[0]]; old != nil {
				p.drop(old)
			}
			delete(p.shown, p.order[0])
			p.order = p.order[1:]
		}
	}
	return s
}

// lines is a capture as lines of at most w cells and about half of h rows.
func (p *pictures) lines(c *storage.Capture, w, h int, lk *look) []string {
	if c == nil {
		return []string{lk.dim.Styled("(the picture is gone)")}
	}
	if p.mode == "off" {
		return []string{lk.dim.Styled("[picture: " + clip(c.ImagePrompt, max(10, w-12)) + "]")}
	}
	s := p.get(c.ID)
	if s.img == nil {
		if !s.asked && s.fault == "" {
			s.asked = true
			if p.ask != nil {
				p.wanted = append(p.wanted, p.ask(*c))
			}
		}
		words := "loading the picture …"
		if s.fault != "" {
			words = s.fault
		}
		return []string{lk.dim.Styled(clip(words, w))}
	}
	return p.cellsOf(s, min(w, 72), max(6, h*3/5), lk.dark)
}

// cellsOf lays a picture out in at most cols × rows cells.
func (p *pictures) cellsOf(s *shownPicture, cols, rows int, dark bool) []string {
	for _, z := range s.sizes {
		if z.cols == cols && z.rows == rows {
			return z.cells
		}
	}
	if len(s.sizes) >= keptSizes {
		p.drop(s)
	}
	b := s.img.Bounds()
	c, r := picture.FitCells(b.Dx(), b.Dy(), cols, rows, picture.CellAspect)
	z := sizedPicture{cols: cols, rows: rows}
	switch {
	case p.plain:
		z.cells = picture.Shades(s.img, c, r, dark)
	case p.kitty || p.mode == "kitty":
		z = p.transmit(s, z, c, r)
	default:
		z.cells = picture.HalfBlocks(s.img, c, r)
	}
	s.sizes = append(s.sizes, z)
	return z.cells
}

// transmit hands a picture to a terminal that has Kitty graphics.
func (p *pictures) transmit(s *shownPicture, z sizedPicture, c, r int) sizedPicture {
	data := s.png
	if data == nil {
		var err error
		if data, err = picture.EncodePNG(s.img); err != nil {
			z.cells = picture.HalfBlocks(s.img, c, r)
			return z
		}
	}
	p.sent++
	z.id = picture.IDFor(strconv.Itoa(p.sent))
	p.raw.WriteString(picture.Transmit(z.id, data, c, r))
	z.cells = picture.Placeholders(z.id, c, r)
	return z
}

// take hands over the reading of pictures that drawing has found missing.
func (p *pictures) take() tea.Cmd {
	if len(p.wanted) == 0 {
		return nil
	}
	cmd := tea.Batch(p.wanted...)
	p.wanted = nil
	return cmd
}

// flush is what must be written to the terminal ahead of the next frame.
func (p *pictures) flush() string {
	out := p.raw.String()
	p.raw.Reset()
	return out
}

// preview shows a half-done picture where the capture will stand.
func (a *app) preview(ev engine.OperationProgress) tea.Cmd {
	return a.do(func() answerFunc {
		img, err := picture.Decode(ev.Progress.Preview)
		if err != nil {
			return nil // the next one will come
		}
		return func(a *app) tea.Cmd {
			if a.work.running[ev.ID] != nil {
				p := a.play.pictures
				s := p.get(ev.Capture)
				p.drop(s)
				s.img, s.png = img, nil
				p.gen++
			}
			return nil
		}
	})
}

// done forgets a preview, so that the finished file is read.
func (p *pictures) done(id storage.CaptureID) {
	if s := p.shown[id]; s != nil {
		p.drop(s)
		s.img, s.png, s.asked, s.fault = nil, nil, false, ""
		p.gen++
	}
}

// loadPicture reads and decodes a capture's picture.
func (a *app) loadPicture(c storage.Capture) tea.Cmd {
	return a.do(func() answerFunc {
		data, err := a.eng.CapturePicture(c, true)
		var img image.Image
		if err == nil {
			img, err = picture.Decode(data)
		}
		return func(a *app) tea.Cmd {
			s := a.play.pictures.get(c.ID)
			a.play.pictures.drop(s)
			s.img, s.png = img, nil
			if bytes.HasPrefix(data, []byte("\x89PNG")) {
				s.png = data
			}
			if err != nil {
				s.fault = "the picture cannot be shown: " + engine.Words(err)
			}
			a.play.pictures.gen++
			return nil
		}
	})
}

// openPicture opens a message's picture in the system's viewer.
func (a *app) openPicture(it *item) tea.Cmd {
	if it.msg.Picture == nil {
		return a.say(engine.Info, "this message has no picture")
	}
	return a.openFile(*it.msg.Picture)
}

func (a *app) openFile(c storage.Capture) tea.Cmd {
	if c.ImagePath == "" {
		return a.say(engine.Info, "this capture has no picture yet")
	}
	path := a.eng.CapturePath(c)
	return a.do(func() answerFunc {
		err := a.eng.OpenExternally(path)
		return func(a *app) tea.Cmd {
			if err != nil {
				return a.say(engine.Info, "the picture lies in "+path)
			}
			return a.say(engine.Info, fmt.Sprintf("opened %s", path))
		}
	})
}
