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

// Display lays captures out for the terminal: as half blocks, or as cells that reserve the place
// of graphics. Reading and decoding run off the screen's goroutine. If they take too much memory,
// the pictures that were not shown for the longest time are dropped: first their decoded data, so
// that the layouts can still be shown, then their layouts.
type Display struct {
	host        pane.Host
	forced      picture.Mode // the setting
	answers     picture.Answers
	displayMode displayMode
	mode        picture.Mode // of chosen
	why         string
	plain       bool // the terminal has no colours
	gen         int  // changes when all cached layouts become invalid
	frame       int
	pictures    map[storage.CaptureID]*cachedPicture
	ask         func(storage.Capture) tea.Cmd // reads a picture
	wanted      []tea.Cmd
	raw         strings.Builder // for the terminal, ahead of the next frame
	rawAfter    strings.Builder // for the terminal, ahead of the frame after the next
	sent        int             // number of ids that were assigned
	overlay     overlay
	budget      memoryUse
}

// displayMode holds the settings that layouts depend on.
type displayMode struct {
	mode        picture.Mode
	passthrough bool
	cell        picture.Cell
}

// cachedPicture is a picture with its layouts in a few sizes.
type cachedPicture struct {
	img       image.Image // nil if it is not loaded or was dropped
	png       []byte      // the same, for Kitty
	w, h      int         // its size in pixels, once known
	fault     string
	requested bool // it is being read, or was
	stale     bool // the shown picture is out of date
	gen       int
	frame     int // number of the frame that last needed it
	sizes     []sizedPicture
}

type sizedPicture struct {
	cols, rows int    // the size it was fitted into
	dark       bool   // the background it was made for
	id         uint32 // in the terminal, 0 if cells show it without graphics
	cells      []string
	held       int // bytes that the terminal holds
}

// maxSizes limits the layouts of one picture: in the chat, in the pane, in a dialog, and after a
// resize.
const maxSizes = 4

// maxCachedSide is the largest side of a stored picture, in pixels.
const maxCachedSide = 1280

// maxWidth limits the columns of a picture.
const maxWidth = 72

// NewDisplay returns a display that reads and decodes through its host.
func NewDisplay(d pane.Host) *Display {
	p := &Display{host: d}
	p.ask = p.load
	return p
}

// Force sets the mode from the settings, whatever the terminal supports.
func (p *Display) Force(images string) {
	p.forced = picture.Mode(images)
	p.chooseMode()
}

// SetProfile sets the colours that the terminal supports.
func (p *Display) SetProfile(c colorprofile.Profile) {
	p.answers.TrueColor = c >= colorprofile.TrueColor
	if plain := c <= colorprofile.Ascii; plain != p.plain {
		p.plain = plain
		p.forget()
	}
	p.chooseMode()
}

// Answers returns what the terminal has answered so far.
func (p *Display) Answers() picture.Answers { return p.answers }

// SetAnswers sets what the terminal has answered. Its colours are set by SetProfile.
func (p *Display) SetAnswers(a picture.Answers) {
	a.TrueColor = p.answers.TrueColor
	p.answers = a
	p.chooseMode()
}

// Mode returns the mode and why it was chosen.
func (p *Display) Mode() (mode picture.Mode, why string) { return p.mode, p.why }

// chooseMode chooses the mode from the answers so far.
func (p *Display) chooseMode() {
	p.mode, p.why = picture.Choose(p.answers, p.forced)
	c := displayMode{p.mode, p.answers.Passthrough(), p.answers.Cell}
	if c == p.displayMode {
		return
	}
	p.forget()
	p.displayMode = c
}

// Query returns the query for the terminal, "" if the settings force a mode.
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

// drop drops the layouts of a picture.
func (p *Display) drop(s *cachedPicture) {
	for _, z := range s.sizes {
		p.release(z)
	}
	s.sizes = nil
	s.gen++
}

// release drops a layout, in the terminal after the next frame, because it may still be visible.
func (p *Display) release(z sizedPicture) {
	if z.id == 0 {
		return
	}
	delete(p.overlay.drawn, z.id)
	if z.held > 0 {
		p.rawAfter.WriteString(p.passThrough(picture.Delete(z.id)))
	}
}

// passThrough returns a Kitty sequence as it must be sent through tmux.
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

// MarkShown keeps a picture that is shown by a layout cached elsewhere.
func (p *Display) MarkShown(c *storage.Capture) {
	if c != nil {
		if s := p.pictures[c.ID]; s != nil {
			s.frame = p.frame
		}
	}
}

// Version returns a number that changes with the lines of a capture.
func (p *Display) Version(c *storage.Capture) int {
	if c == nil {
		return p.gen
	}
	if s := p.pictures[c.ID]; s != nil {
		return p.gen<<20 + s.gen
	}
	return p.gen << 20
}

// Lines returns a capture as lines of at most w cells and about half of h rows. While the picture
// is read, there are as many empty lines.
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

// laid reports whether a layout for a size exists.
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

// waiting returns lines in place of a picture that is being read. An unknown shape is assumed to
// be square.
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

// aspect returns the aspect ratio of a cell. Half blocks use the default.
func (p *Display) aspect() float64 {
	if p.plain || p.mode == picture.Blocks {
		return picture.CellAspect
	}
	return p.displayMode.cell.Aspect()
}

// cellsOf returns a picture in at most cols × rows cells, nil if it is not loaded.
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

// transmit sends a picture to a terminal with Kitty graphics.
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

// Wanted returns the commands to load the pictures that drawing found missing.
func (p *Display) Wanted() tea.Cmd {
	if len(p.wanted) == 0 {
		return nil
	}
	cmd := tea.Batch(p.wanted...)
	p.wanted = nil
	return cmd
}

// Flush returns what must be written to the terminal before the next frame. It is called once per
// frame.
func (p *Display) Flush() string {
	out := p.raw.String()
	p.raw.Reset()
	p.raw.WriteString(p.rawAfter.String())
	p.rawAfter.Reset()
	p.frame++
	return out
}

// Resized asks a terminal with pixel graphics for its cell size.
func (p *Display) Resized() {
	if p.answers.Fenced && (p.mode == picture.Sixel || p.mode == picture.ITerm) {
		p.raw.WriteString(ansi.WindowOp(16))
	}
}

// replace replaces the content of a picture. The old one stays on the screen until the new one is
// drawn.
func (p *Display) replace(s *cachedPicture, d decoded) {
	p.drop(s)
	s.img, s.png = d.img, d.png
	if d.img != nil {
		s.w, s.h = d.img.Bounds().Dx(), d.img.Bounds().Dy()
	}
	p.trim()
}

// decoded is a decoded picture.
type decoded struct {
	img image.Image
	png []byte // for Kitty
}

// decode decodes a picture. It is slow and must not run on the screen's goroutine.
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

// done loads a finished file; the preview is shown until then.
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
				s.fault = "the picture cannot be shown: " + failure.Text(err)
			}
			return nil
		}
	})
}
