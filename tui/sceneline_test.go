package tui

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"pgregory.net/rapid"

	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/themes"
	"ghostlight/tui/look"
)

// barePlay is a play without an engine, of n messages of one line each.
func barePlay(t interface{ Fatal(...any) }, n, w, h int) *playList {
	set, errs := themes.Load("")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	km, _ := Keys(nil)
	p := newPlay(look.New(set[0], true, 1), km, NewDisplay(nil))
	var msgs []chats.Message
	for i := range n {
		msgs = append(msgs, chats.Message{Node: storage.Node{ID: storage.NodeID("n" + itoa(i)), Depth: i, Role: storage.User, Content: "Line " + itoa(i)}})
	}
	p.show(msgs, false, n, "")
	p.resize(w, h)
	return p
}

func plainLine(line string) string { return ansi.Strip(line) }

func TestSceneLine(t *testing.T) {
	full := scenes.Scene{Number: 3, Name: "The harbour at dawn", Messages: 24, Recap: scenes.RecapState{Version: 2, Versions: 3}}
	with := func(f func(s *scenes.Scene)) scenes.Scene { s := full; f(&s); return s }
	for name, tt := range map[string]struct {
		s    scenes.Scene
		w    int
		want string
	}{
		"wide":                 {full, 70, "─── 3 · The harbour at dawn · 24 messages · ▸ recap v2/3 ─────────────"},
		"narrow":               {full, 37, "─ 3 · The harbour at dawn · ▸ v2/3 ──"},
		"narrower":             {full, 20, "─ 3 · The harbour… ─"},
		"tiny":                 {full, 6, "──────"},
		"unfolded":             {with(func(s *scenes.Scene) { s.Expanded = true }), 60, "─── 3 · The harbour at dawn · 24 messages · ▾ recap v2/3 ───"},
		"stale":                {with(func(s *scenes.Scene) { s.Recap.Stale = true }), 66, "─── 3 · The harbour at d… · 24 messages · ▸ recap v2/3 · stale ───"},
		"no room for the word": {with(func(s *scenes.Scene) { s.Recap.Stale = true }), 37, "─ 3 · The harbour at dawn · ▸ v2/3 ──"},
		"being made":           {with(func(s *scenes.Scene) { s.Recap, s.Working = scenes.RecapState{}, true }), 60, "─── 3 · The harbour at dawn · 24 messages · recap … ────────"},
		"being made again":     {with(func(s *scenes.Scene) { s.Working = true }), 70, "─── 3 · The harbour at dawn · 24 messages · ▸ recap v2/3 … ───────────"},
		"nothing but a number": {scenes.Scene{Number: 1, Messages: 1}, 40, "─ 1 · unnamed · 1 message ──────────────"},
		"detected":             {with(func(s *scenes.Scene) { s.Detected = true }), 80, "─── 3 · The harbour at dawn · 24 messages · ▸ recap v2/3 · detected ────────────"},
		"and why":              {with(func(s *scenes.Scene) { s.Detected, s.Rationale = true, "It says “the next morning”." }), 100, "─── 3 · The harbour at dawn · 24 messages · ▸ recap v2/3 · detected: It says “the next morning”. ───"},
		"and cut":              {with(func(s *scenes.Scene) { s.Detected, s.Rationale = true, strings.Repeat("word ", 99) }), 90, "─── 3 · The harbour at dawn · 24 messages · ▸ recap v2/3 · detected: word word word w… ───"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plainLine(barePlay(t, 1, tt.w, 20).sceneLine(tt.s)); strings.TrimSuffix(got, " ") != strings.TrimSuffix(tt.want, " ") {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A scene's line takes the whole width, whatever is in it, and nothing under a
// scene is wider.
func TestSceneLine_Fits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "The harbour", evil, strings.Repeat("你好", 900), strings.Repeat("a", 10_000)}))
		s := scenes.Scene{Number: rapid.IntRange(1, 1<<20).Draw(rt, "number"), Name: text.Draw(rt, "name"), Rationale: text.Draw(rt, "why"),
			Messages: rapid.IntRange(0, 1<<20).Draw(rt, "messages"), Detected: rapid.Bool().Draw(rt, "detected"), Working: rapid.Bool().Draw(rt, "working"),
			Expanded: true, Recap: scenes.RecapState{Version: rapid.IntRange(0, 99).Draw(rt, "version"), Versions: 99, Stale: rapid.Bool().Draw(rt, "stale")}}
		p := barePlay(rt, 1, rapid.IntRange(1, 120).Draw(rt, "width"), 20)
		for i, l := range p.under(&sceneMark{s, text.Draw(rt, "recap")}) {
			if n := ansi.StringWidth(plainLine(l)); n > max(p.width, 6) || i == 0 && n < p.width-1 {
				rt.Fatalf("line %d has %d of %d cells: %q", i, n, p.width, plainLine(l))
			}
		}
		for w := range 100 {
			if line := sceneDetails(s, w); ansi.StringWidth(line) > w && strings.Contains(line, "detected") {
				rt.Fatalf("%d cells: %q", w, line)
			}
		}
	})
}

func TestShownRecap(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"nothing":         {"", ""},
		"empty headings":  {"## A\n\n## B\n\n- b\n\n## C\n", "## B\n* b"},
		"a heading alone": {"## A", ""},
		"no headings":     {"Once.\n\nTwice.", "Once.\n\nTwice."},
		"all":             {"## A\n- a\n\n## B\n- b\n", "## A\n* a\n\n## B\n* b"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := shownRecap(tt.text); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
	if n := len(shownRecap(strings.Repeat("€", 1<<20))); n > longestRecap {
		t.Errorf("%d bytes are kept", n)
	}
}

// What has not changed keeps its layout when the scenes are read again.
func TestMarks_KeepLayouts(t *testing.T) {
	p := barePlay(t, 9, 60, 30)
	one := scenes.Scene{Number: 1, Break: "n2", Last: "n2", LastDepth: 2, Name: "One", Messages: 3, Expanded: true, Recap: scenes.RecapState{Version: 1, Versions: 1}}
	two := scenes.Scene{Number: 2, Break: "n5", Last: "n5", FirstDepth: 3, LastDepth: 5, Name: "Two", Messages: 3}
	open := scenes.Scene{Number: 3, First: "n6", FirstDepth: 6, LastDepth: 8, Open: true}
	list := scenes.Scenes{List: []scenes.Scene{one, two, open}, CoversDepth: -1}
	p.mark(list)
	first, fifth := p.layout(p.items[2]), p.layout(p.items[5])
	p.missing(p.items[2])
	if len(p.marks.wanted) != 1 || p.marks.wanted[0] != "n2" {
		t.Fatalf("wanted: %v", p.marks.wanted)
	}
	p.told("n2", "- It rained.")
	if again := p.layout(p.items[2]); &again[0] == &first[0] || !strings.Contains(strings.Join(again, "\n"), "It rained") {
		t.Error("the recap is not shown")
	}
	first = p.layout(p.items[2])
	two.Name = "Three"
	list.List = []scenes.Scene{one, two, open}
	p.mark(list)
	p.marks.covered = 1
	if again := p.layout(p.items[2]); &again[0] != &first[0] {
		t.Error("an unchanged scene was laid out again")
	}
	if again := p.layout(p.items[5]); &again[0] == &fifth[0] || !strings.Contains(strings.Join(again, "\n"), "Three") {
		t.Error("a renamed scene was not laid out again")
	}
	p.missing(p.items[2])
	if len(p.marks.wanted) != 2 {
		t.Error("after a change the recap is not read again")
	}
	if !p.faded(p.items[1]) || p.faded(p.items[2]) {
		t.Error("the wrong messages stand back")
	}
}

func TestMarks_Bounded(t *testing.T) {
	p := barePlay(t, 500, 60, 30)
	var list scenes.Scenes
	for i := range 250 {
		id := storage.NodeID("n" + itoa(2*i+1))
		list.List = append(list.List, scenes.Scene{Number: i + 1, Break: id, Last: id, LastDepth: 2*i + 1, Expanded: true, Recap: scenes.RecapState{Version: 1, Versions: 1}})
	}
	p.mark(list)
	for _, s := range list.List {
		p.told(s.Last, "text")
	}
	held := 0
	for _, m := range p.marks.at {
		if m.text != "" {
			held++
		}
	}
	if held != keptRecaps || len(p.marks.held) != keptRecaps {
		t.Errorf("%d recaps are held", held)
	}
}

// The place in the list stays whatever is shown and hidden.
func TestPlay_Steady(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := barePlay(rt, 40, 50, rapid.IntRange(3, 30).Draw(rt, "height"))
		scene := scenes.Scene{Number: 1, Break: "n20", Last: "n20", LastDepth: 20, Expanded: true, Recap: scenes.RecapState{Version: 1, Versions: 1}}
		p.mark(scenes.Scenes{List: []scenes.Scene{scene}})
		rowOf := func(i int) int {
			row := p.height + p.below
			for j := i; j <= p.anchor; j++ {
				row -= p.heightOf(j)
			}
			return row
		}
		for range 12 {
			switch rapid.IntRange(0, 4).Draw(rt, "act") {
			case 0:
				p.scroll(rapid.IntRange(-20, 20).Draw(rt, "lines"))
			case 1:
				p.choose(rapid.IntRange(0, 39).Draw(rt, "message"))
			case 2:
				p.toTop(rapid.IntRange(0, 39).Draw(rt, "message"))
			case 3:
				p.unfold(rapid.IntRange(0, 39).Draw(rt, "message"))
			case 4:
				before, inView := rowOf(p.selected), p.selected <= p.anchor && rowOf(p.selected) >= 0 && !p.follow
				text := rapid.SampledFrom([]string{"", "one", strings.Repeat("line\n\n", 10), strings.Repeat("line\n\n", 50)}).Draw(rt, "recap")
				p.steady(func() { p.told("n20", text) })
				atAnEnd := p.follow || rowOf(0) >= 0 // where nothing can stay where it is
				if inView && p.selected < p.anchor && !atAnEnd && rowOf(p.selected) != before {
					rt.Fatalf("the selected message went from row %d to %d", before, rowOf(p.selected))
				}
			}
			if p.below < 0 || p.anchor < 0 || p.anchor >= len(p.items) || p.below > 0 && p.below >= p.heightOf(p.anchor) {
				rt.Fatalf("anchor %d, below %d", p.anchor, p.below)
			}
		}
	})
}

func TestWords_OfScenes(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1.0k", 2148: "2.1k", 9999: "9.9k", 14_800: "14k"} {
		if got := look.Thousands(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	if got := look.Range(0, 0) + " " + look.Range(3, 9); got != "1 4–10" {
		t.Errorf("%q", got)
	}
	why := "The message begins with a separator line: “* * *”."
	if got := reasonIn(why, 60) + "|" + reasonIn(why, 20) + "|" + reasonIn(why, 5) + "|" + reasonIn("It goes on elsewhere.", 9) + "|" + reasonIn("", 9); got != why+"|“* * *”|“* *…|It goes …|" {
		t.Errorf("%q", got)
	}
	if got := look.Within("  a\n b\u202e\x1b c "+strings.Repeat("x", 1<<20), 12); got != "a b cxxxxxx…" && got != "a b c xxxxx…" {
		t.Errorf("%q", got)
	}
}
