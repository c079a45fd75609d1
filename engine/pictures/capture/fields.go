package capture

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// CameraFields are the controls of the camera.
var CameraFields = field.Record[Camera]{Noun: "the camera", Fields: controlFields()}

func controlFields() (fields []field.Spec[Camera]) {
	for _, c := range Controls() {
		choices := []field.Choice{{}}
		for _, p := range c.Presets {
			choices = append(choices, field.Choice{Value: p.Key, Label: p.Label})
		}
		fields = append(fields, field.Spec[Camera]{Name: c.Key, Flag: c.Flag, Label: c.Label, Choices: choices,
			Help: strings.ToLower(c.Label) + " `KEY` of the camera", At: func(v *Camera) any { return c.Value(v) }})
	}
	return fields
}

// CheckCamera returns a camera with the keys as the lists spell them, or a *field.Error, which
// says which keys there are.
func CheckCamera(c Camera) (Camera, error) {
	for i := range CameraFields.Fields {
		s := &CameraFields.Fields[i]
		if err := s.Set(&c, strings.TrimSpace(s.Get(&c))); err != nil {
			return Camera{}, err
		}
	}
	return c, nil
}

// FactFields are the fields of a line of the continuity sheet.
var FactFields = field.Record[storage.Fact]{Noun: "a line of the sheet", Fields: []field.Spec[storage.Fact]{
	{
		Name:    "kind",
		Label:   "About",
		Help:    "what the line is about",
		Choices: factChoices(),
		At:      func(f *storage.Fact) any { return &f.Kind },
	},
	{Name: "who", Label: "Who", Help: "who the line is about", Hint: "a name; empty: everyone",
		At: func(f *storage.Fact) any { return &f.Who }},
	{
		Name:     "text",
		Label:    "Text",
		Help:     "what stays the same from picture to picture",
		Required: true,
		Rows:     3,
		Check:    checkFactText,
		At:       func(f *storage.Fact) any { return &f.Text },
	},
	{Name: "muted", Label: "Muted", Help: "left out of prompts", At: func(f *storage.Fact) any { return &f.Muted }},
}}

func factChoices() (list []field.Choice) {
	for _, k := range FactKinds() {
		list = append(list, field.Choice{Value: string(k), Label: capitalize(string(k))})
	}
	return list
}

func checkFactText(f *storage.Fact) error {
	if n := utf8.RuneCountInString(f.Text); n > MaxFact {
		return fmt.Errorf("at most %d characters long, not %d: shorten it", MaxFact, n)
	}
	return nil
}
