package capture

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures/camera"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// ViewsFile is the prompt that has the sentences on composition and light written anew
// for several cameras.
const ViewsFile = "capture/views"

// Views is the answer to it.
type Views struct {
	Views []View `json:"views"`
}

// View is what the sentences are for one camera.
type View struct {
	Camera    int       `json:"camera"`
	Sentences []Renewed `json:"sentences"`
}

// Renewed is a sentence that was written anew.
type Renewed struct {
	N    int    `json:"n"`
	Text string `json:"text"`
}

// ViewsSchema constrains Views for so many cameras.
func ViewsSchema(cameras int) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"views":{"type":"array","maxItems":%d,"items":{"type":"object","properties":{`+
		`"camera":{"type":"integer","minimum":1,"maximum":%d},"sentences":{"type":"array","maxItems":12,"items":{"type":"object","properties":{`+
		`"n":{"type":"integer","minimum":1,"maximum":99},"text":{"type":"string","maxLength":500}},"required":["n","text"],"additionalProperties":false}}},`+
		`"required":["camera","sentences"],"additionalProperties":false}}},"required":["views"],"additionalProperties":false}`, cameras, cameras))
}

// mostFraming is how many sentences are written anew.
const mostFraming = 12

// framing are the sentences of a prompt that are written anew for another camera.
func framing(prompt string) []camera.Span {
	list := camera.Framing(prompt)
	return list[:min(len(list), mostFraming)]
}

// ViewsMessages asks for the sentences of a prompt for several cameras; nil where it has
// none that say how it is looked at.
func ViewsMessages(set *prompts.Set, prompt string, cameras []Camera, extra string) (out []Message) {
	list := framing(prompt)
	if len(list) == 0 || len(cameras) == 0 {
		return nil
	}
	var sentences, orders strings.Builder
	for i, s := range list {
		fmt.Fprintf(&sentences, "%d. %s\n", i+1, onOneLine(s.In(prompt), 1000))
	}
	for i, c := range cameras {
		fmt.Fprintf(&orders, "Camera %d\n%s\n\n", i+1, CameraOrder(c, extra))
	}
	for _, m := range set.Request(ViewsFile, map[string]string{"prompt": prompts.Defuse(prompt, []string{"prompt"}),
		"sentences": strings.TrimSpace(sentences.String()), "cameras": strings.TrimSpace(orders.String())}) {
		out = append(out, Message(m))
	}
	return out
}

// CheckViews says what is wrong with an answer, for the model; nil for nothing.
func CheckViews(v Views, prompt string, cameras []Camera) error {
	for i, c := range cameras {
		text := Renew(prompt, v, i)
		if text == prompt {
			return fmt.Errorf("camera %d is missing: write its sentences", i+1)
		}
		if clash := camera.Clashes(text, c, false); len(clash) > 0 {
			return fmt.Errorf("for camera %d the order says %s %s, the sentences say %q: rewrite them", i+1, clash[0].Axis, choiceLabel(clash[0]), clipped(clash[0].Words, 60))
		}
	}
	return nil
}

// Renew is a prompt with the sentences that an answer has for a camera, counted from 0.
// All else stays word for word.
func Renew(prompt string, v Views, of int) string {
	list := framing(prompt)
	now := map[int]string{}
	for _, one := range v.Views {
		if one.Camera != of+1 {
			continue
		}
		for _, s := range one.Sentences {
			if t := onOneLine(s.Text, 600); t != "" && s.N >= 1 && s.N <= len(list) {
				now[s.N-1] = t
			}
		}
	}
	for i := len(list) - 1; i >= 0; i-- {
		if t, ok := now[i]; ok {
			if !strings.ContainsRune(".!?…\"”", last(t)) {
				t += "."
			}
			prompt = prompt[:list[i].From] + t + prompt[list[i].To:]
		}
	}
	return prompt
}
