package capture

import (
	"strings"

	"ghostlight/storage"
)

// Preset is one choice of a camera control: what it is called in a list, and
// what it adds to a prompt.
type Preset struct {
	Key    string
	Label  string
	Phrase string
}

// Camera is the choice of one preset per control.
type Camera = storage.Camera

// Shots lists the shot sizes, from far to near.
func Shots() []Preset {
	return []Preset{
		{"extreme-wide", "Extreme wide", "extreme wide shot, the figures small in their surroundings"},
		{"wide", "Wide", "wide shot, whole figures and the room around them"},
		{"full", "Full", "full shot, figures from head to foot"},
		{"medium", "Medium", "medium shot, figures from the waist up"},
		{"medium-close", "Medium close-up", "medium close-up, head and shoulders"},
		{"close", "Close-up", "close-up of the face"},
		{"detail", "Detail", "extreme close-up of a single detail"},
	}
}

// Angles lists where the camera stands.
func Angles() []Preset {
	return []Preset{
		{"eye", "Eye level", "camera at eye level"},
		{"low", "Low", "low angle, looking up"},
		{"high", "High", "high angle, looking down"},
		{"overhead", "Overhead", "seen from straight above"},
		{"ground", "Ground", "camera close to the floor"},
		{"dutch", "Tilted", "tilted horizon, Dutch angle"},
		{"shoulder", "Over the shoulder", "over-the-shoulder view"},
		{"profile", "Profile", "seen in profile"},
		{"behind", "From behind", "seen from behind"},
	}
}

// Lenses lists focal lengths and what they do to depth.
func Lenses() []Preset {
	return []Preset{
		{"ultra-wide", "Ultra wide, 16 mm", "16 mm ultra-wide lens, strong perspective"},
		{"wide", "Wide, 28 mm", "28 mm lens, deep focus"},
		{"normal", "Normal, 50 mm", "50 mm lens, natural perspective"},
		{"portrait", "Portrait, 85 mm", "85 mm portrait lens, shallow depth of field"},
		{"tele", "Long, 135 mm", "135 mm lens, compressed perspective, blurred background"},
		{"macro", "Macro", "macro lens, paper-thin focus"},
		{"anamorphic", "Anamorphic", "anamorphic lens, oval highlights, wide frame"},
	}
}

// Lightings lists where light comes from and what colour it has.
func Lightings() []Preset {
	return []Preset{
		{"golden-hour", "Golden hour", "low warm sun of the golden hour, long shadows"},
		{"blue-hour", "Blue hour", "cool even light of the blue hour"},
		{"overcast", "Overcast", "soft overcast daylight, hardly any shadow"},
		{"noon", "Noon", "hard overhead midday sun"},
		{"moon", "Moonlight", "pale moonlight, deep blue shadows"},
		{"candle", "Candle", "flickering candlelight, warm faces out of the dark"},
		{"fire", "Firelight", "orange firelight from below"},
		{"lamp", "Lamp", "a single lamp, warm pool of light, darkness around it"},
		{"stage", "Stage", "theatrical spotlight, hard edge, dust in the beam"},
		{"studio", "Studio", "three-point studio lighting"},
		{"window", "Window", "soft light from a side window"},
		{"neon", "Neon", "coloured neon light, wet reflections"},
		{"back", "Backlight", "strong backlight, bright rim around the figures"},
		{"chiaroscuro", "Chiaroscuro", "chiaroscuro, one light source, deep shadow"},
	}
}

// Compositions lists rules of arrangement.
func Compositions() []Preset {
	return []Preset{
		{"thirds", "Rule of thirds", "composed by the rule of thirds"},
		{"centred", "Centred", "centred symmetrical composition"},
		{"diagonal", "Diagonal", "strong diagonal composition"},
		{"frame", "Frame within the frame", "framed by a doorway or window in the foreground"},
		{"leading", "Leading lines", "leading lines that run towards the subject"},
		{"space", "Empty space", "much empty space around the subject"},
		{"layers", "Layers", "clear foreground, middle ground and background"},
	}
}

// Moods lists what the picture as a whole should feel like.
func Moods() []Preset {
	return []Preset{
		{"tender", "Tender", "tender, quiet mood"},
		{"tense", "Tense", "tense mood, held breath"},
		{"joyful", "Joyful", "joyful, light mood"},
		{"melancholy", "Melancholy", "melancholy mood, muted colours"},
		{"mysterious", "Mysterious", "mysterious mood, much left in shadow"},
		{"dreamlike", "Dreamlike", "dreamlike mood, soft haze"},
		{"ominous", "Ominous", "ominous mood, cold palette"},
		{"intimate", "Intimate", "intimate mood, warm palette"},
		{"epic", "Epic", "grand, epic mood"},
	}
}

// Direct adds to a prompt what the camera controls say, as plain phrases. A
// phrase that the prompt holds already is not added again, so directing twice
// changes nothing; a key that no list has adds nothing.
func Direct(prompt string, camera Camera) string {
	var phrases []string
	for _, control := range []struct {
		key  string
		list []Preset
	}{
		{camera.Shot, Shots()}, {camera.Angle, Angles()}, {camera.Lens, Lenses()},
		{camera.Lighting, Lightings()}, {camera.Composition, Compositions()}, {camera.Mood, Moods()},
	} {
		for _, p := range control.list {
			if p.Key == control.key && find(prompt, p.Phrase, true) < 0 {
				phrases = append(phrases, p.Phrase)
			}
		}
	}
	if len(phrases) == 0 {
		return prompt
	}
	added := strings.Join(phrases, ", ")
	trimmed := strings.TrimRight(prompt, " \t\n")
	if trimmed == "" {
		return capitalised(added) + "."
	}
	if !strings.ContainsRune(".!?…\"”", last(trimmed)) {
		trimmed += "."
	}
	return trimmed + " " + capitalised(added) + "."
}

func capitalised(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
