// Package painter puts frames of cells on the terminal.
//
// It replaces Bubble Tea's own renderer, which looks for changes at a fixed rate: that rate is
// either slow to echo a key or busy while nothing moves. A Painter paints on request, so an idle
// program sleeps and a key is on the screen within a millisecond. Bubble Tea still owns the
// terminal's raw mode, its input and the event loop; the Painter owns its modes and its cells.
package painter

import (
	"bytes"
	"image/color"
	"io"
	"slices"
	"sync"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Cursor is the position of the text cursor, in cells from the top left.
type Cursor struct{ X, Y int }

// Frame is one picture of the screen. Draw fills the buffer, which is blank and of the terminal's
// size; a nil Cursor hides the text cursor. Raw, if any, is called after that; its result is
// written before the cells, for sequences that the terminal must have by then. Title must be free
// of control characters.
type Frame struct {
	Draw  func(uv.ScreenBuffer) *Cursor
	Raw   func() string
	Title string
	// Overlay draws pictures over the cells that it identifies as marks; nil leaves all cells as
	// they are.
	Overlay Overlay
}

// Painter owns the terminal between Enter and Leave. It is safe for concurrent
// use, so that a crashing goroutine can give the terminal back.
type Painter struct {
	mu      sync.Mutex
	w       io.Writer
	out     bytes.Buffer
	sent    bytes.Buffer // buffer for a single write
	term    termState
	buf     uv.ScreenBuffer // the next frame
	last    uv.ScreenBuffer // the frame on the screen
	over    overlays        // pictures over the cells
	blank   uv.Line
	changed []int // lines of the next frame that differ from the screen
	anew    bool  // every cell must be painted
	profile colorprofile.Profile
	runes   bool // widths are measured rune by rune, see [Painter.measure]
	synced  bool
	active  bool
	shown   bool    // the cursor
	cursor  *Cursor // of the last frame
	title   string
	err     error
}

// New returns a painter for w. Nothing is written until Enter.
func New(w io.Writer) *Painter {
	p := &Painter{w: w, buf: uv.NewScreenBuffer(0, 0), last: uv.NewScreenBuffer(0, 0), profile: colorprofile.TrueColor}
	if p.runes = ansi.StringWidth("é") != 1; !p.runes { // rune by rune if ambiguous characters are wide here
		p.buf.Method, p.last.Method = ansi.GraphemeWidth, ansi.GraphemeWidth
	}
	return p
}

// measure switches to widths measured rune by rune as soon as that makes a difference in a frame,
// for terminals that do not measure clusters. It reports whether it switched: the frame must then
// be drawn again. The table of widths takes 2.2 MB, a sixth of the program's own memory, and few
// users ever need it. Clusters that no cell shows, behind a dialog or beyond the edge, do not
// count.
func (p *Painter) measure() bool {
	if p.runes || !slices.ContainsFunc(p.changed, func(y int) bool { return clustered(p.buf.Lines[y]) }) {
		return false
	}
	p.runes = true
	p.buf.Method, p.last.Method = ansi.WcWidth, ansi.WcWidth
	p.anew = true
	return true
}

// clustered reports whether a line has a cluster on whose width terminals do not agree.
func clustered(l uv.Line) bool {
	for x := range l {
		if c := l[x].Content; len(c) > 1 && !safetext.HasAgreedWidth(c) {
			return true
		}
	}
	return false
}

const resetMargins = "\x1b[r"

const (
	enterModes = ansi.SetModeAltScreenSaveCursor + ansi.ResetModeTextCursorEnable + ansi.SetModeBracketedPaste +
		ansi.SetModeMouseButtonEvent + ansi.SetModeMouseExtSgr + ansi.SetModifyOtherKeys2
	leaveModes = ansi.ResetModifyOtherKeys + ansi.ResetModeMouseButtonEvent + ansi.ResetModeMouseExtSgr +
		ansi.ResetModeBracketedPaste
)

// Enter takes the terminal: alternate screen, mouse, bracketed paste, unambiguous keys, and with
// each key its position on a US keyboard. query is written once after that; it asks the terminal
// for the capabilities that the program needs. Entering twice does nothing.
func (p *Painter) Enter(query string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.active {
		return nil
	}
	p.active, p.shown, p.title = true, false, ""
	p.out.Reset()
	p.term, p.anew = termState{}, true
	_, err := io.WriteString(p.w, enterModes+
		ansi.PushKittyKeyboard(ansi.KittyDisambiguateEscapeCodes|ansi.KittyReportAlternateKeys)+query)
	return err
}

// Leave restores the terminal. Frames painted until the next Enter are discarded. Leaving twice
// does nothing.
func (p *Painter) Leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.active {
		return
	}
	p.active = false
	_, _ = io.WriteString(p.w, leaving(p.title != ""))
}

// leaving returns the sequences that restore the terminal.
func leaving(titled bool) string {
	end := ansi.PopKittyKeyboard(1) + leaveModes
	if titled {
		end += ansi.SetWindowTitle("")
	}
	return end + ansi.ResetStyle + ansi.ResetModeAltScreenSaveCursor + ansi.SetModeTextCursorEnable
}

// Resize sets the terminal's size and forgets what is on the screen.
func (p *Painter) Resize(width, height int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range []uv.ScreenBuffer{p.buf, p.last} {
		b.Resize(max(0, width), max(0, height))
		b.Touched = nil
	}
	p.blank = uv.NewBuffer(p.buf.Width(), 1).Line(0)
	p.term.known = false
	p.anew = true
}

// Redraw makes the next frame paint every cell.
func (p *Painter) Redraw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.anew = true
}

// SetProfile sets the number of colours of the terminal; richer ones are reduced.
func (p *Painter) SetProfile(c colorprofile.Profile) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c == p.profile {
		return
	}
	p.profile = c
	p.anew = true
}

// SetSynchronized wraps each frame in a synchronized update, for terminals that support it.
func (p *Painter) SetSynchronized(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.synced = on
}

// Paint puts a frame on the screen. It writes only the differences from the last one. A write error
// is returned and kept: see Err.
func (p *Painter) Paint(f Frame) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.active || p.buf.Width() == 0 || p.buf.Height() == 0 {
		return nil
	}
	cur := p.draw(f)
	if p.measure() {
		cur = p.draw(f)
	}
	if len(p.changed) > 0 {
		p.render()
		p.over.markWritten(p.changed)
	}
	p.anew = false
	p.buf, p.last = p.last, p.buf
	p.stamp(f.Overlay)
	if p.cursor = cur; cur != nil {
		p.goTo(clamp(cur.X, p.buf.Width()-1), clamp(cur.Y, p.buf.Height()-1))
	}
	return p.write(f, cur != nil)
}

// draw fills the buffer of the next frame, and finds the lines that differ from the screen.
func (p *Painter) draw(f Frame) *Cursor {
	for _, line := range p.buf.Lines {
		copy(line, p.blank)
	}
	cur := f.Draw(p.buf)
	p.over.restore(p.buf, f.Overlay)
	p.compare()
	return cur
}

// compare finds the lines of the next frame that differ from the screen.
func (p *Painter) compare() {
	p.changed = p.changed[:0]
	for y, line := range p.buf.Lines {
		if p.anew || !equal(line, p.last.Lines[y]) {
			p.changed = append(p.changed, y)
		}
	}
}

// fewLines is the maximum number of changed lines that are written one by one. Above that, the
// painter searches for moved lines, which the terminal can scroll.
const fewLines = 4

func equal(a, b uv.Line) bool {
	b = b[:len(a)]
	for x := range a {
		if !same(&a[x], &b[x]) {
			return false
		}
	}
	return true
}

// same reports whether two cells look the same. It takes half the time of their own method,
// and a frame has thousands of them.
func same(a, b *uv.Cell) bool {
	return a.Content == b.Content && a.Width == b.Width && sameStyle(&a.Style, &b.Style) && a.Link == b.Link
}

func sameStyle(a, b *uv.Style) bool {
	return a.Attrs == b.Attrs && a.Underline == b.Underline &&
		sameColor(a.Fg, b.Fg) && sameColor(a.Bg, b.Bg) && sameColor(a.UnderlineColor, b.UnderlineColor)
}

// sameColor reports whether two colours are the same of the same type.
func sameColor(a, b color.Color) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return a == b
}

func clamp(v, most int) int { return max(0, min(v, most)) }

// write sends the output of Paint in a single write, with the cursor hidden or the update
// synchronized, so that no partial frame is visible.
func (p *Painter) write(f Frame, show bool) error {
	cells := p.out.Len() > 0
	b := &p.sent
	b.Reset()
	if f.Title != p.title {
		b.WriteString(ansi.SetWindowTitle(f.Title))
		p.title = f.Title
	}
	if f.Raw != nil {
		b.WriteString(f.Raw())
	}
	if cells && p.synced {
		b.WriteString(ansi.SetModeSynchronizedOutput)
	}
	if p.shown && (!show || cells && !p.synced) {
		b.WriteString(ansi.ResetModeTextCursorEnable)
	}
	b.Write(p.out.Bytes())
	p.out.Reset()
	if show && (!p.shown || cells && !p.synced) {
		b.WriteString(ansi.SetModeTextCursorEnable)
	}
	if cells && p.synced {
		b.WriteString(ansi.ResetModeSynchronizedOutput)
	}
	p.shown = show
	if b.Len() == 0 {
		return nil
	}
	if _, err := p.w.Write(b.Bytes()); err != nil {
		return p.fail(err)
	}
	return nil
}

func (p *Painter) fail(err error) error {
	p.err = err
	return err
}

// Err returns the first error in writing to the terminal.
func (p *Painter) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// CursorAt returns the cursor of the last frame, Cursor{-1, -1} for none. It is for tests.
func (p *Painter) CursorAt() Cursor {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cursor == nil {
		return Cursor{-1, -1}
	}
	return *p.cursor
}

// Text returns the last frame without its styles, a line per row, for tests.
func (p *Painter) Text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last.String()
}

// Styled returns the last frame with its styles, for tests.
func (p *Painter) Styled() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last.Render()
}
