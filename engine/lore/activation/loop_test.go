package activation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

var (
	excluded edit = func(e *storage.LoreEntry) { e.ExcludeRecursion = true }
	prevents edit = func(e *storage.LoreEntry) { e.PreventRecursion = true }
	ignores  edit = func(e *storage.LoreEntry) { e.IgnoreBudget = true }
	outlet   edit = func(e *storage.LoreEntry) { e.Position, e.Outlet = storage.Outlet, "o" }
)

func waits(level int) edit { return func(e *storage.LoreEntry) { e.DelayUntilRecursion = level } }

// words counts words as tokens, so that a rule can determine what fits.
func words(in *Input) { in.Count = func(s string) int { return len(strings.Fields(s)) } }

func TestRecursion(t *testing.T) {
	steps := func(n int) func(*Settings) { return func(s *Settings) { s.MaxSteps = n } }
	flat := func(s *Settings) { s.Recursive = false }
	chain := func() []storage.LoreEntry {
		return list(entry("a", says("b"), order(3)), entry("b", says("c"), order(2)), entry("c", says("a"), order(1)))
	}
	chat := []string{"a"}
	checkRules(t, []rule{
		{name: "a content wakes the next entry, and a circle ends", entries: chain(), chat: chat, fires: "c b a"},
		{name: "not where recursion is off", set: flat, entries: chain(), chat: chat, fires: "a"},
		{name: "one step is no recursion", set: steps(1), entries: chain(), chat: chat, fires: "a"},
		{name: "two steps are one recursion", set: steps(2), entries: chain(), chat: chat, fires: "b a"},
		{name: "an entry that prevents recursion is not scanned", entries: list(entry("a", says("b"), prevents), entry("b")), chat: chat, fires: "a"},
		{name: "an entry that is excluded from recursion", entries: list(entry("a", says("b")), entry("b", excluded)), chat: chat, fires: "a", lost: "b: not in recursion"},
		{name: "an excluded entry fires for the chat", entries: list(entry("b", excluded)), chat: []string{"b"}, fires: "b"},
		{name: "an entry that waits for recursion", entries: list(entry("a", says("b")), entry("b", waits(1))), chat: chat, fires: "b a"},
		{name: "a lone level needs a recursion to come", entries: list(entry("b", waits(1))), chat: []string{"b"}, lost: "b: recursion level"},
		{name: "after the first level the next ones come by themselves", entries: list(entry("a", waits(1)), entry("b", waits(2)), entry("c", waits(5))), chat: []string{"a b c"}, fires: "c b a"},
		{name: "the levels come one by one", entries: list(entry("x", says("b"), order(9)), entry("b", waits(1), says("c"), order(8)), entry("c", waits(2), order(7))), chat: []string{"x"}, fires: "c b x"},
		{name: "levels come where recursion is off, and there nobody is excluded", set: flat, entries: list(entry("a", waits(1)), entry("b", waits(2), excluded)), chat: []string{"a b"}, fires: "b a"},
		{name: "of equal order the last that fired is first", entries: list(entry("z", keys("b"), order(100)), entry("y", keys("a"), says("b"), order(100)), entry("x", keys("a"), order(100))), chat: []string{"a"}, fires: "z x y"},
		{name: "in an outlet the other way round", entries: list(entry("z", keys("b"), order(100), outlet), entry("y", keys("a"), says("b"), order(100), outlet)), chat: []string{"a"}, fires: "y z"},
		{name: "a constant content is scanned", entries: list(entry("k", constant, says("the inn"), order(1)), entry("inn")), chat: []string{"x"}, fires: "k inn"},
		{name: "macros of a content are expanded before it is scanned", entries: list(entry("k", constant, says("{{place}}"), order(1)), entry("inn")), chat: []string{"x"},
			in: func(in *Input) {
				in.Expand = func(s string) string { return strings.ReplaceAll(s, "{{place}}", "inn") }
			}, fires: "k inn"},
	})
}

func TestMinActivations(t *testing.T) {
	least := func(n, deepest int) func(*Settings) {
		return func(s *Settings) { s.Depth, s.MinActivations, s.MaxDepth = 1, n, deepest }
	}
	chat := []string{"a", "b", "c", "d"}
	all := func() []storage.LoreEntry {
		return list(entry("a", order(1)), entry("b", order(2)), entry("c", order(3)), entry("d", order(4)))
	}
	checkRules(t, []rule{
		{name: "it looks further back until enough fire", set: least(3, 0), entries: all(), chat: chat, fires: "a b c"},
		{name: "one further than it may, as the bound is for where it looked", set: least(4, 2), entries: all(), chat: chat, fires: "a b c"},
		{name: "not further than the chat", set: least(9, 0), entries: all(), chat: chat, fires: "a b c d"},
		{name: "an entry with a depth of its own does not", set: least(2, 0), entries: list(entry("b", func(e *storage.LoreEntry) { e.ScanDepth = ptr(1) })), chat: chat},
		{name: "a bound on steps holds for it too", set: func(s *Settings) { least(3, 0)(s); s.MaxSteps = 3 }, entries: list(entry("a", prevents, order(1)), entry("b", prevents, order(2)), entry("c", prevents, order(3))), chat: []string{"x", "x", "a", "b", "c"}, fires: "a"},
		{name: "what fired is scanned afterwards again", set: least(2, 0), entries: list(entry("a", says("d"), prevents, order(1)), entry("b", says("z"), order(2)), entry("z", order(3))), chat: chat, fires: "a b z"},
	})
}

func TestBudget(t *testing.T) {
	room := func(n int) func(*Settings) { return func(s *Settings) { s.BudgetCap = n } }
	chat := []string{"a b c"}
	checkRules(t, []rule{
		{name: "what reaches the budget is cut, and all after it", set: room(4), entries: list(entry("a", says("1 2"), order(3)), entry("b", says("1 2"), order(2)), entry("c", says("1"), order(1))), chat: chat, in: words, fires: "a", lost: "b: over budget, c: over budget"},
		{name: "one token less fits", set: room(5), entries: list(entry("a", says("1 2"), order(3)), entry("b", says("1 2"), order(2))), chat: chat, in: words, fires: "b a"},
		{name: "an entry that ignores the budget fires after it is full", set: room(2), entries: list(entry("a", says("1 2"), order(3)), entry("b", says("1 2"), order(2), ignores)), chat: chat, in: words, fires: "b", lost: "a: over budget"},
		{name: "an entry that ignores the budget uses it all the same", set: room(3), entries: list(entry("a", says("1 2"), order(3), ignores), entry("b", says("1"), order(2))), chat: chat, in: words, fires: "a", lost: "b: over budget"},
		{name: "the costs of a round count in the next", set: room(4), entries: list(entry("a", says("z 2")), entry("z", says("1 2"))), chat: chat, in: words, fires: "a", lost: "z: over budget"},
		{name: "those of entries that prevent recursion do not", set: room(4), entries: list(entry("a", says("z")), entry("b", says("1 2"), prevents), entry("z", says("1 2"))), chat: chat, in: words, fires: "z b a"},
		{name: "over budget ends recursion", set: room(3), entries: list(entry("a", says("z"), order(3)), entry("b", says("1 2"), order(2)), entry("z", says(""))), chat: chat, in: words, fires: "a", lost: "b: over budget"},
		{name: "levels come even after that", set: room(3), entries: list(entry("a", says("z"), order(3)), entry("b", says("1 2"), order(2)), entry("y", waits(1)), entry("c", waits(2), ignores)), chat: chat, in: words, fires: "a c", lost: "b: over budget"},
		{name: "percent of the context", set: func(s *Settings) { s.Budget = 50 }, entries: list(entry("a", says("1 2"), order(3)), entry("b", says("1"), order(2))), chat: chat, in: func(in *Input) { words(in); in.Context = 6 }, fires: "a", lost: "b: over budget"},
	})
	for _, c := range []struct {
		percent      float64
		context, cap int
		want         int
	}{{25, 4000, 0, 1000}, {25, 4000, 300, 300}, {25, 1000, 300, 250}, {50, 5, 0, 3}, {0, 4000, 0, 1}, {25, 0, 0, 0}, {25, 0, 7, 7}} {
		if got := budgetOf(&Settings{Budget: c.percent, BudgetCap: c.cap}, c.context); got != c.want {
			t.Errorf("%v %% of %d, cap %d: %d, want %d", c.percent, c.context, c.cap, got, c.want)
		}
	}
}

func TestProbability(t *testing.T) {
	chat := []string{"inn"}
	checkRules(t, []rule{
		{name: "a roll of the chance passes", entries: list(entry("inn", chance(40))), chat: chat, in: rolls(0.4), fires: "inn"},
		{name: "a greater one does not", entries: list(entry("inn", chance(40))), chat: chat, in: rolls(0.41), lost: "inn: probability"},
		{name: "100 does not roll", entries: list(entry("inn", chance(100))), chat: chat, in: rolls(), fires: "inn"},
		{name: "a chance that is off does not roll", entries: list(entry("inn", chance(1), func(e *storage.LoreEntry) { e.UseProbability = false })), chat: chat, in: rolls(), fires: "inn"},
		{name: "0 passes only a roll of 0", entries: list(entry("inn", chance(0))), chat: chat, in: rolls(0), fires: "inn"},
		{name: "who failed is not asked again", entries: list(entry("inn", chance(40)), entry("a", constant)), chat: chat, in: rolls(0.9), fires: "a", lost: "inn: probability"},
		{name: "who failed wakes nobody", entries: list(entry("inn", chance(40), says("old")), entry("old")), chat: chat, in: rolls(0.9), lost: "inn: probability"},
	})
}

func TestGroups(t *testing.T) {
	weight := func(w float64) edit { return func(e *storage.LoreEntry) { e.GroupWeight = w } }
	over := func(e *storage.LoreEntry) { e.GroupOverride = true }
	scored := func(e *storage.LoreEntry) { e.UseGroupScoring = ptr(true) }
	chat := []string{"a b c"}
	checkRules(t, []rule{
		{name: "a single member fires", entries: list(entry("a", inGroup("g"))), chat: chat, in: rolls(), fires: "a"},
		{name: "one of two by weight: the first", entries: list(entry("a", inGroup("g"), weight(30)), entry("b", inGroup("g"), weight(70))), chat: chat, in: rolls(0.3), fires: "a", lost: "b: group"},
		{name: "one of two by weight: the second", entries: list(entry("a", inGroup("g"), weight(30)), entry("b", inGroup("g"), weight(70))), chat: chat, in: rolls(0.31), fires: "b", lost: "a: group"},
		{name: "those outside are not touched", entries: list(entry("a", inGroup("g")), entry("b", inGroup("g")), entry("c")), chat: chat, in: rolls(0), fires: "c a", lost: "b: group"},
		{name: "who overrides wins", entries: list(entry("a", inGroup("g")), entry("b", inGroup("g"), over)), chat: chat, in: rolls(), fires: "b", lost: "a: group"},
		{name: "of those who override the highest order", entries: list(entry("a", inGroup("g"), over, order(1)), entry("b", inGroup("g"), over, order(2))), chat: chat, in: rolls(), fires: "b", lost: "a: group"},
		{name: "in several groups", set: func(s *Settings) { s.Recursive = false }, entries: list(entry("a", inGroup("g, h")), entry("b", inGroup("g")), entry("c", inGroup("h"))), chat: chat, in: rolls(0, 0), fires: "a", lost: "b: group, c: group"},
		{name: "a recursion lets losers in again, unless the group is the winner's only one", entries: list(entry("a", inGroup("g, h")), entry("b", inGroup("g"))), chat: chat, in: rolls(0), fires: "b a"},
		{name: "who lost in one group does not count in another", entries: list(entry("a", inGroup("g")), entry("b", inGroup("g,h")), entry("c", inGroup("h"))), chat: chat, in: rolls(0), fires: "c a", lost: "b: group"},
		{name: "who is active keeps others out", entries: list(entry("a", inGroup("g"), says("z")), entry("z", inGroup("g"))), chat: chat, in: rolls(), fires: "a", lost: "z: group"},
		{name: "but only by its whole group", entries: list(entry("a", inGroup("g,h"), says("z")), entry("z", inGroup("g"))), chat: chat, in: rolls(), fires: "z a"},
		{name: "scoring drops who has fewer keys", set: func(s *Settings) { s.GroupScoring = true }, entries: list(entry("a", keys("a"), inGroup("g")), entry("b", keys("b", "c"), inGroup("g"))), chat: chat, in: rolls(), fires: "b", lost: "a: group"},
		{name: "scoring of one entry touches that one", entries: list(entry("a", keys("a"), inGroup("g")), entry("b", keys("b", "c"), inGroup("g"), scored)), chat: chat, in: rolls(0), fires: "a", lost: "b: group"},
		{name: "scoring can be off for an entry", set: func(s *Settings) { s.GroupScoring = true }, entries: list(entry("a", keys("a"), inGroup("g"), func(e *storage.LoreEntry) { e.UseGroupScoring = ptr(false) }), entry("b", keys("b", "c"), inGroup("g"))), chat: chat, in: rolls(0), fires: "a", lost: "b: group"},
		{name: "secondary keys of AND ANY add to the score", entries: list(entry("a", scored, inGroup("g"), second(storage.AndAny, "b", "c")), entry("b", scored, inGroup("g"), keys("b", "c"))), chat: chat, in: rolls(), fires: "a", lost: "b: group"},
		{name: "those of NOT ALL do not", entries: list(entry("a", scored, inGroup("g"), second(storage.NotAll, "b", "z")), entry("b", scored, inGroup("g"), keys("b", "c"))), chat: chat, in: rolls(), fires: "b", lost: "a: group"},
		{name: "a sticky member evicts the others", entries: list(entry("a", inGroup("g"), order(200)), entry("b", keys("no"), inGroup("g"), func(e *storage.LoreEntry) { e.Sticky = 5 })), chat: chat, in: func(in *Input) {
			rolls()(in)
			e := entry("b", keys("no"))
			e.UID = 2
			in.Effects = []storage.LoreEffect{{Kind: storage.LoreSticky, Book: "book", UID: 2, Hash: Hash(&e), Start: 0, End: 5}}
		}, fires: "b", lost: "a: group"},
	})
}

func TestPlacement(t *testing.T) {
	at := func(p storage.LorePosition, depth int, role storage.Role) edit {
		return func(e *storage.LoreEntry) { e.Position, e.Depth, e.Role = p, depth, role }
	}
	outlet := func(name string) edit {
		return func(e *storage.LoreEntry) { e.Position, e.Outlet = storage.Outlet, name }
	}
	chat := []string{"a b c d e f g h"}
	checkRules(t, []rule{
		{name: "lower order first", entries: list(entry("a", order(2)), entry("b", order(1)), entry("c", order(3))), chat: chat, fires: "b a c"},
		{name: "slot by slot, and the history from its beginning", entries: list(entry("a", at(storage.AtDepth, 0, "")), entry("b", at(storage.AtDepth, 4, "")), entry("c", at(storage.AfterChar, 0, "")), entry("d"), entry("e", at(storage.NoteTop, 0, "")), entry("f", at(storage.BeforeExamples, 0, "")), entry("g", outlet("x"))), chat: chat, fires: "d c f e b a g"},
		{name: "outlets the other way round", entries: list(entry("a", outlet("x"), order(1)), entry("b", outlet("x"), order(2)), entry("c", outlet("w"), order(0))), chat: chat, fires: "c b a"},
		{name: "by depth and role", entries: list(entry("a", at(storage.AtDepth, 2, storage.User), order(1)), entry("b", at(storage.AtDepth, 2, storage.Assistant), order(2)), entry("c", at(storage.AtDepth, 2, storage.User), order(0))), chat: chat, fires: "b c a"},
	})
}

func TestTrace(t *testing.T) {
	r := rule{chat: []string{"nothing", "the old inn"}, in: func(in *Input) { words(in); in.Fields.Scenario = "a keep" },
		entries: list(
			entry("inn", keys("no", "Inn"), second(storage.AndAny, "old"), says("the cellar"), order(9)),
			entry("cellar", says("rats and wine"), order(8)), entry("rats", func(e *storage.LoreEntry) { e.Position, e.Depth, e.Role = storage.AtDepth, 3, storage.User }),
			entry("keep", func(e *storage.LoreEntry) { e.MatchScenario = true }))}
	_, got := r.run(t)
	byName := map[string]Trace{}
	for _, trace := range got.Triggered {
		byName[trace.Entry.Name] = trace
	}
	inn := byName["inn"]
	if diff := cmp.Diff([]Hit{{Key: "Inn", Message: "m1", Back: 1}, {Key: "old", Secondary: true, Message: "m1", Back: 1}}, inn.Hits); diff != "" {
		t.Error(diff)
	}
	for name, want := range map[string]string{
		"inn":    "the key “Inn” matched in the message before the newest, and of the secondary keys “old”",
		"cellar": "the key “cellar” matched in the entry “inn”", "keep": "the key “keep” matched in the scenario",
	} {
		if got := byName[name].Reason; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	rats := byName["rats"]
	if diff := cmp.Diff([]string{"inn", "cellar"}, rats.Path); diff != "" || rats.Round != 3 {
		t.Errorf("round %d, path %s", rats.Round, diff)
	}
	if rats.Position != storage.AtDepth || rats.Depth != 3 || rats.Role != storage.User || rats.Tokens != 2 || rats.Text != "about rats" || rats.BookName != "Book" {
		t.Errorf("%+v", rats)
	}
	if diff := cmp.Diff([]Hit{{Key: "rats", Back: -1, Where: "recursion: cellar"}}, rats.Hits); diff != "" {
		t.Error(diff)
	}
	if got.Used != 2+3+2+2 || got.Rounds != 4 || got.Budget != 1000 || got.Over {
		t.Errorf("used %d of %d in %d rounds", got.Used, got.Budget, got.Rounds)
	}
}

func TestWhy(t *testing.T) {
	for _, c := range []struct {
		name    string
		e       storage.LoreEntry
		in      func(*Input)
		verdict Verdict
		reason  string
	}{
		{"fired", entry("inn"), nil, Triggered, "the key “inn” matched in the newest message"},
		{"no match", entry("x", keys("a", "b")), nil, NoMatch, "none of its 2 keys is in the newest 2 messages or the other scanned text"},
		{"beyond its depth", entry("x", keys("inn"), func(e *storage.LoreEntry) { e.ScanDepth = ptr(0) }), nil, NoMatch, "its scan depth is 0: no messages are searched"},
		{"in an older message", entry("old", func(e *storage.LoreEntry) { e.ScanDepth = ptr(1) }), nil, NoMatch, "the key “old” is only in the message before the newest, beyond its scan depth of 1"},
		{"no keys", entry("x", keys()), nil, NoKeys, "it has no keys"},
		{"off", entry("x", func(e *storage.LoreEntry) { e.Disabled = true }), nil, Off, "it is disabled"},
		{"delay", entry("x", func(e *storage.LoreEntry) { e.Delay = 9 }), nil, OnDelay, "delayed until the chat has 9 messages; there are 2"},
		{"filter", entry("x", func(e *storage.LoreEntry) { e.Triggers = []string{"quiet"} }), nil, Filtered, "not for the generation type “normal”"},
		{"level", entry("x", waits(2)), nil, Waiting, "it needs recursion level 2, which was not reached"},
		{"decorator", entry("x", says("@@dont_activate\nx")), nil, Decorated, "its decorator @@dont_activate"},
		{"secondary", entry("inn", second(storage.AndAny, "zoo")), nil, SecondaryFault, "the key “inn” matched in the newest message, but its secondary keys did not match: one of them must match"},
		{"chance", entry("inn", chance(40)), rolls(0.635), FailedChance, "roll 63.5, probability 40 %"},
		{"constant", entry("x", constant), nil, Triggered, "it is constant"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rule{entries: list(c.e, entry("other")), chat: []string{"the inn", "old"}, in: c.in}
			s, _ := r.run(t)
			got := s.Why(c.e.ID)
			if got.Verdict != c.verdict || got.Reason != c.reason {
				t.Errorf("%s: %q", got.Verdict, got.Reason)
			}
		})
	}
	s := Compile(nil, DefaultSettings()).NewScan()
	if got := s.Why("x"); got.Reason == "" {
		t.Error("nothing to say before an activation")
	}
	s.Activate(Input{})
	if got := s.Why("x"); got.Reason == "" || got.Entry != nil {
		t.Errorf("an entry that there is not: %+v", got)
	}
}

// TestTrace_WhereInWords matches keys where no single message or field has them.
func TestTrace_WhereInWords(t *testing.T) {
	tests := []struct {
		name, key, want string
		edit            edit
		chat            []string
		in              func(*Input)
	}{
		{"across messages", `/: a[^]+b$/`, "matched in all scanned text", nil, []string{"a", "b"}, nil},
		{"in an injected prompt", "inn", "matched in other prompt text", nil, []string{"a"}, func(in *Input) { in.Injects = []string{"the inn"} }},
		{"in a field", "inn", "matched in the scenario", func(e *storage.LoreEntry) { e.MatchScenario = true }, []string{"a"},
			func(in *Input) { in.Fields.Scenario = "the inn" }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := entry("e", keys(tt.key))
			if tt.edit != nil {
				tt.edit(&e)
			}
			_, got := rule{entries: list(e), chat: tt.chat, in: tt.in}.run(t)
			if len(got.Triggered) != 1 || !strings.Contains(got.Triggered[0].Reason, tt.want) {
				t.Errorf("fired %+v, want a reason with %q", got.Triggered, tt.want)
			}
		})
	}
}

// Where two entries share two groups, other programs take one entry more out than has
// lost. This one does not, and says so.
func TestTwoSharedGroups(t *testing.T) {
	grouped := func(name string) edit { return func(e *storage.LoreEntry) { e.Group = name } }
	override := func(e *storage.LoreEntry) { e.GroupOverride = true }
	c := rule{set: func(s *Settings) { s.Recursive = false }, entries: list(entry("a", grouped("g, h"), override), entry("b", grouped("g, h")), entry("c"), entry("d", grouped("k"), override), entry("e", grouped("k"))), chat: []string{"a b c d e"}}
	_, r := c.run(t)
	if got := strings.Fields(names(r.Triggered)); len(got) != 3 {
		t.Errorf("fired %q", got)
	}
	for _, lost := range r.Lost {
		if said := strings.Contains(lost.Reason, "shares two groups"); said != (lost.Entry.Name == "b") {
			t.Errorf("%s: %s", lost.Entry.Name, lost.Reason)
		}
	}
}
