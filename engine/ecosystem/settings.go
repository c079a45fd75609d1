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

// setting is a setting of an entry. key is its name in World Info, ext that among
// the extensions of a character_book, "" where it stands elsewhere. read takes a
// value over and says what type belongs there if it is another.
type setting struct {
	key, ext string
	read     func(raw json.RawMessage, e *loreEntry) (want string)
	write    func(e *loreEntry) json.RawMessage
	same     func(a, b *loreEntry) bool

	quotedKey, quotedExt []byte
}

func newSetting(key, ext string, read func(json.RawMessage, *loreEntry) string, write func(*loreEntry) json.RawMessage, same func(a, b *loreEntry) bool) setting {
	return setting{key, ext, read, write, same, quoted(key), quoted(ext)}
}

// loreSettings are all settings that World Info has, in the order of its files.
var loreSettings = []setting{
	keysSetting("key", func(e *loreEntry) *[]string { return &e.Keys }),
	keysSetting("keysecondary", func(e *loreEntry) *[]string { return &e.SecondaryKeys }),
	textSetting("comment", "", func(e *loreEntry) *string { return &e.Name }),
	textSetting("content", "", func(e *loreEntry) *string { return &e.Content }),
	flagSetting("constant", "", func(e *loreEntry) *bool { return &e.Constant }),
	flagSetting("vectorized", "vectorized", func(e *loreEntry) *bool { return &e.Vectorized }),
	flagSetting("selective", "", func(e *loreEntry) *bool { return &e.Selective }),
	logicSetting(),
	orderSetting(),
	positionSetting(),
	disableSetting(),
	flagSetting("ignoreBudget", "ignore_budget", func(e *loreEntry) *bool { return &e.IgnoreBudget }),
	flagSetting("excludeRecursion", "exclude_recursion", func(e *loreEntry) *bool { return &e.ExcludeRecursion }),
	flagSetting("preventRecursion", "prevent_recursion", func(e *loreEntry) *bool { return &e.PreventRecursion }),
	flagSetting("matchPersonaDescription", "match_persona_description", func(e *loreEntry) *bool { return &e.MatchPersona }),
	flagSetting("matchCharacterDescription", "match_character_description", func(e *loreEntry) *bool { return &e.MatchDescription }),
	flagSetting("matchCharacterPersonality", "match_character_personality", func(e *loreEntry) *bool { return &e.MatchPersonality }),
	flagSetting("matchCharacterDepthPrompt", "match_character_depth_prompt", func(e *loreEntry) *bool { return &e.MatchDepthPrompt }),
	flagSetting("matchScenario", "match_scenario", func(e *loreEntry) *bool { return &e.MatchScenario }),
	flagSetting("matchCreatorNotes", "match_creator_notes", func(e *loreEntry) *bool { return &e.MatchCreatorNotes }),
	delaySetting(),
	chanceSetting(),
	flagSetting("useProbability", "useProbability", func(e *loreEntry) *bool { return &e.UseProbability }),
	countSetting("depth", "depth", 0, maxPlace, func(e *loreEntry) *int { return &e.Depth }),
	textSetting("outletName", "outlet_name", func(e *loreEntry) *string { return &e.Outlet }),
	textSetting("group", "group", func(e *loreEntry) *string { return &e.Group }),
	flagSetting("groupOverride", "group_override", func(e *loreEntry) *bool { return &e.GroupOverride }),
	shareSetting("groupWeight", "group_weight", maxOrder, func(e *loreEntry) *float64 { return &e.GroupWeight }),
	maybeCountSetting("scanDepth", "scan_depth", func(e *loreEntry) **int { return &e.ScanDepth }),
	maybeFlagSetting("caseSensitive", "case_sensitive", func(e *loreEntry) **bool { return &e.CaseSensitive }),
	maybeFlagSetting("matchWholeWords", "match_whole_words", func(e *loreEntry) **bool { return &e.WholeWords }),
	maybeFlagSetting("useGroupScoring", "use_group_scoring", func(e *loreEntry) **bool { return &e.UseGroupScoring }),
	roleSetting(),
	timeSetting("sticky", "sticky", func(e *loreEntry) *int { return &e.Sticky }),
	timeSetting("cooldown", "cooldown", func(e *loreEntry) *int { return &e.Cooldown }),
	timeSetting("delay", "delay", func(e *loreEntry) *int { return &e.Delay }),
	triggersSetting(),
	filterSetting(),
	ownSetting(),
}

const (
	maxOrder = 1_000_000_000
	ownKey   = "ghostlight" // of the settings that only this program has
)

var settingsByKey, settingsByExt = indexSettings()

func indexSettings() (byKey, byExt map[string]*setting) {
	byKey, byExt = map[string]*setting{}, map[string]*setting{}
	for i := range loreSettings {
		s := &loreSettings[i]
		byKey[s.key] = s
		if s.ext != "" {
			byExt[s.ext] = s
		}
	}
	return byKey, byExt
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

func textSetting(key, ext string, of func(*loreEntry) *string) setting {
	return newSetting(key, ext, func(raw json.RawMessage, e *loreEntry) string {
		s, odd := loose(raw)
		*of(e) = s
		if odd != "" && odd != "null" {
			return "a text"
		}
		return ""
	}, func(e *loreEntry) json.RawMessage { return quoted(*of(e)) },
		func(a, b *loreEntry) bool { return *of(a) == *of(b) })
}

func flagSetting(key, ext string, of func(*loreEntry) *bool) setting {
	return newSetting(key, ext, func(raw json.RawMessage, e *loreEntry) string {
		if len(raw) == 0 {
			return ""
		}
		v, plain := truthy(raw)
		if *of(e) = v; !plain {
			return "true or false"
		}
		return ""
	}, func(e *loreEntry) json.RawMessage { return rawFlag(*of(e)) },
		func(a, b *loreEntry) bool { return *of(a) == *of(b) })
}

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

func countSetting(key, ext string, low, high int, of func(*loreEntry) *int) setting {
	return newSetting(key, ext, func(raw json.RawMessage, e *loreEntry) string { return readCount(raw, low, high, of(e)) },
		func(e *loreEntry) json.RawMessage { return rawInt(*of(e)) },
		func(a, b *loreEntry) bool { return *of(a) == *of(b) })
}

// timeSetting is a number of messages that is null where it does not count.
func timeSetting(key, ext string, of func(*loreEntry) *int) setting {
	return newSetting(key, ext, func(raw json.RawMessage, e *loreEntry) string { return readCount(raw, 0, maxOrder, of(e)) },
		func(e *loreEntry) json.RawMessage {
			if *of(e) == 0 {
				return rawNull
			}
			return rawInt(*of(e))
		},
		func(a, b *loreEntry) bool { return *of(a) == *of(b) })
}

// chanceSetting is the probability. One that is null is none at all.
func chanceSetting() setting {
	s := shareSetting("probability", "probability", 100, func(e *loreEntry) *float64 { return &e.Probability })
	read := s.read
	s.read = func(raw json.RawMessage, e *loreEntry) string {
		if len(raw) > 0 && isNull(raw) {
			e.Probability = 0
			return "a number from 0 to 100"
		}
		return read(raw, e)
	}
	return s
}

// orderSetting is the order. One that is null sorts as 0.
func orderSetting() setting {
	s := countSetting("order", "", -maxOrder, maxOrder, func(e *loreEntry) *int { return &e.Order })
	read := s.read
	s.read = func(raw json.RawMessage, e *loreEntry) string {
		if len(raw) > 0 && isNull(raw) {
			e.Order = 0
			return "a number"
		}
		return read(raw, e)
	}
	return s
}

func shareSetting(key, ext string, high float64, of func(*loreEntry) *float64) setting {
	return newSetting(key, ext, func(raw json.RawMessage, e *loreEntry) string {
		if isNull(raw) {
			return ""
		}
		f, ok := number(raw)
		if raw[0] == 't' || raw[0] == 'f' {
			f = 0
			if raw[0] == 't' {
				f = 1
			}
			*of(e) = f
		} else if ok {
			*of(e) = min(max(f, 0), high) + 0 // no negative zero, which reads back as another
		}
		if !ok || f < 0 || f > high {
			return "a number from 0 to " + string(rawFloat(high))
		}
		return ""
	}, func(e *loreEntry) json.RawMessage { return rawFloat(*of(e)) },
		func(a, b *loreEntry) bool { return *of(a) == *of(b) })
}

func maybeCountSetting(key, ext string, of func(*loreEntry) **int) setting {
	return newSetting(key, ext, func(raw json.RawMessage, e *loreEntry) string {
		if isNull(raw) {
			*of(e) = nil
			return ""
		}
		const none = -maxPlace - 1
		v := none
		want := readCount(raw, -maxPlace, maxPlace, &v) // below 0 nothing is scanned, as with 0
		if v == none && raw[0] == '"' {
			v = 0 // a text that is no number is as far as nothing
		}
		if v != none {
			*of(e) = &v
		}
		return want
	}, func(e *loreEntry) json.RawMessage {
		if *of(e) == nil {
			return rawNull
		}
		return rawInt(**of(e))
	}, func(a, b *loreEntry) bool { return equalPointers(*of(a), *of(b)) })
}

func maybeFlagSetting(key, ext string, of func(*loreEntry) **bool) setting {
	return newSetting(key, ext, func(raw json.RawMessage, e *loreEntry) string {
		if isNull(raw) {
			*of(e) = nil
			return ""
		}
		v, plain := truthy(raw)
		if *of(e) = &v; !plain {
			return "true, false or null"
		}
		return ""
	}, func(e *loreEntry) json.RawMessage {
		if *of(e) == nil {
			return rawNull
		}
		return rawFlag(**of(e))
	}, func(a, b *loreEntry) bool { return equalPointers(*of(a), *of(b)) })
}

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
	for i := 1; i < len(raw) && raw[i] != ']'; {
		end := pastValue(raw, i)
		s, odd := loose(raw[i:end])
		if odd != "" {
			want = wantTexts
		}
		if list == nil {
			list = make([]string, 0, 4)
		}
		list = append(list, s)
		if i = end; i < len(raw) && raw[i] == ',' {
			i++
		}
	}
	return list, want
}

// triggersSetting are the kinds of requests an entry is for. What is no list is no
// filter.
func triggersSetting() setting {
	return listSetting("triggers", "triggers", func(raw json.RawMessage) ([]string, string) {
		if len(raw) > 0 && raw[0] != '[' && !isNull(raw) {
			return nil, wantTexts
		}
		return readTexts(raw)
	}, func(e *loreEntry) *[]string { return &e.Triggers })
}

func listSetting(key, ext string, read func(json.RawMessage) ([]string, string), of func(*loreEntry) *[]string) setting {
	return newSetting(key, ext, func(raw json.RawMessage, e *loreEntry) string {
		list, want := read(raw)
		*of(e) = list
		return want
	}, func(e *loreEntry) json.RawMessage { return quotedTexts(*of(e)) },
		func(a, b *loreEntry) bool { return slices.Equal(*of(a), *of(b)) })
}

func quotedTexts(list []string) json.RawMessage {
	out := []byte{'['}
	for i, s := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, quoted(s)...)
	}
	return append(out, ']')
}

func keysSetting(key string, of func(*loreEntry) *[]string) setting {
	return listSetting(key, "", readKeys, of)
}
