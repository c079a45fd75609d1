package pictures

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// gallery is the pane with the captures of the open chat, by scene in the story's order. It opens
// at the newest one, which is shown large.
type gallery struct {
	pane.GroupList
	part     *Part
	items    []pictures.GalleryItem                    // same order as the rows of the list
	scenes   []int                                     // the number of each heading's scene
	variants map[storage.CaptureID][]storage.CaptureID // for each capture with variants, all of them
	stale    bool                                      // it must be read again
	newest   storage.CaptureID
	batch    int // index of the chosen batch; -1 for none
	thumbs   thumbs
	typed    *widget.FilterLine
	area     uv.Rectangle // of the last frame
	focused  bool         // of the last frame
	line     uv.Rectangle // of the line above the list, in the last frame
	grid     grid         // in the last frame
}

func newGallery(r *Part) *gallery {
	g := &gallery{part: r, batch: -1, GroupList: pane.NewGroupList(r.host, nil)}
	return g
}

// Title implements pane.Pane.
func (*gallery) Title() string { return "Gallery" }

// Name implements pane.Pane.
func (*gallery) Name() string { return galleryName }

// Read implements pane.Pane: it reads everything again if another chat is open or something has
// changed.
func (g *gallery) Read() tea.Cmd {
	if g.Chat != g.Host.Play().Chat().Chat.ID {
		g.Reset(g.Host.Play().Chat().Chat.ID)
		g.items, g.scenes, g.Groups, g.variants, g.newest = nil, nil, nil, nil, ""
		g.stale, g.batch = true, -1
	}
	if !g.stale || g.Chat == "" {
		return g.part.ReadBatches()
	}
	g.stale = false
	return tea.Batch(g.part.ReadBatches(), g.Load(func(chat storage.ChatID) (func() []pane.GroupRow, error) {
		scenes, err := g.Host.Engine().Pictures.Gallery.Scenes(chat)
		if err != nil {
			return nil, err
		}
		return g.prepareItems(scenes), nil
	}))
}

// prepareItems prepares what was read, off the screen's goroutine, and returns a function that
// sets it.
func (g *gallery) prepareItems(scenes []pictures.GalleryScene) func() []pane.GroupRow {
	var items []pictures.GalleryItem
	var heads []string
	var rows []pane.GroupRow
	var numbers []int
	newest := -1
	for _, s := range scenes {
		if len(s.Captures) == 0 {
			continue
		}
		for i := range s.Captures {
			c := &s.Captures[i]
			rows = append(rows, pane.GroupRow{Key: string(c.ID), Group: len(heads),
				Text: pane.SearchText(c.Requested, promptOf(c.Capture), c.NegativePrompt, c.Workflow,
					strings.Join(c.Focus, " "))})
			if newest < 0 || c.CreatedAt.After(items[newest].CreatedAt) {
				newest = len(items)
			}
			items = append(items, *c)
		}
		heads, numbers = append(heads, sceneText(s)), append(numbers, s.Number)
	}
	family := variantsOf(items)
	return func() []pane.GroupRow {
		g.items, g.Groups, g.scenes, g.variants = items, heads, numbers, family
		if newest >= 0 && items[newest].ID != g.newest {
			// A new capture is selected, unless the user has selected another one.
			if k := g.Key(); k == "" || k == string(g.newest) {
				g.PendingKey = string(items[newest].ID)
			}
			g.newest = items[newest].ID
		}
		return rows
	}
}

func sceneText(s pictures.GalleryScene) string {
	switch {
	case s.Number == 0:
		return "On other branches"
	case s.Name == "":
		return fmt.Sprintf("Scene %d", s.Number)
	}
	return fmt.Sprintf("Scene %d: %s", s.Number, draw.Truncate(s.Name, 60))
}

// variantsOf returns, for each capture with variants, all of them in order.
func variantsOf(items []pictures.GalleryItem) map[storage.CaptureID][]storage.CaptureID {
	from := make(map[storage.CaptureID]storage.CaptureID, len(items))
	for i := range items {
		from[items[i].ID] = items[i].From
	}
	first := map[storage.CaptureID]storage.CaptureID{}
	out := map[storage.CaptureID][]storage.CaptureID{}
	for i := range items {
		var way []storage.CaptureID
		id := items[i].ID
		for range items { // a damaged store may contain a cycle
			if known := first[id]; known != "" {
				id = known
				break
			}
			way = append(way, id)
			up, there := from[id]
			if _, known := from[up]; !there || up == "" || !known {
				break
			}
			id = up
		}
		for _, w := range way {
			first[w] = id
		}
		out[id] = append(out[id], items[i].ID)
	}
	groups := map[storage.CaptureID][]storage.CaptureID{}
	for _, all := range out {
		if len(all) < 2 {
			continue
		}
		for _, id := range all {
			groups[id] = all
		}
	}
	return groups
}

// current returns the chosen capture, nil for none.
func (g *gallery) current() *pictures.GalleryItem {
	if i, ok := g.Chosen(); ok && i < len(g.items) {
		return &g.items[i]
	}
	return nil
}

// index returns the row of a capture, -1 for none.
func (g *gallery) index(id storage.CaptureID) int {
	for i := range g.items {
		if g.items[i].ID == id {
			return i
		}
	}
	return -1
}

// event updates a changed capture, and reads everything again if its position may have changed.
func (g *gallery) event(ev event.Event) tea.Cmd {
	switch ev := ev.(type) {
	case pictures.CaptureChanged:
		if ev.Capture.Chat != g.Chat {
			return nil
		}
		if i := g.index(ev.Capture.ID); i >= 0 {
			g.items[i].Capture = ev.Capture
		}
		if ev.Capture.Status == storage.CaptureCompleted {
			g.thumbs.drop(ev.Capture.ID)
		}
	case scenes.Changed:
		if ev.Chat != g.Chat {
			return nil
		}
	case chats.ChatChanged:
		if ev.Chat != g.Chat {
			return nil
		}
	case queue.Changed:
		// The end of the work on a capture is only reported by this event.
		if captureOfOperation(ev.Operation) == "" || ev.Operation.Status == storage.InProgress {
			return nil
		}
	case chats.CharactersChanged:
	default:
		return nil
	}
	g.stale = true
	return g.Read()
}

// captureOfOperation returns the capture of an operation, "" for none.
func captureOfOperation(op storage.Operation) storage.CaptureID {
	if !strings.HasPrefix(op.Type, "capture_") {
		return ""
	}
	return pane.NewOperation(op).Capture
}

// captureText returns the label of a capture's state.
func captureText(s storage.CaptureStatus) string {
	switch s {
	case storage.CapturePrompting:
		return "its prompt is being written"
	case storage.CaptureGenerating:
		return "generating"
	}
	return string(s)
}

// promptOf returns a capture's prompt as the user last had it.
func promptOf(c storage.Capture) string {
	if c.ImagePrompt != "" {
		return c.ImagePrompt
	}
	return c.Prompt
}
