package lore

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/activation"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// traceOf is a trace of an entry as the engine makes it.
func traceOf(id, name string, v activation.Verdict, reason string, tokens int) activation.Trace {
	e := storage.NewLoreEntry()
	e.ID, e.Name, e.Keys, e.Content = storage.EntryID(id), name, []string{strings.ToLower(name)}, "[location-"+name+": stands in Skarvik, is old]"
	return activation.Trace{Book: "book", BookName: "Skarvik", Source: activation.Global, Entry: &e, Verdict: v, Reason: reason, Tokens: tokens,
		Text: e.Content, Round: 1, Position: storage.AfterChar}
}

// SampleActivation has an entry of every group.
func SampleActivation() lore.Activation {
	constant := traceOf("e1", "The island", activation.Triggered, "it is constant", 60)
	constant.Constant = true
	fired := traceOf("e2", "Lighthouse", activation.Triggered, "the key “lighthouse” matched in the newest message", 42)
	fired.Hits = []activation.Hit{{Key: "lighthouse", Message: "next"}, {Key: "Aksel", Secondary: true, Message: "m9", Back: 1}}
	byWay := traceOf("e3", "The drowned", activation.Triggered, "the key “cave” matched in what “Lighthouse” says", 31)
	byWay.Hits = []activation.Hit{{Key: "cave", Back: -1, Where: "recursion: Lighthouse"}}
	byWay.Path, byWay.Round, byWay.Position, byWay.Depth, byWay.Role = []string{"Lighthouse"}, 2, storage.AtDepth, 2, storage.System
	sticky := traceOf("e4", "The storm", activation.Triggered, "it is sticky for 3 more messages", 18)
	cut := traceOf("e5", "Ferry", activation.CutByBudget, "the key “ferry” matched, and the budget was used up", 210)
	chance := traceOf("e6", "Rumours", activation.FailedChance, "a roll of 63 missed 40 %", 25)
	chance.Entry.Probability = 40
	lost := traceOf("e7", "Fog", activation.LostGroup, "the key “fog” matched", 12)
	lost.Group = "weather: The storm won the roll of 120 of 200"
	held := traceOf("e8", "Compass", activation.SecondaryFault, "the key “compass” matched, and of its secondary keys none", 9)
	return lore.Activation{
		Result: activation.Result{Triggered: []activation.Trace{constant, fired, byWay, sticky}, Lost: []activation.Trace{cut, chance, lost, held}, Budget: 512, Used: 151, Over: true, Rounds: 2,
			Effects: []storage.LoreEffect{{Kind: storage.LoreSticky, Book: "book", UID: 0, Start: 8, End: 13}}},
		Pinned:    []lore.PinnedEntry{{Name: "Notebook", Book: "book", Entry: "e9", At: "m5", Tokens: 22, Reason: "the key “notebook” matched"}},
		Placement: "stay", Books: []lore.Book{{Lorebook: storage.Lorebook{ID: "book", Name: "Skarvik"}, On: true}},
	}
}

func TestActivationRows(t *testing.T) {
	var f activationList
	f.begin(nil)
	f.setActivation(SampleActivation())
	var got []string
	for _, n := range f.Lines {
		switch {
		case n < 0:
			head := f.Groups[-1-n]
			got = append(got, head+" "+f.HeadingNote(head))
		case f.Items[n].stay != nil:
			got = append(got, "+"+f.Items[n].stay.Name)
		default:
			got = append(got, "+"+traceName(f.Items[n].trace))
		}
	}
	want := []string{"Constant 1 · 60 tokens", "+The island", "Triggered now 3 · 91 tokens", "+Lighthouse", "+The drowned", "+The storm",
		"Still active from earlier turns 1 · 22 tokens", "+Notebook", "Cut by the budget 1 · 210 tokens", "+Ferry",
		"Lost by probability or group 2 · 37 tokens", "+Rumours", "+Fog", "Matched but suppressed 1 · 9 tokens", "+Compass"}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestPlaceWords(t *testing.T) {
	for want, p := range map[string]activation.Trace{
		"before the character":              {Position: storage.BeforeChar},
		"at the very end, as user":          {Position: storage.AtDepth, Role: storage.User},
		"1 message before the end":          {Position: storage.AtDepth, Depth: 1},
		"outlet weather":                    {Position: storage.Outlet, Outlet: "weather"},
		"above the author's note":           {Position: storage.NoteTop},
		"below the author's note":           {Position: storage.NoteBottom},
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

// A key that cannot be used is named where its entry is asked about.
func TestTraceFacts_Faults(t *testing.T) {
	t.Parallel()
	mine, other := storage.LoreEntry{ID: "mine"}, storage.LoreEntry{ID: "other"}
	does := lore.Activation{Faults: []activation.Fault{
		{Book: "b", Entry: "mine", Key: "/(/", Text: "the regex is not valid"},
		{Book: "b", Entry: "mine", Key: "/a+/", Text: "the regex was cut off"},
	}}
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

func TestPickedStrip(t *testing.T) {
	sty := testLook(t, true)
	for _, w := range []int{1, 5, 12, 20, 40, 200} {
		for at := range 4 {
			line := pickedStrip([]string{"all 10", "plist 4", "pronoun 3", "dead-key 3"}, at, w, sty)
			if !strings.Contains(line, "‹") {
				t.Errorf("%d cells, %d: %q", w, at, line)
			}
		}
	}
}

func TestCaseWords(t *testing.T) {
	for want, c := range map[string]lore.CaseResult{
		"triggers Lighthouse, Ferry":                  {LoreCase: storage.LoreCase{Fires: []string{"Lighthouse", "Ferry"}}, OK: true},
		"triggers no unwanted entry":                  {LoreCase: storage.LoreCase{Not: []string{"Ferry"}}, OK: true},
		"did not trigger: A, B · must not trigger: C": {Missing: []string{"A", "B"}, Extra: []string{"C"}},
		"no entry named: D":                           {Unknown: []string{"D"}},
	} {
		if got := caseWords(&bookCase{CaseResult: c}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func testLook(t testing.TB, dark bool) *draw.Styles {
	t.Helper()
	set, errs := themes.Load("")
	if len(errs) > 0 {
		t.Fatal(errs)
	}
	return draw.New(set[0], dark, 1)
}
