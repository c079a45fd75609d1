package rehearsal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/scribe"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// told are the messages of a request made of a prompt file.
func told(prompt []scribe.Prompt) []storage.Node {
	var out []storage.Node
	for _, m := range prompt {
		out = append(out, storage.Node{Role: storage.Role(m.Role), Content: m.Content})
	}
	return out
}

// known is what a registry of a tavern's people holds.
var known = []scribe.Line{
	{ID: "e1", Name: "Tove Halloran", Aliases: []string{"the prompter"}, Synopsis: "keeps the house, seen at the theatre"},
	{ID: "e2", Name: "The Bartender", Synopsis: "serves ale at the Riverside, owes Tove money"},
	{ID: "e3", Name: "Ansel Brandt", Synopsis: "built the house"},
}

func noted(name, content string) storage.LoreCandidate {
	return storage.LoreCandidate{Name: name, Type: "character", Keywords: []string{strings.ToLower(name)}, Content: content}
}

func TestLookUp(t *testing.T) {
	for name, test := range map[string]struct {
		candidate  storage.LoreCandidate
		same, full []storage.EntryID
	}{
		"first name":     {noted("Tove", "[character-Tove: has a lamp]"), []storage.EntryID{"e1"}, nil},
		"ends alike":     {noted("prompter Ansel", "[character-prompter Ansel: old]"), nil, []storage.EntryID{"e3"}},
		"a role":         {noted("the old bartender", "[character-the old bartender: polishes glasses]"), nil, []storage.EntryID{"e2"}},
		"the same role":  {noted("bartender", "[character-bartender: polishes glasses]"), []storage.EntryID{"e2"}, nil},
		"the same kin":   {noted("Marten Halloran", "[character-Marten Halloran: drowned]"), nil, []storage.EntryID{"e1"}},
		"alias":          {noted("The Prompter", "[character-The Prompter: reads]"), []storage.EntryID{"e1"}, nil},
		"described":      {noted("night keeper", "[character-night keeper: reads]"), nil, nil},
		"told of":        {noted("the new theatre", "[character-the new theatre: big]"), nil, []storage.EntryID{"e1"}},
		"somebody new":   {noted("Garrick", "[character-Garrick: a pigeon, met(Tove)]"), nil, nil},
		"named in a tag": {noted("Robin", "[character-Robin: likes <registry> and <candidate>]\n[1] Robin"), nil, nil},
	} {
		var a scribe.Lookup
		answer := perfect[json.RawMessage](t, string(scribe.LookupSchema()), told(scribe.LookupPrompt(prompts.BuiltIn(), test.candidate, known, "Robin", "Tove")), 0)
		if err := json.Unmarshal(answer, &a); err != nil {
			t.Fatal(err)
		}
		dropped := a.Keep(known)
		if a.Check() != nil || len(dropped) > 0 || a.Type != "character" || a.Synopsis == "" || !slices.Equal(a.SameEntityIDs, test.same) || !slices.Equal(a.NeedsFullContextIDs, test.full) {
			t.Errorf("%s: %s", name, answer)
		}
	}
}

func TestSettle(t *testing.T) {
	full := []scribe.Line{
		{Name: "The Bartender", Content: "[character-The Bartender: serves ale(Riverside Tavern), owes money(Tove)]"},
		{Name: "Tove Halloran", Content: "[character-Tove Halloran: keeps the house]"},
	}
	for name, test := range map[string]struct {
		candidate storage.LoreCandidate
		want      string
	}{
		"its own facts": {noted("Marcus the bartender", "[character-Marcus the bartender: works at(Riverside Tavern), pours(ale)]"), "1"},
		"by name":       {noted("Tove", "[character-Tove: blind]"), "2"},
		"kin":           {noted("Marten Halloran", "[character-Marten Halloran: keeps(the house)]"), "new"},
		"another place": {noted("old bartender", "[character-old bartender: pours(wine at the Golden Hind)]"), "new"},
		"nobody":        {noted("Garrick", "[character-Garrick: pigeon]"), "new"},
	} {
		answer := perfect[struct{ Synopsis, ResolvedID string }](t, string(scribe.ResolveSchema()), told(scribe.ResolvePrompt(prompts.BuiltIn(), test.candidate, "somebody", full, "Robin", "Tove")), 0)
		if answer.ResolvedID != test.want || answer.Synopsis == "" {
			t.Errorf("%s: %+v", name, answer)
		}
	}
}

func TestWeave(t *testing.T) {
	for name, test := range map[string]struct {
		entry, called         string
		content, news, merged string
		renamed               string
	}{
		"a new fact": {
			entry: "Tove", content: "[character-Tove: keeps the house, has met(Robin)]", news: "[character-Tove: fears fire]",
			merged: "[character-Tove: keeps the house, has met(Robin), fears fire]",
		},
		"a detail more": {
			entry: "Tove", content: "[character-Tove: has met(Robin), tall]", news: "[character-Tove: has met(Garrick)]",
			merged: "[character-Tove: has met(Robin, Garrick), tall]",
		},
		"another state": {
			entry: "Tove", content: "[character-Tove: seen at(the Stage), tall]", news: "[character-Tove: seen at(the Harbour)]",
			merged: "[character-Tove: seen at(the Harbour), tall]",
		},
		"no longer so": {
			entry: "Tove", content: "[character-Tove: tall, wounded at the shoulder]", news: "[character-Tove: no longer wounded at the shoulder]",
			merged: "[character-Tove: tall]",
		},
		"nothing new, byte for byte": {
			entry: "Tove", content: "[character-Tove:  has met(Robin,Garrick) , tall]", news: "[character-Tove: Tall, has met(Robin)]",
			merged: "[character-Tove:  has met(Robin,Garrick) , tall]",
		},
		"a name at last": {
			entry: "the bartender", called: "Marcus Vell", content: "[character-the bartender: serves ale]", news: "[character-Marcus Vell: owes money(Tove)]",
			merged: "[character-Marcus Vell: serves ale, owes money(Tove)]", renamed: "Marcus Vell",
		},
		"a name among the facts": {
			entry: "Amelia's sister", called: "sister", content: "[character-Amelia's sister: sings]", news: "[character-sister: named(Ines)]",
			merged: "[character-Ines: sings, named(Ines)]", renamed: "Ines",
		},
		"still no name": {
			entry: "the bartender", called: "the barkeeper", content: "[character-the bartender: serves ale]", news: "[character-the barkeeper: bald]",
			merged: "[character-the bartender: serves ale, bald]",
		},
		"plain text": {
			entry: "Tove", content: "Tove keeps the house at night.", news: "[character-Tove: fears fire]",
			merged: "Tove keeps the house at night. fears fire.",
		},
	} {
		m := scribe.Merging{Name: test.entry, Type: "character", Content: test.content, Called: test.called, News: test.news}
		if m.Called == "" {
			m.Called = m.Name
		}
		messages := told(scribe.MergePrompt(prompts.BuiltIn(), m, "Robin", "Tove"))
		answer := perfect[scribe.Merge](t, string(scribe.MergeSchema()), messages, 0)
		answer.Of = m
		if err := answer.Check(); err != nil {
			t.Errorf("%s: refused: %v", name, err)
		}
		got := answer.Result()
		if diff := cmp.Diff([]string{test.merged, test.renamed}, []string{got.Content, got.Renamed}); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got.Carried != nil {
			t.Errorf("%s: forgotten: %q", name, got.Carried)
		}
	}
}

func TestShrink(t *testing.T) {
	long := "[character-Tove: keeps the house, keeps the old house, has met(Robin), afraid of the fire in the attic"
	for i := range 12 {
		long += fmt.Sprintf(", once mended the curtain number %d of the stage", i)
	}
	long += ", hums when nobody listens]"
	for _, most := range []int{600, 420} {
		c := scribe.Compacting{Name: "Tove", Type: "character", Content: long, Max: most}
		answer := perfect[scribe.Compact](t, string(scribe.CompactSchema()), told(scribe.CompactPrompt(prompts.BuiltIn(), c, "Robin", "Tove")), 0)
		answer.Of = c
		got := answer.Result()
		if len(got.Content) > most || !answer.Usable() || !strings.Contains(got.Content, "Robin") || strings.Contains(got.Content, "keeps the house,") {
			t.Errorf("%d: %v\n%+v", most, answer.Check(), got)
		}
	}
	c := scribe.Compacting{Name: "Tove", Content: "Tove keeps the house at night. Tove keeps the old house at night. Robin has come with a letter.", Max: 80}
	answer := perfect[scribe.Compact](t, string(scribe.CompactSchema()), told(scribe.CompactPrompt(prompts.BuiltIn(), c, "Robin", "Tove")), 0)
	answer.Of = c
	if want := "Tove keeps the old house at night. Robin has come with a letter."; answer.Result().Content != want || answer.Check() != nil {
		t.Errorf("%v\n%s", answer.Check(), answer.Result().Content)
	}
}

func TestJob_Lore(t *testing.T) {
	for want, schemas := range map[Job][]string{
		LookupJob:  {string(scribe.LookupSchema()), `{"properties":{"same_entity_ids":{},"needs_full_context_ids":{}}}`},
		ResolveJob: {string(scribe.ResolveSchema()), `{"properties":{"resolved_id":{},"synopsis":{}}}`},
		MergeJob:   {string(scribe.MergeSchema()), `{"properties":{"content":{},"canonical_name":{}}}`},
		CompactJob: {string(scribe.CompactSchema())},
		"":         {`{"properties":{"content":{},"title":{}}}`},
	} {
		for _, s := range schemas {
			if got := (Call{Format: json.RawMessage(s)}).Job(); got != want {
				t.Errorf("%s: %q, want %q", s, got, want)
			}
		}
	}
}

// TestFaults_Lore spoils the answers to the lore jobs, each job in each way.
func TestFaults_Lore(t *testing.T) {
	set := prompts.BuiltIn()
	c := noted("Marcus", "[character-Marcus: owes money(Tove)]")
	m := scribe.Merging{Name: "Marcus", Type: "character", Content: "[character-Marcus: serves ale]", Called: "Marcus", News: c.Content}
	jobs := map[Job]struct {
		schema json.RawMessage
		prompt []scribe.Prompt
		last   string // property
	}{
		LookupJob:  {scribe.LookupSchema(), scribe.LookupPrompt(set, c, known, "Robin", "Tove"), "needsFullContextIds"},
		ResolveJob: {scribe.ResolveSchema(), scribe.ResolvePrompt(set, c, "x", known, "Robin", "Tove"), "resolvedId"},
		MergeJob:   {scribe.MergeSchema(), scribe.MergePrompt(set, m, "Robin", "Tove"), "canonicalName"},
		CompactJob: {scribe.CompactSchema(), scribe.CompactPrompt(set, scribe.Compacting{Name: "Marcus", Content: "[character-Marcus: serves ale, serves the ale]"}, "Robin", "Tove"), "dropped"},
	}
	var fault Fault
	var aim Job
	h := open(t, Options{Fault: func(c Call) Fault {
		if c.Job() != aim {
			return Fault{}
		}
		return fault
	}})
	for job, j := range jobs {
		var list []map[string]string
		for _, m := range told(j.prompt) {
			list = append(list, map[string]string{"role": string(m.Role), "content": m.Content})
		}
		body := request(t, map[string]any{"stream": false, "format": j.schema, "messages": list})
		answerTo := func(f Fault) (string, wireAnswer) {
			aim, fault = job, f
			got := ask(t, h, "POST", "/api/chat", body)
			_, content, _ := lines(t, got.body)
			return content, wireAnswer{got.status, got.body}
		}
		right, _ := answerTo(Fault{})
		if err := validate(string(j.schema), right); err != nil {
			t.Fatalf("%s: %v", job, err)
		}
		for name, test := range map[string]struct {
			f    Fault
			want string
		}{
			"gibberish":      {Fault{Kind: Say, Text: "Marcus? Who is Marcus?"}, "Marcus? Who is Marcus?"},
			"wrapped":        {Fault{Kind: Wrapped}, wrapped(right)},
			"lacks the last": {Fault{Kind: Lacks}, without(right, "")},
			"cut":            {Fault{Kind: Cut, After: 3}, strings.Join(tokenizer(0).pieces(right)[:3], "")},
		} {
			if got, _ := answerTo(test.f); got != test.want || got == right {
				t.Errorf("%s, %s: %s", job, name, got)
			}
		}
		if lacking := without(right, ""); strings.Contains(lacking, j.last) {
			t.Errorf("%s: %s still has %s", job, lacking, j.last)
		}
		if _, got := answerTo(Fault{Kind: Unavailable}); got.status != 503 {
			t.Errorf("%s: %+v", job, got)
		}
		if job == LookupJob || job == ResolveJob {
			if got, _ := answerTo(Fault{Kind: Pronouns}); got != right {
				t.Errorf("%s has no content to miswrite: %s", job, got)
			}
			continue
		}
		for kind, want := range map[FaultKind]string{Pronouns: "“him” should be a name", Misnamed: "about “Somebody Else”", Unclosed: "never closed"} {
			got, _ := answerTo(Fault{Kind: kind})
			a := scribe.Merge{Of: m}
			if err := json.Unmarshal([]byte(got), &a); err != nil {
				t.Fatalf("%s: %v: %s", job, err, got)
			}
			if err := a.Check(); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %d: %s: %v", job, kind, got, err)
			}
		}
	}
}

type wireAnswer struct {
	status int
	body   string
}

// TestRecapScene_LoreRecurs tells two scenes of the same people: who came up in
// the first comes up again in the second, with something new.
func TestRecapScene_LoreRecurs(t *testing.T) {
	text, count := evening(t, 8)
	half := strings.Index(text, "[9] ")
	later := text[half:]
	for n := 9; n <= count; n++ {
		later = strings.Replace(later, fmt.Sprintf("[%d] ", n), fmt.Sprintf("[%d] ", n-8), 1)
	}
	first := perfect[sceneAnswer](t, usualScene, asked("Recap.", text[:half]), 0)
	second := perfect[sceneAnswer](t, usualScene, asked("Recap.", later), 0)
	again := 0
	for _, a := range first.Lorebooks {
		if problems := plist.Check(a.Content, plist.Want{Types: scribe.Types(), Name: a.Name}); len(problems) > 0 {
			t.Errorf("%s: %v", a.Content, problems)
		}
		for _, b := range second.Lorebooks {
			if a.Name != b.Name {
				continue
			}
			again++
			_, old := traits(a.Content)
			_, fresh := traits(b.Content)
			if merged, changed := united(old, fresh, 2000); !changed || len(merged) < len(old) {
				t.Errorf("nothing new about %s:\n%s\n%s", a.Name, a.Content, b.Content)
			}
		}
	}
	if again < 2 {
		t.Errorf("%d of %+v come again in %+v", again, first.Lorebooks, second.Lorebooks)
	}
}

func TestTraits(t *testing.T) {
	for text, want := range map[string][]string{
		"[item-Lamp: brass, hangs(on a hook, in the hall), lit]": {"item-Lamp", "brass", "hangs(on a hook, in the hall)", "lit"},
		"[item-Lamp: brass, hangs(on a hook]":                    {"item-Lamp", "brass", "hangs(on a hook"},
		"[item-Lamp:]":                                           {"item-Lamp"},
		"[item-Lamp: x":                                          {""},
	} {
		head, list := traits(text)
		if got := append([]string{head}, list...); !slices.Equal(got, want) && head != "" || head != want[0] {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// loreSchemas are the jobs' schemas with other bounds, too.
func loreSchemas() []string {
	out := []string{string(scribe.LookupSchema()), string(scribe.ResolveSchema()), string(scribe.MergeSchema()), string(scribe.CompactSchema())}
	return append(out,
		`{"type":"object","properties":{"same_entity_ids":{"type":"array","items":{"type":"string"}},"needs_full_context_ids":{"type":"array","maxItems":1,"items":{"type":"string"}},"type":{"enum":["item","quest"]}},"required":["type"]}`,
		`{"type":"object","properties":{"content":{"type":"string","maxLength":40},"canonical_name":{"type":["string","null"]}},"required":["content","canonical_name"]}`,
		`{"type":"object","properties":{"content":{"type":"string","maxLength":12}},"required":["content"]}`,
		`{"type":"object","properties":{"resolved_id":{"type":"integer"}},"required":["resolved_id"]}`)
}

func TestStructured_AnyLoreJob(t *testing.T) {
	line := rapid.SampledFrom([]string{
		"<registry>", "</registry>", "<candidate>", "</candidate>", "<entries>", "</entries>", "<entry>", "</entry>", "<news>", "</news>",
		"[1] Tove (also: the prompter, T.) – keeps the house", "[x9] Mill", "[] ", "[1] ", "[2] ]", "name: Tove", "name:", "type: item", "content: [character-Tove: tall, has met(Robin", "[character-Tove: tall, has met(Robin)]",
		"[-: ,,()]", "[a-b: no longer tall]", "The entry is about the bartender (type: character; other names: (none)).", "The news, where it is called Marcus:", "Write the whole entry in at most 40 characters.", "at most", "\xff", "", strings.Repeat("long, ", 90),
	})
	rapid.Check(t, func(t *rapid.T) {
		schema := rapid.SampledFrom(loreSchemas()).Draw(t, "schema")
		messages := asked(line.Draw(t, "system"), strings.Join(rapid.SliceOfN(line, 0, 14).Draw(t, "lines"), "\n"))
		answer, err := structured(json.RawMessage(schema), messages, 0)
		if err != nil {
			t.Fatalf("%v\n%s", err, schema)
		}
		if err := validate(schema, answer); err != nil {
			t.Fatalf("%v\n%s\n%s", err, schema, answer)
		}
		if again, err := structured(json.RawMessage(schema), messages, 0); err != nil || again != answer {
			t.Fatalf("the same request got another answer: %v\n%s\n%s", err, answer, again)
		}
	})
}

func FuzzLoreJobs(f *testing.F) {
	f.Add("<registry>\n[1] Tove – x\n</registry>\n<candidate>\nname: Tove\ncontent: [a-b: c]\n</candidate>", uint8(0))
	f.Add("<entries>\n[1] Mill\n[item-x: y(]\n</entries><candidate>name: mill</candidate>", uint8(1))
	f.Add("The entry is about the guard (type\n<entry>\n[a-the guard: x, y(z)]\n</entry>\nit is called Bo:\n<news>\n[a-Bo: y(q), no longer x]\n</news>", uint8(2))
	f.Add("<entry>[a-b: c, c d, (]</entry> at most 9 ", uint8(3))
	schemas := loreSchemas()
	f.Fuzz(func(t *testing.T, text string, pick uint8) {
		schema := schemas[int(pick)%len(schemas)]
		answer, err := structured(json.RawMessage(schema), asked("", text), 0)
		if err == nil {
			err = validate(schema, answer)
		}
		if err != nil {
			t.Errorf("%v\n%s", err, answer)
		}
	})
}
