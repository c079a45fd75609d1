package tui

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ghostlight/engine/lore"
	"ghostlight/engine/lore/activation"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/widget"
)

// traceOf is a trace of an entry as the engine makes it.
func traceOf(id, name string, v activation.Verdict, reason string, tokens int) activation.Trace {
	e := storage.NewLoreEntry()
	e.ID, e.Name, e.Keys, e.Content = storage.EntryID(id), name, []string{strings.ToLower(name)}, "[location-"+name+": stands in Skarvik, is old]"
	return activation.Trace{Book: "book", BookName: "Skarvik", Source: activation.Global, Entry: &e, Verdict: v, Reason: reason, Tokens: tokens,
		Text: e.Content, Round: 1, Position: storage.AfterChar}
}

// sampleActivation has an entry of every group.
func sampleActivation() lore.Activation {
	constant := traceOf("e1", "The island", activation.Fired, "it is constant", 60)
	constant.Constant = true
	fired := traceOf("e2", "Lighthouse", activation.Fired, "the key “lighthouse” matched in the newest message", 42)
	fired.Hits = []activation.Hit{{Key: "lighthouse", Message: "next"}, {Key: "Aksel", Secondary: true, Message: "m9", Back: 1}}
	byWay := traceOf("e3", "The drowned", activation.Fired, "the key “cave” matched in what “Lighthouse” says", 31)
	byWay.Hits = []activation.Hit{{Key: "cave", Back: -1, Where: "recursion: Lighthouse"}}
	byWay.Path, byWay.Round, byWay.Position, byWay.Depth, byWay.Role = []string{"Lighthouse"}, 2, storage.AtDepth, 2, storage.System
	sticky := traceOf("e4", "The storm", activation.Fired, "it is sticky for 3 more messages", 18)
	cut := traceOf("e5", "Ferry", activation.CutByBudget, "the key “ferry” matched, and the budget was used up", 210)
	chance := traceOf("e6", "Rumours", activation.FailedChance, "a roll of 63 missed 40 %", 25)
	chance.Entry.Probability = 40
	lost := traceOf("e7", "Fog", activation.LostGroup, "the key “fog” matched", 12)
	lost.Group = "weather: The storm won the roll of 120 of 200"
	held := traceOf("e8", "Compass", activation.SecondaryFault, "the key “compass” matched, and of its secondary keys none", 9)
	return lore.Activation{
		Result: activation.Result{Fired: []activation.Trace{constant, fired, byWay, sticky}, Lost: []activation.Trace{cut, chance, lost, held}, Budget: 512, Used: 151, Over: true, Rounds: 2,
			Effects: []storage.LoreEffect{{Kind: storage.LoreSticky, Book: "book", UID: 0, Start: 8, End: 13}}},
		Stays:     []lore.Standing{{Name: "Notebook", Book: "book", Entry: "e9", At: "m5", Tokens: 22, Reason: "the key “notebook” matched"}},
		Placement: "stay", Books: []lore.Book{{Lorebook: storage.Lorebook{ID: "book", Name: "Skarvik"}, On: true}},
	}
}

// showWhy opens the view of the next turn and puts an activation into it.
func (s *session) showWhy(act lore.Activation) *session {
	s.t.Helper()
	s.in(func(a *app) { a.send2(a.Run(keys.LoreWhy)) })
	s.until("the next turn", func() bool {
		ready := false
		s.in(func(a *app) { w := a.whyShown(); ready = w != nil && w.loaded && w.text == a.composer.in.Value() })
		return ready
	})
	s.in(func(a *app) { a.whyShown().reads.Begin(); a.whyShown().fault = nil; a.whyShown().take(act) })
	return s
}

func TestGolden_LoreWhy(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").typeText("I climb to the lighthouse").showWhy(sampleActivation())
	s.see("Fired now").goldenAfter("lore-why", []string{"g"}).goldenStyled("lore-why")
	s.press("g", "j", "enter").see("What the model is told").golden("lore-why-trace")
	s.press("esc").notSee("What the model is told").press("G").goldenAfter("lore-why-end", []string{"G"}, dims{40, 12}, dims{80, 24})
}

func TestGolden_LoreWhyNothing(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").showWhy(lore.Activation{})
	s.see("No lorebook is switched on").golden("lore-why-nothing")
}

// Keys on rows do what the foot says.
func TestLoreWhy_Keys(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 120, h: 36, prepare: withStory(t, harbour, false)})
	act := sampleActivation()
	at := s.chat().Messages
	act.Fired[1].Hits = []activation.Hit{{Key: "lighthouse", Message: at[4].ID, Back: 5}, {Key: "Aksel", Message: at[2].ID, Back: 7}, {Key: "aksel", Message: at[2].ID, Back: 7}}
	act.Stays[0].At = at[6].ID
	s.see("blue boat").showWhy(act)
	chosen := func() (n int) { s.in(func(a *app) { n = a.play.Selected }); return n }
	s.press("g", "S").see("it is in every prompt")
	s.press("j", "S").see("message 1 of 2")
	if n := chosen(); n != 4 {
		t.Errorf("message %d is selected", n)
	}
	s.press("S").see("message 2 of 2")
	if n := chosen(); n != 2 {
		t.Errorf("message %d is selected", n)
	}
	s.press("S").see("message 1 of 2").press("j", "S").see("recursion: Lighthouse")
	s.press("j", "j", "S").see("stands before this message")
	if n := chosen(); n != 6 {
		t.Errorf("message %d is selected", n)
	}
	s.press("enter").see("stays from an earlier turn", "message 7").press("esc").notSee("earlier turn ·")
	s.press("j", "enter").see("fires, and is cut by the budget", "Skarvik (global)").press("esc")
	s.press("g", "j", "enter").see("fires", "(5): “").press("m").see("a key matched here").notSee("What the model is told")
	s.press("w").see("no lorebook that is on")
}

// The next turn is worked out with what stands in the composer.
func TestLoreWhy_FollowsTheComposer(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 120, h: 36, prepare: withStory(t, harbour, false)})
	s.see("blue boat").showWhy(lore.Activation{})
	s.see("as the chat stands").press("esc", "i").typeText("The lighthouse").see("as if you sent what you are writing")
	s.until("the turn with all of the text", func() bool {
		text := ""
		s.in(func(a *app) { text = a.whyShown().text })
		return text == "The lighthouse"
	})
}

func TestLoreWhy_LateAnswer(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").showWhy(sampleActivation())
	s.in(func(a *app) {
		w := a.whyShown()
		msg := w.read(a)()
		w.reads.Begin() // another one is under way
		msg.(desk.Answer)()
		if len(w.does.Fired) != 4 {
			t.Error("a late answer was taken")
		}
	})
}

func TestFiringRows(t *testing.T) {
	act := sampleActivation()
	var got []string
	for _, r := range firingRows(&act) {
		switch {
		case r.head != "":
			got = append(got, r.head)
		case r.stay != nil:
			got = append(got, "+"+r.stay.Name)
		default:
			got = append(got, "+"+traceName(r.trace))
		}
	}
	want := []string{"In every prompt · 1 · 60 tokens", "+The island", "Fired now · 3 · 91 tokens", "+Lighthouse", "+The drowned", "+The storm",
		"Still there from earlier turns · 1 · 22 tokens", "+Notebook", "Cut by the budget · 1 · 210 tokens", "+Ferry",
		"Lost by chance or group · 2 · 37 tokens", "+Rumours", "+Fog", "Matched and held back · 1 · 9 tokens", "+Compass"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestPlaceWords(t *testing.T) {
	for want, p := range map[string]activation.Trace{
		"before the character":              {Position: storage.BeforeChar},
		"at the very end, as user":          {Position: storage.AtDepth, Role: storage.User},
		"1 message before the end":          {Position: storage.AtDepth, Depth: 1},
		"into the outlet weather":           {Position: storage.Outlet, Outlet: "weather"},
		"above the author's note":           {Position: storage.NoteTop},
		"under the author's note":           {Position: storage.NoteBottom},
		"before the examples":               {Position: storage.BeforeExamples},
		"after the examples":                {Position: storage.AfterExamples},
		"after the character":               {Position: storage.AfterChar},
		"":                                  {Position: 99},
		"4 messages before the end, as ass": {Position: storage.AtDepth, Depth: 4, Role: "ass"},
	} {
		if got := placeWords(p.Position, p.Depth, p.Role, p.Outlet); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestQuoteAround(t *testing.T) {
	for _, c := range []struct{ text, key, want string }{
		{"I climb the lighthouse.", "lighthouse", "“I climb the lighthouse.”"},
		{"one two three four five six seven eight the Lighthouse stands", "lighthouse", "“…six seven eight the Lighthouse stands”"},
		{"nothing", "lighthouse", ""},
		{"nothing", "", ""},
		{"İİİİ key", "KEY", "“İİİİ key”"},
	} {
		if got := quoteAround(c.text, c.key); got != c.want {
			t.Errorf("%q in %q: %q, want %q", c.key, c.text, got, c.want)
		}
	}
}

// Whatever the rows are, the chosen one is in view and is no heading, and rows
// never leave the area.
func TestOutline_KeepsTheChosenRowInView(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var o widget.Outline
		fill := func() {
			rows := make([]widget.OutlineRow, rapid.IntRange(0, 30).Draw(t, "rows"))
			for i := range rows {
				rows[i] = widget.OutlineRow{Height: rapid.IntRange(1, 9).Draw(t, "h"), Heading: rapid.IntRange(0, 3).Draw(t, "head") == 0}
			}
			o.Fill(rows)
		}
		fill()
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0:
				fill()
			case 1:
				o.Move(rapid.IntRange(-40, 40).Draw(t, "n"))
			case 2:
				o.Click(rapid.IntRange(-3, 60).Draw(t, "line"))
			case 3:
				o.Act(keys.PaneTop)
			case 4:
				o.Act(keys.PaneBottom)
			}
			area := uv.Rect(3, 5, 20, rapid.IntRange(1, 25).Draw(t, "height"))
			seen, y := false, area.Min.Y
			o.Show(area, func(i int, room uv.Rectangle) {
				if room.Min.Y != y || room.Max.Y > area.Max.Y || room.Empty() {
					t.Fatalf("row %d has %v in %v", i, room, area)
				}
				y = room.Max.Y
				if i == o.Chosen() {
					seen = true
					if room.Dy() < o.Rows[i].Height && room.Min.Y != area.Min.Y {
						t.Fatalf("the chosen row %d is cut: %v of %d lines in %v", i, room, o.Rows[i].Height, area)
					}
				}
			})
			choosable := false
			for _, r := range o.Rows {
				choosable = choosable || !r.Heading
			}
			if choosable != (o.Chosen() >= 0) {
				t.Fatalf("row %d is chosen of %v", o.Chosen(), o.Rows)
			}
			if choosable && !seen {
				t.Fatalf("the chosen row %d is out of view: top %d, %v", o.Chosen(), o.Top, o.Rows)
			}
		}
	})
}

// A key that cannot be used is named where its entry is asked about.
func TestTraceFacts_Faults(t *testing.T) {
	t.Parallel()
	mine, other := storage.LoreEntry{ID: "mine"}, storage.LoreEntry{ID: "other"}
	does := lore.Activation{Faults: []activation.Fault{{Book: "b", Entry: "mine", Key: "/(/", Text: "the regex is not valid"}}}
	does.Result.Faults = []activation.Fault{{Book: "b", Entry: "mine", Key: "/a+/", Text: "the regex was cut off"}}
	for _, c := range []struct {
		trace activation.Trace
		want  []string
	}{
		{activation.Trace{Book: "b", Entry: &mine}, []string{"“/(/”: the regex is not valid", "“/a+/”: the regex was cut off"}},
		{activation.Trace{Book: "b", Entry: &other}, nil},
		{activation.Trace{Book: "another", Entry: &mine}, nil},
		{activation.Trace{Book: "b"}, nil},
	} {
		var got []string
		for _, f := range traceFacts(&c.trace, &does, nil) {
			if f.label == "fault" {
				got = append(got, f.text)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %q, want %q", c.trace, got, c.want)
		}
	}
}

func TestLoreWhy_Hostile(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	act := sampleActivation()
	for i := range act.Fired {
		tr := &act.Fired[i]
		tr.Entry.Name, tr.Entry.Content, tr.Text, tr.Reason, tr.BookName = evil, evil, strings.Repeat(evil, 50), evil, evil
		tr.Entry.Keys, tr.Path, tr.Group = []string{evil, evil}, []string{evil}, evil
		tr.Hits = []activation.Hit{{Key: evil, Where: evil, Back: -1}}
	}
	act.Stays[0].Name, act.Stays[0].Reason, act.Stays[0].Book = evil, evil, evil
	s.see("blue boat").showWhy(act)
	s.press("g", "enter").see("because")
	for _, d := range []dims{{1, 1}, {7, 4}, {20, 8}, {40, 12}, {80, 24}, {200, 60}} {
		s.size(d.w, d.h)
		s.press("esc", "j", "enter").now()
	}
	scan(t, s.out.bytes())
}

func TestLoreWhy_Mouse(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{w: 120, h: 36, prepare: withStory(t, harbour, false)})
	s.see("blue boat").showWhy(sampleActivation())
	y := -1
	for i, l := range strings.Split(s.see("Rumours").now(), "\n") {
		if strings.Contains(l, "Rumours") {
			y = i
		}
	}
	s.prog.Send(tea.MouseClickMsg{X: 100, Y: y, Button: tea.MouseLeft})
	s.in(func(a *app) {
		if r := a.whyShown().row(); r == nil || r.entry() != "e6" {
			t.Errorf("row %+v is chosen", r)
		}
	})
	s.prog.Send(tea.MouseWheelMsg{X: 100, Y: y, Button: tea.MouseWheelDown})
	s.in(func(a *app) {
		if r := a.whyShown().row(); r == nil || r.entry() != "e7" {
			t.Errorf("row %+v is chosen", r)
		}
	})
}
