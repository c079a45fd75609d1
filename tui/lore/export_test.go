package lore

import (
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/linter"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// What tests of the whole program look at. All of it is for the screen's own goroutine.

const (
	EntriesTab = entriesTab
	WhyTab     = whyTab
)

var WaitingWords, ProposalName = waitingWords, proposalName

// Of is the part among all parts.
func Of(rooms []pane.Part) *Part {
	for _, r := range rooms {
		if r, ok := r.(*Part); ok {
			return r
		}
	}
	return nil
}

// Tab is the view that is shown, -1 while the pane is not open.
func (r *Part) Tab() int {
	if p := r.pane(); p != nil {
		return p.at
	}
	return -1
}

// listed calls f with each entry in the list.
func (r *Part) listed(f func(i int, e *lore.Row)) {
	p := r.entries()
	for i, n := range p.Lines {
		if e := p.Items[n].entry(); e != nil {
			f(i, e)
		}
	}
}

func (r *Part) PickEntry(name string) (found bool) {
	r.listed(func(i int, e *lore.Row) {
		if e.Name == name {
			p := r.entries()
			p.Move(i - p.At) // as a key does: what was to be chosen later is not any more
			found = true
		}
	})
	return found
}

func (r *Part) EntryOff(name string) (off bool) {
	r.listed(func(_ int, e *lore.Row) { off = off || e.Name == name && e.Disabled })
	return off
}

func (r *Part) PickBook(i int) { r.entries().GoTo(entryKey{book: r.entries().books[i].ID}.text()) }

func (r *Part) ChosenEntry() *lore.Row { return r.entries().row() }

// OpenReader opens the reader of an entry that was read.
func (r *Part) OpenReader(v lore.EntryView) {
	rd := newReader(r, r.entries(), entryKey{v.Book, v.ID})
	rd.setEntry(v)
	r.host.Open(rd)
}

func (r *Part) InboxReady() bool {
	b := r.inbox()
	return b != nil && b.loaded && !b.busy
}

func (r *Part) FillInbox(all []lore.Proposal) {
	r.inbox().loaded = false
	r.inbox().setProposals(all, nil)
}

func (r *Part) TakeInbox(all []lore.Proposal) { r.inbox().setProposals(all, nil) }

func (r *Part) Inbox() []lore.Proposal { return r.inbox().all }

func (r *Part) InboxDown() { r.inbox().Move(1) }

// InboxPlace is the chosen fact and the proposal that is open.
func (r *Part) InboxPlace() (change storage.LoreChangeID, hunk int, open storage.LoreChangeID) {
	f := r.inbox().chosenFact()
	return f.change, f.hunk, r.inbox().open
}

// OpenFacts opens the first proposal of several facts, on the first of them.
func (r *Part) OpenFacts() (id, left string) {
	p := r.inbox()
	for i := range p.all {
		if n, _ := p.facts(&p.all[i]); n > 1 {
			p.open = p.all[i].ID
			id = proposalName(&p.all[i])
			for j := range p.all[i].Hunks {
				if choosable(&p.all[i].Hunks[j]) {
					p.layout(factRef{p.open, j})
					return id, p.all[i].Hunks[j].After
				}
			}
		}
	}
	return "", ""
}

// Decide decides about the chosen proposal.
func (r *Part) Decide(store func() error) tea.Cmd {
	return r.inbox().decide(decision{r.inbox().proposal().ID, "stored", store})
}

// InboxRows are the rows of the inbox in short: proposals by name, hunks by their mark
// and whether they are taken.
func (r *Part) InboxRows() []string {
	p := r.inbox()
	var out []string
	for i, r := range p.shown {
		c := &p.all[r.proposal]
		words := "  –"
		switch {
		case r.lines == nil:
			words = c.Name
		case r.hunk >= 0 && p.taken(c, r.hunk):
			words = "  ×"
		case r.hunk >= 0:
			words = "  o"
		}
		if i == p.Outline.Chosen() {
			words += " <"
		}
		out = append(out, words)
	}
	return out
}

type Finding = lintFinding

func SampleFindings() []Finding {
	f := func(rule string, sev linter.Severity, entry, name, text, fix string) lintFinding {
		return lintFinding{lore.Finding{Rule: rule, Severity: sev, Entry: storage.EntryID(entry), Name: name, Text: text, Fix: fix}, "book", "Skarvik"}
	}
	return []lintFinding{
		f("regex", linter.Error, "e1", "Ferry", "the regex “/fer(ry/” is not valid: a bracket is not closed", "removes the key"),
		f("plist", linter.Warning, "e2", "Lighthouse", "the bracket at the end is missing", "closes it"),
		f("pronoun", linter.Warning, "e3", "Tove", "“works for him”: a name would say who", ""),
		f("plist", linter.Warning, "e4", "The cave", "the type is in capitals", "writes it small"),
		f("twin", linter.Hint, "e5", "Aksel", "reads nearly as “Axel”", ""),
		f("dead-key", linter.Hint, "e6", "Compass", "the key “astrolabe” never matched in this chat", "removes the key"),
	}
}

func (f *lintFinding) SetBookName(name string) { f.bookName = name }

func (r *Part) lint() *lintView {
	if p := r.pane(); p != nil {
		l, _ := p.view().(*lintView)
		return l
	}
	return nil
}

func (r *Part) LintReady() bool {
	p := r.lint()
	return p != nil && p.Loaded && !p.Busy
}

func (r *Part) FillLint(all []Finding) {
	slices.SortStableFunc(all, bySeverity)
	r.lint().tally(all)
	r.lint().Show(all)
}

func (r *Part) LintRule() (rule string, rows int) { return r.lint().rule, len(r.lint().Lines) }

func (r *Part) LintChoose(entry storage.EntryID) *Finding {
	r.lint().choose("book", entry)
	return r.lint().Item()
}

func (r *Part) LintPick(rule string) bool {
	p := r.lint()
	i := slices.IndexFunc(p.Items, func(f lintFinding) bool { return f.Rule == rule })
	return i >= 0 && p.GoTo(p.ID(&p.Items[i]))
}

// Offer shows the offer to undo a scene's changes, and reports whether it is still shown.
func (r *Part) Offer(i int, lead string, n int) (cmd tea.Cmd, stands bool) {
	sc := r.host.Play().Scenes().List[i]
	cmd = r.showOffer(r.host.Play().Chat().Chat.ID, sc, lead, n)
	notice, shown := r.host.Notices().Last()
	return cmd, shown && r.news.offer.brk == sc.Break && r.news.offer.notice == notice
}

func (r *Part) OpenTaught(i int, list []lore.SceneChange) {
	sc := r.host.Play().Scenes().List[i]
	r.openSceneChanges(r.host.Play().Chat().Chat.ID, sc.Break, pane.SceneTitle(sc), list)
}

func (r *Part) SetTaken(chat storage.ChatID, step pane.UndoStep) {
	r.news.undone = undoneChanges{chat, step}
}

func (r *Part) testBox() *testBox {
	for _, d := range r.host.Dialogs().All {
		if t, ok := d.(*testBox); ok {
			return t
		}
	}
	return nil
}

func (r *Part) Tried() bool {
	b := r.testBox()
	return !b.armed && !b.busy && b.text == b.in.Value() && b.text != "" && b.books != nil
}

func (r *Part) FillTest(act lore.Activation) {
	b := r.testBox()
	b.tries.Begin()
	b.books = []lore.Book{{Lorebook: storage.Lorebook{ID: "book", Name: "Skarvik"}, On: true}}
	b.setActivation(act)
}

// AddCases puts cases of the book Skarvik into the sheet on top.
func (r *Part) AddCases(all ...lore.CaseResult) {
	open := r.host.Dialogs().All
	c := open[len(open)-1].(*caseSheet)
	cases := slices.Clone(c.Items)
	for _, one := range all {
		cases = append(cases, bookCase{one, "book", "Skarvik"})
	}
	c.Show(cases)
}

func (r *Part) WhyReady() bool {
	w := r.whyShown()
	return w != nil && w.Loaded && w.text == r.host.Play().Draft()
}

func (r *Part) WhyText() string { return r.whyShown().text }

func (r *Part) FillWhy(act lore.Activation) {
	r.whyShown().reads.Begin()
	r.whyShown().setActivation(act)
}

// WhyLate has an answer come after another question, and counts what is shown then.
func (r *Part) WhyLate() int {
	w := r.whyShown()
	msg := w.Read()()
	w.reads.Begin() // another one is under way
	msg.(pane.Callback)()
	return len(w.does.Triggered)
}

func (r *Part) WhyRow() (entry storage.EntryID, name string) {
	w := r.whyShown()
	if w == nil || !w.Has() {
		return "", ""
	}
	if t := w.Item().trace; t != nil {
		name = traceName(t)
	}
	return w.Item().entry(), name
}

// WhyPickStay chooses an entry that stays.
func (r *Part) WhyPickStay(name string) {
	w := r.whyShown()
	for i, row := range w.Items {
		if row.stay != nil && row.stay.Name == name {
			w.GoTo(w.ID(&w.Items[i]))
		}
	}
}

func (r *Part) ShowEntry(tab int, book storage.LorebookID, entry storage.EntryID) tea.Cmd {
	return r.showEntry(tab, book, entry)
}

// ManyEntries are n entries with contents of about 60 words.
func ManyEntries(n int) []lore.Row {
	words := []string{"harbour", "lantern", "ferry", "innkeeper", "tide", "scarf", "cellar", "quay", "storm", "ledger", "gull", "mast"}
	rows := make([]lore.Row, n)
	for i := range rows {
		text := ""
		for j := range 60 {
			text += words[(i*7+j*j+3)%len(words)] + " "
		}
		e := EntryOf(fmt.Sprintf("%s of %s %d", words[i%12], words[(i/12)%12], i), "location", text, words[(i+3)%12]+fmt.Sprint(i), words[(i+5)%12])
		e.ID = storage.EntryID(fmt.Sprintf("e%06d", i))
		rows[i] = lore.Row{LoreEntry: e, Book: "b", BookName: "Many", Tokens: 90}
	}
	return rows
}

// Stage is the pane with a book of many entries that was read, and its list.
func Stage(r *Part, rows []lore.Row) (pane.Pane, *List) {
	lp := newPane(r)
	lp.chat, lp.shown[0] = r.host.Play().Chat().Chat.ID, true
	p := lp.views[entriesTab].(*entriesView)
	p.chat = lp.chat
	p.setBooks(p.chat, []bookRead{{Book: lore.Book{Lorebook: storage.Lorebook{ID: "b", Name: "Many"}, On: true, Entries: len(rows)}, read: true, rows: rows, texts: searchTexts(rows, nil, nil)}})
	p.Show(p.Items)
	return lp, p
}

type List = entriesView

func (r *Part) List() *List { return r.entries() }

func (p *entriesView) Len() int    { return len(p.Lines) }
func (p *entriesView) OpenFilter() { p.openFilter() }

// SearchFor looks for a text as if it was just typed.
func (p *entriesView) SearchFor(s string) tea.Cmd {
	p.Filter.Text = s
	return p.GroupList.Search()
}

func (p *entriesView) Reload() tea.Cmd {
	p.Busy = false
	return p.List.Read()
}

// EntryOf makes an entry of a book.
func EntryOf(name, typ, content string, keys ...string) storage.LoreEntry {
	e := storage.NewLoreEntry()
	e.Name, e.Type, e.Content, e.Keys = name, typ, content, keys
	return e
}
