package scene

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/coverage"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Input is the input of a scene's recap.
type Input struct {
	Messages    []Message
	Earlier     []string // recaps of earlier scenes, oldest first
	Lore        []string // the lorebook's facts about the scene
	Memories    []Memory
	Present     []string // who was not there all the time, a line each
	Style       string   // Bulleted, Narrative, Dialogue or one of the user's own; "" is Bulleted
	Instruction string   // additional wishes of the user
	Taste       string   // the user's known taste in recaps
	User, Char  string   // names
}

// Memory is a memory of a scene that its recap may also state.
type Memory struct {
	ID      storage.MemoryID
	Text    string
	Sources []storage.NodeID
}

// MemoriesWithin returns the memories whose last source is one of some messages.
func MemoriesWithin(list []Memory, messages []Message) []Memory {
	return slices.DeleteFunc(slices.Clone(list), func(r Memory) bool {
		return len(r.Sources) == 0 ||
			!slices.ContainsFunc(messages, func(m Message) bool { return m.ID == slices.Max(r.Sources) })
	})
}

// Bounds of the parts of an answer that are used. The schemas are tighter.
const (
	maxBullet   = 600 // runes
	maxBullets  = 300 // under one heading: no memory that fits a context has as many
	maxNumbers  = 40  // of one bullet
	maxName     = 120 // runes
	maxField    = 600 // runes, of atmosphere and emotional beats
	maxLore     = 40
	maxKeywords = 12
	maxKeyword  = 60   // runes
	maxContent  = 1200 // runes, of a candidate for the lorebook
)

// item is a bullet as a model gave it.
type item struct {
	text    string
	numbers []int // of messages or bullets, not checked yet
	// memories are the numbers of the memories that the bullet also states, unchecked.
	memories []int
}

// body is the recap in an answer.
type body struct {
	sections [len(headings)][]item
	missing  []string // headings that such a text lacks
}

// Answer is a model's answer to RecapPrompt in any form that RecapForm accepts. The zero value is
// an empty answer.
type Answer struct {
	name, atmosphere, beats string
	body                    body
	lore                    []candidate
	unfinished              bool
}

// UnmarshalJSON reads an answer. It fails only if data is not a JSON object. Parts of the wrong
// type count as missing, which Check reports.
func (a *Answer) UnmarshalJSON(data []byte) error {
	fields, err := prompts.Object(data)
	if err != nil {
		return fmt.Errorf("scene recap: %w", err)
	}
	*a = Answer{
		name:       prompts.Bounded(strings.Trim(prompts.OneLine(parsePhrase(fields["scenename"])), `"“”*# `), maxName),
		body:       parseBody(fields["recap"]),
		atmosphere: prompts.Bounded(prompts.OneLine(parsePhrase(fields["atmosphere"])), maxField),
		beats:      prompts.Bounded(prompts.OneLine(parsePhrase(fields["emotionalbeats"])), maxField),
	}
	for _, key := range []string{"lorebooks", "settinglore", "lorebook"} {
		a.lore = append(a.lore, candidates(fields[key])...)
	}
	a.lore = a.lore[:min(len(a.lore), maxLore)]
	return nil
}

// Check returns the faults of an answer to in, worded for the model.
func (a *Answer) Check(in Input) error {
	if err := a.body.check(); err != nil {
		return err
	}
	b := a.body
	b.unite()
	for _, s := range b.sections {
		for _, it := range s {
			if it.citesNothing(len(in.Messages)) {
				return fmt.Errorf(
					`"recap": the line %q names message %d, and there are messages 1 to %d: name those that say it, `+
						`or leave the line out`,
					prompts.Bounded(it.text, 80), it.numbers[0], len(in.Messages))
			}
		}
	}
	return nil
}

// Usable reports whether the answer holds any recap at all.
func (a *Answer) Usable() bool { return a.body.count() > 0 }

// citesNothing reports whether a bullet cites message numbers, but none of them exists.
func (it item) citesNothing(messages int) bool {
	return len(it.numbers) > 0 && !slices.ContainsFunc(it.numbers, func(n int) bool { return n >= 1 && n <= messages })
}

// withoutUnfounded returns the recap without the bullets for which citesNothing is true. They are
// recorded as dropped. If no bullet would remain, the model has misunderstood the numbering, and
// all bullets stay.
func (b *body) withoutUnfounded(messages int) (kept body, left []storage.DroppedBullet) {
	kept = *b
	for i, s := range b.sections {
		kept.sections[i] = nil
		for _, it := range s {
			if it.citesNothing(messages) {
				why := fmt.Sprintf("it names message %d as the one that says it, and there are %d",
					it.numbers[0], messages)
				left = append(left, storage.DroppedBullet{Heading: headings[i], Bullet: it.text, Why: why})
				continue
			}
			kept.sections[i] = append(kept.sections[i], it)
		}
	}
	if kept.count() == 0 {
		return *b, nil
	}
	return kept, left
}

// Draft makes a recap with its sources of the answer. Message numbers that are not in the scene are
// dropped. Bullets that name only such numbers are left out with the reason, unless all bullets do.
func (a *Answer) Draft(in Input) storage.Recap {
	material := make([]citedText, len(in.Messages))
	for i, m := range in.Messages {
		material[i] = citedText{text: m.Text, nodes: []storage.NodeID{m.ID}}
	}
	memories := make([]storage.MemoryID, len(in.Memories))
	for i, m := range in.Memories {
		memories[i] = m.ID
	}
	r := storage.Recap{SceneName: a.name, Atmosphere: a.atmosphere, EmotionalBeats: a.beats,
		Lorebooks: withSources(a.lore, material), Unfinished: a.unfinished}
	b := a.body
	b.unite()
	b, left := b.withoutUnfounded(len(material))
	r.Text, r.Sources = b.render(material, memories, in.Style == Narrative)
	r.Dropped = left
	return r
}

func (b *body) count() int {
	n := 0
	for _, s := range b.sections {
		n += len(s)
	}
	return n
}

func (b *body) check() error {
	switch {
	case b.count() == 0:
		return errors.New(`"recap" is empty: it needs at least one bullet under "current_situation"`)
	case len(b.missing) > 0:
		return fmt.Errorf(`"recap" lacks the heading %s; all five headings must be there, in order`,
			strings.Join(b.missing, ", "))
	case len(b.sections[0])+len(b.sections[1]) == 0:
		return errors.New(
			`"recap" says nothing under "current_situation" and "key_developments": say where things stand and what ` +
				`has changed`)
	}
	return nil
}

// render writes the recap's text and finds the sources of its bullets and the memories that they
// also state.
func (b *body) render(material []citedText, memories []storage.MemoryID, flowing bool) (string, []storage.Source) {
	var text strings.Builder
	var found []storage.Source
	for i, h := range headings {
		if i > 0 {
			text.WriteByte('\n')
		}
		text.WriteString("## " + h + "\n")
		if len(b.sections[i]) > 0 && !flowing {
			text.WriteByte('\n')
		}
		for _, it := range b.sections[i] {
			if flowing {
				text.WriteString("\n" + it.text + "\n")
			} else {
				text.WriteString("- " + it.text + "\n")
			}
			src := it.source(material, memories)
			if len(src.Messages)+len(src.Memories) > 0 || src.UserEdit != "" {
				found = append(found, src)
			}
		}
	}
	return strings.TrimRight(text.String(), "\n"), found
}

// source returns the source of a bullet, and the memories that it states: those that it cites and
// those of the bullets it was made from. It is marked as the user's if one of these is.
func (it item) source(material []citedText, memories []storage.MemoryID) storage.Source {
	src := storage.Source{Bullet: it.text, Messages: sources(it.numbers, material)}
	tells := func(ids ...storage.MemoryID) {
		for _, id := range ids {
			if !slices.Contains(src.Memories, id) {
				src.Memories = append(src.Memories, id)
			}
		}
	}
	for _, n := range it.memories {
		if n >= 1 && n <= len(memories) {
			tells(memories[n-1])
		}
	}
	for _, n := range it.numbers {
		if n >= 1 && n <= len(material) {
			tells(material[n-1].memories...)
			src.UserEdit = storage.BulletEdit(cmp.Or(string(src.UserEdit), string(material[n-1].hand)))
		}
	}
	return src
}

// parseBody reads a recap: sections with bullets, or one Markdown text.
func parseBody(raw json.RawMessage) body {
	var b body
	if text, ok := parseString(raw); ok {
		b.readMarkdown(text)
		return b
	}
	sections, _ := prompts.Object(raw)
	byHeading := func(x, y string) int { return cmp.Or(headingOf(x)-headingOf(y), strings.Compare(x, y)) }
	for _, key := range slices.SortedFunc(maps.Keys(sections), byHeading) {
		if at := headingOf(key); at >= 0 {
			for _, it := range parseItems(sections[key]) {
				b.add(at, it)
			}
		}
	}
	return b
}

// add cleans a bullet and adds it with put. A bullet that ends with the mark of ended facts was
// copied from the prompt and is ignored.
func (b *body) add(at int, it item) bool {
	it = it.clean()
	if strings.HasSuffix(strings.TrimRight(it.text, ". "), strings.TrimSpace(endedMark)) {
		return true
	}
	return b.put(at, it)
}

// put adds a bullet unchanged, unless the section has it already. It returns false if the section is
// full.
func (b *body) put(at int, it item) bool {
	if it.text == "" || indexOf(b.sections[at], it.text) >= 0 {
		return true
	}
	if len(b.sections[at]) >= maxBullets {
		return false
	}
	b.sections[at] = append(b.sections[at], it)
	return true
}

// has reports whether a section has a bullet with this text.
func (b *body) has(text string) bool {
	return slices.ContainsFunc(b.sections[:], func(s []item) bool { return indexOf(s, text) >= 0 })
}

// indexOf returns the index of the bullet with this text, -1 for none.
func indexOf(list []item, text string) int {
	key := plainText(text)
	return slices.IndexFunc(list, func(o item) bool { return plainText(o.text) == key })
}

// unite makes one bullet of those with the same text under several headings, with the sources of
// all, under the first of them in sectionOrder.
func (b *body) unite() {
	var whole body
	for _, at := range sectionOrder {
		for _, it := range b.sections[at] {
			found := false
			for _, s := range whole.sections {
				if n := indexOf(s, it.text); n >= 0 {
					s[n].numbers, s[n].memories = union(s[n].numbers, it.numbers), union(s[n].memories, it.memories)
					found = true
				}
			}
			if !found {
				whole.sections[at] = append(whole.sections[at], it)
			}
		}
	}
	b.sections = whole.sections
}

// union returns the numbers of two lists, sorted.
func union(list, more []int) []int {
	all := slices.Concat(list, more)
	slices.Sort(all)
	return slices.Compact(all)
}

// readMarkdown reads the bullets of a Markdown text. Bullets under unknown headings count as
// developments.
func (b *body) readMarkdown(text string) {
	text = paragraphs(text)
	has := [len(headings)]bool{}
	for l := range strings.Lines(text) {
		if at := headingLine(strings.TrimSpace(l)); strings.TrimSpace(l) != "" && at >= 0 {
			has[at] = true
		}
	}
	for i, h := range headings {
		if !has[i] {
			b.missing = append(b.missing, "## "+h)
		}
	}
	for _, bullet := range Bullets(text) {
		at := headingOf(bullet.Heading)
		if at < 0 {
			at = 1
		}
		b.add(at, item{text: bullet.Text})
	}
}

// clean cleans the text and moves numbers in brackets at its end to numbers.
func (it item) clean() item {
	rest, numbers := cutNumbers(prompts.OneLine(it.text))
	if len(numbers) > 0 && (len(it.numbers) == 0 || subsetOf(numbers, it.numbers)) {
		it.text = rest
		it.numbers = append(it.numbers, numbers...)
	}
	it.text = prompts.Bounded(bulletText(it.text), maxBullet)
	slices.Sort(it.numbers)
	it.numbers = slices.Compact(it.numbers)
	it.numbers = it.numbers[:min(len(it.numbers), maxNumbers)]
	return it
}

func subsetOf(a, b []int) bool {
	return !slices.ContainsFunc(a, func(n int) bool { return !slices.Contains(b, n) })
}

// parseItems reads the bullets of a section: a list of texts or objects, or a text
// with a list in it.
func parseItems(raw json.RawMessage) []item {
	if text, ok := parseString(raw); ok {
		var out []item
		for _, b := range Bullets(paragraphs(text)) {
			out = append(out, item{text: b.Text})
		}
		return out
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	out := make([]item, 0, min(len(list), maxBullets))
	for _, r := range list[:min(len(list), 4*maxBullets)] {
		if text, ok := parseString(r); ok {
			out = append(out, item{text: text})
			continue
		}
		fields, err := prompts.Object(r)
		if err != nil {
			continue
		}
		it := item{text: parsePhrase(fields["text"])}
		for _, key := range []string{"messages", "bullets", "sources", "message", "bullet"} {
			it.numbers = append(it.numbers, coverage.Numbers(fields[key])...)
		}
		it.memories = parseMemoryNumbers(fields["memories"])
		out = append(out, it)
	}
	return out
}

// parseMemoryNumbers reads the numbers of memories, with their letter, as M3, or without it.
func parseMemoryNumbers(raw json.RawMessage) []int {
	return coverage.Numbers(json.RawMessage(strings.NewReplacer("M", "", "m", "").Replace(string(raw))))
}

// parsePhrase reads a text, or several as one.
func parsePhrase(raw json.RawMessage) string {
	if text, ok := parseString(raw); ok {
		return text
	}
	return strings.Join(parseTexts(raw), "; ")
}

// parseTexts reads a list of texts; one text is a list with commas.
func parseTexts(raw json.RawMessage) []string {
	if text, ok := parseString(raw); ok {
		return strings.Split(text, ",")
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var out []string
	for _, r := range list {
		if text, ok := parseString(r); ok {
			out = append(out, text)
		}
	}
	return out
}

// parseString reads a JSON string and nothing else.
func parseString(raw json.RawMessage) (string, bool) {
	var s string
	if len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return "", false
	}
	return s, true
}

// numbersAtEnd are numbers in brackets at the end of a bullet, as "[3, 5]", "(#3)" or "(messages 1-4)".
var numbersAtEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(
		`(?i)\s*(?:\[(?:#|messages?|bullets?)?|\((?:#|messages?|bullets?))\s*(\d{1,4}(?:(?:\s|and|[-–,;#])+\d{1,4})*)\s*[\])](\.?)\s*$`)
})

// numberOrRange is one of them.
var numberOrRange = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(\d+)\s*[-–]\s*(\d+)|\d+`)
})

// maxRange is the maximum number of messages in a range such as "3-9".
const maxRange = 20

// cutNumbers takes numbers in brackets off the end of a text.
func cutNumbers(s string) (rest string, numbers []int) {
	m := numbersAtEnd().FindStringSubmatchIndex(s)
	if m == nil || m[0] == 0 {
		return s, nil
	}
	defer func() { // there may be more of them
		if more, before := cutNumbers(rest); before != nil {
			rest, numbers = more, append(before, numbers...)
		}
	}()
	for _, r := range numberOrRange().FindAllStringSubmatch(s[m[2]:m[3]], -1) {
		from, _ := strconv.Atoi(cmp.Or(r[1], r[0]))
		to, err := strconv.Atoi(r[2])
		if err != nil || to < from || to > from+maxRange {
			to = from
		}
		for ; from <= to; from++ {
			numbers = append(numbers, from)
		}
	}
	rest = s[:m[0]]
	if !strings.ContainsAny(rest[len(rest)-1:], ".!?") {
		rest += s[m[4]:m[5]]
	}
	return rest, numbers
}
