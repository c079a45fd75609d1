package lore

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/linter"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// lintView shows what is wrong or doubtful in the lorebooks of the open chat.
type lintView struct {
	widget.Outline
	d     desk.Desk
	room  *Room
	all   []lintFinding
	shown []lintRow
	rules []string       // that findings are of, in the order of their number
	of    map[string]int // how many findings are of each rule
	bad   int            // findings that are errors
	rule  string         // that is shown alone, "" for all

	chat   storage.ChatID
	reads  widget.Latest
	busy   bool
	again  bool
	loaded bool
	fault  error
}

// lintFinding is a finding and the book that it is in.
type lintFinding struct {
	lore.Finding
	book     storage.LorebookID
	bookName string
}

// lintRow is a heading, or a finding.
type lintRow struct {
	head    string
	finding int
}

func newLintView(r *Room) paneView { return &lintView{d: r.desk, room: r} }

func (p *lintView) title() string {
	if p.bad > 0 {
		return fmt.Sprintf("(%d!)", p.bad)
	}
	return ""
}

// actions implements paneView.
func (p *lintView) actions() []keys.Action {
	on := func(do func(f *lintFinding) tea.Cmd) func() tea.Cmd { return func() tea.Cmd { return do(p.finding()) } }
	fixAll := func(f *lintFinding) tea.Cmd { return p.fixAll(f.Rule) }
	all := keys.At(func() bool { return p.finding() != nil }, []keys.Action{
		{Name: keys.PaneEnter, Words: "show the entry in its lorebook", Hint: "the entry", Do: on(p.showEntry)},
		{Name: keys.PaneAccept, Words: "fix it", Hint: "fix", When: p.whyNoFix, Do: on(p.fixOne)},
		{Name: keys.PaneAll, Words: "fix all findings of the rule", Hint: "fix all of the rule", Do: on(fixAll)},
		{Name: keys.PaneEdit, Words: "edit the entry", Hint: "edit", When: p.whyNoEntry, Do: on(p.edit)},
	}...)
	all = append(all,
		keys.Action{Name: keys.PaneLeft, Words: "rule before", Hint: "rule", Until: keys.PaneRight,
			Do: keys.Does(func() { p.turn(false) })},
		keys.Action{Name: keys.PaneRight, Words: "next rule", Do: keys.Does(func() { p.turn(true) })},
		keys.Action{Name: keys.PaneFilter, Words: "filter by rule", Do: keys.Does(p.openRules)},
		keys.Action{Name: keys.PaneRegenerate, Words: "check again", Hint: "check again", Do: func() tea.Cmd {
			return tea.Batch(p.read(), p.d.Say(event.Info, "checking the lorebooks"))
		}})
	return append(all, keys.Moving(&p.Outline)...)
}

func (p *lintView) showEntry(f *lintFinding) tea.Cmd {
	return p.room.showEntry(entriesTab, f.book, f.Entry)
}

func (p *lintView) edit(f *lintFinding) tea.Cmd { return p.room.editListed(f.book, f.Entry) }

func (p *lintView) fixOne(f *lintFinding) tea.Cmd { return p.fix([]lintFinding{*f}) }

func (p *lintView) whyNoEntry() string {
	if p.finding().Entry == "" {
		return "this is about the lorebook, not one entry"
	}
	return ""
}

func (p *lintView) whyNoFix() string {
	if p.finding().Fix == "" {
		return "no automatic fix: " + p.room.key(keys.PaneEnter) + " opens the entry"
	}
	return ""
}

// read checks all books that are on: one check at a time, and one more after it
// when something changed meanwhile.
func (p *lintView) read() tea.Cmd {
	chat := p.d.Chat().Chat.ID
	if p.busy && p.chat == chat {
		p.again = true
		return nil
	}
	if p.chat != chat {
		p.all, p.loaded = nil, false
		p.lay()
	}
	newest := p.reads.Begin()
	p.chat, p.busy, p.again = chat, true, false
	return p.d.Do(func() func() tea.Cmd {
		all, err := lintBooks(p.d.Engine(), chat)
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			p.busy, p.fault = false, err
			if err == nil {
				p.loaded = true
				p.take(all)
			}
			if p.again {
				return p.read()
			}
			return nil
		}
	})
}

// lintBooks checks the books that count in a chat; without a chat all of them.
func lintBooks(e *engine.Engine, chat storage.ChatID) ([]lintFinding, error) {
	books, err := e.Lore.Books(chat)
	if err != nil {
		return nil, err
	}
	var out []lintFinding
	for _, b := range books {
		if chat != "" && !b.On {
			continue
		}
		found, err := e.Lore.Lint(b.ID, chat)
		if err != nil {
			return nil, err
		}
		for _, f := range found {
			out = append(out, lintFinding{f, b.ID, b.Name})
		}
	}
	return out, nil
}

// same tells whether two findings are about the same thing.
func (f *lintFinding) same(g *lintFinding) bool {
	return f.Rule == g.Rule && f.Entry == g.Entry && f.Other == g.Other && f.Key == g.Key && f.book == g.book
}

// take shows what was found. The chosen finding stays chosen while it is there.
func (p *lintView) take(all []lintFinding) {
	var chosen lintFinding
	at := p.Outline.Chosen()
	if f := p.finding(); f != nil {
		chosen = *f
	}
	p.all = all
	p.lay()
	for i, r := range p.shown {
		if r.head == "" && p.all[r.finding].same(&chosen) {
			at = i
		}
	}
	p.Outline.Choose(at)
}

var severities = []struct {
	is    linter.Severity
	words string
}{{linter.Fault, "error"}, {linter.Doubt, "warning"}, {linter.Thought, "hint"}}

// lay makes the rows: by severity, those of one rule together.
func (p *lintView) lay() {
	p.tally()
	p.shown = p.shown[:0]
	for _, sev := range severities {
		var list []int
		for i := range p.all {
			if p.all[i].Severity == sev.is && (p.rule == "" || p.all[i].Rule == p.rule) {
				list = append(list, i)
			}
		}
		if len(list) == 0 {
			continue
		}
		slices.SortStableFunc(list, func(i, j int) int { return strings.Compare(p.all[i].Rule, p.all[j].Rule) })
		p.shown = append(p.shown, lintRow{head: look.Plural(len(list), sev.words)})
		for _, i := range list {
			p.shown = append(p.shown, lintRow{finding: i})
		}
	}
	shape := make([]widget.OutlineRow, len(p.shown))
	for i, r := range p.shown {
		shape[i] = widget.OutlineRow{Height: 2}
		if r.head != "" {
			shape[i] = widget.OutlineRow{Height: 1, Heading: true}
		}
	}
	p.Outline.Fill(shape)
}

// tally counts the findings of each rule.
func (p *lintView) tally() {
	p.of, p.bad, p.rules = map[string]int{}, 0, p.rules[:0]
	for i := range p.all {
		if p.all[i].Severity == linter.Fault {
			p.bad++
		}
		r := p.all[i].Rule
		if p.of[r]++; p.of[r] == 1 {
			p.rules = append(p.rules, r)
		}
	}
	slices.SortStableFunc(p.rules, func(a, b string) int { return p.of[b] - p.of[a] })
	if p.rule != "" && p.of[p.rule] == 0 {
		p.rule = ""
	}
}

// finding is the chosen one, nil for none.
func (p *lintView) finding() *lintFinding {
	if i := p.Outline.Chosen(); i >= 0 && i < len(p.shown) && p.shown[i].finding < len(p.all) {
		return &p.all[p.shown[i].finding]
	}
	return nil
}

func (p *lintView) changed(ev event.Event) tea.Cmd {
	if _, ok := ev.(lore.Changed); ok {
		return p.read()
	}
	return nil
}

func (p *lintView) move(n int) { p.Outline.Move(n) }

func (p *lintView) click(_, y int) tea.Cmd {
	p.Outline.Click(y)
	return nil
}

// choose shows the first finding about an entry.
func (p *lintView) choose(_ storage.LorebookID, id storage.EntryID) tea.Cmd {
	p.rule = ""
	p.lay()
	for i, r := range p.shown {
		if r.head == "" && p.all[r.finding].Entry == id {
			p.Outline.Choose(i)
			break
		}
	}
	return nil
}
