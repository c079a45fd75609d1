package rehearsal

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// loreTags part what a request about lore shows from what it says about it.
var loreTags = []string{"registry", "candidate", "entries", "entry", "news"}

// entity is somebody or something that a request about lore tells of.
type entity struct {
	id       string
	name     string
	aliases  []string
	kind     string
	synopsis string
	content  string
}

// Words that are no name by themselves: of people, beside those of places.
const roles = "man woman boy girl child stranger figure traveller keeper guard soldier captain merchant innkeeper bartender barkeeper waiter waitress " +
	"smith baker sailor fisherman servant maid priest healer doctor king queen prince princess lord lady thief mother father sister brother son " +
	"daughter wife husband aunt uncle cousin friend enemy neighbour neighbor buyer owner director actor actress prompter pigeon dog cat voice"

// loreBlocks are the tagged parts of a request, and its other lines.
func loreBlocks(messages []storage.Node) (blocks map[string]string, rest []string) {
	user, system := shownBy(messages)
	blocks, outside := between(user, loreTags)
	if len(blocks) == 0 {
		blocks, outside = between(system, loreTags)
	}
	return blocks, trimmed(outside)
}

// readCandidate reads "name: …" and the like, and what is a list in brackets.
func readCandidate(block string) entity {
	var c entity
	lines := trimmed(block)
	for i, l := range lines {
		field, value, ok := strings.Cut(l, ":")
		value = strings.TrimSpace(value)
		switch strings.ToLower(strings.Trim(field, "-*• ")) {
		case "name":
			c.name = value
		case "type":
			c.kind = value
		case "content":
			c.content = strings.TrimSpace(strings.Join(append([]string{value}, lines[i+1:]...), "\n"))
			return c
		default:
			if ok && strings.HasPrefix(l, "[") && c.content == "" {
				c.content = l
			}
		}
	}
	if c.name == "" {
		c.name = headName(c.content)
	}
	return c
}

// readEntities reads lines "[id] Name (also: …) – synopsis", each with what
// stands below it.
func readEntities(block string) []entity {
	var out []entity
	for _, l := range trimmed(block) {
		id, rest, ok := strings.Cut(strings.TrimPrefix(l, "["), "] ")
		if ok && strings.HasPrefix(l, "[") && id != "" && len(id) <= 64 && !strings.ContainsAny(id, " :[(") {
			e := entity{id: id}
			rest, e.synopsis, _ = strings.Cut(rest, " – ")
			name, also, _ := strings.Cut(rest, " (also: ")
			e.name = strings.TrimSpace(name)
			for a := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(also), ")"), ",") {
				if a = strings.TrimSpace(a); a != "" {
					e.aliases = append(e.aliases, a)
				}
			}
			out = append(out, e)
		} else if len(out) > 0 {
			e := &out[len(out)-1]
			e.content = strings.TrimSpace(e.content + "\n" + l)
		}
	}
	return out
}

// lookUp finds who in a registry a candidate may be.
func lookUp(root *schema, messages []storage.Node) (record, bool) {
	blocks, _ := loreBlocks(messages)
	c := readCandidate(blocks["candidate"])
	if c.name == "" {
		return nil, false
	}
	same, unsure := []any{}, []any{}
	for _, e := range readEntities(blocks["registry"]) {
		switch e.like(c) {
		case surely:
			same = append(same, root.id(e.id, "sameEntityIds", "same_entity_ids"))
		case perhaps:
			unsure = append(unsure, root.id(e.id, "needsFullContextIds", "needs_full_context_ids"))
		}
	}
	return record{
		"type": or(c.kind, "character"), "synopsis": c.brief(),
		"sameEntityIds": same, "same_entity_ids": same, "needsFullContextIds": unsure, "needs_full_context_ids": unsure,
	}, true
}

// settle decides between the entries that a candidate may be about: for the one
// with the same name, or else, where one of the two has no name, for the one that
// says most of the same.
func settle(root *schema, messages []storage.Node) (record, bool) {
	blocks, _ := loreBlocks(messages)
	c := readCandidate(blocks["candidate"])
	if c.name == "" {
		return nil, false
	}
	best, most := "new", 1
	said := c.details()
	for _, e := range readEntities(blocks["entries"]) {
		points := overlap(said, setOf(e.details()))
		switch like := e.like(c); {
		case like == surely:
			points += 100
		case like != perhaps || !isVague(c.name) && !isVague(e.name):
			continue
		}
		if points > most {
			best, most = e.id, points
		}
	}
	id := root.id(best, "resolvedId", "resolved_id")
	return record{"synopsis": c.brief(), "resolvedId": id, "resolved_id": id}, true
}

// details are the words that tell an entity from others, each once.
func (e entity) details() []string {
	_, list := traits(e.content)
	var out []string
	for _, t := range list {
		lead, detail := cutTrait(t)
		out = append(out, content(or(detail, lead))...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// id gives an id the type that the schema asks for.
func (s *schema) id(id string, names ...string) any {
	top, err := s.flat(s)
	if err != nil {
		return id
	}
	for _, name := range names {
		of := top.property(name)
		if of == nil {
			continue
		}
		if of, err = of.flat(s); err == nil && of.Items != nil {
			of, err = of.Items.flat(s)
		}
		if n, number := strconv.Atoi(id); err == nil && number == nil && of.kind() == "integer" {
			return n
		}
	}
	return id
}

// How likely one entity is another.
const (
	hardly = iota
	perhaps
	surely
)

// like compares names: one that is all in another is the same, and one that ends
// alike, or as the other is described, may be.
func (e entity) like(c entity) int {
	best := hardly
	mine := nameWords(c.name)
	if len(mine) == 0 {
		return best
	}
	last := mine[len(mine)-1]
	for _, name := range append([]string{e.name}, e.aliases...) {
		theirs := nameWords(name)
		shared := overlap(mine, setOf(theirs))
		switch {
		case len(theirs) == 0:
		case slices.Equal(mine, theirs), shared == min(len(mine), len(theirs)) && slices.ContainsFunc(mine, func(w string) bool { return slices.Contains(theirs, w) && isProper(w) }):
			return surely
		case slices.Contains(theirs, last):
			best = perhaps
		}
	}
	if !isProper(last) && slices.Contains(content(e.synopsis+" "+e.content), last) {
		best = perhaps
	}
	return best
}

// nameWords are a name's words in lower case, without articles.
func nameWords(name string) []string {
	skip := setOf(strings.Fields(articles + " of an"))
	var out []string
	for _, w := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) && r != '\'' && r != '’' }) {
		w, _, _ = strings.Cut(strings.ReplaceAll(w, "’", "'"), "'")
		if w != "" && !skip[w] {
			out = append(out, w)
		}
	}
	return out
}

// isProper tells whether a word of a name is more than a role or a kind of place.
func isProper(w string) bool {
	return !slices.Contains(strings.Fields(roles), w) && !slices.Contains(strings.Fields(places+" corridor room road"), w)
}

// isVague tells names that are none: of roles and kin alone.
func isVague(name string) bool {
	if strings.Contains(strings.ReplaceAll(name, "’", "'"), "'s ") {
		return true
	}
	return !slices.ContainsFunc(nameWords(name), isProper) || name == strings.ToLower(name)
}

// brief says in a few words what a candidate is.
func (e entity) brief() string {
	_, list := traits(e.content)
	words := strings.Fields(strings.NewReplacer("(", " ", ")", "", "[", "", "]", "").Replace(strings.Join(list, ", ")))
	text := strings.Join(words[:min(len(words), 12)], " ")
	return or(strings.TrimRight(text, ",;:- "), e.name)
}

// leadingPronoun is how a careless fact begins.
var leadingPronoun = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:he|she|it|they) `) })

// weave works news into an entry: everything that holds, each fact once. Where the
// request numbers the facts, the answer says what became of each.
func weave(root *schema, messages []storage.Node) (record, bool) {
	blocks, rest := loreBlocks(messages)
	for tag, b := range blocks {
		if b == "(none)" {
			blocks[tag] = ""
		}
	}
	old, news := blocks["entry"], blocks["news"]
	if old == "" && news == "" {
		return nil, false
	}
	name, called := headName(old), headName(news)
	kind, free := "character", false
	for _, l := range rest {
		if _, after, ok := strings.Cut(l, "The entry is about "); ok && name == "" {
			name, after, _ = strings.Cut(after, " (type: ")
			kind, _, _ = strings.Cut(after, ";")
		}
		if _, after, ok := strings.Cut(l, "it is called "); ok {
			called = strings.TrimRight(after, ":")
		}
		free = free || strings.Contains(l, "plain text")
	}
	head, before, numbers := factsIn(old)
	_, fresh, more := factsIn(news)
	for i, f := range fresh {
		fresh[i] = leadingPronoun().ReplaceAllString(f, "")
	}
	proper := ""
	if isVague(name) {
		proper = properName(called, fresh)
	}
	merged, changed := united(before, fresh, root.most("content")-len(old)-len(proper))
	text := old
	switch free = free || head == "" && old != "" && len(numbers) == 0; {
	case free: // a text of the user's own form
		for i, f := range merged[min(len(before), len(merged)):] {
			f = strings.TrimRight(f, ". ") + "."
			text, merged[len(before)+i] = text+"\n"+f, f
		}
	case changed || proper != "":
		if head != "" {
			kind, _, _ = strings.Cut(head, "-")
		}
		text = "[" + kind + "-" + or(proper, name, called) + ": " + strings.Join(merged, ", ") + "]"
	}
	facts, dropped := accounted(merged, append(before, fresh...), append(numbers, more...))
	return record{"content": text, "facts": facts, "dropped": dropped, "canonicalName": proper, "canonical_name": proper}, true
}

// numberedFact is a line of a list of facts.
var numberedFact = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\[(\d{1,4})\] (.+)$`) })

// factsIn are the facts of a block: its numbered lines with their numbers, else what
// traits finds.
func factsIn(block string) (head string, list []string, numbers []int) {
	for _, l := range trimmed(block) {
		m := numberedFact().FindStringSubmatch(l)
		if m == nil {
			head, list = traits(block)
			return head, list, nil
		}
		n, _ := strconv.Atoi(m[1])
		list, numbers = append(list, m[2]), append(numbers, n)
	}
	return "", list, numbers
}

// accounted says of numbered facts which of what is told tells them, and which are left
// out.
func accounted(told, facts []string, numbers []int) (out, dropped []any) {
	from := make([][]any, len(told))
	out, dropped = []any{}, []any{}
	for i, f := range facts[:min(len(facts), len(numbers))] {
		at := slices.IndexFunc(told, func(t string) bool { return strings.EqualFold(strings.TrimRight(t, "."), strings.TrimRight(f, ".")) })
		if at < 0 {
			at = slices.IndexFunc(told, func(t string) bool { return covers(t, f) })
		}
		if at < 0 {
			dropped = append(dropped, record{"fact": numbers[i], "why": "it is no longer so"})
			continue
		}
		from[at] = append(from[at], numbers[i])
	}
	for i, t := range told {
		if from[i] == nil {
			from[i] = []any{}
		}
		out = append(out, record{"text": t, "from": from[i]})
	}
	return out, dropped
}

// properName is what somebody without a name is called by the news, "" where
// they do not say.
func properName(called string, facts []string) string {
	if !isVague(called) {
		return called
	}
	for _, f := range facts {
		lead, detail := cutTrait(f)
		switch strings.ToLower(lead) {
		case "name", "named", "called", "real name", "proper name":
			if detail != "" && !isVague(detail) {
				return detail
			}
		}
	}
	return ""
}

// most is how long a text may be, by the schema.
func (s *schema) most(name string) int {
	if top, err := s.flat(s); err == nil && top.property(name) != nil {
		if of, err := top.property(name).flat(s); err == nil && of.MaxLength != nil {
			return *of.MaxLength
		}
	}
	return maxRepeat
}

// shrink says an entry in fewer words: without what is said twice, and then, as
// far as it has to be, without small words and the facts that name nothing.
func shrink(root *schema, messages []storage.Node) (record, bool) {
	blocks, rest := loreBlocks(messages)
	old := blocks["entry"]
	if old == "" {
		return nil, false
	}
	most := root.most("content")
	about := "character-somebody"
	for _, l := range rest {
		if _, after, ok := strings.Cut(l, "The entry is about "); ok {
			name, kind, _ := strings.Cut(after, " (type: ")
			kind, _, _ = strings.Cut(kind, ")")
			about = kind + "-" + name
		}
		if _, after, ok := strings.Cut(l, "at most "); ok {
			if n, err := strconv.Atoi(strings.Fields(after + " x")[0]); err == nil && n > 0 {
				most = min(most, n)
			}
		}
	}
	head, all, numbers := factsIn(old)
	facts := slices.Clone(all)
	if head == "" && len(numbers) == 0 {
		return record{"content": clip(strings.Join(distinct(sentences(old)), " "), 1, most)}, true
	}
	if slices.ContainsFunc(rest, func(l string) bool { return strings.Contains(l, "plain text") }) {
		told, dropped := accounted(distinct(all), all, numbers)
		return record{"facts": told, "dropped": dropped}, true
	}
	write := func(facts []string) string {
		return "[" + or(head, about) + ": " + strings.Join(facts, ", ") + "]"
	}
	length := len(write(facts))
	facts = distinct(facts)
	if utf8.RuneCountInString(write(facts)) > most || len(write(facts)) >= length {
		for i, f := range facts {
			facts[i] = terse(f)
		}
	}
	for i := 0; i < len(facts) && utf8.RuneCountInString(write(facts)) > most; {
		if len(facts) > 1 && !strings.ContainsFunc(facts[i], func(r rune) bool { return unicode.IsUpper(r) || unicode.IsDigit(r) }) {
			facts = slices.Delete(facts, i, i+1)
		} else {
			i++
		}
	}
	for len(facts) > 1 && utf8.RuneCountInString(write(facts)) > most {
		facts = facts[1:]
	}
	told, dropped := accounted(facts, all, numbers)
	return record{"content": write(facts), "facts": told, "dropped": dropped}, true
}

// terse leaves the smallest words out.
func terse(fact string) string {
	small := setOf(strings.Fields("the a an very quite rather really just also still"))
	fields := strings.Fields(strings.ReplaceAll(fact, "(", "( "))
	kept := slices.DeleteFunc(fields, func(w string) bool { return small[w] })
	if len(kept) == 0 {
		return fact
	}
	return strings.ReplaceAll(strings.Join(kept, " "), "( ", "(")
}

func or(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
