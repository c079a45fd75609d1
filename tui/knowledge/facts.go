package knowledge

import (
	"slices"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/event"
	"ghostlight/engine/knowledge"
	"ghostlight/engine/lore"
	"ghostlight/engine/memory"
	"ghostlight/engine/play"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// row is what a line of the list shows: a fact, or two that do not go together.
type row struct {
	fact  knowledge.Fact
	other *knowledge.Fact // the newer of a pair
	later bool            // it is known to hold in place of fact
	same  bool            // both say the same
}

// pane is a line about who knows, and the facts below it under their subjects.
type pane struct {
	desk.GroupList
	as    storage.CharacterID
	view  knowledge.View
	rows  []row
	stale bool // something has changed since it was read
	area  uv.Rectangle
}

// pairGroup is the heading of what contradicts or repeats, which stands first.
const pairGroup = "Contradictions and duplicates"

// noName is the heading of facts that name nobody and nothing.
const noName = "No name"

func newPane(d desk.Desk) *pane { return &pane{GroupList: desk.NewGroupList(d, nil)} }

// Title implements desk.Pane.
func (*pane) Title() string { return "What the play knows" }

// Move implements desk.Pane.
func (p *pane) Move(n int) { p.GroupList.Move(n) }

// Click implements desk.Pane: it chooses a row.
func (p *pane) Click(_, y int) tea.Cmd {
	if row := y - p.area.Min.Y - 1; row >= 0 && row < p.Page && p.Top+row < len(p.Lines) {
		p.Pick(p.Top + row)
	}
	return nil
}

// Read implements desk.Pane. It reads where another chat was opened; else the user says
// when, for it costs as much as a prompt does.
func (p *pane) Read() tea.Cmd {
	chat := p.Desk.Chat().Chat.ID
	if p.Chat == chat {
		return nil
	}
	p.Renew(chat)
	p.as, p.stale = "", false
	if chat == "" {
		return nil
	}
	return p.load()
}

func (p *pane) load() tea.Cmd {
	ctx, eng := p.Desk.Context(), p.Desk.Engine()
	as := p.as
	p.stale = false
	return p.Load(func(chat storage.ChatID) (func() []desk.GroupRow, error) {
		v, err := eng.Knowledge.Known(ctx, knowledge.Ask{Chat: chat, As: as})
		if err != nil {
			return nil, err
		}
		return func() []desk.GroupRow {
			if as != p.as {
				p.Again = true // somebody else was chosen meanwhile
			}
			return p.take(v)
		}, nil
	})
}

// take takes over what was read.
func (p *pane) take(v knowledge.View) []desk.GroupRow {
	p.view, p.rows, p.Groups = v, nil, []string{pairGroup}
	var rows []desk.GroupRow
	for i, pair := range slices.Concat(v.Contradictions, v.Duplicates) {
		a, b := v.Find(pair.Older), v.Find(pair.Newer)
		if a == nil || b == nil {
			continue
		}
		p.rows = append(p.rows, row{fact: *a, other: b, later: pair.Later != "", same: i >= len(v.Contradictions)})
		rows = append(rows, desk.GroupRow{Key: "pair/" + pair.Older + "/" + pair.Newer, Text: desk.SearchText(append(append([]string{a.Text, b.Text}, a.Names...), b.Names...)...)})
	}
	for i := range v.Facts {
		f := v.Facts[i]
		name := look.Within(f.Subject, 60)
		if name == "" {
			name = noName
		}
		if at := len(p.Groups) - 1; at == 0 || p.Groups[at] != name {
			p.Groups = append(p.Groups, name)
		}
		p.rows = append(p.rows, row{fact: f})
		rows = append(rows, desk.GroupRow{Key: f.ID, Group: len(p.Groups) - 1, Text: desk.SearchText(append([]string{f.Text, f.Subject, f.Home, string(f.Kind)}, f.Names...)...)})
	}
	return rows
}

// event notes that what is shown may have changed.
func (p *pane) event(ev event.Event) {
	switch ev := ev.(type) {
	case play.ReplyEnded:
		p.stale = p.stale || ev.Chat == p.Chat
	case chats.ChatChanged:
		p.stale = p.stale || ev.Chat == p.Chat
	case scenes.Changed:
		p.stale = p.stale || ev.Chat == p.Chat
	case memory.Changed, lore.Changed:
		p.stale = true
	}
}

// Hints implements desk.Pane.
func (p *pane) Hints() []desk.Hint {
	who := desk.NewHint(keys.PaneSwitch, "who")
	if len(p.view.Cast) == 0 {
		who = desk.Hint{}
	}
	list := []desk.Hint{desk.NewHint(keys.PaneEnter, "details"), desk.NewHint(keys.PaneSource, "go there"), who,
		desk.NewHint(keys.PaneFind, "filter"), desk.NewHint(keys.PaneRetry, "read again"), desk.NewHint(keys.PaneCopy, "copy")}
	if len(p.Lines) == 0 {
		list = list[2:5]
	}
	return slices.DeleteFunc(list, func(h desk.Hint) bool { return h.Words == "" })
}

// Actions implements desk.Pane.
func (p *pane) Actions() []desk.Action {
	do := func(act keys.Action, f func()) desk.Action {
		return desk.Action{Name: act, Do: func() tea.Cmd { f(); return nil }}
	}
	all := []desk.Action{
		do(keys.PaneUp, func() { p.Move(-1) }),
		do(keys.PaneDown, func() { p.Move(1) }),
		do(keys.PaneTop, func() { p.Move(-len(p.Lines)) }),
		do(keys.PaneBottom, func() { p.Move(len(p.Lines)) }),
		do(keys.PageUp, func() { p.Move(-max(1, p.Page-1)) }),
		do(keys.PageDown, func() { p.Move(max(1, p.Page-1)) }),
		do(keys.PaneFind, p.openFilter),
		{Name: keys.PaneSwitch, Do: p.nextWho},
		{Name: keys.PaneRetry, Do: p.again},
	}
	if p.Filter.On() {
		all = append(all, desk.Action{Name: keys.ToBrowse, Do: func() tea.Cmd { return p.SetFilter("") }})
	}
	i, ok := p.Chosen()
	if !ok || i >= len(p.rows) {
		return all
	}
	r := p.rows[i]
	return append(all,
		desk.Action{Name: keys.PaneEnter, Do: func() tea.Cmd { p.Desk.Open(newSheet(p, r)); return nil }},
		desk.Action{Name: keys.PaneSource, Do: func() tea.Cmd { return p.goTo(r.sources(), 0) }},
		desk.Action{Name: keys.PaneCopy, Do: func() tea.Cmd {
			return tea.Batch(p.Desk.Copy(r.fact.Text), p.Desk.Say(event.Info, "fact copied"))
		}})
}

func (p *pane) again() tea.Cmd {
	if p.Chat == "" {
		return nil
	}
	return p.load()
}

// nextWho shows what the next of those who play knows, and then what all know.
func (p *pane) nextWho() tea.Cmd {
	if p.Chat == "" {
		return nil
	}
	if len(p.view.Cast) == 0 {
		return p.Desk.Say(event.Info, "one character plays here, and knows all of it")
	}
	i := slices.IndexFunc(p.view.Cast, func(k knowledge.Knower) bool { return k.ID == p.as })
	if p.as = ""; i+1 < len(p.view.Cast) {
		p.as = p.view.Cast[i+1].ID
	}
	return p.load()
}

// openFilter lets the user type what the list is narrowed to.
func (p *pane) openFilter() {
	f := widget.NewFilterLine(p.Desk.Look(), "words it must contain", p.Filter.Text)
	f.Page, f.Move, f.Set = func() int { return p.Page }, p.Move, p.SetFilter
	f.Area = func() (uv.Rectangle, bool) { return p.area, p.Desk.Pane() == desk.Pane(p) }
	p.Desk.Open(f)
}

// sources are the messages of a row, those of the newer fact of a pair first.
func (r *row) sources() []knowledge.Source {
	if r.other != nil {
		list := slices.Clone(r.other.Sources)
		for _, m := range r.fact.Sources {
			if !slices.ContainsFunc(list, func(had knowledge.Source) bool { return had.Message == m.Message }) {
				list = append(list, m)
			}
		}
		return list
	}
	return r.fact.Sources
}

// goTo shows a message that something came from.
func (p *pane) goTo(list []knowledge.Source, at int) tea.Cmd {
	if at >= len(list) {
		return p.Desk.Say(event.Info, "no message is recorded for it, or you wrote it yourself")
	}
	return p.Desk.JumpTo(list[at].Message)
}
