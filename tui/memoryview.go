package tui

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/event"
	"ghostlight/engine/memory"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// memoryHeads are the headings of the types of memories, in the order of
// storage.MemoryTypes, and one for what has none of these.
var memoryHeads = []string{"About them", "Recent in their life", "Their tastes", "People in their life", "Goals/aspirations", "How they've been feeling", "Other"}

// memoryWide is how many cells a row needs to say in words what is special about
// it.
const memoryWide = 60

// memoryList is the view of what is remembered.
type memoryList struct {
	desk.GroupList
	p        *memoryPane
	name     string // of the series or the chat
	mems     []memory.View
	known    int // of mems: those that hold here
	inPrompt int
}

func newMemoryList(p *memoryPane) memoryView {
	return &memoryList{p: p, GroupList: desk.NewGroupList(p.a, memoryHeads)}
}

func (v *memoryList) list() *desk.GroupList { return &v.GroupList }

func (v *memoryList) tab() string {
	if !v.Loaded || v.known == 0 {
		return ""
	}
	return strconv.Itoa(v.known)
}

func (v *memoryList) foot() string {
	if len(v.Marked) > 0 {
		return "p pin · O mute · d delete · m merge two · V range · * all or none"
	}
	if len(v.Lines) == 0 {
		return "n new · / filter · u undo · v removed too"
	}
	return "enter details · e edit · n new · p pin · O mute · d delete · u undo · / filter · space mark · m merge two · S source · v removed too · y copy"
}

func (v *memoryList) scope(a *app) string {
	words := v.p.whoseStory(v.name, a) + look.Separator + counted(v.known, "memory", "memories")
	if v.inPrompt > 0 {
		words += look.Separator + "● " + strconv.Itoa(v.inPrompt) + " in the next prompt"
	}
	return words
}

// counted is a count with its noun.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func (v *memoryList) empty() string {
	return "Nothing is remembered yet. After each reply the model is asked what of it is worth remembering: who you are, what has happened, what you like, whom you know. " +
		v.p.a.keys.Key(keys.PaneRename, keys.Pane) + " writes a memory yourself."
}

func (v *memoryList) read() tea.Cmd {
	return v.Load(func(chat storage.ChatID) (func() []desk.GroupRow, error) {
		got, err := v.p.a.eng.Memory.List(memory.Ask{Chat: chat, All: true})
		if err != nil {
			return nil, err
		}
		rows := memoryRows(got.List)
		return func() []desk.GroupRow { return v.take(got, rows) }, nil
	})
}

// take takes over what was read.
func (v *memoryList) take(got memory.List, rows []desk.GroupRow) []desk.GroupRow {
	v.p.whose, v.name, v.mems = got.Scope, got.Name, got.List
	v.known, v.inPrompt = 0, 0
	for i := range v.mems {
		if !rows[i].Hidden {
			v.known++
		}
		if v.mems[i].InPrompt {
			v.inPrompt++
		}
	}
	return rows
}

// memoryRows puts memories in the order of the list, by type and else as they
// come, and makes their rows.
func memoryRows(list []memory.View) []desk.GroupRow {
	slices.SortStableFunc(list, func(x, y memory.View) int {
		return cmp.Or(cmp.Compare(memoryHead(x.Type), memoryHead(y.Type)), cmp.Compare(memoryAway(&x), memoryAway(&y)))
	})
	rows := make([]desk.GroupRow, len(list))
	for i := range list {
		m := &list[i]
		rows[i] = desk.GroupRow{Key: string(m.ID), Group: memoryHead(m.Type), Hidden: m.Removed || !m.Holds, Text: desk.SearchText(m.Content, string(m.Type), m.ChatTitle)}
	}
	return rows
}

func memoryHead(t storage.MemoryType) int {
	if i := slices.Index(storage.MemoryTypes, t); i >= 0 {
		return i
	}
	return len(storage.MemoryTypes)
}

// memoryAway puts what does not count here behind what does.
func memoryAway(m *memory.View) int {
	switch {
	case m.Removed:
		return 2
	case !m.Holds:
		return 1
	}
	return 0
}

// memoryMark is the sign of where a memory stands: told in the next prompt,
// known, muted, of another branch, removed.
func memoryMark(m *memory.View) string {
	switch {
	case m.Removed:
		return "✗"
	case !m.Holds:
		return "·"
	case m.Muted:
		return "–"
	case m.InPrompt:
		return "●"
	}
	return "○"
}

// memoryState says the same in words.
func memoryState(m *memory.View) []string {
	var parts []string
	for _, s := range []struct {
		on    bool
		words string
	}{{m.Removed, "removed"}, {!m.Holds && !m.Removed, "not known on this branch"}, {m.Pinned, "pinned"}, {m.Muted, "muted: it is not told"},
		{m.InPrompt, "in the next prompt"}, {m.Original != "", "edited"}} {
		if s.on {
			parts = append(parts, s.words)
		}
	}
	return parts
}

// importance is a share of one as short as it can be read.
func importance(x float64) string {
	return strings.TrimPrefix(strconv.FormatFloat(max(0, min(x, 1)), 'f', 2, 64), "0")
}

func (v *memoryList) row(buf uv.ScreenBuffer, area uv.Rectangle, i int, chosen bool, a *app) {
	m := &v.mems[i]
	st, dim, sign := a.lk.Base, a.lk.Dim, a.lk.Dim
	if m.InPrompt {
		sign = a.lk.Accent
	}
	if m.Muted || memoryAway(m) > 0 {
		st = a.lk.Dim
	}
	if chosen {
		st, dim, sign = a.lk.Selected, a.lk.SelectedDim, a.lk.Selected
	}
	x, y, w := area.Min.X, area.Min.Y, area.Dx()
	look.Put(buf, x, y, 1, sign, memoryMark(m))
	right := importance(m.Importance)
	if m.Pinned {
		right = "P " + right
		if w >= memoryWide {
			right = "pinned" + right[1:]
		}
	}
	room := look.PutRight(buf, x+2, y, w-2, dim, right) - x - 3
	look.Put(buf, x+2, y, room, st, look.Within(m.Content, max(1, room)))
}

func (v *memoryList) details(i, w int, a *app) []string {
	m := &v.mems[i]
	t := look.Lines{Width: w}
	if words := memoryState(m); len(words) > 0 {
		t.Add(a.lk.Accent, strings.Join(words, look.Separator))
	}
	t.Add(a.lk.Dim, strings.Join(memoryFacts(m), look.Separator))
	t.Add(a.lk.Base, look.Within(m.Content, 5*w))
	return t.Text
}

// memoryFacts is what there is to say about any memory.
func memoryFacts(m *memory.View) []string {
	words := "importance " + importance(m.Importance)
	if m.Weight != nil {
		words += " (yours)"
	}
	parts := []string{look.Within(string(m.Type), 20), words}
	if n := len(m.Told); n > 1 {
		parts = append(parts, fmt.Sprintf("told %d times", n))
	}
	if !m.Last.IsZero() {
		parts = append(parts, "last told "+look.AgoWords(m.Last))
	}
	if m.ChatTitle != "" && m.Chat != "" {
		parts = append(parts, "in “"+look.Within(m.ChatTitle, 40)+"”")
	}
	return parts
}

func (v *memoryList) act(act keys.Action, a *app) tea.Cmd {
	switch act {
	case keys.PaneRename:
		return v.openForm(nil, a)
	case keys.PaneMerge:
		return v.merge(a)
	}
	if _, ok := v.Chosen(); !ok && len(v.Marked) == 0 {
		return nil
	}
	switch act {
	case keys.PanePause:
		return v.toggle(func(m *memory.View) bool { return m.Pinned }, memory.Pin, memory.Unpin, "pinned: told first", "unpinned", a)
	case keys.PaneOnOff:
		return v.toggle(func(m *memory.View) bool { return m.Muted }, memory.Mute, memory.Unmute, "muted: not told", "told again", a)
	case keys.PaneDelete:
		return v.delete(a)
	}
	i, ok := v.Chosen()
	if !ok {
		return nil
	}
	m := v.mems[i]
	switch act {
	case keys.PaneEnter:
		return v.openSheet(m, a)
	case keys.PaneEdit:
		return v.openForm(&m, a)
	case keys.PaneSource:
		return v.p.goTo(m.Chat, m.Source, a)
	case keys.PaneCopy:
		return tea.Batch(a.Copy(m.Content), a.Say(event.Info, "memory copied"))
	}
	return nil
}

// ids are the memories that an action is for, and what they are called in a
// sentence. but leaves some out; it may be nil.
func (v *memoryList) ids(but func(*memory.View) bool) (ids []storage.MemoryID, words string) {
	for _, i := range v.Targets(func(i int) bool { return but != nil && but(&v.mems[i]) }) {
		ids = append(ids, v.mems[i].ID)
		words = "“" + look.Within(v.mems[i].Content, 24) + "”"
	}
	if len(ids) > 1 {
		words = strconv.Itoa(len(ids)) + " memories"
	}
	return ids, words
}

// toggle does the first of two things to all targets that are not so yet; where
// all are, the other one to all.
func (v *memoryList) toggle(is func(*memory.View) bool, on, off memory.Action, onWords, offWords string, a *app) tea.Cmd {
	if ids, words := v.ids(is); len(ids) > 0 {
		return v.do(ids, on, off, words+" "+onWords)
	}
	ids, words := v.ids(nil)
	if len(ids) == 0 {
		return a.Say(event.Info, "there is nothing to change")
	}
	return v.do(ids, off, on, words+" "+offWords)
}

func (v *memoryList) do(ids []storage.MemoryID, do, back memory.Action, words string) tea.Cmd {
	eng, scope := v.p.a.eng, v.p.whose
	step := func(do memory.Action) func() error {
		return func() error { _, err := eng.Memory.Act(scope, ids, do); return err }
	}
	return v.p.Change(words, step(do), step(back))
}

// delete removes memories, or brings back those that are removed. It asks before
// several go.
func (v *memoryList) delete(a *app) tea.Cmd {
	removed := func(m *memory.View) bool { return m.Removed }
	ids, words := v.ids(removed)
	if len(ids) == 0 {
		return v.toggle(removed, memory.Remove, memory.Restore, "", "brought back", a)
	}
	drop := func() tea.Cmd {
		clear(v.Marked)
		return v.do(ids, memory.Remove, memory.Restore, words+" removed")
	}
	if len(ids) == 1 {
		return drop()
	}
	a.dialogs.Open(&widget.Confirm{Title: "Remove memories", Text: "Remove " + words + "? " + a.keys.Key(keys.PaneRestore, keys.Pane) + " brings them back.",
		Choices: []widget.Choice{{Key: "n", Words: "keep them", Do: nil}, {Key: "y", Words: "remove them", Do: drop}}})
	return nil
}

// merge asks which of two memories takes the other in: the two that are marked,
// or the marked and the chosen one.
func (v *memoryList) merge(a *app) tea.Cmd {
	two := v.Targets(nil)
	if i, ok := v.Chosen(); ok && len(two) == 1 && two[0] != i {
		two = append(two, i)
	}
	if len(two) != 2 {
		return a.Say(event.Info, "two memories can be merged: mark both, or mark one and choose the other")
	}
	pair := [2]memory.View{v.mems[two[0]], v.mems[two[1]]}
	if pair[0].Removed || pair[1].Removed {
		return a.Say(event.Info, "one of them is removed; bring it back first")
	}
	into := func(i int) func() tea.Cmd {
		return func() tea.Cmd {
			eng, scope, stays, goes := a.eng, v.p.whose, pair[i].ID, pair[1-i].ID
			clear(v.Marked)
			v.Wish = string(stays)
			return v.p.Change("“"+look.Within(pair[1-i].Content, 30)+"” is part of “"+look.Within(pair[i].Content, 30)+"” now",
				func() error { return eng.Memory.Merge(scope, stays, goes) }, nil)
		}
	}
	a.dialogs.Open(&widget.Confirm{Title: "Merge two memories", Text: "One stays, with its words and with the places where either was told; the other one goes for good. Which stays?", Choices: []widget.Choice{
		{Key: "n", Words: "neither: leave them apart", Do: nil}, {Key: "1", Words: "“" + look.Within(pair[0].Content, 120) + "”", Do: into(0)}, {Key: "2", Words: "“" + look.Within(pair[1].Content, 120) + "”", Do: into(1)}}})
	return nil
}
