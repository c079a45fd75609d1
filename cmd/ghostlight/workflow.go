package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"ghostlight/engine"
	"ghostlight/engine/comfy"
	"ghostlight/engine/failure"
)

func (d *door) workflowCommand() *cobra.Command {
	return group("workflow", "see what ComfyUI's workflows need, and say what goes where", d.workflowList(), d.workflowShow(), d.workflowCheck(),
		d.workflowMap(), d.workflowImport())
}

// workflowRow is a workflow as the engine uses it.
type workflowRow struct {
	workflowShape
	Confirmed    bool   `json:"confirmed"`     // the user has said what goes where
	NeedsConfirm bool   `json:"needs_confirm"` // it was found by following links
	Fault        string `json:"fault"`         // why it cannot be used yet
}

func shapeRow(w comfy.Workflow) workflowRow {
	p := w.Inspect()
	row := workflowRow{workflowShape: shapeWorkflow(w), Confirmed: p.How == "map", NeedsConfirm: p.NeedsConfirm()}
	if err := w.Check(); err != nil {
		row.Fault = failure.Words(err)
	}
	return row
}

// stands says in a few words whether the workflow can be used.
func (r workflowRow) stands() string {
	switch {
	case r.Fault != "":
		return "cannot be used before it is said what goes where"
	case r.NeedsConfirm:
		return "what goes where was found, and waits to be confirmed"
	case r.Confirmed:
		return "what goes where is confirmed"
	}
	return ""
}

type spotShape struct {
	comfy.Spot
	Label string   `json:"label"`
	Class string   `json:"class"`
	Value string   `json:"value"`
	Takes []string `json:"takes"`
}

type workflowDetail struct {
	workflowRow
	Map    comfy.Map   `json:"map"`
	Inputs []spotShape `json:"inputs"`
}

func shapeDetail(w comfy.Workflow) workflowDetail {
	doc := workflowDetail{workflowRow: shapeRow(w), Map: w.Map(), Inputs: []spotShape{}}
	for _, c := range w.Candidates() {
		doc.Inputs = append(doc.Inputs, spotShape{c.Spot, c.Label, c.Class, c.Value, orNone(c.Takes)})
	}
	return doc
}

// plain writes a workflow for people.
func (doc workflowDetail) plain(p *page) {
	p.linef("%s  %s, by its %s", oneLine(doc.Name), doc.Kind, doc.How)
	if words := doc.stands(); words != "" {
		p.line("  " + words)
	}
	for _, s := range append(doc.Found, doc.Warnings...) {
		p.line("  " + s)
	}
	if len(doc.Inputs) == 0 {
		return
	}
	p.line("\ninputs that a value could go to:")
	rows := [][]string{}
	for _, in := range doc.Inputs {
		rows = append(rows, []string{"  " + in.Node + "." + in.Input, in.Label, strings.Join(in.Takes, ", "), shorten(oneLine(in.Value), 40)})
	}
	p.table(rows)
}

// shorten cuts s to n runes.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// usableWorkflows are the workflows that can be used, and what is wrong with others,
// as far as what the user said of them can be read: that is in the store, which
// need not be there and which another program may be using.
func (d *door) usableWorkflows(program string) ([]comfy.Workflow, []error) {
	list, faults := comfy.LoadWorkflows(d.folder("workflows"))
	own := len(faults) > 0 || slices.ContainsFunc(list, func(w comfy.Workflow) bool { return !w.Builtin })
	if stores, err := filepath.Glob(filepath.Join(d.at.data, "*.db")); !own || err != nil || len(stores) == 0 {
		return list, faults
	}
	e, err := d.open(program)
	if err == nil {
		list, faults = e.Pictures.Workflows()
		err = e.Close()
	}
	if err != nil {
		d.log.Info("what goes where in workflows was not looked up", "err", err)
	}
	return slices.DeleteFunc(list, func(w comfy.Workflow) bool { return w.Check() != nil }), faults
}

// findWorkflow finds a workflow by its name, one included that needs a map.
func findWorkflow(e *engine.Engine, name string) (comfy.Workflow, error) {
	list, faults := e.Pictures.Workflows()
	return pickWorkflow(list, faults, name)
}

// pickWorkflow is the workflow of a name, or what is wrong with its file.
func pickWorkflow(list []comfy.Workflow, faults []error, name string) (comfy.Workflow, error) {
	for _, w := range list {
		if w.Name == name {
			return w, nil
		}
	}
	for _, err := range faults {
		var editor *comfy.EditorFormatError
		var bad *comfy.WorkflowError
		if errors.As(err, &editor) && editor.Name == name || errors.As(err, &bad) && bad.Name == name {
			return comfy.Workflow{}, err
		}
	}
	return comfy.Workflow{}, fmt.Errorf("there is no workflow %q; ghostlight workflow list prints them", name)
}

func (d *door) workflowList() *cobra.Command {
	return &cobra.Command{Use: "list", Short: "list the workflows, and whether they can be used", Args: takes(0, 0),
		RunE: d.with(func(_ context.Context, e *engine.Engine, _ []string) error {
			list, faults := e.Pictures.Workflows()
			doc, rows := []workflowRow{}, [][]string{}
			for _, w := range list {
				row := shapeRow(w)
				doc, rows = append(doc, row), append(rows, []string{row.Name, string(row.Kind), row.How, row.stands()})
			}
			d.notes(wordsOf(faults))
			return d.tell(doc, func(p *page) { p.table(rows) })
		})}
}

func (d *door) workflowShow() *cobra.Command {
	return &cobra.Command{Use: "show NAME", Short: "tell what goes where in a workflow, and where it could go", Args: takes(1, 1),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.with(func(_ context.Context, e *engine.Engine, args []string) error {
			w, err := findWorkflow(e, args[0])
			if err != nil {
				return err
			}
			doc := shapeDetail(w)
			return d.tell(doc, doc.plain)
		})}
}

type serverCheck struct {
	Server string       `json:"server"`
	Lacks  []comfy.Lack `json:"lacks"`
	Words  string       `json:"words"`
	Error  string       `json:"error"`
}

func (d *door) workflowCheck() *cobra.Command {
	return &cobra.Command{Use: "check NAME", Short: "ask the servers which nodes and files they lack for a workflow", Args: takes(1, 1),
		Long: "Ask every server which nodes, checkpoints and other files it lacks that a workflow needs. Where each of them lacks something or does " +
			"not answer, the exit code is 1.",
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: d.with(func(ctx context.Context, e *engine.Engine, args []string) error {
			checks, err := e.Pictures.CheckWorkflow(ctx, args[0])
			if err != nil {
				return err
			}
			doc := struct {
				Name    string        `json:"name"`
				Servers []serverCheck `json:"servers"`
				Error   string        `json:"error,omitempty"`
			}{Name: args[0], Servers: []serverCheck{}}
			fit, wrong := false, []string{}
			for _, c := range checks {
				doc.Servers = append(doc.Servers, serverCheck{c.Server, orNone(c.Lacks), c.Words(), c.Err})
				if words := c.Words(); words != "" {
					wrong = append(wrong, c.Server+": "+words)
				} else {
					fit = true
				}
			}
			var fault error
			if !fit {
				fault = faults(wrong)
				doc.Error = fault.Error()
			}
			if !d.json && fault != nil {
				return fault
			}
			d.notes(wrong)
			err = d.tell(doc, func(p *page) {
				for _, s := range doc.Servers {
					if s.Words == "" {
						p.linef("%s has all that it needs", s.Server)
					}
				}
			})
			if err != nil {
				return err
			}
			return fault
		})}
}

// mapFlags are the values of a map that can be said on the command line.
var mapFlags = []struct{ name, what string }{
	{"prompt", "the prompt"}, {"negative", "the negative prompt"}, {"seed", "the seed"}, {"width", "the width"}, {"height", "the height"},
	{"trigger", "the trigger word"}, {"checkpoint", "the checkpoint"},
}

func (d *door) workflowMap() *cobra.Command {
	var confirm, forget bool
	said := map[string]*[]string{}
	c := &cobra.Command{Use: "map NAME", Short: "say what goes where in a workflow", Args: takes(1, 1), ValidArgsFunction: cobra.NoFileCompletions}
	c.Long = "Say what goes where in a workflow. It is remembered until the file changes. Inputs are written NODE.INPUT, as ghostlight workflow show " +
		"lists them; a flag may be given several times, and - takes a value away. What is not said stays as it was found. Without flags it is only told."
	c.RunE = d.with(func(_ context.Context, e *engine.Engine, args []string) error {
		m, changed := comfy.Map(nil), false
		w, err := findWorkflow(e, args[0])
		if err != nil && !forget {
			return err
		}
		if err == nil {
			m = w.Map()
		}
		for name, list := range said {
			if !c.Flags().Changed(name) {
				continue
			}
			changed = true
			if m[name], err = readSpots(*list); err != nil {
				return err
			}
		}
		switch {
		case forget && (confirm || changed):
			return misuse{"--forget goes with nothing else"}
		case forget:
			err = e.Pictures.ConfirmWorkflow(args[0], nil)
		case confirm || changed:
			err = e.Pictures.ConfirmWorkflow(args[0], m)
		}
		if err != nil {
			return err
		}
		if w, err = findWorkflow(e, args[0]); err != nil {
			return err
		}
		doc := shapeDetail(w)
		return d.tell(doc, doc.plain)
	})
	for _, f := range mapFlags {
		said[f.name] = c.Flags().StringArray(f.name, nil, "the input `NODE.INPUT` takes "+f.what)
	}
	c.Flags().BoolVar(&confirm, "confirm", false, "what was found is right")
	c.Flags().BoolVar(&forget, "forget", false, "forget what was said")
	return c
}

// readSpots reads inputs as they are written on the command line.
func readSpots(list []string) ([]comfy.Spot, error) {
	out := []comfy.Spot{}
	for _, text := range list {
		if text == "-" && len(list) == 1 {
			return out, nil
		}
		node, input, ok := strings.Cut(text, ".")
		if !ok || node == "" || input == "" {
			return nil, misuse{quote(text) + " is no input; write it NODE.INPUT, such as 6.text"}
		}
		out = append(out, comfy.Spot{Node: node, Input: input})
	}
	return out, nil
}

func (d *door) workflowImport() *cobra.Command {
	var name string
	var force bool
	c := &cobra.Command{Use: "import FILE", Short: "copy a workflow file into the folder of workflows", Args: takes(1, 1),
		Long: "Copy a workflow, exported from ComfyUI in API format, into the folder of workflows; - reads standard input. Placeholders of other programs are understood."}
	c.RunE = d.ready(func(_ context.Context, _ *cobra.Command, args []string) error {
		var w comfy.Workflow
		err := d.fromFile(args[0], "workflow.json", comfy.MaxWorkflowFile, func(path string) (err error) {
			w, err = comfy.ImportWorkflow(d.folder("workflows"), path, name, force)
			return err
		})
		if errors.Is(err, comfy.ErrExists) {
			return errors.New(strings.TrimPrefix(err.Error(), "comfy import: ") + "; --force takes its place, --name gives this one another name")
		}
		if err != nil {
			return err
		}
		doc := struct {
			workflowRow
			File string `json:"file"`
		}{shapeRow(w), filepath.Join(d.folder("workflows"), w.Name+".json")}
		if doc.Fault != "" {
			d.note("note: %s", doc.Fault)
		}
		switch {
		case doc.Fault != "":
			d.note("note: say what goes where: ghostlight workflow map %s", quote(w.Name))
		case doc.NeedsConfirm:
			d.note("note: look over what goes where, and confirm it: ghostlight workflow map %s --confirm", quote(w.Name))
		}
		return d.tell(doc, func(p *page) {
			p.linef("imported %s", oneLine(doc.Name))
			for _, s := range append(doc.Found, doc.Warnings...) {
				p.line("  " + s)
			}
		})
	})
	c.Flags().StringVar(&name, "name", "", "call it `N`; else it goes by the file's name")
	c.Flags().BoolVar(&force, "force", false, "replace a workflow of that name")
	return c
}
