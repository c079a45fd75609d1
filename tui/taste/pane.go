package taste

import (
	"strconv"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The views of the taste pane.
const (
	profileView = iota
	scenesView
)

var tabNames = [...]string{"Profile", "Scenes"}

// tastePane shows what was learned for the open chat's story: the profile with its cards, and the
// lessons of each scene. It is one list; each view shows a part of it.
type tastePane struct {
	pane.UndoStack
	pane.List[item]
	at      int
	chosen  [len(tabNames)]string // in each view
	removed bool                  // removed cards are shown
	open    map[storage.NodeID]bool
	area    uv.Rectangle // of the last frame
	tabs    widget.Tabs
	scope   storage.ScopeID // the chat's story, "" while it is not known
	view    taste.View
}

func newPane(d pane.Host) *tastePane {
	p := &tastePane{UndoStack: pane.UndoStack{Host: d}, List: pane.NewList[item](d, 1), open: map[storage.NodeID]bool{}}
	p.Source = func() func(storage.ChatID) ([]item, func(), error) {
		return func(chat storage.ChatID) ([]item, func(), error) {
			eng := d.Engine()
			scope, err := eng.Chats.ScopeOf(chat)
			if err != nil {
				return nil, nil, err
			}
			v, err := eng.Taste.View(scope)
			return itemsOf(&v), func() { p.setView(scope, v) }, err
		}
	}
	p.ID = func(it *item) string { return it.key }
	p.Head = func(it *item) string { return it.head }
	p.IsHidden, p.Row, p.Detail = p.hidden, p.row, p.details
	p.Wrapped, p.Above, p.HeadingNote, p.Empty = true, p.above, p.headingNote, p.empty
	return p
}

// Title implements pane.Pane.
func (*tastePane) Title() string { return "Taste" }

// Name implements pane.Pane.
func (*tastePane) Name() string { return paneName }

// Views implements pane.Tabbed.
func (p *tastePane) Views() ([]string, int) { return tabNames[:], p.at }

// ShowView implements pane.Tabbed.
func (p *tastePane) ShowView(i int) tea.Cmd {
	p.chosen[p.at] = p.Key()
	p.at, p.At, p.Top = i, 0, 0
	p.Arrange()
	p.GoTo(p.chosen[i])
	return nil
}

// page scrolls a page up or down.
func (p *tastePane) page(step int) tea.Cmd {
	p.Move(step * max(1, p.Page/2))
	return nil
}

// Click implements pane.Pane: it selects a tab or a row.
func (p *tastePane) Click(x, y int) tea.Cmd {
	if i, ok := p.tabs.Hit(x, y); ok {
		return p.ShowView(i)
	}
	return p.List.Click(x, y)
}

// setView sets the data of a story.
func (p *tastePane) setView(scope storage.ScopeID, v taste.View) {
	if p.scope != scope {
		p.scope = scope
		p.UndoStack.Clear()
	}
	p.view = v
}

// Event implements pane.Listener: it follows the learning.
func (r *Part) Event(ev event.Event) tea.Cmd {
	p, ok := r.host.Panes().Current().(*tastePane)
	if !ok {
		return nil
	}
	switch ev := ev.(type) {
	case taste.Changed:
		if p.scope == "" || ev.Scope == p.scope {
			return p.Read()
		}
	case scenes.Changed:
		if ev.Chat == p.Chat {
			return p.Read()
		}
	case chats.ChatChanged:
		if ev.Chat == p.Chat { // it may belong to another story now
			return p.Read()
		}
	case director.SeriesChanged:
		return p.Read()
	}
	return nil
}

// Draw implements pane.Pane.
func (p *tastePane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	p.area = area
	if p.Chat != "" {
		p.tabs.Draw(buf, area, tabNames[:], p.tab, p.at, p.Host.Styles())
		area.Min.Y = min(area.Max.Y, area.Min.Y+1)
	}
	p.List.Draw(buf, area, focused)
}

// tab returns the number of items in a view.
func (p *tastePane) tab(i int) string {
	n := len(p.view.Memories)
	if i == profileView {
		n = p.count(false)
	}
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// above returns the line above the list: the story, and running work.
func (p *tastePane) above(w, _ int) []string {
	sty := p.Host.Styles()
	st, right := sty.Accent, ""
	switch {
	case p.view.Working:
		right = p.workingText(w)
	case p.view.Off:
		st, right = sty.Warning, "learning is off"
	case p.view.Mute:
		st, right = sty.Warning, "not used for plans"
	}
	if right = draw.Clip(right, w); right != "" {
		w -= ansi.StringWidth(right) + 1
	}
	words := "“" + draw.Truncate(p.view.Name, max(8, w-2)) + "”"
	if n := len(p.view.SourceSceneIDs); n > 0 && p.at == profileView {
		words = draw.Join(words, "learned from "+draw.Plural(n, "scene"), draw.AgoWords(p.view.UpdatedAt))
	}
	if n := p.count(true); n > 0 && !p.removed && p.at == profileView {
		words = draw.Join(words, strconv.Itoa(n)+" removed ("+p.Host.Keys().Key(tasteRemoved, keys.Pane)+")")
	}
	words = draw.Clip(draw.Parts(words, max(0, w)), max(0, w))
	return []string{sty.Dim.Styled(words) + strings.Repeat(" ", max(0, w+1-ansi.StringWidth(words))) + st.Styled(right)}
}

// count returns the number of cards that are removed or not removed.
func (p *tastePane) count(removed bool) (n int) {
	for i := range p.view.Cards {
		if p.view.Cards[i].Deleted == removed {
			n++
		}
	}
	return n
}

// workingText returns the progress of learning, "" for none.
func (p *tastePane) workingText(w int) string {
	for _, j := range p.Host.Work().Running() {
		if j.Chat != p.Chat || j.Op.Type != "taste_harvest" && j.Op.Type != "taste_aggregate" {
			continue
		}
		words := "learning · " + draw.Elapsed(time.Since(j.Op.StartedAt))
		if n := j.Progress.Tokens; n > 0 && w >= 60 {
			words += draw.Separator + draw.Plural(n, "token")
		}
		return words
	}
	return "learning queued"
}

// empty returns words about the sources of lessons, for an empty view.
func (p *tastePane) empty() string {
	key := func(act keys.Name, mode keys.Mode) string { return p.Host.Keys().Key(act, mode) }
	if p.at == profileView && len(p.view.Memories) > 0 {
		words := "Lessons from " + draw.Plural(len(p.view.Memories), "scene") +
			" are available, but there is no profile yet."
		if !p.view.Working {
			words += " " + key(keys.PaneRegenerate, keys.Pane) + " creates it."
		}
		return words
	}
	words := "No preferences learned for this story yet."
	if p.at == scenesView {
		words = "Nothing learned from this story's scenes yet."
	}
	words += " They are learned from your edits: shots of confirmed storyboards (" + key(keys.PaneStory, keys.Browse) +
		"), capture prompts before sending, and recaps. "
	if p.view.Mute {
		words += "Taste is turned off for plans in the settings (taste.use).\n\n"
	} else {
		words += "Future plans use them.\n\n"
	}
	switch {
	case p.view.Off:
		words += "Automatic learning is turned off in the settings (taste.learn). "
	case p.view.Working:
		words += "There are edits to learn from: learning starts shortly after the last change. "
	}
	if p.at == scenesView {
		return words + key(keys.PaneRegenerate, keys.Pane) + " learns from the newest finished scene."
	}
	return words + key(keys.PaneNew, keys.Pane) + " adds a card of your own."
}
