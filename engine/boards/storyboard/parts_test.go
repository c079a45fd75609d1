package storyboard

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Answers to the request for the key beats of a part, as careful and careless models give
// them.
func TestBeats_OfAPart(t *testing.T) {
	in := Input{Part: &Part{Number: 2, Of: 3}}
	for i := range 9 {
		m := Message{ID: storage.NodeID(fmt.Sprintf("m%d", i+1)), Number: i + 1}
		in.Messages = append(in.Messages, m)
		if i >= 3 && i < 6 {
			in.Part.Messages = append(in.Part.Messages, m)
		}
	}
	for name, c := range map[string]struct {
		answer string
		beats  int
		fault  bool
	}{
		"one":              {`{"beats":[{"text":"Tove breaks the mark","why":"no way back","messages":[4,5]}]}`, 1, false},
		"none in it":       {`{"beats":[]}`, 0, false},
		"of another part":  {`{"beats":[{"text":"Tove breaks the mark","why":"","messages":[2]}]}`, 1, true},
		"counted anew":     {`{"beats":[{"text":"Tove breaks the mark","why":"","messages":[1]},{"text":"Robin leaves","why":"","messages":[6]}]}`, 2, true},
		"without a number": {`{"beats":[{"text":"Tove breaks the mark","why":""}]}`, 1, true},
		"without a text":   {`{"beats":[{"why":"x","messages":[4]}]}`, 0, true},
		"numbers in words": {`{"beats":[{"text":"Tove breaks the mark","why":"","messages":["4"]}]}`, 1, false},
	} {
		beats, err := ReadBeats(in, json.RawMessage(c.answer))
		if len(beats) != c.beats || (err != nil) != c.fault {
			t.Errorf("%s: %v, %v", name, beats, err)
		}
	}
}

// A scene that fits into one part is shown as a scene, not as a part of one.
func TestAsk_OnePartIsTheScene(t *testing.T) {
	t.Parallel()
	in := Input{Messages: []Message{{ID: "a", Name: "Tove", Text: "The lamp flickers."}, {ID: "b", Name: "Robin", Text: "Go."}}}
	whole := Ask(prompts.BuiltIn(), RecommendBeats, in)
	in.Part = &Part{Number: 1, Of: 1, Last: true, Messages: slices.Clone(in.Messages)}
	for i := range in.Part.Messages {
		in.Part.Messages[i].Number = i + 1
	}
	if got := Ask(prompts.BuiltIn(), RecommendBeats, in); got[1].Content != whole[1].Content {
		t.Errorf("one part is told as\n%s", got[1].Content)
	}
	in.Part.Of = 2
	if got := Ask(prompts.BuiltIn(), RecommendBeats, in)[1].Content; !strings.Contains(got, "This is part 1") {
		t.Errorf("a part is told as\n%s", got)
	}
}
