package storyboard

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The fields of a shot that have a list of words.
const (
	FieldSize     = "size"
	FieldAngle    = "angle"
	FieldMovement = "movement"
	FieldJob      = "job"
)

// Word is one choice of a field: the key that is stored, and what it is called.
type Word struct {
	Key   string
	Label string
	names string // other names of it, as keys, between spaces
	still string // what a capture's camera calls it, "" for nothing
	moves string // what it is for a moving picture
}

// Words lists the choices of a field of a shot, nil for any other field.
func Words(field string) []Word {
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

func sizes() []Word {
	return []Word{
		{Key: "extreme_close_up", Label: "Extreme close-up", still: "detail", names: "ecu xcu bcu extreme_close extreme_closeup big_close_up macro detail insert"},
		{Key: "close_up", Label: "Close-up", still: "close", names: "cu close closeup tight face"},
		{Key: "medium_close_up", Label: "Medium close-up", still: "medium-close", names: "mcu medium_close medium_closeup head_and_shoulders bust"},
		{Key: "medium", Label: "Medium", still: "medium", names: "ms mid waist waist_up half half_body"},
		{Key: "medium_wide", Label: "Medium wide", still: "full", names: "mws mls medium_long medium_full cowboy american three_quarter knee knees_up"},
		{Key: "full", Label: "Full", still: "full", names: "fs full_body full_length head_to_toe"},
		{Key: "wide", Label: "Wide", still: "wide", names: "ws ls long master"},
		{Key: "extreme_wide", Label: "Extreme wide", still: "extreme-wide", names: "ews xws els xls vws very_wide extreme_long very_long vista panorama"},
	}
}

func angles() []Word {
	return []Word{
		{Key: "eye_level", Label: "Eye level", still: "eye", names: "eye eyes eyelevel neutral straight straight_on frontal"},
		{Key: "low", Label: "Low", still: "low", names: "from_below looking_up low_level"},
		{Key: "high", Label: "High", still: "high", names: "from_above looking_down high_level"},
		{Key: "overhead", Label: "Overhead", still: "overhead", names: "top_down top birds_eye bird_s_eye birds_eye_view bird_s_eye_view straight_above"},
		{Key: "ground_level", Label: "Ground level", still: "ground", names: "ground floor floor_level worms_eye worm_s_eye worms_eye_view worm_s_eye_view"},
		{Key: "dutch", Label: "Tilted", still: "dutch", names: "dutch_tilt tilted canted oblique"},
		{Key: "over_the_shoulder", Label: "Over the shoulder", still: "shoulder", names: "ots oss over_shoulder shoulder"},
		{Key: "point_of_view", Label: "Point of view", names: "pov subjective first_person"},
		{Key: "profile", Label: "Profile", still: "profile", names: "side side_on from_the_side in_profile"},
		{Key: "from_behind", Label: "From behind", still: "behind", names: "behind back rear from_the_back"},
	}
}

func movements() []Word {
	return []Word{
		{Key: "static", Label: "Static", names: "still fixed locked locked_off lock_off tripod none no_movement", moves: "the camera does not move"},
		{Key: "push_in", Label: "Push in", names: "dolly_in push move_in slow_push slow_push_in track_in creep_in", moves: "the camera moves slowly towards the subject"},
		{Key: "pull_out", Label: "Pull out", names: "dolly_out pull pull_back move_out track_out slow_pull_out", moves: "the camera moves slowly away from the subject"},
		{Key: "pan", Label: "Pan", names: "panning", moves: "the camera pans across"},
		{Key: "pan_left", Label: "Pan left", moves: "the camera pans to the left"},
		{Key: "pan_right", Label: "Pan right", moves: "the camera pans to the right"},
		{Key: "whip_pan", Label: "Whip pan", names: "swish_pan whip", moves: "the camera whips round in a blur"},
		{Key: "tilt_up", Label: "Tilt up", names: "tilt", moves: "the camera tilts up"},
		{Key: "tilt_down", Label: "Tilt down", moves: "the camera tilts down"},
		{Key: "tracking", Label: "Tracking", names: "track dolly follow following trucking truck steadicam gimbal", moves: "the camera travels along with the subject"},
		{Key: "orbit", Label: "Orbit", names: "arc circle circling orbiting", moves: "the camera circles the subject"},
		{Key: "crane_up", Label: "Crane up", names: "crane boom boom_up jib pedestal_up rise", moves: "the camera rises"},
		{Key: "crane_down", Label: "Crane down", names: "boom_down pedestal_down descend", moves: "the camera sinks"},
		{Key: "handheld", Label: "Handheld", names: "hand_held shaky shaky_cam", moves: "handheld camera, slightly unsteady"},
		{Key: "zoom_in", Label: "Zoom in", names: "zoom slow_zoom crash_zoom", moves: "the lens zooms in"},
		{Key: "zoom_out", Label: "Zoom out", moves: "the lens zooms out"},
		{Key: "rack_focus", Label: "Rack focus", names: "focus_pull pull_focus focus_shift", moves: "the focus shifts from the foreground to the background"},
	}
}

func jobs() []Word {
	return []Word{
		{Key: "establishing", Label: "Establishing", names: "establish establishes_place orientation"},
		{Key: "action", Label: "Action", names: "act movement"},
		{Key: "dialogue", Label: "Dialogue", names: "dialog speech talk"},
		{Key: "reaction", Label: "Reaction", names: "react response listening"},
		{Key: "relationship_pressure", Label: "Relationship pressure", names: "pressure relationship relational_pressure"},
		{Key: "power_shift", Label: "Power shift", names: "power status_shift"},
		{Key: "physical_detail", Label: "Physical detail", names: "detail insert prop object"},
		{Key: "emotion", Label: "Emotion", names: "emotional_beat feeling"},
		{Key: "decision", Label: "Decision", names: "choice"},
		{Key: "reveal", Label: "Reveal", names: "revelation discovery"},
		{Key: "tension", Label: "Tension", names: "suspense build_up"},
		{Key: "atmosphere", Label: "Atmosphere", names: "mood ambience ambiance"},
		{Key: "geography", Label: "Geography", names: "space spatial blocking"},
		{Key: "transition", Label: "Transition", names: "bridge connection connecting"},
		{Key: "cutaway", Label: "Cutaway", names: "cut_away"},
		{Key: "payoff", Label: "Payoff", names: "pay_off resolution closing"},
	}
}

// maxWord bounds a word of a field, in runes.
const maxWord = 60

// Normal is the key that text means for a field of a shot. A word that no list has
// is kept as it is, tidied and cut to a bearable length.
func Normal(field, text string) string {
	text = strings.TrimSpace(cutRunes(tidyLine(text), maxWord))
	name := wordKey(text)
	list := Words(field)
	for _, n := range []string{name, bareKey(name), strings.ReplaceAll(name, "_", "")} { // the last for "W.S."
		for _, w := range list {
			if n == w.Key || contains(w.names, n) {
				return w.Key
			}
		}
	}
	return text
}

// Label is what the value of a field of a shot is called; a word of the user's own
// is its own label.
func Label(field, value string) string {
	for _, w := range Words(field) {
		if w.Key == value {
			return w.Label
		}
	}
	return value
}

// Camera is what a capture's camera is set to for a shot. What the camera has no
// setting for is left to Unset.
func Camera(s storage.Shot) storage.Camera {
	return storage.Camera{Shot: still(FieldSize, s.Size), Angle: still(FieldAngle, s.Angle)}
}

// Unset is what a shot says of size and angle that the camera has no setting for, in
// words for the prompt, "" for nothing.
func Unset(s storage.Shot) string {
	var out []string
	for _, of := range [][2]string{{FieldSize, s.Size}, {FieldAngle, s.Angle}} {
		if still(of[0], of[1]) == "" && wordKey(of[1]) != "" {
			out = append(out, Label(of[0], Normal(of[0], of[1])))
		}
	}
	return strings.Join(out, ", ")
}

func still(field, value string) string {
	value = Normal(field, value)
	for _, w := range Words(field) {
		if w.Key == value {
			return w.still
		}
	}
	return ""
}

// Motion is a shot's movement in words for the prompt of a moving picture, "" for
// none.
func Motion(s storage.Shot) string {
	value := Normal(FieldMovement, s.Movement)
	for _, w := range movements() {
		if w.Key == value {
			return w.moves
		}
	}
	return value
}

// wordKey is text in the form of a key: lower case, anything but letters and
// digits as one underscore.
func wordKey(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}), "_")
}

// bareKey is a key without the words that say no more than that it is a shot.
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

// tidyLine is text on one line, without what cannot be seen.
func tidyLine(s string) string { return strings.Join(strings.Fields(tidyText(s)), " ") }

// tidyText is text without what cannot be seen but for its line breaks, and with
// no more than one empty line at a time.
func tidyText(s string) string {
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
