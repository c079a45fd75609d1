package ecosystem

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

type loreEntry = storage.LoreEntry

// setting is a setting of an entry. Its key is that of World Info; in a character_book it
// stands under the name top, or as ext among the extensions. What has neither stands in a
// way of its own.
type setting struct {
	field[loreEntry]
	top, ext string
}

func newSetting[V any](key, top, ext string, of func(*loreEntry) *V, c codec[V]) setting {
	return setting{newField(key, of, c), top, ext}
}

// loreSettings are all settings that World Info has, in the order of its files.
var loreSettings = []setting{
	newSetting("key", "keys", "", func(e *loreEntry) *[]string { return &e.Keys }, asKeys),
	newSetting("keysecondary", "secondary_keys", "", func(e *loreEntry) *[]string { return &e.SecondaryKeys }, asKeys),
	newSetting("comment", "comment", "", func(e *loreEntry) *string { return &e.Name }, asText),
	newSetting("content", "content", "", func(e *loreEntry) *string { return &e.Content }, asText),
	newSetting("constant", "constant", "", func(e *loreEntry) *bool { return &e.Constant }, asFlag),
	newSetting("vectorized", "", "vectorized", func(e *loreEntry) *bool { return &e.Vectorized }, asFlag),
	newSetting("selective", "selective", "", func(e *loreEntry) *bool { return &e.Selective }, asFlag),
	newSetting("selectiveLogic", "", "selectiveLogic", func(e *loreEntry) *storage.LoreLogic { return &e.Logic },
		asCount(storage.AndAny, storage.AndAll)),
	newSetting("order", "insertion_order", "",
		func(e *loreEntry) *int { return &e.Order }, zeroNull(asCount(-maxOrder, maxOrder), "a number")),
	newSetting("position", "", "", func(e *loreEntry) *storage.LorePosition { return &e.Position }, asPosition),
	newSetting("disable", "", "", func(e *loreEntry) *bool { return &e.Disabled }, asDisabled),
	newSetting("ignoreBudget", "", "ignore_budget", func(e *loreEntry) *bool { return &e.IgnoreBudget }, asFlag),
	newSetting("excludeRecursion", "", "exclude_recursion",
		func(e *loreEntry) *bool { return &e.ExcludeRecursion }, asFlag),
	newSetting("preventRecursion", "", "prevent_recursion",
		func(e *loreEntry) *bool { return &e.PreventRecursion }, asFlag),
	newSetting("matchPersonaDescription", "", "match_persona_description",
		func(e *loreEntry) *bool { return &e.MatchPersona }, asFlag),
	newSetting("matchCharacterDescription", "", "match_character_description",
		func(e *loreEntry) *bool { return &e.MatchDescription }, asFlag),
	newSetting("matchCharacterPersonality", "", "match_character_personality",
		func(e *loreEntry) *bool { return &e.MatchPersonality }, asFlag),
	newSetting("matchCharacterDepthPrompt", "", "match_character_depth_prompt",
		func(e *loreEntry) *bool { return &e.MatchDepthPrompt }, asFlag),
	newSetting("matchScenario", "", "match_scenario", func(e *loreEntry) *bool { return &e.MatchScenario }, asFlag),
	newSetting("matchCreatorNotes", "", "match_creator_notes",
		func(e *loreEntry) *bool { return &e.MatchCreatorNotes }, asFlag),
	newSetting("delayUntilRecursion", "", "delay_until_recursion",
		func(e *loreEntry) *int { return &e.DelayUntilRecursion }, asLevel),
	newSetting("probability", "", "probability",
		func(e *loreEntry) *float64 { return &e.Probability }, zeroNull(asShare(100), "a number from 0 to 100")),
	newSetting("useProbability", "", "useProbability", func(e *loreEntry) *bool { return &e.UseProbability }, asFlag),
	newSetting("depth", "", "depth", func(e *loreEntry) *int { return &e.Depth }, asCount(0, maxPlace)),
	newSetting("outletName", "", "outlet_name", func(e *loreEntry) *string { return &e.Outlet }, asText),
	newSetting("group", "", "group", func(e *loreEntry) *string { return &e.Group }, asText),
	newSetting("groupOverride", "", "group_override", func(e *loreEntry) *bool { return &e.GroupOverride }, asFlag),
	newSetting("groupWeight", "", "group_weight",
		func(e *loreEntry) *float64 { return &e.GroupWeight }, asShare(maxOrder)),
	newSetting("scanDepth", "", "scan_depth", func(e *loreEntry) **int { return &e.ScanDepth }, asMaybeCount),
	newSetting("caseSensitive", "", "case_sensitive",
		func(e *loreEntry) **bool { return &e.CaseSensitive }, asMaybeFlag),
	newSetting("matchWholeWords", "", "match_whole_words",
		func(e *loreEntry) **bool { return &e.WholeWords }, asMaybeFlag),
	newSetting("useGroupScoring", "", "use_group_scoring",
		func(e *loreEntry) **bool { return &e.UseGroupScoring }, asMaybeFlag),
	newSetting("role", "", "role", func(e *loreEntry) *storage.Role { return &e.Role }, asRole),
	newSetting("sticky", "", "sticky", func(e *loreEntry) *int { return &e.Sticky }, asTime),
	newSetting("cooldown", "", "cooldown", func(e *loreEntry) *int { return &e.Cooldown }, asTime),
	newSetting("delay", "", "delay", func(e *loreEntry) *int { return &e.Delay }, asTime),
	newSetting("triggers", "", "triggers", func(e *loreEntry) *[]string { return &e.Triggers }, asTriggers),
	newSetting("characterFilter", "", "character_filter",
		func(e *loreEntry) **storage.LoreFilter { return &e.Characters }, asFilter),
	newSetting(ownKey, "", ownKey, func(e *loreEntry) *loreEntry { return e }, ownSettings),
}

const (
	maxOrder = 1_000_000_000
	ownKey   = "ghostlight" // of the settings that only this program has
)

// The settings by their names in World Info, at the top of an entry of a character_book,
// and among its extensions.
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

// kindOf names what a value is, in words.
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
		return "the text " + brief(s)
	case raw[0] == 'n':
		return "null"
	case raw[0] == 't' || raw[0] == 'f':
		return string(raw)
	}
	return "the number " + strings.Trim(brief(string(raw)), `"`)
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

// yesNo reads a truth value, also one that is written as a number or a string.
func yesNo(raw json.RawMessage) (v, ok bool) {
	switch string(raw) {
	case "true", "1", `"true"`, `"1"`, `"True"`:
		return true, true
	case "false", "0", `"false"`, `"0"`, `"False"`:
		return false, true
	}
	return false, false
}

// truthy reports whether JavaScript takes a value for true: any text but the empty one,
// any number but 0, any list and any object. plain reports whether a truth value is
// what stands there, or what reads as the same one.
func truthy(raw json.RawMessage) (v, plain bool) {
	switch string(raw) {
	case "true", "false": // nearly all there are
		return raw[0] == 't', true
	}
	said, plain := yesNo(raw)
	f, isNumber := number(raw)
	v = !isNull(raw) && raw[0] != 'f' && string(raw) != `""` && !(raw[0] != '"' && isNumber && f == 0)
	return v, !v || plain && said
}

// equalsTrue reports whether a value == true in JavaScript, which compares numbers.
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

var asText = codec[string]{func(raw json.RawMessage, to *string) string {
	s, odd := loose(raw)
	*to = s
	if odd != "" && odd != "null" {
		return "a text"
	}
	return ""
}, appendText}

var asFlag = codec[bool]{func(raw json.RawMessage, to *bool) string {
	v, plain := truthy(raw)
	if *to = v; !plain {
		return "true or false"
	}
	return ""
}, strconv.AppendBool}

// readCount reads a whole number within bounds. A fraction is rounded, and a truth
// value is 1 or 0, as JavaScript has it.
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

func asCount[V ~int](low, high V) codec[V] {
	return codec[V]{func(raw json.RawMessage, to *V) string {
		v := int(*to)
		want := readCount(raw, int(low), int(high), &v)
		*to = V(v)
		return want
	}, appendInt[V]}
}

// asTime is a number of messages that is null where it does not count.
var asTime = codec[int]{asCount(0, maxOrder).read, func(dst []byte, v int) []byte {
	if v == 0 {
		return append(dst, "null"...)
	}
	return appendInt(dst, v)
}}

// zeroNull takes null for zero, which is not what belongs there.
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

func asShare(high float64) codec[float64] {
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

var asMaybeCount = codec[*int]{func(raw json.RawMessage, to **int) string {
	if isNull(raw) {
		*to = nil
		return ""
	}
	const none = -maxPlace - 1
	v := none
	want := readCount(raw, -maxPlace, maxPlace, &v) // below 0 nothing is scanned, as with 0
	if v == none && raw[0] == '"' {
		v = 0 // a text that is no number is as far as nothing
	}
	if v != none {
		*to = &v
	}
	return want
}, orNull(appendInt[int])}

var asMaybeFlag = codec[*bool]{func(raw json.RawMessage, to **bool) string {
	if isNull(raw) {
		*to = nil
		return ""
	}
	v, plain := truthy(raw)
	if *to = &v; !plain {
		return "true, false or null"
	}
	return ""
}, orNull(strconv.AppendBool)}

func equalPointers[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

const wantTexts = "a list of texts"

// readTexts reads a list of texts without the blank ones. A text in its place is
// split at commas.
func readTexts(raw json.RawMessage) (list []string, want string) {
	list, want = readKeys(raw)
	return slices.DeleteFunc(list, func(s string) bool { return strings.TrimSpace(s) == "" }), want
}

// readKeys is readTexts with the blank ones of a list, which count among keys: an
// empty one is never met, one of blanks always.
func readKeys(raw json.RawMessage) (list []string, want string) {
	switch {
	case isNull(raw):
		return nil, ""
	case raw[0] != '[':
		s, _ := loose(raw)
		return trimmed(strings.Split(s, ",")), wantTexts
	}
	for _, value := range values(raw, '[') {
		s, odd := loose(value)
		if odd != "" {
			want = wantTexts
		}
		list = append(list, s)
	}
	return list, want
}

var asKeys = codec[[]string]{func(raw json.RawMessage, to *[]string) (want string) {
	*to, want = readKeys(raw)
	return want
}, appendTexts}

// asTriggers are the kinds of requests an entry is for. What is no list is no filter.
var asTriggers = codec[[]string]{func(raw json.RawMessage, to *[]string) (want string) {
	if *to = nil; raw[0] != '[' && !isNull(raw) {
		return wantTexts
	}
	*to, want = readTexts(raw)
	return want
}, appendTexts}
