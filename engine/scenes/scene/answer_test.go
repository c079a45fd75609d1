package scene

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// harbour is a scene of four messages.
func harbour() Input {
	return Input{User: "Robin", Char: "Mara", Messages: []Message{
		{ID: "m1", Role: storage.User, Name: "Robin", Text: "I open the crate in the boathouse and find a brass lantern."},
		{ID: "m2", Role: storage.Assistant, Name: "Mara", Text: "*Mara takes the lantern.* \"My father promised it to the keeper,\" she says."},
		{ID: "m3", Role: storage.User, Name: "Robin", Text: "I cut my hand on a nail and bandage it."},
		{ID: "m4", Role: storage.Assistant, Name: "Mara", Text: "三日後に灯台へ行こう、と彼女は言う。"},
	}}
}

const wholeAnswer = `{"scene_name": " \"The  Lantern\" ", "recap": {
	"current_situation": [{"text": "Robin and Mara are in the boathouse", "messages": [1]}],
	"key_developments": [{"text": "- A brass lantern\nwas found", "messages": [1, 2, 1, 9, 0, -3]}, {"text": "## Pending Threads", "messages": [1]},
		{"text": "# Robin's hand is cut", "messages": [3, 4]}, {"text": "Mara met Robin", "messages": [1, 2]}],
	"dialogue_highlights": [{"text": "Mara: \"My father promised it to the keeper.\" [2]", "messages": []}],
	"tone_style": [],
	"pending_threads": [{"text": "灯台へ三日後に行く", "messages": [4, 1]}, "The lantern must reach its keeper (#2, #3)."]},
	"atmosphere": "damp\nand dim", "emotional_beats": ["trust", "worry"],
	"lorebooks": [{"name": " Brass Lantern ", "type": "Item", "keywords": ["Lantern", "lantern ", "", "BRASS"], "content": " [item-Brass Lantern: brass] "},
		{"name": "", "type": "item", "keywords": [], "content": "x"}, {"name": "Empty", "type": "item", "keywords": [], "content": "  "},
		{"name": "Keeper", "type": "Wizardry", "keywords": "keeper, Lighthouse", "secondary_keys": ["Tower"], "content": "[x]", "uid": 7}]}`

const wholeText = `## Current Situation

- Robin and Mara are in the boathouse

## Key Developments

- A brass lantern was found
- Robin's hand is cut
- Mara met Robin

## Dialogue Highlights

- Mara: "My father promised it to the keeper."

## Tone & Style

## Pending Threads

- 灯台へ三日後に行く
- The lantern must reach its keeper.`

func readAnswer(t *testing.T, text string) *Answer {
	t.Helper()
	var a Answer
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	return &a
}

func TestAnswer_Draft(t *testing.T) {
	a := readAnswer(t, wholeAnswer)
	if err := a.Check(harbour()); err != nil || !a.Usable() {
		t.Fatal(err)
	}
	want := storage.Recap{SceneName: "The Lantern", Text: wholeText, Atmosphere: "damp and dim", EmotionalBeats: "trust; worry",
		Lorebooks: []storage.LoreCandidate{
			{Name: "Brass Lantern", Type: "item", Keywords: []string{"lantern", "brass"}, Content: "[item-Brass Lantern: brass]"},
			{Name: "Keeper", Type: "wizardry", Keywords: []string{"keeper", "lighthouse"}, SecondaryKeys: []string{"tower"}, Content: "[x]", UID: "7"},
		},
		Sources: []storage.Source{
			{Bullet: "Robin and Mara are in the boathouse", Messages: []storage.NodeID{"m1"}},
			{Bullet: "A brass lantern was found", Messages: []storage.NodeID{"m1", "m2"}},
			{Bullet: "Robin's hand is cut", Messages: []storage.NodeID{"m3", "m4"}},
			{Bullet: "Mara met Robin", Messages: []storage.NodeID{"m1", "m2"}},
			{Bullet: `Mara: "My father promised it to the keeper."`, Messages: []storage.NodeID{"m2"}},
			{Bullet: "灯台へ三日後に行く", Messages: []storage.NodeID{"m1", "m4"}},
			{Bullet: "The lantern must reach its keeper.", Messages: []storage.NodeID{"m2", "m3"}},
		}}
	if diff := cmp.Diff(want, a.Draft(harbour())); diff != "" {
		t.Error(diff)
	}
	if Tidy(wholeText) != wholeText {
		t.Errorf("a draft's text is not tidy:\n%s", Tidy(wholeText))
	}
}

// A bullet that names only messages that do not exist is left out, with the reason.
func TestAnswer_DraftLeavesOutWhatNoMessageSays(t *testing.T) {
	a := readAnswer(t, `{"recap": {"current_situation": [{"text": "They are in the boathouse.", "messages": [1, 17]}], "pending_threads": [{"text": "The moon is out.", "messages": [17, 18]}, "A storm comes."]}}`)
	d := a.Draft(harbour())
	want := []storage.DroppedBullet{{Heading: "Pending Threads", Bullet: "The moon is out.", Why: "it names message 17 as the one that says it, and there are 4"}}
	if diff := cmp.Diff(want, d.Dropped); diff != "" {
		t.Error(diff)
	}
	if strings.Contains(d.Text, "moon") || !strings.Contains(d.Text, "boathouse") || !strings.Contains(d.Text, "A storm comes.") {
		t.Error(d.Text)
	}
}

func TestAnswer_Markdown(t *testing.T) {
	a := readAnswer(t, `{"recap": "Intro words.\n\n## current situation:\n* In the boathouse. [1]\n  Still raining.\n\n**Key Developments**\n1. The lantern was found [1, 2].\n2. Cut hand [#3][4]\n\n### Dialogue Highlights\n\n## Tone and Style\n- dry (2024)\n\n## Secrets\n- The nail is rusty (messages 3-4)\n\n## Pending Threads\n- keeper [2]", "setting_lore": [{"name": "A", "type": "", "content": "b"}]}`)
	if err := a.Check(harbour()); err != nil {
		t.Fatal(err)
	}
	d := a.Draft(harbour())
	want := `## Current Situation

- In the boathouse. [1] Still raining.

## Key Developments

- Intro words.
- The lantern was found.
- Cut hand
- The nail is rusty

## Dialogue Highlights

## Tone & Style

- dry (2024)

## Pending Threads

- keeper`
	if diff := cmp.Diff(want, d.Text); diff != "" {
		t.Error(diff)
	}
	sources := []storage.Source{
		{Bullet: "The lantern was found.", Messages: []storage.NodeID{"m1", "m2"}},
		{Bullet: "Cut hand", Messages: []storage.NodeID{"m3", "m4"}},
		{Bullet: "The nail is rusty", Messages: []storage.NodeID{"m3", "m4"}},
		{Bullet: "keeper", Messages: []storage.NodeID{"m2"}},
	}
	if diff := cmp.Diff(sources, d.Sources); diff != "" {
		t.Error(diff)
	}
	if len(d.Lorebooks) != 1 || d.Lorebooks[0].Name != "A" {
		t.Errorf("setting_lore: %+v", d.Lorebooks)
	}
}

func TestAnswer_Narrative(t *testing.T) {
	in := harbour()
	in.Style = Narrative
	d := readAnswer(t, wholeAnswer).Draft(in)
	if strings.Contains(d.Text, "- ") || !strings.Contains(d.Text, "## Key Developments\n\nA brass lantern was found\n\nRobin's hand is cut\n") {
		t.Errorf("text:\n%s", d.Text)
	}
	if len(Bullets(d.Text)) != 7 || len(d.Sources) != 7 || Tidy(d.Text) != d.Text {
		t.Errorf("%d bullets, %d sources", len(Bullets(d.Text)), len(d.Sources))
	}
}

func TestAnswer_Check(t *testing.T) {
	for name, c := range map[string]struct {
		answer, says string
		usable       bool
	}{
		"nothing":         {`{}`, "is empty", false},
		"null":            {`{"recap": null}`, "is empty", false},
		"empty text":      {`{"recap": " \n"}`, "is empty", false},
		"empty lists":     {`{"recap": {"current_situation": [], "key_developments": [{"text": " - "}]}}`, "is empty", false},
		"wrong shape":     {`{"recap": [1, 2]}`, "is empty", false},
		"no headings":     {`{"recap": "They met."}`, "## Current Situation", true},
		"a heading short": {`{"recap": "## Current Situation\n- a\n## Key Developments\n## Dialogue Highlights\n## Tone & Style\n"}`, "## Pending Threads", true},
		"only tone":       {`{"recap": {"tone_style": [{"text": "dry"}]}}`, "current_situation", true},
		"sections short":  {`{"recap": {"current_situation": ["They are here."]}}`, "", true},
		"no such message": {`{"recap": {"current_situation": [{"text": "They are here.", "messages": [1]}, {"text": "The moon is out.", "messages": [17]}]}}`, `"The moon is out." names message 17, and there are messages 1 to 4`, true},
		"none such":       {`{"recap": {"current_situation": [{"text": "The moon is out.", "messages": [17]}]}}`, "names message 17", true},
		"other names":     {`{"recap": {"Key Developments": "- a\n- b", "junk": [1]}}`, "", true},
	} {
		a := readAnswer(t, c.answer)
		err := a.Check(harbour())
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) || a.Usable() != c.usable {
			t.Errorf("%s: %v, usable %v", name, err, a.Usable())
		}
		for _, h := range headings {
			if text := a.Draft(harbour()).Text; strings.Count("\n"+text+"\n", "\n## "+h+"\n") != 1 {
				t.Errorf("%s: the heading %s is not there once:\n%s", name, h, text)
			}
		}
	}
	var a Answer
	if json.Unmarshal([]byte(`[]`), &a) == nil || json.Unmarshal([]byte(`"x"`), &a) == nil {
		t.Error("something else than an object was taken")
	}
}

func TestAnswer_IsSetAnew(t *testing.T) {
	a := readAnswer(t, wholeAnswer)
	if err := json.Unmarshal([]byte(`{"recap": {"current_situation": ["x y"]}}`), a); err != nil {
		t.Fatal(err)
	}
	if d := a.Draft(harbour()); d.SceneName != "" || len(d.Lorebooks) != 0 || strings.Contains(d.Text, "lantern") {
		t.Errorf("left over: %+v", d)
	}
}

func TestAnswer_IsBounded(t *testing.T) {
	var bullets, lore []string
	for i := range 500 {
		bullets = append(bullets, fmt.Sprintf(`{"text": "%d %s", "messages": [1]}`, i, strings.Repeat("lantern ", 200)))
		lore = append(lore, fmt.Sprintf(`{"name": "n%d", "type": "t", "keywords": ["%s"], "content": "%s"}`, i, strings.Repeat("k", 500), strings.Repeat("c", 5000)))
	}
	a := readAnswer(t, `{"recap": {"key_developments": [`+strings.Join(bullets, ",")+`]}, "lorebooks": [`+strings.Join(lore, ",")+`], "atmosphere": "`+strings.Repeat("x ", 4000)+`"}`)
	d := a.Draft(harbour())
	if n := len(Bullets(d.Text)); n != maxBullets {
		t.Errorf("%d bullets", n)
	}
	for _, b := range Bullets(d.Text) {
		if utf8.RuneCountInString(b.Text) > maxBullet {
			t.Errorf("a bullet of %d runes", utf8.RuneCountInString(b.Text))
		}
	}
	if len(d.Lorebooks) != maxLore || utf8.RuneCountInString(d.Lorebooks[0].Content) > maxContent || utf8.RuneCountInString(d.Lorebooks[0].Keywords[0]) > maxKeyword ||
		utf8.RuneCountInString(d.Atmosphere) > maxField {
		t.Errorf("%d candidates", len(d.Lorebooks))
	}
}

func TestCutNumbers(t *testing.T) {
	for in, want := range map[string]struct {
		rest    string
		numbers []int
	}{
		"a fact [3, 5]":             {"a fact", []int{3, 5}},
		"a fact [3, 5].":            {"a fact.", []int{3, 5}},
		"a fact. [3]":               {"a fact.", []int{3}},
		"a fact (#3)":               {"a fact", []int{3}},
		"a fact (#3, #4)":           {"a fact", []int{3, 4}},
		"a fact [#3] [4]":           {"a fact", []int{3, 4}},
		"a fact [3–5]":              {"a fact", []int{3, 4, 5}},
		"a fact (messages 3 and 5)": {"a fact", []int{3, 5}},
		"a fact [message 3]":        {"a fact", []int{3}},
		"born (1947)":               {"born (1947)", nil},
		"a fact [x]":                {"a fact [x]", nil},
		"a fact []":                 {"a fact []", nil},
		"a [3] fact":                {"a [3] fact", nil},
		"[item-Key: brass]":         {"[item-Key: brass]", nil},
		"[3]":                       {"[3]", nil},
		"":                          {"", nil},
		"...":                       {"...", nil},
	} {
		rest, numbers := cutNumbers(in)
		if rest != want.rest || !reflect.DeepEqual(numbers, want.numbers) {
			t.Errorf("%q: %q %v", in, rest, numbers)
		}
	}
}

func TestSources_OfNumbersThatWereShown(t *testing.T) {
	material := []citedText{{text: "She keeps her promise.", nodes: []storage.NodeID{"a"}}, {text: "It rains.", nodes: []storage.NodeID{"b"}}}
	for want, numbers := range map[storage.NodeID][]int{"": {3, 0, -1}, "a": {1, 9}, "b": {2, 2}} {
		got := sources(numbers, material)
		if want == "" && len(got) > 0 || want != "" && !slices.Equal(got, []storage.NodeID{want}) {
			t.Errorf("%v: %v", numbers, got)
		}
	}
}

// A bullet keeps the memories that it states, even if a merge rewords it.
func TestDraft_MemoriesThatABulletTells(t *testing.T) {
	in := Input{Messages: []Message{{ID: "a", Text: "Mara owes Jonas."}, {ID: "b", Text: "It rains."}},
		Memories: []Memory{{ID: "m1", Text: "It rained."}, {ID: "m2", Text: "Mara owes Jonas."}}}
	var a Answer
	enough := `{"recap": {"current_situation": [{"text": "It rains.", "messages": [2], "memories": [7]}],
		"key_developments": [{"text": "Mara owes Jonas.", "messages": [1], "memories": ["M2"]}]},
		"lorebooks": [{"name": "Mara", "type": "character", "content": "[character-Mara: owes(Jonas)]", "messages": [1, 8]}]}`
	if err := json.Unmarshal([]byte(enough), &a); err != nil {
		t.Fatal(err)
	}
	d := a.Draft(in)
	want := []storage.Source{{Bullet: "It rains.", Messages: []storage.NodeID{"b"}}, {Bullet: "Mara owes Jonas.", Messages: []storage.NodeID{"a"}, Memories: []storage.MemoryID{"m2"}}}
	if diff := cmp.Diff(want, d.Sources); diff != "" {
		t.Error(diff)
	}
	if len(d.Lorebooks) != 1 || !slices.Equal(d.Lorebooks[0].Messages, []storage.NodeID{"a"}) {
		t.Errorf("%+v", d.Lorebooks)
	}
	var m MergeAnswer
	if err := json.Unmarshal([]byte(`{"recap": {"current_situation": [{"text": "It rains.", "bullets": [1]}], "key_developments": [{"text": "Mara still owes Jonas.", "bullets": [2, 3]}]}}`), &m); err != nil {
		t.Fatal(err)
	}
	base := storage.Recap{Text: d.Text, Sources: d.Sources}
	next := storage.Recap{Text: "## Key Developments\n- Mara has not paid Jonas.", Sources: []storage.Source{{Bullet: "Mara has not paid Jonas.", Messages: []storage.NodeID{"c"}, Memories: []storage.MemoryID{"m3"}}}}
	merged := Merge{Records: []storage.Recap{base, next}, Running: true}.Draft(&m)
	got := MemoriesOf(storage.Recap{Text: merged.Text, Sources: merged.Sources}, "Mara still owes Jonas.")
	if !slices.Equal(got, []storage.MemoryID{"m2", "m3"}) {
		t.Errorf("%v\n%s", got, merged.Text)
	}
}

func TestMergeAnswer(t *testing.T) {
	base := storage.Recap{Text: "## Current Situation\n- Mara waits in the boathouse\n\n## Pending Threads\n- The lantern is promised to the keeper",
		Sources: []storage.Source{{Bullet: "Mara waits in the boathouse", Messages: []storage.NodeID{"a"}},
			{Bullet: "The lantern is promised to the keeper", Messages: []storage.NodeID{"b", "c"}}}}
	next := storage.Recap{Text: "## Current Situation\n- Mara is at the lighthouse\n\n## Key Developments\n- The keeper has taken the lantern",
		Sources: []storage.Source{{Bullet: "Mara is at the lighthouse", Messages: []storage.NodeID{"d"}}, {Bullet: "The keeper has taken the lantern", Messages: []storage.NodeID{"e", "c"}}}}
	var a MergeAnswer
	if err := json.Unmarshal([]byte(`{"recap": {"current_situation": [{"text": "Mara is at the lighthouse", "bullets": [3, 99]}],
		"key_developments": [{"text": "The keeper has his promised lantern", "bullets": [2, 4, 1]}],
		"dialogue_highlights": [], "tone_style": [], "pending_threads": ["Mara waits in the boathouse."]}}`), &a); err != nil {
		t.Fatal(err)
	}
	d := Merge{Records: []storage.Recap{base, next}, Running: true}.Draft(&a)
	want := []storage.Source{
		{Bullet: "Mara is at the lighthouse", Messages: []storage.NodeID{"d"}},
		{Bullet: "The keeper has his promised lantern", Messages: []storage.NodeID{"a", "b", "c", "e"}},
		{Bullet: "Mara waits in the boathouse.", Messages: []storage.NodeID{"a"}}, // taken over unchanged
	}
	if diff := cmp.Diff(want, d.Sources); diff != "" {
		t.Error(diff)
	}
	if Tidy(d.Text) != d.Text || len(Bullets(d.Text)) != 3 {
		t.Error(d.Text)
	}
	if json.Unmarshal([]byte(`3`), &a) == nil {
		t.Error("nothing at all was taken")
	}
}

func TestMessageAnswer(t *testing.T) {
	a := MessageAnswer{Recap: "# Facts\n-  The gate\x1b is shut.\n* Rain.\n\nTold on.\n---\n"}
	if got := a.Text(); got != "Facts\n- The gate is shut.\n- Rain.\nTold on." || a.Check() != nil {
		t.Errorf("%q", got)
	}
	if (&MessageAnswer{Recap: " \n- \n"}).Check() == nil {
		t.Error("an empty recap was taken")
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(wholeAnswer, "lantern")
	f.Add(`{"recap": "## Current Situation\n- a [1]\n- # b\n## x\n", "lorebooks": {"name": "a", "content": "b"}}`, "a")
	f.Add(`{"recap": {"current_situation": ["\u001b[31m\n\n## Pending Threads\n- x", "> # - y", "1. 2. - z", "*** - - a"]}}`, "pending")
	f.Add(`{"Recap": {"tone & style": {"a": 1}, "key_developments": [null, 1, [], {"text": null}, {"text": ["a", "b"], "messages": "[1]"}]}}`, "")
	f.Fuzz(func(t *testing.T, text, said string) {
		var a Answer
		if json.Unmarshal([]byte(text), &a) != nil {
			return
		}
		in := harbour()
		in.Messages[0].Text = said
		for _, in.Style = range []string{"", Narrative} {
			checkDraft(t, a.Draft(in), len(in.Messages))
		}
		if a.Usable() != (len(Bullets(a.Draft(in).Text)) > 0) {
			t.Fatal("usable without a bullet, or the other way round")
		}
		if a.Check(harbour()) == nil && !a.Usable() {
			t.Fatal("sound, and yet not usable")
		}
		var m MergeAnswer
		if json.Unmarshal([]byte(text), &m) == nil {
			d := Merge{Records: []storage.Recap{{Text: said}, {}}, Running: true}.Draft(&m)
			checkDraft(t, storage.Recap{Text: d.Text, Sources: d.Sources}, 0)
		}
	})
}

func checkDraft(t *testing.T, d storage.Recap, messages int) {
	t.Helper()
	for l := range strings.Lines(d.Text) {
		l = strings.TrimSuffix(l, "\n")
		heading := false
		for _, h := range headings {
			heading = heading || l == "## "+h
		}
		if !heading && strings.HasPrefix(l, "#") {
			t.Fatalf("a heading was let in: %q", l)
		}
		if strings.ContainsFunc(l, unicode.IsControl) {
			t.Fatalf("a control character in %q", l)
		}
	}
	if Tidy(d.Text) != d.Text || !utf8.ValidString(d.Text) {
		t.Fatalf("not tidy:\n%s\n\n%s", d.Text, Tidy(d.Text))
	}
	have := map[string]bool{}
	for _, b := range Bullets(d.Text) {
		have[b.Text] = true
		if b.Heading == "" {
			t.Fatalf("a bullet under no heading: %q", b.Text)
		}
	}
	for _, s := range d.Sources {
		if !have[s.Bullet] || len(s.Messages) == 0 || len(s.Messages) > messages {
			t.Fatalf("sources of no bullet: %+v", s)
		}
	}
	if len(d.Lorebooks) > maxLore {
		t.Fatalf("%d candidates", len(d.Lorebooks))
	}
	for _, c := range d.Lorebooks {
		if c.Name == "" || c.Content == "" || c.Type != strings.ToLower(c.Type) {
			t.Fatalf("candidate %+v", c)
		}
	}
}

func TestSchemas(t *testing.T) {
	schemas := map[string]json.RawMessage{
		"detect": DetectSchema(), "recap": RecapSchema(harbour().Messages, 2), "merge": Merge{Running: true}.Schema(), "join": Merge{}.Schema(), "message": MessageSchema(),
		"questions": QuestionSchema(harbour().Messages), "answers": AnswerSchema(5), "marks": MarksSchema(5),
	}
	for name, raw := range schemas {
		var s jsonschema.Schema
		if err := json.Unmarshal(raw, &s); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := s.Resolve(nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		bounds(t, name, &s)
	}
	const rest = `, "scene_name": "", "atmosphere": "", "emotional_beats": "", "setting_lore": []}`
	for answer, want := range map[string]bool{
		`{"recap": "## Current Situation"`:                                                                              true,
		`{"recap": {"current_situation": ["a", {"text": "b"}], "tone_style": ""}`:                                       true,
		`{"recap": {"current_situation": [{"text": "b", "messages": [1], "x": 1}], "pending_threads": null}, "more": 1`: true,
		`{"recap": {"current_situation": [{"messages": [1]}]}`:                                                          false,
		`{"recap": 3`: false,
		`{"more": 1`:  false,
	} {
		if got := resolve(t, RecapForm()).Validate(decoded(t, answer+rest)) == nil; got != want {
			t.Errorf("scene: %s: %v", answer, got)
		}
		if got := resolve(t, MergeForm()).Validate(decoded(t, answer+"}")) == nil; got != want {
			t.Errorf("running: %s: %v", answer, got)
		}
	}
	for _, field := range []string{"scene_name", "atmosphere", "emotional_beats", "setting_lore"} {
		if resolve(t, RecapForm()).Validate(decoded(t, `{"recap": "x"`+strings.Replace(rest, field, "x", 1))) == nil {
			t.Errorf("%s may be missing", field)
		}
	}
	sound := decoded(t, `{"scene_name": "x", "recap": {"current_situation": [{"text": "ab", "messages": [1]}], "key_developments": [],
		"dialogue_highlights": [], "tone_style": [], "pending_threads": []}, "atmosphere": "", "emotional_beats": "",
		"lorebooks": [{"name": "n", "type": "t", "keywords": ["k"], "content": "cc", "messages": [2]}]}`)
	for _, raw := range []json.RawMessage{RecapSchema(harbour().Messages, 0), RecapForm()} {
		if err := resolve(t, raw).Validate(sound); err != nil {
			t.Error(err)
		}
	}
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func resolve(t *testing.T, raw json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// bounds walks a schema: what is not bounded can run on for ever, and what is
// bounded too far breaks the server's grammar.
func bounds(t *testing.T, where string, s *jsonschema.Schema) {
	t.Helper()
	switch s.Type {
	case "string":
		if s.MaxLength == nil || *s.MaxLength > 2000 || strings.HasSuffix(where, ".text") && *s.MaxLength > 600 {
			t.Errorf("%s: %v", where, s.MaxLength)
		}
	case "array":
		if s.MaxItems == nil || *s.MaxItems > mergeItems {
			t.Errorf("%s: %v items", where, s.MaxItems)
		}
		bounds(t, where+"[]", s.Items)
	case "object":
		if s.AdditionalProperties == nil {
			t.Errorf("%s: open to anything", where)
		}
		for name, p := range s.Properties {
			bounds(t, where+"."+name, p)
		}
	case "integer":
		if s.Maximum == nil {
			t.Errorf("%s: no greatest number", where)
		}
	case "boolean":
	default:
		t.Errorf("%s: type %q", where, s.Type)
	}
}

// A text under two headings is one bullet, with the sources of both.
func TestDraft_ATextOnce(t *testing.T) {
	var a Answer
	text := `{"scene_name": "The pier", "recap": {"current_situation": [{"text": "Mara waits", "messages": [1]}], "key_developments":
		[{"text": "Mara waits.", "messages": [2]}, {"text": "The lamp broke", "messages": [2]}], "dialogue_highlights": [],
		"tone_style": [], "pending_threads": []}, "atmosphere": "", "emotional_beats": "", "lorebooks": []}`
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		t.Fatal(err)
	}
	r := a.Draft(Input{Messages: []Message{{ID: "a", Number: 1, Text: "Mara waits here."}, {ID: "b", Number: 2, Text: "The lamp broke."}}})
	want := recapText([]string{"Mara waits"}, []string{"The lamp broke"}, nil, nil, nil)
	if diff := cmp.Diff(Tidy(want), Tidy(r.Text)); diff != "" || len(r.Sources) != 2 || len(r.Sources[0].Messages) != 2 {
		t.Errorf("%s\n%+v", diff, r.Sources)
	}
}
