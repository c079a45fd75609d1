package pictures

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The fields of a character's form, in their order.
const (
	charName = iota
	charDescription
	charFirst
	charScenario
	charPersonality
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
	seedWords    = []string{"random", "same for a batch or storyboard", "fixed"}
	seedPolicies = []storage.SeedPolicy{storage.SeedNew, storage.SeedBatch, storage.SeedFixed}
)

// anyFlow is the choice of no workflow in particular.
const anyFlow = "automatic"

// EditCharacter lets the user write a new character, or rewrite one. then is done with the character
// once it is saved; it may be nil.
func (r *Part) EditCharacter(c storage.Character, then func(storage.Character) tea.Cmd) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		flows := readFlows(r.host.Engine())
		return func() tea.Cmd {
			r.host.Open(r.characterForm(c, flows, then))
			return nil
		}
	})
}

// The groups of a character's form. All but the first are folded.
const (
	who    = "Character"
	manner = "Roleplay"
	looks  = "Pictures"
)

func (r *Part) characterForm(c storage.Character, flows []flow, then func(storage.Character) tea.Cmd) *pane.LongForm {
	f := widget.Form{Title: "New character"}
	if c.ID != "" {
		f.Title = "Edit " + safetext.Line(c.Card.Name)
		f.Keys = []keys.Action{{Name: keys.DialogBrowse, Hint: "reference images",
			Do: func() tea.Cmd { return r.openReferences(c.ID) }}}
	}
	var specs []pane.FieldSpec
	add := func(group, label, help string, field *widget.Field) {
		spec := pane.FieldSpec{Group: group, Label: label, Help: help}
		if group != who {
			usual := ""
			if field.Input == nil {
				usual = field.Options[0]
			}
			spec.Differs = func(f *widget.Field) bool { return f.Value() != usual }
		}
		if field.Input != nil && !field.Input.Single {
			spec.Above = func(string) string { return "" }
		}
		f.Fields, specs = append(f.Fields, field), append(specs, spec)
	}
	r.characterFields(c, flows, add)
	return pane.NewLongForm(r.host, f, specs, func() (func() (func() tea.Cmd, error), error) {
		n, err := takeCharacter(f.Fields, c)
		if err != nil {
			return nil, err
		}
		return func() (func() tea.Cmd, error) {
			library := r.host.Engine().Library
			if now, err := library.FindCharacter(string(n.ID)); err == nil && n.ID != "" {
				n.Imagery.References = now.Imagery.References // they have a dialog of their own
			}
			saved, err := library.SaveCharacter(n)
			if err != nil || then == nil {
				return nil, err
			}
			return func() tea.Cmd { return then(saved) }, nil
		}, nil
	})
}

// characterFields adds the fields of a character's form.
func (r *Part) characterFields(c storage.Character, flows []flow, add func(group, label, help string, field *widget.Field)) {
	sty, im := r.host.Styles(), c.Imagery
	line := func(group, label, value, empty, help string) {
		add(group, label, help, widget.LineField(sty, label, value, empty))
	}
	text := func(group, label, value, help string, rows int) {
		add(group, label, help, widget.TextField(sty, label, value, rows))
	}
	pick := func(label, value, help string, options []string) {
		add(looks, label, help, widget.PickField(label, value, options))
	}
	line(who, "Name", c.Card.Name, "the character's name", "")
	text(who, "Description", c.Card.Description, "Personality, goals and appearance.", 6)
	text(who, "First message", c.Card.FirstMessage, "The greeting of a new chat.", 5)
	text(who, "Scenario", c.Card.Scenario, "Where the story starts, and your relationship.", 3)
	text(manner, "Personality", c.Card.Personality, "", 3)
	add(manner, "Immersion", "How strictly the model stays in character.", widget.PickField("Immersion", string(c.Immersion),
		[]string{string(storage.Full), string(storage.Minimal), string(storage.Balanced), string(storage.Unbounded)}))
	text(looks, "Appearance", im.Appearance, "Included in every picture of the character.", 2)
	line(looks, "Style", im.Style, "for example: oil painting", "")
	line(looks, "Negative prompt", im.NegativePrompt, "negative prompt", "")
	line(looks, "Trigger", im.TriggerWord, "trigger word of the picture model", "")
	add(looks, "Workflow", "", flowField("Workflow", im.Workflow, imageKind, flows))
	add(looks, "For videos", "", flowField("For videos", im.VideoWorkflow, videoKind, flows))
	size := ""
	if im.Width > 0 && im.Height > 0 {
		size = fmt.Sprintf("%dx%d", im.Width, im.Height)
	}
	line(looks, "Size", size, "for example 832x1216", "")
	pick("On request", yesNo(!im.Off), "Whether asking for a picture in the chat creates one. The capture keys work either way.", yesNoWords)
	line(looks, "LoRA", loraText(im), "name and weight: tove 0.8",
		"The LoRA file in ComfyUI, with or without extension. The workflow must support a LoRA; built-in ones do.")
	pick("Seeds", seedWords[max(0, slices.Index(seedPolicies, im.Seeds))], "", seedWords)
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
		return n, pane.ErrNeedsName
	}
	w, h, err := pictures.ParseSize(fields[charSize].Value())
	n.Imagery.Width, n.Imagery.Height = w, h
	return n, err
}
