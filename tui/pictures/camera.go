package pictures

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// noChoice is the label of a control that is left to the prompt.
const noChoice = "–"

// cameraText describes a camera in one line, "" if nothing is set.
func cameraText(c storage.Camera) string {
	var out []string
	for _, control := range capture.Controls() {
		key := *control.Value(&c)
		for _, p := range control.Presets {
			if p.Key != key {
				continue
			}
			words := strings.ToLower(p.Label[:1]) + p.Label[1:]
			switch {
			case control.Key == "angle" && (key == "low" || key == "high"):
				words += " angle"
			case control.Key == "mood":
				words += " mood"
			}
			out = append(out, words)
		}
	}
	return strings.Join(out, draw.Separator)
}

// cameraDialog lets the user choose the camera. The choices become phrases of the prompt, which
// can be edited.
type cameraDialog struct {
	widget.Form
	part    *Part
	presets []pictures.NamedCamera // the user's own first
	own     int                    // of these are the user's
	order   widget.Sequence        // of the changes
	apply   func(storage.Camera) tea.Cmd
}

// openCamera opens the dialog with a camera; apply is called with the user's choice.
func (r *Part) openCamera(now storage.Camera, apply func(storage.Camera) tea.Cmd) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		kept, err := r.host.Engine().Pictures.Cameras.List()
		return func() tea.Cmd {
			d := &cameraDialog{part: r, apply: apply}
			d.Title, d.Verb = "Camera", "apply"
			d.Fields = []*widget.Field{widget.PickField("Preset", noChoice, []string{noChoice})}
			for _, c := range capture.Controls() {
				names := []string{noChoice}
				for _, p := range c.Presets {
					names = append(names, p.Label)
				}
				d.Fields = append(d.Fields, widget.PickField(c.Label, noChoice, names))
			}
			d.show(now)
			d.setPresets(kept)
			d.Below = below(d.adds)
			d.Save = func(*widget.Form) (tea.Cmd, error) { return d.apply(d.camera()), nil }
			d.Keys = []keys.Action{
				{Name: keys.DialogNew, Hint: "new preset", Do: d.openName},
				{Name: keys.DialogDelete, Hint: "delete preset", Do: d.deletePreset},
				{Name: keys.DialogClear, Hint: "clear", Do: keys.Does(func() { d.show(storage.Camera{}) })},
			}
			d.Start()
			d.Focus(1)
			r.host.Open(d)
			if err != nil {
				return r.host.Fail(err)
			}
			return nil
		}
	})
}

// setPresets offers the user's presets and the bundled ones.
func (d *cameraDialog) setPresets(kept []pictures.NamedCamera) {
	d.presets = slices.Clone(kept)
	d.own = len(kept)
	for _, b := range capture.Cameras() {
		i := slices.IndexFunc(d.presets, func(p pictures.NamedCamera) bool { return p.Name == b.Name })
		if i < 0 {
			d.presets = append(d.presets, pictures.NamedCamera(b))
		} else if d.presets[i].Camera == b.Camera {
			d.presets = append(append(d.presets[:i:i], d.presets[i+1:]...), pictures.NamedCamera(b))
			d.own--
		}
	}
	names := []string{noChoice}
	for _, p := range d.presets {
		names = append(names, p.Name)
	}
	d.Fields[0] = widget.PickField("Preset", noChoice, names)
	d.selectMatching()
}

// camera returns the values of the fields.
func (d *cameraDialog) camera() (out storage.Camera) {
	for i, c := range capture.Controls() {
		if n := d.Fields[i+1].Chosen; n > 0 {
			*c.Value(&out) = c.Presets[n-1].Key
		}
	}
	return out
}

// show sets the fields to a camera.
func (d *cameraDialog) show(now storage.Camera) {
	for i, c := range capture.Controls() {
		key := *c.Value(&now)
		d.Fields[i+1].Chosen = 1 + slices.IndexFunc(c.Presets, func(p capture.Preset) bool { return p.Key == key })
	}
}

// selectMatching selects the preset that equals the fields, if any.
func (d *cameraDialog) selectMatching() {
	now := d.camera()
	d.Fields[0].Chosen = 0
	if now == (storage.Camera{}) {
		return
	}
	d.Fields[0].Chosen = 1 + slices.IndexFunc(d.presets, func(p pictures.NamedCamera) bool { return p.Camera == now })
}

// adds returns the words that the choice adds to a prompt.
func (d *cameraDialog) adds() []remark {
	words := strings.Join(capture.Phrases(d.camera()), ", ")
	if words == "" {
		return []remark{{text: "No camera settings: the prompt decides."}}
	}
	return []remark{{label: "Adds ", text: words}}
}

// Actions implements widget.Dialog: the preset and the fields are kept in sync.
func (d *cameraDialog) Actions() []keys.Action {
	list := d.Form.Actions()
	for i := range list {
		do := list[i].Do
		list[i].Do = func() tea.Cmd {
			was, before := d.Fields[0].Chosen, d.camera()
			cmd := do()
			d.update(was, before)
			return cmd
		}
	}
	return list
}

// update syncs preset and fields; was and before are their previous values.
func (d *cameraDialog) update(was int, before storage.Camera) {
	switch n := d.Fields[0].Chosen; {
	case d.camera() != before:
		d.selectMatching()
	case n != was && n > 0:
		d.show(d.presets[n-1].Camera)
	case n != was:
		d.show(storage.Camera{})
	}
}

// openName saves the choice under a name.
func (d *cameraDialog) openName() tea.Cmd {
	now := d.camera()
	if now == (storage.Camera{}) {
		d.Fault = "choose a setting first"
		return nil
	}
	f := &widget.Form{}
	f.Title = "Save this camera"
	name := ""
	if n := d.Fields[0].Chosen; n > 0 {
		name = d.presets[n-1].Name
	}
	f.Fields = []*widget.Field{widget.LineField(d.part.host.Styles(), "Name", name, "for example: night street")}
	f.Below = below(func() []remark { return []remark{{text: cameraText(now)}} })
	f.Save = func(*widget.Form) (tea.Cmd, error) {
		name := strings.TrimSpace(f.Fields[0].Value())
		if name == "" {
			return nil, pane.ErrNeedsName
		}
		return d.change("saved as "+draw.Truncate(name, 40), func() error {
			return d.part.host.Engine().Pictures.Cameras.Save(pictures.NamedCamera{Name: name, Camera: now})
		}), nil
	}
	f.Start()
	d.part.host.Open(f)
	return nil
}

// deletePreset deletes the chosen preset if it is the user's.
func (d *cameraDialog) deletePreset() tea.Cmd {
	n := d.Fields[0].Chosen
	switch {
	case n == 0:
		d.Fault = "no preset is selected"
		return nil
	case n > d.own:
		d.Fault = fmt.Sprintf("%s is built in and cannot be deleted", d.presets[n-1].Name)
		return nil
	}
	name := d.presets[n-1].Name
	return d.change(draw.Truncate(name, 40)+" deleted; "+d.Key(keys.DialogNew)+" saves it again", func() error {
		return d.part.host.Engine().Pictures.Cameras.Delete(name)
	})
}

// change changes the presets and reads them again.
func (d *cameraDialog) change(words string, do func() error) tea.Cmd {
	return d.order.Do(d.part.host, func() func() tea.Cmd {
		err := do()
		kept, err2 := d.part.host.Engine().Pictures.Cameras.List()
		return func() tea.Cmd {
			if err != nil {
				d.Fault = failure.Text(err)
				return nil
			}
			if err2 == nil {
				d.setPresets(kept)
			}
			d.Said = words
			return nil
		}
	})
}
