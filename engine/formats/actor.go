package formats

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

// The notes of the actor are the extension "ghostlight" of a card. Limits of what is read of them:
const (
	actorKey     = "ghostlight"
	maxActorText = 16 << 10 // bytes
	maxWeights   = 32
	maxTrait     = 60 // bytes of a trait's name
	maxWeight    = 100
)

// Limits of a card's own list of unwanted phrases.
const (
	MaxCardPhrases = 1000
	maxCardPhrase  = 500 // bytes
)

// actorFields are the fields of the extension. Each codec returns what was wrong with a value.
var actorFields = fields[storage.Actor]{
	newField("current_goal", func(a *storage.Actor) *string { return &a.Goal }, noteCodec),
	newField("current_struggle", func(a *storage.Actor) *string { return &a.Struggle }, noteCodec),
	newField("secret_dream", func(a *storage.Actor) *string { return &a.Dream }, noteCodec),
	newField("current_stressor", func(a *storage.Actor) *string { return &a.Stressor }, noteCodec),
	newField("tone", func(a *storage.Actor) *string { return &a.Tone }, noteCodec),
	newField("speech_patterns", func(a *storage.Actor) *string { return &a.Speech }, noteCodec),
	newField("boundaries", func(a *storage.Actor) *string { return &a.Boundaries }, noteCodec),
	newField("weights", func(a *storage.Actor) *map[string]int { return &a.Weights }, weightsCodec),
	newField("phrases", func(a *storage.Actor) *[]string { return &a.Phrases }, phrasesCodec),
}

var noteCodec = codec[string]{func(raw json.RawMessage, to *string) string {
	s, odd := looseString(raw)
	*to = cutText(s, maxActorText)
	if len(s) > maxActorText {
		return "was cut to " + formatSize(maxActorText)
	}
	if odd == "null" {
		return ""
	}
	return odd
}, appendText}

var weightsCodec = codec[map[string]int]{func(raw json.RawMessage, to *map[string]int) (odd string) {
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

var phrasesCodec = codec[[]string]{func(raw json.RawMessage, to *[]string) string {
	var ok bool
	if *to, ok = readPhrases(raw); !ok {
		return "no list of texts"
	}
	return ""
}, appendTexts}

// actor reads the notes of the actor. They never make a card unreadable: values of the wrong type
// are converted as well as possible, and texts that are too long are cut.
func (d *document) actor(n *warningList) (a storage.Actor) {
	ext, _ := parseObject(d.fieldsObject().get("extensions"))
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
		n.add("these fields of extensions.%s have the wrong type and were converted as far as possible: %s", actorKey,
			strings.Join(odds, ", "))
	}
	return a
}

// cutText returns at most the first n bytes of s.
func cutText(s string, n int) string {
	for n > 0 && n < len(s) && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:min(n, len(s))]
}

// readWeights reads weights by trait. ok is false if something was malformed.
func readWeights(raw json.RawMessage) (weights map[string]int, ok bool) {
	o, is := parseObject(raw)
	if !is {
		return nil, len(raw) == 0 || string(raw) == "null"
	}
	ok = true
	for _, m := range o.members {
		name := cutText(strings.ToLower(strings.Join(strings.Fields(m.key), " ")), maxTrait)
		s, _ := looseString(m.raw)
		w, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(s), "%"), 64)
		if name = strings.TrimSpace(name); name == "" || err != nil || math.IsNaN(w) || len(weights) == maxWeights {
			ok = false
			continue
		}
		if weights == nil {
			weights = map[string]int{}
		}
		weights[name] = int(math.Round(min(max(w, 0), maxWeight)))
		ok = ok && weights[name] == int(w) && m.raw[0] != '"'
	}
	return weights, ok
}

// readPhrases reads a list of phrases, or a text with one per line. ok is false if something was
// malformed or beyond the limits.
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
		case !is || len(s) > maxCardPhrase || len(list) == MaxCardPhrases:
			ok = false
		case s != "":
			list = append(list, s)
		}
	}
	return list, ok
}

// mergeActor writes the notes that changed. Other members of the extension stay.
func (d *document) mergeActor(now, old storage.Actor) {
	if actorFields.same(&now, &old) {
		return
	}
	ext, _ := parseObject(d.data.get("extensions"))
	o, _ := parseObject(ext.get(actorKey))
	for _, f := range actorFields {
		switch raw := f.raw(&now); {
		case f.same(&now, &old, nil):
		case len(raw) == len(`""`): // it is empty
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
