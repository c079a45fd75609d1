package scene

import (
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// quay is a scene that is still being played.
func quay() Input {
	in := Input{User: "Robin", Char: "Tove"}
	for i, text := range []string{"I hide the key under the third stair.", "*Tove swears to come back on Thursday.*", "I row to the island.", "*Tove has cut her hand on the oar.*", "I bind it with my scarf.", "*She finds a letter from Clara in the boat.*"} {
		in.Messages = append(in.Messages, Message{ID: storage.NodeID(fmt.Sprintf("m%d", i+1)), Role: []storage.Role{storage.User, storage.Assistant}[i%2], Text: text})
	}
	return in
}

func TestPartPrompt_OfAnOpenScene(t *testing.T) {
	in := quay()
	p := PartPrompt(prompts.BuiltIn(), in, Part{Messages: Slice(in.Messages, Position{Number: 2}, Position{Number: 6}), Number: 2, Of: 2, Before: "- Robin has hidden the key.", Last: true, Open: true})
	text := p[len(p)-1].Content
	for _, want := range []string{"The scene is not over yet", "This is part 2.", "the messages 3 to 6 of the scene", "The part ends here. The scene goes on after it.", "Robin has hidden the key", "[3] Robin: I row to the island."} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing:\n%s", want, text)
		}
	}
	for _, not := range []string{"{{", "The scene ends here", "in 2 parts"} {
		if strings.Contains(text, not) {
			t.Errorf("%q stands in it:\n%s", not, text)
		}
	}
	t.Logf("%d bytes beside the material", len(text)-len("- Robin has hidden the key."))
}

// What models answer about the second part of a scene that goes on: with care, with the
// first part once more, with numbers of the part instead of the scene, with how it may
// end, and in prose.
func TestPartDraft_OfAnOpenScene(t *testing.T) {
	in := quay()
	part := Part{Messages: Slice(in.Messages, Position{Number: 2}, Position{Number: 6}), Number: 2, Open: true}
	all := func(situation, developments, threads string) string {
		return `{"scene_name":"To the island","recap":{"current_situation":[` + situation + `],"key_developments":[` + developments + `],"dialogue_highlights":[],"tone_style":[],"pending_threads":[` + threads + `]},"atmosphere":"","emotional_beats":"","lorebooks":[]}`
	}
	for name, c := range map[string]struct {
		text  string
		from  map[string]string // the message that a bullet comes from
		empty []string          // bullets that come from none
		left  string            // what is left out, since the messages that it names do not exist
	}{
		"with care": {all(`{"text":"Tove's cut hand is bound with Robin's scarf.","messages":[5]}`, `{"text":"Tove has found a letter from Clara in the boat.","messages":[6]}`, ``),
			map[string]string{"Tove's cut hand is bound with Robin's scarf.": "m5", "Tove has found a letter from Clara in the boat.": "m6"}, nil, ""},
		"the first part again": {all(`{"text":"They are in the boat.","messages":[6]}`, `{"text":"Robin has hidden the key under the third stair.","messages":[1]}`, `{"text":"Tove has sworn to come back on Thursday.","messages":[2]}`),
			map[string]string{"They are in the boat.": "m6"}, []string{"Robin has hidden the key under the third stair.", "Tove has sworn to come back on Thursday."}, ""},
		"numbers of the part": {all(`{"text":"Tove has found a letter from Clara.","messages":[4]}`, ``, ``), map[string]string{"Tove has found a letter from Clara.": "m4"}, nil, ""},
		"how it may end":      {all(`{"text":"They row to the island.","messages":[3]}`, `{"text":"They will land before night.","messages":[7,12]}`, ``), map[string]string{"They row to the island.": "m3"}, nil, "They will land before night."},
	} {
		var a Answer
		if err := a.UnmarshalJSON([]byte(c.text)); err != nil {
			t.Fatal(err)
		}
		d := a.PartDraft(in, part)
		r := storage.Recap{Text: d.Text, Sources: d.Sources}
		for bullet, want := range c.from {
			if from := SourcesOf(r, bullet); len(from) != 1 || string(from[0]) != want {
				t.Errorf("%s: %q comes from %v\n%s", name, bullet, from, d.Text)
			}
		}
		if c.left != "" && (strings.Contains(d.Text, c.left) || len(d.Dropped) != 1 || d.Dropped[0].Bullet != c.left) {
			t.Errorf("%s: %q is not left out: %+v\n%s", name, c.left, d.Dropped, d.Text)
		}
		for _, bullet := range c.empty {
			if from := SourcesOf(r, bullet); len(from) != 0 || !strings.Contains(d.Text, bullet) {
				t.Errorf("%s: %q comes from %v\n%s", name, bullet, from, d.Text)
			}
		}
	}
}
