package activation

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/cases"
	"golang.org/x/text/language"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// naive is activation written as plainly as it can be: each key is looked for in
// the whole text, joined anew for each entry. It knows keys, logic, fields,
// depths and recursion; nothing of groups, chance, time and budget.
type naive struct {
	book   Book
	set    Settings
	in     Input
	rounds []string
}

func (n *naive) text(e *storage.LoreEntry) string {
	depth := n.set.Depth
	if e.ScanDepth != nil {
		depth = *e.ScanDepth
	}
	if depth <= 0 {
		return ""
	}
	var parts []string
	for i, m := range n.in.Messages {
		if i < depth {
			text := m.Text
			if n.set.IncludeNames {
				text = m.Name + ": " + text
			}
			parts = append(parts, trim(text))
		}
	}
	text := "\x01" + strings.Join(parts, "\n\x01")
	f := n.in.Fields
	for _, field := range []struct {
		on   bool
		text string
	}{{e.MatchPersona, f.Persona}, {e.MatchDescription, f.Description}, {e.MatchPersonality, f.Personality},
		{e.MatchDepthPrompt, f.DepthPrompt}, {e.MatchScenario, f.Scenario}, {e.MatchCreatorNotes, f.CreatorNotes}} {
		if field.on && field.text != "" {
			text += "\n\x01" + field.text
		}
	}
	for _, inject := range n.in.Injects {
		text += "\n\x01" + inject
	}
	for _, round := range n.rounds {
		text += "\n\x01" + round
	}
	return text
}

var slashes = regexp.MustCompile(`^/([\s\S]+)/([gimsuy]*)$`)

func (n *naive) matches(e *storage.LoreEntry, key, text string) bool {
	if key == "" {
		return false
	}
	if key = trim(key); key == "" {
		return true // as other programs have it
	}
	if m := slashes.FindStringSubmatch(key); m != nil {
		options := regexp2.RegexOptions(regexp2.ECMAScript)
		for flag, option := range map[string]regexp2.RegexOptions{"i": regexp2.IgnoreCase, "m": regexp2.Multiline, "s": regexp2.Singleline, "u": regexp2.Unicode} {
			if strings.Contains(m[2], flag) {
				options |= option
			}
		}
		re := compiledOnce(m[1], options)
		if re == nil {
			return false
		}
		ok, err := re.MatchString(text)
		return ok && err == nil
	}
	cased, whole := n.set.CaseSensitive, n.set.WholeWords
	if e.CaseSensitive != nil {
		cased = *e.CaseSensitive
	}
	if e.WholeWords != nil {
		whole = *e.WholeWords
	}
	if !cased {
		key, text = lower(key), lower(text)
	}
	if whole && !strings.ContainsFunc(key, isSpace) {
		const apart = `[^\p{Latin}\p{Greek}\p{Cyrillic}\p{M}\p{N}_]` // the scripts of naiveWords that have blanks
		return regexp.MustCompile(`(?:^|` + apart + `)` + regexp.QuoteMeta(key) + `(?:$|` + apart + `)`).MatchString(text)
	}
	return strings.Contains(text, key)
}

// lower is the library's own way to lower case.
func lower(s string) string { return cases.Lower(language.Und).String(s) }

// naiveExpressions are those of the cases, which are few: making one takes longer than
// all that is done with it.
var naiveExpressions sync.Map

// compiledOnce is an expression, nil for what is none.
func compiledOnce(text string, options regexp2.RegexOptions) *regexp2.Regexp {
	key := fmt.Sprint(options, text)
	if re, ok := naiveExpressions.Load(key); ok {
		return re.(*regexp2.Regexp)
	}
	re, err := regexp2.Compile(text, options)
	if err != nil {
		re = nil
	}
	naiveExpressions.Store(key, re)
	return re
}

func (n *naive) fires(e *storage.LoreEntry) bool {
	text := n.text(e)
	some := slices.ContainsFunc(e.Keys, func(key string) bool { return n.matches(e, key, text) })
	second := keysOf(e.SecondaryKeys)
	if !some || !e.Selective || len(second) == 0 {
		return some
	}
	hits := 0
	for _, key := range second {
		if n.matches(e, key, text) {
			hits++
		}
	}
	return map[storage.LoreLogic]bool{storage.AndAny: hits > 0, storage.NotAll: hits < len(second),
		storage.NotAny: hits == 0, storage.AndAll: hits == len(second)}[e.Logic]
}

func (n *naive) activate() []int {
	entries := slices.Clone(n.book.Entries)
	slices.SortStableFunc(entries, func(a, b storage.LoreEntry) int { return b.Order - a.Order })
	active := map[int]bool{}
	for round := 0; ; round++ {
		var spoken []string
		now := map[int]bool{}
		for i := range entries {
			if e := &entries[i]; !active[e.UID] && (round == 0 || !e.ExcludeRecursion) && n.fires(e) {
				now[e.UID] = true
				spoken = append(spoken, e.Content)
			}
		}
		maps.Copy(active, now)
		if len(spoken) == 0 || !n.set.Recursive {
			break
		}
		n.rounds = append(n.rounds, strings.Join(spoken, "\n"))
	}
	var out []int
	for id := range active {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

// Words that meet each other often, with what is hard about case and words.
var naiveWords = []string{"inn", "Inn", "the", "dragon", "DRAGON", "drag", "on", "ΟΔΟΣ", "οδος", "ΣΑΣ", "σας", "İstanbul", "i̇stanbul",
	"élan", "ÉLAN", "straße", "ſun", "sun", "Kelvin", "kelvin", "a-b", "_x", "x", "é", "日本", "本", "you", "aa", "aaa", "ab", "don't"}

var naiveKeys = []string{"/drag(on|s)/", "/Drag/i", "/the\\s+inn/", "/x$/m", "/^\\x01/", "/^inn/m", "/\\bon\\b/", "/[^a]ab/", "/inn\\W+the/", "/a{2,}/",
	"/(?<=the )dragon/", "/(?!the)\\bsun/", "/\\x01[^\\x01]*dragon/", "/^$/", "/$/", "/inn[\\s\\S]*dragon/", "/dragon\\n/", "/sun|kelvin/iu", "/./s", "/(a)\\1/",
	"/the(?:\\W+\\w+){0,3}\\W+sun/i", "/Ada:/", "/(?:^|\\W)inn(?:$|\\W)/", "/the(?!\\s+inn)/", "/\\n\\x01/", "/inn[^.]*sun/", "/on\\s/", "/[/", "/Σ/i", "inn\nthe", "the inn", "dragon the"}

func naiveCase(rnd *rand.Rand) (Book, Settings, Input) {
	pick := func(list []string) string { return list[rnd.IntN(len(list))] }
	text := func(n int) string {
		var b strings.Builder
		for range rnd.IntN(n) {
			b.WriteString(pick(naiveWords))
			b.WriteString(pick([]string{" ", " ", " ", "\n", ". ", ", ", "", "-"}))
		}
		return b.String()
	}
	keys := func(n int) (out []string) {
		for range rnd.IntN(n) {
			switch rnd.IntN(6) {
			case 0:
				out = append(out, pick(naiveKeys))
			case 1:
				out = append(out, pick(naiveWords)+" "+pick(naiveWords))
			case 2:
				out = append(out, pick(naiveWords)+pick(naiveWords)+strings.Repeat(pick(naiveWords), rnd.IntN(2)*rnd.IntN(30)))
			case 3:
				out = append(out, pick([]string{"", " ", "\ufeff"})+pick(naiveWords))
			default:
				out = append(out, pick(naiveWords))
			}
		}
		return out
	}
	maybe := func() *bool {
		b := rnd.IntN(2) == 0
		return []*bool{nil, &b}[rnd.IntN(2)]
	}
	yes := func() bool { return rnd.IntN(4) == 0 }
	book := Book{ID: "b", Source: Global}
	for i := range rnd.IntN(12) {
		e := storage.NewLoreEntry()
		e.ID, e.UID, e.Order = storage.EntryID(fmt.Sprint(i)), i, rnd.IntN(3)*10
		e.Name = fmt.Sprint("entry ", i)
		e.Keys, e.SecondaryKeys, e.Content = keys(5), keys(3), text(8)
		e.Logic, e.CaseSensitive, e.WholeWords = storage.LoreLogic(rnd.IntN(4)), maybe(), maybe()
		e.Selective, e.ExcludeRecursion = !yes(), yes()
		e.MatchPersona, e.MatchDescription, e.MatchCreatorNotes, e.MatchScenario = yes(), yes(), yes(), yes()
		if depth := rnd.IntN(6) - 1; yes() {
			e.ScanDepth = &depth
		}
		book.Entries = append(book.Entries, e)
	}
	set := Settings{Depth: rnd.IntN(5), IncludeNames: !yes(), Recursive: !yes(), CaseSensitive: yes(), WholeWords: !yes()}
	in := Input{Fields: Fields{Persona: text(5), Description: text(5), CreatorNotes: text(3)}}
	for i := range rnd.IntN(6) {
		in.Messages = append(in.Messages, Message{ID: storage.NodeID(fmt.Sprint("m", i)), Name: pick([]string{"Ada", "Σας"}), Text: text(12)})
	}
	in.Length = len(in.Messages)
	for range rnd.IntN(2) {
		in.Injects = append(in.Injects, text(4))
	}
	return book, set, in
}

func firedUIDs(r Result) []int {
	var out []int
	for _, t := range r.Triggered {
		out = append(out, t.Entry.UID)
	}
	slices.Sort(out)
	return out
}

// FuzzNaive compares the fast way with the plain one on whole cases that are made
// of a seed, with a text of the fuzzer's as a message and as a key.
func FuzzNaive(f *testing.F) {
	for seed := range uint64(100) {
		f.Add(seed, "the inn", "inn")
	}
	f.Add(uint64(5), "a\x01b\n\x01", "\x01b")
	f.Add(uint64(6), "ΑΣ", "ας")
	f.Add(uint64(24), "0", " ")
	f.Fuzz(func(t *testing.T, seed uint64, text, key string) {
		book, set, in := naiveCase(rand.New(rand.NewPCG(seed, 1)))
		text, key = strings.ToValidUTF8(text, ""), strings.ToValidUTF8(key, "")
		in.Messages = append(in.Messages, Message{Name: "Fuzz", Text: text})
		if !strings.HasPrefix(trim(key), "/") && !hasMacro(key) && len(book.Entries) > 0 {
			e := &book.Entries[0]
			e.Keys = append(e.Keys, key)
		}
		n := naive{book: book, set: set, in: in}
		want := n.activate()
		got := Compile([]Book{book}, set).NewScan().Activate(in)
		if diff := cmp.Diff(want, firedUIDs(got)); diff != "" {
			for _, e := range book.Entries {
				t.Logf("%d: %q second %q logic %d depth %v cased %v whole %v content %q", e.UID, e.Keys, e.SecondaryKeys, e.Logic, e.ScanDepth, e.CaseSensitive, e.WholeWords, e.Content)
			}
			t.Fatalf("fired (-plain +fast):\n%s\nmessages %q\nfields %q injects %q settings %+v", diff, in.Messages, in.Fields, in.Injects, set)
		}
	})
}
