package formats

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

type loreEntry = storage.LoreEntry

// setting is a setting of an entry. key is its member in World Info. In a character_book it is the
// member top, or the member ext of the extensions. A setting with neither is read in a special
// way.
type setting struct {
	field[loreEntry]
	top, ext string
}

func newSetting[V any](key, top, ext string, of func(*loreEntry) *V, c codec[V]) setting {
	return setting{newField(key, of, c), top, ext}
}

// loreSettings are all settings of World Info, in the order of its files.
var loreSettings = []setting{
	newSetting("key", "keys", "", func(e *loreEntry) *[]string { return &e.Keys }, keysCodec),
	newSetting("keysecondary", "secondary_keys", "", func(e *loreEntry) *[]string { return &e.SecondaryKeys },
		keysCodec),
	newSetting("comment", "comment", "", func(e *loreEntry) *string { return &e.Name }, textCodec),
	newSetting("content", "content", "", func(e *loreEntry) *string { return &e.Content }, textCodec),
	newSetting("constant", "constant", "", func(e *loreEntry) *bool { return &e.Constant }, flagCodec),
	newSetting("vectorized", "", "vectorized", func(e *loreEntry) *bool { return &e.Vectorized }, flagCodec),
	newSetting("selective", "selective", "", func(e *loreEntry) *bool { return &e.Selective }, flagCodec),
	newSetting("selectiveLogic", "", "selectiveLogic", func(e *loreEntry) *storage.LoreLogic { return &e.Logic },
		countCodec(storage.AndAny, storage.AndAll)),
	newSetting("order", "insertion_order", "",
		func(e *loreEntry) *int { return &e.Order }, zeroNull(countCodec(-maxOrder, maxOrder), "a number")),
	newSetting("position", "", "", func(e *loreEntry) *storage.LorePosition { return &e.Position }, positionCodec),
	newSetting("disable", "", "", func(e *loreEntry) *bool { return &e.Disabled }, disabledCodec),
	newSetting("ignoreBudget", "", "ignore_budget", func(e *loreEntry) *bool { return &e.IgnoreBudget }, flagCodec),
	newSetting("excludeRecursion", "", "exclude_recursion",
		func(e *loreEntry) *bool { return &e.ExcludeRecursion }, flagCodec),
	newSetting("preventRecursion", "", "prevent_recursion",
		func(e *loreEntry) *bool { return &e.PreventRecursion }, flagCodec),
	newSetting("matchPersonaDescription", "", "match_persona_description",
		func(e *loreEntry) *bool { return &e.MatchPersona }, flagCodec),
	newSetting("matchCharacterDescription", "", "match_character_description",
		func(e *loreEntry) *bool { return &e.MatchDescription }, flagCodec),
	newSetting("matchCharacterPersonality", "", "match_character_personality",
		func(e *loreEntry) *bool { return &e.MatchPersonality }, flagCodec),
	newSetting("matchCharacterDepthPrompt", "", "match_character_depth_prompt",
		func(e *loreEntry) *bool { return &e.MatchDepthPrompt }, flagCodec),
	newSetting("matchScenario", "", "match_scenario", func(e *loreEntry) *bool { return &e.MatchScenario }, flagCodec),
	newSetting("matchCreatorNotes", "", "match_creator_notes",
		func(e *loreEntry) *bool { return &e.MatchCreatorNotes }, flagCodec),
	newSetting("delayUntilRecursion", "", "delay_until_recursion",
		func(e *loreEntry) *int { return &e.DelayUntilRecursion }, levelCodec),
	newSetting("probability", "", "probability",
		func(e *loreEntry) *float64 { return &e.Probability }, zeroNull(shareCodec(100), "a number from 0 to 100")),
	newSetting("useProbability", "", "useProbability", func(e *loreEntry) *bool { return &e.UseProbability },
		flagCodec),
	newSetting("depth", "", "depth", func(e *loreEntry) *int { return &e.Depth }, countCodec(0, maxPlace)),
	newSetting("outletName", "", "outlet_name", func(e *loreEntry) *string { return &e.Outlet }, textCodec),
	newSetting("group", "", "group", func(e *loreEntry) *string { return &e.Group }, textCodec),
	newSetting("groupOverride", "", "group_override", func(e *loreEntry) *bool { return &e.GroupOverride }, flagCodec),
	newSetting("groupWeight", "", "group_weight",
		func(e *loreEntry) *float64 { return &e.GroupWeight }, shareCodec(maxOrder)),
	newSetting("scanDepth", "", "scan_depth", func(e *loreEntry) **int { return &e.ScanDepth }, maybeCountCodec),
	newSetting("caseSensitive", "", "case_sensitive",
		func(e *loreEntry) **bool { return &e.CaseSensitive }, maybeFlagCodec),
	newSetting("matchWholeWords", "", "match_whole_words",
		func(e *loreEntry) **bool { return &e.WholeWords }, maybeFlagCodec),
	newSetting("useGroupScoring", "", "use_group_scoring",
		func(e *loreEntry) **bool { return &e.UseGroupScoring }, maybeFlagCodec),
	newSetting("role", "", "role", func(e *loreEntry) *storage.Role { return &e.Role }, roleCodec),
	newSetting("sticky", "", "sticky", func(e *loreEntry) *int { return &e.Sticky }, timeCodec),
	newSetting("cooldown", "", "cooldown", func(e *loreEntry) *int { return &e.Cooldown }, timeCodec),
	newSetting("delay", "", "delay", func(e *loreEntry) *int { return &e.Delay }, timeCodec),
	newSetting("triggers", "", "triggers", func(e *loreEntry) *[]string { return &e.Triggers }, triggersCodec),
	newSetting("characterFilter", "", "character_filter",
		func(e *loreEntry) **storage.LoreFilter { return &e.Characters }, filterCodec),
	newSetting(ownKey, "", ownKey, func(e *loreEntry) *loreEntry { return e }, ownSettings),
}

const (
	maxOrder = 1_000_000_000
	ownKey   = "ghostlight" // of the settings that only this program has
)

// The settings by their members in World Info, in an entry of a character_book, and in its
// extensions.
var (
	settingsByKey = indexSettings(func(s *setting) string { return s.key })
	settingsByTop = indexSettings(func(s *setting) string { return s.top })
	settingsByExt = indexSettings(func(s *setting) string { return s.ext })
)

func indexSettings(name func(*setting) string) map[string]*setting {
	index := map[string]*setting{}
	for i := range loreSettings {
		if s := &loreSettings[i]; name(s) != "" {
			index[name(s)] = s
		}
	}
	return index
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || raw[0] == 'n' }

// kindOf returns the type of a value.
func kindOf(raw json.RawMessage) string {
	switch {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case raw[0] == '"':
		s, _ := text(raw)
		return "the text " + quoteShort(s)
	case raw[0] == 'n':
		return "null"
	case raw[0] == 't' || raw[0] == 'f':
		return string(raw)
	}
	return "the number " + strings.Trim(quoteShort(string(raw)), `"`)
}

// number reads a number, also one that is written as a string.
func number(raw json.RawMessage) (float64, bool) {
	if isNull(raw) {
		return 0, false
	}
	s := string(raw)
	if raw[0] == '"' {
		s, _ = text(raw)
		s = strings.TrimSpace(s)
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil && !math.IsNaN(f) && !math.IsInf(f, 0)
}

// looseBool reads a boolean, also one that is written as a number or a string.
func looseBool(raw json.RawMessage) (v, ok bool) {
	switch string(raw) {
	case "true", "1", `"true"`, `"1"`, `"True"`:
		return true, true
	case "false", "0", `"false"`, `"0"`, `"False"`:
		return false, true
	}
	return false, false
}

// truthy reports whether JavaScript takes a value as true: any text except the empty one, any
// number except 0, any list and any object. plain reports whether it is a boolean or reads like
// one.
func truthy(raw json.RawMessage) (v, plain bool) {
	switch string(raw) {
	case "true", "false": // the usual case
		return raw[0] == 't', true
	}
	said, plain := looseBool(raw)
	f, isNumber := number(raw)
	v = !isNull(raw) && raw[0] != 'f' && string(raw) != `""` && !(raw[0] != '"' && isNumber && f == 0)
	return v, !v || plain && said
}

// equalsTrue reports whether value == true in JavaScript, which compares numbers.
func equalsTrue(raw json.RawMessage) bool {
	f, ok := number(raw)
	return string(raw) == "true" || ok && f == 1
}

func rawFlag(v bool) json.RawMessage { return json.RawMessage(strconv.FormatBool(v)) }
func rawInt(v int) json.RawMessage   { return json.RawMessage(strconv.Itoa(v)) }
func rawFloat(v float64) json.RawMessage {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return json.RawMessage("0")
	}
	return json.RawMessage(strconv.FormatFloat(v, 'f', -1, 64))
}

var rawNull = json.RawMessage("null")

var textCodec = codec[string]{func(raw json.RawMessage, to *string) string {
	s, odd := looseString(raw)
	*to = s
	if odd != "" && odd != "null" {
		return "a text"
	}
	return ""
}, appendText}

var flagCodec = codec[bool]{func(raw json.RawMessage, to *bool) string {
	v, plain := truthy(raw)
	if *to = v; !plain {
		return "true or false"
	}
	return ""
}, strconv.AppendBool}

// readCount reads a whole number within limits. A fraction is rounded, and a boolean is 1 or 0, as
// in JavaScript.
func readCount(raw json.RawMessage, low, high int, to *int) string {
	if isNull(raw) {
		return ""
	}
	if raw[0] == 't' || raw[0] == 'f' {
		*to = min(max(low, len("false")-len(raw)), high) // true has one letter less
		return "a number from " + strconv.Itoa(low) + " to " + strconv.Itoa(high)
	}
	if v, err := strconv.Atoi(string(raw)); err == nil && v >= low && v <= high {
		*to = v
		return ""
	}
	f, ok := number(raw)
	if !ok || f < float64(low) || f > float64(high) {
		return "a number from " + strconv.Itoa(low) + " to " + strconv.Itoa(high)
	}
	*to = int(math.Round(f))
	if f != math.Trunc(f) {
		return "a whole number"
	}
	return ""
}

func countCodec[V ~int](low, high V) codec[V] {
	return codec[V]{func(raw json.RawMessage, to *V) string {
		v := int(*to)
		want := readCount(raw, int(low), int(high), &v)
		*to = V(v)
		return want
	}, appendInt[V]}
}

// timeCodec is a number of messages that is null when it is not used.
var timeCodec = codec[int]{countCodec(0, maxOrder).read, func(dst []byte, v int) []byte {
	if v == 0 {
		return append(dst, "null"...)
	}
	return appendInt(dst, v)
}}

// zeroNull reads null as zero, and reports it as unexpected.
func zeroNull[V any](c codec[V], want string) codec[V] {
	return codec[V]{func(raw json.RawMessage, to *V) string {
		if isNull(raw) {
			var zero V
			*to = zero
			return want
		}
		return c.read(raw, to)
	}, c.write}
}

func shareCodec(high float64) codec[float64] {
	return codec[float64]{func(raw json.RawMessage, to *float64) string {
		if isNull(raw) {
			return ""
		}
		f, ok := number(raw)
		if raw[0] == 't' || raw[0] == 'f' {
			f = 0
			if raw[0] == 't' {
				f = 1
			}
			*to = f
		} else if ok {
			*to = min(max(f, 0), high) + 0 // no negative zero, which reads back as another
		}
		if !ok || f < 0 || f > high {
			return "a number from 0 to " + string(rawFloat(high))
		}
		return ""
	}, func(dst []byte, v float64) []byte { return append(dst, rawFloat(v)...) }}
}

var maybeCountCodec = codec[*int]{func(raw json.RawMessage, to **int) string {
	if isNull(raw) {
		*to = nil
		return ""
	}
	const none = -maxPlace - 1
	v := none
	want := readCount(raw, -maxPlace, maxPlace, &v) // below 0 nothing is scanned, as with 0
	if v == none && raw[0] == '"' {
		v = 0 // a text that is not a number counts as 0
	}
	if v != none {
		*to = &v
	}
	return want
}, nullable(appendInt[int])}

var maybeFlagCodec = codec[*bool]{func(raw json.RawMessage, to **bool) string {
	if isNull(raw) {
		*to = nil
		return ""
	}
	v, plain := truthy(raw)
	if *to = &v; !plain {
		return "true, false or null"
	}
	return ""
}, nullable(strconv.AppendBool)}

func equalPointers[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

const wantTexts = "a list of texts"

// readTexts reads a list of texts without the blank ones. A text in its place is split at commas.
func readTexts(raw json.RawMessage) (list []string, want string) {
	list, want = readKeys(raw)
	return slices.DeleteFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" }), want
}

// readKeys is readTexts with blank keys: an empty one never matches, one of spaces always does.
func readKeys(raw json.RawMessage) (list []string, want string) {
	switch {
	case isNull(raw):
		return nil, ""
	case raw[0] != '[':
		s, _ := looseString(raw)
		return trimList(strings.Split(s, ",")), wantTexts
	}
	for _, value := range values(raw, '[') {
		s, odd := looseString(value)
		if odd != "" {
			want = wantTexts
		}
		list = append(list, s)
	}
	return list, want
}

var keysCodec = codec[[]string]{func(raw json.RawMessage, to *[]string) (want string) {
	*to, want = readKeys(raw)
	return want
}, appendTexts}

// triggersCodec reads the kinds of requests that an entry is for. Anything but a list is no
// filter.
var triggersCodec = codec[[]string]{func(raw json.RawMessage, to *[]string) (want string) {
	if *to = nil; raw[0] != '[' && !isNull(raw) {
		return wantTexts
	}
	*to, want = readTexts(raw)
	return want
}, appendTexts}
