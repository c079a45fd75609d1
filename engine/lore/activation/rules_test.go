package activation

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestMain(m *testing.M) {
	// The machine may be busy; only the tests that are about bounds bring their own.
	matchTimeout, regexBudget = time.Minute, time.Minute
	os.Exit(m.Run())
}

func ptr[T any](v T) *T { return &v }

// entry is an entry with its name as its key, changed by edits.
func entry(name string, edits ...func(*storage.LoreEntry)) storage.LoreEntry {
	e := storage.NewLoreEntry()
	e.ID, e.Name, e.Keys, e.Content = storage.EntryID(name), name, []string{name}, "about "+name
	for _, edit := range edits {
		edit(&e)
	}
	return e
}

type edit = func(*storage.LoreEntry)

func keys(keys ...string) edit {
	return func(e *storage.LoreEntry) { e.Keys = keys }
}

func second(logic storage.LoreLogic, keys ...string) edit {
	return func(e *storage.LoreEntry) { e.Logic, e.SecondaryKeys = logic, keys }
}

func says(content string) edit { return func(e *storage.LoreEntry) { e.Content = content } }

func order(n int) edit { return func(e *storage.LoreEntry) { e.Order = n } }

func inGroup(name string) edit { return func(e *storage.LoreEntry) { e.Group = name } }

func chance(p float64) edit { return func(e *storage.LoreEntry) { e.Probability = p } }

var constant edit = func(e *storage.LoreEntry) { e.Constant = true }

// chatOf is messages, newest first.
func chatOf(texts ...string) []Message {
	var out []Message
	for i, text := range texts {
		out = append(out, Message{ID: storage.NodeID(fmt.Sprint("m", i)), Name: "Ada", Text: text})
	}
	return out
}

// rule is a case of activation: what is set over the defaults, what is scanned,
// and what comes of it.
type rule struct {
	name    string
	entries []storage.LoreEntry
	books   []Book
	set     func(*Settings)
	chat    []string
	in      func(*Input)
	fires   string // names in the order of their places
	lost    string // "name: verdict" of entries that had a hit
}

func (c rule) run(t *testing.T) (*Scan, Result) {
	t.Helper()
	for i := range c.entries {
		c.entries[i].UID = i + 1
	}
	set := DefaultSettings()
	if c.set != nil {
		c.set(&set)
	}
	in := Input{Messages: chatOf(c.chat...), Length: len(c.chat), Context: 4000}
	if c.in != nil {
		c.in(&in)
	}
	books := c.books
	if c.entries != nil {
		books = append(books, Book{ID: "book", Name: "Book", Source: Global, Entries: c.entries})
	}
	s := Compile(books, set).NewScan()
	return s, s.Activate(in)
}

func names(traces []Trace) string {
	var out []string
	for _, t := range traces {
		out = append(out, t.Entry.Name)
	}
	return strings.Join(out, " ")
}

func verdicts(traces []Trace) string {
	var out []string
	for _, t := range traces {
		out = append(out, t.Entry.Name+": "+string(t.Verdict))
	}
	return strings.Join(out, ", ")
}

func checkRules(t *testing.T, rules []rule) {
	for _, c := range rules {
		t.Run(c.name, func(t *testing.T) {
			_, r := c.run(t)
			if got := names(r.Triggered); got != c.fires {
				t.Errorf("fired %q, want %q; lost %s", got, c.fires, verdicts(r.Lost))
			}
			if got := verdicts(r.Lost); got != c.lost {
				t.Errorf("lost %q, want %q", got, c.lost)
			}
			for _, trace := range slices.Concat(r.Triggered, r.Lost) {
				if trace.Reason == "" {
					t.Errorf("%s: %s without a reason", trace.Entry.Name, trace.Verdict)
				}
			}
		})
	}
}

func list(entries ...storage.LoreEntry) []storage.LoreEntry { return entries }

func rolls(numbers ...float64) func(*Input) {
	return func(in *Input) {
		in.Random = func() float64 {
			n := numbers[0]
			numbers = numbers[1:]
			return n
		}
	}
}

func deep(n int) func(*Settings) { return func(s *Settings) { s.Depth = n } }

func TestKeys(t *testing.T) {
	whole := func(on bool) func(*Settings) { return func(s *Settings) { s.WholeWords = on } }
	checkRules(t, []rule{
		{name: "a key matches without regard to case", entries: list(entry("Inn")), chat: []string{"the INN"}, fires: "Inn"},
		{name: "a case-sensitive key does not", entries: list(entry("Inn", func(e *storage.LoreEntry) { e.CaseSensitive = ptr(true) })), chat: []string{"the INN"}},
		{name: "a case-sensitive key matches as it is", entries: list(entry("Inn", func(e *storage.LoreEntry) { e.CaseSensitive = ptr(true) })), chat: []string{"the Inn"}, fires: "Inn"},
		{name: "an entry can lift the case of the settings", set: func(s *Settings) { s.CaseSensitive = true }, entries: list(entry("Inn", func(e *storage.LoreEntry) { e.CaseSensitive = ptr(false) }), entry("Bar")), chat: []string{"inn bar"}, fires: "Inn"},
		{name: "a whole word does not match in another", entries: list(entry("inn")), chat: []string{"inner spinning"}},
		{name: "a part of a word matches where whole words are off", set: whole(false), entries: list(entry("inn")), chat: []string{"spinning"}, fires: "inn"},
		{name: "whole words of an entry override the settings", entries: list(entry("inn", func(e *storage.LoreEntry) { e.WholeWords = ptr(false) })), chat: []string{"spinning"}, fires: "inn"},
		{name: "a key of several words matches within words", entries: list(entry("red inn")), chat: []string{"colored inns"}, fires: "red inn"},
		{name: "letters beyond ASCII do not end words", entries: list(entry("inn")), chat: []string{"éinn, innä"}},
		{name: "a Russian word does not match in another", entries: list(entry("рука")), chat: []string{"рукав"}},
		{name: "a Russian word matches alone", entries: list(entry("рука")), chat: []string{"Её Рука."}, fires: "рука"},
		{name: "a Greek word does not match in another", entries: list(entry("νερό")), chat: []string{"νερόμυλος"}},
		{name: "an accented word matches alone", entries: list(entry("épée")), chat: []string{"l'épée"}, fires: "épée"},
		{name: "where no blanks part words, a key matches in any text", entries: list(entry("東京"), entry("서울")), chat: []string{"私は東京に 서울에서"}, fires: "서울 東京"},
		{name: "an underscore does not end a word", entries: list(entry("inn")), chat: []string{"_inn"}},
		{name: "a word may stand at both ends of the text", set: func(s *Settings) { s.IncludeNames = false }, entries: list(entry("inn")), chat: []string{"inn"}, fires: "inn"},
		{name: "a flag given twice makes a key plain text", entries: list(entry("a", keys("/inn/gg")), entry("b", keys("/sea/ii"))), chat: []string{"inn, /sea/ii"}, fires: "b"},
		{name: "a key is trimmed", entries: list(entry("a", keys("\ufeff inn\u00a0"))), chat: []string{"inn"}, fires: "a"},
		{name: "a final sigma folds as in JavaScript", entries: list(entry("ΟΔΟΣ")), chat: []string{"η οδος"}, fires: "ΟΔΟΣ"},
		{name: "a dotted capital I folds to two characters", entries: list(entry("İs")), chat: []string{"x i\u0307s"}, fires: "İs"},
		{name: "any primary key is enough", entries: list(entry("a", keys("no", "inn"))), chat: []string{"inn"}, fires: "a"},
		{name: "an empty key matches nothing", entries: list(entry("a", keys(""))), chat: []string{"anything"}},
		{name: "a blank key matches anything", entries: list(entry("a", keys("  "))), chat: []string{"anything"}, fires: "a"},
		{name: "an empty secondary key is never met", entries: list(entry("inn", second(storage.AndAny, "")), entry("inn2", keys("inn"), second(storage.AndAll, "", "the"))), chat: []string{"the inn"}, lost: "inn: secondary keys, inn2: secondary keys"},
		{name: "and so forbids nothing", entries: list(entry("inn", second(storage.NotAny, ""))), chat: []string{"the inn"}, fires: "inn"},
		{name: "and is always amiss", entries: list(entry("inn", second(storage.NotAll, "", "the"))), chat: []string{"the inn"}, fires: "inn"},
		{name: "a key of a hundred letters", entries: list(entry("a", keys(strings.Repeat("long", 25)))), chat: []string{"so " + strings.ToUpper(strings.Repeat("long", 25)) + "!"}, fires: "a"},
		{name: "a key of two lines crosses two contents", entries: list(entry("k", constant, says("one"), order(2)), entry("l", constant, says("two"), order(1)), entry("a", keys("one\ntwo"))), chat: []string{"x"}, fires: "l k a"},
		{name: "a macro in a key is expanded", entries: list(entry("a", keys("{{user}}'s inn"))), chat: []string{"Bob's inn"},
			in: func(in *Input) {
				in.Expand = func(s string) string { return strings.ReplaceAll(s, "{{user}}", "Bob") }
			}, fires: "a"},
		{name: "a macro that comes to nothing is no key", entries: list(entry("a", keys("{{user}}"))), chat: []string{"Bob"}, in: func(in *Input) { in.Expand = func(string) string { return "" } }},
		{name: "a macro may become a regex", entries: list(entry("a", keys("/{{user}}s?$/"))), chat: []string{"two Bobs"},
			in: func(in *Input) {
				in.Expand = func(s string) string { return strings.ReplaceAll(s, "{{user}}", "Bob") }
			}, fires: "a"},
	})
}

func TestRegexKeys(t *testing.T) {
	checkRules(t, []rule{
		{name: "a regex sees the raw text", entries: list(entry("a", keys("/Inn/"))), chat: []string{"the inn"}},
		{name: "flag i ignores case", entries: list(entry("a", keys("/Inn/i"))), chat: []string{"the inn"}, fires: "a"},
		{name: "a regex does not care for whole words", entries: list(entry("a", keys("/inn/"))), chat: []string{"spinning"}, fires: "a"},
		{name: "an escaped slash is part of it", entries: list(entry("a", keys(`/and\/or/`))), chat: []string{"and/or"}, fires: "a"},
		{name: "an unescaped slash makes it plain", entries: list(entry("a", keys(`/usr/bin/`))), chat: []string{"in /usr/bin/ there"}, fires: "a"},
		{name: "unknown flags make it plain", entries: list(entry("a", keys(`/inn/x`))), chat: []string{"inn", "/inn/x"}, fires: "a"},
		{name: "look-behind", entries: list(entry("a", keys(`/(?<=old )inn/`))), chat: []string{"the old inn"}, fires: "a"},
		{name: "a back-reference", entries: list(entry("a", keys(`/(\w)\1nn/`))), chat: []string{"spiinn"}, fires: "a"},
		{name: "a name at the head of a message", entries: list(entry("a", keys(`/\x01Ada: inn/`))), chat: []string{"inn"}, fires: "a"},
		{name: "across messages", entries: list(entry("a", keys(`/inn[\s\S]*Ada: old/`))), chat: []string{"the inn", "old"}, fires: "a"},
		{name: "not across a border by a dot", entries: list(entry("a", keys(`/inn.*old/`))), chat: []string{"the inn", "old"}},
		{name: "the start of the text", entries: list(entry("a", keys(`/^\x01Ada: inn/`)), entry("b", keys(`/^\x01Ada: old/`))), chat: []string{"inn", "old"}, fires: "a"},
		{name: "the end of the text", entries: list(entry("a", keys(`/inn$/`)), entry("b", keys(`/old$/`))), chat: []string{"inn", "old"}, fires: "b"},
		{name: "flag y asks for the very start", entries: list(entry("a", keys(`/inn/y`)), entry("b", keys(`/\x01/y`))), chat: []string{"inn"}, fires: "b"},
		{name: "an invalid regex is no key, the others are", entries: list(entry("a", keys("/[/", "inn")), entry("b", keys("/(/"))), chat: []string{"inn [ ("}, fires: "a"},
		{name: "a word as a regex about it may be written", entries: list(entry("a", keys(`/(?:^|\W)inn(?:$|\W)/`))), chat: []string{"x", "the inn"}, fires: "a"},
		{name: "white space over two contents", entries: list(entry("k", constant, says("red"), order(2)), entry("l", constant, says("inn"), order(1)), entry("a", keys(`/red\s+inn/`))), chat: []string{"x"}, fires: "l k a"},
	})
}

func TestSecondaryKeys(t *testing.T) {
	off := func(e *storage.LoreEntry) { e.Selective = false }
	for _, c := range []struct {
		logic storage.LoreLogic
		name  string
		fires []bool // with none, one and both of the secondary keys
	}{
		{storage.AndAny, "AND ANY", []bool{false, true, true}},
		{storage.NotAll, "NOT ALL", []bool{true, true, false}},
		{storage.NotAny, "NOT ANY", []bool{true, false, false}},
		{storage.AndAll, "AND ALL", []bool{false, false, true}},
	} {
		for n, text := range []string{"inn", "inn red", "inn red old"} {
			r := rule{name: fmt.Sprintf("%s with %d of 2", c.name, n), entries: list(entry("inn", second(c.logic, "red", "old"))), chat: []string{text}}
			if r.lost = "inn: secondary keys"; c.fires[n] {
				r.fires, r.lost = "inn", ""
			}
			checkRules(t, []rule{r})
		}
	}
	checkRules(t, []rule{
		{name: "without a primary key secondary ones do nothing", entries: list(entry("inn", second(storage.AndAny, "red"))), chat: []string{"red"}},
		{name: "an entry that is not selective ignores them", entries: list(entry("inn", second(storage.AndAny, "red"), off)), chat: []string{"inn"}, fires: "inn"},
		{name: "a blank secondary key is met by anything", entries: list(entry("inn", second(storage.AndAny, "", " "))), chat: []string{"inn"}, fires: "inn"},
		{name: "an invalid secondary regex does not match", entries: list(entry("inn", second(storage.AndAll, "/[/"))), chat: []string{"inn"}, lost: "inn: secondary keys"},
		{name: "a secondary regex", entries: list(entry("inn", second(storage.AndAny, "/r.d/"))), chat: []string{"inn red"}, fires: "inn"},
	})
}

func TestScannedText(t *testing.T) {
	depth := func(n int) edit { return func(e *storage.LoreEntry) { e.ScanDepth = &n } }
	long := make([]string, maxMessages+2)
	long[maxMessages-1], long[maxMessages] = "inn", "old"
	checkRules(t, []rule{
		{name: "messages beyond the depth are not scanned", entries: list(entry("inn")), chat: []string{"a", "b", "inn"}},
		{name: "an entry's depth overrides the settings", entries: list(entry("inn", depth(3))), chat: []string{"a", "b", "inn"}, fires: "inn"},
		{name: "a book's depth stands for that of the settings", books: []Book{{ID: "b", ScanDepth: ptr(3), Entries: list(entry("inn"), entry("old", depth(1)))}}, chat: []string{"a", "b old", "inn"}, fires: "inn"},
		{name: "depth 0 scans nothing, not even fields", entries: list(entry("inn", depth(0), func(e *storage.LoreEntry) { e.MatchPersona = true })), chat: []string{"inn"}, in: func(in *Input) { in.Fields.Persona, in.Injects = "inn", []string{"inn"} }},
		{name: "at depth 0 a regex may match that", entries: list(entry("a", keys("/^$/"), depth(0)), entry("b", keys("/^$/"))), chat: []string{"inn"}, fires: "a"},
		{name: "a negative depth is none", entries: list(entry("inn", depth(-3))), chat: []string{"inn"}},
		{name: "no more than a thousand messages", set: deep(5000), entries: list(entry("inn"), entry("old")), chat: long, fires: "inn"},
		{name: "names are scanned", entries: list(entry("Ada")), chat: []string{"hello"}, fires: "Ada"},
		{name: "names are not scanned where they are left out", set: func(s *Settings) { s.IncludeNames = false }, entries: list(entry("Ada")), chat: []string{"hello"}},
		{name: "messages are trimmed", entries: list(entry("a", keys(`/\S\s+\n\x01/`))), chat: []string{"inn   \n", "x"}},
		{name: "each field for who asks for it", chat: []string{"x"}, in: func(in *Input) { in.Fields = Fields{"inn", "inn", "inn", "inn", "inn", "inn"} },
			entries: list(entry("a", keys("inn"), func(e *storage.LoreEntry) { e.MatchScenario = true }), entry("b", keys("inn"))), fires: "a"},
		{name: "a chat without messages", entries: list(entry("a", keys("inn"), func(e *storage.LoreEntry) { e.MatchPersona = true }), entry("b", keys(`/^\x01\n\x01inn$/`), func(e *storage.LoreEntry) { e.MatchPersona = true })), in: func(in *Input) { in.Fields.Persona = "inn" }, fires: "b a"},
		{name: "injected text is scanned for all", entries: list(entry("inn")), chat: []string{"x"}, in: func(in *Input) { in.Injects = []string{"the inn"} }, fires: "inn"},
	})
}

func TestSources(t *testing.T) {
	book := func(id string, source Source, entries ...storage.LoreEntry) Book {
		return Book{ID: storage.LorebookID(id), Name: id, Source: source, Entries: entries}
	}
	twice := func(a, b Source) []Book { return []Book{book("x", a, entry("a")), book("x", b, entry("b"))} }
	both := []string{"a b"}
	checkRules(t, []rule{
		{name: "global before character", books: twice(Character, Global), chat: both, fires: "b"},
		{name: "global before chat", books: twice(Chat, Global), chat: both, fires: "b"},
		{name: "global before persona", books: twice(Global, Persona), chat: both, fires: "a"},
		{name: "chat before persona", books: twice(Persona, Chat), chat: both, fires: "b"},
		{name: "chat before character", books: twice(Chat, Character), chat: both, fires: "a"},
		{name: "persona before character", books: twice(Character, Persona), chat: both, fires: "b"},
	})
	// The order of evaluation shows in the entry that the budget leaves.
	all := []Book{book("g", Global, entry("g", order(3))), book("c", Character, entry("c", order(1))), book("h", Chat, entry("h", order(0))), book("p", Persona, entry("p", order(0)))}
	cost := func(n int) func(*Settings) { return func(s *Settings) { s.BudgetCap = n } }
	count := func(in *Input) { in.Count = func(string) int { return 1 } }
	chat := []string{"g c h p"}
	for strategy, want := range map[Strategy]string{Evenly: "hpg", CharacterFirst: "hpc", GlobalFirst: "hpg"} {
		for n := 1; n <= 3; n++ {
			r := rule{books: all, set: func(s *Settings) { cost(n + 1)(s); s.Strategy = strategy }, chat: chat, in: count}
			_, got := r.run(t)
			fired := strings.Split(names(got.Triggered), " ")
			slices.Sort(fired)
			expect := strings.Split(want[:n], "")
			slices.Sort(expect)
			if diff := cmp.Diff(expect, fired); diff != "" {
				t.Errorf("strategy %d, room for %d: %s", strategy, n, diff)
			}
		}
	}
}

func TestGates(t *testing.T) {
	gate := func(f edit) []storage.LoreEntry { return list(entry("inn", f)) }
	as := func(name string, tags ...string) func(*Input) {
		return func(in *Input) { in.Character, in.Tags = name, tags }
	}
	filter := func(f storage.LoreFilter) []storage.LoreEntry {
		return gate(func(e *storage.LoreEntry) { e.Characters = &f })
	}
	chat := []string{"inn"}
	checkRules(t, []rule{
		{name: "a disabled entry", entries: gate(func(e *storage.LoreEntry) { e.Disabled = true }), chat: chat, lost: "inn: disabled"},
		{name: "a disabled entry that is constant", entries: gate(func(e *storage.LoreEntry) { e.Disabled, e.Constant, e.Keys = true, true, nil }), chat: chat},
		{name: "another kind of request", entries: gate(func(e *storage.LoreEntry) { e.Triggers = []string{"continue", "quiet"} }), chat: chat, lost: "inn: filter"},
		{name: "its kind of request", entries: gate(func(e *storage.LoreEntry) { e.Triggers = []string{"continue"} }), chat: chat, in: func(in *Input) { in.Trigger = "continue" }, fires: "inn"},
		{name: "no kind is normal", entries: gate(func(e *storage.LoreEntry) { e.Triggers = []string{"normal"} }), chat: chat, fires: "inn"},
		{name: "its character", entries: filter(storage.LoreFilter{Names: []string{"Eve"}}), chat: chat, in: as("Eve"), fires: "inn"},
		{name: "another character", entries: filter(storage.LoreFilter{Names: []string{"Eve"}}), chat: chat, in: as("Bob"), lost: "inn: filter"},
		{name: "an excluded character", entries: filter(storage.LoreFilter{Exclude: true, Names: []string{"Eve"}}), chat: chat, in: as("Eve"), lost: "inn: filter"},
		{name: "its tag", entries: filter(storage.LoreFilter{Tags: []string{"elf"}}), chat: chat, in: as("Eve", "orc", "elf"), fires: "inn"},
		{name: "no tag of its", entries: filter(storage.LoreFilter{Tags: []string{"elf"}}), chat: chat, in: as("Eve", "orc"), lost: "inn: filter"},
		{name: "an excluded tag", entries: filter(storage.LoreFilter{Exclude: true, Tags: []string{"elf"}}), chat: chat, in: as("Eve", "elf"), lost: "inn: filter"},
		{name: "a delay that is not over", entries: gate(func(e *storage.LoreEntry) { e.Delay = 2 }), chat: chat, lost: "inn: delay"},
		{name: "a delay that is over", entries: gate(func(e *storage.LoreEntry) { e.Delay = 1 }), chat: chat, fires: "inn"},
		{name: "a constant entry", entries: gate(constant), chat: []string{"x"}, fires: "inn"},
		{name: "a forced entry", entries: gate(keys("no")), chat: chat, in: func(in *Input) { in.Force = map[storage.EntryID]bool{"inn": true} }, fires: "inn"},
		{name: "a forced entry that is disabled", entries: gate(func(e *storage.LoreEntry) { e.Disabled, e.Keys = true, nil }), chat: chat, in: func(in *Input) { in.Force = map[storage.EntryID]bool{"inn": true} }},
		{name: "an entry without keys", entries: gate(keys()), chat: chat},
	})
}
