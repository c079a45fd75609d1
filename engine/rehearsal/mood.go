package rehearsal

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The words of a transcript that give a scene its air, and its people theirs.
const (
	airs = "rain snow wind storm fog smoke dust lamp candle lantern fire light moonlight dark darkness shadow shadows silence quiet " +
		"cold warm heat night dawn thunder velvet music bells sea salt"
	feelings = "smile smiles smiling laugh laughs laughing grin tears cry cries crying weep sob afraid fear fears frightened scared angry " +
		"anger rage furious blush blushes tremble trembles trembling shiver shivers sigh sighs relief relieved ashamed proud pride hope hopes " +
		"worry worried tender gentle kind lonely love loves hate hates cross amused surprise surprised"
)

// articles stand in front of things and places.
const articles = "the a an his her their its my our your this that"

// connecting words stand in front of no thing's name, and end one.
const connecting = "and or but with in on at to from for of by over across through into between without as while until before after is are was were has had " +
	"first second third last next other same whole very"

// mentions lists the words of a kind in the order in which they first occur.
func (t tale) mentions(kind string) []string {
	set := setOf(strings.Fields(kind))
	var out []string
	for _, n := range t.notes {
		for _, w := range strings.FieldsFunc(strings.ToLower(n.text), func(r rune) bool { return !unicode.IsLetter(r) }) {
			if set[w] && !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

// places are the places named, with the word that tells them apart, if any.
func (t tale) places() []string {
	known, leads := setOf(strings.Fields(places+" corridor room wings road")), setOf(strings.Fields(articles))
	var out []string
	for _, n := range t.notes {
		words := narrated(n.text)
		for i, w := range words {
			if !known[w.word] || i == 0 || w.apart {
				continue
			}
			name := w.word
			if before := words[i-1].word; !leads[before] {
				if i < 2 || words[i-1].apart || !leads[words[i-2].word] || strings.ContainsAny(before, "'’") {
					continue
				}
				name = before + " " + w.word
			}
			if name = title(name); !slices.Contains(out, name) {
				out = append(out, name)
			}
		}
	}
	return out
}

// things are what a speaker, or everybody for "", speaks of and handles: what is
// named most often first.
func (t tale) things(speaker string) []string {
	leads, links := setOf(strings.Fields(articles)), setOf(strings.Fields(connecting))
	count := map[string]int{}
	var order []string
	for _, n := range t.notes {
		if speaker != "" && n.speaker != speaker {
			continue
		}
		words := strings.FieldsFunc(strings.ToLower(n.text), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
		for i := 1; i < len(words); i++ {
			w := words[i]
			if len(content(w)) != 1 || !leads[words[i-1]] || links[w] || strings.ContainsAny(w, "'’") {
				continue
			}
			if count[w]++; count[w] == 1 {
				order = append(order, w)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	return order
}

func title(s string) string {
	fields := strings.Fields(s)
	for i, w := range fields {
		r, size := utf8.DecodeRuneInString(w)
		fields[i] = string(unicode.ToUpper(r)) + w[size:]
	}
	return strings.Join(fields, " ")
}

// name is a place of the scene, or else how the scene begins.
func (t tale) name(take int) string {
	if all := t.places(); len(all) > 0 {
		return "The " + all[take%min(len(all), 3)]
	}
	if all := t.all(); len(all) > 0 {
		text := strings.TrimPrefix(all[0].text, all[0].speaker+": ")
		if all[0].quote != "" {
			text = all[0].quote
		}
		words := strings.Fields(text)
		return title(strings.Trim(strings.Join(words[:min(len(words), 4)], " "), ".,;:!?…\"' "))
	}
	return "Scene"
}

func (t tale) atmosphere(take int) string {
	found := t.mentions(airs)
	if len(found) == 0 {
		return []string{"Close and quiet.", "Still, and a little strained."}[take%2]
	}
	air := joined(found[:min(len(found), 3)])
	air = title(air[:1]) + air[1:]
	return air + []string{": the scene keeps its voice down.", " lie over everything that is said."}[take%2]
}

func (t tale) beats(take int) string {
	found := t.mentions(feelings)
	who := joined(t.speakers())
	if who == "" {
		who = "Those present"
	}
	if len(found) == 0 {
		return who + []string{" feel each other out.", " stay on their guard, and stay."}[take%2]
	}
	return "Between " + who + ", in this order: " + strings.Join(found[:min(len(found), 4)], ", ") + "."
}

// tone names people by the alphabet, so that two scenes of the same people are
// told in the same tone.
func (t tale) tone(take int) string {
	who := joined(slices.Sorted(slices.Values(t.speakers())))
	if who == "" {
		who = "those present"
	}
	return []string{
		"Small acts and short exchanges, close to " + who + ".",
		"Near and unhurried; " + who + " say less than they show.",
		"Plain speech, with the weight on hands and things; the view stays with " + who + ".",
	}[take%3]
}

// lore makes entries of who speaks, where, and of the thing that is named most:
// four at most. The same people and places come again in later scenes, with what
// those add.
func (t tale) lore(said bool) []any {
	out := []any{}
	if !said {
		return out
	}
	where := t.places()
	people := t.speakers()
	for _, who := range people[:min(len(people), 3)] {
		about := t.things(who)
		var traits []string
		if others := slices.DeleteFunc(slices.Clone(people), func(o string) bool { return o == who }); len(others) > 0 {
			traits = append(traits, "has met("+bare(joined(others[:min(len(others), 3)]))+")")
		}
		if len(where) > 0 {
			traits = append(traits, "seen at(the "+bare(where[0])+")")
			about = slices.DeleteFunc(about, func(a string) bool { return strings.Contains(strings.ToLower(where[0]), a) })
		}
		about = about[:min(len(about), 2)]
		if len(about) > 0 {
			traits = append(traits, "concerned with(the "+bare(strings.Join(about, " and the "))+")")
		}
		traits = append(traits, t.deeds(who, 2)...)
		if len(traits) == 0 {
			traits = []string{"present"}
		}
		out = append(out, loreEntry(who, "character", traits, keywords(who, about), where))
	}
	if len(where) > 0 && len(out) < 3 {
		traits := []string{"a place of the story"}
		if len(people) > 0 {
			traits = append(traits, "visited by("+bare(joined(people[:min(len(people), 3)]))+")")
		}
		about := t.things("")
		out = append(out, loreEntry(where[0], "location", traits, keywords(where[0], about[:min(len(about), 1)]), nil))
	}
	if item, ok := t.item(); ok && len(people) > 0 {
		traits := []string{"known to(" + bare(joined(people[:min(len(people), 3)])) + ")"}
		if len(where) > 0 {
			traits = append(traits, "seen at(the "+bare(where[0])+")")
		}
		out = append(out, loreEntry(title(item), "item", traits, []any{item, "the " + item}, nil))
	}
	return out
}

// bodies are words for what is no thing of its own.
const bodies = "hand hands arm arms eye eyes face head hair shoulder shoulders finger fingers thumb mouth lips voice back side knees foot feet step steps " +
	"word words way time end thing things line lines name sound"

// item is the thing that is named most, if it is named more than twice and
// stands by itself at least once: "the prompt" of "the prompt box" is none.
func (t tale) item() (string, bool) {
	count, itself := map[string]int{}, map[string]bool{}
	leads, links := setOf(strings.Fields(articles)), setOf(strings.Fields(connecting))
	for _, n := range t.notes {
		for _, w := range content(n.text) {
			count[w]++
		}
		words := strings.Fields(strings.ToLower(n.text))
		for i := 1; i < len(words); i++ {
			bare := strings.TrimRight(words[i], ".,;:!?*\"”…")
			if leads[words[i-1]] && (bare != words[i] || i+1 < len(words) && links[words[i+1]]) {
				itself[bare] = true
			}
		}
	}
	known := setOf(strings.Fields(bodies + " " + places + " " + airs + " " + feelings + " " + roles + " " + dayParts + " " + longs))
	for _, thing := range t.things("") {
		if count[thing] > 2 && itself[thing] && !known[thing] {
			return thing, true
		}
	}
	return "", false
}

// referring words make a sentence one that cannot stand alone.
const referring = "he him his she her hers they them their theirs it its i i'm i've i'll me my mine we us our you your yours this that these those here there " +
	"then one other another himself herself itself themselves"

// deeds are what somebody does in the scene, most of them at most, as far as it
// can be told without the rest of it.
func (t tale) deeds(who string, most int) []string {
	blind := setOf(strings.Fields(referring))
	var out []string
	for _, acts := range t.acts {
		for _, f := range acts {
			deed, ok := strings.CutPrefix(strings.TrimRight(f.text, ".!?… "), who+" ")
			words := strings.FieldsFunc(strings.ToLower(deed), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
			if !ok || len(words) < 3 || len(words) > 9 || strings.ContainsAny(deed, ".:;()[]\"“”—–…") {
				continue
			}
			if slices.ContainsFunc(words, func(w string) bool { return blind[strings.ReplaceAll(w, "’", "'")] }) || slices.Contains(out, deed) {
				continue
			}
			if out = append(out, strings.Join(strings.Fields(bare(deed)), " ")); len(out) == most {
				return out
			}
		}
	}
	return out
}

// loreEntry is one lorebook entry. secondary are the places that may narrow it down.
func loreEntry(name, kind string, traits []string, keys []any, secondary []string) record {
	r := record{
		"name": name, "type": kind, "keywords": keys, "uid": "",
		"content": "[" + kind + "-" + bare(name) + ": " + strings.Join(traits, ", ") + "]",
	}
	if len(secondary) > 0 {
		r["secondaryKeys"] = []any{strings.ToLower(secondary[0])}
	}
	return r
}

// keywords are a name in lower case, and what tells it apart: its parts, or what
// it has to do with.
func keywords(name string, about []string) []any {
	var keys []string
	parts := strings.Fields(strings.ToLower(name))
	keys = append(keys, strings.Join(parts, " "))
	if len(parts) > 1 {
		keys = append(keys, parts[0], parts[len(parts)-1])
	}
	for _, a := range about {
		keys = append(keys, strings.Join(append(slices.Clone(parts), a), " "))
	}
	out := []any{}
	for _, k := range keys {
		if len(out) < 3 && !slices.Contains(out, any(k)) {
			out = append(out, k)
		}
	}
	return out
}

// bare takes out what has a meaning in an entry's notation.
func bare(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("[]():,\n", r) {
			return ' '
		}
		return r
	}, s)
}
