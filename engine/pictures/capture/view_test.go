package capture

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// words of faults.
func said(faults []Fault) string {
	var out []string
	for _, f := range faults {
		out = append(out, f.Message)
	}
	return strings.Join(out, " ")
}

func TestCheck_WhoIsInView(t *testing.T) {
	mara := Person{Name: "Mara Quist"}
	robin := Person{Name: "Robin"}
	shot := &Shot{Size: "detail", Subject: "Robin's hand", Action: "Robin's hand lays the ring on the table."}
	for name, test := range map[string]struct {
		change func(*Input)
		answer Answer
		want   string // among the faults, "" for none
	}{
		"both speak":          {nil, Answer{InView: []string{"Mara", "Robin"}}, ""},
		"the user is missed":  {nil, Answer{InView: []string{"Mara Quist"}}, "Robin is missing"},
		"a stranger may come": {nil, Answer{InView: []string{"mara quist", "ROBIN", "a waiter"}}, ""},
		"who is away":         {func(in *Input) { in.People[1].Gone = "away" }, Answer{InView: []string{"Mara", "Robin"}}, "Robin is not here"},
		"who is silent":       {func(in *Input) { in.People = append(in.People, Person{Name: "Ilse"}) }, Answer{InView: []string{"Mara", "Robin"}}, ""},
		"who is chosen":       {func(in *Input) { in.People, in.Focus = append(in.People, Person{Name: "Ilse"}), []string{"Ilse"} }, Answer{InView: []string{"Mara", "Robin"}}, "Ilse is missing"},
		"too near for all":    {func(in *Input) { in.Camera.Shot = "close" }, Answer{Shot: "close"}, ""},
		"an empty view":       {func(in *Input) { in.Requested = "a sunset over the harbour with nobody in it" }, Answer{InView: []string{"Mara Quist", "Robin"}}, "Robin is in the picture"},
		"an empty view, kept": {func(in *Input) { in.Requested = "a sunset over the harbour with nobody in it" }, Answer{}, ""},
		"somebody nameless":   {func(in *Input) { in.Requested = "a sunset over the harbour" }, Answer{InView: []string{"a fisherman"}}, "a fisherman is in the picture"},
		"named as asked":      {func(in *Input) { in.Requested = "a fisherman at the pier" }, Answer{InView: []string{"a fisherman"}}, ""},
		"you":                 {func(in *Input) { in.Requested = "you at the window" }, Answer{InView: []string{"Mara Quist"}, RequestedPeople: []RequestedPerson{{"You", "Mara Quist"}}}, ""},
		"words nobody said":   {func(in *Input) { in.Requested = "the window" }, Answer{InView: []string{"Mara Quist"}, RequestedPeople: []RequestedPerson{{"you", "Mara Quist"}}}, "Mara Quist is in the picture"},
		"asked and missed":    {func(in *Input) { in.Requested = "the two of us" }, Answer{InView: []string{"Mara"}, RequestedPeople: []RequestedPerson{{"two of us", "Mara"}, {"two of us", "Robin"}}}, "Robin is missing"},
		"named and missed":    {func(in *Input) { in.Requested = "Robin on the stairs" }, Answer{}, "Robin is missing"},
		"a hand of a shot":    {func(in *Input) { in.Shot = shot }, Answer{InView: []string{"Robin"}}, ""},
		"two whole figures":   {func(in *Input) { in.Shot = shot }, Answer{InView: []string{"Robin", "Mara"}}, "Mara is in the picture"},
	} {
		in := scene(4)
		in.People = []Person{mara, robin}
		if test.change != nil {
			test.change(&in)
		}
		a := test.answer
		a.InView = append([]string{}, a.InView...)
		a.Prompt = "Mara, Robin, Ilse " + filler(120)
		if got := said(Check(in, a)); test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestCheck_CameraThatWasUsed(t *testing.T) {
	in := scene(4)
	in.Camera = Camera{Shot: "close", Angle: "low", Lighting: "candle"}
	right := Answer{Prompt: filler(120), Shot: "close", Angle: "low", Light: "candle"}
	if got := Check(in, right); len(got) > 0 {
		t.Errorf("the same camera: %q", said(got))
	}
	for name, change := range map[string]func(*Answer){
		"shot is close-up": func(a *Answer) { a.Shot = "medium" }, "angle is low": func(a *Answer) { a.Angle = Other }, "light is candle": func(a *Answer) { a.Light = "window" },
	} {
		wrong := right
		change(&wrong)
		faults := Check(in, wrong)
		if len(faults) != 1 || !strings.Contains(faults[0].Message, name) || !strings.Contains(faults[0].Correction, "Write the whole picture for") {
			t.Errorf("%s: %+v", name, faults)
		}
		if warnings, notes := Remaining(in, wrong, wrong); len(warnings) != 1 || len(notes) != 0 {
			t.Errorf("%s, twice: %q %q", name, warnings, notes)
		}
	}
	in.Camera = Camera{}
	if got := Check(in, Answer{Prompt: "Mara, Robin " + filler(120), InView: []string{"Mara", "Robin"}, Shot: "wide", Light: Other}); len(got) > 0 {
		t.Errorf("an open camera: %q", said(got))
	}
}

func TestLeft_TheSameAnswerTwiceIsANote(t *testing.T) {
	in := scene(4)
	in.Requested = "the pier"
	a := Answer{Prompt: "Mara on the pier. " + filler(120), InView: []string{"Mara"}}
	if warnings, notes := Remaining(in, a, a); len(warnings) != 0 || len(notes) != 1 {
		t.Errorf("twice the same: %q %q", warnings, notes)
	}
	other := a
	other.InView = []string{"Robin"}
	if warnings, notes := Remaining(in, other, a); len(warnings) != 1 || len(notes) != 0 {
		t.Errorf("somebody else: %q %q", warnings, notes)
	}
}

func TestReask_SaysOnceWhatIsWrong(t *testing.T) {
	in := scene(4)
	got := Corrections(Check(in, Answer{Prompt: "Too short.", InView: []string{"Mara"}}))
	for _, want := range []string{"The prompt has only", "Mara", "Robin is missing"} {
		if strings.Count(got, want) != 1 && want != "Mara" {
			t.Errorf("%q stands %d times in %s", want, strings.Count(got, want), got)
		}
	}
	if strings.Contains(got, "JSON") {
		t.Errorf("the form is told by who asks again: %s", got)
	}
}

func TestSchema_TellsTheOrder(t *testing.T) {
	in := scene(4)
	in.Camera.Shot = "close"
	in.Requested = "Robin"
	var s struct {
		Properties map[string]struct {
			Enum    []string
			Default any
		}
		Required []string
	}
	if err := json.Unmarshal(Schema(in), &s); err != nil {
		t.Fatal(err)
	}
	if got := s.Properties["shot"]; got.Default != "close" || !slices.Equal(got.Enum, []string{"close", Other}) {
		t.Errorf("shot: %+v", got)
	}
	if got := s.Properties["asked_shot"]; got.Default != "close" || len(got.Enum) != len(Shots())+2 {
		t.Errorf("asked shot: %+v", got)
	}
	for _, name := range []string{"asked_for", "asked_shot", "asked_angle", "asked_light"} {
		if _, asked := s.Properties[name]; !asked || !slices.Contains(s.Required, name) {
			t.Errorf("%s is not demanded", name)
		}
	}
	if least := string(MinimalSchema(in)); strings.Contains(least[strings.LastIndex(least, "required"):], "asked_for") {
		t.Errorf("an answer without what it says of the order is no use: %s", least)
	}
	in.Requested = ""
	if text := string(Schema(in)); strings.Contains(text, "asked_for") {
		t.Errorf("of a moment: %s", text)
	}
}

// Each kind is told what is true for it, and nothing else.
func TestMessages_EachKindHasItsOwnText(t *testing.T) {
	in := scene(4)
	moment := whole(in)
	in.Requested = "a sunset with nobody in it"
	request := whole(in)
	in.Requested, in.Shot = "", &Shot{Size: "detail", Subject: "Robin's hand", Action: "Robin's hand lays the ring down."}
	shot := whole(in)
	for name, test := range map[string]struct {
		text    string
		without []string
	}{
		"moment": {moment, []string{"asked to see", "asks for", "storyboard"}}, "request": {request, []string{"In the picture:", "storyboard", "invisible camera", "in view:\n"}},
		"shot": {shot, []string{"asked in a roleplay", "invisible camera", "Name: Mara"}},
	} {
		for _, w := range test.without {
			if strings.Contains(test.text, w) {
				t.Errorf("%s: %q stands in it", name, w)
			}
		}
	}
	if !strings.Contains(shot, "In the picture: Robin.") || !strings.Contains(moment, "In the picture: Mara Quist, Robin.") {
		t.Error("who has to be in it is not told")
	}
}

// What has ended is told nowhere, and what facts say takes the place of the description.
func TestMessages_FactsTakeThePlaceOfTheDescription(t *testing.T) {
	in := scene(4)
	in.People = []Person{{Name: "Robin", Who: "A short man in a raincoat.", Known: true, Remembered: []string{"Robin has a scar over the left eye."}}}
	in.Facts = []storage.Fact{{Kind: storage.FactAppearance, Who: "Robin", Text: "a short black beard"}}
	got := whole(in)
	if strings.Contains(got, "raincoat") || !strings.Contains(got, "Appearance: [1] a short black beard") || !strings.Contains(got, "scar over the left eye") {
		t.Errorf("%s", got)
	}
}

func TestSettle(t *testing.T) {
	in := scene(2)
	in.Camera, in.Words = Camera{Shot: "close", Mood: "tense"}, "grain"
	got := FinalPrompt(in, Answer{Prompt: "Mara waits"})
	if want := "Mara waits. Close-up of the face, tense mood, held breath. Charcoal drawing. grain"; got != want {
		t.Errorf("got %s", got)
	}
	if again := FinalPrompt(in, Answer{Prompt: got}); again != got {
		t.Errorf("settled twice: %s", again)
	}
	if turned := ChangeCamera(got, in.Camera, Camera{Shot: "wide", Mood: "tense"}); strings.Contains(turned, "Close-up") || !strings.Contains(turned, "ide shot, whole figures") {
		t.Errorf("turned: %s", turned)
	}
}

func TestRenew(t *testing.T) {
	c := Camera{Angle: "low"}
	v := Views{Views: []View{{Camera: 1, Angle: "low", Sentences: []RewrittenSentence{{2, "Seen from the floor"}, {9, "Gone"}}}}}
	got, ok := ApplyView("Mara waits. Medium shot. Rain.", v, 0, c)
	if want := "Mara waits. Seen from the floor. Rain."; got != want || !ok || CheckViews(v, []Camera{c}) != nil {
		t.Errorf("%q %t %v", got, ok, CheckViews(v, []Camera{c}))
	}
	v.Views[0].Angle = "high"
	if _, ok := ApplyView("Mara waits.", v, 0, c); ok || CheckViews(v, []Camera{c}) == nil || CheckViews(Views{}, []Camera{c}) == nil {
		t.Error("another camera, or none, is no answer")
	}
}

func TestPartial_GrowsWithTheAnswer(t *testing.T) {
	whole := `{"reasoning": "Because.", "prompt": "Tove \"waits\" by the \u00e9tag\u00e8re.\nRain.", "negative_prompt": "blur"}`
	before := ""
	for i := range whole {
		got := Partial(whole[:i])
		if len(got) < len(strings.TrimRight(before, "\\")) {
			t.Fatalf("at %d %q became %q", i, before, got)
		}
		before = got
	}
	if want := "Tove \"waits\" by the étagère.\nRain."; before != want {
		t.Errorf("got %q", before)
	}
}

// A word of a name that the story also writes small is no name, nor is one that the name itself
// writes small.
func TestCheck_WordsOfNamesThatAreNone(t *testing.T) {
	in := scene(4)
	in.Messages = append(in.Messages, storage.Node{Role: storage.User, Content: "I walk to the pier with my lady of the lake."})
	in.People = []Person{{Name: "The Lady of the Lake"}, {Name: "Eva von Holt"}}
	for order, want := range map[string]string{
		"The pier at night":     "",
		"A lady at the window":  "",
		"The view of a lake":    "",
		"Eva at the window":     "Eva von Holt",
		"Holt by candlelight":   "Eva von Holt",
		"a letter from von Ems": "",
	} {
		in.Requested = order
		if got := strings.Join(in.requiredPeople(Answer{}), ", "); got != want {
			t.Errorf("%q asks for %q, want %q", order, got, want)
		}
	}
}

// What the order's own words ask for counts where the user has set no camera.
func TestCheck_CameraOfTheOrder(t *testing.T) {
	in := scene(4)
	in.Requested = "Mara's eyes, very near"
	a := Answer{Prompt: "Mara " + filler(120), InView: []string{"Mara"}, RequestedShot: "close", RequestedAngle: Open, RequestedLight: Open, Shot: "full"}
	if got := Check(in, a); len(got) != 1 || !strings.Contains(got[0].Message, "full") {
		t.Errorf("another shot than asked for: %q", said(got))
	}
	in.Camera.Shot = "full"
	if got := Check(in, a); len(got) != 0 {
		t.Errorf("the user's own camera: %q", said(got))
	}
	in.Camera, in.Requested = Camera{}, ""
	if got := checkCamera(in, a); len(got) != 0 {
		t.Errorf("a picture of the moment: %q", said(got))
	}
}
