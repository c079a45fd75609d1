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
	weightsKey   = "weights"
	maxActorText = 16 << 10 // bytes
	maxWeights   = 32
	maxTrait     = 60 // bytes of a trait's name
	fullWeight   = 100
	phrasesKey   = "phrases"
)

// The bounds of a card's own list of phrases that are not wanted.
const (
	MostCardPhrases = 1000
	mostCardPhrase  = 500 // bytes
)

// actorField ties a text of the notes to its name in the extension.
type actorField struct {
	key string
	of  func(*storage.Actor) *string
}

func actorFields() []actorField {
	return []actorField{
		{"current_goal", func(a *storage.Actor) *string { return &a.Goal }},
		{"current_struggle", func(a *storage.Actor) *string { return &a.Struggle }},
		{"secret_dream", func(a *storage.Actor) *string { return &a.Dream }},
		{"current_stressor", func(a *storage.Actor) *string { return &a.Stressor }},
		{"tone", func(a *storage.Actor) *string { return &a.Tone }},
		{"speech_patterns", func(a *storage.Actor) *string { return &a.Speech }},
		{"boundaries", func(a *storage.Actor) *string { return &a.Boundaries }},
	}
}

// actor reads the notes of the actor. Nothing in them keeps a card from being
// read: what is not of the type it should be is read as well as it can be, and
// what is too long is cut.
func (d *document) actor(n *notes) (a storage.Actor) {
	ext, _ := parseObject(d.home().get("extensions"))
	raw := ext.get(actorKey)
	o, ok := parseObject(raw)
	if !ok {
		if len(raw) > 0 && string(raw) != "null" {
			n.add("the field extensions.%s is no object; the notes of the actor were left out", actorKey)
		}
		return a
	}
	var odds []string
	for _, f := range actorFields() {
		s, odd := loose(o.get(f.key))
		if odd != "" && odd != "null" {
			odds = append(odds, f.key+" ("+odd+")")
		}
		if len(s) > maxActorText {
			n.add("the field extensions.%s.%s has %s and was cut to %s", actorKey, f.key, size(len(s)), size(maxActorText))
			s = cutText(s, maxActorText)
		}
		*f.of(&a) = s
	}
	raw = o.get(weightsKey)
	a.Weights, ok = readWeights(raw)
	if !ok {
		odds = append(odds, weightsKey)
	}
	if a.Phrases, ok = readPhrases(o.get(phrasesKey)); !ok {
		odds = append(odds, phrasesKey)
	}
	if len(odds) > 0 {
		n.add("these fields of extensions.%s were not of the type they should be and were read as well as they could be: %s", actorKey, strings.Join(odds, ", "))
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

func sameActor(a, b storage.Actor) bool {
	for _, f := range actorFields() {
		if *f.of(&a) != *f.of(&b) {
			return false
		}
	}
	return maps.Equal(a.Weights, b.Weights) && slices.Equal(a.Phrases, b.Phrases)
}

// mergeActor writes those of the notes that do not read as they did. What else
// stands in the extension stays.
func (d *document) mergeActor(now, old storage.Actor) {
	if sameActor(now, old) {
		return
	}
	ext, _ := parseObject(d.data.get("extensions"))
	o, _ := parseObject(ext.get(actorKey))
	for _, f := range actorFields() {
		switch s := *f.of(&now); {
		case s == *f.of(&old):
		case s == "":
			o.remove(f.key)
		default:
			o.set(f.key, quoted(s))
		}
	}
	switch {
	case maps.Equal(now.Weights, old.Weights):
	case len(now.Weights) == 0:
		o.remove(weightsKey)
	default:
		var list object
		for _, name := range slices.Sorted(maps.Keys(now.Weights)) {
			list.set(name, json.RawMessage(strconv.Itoa(now.Weights[name])))
		}
		o.set(weightsKey, list.encode())
	}
	switch {
	case slices.Equal(now.Phrases, old.Phrases):
	case len(now.Phrases) == 0:
		o.remove(phrasesKey)
	default:
		list := make([]string, 0, len(now.Phrases))
		for _, p := range now.Phrases {
			list = append(list, string(quoted(p)))
		}
		o.set(phrasesKey, json.RawMessage("["+strings.Join(list, ",")+"]"))
	}
	if len(o.members) == 0 {
		ext.remove(actorKey)
	} else {
		ext.set(actorKey, o.encode())
	}
	d.data.set("extensions", ext.encode())
}
