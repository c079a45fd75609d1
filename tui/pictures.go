package tui

import (
	"fmt"
	"image"
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
}

type shownPicture struct {
	img    image.Image
	fault  string
	asked  bool
	id     uint32 // Kitty's
	sent   bool
	cells  []string
	forCol int
	forRow int
}

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
		s.cells = nil
	}
	p.gen++
}

func (p *pictures) get(id storage.CaptureID) *shownPicture {
	if p.shown == nil {
		p.shown = map[storage.CaptureID]*shownPicture{}
	}
	s := p.shown[id]
	if s == nil {
		s = &shownPicture{id: picture.IDFor(string(id))}
		p.shown[id] = s
		p.order = append(p.order, id)
		for len(p.order) > keptPictures {
			if old := p.shown[p.order[0]]; old != nil && old.sent {
				p.raw.WriteString(picture.Delete(old.id))
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

func (p *pictures) cellsOf(s *shownPicture, cols, rows int, dark bool) []string {
	if s.cells != nil && s.forCol == cols && s.forRow == rows {
		return s.cells
	}
	b := s.img.Bounds()
	c, r := picture.FitCells(b.Dx(), b.Dy(), cols, rows, picture.CellAspect)
	s.forCol, s.forRow = cols, rows
	switch {
	case p.plain:
		s.cells = picture.Shades(s.img, c, r, dark)
	case p.kitty || p.mode == "kitty":
		if !s.sent {
			s.sent = true
		}
		if data, err := picture.EncodePNG(s.img); err == nil {
			p.raw.WriteString(picture.Transmit(s.id, data, c, r))
			s.cells = picture.Placeholders(s.id, c, r)
		} else {
			s.cells = picture.HalfBlocks(s.img, c, r)
		}
	default:
		s.cells = picture.HalfBlocks(s.img, c, r)
	}
	return s.cells
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
func (p *pictures) preview(id storage.CaptureID, data []byte) {
	img, err := picture.Decode(data)
	if err != nil {
		return
	}
	s := p.get(id)
	s.img, s.cells = img, nil
	p.gen++
}

// done forgets a preview, so that the finished file is read.
func (p *pictures) done(id storage.CaptureID) {
	if s := p.shown[id]; s != nil {
		s.img, s.cells, s.asked, s.fault = nil, nil, false, ""
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
			s.img, s.cells = img, nil
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
