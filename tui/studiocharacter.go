package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine"
	"ghostlight/storage"
	"ghostlight/tui/safetext"
)

// The fields of a character's form, in their order.
const (
	charName = iota
	charDescription
	charPersonality
	charScenario
	charFirst
	charImmersion
	charAppearance
	charStyle
	charAvoid
	charTrigger
	charWorkflow
	charVideo
	charSize
	charAsked
)

// anyFlow is the choice of no workflow in particular.
const anyFlow = "the first that fits"

// editCharacter lets the user write a new character, or rewrite one.
func (a *app) editCharacter(c storage.Character) tea.Cmd {
	return a.do(func() func() tea.Cmd {
		flows := readFlows(a.eng)
		return func() tea.Cmd {
			a.dialogs.open(a.characterForm(c, flows))
			return nil
		}
	})
}

func (a *app) characterForm(c storage.Character, flows []flow) *studioForm {
	levels := []string{string(storage.Minimal), string(storage.Balanced), string(storage.Full), string(storage.Unbounded)}
	f := &studioForm{}
	f.title, f.foot = "New character", "tab next · ^S save · esc close"
	if c.ID != "" {
		f.title = "Edit " + safetext.Line(c.Card.Name)
	}
	size := ""
	if c.Imagery.Width > 0 && c.Imagery.Height > 0 {
		size = fmt.Sprintf("%dx%d", c.Imagery.Width, c.Imagery.Height)
	}
	f.fields = []*field{
		lineField(a.lk, "Name", c.Card.Name, "as the model will know them"),
		textField(a.lk, "Description", c.Card.Description, 6),
		textField(a.lk, "Personality", c.Card.Personality, 3),
		textField(a.lk, "Scenario", c.Card.Scenario, 3),
		textField(a.lk, "First message", c.Card.FirstMessage, 5),
		pickField("Immersion", string(c.Immersion), levels),
		textField(a.lk, "Appearance, for pictures", c.Imagery.Appearance, 2),
		lineField(a.lk, "Style", c.Imagery.Style, "of pictures, such as oil painting"),
		lineField(a.lk, "Avoid", c.Imagery.NegativePrompt, "negative prompt of pictures"),
		lineField(a.lk, "Trigger", c.Imagery.TriggerWord, "trigger word of the picture model"),
		flowField("Workflow", c.Imagery.Workflow, imageKind, flows),
		flowField("For videos", c.Imagery.VideoWorkflow, videoKind, flows),
		lineField(a.lk, "Size", size, "of pictures, such as 832x1216"),
		pickField("On request", yesNo(!c.Imagery.Off), yesNoWords),
	}
	f.below = func() []remark {
		if f.at == charAsked {
			return []remark{{text: "Whether a picture is offered when you ask for one in the talk. Captures by key work either way."}}
		}
		return nil
	}
	f.save = func(*form) (tea.Cmd, error) {
		n, err := takeCharacter(f.fields, c)
		if err != nil {
			return nil, err
		}
		return a.do(func() func() tea.Cmd {
			_, err := a.eng.SaveCharacter(n)
			return func() tea.Cmd {
				if err == nil {
					return nil
				}
				f.fault = engine.Words(err) // what was written stays at hand
				a.dialogs.open(f)
				return nil
			}
		}), nil
	}
	f.start()
	return f
}

// flowField chooses a workflow of a kind by its name.
func flowField(label, value, kind string, flows []flow) *field {
	options := []string{anyFlow}
	for _, f := range flows {
		if f.kind == kind {
			options = append(options, f.name)
		}
	}
	if value == "" {
		value = anyFlow
	}
	if !slices.Contains(options, value) {
		options = append(options, value)
	}
	return pickField(label, value, options)
}

// flowValue is the name that such a field says, "" for none in particular.
func flowValue(f *field) string {
	if f.chosen == 0 {
		return ""
	}
	return f.value()
}

// takeCharacter is a character with what the fields of its form say.
func takeCharacter(fields []*field, c storage.Character) (storage.Character, error) {
	line := func(i int) string { return strings.TrimSpace(fields[i].value()) }
	n := c
	n.Card.Name, n.Card.Description = line(charName), fields[charDescription].value()
	n.Card.Personality, n.Card.Scenario, n.Card.FirstMessage = fields[charPersonality].value(), fields[charScenario].value(), fields[charFirst].value()
	n.Immersion = storage.Immersion(fields[charImmersion].value())
	n.Imagery.Appearance, n.Imagery.Style = fields[charAppearance].value(), line(charStyle)
	n.Imagery.NegativePrompt, n.Imagery.TriggerWord = line(charAvoid), line(charTrigger)
	n.Imagery.Workflow, n.Imagery.VideoWorkflow = flowValue(fields[charWorkflow]), flowValue(fields[charVideo])
	n.Imagery.Off = fields[charAsked].chosen != 0
	if n.Card.Name == "" {
		return n, errNeedsName
	}
	w, h, err := parseSize(fields[charSize].value())
	n.Imagery.Width, n.Imagery.Height = w, h
	return n, err
}
