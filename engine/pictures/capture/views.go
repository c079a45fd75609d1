package capture

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// ViewsFile is the prompt that asks for the camera sentences of a prompt to be rewritten for
// several cameras.
const ViewsFile = "capture/views"

// Views is the model's answer to ViewsMessages.
type Views struct {
	Views []View `json:"views"`
}

// View has the sentences for one camera, and the camera that they are written for.
type View struct {
	Camera    int                 `json:"camera"`
	Sentences []RewrittenSentence `json:"sentences"`
	Shot      string              `json:"shot"`
	Angle     string              `json:"angle"`
	Light     string              `json:"light"`
}

// RewrittenSentence is a rewritten sentence.
type RewrittenSentence struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

// maxSentences limits the sentences of a prompt that are shown.
const maxSentences = 40

// ViewsSchema returns the schema of Views for some cameras.
func ViewsSchema(cameras []Camera) json.RawMessage {
	number := func(name string, most int) namedField {
		return namedField{name: name, schemaField: schemaField{Type: "integer", Minimum: 1, Maximum: most}}
	}
	sentence := object(number("n", maxSentences), textField("text", 0, 500))
	view := append(
		[]namedField{number("camera", max(1, len(cameras))), listField("sentences", 12, sentence)},
		cameraFields(Camera{})...,
	)
	views := listField("views", len(cameras), object(view...))
	views.MinItems = len(cameras)
	ordered := []View{}
	for i, c := range cameras {
		v := View{
			Camera:    i + 1,
			Sentences: []RewrittenSentence{},
			Shot:      or(c.Shot, Other),
			Angle:     or(c.Angle, Other),
			Light:     or(c.Lighting, Other),
		}
		ordered = append(ordered, v)
	}
	views.Default = ordered
	return marshal(object(views))
}

// sentences returns the sentences of a prompt, with their positions.
func sentences(prompt string) (out []span) {
	for at, s := range text.Sentences(prompt) {
		if len(out) < maxSentences {
			out = append(out, span{at, at + len(s)})
		}
	}
	return out
}

// span is a part of a text, in bytes.
type span struct{ from, to int }

// ViewsMessages asks for the sentences of a prompt for several cameras; nil if it has none.
func ViewsMessages(set *prompts.Set, prompt string, cameras []Camera, extra string) (out []Message) {
	list := sentences(prompt)
	if len(list) == 0 || len(cameras) == 0 {
		return nil
	}
	var numbered, orders strings.Builder
	for i, s := range list {
		fmt.Fprintf(
			&numbered,
			"%d. %s\n",
			i+1,
			prompts.Defuse(onOneLine(prompt[s.from:s.to], 1000), []string{"sentences"}),
		)
	}
	for i, c := range cameras {
		fmt.Fprintf(&orders, "Camera %d\n%s\n\n", i+1, CameraOrder(c, extra))
	}
	for _, m := range set.Request(ViewsFile, map[string]string{"prompt": prompts.Defuse(prompt, []string{"prompt"}),
		"sentences": strings.TrimSpace(numbered.String()), "cameras": strings.TrimSpace(orders.String()),
		"shots": axisNames("shot"), "angles": axisNames("angle"), "lights": axisNames("light")}) {
		out = append(out, Message(m))
	}
	return out
}

// CheckViews describes what is wrong with an answer, for the model; nil for nothing.
func CheckViews(v Views, cameras []Camera) error {
	for i, c := range cameras {
		if _, fault := v.viewFor(i, c); fault != nil {
			return fault
		}
	}
	return nil
}

// viewFor returns the view for camera i, from 0, or what is wrong with it.
func (v Views) viewFor(i int, c Camera) (View, error) {
	for _, one := range v.Views {
		if one.Camera != i+1 {
			continue
		}
		used := Answer{Shot: one.Shot, Angle: one.Angle, Light: one.Light}
		if faults := checkCamera(Input{Camera: c}, used); len(faults) > 0 {
			return one, fmt.Errorf("for camera %d: %s", i+1, faults[0].Correction)
		}
		return one, nil
	}
	return View{}, fmt.Errorf("camera %d is missing: write its sentences", i+1)
}

// ApplyView returns the prompt for camera i, from 0, with the sentences of an answer. The rest
// stays word for word. It returns false if the answer has none for this camera.
func ApplyView(prompt string, v Views, i int, c Camera) (string, bool) {
	one, fault := v.viewFor(i, c)
	if fault != nil {
		return prompt, false
	}
	list := sentences(prompt)
	now := map[int]string{}
	for _, s := range one.Sentences {
		if t := onOneLine(s.Text, 600); t != "" && s.N >= 1 && s.N <= len(list) {
			now[s.N-1] = t
		}
	}
	for n := len(list) - 1; n >= 0; n-- {
		if t, ok := now[n]; ok {
			if !strings.ContainsRune(".!?…\"”", last(t)) {
				t += "."
			}
			prompt = prompt[:list[n].from] + t + prompt[list[n].to:]
		}
	}
	return prompt, true
}
