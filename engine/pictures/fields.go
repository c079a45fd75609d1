package pictures

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
)

// RandomSeed is the user's notation for a random seed; it is stored as no seed.
const RandomSeed = -1

// EditFields are the fields of a capture that the user can change before it is sent.
var EditFields = field.Record[CaptureEdit]{Noun: "a capture", Fields: []field.Spec[CaptureEdit]{
	{
		Name:      "image_prompt",
		Flag:      "prompt",
		Help:      "the prompt that is sent",
		Multiline: true,
		At:        func(e *CaptureEdit) any { return &e.ImagePrompt },
	},
	{Name: "negative_prompt", Flag: "negative", Help: "the negative prompt", Multiline: true,
		At: func(e *CaptureEdit) any { return &e.NegativePrompt }},
	{
		Name:  "seed",
		Flag:  "seed",
		Help:  "the seed `N`; empty or -1 for a random one",
		Check: checkSeed,
		At:    func(e *CaptureEdit) any { return &e.Seed },
	},
	{Name: "workflow_id", Flag: "workflow", Help: "the workflow `WORKFLOW`; ghostlight workflow list prints them",
		At: func(e *CaptureEdit) any { return &e.Workflow }},
	{
		Name:        "width",
		Flag:        "width",
		Help:        "width in `PIXELS`; needs a height; 0 uses the defaults of character and workflow",
		Min:         1,
		Max:         comfy.MaxSide,
		ZeroIsEmpty: true,
		At:          func(e *CaptureEdit) any { return &e.Width },
	},
	{Name: "height", Flag: "height", Help: "height in `PIXELS`", Min: 1, Max: comfy.MaxSide, ZeroIsEmpty: true,
		At: func(e *CaptureEdit) any { return &e.Height }},
	{
		Name: "strength",
		Path: "start.strength",
		Flag: "strength",
		Help: "how much of the start picture may change, from 0 to 1",
		Max:  1,
		At:   func(e *CaptureEdit) any { return &e.Strength },
	},
}}

func checkSeed(e *CaptureEdit) error {
	if e.Seed != nil && *e.Seed < RandomSeed {
		return errors.New("a whole number, 0 or more, or empty for a random one")
	}
	return nil
}

// Limits of a size that is written as text, in pixels.
const (
	minSide = 64
	maxSide = 4096
)

// ParseSize parses a size in pixels, such as "1024x768"; a blank text is 0 × 0. Its error is a
// *field.Error.
func ParseSize(text string) (width, height int, err error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if text == "" {
		return 0, 0, nil
	}
	left, right, ok := strings.Cut(strings.ReplaceAll(text, "×", "x"), "x")
	width, err1 := strconv.Atoi(strings.TrimSpace(left))
	height, err2 := strconv.Atoi(strings.TrimSpace(right))
	if !ok || err1 != nil || err2 != nil || min(width, height) < minSide || max(width, height) > maxSide {
		words := fmt.Sprintf("must be two numbers from %d to %d, such as 1024x768, or empty", minSide, maxSide)
		return 0, 0, &field.Error{Name: "size", Reason: words}
	}
	return width, height, nil
}

// WorkflowInput is a value that a workflow can take.
type WorkflowInput struct {
	Name, Label string
	Needed      bool // it is offered even if a file has no place for it
}

// WorkflowInputs returns the values that workflows can take, in the order of forms.
func WorkflowInputs() []WorkflowInput {
	return []WorkflowInput{
		{"prompt", "Prompt", true}, {"negative", "Negative", true}, {"seed", "Seed", true}, {"width", "Width", true},
		{
			"height",
			"Height",
			true,
		}, {"trigger", "Trigger", false}, {"checkpoint", "Checkpoint", false}, {"lora", "LoRA", false},
		{"lora_weight", "LoRA weight", false}, {"reference", "Reference", false}, {"reference_2", "Reference 2", false},
		{"source", "Start picture", false}, {"denoise", "Strength", false},
	}
}
