package rules

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func read(t *testing.T, text string) Answer {
	t.Helper()
	var a Answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// cast is the harbour with two who may speak and one hook that is due.
func cast() Input {
	in := harbour()
	in.Speakers, in.Known = []string{"Mara", "Tom"}, []KnownFact{{Text: "the exam", Due: true}}
	return in
}

func TestAnswer_Read(t *testing.T) {
	want := Answer{
		Scene: &Scene{Rationale: "The same room."},
		Director: &storage.Evaluation{VisualType: "object", VisualHint: "a brass lantern", Status: "going", Tension: 40, Tone: "uneasy",
			Beat: "They find the lantern", Open: "whose lantern it is", Setting: "boathouse, night", Next: "Tom"},
		Memories: []FoundMemory{{From: []int{1}, Type: storage.FactMemory, Content: "Robin cannot swim.", Importance: 0.7}},
		Hooks:    []FoundHook{{From: []int{2}, Type: storage.FollowUpHook, Content: "Ask how Robin's exam went", Opener: "So, how was it?", Turns: 5, Priority: 3}},
		TakenUp:  []int{1},
		Outdated: []EndedFact{}, Settled: []EndedFact{{Why: "it went well", From: []int{2}, Fact: 1}},
		When: &TimeUpdate{Day: "Thursday", Days: 1}, Picture: &WantedPicture{Kind: "image", Subject: "the lantern"},
	}
	for name, text := range map[string]string{
		"good": goodAnswer,
		"loose": `{"Scene":{"Rationale":["The same room."],"STATUS":"false"},"director":{"visual-type":"object","visualHint":"a brass lantern","status":"going","tension":"40%",
			"tone":["uneasy"],"beat":"They find the lantern","open":"whose lantern it is","setting":["boathouse","night"],"next":"Tom"},
			"memories":{"from":"[1]","type":"fact","content":"Robin cannot swim.","importance":"0.7"},"hooks":[7,"x",{"from":2,"type":"follow_up","content":"Ask how Robin's exam went",
			"opener":"So, how was it?","turns":"5","priority":3.0}],"taken":1,"outdated":null,
			"settled":{"why":"it went well","from":["2"],"fact":"1"},"when":{"day":"Thursday","days":"1"},"picture":{"kind":"Image","subject":"the lantern"}}`,
	} {
		a := read(t, text)
		if diff := cmp.Diff(want, a); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if err := a.Usable(everything, cast()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, a.Clean(everything, cast())); diff != "" {
			t.Errorf("%s, cleaned: %s", name, diff)
		}
	}
	var a Answer
	if json.Unmarshal([]byte(`[]`), &a) == nil || json.Unmarshal([]byte(`"x"`), &a) == nil {
		t.Error("something else than an object was taken")
	}
	if a = read(t, goodAnswer); json.Unmarshal([]byte(`{"memories":null}`), &a) != nil || a.Director != nil || a.Memories == nil || len(a.Memories) != 0 {
		t.Errorf("left over: %+v", a)
	}
}

func TestAnswer_Usable(t *testing.T) {
	for text, says := range map[string]string{
		goodAnswer: "",
		`{}`:       `"scene" is missing`,
		strings.Replace(goodAnswer, `"director"`, `"producer"`, 1): `"director" is missing`,
		strings.Replace(goodAnswer, `"going"`, `"over"`, 1):        `one of going, closing, done`,
		strings.Replace(goodAnswer, `"going"`, `" Closing. "`, 1):  "",
		strings.Replace(goodAnswer, `"object"`, `"thing"`, 1):      `none, character, object`,
		strings.Replace(goodAnswer, `"memories"`, `"memory"`, 1):   `"memories" is missing`,
		strings.Replace(goodAnswer, `"hooks"`, `"hook"`, 1):        `"hooks" is missing`,
		strings.Replace(goodAnswer, `,"taken":[1]`, ``, 1):         "",
		strings.Replace(goodAnswer, `"picture"`, `"photo"`, 1):     `"picture" is missing`,
	} {
		a := read(t, text)
		err := a.Usable(everything, cast())
		if (err == nil) != (says == "") || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if a := read(t, `{}`); a.Usable(Parts{}, cast()) != nil {
		t.Error("nothing was asked")
	}
}

func TestClean_Director(t *testing.T) {
	clean := func(e storage.Evaluation) storage.Evaluation {
		return *(Answer{Director: &e}).Clean(Parts{Director: true}, cast()).Director
	}
	for name, c := range map[string]struct{ in, want storage.Evaluation }{
		"unknown words": {storage.Evaluation{VisualType: "thing", VisualHint: "a hat", Status: "?", Tension: 900, Next: "Nobody"},
			storage.Evaluation{VisualType: "none", Status: "going", Tension: 100}},
		"case and signs": {storage.Evaluation{VisualType: "“Object”", Status: " DONE. ", Tension: -1, Next: " tom\n"},
			storage.Evaluation{VisualType: "none", Status: "done", Next: "Tom"}},
		"placeholders": {storage.Evaluation{VisualType: "character", VisualHint: "…", Status: "closing", Tone: "n/a", Beat: "<beat>", Open: "None.", Setting: "{{setting}}"},
			storage.Evaluation{VisualType: "character", Status: "closing"}},
		"the example": {storage.Evaluation{VisualType: "none", Status: "going", Beat: "Anna hides the deed.", Tone: "wary"},
			storage.Evaluation{VisualType: "none", Status: "going", Tone: "wary"}},
		"lines": {storage.Evaluation{VisualType: "object", VisualHint: "\"a\nhat\"", Status: "going", Beat: "- one\r\n\x00two\u202e", Tone: strings.Repeat("warm ", 100)},
			storage.Evaluation{VisualType: "object", VisualHint: "a hat", Status: "going", Beat: "one two", Tone: strings.TrimSpace(strings.Repeat("warm ", 12)[:59]) + "…"}},
	} {
		if diff := cmp.Diff(c.want, clean(c.in)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestClean_Memories(t *testing.T) {
	for content, want := range map[string]string{
		"Robin cannot swim.":              "Robin cannot swim.",
		" “Robin\n cannot swim.” ":        "Robin cannot swim.",
		"- Robin cannot swim.":            "Robin cannot swim.",
		"{{user}} likes {{char}}'s tea":   "{{user}} likes {{char}}'s tea",
		"ロビンは泳げない":                        "",
		"Robin said \"no\" to the keeper": "Robin said \"no\" to the keeper",
		"":                                "",
		"…":                               "",
		"12 / 7":                          "",
		"None.":                           "",
		"nothing new":                     "",
		"{{content}}":                     "",
		"<one short sentence>":            "",
		"[fact]":                          "",
		"(none)":                          "",
		"preference":                      "",
		"\x00\x01\xff":                    "",
		"Will Mara forgive her father for what he did at the lighthouse?":                       "", // the episode's question
		"a boathouse in November, rain on the roof!":                                            "", // its situation
		"Anna keeps the deed in her boot.":                                                      "", // the example
		"What Mara should come back to because it was planned":                                  "",
		"Робин не умеет плавать.":                                                               "", // no script of this story
		"the the the the the the the the the the":                                               "",
		strings.Repeat("ab", 100):                                                               "",
		"Robin promised Mara to come back to the lighthouse with the keeper's lantern in April": "Robin promised Mara to come back to the lighthouse with the keeper's lantern in April",
	} {
		a := Answer{Memories: []FoundMemory{{Type: "fact", Content: content, Importance: 0.5}}}.Clean(everything, harbour())
		got := ""
		if len(a.Memories) > 0 {
			got = a.Memories[0].Content
		}
		if got != want {
			t.Errorf("%q became %q", content, got)
		}
	}
	a := Answer{Memories: []FoundMemory{
		{Type: "Fact", Content: "Robin cannot swim.", Importance: 8}, {Type: "fact", Content: "robin cannot swim", Importance: 1}, {Type: "whim", Content: "Robin has 3 sisters", Importance: -1}, {Type: "Emotion", Content: "Robin has 4 sisters", Importance: 70},
		{Type: "goal", Content: "Robin wants a boat", Importance: 0.9}, {Type: "goal", Content: "Robin wants another boat", Importance: 0.9},
	}}.Clean(everything, harbour())
	want := []FoundMemory{{Type: "fact", Content: "Robin cannot swim.", Importance: 0.8}, {Type: "fact", Content: "Robin has 3 sisters", Importance: 0}, {Type: "emotion", Content: "Robin has 4 sisters", Importance: 0.7}, {Type: "goal", Content: "Robin wants a boat", Importance: 0.9}}
	if diff := cmp.Diff(want, a.Memories); diff != "" {
		t.Error(diff)
	}
}

func TestClean_HooksAndTaken(t *testing.T) {
	in := harbour()
	in.Known = []KnownFact{{Text: "a", Due: true}, {Text: "b", Due: true}, {Text: "c", Due: true}, {Text: "d", DueBy: "Friday"}}
	a := Answer{TakenUp: []int{3, 0, -1, 4, 5, 1, 3}, Due: []int{1, 4, 9}, Hooks: []FoundHook{
		{From: []int{9, 2, 2, 1}, Type: "Follow-Up", Content: "Ask how the exam went", Opener: ` "So?" `, Turns: 900, Priority: 9},
		{Type: "x", Content: "ask how the exam went!", Turns: 1, Priority: 1}, {Type: "reminder", Content: "…", Opener: "a", Turns: 1, Priority: 1},
		{Type: "scheduled", Content: "Mara's birthday", Opener: "none", Turns: -1}, {Type: "reminder", Content: "The boat", Turns: 1, Priority: 1},
	}}.Clean(everything, in)
	want := []FoundHook{{From: []int{1, 2}, Type: "follow_up", Content: "Ask how the exam went", Opener: "So?", Turns: 200, Priority: 5},
		{Type: "scheduled", Content: "Mara's birthday", Priority: 3}}
	if diff := cmp.Diff(want, a.Hooks); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{1, 3}, a.TakenUp); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{4}, a.Due); diff != "" {
		t.Error(diff)
	}
}

func TestClean_KeepsTheWantedPartsAlone(t *testing.T) {
	a := read(t, goodAnswer)
	for i := range 32 {
		p := Parts{i&1 > 0, i&2 > 0, i&4 > 0, i&8 > 0, i&16 > 0}
		c := a.Clean(p, cast())
		if (c.Picture != nil) != p.Picture || (c.When != nil) != (p.Director || p.Memories || p.Hooks) || (c.Settled != nil) != (p.Memories || p.Hooks) ||
			(c.Scene != nil) != p.Break || (c.Director != nil) != p.Director || (c.Memories != nil) != p.Memories || (c.Hooks != nil) != p.Hooks || (c.TakenUp != nil) != p.Hooks {
			t.Errorf("%+v: %+v", p, c)
		}
	}
}

// sound fails where a cleaned answer breaks what Clean promises.
func sound(t interface{ Fatalf(string, ...any) }, a Answer, in Input) {
	c := a.Clean(everything, in)
	line := func(s string, most int) {
		if utf8.RuneCountInString(s) > most || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) || strings.TrimSpace(s) != s {
			t.Fatalf("%q", s)
		}
	}
	if c.Scene != nil {
		line(c.Scene.Rationale, maxRationale)
	}
	if e := c.Director; e != nil {
		for _, s := range []string{e.Beat, e.Open, e.Setting, e.Tone, e.VisualHint} {
			line(s, maxContent)
		}
		if matchWord(e.Status, statuses) != e.Status || matchWord(e.VisualType, visualTypes) != e.VisualType || e.Tension < 0 || e.Tension > 100 {
			t.Fatalf("%+v", e)
		}
	}
	if len(c.Memories) > maxFoundMemories || len(c.Hooks) > maxFoundHooks || len(c.TakenUp) > len(in.Known) {
		t.Fatalf("%+v", c)
	}
	for _, m := range c.Memories {
		line(m.Content, maxContent)
		if !strings.ContainsFunc(m.Content, unicode.IsLetter) || !(m.Importance >= 0 && m.Importance <= 1) || kindOf(m.Type) != m.Type {
			t.Fatalf("%+v", m)
		}
	}
	for _, h := range c.Hooks {
		line(h.Content, maxContent)
		line(h.Opener, maxOpener)
		if h.Turns < 0 || h.Turns > maxTurns || h.Priority < 1 || h.Priority > maxPriority {
			t.Fatalf("%+v", h)
		}
	}
	if diff := cmp.Diff(c, c.Clean(everything, in)); diff != "" {
		t.Fatalf("cleaned twice: %s", diff)
	}
}

func TestClean_Properties(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"Robin cannot swim", "", "\"", "- - *", "“x”", strings.Repeat("y ", 300), strings.Repeat("\xff", 20)}))
	rapid.Check(t, func(t *rapid.T) {
		a := Answer{Scene: &Scene{Rationale: text.Draw(t, "r")}, TakenUp: rapid.SliceOf(rapid.Int()).Draw(t, "taken")}
		a.Director = &storage.Evaluation{VisualType: text.Draw(t, "v"), Status: text.Draw(t, "s"), Tension: rapid.Int().Draw(t, "tension"),
			Tone: text.Draw(t, "tone"), Beat: text.Draw(t, "beat"), Open: text.Draw(t, "open"), Next: text.Draw(t, "next")}
		for range rapid.IntRange(0, 6).Draw(t, "n") {
			a.Memories = append(a.Memories, FoundMemory{Type: storage.MemoryType(text.Draw(t, "mt")), Content: text.Draw(t, "mc"), Importance: rapid.Float64().Draw(t, "mi")})
			a.Hooks = append(a.Hooks, FoundHook{Type: storage.HookType(text.Draw(t, "ht")), Content: text.Draw(t, "hc"), Opener: text.Draw(t, "ho"),
				Turns: rapid.Int().Draw(t, "turns"), Priority: rapid.Int().Draw(t, "p")})
		}
		sound(t, a, cast())
	})
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{goodAnswer, `{}`, `{"director":null,"memories":[null,{}],"hooks":{},"taken":["1",2.5,1e99]}`, `{"memories":[{"content":["a",1]}]}`,
		`{"scene":{"status":"yes"},"Scene":{}}`, `{"director":{"tension":"NaN","next":[]}}`, `{"memories":[{"content":"\"x\"","importance":-1e308}]}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var a Answer
		if json.Unmarshal([]byte(text), &a) != nil {
			return
		}
		_ = a.Usable(everything, cast())
		sound(t, a, cast())
		data, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var again Answer
		if err := json.Unmarshal(data, &again); err != nil {
			t.Fatal(err)
		}
	})
}
