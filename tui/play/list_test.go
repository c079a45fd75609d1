package play

import (
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// bareList is a list without an engine, of n messages of one line each.
func bareList(t interface{ Fatal(...any) }, n, w, h int) *List {
	set, errs := themes.Load("")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	km, _ := keys.New(nil)
	p := NewList(draw.New(set[0], true, 1), km, noPictures{})
	var msgs []chats.Message
	for i := range n {
		msgs = append(msgs, bareMessage(i))
	}
	p.Show(chats.MessageRange{}, msgs, false, "")
	p.Resize(w, h)
	return p
}

func bareMessage(i int) chats.Message {
	return chats.Message{Node: storage.Node{ID: storage.NodeID("n" + strconv.Itoa(i)),
		Parent: storage.NodeID("n" + strconv.Itoa(i-1)), Depth: i, Role: storage.User,
		Content: "Line " + strconv.Itoa(i)}}
}

// noPictures lays out nothing.
type noPictures struct{}

func (noPictures) Lines(*storage.Capture, int, int, *draw.Styles) []string { return nil }
func (noPictures) Version(*storage.Capture) int                            { return 0 }
func (noPictures) MarkShown(*storage.Capture)                              {}

func plainLine(line string) string { return ansi.Strip(line) }

func TestSceneLine(t *testing.T) {
	full := scenes.Scene{Number: 3, Name: "The harbour at dawn", Messages: 24,
		Recap: scenes.RecapState{Version: 2, Versions: 3}}
	with := func(f func(s *scenes.Scene)) scenes.Scene { s := full; f(&s); return s }
	for name, tt := range map[string]struct {
		s    scenes.Scene
		w    int
		want string
	}{
		"wide":     {full, 70, "─── 3 · The harbour at dawn · 24 messages · ▸ recap v2/3 ─────────────"},
		"narrow":   {full, 37, "─ 3 · The harbour at dawn · ▸ v2/3 ──"},
		"narrower": {full, 20, "─ 3 · The harbour… ─"},
		"tiny":     {full, 6, "──────"},
		"unfolded": {with(func(s *scenes.Scene) { s.Expanded = true }), 60,
			"─── 3 · The harbour at dawn · 24 messages · ▾ recap v2/3 ───"},
		"stale": {with(func(s *scenes.Scene) { s.Recap.Stale = true }), 68,
			"─── 3 · The harbour at … · 24 messages · ▸ recap v2/3 · outdated ───"},
		"no room for the word": {with(func(s *scenes.Scene) { s.Recap.Stale = true }), 37,
			"─ 3 · The harbour at dawn · ▸ v2/3 ──"},
		"being made": {with(func(s *scenes.Scene) { s.Recap, s.Working = scenes.RecapState{}, true }), 60,
			"─── 3 · The harbour at dawn · 24 messages · recap … ────────"},
		"being made again": {with(func(s *scenes.Scene) { s.Working = true }), 70,
			"─── 3 · The harbour at dawn · 24 messages · ▸ recap v2/3 … ───────────"},
		"nothing but a number": {scenes.Scene{Number: 1, Messages: 1}, 40, "─ 1 · unnamed · 1 message ──────────────"},
		"detected": {with(func(s *scenes.Scene) { s.Detected = true }), 80,
			"─── 3 · The harbour at dawn · 24 messages · ▸ recap v2/3 · detected ────────────"},
		"and why": {with(func(s *scenes.Scene) { s.Detected, s.Rationale = true, "It says “the next morning”." }), 100,
			"─── 3 · The harbour at dawn · 24 messages · ▸ recap v2/3 · detected: It says “the next morning”. ───"},
		"and cut": {with(func(s *scenes.Scene) { s.Detected, s.Rationale = true, strings.Repeat("word ", 99) }), 90,
			"─── 3 · The harbour at dawn · 24 messages · ▸ recap v2/3 · detected: word word word w… ───"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plainLine(bareList(t, 1, tt.w, 20).sceneLine(tt.s)); strings.TrimSuffix(got,
				" ") != strings.TrimSuffix(tt.want, " ") {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A scene's line takes the whole width, whatever is in it, and nothing under a
// scene is wider.
func TestSceneLine_Fits(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.OneOf(rapid.String(),
			rapid.SampledFrom([]string{"", "The harbour",
				"\x1b[66;77Hmoved\x1b]0;owned\x07 \u202eright to left \u200d\U0001F467 ❤\ufe0f \x00",
				strings.Repeat("你好", 900), strings.Repeat("a", 10_000)}))
		s := scenes.Scene{Number: rapid.IntRange(1, 1<<20).Draw(rt, "number"), Name: text.Draw(rt, "name"),
			Rationale: text.Draw(rt, "why"),
			Messages:  rapid.IntRange(0, 1<<20).Draw(rt, "messages"), Detected: rapid.Bool().Draw(rt, "detected"),
			Working:  rapid.Bool().Draw(rt, "working"),
			Expanded: true, Recap: scenes.RecapState{Version: rapid.IntRange(0, 99).Draw(rt, "version"), Versions: 99,
				Stale: rapid.Bool().Draw(rt, "stale")}}
		p := bareList(rt, 1, rapid.IntRange(1, 120).Draw(rt, "width"), 20)
		for i, l := range p.sceneRows(&sceneMark{Scene: s, Text: text.Draw(rt, "recap")}) {
			if n := ansi.StringWidth(plainLine(l)); n > max(p.width, 6) || i == 0 && n < p.width-1 {
				rt.Fatalf("line %d has %d of %d cells: %q", i, n, p.width, plainLine(l))
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
	if n := len(shownRecap(strings.Repeat("€", 1<<20))); n > maxRecapLen {
		t.Errorf("%d bytes are kept", n)
	}
}

// What has not changed keeps its layout when the scenes are read again.
func TestMarks_KeepLayouts(t *testing.T) {
	p := bareList(t, 9, 60, 30)
	one := scenes.Scene{Number: 1, Break: "n2", Last: "n2", LastDepth: 2, Name: "One", Messages: 3, Expanded: true,
		Recap: scenes.RecapState{Version: 1, Versions: 1}}
	two := scenes.Scene{Number: 2, Break: "n5", Last: "n5", FirstDepth: 3, LastDepth: 5, Name: "Two", Messages: 3}
	open := scenes.Scene{Number: 3, First: "n6", FirstDepth: 6, LastDepth: 8, Open: true}
	list := scenes.Scenes{List: []scenes.Scene{one, two, open}, CoversDepth: -1}
	p.Mark(list)
	first, fifth := p.layout(p.Items[2]), p.layout(p.Items[5])
	p.missing(p.Items[2])
	if len(p.Marks.Wanted) != 1 || p.Marks.Wanted[0] != "n2" {
		t.Fatalf("wanted: %v", p.Marks.Wanted)
	}
	p.ShowRecap("n2", "- It rained.")
	if again := p.layout(p.Items[2]); &again[0] == &first[0] ||
		!strings.Contains(strings.Join(again, "\n"), "It rained") {
		t.Error("the recap is not shown")
	}
	first = p.layout(p.Items[2])
	two.Name = "Three"
	list.List = []scenes.Scene{one, two, open}
	p.Mark(list)
	p.Marks.Covered = 1
	if again := p.layout(p.Items[2]); &again[0] != &first[0] {
		t.Error("an unchanged scene was laid out again")
	}
	if again := p.layout(p.Items[5]); &again[0] == &fifth[0] || !strings.Contains(strings.Join(again, "\n"), "Three") {
		t.Error("a renamed scene was not laid out again")
	}
	p.missing(p.Items[2])
	if len(p.Marks.Wanted) != 2 {
		t.Error("after a change the recap is not read again")
	}
	if !p.faded(p.Items[1]) || p.faded(p.Items[2]) {
		t.Error("the wrong messages stand back")
	}
}

func TestMarks_Bounded(t *testing.T) {
	p := bareList(t, 500, 60, 30)
	var list scenes.Scenes
	for i := range 250 {
		id := storage.NodeID("n" + strconv.Itoa(2*i+1))
		list.List = append(list.List, scenes.Scene{Number: i + 1, Break: id, Last: id, LastDepth: 2*i + 1,
			Expanded: true, Recap: scenes.RecapState{Version: 1, Versions: 1}})
	}
	p.Mark(list)
	for _, s := range list.List {
		p.ShowRecap(s.Last, "text")
	}
	held := 0
	for _, m := range p.Marks.At {
		if m.Text != "" {
			held++
		}
	}
	if held != keptRecaps || len(p.Marks.held) != keptRecaps {
		t.Errorf("%d recaps are held", held)
	}
}

// The place in the list stays whatever is shown and hidden.
func TestPlay_Steady(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := bareList(rt, 40, 50, rapid.IntRange(3, 30).Draw(rt, "height"))
		scene := scenes.Scene{Number: 1, Break: "n20", Last: "n20", LastDepth: 20, Expanded: true,
			Recap: scenes.RecapState{Version: 1, Versions: 1}}
		p.Mark(scenes.Scenes{List: []scenes.Scene{scene}})
		rowOf := func(i int) int {
			row := p.Height + p.Below
			for j := i; j <= p.Anchor; j++ {
				row -= p.HeightOf(j)
			}
			return row
		}
		for range 12 {
			switch rapid.IntRange(0, 4).Draw(rt, "act") {
			case 0:
				p.Scroll(rapid.IntRange(-20, 20).Draw(rt, "lines"))
			case 1:
				p.Choose(rapid.IntRange(0, 39).Draw(rt, "message"))
			case 2:
				p.ToTop(rapid.IntRange(0, 39).Draw(rt, "message"))
			case 3:
				p.Unfold(rapid.IntRange(0, 39).Draw(rt, "message"))
			case 4:
				before, inView := rowOf(p.Selected), p.Selected <= p.Anchor && rowOf(p.Selected) >= 0 && !p.Follow
				text := rapid.SampledFrom([]string{"", "one", strings.Repeat("line\n\n", 10),
					strings.Repeat("line\n\n", 50)}).Draw(rt, "recap")
				p.KeepInPlace(func() { p.ShowRecap("n20", text) })
				atAnEnd := p.Follow || rowOf(0) >= 0 // where nothing can stay where it is
				if inView && p.Selected < p.Anchor && !atAnEnd && rowOf(p.Selected) != before {
					rt.Fatalf("the selected message went from row %d to %d", before, rowOf(p.Selected))
				}
			}
			if p.Below < 0 || p.Anchor < 0 || p.Anchor >= len(p.Items) ||
				p.Below > 0 && p.Below >= p.HeightOf(p.Anchor) {
				rt.Fatalf("anchor %d, below %d", p.Anchor, p.Below)
			}
		}
	})
}

func TestWords_OfScenes(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1.0k", 2148: "2.1k", 9999: "9.9k", 14_800: "14k"} {
		if got := draw.Thousands(n); got != want {
			t.Errorf("%d is %q, want %q", n, got, want)
		}
	}
	if got := draw.Range(0, 0) + " " + draw.Range(3, 9); got != "1 4–10" {
		t.Errorf("%q", got)
	}
	why := "The message begins with a separator line: “* * *”."
	if got := pane.ReasonIn(why, 60) + "|" + pane.ReasonIn(why, 20) + "|" + pane.ReasonIn(why, 5) + "|" +
		pane.ReasonIn("It goes on elsewhere.", 9) + "|" + pane.ReasonIn("", 9); got != why+"|“* * *”|“* *…|It goes …|" {
		t.Errorf("%q", got)
	}
	if got := draw.Truncate("  a\n b\u202e\x1b c "+strings.Repeat("x", 1<<20), 12); got != "a b cxxxxxx…" &&
		got != "a b c xxxxx…" {
		t.Errorf("%q", got)
	}
}

func TestPlay_SaysWhoHeardAWhisper(t *testing.T) {
	p := &List{names: map[storage.CharacterID]string{"m": "Mara", "i": "Ilse", "t": "Tove"}}
	quiet := func(ids ...storage.CharacterID) *storage.Presence {
		return &storage.Presence{Witnesses: ids, Whisper: true}
	}
	for _, c := range []struct {
		role storage.Role
		who  storage.CharacterID
		what *storage.Presence
		want string
	}{
		{storage.User, "", nil, ""},
		{storage.User, "", &storage.Presence{Witnesses: []storage.CharacterID{"m"}}, ""}, // Tove was away
		{storage.User, "", quiet("m"), "whispered to Mara"},
		{storage.User, "", quiet("m", "i", "t"), "whispered to Mara, Ilse and Tove"},
		{storage.User, "", quiet("gone"), "whispered to somebody"},
		{storage.User, "", quiet("m", "gone"), "whispered to Mara and someone else"},
		{storage.User, "", quiet("m", "gone", "gone2"), "whispered to Mara and 2 others"},
		{storage.Assistant, "m", quiet("m"), "whispered to you"},
		{storage.Assistant, "m", quiet("m", "i"), "whispered to you and Ilse"},
	} {
		m := chats.Message{Node: storage.Node{Role: c.role, Speaker: c.who, Presence: c.what}}
		if diff := cmp.Diff(c.want, p.whispered(&m)); diff != "" {
			t.Errorf("%+v: %s", c, diff)
		}
	}
}

func TestPlay_CastNamesHaveColours(t *testing.T) {
	t.Parallel()
	p := bareList(t, 0, 60, 20)
	sty := p.sty
	p.Append(chats.Message{Node: storage.Node{ID: "1", Role: storage.Assistant, Name: "Mara", Speaker: "m",
		Content: "Yes."}})
	before := p.layout(p.Items[0])[0]
	p.Cast(storage.Chat{Character: "t", Play: storage.Play{Cast: []storage.CastMember{{Character: "m"}}}},
		chats.CastList{List: []chats.CastView{{Character: "t", Name: "Tove", Main: true},
			{Character: "m", Name: "Mara"}}})
	after := p.layout(p.Items[0])[0]
	if before == after || !strings.Contains(after, "Mara") {
		t.Errorf("%q before, %q with a cast", before, after)
	}
	if got := p.voice("t"); !draw.SameColor(got.Fg, sty.Palette.Character) {
		t.Error("the main character has lost the theme's colour")
	}
}

func TestList_TellsPositions(t *testing.T) {
	t.Parallel()
	var m keys.Map
	p := NewList(nil, &m, nil)
	p.Items = []*Item{{Msg: chats.Message{Node: storage.Node{ID: "01M7Z1GQX9ATA97TWEX10AV3KQ", Depth: 6}}}}
	if got := p.Positions("messages 01M7Z1GQX9ATA97TWEX10AV3KQ to 01M7Z1GQX9ATA97TWEX10AV3KR"); got != "messages 7 "+
		"to …0AV3KR" {
		t.Errorf("%q", got)
	}
}
