package pictures

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// flow is a workflow as the studio shows it.
type flow struct {
	name, kind string
	builtin    bool
	how        string // placeholders, links or map
	found      []string
	warnings   []string
	fault      string // why it cannot be used as it is
	confirmed  bool   // the user has said where its values go
	last       bool   // it painted last, of its kind
	form       capture.Form
	values     pictures.WorkflowValues
	spots      []flowSpot
	// unused says which values it has no place for.
	unused func(negative string, width, height int) []string
}

// flowSpot is an input of a workflow that values could go to.
type flowSpot struct {
	at    pictures.WorkflowSpot
	words string // how it is called
	value string // what the file has there
	takes []string
}

// uncertain workflows are those of which nobody has said, and the file does not
// say, what goes where.
func (f flow) uncertain() bool {
	return !f.builtin && !f.confirmed && len(f.spots) > 0 && (f.how == "links" || f.fault != "")
}

// takes says in one line where the values go.
func (f flow) takes() string {
	switch {
	case f.fault != "":
		return ""
	case f.how == "placeholders":
		return "" // the file says it
	}
	words := strings.Join(f.found, "; ")
	if f.confirmed {
		return "set by you, " + words
	}
	return words
}

// readFlows reads the workflows, away from the screen's goroutine.
func readFlows(eng *engine.Engine) []flow {
	list, _ := eng.Pictures.Workflows.List()
	last := eng.Pictures.Workflows.Last()
	var out []flow
	for _, w := range list {
		plan := w.Inspect()
		f := flow{name: w.Name, kind: string(plan.Kind), builtin: w.Builtin, how: plan.How, found: plan.Found,
			warnings: plan.Warnings, unused: plan.Unused}
		if err := w.Check(); err != nil {
			f.fault = failure.Words(err)
		}
		f.values, f.confirmed = w.Map(), plan.How == "map"
		f.last, f.form = last[f.kind] == f.name, pictures.FormOf(eng.Pictures.Workflows.Text(w))
		for _, c := range w.Candidates() {
			words := c.Input + " of " + c.Label
			f.spots = append(f.spots, flowSpot{at: c.Spot, words: words, value: c.Value, takes: c.Takes})
		}
		out = append(out, f)
	}
	return out
}

// flowsDialog lists the workflows: what they make, where the values go, and what
// the servers lack for them.
type flowsDialog struct {
	widget.Base
	list   widget.Outline
	sheet  widget.Sheet // of the details
	room   *Room
	flows  []flow
	faults []string // of files that cannot be read
	reads  widget.Latest
	known  bool
	checks map[string][]remark // by workflow, what the servers said
	asking map[string]bool
	fault  string
	area   uv.Rectangle // of the list
}

func (r *Room) openWorkflows() tea.Cmd {
	d := &flowsDialog{room: r, checks: map[string][]remark{}, asking: map[string]bool{}}
	r.desk.Open(d)
	return d.read()
}

// read reads the workflows again.
func (d *flowsDialog) read() tea.Cmd {
	newest := d.reads.Begin()
	return d.room.desk.Do(func() func() tea.Cmd {
		flows := readFlows(d.room.desk.Engine())
		_, errs := d.room.desk.Engine().Pictures.Workflows.List()
		return func() tea.Cmd {
			if !newest() {
				return nil
			}
			d.flows, d.known, d.faults = flows, true, nil
			for _, err := range errs {
				words := failure.Words(err)
				if !slices.ContainsFunc(flows, func(f flow) bool { return f.fault != "" && strings.Contains(words, f.fault) }) {
					d.faults = append(d.faults, words)
				}
			}
			rows := make([]widget.OutlineRow, len(flows))
			for i := range rows {
				rows[i].Height = 1
			}
			d.list.Fill(rows)
			return nil
		}
	})
}

func (d *flowsDialog) move(n int) {
	d.list.Move(n)
	d.sheet.Top, d.fault = 0, ""
}

func (d *flowsDialog) chosen() (flow, bool) {
	if i := d.list.Chosen(); i >= 0 {
		return d.flows[i], true
	}
	return flow{}, false
}

func (d *flowsDialog) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		d.sheet.Handle(m)
	case tea.MouseClickMsg:
		if uv.Pos(m.X, m.Y).In(d.area) {
			d.list.Click(m.Y - d.area.Min.Y)
			d.move(0)
		}
	}
	return nil, false
}

// Actions implements widget.Dialog. Pages are those of the details.
func (d *flowsDialog) Actions() []keys.Action {
	some := func() bool { _, ok := d.chosen(); return ok }
	mapping := keys.Action{Name: keys.DialogEnter, Hint: "input mapping", Here: some, Do: keys.Does(func() {
		f, _ := d.chosen()
		d.fault = openFlowMap(d.room, f, d.read)
	})}
	again := keys.Action{Name: keys.PaneRegenerate, Words: "read the files again, and check the servers",
		Hint: "reload, check", Do: func() tea.Cmd { return tea.Batch(d.read(), d.check()) }}
	rows := widget.Choosing(d.move, nil)[:2] // up and down
	return slices.Concat([]keys.Action{mapping, again}, rows, widget.Ends(d.move),
		[]keys.Action{d.Closing()}, d.sheet.Scrolling())
}

// check asks the servers what they lack for the chosen workflow.
func (d *flowsDialog) check() tea.Cmd {
	f, ok := d.chosen()
	if !ok || d.asking[f.name] {
		return nil
	}
	d.asking[f.name] = true
	return d.room.desk.Do(func() func() tea.Cmd {
		checks, err := d.room.desk.Engine().Pictures.Workflows.Check(d.room.desk.Context(), f.name)
		return func() tea.Cmd {
			delete(d.asking, f.name)
			if err != nil {
				d.checks[f.name] = []remark{{text: failure.Words(err), bad: true}}
				return nil
			}
			d.checks[f.name] = checkRemarks(checks)
			return nil
		}
	})
}

// checkRemarks say what servers lack for a workflow.
func checkRemarks(checks []pictures.WorkflowCheck) []remark {
	var out []remark
	for _, c := range checks {
		server := strings.TrimPrefix(strings.TrimPrefix(c.Server, "http://"), "https://")
		switch {
		case c.Err != "":
			out = append(out, remark{text: server + " is offline: " + c.Err, bad: true})
		case len(c.Lacks) == 0:
			out = append(out, remark{label: "✓ ", text: server + " has everything needed"})
		default:
			var needs []string
			for _, l := range c.Lacks {
				needs = append(needs, l.Words())
			}
			out = append(out, remark{text: "needs " + listed(needs) + ", which " + server + " lacks", bad: true})
			for _, l := range c.Lacks {
				if len(l.Have) > 0 {
					out = append(out, remark{text: fmt.Sprintf("Alternatives to %s: %s", l.Name, strings.Join(l.Have, ", "))})
				}
			}
		}
	}
	if len(out) == 0 {
		out = append(out, remark{text: "no server is configured", bad: true})
	}
	return out
}

// listed puts words into a row: "a, b and c".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func (d *flowsDialog) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	w := min(90, screen.Dx())
	details := d.details(w-4, lk)
	n := max(1, len(d.flows))
	in := look.Frame(buf, look.Centred(screen, w, min(n, 12)+max(8, len(details))+3), lk, "Workflows", d.Hints())
	if in.Dy() < 1 {
		return nil
	}
	if len(d.flows) == 0 {
		words := "There are no workflows."
		if !d.known {
			words = "Loading the workflows …"
		}
		look.PutWrapped(buf, in, lk.Dim, words)
		return nil
	}
	rows := max(1, min(n, min(12, in.Dy()/2)))
	d.area = uv.Rect(in.Min.X, in.Min.Y, in.Dx(), rows)
	d.list.Show(d.area, func(i int, room uv.Rectangle) { d.row(buf, room.Min.Y, i, lk) })
	look.Scrollbar(buf, uv.Rect(in.Max.X, in.Min.Y, 1, rows), d.list.Top, n, lk)
	rest := uv.Rect(in.Min.X, in.Min.Y+rows, in.Dx(), in.Dy()-rows)
	if rest.Dy() > 3 {
		look.Put(buf, rest.Min.X, rest.Min.Y, rest.Dx(), lk.Border, strings.Repeat("─", rest.Dx()))
		rest.Min.Y++
	}
	d.sheet.Draw(buf, rest, details, lk)
	return nil
}

func (d *flowsDialog) row(buf uv.ScreenBuffer, y, i int, lk *look.Look) {
	f := d.flows[i]
	x, w := d.area.Min.X, d.area.Dx()
	st, dim := lk.Base, lk.Dim
	if i == d.list.At {
		st, dim = lk.Selected, lk.SelectedDim
		look.Fill(buf, uv.Rect(x, y, w, 1), st)
	}
	mark := "  "
	if f.fault != "" || f.uncertain() {
		mark = "! "
	}
	whose := "yours"
	if f.builtin {
		whose = "built in"
	}
	right := f.kind + look.Separator + whose
	if w > 50 {
		right += look.Separator + f.howWords()
	}
	room := look.PutRight(buf, x, y, w, dim, right) - x - 1
	look.Put(buf, x, y, room, st, mark+f.name)
}

// howWords says how it is known where the values go.
func (f flow) howWords() string {
	switch {
	case f.confirmed || f.how == "map":
		return "confirmed"
	case f.how == "placeholders":
		return "placeholders"
	case f.fault != "":
		return "not clear"
	}
	return "from its links"
}

// details are the lines about the chosen workflow.
func (d *flowsDialog) details(w int, lk *look.Look) []string {
	var out []string
	add := func(label, text string, st uv.Style) {
		for _, l := range look.Wrap(label+safetext.Line(text), max(1, w)) {
			out = append(out, st.Styled(l))
		}
	}
	if d.fault != "" {
		add("! ", d.fault, lk.Warning)
	}
	f, ok := d.chosen()
	if !ok {
		return out
	}
	if d.asking[f.name] {
		add("", "Checking the servers …", lk.Dim)
	}
	for _, r := range d.checks[f.name] {
		switch {
		case r.bad:
			add("! ", r.text, lk.Warning)
		case r.label != "":
			add(r.label, r.text, lk.Success)
		default:
			add("", r.text, lk.Dim)
		}
	}
	if f.fault != "" {
		add("! ", f.fault, lk.Warning)
	} else if f.uncertain() {
		add("! ", "Input mapping not confirmed yet: "+d.Key(keys.DialogEnter)+" shows it.", lk.Warning)
	}
	for _, words := range f.warnings {
		if words != f.fault && !strings.Contains(f.fault, words) {
			add("! ", words, lk.Warning)
		}
	}
	for _, words := range f.found {
		add("", words, lk.Base)
	}
	for _, words := range d.faults {
		add("! ", words, lk.Warning)
	}
	return out
}
