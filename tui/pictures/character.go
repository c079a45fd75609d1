package pictures

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
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
	charLora
	charSeeds
)

// seedWords are the ways to choose seeds, in the order of seedPolicies.
var (
	seedWords    = []string{"a new one each time", "one for a batch or a storyboard", "always the same"}
	seedPolicies = []storage.SeedPolicy{storage.SeedNew, storage.SeedBatch, storage.SeedFixed}
)

// anyFlow is the choice of no workflow in particular.
const anyFlow = "the first that fits"

// EditCharacter lets the user write a new character, or rewrite one.
func (r *Room) EditCharacter(c storage.Character) tea.Cmd {
	return r.desk.Do(func() func() tea.Cmd {
		flows := readFlows(r.desk.Engine())
		return func() tea.Cmd {
			r.desk.Open(r.characterForm(c, flows))
			return nil
		}
	})
}

func (r *Room) characterForm(c storage.Character, flows []flow) *studioForm {
	levels := []string{string(storage.Minimal), string(storage.Balanced), string(storage.Full), string(storage.Unbounded)}
	f := &studioForm{}
	f.Title, f.Foot = "New character", "tab next · ^S save · esc close"
	if c.ID != "" {
		f.Title = "Edit " + safetext.Line(c.Card.Name)
	}
	size := ""
	if c.Imagery.Width > 0 && c.Imagery.Height > 0 {
		size = fmt.Sprintf("%dx%d", c.Imagery.Width, c.Imagery.Height)
	}
	f.Fields = []*widget.Field{
		widget.LineField(r.desk.Look(), "Name", c.Card.Name, "as the model will know them"),
		widget.TextField(r.desk.Look(), "Description", c.Card.Description, 6),
		widget.TextField(r.desk.Look(), "Personality", c.Card.Personality, 3),
		widget.TextField(r.desk.Look(), "Scenario", c.Card.Scenario, 3),
		widget.TextField(r.desk.Look(), "First message", c.Card.FirstMessage, 5),
		widget.PickField("Immersion", string(c.Immersion), levels),
		widget.TextField(r.desk.Look(), "Appearance, for pictures", c.Imagery.Appearance, 2),
		widget.LineField(r.desk.Look(), "Style", c.Imagery.Style, "of pictures, such as oil painting"),
		widget.LineField(r.desk.Look(), "Avoid", c.Imagery.NegativePrompt, "negative prompt of pictures"),
		widget.LineField(r.desk.Look(), "Trigger", c.Imagery.TriggerWord, "trigger word of the picture model"),
		flowField("Workflow", c.Imagery.Workflow, imageKind, flows),
		flowField("For videos", c.Imagery.VideoWorkflow, videoKind, flows),
		widget.LineField(r.desk.Look(), "Size", size, "of pictures, such as 832x1216"),
		widget.PickField("On request", yesNo(!c.Imagery.Off), yesNoWords),
		widget.LineField(r.desk.Look(), "LoRA", loraText(c.Imagery), "of their look, with a weight: tove 0.8"),
		widget.PickField("Seeds", seedWords[max(0, slices.Index(seedPolicies, c.Imagery.Seeds))], seedWords),
	}
	if c.ID != "" {
		f.Foot = "tab next · ^S save · ^G reference images · esc close"
		f.Keys = []widget.Extra{{Key: "ctrl+g", Words: "reference images", Keep: true, Do: func(widget.Entry) tea.Cmd { return r.openReferences(c.ID) }}}
	}
	f.below = func() []remark {
		switch f.At {
		case charLora:
			return []remark{{text: "The file on ComfyUI's side, with or without its ending. Workflows need a place for it; those built in have one."}}
		case charAsked:
			return []remark{{text: "Whether a picture is offered when you ask for one in the chat. The capture keys work either way."}}
		}
		return nil
	}
	f.Save = func(*widget.Form) (tea.Cmd, error) {
		n, err := takeCharacter(f.Fields, c)
		if err != nil {
			return nil, err
		}
		return r.desk.Do(func() func() tea.Cmd {
			if now, err := r.desk.Engine().Library.FindCharacter(string(n.ID)); err == nil && n.ID != "" {
				n.Imagery.References = now.Imagery.References // they have a dialog of their own
			}
			_, err := r.desk.Engine().Library.SaveCharacter(n)
			return func() tea.Cmd {
				if err == nil {
					return nil
				}
				f.Fault = failure.Words(err) // what was written stays at hand
				r.desk.Open(f)
				return nil
			}
		}), nil
	}
	f.Start()
	return f
}

// flowField chooses a workflow of a kind by its name.
func flowField(label, value, kind string, flows []flow) *widget.Field {
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
	return widget.PickField(label, value, options)
}

// flowValue is the name that such a field says, "" for none in particular.
func flowValue(f *widget.Field) string {
	if f.Chosen == 0 {
		return ""
	}
	return f.Value()
}

// takeCharacter is a character with what the fields of its form say.
func takeCharacter(fields []*widget.Field, c storage.Character) (storage.Character, error) {
	line := func(i int) string { return strings.TrimSpace(fields[i].Value()) }
	n := c
	n.Card.Name, n.Card.Description = line(charName), fields[charDescription].Value()
	n.Card.Personality, n.Card.Scenario, n.Card.FirstMessage = fields[charPersonality].Value(), fields[charScenario].Value(), fields[charFirst].Value()
	n.Immersion = storage.Immersion(fields[charImmersion].Value())
	n.Imagery.Appearance, n.Imagery.Style = fields[charAppearance].Value(), line(charStyle)
	n.Imagery.NegativePrompt, n.Imagery.TriggerWord = line(charAvoid), line(charTrigger)
	n.Imagery.Workflow, n.Imagery.VideoWorkflow = flowValue(fields[charWorkflow]), flowValue(fields[charVideo])
	n.Imagery.Off = fields[charAsked].Chosen != 0
	n.Imagery.Seeds = seedPolicies[fields[charSeeds].Chosen]
	var err error
	if n.Imagery.Lora, n.Imagery.LoraWeight, err = parseLora(fields[charLora].Value()); err != nil {
		return n, err
	}
	if n.Card.Name == "" {
		return n, desk.ErrNeedsName
	}
	w, h, err := parseSize(fields[charSize].Value())
	n.Imagery.Width, n.Imagery.Height = w, h
	return n, err
}
