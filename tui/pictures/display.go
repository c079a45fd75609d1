package pictures

import (
	"bytes"
	"image"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/picture"
)

// Display lays captures out for the terminal: as cells of half blocks, or as cells
// that keep the place of graphics. Reading and decoding happen off the screen's
// goroutine. Those that were not seen for the longest time are forgotten when
// they take too much memory: first what they were decoded to, so that going back
// to them decodes nothing, then their layouts.
type Display struct {
	host        pane.Host
	forced      picture.Mode // the setting
	answers     picture.Answers
	displayMode displayMode
	mode        picture.Mode // of chosen
	why         string
	plain       bool // the terminal has no colours
	gen         int  // tells cached layouts that all of them have changed
	frame       int
	pictures    map[storage.CaptureID]*cachedPicture
	ask         func(storage.Capture) tea.Cmd // reads a picture
	wanted      []tea.Cmd
	raw         strings.Builder // for the terminal, ahead of the next frame
	rawAfter    strings.Builder // likewise, but ahead of the one after it
	sent        int             // pictures that were given an id
	overlay     overlay
	budget      memoryUse
}

// displayMode is what layouts depend on.
type displayMode struct {
	mode        picture.Mode
	passthrough bool
	cell        picture.Cell
}

// cachedPicture is one picture, laid out in the few sizes that are on the screen
// at once.
type cachedPicture struct {
	img       image.Image // nil while it is not here, and when it had to be forgotten
	png       []byte      // the same, for Kitty
	w, h      int         // its size in pixels, once known
	fault     string
	requested bool // it is being read, or was
	stale     bool // what is shown is not the picture of now
	gen       int
	frame     int // in which it was last wanted
	sizes     []sizedPicture
}

type sizedPicture struct {
	cols, rows int    // the room it was fitted into
	dark       bool   // the background it was made for
	id         uint32 // in the terminal, 0 where cells show it by themselves
	cells      []string
	held       int // bytes that the terminal holds
}

// maxSizes bounds the layouts of one picture: in the play, in the pane, in a
// dialog, and what a resize leaves behind.
const maxSizes = 4

// maxCachedSide is how large pictures are kept: none is shown larger.
const maxCachedSide = 1280

// maxWidth is the most columns that a picture takes.
const maxWidth = 72

// NewDisplay makes a display that reads and decodes through its host.
func NewDisplay(d pane.Host) *Display {
	p := &Display{host: d}
	p.ask = p.load
	return p
}

// Force takes the setting: how pictures are to be shown, whatever the terminal says.
func (p *Display) Force(images string) {
	p.forced = picture.Mode(images)
	p.chooseMode()
}

// SetProfile keeps pictures from using colours that the terminal lacks.
func (p *Display) SetProfile(c colorprofile.Profile) {
	p.answers.TrueColor = c >= colorprofile.TrueColor
	if plain := c <= colorprofile.Ascii; plain != p.plain {
		p.plain = plain
		p.forget()
	}
	p.chooseMode()
}

// Answers are what the terminal has said so far.
func (p *Display) Answers() picture.Answers { return p.answers }

// SetAnswers takes what the terminal has said so far. Whether it has colours is for
// SetProfile to tell.
func (p *Display) SetAnswers(a picture.Answers) {
	a.TrueColor = p.answers.TrueColor
	p.answers = a
	p.chooseMode()
}

// Mode is how pictures are shown, and why.
func (p *Display) Mode() (mode picture.Mode, why string) { return p.mode, p.why }

// chooseMode decides how pictures are shown, by what is known so far.
func (p *Display) chooseMode() {
	p.mode, p.why = picture.Choose(p.answers, p.forced)
	c := displayMode{p.mode, p.answers.Passthrough(), p.answers.Cell}
	if c == p.displayMode {
		return
	}
	p.forget()
	p.displayMode = c
}

// Query asks the terminal how pictures can be shown, unless the setting leaves
// nothing to ask.
func (p *Display) Query() string {
	if p.forced == picture.Blocks || p.forced == picture.Off {
		return ""
	}
	return picture.Queries()
}

// forget drops all layouts.
func (p *Display) forget() {
	for _, s := range p.pictures {
		p.drop(s)
	}
	p.gen++
}

// drop forgets the layouts of a picture.
func (p *Display) drop(s *cachedPicture) {
	for _, z := range s.sizes {
		p.release(z)
	}
	s.sizes = nil
	s.gen++
}

// release forgets a layout, in the terminal too: there it may be seen until the
// next frame is painted.
func (p *Display) release(z sizedPicture) {
	if z.id == 0 {
		return
	}
	delete(p.overlay.drawn, z.id)
	if z.held > 0 {
		p.rawAfter.WriteString(p.passThrough(picture.Delete(z.id)))
	}
}

// passThrough is a sequence of Kitty's as it reaches the terminal that knows it.
func (p *Display) passThrough(seq string) string {
	if p.displayMode.passthrough {
		return picture.Wrap(seq)
	}
	return seq
}

func (p *Display) get(id storage.CaptureID) *cachedPicture {
	if p.pictures == nil {
		p.pictures = map[storage.CaptureID]*cachedPicture{}
	}
	s := p.pictures[id]
	if s == nil {
		s = &cachedPicture{}
		p.pictures[id] = s
	}
	s.frame = p.frame
	return s
}

// MarkShown keeps a picture from being forgotten while a layout that was cached
// elsewhere shows it.
func (p *Display) MarkShown(c *storage.Capture) {
	if c != nil {
		if s := p.pictures[c.ID]; s != nil {
			s.frame = p.frame
		}
	}
}

// Version changes whenever the lines of a capture do.
func (p *Display) Version(c *storage.Capture) int {
	if c == nil {
		return p.gen
	}
	if s := p.pictures[c.ID]; s != nil {
		return p.gen<<20 + s.gen
	}
	return p.gen << 20
}

// Lines is a capture as lines of at most w cells and about half of h rows. While
// the picture is being read they are as many as they will be.
func (p *Display) Lines(c *storage.Capture, w, h int, sty *draw.Styles) []string {
	if c == nil {
		return []string{sty.Dim.Styled("(picture not found)")}
	}
	video := c.Kind == "video"
	if p.mode == picture.Off {
		kind := "picture"
		if video {
			kind = "video"
		}
		return []string{sty.Dim.Styled("[" + kind + ": " + draw.Clip(c.ImagePrompt, max(10, w-12)) + "]")}
	}
	if video && c.ThumbnailPath == "" {
		return []string{p.videoLine(sty, w)}
	}
	s := p.get(c.ID)
	if !s.requested && s.fault == "" && (s.img == nil && !p.laid(s, w, h, sty.Dark) || s.stale) {
		s.requested = true
		p.wanted = append(p.wanted, p.ask(*c))
	}
	lines := p.cellsOf(s, min(w, maxWidth), max(6, h*3/5), sty.Dark)
	switch {
	case lines != nil:
	case s.fault != "":
		lines = []string{sty.Dim.Styled(draw.Clip(s.fault, w))}
	default:
		lines = p.waiting(s, c, w, h, sty)
	}
	if video {
		lines = append(slices.Clip(lines), p.videoLine(sty, w))
	}
	return lines
}

func (p *Display) videoLine(sty *draw.Styles, w int) string {
	words := "▶ video"
	if k := p.host.Keys().Key(keys.Open, keys.Browse); k != "" {
		words += ", " + k + " opens it"
	}
	return sty.Accent.Styled(draw.Clip(words, w))
}

// laid reports whether there is a layout for a room already.
func (p *Display) laid(s *cachedPicture, w, h int, dark bool) bool {
	return p.layout(s, min(w, maxWidth), max(6, h*3/5), dark) != nil
}

func (p *Display) layout(s *cachedPicture, cols, rows int, dark bool) *sizedPicture {
	for i := range s.sizes {
		if z := &s.sizes[i]; z.cols == cols && z.rows == rows && z.dark == dark {
			return z
		}
	}
	return nil
}

// waiting keeps the place of a picture that is being read. One whose shape is not
// known is taken for a square.
func (p *Display) waiting(s *cachedPicture, c *storage.Capture, w, h int, sty *draw.Styles) []string {
	pw, ph := s.w, s.h
	if pw == 0 || ph == 0 {
		pw, ph = c.Width, c.Height
	}
	if pw <= 0 || ph <= 0 {
		pw, ph = 1, 1
	}
	_, rows := picture.FitCells(pw, ph, min(w, maxWidth), max(6, h*3/5), p.aspect())
	lines := make([]string, max(1, rows))
	lines[0] = sty.Dim.Styled(draw.Clip("loading picture …", w))
	return lines
}

// aspect is the shape of a cell. Half blocks are made for the usual one.
func (p *Display) aspect() float64 {
	if p.plain || p.mode == picture.Blocks {
		return picture.CellAspect
	}
	return p.displayMode.cell.Aspect()
}

// cellsOf lays a picture out in at most cols × rows cells, nil where it is not
// here.
func (p *Display) cellsOf(s *cachedPicture, cols, rows int, dark bool) []string {
	s.frame = p.frame
	if z := p.layout(s, cols, rows, dark); z != nil {
		return z.cells
	}
	if s.img == nil {
		return nil
	}
	if len(s.sizes) >= maxSizes {
		p.release(s.sizes[0])
		s.sizes = slices.Delete(s.sizes, 0, 1)
	}
	b := s.img.Bounds()
	c, r := picture.FitCells(b.Dx(), b.Dy(), cols, rows, p.aspect())
	z := sizedPicture{cols: cols, rows: rows, dark: dark}
	switch {
	case p.plain:
		z.cells = picture.ShadeBlocks(s.img, c, r, dark)
	case p.mode == picture.Kitty:
		p.transmit(s, &z, c, r)
	case p.mode == picture.Sixel, p.mode == picture.ITerm:
		p.prepare(s, &z, c, r, dark)
	default:
		z.cells = picture.HalfBlocks(s.img, c, r)
	}
	s.sizes = append(s.sizes, z)
	p.trim()
	return z.cells
}

// transmit hands a picture to a terminal that has Kitty graphics.
func (p *Display) transmit(s *cachedPicture, z *sizedPicture, c, r int) {
	data := s.png
	if data == nil {
		var err error
		if data, err = picture.EncodePNG(s.img); err != nil {
			z.cells = picture.HalfBlocks(s.img, c, r)
			return
		}
		s.png = data
	}
	z.id = p.nextID()
	b := s.img.Bounds()
	z.held = 4 * b.Dx() * b.Dy()
	p.raw.WriteString(p.passThrough(picture.Transmit(z.id, data, c, r)))
	z.cells = picture.Placeholders(z.id, c, r)
}

func (p *Display) nextID() uint32 {
	p.sent++
	return picture.IDFor(strconv.Itoa(p.sent))
}

// Wanted hands over the work that drawing has found missing.
func (p *Display) Wanted() tea.Cmd {
	if len(p.wanted) == 0 {
		return nil
	}
	cmd := tea.Batch(p.wanted...)
	p.wanted = nil
	return cmd
}

// Flush is what must be written to the terminal ahead of the next frame. It is
// called once a frame.
func (p *Display) Flush() string {
	out := p.raw.String()
	p.raw.Reset()
	p.raw.WriteString(p.rawAfter.String())
	p.rawAfter.Reset()
	p.frame++
	return out
}

// Resized asks a terminal that draws in pixels how large its cells are now.
func (p *Display) Resized() {
	if p.answers.Fenced && (p.mode == picture.Sixel || p.mode == picture.ITerm) {
		p.raw.WriteString(ansi.WindowOp(16))
	}
}

// replace gives a picture another content. What was shown stays on the screen
// until the new one is painted.
func (p *Display) replace(s *cachedPicture, d decoded) {
	p.drop(s)
	s.img, s.png = d.img, d.png
	if d.img != nil {
		s.w, s.h = d.img.Bounds().Dx(), d.img.Bounds().Dy()
	}
	p.trim()
}

// decoded is a picture as it is kept.
type decoded struct {
	img image.Image
	png []byte // for Kitty
}

// decode makes of an encoded picture what is kept of it. It takes its time: not
// for the screen's goroutine.
func decode(data []byte, mode picture.Mode) (d decoded, err error) {
	img, err := picture.Decode(data)
	if err != nil {
		return d, err
	}
	d.img = picture.Thumbnail(img, maxCachedSide)
	switch {
	case mode != picture.Kitty:
	case d.img == img && bytes.HasPrefix(data, []byte("\x89PNG")):
		d.png = data
	default:
		d.png, err = picture.EncodePNG(d.img)
	}
	return d, err
}

// done says that there is a finished file: it is read, and a preview is shown
// until then.
func (p *Display) done(id storage.CaptureID) {
	if s := p.pictures[id]; s != nil {
		s.requested, s.stale, s.fault = false, true, ""
		s.gen++
	}
}

// load reads and decodes a capture's picture.
func (p *Display) load(c storage.Capture) tea.Cmd {
	mode := p.mode
	return p.host.Do(func() func() tea.Cmd {
		var d decoded
		data, err := p.host.Engine().Pictures.Gallery.Picture(c, true)
		if err == nil {
			d, err = decode(data, mode)
		}
		return func() tea.Cmd {
			s := p.get(c.ID)
			p.replace(s, d)
			s.stale, s.fault = false, ""
			if err != nil {
				s.fault = "the picture cannot be shown: " + failure.Words(err)
			}
			return nil
		}
	})
}
