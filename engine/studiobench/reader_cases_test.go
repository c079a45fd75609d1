package studiobench

import (
	"reflect"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// request is a system message and one of the user's.
func request(system, user string) []storage.Node {
	return []storage.Node{{Role: storage.System, Content: system}, {Role: storage.User, Content: user}}
}

// A request for a picture is read alike in whatever words and form it comes.
func TestReader_RewordedOrder(t *testing.T) {
	light, angle := capture.Lightings()[0], capture.Angles()[3]
	const action = "Tove's hands lie on the latch of the trunk."
	requests := [][]storage.Node{
		request(`## Who is in view

Name: Tove Lind
Appearance: tall, copper hair in a braid
Role: dry

Name: Mara (perhaps here)
Appearance: a scar on her chin

Name: Robin
Who they are: a carpenter
Appearance: a short black beard
`, `[Message 1/1] Tove (PRESENT):
"Look."

- Size: medium
- Angle: overhead
- What is seen: `+action+`

- Angle: `+angle.Phrase+`
- Light: `+light.Phrase+`. The only light there is
In view: Tove Lind, Robin, Mara, each with looks and clothes.`),
		request(`<people>
<person name="Tove Lind">
role: dry
looks: tall, copper hair in a braid
</person>
<person name="Robin">
looks: a short black beard
</person>
</people>`, `<messages>
[1] Tove: "Look."
</messages>
<action>`+action+`</action>
<camera>
light: `+light.Phrase+`
seen from: `+strings.ToUpper(angle.Phrase[:1])+angle.Phrase[1:]+`
</camera>
Show Tove and Robin.`),
		request("You write prompts.", `### Tove Lind
- Looks: tall, copper hair in a braid

### Robin
- Looks: a short black beard

The shot
1. What happens: `+action+`
2. `+angle.Phrase+`, `+light.Phrase),
	}
	people := []person{{"Tove Lind", "tall, copper hair in a braid"}, {"Robin", "a short black beard"}}
	for i, messages := range requests {
		r := newReading(messages)
		if !reflect.DeepEqual(r.people, people) {
			t.Errorf("wording %d: people %v", i+1, r.people)
		}
		if r.action != action {
			t.Errorf("wording %d: action %q", i+1, r.action)
		}
		if c := choices(r.order); len(c) != 2 || c["angle"].key != angle.Key || c["lighting"].key != light.Key {
			t.Errorf("wording %d: camera %v", i+1, c)
		}
		again := append(messages, storage.Node{Role: storage.Assistant, Content: `{"prompt": "Mara."}`},
			storage.Node{Role: storage.User, Content: "Not usable: " + capture.Angles()[1].Phrase})
		if !repeated(again) || !reflect.DeepEqual(newReading(again), r) {
			t.Errorf("wording %d: asked once more it is read as %v", i+1, newReading(again))
		}
	}
}

// Sentences and cameras are told apart in whatever form they come.
func TestReader_RewordedViews(t *testing.T) {
	low, high := capture.Angles()[1], capture.Angles()[2]
	for i, user := range []string{
		"The sentences:\n\n1. A wide shot.\n2. The light is grey.\n\nThe cameras:\n\nCamera 1\n- Angle: " + low.Phrase +
			"\n\nCamera 2\n- Angle: " + high.Phrase + "\n\nRewrite them.",
		"<sentences>\n[1] A wide shot.\n[2] The light is grey.\n</sentences>\n<camera n=\"1\">\n" + low.Phrase +
			"\n</camera>\n<camera n=\"2\">\n" + high.Phrase + "\n</camera>\nRewrite 2 sentences.",
	} {
		r := newReading(request("", user))
		if want := []sentence{{1, "A wide shot."}, {2, "The light is grey."}}; !reflect.DeepEqual(r.sentences, want) {
			t.Errorf("wording %d: sentences %v", i+1, r.sentences)
		}
		list := r.cameras(2)
		if len(list) != 2 || choices(list[0])["angle"].key != low.Key || choices(list[1])["angle"].key != high.Key {
			t.Errorf("wording %d: cameras %q", i+1, list)
		}
	}
}
