package lore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// reader shows a whole entry: its content, its settings, and the sources of each fact.
type reader struct {
	widget.Reader
	host pane.Host
	part *Part
	p    *entriesView
	k    entryKey
	v    lore.EntryView
	fact int // the chosen one of sources, -1 for none
	nth  int // of its messages

	sources []factSource
	reads   widget.Latest
	marks   [2]int // lines of the chosen fact
	seek    bool   // the chosen fact must be scrolled into view
}

// entries returns the view of the entries, from any view.
func (r *Part) entries() *entriesView {
	if p := r.pane(); p != nil {
		if v, ok := p.views[entriesTab].(*entriesView); ok {
			return v
		}
	}
	p := newEntriesView(r)
	p.chat = r.host.Play().Chat().Chat.ID
	return p
}

// openEntry opens the reader of an entry.
func (r *Part) openEntry(p *entriesView, k entryKey) tea.Cmd {
	rd := newReader(r, p, k)
	return rd.load(func() tea.Cmd { r.host.Open(rd); return nil })
}

func newReader(room *Part, p *entriesView, k entryKey) *reader {
	r := &reader{host: room.host, part: room, p: p, k: k, fact: -1}
	r.Lines, r.Own = r.layout, r.own()
	return r
}

// load reads the entry, then calls then, which may be nil.
func (r *reader) load(then func() tea.Cmd) tea.Cmd {
	chat, newest := r.p.chat, r.reads.Begin()
	return r.host.Do(func() func() tea.Cmd {
		v, err := r.host.Engine().Lore.Entry(r.k.book, r.k.entry, chat)
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			if err != nil {
				r.host.Dialogs().Close(r)
				return r.host.Fail(err)
			}
			r.setEntry(v)
			if then == nil {
				return nil
			}
			return then()
		}
	})
}

// setEntry sets the entry that was read.
func (r *reader) setEntry(v lore.EntryView) {
	r.v, r.sources, r.Title = v, sourcesOf(&v), entryName(&v.Row)
	r.Relayout()
	if r.fact = min(r.fact, len(r.sources)-1); r.fact < 0 && len(r.sources) > 0 {
		r.fact, r.nth = 0, 0
	}
}

// refresh reads the entry again, because it may have changed.
func (r *reader) refresh() tea.Cmd { return r.load(nil) }

// own returns the actions about the entry and its facts.
func (r *reader) own() []keys.Action {
	step := func(name keys.Name, n int) keys.Action {
		return keys.Action{Name: name, Text: "next or previous fact", Do: keys.Does(func() { r.step(n) })}
	}
	turn := func(name keys.Name, n int) keys.Action {
		return keys.Action{Name: name, Text: "next or previous message of the fact",
			Do: keys.Does(func() { r.turn(n) })}
	}
	next := step(keys.DialogNext, 1)
	next.Hint = "fact"
	onFact := keys.When(func() bool { return len(r.sources) > 0 }, next,
		keys.Action{Name: keys.DialogEnter, Hint: "source message", Do: r.jump},
		step(keys.DialogPrevious, -1), turn(keys.DialogLeft, -1), turn(keys.DialogRight, 1))
	with := func(name keys.Name, hint string, do func(p *entriesView, k entryKey) tea.Cmd) keys.Action {
		return keys.Action{Name: name, Hint: hint, Do: func() tea.Cmd { return do(r.p, r.k) }}
	}
	why := func() tea.Cmd {
		r.Close()
		return r.part.showEntry(whyTab, r.k.book, r.k.entry)
	}
	return append(onFact, []keys.Action{
		{Name: keys.PaneStop, Label: r.endWords, Unavailable: r.whyNotEnd, Do: r.end},
		{Name: keys.PaneUndo, Hint: "undo", Do: r.p.Undo},
		with(keys.PaneEdit, "edit", r.part.editEntry),
		with(entryHistory, "history", r.part.openHistory),
		{Name: entryWhy, Hint: "why", Do: why},
		{Name: keys.PaneRename, Hint: "rename", Do: keys.Does(func() { r.p.openRename(&r.v.Row) })},
		with(entrySplit, "split", r.part.openSplit),
		{Name: keys.PaneCopy, Hint: "copy", Do: func() tea.Cmd { return r.host.Copy(r.v.Content, "content") }},
	}...)
}

// endWords returns the label of the action that ends the chosen fact.
func (r *reader) endWords() string {
	if r.fact >= 0 && r.sources[r.fact].over != nil {
		return "reopen"
	}
	return "end"
}

// step chooses another fact.
func (r *reader) step(n int) {
	if f := len(r.sources); f > 0 {
		r.fact, r.nth, r.seek = (r.fact+n+f)%f, 0, true
		r.Relayout()
	}
}

// turn chooses another message of the fact.
func (r *reader) turn(n int) {
	if r.fact >= 0 && len(r.sources[r.fact].Messages) > 1 {
		m := len(r.sources[r.fact].Messages)
		r.nth = (r.nth + n + m) % m
		r.Relayout()
	}
}

// jump goes to the chosen message of the chosen fact.
func (r *reader) jump() tea.Cmd {
	f := r.sources[r.fact].LoreFact
	if words := unreachable(f, r.p.chat); words != "" {
		return r.host.Say(event.Info, words)
	}
	r.Close()
	return r.host.Play().JumpTo(f.Messages[min(r.nth, len(f.Messages)-1)])
}

// unreachable returns the reason why the messages of a fact cannot be shown, "" if they can.
func unreachable(f storage.LoreFact, chat storage.ChatID) string {
	switch {
	case len(f.Messages) == 0:
		return "no source message recorded"
	case f.Chat != chat:
		return "the source is in another chat"
	}
	return ""
}

// Draw implements widget.Dialog.
func (r *reader) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	r.Reader.Draw(buf, screen, sty)
	if r.seek {
		r.seek, r.Top = false, max(min(r.Top, r.marks[0]), r.marks[1]-r.Page-1)
		r.Reader.Draw(buf, screen, sty)
	}
	return nil
}

func (r *reader) layout(w int, sty *draw.Styles) []string {
	e := &r.v.LoreEntry
	t := draw.Lines{Width: w}
	parts := []string{draw.Thousands(r.v.Tokens) + " tokens"}
	if e.Type != "" {
		parts = append([]string{draw.Truncate(e.Type, 20)}, parts...)
	}
	t.Add(sty.Accent, strings.Join(append(parts, marksWords(&r.v.Row)...), draw.Separator))
	t.Add(sty.Dim, "in "+draw.Truncate(r.v.BookName, 60)+draw.Separator+"number "+strconv.Itoa(e.UID))
	if len(e.Aliases) > 0 {
		t.Add(sty.Dim, "also called "+keysLine(e.Aliases, 1000))
	}
	if e.Synopsis != "" {
		t.Add(sty.Dim, draw.Truncate(e.Synopsis, 400))
	}
	if len(e.Keys) > 0 {
		t.Add(sty.Base, "keys: "+keysLine(e.Keys, 2000))
	}
	for _, f := range r.v.Faults {
		t.Add(sty.Failure, "! "+f.Text)
	}
	t.Blank()
	t.Add(sty.Base, draw.UpTo(e.Content, draw.MaxReadLen))
	for i, pr := range r.v.Problems {
		if i == 0 {
			t.Blank()
		}
		t.Add(sty.Warning, "! "+pr.String())
	}
	r.settings(&t, sty)
	r.facts(&t, sty)
	if n := len(r.v.History); n > 0 {
		t.Blank()
		s := r.v.History[n-1]
		t.Add(sty.Dim, draw.Plural(n, "version")+draw.Separator+"last change: "+causeWords(s)+draw.Separator+
			draw.AgoWords(s.UpdatedAt))
	}
	return t.Text
}

// settings adds the settings that differ from a new entry's and are not shown elsewhere.
func (r *reader) settings(t *draw.Lines, sty *draw.Styles) {
	std, head := storage.NewLoreEntry(), false
	for _, c := range lore.EntryFields.Diff(&std, &r.v.LoreEntry) {
		if slices.Contains([]string{"name", "aliases", "content", "keys", "type", "synopsis"}, c.Name) {
			continue
		}
		if !head {
			t.Blank()
			t.Add(sty.Title, "Non-default settings")
			head = true
		}
		f := lore.EntryFields.Find(c.Name)
		t.Hang(sty.Dim.Styled(fmt.Sprintf("%-*s", pane.LabelWidth, f.Label)), sty.Base,
			fieldWords(f, &r.v.LoreEntry, 400))
	}
}

// fieldWords returns the value of a field in one line.
func fieldWords(f *field.Spec[storage.LoreEntry], e *storage.LoreEntry, n int) string {
	words := f.Display(e)
	if f.Kind() == field.List {
		words = strings.ReplaceAll(words, "\n", ", ")
	}
	return draw.Truncate(words, n)
}

// facts lists the facts with their sources; the selected one is marked.
func (r *reader) facts(t *draw.Lines, sty *draw.Styles) {
	if len(r.sources) == 0 {
		return
	}
	t.Blank()
	t.Add(sty.Title, "Sources")
	for i, f := range r.sources {
		from, lead := len(t.Text), "  "
		if i == r.fact {
			lead = sty.Bar.Styled("▌") + " "
		}
		t.Hang(lead, sty.Base, draw.Truncate(f.Text, 600))
		words := unreachable(f.LoreFact, r.p.chat)
		if words == "" {
			n := 0
			if i == r.fact {
				n = min(r.nth, len(f.Messages)-1)
			}
			words = pane.MessageName(r.host, f.Messages[n])
			if m := len(f.Messages); m > 1 {
				words += fmt.Sprintf(", %d of %d (%s%s)", n+1, m, r.Key(keys.DialogLeft), r.Key(keys.DialogRight))
			}
		}
		t.Hang("  ", sty.Dim, words)
		if f.over != nil {
			words := memory.EndWords(memory.NewEndView(&f.over.End.End))
			t.Hang("  ", sty.Warning, "ended, no longer sent: "+draw.Truncate(words, 300))
		}
		if i == r.fact {
			r.marks = [2]int{from, len(t.Text)}
		}
	}
}

// origin goes to the message that an entry came from; if there are several, the user chooses a
// fact.
func (r *Part) origin(k entryKey) tea.Cmd {
	chat := r.host.Play().Chat().Chat.ID
	return r.host.Do(func() func() tea.Cmd {
		v, err := r.host.Engine().Lore.Entry(k.book, k.entry, chat)
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			return r.showOrigins(v)
		}
	})
}

func (r *Part) showOrigins(v lore.EntryView) tea.Cmd {
	var entries []widget.Entry
	why := "no sources recorded for this entry; " + pane.PathTo(r.host, entryHistory) + " shows its history"
	for _, f := range v.Facts {
		if words := unreachable(f, r.host.Play().Chat().Chat.ID); words != "" {
			why = words
			continue
		}
		for _, m := range f.Messages {
			entries = append(entries, widget.Entry{Title: draw.Truncate(f.Text, 200),
				Right: pane.MessageName(r.host, m), Value: m})
		}
	}
	switch len(entries) {
	case 0:
		return r.host.Say(event.Info, why)
	case 1:
		return r.host.Play().JumpTo(entries[0].Value.(storage.NodeID))
	}
	r.host.Open(widget.NewPicker(r.host.Styles(), "Sources", entries,
		func(e widget.Entry) tea.Cmd { return r.host.Play().JumpTo(e.Value.(storage.NodeID)) }))
	return nil
}

// openSplit lets the user choose which facts of an entry go to a new one.
func (r *Part) openSplit(p *entriesView, k entryKey) tea.Cmd {
	chat := p.chat
	return r.host.Do(func() func() tea.Cmd {
		v, err := r.host.Engine().Lore.Entry(k.book, k.entry, chat)
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			facts := plist.Facts(v.Content)
			if len(facts) < 2 {
				return r.host.Say(event.Info, "there is only one fact in it, so it cannot be split")
			}
			r.chooseFacts(p, k, entryName(&v.Row), facts)
			return nil
		}
	})
}

// chooseFacts opens a list of an entry's facts. The facts for the new entry are marked.
func (r *Part) chooseFacts(p *entriesView, k entryKey, name string, facts []string) {
	taken := make([]bool, len(facts))
	entries := func() (out []widget.Entry) {
		for i, f := range facts {
			mark := "[ ] "
			if taken[i] {
				mark = "[x] "
			}
			out = append(out, widget.Entry{Title: mark + draw.Truncate(f, 300), Value: i})
		}
		return out
	}
	var list *widget.Picker
	mark := func(e widget.Entry) tea.Cmd {
		i := e.Value.(int)
		taken[i] = !taken[i]
		list.Fill(entries())
		list.Move(1)
		return nil
	}
	done := func(widget.Entry) tea.Cmd {
		var some []int
		for i := range taken {
			if taken[i] {
				some = append(some, i)
			}
		}
		if len(some) == 0 || len(some) == len(facts) {
			return r.host.Say(event.Info, "select some facts, but not all")
		}
		list.Close()
		r.openSplitForm(p, k, name, some)
		return nil
	}
	list = widget.NewPicker(r.host.Styles(), "Split "+name+": facts for the new entry", entries(), done,
		widget.Extra{Name: keys.DialogMark, Description: "select", Keep: true, Do: mark})
	list.Stay, list.Verb = true, func(widget.Entry) string { return "next" }
	r.host.Open(list)
}

// openSplitForm asks for the name of a new entry that receives some facts of another one.
func (r *Part) openSplitForm(p *entriesView, k entryKey, from string, facts []int) {
	chat, eng := p.chat, r.host.Engine()
	f := widget.Form{Title: "Split " + from, Verb: "split",
		Notes:  []string{draw.Plural(len(facts), "fact") + " to a new entry."},
		Fields: []*widget.Field{widget.LineField(r.host.Styles(), "Name", "", "")}}
	r.host.Open(pane.NewSavingForm(r.host, f, func(f *widget.Form) (func() (func() tea.Cmd, error), error) {
		name := strings.TrimSpace(f.Fields[0].Value())
		if name == "" {
			return nil, pane.ErrNeedsName
		}
		return func() (func() tea.Cmd, error) {
			id, err := eng.Lore.Split(k.book, chat, k.entry, name, facts)
			return func() tea.Cmd {
				fresh := []entryBatch{{k.book, []storage.EntryID{id}, name}}
				back := p.undoOf(k)
				return tea.Batch(p.choose(k.book, id),
					p.Changed("“"+draw.Truncate(name, 40)+"” split from “"+from+"”", func() error {
						if err := back(); err != nil {
							return err
						}
						return actAll(eng, chat, fresh, lore.Delete, "")
					}))
			}, err
		}, nil
	}))
}
