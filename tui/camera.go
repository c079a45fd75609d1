package tui

import (
	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/capture"
)

// openCamera lets the user choose how the moment is seen; the choice is added to
// the prompt in plain words, where it can still be edited.
func (p *preview) openCamera() tea.Cmd {
	controls := []struct {
		label   string
		presets []capture.Preset
		key     *string
	}{
		{"Shot", capture.Shots(), &p.camera.Shot},
		{"Angle", capture.Angles(), &p.camera.Angle},
		{"Lens", capture.Lenses(), &p.camera.Lens},
		{"Light", capture.Lightings(), &p.camera.Lighting},
		{"Composition", capture.Compositions(), &p.camera.Composition},
		{"Mood", capture.Moods(), &p.camera.Mood},
	}
	f := &form{title: "Camera", notes: []string{"← → choose. What is chosen is added to the prompt, where you can still change it."},
		foot: "tab next · ^S add to the prompt · esc close"}
	for _, c := range controls {
		names, now := []string{"–"}, "–"
		for _, o := range c.presets {
			names = append(names, o.Label)
			if o.Key == *c.key {
				now = o.Label
			}
		}
		f.fields = append(f.fields, pickField(c.label, now, names))
	}
	f.save = func(f *form) (tea.Cmd, error) {
		for i, c := range controls {
			*c.key = ""
			if n := f.fields[i].chosen; n > 0 {
				*c.key = c.presets[n-1].Key
			}
		}
		in := p.fields[fieldPrompt].in
		in.area.SetValue(capture.Direct(in.value(), p.camera))
		return nil, nil
	}
	p.a.dialogs.open(f.start())
	return nil
}
