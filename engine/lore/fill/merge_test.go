package fill

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func merged(t testing.TB, of MergeInput, answer string) *MergeAnswer {
	t.Helper()
	m := &MergeAnswer{Input: of}
	if err := json.Unmarshal([]byte(answer), m); err != nil {
		t.Fatal(err)
	}
	return m
}

// content is an answer as prompts of the user's own may ask for it.
func content(text, canonical string) string {
	raw, _ := json.Marshal(map[string]string{"content": text, "canonicalName": canonical})
	return string(raw)
}

// The facts of mara: [1] keeper, [2] hair(red), [3] owes(Robin), [4] calm; news: [5]
// hair(black), [6] lost(brass lantern).
var mara = MergeInput{Name: "Mara Reed", Aliases: []string{"the keeper"}, Type: "character", CandidateName: "Mara",
	Content: "[character-Mara Reed: keeper,  hair(red), owes(Robin), calm]", NewContent: "[character-Mara: hair(black), lost(brass lantern)]"}

func TestMerge_NothingIsForgottenSilently(t *testing.T) {
	for _, tt := range []struct {
		name, answer, want string
		fault              string
		dropped            []string
	}{
		{name: "an honest answer", answer: `{"facts": [{"text": "keeper", "from": [1]}, {"text": "hair(black)", "from": [5]}, {"text": "owes(Robin)", "from": [3]}, {"text": "calm", "from": [4]},
			{"text": "lost(brass lantern)", "from": [6]}], "dropped": [{"fact": 2, "why": "the hair is black now"}], "canonicalName": ""}`,
			want:    "[character-Mara Reed: keeper, owes(Robin), calm, hair(black), lost(brass lantern)]",
			dropped: []string{"2 hair(red): the hair is black now"}},
		{name: "an old fact and its news in one", answer: `{"facts": ["keeper", {"text": "hair(black)", "from": [2, 5]}, "owes(Robin)", "calm", {"text": "lost(lantern of brass)", "from": [6]}], "dropped": []}`,
			want: "[character-Mara Reed: keeper, hair(black), owes(Robin), calm, lost(lantern of brass)]"},
		{name: "two facts are not mentioned", answer: `{"facts": [{"text": "keeper", "from": [1]}, {"text": "hair(black)", "from": [5, 2]}, {"text": "lost(brass lantern)", "from": [6]}]}`,
			want: "[character-Mara Reed: keeper, hair(black), owes(Robin), calm, lost(brass lantern)]"},
		{name: "only what changes", answer: `{"facts": [{"text": "owes(Robin, 2 coins)", "from": [3]}, {"text": "hair(black)", "from": [2, 5]}], "dropped": [{"fact": 1, "why": "the light is out"}]}`,
			want:    "[character-Mara Reed: hair(black), owes(Robin, 2 coins), calm, lost(brass lantern)]",
			dropped: []string{"1 keeper: the light is out"}},
		{name: "an invention", answer: `{"facts": [{"text": "keeper", "from": [1]}, {"text": "hair(black)", "from": [2, 5]}, {"text": "owes(Robin)", "from": [3]}, {"text": "calm", "from": [4]},
			{"text": "lost(brass lantern)", "from": [6]}, {"text": "rules(Narnia, Oz)", "from": [71]}], "dropped": []}`,
			want: "[character-Mara Reed: keeper, hair(black), owes(Robin), calm, lost(brass lantern)]"},
		{name: "several in one, and twice", answer: `{"facts": [{"text": "keeper, owes(Robin), calm", "from": [1, 3, 4]}, {"text": "Keeper", "from": [1]}, {"text": "hair(black), lost(brass lantern)", "from": [2, 5, 6]}], "dropped": []}`,
			want: "[character-Mara Reed: keeper, owes(Robin), calm, hair(black), lost(brass lantern)]"},
		{name: "nothing new", answer: `{"facts": ["calm", "keeper", "hair(red)", "owes(Robin)"], "dropped": [{"fact": 5, "why": "a slip"}, {"fact": 6, "why": "another's"}]}`,
			want: mara.Content, dropped: []string{"5 hair(black): a slip", "6 lost(brass lantern): another's"}},
		{name: "no facts", answer: `{"facts": [], "dropped": []}`,
			want: "[character-Mara Reed: keeper,  hair(red), owes(Robin), calm, hair(black), lost(brass lantern)]"},
		{name: "nothing at all", answer: `{}`,
			want: "[character-Mara Reed: keeper,  hair(red), owes(Robin), calm, hair(black), lost(brass lantern)]"},
		{name: "a parenthesis too many", answer: `{"facts": ["a(b(c(d)))"]}`, fault: "deeper than two levels"},
		{name: "as one content", answer: content("```\n[NPC-The Keeper: keeper, keeper, hair(red),, owes(Robin), calm, hair(black), lost(brass lantern)]\n```", ""),
			want: "[character-Mara Reed: keeper,  hair(red), owes(Robin), calm, hair(black), lost(brass lantern)]"},
		{name: "about another", answer: content("[character-Tom: keeper, hair(black), owes(Robin)]", ""), fault: "about “Tom”, and should be about “Mara Reed”"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := merged(t, mara, tt.answer)
			err := m.Check()
			if tt.fault == "" && err != nil || tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)) {
				t.Errorf("%v, want %q", err, tt.fault)
			}
			if tt.fault != "" {
				return
			}
			got := m.Result()
			if got.Content != tt.want || got.Renamed != "" {
				t.Errorf("%q, %q", got.Content, got.Renamed)
			}
			var dropped []string
			for _, d := range got.Dropped {
				dropped = append(dropped, fmt.Sprintf("%d %s: %s", d.Number, d.Text, d.Why))
			}
			if d := cmp.Diff(tt.dropped, dropped); d != "" {
				t.Error(d)
			}
		})
	}
}

// New facts that stay have the entry's form, are in it once and keep their sources.
func TestMerge_NewsThatStay(t *testing.T) {
	of := mara
	for news, want := range map[string]string{
		"[character-Mara: Keeper, lost(brass lantern)]": "[character-Mara Reed: keeper,  hair(red), owes(Robin), calm, lost(brass lantern)]: 1 5, 2, 3, 4, 6",
		"Mara is blind, and deaf. Mara (limps.":         "[character-Mara Reed: keeper,  hair(red), owes(Robin), calm, Mara is blind, and deaf., Mara limps.]: 1, 2, 3, 4, 5, 5, 6",
		"[character-Mara: hair(black, tall]":            "[character-Mara Reed: keeper,  hair(red), owes(Robin), calm, character-Mara: hair black – tall]: 1, 2, 3, 4, 5",
	} {
		of.NewContent = news
		got := merged(t, of, `{"facts": [], "dropped": []}`).Result()
		var facts, sources []string
		for _, f := range got.Facts {
			facts, sources = append(facts, f.Text), append(sources, strings.Trim(fmt.Sprint(f.Sources), "[]"))
		}
		if all := got.Content + ": " + strings.Join(sources, ", "); all != want || !plist.Valid(got.Content) || !slices.Equal(facts, plist.Facts(got.Content)) {
			t.Errorf("%s\n%s", news, all)
		}
	}
}

// A fact that is kept elsewhere need not be repeated, and a new fact that states nothing else is
// left out.
func TestMerge_LeavesOutWhatIsKeptElsewhere(t *testing.T) {
	of := mara
	of.Content, of.KeptElsewhere = "[character-Mara Reed: hair(red), owes(Robin)]", []string{"hair(black)", "lost(brass lantern)"}
	m := merged(t, of, `{"facts": [{"text": "owes(Robin)", "from": [2]}, {"text": "hair(black)", "from": [3]}], "dropped": [{"fact": 1, "why": "it is black"}]}`)
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	if got := m.Result(); got.Content != "[character-Mara Reed: owes(Robin)]" || len(got.Dropped) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestMerge_KeepsTheFormOfAFreeText(t *testing.T) {
	of := mara
	of.Content = "Mara Reed keeps the light. Mara has red hair."
	m := merged(t, of, `{"facts": [{"text": "Mara Reed keeps the light.", "from": [1]}, {"text": "Mara has black hair.", "from": [2, 3]}, {"text": "Mara lost the brass lantern.", "from": [4]}], "dropped": []}`)
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	if got := m.Result().Content; got != "Mara Reed keeps the light. Mara has black hair. Mara lost the brass lantern." {
		t.Error(got)
	}
	if m = merged(t, of, `{"facts": ["Mara Reed keeps the light", "Mara has red hair."], "dropped": [{"fact": 3, "why": "x y"}, {"fact": 4, "why": "x y"}]}`); m.Check() != nil {
		t.Error(m.Check())
	} else if got := m.Result().Content; got != of.Content {
		t.Error("nothing new, and yet", got)
	}
	if err := merged(t, of, content(mara.Content, "")).Check(); err == nil || !strings.Contains(err.Error(), "plain text") {
		t.Error(err)
	}
}

func TestMerge_Renames(t *testing.T) {
	of := MergeInput{Name: "the bartender", Type: "character", Content: "[character-the bartender: pours(ale)]", CandidateName: "Tom Reed", NewContent: "[character-Tom Reed: is the bartender, blind]"}
	for _, tt := range []struct {
		of              MergeInput
		canonical, want string
	}{
		{of, "Tom Reed", "Tom Reed"}, {of, " “Tom Reed” ", "Tom Reed"}, {of, "", ""}, {of, "the barkeep", ""}, {of, "Jack Sparrow", ""}, {of, "{{user}}", ""}, {of, "The Bartender", ""},
		{mara, "Mara", ""},
	} {
		m := merged(t, tt.of, content("[character-x: y]", tt.canonical))
		if got := m.Renamed(); got != tt.want {
			t.Errorf("%q: %q", tt.canonical, got)
		}
	}
	m := merged(t, of, `{"facts": [{"text": "pours(ale)", "from": [1]}, {"text": "blind", "from": [3]}], "dropped": [{"fact": 2, "why": "the name says it"}], "canonicalName": "Tom Reed"}`)
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	e := storage.NewLoreEntry()
	e.Name, e.Type, e.Content, e.Keys = of.Name, of.Type, of.Content, []string{"bartender"}
	got, changed := m.Result().Apply(e)
	if !changed || got.Name != "Tom Reed" || got.Content != "[character-Tom Reed: pours(ale), blind]" {
		t.Errorf("%+v", got)
	}
	if d := cmp.Diff([][]string{{"the bartender"}, {"bartender", "tom reed"}}, [][]string{got.Aliases, got.Keys}); d != "" {
		t.Error(d)
	}
	if len(e.Keys) != 1 || e.Aliases != nil {
		t.Error("the entry before was changed")
	}
}

func TestOutcome_ApplyLeavesAloneWhatSaysNothingNew(t *testing.T) {
	e := storage.NewLoreEntry()
	e.Name, e.Type, e.Content, e.Aliases = mara.Name, mara.Type, mara.Content, []string{"the keeper", "Mara"}
	out := Outcome{Content: e.Content, Alias: "Mara"}
	if got, changed := out.Apply(e); changed || got.Content != e.Content {
		t.Errorf("%+v", got)
	}
	out.Alias = "Mara of the Light"
	if got, changed := out.Apply(e); !changed || got.Aliases[2] != "Mara of the Light" {
		t.Errorf("%+v", got.Aliases)
	}
}

// Another name is taken where the answer says that what the news call it is one.
func TestMerge_Alias(t *testing.T) {
	of := mara
	for alias, want := range map[string]string{"mara of the light": "Mara of the Light", "": "", "Tom": ""} {
		of.CandidateName = "Mara of the Light"
		if got := merged(t, of, `{"facts": ["keeper"], "alias": "`+alias+`"}`).Result().Alias; got != want {
			t.Errorf("%q: %q, want %q", alias, got, want)
		}
	}
}

func TestMerge_ShowsOfALongEntryWhatTheNewsAreAbout(t *testing.T) {
	var facts []string
	for i := range 200 {
		facts = append(facts, fmt.Sprintf("fact%d(number %d, of little weight)", i, i))
	}
	facts[150] = "hair(red, long)"
	of := mara
	of.Content = "[character-Mara Reed: " + strings.Join(facts, ", ") + "]\n"
	sub := of.Shown()
	if !plist.Valid(sub) || len(sub) > maxMerged || !strings.Contains(sub, "hair(red, long)") || !strings.HasPrefix(sub, "[character-Mara Reed: ") {
		t.Fatalf("%d bytes: %s", len(sub), sub)
	}
	shown, own := of.Facts()
	at := slices.Index(shown, "hair(red, long)") + 1
	var said []any
	for i, f := range shown {
		if i+1 != at {
			said = append(said, map[string]any{"text": f, "from": []int{i + 1}})
		}
	}
	raw, _ := json.Marshal(map[string]any{"facts": said, "dropped": []any{map[string]any{"fact": at, "why": "the hair is black"}}})
	m := merged(t, of, string(raw))
	if err := m.Check(); err != nil {
		t.Fatal(err)
	}
	got := m.Result().Content
	if strings.Contains(got, "red, long") || strings.Count(got, "of little weight") != 199 || !strings.Contains(got, "hair(black), lost(brass lantern)") {
		t.Errorf("%q", got)
	}
	raw, _ = json.Marshal(map[string]any{"facts": said[:own-1], "dropped": []any{}})
	if got := merged(t, of, string(raw)).Result(); len(got.Dropped) != 0 || strings.Count(got.Content, "of little weight") != 199 ||
		!strings.Contains(got.Content, "hair(red, long)") || !strings.Contains(got.Content, "hair(black), lost(brass lantern)") {
		t.Errorf("%+v", got)
	}
}

func TestSettle(t *testing.T) {
	for _, tt := range []struct{ before, answer, want string }{
		{"[c-M:  a, b]", "[c-M: b, A.]", "[c-M:  a, b]"}, {"[c-M: a]", "[c-N: a]", "[c-N: a]"}, {"[c-M: a]", "[c-M: a, b]", "[c-M: a, b]"}, {"One.\nTwo.", "One. Two.", "One.\nTwo."}, {"", "[c-M: a]", "[c-M: a]"},
	} {
		if got := UnlessSame(tt.before, tt.answer); got != tt.want {
			t.Errorf("%q, %q: %q", tt.before, tt.answer, got)
		}
	}
}

// The facts: [1] keeper of the old lighthouse at Ulm, [2] calm, [3] calm at night too, [4] owes 12 coins.
func TestCompact(t *testing.T) {
	of := CompactInput{Name: "Mara Reed", Type: "character", Max: 62,
		Content: "[character-Mara Reed: keeper of the old lighthouse at Ulm, is calm, is calm at night too, owes 12 coins to {{user}}]"}
	for _, tt := range []struct {
		name, answer, fault string
		usable              bool
		want                string
		dropped             int
	}{
		{"honest", `{"facts": [{"text": "keeps lighthouse(Ulm, old)", "from": [1]}, {"text": "calm, at night too", "from": [2, 3]}, {"text": "owes({{user}}, 12 coins)", "from": [4]}], "dropped": []}`, "", true,
			"[character-Mara Reed: keeps lighthouse(Ulm, old), calm, at night too, owes({{user}}, 12 coins)]", 0},
		{"with a reason", `{"facts": [{"text": "keeps lighthouse(Ulm, old)", "from": [1]}, {"text": "calm at night", "from": [2, 3]}], "dropped": [{"fact": 4, "why": "the debt is paid"}]}`, "", true,
			"[character-Mara Reed: keeps lighthouse(Ulm, old), calm at night]", 1},
		{"forgetful", `{"facts": [{"text": "keeps lighthouse(Ulm, old)", "from": [1]}, {"text": "calm at night", "from": [2, 3]}], "dropped": []}`, "", true,
			"[character-Mara Reed: keeps lighthouse(Ulm, old), calm at night, owes 12 coins to {{user}}]", 0},
		{"about another", content("[character-Tom: keeper at Ulm, owes 12]", ""), "about “Tom”", false, "", 0},
		{"the same again", content(of.Content, ""), "no shorter", true, of.Content, 0},
		{"nothing", `{"facts": []}`, "no shorter", true, of.Content, 0},
		{"only what changes", `{"facts": [{"text": "calm, at night too", "from": [2, 3]}], "dropped": []}`, "", true,
			"[character-Mara Reed: keeper of the old lighthouse at Ulm, calm, at night too, owes 12 coins to {{user}}]", 0},
		{"dropped for a reason, and nothing else", `{"facts": [], "dropped": [{"fact": 4, "why": "the debt is paid"}]}`, "", true,
			"[character-Mara Reed: keeper of the old lighthouse at Ulm, is calm, is calm at night too]", 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			of := of
			if tt.name == "honest" {
				of.Max = 100
			}
			c := CompactAnswer{Input: of}
			if err := json.Unmarshal([]byte(tt.answer), &c); err != nil {
				t.Fatal(err)
			}
			err := c.Check()
			if tt.fault == "" && err != nil && !strings.Contains(err.Error(), "characters") || tt.fault != "" && (err == nil || !strings.Contains(err.Error(), tt.fault)) {
				t.Errorf("%v, want %q", err, tt.fault)
			}
			if c.Usable() != tt.usable {
				t.Errorf("usable %v", c.Usable())
			}
			if !tt.usable {
				return
			}
			if got := c.Result(); got.Content != tt.want || len(got.Dropped) != tt.dropped {
				t.Errorf("%+v", got)
			}
		})
	}
	long := CompactAnswer{Input: of}
	if err := json.Unmarshal([]byte(`{"facts": [{"text": "keeper of the lighthouse at Ulm", "from": [1]}, {"text": "calm at night too", "from": [2, 3]}, {"text": "owes 12 coins", "from": [4]}]}`), &long); err != nil {
		t.Fatal(err)
	}
	if err := long.Check(); err == nil || !strings.Contains(err.Error(), "62 are allowed") || !long.Usable() {
		t.Error(err)
	}
	if !of.TooLong() || (&CompactInput{Content: "[c-M: a]"}).TooLong() || (&CompactInput{Content: strings.Repeat("x", maxCompactInput+1)}).TooLong() {
		t.Error("what is too long")
	}
	free := CompactAnswer{Input: CompactInput{Name: "Mara", Content: "Mara keeps the light, every night."}}
	if err := json.Unmarshal([]byte(`{"facts": [{"text": "Mara keeps the light nightly.", "from": [1]}]}`), &free); err != nil || free.Check() != nil || free.Result().Content != "Mara keeps the light nightly." {
		t.Error(free.Check(), free.Result().Content)
	}
	if err := json.Unmarshal([]byte(content("[c-Mara: light]", "")), &free); err != nil || free.Check() == nil {
		t.Error("a free text became a list")
	}
}
