package memory

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// facts is the view of all known facts, under their subjects.
type facts struct {
	pane.List[row]
	p        *memoryPane
	view     memory.FactList
	outdated bool      // something has changed since the last reading
	mine     time.Time // time of the user's last change in it
}

// row is a line of the list: a fact, or two that contradict or repeat each other.
type row struct {
	fact  memory.Fact
	other *memory.Fact  // the newer of a pair
	later bool          // it is known to replace fact
	why   string        // the model's reason for that, "" for none
	same  bool          // both have the same meaning
	doubt *memory.Doubt // the question to the user about fact, nil for none
}

// pairGroup is the heading of contradictions and duplicates, which comes before the other facts.
const pairGroup = "Contradictions and duplicates"

// doubtGroup is the heading of facts that the user should check. It comes first.
const doubtGroup = "May be outdated: please check"

// noName is the heading of facts without any name.
const noName = "No name"

func newFacts(p *memoryPane) *facts {
	v := &facts{List: pane.NewList[row](p.Host, 1), p: p}
	v.Source, v.ID, v.Head, v.Search = v.reader, (*row).key, (*row).head, (*row).search
	v.Row, v.Detail, v.Above, v.Empty = v.row, v.details, v.above, v.nothing
	return v
}

func (v *facts) group() *pane.GroupList { return &v.GroupList }

func (v *facts) tab() string {
	if n := len(v.view.Facts); n > 0 {
		return strconv.Itoa(n)
	}
	return ""
}

// above returns a line about whose facts are shown, and how many.
func (v *facts) above(w, _ int) []string {
	words := "All facts"
	if v.view.As != "" {
		words = "Known to " + draw.Truncate(v.view.AsName, 24)
	}
	words += draw.Separator + draw.Plural(len(v.view.Facts), "fact")
	if v.view.LeftOut > 0 {
		words += draw.Separator + strconv.Itoa(v.view.LeftOut) + " more not shown"
	}
	if v.outdated {
		words += draw.Separator + "changed: " + v.p.key(keys.PaneRegenerate) + " refreshes"
	}
	return []string{v.Host.Styles().Dim.Styled(draw.Parts(words, w))}
}

func (v *facts) nothing() string {
	if v.view.As != "" {
		return draw.Truncate(v.view.AsName, 40) + " has no recorded facts. " + pane.PathTo(v.Host, whoKnows) +
			" shows what others know."
	}
	return "No facts yet. Facts from recaps, lorebooks, memories and hooks are listed here by subject: end a scene " +
		"and recap it, or add a memory in the next view (" + v.p.key(keys.PaneView2) + ")."
}

// Read reads everything again.
func (v *facts) Read() tea.Cmd {
	v.outdated = false
	return v.List.Read()
}

func (v *facts) reader() func(storage.ChatID) ([]row, func(), error) {
	ctx, eng, as := v.Host.Context(), v.Host.Engine(), v.p.as.Character
	return func(chat storage.ChatID) ([]row, func(), error) {
		got, err := eng.Play.Facts(ctx, memory.FactQuery{Chat: chat, As: as})
		return factRows(got), func() { v.view = got }, err
	}
}

// ownChange is how long after an action of the user change events count as caused by it.
const ownChange = 3 * time.Second

// changed marks the list as outdated. After the user's own change it is read again.
func (v *facts) changed() tea.Cmd {
	if v.Busy || v.p.at == factsView && time.Since(v.mine) < ownChange {
		return v.Read()
	}
	v.outdated = v.Loaded
	return nil
}

// factRows returns the rows of all facts, in the order of the list.
func factRows(got memory.FactList) (rows []row) {
	for i := range got.Doubts {
		d := &got.Doubts[i]
		f := got.Find(d.ID)
		if f == nil {
			f = &memory.Fact{ID: d.ID, Kind: d.Kind, Home: d.Home, Text: d.Text, Everybody: true}
		}
		rows = append(rows, row{fact: *f, doubt: d})
	}
	for i, pair := range slices.Concat(got.Contradictions, got.Duplicates) {
		a, b := got.Find(pair.Older), got.Find(pair.Newer)
		if a != nil && b != nil {
			rows = append(rows, row{fact: *a, other: b, later: pair.Later != "", why: pair.Reason,
				same: i >= len(got.Contradictions)})
		}
	}
	for _, f := range got.Facts {
		rows = append(rows, row{fact: f})
	}
	return rows
}

func (r *row) key() string {
	switch {
	case r.doubt != nil:
		return "doubt/" + r.doubt.ID
	case r.other != nil:
		return "pair/" + r.fact.ID + "/" + r.other.ID
	}
	return r.fact.ID
}

func (r *row) head() string {
	switch {
	case r.doubt != nil:
		return doubtGroup
	case r.other != nil:
		return pairGroup
	}
	return cmp.Or(draw.Truncate(r.fact.Subject, 60), noName)
}

func (r *row) search() []string {
	switch {
	case r.doubt != nil:
		return append([]string{r.doubt.Text, r.doubt.Instead}, r.fact.Names...)
	case r.other != nil:
		return slices.Concat([]string{r.fact.Text, r.other.Text}, r.fact.Names, r.other.Names)
	}
	return append([]string{r.fact.Text, r.fact.Subject, r.fact.Home, string(r.fact.Kind)}, r.fact.Names...)
}

func (v *facts) row(r *row, w int) pane.Row {
	inPrompt := r.doubt != nil || r.other == nil && r.fact.InPrompt || r.other != nil && !r.same
	out := pane.Row{Sign: r.mark(), SignStyle: signStyle(inPrompt, v.Host.Styles()), Text: r.text()}
	if w >= 50 {
		out.Right = r.where()
	}
	return out
}

// details returns lines about a row, for the bottom of the pane.
func (v *facts) details(r *row, w int) []string {
	sty := v.Host.Styles()
	t := draw.Lines{Width: w}
	switch {
	case r.doubt != nil:
		t.Add(sty.Accent, doubtWhy(r.doubt))
		t.Add(sty.Base, draw.Truncate(r.doubt.Text, 2*w))
		if r.doubt.Instead != "" {
			t.Add(sty.Dim, "now: "+draw.Truncate(r.doubt.Instead, 2*w))
		}
		return t.Text
	case r.other == nil:
		t.Add(sty.Dim, about(&r.fact))
		t.Add(sty.Accent, promptWords(&r.fact, v.view))
		t.Add(sty.Base, draw.Truncate(r.fact.Text, 3*w))
		return t.Text
	}
	t.Add(sty.Accent, r.verdict())
	for _, f := range []*memory.Fact{&r.fact, r.other} {
		t.Add(sty.Base, draw.Truncate(f.Text, 2*w))
		t.Add(sty.Dim, about(f))
	}
	return t.Text
}

// actions implements view.
func (v *facts) actions() []keys.Action {
	all := []keys.Action{
		{Name: keys.PaneEnter, Text: "details and sources", Hint: "details", Do: v.On(v.open)},
		{Name: keys.PaneSource, Text: "go to the message it came from", Hint: "go to message",
			Do: v.On(v.goTo)},
	}
	all = append(all, v.onRow(v.On)...)
	all = append(keys.When(v.Has, all...), everywhere(v.p, &v.List)...)
	return append(all, keys.Action{Name: keys.PaneRegenerate, Text: "read the facts again",
		Hint: "refresh", Do: v.Read})
}

// open shows the details of a row, or asks about a doubtful fact.
func (v *facts) open(r row) tea.Cmd {
	if r.doubt != nil {
		return v.askDoubt(*r.doubt)
	}
	v.Host.Open(factSheet(v, r))
	return nil
}

// sources returns the messages of a row; for a pair those of the newer fact come first.
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
