package rehearsal

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// bullet is one line of a recap, with the numbers of what it was made of.
type bullet struct {
	text    string
	numbers []int
}

// retelling are a recap's bullets by section.
type retelling map[string][]bullet

// How many bullets a section gets: of a scene's recap, and of one made of recaps.
var (
	sceneRoom  = map[string]int{"current_situation": 2, "key_developments": 10, "dialogue_highlights": 3, "tone_style": 1, "pending_threads": 2}
	mergedRoom = map[string]int{"current_situation": 3, "key_developments": 60, "dialogue_highlights": 20, "tone_style": 6, "pending_threads": 30}
)

// maxWanted bounds how many facts an instruction adds to a recap.
const maxWanted = 16

// recapScene makes the recap of a transcript, or one recap of several.
func recapScene(root *schema, messages []storage.Node, take int) (record, bool) {
	p := transcript(messages)
	if len(p.notes) == 0 {
		return nil, false
	}
	t := tellAll(p.notes)
	var told retelling
	if p.said {
		wanted := t.wanted(p.rest)
		room := maps.Clone(sceneRoom)
		room["key_developments"] += len(wanted)
		told = t.retell(root.sectionRoom(room), wanted, take)
	} else {
		told = merge(p.notes, root.sectionRoom(mergedRoom))
	}
	lore := t.lore(p.said)
	return record{
		"scene_name": t.name(take), "recap": told.shape(root),
		"atmosphere": t.atmosphere(take), "emotional_beats": t.beats(take),
		"lorebooks": lore, "setting_lore": lore,
	}, true
}

// recapRunning carries all bullets that it is given into one recap.
func recapRunning(root *schema, messages []storage.Node, _ int) (record, bool) {
	p := read(messages)
	if len(p.notes) == 0 {
		return nil, false
	}
	p.recaps()
	return record{"recap": merge(p.notes, root.sectionRoom(mergedRoom)).shape(root), "dropped": []any{}}, true
}

// recapMessage retells the newest message in one or two sentences.
func recapMessage(messages []storage.Node, take int) (record, bool) {
	p := transcript(messages)
	if len(p.notes) == 0 {
		return nil, false
	}
	acts, words := tell(p.notes[len(p.notes)-1])
	var out []string
	for _, list := range [][]fact{acts, words} {
		if len(list) > 0 {
			out = append(out, list[take%len(list)].text)
		}
	}
	if len(out) == 0 {
		return nil, false
	}
	if take%2 == 1 {
		slices.Reverse(out)
	}
	if slices.ContainsFunc(messages, func(m storage.Node) bool { return strings.Contains(m.Content, `begins with "- "`) }) {
		return record{"recap": "- " + strings.Join(out, "\n- ")}, true
	}
	return record{"recap": strings.Join(out, " ")}, true
}

// sectionRoom is how many bullets the schema leaves for each section.
func (s *schema) sectionRoom(usual map[string]int) map[string]int {
	room := map[string]int{}
	of := s.recap()
	for _, name := range sections {
		room[name] = usual[name]
		if of == nil {
			continue
		}
		for _, p := range of.Properties {
			if sectionOf(p.name) == name {
				room[name] = p.room(s, usual[name])
			}
		}
	}
	return room
}

// recap is the schema of the sections, nil where the recap is a text.
func (s *schema) recap() *schema {
	top, err := s.flat(s)
	if err != nil || !top.has("recap") {
		return nil
	}
	return top.property("recap").object(s)
}

// shape gives a recap the form that the schema asks for: sections of bullets,
// or Markdown.
func (r retelling) shape(root *schema) any {
	of := root.recap()
	if of == nil {
		top, err := root.flat(root)
		if err != nil {
			return nil
		}
		most := maxRepeat
		if text, err := top.property("recap").flat(root); err == nil && text.MaxLength != nil {
			most = *text.MaxLength
		}
		return r.markdown(most)
	}
	out := record{}
	for _, p := range of.Properties {
		name := sectionOf(p.name)
		if name == "" {
			continue
		}
		list := []any{}
		for _, b := range r[name] {
			var numbers []any
			for _, n := range b.numbers {
				numbers = append(numbers, n)
			}
			list = append(list, record{"text": b.text, "messages": numbers, "bullets": numbers})
		}
		out[p.name] = list
	}
	return out
}

// markdown writes the five headings, and as many bullets below them as fit.
func (r retelling) markdown(most int) string {
	for skip := 0; ; skip++ {
		var b strings.Builder
		left := 0
		for i, s := range sections {
			b.WriteString("## " + headings[i] + "\n")
			for _, bullet := range r[s][min(skip, len(r[s])):] {
				b.WriteString("- " + bullet.text + "\n")
				left++
			}
			b.WriteByte('\n')
		}
		text := strings.TrimSpace(b.String())
		if left == 0 || utf8.RuneCountInString(text) <= most {
			return text
		}
	}
}

// retell spreads a scene's facts over the sections. Another take tells other
// sentences of the same messages.
func (t tale) retell(room map[string]int, wanted []fact, take int) retelling {
	r := retelling{}
	add := func(section, text string, numbers ...int) bool {
		fits := len(r[section]) < room[section] && !r.holds(text)
		if fits {
			r[section] = append(r[section], bullet{text, numbers})
		}
		return fits
	}
	last := max(0, len(t.notes)-2)
	for i := len(t.notes) - 1; i >= last; i-- {
		if acts := t.acts[i]; len(acts) > 0 {
			f := acts[len(acts)-1]
			add("current_situation", f.text, f.number)
		}
	}
	if all := t.all(); len(r["current_situation"]) == 0 && len(all) > 0 { // nobody moves: what was said last
		f := all[len(all)-1]
		add("current_situation", f.text, f.number)
	}
	for _, f := range wanted {
		if !r.holds(f.text) {
			r["key_developments"] = append(r["key_developments"], bullet{f.text, []int{f.number}})
		}
	}
	for _, f := range t.story(min(room["key_developments"], sceneRoom["key_developments"]), take) {
		add("key_developments", f.text, f.number)
	}
	slices.SortStableFunc(r["key_developments"], func(a, b bullet) int { return a.numbers[0] - b.numbers[0] })
	for i := range slices.Backward(t.notes) {
		for _, f := range t.words[i] {
			if strings.HasSuffix(f.quote, "?") {
				who := ""
				if f.speaker != "" {
					who = " by " + f.speaker
				}
				add("pending_threads", "Asked"+who+` and not answered yet: "`+f.quote+`"`, f.number)
			}
		}
	}
	for _, i := range spread(len(t.notes), room["dialogue_highlights"]) {
		if words := t.words[i]; len(words) > 0 {
			f := words[take%len(words)]
			add("dialogue_highlights", f.text, f.number)
		}
	}
	add("tone_style", t.tone(take), t.notes[0].number)
	return r
}

// holds tells whether a bullet says the same already.
func (r retelling) holds(text string) bool {
	for _, list := range r {
		if slices.ContainsFunc(list, func(b bullet) bool { return strings.EqualFold(b.text, text) }) {
			return true
		}
	}
	return false
}

// wanted are the facts that the request itself repeats, as an instruction does
// that says what must not be lost. What it lists as lost and no sentence tells
// comes in as it is.
func (t tale) wanted(rest []string) []fact {
	var asked []map[string]bool
	for _, l := range rest {
		if set := setOf(content(l)); len(set) > 1 {
			asked = append(asked, set)
		}
	}
	var out []fact
	for _, f := range t.all() {
		words := content(f.text)
		if len(words) < 3 || len(out) == maxWanted {
			continue
		}
		if slices.ContainsFunc(asked, func(set map[string]bool) bool { return overlap(words, set)*10 >= len(words)*7 }) {
			out = append(out, f)
		}
	}
	for _, l := range listedLost(rest) {
		if f := t.nearest(l); len(out) < maxWanted && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// listedLost lists the facts below a line that calls them so.
func listedLost(rest []string) []string {
	var out []string
	below := false
	for _, l := range rest {
		item, listed := strings.CutPrefix(l, "- ")
		if !listed {
			if l != "" {
				low := strings.ToLower(l)
				below = strings.HasSuffix(l, ":") && (strings.Contains(low, "lost") || strings.Contains(low, "missing") || strings.Contains(low, "left out"))
			}
			continue
		}
		if _, answer, ok := strings.Cut(item, " Answer: "); ok {
			item = answer
		}
		if below && item != "" {
			out = append(out, shorten(item))
		}
	}
	return out
}

// nearest is the fact that tells most of a text, or the text itself, with the
// message that is nearest to it.
func (t tale) nearest(text string) fact {
	words := setOf(content(text))
	best, most := fact{number: t.notes[len(t.notes)-1].number}, 0
	for _, f := range t.all() {
		if n := overlap(slices.Compact(slices.Sorted(slices.Values(content(f.text)))), words); n > most {
			best, most = f, n
		}
	}
	if most == 0 || most*3 < len(words)*2 {
		best.text, best.quote = text, ""
	}
	return best
}

// merge puts the bullets of recaps together: every one is carried forward, the
// same fact once, and where there is no room the oldest are joined. Of the
// situations only the newest still is one.
func merge(notes []note, room map[string]int) retelling {
	r := retelling{}
	newest := notes[len(notes)-1].part
	for i, n := range notes {
		section := n.section
		switch {
		case section == "current_situation" && n.part < newest:
			section = "key_developments"
		case section != "":
		case strings.HasSuffix(n.text, "?"):
			section = "pending_threads"
		case i == len(notes)-1:
			section = "current_situation"
		default:
			section = "key_developments"
		}
		r.carry(section, n)
	}
	for section, list := range r {
		for len(list) > max(room[section], 1) {
			joint := bullet{clip(list[0].text+" "+list[1].text, 1, 2*longestFact), append(list[0].numbers, list[1].numbers...)}
			list = append([]bullet{joint}, list[2:]...)
		}
		r[section] = list
	}
	if list := r["key_developments"]; len(r["current_situation"]) == 0 && len(list) > 0 {
		r["current_situation"], r["key_developments"] = list[len(list)-1:], list[:len(list)-1]
	}
	return r
}

// carry adds a bullet, or its number to the bullet that says the same.
func (r retelling) carry(section string, n note) {
	for _, list := range r {
		for i := range list {
			if strings.EqualFold(list[i].text, n.text) {
				list[i].numbers = append(list[i].numbers, n.number)
				return
			}
		}
	}
	if n.text != "" {
		r[section] = append(r[section], bullet{n.text, []int{n.number}})
	}
}
