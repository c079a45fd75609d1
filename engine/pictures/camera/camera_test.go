package camera_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/pictures/camera"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// said is what a text says, as "axis=words" between bars.
func said(text string) string {
	var out []string
	for _, m := range camera.Find(text) {
		out = append(out, m.Axis.String()+"="+strings.ToLower(m.Words))
	}
	return strings.Join(out, "|")
}

func TestFind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		// What says nothing of a camera.
		"She is close to the wall and comes close up to him.":                               "",
		"He pours a shot of whisky, then a long shot glass of rum.":                         "",
		"It was a long shot, but he tried.":                                                 "",
		"She stares with wide eyes; the light in her eyes is gone.":                         "",
		"Medium-length hair falls over a high collar.":                                      "",
		"Over his shoulder hung a bag.":                                                     "",
		"She looks over her shoulder and smiles.":                                           "",
		"An over-the-shoulder bag in worn leather.":                                         "",
		"He holds the lamp at eye level.":                                                   "",
		"She lifts the candle to eye level.":                                                "",
		"Robin looks up at Tove, who looks down.":                                           "",
		"Rain falls from above, and steam rises from below.":                                "",
		"The low angle of the sun draws long shadows; light at a low angle rakes the wall.": "",
		"He hugs her from behind.":                                                          "",
		"He walked straight on and stood head and shoulders above the crowd.":               "",
		"Naked from the waist up, he is soaked from head to foot.":                          "",
		"A candle stands on the table beside an unlit lamp.":                                "",
		"There is fire in her eyes; a fire burns in his heart.":                             "",
		"Skin like moonlight, hair the colour of candlelight.":                              "",
		"No moonlight reaches the cellar. Without daylight it is cold.":                     "",
		"A painting of the sea at sunset hangs there.":                                      "",
		"She wears an evening gown and a full skirt; the wide street is empty.":             "",
		"A 9 mm pistol and a plank 50 mm thick.":                                            "",
		"\"Give me a close-up, a wide shot!\" she shouts.":                                  "",
		"A high-profile guest takes the centre stage.":                                      "",
		"He lit a cigarette and turned the lamp off.":                                       "",
		"The window at ground level is barred; the detail of the carving is fine.":          "",
		"She shoots him a tight smile, in full view of the guards.":                         "",
		"The night nurse will come before sunset.":                                          "",
		// What does.
		"A tight close-up of her hands.":                              "shot=tight close-up",
		"Medium shot from slightly below eye level.":                  "shot=medium shot|angle=slightly below eye level",
		"Medium wide shot at eye level, the camera a few steps away.": "shot=medium wide shot|angle=eye level",
		"Extreme wide shot, the figures small in their surroundings.": "shot=extreme wide shot|shot=small in their surroundings",
		"Framed from the waist up, seen from above.":                  "shot=the waist up|angle=above",
		"The camera looks up at her from the floor.":                  "angle=looks up|angle=the floor",
		"The camera rests close to the floor.":                        "angle=close to the floor",
		"A bird's-eye view of the yard.":                              "angle=bird's-eye view",
		"Seen over Tove's shoulder, Robin turns.":                     "angle=over tove's shoulder",
		"An over-the-shoulder shot of Robin.":                         "angle=over-the-shoulder shot",
		"Dutch angle, tilted horizon.":                                "angle=dutch angle|angle=tilted horizon",
		"Shot on an 85 mm lens with shallow depth of field.":          "lens=85 mm lens|lens=shallow depth of field",
		"Late morning light falls through the window.":                "light=late morning light",
		"A single lamp is the only source of light.":                  "light=lamp",
		"Her face is lit by a flickering candle.":                     "light=lit by a flickering candle",
		"The moon shines on the water; the fire casts orange light.":  "light=moon shines|light=fire casts",
		"Composed by the rule of thirds with leading lines.":          "composition=rule of thirds|composition=leading lines",
		"Her face fills the frame.":                                   "shot=fills the frame",
		"Golden hour, strong backlight.":                              "light=golden hour|light=backlight",
		"Close up of the face.":                                       "shot=close up",
		"A full-body portrait, head-on view.":                         "shot=full-body portrait|angle=head-on view",
	} {
		if got := said(text); got != want {
			t.Errorf("%s\n got %s\nwant %s", text, got, want)
		}
	}
}

func TestClashes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text   string
		camera storage.Camera
		want   string
	}{
		{"Late morning light. Medium shot. Close-up of the face, flickering candlelight.", storage.Camera{Shot: "close", Lighting: "candle"}, "Late morning light|Medium shot"},
		{"Medium shot from slightly below eye level.", storage.Camera{Angle: "high"}, "slightly below eye level"},
		{"Medium shot from slightly below eye level.", storage.Camera{Angle: "low"}, ""},
		{"A low angle from the floor.", storage.Camera{Angle: "ground"}, ""},
		{"Seen in profile at eye level.", storage.Camera{Angle: "profile"}, ""},
		{"Seen from behind, shot over the shoulder.", storage.Camera{Angle: "shoulder"}, ""},
		{"Lit by a candle, deep chiaroscuro.", storage.Camera{Lighting: "chiaroscuro"}, ""},
		{"Backlit by the setting sun.", storage.Camera{Lighting: "golden-hour"}, ""},
		{"Daylight through the window.", storage.Camera{Lighting: "window"}, ""},
		{"Daylight through the window.", storage.Camera{Lighting: "moon"}, "Daylight"},
		{"A wide shot.", storage.Camera{}, ""},
		{"16 mm lens, bokeh.", storage.Camera{Lens: "portrait"}, "16 mm lens"},
	} {
		var got []string
		for _, c := range camera.Clashes(test.text, test.camera, false) {
			got = append(got, c.Words)
		}
		if strings.Join(got, "|") != test.want {
			t.Errorf("%s with %+v: %q, want %q", test.text, test.camera, got, test.want)
		}
	}
}

func TestMend_KeepsTheRest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text   string
		camera storage.Camera
		want   string
	}{
		{"Tove kneels in a blue coat. Medium shot from slightly below eye level.", storage.Camera{Angle: "high"}, "Tove kneels in a blue coat. Medium shot from a high angle."},
		{"Wide shot; a lamp on the table is the only source of light, and dust drifts in it.", storage.Camera{Lighting: "moon"}, "Wide shot; moonlight is the only light, and dust drifts in it."},
		{"Morning light fills the room.", storage.Camera{Lighting: "overcast"}, "Overcast daylight fills the room."},
		{"Late morning light falls on Tove's blue coat.", storage.Camera{Lighting: "candle"}, "Candlelight falls on Tove's blue coat."},
		{"A low angle makes the door tall.", storage.Camera{Angle: "eye"}, "An eye-level view makes the door tall."},
		{"Robin waits. A single lamp is the only source of light.", storage.Camera{Lighting: "moon"}, "Robin waits. Moonlight is the only light."},
		{"Close-up of the face, a scar through the brow.", storage.Camera{Shot: "wide"}, "Wide shot, a scar through the brow."},
		{"Extreme close-up of a single detail: the key.", storage.Camera{Shot: "full"}, "Full shot: the key."},
		{"Medium shot, figures from the waist up, in rain. Close-up of Tove's face.", storage.Camera{Shot: "close"}, "Close-up, in rain. Close-up of Tove's face."},
		{"Wide shot, whole figures and the room around them, dusk.", storage.Camera{Shot: "close"}, "Close-up, dusk."},
		{"The camera looks up at her.", storage.Camera{Angle: "high"}, "The camera looks at her."},
	} {
		got, changes := camera.Mend(test.text, test.camera, true)
		if got != test.want || len(changes) == 0 {
			t.Errorf("%s\n got %s\nwant %s", test.text, got, test.want)
		}
	}
}

func TestSentences(t *testing.T) {
	t.Parallel()
	text := "Mr. Bell waits, f/1.8 open. \"Come in!\" A door.\nLight"
	var got []string
	for _, s := range camera.Sentences(text) {
		got = append(got, s.In(text))
	}
	if want := `Mr. Bell waits, f/1.8 open.|"Come in!"|A door.|Light`; strings.Join(got, "|") != want {
		t.Errorf("%q", got)
	}
}

func FuzzMend(f *testing.F) {
	f.Add("Late morning light. Medium shot. Close-up of the face, flickering candlelight.", "close", "low", "candle", true)
	f.Add("A low angle, 85 mm, the camera looks up\n\nat \"her", "wide", "shoulder", "noon", false)
	f.Add("seen from. below the face fills the frame ,lit by * lamp", "detail", "behind", "moon", true)
	f.Fuzz(func(t *testing.T, text, shot, angle, light string, strict bool) {
		c := storage.Camera{Shot: shot, Angle: angle, Lighting: light}
		got, changes := camera.Mend(text, c, strict)
		if left := camera.Clashes(got, c, strict); len(left) > 0 {
			t.Fatalf("%q still disagrees: %+v", got, left)
		}
		if len(changes) == 0 && got != text {
			t.Fatalf("%q became %q without a change", text, got)
		}
		for _, s := range camera.Sentences(text) {
			_ = s.In(text)
		}
		camera.Framing(text)
		camera.Unsaid(text, c)
	})
}

func BenchmarkFind(b *testing.B) {
	text := strings.Repeat("Late morning light falls through the tall window. Medium shot from slightly below eye level, Tove kneels in her blue coat. ", 16)
	for b.Loop() {
		camera.Find(text)
	}
}
