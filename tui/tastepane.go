package tui

import (
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// The views of the taste pane.
const (
	tasteProfile = iota
	tasteScenes
)

var tasteTabs = [...]string{"Profile", "Scenes"}

// tasteTall is from how many lines on what is chosen is told in full below the
// list.
const tasteTall = 14

// tastePane shows what was learnt of how the user directs the open chat's story:
// the profile with its cards, and what each scene has taught.
type tastePane struct {
	undoing
	a      *app
	chat   storage.ChatID
	scope  storage.ScopeID // the chat's story, "" while it is not known
	view   engine.TasteView
	loaded bool
	fault  error
	busy   bool // it is being read
	again  bool // and must be read once more

	lists [len(tasteTabs)]tasteList
	at    int
	all   bool // removed cards are shown
	left  int  // cards that are not, because they are removed
	open  map[storage.NodeID]bool
	w, h  int // that the rows are laid out for
	tabs  widget.Tabs
}

// tasteList is the list of one view.
type tasteList struct {
	widget.Outline
	items []tasteItem // as the rows of the outline
	wish  string      // to be chosen as soon as it is there
}

func newTastePane(a *app) *tastePane {
	return &tastePane{a: a, undoing: undoing{desk: a}, chat: "\x00"}
}

func (*tastePane) kind() paneKind { return paneTaste }
func (*tastePane) title() string  { return "Taste" }

func (p *tastePane) list() *tasteList { return &p.lists[p.at] }

func (p *tastePane) Move(n int) { p.list().Move(n) }

func (p *tastePane) foot() string {
	switch {
	case !p.loaded || p.fault != nil:
		return ""
	case p.at == tasteScenes && len(p.view.Memories) == 0:
		return "r learn from the newest scene · u undo · t storyboard"
	case p.at == tasteScenes:
		return "enter go there · z unfold · r learn again · d forget · R reset · t storyboard"
	case len(p.view.Cards)+len(p.view.Memories) == 0:
		return "n new card · u undo · 2 scenes · t storyboard"
	case len(p.view.Cards) == 0:
		return "r make the profile · n new card · E summary · u undo · R reset · t storyboard"
	}
	return "enter edit · O mute · d delete · n new · u undo · w what plans are told · r new profile · E summary · X as learnt · v removed too · R reset · t storyboard"
}

func (p *tastePane) click(row int) { p.list().Click(row) }

// clickAt chooses a tab, or a row.
func (p *tastePane) clickAt(x, y int, a *app) tea.Cmd {
	if i, ok := p.tabs.Hit(x, y); ok {
		p.at = i
		return nil
	}
	p.click(y - a.lay.pane.Min.Y)
	return nil
}

// read reads anew where another chat was opened: what changes is told by events.
func (p *tastePane) read(a *app) tea.Cmd {
	if p.chat == a.view.Chat.ID {
		return nil
	}
	*p = tastePane{a: a, undoing: undoing{desk: a, order: p.order}, chat: a.view.Chat.ID, at: p.at, all: p.all, w: p.w, h: p.h, busy: p.busy, open: map[storage.NodeID]bool{}}
	return p.load()
}

// load reads what was learnt, away from the screen's goroutine. What is asked for
// while it reads is read after it.
func (p *tastePane) load() tea.Cmd {
	if p.chat == "" {
		return nil
	}
	if p.busy {
		p.again = true
		return nil
	}
	p.busy, p.again = true, false
	eng, chat := p.a.eng, p.chat
	return p.a.Do(func() func() tea.Cmd {
		scope, err := eng.ScopeOf(chat)
		var v engine.TasteView
		if err == nil {
			v, err = eng.Taste(scope)
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
func (p *tastePane) take(scope storage.ScopeID, v engine.TasteView) {
	if p.scope != scope {
		p.scope, p.undo = scope, nil
	}
	p.view = v
	p.layOut()
}

// layOut makes the rows of both views. The choice stays with what was chosen.
func (p *tastePane) layOut() {
	p.left = 0
	for i := range p.view.Cards {
		if p.view.Cards[i].Deleted && !p.all {
			p.left++
		}
	}
	p.lists[tasteProfile].fill(p.profileItems())
	p.lists[tasteScenes].fill(p.sceneItems())
}

// fill replaces the rows.
func (l *tasteList) fill(items []tasteItem) {
	was := ""
	if it := l.item(); it != nil {
		was = it.key
	}
	l.items = items
	rows := make([]widget.OutlineRow, len(items))
	for i := range items {
		if len(items[i].lines) == 0 {
			items[i].lines = []tasteLine{{"(no words)", true}}
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
func (l *tasteList) goTo(key string) bool {
	for i := range l.items {
		if key != "" && l.items[i].key == key {
			l.Choose(i)
			return true
		}
	}
	return false
}

// item is the chosen one, nil for none.
func (l *tasteList) item() *tasteItem {
	if i := l.Chosen(); i >= 0 && i < len(l.items) {
		return &l.items[i]
	}
	return nil
}

// tasteEvent follows what is learnt.
func (a *app) tasteEvent(ev engine.Event) tea.Cmd {
	p, ok := paneOf[*tastePane](a)
	if !ok {
		return nil
	}
	switch ev := ev.(type) {
	case engine.TasteChanged:
		if p.scope == "" || ev.Scope == p.scope {
			return p.load()
		}
	case engine.ScenesChanged:
		if ev.Chat == p.chat {
			return p.load()
		}
	case engine.ChatChanged:
		if ev.Chat == p.chat { // it may belong to another story now
			return p.load()
		}
	case engine.SeriesChanged:
		return p.load()
	}
	return nil
}

func (p *tastePane) draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app) {
	if p.chat == "" {
		look.PutWrapped(buf, area, a.lk.Dim, "No chat is open.")
		return
	}
	p.tabs.Draw(buf, area, tasteTabs[:], p.tab, p.at, a.lk)
	body := uv.Rect(area.Min.X, area.Min.Y+2, area.Dx(), max(0, area.Dy()-2))
	switch {
	case p.fault != nil:
		look.PutWrapped(buf, body, a.lk.Failure, engine.Words(p.fault))
		return
	case !p.loaded || body.Dy() == 0:
		return // it is being read
	}
	if p.w != body.Dx()-1 || p.h != body.Dy() {
		p.w, p.h = body.Dx()-1, body.Dy()
		p.layOut()
	}
	p.above(buf, uv.Rect(area.Min.X, area.Min.Y+1, area.Dx(), 1), a)
	l := p.list()
	if l.item() == nil {
		look.PutWrapped(buf, body, a.lk.Dim, p.empty())
		return
	}
	if area.Dy() >= tasteTall {
		lines := p.details(l.item(), body.Dx()-2, a.lk)
		body.Max.Y -= look.PutBelow(buf, body, lines[:min(len(lines), body.Dy()/3)], a.lk)
	}
	l.First = 3 // below the pane's own line, the tabs and the line about the story
	l.Show(uv.Rect(body.Min.X, body.Min.Y, body.Dx()-1, body.Dy()), func(i int, room uv.Rectangle) {
		l.items[i].draw(buf, room, i == l.Chosen() && a.mode == keys.Pane, a.lk)
	})
	look.Scrollbar(buf, uv.Rect(body.Max.X-1, body.Min.Y, 1, body.Dy()), l.Start(l.Top), l.Ends[len(l.Ends)-1], a.lk)
}

// tab is how much there is in a view.
func (p *tastePane) tab(i int) string {
	n := len(p.view.Memories)
	if i == tasteProfile {
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
func (p *tastePane) above(buf uv.ScreenBuffer, area uv.Rectangle, a *app) {
	st, right := a.lk.Accent, ""
	switch {
	case p.view.Working:
		right = p.workingWords()
	case p.view.Off:
		st, right = a.lk.Warning, "learning is off"
	case p.view.Mute:
		st, right = a.lk.Warning, "plans are not told"
	}
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	if right != "" {
		w = look.PutRight(buf, x, y, w, st, right) - x - 1
	}
	words := "“" + look.Within(p.view.Name, max(8, w-2)) + "”"
	if n := len(p.view.SourceSceneIDs); n > 0 && p.at == tasteProfile {
		words = look.Join(words, "learnt from "+look.Plural(n, "scene"), look.AgoWords(p.view.UpdatedAt))
	}
	if p.left > 0 && p.at == tasteProfile {
		words = look.Join(words, strconv.Itoa(p.left)+" removed ("+a.keys.Key(keys.PaneBeside, keys.Pane)+")")
	}
	look.Put(buf, x, y, w, a.lk.Dim, look.Hints(words, w))
}

// workingWords says what is being learnt, and how far that is.
func (p *tastePane) workingWords() string {
	for _, j := range p.a.work.running {
		if j.chat != p.chat || j.op.Type != "taste_harvest" && j.op.Type != "taste_aggregate" {
			continue
		}
		words := "learning · " + look.Elapsed(time.Now().Sub(j.op.StartedAt))
		if n := j.progress.Tokens; n > 0 && p.w >= 60 {
			words += look.Separator + look.Plural(n, "token")
		}
		return words
	}
	return "learning waits"
}

// empty says what there is to learn from while a view has nothing in it.
func (p *tastePane) empty() string {
	key := func(act keys.Action, mode keys.Mode) string { return p.a.keys.Key(act, mode) }
	if p.at == tasteProfile && len(p.view.Memories) > 0 {
		words := "The lessons of " + look.Plural(len(p.view.Memories), "scene") + " are there, but no profile of them yet."
		if !p.view.Working {
			words += " " + key(keys.PaneRetry, keys.Pane) + " makes it."
		}
		return words
	}
	words := "Nothing is known yet of how you direct this story."
	if p.at == tasteScenes {
		words = "No scene of this story has taught anything yet."
	}
	words += " It is learnt from what you change: shots of a storyboard that you then confirm (" + key(keys.PaneStory, keys.Browse) +
		"), prompts of captures before they are sent, recaps. "
	if p.view.Mute {
		words += "The settings say that no plan is told of it (taste.use).\n\n"
	} else {
		words += "Plans that are made later are told of it.\n\n"
	}
	switch {
	case p.view.Off:
		words += "The settings say that nothing is learnt by itself (taste.learn). "
	case p.view.Working:
		words += "Something waits to be learnt from: that begins a short while after the last change. "
	}
	if p.at == tasteScenes {
		return words + key(keys.PaneRetry, keys.Pane) + " learns from the newest scene that has ended."
	}
	return words + key(keys.PaneRename, keys.Pane) + " writes a card yourself."
}

// taste are the actions of the taste pane.
func (all actions) taste() {
	all.plain[keys.PaneTaste] = func(a *app) tea.Cmd { return a.togglePane(paneTaste) }
	inPane(all, keys.PaneFocus, func(p *tastePane, _ *app) tea.Cmd { p.at = (p.at + 1) % len(tasteTabs); return nil })
	inPane(all, keys.PageUp, func(p *tastePane, _ *app) tea.Cmd { p.Move(-max(1, p.list().Page/2)); return nil })
	inPane(all, keys.PageDown, func(p *tastePane, _ *app) tea.Cmd { p.Move(max(1, p.list().Page/2)); return nil })
}
