package pictures

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Sizes from which the gallery shows more than a list.
const (
	wideCells      = 60 // cells: captures are side by side, or beside the large one
	tallLines      = 30 // lines: the large one is above the captures
	lowLines       = 10 // lines: below, there is only the list
	minPictureRows = 6  // of the large picture
)

// maxBatches limits the batches at the top.
const maxBatches = 3

// Draw implements pane.Pane.
func (g *gallery) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	g.area, g.focused = area, focused
	g.thumbs.frame++
	defer func() {
		if load := g.thumbs.load(g.Host); load != nil {
			g.part.display.wanted = append(g.part.display.wanted, load)
		}
	}()
	g.line, g.grid.area = uv.Rectangle{}, uv.Rectangle{}
	switch {
	case g.Fault != nil:
		draw.PutWrapped(buf, area, g.Host.Styles().Failure, failure.Text(g.Fault))
		return
	case g.Chat == "" || len(g.items) == 0 && g.Loaded:
		draw.PutWrapped(buf, area, g.Host.Styles().Dim, "No captures in this chat yet. "+
			g.Host.Keys().Key(keys.Capture, keys.Write)+" creates a picture of the current scene.")
		return
	case !g.Loaded:
		draw.Put(buf, area.Min.X, area.Min.Y, area.Dx(), g.Host.Styles().Dim, "loading captures …")
		return
	}
	area.Min.Y += g.drawAbove(buf, area)
	list := area
	switch {
	case area.Dy() < lowLines, area.Dx() < wideCells && area.Dy() < lowLines+4:
		g.layoutGrid(area, false, true)
	case area.Dx() >= wideCells && area.Dy() < tallLines:
		list.Max.X = area.Min.X + area.Dx()*9/20
		g.layoutGrid(list, false, false)
		g.drawChosen(buf, uv.Rect(list.Max.X+1, area.Min.Y, area.Max.X-list.Max.X-1, area.Dy()))
	default:
		top := uv.Rect(area.Min.X, area.Min.Y, area.Dx(), area.Dy()*11/20)
		list.Min.Y += g.drawChosen(buf, top)
		draw.Put(buf, area.Min.X, list.Min.Y, area.Dx(), g.Host.Styles().Border, strings.Repeat("─", area.Dx()))
		list.Min.Y++
		g.layoutGrid(list, area.Dx() >= wideCells, false)
	}
	if len(g.Lines) == 0 {
		draw.Put(buf, list.Min.X, list.Min.Y, list.Dx(), g.Host.Styles().Dim, "no match")
		return
	}
	g.drawGrid(buf)
}

// drawAbove draws the unfinished batches and the line above the list, and returns their height.
func (g *gallery) drawAbove(buf uv.ScreenBuffer, area uv.Rectangle) int {
	y := area.Min.Y
	chosen := g.chosenBatch()
	all := g.part.batches()
	from := max(0, min(g.batch-maxBatches+1, len(all)-maxBatches))
	for i := from; i < len(all) && i < from+maxBatches && y < area.Min.Y+area.Dy()/4; i++ {
		st := g.Host.Styles().Accent
		if chosen == &all[i] && g.focused {
			st = g.Host.Styles().Selected
			draw.Fill(buf, uv.Rect(area.Min.X, y, area.Dx(), 1), st)
		}
		room := area.Dx()
		words := g.Host.Keys().Key(keys.PaneTop, keys.Pane) + " " +
			g.Host.Keys().Key(keys.PaneEnter, keys.Pane) + " sends"
		if all[i].Drafts > 0 && g.batch < 0 && i == 0 && g.focused &&
			ansi.StringWidth(pane.BatchWords(all[i])+words)+4 <= room {
			room = draw.PutRight(buf, area.Min.X, y, room, g.Host.Styles().Dim, words) - area.Min.X - 1
		}
		draw.Put(buf, area.Min.X, y, room, st, "▤ "+pane.BatchWords(all[i]))
		y++
	}
	if area.Dy() < 6 && !g.GroupList.Filter.Active() && !g.filtering() {
		return y - area.Min.Y
	}
	g.line = uv.Rect(area.Min.X, y, area.Dx(), 1)
	switch {
	case g.filtering():
	case g.GroupList.Filter.Active():
		right := draw.Join(g.markedText(), strconv.Itoa(len(g.GroupList.Filter.Hits)))
		room := draw.PutRight(buf, area.Min.X, y, area.Dx(), g.Host.Styles().Dim, right) - area.Min.X - 1
		draw.Put(buf, area.Min.X, y, room, g.Host.Styles().Accent, "/ "+g.GroupList.Filter.Text)
	default:
		draw.Put(buf, area.Min.X, y, area.Dx(), g.Host.Styles().Dim,
			draw.Parts(draw.Join(g.markedText(), g.tally()), area.Dx()))
	}
	return y + 1 - area.Min.Y
}

// markedText returns the number of marked captures, "" for none.
func (g *gallery) markedText() string {
	if n := len(g.Marked); n > 0 {
		return strconv.Itoa(n) + " selected"
	}
	return ""
}

// tally returns the number of captures by state.
func (g *gallery) tally() string {
	var drafts, waiting, videos int
	for i := range g.items {
		c := &g.items[i]
		switch {
		case c.Waiting:
			waiting++
		case c.Status == storage.CaptureDraft:
			drafts++
		}
		if c.Kind == "video" {
			videos++
		}
	}
	words := draw.Plural(len(g.items), "capture")
	if waiting > 0 {
		words += fmt.Sprintf(" · %d pending", waiting)
	}
	if drafts > 0 {
		words += draw.Separator + draw.Plural(drafts, "draft")
	}
	if videos > 0 {
		words += draw.Separator + draw.Plural(videos, "video")
	}
	if waiting > 0 {
		words += draw.Separator + pane.PathTo(g.Host, keys.SendDrafts) + " sends the pending"
	}
	return words
}

// drawChosen draws the chosen capture with its details, and returns its height.
func (g *gallery) drawChosen(buf uv.ScreenBuffer, area uv.Rectangle) int {
	c := g.current()
	if c == nil {
		return 0
	}
	y := area.Min.Y
	for _, l := range g.part.large(c, area.Dx(), max(minPictureRows, area.Dy()*3/5)) {
		if y >= area.Max.Y {
			break
		}
		draw.PutStyled(buf, area.Min.X, y, area.Dx(), l)
		y++
	}
	for _, l := range g.details(c, area.Dx(), area.Max.Y-y) {
		if y >= area.Max.Y {
			break
		}
		draw.PutStyled(buf, area.Min.X, y, area.Dx(), l)
		y++
	}
	return y - area.Min.Y
}

// large returns a capture's picture in at most w × h cells; while it is painted, its preview. It
// is nil if there is none.
func (r *Part) large(c *pictures.GalleryItem, w, h int) []string {
	p := r.display
	if c.ImagePath != "" {
		lines := p.Lines(&c.Capture, w, (h*5+2)/3, r.host.Styles())
		return lines[:min(len(lines), h)]
	}
	if s := p.pictures[c.ID]; s != nil && p.mode != "off" {
		return p.cellsOf(s, w, h, r.host.Styles().Dark)
	}
	return nil
}

// details returns at most h styled lines about a capture: its state, faults, how it was made, and
// the request.
func (g *gallery) details(c *pictures.GalleryItem, w, h int) []string {
	var out []string
	add := func(st uv.Style, most int, text string) {
		lines := draw.Wrap(text, w)
		if most = min(most, h-len(out)); text == "" || most <= 0 {
			return
		}
		if len(lines) > most {
			lines = append(lines[:most-1], draw.Truncate(strings.Join(lines[most-1:], " "), w))
		}
		for _, l := range lines {
			out = append(out, st.Styled(l))
		}
	}
	st := g.Host.Styles().Strong
	switch {
	case c.Status == storage.CaptureFailed:
		st = g.Host.Styles().Failure
	case c.Waiting:
		st = g.Host.Styles().Warning
	}
	add(st, 2, g.stateText(c))
	for _, w := range c.Warnings {
		add(g.Host.Styles().Warning, 2, "! "+safetext.Line(w))
	}
	if c.Requested != "" {
		add(g.Host.Styles().Dim, 1, "request: "+pane.Truncate(g.Host, c.Requested, 200))
	}
	add(g.Host.Styles().Dim, 2, madeWith(c))
	add(g.Host.Styles().Dim, 2, cameraLine(c))
	room := h - len(out)
	if c.NegativePrompt != "" && room > 3 {
		room--
	}
	add(g.Host.Styles().Base, room, safetext.Line(promptOf(c.Capture)))
	if c.NegativePrompt != "" {
		add(g.Host.Styles().Faint, max(1, h/4), "not: "+safetext.Line(c.NegativePrompt))
	}
	return out
}

// stateText returns the state of a capture and its number among its variants.
func (g *gallery) stateText(c *pictures.GalleryItem) string {
	words := captureText(c.Status)
	if c.Kind == "video" {
		words = "video" + draw.Separator + words
	}
	for _, j := range g.Host.Work().Running() {
		if j.Capture == c.ID && c.Status == storage.CapturePrompting {
			words = draw.Join(words, workedFor(j))
		}
	}
	switch {
	case c.Status == storage.CaptureGenerating:
		words = "pending"
		if !c.UpdatedAt.IsZero() {
			words += " for " + draw.Elapsed(time.Since(c.UpdatedAt))
		}
		for _, j := range g.Host.Work().Running() {
			if j.Capture == c.ID && j.Op.Type == pane.Paints {
				words = draw.Join("generating", pane.ProgressWords(j), workedFor(j))
			}
		}
	case c.Waiting:
		words = "waits: " + cutEnd(c.Error, "ComfyUI was offline")
	case c.Error != "":
		words += ": " + safetext.Line(c.Error)
	case c.Seed != nil:
		words += fmt.Sprintf(" · seed %d", *c.Seed)
	}
	if c.Variants > 1 {
		words += fmt.Sprintf(" · variant %d/%d", c.Variant, c.Variants)
	}
	if c.Avatar {
		words += " · avatar"
	}
	if c.Asked {
		words += " · requested in chat"
	}
	return words
}

// cutEnd returns text without its final period, or other if it is empty.
func cutEnd(text, other string) string {
	if text = strings.TrimRight(safetext.Line(text), ". "); text == "" {
		return other
	}
	return text
}

// madeWith returns what made a capture, and how long that took.
func madeWith(c *pictures.GalleryItem) string {
	var words []string
	if c.Workflow != "" {
		words = append(words, safetext.Line(c.Workflow))
	}
	if c.Width > 0 {
		words = append(words, fmt.Sprintf("%d×%d", c.Width, c.Height))
	}
	if t := c.GenerationTime; t > 0 {
		words = append(words, "took "+draw.Elapsed(time.Duration(t*float64(time.Second))))
	}
	if name := remoteHost(c.Server); name != "" {
		words = append(words, "on "+safetext.Line(name))
	}
	return strings.Join(words, draw.Separator)
}

// remoteHost returns the name of a server that is not this computer, else "".
func remoteHost(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "localhost" {
		return ""
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ip.IsLoopback() {
		return ""
	}
	return u.Hostname()
}

// cameraLine describes the camera and the focus of a capture.
func cameraLine(c *pictures.GalleryItem) string {
	focus := ""
	if len(c.Focus) > 0 {
		focus = "on " + safetext.Line(strings.Join(c.Focus, ", "))
	}
	return draw.Join(cameraText(c.Camera), focus)
}

// Click implements pane.Pane: it selects the batch or the capture at a position.
func (g *gallery) Click(x, y int) tea.Cmd {
	d := &g.grid
	if first := g.area.Min.Y; y < g.line.Min.Y && y >= first {
		from := max(0, min(g.batch-maxBatches+1, len(g.part.batches())-maxBatches))
		if i := from + y - first; i < len(g.part.batches()) {
			g.batch = i
		}
		return nil
	}
	if x < d.area.Min.X || x >= d.area.Max.X || y < d.area.Min.Y {
		return nil
	}
	at := d.area.Min.Y
	for i := d.top; i < len(d.slots); i++ {
		s := d.slots[i]
		if y < at+s.height {
			if !s.head && s.from+s.n <= len(g.Lines) {
				g.batch = -1
				g.Pick(s.from + min((x-d.area.Min.X)/max(1, d.cellWidth), s.n-1))
			}
			return nil
		}
		at += s.height
	}
	return nil
}

// openFilter opens the filter of the gallery.
func (g *gallery) openFilter() {
	f := widget.NewFilterLine(g.Host.Styles(), "filter by words", g.GroupList.Filter.Text)
	f.Page, f.Move, f.Set = func() int { return g.grid.shown }, g.step, g.SetFilter
	f.Area = func() (uv.Rectangle, bool) { return g.line, g.part.gallery() == g }
	g.typed, g.batch = f, -1
	g.Host.Open(f)
}

// filtering reports whether the filter is open.
func (g *gallery) filtering() bool {
	return slices.Contains(g.Host.Dialogs().All, widget.Dialog(g.typed))
}
