package activation_test

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The reference implements the rules of activation as plainly as they are worded: every text is
// built, every key is searched for in it, nothing is kept.

// ---- regular expressions: sets of ends, as JavaScript reads them

// refNode is a part of a regular expression. Its ends are all the places where
// a match that begins at i can end.
type refNode interface {
	ends(m *refText, i int) []int
	source(captures *int) string
}

// refText is a text with the flags that it is read by.
type refText struct {
	r                     []rune
	fold, lines, dots, un bool // i m s u
}

type (
	refLiteral struct{ r rune }
	refAny     struct{}
	refClass   struct { // [abc\w], [^…], and \w alone
		negated bool
		runes   []rune
		from    rune // with to, a range, if it is not 0
		to      rune
		escapes string // of wWsSdD
		first   bool   // the escapes come first
	}
	refEscape struct{ kind byte } // wWsSdD
	refEdge   struct{ kind byte } // ^ $ b B
	refSeq    struct{ nodes []refNode }
	refAlt    struct{ nodes []refNode }
	refRepeat struct {
		node     refNode
		min, max int // max < 0: any number
		lazy     bool
	}
	refLook struct {
		node         refNode
		behind, none bool
	}
	refTwice struct{ runes []rune } // (a|b)\1
)

func refLineEnd(r rune) bool { return r == '\n' || r == '\r' || r == '\u2028' || r == '\u2029' }

func refSpace(r rune) bool {
	return r >= '\t' && r <= '\r' || r == '\ufeff' || refLineEnd(r) || unicode.Is(unicode.Zs, r)
}

func refWord(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_'
}

// canon returns a canonical form: it is equal for characters that count as the same.
func (m *refText) canon(r rune) rune {
	if !m.fold {
		return r
	}
	if m.un {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}
	if r == 'ß' || r == 'ŉ' { // their upper case is two characters
		return r
	}
	up := unicode.ToUpper(r)
	if r >= 128 && up < 128 {
		return r
	}
	return up
}

func (m *refText) wordAt(i int) bool {
	return i >= 0 && i < len(m.r) && m.is('w', m.r[i])
}

func (m *refText) is(kind byte, r rune) bool {
	word := refWord(r) || m.fold && m.un && (r == 'ſ' || r == '\u212a')
	switch kind {
	case 'w':
		return word
	case 'W':
		return !word
	case 's':
		return refSpace(r)
	case 'S':
		return !refSpace(r)
	case 'd':
		return r >= '0' && r <= '9'
	}
	return r < '0' || r > '9'
}

func (n refLiteral) ends(m *refText, i int) []int {
	if i < len(m.r) && m.canon(m.r[i]) == m.canon(n.r) {
		return []int{i + 1}
	}
	return nil
}

func (refAny) ends(m *refText, i int) []int {
	if i < len(m.r) && (m.dots || !refLineEnd(m.r[i])) {
		return []int{i + 1}
	}
	return nil
}

func (n refClass) ends(m *refText, i int) []int {
	if i >= len(m.r) {
		return nil
	}
	in := slices.ContainsFunc(n.runes, func(r rune) bool { return m.canon(r) == m.canon(m.r[i]) })
	for r := n.from; r != 0 && r <= n.to; r++ {
		in = in || m.canon(r) == m.canon(m.r[i])
	}
	for _, kind := range []byte(n.escapes) {
		in = in || m.is(kind, m.r[i])
	}
	if in != n.negated {
		return []int{i + 1}
	}
	return nil
}

func (n refEscape) ends(m *refText, i int) []int {
	if i < len(m.r) && m.is(n.kind, m.r[i]) {
		return []int{i + 1}
	}
	return nil
}

func (n refEdge) ends(m *refText, i int) []int {
	ok := false
	switch n.kind {
	case '^':
		ok = i == 0 || m.lines && refLineEnd(m.r[i-1])
	case '$':
		ok = i == len(m.r) || m.lines && refLineEnd(m.r[i])
	case 'b':
		ok = m.wordAt(i-1) != m.wordAt(i)
	case 'B':
		ok = m.wordAt(i-1) == m.wordAt(i)
	}
	if ok {
		return []int{i}
	}
	return nil
}

func refEach(m *refText, n refNode, from []int) []int {
	var out []int
	for _, i := range from {
		out = append(out, n.ends(m, i)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (n refSeq) ends(m *refText, i int) []int {
	at := []int{i}
	for _, part := range n.nodes {
		at = refEach(m, part, at)
	}
	return at
}

func (n refAlt) ends(m *refText, i int) []int {
	var out []int
	for _, part := range n.nodes {
		out = append(out, part.ends(m, i)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (n refRepeat) ends(m *refText, i int) []int {
	at := []int{i}
	for range n.min {
		at = refEach(m, n.node, at)
	}
	all := slices.Clone(at)
	for k := n.min; (n.max < 0 || k < n.max) && len(at) > 0; k++ {
		before := len(all)
		at = refEach(m, n.node, at)
		all = append(all, at...)
		slices.Sort(all)
		if all = slices.Compact(all); n.max < 0 && len(all) == before {
			break
		}
	}
	return all
}

func (n refLook) ends(m *refText, i int) []int {
	found := false
	if n.behind {
		for from := 0; from <= i; from++ {
			found = found || slices.Contains(n.node.ends(m, from), i)
		}
	} else {
		found = len(n.node.ends(m, i)) > 0
	}
	if found != n.none {
		return []int{i}
	}
	return nil
}

func (n refTwice) ends(m *refText, i int) []int {
	for _, r := range n.runes {
		if i+1 < len(m.r) && m.canon(m.r[i]) == m.canon(r) && m.canon(m.r[i+1]) == m.canon(m.r[i]) {
			return []int{i + 2}
		}
	}
	return nil
}

func refQuote(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r < ' ':
		return fmt.Sprintf(`\x%02x`, r)
	case strings.ContainsRune(`/\^$.*+?()[]{}|`, r):
		return `\` + string(r)
	}
	return string(r)
}

func (n refLiteral) source(*int) string { return refQuote(n.r) }
func (refAny) source(*int) string       { return "." }
func (n refEscape) source(*int) string  { return `\` + string(n.kind) }

func (n refClass) source(*int) string {
	s := "["
	if n.negated {
		s += "^"
	}
	chars, escapes := "", ""
	for _, r := range n.runes {
		chars += refQuote(r)
	}
	if n.from != 0 {
		chars += refQuote(n.from) + "-" + refQuote(n.to)
	}
	for _, kind := range n.escapes {
		escapes += `\` + string(kind)
	}
	if n.first && escapes != "" {
		return s + escapes + strings.ReplaceAll(chars, `\^`, "^") + "]"
	}
	return s + chars + escapes + "]"
}

func (n refEdge) source(*int) string {
	if n.kind == 'b' || n.kind == 'B' {
		return `\` + string(n.kind)
	}
	return string(n.kind)
}

func (n refSeq) source(c *int) string {
	s := ""
	for _, part := range n.nodes {
		s += part.source(c)
	}
	return s
}

func (n refAlt) source(c *int) string {
	var s []string
	for _, part := range n.nodes {
		s = append(s, part.source(c))
	}
	return "(?:" + strings.Join(s, "|") + ")"
}

func (n refRepeat) source(c *int) string {
	s := "(?:" + n.node.source(c) + ")"
	switch {
	case n.min == 0 && n.max < 0:
		s += "*"
	case n.min == 1 && n.max < 0:
		s += "+"
	case n.min == 0 && n.max == 1:
		s += "?"
	case n.max < 0:
		s += fmt.Sprintf("{%d,}", n.min)
	default:
		s += fmt.Sprintf("{%d,%d}", n.min, n.max)
	}
	if n.lazy {
		s += "?"
	}
	return s
}

func (n refLook) source(c *int) string {
	s := "(?"
	if n.behind {
		s += "<"
	}
	if n.none {
		s += "!"
	} else {
		s += "="
	}
	return s + n.node.source(c) + ")"
}

func (n refTwice) source(c *int) string {
	var s []string
	for _, r := range n.runes {
		s = append(s, refQuote(r))
	}
	*c++
	return fmt.Sprintf(`(%s)\%d(?:)`, strings.Join(s, "|"), *c)
}

// refRegex is a regular expression and how it is written as a key.
type refRegex struct {
	node  refNode
	flags string
}

func (x refRegex) key() string {
	captures := 0
	return "/" + x.node.source(&captures) + "/" + x.flags
}

func (x refRegex) matches(text string) bool {
	m := &refText{r: []rune(text), fold: strings.Contains(x.flags, "i"), lines: strings.Contains(x.flags, "m"),
		dots: strings.Contains(x.flags, "s"), un: strings.Contains(x.flags, "u")}
	last := len(m.r)
	if strings.Contains(x.flags, "y") {
		last = 0
	}
	for i := 0; i <= last; i++ {
		if len(x.node.ends(m, i)) > 0 {
			return true
		}
	}
	return false
}

// ---- plain keys

func refTrim(s string) string { return strings.TrimFunc(s, refSpace) }

// refLower is JavaScript's toLowerCase.
func refLower(s string) string {
	in := []rune(s)
	skip := func(r rune) bool {
		return strings.ContainsRune(".':·’‘․﹒", r) || unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf, unicode.Lm, unicode.Sk)
	}
	cased := func(r rune) bool { return unicode.In(r, unicode.Lu, unicode.Ll, unicode.Lt) }
	var out []rune
	for i, r := range in {
		switch r {
		case 'İ':
			out = append(out, 'i', '\u0307')
		case 'Σ':
			b, a := i-1, i+1
			for b >= 0 && skip(in[b]) {
				b--
			}
			for a < len(in) && skip(in[a]) {
				a++
			}
			if b >= 0 && cased(in[b]) && !(a < len(in) && cased(in[a])) {
				out = append(out, 'ς')
			} else {
				out = append(out, 'σ')
			}
		default:
			out = append(out, unicode.ToLower(r))
		}
	}
	return string(out)
}

// refHasWord reports whether the key is in the text with no letter, mark, digit or underscore
// on either side. Other programs know letters of ASCII alone; none of the words here is of a
// script without blanks.
func refHasWord(text, key string) bool {
	letter := func(r rune) bool { return r == '_' || unicode.In(r, unicode.L, unicode.M, unicode.N) }
	t, k := []rune(text), []rune(key)
	for i := 0; i+len(k) <= len(t); i++ {
		if slices.Equal(t[i:i+len(k)], k) && (i == 0 || !letter(t[i-1])) && (i+len(k) == len(t) || !letter(t[i+len(k)])) {
			return true
		}
	}
	return false
}

// ---- activation

type refEntry struct {
	activation.Book
	storage.LoreEntry // its content without the decorators
	hash              string
	on, off           bool // decorators

	why  activation.Verdict
	text string
}

type refState int

const (
	refInitial refState = iota
	refRecursion
	refMinActivations
)

type refRun struct {
	set     activation.Settings
	in      activation.Input
	regexes map[string]refRegex

	sorted   []*refEntry
	messages []string
	budget   int
	records  []storage.LoreEffect
	sticky   map[*refEntry]bool
	cooldown map[*refEntry]bool

	state  refState
	skew   int
	level  int
	buffer []string

	fired  []*refEntry
	failed map[*refEntry]bool
	used   int
	over   bool
	rounds int
}

// refActivate is the activation of all that the books have.
func refActivate(books []activation.Book, set activation.Settings, regexes map[string]refRegex, in activation.Input) *refRun {
	r := &refRun{set: set, in: in, regexes: regexes, sticky: map[*refEntry]bool{}, cooldown: map[*refEntry]bool{}, failed: map[*refEntry]bool{}}
	r.sources(books)
	r.chat()
	if in.Context > 0 {
		r.budget = max(1, int(math.Round(set.Budget*float64(in.Context)/100)))
	}
	if set.BudgetCap > 0 && (r.budget == 0 || set.BudgetCap < r.budget) {
		r.budget = set.BudgetCap
	}
	r.timed()
	r.loop()
	r.start()
	// Among equals the one that triggered last is first, save in outlets.
	slices.SortStableFunc(r.fired, func(a, b *refEntry) int { return cmp.Compare(b.Order, a.Order) })
	return r
}

// Step 1.
func (r *refRun) sources(books []activation.Book) {
	rank := []activation.Source{activation.Global, activation.Chat, activation.Persona, activation.Character}
	lists := map[activation.Source][]*refEntry{}
	seen := map[storage.LorebookID]bool{}
	for _, source := range rank {
		for _, book := range books {
			if book.Source != source || seen[book.ID] {
				continue
			}
			seen[book.ID] = true
			for _, e := range book.Entries {
				lists[source] = append(lists[source], refDecorated(book, e))
			}
		}
	}
	byOrder := func(list []*refEntry) []*refEntry {
		slices.SortStableFunc(list, func(a, b *refEntry) int { return cmp.Compare(b.Order, a.Order) })
		return list
	}
	var rest []*refEntry
	switch r.set.Strategy {
	case activation.Evenly:
		rest = byOrder(slices.Concat(lists[activation.Global], lists[activation.Character]))
	case activation.CharacterFirst:
		rest = slices.Concat(byOrder(lists[activation.Character]), byOrder(lists[activation.Global]))
	case activation.GlobalFirst:
		rest = slices.Concat(byOrder(lists[activation.Global]), byOrder(lists[activation.Character]))
	}
	r.sorted = slices.Concat(byOrder(lists[activation.Chat]), byOrder(lists[activation.Persona]), rest)
}

func refDecorated(book activation.Book, e storage.LoreEntry) *refEntry {
	x, hash := &refEntry{Book: book}, activation.Hash(&e)
	known := true
	for strings.HasPrefix(e.Content, "@@") {
		line, rest, _ := strings.Cut(e.Content, "\n")
		e.Content = rest
		fallback := strings.HasPrefix(line, "@@@")
		if fallback && known {
			continue
		}
		known = true
		switch strings.TrimLeft(line, "@") {
		case "activate":
			x.on = true
		case "dont_activate":
			x.off = true
		default:
			known = false
		}
	}
	x.LoreEntry = e
	x.hash = hash
	return x
}

// Step 2.
func (r *refRun) chat() {
	for _, m := range r.in.Messages {
		text := m.Text
		if r.set.IncludeNames {
			text = m.Name + ": " + m.Text
		}
		if len(r.messages) < 1000 {
			r.messages = append(r.messages, refTrim(text))
		}
	}
}

// Step 4.
func (r *refRun) timed() {
	r.records = slices.Clone(r.in.Effects)
	if r.in.DryRun {
		return
	}
	now := r.in.Length
	for _, kind := range []storage.LoreEffectKind{storage.LoreSticky, storage.LoreCooldown} {
		for _, rec := range slices.Clone(r.records) {
			if rec.Kind != kind {
				continue
			}
			drop := func() {
				r.records = slices.DeleteFunc(r.records, func(o storage.LoreEffect) bool { return o == rec })
			}
			var owner *refEntry
			for _, x := range r.sorted {
				if x.Book.ID == rec.Book && x.UID == rec.UID && x.hash == rec.Hash {
					owner = x
				}
			}
			if now <= rec.Start && !rec.Protected {
				drop()
				continue
			}
			if owner == nil {
				if now >= rec.End {
					drop()
				}
				continue
			}
			if kind == storage.LoreSticky && owner.Sticky == 0 || kind == storage.LoreCooldown && owner.Cooldown == 0 {
				drop()
				continue
			}
			if now < rec.End {
				if kind == storage.LoreSticky {
					r.sticky[owner] = true
				} else {
					r.cooldown[owner] = true
				}
				continue
			}
			drop()
			if kind == storage.LoreSticky && owner.Cooldown > 0 {
				r.records = slices.DeleteFunc(r.records, func(o storage.LoreEffect) bool {
					return o.Kind == storage.LoreCooldown && o.Book == rec.Book && o.UID == rec.UID
				})
				r.records = append(r.records, storage.LoreEffect{Kind: storage.LoreCooldown, Book: rec.Book, UID: rec.UID,
					Hash: rec.Hash, Start: now, End: now + owner.Cooldown, Protected: true})
			}
		}
	}
}

// start sets the effects of what triggered.
func (r *refRun) start() {
	if r.in.DryRun {
		return
	}
	set := func(x *refEntry, kind storage.LoreEffectKind, n int) {
		running := slices.ContainsFunc(r.records, func(o storage.LoreEffect) bool {
			return o.Kind == kind && o.Book == x.Book.ID && o.UID == x.UID
		})
		if n > 0 && !running {
			r.records = append(r.records, storage.LoreEffect{Kind: kind, Book: x.Book.ID, UID: x.UID, Hash: x.hash,
				Start: r.in.Length, End: r.in.Length + n})
		}
	}
	for _, x := range r.fired {
		set(x, storage.LoreSticky, x.Sticky)
		set(x, storage.LoreCooldown, x.Cooldown)
	}
}

// Steps 5 and 9.
func (r *refRun) loop() {
	var levels []int
	for _, x := range r.sorted {
		if x.DelayUntilRecursion > 0 { // a level counts even if nobody who waits for it can trigger
			levels = append(levels, x.DelayUntilRecursion)
		}
	}
	slices.Sort(levels)
	levels = slices.Compact(levels)
	if len(levels) > 0 {
		r.level, levels = levels[0], levels[1:]
	}
	counted := 0 // tokens of the loops before
	for {
		if r.set.MaxSteps != 0 && r.rounds >= r.set.MaxSteps {
			return
		}
		r.rounds++
		var hits []*refEntry
		for _, x := range r.sorted {
			if !slices.Contains(r.fired, x) && !r.failed[x] && r.accepts(x) {
				hits = append(hits, x)
			}
		}
		slices.SortStableFunc(hits, func(a, b *refEntry) int { return refFirst(r.sticky[a], r.sticky[b]) })
		hits = r.groups(hits)
		hits = r.budgeted(hits, counted)

		var contents []string
		for _, x := range hits {
			if !x.PreventRecursion {
				contents = append(contents, x.text)
			}
		}
		if text := strings.Join(contents, "\n"); text != "" {
			counted += r.in.Count(text + "\n")
		}
		goesOn := r.set.Recursive && !r.over
		switch {
		case goesOn && len(contents) > 0:
			r.state = refRecursion
		case goesOn && r.state == refMinActivations && len(r.buffer) > 0:
			r.state = refRecursion
		case !r.over && len(r.fired) < r.set.MinActivations && r.within():
			r.skew++
			r.state = refMinActivations
		case len(levels) > 0:
			r.level, levels = levels[0], levels[1:]
			r.state = refRecursion
		default:
			return
		}
		if text := strings.Join(contents, "\n"); text != "" {
			r.buffer = append(r.buffer, strings.Join(contents, "\n"))
		}
	}
}

// within reports whether the scan may look further back.
func (r *refRun) within() bool {
	depth := r.set.Depth + r.skew
	return (r.set.MaxDepth == 0 || depth <= r.set.MaxDepth) && depth <= len(r.messages)
}

func refFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

func (r *refRun) accepts(x *refEntry) bool {
	trigger := cmp.Or(r.in.Trigger, "normal")
	sticky := r.sticky[x]
	switch {
	case x.Disabled,
		len(x.Triggers) > 0 && !slices.Contains(x.Triggers, trigger),
		r.filtered(x.Characters),
		r.in.Length < x.Delay,
		r.cooldown[x] && !sticky,
		x.DelayUntilRecursion > 0 && !sticky && (r.state != refRecursion || x.DelayUntilRecursion > r.level),
		x.ExcludeRecursion && !sticky && r.state == refRecursion && r.set.Recursive:
		return false
	case x.on:
		return true
	case x.off:
		return false
	case x.Constant, r.in.Force[x.LoreEntry.ID], sticky:
		return true
	}
	return r.keysMatch(x)
}

func (r *refRun) filtered(f *storage.LoreFilter) bool {
	if f == nil {
		return false
	}
	if len(f.Names) > 0 && slices.Contains(f.Names, r.in.Character) == f.Exclude {
		return true
	}
	has := slices.ContainsFunc(f.Tags, func(tag string) bool { return slices.Contains(r.in.Tags, tag) })
	return len(f.Tags) > 0 && has == f.Exclude
}

// Step 6.
func (r *refRun) scanned(x *refEntry) string {
	depth := r.set.Depth + r.skew
	if x.Book.ScanDepth != nil {
		depth = *x.Book.ScanDepth
	}
	if x.LoreEntry.ScanDepth != nil {
		depth = *x.LoreEntry.ScanDepth
	}
	if depth <= 0 {
		return ""
	}
	text := "\x01" + strings.Join(r.messages[:min(depth, len(r.messages))], "\n\x01")
	add := func(on bool, part string) {
		if on && part != "" {
			text += "\n\x01" + part
		}
	}
	f := r.in.Fields
	add(x.MatchPersona, f.Persona)
	add(x.MatchDescription, f.Description)
	add(x.MatchPersonality, f.Personality)
	add(x.MatchDepthPrompt, f.DepthPrompt)
	add(x.MatchScenario, f.Scenario)
	add(x.MatchCreatorNotes, f.CreatorNotes)
	for _, inject := range r.in.Injects {
		text += "\n\x01" + inject
	}
	if r.state != refMinActivations {
		for _, part := range r.buffer {
			text += "\n\x01" + part
		}
	}
	return text
}

func (r *refRun) keyMatches(x *refEntry, text, key string) bool {
	key = r.in.Expand(key)
	if key == "" {
		return false
	}
	if key = refTrim(key); key == "" {
		return true // every text holds it
	}
	if regex, ok := r.regexes[key]; ok {
		return regex.matches(text)
	}
	sensitive, words := r.set.CaseSensitive, r.set.WholeWords
	if x.CaseSensitive != nil {
		sensitive = *x.CaseSensitive
	}
	if x.WholeWords != nil {
		words = *x.WholeWords
	}
	if !sensitive {
		text, key = refLower(text), refLower(key)
	}
	if words && !strings.ContainsFunc(key, refSpace) {
		return refHasWord(text, key)
	}
	return strings.Contains(text, key)
}

func (r *refRun) count(x *refEntry, text string, keys []string) int {
	n := 0
	for _, key := range keys {
		if r.keyMatches(x, text, key) {
			n++
		}
	}
	return n
}

func (r *refRun) keysMatch(x *refEntry) bool {
	text := r.scanned(x)
	if r.count(x, text, x.Keys) == 0 {
		return false
	}
	n := r.count(x, text, x.SecondaryKeys)
	if !x.Selective || len(x.SecondaryKeys) == 0 {
		return true
	}
	switch x.Logic {
	case storage.AndAny:
		return n > 0
	case storage.NotAll:
		return n < len(x.SecondaryKeys)
	case storage.NotAny:
		return n == 0
	}
	return n == len(x.SecondaryKeys)
}

func (r *refRun) score(x *refEntry) int {
	if len(x.Keys) == 0 {
		return 0
	}
	text := r.scanned(x)
	count := func(keys []string) int {
		n := r.count(x, text, keys)
		for _, key := range keys {
			if key == "" { // any text holds it, where nobody asks for more than that
				n++
			}
		}
		return n
	}
	score, n := count(x.Keys), count(x.SecondaryKeys)
	switch {
	case x.Logic == storage.AndAny, x.Logic == storage.AndAll && n == len(x.SecondaryKeys):
		score += n
	}
	return score
}

// Step 7.
func (r *refRun) groups(hits []*refEntry) []*refEntry {
	named := func(x *refEntry) []string {
		list := strings.Split(x.Group, ",")
		for i := range list {
			if i > 0 {
				list[i] = strings.TrimLeftFunc(list[i], refSpace)
			}
		}
		return slices.DeleteFunc(list, func(name string) bool { return name == "" })
	}
	var names []string
	for _, x := range hits {
		for _, name := range named(x) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.SortStableFunc(names, func(a, b string) int { // numbers come first, as keys of an object
		n, errN := strconv.Atoi(a)
		m, errM := strconv.Atoi(b)
		return cmp.Or(refFirst(errN == nil, errM == nil), cmp.Compare(n, m))
	})
	dropped := map[*refEntry]bool{}
	settled := map[string]bool{}
	members := func(name string) []*refEntry {
		var out []*refEntry
		for _, x := range hits {
			for _, n := range named(x) {
				if n == name && !dropped[x] && !slices.Contains(out, x) {
					out = append(out, x)
				}
			}
		}
		return out
	}
	keep := func(name string, stays func(x *refEntry) bool) {
		for _, x := range members(name) {
			if !stays(x) {
				dropped[x] = true
				x.why = activation.LostGroup
			}
		}
	}
	for _, name := range names {
		if slices.ContainsFunc(members(name), func(x *refEntry) bool { return r.sticky[x] }) {
			settled[name] = true
			keep(name, func(x *refEntry) bool { return r.sticky[x] })
		}
	}
	for _, name := range names {
		if settled[name] {
			continue
		}
		best := 0
		for _, x := range members(name) {
			best = max(best, r.score(x))
		}
		keep(name, func(x *refEntry) bool {
			scoring := r.set.GroupScoring
			if x.UseGroupScoring != nil {
				scoring = *x.UseGroupScoring
			}
			return !scoring || r.score(x) == best
		})
	}
	for _, name := range names {
		group := members(name)
		switch {
		case settled[name]:
		case slices.ContainsFunc(r.fired, func(x *refEntry) bool { return x.Group == name }):
			keep(name, func(*refEntry) bool { return false })
		case len(group) > 1:
			winner := r.winner(group)
			keep(name, func(x *refEntry) bool { return x == winner })
		}
	}
	return slices.DeleteFunc(hits, func(x *refEntry) bool { return dropped[x] })
}

func (r *refRun) winner(group []*refEntry) *refEntry {
	var best *refEntry
	total := 0.0
	for _, x := range group {
		if x.GroupOverride && (best == nil || x.Order > best.Order) {
			best = x
		}
		total += x.GroupWeight
	}
	if best != nil {
		return best
	}
	roll, sum := r.in.Random()*total, 0.0
	for _, x := range group {
		if sum += x.GroupWeight; roll <= sum {
			return x
		}
	}
	return group[len(group)-1]
}

// Step 8. It answers what did not fail its roll.
func (r *refRun) budgeted(hits []*refEntry, counted int) []*refEntry {
	var left []*refEntry
	thisLoop := ""
	for _, x := range hits {
		late := r.over && !x.IgnoreBudget
		if !late && x.UseProbability && x.Probability != 100 && !r.sticky[x] && r.in.Random()*100 > x.Probability {
			r.failed[x] = true
			x.why = activation.FailedChance
			continue
		}
		left = append(left, x)
		x.text = r.in.Expand(x.Content)
		if !late {
			thisLoop += x.text + "\n"
		}
		if !x.IgnoreBudget && r.budget > 0 && counted+r.in.Count(thisLoop) >= r.budget {
			r.over = true
		}
		if !x.IgnoreBudget && r.over {
			x.why = activation.CutByBudget
			continue
		}
		x.why = activation.Triggered
		r.fired = append(r.fired, x)
		r.used += r.in.Count(x.text + "\n")
	}
	return left
}

// ---- random cases

func refOdds(t *rapid.T, percent int) bool {
	return rapid.IntRange(0, 99).Draw(t, "odds") >= 100-percent
}

func refPick[V any](t *rapid.T, what string, values ...V) V {
	return rapid.SampledFrom(values).Draw(t, what)
}

func refMaybe[V any](t *rapid.T, percent int, what string, values ...V) *V {
	if !refOdds(t, percent) {
		return nil
	}
	v := refPick(t, what, values...)
	return &v
}

var (
	refPlainWords = []string{"a", "b", "ab", "c", "A", "B"}
	refLongWords  = []string{"abc", "abc", "b", "abcab", "a", "ABC"}
	refOddWords   = []string{"a", "b", "A", "İ", "i", "i\u0307", "ß", "ẞ", "ss", "Σ", "σ", "ς", "Α", "α", "é", "É", "e\u0301", "ſ", "s", "S",
		"\u212a", "k", "K", "ı", "I", "µ", "μ", "Ǆ", "ǆ", "ǅ", "Ω", "\u2126", "_", "7", ".", "'", "\u00ad", "{{u}}", "{{U"}
	refGaps     = []string{" ", "", " ", "\n", "-", " "}
	refOddGaps  = []string{" ", "", "\n", "\u2028", "\u00a0", "\ufeff", "\u0085", "  ", "\t", "\r", "\x01", "\n\x01", "\v"}
	refMacros   = []string{"a", "b", "", "ab", "İ", " a"}
	refTriggers = []string{"normal", "swipe", "quiet"}
)

// refWorld draws what texts and keys are made of.
type refWorld struct {
	refMix
	words, gaps []string
	made        map[string]refRegex
}

// refMix is the mix of entries in a test, in percent.
type refMix struct {
	odd, long                    bool // which words
	regexes, timed, group, level int
	constant                     int // more than usual
	messages, turns              int // at most
}

var refMixes = map[string]refMix{
	"plain":    {regexes: 15, timed: 20, group: 35, level: 20, messages: 2, turns: 4},
	"odd":      {odd: true, regexes: 25, timed: 10, group: 10, level: 10, messages: 2, turns: 4},
	"recursed": {long: true, regexes: 80, level: 5, constant: 35, messages: 2, turns: 2},
	"far":      {long: true, constant: 10, regexes: 85, timed: 5, group: 5, level: 10, messages: 45, turns: 2},
	"lasting":  {regexes: 20, timed: 30, group: 10, level: 10, messages: 5, turns: 40},
	"crossing": {long: true, regexes: 70, timed: 5, group: 10, level: 15, messages: 12, turns: 3},
	"groups":   {regexes: 5, timed: 40, group: 90, level: 20, messages: 2, turns: 5},
	"timed":    {regexes: 3, timed: 80, group: 20, level: 10, messages: 1, turns: 14},
	"levels":   {regexes: 3, timed: 20, group: 20, level: 60, messages: 3, turns: 3},
}

func (w *refWorld) text(t *rapid.T, most int) string {
	s := ""
	for range rapid.IntRange(0, most).Draw(t, "words") {
		s += refPick(t, "word", w.words...) + refPick(t, "gap", w.gaps...)
	}
	return s
}

func (w *refWorld) key(t *rapid.T) string {
	if refOdds(t, w.regexes) {
		x := refRegex{node: w.pattern(t), flags: refPick(t, "flags", "", "", "i", "m", "s", "g", "u", "iu", "im", "gi", "y", "my", "is", "ms")}
		if captures := 0; x.node.source(&captures) != "" {
			w.made[x.key()] = x
			return x.key()
		}
	}
	if refOdds(t, 2) {
		rest, flags := refPick(t, "word", w.words...), refPick(t, "flags", "", "i", "u")
		for _, macro := range refMacros {
			var n refSeq
			source := ""
			for _, r := range macro + rest {
				n.nodes = append(n.nodes, refLiteral{r})
				source += refQuote(r)
			}
			w.made["/"+source+"/"+flags] = refRegex{node: n, flags: flags}
		}
		var captures int
		n := refSeq{}
		for _, r := range rest {
			n.nodes = append(n.nodes, refLiteral{r})
		}
		if !strings.Contains(rest, "{") {
			return "/{{u}}" + n.source(&captures) + "/" + flags
		}
	}
	// A plain key that holds the mark is nothing that anybody writes.
	return strings.ReplaceAll(w.plain(t), "\x01", "")
}

func (w *refWorld) plain(t *rapid.T) string {
	s := refPick(t, "word", w.words...)
	if refOdds(t, 35) {
		s += refPick(t, "gap", w.gaps...) + refPick(t, "word", w.words...)
	}
	if refOdds(t, 3) {
		s = refPick(t, "odd", "", " ", "", "/a", "a/", "/a/b/", "//", " a ", "\ufeffa", "\u0085a")
	}
	return s
}

// pattern draws a regular expression, often one that reaches from word to word
// and over what is between them.
func (w *refWorld) pattern(t *rapid.T) refNode {
	if refOdds(t, 50) {
		return w.node(t, 3)
	}
	word := func() refNode {
		var n refSeq
		for range refPick(t, "syllables", 1, 1, 1, 2) {
			for _, r := range refPick(t, "word", w.words...) {
				n.nodes = append(n.nodes, refLiteral{r})
			}
		}
		return n
	}
	gap := func() refNode {
		wide := refPick[refNode](t, "wide", refEscape{'s'}, refEscape{'W'}, refEscape{'D'}, refClass{negated: true, runes: []rune("a")},
			refClass{negated: true, runes: []rune("\x01")}, refClass{runes: []rune("\n\x01")}, refClass{escapes: "sS"}, refAny{},
			refClass{negated: true, escapes: "w"}, refLiteral{'\n'}, refSeq{[]refNode{refLiteral{'\n'}, refLiteral{1}}},
			refAlt{[]refNode{refLiteral{'\n'}, refAny{}}}, refEdge{'$'}, refEdge{'^'}, refEdge{'b'}, refEdge{'B'},
			refLook{node: refEscape{'s'}}, refLook{node: refLiteral{'\n'}, none: true}, refLook{node: refLiteral{1}, behind: true},
			refLook{node: refEscape{'W'}, behind: true, none: true}, refLook{node: refEdge{'$'}, none: true})
		if refOdds(t, 40) {
			return wide
		}
		least := rapid.IntRange(0, 3).Draw(t, "least")
		return refRepeat{node: wide, min: least, max: refPick(t, "most", -1, least, least+2, least+7), lazy: refOdds(t, 20)}
	}
	n := refSeq{[]refNode{word()}}
	for range rapid.IntRange(1, 3).Draw(t, "gaps") {
		n.nodes = append(n.nodes, gap())
		if refOdds(t, 80) {
			n.nodes = append(n.nodes, word())
		}
	}
	if refOdds(t, 20) {
		n.nodes = append([]refNode{gap()}, n.nodes...)
	}
	return n
}

func (w *refWorld) rune(t *rapid.T) rune {
	s := refPick(t, "rune", slices.Concat(w.words, []string{" ", "\n", "\x01", "-", ":"})...)
	return []rune(s)[0]
}

func (w *refWorld) node(t *rapid.T, deep int) refNode {
	if deep == 0 {
		switch rapid.IntRange(0, 6).Draw(t, "leaf") {
		case 0, 1, 2:
			return refLiteral{w.rune(t)}
		case 3:
			return refAny{}
		case 4:
			return refEscape{refPick(t, "escape", []byte("wWsSdD")...)}
		case 5:
			return refEdge{refPick(t, "edge", []byte("^$bB")...)}
		}
		c := refClass{negated: refOdds(t, 50), escapes: refPick(t, "escapes", "", "", "w", "W", "s", "S", "d", "D", "sS", "WS"),
			first: refOdds(t, 50)}
		if refOdds(t, 25) {
			if c.from = w.rune(t); c.from == '-' {
				c.from = '+'
			}
			c.to = c.from + rune(rapid.IntRange(0, 30).Draw(t, "range"))
		}
		for range rapid.IntRange(1, 3).Draw(t, "class") {
			if r := w.rune(t); r != '-' {
				c.runes = append(c.runes, r)
			}
		}
		if len(c.runes) == 0 && c.escapes == "" {
			c.runes = []rune("a^")
		}
		return c
	}
	parts := func() (out []refNode) {
		for range rapid.IntRange(1, 3).Draw(t, "parts") {
			out = append(out, w.node(t, rapid.IntRange(0, deep-1).Draw(t, "deep")))
		}
		return out
	}
	switch rapid.IntRange(0, 7).Draw(t, "node") {
	case 0, 1, 2, 3:
		return refSeq{parts()}
	case 4:
		return refAlt{parts()}
	case 5:
		n := refRepeat{node: w.node(t, deep-1), min: rapid.IntRange(0, 2).Draw(t, "min"), max: -1, lazy: refOdds(t, 30)}
		if refOdds(t, 50) {
			n.max = n.min + rapid.IntRange(0, 2).Draw(t, "max")
		}
		return n
	case 6:
		n := refLook{node: w.node(t, deep-1), behind: refOdds(t, 40), none: refOdds(t, 50)}
		if captures := 0; n.node.source(&captures) != "" && captures == 0 { // else \1 would be read before its group
			return n
		}
		n.behind = false
		return n
	}
	return refTwice{[]rune{w.rune(t), w.rune(t)}}
}

func (w *refWorld) keys(t *rapid.T, least, most int) (out []string) {
	for range rapid.IntRange(least, most).Draw(t, "keys") {
		out = append(out, w.key(t))
	}
	return out
}

func (w *refWorld) entry(t *rapid.T, uid int) storage.LoreEntry {
	e := storage.NewLoreEntry()
	e.UID = uid
	e.Keys = w.keys(t, 1, 2)
	if refOdds(t, 5) {
		e.Keys = nil
	}
	if refOdds(t, 30) {
		e.SecondaryKeys = w.keys(t, 1, 3)
		e.Logic = storage.LoreLogic(rapid.IntRange(0, 3).Draw(t, "logic"))
		e.Selective = !refOdds(t, 15)
	}
	e.Content = w.text(t, 3)
	if refOdds(t, 6) {
		e.Content = refPick(t, "decorator", "@@activate\n", "@@dont_activate\n", "@@zork\n@@@activate\n", "@@activate\n@@@dont_activate\n") + e.Content
	}
	e.Constant = refOdds(t, 7+w.constant)
	e.Disabled = refOdds(t, 7)
	e.Vectorized = refOdds(t, 3)
	e.Order = refPick(t, "order", 100, 100, 99, 101, 0, -5)
	e.Position = storage.LorePosition(refPick(t, "position", 0, 0, 0, 1, 4, 4, 7, 7, 2, 5))
	e.Depth = refPick(t, "depth", 4, 0)
	e.Role = refPick(t, "role", storage.Role(""), storage.User)
	e.Outlet = refPick(t, "outlet", "", "x")
	e.ScanDepth = refMaybe(t, 20, "scan", 0, 1, 2, 3, -1, 5, 40, 1000)
	e.CaseSensitive = refMaybe(t, 20, "case", false, true)
	e.WholeWords = refMaybe(t, 30, "whole", false, true)
	e.UseGroupScoring = refMaybe(t, 20, "scoring", false, true)
	e.ExcludeRecursion = refOdds(t, 10)
	e.PreventRecursion = refOdds(t, 15)
	if refOdds(t, w.level) {
		e.DelayUntilRecursion = rapid.IntRange(1, 3).Draw(t, "level")
	}
	if refOdds(t, 20) {
		e.Probability = refPick(t, "probability", 0.0, 30, 31, 29.5, 99)
		e.UseProbability = !refOdds(t, 20)
	}
	e.IgnoreBudget = refOdds(t, 15)
	if refOdds(t, w.group) {
		e.Group = refPick(t, "group", "g", "g", "h", "g,h", "h, g", "g, g", ", g ", "g ", "9", "10", "9,g")
		e.GroupOverride = refOdds(t, 15)
		e.GroupWeight = refPick(t, "weight", 100.0, 50, 200, 0, 0.5)
	}
	if refOdds(t, w.timed) {
		e.Sticky = rapid.IntRange(0, 3).Draw(t, "sticky")
		e.Cooldown = rapid.IntRange(0, 3).Draw(t, "cooldown")
	}
	if refOdds(t, 7) {
		e.Delay = rapid.IntRange(1, 6).Draw(t, "delay")
	}
	if refOdds(t, 6) {
		e.Triggers = []string{refPick(t, "trigger", refTriggers...)}
	}
	if refOdds(t, 8) {
		e.Characters = &storage.LoreFilter{Exclude: refOdds(t, 50)}
		if refOdds(t, 60) {
			e.Characters.Names = []string{refPick(t, "name", "Ann", "Bo")}
		}
		if refOdds(t, 60) {
			e.Characters.Tags = []string{refPick(t, "tag", "x", "y"), "z"}
		}
	}
	if refOdds(t, 15) {
		for _, p := range []*bool{&e.MatchPersona, &e.MatchDescription, &e.MatchPersonality, &e.MatchDepthPrompt, &e.MatchScenario, &e.MatchCreatorNotes} {
			*p = refOdds(t, 40)
		}
	}
	return e
}

func (w *refWorld) books(t *rapid.T) []activation.Book {
	var books []activation.Book
	id := 0
	for i := range rapid.IntRange(1, 3).Draw(t, "books") {
		b := activation.Book{ID: storage.LorebookID(fmt.Sprint("book", i)), Name: fmt.Sprint("Book ", i),
			Source: activation.Source(rapid.IntRange(0, 3).Draw(t, "source")), ScanDepth: refMaybe(t, 15, "book scan", 0, 1, 2, 4)}
		for uid := range rapid.IntRange(0, 5).Draw(t, "entries") {
			e := w.entry(t, uid)
			id++
			e.ID = storage.EntryID(fmt.Sprint("e", id))
			e.Name = string(e.ID)
			b.Entries = append(b.Entries, e)
		}
		books = append(books, b)
		if refOdds(t, 7) {
			b.Source = activation.Source(rapid.IntRange(0, 3).Draw(t, "source again"))
			books = append(books, b)
		}
	}
	return books
}

func refSettings(t *rapid.T) activation.Settings {
	s := activation.Settings{
		Depth: refPick(t, "depth", 2, 1, 3, 0, 5, 50), IncludeNames: refOdds(t, 50), Recursive: refOdds(t, 75),
		CaseSensitive: refOdds(t, 20), WholeWords: refOdds(t, 50), GroupScoring: refOdds(t, 25),
		Budget: refPick(t, "percent", 25.0, 0, 100, 12.5), BudgetCap: refPick(t, "cap", 0, 0, 0, 1, 10, 30),
		Strategy: activation.Strategy(rapid.IntRange(0, 2).Draw(t, "strategy")),
	}
	if refOdds(t, 20) {
		s.MaxSteps = rapid.IntRange(1, 3).Draw(t, "steps")
	} else if refOdds(t, 30) {
		s.MinActivations = rapid.IntRange(1, 4).Draw(t, "least")
		s.MaxDepth = refPick(t, "max depth", 0, 0, 1, 2, 3, 4)
	}
	return s
}

func (w *refWorld) message(t *rapid.T, n int) activation.Message {
	return activation.Message{ID: storage.NodeID(fmt.Sprint("m", n)), Name: refPick(t, "speaker", "a", "Bo", "c"), Text: w.text(t, 4)}
}

// input draws what a turn is about beside its messages.
func (w *refWorld) input(t *rapid.T) activation.Input {
	in := activation.Input{
		Trigger: refPick(t, "request", "", "", "normal", "swipe", "quiet"), Character: refPick(t, "character", "Ann", "Bo"),
		Context: refPick(t, "context", 0, 0, 40, 100, 200, 1), DryRun: refOdds(t, 7),
		Tags: refPick(t, "tags", nil, []string{"x"}, []string{"y", "z"}), Force: map[storage.EntryID]bool{},
	}
	if refOdds(t, 10) {
		in.Force[storage.EntryID(fmt.Sprint("e", rapid.IntRange(1, 6).Draw(t, "forced")))] = true
	}
	if refOdds(t, 30) {
		f := &in.Fields
		for _, p := range []*string{&f.Persona, &f.Description, &f.Personality, &f.DepthPrompt, &f.Scenario, &f.CreatorNotes} {
			*p = strings.TrimSpace(w.text(t, 2))
		}
	}
	for range rapid.IntRange(0, 5).Draw(t, "injects") - 3 {
		in.Injects = append(in.Injects, w.text(t, 2))
	}
	random := refPick(t, "random", 0.3, 0, 0.7, 0.999)
	in.Random = func() float64 { return random }
	in.Count = func(s string) int { return len(s) }
	macro := refPick(t, "macro", refMacros...)
	in.Expand = func(s string) string { return strings.ReplaceAll(s, "{{u}}", macro) }
	return in
}

// ---- comparing

// refShown is the part of a result in which both sides must agree.
type refShown struct {
	Fired   map[string][]string // by slot, in order
	Used    int
	Over    bool
	Budget  int
	Effects []storage.LoreEffect
}

func refSlot(p storage.LorePosition, depth int, role storage.Role, outlet string) string {
	switch p {
	case storage.AtDepth:
		return fmt.Sprint("depth ", depth, cmp.Or(role, storage.System))
	case storage.Outlet:
		return "outlet " + outlet
	}
	return fmt.Sprint(p)
}

func refSortEffects(effects []storage.LoreEffect) []storage.LoreEffect {
	out := slices.Clone(effects)
	slices.SortFunc(out, func(a, b storage.LoreEffect) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Book, b.Book), cmp.Compare(a.UID, b.UID), cmp.Compare(a.End, b.End))
	})
	if len(out) == 0 {
		return nil
	}
	return out
}

// shown says what came of the run. Step 10.
func (r *refRun) shown() refShown {
	s := refShown{Fired: map[string][]string{}, Used: r.used, Over: r.over, Budget: r.budget, Effects: refSortEffects(r.records)}
	for _, x := range r.fired {
		slot := refSlot(x.Position, x.Depth, x.Role, x.Outlet)
		line := fmt.Sprintf("%d %s %q", x.Order, x.LoreEntry.ID, x.text)
		if x.Position == storage.Outlet {
			s.Fired[slot] = append(s.Fired[slot], line)
		} else {
			s.Fired[slot] = slices.Insert(s.Fired[slot], 0, line)
		}
	}
	return s
}

func refShow(res activation.Result) refShown {
	s := refShown{Fired: map[string][]string{}, Used: res.Used, Over: res.Over, Budget: res.Budget, Effects: refSortEffects(res.Effects)}
	for _, f := range res.Triggered {
		slot := refSlot(f.Position, f.Depth, f.Role, f.Outlet)
		s.Fired[slot] = append(s.Fired[slot], fmt.Sprintf("%d %s %q", f.Entry.Order, f.Entry.ID, f.Text))
	}
	return s
}

// refTell formats a value without the fields that have their usual value.
func refTell(v, usual any) string {
	var s []string
	a, b := reflect.ValueOf(v), reflect.ValueOf(usual)
	for i := range a.NumField() {
		f := a.Field(i)
		if f.Kind() == reflect.Func || reflect.DeepEqual(f.Interface(), b.Field(i).Interface()) || f.Type().Name() == "LoreCause" {
			continue
		}
		for f.Kind() == reflect.Pointer {
			f = f.Elem()
		}
		s = append(s, fmt.Sprintf("%s:%+q", a.Type().Field(i).Name, fmt.Sprint(f.Interface())))
	}
	return strings.Join(s, " ")
}

func refCase(books []activation.Book, set activation.Settings, in activation.Input) string {
	s := "settings " + refTell(set, activation.Settings{}) + "\n"
	for _, b := range books {
		s += fmt.Sprintf("book %s %s", b.ID, b.Source)
		if b.ScanDepth != nil {
			s += fmt.Sprint(" depth ", *b.ScanDepth)
		}
		s += "\n"
		for _, e := range b.Entries {
			s += "  " + refTell(e, storage.NewLoreEntry()) + "\n"
		}
	}
	s += "input " + refTell(in, activation.Input{})
	if in.Random != nil {
		s += fmt.Sprintf(" Random:%v Macro:%q", in.Random(), in.Expand("{{u}}"))
	}
	return s
}

// refSame compares a run and a result, and the fates of the entries that had a hit.
func refSame(t *rapid.T, tell func() string, run *refRun, res activation.Result, scan *activation.Scan) {
	if d := gocmp.Diff(run.shown(), refShow(res)); d != "" {
		t.Fatalf("activation differs (-reference +program):\n%s\n%s", d, tell())
	}
	lost := map[storage.EntryID]activation.Verdict{}
	for _, trace := range res.Lost {
		lost[trace.Entry.ID] = trace.Verdict
	}
	for _, trace := range slices.Concat(res.Triggered, res.Lost) {
		x := run.sorted[slices.IndexFunc(run.sorted, func(x *refEntry) bool { return x.LoreEntry.ID == trace.Entry.ID })]
		for _, hit := range trace.Hits {
			if _, regex := run.regexes[refTrim(run.in.Expand(hit.Key))]; regex || hit.Back < 0 {
				continue
			}
			if run.in.Messages[hit.Back].ID != hit.Message || !run.keyMatches(x, "\x01"+run.messages[hit.Back]+"\n", hit.Key) {
				t.Fatalf("%s: no hit of %q is %d messages back\n%s", x.LoreEntry.ID, hit.Key, hit.Back, tell())
			}
		}
	}
	for _, x := range run.sorted {
		why := scan.Why(x.LoreEntry.ID).Verdict
		if x.why != "" && why != x.why || x.why == "" && slices.Contains([]activation.Verdict{activation.Triggered, activation.CutByBudget, activation.FailedChance, activation.LostGroup}, why) {
			t.Fatalf("%s: verdict %q, want %q\n%s", x.LoreEntry.ID, why, x.why, tell())
		}
		if x.why != "" && x.why != activation.Triggered && lost[x.LoreEntry.ID] != x.why {
			t.Fatalf("%s is lost as %q, want %q\n%s", x.LoreEntry.ID, lost[x.LoreEntry.ID], x.why, tell())
		}
	}
}

func refDifferential(mix refMix) func(t *rapid.T) {
	return func(t *rapid.T) {
		w := &refWorld{refMix: mix, words: refPlainWords, gaps: refGaps, made: map[string]refRegex{}}
		if mix.long {
			w.words = refLongWords
		}
		if mix.odd {
			w.words, w.gaps = refOddWords, refOddGaps
		}
		set := refSettings(t)
		books := w.books(t)
		index := activation.Compile(books, set)
		if f := index.Faults(); len(f) > 0 {
			t.Fatalf("faults: %v", f)
		}
		kept := index.NewScan()
		var path []activation.Message // oldest first
		var effects []storage.LoreEffect
		made := 0
		for range rapid.IntRange(1, mix.turns).Draw(t, "turns") {
			switch refPick(t, "move", "grow", "grow", "grow", "swipe", "delete", "edit") {
			case "swipe":
				path = path[:max(0, len(path)-1)]
				fallthrough
			case "grow":
				for range rapid.IntRange(1, mix.messages).Draw(t, "new") {
					made++
					path = append(slices.Clone(path), w.message(t, made))
				}
			case "delete":
				path = path[:rapid.IntRange(0, len(path)).Draw(t, "left")]
			case "edit":
				if len(path) > 0 {
					path = slices.Clone(path)
					path[rapid.IntRange(0, len(path)-1).Draw(t, "edited")].Text = w.text(t, 4)
				}
			}
			if refOdds(t, 15) && len(books) > 0 {
				b := &books[rapid.IntRange(0, len(books)-1).Draw(t, "book")]
				if same := slices.IndexFunc(books, func(o activation.Book) bool { return o.ID == b.ID }); len(b.Entries) > 0 && &books[same] == b &&
					!slices.ContainsFunc(books[same+1:], func(o activation.Book) bool { return o.ID == b.ID }) {
					b.Entries = slices.Clone(b.Entries)
					i := rapid.IntRange(0, len(b.Entries)-1).Draw(t, "entry")
					id := b.Entries[i].ID
					was := b.Entries[i]
					b.Entries[i] = w.entry(t, was.UID)
					if refOdds(t, 50) { // all that decides, but not what it says
						b.Entries[i].Keys, b.Entries[i].SecondaryKeys, b.Entries[i].Content = was.Keys, was.SecondaryKeys, was.Content
					}
					b.Entries[i].ID, b.Entries[i].Name = id, string(id)
					index = index.With(*b)
					kept.SetIndex(index)
				}
			}
			if refOdds(t, 4) {
				made++
				b := w.books(t)[0]
				b.ID = storage.LorebookID(fmt.Sprint("late", made))
				for i := range b.Entries {
					b.Entries[i].ID = storage.EntryID(fmt.Sprint("late", made, "-", i))
				}
				books = append(slices.Clone(books), b)
				index = index.With(b)
				kept.SetIndex(index)
			}
			if refOdds(t, 6) && len(books) > 0 {
				gone := books[len(books)-1].ID
				books = slices.DeleteFunc(slices.Clone(books), func(b activation.Book) bool { return b.ID == gone })
				index = index.Without(gone)
				kept.SetIndex(index)
			}
			in := w.input(t)
			in.Messages = slices.Clone(path)
			slices.Reverse(in.Messages)
			in.Length = len(path) + rapid.IntRange(0, 1).Draw(t, "hidden")
			in.Effects = effects
			run := refActivate(books, set, w.made, in)
			res := kept.Activate(in)
			tell := func() string {
				s := refCase(books, set, in) + "\nthe program says"
				for _, trace := range slices.Concat(res.Triggered, res.Lost) {
					s += fmt.Sprintf("\n  %s %s in round %d: %s %s", trace.Entry.ID, trace.Verdict, trace.Round, trace.Reason, trace.Group)
				}
				return s
			}
			refSame(t, tell, run, res, kept)
			fresh := index.NewScan()
			if d := gocmp.Diff(fresh.Activate(in), res); d != "" {
				t.Fatalf("a scan that goes on differs from a fresh one (-fresh +kept):\n%s\n%s", d, tell())
			}
			effects = res.Effects
		}
	}
}

// TestReference compares the program with the rules, on books and chats of few
// letters, so that keys meet, recur and compete.
func TestReference(t *testing.T) {
	for name, mix := range refMixes {
		t.Run(name, rapid.MakeCheck(refDifferential(mix)))
	}
}
