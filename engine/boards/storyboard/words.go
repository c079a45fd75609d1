package storyboard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The fields of a shot with suggested words.
const (
	FieldSize     = "size"
	FieldAngle    = "angle"
	FieldMovement = "movement"
	FieldJob      = "job"
)

// Choice is one choice of a field: the stored key and its label.
type Choice struct {
	Key       string
	Label     string
	aliases   string // other names, as keys, between spaces
	cameraKey string // the camera's key for it, "" for none
	motion    string // its words for a moving picture
}

// Choices returns the choices of a field of a shot, nil for any other field.
func Choices(field string) []Choice {
	switch field {
	case FieldSize:
		return sizes()
	case FieldAngle:
		return angles()
	case FieldMovement:
		return movements()
	case FieldJob:
		return jobs()
	}
	return nil
}

func sizes() []Choice {
	return []Choice{
		{Key: "extreme_close_up", Label: "Extreme close-up", cameraKey: "detail",
			aliases: "ecu xcu bcu extreme_close extreme_closeup big_close_up macro detail insert"},
		{Key: "close_up", Label: "Close-up", cameraKey: "close", aliases: "cu close closeup tight face"},
		{Key: "medium_close_up", Label: "Medium close-up", cameraKey: "medium-close",
			aliases: "mcu medium_close medium_closeup head_and_shoulders bust"},
		{Key: "medium", Label: "Medium", cameraKey: "medium", aliases: "ms mid waist waist_up half half_body"},
		{Key: "medium_wide", Label: "Medium wide", cameraKey: "full",
			aliases: "mws mls medium_long medium_full cowboy american three_quarter knee knees_up"},
		{Key: "full", Label: "Full", cameraKey: "full", aliases: "fs full_body full_length head_to_toe"},
		{Key: "wide", Label: "Wide", cameraKey: "wide", aliases: "ws ls long master"},
		{Key: "extreme_wide", Label: "Extreme wide", cameraKey: "extreme-wide",
			aliases: "ews xws els xls vws very_wide extreme_long very_long vista panorama"},
	}
}

func angles() []Choice {
	return []Choice{
		{Key: "eye_level", Label: "Eye level", cameraKey: "eye",
			aliases: "eye eyes eyelevel neutral straight straight_on frontal"},
		{Key: "low", Label: "Low", cameraKey: "low", aliases: "from_below looking_up low_level"},
		{Key: "high", Label: "High", cameraKey: "high", aliases: "from_above looking_down high_level"},
		{Key: "overhead", Label: "Overhead", cameraKey: "overhead",
			aliases: "top_down top birds_eye bird_s_eye birds_eye_view bird_s_eye_view straight_above"},
		{Key: "ground_level", Label: "Ground level", cameraKey: "ground",
			aliases: "ground floor floor_level worms_eye worm_s_eye worms_eye_view worm_s_eye_view"},
		{Key: "dutch", Label: "Tilted", cameraKey: "dutch", aliases: "dutch_tilt tilted canted oblique"},
		{Key: "over_the_shoulder", Label: "Over the shoulder", cameraKey: "shoulder",
			aliases: "ots oss over_shoulder shoulder"},
		{Key: "point_of_view", Label: "Point of view", aliases: "pov subjective first_person"},
		{Key: "profile", Label: "Profile", cameraKey: "profile", aliases: "side side_on from_the_side in_profile"},
		{Key: "from_behind", Label: "From behind", cameraKey: "behind", aliases: "behind back rear from_the_back"},
	}
}

func movements() []Choice {
	return []Choice{
		{Key: "static", Label: "Static", aliases: "still fixed locked locked_off lock_off tripod none no_movement",
			motion: "the camera does not move"},
		{Key: "push_in", Label: "Push in", aliases: "dolly_in push move_in slow_push slow_push_in track_in creep_in",
			motion: "the camera moves slowly towards the subject"},
		{Key: "pull_out", Label: "Pull out", aliases: "dolly_out pull pull_back move_out track_out slow_pull_out",
			motion: "the camera moves slowly away from the subject"},
		{Key: "pan", Label: "Pan", aliases: "panning", motion: "the camera pans across"},
		{Key: "pan_left", Label: "Pan left", motion: "the camera pans to the left"},
		{Key: "pan_right", Label: "Pan right", motion: "the camera pans to the right"},
		{Key: "whip_pan", Label: "Whip pan", aliases: "swish_pan whip", motion: "the camera whips round in a blur"},
		{Key: "tilt_up", Label: "Tilt up", aliases: "tilt", motion: "the camera tilts up"},
		{Key: "tilt_down", Label: "Tilt down", motion: "the camera tilts down"},
		{Key: "tracking", Label: "Tracking", aliases: "track dolly follow following trucking truck steadicam gimbal",
			motion: "the camera travels along with the subject"},
		{Key: "orbit", Label: "Orbit", aliases: "arc circle circling orbiting",
			motion: "the camera circles the subject"},
		{Key: "crane_up", Label: "Crane up", aliases: "crane boom boom_up jib pedestal_up rise",
			motion: "the camera rises"},
		{Key: "crane_down", Label: "Crane down", aliases: "boom_down pedestal_down descend",
			motion: "the camera sinks"},
		{Key: "handheld", Label: "Handheld", aliases: "hand_held shaky shaky_cam",
			motion: "handheld camera, slightly unsteady"},
		{Key: "zoom_in", Label: "Zoom in", aliases: "zoom slow_zoom crash_zoom", motion: "the lens zooms in"},
		{Key: "zoom_out", Label: "Zoom out", motion: "the lens zooms out"},
		{Key: "rack_focus", Label: "Rack focus", aliases: "focus_pull pull_focus focus_shift",
			motion: "the focus shifts from the foreground to the background"},
	}
}

func jobs() []Choice {
	return []Choice{
		{Key: "establishing", Label: "Establishing", aliases: "establish establishes_place orientation"},
		{Key: "action", Label: "Action", aliases: "act movement"},
		{Key: "dialogue", Label: "Dialogue", aliases: "dialog speech talk"},
		{Key: "reaction", Label: "Reaction", aliases: "react response listening"},
		{Key: "relationship_pressure", Label: "Relationship pressure",
			aliases: "pressure relationship relational_pressure"},
		{Key: "power_shift", Label: "Power shift", aliases: "power status_shift"},
		{Key: "physical_detail", Label: "Physical detail", aliases: "detail insert prop object"},
		{Key: "emotion", Label: "Emotion", aliases: "emotional_beat feeling"},
		{Key: "decision", Label: "Decision", aliases: "choice"},
		{Key: "reveal", Label: "Reveal", aliases: "revelation discovery"},
		{Key: "tension", Label: "Tension", aliases: "suspense build_up"},
		{Key: "atmosphere", Label: "Atmosphere", aliases: "mood ambience ambiance"},
		{Key: "geography", Label: "Geography", aliases: "space spatial blocking"},
		{Key: "transition", Label: "Transition", aliases: "bridge connection connecting"},
		{Key: "cutaway", Label: "Cutaway", aliases: "cut_away"},
		{Key: "payoff", Label: "Payoff", aliases: "pay_off resolution closing"},
	}
}

// maxWord limits a word of a field, in runes.
const maxWord = 60

// NormalizeWord returns the key of a text for a field of a shot. An unknown word is kept, cleaned
// and shortened.
func NormalizeWord(field, text string) string {
	text = strings.TrimSpace(cutRunes(cleanLine(text), maxWord))
	name := wordKey(text)
	list := Choices(field)
	for _, n := range []string{name, bareKey(name), strings.ReplaceAll(name, "_", "")} { // the last for "W.S."
		for _, w := range list {
			if n == w.Key || contains(w.aliases, n) {
				return w.Key
			}
		}
	}
	return text
}

// Label returns the label of a field's value; an unknown word is its own label.
func Label(field, value string) string {
	for _, w := range Choices(field) {
		if w.Key == value {
			return w.Label
		}
	}
	return value
}

// Camera returns the camera settings of a shot. What the camera has no setting for is in
// UnsetCameraText.
func Camera(s storage.Shot) storage.Camera {
	return storage.Camera{Shot: cameraKeyOf(FieldSize, s.Size), Angle: cameraKeyOf(FieldAngle, s.Angle)}
}

// UnsetCameraText returns the size and angle of a shot that the camera has no setting for, as text
// for the prompt, "" for none.
func UnsetCameraText(s storage.Shot) string {
	var out []string
	for _, of := range [][2]string{{FieldSize, s.Size}, {FieldAngle, s.Angle}} {
		if cameraKeyOf(of[0], of[1]) == "" && wordKey(of[1]) != "" {
			out = append(out, Label(of[0], NormalizeWord(of[0], of[1])))
		}
	}
	return strings.Join(out, ", ")
}

func cameraKeyOf(field, value string) string {
	value = NormalizeWord(field, value)
	for _, w := range Choices(field) {
		if w.Key == value {
			return w.cameraKey
		}
	}
	return ""
}

// MotionText returns a shot's movement for the prompt of a moving picture, "" for none.
func MotionText(s storage.Shot) string {
	value := NormalizeWord(FieldMovement, s.Movement)
	for _, w := range movements() {
		if w.Key == value {
			return w.motion
		}
	}
	return value
}

// wordKey returns a text as a key: lower case, with one underscore for anything but letters and
// digits.
func wordKey(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "_")
}

// bareKey returns a key without words that only say that it is a shot.
func bareKey(key string) string {
	for _, head := range []string{"a_", "an_", "the_"} {
		key = strings.TrimPrefix(key, head)
	}
	for {
		bare := key
		for _, tail := range []string{"_shot", "_angle", "_camera", "_view", "_move", "_movement"} {
			bare = strings.TrimSuffix(bare, tail)
		}
		if bare == key {
			return key
		}
		key = bare
	}
}

func contains(names, name string) bool {
	return name != "" && strings.Contains(" "+names+" ", " "+name+" ")
}

// cleanLine returns a text on one line, without invisible characters.
func cleanLine(s string) string { return strings.Join(strings.Fields(cleanText(s)), " ") }

// cleanText returns a text without invisible characters, with line breaks and at most one empty
// line at a time.
func cleanText(s string) string {
	s = strings.ToValidUTF8(s, "�")
	s = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\t", " ").Replace(s)
	s = strings.Map(func(r rune) rune {
		if r == '\n' || r == '\u200d' || r == '\u200c' || !unicode.IsControl(r) && !unicode.Is(unicode.Cf, r) {
			return r
		}
		return -1
	}, s)
	for strings.Contains(s, "\n\n\n") {
		s = strings.ReplaceAll(s, "\n\n\n", "\n\n")
	}
	return strings.TrimSpace(s)
}

func cutRunes(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n])
}
