package lore

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/linter"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// lintView shows errors and doubtful places in the lorebooks of the open chat; without a chat, in
// all.
type lintView struct {
	pane.List[lintFinding]
	part  *Part
	chat  storage.ChatID // of the findings
	rules []string       // rules of the findings, sorted by their number
	of    map[string]int // number of findings per rule
	bad   int            // number of findings that are errors
	rule  string         // the only one shown, "" for all
}

// lintFinding is a finding with its book.
type lintFinding struct {
	lore.Finding
	book     storage.LorebookID
	bookName string
}

func newLintView(r *Part) paneView {
	p := &lintView{List: pane.NewList[lintFinding](r.host, 2), part: r}
	p.Everywhere = true
	p.Source = func() func(storage.ChatID) ([]lintFinding, func(), error) {
		chat := p.chat
		return func(storage.ChatID) ([]lintFinding, func(), error) {
			all, err := lintBooks(r.host.Engine(), chat)
			return all, func() { p.tally(all) }, err
		}
	}
	p.ID = func(f *lintFinding) string {
		return strings.Join([]string{f.Rule, string(f.Entry), string(f.Other), f.Key, string(f.book)}, "\x00")
	}
	p.Head = func(f *lintFinding) string { return severityWords[f.Severity] }
	p.IsHidden = func(f *lintFinding) bool { return p.rule != "" && f.Rule != p.rule }
	p.Search = func(f *lintFinding) []string { return []string{f.Rule, f.Name, f.Text, f.Fix, f.bookName} }
	p.List.Row, p.Detail, p.Above = p.row, p.details, p.strip
	p.LoadingText = "Checking the lorebooks …"
	p.Empty = func() string { return "No problems found in this chat's lorebooks." }
	return p
}

func (p *lintView) title() string {
	if p.bad > 0 {
		return fmt.Sprintf("(%d!)", p.bad)
	}
	return ""
}

// actions implements paneView.
func (p *lintView) actions() []keys.Action {
	all := keys.When(p.Has, []keys.Action{
		{Name: keys.PaneEnter, Text: "show the entry in its lorebook", Hint: "the entry", Do: p.On(p.showEntry)},
		{Name: keys.PaneAccept, Text: "fix it", Hint: "fix", Unavailable: p.whyNoFix, Do: p.On(p.fixOne)},
		{Name: keys.PaneAll, Text: "fix all findings of the rule", Hint: "fix all of the rule", Do: p.On(p.fixAll)},
		{Name: keys.PaneEdit, Text: "edit the entry", Hint: "edit", Unavailable: p.whyNoEntry, Do: p.On(p.edit)},
	}...)
	all = append(all,
		keys.Action{Name: keys.PaneLeft, Text: "previous rule", Hint: "rule", Until: keys.PaneRight,
			Do: keys.Does(func() { p.turn(-1) })},
		keys.Action{Name: keys.PaneRight, Text: "next rule", Do: keys.Does(func() { p.turn(1) })},
		keys.Action{Name: keys.PaneRegenerate, Text: "check again", Hint: "check again", Do: func() tea.Cmd {
			return tea.Batch(p.Read(), p.Host.Say(event.Info, "checking the lorebooks"))
		}})
	return slices.Concat(all, p.Filtering(p.part.shown), p.Moves())
}

func (p *lintView) showEntry(f lintFinding) tea.Cmd {
	return p.part.showEntry(entriesTab, f.book, f.Entry)
}

func (p *lintView) edit(f lintFinding) tea.Cmd { return p.part.editListed(f.book, f.Entry) }

func (p *lintView) fixOne(f lintFinding) tea.Cmd { return p.fix([]lintFinding{f}) }

func (p *lintView) whyNoEntry() string {
	if p.Item().Entry == "" {
		return "this is about the lorebook, not one entry"
	}
	return ""
}

func (p *lintView) whyNoFix() string {
	if p.Item().Fix == "" {
		return "no automatic fix: " + p.part.key(keys.PaneEnter) + " opens the entry"
	}
	return ""
}

// Read checks all books that are on.
func (p *lintView) Read() tea.Cmd {
	if chat := p.Host.Play().Chat().Chat.ID; p.chat != chat {
		p.chat = chat
		p.Reset("")
	}
	return p.List.Read()
}

// lintBooks checks the books that are on in a chat; without a chat all of them. The findings are
// sorted by severity, and grouped by rule.
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
	slices.SortStableFunc(out, bySeverity)
	return out, nil
}

var severities = []linter.Severity{linter.Error, linter.Warning, linter.Hint}

func bySeverity(a, b lintFinding) int {
	of := func(f lintFinding) int { return slices.Index(severities, f.Severity) }
	return cmp.Or(of(a)-of(b), strings.Compare(a.Rule, b.Rule))
}

var severityWords = map[linter.Severity]string{
	linter.Error: "Errors", linter.Warning: "Warnings", linter.Hint: "Hints"}

// tally counts the findings of each rule.
func (p *lintView) tally(all []lintFinding) {
	p.of, p.bad, p.rules = map[string]int{}, 0, p.rules[:0]
	for i := range all {
		if all[i].Severity == linter.Error {
			p.bad++
		}
		r := all[i].Rule
		if p.of[r]++; p.of[r] == 1 {
			p.rules = append(p.rules, r)
		}
	}
	slices.SortStableFunc(p.rules, func(a, b string) int { return p.of[b] - p.of[a] })
	if p.rule != "" && p.of[p.rule] == 0 {
		p.rule = ""
	}
}

func (p *lintView) changed(ev event.Event) tea.Cmd {
	if _, ok := ev.(lore.Changed); ok {
		return p.Read()
	}
	return nil
}

// choose shows the first finding about an entry.
func (p *lintView) choose(_ storage.LorebookID, id storage.EntryID) tea.Cmd {
	p.showRule("")
	if i := slices.IndexFunc(p.Items, func(f lintFinding) bool { return f.Entry == id }); i >= 0 {
		return p.Reveal(p.ID(&p.Items[i]))
	}
	return nil
}
