package pictures

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// flowMap is the dialog for the mapping of a workflow.
type flowMap struct {
	widget.Form
	part      *Part
	flow      flow
	names     []string // the value of each field
	options   [][][]pictures.WorkflowNodeInput
	onConfirm func() tea.Cmd
}

// openMap opens the mapping of the preview's workflow.
func (p *preview) openMap() tea.Cmd {
	f := p.flow()
	p.asked[f.name] = true
	openFlowMap(p.part, f, func() tea.Cmd {
		return p.part.host.Do(func() func() tea.Cmd {
			flows := readFlows(p.part.host.Engine())
			return func() tea.Cmd {
				at := p.At
				p.takeFlows(flows)
				p.Focus(at)
				p.Fault = ""
				if p.flow().confirmed {
					p.Said = draw.Truncate(f.name, 40) + " confirmed"
				}
				return nil
			}
		})
	})
	return nil
}

// noMap returns the reason why a workflow has no mapping to edit, "" if it has.
func (f *flow) noMap() string {
	switch {
	case f.name == "":
		return "no workflow"
	case len(f.inputs) == 0:
		return draw.Truncate(f.name, 40) + " has no input for a prompt"
	case f.source == "placeholders" && f.fault == "":
		return draw.Truncate(f.name, 40) + " needs no mapping: it uses placeholders"
	case f.builtin:
		return draw.Truncate(f.name, 40) + " is built in and already mapped"
	}
	return ""
}

// openFlowMap opens the dialog of a workflow's mapping; then follows once it is confirmed.
func openFlowMap(r *Part, f flow, then func() tea.Cmd) {
	d := &flowMap{part: r, flow: f, onConfirm: then}
	d.Title, d.Verb = "Input mapping of "+draw.Truncate(f.name, 40), "confirm"
	for _, in := range pictures.WorkflowInputs() {
		d.addField(in.Name, in.Label, in.Needed)
	}
	d.Below = below(d.describe)
	d.Save = func(*widget.Form) (tea.Cmd, error) { return d.confirm(d.values(), false), nil }
	d.Keys = []keys.Action{{Name: keys.DialogRemove, Hint: "reset", Do: func() tea.Cmd {
		d.Close()
		return d.confirm(nil, true)
	}}}
	d.Start()
	r.host.Open(d)
}

// addField adds the field of a value: none, the current input, or one of the possible inputs.
func (d *flowMap) addField(name, label string, needed bool) {
	now := d.flow.values[name]
	options, words := [][]pictures.WorkflowNodeInput{nil}, []string{"as in the file"}
	if name == "prompt" || name == "negative" || name == "trigger" {
		words[0] = "nowhere"
	}
	chosen := 0
	if len(now) > 0 {
		chosen = 1
		options, words = append(options, now), append(words, d.inputText(now))
	}
	for _, s := range d.flow.inputs {
		if slices.Contains(s.takes, name) && !slices.Equal(now, []pictures.WorkflowNodeInput{s.at}) {
			options, words = append(options, []pictures.WorkflowNodeInput{s.at}), append(words, s.words)
		}
	}
	if len(options) == 1 && !needed {
		return
	}
	fd := widget.PickField(label, words[chosen], words)
	fd.Chosen = chosen // labels may occur twice
	d.Fields, d.names, d.options = append(d.Fields, fd), append(d.names, name), append(d.options, options)
}

// inputText describes inputs.
func (d *flowMap) inputText(list []pictures.WorkflowNodeInput) string {
	var out []string
	for _, at := range list {
		words := at.Input + " of node " + at.Node
		if i := slices.IndexFunc(d.flow.inputs, func(s flowInput) bool { return s.at == at }); i >= 0 {
			words = d.flow.inputs[i].words
		}
		out = append(out, words)
	}
	return listed(out)
}

// values returns the mapping in the fields. Values without a field stay as detected.
func (d *flowMap) values() pictures.WorkflowValues {
	out := maps.Clone(d.flow.values)
	if out == nil {
		out = pictures.WorkflowValues{}
	}
	for i, name := range d.names {
		if spots := d.options[i][d.Fields[i].Chosen]; len(spots) > 0 {
			out[name] = spots
		} else {
			delete(out, name)
		}
	}
	return out
}

// describe describes the file's value at the chosen input, and why the file alone is ambiguous.
func (d *flowMap) describe() []remark {
	var out []remark
	if d.flow.fault != "" {
		out = append(out, remark{text: d.flow.fault, bad: true})
	}
	spots := d.options[d.At][d.Fields[d.At].Chosen]
	for _, at := range spots {
		i := slices.IndexFunc(d.flow.inputs, func(s flowInput) bool { return s.at == at })
		if i >= 0 && strings.TrimSpace(d.flow.inputs[i].value) != "" {
			out = append(out, remark{label: "Currently ", text: draw.Truncate(d.flow.inputs[i].value, 160)})
		}
	}
	if d.names[d.At] == "prompt" && len(spots) == 0 {
		out = append(out, remark{text: "not mapped: the prompt is not used", bad: true})
	}
	return append(out, remark{text: "The mapping is kept until the file changes."})
}

// confirm saves or removes the mapping. On an error it opens the dialog again.
func (d *flowMap) confirm(values pictures.WorkflowValues, forget bool) tea.Cmd {
	return d.part.host.Do(func() func() tea.Cmd {
		err := d.part.host.Engine().Pictures.Workflows.Confirm(d.flow.name, values)
		return func() tea.Cmd {
			if err != nil {
				d.Fault = failure.Text(err)
				d.part.host.Open(d)
				return nil
			}
			cmd := d.onConfirm()
			if forget {
				return tea.Batch(cmd, d.part.host.Say(event.Info,
					"mapping deleted for "+draw.Truncate(d.flow.name, 40)))
			}
			return cmd
		}
	})
}
