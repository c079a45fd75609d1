package capture

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// anyCamera draws a camera with any controls set.
func anyCamera() *rapid.Generator[Camera] {
	return rapid.Custom(func(t *rapid.T) Camera {
		var c Camera
		for _, control := range Controls() {
			keys := []string{""}
			for _, p := range control.Presets {
				keys = append(keys, p.Key)
			}
			*control.Value(&c) = rapid.SampledFrom(keys).Draw(t, control.Key)
		}
		return c
	})
}

// userText draws a prompt in which phrases of the camera may stand within
// sentences, but that no camera has touched.
func userText() *rapid.Generator[string] {
	parts := []string{"Tove", "waits", "in the fog", "seen from behind", "grand, epic mood", "\"Stay,\" she says", "\n", ".", ". ", ", ", "…", " ", "É", "close-up of the face"}
	return rapid.Custom(func(t *rapid.T) string {
		list := rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "parts")
		return strings.TrimSpace("Then " + strings.Join(list, " and ") + " there")
	})
}

// bare is a text without what a camera may leave at its end.
func bare(s string) string { return strings.TrimRight(s, " .\t\n") }

func TestTurn_ThereAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, a, b := userText().Draw(t, "prompt"), anyCamera().Draw(t, "a"), anyCamera().Draw(t, "b")
		directed := ChangeCamera(p, Camera{}, a)
		if again := ChangeCamera(directed, Camera{}, a); again != directed {
			t.Fatalf("directing twice: %q, then %q", directed, again)
		}
		if same := ChangeCamera(directed, a, a); same != directed {
			t.Fatalf("from a camera to itself: %q, then %q", directed, same)
		}
		for _, phrase := range Phrases(a) {
			if !containsPhrase(directed, phrase) {
				t.Fatalf("%q is missing in %q", phrase, directed)
			}
		}
		if back := ChangeCamera(directed, a, Camera{}); bare(back) != bare(p) {
			t.Fatalf("there and back: %q became %q by way of %q", p, back, directed)
		}
		changed := ChangeCamera(directed, a, b)
		if again := ChangeCamera(changed, a, b); again != changed {
			t.Fatalf("changing twice: %q, then %q", changed, again)
		}
		if back := ChangeCamera(changed, b, Camera{}); bare(back) != bare(p) {
			t.Fatalf("by way of another: %q became %q", p, back)
		}
	})
}

func TestTurn_UserWordsStay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, a, b := userText().Draw(t, "prompt"), anyCamera().Draw(t, "a"), anyCamera().Draw(t, "b")
		tail := " " + userText().Draw(t, "tail")
		got := ChangeCamera(ChangeCamera(p, Camera{}, a)+tail, a, b)
		if !strings.HasPrefix(got, p) || !strings.Contains(got, strings.TrimSpace(tail)) {
			t.Fatalf("%q and %q became %q", p, tail, got)
		}
	})
}

func TestTurn(t *testing.T) {
	got := ChangeCamera("A pier. Wide shot, whole figures and the room around them, low angle, looking up. Rain.", Camera{Shot: "wide", Angle: "low"}, Camera{Angle: "low", Mood: "tense"})
	if want := "A pier. Low angle, looking up. Rain. Tense mood, held breath."; got != want {
		t.Errorf("got %q", got)
	}
	if got := ChangeCamera("A pier. Low angle, looking up. Rain.", Camera{Angle: "low"}, Camera{}); got != "A pier. Rain." {
		t.Errorf("got %q", got)
	}
}

func TestPresets_TellThemselvesApart(t *testing.T) {
	var all []string
	for _, c := range Controls() {
		keys := map[string]bool{}
		for _, p := range c.Presets {
			if p.Key == "" || p.Label == "" || p.Phrase == "" || keys[p.Key] || strings.ContainsAny(p.Phrase, ".!?\n") {
				t.Errorf("%s: %+v", c.Key, p)
			}
			keys[p.Key] = true
			for _, other := range all {
				if strings.Contains(other, p.Phrase) || strings.Contains(p.Phrase, other) {
					t.Errorf("%q and %q cannot be told apart", p.Phrase, other)
				}
			}
			all = append(all, p.Phrase)
		}
	}
	for _, n := range Cameras() {
		if _, err := CheckCamera(n.Camera); err != nil || n.Name == "" {
			t.Errorf("%+v: %v", n, err)
		}
	}
	for _, key := range DefaultAngles() {
		if _, err := CheckCamera(Camera{Angle: key}); err != nil {
			t.Error(err)
		}
	}
}

func TestCameraFields(t *testing.T) {
	var got Camera
	for name, value := range map[string]string{"shot": "Close-up", "angle": "LOW", "template": "Café", "mood": ""} {
		if err := CameraFields.Set(&got, name, value); err != nil {
			t.Error(err)
		}
	}
	if want := (Camera{Shot: "close", Angle: "low", Template: "cafe"}); got != want {
		t.Errorf("got %+v", got)
	}
	if DescribeCamera(got) != "Café, Close-up, Low" {
		t.Errorf("looks: %q", DescribeCamera(got))
	}
	err := CameraFields.Set(&got, "lens", "fish"+strings.Repeat("x", 100))
	if err == nil || !strings.Contains(err.Error(), "ultra-wide, wide, normal") || len(err.Error()) > 300 {
		t.Errorf("a value that no list has: %v", err)
	}
	if _, err := CheckCamera(Camera{Lens: "fish"}); err == nil {
		t.Error("a camera with a value that no list has is taken")
	}
	if got := Override(Camera{Shot: "wide", Mood: "epic"}, Camera{Shot: "close"}); got != (Camera{Shot: "close", Mood: "epic"}) {
		t.Errorf("over: %+v", got)
	}
}
