package memory

import (
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// wide is the minimum width, in cells, at which a row describes special states in words.
const wide = 60

// signStyle returns the style of a row's sign; inPrompt reports that it is in the next prompt.
func signStyle(inPrompt bool, sty *draw.Styles) uv.Style {
	if inPrompt {
		return sty.Accent
	}
	return sty.Dim
}

// kind describes a kind of records for the list, its sheet and its form: memories, hooks or
// threads. Fields that may be nil are marked as such.
type kind[T any] struct {
	groups      []string // headings
	nouns       string
	short, long int    // cells of a thing's text in notices, and in notices about changes in its sheet
	lines       int    // of its text below the list
	noun        string // one of them, in the notice after it was copied

	// load reads all records of a story, and its name, away from the screen's goroutine.
	load func(m *memory.Service, ask memory.Query) (name string, list []T, err error)
	key  func(x *T) string
	// group is the index of its heading; rank orders things within it and may be nil.
	group, rank func(x *T) int
	hidden      func(x *T) bool
	text        func(x *T) string
	copy        func(x *T) string
	searched    func(x *T) []string // besides its text

	// tally reports whether it counts, and whether as something special.
	tally func(x *T) (counts, special bool)
	tab   func(n counts) string
	scope func(whose string, n counts) string
	empty func(write string) string // write is the key that creates one

	mark  func(x *T) (sign string, inPrompt bool)
	faint func(x *T) bool
	right func(x *T, w int) string // at the end of its row
	state func(x *T) []string      // shown on its own line; may be nil
	facts func(x *T) []string
	aside func(x *T) secondText // may be nil

	source  func(v *list[T], x T) tea.Cmd // goes to its source
	changes []change[T]
	doings  []rowAction[T]
	merge   func(v *list[T]) tea.Cmd                // may be nil
	form    func(v *list[T], x *T) (refused string) // opens its form; nil opens that of a new one; may be nil
	sheet   *sheetSpec[T]                           // nil: opening a record goes to its source
}

// story is the owner of a list's records.
type story struct {
	*memory.Service
	scope storage.ScopeID
	chat  storage.ChatID
}

// counts holds the number of things: all of them, those that count, and the special ones.
type counts struct{ all, open, special int }

// secondText is an additional text of a thing, "" for none.
type secondText struct {
	title, text string
	below       bool // it is shown below the list too
}

// change is an action that applies to all things that are not in its state yet, and can be undone.
type change[T any] struct {
	action   keys.Action // without Do
	is       func(x *T) bool
	words    string // the state after it
	brief    string // the same for the sheet, "" for words
	do, back func(s story, list []T) error
	off      *change[T] // used if it applies to all targets already; nil shows a notice
	gone     bool       // it removes things from the list, and their marks; it asks first if there are several
}

// rowAction is another action on the chosen thing.
type rowAction[T any] struct {
	action keys.Action // without Do
	do     func(v *list[T], x T) tea.Cmd
}

// list is the view of one kind of things.
type list[T any] struct {
	pane.List[T]
	*kind[T]
	p     *memoryPane
	name  string // of the story
	count counts
}

func newList[T any](p *memoryPane, k *kind[T]) *list[T] {
	v := &list[T]{List: pane.NewList[T](p.Host, 1), kind: k, p: p}
	v.Source, v.ID, v.IsHidden, v.Marks = v.reader, k.key, k.hidden, true
	v.Head = func(x *T) string { return k.groups[k.group(x)] }
	v.Search = func(x *T) []string { return append([]string{k.text(x)}, k.searched(x)...) }
	v.Row, v.Detail, v.Above, v.Empty = v.row, v.details, v.above, v.nothing
	return v
}

func (v *list[T]) group() *pane.GroupList { return &v.GroupList }

func (v *list[T]) tab() string {
	if !v.Loaded {
		return ""
	}
	return v.kind.tab(v.count)
}

// story returns the service with the arguments of its calls.
func (v *list[T]) story() story {
	return story{Service: v.Host.Engine().Memory, scope: v.p.whose, chat: v.Chat}
}

// reader reads all records of a story; the result is stored on the screen's goroutine.
func (v *list[T]) reader() func(storage.ChatID) ([]T, func(), error) {
	eng, as := v.Host.Engine(), v.p.as.Character
	return func(chat storage.ChatID) ([]T, func(), error) {
		name, all, err := v.load(eng.Memory, memory.Query{Chat: chat, As: as, All: true})
		v.sort(all)
		return all, func() { v.name, v.count = name, v.counts(all) }, err
	}
}

// sort sorts the records by heading, otherwise stably.
func (k *kind[T]) sort(all []T) {
	order := make([][3]int, len(all)) // group, rank, index: the things themselves are large
	for i := range all {
		order[i] = [3]int{k.group(&all[i]), 0, i}
		if k.rank != nil {
			order[i][1] = k.rank(&all[i])
		}
	}
	by := func(x, y [3]int) int { return slices.Compare(x[:], y[:]) }
	if slices.IsSortedFunc(order, by) {
		return
	}
	slices.SortFunc(order, by)
	was := slices.Clone(all)
	for i, o := range order {
		all[i] = was[o[2]]
	}
}

func (k *kind[T]) counts(all []T) counts {
	n := counts{all: len(all)}
	for i := range all {
		open, special := k.tally(&all[i])
		if open {
			n.open++
		}
		if special {
			n.special++
		}
	}
	return n
}

// above returns a line about whose story is shown, and the number of records.
func (v *list[T]) above(w, _ int) []string {
	words := v.scope(v.p.whoseStory(v.name, w), v.count)
	if v.Left > 0 {
		words += draw.Separator + strconv.Itoa(v.Left) + " hidden (" + v.p.key(showHidden) + ")"
	}
	return []string{v.Host.Styles().Dim.Styled(draw.Parts(words, w))}
}

// nothing returns the reason why there are no rows.
func (v *list[T]) nothing() string {
	if len(v.Items) > 0 {
		return "All items are removed or on other branches: " + v.p.key(showHidden) + " shows them."
	}
	return v.empty(v.p.key(keys.PaneNew))
}

func (v *list[T]) row(x *T, w int) pane.Row {
	sign, inPrompt := v.mark(x)
	return pane.Row{Sign: sign, SignStyle: signStyle(inPrompt, v.Host.Styles()),
		Text: v.text(x), Faint: v.faint(x), Right: v.right(x, w)}
}

func (v *list[T]) details(x *T, w int) []string {
	sty := v.Host.Styles()
	t := draw.Lines{Width: w}
	v.about(x, &t, sty)
	t.Add(sty.Base, draw.Truncate(v.text(x), v.lines*w))
	if a := v.second(x); a.text != "" && a.below {
		t.Add(sty.Dim, a.title+": “"+draw.Truncate(a.text, 2*w)+"”")
	}
	return t.Text
}

// about adds the details of a record besides its texts.
func (k *kind[T]) about(x *T, t *draw.Lines, sty *draw.Styles) {
	if k.state != nil {
		if words := k.state(x); len(words) > 0 {
			t.Add(sty.Accent, strings.Join(words, draw.Separator))
		}
	}
	t.Add(sty.Dim, strings.Join(k.facts(x), draw.Separator))
}

// second returns a thing's second text.
func (k *kind[T]) second(x *T) secondText {
	if k.aside == nil {
		return secondText{}
	}
	return k.aside(x)
}

func (v *list[T]) copyText(x T) tea.Cmd { return v.Host.Copy(v.copy(&x), v.noun) }

// targets returns the targets of an action; those for which but returns true are left out; it may be
// nil.
func (v *list[T]) targets(but func(x *T) bool) []T {
	var out []T
	for _, i := range v.Targets(func(i int) bool { return but != nil && but(&v.Items[i]) }) {
		out = append(out, v.Items[i])
	}
	return out
}

// called names things in a sentence; a single one in n cells.
func (v *list[T]) called(list []T, n int) string {
	if len(list) == 1 {
		return "“" + draw.Truncate(v.text(&list[0]), n) + "”"
	}
	return strconv.Itoa(len(list)) + " " + v.nouns
}

// change changes all targets that it does not apply to yet. If it applies to all of them already,
// it makes the opposite change.
func (v *list[T]) change(c *change[T]) tea.Cmd {
	list := v.targets(c.is)
	if len(list) == 0 {
		if c.off == nil {
			return v.Host.Say(event.Info, "it is "+c.words+" already")
		}
		c, list = c.off, v.targets(nil)
	}
	words := v.called(list, v.short)
	do := func() tea.Cmd {
		if c.gone {
			clear(v.Marked)
		}
		return v.apply(c, list, words+" "+c.words)
	}
	if !c.gone || len(list) == 1 {
		return do()
	}
	v.Host.Open(&widget.Confirm{Title: "Remove " + v.nouns,
		Text:    "Remove " + words + "? " + v.p.key(keys.PaneUndo) + " restores them.",
		Choices: []widget.Choice{{Key: "n", Words: "cancel", Do: nil}, {Key: "y", Words: "remove", Do: do}}})
	return nil
}

// changeOne changes the thing of a sheet. If the change applies already and has an opposite, it
// makes that one.
func (v *list[T]) changeOne(c *change[T], x T) tea.Cmd {
	if c.off != nil && c.is(&x) {
		c = c.off
	}
	words := c.brief
	if words == "" {
		words = c.words
	}
	return v.apply(c, []T{x}, v.called([]T{x}, v.long)+" "+words)
}

// apply applies a change to records and stores how to undo it.
func (v *list[T]) apply(c *change[T], list []T, words string) tea.Cmd {
	s := v.story()
	return v.p.Change(words, func() error { return c.do(s, list) }, func() error { return c.back(s, list) })
}
