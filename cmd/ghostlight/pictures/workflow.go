package pictures

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
)

// workflowDoc is a workflow as the engine uses it.
type workflowDoc struct {
	Name    string `json:"name"`
	BuiltIn bool   `json:"built_in"`
	comfy.WorkflowInfo
	Confirmed bool   `json:"confirmed"`     // the user has confirmed the mapping
	Unsure    bool   `json:"needs_confirm"` // the mapping was guessed by following links
	Fault     string `json:"fault"`         // why the workflow cannot be used yet
	Lacks     string `json:"lacks"`         // what the servers lack for it, as far as they were asked
}

func newWorkflowDoc(w comfy.Workflow) workflowDoc {
	doc := workflowDoc{Name: w.Name, BuiltIn: w.Builtin, WorkflowInfo: w.Inspect()}
	doc.Confirmed, doc.Unsure = doc.Summary == "map", doc.NeedsConfirm()
	if err := w.Check(); err != nil {
		doc.Fault = failure.Text(err)
	}
	return doc
}

// Workflows are the workflows as arguments of commands.
var Workflows = cli.Noun[comfy.Workflow]{
	Find: findWorkflow,
	List: func(e *engine.Engine) ([]comfy.Workflow, error) {
		list, _ := e.Pictures.Workflows.List()
		return list, nil
	},
	Called: func(w comfy.Workflow) (id, name string) { return w.Name, w.Name },
	Doc:    func(w comfy.Workflow) any { return newWorkflowDetail(w) },
	Page:   func(p *cli.Page, w comfy.Workflow) { newWorkflowDetail(w).write(p) },
}

// WorkflowCommand returns ghostlight workflow.
func WorkflowCommand(app *cli.App) *cobra.Command {
	return cli.Group("workflow", "list and check ComfyUI workflows",
		workflowListCommand(app),
		Workflows.ShowCommand(app, "show WORKFLOW", "show the input mapping of a workflow, and its inputs"),
		workflowCheckCommand(app), workflowMapCommand(app), workflowTextCommand(app), workflowImportCommand(app))
}

// state describes whether the workflow can be used.
func (r workflowDoc) state() string {
	switch {
	case r.Lacks != "":
		return "your server lacks " + r.Lacks
	case r.Fault != "":
		return "cannot be used until its inputs are mapped"
	case r.Unsure:
		return "inputs were detected and need to be confirmed"
	case r.Confirmed:
		return "input mapping is confirmed"
	}
	return ""
}

type workflowDetail struct {
	workflowDoc
	Map    comfy.Map         `json:"map"`
	Inputs []comfy.Candidate `json:"inputs"`
}

func newWorkflowDetail(w comfy.Workflow) workflowDetail {
	return workflowDetail{newWorkflowDoc(w), w.Map(), w.Candidates()}
}

// write writes a workflow as text.
func (doc workflowDetail) write(p *cli.Page) {
	p.Linef("%s  %s, by its %s", cli.OneLine(doc.Name), doc.Kind, doc.Summary)
	if words := doc.state(); words != "" {
		p.Line("  " + words)
	}
	for _, s := range append(doc.Found, doc.Warnings...) {
		p.Line("  " + s)
	}
	if len(doc.Inputs) == 0 {
		return
	}
	p.Line("\ninputs that can take a value:")
	rows := [][]string{}
	for _, in := range doc.Inputs {
		rows = append(
			rows,
			[]string{
				"  " + in.Node + "." + in.Input,
				in.Label,
				strings.Join(in.Takes, ", "),
				shorten(cli.OneLine(in.Value), 40),
			},
		)
	}
	p.Table(rows)
}

// shorten cuts s to n runes.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// findWorkflow returns a workflow by its name, including one that needs a map.
func findWorkflow(e *engine.Engine, name string) (comfy.Workflow, error) {
	list, faults := e.Pictures.Workflows.List()
	return pickWorkflow(list, faults, name)
}

// pickWorkflow returns the workflow with a name, or the error of its file.
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
	return comfy.Workflow{}, fmt.Errorf("no workflow %q; ghostlight workflow list prints them", name)
}

func workflowListCommand(app *cli.App) *cobra.Command {
	var check bool
	c := &cobra.Command{Use: "list", Short: "list the workflows, and whether they can be used"}
	c.RunE = app.WithEngine(func(ctx context.Context, e *engine.Engine, _ []string) error {
		list, faults := e.Pictures.Workflows.List()
		app.Notes(cli.ErrorTexts(faults))
		lacks := map[string]string{}
		if check {
			lacks = e.Pictures.Workflows.Offers(ctx)
		}
		row := func(w comfy.Workflow) workflowDoc {
			row := newWorkflowDoc(w)
			row.Lacks = lacks[w.Name]
			return row
		}
		return cli.PrintList(app, list, row, func(w comfy.Workflow) []string {
			row := row(w)
			return []string{row.Name, string(row.Kind), row.Summary, row.state()}
		})
	})
	c.Flags().BoolVar(&check, "check", false, "check what is missing on the servers for the built-in workflows")
	return c
}

type serverCheck struct {
	pictures.WorkflowCheck
	Words string `json:"words"`
}

func workflowCheckCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "check WORKFLOW",
		Short: "check which nodes and files of a workflow are missing on the servers",
		Long: "Check which nodes, checkpoints and other files of a workflow are missing on each server. If every " +
			"server lacks something or is " +
			"offline, the exit code is 1.",
		RunE: app.WithEngine(func(ctx context.Context, e *engine.Engine, args []string) error {
			checks, err := e.Pictures.Workflows.Check(ctx, args[0])
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
				doc.Servers = append(doc.Servers, serverCheck{c, c.Message()})
				if words := c.Message(); words != "" {
					wrong = append(wrong, c.Server+": "+words)
				} else {
					fit = true
				}
			}
			var fault error
			if !fit {
				fault = settings.Faults(wrong)
				doc.Error = fault.Error()
			}
			if !app.JSON && fault != nil {
				return fault
			}
			app.Notes(wrong)
			err = app.Print(doc, func(p *cli.Page) {
				for _, s := range doc.Servers {
					if s.Words == "" {
						p.Linef("%s has everything needed", s.Server)
					}
				}
			})
			if err != nil {
				return err
			}
			return fault
		})}
}

func workflowMapCommand(app *cli.App) *cobra.Command {
	var confirm, forget bool
	said := map[string]*[]string{}
	c := &cobra.Command{Use: "map WORKFLOW", Short: "map the inputs of a workflow"}
	c.Long = "Map the inputs of a workflow. The mapping is kept until the file changes. Write inputs as NODE.INPUT, " +
		"as ghostlight workflow show " +
		"lists them; a flag can be repeated, and - clears a value. Inputs without a flag stay as detected. Without " +
		"flags, the mapping is only printed."
	c.RunE = app.WithEngine(func(_ context.Context, e *engine.Engine, args []string) error {
		m, changed := comfy.Map(nil), false
		w, err := findWorkflow(e, args[0])
		if err != nil && !forget {
			return err
		}
		if err == nil {
			m = w.Map()
		}
		for name, list := range said {
			if !c.Flags().Changed(strings.ReplaceAll(name, "_", "-")) {
				continue
			}
			changed = true
			if m[name], err = readSpots(*list); err != nil {
				return err
			}
		}
		switch {
		case forget && (confirm || changed):
			return cli.UsageError("--forget cannot be combined with other flags")
		case forget:
			err = e.Pictures.Workflows.Confirm(args[0], nil)
		case confirm || changed:
			err = e.Pictures.Workflows.Confirm(args[0], m)
		}
		if err != nil {
			return err
		}
		if w, err = findWorkflow(e, args[0]); err != nil {
			return err
		}
		return Workflows.Print(app, w)
	})
	for _, in := range pictures.WorkflowInputs() {
		said[in.Name] = c.Flags().
			StringArray(strings.ReplaceAll(in.Name, "_", "-"), nil, "map `NODE.INPUT` to: "+in.Label)
	}
	c.Flags().BoolVar(&confirm, "confirm", false, "confirm the detected mapping")
	c.Flags().BoolVar(&forget, "forget", false, "delete the mapping")
	return c
}

// readSpots parses inputs on the command line.
func readSpots(list []string) ([]comfy.NodeInput, error) {
	out := []comfy.NodeInput{}
	for _, text := range list {
		if text == "-" && len(list) == 1 {
			return out, nil
		}
		node, input, ok := strings.Cut(text, ".")
		if !ok || node == "" || input == "" {
			return nil, cli.UsageError(cli.Quote(text) + " is not an input; write it NODE.INPUT, such as 6.text")
		}
		out = append(out, comfy.NodeInput{Node: node, Input: input})
	}
	return out, nil
}

func workflowImportCommand(app *cli.App) *cobra.Command {
	var name string
	var force bool
	c := &cobra.Command{Use: "import FILE", Short: "copy a workflow file into the workflow folder",
		Long: "Copy a workflow, exported from ComfyUI in API format, into the workflow folder; - reads standard " +
			"input. " +
			"A PNG or WebP file made by ComfyUI works too, because it contains its workflow. Placeholders of other " +
			"programs are supported."}
	c.RunE = app.WithoutEngine(func(_ context.Context, _ *cobra.Command, args []string) error {
		var w comfy.Workflow
		err := app.ReadInput(args[0], "workflow.json", comfy.MaxWorkflowPicture, func(path string) (err error) {
			w, err = comfy.ImportWorkflow(app.ConfigDir("workflows"), path, name, force)
			return err
		})
		if errors.Is(err, comfy.ErrExists) {
			return errors.New(
				strings.TrimPrefix(
					err.Error(),
					"comfy import: ",
				) + "; --force replaces it, --name N imports under another name",
			)
		}
		if err != nil {
			return err
		}
		doc := struct {
			workflowDoc
			File string `json:"file"`
		}{newWorkflowDoc(w), filepath.Join(app.ConfigDir("workflows"), w.Name+".json")}
		if doc.Fault != "" {
			app.Note("note: %s", doc.Fault)
		}
		switch {
		case doc.Fault != "":
			app.Note("note: map its inputs: ghostlight workflow map %s", cli.Quote(w.Name))
		case doc.Unsure:
			app.Note(
				"note: check the input mapping and confirm it: ghostlight workflow map %s --confirm",
				cli.Quote(w.Name),
			)
		}
		return app.Print(doc, func(p *cli.Page) {
			p.Linef("imported %s", cli.OneLine(doc.Name))
			for _, s := range append(doc.Found, doc.Warnings...) {
				p.Line("  " + s)
			}
		})
	})
	c.Flags().StringVar(&name, "name", "", "call it `N` (default: the file's name)")
	c.Flags().BoolVar(&force, "force", false, "replace a workflow of that name")
	return c
}

// ConfigWorkflowsCommand returns ghostlight config workflows.
func ConfigWorkflowsCommand(app *cli.App) *cobra.Command {
	return &cobra.Command{Use: "workflows [WORKFLOW]", Short: "list the workflows, or describe one",
		RunE: app.RunOrDelegate(func(_ context.Context, c *cobra.Command, args []string) error {
			list, faults := app.UsableWorkflows(c.CommandPath())
			if len(args) == 0 {
				return printWorkflows(app, list, faults)
			}
			w, err := pickWorkflow(list, faults, args[0])
			if err != nil {
				return err
			}
			doc := newWorkflowDoc(w)
			return app.Print(doc, func(p *cli.Page) {
				p.Linef("%s  %s, by its %s", cli.OneLine(doc.Name), doc.Kind, doc.Summary)
				for _, s := range append(doc.Found, doc.Warnings...) {
					p.Line("  " + s)
				}
			})
		})}
}

func printWorkflows(app *cli.App, list []comfy.Workflow, faults []error) error {
	app.Notes(cli.ErrorTexts(faults))
	return cli.PrintList(app, list, newWorkflowDoc, func(w comfy.Workflow) []string {
		doc := newWorkflowDoc(w)
		return []string{doc.Name, string(doc.Kind), doc.Summary}
	})
}
