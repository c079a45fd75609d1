package ecosystem

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The notes of the actor are the extension "ghostlight" of a card. The bounds of
// what is read of them:
const (
	actorKey     = "ghostlight"
	maxActorText = 16 << 10 // bytes
	maxWeights   = 32
	maxTrait     = 60 // bytes of a trait's name
	fullWeight   = 100
)

// The bounds of a card's own list of phrases that are not wanted.
const (
	MostCardPhrases = 1000
	mostCardPhrase  = 500 // bytes
)

// actorFields are the notes in the extension. What is odd in them is a word in brackets.
var actorFields = fields[storage.Actor]{
	newField("current_goal", func(a *storage.Actor) *string { return &a.Goal }, asNote),
	newField("current_struggle", func(a *storage.Actor) *string { return &a.Struggle }, asNote),
	newField("secret_dream", func(a *storage.Actor) *string { return &a.Dream }, asNote),
	newField("current_stressor", func(a *storage.Actor) *string { return &a.Stressor }, asNote),
	newField("tone", func(a *storage.Actor) *string { return &a.Tone }, asNote),
	newField("speech_patterns", func(a *storage.Actor) *string { return &a.Speech }, asNote),
	newField("boundaries", func(a *storage.Actor) *string { return &a.Boundaries }, asNote),
	newField("weights", func(a *storage.Actor) *map[string]int { return &a.Weights }, asWeights),
	newField("phrases", func(a *storage.Actor) *[]string { return &a.Phrases }, asPhrases),
}

var asNote = codec[string]{func(raw json.RawMessage, to *string) string {
	s, odd := loose(raw)
	*to = cutText(s, maxActorText)
	if len(s) > maxActorText {
		return "was cut to " + size(maxActorText)
	}
	if odd == "null" {
		return ""
	}
	return odd
}, appendText}

var asWeights = codec[map[string]int]{func(raw json.RawMessage, to *map[string]int) (odd string) {
	var ok bool
	if *to, ok = readWeights(raw); !ok {
		return "no weights from 0 to 100"
	}
	return ""
}, func(dst []byte, weights map[string]int) []byte {
	var list object
	for _, name := range slices.Sorted(maps.Keys(weights)) {
		list.set(name, rawInt(weights[name]))
	}
	return list.append(dst)
}}

var asPhrases = codec[[]string]{func(raw json.RawMessage, to *[]string) string {
	var ok bool
	if *to, ok = readPhrases(raw); !ok {
		return "no list of texts"
	}
	return ""
}, appendTexts}

// actor reads the notes of the actor. Nothing in them keeps a card from being
// read: what is not of the type it should be is read as well as it can be, and
// what is too long is cut.
func (d *document) actor(n *notes) (a storage.Actor) {
	ext, _ := parseObject(d.home().get("extensions"))
	raw := ext.get(actorKey)
	o, ok := parseObject(raw)
	if !ok {
		if len(raw) > 0 && string(raw) != "null" {
			n.add("the field extensions.%s is not an object; the notes of the actor were left out", actorKey)
		}
		return a
	}
	var odds []string
	actorFields.read(&o, &a, func(key, odd string) { odds = append(odds, key+" ("+odd+")") })
	if len(odds) > 0 {
		n.add("these fields of extensions.%s have the wrong type and were converted as far as possible: %s", actorKey, strings.Join(odds, ", "))
	}
	return a
}

// cutText keeps at most n bytes of the beginning of s.
func cutText(s string, n int) string {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:min(n, len(s))]
}

// readWeights reads weights by their traits. ok is false where something was not
// as it should be.
func readWeights(raw json.RawMessage) (weights map[string]int, ok bool) {
	o, is := parseObject(raw)
	if !is {
		return nil, len(raw) == 0 || string(raw) == "null"
	}
	ok = true
	for _, m := range o.members {
		name := cutText(strings.ToLower(strings.Join(strings.Fields(m.key), " ")), maxTrait)
		s, _ := loose(m.raw)
		w, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(s), "%"), 64)
		if name = strings.TrimSpace(name); name == "" || err != nil || math.IsNaN(w) || len(weights) == maxWeights {
			ok = false
			continue
		}
		if weights == nil {
			weights = map[string]int{}
		}
		weights[name] = int(math.Round(min(max(w, 0), fullWeight)))
		ok = ok && weights[name] == int(w) && m.raw[0] != '"'
	}
	return weights, ok
}

// readPhrases reads a list of phrases, or text with one a line. ok is false where something
// was not as it should be, or was too much.
func readPhrases(raw json.RawMessage) (list []string, ok bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, true
	}
	var all []any
	if err := json.Unmarshal(raw, &all); err != nil {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return nil, false
		}
		for line := range strings.Lines(text) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	ok = true
	for _, v := range all {
		s, is := v.(string)
		switch s = strings.TrimSpace(s); {
		case !is || len(s) > mostCardPhrase || len(list) == MostCardPhrases:
			ok = false
		case s != "":
			list = append(list, s)
		}
	}
	return list, ok
}

// mergeActor writes those of the notes that do not read as they did. What else
// stands in the extension stays.
func (d *document) mergeActor(now, old storage.Actor) {
	if actorFields.same(&now, &old) {
		return
	}
	ext, _ := parseObject(d.data.get("extensions"))
	o, _ := parseObject(ext.get(actorKey))
	for _, f := range actorFields {
		switch raw := f.raw(&now); {
		case f.same(&now, &old, nil):
		case len(raw) == len(`""`): // what is empty
			o.remove(f.key)
		default:
			o.set(f.key, raw)
		}
	}
	if len(o.members) == 0 {
		ext.remove(actorKey)
	} else {
		ext.set(actorKey, o.encode())
	}
	d.data.set("extensions", ext.encode())
}
