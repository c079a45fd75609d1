package capture

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures/camera"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Every choice of the camera's is known by its own phrase, and disagrees with no other.
func TestPhrases_SayWhatTheyChoose(t *testing.T) {
	for _, control := range Controls() {
		for _, p := range control.Presets {
			var c Camera
			*control.Value(&c) = p.Key
			if left := camera.Clashes(p.Phrase+".", c, true); len(left) > 0 {
				t.Errorf("%s %s disagrees with itself: %q", control.Key, p.Key, left[0].Words)
			}
			if control.Key == "template" || control.Key == "mood" {
				continue
			}
			if left := camera.Unsaid(p.Phrase+".", c); len(left) > 0 {
				t.Errorf("%s %s: %q is not known for it", control.Key, p.Key, p.Phrase)
			}
		}
	}
	for _, c := range Cameras() {
		text := sentence(Phrases(c.Camera))
		if left := camera.Clashes(text, c.Camera, true); len(left) > 0 {
			t.Errorf("%s disagrees with itself: %q in %q", c.Name, left[0].Words, text)
		}
	}
}

func TestSettle_NeverDisagrees(t *testing.T) {
	base := "Tove kneels by the trunk in her blue coat. Late morning light falls through the tall window. Medium shot from slightly below eye level, the lamp between them."
	for _, control := range Controls() {
		for _, p := range control.Presets {
			in := scene(2)
			in.DefaultStyle, in.Character.Imagery.Style = "", "oil painting in soft morning light"
			*control.Value(&in.Camera) = p.Key
			got, _ := Settle(in, Answer{Prompt: base})
			if left := camera.Clashes(got, in.Camera, true); len(left) > 0 {
				t.Errorf("%s %s: %q in %s", control.Key, p.Key, left[0].Words, got)
			}
			if !strings.Contains(got, "Tove kneels by the trunk in her blue coat.") || strings.Contains(got, "..") {
				t.Errorf("%s %s: %s", control.Key, p.Key, got)
			}
			again, _ := Settle(in, Answer{Prompt: got})
			if again != got {
				t.Errorf("%s %s: settled twice\n%s\n%s", control.Key, p.Key, got, again)
			}
		}
	}
}

func TestSettle_SaysLooksAndStyle(t *testing.T) {
	in := scene(2)
	in.People = []Person{{Name: "Mara Quist", Looks: "tall, white cropped hair", Clothes: "a grey coat"}, {Name: "Robin", Looks: "short, black beard"}}
	got, _ := Settle(in, Answer{Prompt: "Mara, tall, her white hair wet, waits beside Robin"})
	if want := "Mara, tall, her white hair wet, waits beside Robin. Robin: short, black beard. Charcoal drawing."; got != want {
		t.Errorf("got %s", got)
	}
}

func TestTurn_WritesOnlyWhatDisagrees(t *testing.T) {
	base := "Tove kneels. Late morning light falls on her. Medium shot at eye level."
	got, changed := Turn(base, Camera{}, Camera{Shot: "close", Lighting: "candle"})
	if want := "Tove kneels. Candlelight falls on her. Close-up at eye level."; got != want || len(changed) != 2 {
		t.Errorf("%s\n%+v", got, changed)
	}
	if again, more := Turn(got, Camera{Shot: "close", Lighting: "candle"}, Camera{Shot: "close", Lighting: "candle"}); again != got || len(more) > 0 {
		t.Errorf("turned twice: %s", again)
	}
}

func TestCheck_SoundAnswers(t *testing.T) {
	english := "She stands by the old door with her hand on the brass handle, and rain runs over the step. A boy with a red cap holds the rope of the boat and looks at her shoes. Behind them the harbour lies grey and empty, one crane still, its hook low over the water; gulls sit along the wall. "
	for text, want := range map[string]string{
		english + "The light in the hall is warm and of":                                                                  "breaks off",
		strings.Repeat("The camera is close to the table and the lamp on it burns. ", 8):                                  "again and again",
		strings.Repeat("Sie steht an der alten Tür und hält den Griff fest, während der Regen über die Stufe läuft. ", 4): "not in English",
		strings.Repeat("彼女は古い扉の前に立っている。", 9):                                                                              "not in English",
		english + "It rains.": "",
	} {
		got := ""
		for _, f := range checkSound(text) {
			got = f.Words
		}
		if !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: %q, want %q", clipped(text, 60), got, want)
		}
	}
}

func TestDead(t *testing.T) {
	for text, want := range map[string]bool{
		"Mara is dead. She kept the light.": true, "status: dead": true, "She died at sea.": true, "Old keeper. Mara died last winter": true,
		"Her father died. She keeps the light.": false, "Lives by the Dead Sea.": false, "She is not dead.": false, "Her brother is dead.": false, "keeper, tall": false,
	} {
		if got := Dead(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestWorn(t *testing.T) {
	say := func(name, text string) storage.Node {
		return storage.Node{Role: storage.Assistant, Name: name, Content: text, State: storage.Complete}
	}
	got := Worn([]storage.Node{say("Tove", "*She buttons her green coat and pulls on grey gloves.* \"Come.\""), say("Robin", "I shrug off my wet jacket."),
		say("Tove", "The coat rack is empty. Mara wears a red scarf.")}, []string{"Tove", "Robin", "Mara"})
	for who, want := range map[string]string{"Tove": "green coat", "Robin": "wet jacket", "Mara": "red scarf"} {
		if !strings.Contains(got[who], want) || strings.Contains(got[who], "rack") {
			t.Errorf("%s: %q", who, got[who])
		}
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
		t.Errorf("%q", before)
	}
}
