package pictures

import (
	"image"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// What tests of the whole program look at.

type (
	Gallery     = gallery
	Preview     = preview
	FactsDialog = factsDialog
)

// RoomOf returns the part that a host's gallery belongs to. It leaves the gallery as it was.
func RoomOf(d pane.Host) *Part {
	g, open := d.Panes().Current().(*gallery)
	if !open {
		d.Run(keys.PaneCaptures)
		g = d.Panes().Current().(*gallery)
		d.Run(keys.PaneClose)
	}
	return g.part
}

func (r *Part) SeriesSize(ask pictures.BatchRequest) int { return r.seriesSize(ask) }

func (r *Part) OpenCamera(now storage.Camera, apply func(storage.Camera) tea.Cmd) tea.Cmd {
	return r.openCamera(now, apply)
}

func (g *gallery) Count() int { return len(g.items) }

func (p *preview) Prompt() string           { return p.Fields[fieldPrompt].Value() }
func (p *preview) Capture() storage.Capture { return p.c }
func (p *preview) Fill(c storage.Capture)   { p.fill(c) }

func (d *factsDialog) Facts() []storage.Fact     { return d.Items }
func (d *factsDialog) Take(facts []storage.Fact) { d.Show(facts) }
func (d *factsDialog) Storing() bool             { return d.order.Busy }
func (d *factsDialog) ChooseFact(i int) {
	if d.PendingKey = ""; i < len(d.Items) {
		d.GoTo(string(d.Items[i].ID))
	}
}
func (d *factsDialog) Fact() (storage.Fact, bool) {
	if f := d.Item(); f != nil {
		return *f, true
	}
	return storage.Fact{}, false
}

// Stage opens the gallery of a chat whose captures and batches were read.
func Stage(d pane.Host, chat storage.ChatID, scenes []pictures.GalleryScene, batches []pictures.BatchView) *Gallery {
	d.Run(keys.PaneCaptures)
	g := d.Panes().Current().(*gallery)
	g.part.batching = batchLoader{chat: chat, open: batches}
	g.Chat, g.Loaded, g.Busy, g.stale = chat, true, false, false
	g.TakeAll(scenes)
	return g
}

func (g *gallery) TakeAll(scenes []pictures.GalleryScene) {
	was := g.Key()
	g.Rows = g.prepareItems(scenes)()
	g.LayOut(was)
}

// Hang gives all captures that are painted pictures.
func (g *gallery) Hang(small, large image.Image) {
	g.thumbs.cached = map[storage.CaptureID]*thumb{}
	for i := range g.items {
		c := &g.items[i]
		if c.ThumbnailPath != "" {
			g.thumbs.cached[c.ID] = &thumb{img: small}
		}
		if c.ImagePath != "" {
			g.part.display.get(c.ID).img = large
		}
	}
}

func (g *gallery) OpenVariants() tea.Cmd { return g.openVariants(*g.current()) }

func (g *gallery) ChosenBatch() storage.BatchID {
	if b := g.chosenBatch(); b != nil {
		return b.ID
	}
	return ""
}

func (r *Part) ShowPreview(ev queue.Progressed) tea.Cmd { return r.preview(ev) }

// ReadWith reads pictures with a function of the test; told is called for each requested one.
func (p *Display) ReadWith(read func(storage.Capture) ([]byte, error), told func(storage.Capture)) {
	p.ask = func(c storage.Capture) tea.Cmd {
		told(c)
		mode := p.mode
		return p.host.Do(func() func() tea.Cmd {
			data, err := read(c)
			if err != nil {
				panic(err)
			}
			d, err := decode(data, mode)
			if err != nil {
				panic(err)
			}
			return func() tea.Cmd {
				s := p.get(c.ID)
				p.replace(s, d)
				s.stale = false
				return nil
			}
		})
	}
}

func (p *Display) Missing() *[]tea.Cmd                     { return &p.wanted }
func (p *Display) Limit(here, there int)                   { p.budget = memoryUse{here, there} }
func (p *Display) Put(id storage.CaptureID, i image.Image) { p.replace(p.get(id), decoded{img: i}) }
func (p *Display) ForgetAll()                              { p.pictures = nil; p.gen++ }

func (p *Display) Fault(id storage.CaptureID) string {
	switch s := p.pictures[id]; {
	case s == nil || s.img == nil && s.fault == "":
		return "it was not read"
	default:
		return s.fault
	}
}

// Weight returns how many bytes of the program's own pictures take.
func (p *Display) Weight() (n int) {
	for _, s := range p.pictures {
		here, _ := p.measure(s)
		n += here
	}
	return n
}

var ManyCaptures = manyCaptures

// HangSmall gives all captures a small picture.
func (g *gallery) HangSmall(small image.Image) {
	g.thumbs.cached = map[storage.CaptureID]*thumb{}
	for i := range g.items {
		g.thumbs.cached[g.items[i].ID] = &thumb{img: small}
	}
}

// HangChosen gives the chosen capture its picture.
func (g *gallery) HangChosen(large image.Image) {
	g.part.display.get(g.current().ID).img = large
}

func (r *Part) ShowFrame(ev queue.Progressed) tea.Cmd { return r.showFrame(ev) }
func (r *Part) ForgetFrames()                         { clear(r.live) }

func (r *Part) FramesShown(id storage.OperationID) int {
	if p := r.live[id]; p != nil {
		return p.shown
	}
	return 0
}

// Wanted returns the work that the last frame has found missing.
func (g *gallery) Wanted() tea.Cmd { return g.part.display.Wanted() }

// Smalls returns what the first of the small pictures in view looks like.
func (g *gallery) Smalls() string {
	for i := range slices.Backward(g.items) {
		if s := g.thumbs.cached[g.items[i].ID]; s != nil {
			return strings.Join(s.fit(thumbCols, thumbRows, false, true), "\n")
		}
	}
	return ""
}
