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
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// flow is a workflow in a list.
type flow struct {
	name, kind string
	builtin    bool
	source     string // placeholders, links or map
	found      []string
	warnings   []string
	fault      string // why it cannot be used as it is
	confirmed  bool   // the user has confirmed where its values go
	usedLast   bool   // it painted last, of its kind
	form       capture.Form
	values     pictures.WorkflowValues
	inputs     []flowInput
	// unused returns the values that it has no input for.
	unused func(negative string, width, height int) []string
}

// flowInput is an input of a workflow that can take values.
type flowInput struct {
	at    pictures.WorkflowNodeInput
	words string // how it is called
	value string // the file's value
	takes []string
}

// uncertain reports whether the inputs of the workflow are neither confirmed nor in the file.
func (f flow) uncertain() bool {
	return !f.builtin && !f.confirmed && len(f.inputs) > 0 && (f.source == "links" || f.fault != "")
}

// takes describes in one line where the values go.
func (f flow) takes() string {
	switch {
	case f.fault != "":
		return ""
	case f.source == "placeholders":
		return "" // the file defines it
	}
	words := strings.Join(f.found, "; ")
	if f.confirmed {
		return "set by you, " + words
	}
	return words
}

// readFlows reads the workflows, off the screen's goroutine.
func readFlows(eng *engine.Engine) []flow {
	list, _ := eng.Pictures.Workflows.List()
	last := eng.Pictures.Workflows.LastUsed()
	var out []flow
	for _, w := range list {
		plan := w.Inspect()
		f := flow{name: w.Name, kind: string(plan.Kind), builtin: w.Builtin, source: plan.Summary, found: plan.Found,
			warnings: plan.Warnings, unused: plan.Unused}
		if err := w.Check(); err != nil {
			f.fault = failure.Text(err)
		}
		f.values, f.confirmed = w.Map(), plan.Summary == "map"
		f.usedLast, f.form = last[f.kind] == f.name, pictures.FormOf(eng.Pictures.Workflows.Text(w))
		for _, c := range w.Candidates() {
			words := c.Input + " of " + c.Label
			f.inputs = append(f.inputs, flowInput{at: c.NodeInput, words: words, value: c.Value, takes: c.Takes})
		}
		out = append(out, f)
	}
	return out
}

// flowsDialog lists the workflows: what they make, where the values go, and what the servers lack
// for them.
type flowsDialog struct {
	pane.ListDialog[flow]
	part   *Part
	faults []string            // of files that cannot be read
	checks map[string][]remark // by workflow, the servers' remarks
	asking map[string]bool
}

func (r *Part) openWorkflows() tea.Cmd {
	d := &flowsDialog{part: r, checks: map[string][]remark{}, asking: map[string]bool{}}
	d.List = pane.NewList[flow](r.host, 1)
	d.Title, d.Wide, d.Everywhere = "Workflows", 90, true
	d.Source = func() func(storage.ChatID) ([]flow, func(), error) { return d.read }
	d.ID = func(f *flow) string { return f.name }
	d.Row, d.Text = d.row, d.details
	d.Empty = func() string { return "There are no workflows." }
	d.Own = []keys.Action{
		{Name: keys.DialogEnter, Text: "input mapping", Hint: "input mapping", Visible: d.Has,
			Unavailable: func() string { return d.Item().noMap() },
			Do:          d.On(func(f flow) tea.Cmd { openFlowMap(r, f, d.Read); return nil })},
		{Name: keys.PaneRegenerate, Text: "read the files again, and check the servers", Hint: "reload, check",
			Do: func() tea.Cmd { return tea.Batch(d.Read(), d.check()) }},
	}
	r.host.Open(d)
	return d.Read()
}

// read reads the workflows, off the screen's goroutine.
func (d *flowsDialog) read(storage.ChatID) ([]flow, func(), error) {
	flows := readFlows(d.part.host.Engine())
	_, errs := d.part.host.Engine().Pictures.Workflows.List()
	var faults []string
	for _, err := range errs {
		words := failure.Text(err)
		if !slices.ContainsFunc(flows, func(f flow) bool { return f.fault != "" && strings.Contains(words, f.fault) }) {
			faults = append(faults, words)
		}
	}
	return flows, func() { d.faults = faults }, nil
}

// check asks the servers what they lack for the chosen workflow.
func (d *flowsDialog) check() tea.Cmd {
	f := d.Item()
	if f == nil || d.asking[f.name] {
		return nil
	}
	name := f.name
	d.asking[name] = true
	return d.part.host.Do(func() func() tea.Cmd {
		checks, err := d.part.host.Engine().Pictures.Workflows.Check(d.part.host.Context(), name)
		return func() tea.Cmd {
			delete(d.asking, name)
			if err != nil {
				d.checks[name] = []remark{{text: failure.Text(err), bad: true}}
				return nil
			}
			d.checks[name] = checkRemarks(checks)
			return nil
		}
	})
}

// checkRemarks returns what servers lack for a workflow.
func checkRemarks(checks []pictures.WorkflowCheck) []remark {
	var out []remark
	for _, c := range checks {
		server := strings.TrimPrefix(strings.TrimPrefix(c.Server, "http://"), "https://")
		switch {
		case c.Err != "":
			out = append(out, remark{text: server + " is offline: " + c.Err, bad: true})
		case len(c.Missing) == 0:
			out = append(out, remark{label: "✓ ", text: server + " has everything needed"})
		default:
			var needs []string
			for _, l := range c.Missing {
				needs = append(needs, l.Description())
			}
			out = append(out, remark{text: "needs " + listed(needs) + ", which " + server + " lacks", bad: true})
			for _, l := range c.Missing {
				if len(l.Have) > 0 {
					out = append(out,
						remark{text: fmt.Sprintf("Alternatives to %s: %s", l.Name, strings.Join(l.Have, ", "))})
				}
			}
		}
	}
	if len(out) == 0 {
		out = append(out, remark{text: "no server is configured", bad: true})
	}
	return out
}

// listed joins words: "a, b and c".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func (d *flowsDialog) row(f *flow, w int) pane.Row {
	r := pane.Row{SignStyle: d.part.host.Styles().Base, Text: f.name}
	if f.fault != "" || f.uncertain() {
		r.Sign = "!"
	}
	whose, how := "yours", ""
	if f.builtin {
		whose = "built in"
	}
	if w > 50 {
		how = f.sourceText()
	}
	r.Right = draw.Join(f.kind, whose, how)
	return r
}

// sourceText describes how the inputs were determined.
func (f flow) sourceText() string {
	switch {
	case f.confirmed || f.source == "map":
		return "confirmed"
	case f.source == "placeholders":
		return "placeholders"
	case f.fault != "":
		return "not clear"
	}
	return "from its links"
}

// details returns the lines about the chosen workflow.
func (d *flowsDialog) details(f *flow, w int) []string {
	sty := d.part.host.Styles()
	var out []string
	add := func(label, text string, st uv.Style) {
		for _, l := range draw.Wrap(label+safetext.Line(text), max(1, w)) {
			out = append(out, st.Styled(l))
		}
	}
	if d.asking[f.name] {
		add("", "Checking the servers …", sty.Dim)
	}
	for _, r := range d.checks[f.name] {
		switch {
		case r.bad:
			add("! ", r.text, sty.Warning)
		case r.label != "":
			add(r.label, r.text, sty.Success)
		default:
			add("", r.text, sty.Dim)
		}
	}
	if f.fault != "" {
		add("! ", f.fault, sty.Warning)
	} else if f.uncertain() {
		add("! ", "Input mapping not confirmed yet: "+d.Key(keys.DialogEnter)+" shows it.", sty.Warning)
	}
	for _, words := range f.warnings {
		if words != f.fault && !strings.Contains(f.fault, words) {
			add("! ", words, sty.Warning)
		}
	}
	for _, words := range f.found {
		add("", words, sty.Base)
	}
	for _, words := range d.faults {
		add("! ", words, sty.Warning)
	}
	return out
}
