package prompt

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func lored(name, text string, place LorePlace) LoreItem {
	return LoreItem{ID: name, Source: "lorebook Harbour: " + name, Text: text, Place: place, Active: true, Reason: `the key "` + name + `" in the newest message`}
}

// stood returns an item before message i; -1 makes it new.
func stood(name string, i int, active bool) LoreItem {
	it := lored(name, "[item-"+name+": seen]", LorePinned)
	it.Active = active
	if i >= 0 {
		it.At = id(i)
	}
	return it
}

// everywhere has entries at every place but outlets.
func everywhere() []LoreItem {
	var all []LoreItem
	for place := LoreBefore; place < LoreOutlet; place++ {
		for i := range 2 {
			it := lored(fmt.Sprintf("place %d, %d", place, i), fmt.Sprintf("[item-Thing %d.%d: old]", place, i), place)
			it.Depth = 2
			all = append(all, it)
		}
	}
	for _, at := range []struct {
		depth int
		role  string
	}{{2, "assistant"}, {99, ""}, {0, "assistant"}, {3, "USER"}} {
		it := lored(fmt.Sprintf("depth %d", at.depth), fmt.Sprintf("[item-At %d: %s]", at.depth, at.role), LoreAtDepth)
		it.Depth, it.Role = at.depth, at.role
		all = append(all, it)
	}
	return all
}

// onward returns the lore of the next prompt as far as it depends on the last one: items that stay,
// with their places, and items at other places.
func onward(lore []LoreItem, at []PinnedLore) []LoreItem {
	var next []LoreItem
	for _, it := range lore {
		if it.Place != LorePinned {
			next = append(next, it)
			continue
		}
		if i := slices.IndexFunc(at, func(s PinnedLore) bool { return s.ID == it.ID }); i >= 0 {
			it.At, it.Active = at[i].At, false
			next = append(next, it)
		}
	}
	return next
}

// someLore draws entries at any place of a history of n messages.
func someLore(t *rapid.T, n int) []LoreItem {
	var all []LoreItem
	for i := range rapid.IntRange(0, 12).Draw(t, "entries") {
		place := LorePlace(rapid.IntRange(int(LoreBefore), int(LoreOutlet)).Draw(t, "place"))
		if rapid.Bool().Draw(t, "stays") {
			place = LorePinned
		}
		it := lored(fmt.Sprint("entry", i), text(fmt.Sprint("lore", i), rapid.IntRange(0, 60).Draw(t, "lore size")), place)
		it.Depth, it.Outlet = rapid.IntRange(-1, 9).Draw(t, "lore depth"), rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "outlet")
		it.Role = rapid.SampledFrom([]string{"", "user", "assistant", "?"}).Draw(t, "lore role")
		it.Active = rapid.Bool().Draw(t, "active")
		it.Layer = rapid.SampledFrom([]string{"", "", LayerMemories, LayerHooks, LayerNote, "else"}).Draw(t, "layer")
		it.Section = rapid.SampledFrom([]string{"", "About them", "Goals"}).Draw(t, "section")
		if at := rapid.IntRange(-1, n).Draw(t, "stood"); at >= 0 {
			it.At = id(at)
		}
		all = append(all, it)
	}
	return all
}

// contents returns the first words of the lines of a prompt's messages after its system message.
func contents(p Prompt) (all []string) {
	for _, m := range p.Messages[1:] {
		var words []string
		for l := range strings.Lines(m.Content) {
			words = append(words, strings.Fields(l)[0])
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

func TestStays(t *testing.T) {
	base := snapshot()
	base.AuthorNote = "Note."
	for _, c := range []struct {
		name    string
		history string
		memory  *RecapBlock
		lore    []LoreItem
		want    string
		at      string // places of the items
	}{
		{name: "new", history: "uauau", lore: []LoreItem{stood("a", -1, true), stood("b", -1, true)}, want: "t0 t1 t2 t3 [item-a: [item-b: t4 Note.", at: "a4 b4"},
		{name: "new, after the reply", history: "uaua", lore: []LoreItem{stood("a", -1, true)}, want: "t0 t1 [item-a: t2 Note. t3 Instruction.", at: "a2"},
		{name: "stands", history: "uauau", lore: []LoreItem{stood("a", 2, true), stood("b", 0, false), stood("c", -1, true), stood("d", 2, false)},
			want: "[item-b: t0 t1 [item-a: [item-d: t2 t3 [item-c: t4 Note.", at: "a2 b0 c4 d2"},
		{name: "stands before a reply", history: "uauau", lore: []LoreItem{stood("a", 1, false)}, want: "t0 [item-a: t1 t2 t3 t4 Note.", at: "a1"},
		{name: "silent and new", history: "uau", lore: []LoreItem{stood("a", -1, false)}, want: "t0 t1 t2 Note."},
		{name: "twice", history: "uau", lore: []LoreItem{stood("a", 0, true), stood("a", -1, true)}, want: "[item-a: t0 t1 t2 Note.", at: "a0"},
		{name: "twice, and its message is gone", history: "uau", lore: []LoreItem{stood("a", 9, false), stood("a", -1, true)}, want: "t0 t1 [item-a: t2 Note.", at: "a2"},
		{name: "its message is gone", history: "uau", lore: []LoreItem{stood("a", 9, true), stood("b", 9, false)}, want: "t0 t1 [item-a: t2 Note.", at: "a2"},
		{name: "its message was deleted", history: "daau", lore: []LoreItem{stood("a", 0, true), stood("b", 0, false)}, want: "t1 t2 [item-a: t3 Note.", at: "a3"},
		{name: "the window leaves it", history: "uauau", memory: covering(1, 0), lore: []LoreItem{stood("a", 0, true), stood("b", 0, false), stood("c", 4, false)},
			want: "t2 t3 [item-a: [item-c: t4 Note.", at: "a4 c4"},
		{name: "the window comes to it", history: "uauau", memory: covering(1, 0), lore: []LoreItem{stood("a", 2, true), stood("b", 2, false)},
			want: "[item-a: [item-b: t2 t3 t4 Note.", at: "a2 b2"},
		{name: "the user has said nothing", history: "aa", lore: []LoreItem{stood("a", -1, true)}, want: "t0 [item-a: t1 Note. Instruction.", at: "a1"},
		{name: "nobody has", history: "", lore: []LoreItem{stood("a", -1, true), stood("b", 9, false)}, want: "[item-a: Note."},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := base
			s.Set = bare(t)
			s.History, s.Recap, s.Lore = roles(c.history), c.memory, c.lore
			if c.memory != nil { // recapped messages leave only when the history is full
				last := len(s.History) - 1 // has no reply yet, and does not count
				s.History = append(sized(s.History[:last], room(t, s)*90/100), s.History[last])
			}
			if strings.HasSuffix(c.history, "a") {
				s.Appended = "Instruction."
			}
			p := compile(t, s)
			if diff := cmp.Diff(c.want, strings.Join(contents(p), " ")); diff != "" {
				t.Errorf("want - got +\n%s", diff)
			}
			var at []string
			for _, l := range p.Lore {
				at = append(at, l.ID+strings.TrimLeft(string(l.At[1:4]), "0")+string(l.At[5:]))
			}
			if got := strings.Join(at, " "); got != c.at {
				t.Errorf("they stand at %q, want %q", got, c.at)
			}
		})
	}
}

// Lore that moves at a fold takes room, and may push out more lore that moves.
func TestStaysSettleWithTheWindow(t *testing.T) {
	base := snapshot()
	for _, active := range []bool{true, false} {
		for _, size := range []int{10, 60, 200} {
			t.Run(fmt.Sprint(active, " ", size), func(t *testing.T) {
				s := base
				s.History = long(401, 14)
				for i := 150; i < 400; i += 10 {
					it := stood(fmt.Sprint(i), i, active)
					it.Text = text(fmt.Sprint("lore", i), size)
					s.Lore = append(s.Lore, it)
				}
				s.Window = id(0)
				p := compile(t, s)
				if !p.Folded {
					t.Fatal("all of it fits: the case shows nothing")
				}
				if most := s.Limits.Context - s.Limits.Reply - margin(s.Limits.Context); p.Tokens > most {
					t.Errorf("%d tokens, and room for %d", p.Tokens, most)
				}
				for _, it := range s.Lore {
					i := slices.IndexFunc(p.Lore, func(l PinnedLore) bool { return l.ID == it.ID })
					switch {
					case it.At >= p.Window && (i < 0 || p.Lore[i].At != it.At):
						t.Errorf("%s should have stayed: %+v", it.ID, p.Lore)
					case it.At < p.Window && active && (i < 0 || p.Lore[i].At != id(400)):
						t.Errorf("%s should have moved: %+v", it.ID, p.Lore)
					case it.At < p.Window && !active && i >= 0:
						t.Errorf("%s should be gone: %+v", it.ID, p.Lore)
					}
				}
				// From there on nothing moves.
				s.Window, s.Lore = p.Window, onward(s.Lore, p.Lore)
				s.History = append(s.History, message(401, storage.Assistant, "reply"), message(402, storage.User, "next"))
				next := compile(t, s)
				if n := len(p.Messages); next.Folded || !reflect.DeepEqual(next.Messages[:n], p.Messages) {
					t.Errorf("the next prompt starts at %s, not %s, or is another", next.Window, p.Window)
				}
			})
		}
	}
}

// Messages that only lore would push out would come back on the next turn: they do not leave if no
// recap covers them. The lore leaves.
func TestStaysLeaveBeforeTheMessagesDo(t *testing.T) {
	s := snapshot()
	s.Recap = covering(-1, 4)
	r := room(t, s)
	s.History = long(41, r*42/100/41-messageTokens)
	for i := range 10 {
		it := stood(fmt.Sprint("old", i), i, i == 0)
		it.Text = text("lore", r*65/1000)
		s.Lore = append(s.Lore, it)
	}
	s.Lore = append(s.Lore, stood("late", 38, false))
	s.Window = id(0)
	p := compile(t, s)
	if p.Folded || p.Window != id(0) || p.Uncovered != 0 {
		t.Fatalf("starts at %s, %d left out", p.Window, p.Uncovered)
	}
	if diff := cmp.Diff([]PinnedLore{{"old0", id(40)}, {"old8", id(8)}, {"old9", id(9)}, {"late", id(38)}}, p.Lore); diff != "" {
		t.Errorf("want - got +\n%s", diff)
	}
	for _, want := range []struct {
		layer, source, reason string
		included              bool
	}{
		{LayerHistory, "messages", "older lore was removed", true},
		{LayerLore, "old0", "moved here: the history did not fit", true},
		{LayerLore, "old1", "dropped: not triggered now, and the history did not fit", false},
	} {
		if !slices.ContainsFunc(p.Parts, func(l Part) bool {
			return l.Layer == want.layer && l.Included == want.included && strings.Contains(l.Source, want.source) && strings.Contains(l.Reason, want.reason)
		}) {
			t.Errorf("no line says %+v", want)
		}
	}
	s.Window, s.Lore = p.Window, onward(s.Lore, p.Lore)
	s.History = append(s.History, message(41, storage.Assistant, "reply"), message(42, storage.User, "next"))
	if next := compile(t, s); !reflect.DeepEqual(next.Messages[:len(p.Messages)], p.Messages) {
		t.Error("the next prompt is another")
	}
}

// Lore that fits to the last token is included.
func TestStaysUseAllRoom(t *testing.T) {
	s := snapshot()
	s.History = roles("u")
	for name, lore := range map[string][]LoreItem{
		"new":             {stood("a", -1, true)},
		"stands":          {stood("a", 0, true)},
		"stands, and new": {stood("a", 0, false), stood("b", -1, true)},
	} {
		s.Lore = lore
		for s.Limits.Context = 1; ; s.Limits.Context++ {
			p, err := Compile(s)
			if err != nil {
				continue
			}
			if most := s.Limits.Context - s.Limits.Reply - margin(s.Limits.Context); p.Tokens != most {
				t.Errorf("%s: %d tokens are the first to fit %d", name, p.Tokens, most)
			}
			break
		}
	}
}

func TestStaysCountNothingTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anything(t)
		s.Lore = someLore(t, len(s.History))
		p, err := Compile(s)
		if err != nil || p.Window == "" {
			t.Skip("too long, or nothing to stand before")
		}
		sum := 0
		for _, part := range p.Parts {
			if part.Included {
				sum += part.Tokens
			}
		}
		if sum != p.Tokens {
			t.Fatalf("the ledger adds up to %d tokens, the prompt has %d", sum, p.Tokens)
		}
		shown := map[storage.NodeID]bool{}
		for _, n := range s.History {
			shown[n.ID] = n.ID >= p.Window && p.Window != ""
		}
		for _, l := range p.Lore {
			i := slices.IndexFunc(s.Lore, func(it LoreItem) bool { return it.ID == l.ID })
			if it := s.Lore[i]; !shown[l.At] || it.At != l.At && !it.Active {
				t.Fatalf("%+v stands at %s; the window starts at %s", it, l.At, p.Window)
			}
		}
		again := s
		again.Window, again.Lore = p.Window, onward(s.Lore, p.Lore)
		for i := range again.Lore {
			again.Lore[i].Active = again.Lore[i].Active || again.Lore[i].Place == LorePinned
		}
		q, err := Compile(again)
		if err != nil || !reflect.DeepEqual(q.Messages, p.Messages) {
			t.Fatalf("the same place once more: %v\n%s", err, cmp.Diff(p.Messages, q.Messages))
		}
	})
}

func TestARequestAfterTheReplyKeepsTheLore(t *testing.T) {
	s := snapshot()
	s.AuthorNote = "Note."
	s.Lore = everywhere()
	s.Lore = append(s.Lore, stood("stood", 1, false))
	turn := compile(t, s)
	seen := append(turn.Messages, Message{"assistant", "Come in."})
	s.History = append(s.History, message(4, storage.Assistant, "Come in."))
	s.Appended = "one two three"
	for name, lore := range map[string][]LoreItem{"as it was": s.Lore, "as it stands": onward(s.Lore, turn.Lore)} {
		s.Lore = lore
		if got, want := Reread(seen, compile(t, s).Messages, words), 3+2*messageTokens; got > want {
			t.Errorf("%s: a job after the reply reads %d tokens again, want at most %d", name, got, want)
		}
	}
}

func TestLoreDepthIsMeasuredFromTheNewest(t *testing.T) {
	for depth, want := range map[int]string{-3: "t0 t1 t2 Lore t3", 0: "t0 t1 t2 Lore t3", 1: "t0 t1 Lore t2 t3", 3: "Lore t0 t1 t2 t3", 50: "Lore t0 t1 t2 t3"} {
		s := snapshot()
		s.History, s.Mode = roles("uaua"), Continue
		s.History[3].State = storage.Cut
		s.Lore = []LoreItem{lored("x", "Lore", LoreAtDepth)}
		s.Lore[0].Depth = depth
		p := compile(t, s)
		if got := strings.Join(contents(p), " "); got != want {
			t.Errorf("depth %d: %s, want %s", depth, got, want)
		}
		s.Lore = append(s.Lore, lored("deeper", "Deeper", LoreAtDepth))
		s.Lore[1].Depth = depth + 60
		if got := strings.Join(contents(compile(t, s)), " "); got != "Deeper "+want {
			t.Errorf("depth %d, and one deeper: %s", depth, got)
		}
		line, _ := part(p, LayerLore, true)
		if priced := strings.Contains(line.Reason, "are processed again every turn"); priced != (depth > 0) || !strings.Contains(line.Reason, `the key "x"`) {
			t.Errorf("depth %d: %q", depth, line.Reason)
		}
	}
}

func TestOutletWarnings(t *testing.T) {
	s := snapshot()
	s.Card.Scenario = "A {{outlet::weather}} nears."
	s.AuthorNote = "A {{outlet::weather}}."
	it := lored("Storm", "storm", LoreOutlet)
	it.Outlet = " weather "
	s.Lore = []LoreItem{it, it}
	p := compile(t, s)
	if len(p.Warnings) != 1 {
		t.Fatalf("%q", p.Warnings)
	}
	before := 0
	for _, part := range p.Parts {
		if part.Layer == LayerScenario {
			break
		}
		before += part.Tokens
	}
	for _, want := range []string{"card: Ada", "{{outlet::weather}} in its scenario", "lorebook Harbour: Storm", fmt.Sprintf("%d tokens again", p.Tokens-before)} {
		if !strings.Contains(p.Warnings[0], want) {
			t.Errorf("%q does not say %q", p.Warnings[0], want)
		}
	}
	if !strings.Contains(p.Messages[0].Content, "A storm\nstorm nears.") || p.Messages[len(p.Messages)-1].Content != "A storm\nstorm." {
		t.Errorf("%+v", p.Messages)
	}
	s.Lore[0].Constant, s.Lore[1].Constant = true, true
	if p = compile(t, s); len(p.Warnings) > 0 {
		t.Errorf("a constant entry: %q", p.Warnings)
	}
}

func TestOutletsStandWhereAsked(t *testing.T) {
	outlet := func(name, text string) LoreItem {
		it := lored(name, text, LoreOutlet)
		it.Outlet, it.Constant = name, true
		return it
	}
	for _, c := range []struct{ name, text, want string }{
		{"plain", "a {{outlet::x}} b", "a X {{user}} <USER> b"},
		{"by any case of the macro", "{{Outlet::x}}", "X {{user}} <USER>"},
		{"named by a macro", "{{outlet::{{char}}}}", "of Ada"},
		{"a colon", "{{outlet:x}}", "X {{user}} <USER>"},
		{"in a condition", "{{if {{outlet::x}}}}yes{{/if}}{{if {{outlet::none}}}}no{{/if}}", "yes"},
		{"in another field", "{{scenario}}", "Here: X {{user}} <USER>"},
		{"unknown", "a{{outlet::X}}{{outlet}}{{outlet::}}b", "ab"},
		{"in a variable", "{{setvar::v::{{outlet::x}}}}{{getvar::v}}", "X {{user}} <USER>"},
	} {
		s := snapshot()
		s.Card.Scenario = "Here: {{outlet::x}}"
		s.AuthorNote = c.text
		s.Lore = []LoreItem{outlet("x", "X {{user}} <USER>"), outlet("Ada", "of Ada")}
		p := compile(t, s)
		if got := p.Messages[len(p.Messages)-1].Content; got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOutletsThatFillEverythingAreBounded(t *testing.T) {
	s := snapshot()
	s.Limits.Context = 1 << 30
	s.Card.Description = strings.Repeat("{{outlet::x}}", 20_000)
	for i := range 500 {
		it := lored(fmt.Sprint(i), text("lore", 200), LoreOutlet)
		it.Outlet = "x"
		s.Lore = append(s.Lore, it)
	}
	if p := compile(t, s); len(p.Messages[0].Content) > 3<<20 || len(p.Parts) > 20_000 || len(p.Warnings) != 1 {
		t.Errorf("%d bytes, %d lines, %d warnings", len(p.Messages[0].Content), len(p.Parts), len(p.Warnings))
	}
}

func TestTooLong_Lore(t *testing.T) {
	big := func(n int, place LorePlace, at int) (all []LoreItem) {
		for i := range n {
			it := stood(fmt.Sprint("big", i), at, true)
			it.Place, it.Text, it.Depth = place, text("lore", 8000/n), 2
			all = append(all, it)
		}
		return all
	}
	for _, c := range []struct {
		name string
		lore []LoreItem
		part string
	}{
		{"one that stays", big(1, LorePinned, -1), "the lore (lorebook Harbour: big0)"},
		{"one that has stood before the newest", big(1, LorePinned, 3), "the lore (lorebook Harbour: big0)"},
		{"many in the tail", big(80, LoreTail, -1), "the lore (80 entries)"},
		{"many that always hold", big(80, LoreBefore, -1), "the lore (80 entries)"},
		{"many at a depth", big(80, LoreAtDepth, -1), "the lore (80 entries)"},
	} {
		s := snapshot()
		s.Lore = c.lore
		_, err := Compile(s)
		var e *TooLongError
		if !errors.As(err, &e) || e.Part != c.part || e.Lore < 7000 || e.PartTokens != e.Lore || !strings.Contains(err.Error(), "use fewer lorebook entries") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestLoreLinesAreBounded(t *testing.T) {
	s := snapshot()
	it := lored("x", "Lore.", LoreTail)
	it.Source, it.Reason = strings.Repeat("a\nb ", 5000), strings.Repeat("key\x1b ", 5000)
	s.Lore = []LoreItem{it}
	line, _ := part(compile(t, s), LayerLore, true)
	if len([]rune(line.Source)) > loreSource+1 || len([]rune(line.Reason)) > loreReason+40 || strings.Contains(line.Source, "\n") {
		t.Errorf("%+v", line)
	}
}

// The text that an item leaves out depends on the beginning of the history and on the memory, in
// the prompt that folds and in those after it. An item with no text keeps its place.
func TestLore_ToldAnewWhereTheHistoryFolds(t *testing.T) {
	s := snapshot()
	s.History = nil
	for i := range 60 {
		s.History = append(s.History, message(i, []storage.Role{storage.User, storage.Assistant}[i%2], strings.Repeat("word ", 40)))
	}
	s.Limits = Limits{Context: 2600, Reply: 100}
	s.Window = id(0)
	asked := []int{}
	it := stood("boat", 58, false)
	it.Text, it.Less = "", "already covered by the messages"
	it.Recompute = func(depth int, _ *RecapBlock) LoreItem {
		asked = append(asked, depth)
		now := it
		if depth > 10 {
			now.Text, now.Less = "[item-boat: violet]", ""
		}
		return now
	}
	s.Lore = []LoreItem{it}
	p, err := Compile(s)
	if err != nil || !p.Folded || len(asked) == 0 {
		t.Fatalf("%v, folded %v, asked at %v", err, p.Folded, asked)
	}
	flat := fmt.Sprint(p.Messages)
	if strings.Count(flat, "[item-boat: violet]") != 1 || len(p.Lore) != 1 {
		t.Errorf("not told at the fold: %v", p.Lore)
	}
	sum := 0
	for _, part := range p.Parts {
		if part.Included {
			sum += part.Tokens
		}
	}
	if sum != p.Tokens || p.Tokens > s.Limits.budget() {
		t.Errorf("%d tokens, the ledger has %d", p.Tokens, sum)
	}
	s.Window, s.Lore[0].Text, s.Lore[0].Less, asked = p.Window, "[item-boat: violet]", "", nil
	after, err := Compile(s)
	if err != nil || after.Folded || len(asked) > 0 || fmt.Sprint(after.Messages) != flat {
		t.Errorf("the prompt after it differs: %v, asked at %v", err, asked)
	}
	s.Limits.Context, s.Lore[0] = 60000, it
	s.Window = id(0)
	if p, err = Compile(s); err != nil || strings.Contains(fmt.Sprint(p.Messages), "boat") || len(p.Lore) != 1 || !slices.ContainsFunc(p.Parts, func(part Part) bool {
		return !part.Included && strings.Contains(part.Reason, "already covered by the messages")
	}) {
		t.Errorf("told although messages tell it: %v %+v", err, p.Lore)
	}
}
