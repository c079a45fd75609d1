package taste

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The views of the taste pane.
const (
	profileView = iota
	scenesView
)

var tabNames = [...]string{"Profile", "Scenes"}

// tall is from how many lines on what is chosen is told in full below the
// list.
const tall = 14

// pane shows what was learnt of how the user directs the open chat's story:
// the profile with its cards, and what each scene has taught.
type pane struct {
	desk.Undoing
	chat storage.ChatID
	busy bool // what was learnt is being read
	at   int
	all  bool         // removed cards are shown
	area uv.Rectangle // of the last frame
	w, h int          // that the rows are laid out for
	tabs widget.Tabs
	learnt
}

// learnt is what the pane knows of its chat.
type learnt struct {
	scope  storage.ScopeID // the chat's story, "" while it is not known
	view   taste.View
	loaded bool
	fault  error
	again  bool // it must be read once more
	lists  [len(tabNames)]viewList
	left   int // cards that are not shown, because they are removed
	open   map[storage.NodeID]bool
}

// viewList is the list of one view.
type viewList struct {
	widget.Outline
	items []item // as the rows of the outline
	wish  string // to be chosen as soon as it is there
}

func newPane(d desk.Desk) *pane {
	return &pane{Undoing: desk.Undoing{Desk: d}, chat: "\x00"}
}

// Title implements desk.Pane.
func (*pane) Title() string { return "Taste" }

// Name implements desk.Pane.
func (*pane) Name() string { return paneName }

// Views implements desk.Tabbed.
func (p *pane) Views() ([]string, int) { return tabNames[:], p.at }

// ShowView implements desk.Tabbed.
func (p *pane) ShowView(i int) tea.Cmd {
	p.at = i
	return nil
}

func (p *pane) list() *viewList { return &p.lists[p.at] }

// Move implements desk.Pane.
func (p *pane) Move(n int) { p.list().Move(n) }

// page goes a page up or down.
func (p *pane) page(step int) tea.Cmd {
	p.Move(step * max(1, p.list().Page/2))
	return nil
}

// Click implements desk.Pane: it chooses a tab, or a row.
func (p *pane) Click(x, y int) tea.Cmd {
	if i, ok := p.tabs.Hit(x, y); ok {
		p.at = i
		return nil
	}
	p.list().Click(y - p.area.Min.Y + 1)
	return nil
}

// Read implements desk.Pane. It reads anew only where another chat was opened: what
// changes is told by events.
func (p *pane) Read() tea.Cmd {
	if p.chat == p.Desk.Chat().Chat.ID {
		return nil
	}
	p.Forget()
	p.chat, p.learnt = p.Desk.Chat().Chat.ID, learnt{open: map[storage.NodeID]bool{}}
	return p.load()
}

// load reads what was learnt, away from the screen's goroutine. What is asked for
// while it reads is read after it.
func (p *pane) load() tea.Cmd {
	if p.chat == "" {
		return nil
	}
	if p.busy {
		p.again = true
		return nil
	}
	p.busy, p.again = true, false
	eng, chat := p.Desk.Engine(), p.chat
	return p.Desk.Do(func() func() tea.Cmd {
		scope, err := eng.Chats.ScopeOf(chat)
		var v taste.View
		if err == nil {
			v, err = eng.Taste.View(scope)
		}
		return func() tea.Cmd {
			if p.busy = false; p.chat != chat {
				return p.load()
			}
			if p.loaded, p.fault = true, err; err == nil {
				p.take(scope, v)
			}
			if p.again {
				return p.load()
			}
			return nil
		}
	})
}

// take shows what was read of a story.
func (p *pane) take(scope storage.ScopeID, v taste.View) {
	if p.scope != scope {
		p.scope = scope
		p.Forget()
	}
	p.view = v
	p.layOut()
}

// layOut makes the rows of both views. The choice stays with what was chosen.
func (p *pane) layOut() {
	p.left = 0
	for i := range p.view.Cards {
		if p.view.Cards[i].Deleted && !p.all {
			p.left++
		}
	}
	p.lists[profileView].fill(p.profileItems())
	p.lists[scenesView].fill(p.sceneItems())
}

// fill replaces the rows.
func (l *viewList) fill(items []item) {
	was := ""
	if it := l.item(); it != nil {
		was = it.key
	}
	l.items = items
	rows := make([]widget.OutlineRow, len(items))
	for i := range items {
		if len(items[i].lines) == 0 {
			items[i].lines = []textLine{{"(no words)", true}}
		}
		rows[i] = widget.OutlineRow{Height: len(items[i].lines), Heading: items[i].key == ""}
	}
	l.Outline.Fill(rows)
	if l.wish != "" && l.goTo(l.wish) {
		l.wish = ""
		return
	}
	l.goTo(was)
}

// goTo chooses the row of a key, and tells whether there is one.
func (l *viewList) goTo(key string) bool {
	for i := range l.items {
		if key != "" && l.items[i].key == key {
			l.Choose(i)
			return true
		}
	}
	return false
}

// item is the chosen one, nil for none.
func (l *viewList) item() *item {
	if i := l.Chosen(); i >= 0 && i < len(l.items) {
		return &l.items[i]
	}
	return nil
}

// Event implements desk.Listener: it follows what is learnt.
func (r *Room) Event(ev event.Event) tea.Cmd {
	p, ok := r.desk.Pane().(*pane)
	if !ok {
		return nil
	}
	switch ev := ev.(type) {
	case taste.Changed:
		if p.scope == "" || ev.Scope == p.scope {
			return p.load()
		}
	case scenes.Changed:
		if ev.Chat == p.chat {
			return p.load()
		}
	case chats.ChatChanged:
		if ev.Chat == p.chat { // it may belong to another story now
			return p.load()
		}
	case director.SeriesChanged:
		return p.load()
	}
	return nil
}

// Draw implements desk.Pane.
func (p *pane) Draw(buf uv.ScreenBuffer, area uv.Rectangle, focused bool) {
	p.area = area
	if p.chat == "" {
		look.PutWrapped(buf, area, p.Desk.Look().Dim, "No chat is open.")
		return
	}
	p.tabs.Draw(buf, area, tabNames[:], p.tab, p.at, p.Desk.Look())
	body := uv.Rect(area.Min.X, area.Min.Y+2, area.Dx(), max(0, area.Dy()-2))
	switch {
	case p.fault != nil:
		look.PutWrapped(buf, body, p.Desk.Look().Failure, failure.Words(p.fault))
		return
	case !p.loaded || body.Dy() == 0:
		return // it is being read
	}
	if p.w != body.Dx()-1 || p.h != body.Dy() {
		p.w, p.h = body.Dx()-1, body.Dy()
		p.layOut()
	}
	p.above(buf, uv.Rect(area.Min.X, area.Min.Y+1, area.Dx(), 1))
	l := p.list()
	if l.item() == nil {
		look.PutWrapped(buf, body, p.Desk.Look().Dim, p.empty())
		return
	}
	if area.Dy() >= tall {
		lines := p.details(l.item(), body.Dx()-2, p.Desk.Look())
		body.Max.Y -= look.PutBelow(buf, body, lines[:min(len(lines), body.Dy()/3)], p.Desk.Look())
	}
	l.First = 3 // below the pane's own line, the tabs and the line about the story
	l.Show(uv.Rect(body.Min.X, body.Min.Y, body.Dx()-1, body.Dy()), func(i int, room uv.Rectangle) {
		l.items[i].draw(buf, room, i == l.Chosen() && focused, p.Desk.Look())
	})
	look.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), l.Start(l.Top), l.Ends[len(l.Ends)-1], p.Desk.Look())
}

// tab is how much there is in a view.
func (p *pane) tab(i int) string {
	n := len(p.view.Memories)
	if i == profileView {
		n = 0
		for j := range p.view.Cards {
			if !p.view.Cards[j].Deleted {
				n++
			}
		}
	}
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// above draws the line above the list: whose story it is, and what goes on.
func (p *pane) above(buf uv.ScreenBuffer, area uv.Rectangle) {
	st, right := p.Desk.Look().Accent, ""
	switch {
	case p.view.Working:
		right = p.workingWords()
	case p.view.Off:
		st, right = p.Desk.Look().Warning, "learning is off"
	case p.view.Mute:
		st, right = p.Desk.Look().Warning, "not used for plans"
	}
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	if right != "" {
		w = look.PutRight(buf, x, y, w, st, right) - x - 1
	}
	words := "“" + look.Within(p.view.Name, max(8, w-2)) + "”"
	if n := len(p.view.SourceSceneIDs); n > 0 && p.at == profileView {
		words = look.Join(words, "learned from "+look.Plural(n, "scene"), look.AgoWords(p.view.UpdatedAt))
	}
	if p.left > 0 && p.at == profileView {
		words = look.Join(words, strconv.Itoa(p.left)+" removed ("+p.Desk.Keys().Key(tasteRemoved, keys.Pane)+")")
	}
	look.Put(buf, x, y, w, p.Desk.Look().Dim, look.Parts(words, w))
}

// workingWords says what is being learnt, and how far that is.
func (p *pane) workingWords() string {
	for _, j := range p.Desk.Jobs() {
		if j.Chat != p.chat || j.Op.Type != "taste_harvest" && j.Op.Type != "taste_aggregate" {
			continue
		}
		words := "learning · " + look.Elapsed(time.Since(j.Op.StartedAt))
		if n := j.Progress.Tokens; n > 0 && p.w >= 60 {
			words += look.Separator + look.Plural(n, "token")
		}
		return words
	}
	return "learning queued"
}

// empty says what there is to learn from while a view has nothing in it.
func (p *pane) empty() string {
	key := func(act keys.Name, mode keys.Mode) string { return p.Desk.Keys().Key(act, mode) }
	if p.at == profileView && len(p.view.Memories) > 0 {
		words := "Lessons from " + look.Plural(len(p.view.Memories), "scene") + " are available, but there is no profile yet."
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
