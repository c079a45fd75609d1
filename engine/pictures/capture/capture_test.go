package capture

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/exampletest"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// scene is a moment with n spoken messages, the newest saying "text n".
func scene(n int) Input {
	in := Input{
		Kind: Image,
		Character: storage.Character{
			Card: storage.Card{Name: "Mara Quist", Personality: "dry", Description: "Tall, grey coat.", Scenario: "A pier in winter."},
			Imagery: storage.Imagery{
				Style: "charcoal drawing", NegativePrompt: "colour", TriggerWord: "mrqst",
			},
		},
		Persona:         storage.Persona{Name: "Robin", Description: "A short man in oilskins."},
		DefaultStyle:    "photograph",
		DefaultNegative: "blur",
	}
	for i := range n {
		role, name := storage.User, "Robin"
		if i%2 == 1 {
			role, name = storage.Assistant, "Mara"
		}
		in.Messages = append(in.Messages, storage.Node{Role: role, Name: name, Content: fmt.Sprintf("text %d.", i+1), State: storage.Complete})
	}
	return in
}

func whole(in Input) string {
	var b strings.Builder
	for _, m := range Messages(in, prompts.BuiltIn()) {
		b.WriteString(m.Role + ":\n" + m.Content + "\n\n")
	}
	return b.String()
}

func TestMessages_CarryWhatTheSceneNeeds(t *testing.T) {
	for _, test := range []struct {
		name, requested string
		kind            Kind
		want            []string
	}{
		{"scene", "", Image, []string{"invisible camera", "third person only", "Never I", "the newest is right", "PRESENT", "BACKGROUND", "100 and 300 words", "order at the end", "Light", "Robin included", "that place", "harbour wall", "Bad:", "Good:", "Ilse Brandt, a broad woman"}},
		{"scene video", "", Video, []string{"invisible camera", "third person only", "Never I", "the newest is right", "at most 150 words", "present tense", "active verbs", "no writing", "Robin included", "camera moves"}},
		{"requested", "a picture of the pier", Image, []string{"a picture of the pier", "as they are now", "asks for nobody", "asked_for", "100 and 300 words"}},
		{"requested video", "show me the sea", Video, []string{"show me the sea", "as they are now", "at most 150 words"}},
	} {
		in := scene(12)
		in.Kind, in.Requested = test.kind, test.requested
		in.Facts = []storage.Fact{{Kind: storage.FactClothes, Who: "Robin", Text: "grey coat"}, {Kind: storage.FactPlace, Text: "wet boards"}}
		got := whole(in)
		for _, want := range append(test.want, "Mara", "dry", "Tall, grey coat.", "Robin", "oilskins", "charcoal drawing", "Always keep out: colour",
			"A pier in winter.", `Do not write the trigger word "mrqst"`, "Clothes: [1] grey coat", "[2] place: wet boards", "negative_prompt", "reasoning", "shows", "in_view", "medium-close", "ended") {
			if !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
				t.Errorf("%s: lacks %q", test.name, want)
			}
		}
		if strings.Contains(got, "{{") {
			t.Errorf("%s: a macro is left: %s", test.name, got)
		}
		if strings.Contains(got, "blur") || strings.Contains(got, "photograph,") {
			t.Errorf("%s: the default stands beside the character's own", test.name)
		}
	}
}

// Each prompt's example is an answer that the program takes.
func TestMessages_Examples(t *testing.T) {
	ilse := []Person{{Name: "Ilse Brandt"}}
	for name, in := range map[string]Input{
		"moment": {People: ilse, Messages: []storage.Node{{Role: storage.Assistant, Name: "Ilse Brandt", Content: "I bake."}}},
		"asked":  {People: ilse, Requested: "Ilse at the oven"},
		"shot":   {People: ilse, Shot: &Shot{Subject: "Ilse at the oven"}},
	} {
		for _, kind := range []Kind{Image, Video} {
			for _, form := range []Form{{}, {Tokens: 256, Encoder: "T5"}, {Tags: true, Tokens: 75, Encoder: "CLIP"}} {
				in.Kind, in.Form = kind, form
				in.Facts = []storage.Fact{{Kind: storage.FactPlace, Text: "a kitchen"}, {Kind: storage.FactClothes, Who: "Ilse", Text: "coat"}}
				for _, example := range exampletest.Of(t, whole(in)) {
					exampletest.Keeps(t, Schema(in), example)
					var a Answer
					if err := json.Unmarshal(example, &a); err != nil {
						t.Fatal(err)
					}
					if faults := Check(in, CleanAnswer(in, a)); len(faults) > 0 {
						t.Errorf("%s, %s, %+v: %v\n%s", name, kind, form, Corrections(faults), example)
					}
				}
			}
		}
	}
	cameras := []Camera{{Shot: "wide", Angle: "ground"}}
	for _, example := range exampletest.Of(t, prompts.BuiltIn().Text(ViewsFile)) {
		exampletest.Keeps(t, ViewsSchema(cameras), example)
		var v Views
		if err := json.Unmarshal(example, &v); err != nil || CheckViews(v, cameras) != nil {
			t.Errorf("%v, %v: %s", err, CheckViews(v, cameras), example)
		}
	}
}

func TestMessages_Defaults(t *testing.T) {
	in := Input{DefaultStyle: "ink", DefaultNegative: "smudges"}
	got := whole(in)
	for _, want := range []string{"Style: ink", "Always keep out: smudges", "Nothing has been said yet", "Name: User", "no trigger words"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q", want)
		}
	}
}

func TestMessages_ExpandedTextComesFirst(t *testing.T) {
	in := scene(2)
	in.Description, in.PersonaText, in.Scenario = "DESC", "PERS", "SCEN"
	got := whole(in)
	for _, want := range []string{"Description: DESC", "Description: PERS", "Setting: SCEN"} {
		if !strings.Contains(got, want) {
			t.Errorf("lacks %q", want)
		}
	}
	in.Character.Imagery.Appearance = "OWN"
	if !strings.Contains(whole(in), "Appearance: OWN") {
		t.Error("the character's own appearance must win")
	}
}

func TestMessages_AreBounded(t *testing.T) {
	in := scene(10)
	huge := strings.Repeat("é", 500_000)
	in.Character.Card.Description, in.Character.Card.Personality, in.Persona.Description = huge, huge, huge
	for i := range in.Messages {
		in.Messages[i].Content = huge + " FINIS"
	}
	got := whole(in)
	if len([]rune(got)) > 100_000 {
		t.Errorf("%d runes", len([]rune(got)))
	}
	if strings.Count(got, "FINIS") != 10 {
		t.Error("a long message must keep its end")
	}
}

func TestMessages_ValuesAreNotMacros(t *testing.T) {
	in := scene(1)
	in.Messages[0].Content = "{{style}} {{transcript}}"
	if got := whole(in); !strings.Contains(got, "{{style}} {{transcript}}") {
		t.Error("what a message says was taken for a macro")
	}
}

// Regressions: each of these has gone wrong in the field.

func TestNever_FiveMessageWindow(t *testing.T) {
	got := whole(scene(14))
	if strings.Contains(got, "text 4.") || !strings.Contains(got, "text 5.") || !strings.Contains(got, "[Message 1/10]") || !strings.Contains(got, "[Message 10/10]") {
		t.Errorf("a scene looks at 10 messages:\n%s", got)
	}
	in := scene(14)
	in.Requested = "show me"
	if got := whole(in); strings.Contains(got, "text 4.") || !strings.Contains(got, "text 5.") || !strings.Contains(got, "[Message 10/10]") {
		t.Errorf("a requested picture looks at 10 messages, to know how its people are dressed:\n%s", got)
	}
}

func TestNever_Temperature(t *testing.T) {
	for _, test := range []struct {
		kind      Kind
		requested string
		want      float64
	}{{Image, "", 0.5}, {Image, "show me", 0.3}, {Video, "", 0.3}, {Video, "show me", 0.3}} {
		if got := Temperature(Input{Kind: test.kind, Requested: test.requested}); got != test.want {
			t.Errorf("%s %q: %v, want %v", test.kind, test.requested, got, test.want)
		}
	}
}

func TestNever_Reversed(t *testing.T) {
	in := scene(10)
	before := fmt.Sprint(in.Messages)
	for range 2 {
		got := whole(in)
		at := -1
		for i := range 10 {
			label := fmt.Sprintf("[Message %d/10]", i+1)
			next := strings.Index(got, label)
			if next <= at || !strings.Contains(got[next:], fmt.Sprintf("text %d.", i+1)) {
				t.Fatalf("%s stands at %d after %d:\n%s", label, next, at, got)
			}
			at = next
		}
	}
	if fmt.Sprint(in.Messages) != before {
		t.Error("the input was changed")
	}
}

func TestNever_UnweightedMessages(t *testing.T) {
	got := whole(scene(10))
	for i := 1; i <= 10; i++ {
		want := "BACKGROUND"
		if i > 7 {
			want = "PRESENT"
		}
		name := []string{"Mara", "Robin"}[i%2]
		if label := fmt.Sprintf("[Message %d/10] %s (%s):", i, name, want); !strings.Contains(got, label) {
			t.Errorf("lacks %q", label)
		}
	}
}

func TestNever_UserMissing(t *testing.T) {
	for _, kind := range []Kind{Image, Video} {
		in := scene(4)
		in.Kind = kind
		system := Messages(in, prompts.BuiltIn())[0].Content
		if !strings.Contains(system, "Name: Robin") || !strings.Contains(system, "Robin included") {
			t.Errorf("%s: the user is not asked for", kind)
		}
	}
}

func TestNever_CapturesLeak(t *testing.T) {
	in := scene(3)
	in.Messages = append(in.Messages,
		storage.Node{Role: storage.SceneCapture, Content: "LEAK picture", Capture: "c"},
		storage.Node{Role: storage.System, Content: "LEAK note"},
		storage.Node{Role: storage.Assistant, Content: "LEAK deleted", Deleted: true},
		storage.Node{Role: storage.Assistant, Content: " \n"},
	)
	got := whole(in)
	if strings.Contains(got, "LEAK") || !strings.Contains(got, "[Message 3/3]") {
		t.Errorf("only what was spoken counts:\n%s", got)
	}
}

func TestSchema(t *testing.T) {
	for _, kind := range []Kind{Image, Video} {
		var s jsonschema.Schema
		if err := json.Unmarshal(Schema(Input{Kind: kind}), &s); err != nil {
			t.Fatal(err)
		}
		r, err := s.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Validate(map[string]any{"prompt": filler(150), "negative_prompt": "", "reasoning": "x", "shows": "x", "in_view": []any{}, "shot": "wide", "angle": "eye", "light": "other"}); err != nil {
			t.Error(err)
		}
		if r.Validate(map[string]any{"prompt": filler(150), "negative_prompt": ""}) == nil {
			t.Error("reasoning may be missing")
		}
		seen := map[string]any{"kind": "clothes", "who": "Mara", "fact": "grey coat"}
		if err := r.Validate(map[string]any{"prompt": filler(150), "negative_prompt": "", "reasoning": "x", "shows": "x", "in_view": []any{"Mara"}, "shot": "wide", "angle": "eye", "light": "other", "continuity": []any{seen}}); err != nil {
			t.Error(err)
		}
		for name, p := range s.Properties {
			if name == "continuity" {
				if p.MaxItems == nil || *p.MaxItems != maxSeen {
					t.Errorf("facts without a bound: %v", p.MaxItems)
				}
				continue
			}
			if p.Type == "array" || len(p.Enum) > 0 {
				continue
			}
			if p.MaxLength == nil || *p.MaxLength > 2000 {
				t.Errorf("%s: the server's grammar bears at most 2,000: %v", name, p.MaxLength)
			}
		}
	}
}

func TestAllowed(t *testing.T) {
	for level, want := range map[storage.Immersion]bool{
		storage.Minimal: false, storage.Balanced: false, storage.Full: true, storage.Unbounded: true, "": false, "odd": false,
	} {
		err := Allowed(level)
		if (err == nil) != want {
			t.Errorf("%q: %v", level, err)
		}
		if err != nil && (!strings.Contains(err.Error(), "immersion") || !strings.Contains(err.Error(), "full")) {
			t.Errorf("%q: the setting is not named: %v", level, err)
		}
	}
}

func TestTidy(t *testing.T) {
	in := scene(1)
	got := CleanAnswer(in, Answer{Prompt: "  \"A pier.\"\n", NegativePrompt: "Colour, text,, text , hands", Reasoning: " why "})
	if want := (Answer{Prompt: "A pier.", NegativePrompt: "colour, text, hands", Reasoning: "why"}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if got := CleanAnswer(in, Answer{Prompt: `"Yes," says Mara, "I do."`}); got.Prompt != `"Yes," says Mara, "I do."` {
		t.Errorf("speech at both ends is no wrapping: %s", got.Prompt)
	}
}
