package memory

import (
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
)

// facts is the view of all that the play knows, under its subjects.
type facts struct {
	desk.GroupList
	p     *pane
	view  memory.FactList
	rows  []row
	stale bool      // something has changed since it was read
	mine  time.Time // when the user changed something in it
}

// row is what a line of the list shows: a fact, or two that do not go together.
type row struct {
	fact  memory.Fact
	other *memory.Fact  // the newer of a pair
	later bool          // it is known to hold in place of fact
	why   string        // the model's reason for that, "" for none
	same  bool          // both say the same
	doubt *memory.Doubt // that the user is asked about fact, nil for none
}

// pairGroup is the heading of what contradicts or repeats, which stands first.
const pairGroup = "Contradictions and duplicates"

// doubtGroup is the heading of what waits for the user's word, which stands before all.
const doubtGroup = "May be outdated: please check"

// noName is the heading of facts that name nobody and nothing.
const noName = "No name"

func newFacts(p *pane) *facts {
	return &facts{GroupList: desk.NewGroupList(p.Desk, nil), p: p}
}

func (v *facts) group() *desk.GroupList { return &v.GroupList }

func (v *facts) tab() string {
	if n := len(v.view.Facts); n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}

func (v *facts) scope() string {
	words := "All facts"
	if v.view.As != "" {
		words = "Known to " + look.Within(v.view.AsName, 24)
	}
	words += look.Separator + look.Plural(len(v.view.Facts), "fact")
	if v.view.Left > 0 {
		words += look.Separator + strconv.Itoa(v.view.Left) + " more not shown"
	}
	if v.stale {
		words += look.Separator + "changed: " + v.p.key(keys.PaneRegenerate) + " refreshes"
	}
	return words
}

func (v *facts) empty() string {
	if v.view.As != "" {
		return look.Within(v.view.AsName, 40) + " has no recorded facts. " + v.Desk.WayTo(whoKnows) + " shows what others know."
	}
	return "No facts yet. Facts from recaps, lorebooks, memories and hooks are listed here by subject: end a scene and recap it, or add a memory in the next view (" + v.p.key(keys.PaneView2) + ")."
}

// read reads all anew.
func (v *facts) read() tea.Cmd {
	ctx, eng := v.Desk.Context(), v.Desk.Engine()
	as := v.p.as.Character
	v.stale = false
	return v.Load(func(chat storage.ChatID) (func() []desk.GroupRow, error) {
		got, err := eng.Play.Facts(ctx, memory.FactQuery{Chat: chat, As: as})
		if err != nil {
			return nil, err
		}
		return func() []desk.GroupRow { return v.take(got) }, nil
	})
}

// ownChange is how long what is told of changes is taken for what the user did last.
const ownChange = 3 * time.Second

// changed notes that what is shown may have changed. What the user has changed here is
// read again.
func (v *facts) changed() tea.Cmd {
	if v.Busy || v.p.at == factsView && time.Since(v.mine) < ownChange {
		return v.read()
	}
	v.stale = v.Loaded
	return nil
}

// take takes over what was read.
func (v *facts) take(got memory.FactList) []desk.GroupRow {
	v.view, v.rows, v.Groups = got, nil, []string{doubtGroup, pairGroup}
	var rows []desk.GroupRow
	for i := range got.Doubts {
		d := &got.Doubts[i]
		f := got.Find(d.ID)
		if f == nil {
			f = &memory.Fact{ID: d.ID, Kind: d.Kind, Home: d.Home, Text: d.Text, Everybody: true}
		}
		v.rows = append(v.rows, row{fact: *f, doubt: d})
		rows = append(rows, desk.GroupRow{Key: "doubt/" + d.ID, Text: desk.SearchText(append([]string{d.Text, d.Instead}, f.Names...)...)})
	}
	for i, pair := range slices.Concat(got.Contradictions, got.Duplicates) {
		a, b := got.Find(pair.Older), got.Find(pair.Newer)
		if a == nil || b == nil {
			continue
		}
		v.rows = append(v.rows, row{fact: *a, other: b, later: pair.Later != "", why: pair.Reason, same: i >= len(got.Contradictions)})
		rows = append(rows, desk.GroupRow{Key: "pair/" + pair.Older + "/" + pair.Newer, Group: 1, Text: desk.SearchText(append(append([]string{a.Text, b.Text}, a.Names...), b.Names...)...)})
	}
	for i := range got.Facts {
		f := got.Facts[i]
		name := look.Within(f.Subject, 60)
		if name == "" {
			name = noName
		}
		if at := len(v.Groups) - 1; at == 1 || v.Groups[at] != name {
			v.Groups = append(v.Groups, name)
		}
		v.rows = append(v.rows, row{fact: f})
		rows = append(rows, desk.GroupRow{Key: f.ID, Group: len(v.Groups) - 1, Text: desk.SearchText(append([]string{f.Text, f.Subject, f.Home, string(f.Kind)}, f.Names...)...)})
	}
	return rows
}

func (v *facts) row(buf uv.ScreenBuffer, area uv.Rectangle, i int, chosen bool) int {
	if i >= len(v.rows) {
		return 1
	}
	r := &v.rows[i]
	words := rowWords{mark: r.mark(), told: r.doubt != nil || r.other == nil && r.fact.Told || r.other != nil && !r.same, text: r.text()}
	if area.Dx() >= 50 {
		words.right = r.where()
	}
	return putRow(buf, area, words, chosen, v.Desk.Look())
}

// details are lines about a row, for the bottom of the pane.
func (v *facts) details(i, w int) []string {
	if i >= len(v.rows) {
		return nil
	}
	lk, r := v.Desk.Look(), &v.rows[i]
	t := look.Lines{Width: w}
	switch {
	case r.doubt != nil:
		t.Add(lk.Accent, doubtWhy(r.doubt))
		t.Add(lk.Base, look.Within(r.doubt.Text, 2*w))
		if r.doubt.Instead != "" {
			t.Add(lk.Dim, "now: "+look.Within(r.doubt.Instead, 2*w))
		}
		return t.Text
	case r.other == nil:
		t.Add(lk.Dim, about(&r.fact))
		t.Add(lk.Accent, becomes(&r.fact, v.view))
		t.Add(lk.Base, look.Within(r.fact.Text, 3*w))
		return t.Text
	}
	t.Add(lk.Accent, r.verdict())
	for _, f := range []*memory.Fact{&r.fact, r.other} {
		t.Add(lk.Base, look.Within(f.Text, 2*w))
		t.Add(lk.Dim, about(f))
	}
	return t.Text
}

// actions implements view.
func (v *facts) actions() []keys.Action {
	chosen := func() bool { i, ok := v.Chosen(); return ok && i < len(v.rows) }
	on := func(do func(r row) tea.Cmd) func() tea.Cmd {
		return func() tea.Cmd { i, _ := v.Chosen(); return do(v.rows[i]) }
	}
	all := []keys.Action{
		{Name: keys.PaneEnter, Words: "details and sources", Hint: "details", Do: on(v.open)},
		{Name: keys.PaneSource, Words: "go to the message it came from", Hint: "go to message",
			Do: on(v.goTo)},
	}
	all = append(all, v.onRow(on)...)
	all = append(keys.At(chosen, all...), v.p.everywhere()...)
	return append(all, keys.Action{Name: keys.PaneRegenerate, Words: "read the facts again", Hint: "refresh", Do: v.read})
}

// open shows what a row is about, or asks what waits for the user's word.
func (v *facts) open(r row) tea.Cmd {
	if r.doubt != nil {
		return v.askDoubt(*r.doubt)
	}
	v.Desk.Open(factSheet(v, r))
	return nil
}

// sources are the messages of a row, those of the newer fact of a pair first.
func (r *row) sources() []memory.Source {
	if d := r.doubt; d != nil && d.Message != "" {
		return append([]memory.Source{{Message: d.Message, Number: d.Number}}, r.fact.Sources...)
	}
	if r.other == nil {
		return r.fact.Sources
	}
	list := slices.Clone(r.other.Sources)
	for _, m := range r.fact.Sources {
		if !slices.ContainsFunc(list, func(had memory.Source) bool { return had.Message == m.Message }) {
			list = append(list, m)
		}
	}
	return list
}

// goTo shows the first message that a row came from.
func (v *facts) goTo(r row) tea.Cmd {
	if list := r.sources(); len(list) > 0 {
		return v.p.goTo("", list[0].Message)
	}
	return v.p.goTo("", "")
}
