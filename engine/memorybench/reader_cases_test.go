package memorybench

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// small returns a story of five facts, of which the second key is the news of the first.
func small() *Story {
	s := &Story{Speakers: [2]string{"Ada", "Brona"}, markers: map[string]*Fact{}}
	a := &author{Story: s, r: rand.New(rand.NewPCG(1, 1))}
	a.Subjects = []string{"Mallet", "Robard", "Clarrow"}
	a.fact(Fact{Kind: Event, Subject: "Mallet", Marker: "Tolven"})    // sold the boat to
	a.fact(Fact{Kind: Deadline, Subject: "Mallet", Marker: "Thursk"}) // must pay the debt to
	key := a.fact(Fact{Kind: State, Topic: 1, Subject: "Robard", Marker: "Ostlow", Turn: 1})
	a.fact(Fact{Kind: State, Topic: 1, Subject: "Robard", Marker: "Westrow", Replaces: key, Turn: 2})
	a.fact(Fact{Kind: Trait, Subject: "Clarrow", Marker: "Hennick"}) // was born in
	return a.Story
}

// said returns messages of a request in turn: a system message, one of the user's, an answer,
// another one of the user's.
func said(texts ...string) (out []storage.Node) {
	roles := []storage.Role{storage.System, storage.User, storage.Assistant, storage.User}
	for i, text := range texts {
		out = append(out, storage.Node{Role: roles[i], Content: strings.TrimSpace(text)})
	}
	return out
}

// Parts of schemas.
const (
	text       = `{"type":"string"}`
	labels     = `{"type":"array","items":{"type":"string"}}`
	numbers    = `{"type":"array","items":{"type":"integer","minimum":1}}`
	dropSchema = `"dropped":{"type":"array","items":{"properties":{"fact":{"type":"integer"},"why":{"type":"string"}}}}`
)

func object(fields ...string) string { return `{"properties":{` + strings.Join(fields, ",") + `}}` }

func list(fields ...string) string { return `{"type":"array","items":` + object(fields...) + `}` }

// listed returns a schema with the lists of a recap, whose entries have some more fields.
func listed(more, entry string) string {
	var lists []string
	for _, h := range headings {
		lists = append(lists, `"`+h+`":`+list(`"text":`+text, entry))
	}
	return object(`"recap":` + object(lists...) + more)
}

// rewording is a request for the same in other words and forms, with what has to stand in
// every answer and what in none.
type rewording struct {
	name, schema string
	requests     [][]storage.Node
	has, lacks   []string
}

// appended asks for a recap at the end of a chat's own prompt, by how its messages begin.
var appended = []storage.Node{
	{Role: storage.System, Content: `<roleplay_memory>
- Mallet must pay the debt to Thursk before the moon is full.
</roleplay_memory>`},
	{Role: storage.User, Content: "Robin: Hello. Mallet must pay the debt to Thursk before the moon is full."},
	{Role: storage.Assistant, Content: `Look. Mallet sold the boat to Tolven.

And the lamp is out. Clarrow was born in Hennick.`},
	{Role: storage.User, Content: "Robin: Robard carries the key of Ostlow."},
	{Role: storage.User, Content: `The messages stand above.

<transcript>
[1] Robin, beginning “Hello. Mallet”
[2] Ada, beginning “Look. Mallet…”
[3] Robin, beginning “Robard carries”
</transcript>

Write the recap.`},
}

func recapWordings() rewording {
	more := `,"scene_name":{"type":"string"},"lorebooks":` + list(`"content":`+text)
	return rewording{"a scene recap", listed(more,
		`"messages":`+numbers), [][]storage.Node{
		said("Keep the records.", `
What was played before. What ends with "(over)" no longer holds:

<earlier>
## Pending Threads

- Mallet must pay the debt to Thursk before the moon is full.
- Robard carries the key of Ostlow. (over)
</earlier>

The scene:

<transcript>
[1] Robin: Hello. Mallet must pay the debt to Thursk before the moon is full.

[2] Ada: Look. Mallet sold the boat to Tolven.

And the lamp is out. Clarrow was born in Hennick.

[3] Robin (whispered, heard only by Ada): Robard carries the key of Ostlow.
</transcript>

The scene ends here, with message 3. JSON only.`),
		said("You write a recap. Rules:\n1. Be short.\n2. Be exact.", `
<messages>
[1] Robin: Hello. Mallet must pay the debt to Thursk before the moon is full.
[2] Ada: Look. Mallet sold the boat to Tolven.
And the lamp is out. Clarrow was born in Hennick.
[3] Robin, heard by Ada alone: Robard carries the key of Ostlow.
</messages>
<facts>
Mallet must pay the debt to Thursk before the moon is full.
Robard carries the key of Ostlow. (no longer true)
</facts>
<example>
[1] Robin: Mallet sold the boat to Westrow.
{"recap": {}}
</example>
Write the recap of the messages. Cite their numbers.`),
		said("Keep the records.", `
### Already in the lorebook and the story

* Mallet must pay the debt to Thursk before the moon is full.

### Messages of this scene

1. Robin: Hello. Mallet must pay the debt to Thursk before the moon is full.

2. Ada: Look. Mallet sold the boat to Tolven.

And the lamp is out. Clarrow was born in Hennick.

3. Robin: Robard carries the key of Ostlow.

### What to do

Write it down.`),
		appended,
		said("Keep the records.", `
<known>
[1] Mallet must pay the debt to Thursk before the moon is full.
</known>
<messages>
[1] Robin: Hello. Mallet must pay the debt to Thursk before the moon is full.
[2] Ada: Look. Mallet sold the boat to Tolven. Clarrow was born in Hennick.
[3] Robin: Robard carries the key of Ostlow.
</messages>`, `{"recap": {}}`, "This cannot be used: “Mallet sold the boat to Tolven” cites [7]. Once more."),
	}, []string{`{"messages":[2],"text":"Mallet sold the boat to Tolven."}`,
		`{"messages":[3],"text":"Robard carries the key of Ostlow."}`,
		`"content":"[character-Clarrow: was born in Hennick(Clarrow)]"`}, []string{"Thursk", "Westrow"}}
}

func memoriesWordings() rewording {
	entry := `"messages":` + numbers + `,"memories":` + labels
	return rewording{"a scene recap with memories", listed(`,"scene_name":`+text, entry), [][]storage.Node{
		said("", `<memories>
[M1] Clarrow was born in Hennick.
[M2] The boat of Mallet went to Tolven.
</memories>

<messages>
[1] Robin: Hello.
[2] Ada: Mallet sold the boat to Tolven.
</messages>`),
		said("", `Messages:

1. Robin: Hello.
2. Ada: Mallet sold the boat to Tolven.

Memories:

M1: Clarrow was born in Hennick.
M2: The boat of Mallet went to Tolven.`),
	}, []string{`{"memories":["M2"],"messages":[2],"text":"Mallet sold the boat to Tolven."}`}, []string{"Hennick"}}
}

func mergeWordings() rewording {
	return rewording{"a merge", listed(","+dropSchema, `"bullets":`+numbers), [][]storage.Node{
		said("Work the newest scene in, as in [3, 12].", `
The memory so far:

<memory>
Current Situation:
[1] Robard carries the key of Ostlow.
Pending Threads:
[2] Mallet must pay the debt to Thursk before the moon is full.
</memory>

The newest scene, “The scene of turn 42”:

<newest>
Current Situation:
[3] Robard carries the key of Westrow.
Key Developments:
[4] Mallet sold the boat to Tolven.
</newest>

Those were 4 facts. Each number from 1 to 4 stands in an entry or in dropped.`),
		said("Rules:\n1. Cite.\n2. Drop.\n3. Carry over.", `
<facts>
- [1] Robard carries the key of Ostlow.
- [2] Mallet must pay the debt to Thursk before the moon is full.
</facts>
<scene>
- [3] Robard carries the key of Westrow.
- [4] Mallet sold the boat to Tolven.
</scene>
Write the new lines.`),
		said("", `
# What was known

1. Robard carries the key of Ostlow.
2. Mallet must pay the debt to Thursk before the moon is full.

# What is new

3. Robard carries the key of Westrow.
4. Mallet sold the boat to Tolven.

# What to do

Make one list of both.`),
	}, []string{`{"bullets":[2],"text":"Mallet must pay the debt to Thursk before the moon is full."}`,
		`{"bullets":[3],"text":"Robard carries the key of Westrow."}`,
		`{"bullets":[4],"text":"Mallet sold the boat to Tolven."}`, `"dropped":[{"fact":1,`}, nil}
}

func lateWordings() rewording {
	return rewording{"a merge of an older scene", listed(","+dropSchema, `"bullets":`+numbers), [][]storage.Node{
		said("", `
The memory, which stays as it is:

<memory>
[1] Mallet must pay the debt to Thursk before the moon is full.
[2] Robard carries the key of Westrow.
</memory>

The earlier scene, “The scene of turn 26”:

<newest>
[3] Robard carries the key of Ostlow.
[4] Mallet sold the boat to Tolven.
</newest>

For each of the facts 3 to 4: add it, or drop it with the reason.`),
		said("", `
<memory>
[1] Mallet must pay the debt to Thursk before the moon is full.
[2] Robard carries the key of Westrow.
</memory>
<missed_scene>
[3] Robard carries the key of Ostlow.
[4] Mallet sold the boat to Tolven.
</missed_scene>
Add what is lacking.`),
		said("", `
Known:

1. Mallet must pay the debt to Thursk before the moon is full.
2. Robard carries the key of Westrow.

To be added:

3. Robard carries the key of Ostlow.
4. Mallet sold the boat to Tolven.

Answer for 3–4 only.`),
	}, []string{`{"bullets":[2],"text":"Robard carries the key of Westrow."}`,
		`{"bullets":[4],"text":"Mallet sold the boat to Tolven."}`, `"dropped":[{"fact":3,`}, nil}
}

func keptWordings() rewording {
	return rewording{"a merge into what is known", listed(","+dropSchema, `"bullets":`+numbers), [][]storage.Node{
		said("", `
<memory>
- Mallet must pay the debt to Thursk before the moon is full.
- Robard carries the key of Westrow.
</memory>
<latest_scene>
[1] Robard carries the key of Ostlow.
[2] Mallet sold the boat to Tolven.
[3] Mallet must pay the debt to Thursk before the moon is full.
</latest_scene>`),
		said("", `
# Known

Mallet must pay the debt to Thursk before the moon is full.
Robard carries the key of Westrow.

# To be added

1. Robard carries the key of Ostlow.
2. Mallet sold the boat to Tolven.
3. Mallet must pay the debt to Thursk before the moon is full.`),
	}, []string{`{"bullets":[2],"text":"Mallet sold the boat to Tolven."}`, `"dropped":[{"fact":1,`, `{"fact":3,`},
		[]string{"Westrow", "Thursk"}}
}

func loreWordings() []rewording {
	fact := list(`"text":`+text, `"from":`+numbers)
	return []rewording{
		{"a merge of lore", object(`"facts":`+fact, dropSchema), [][]storage.Node{
			said("", `The entry is about Robard.

<entry>
[1] carries the key of Ostlow(Robard)
</entry>

The news:

<news>
[2] carries the key of Westrow(Robard)
</news>

Those were 2 facts.`),
			said("", `<facts>
1. carries the key of Ostlow(Robard)
</facts>
<new_facts>
2. carries the key of Westrow(Robard)
</new_facts>`),
			said("", `Entry:

[1] carries the key of Ostlow(Robard)

New:

[2] carries the key of Westrow(Robard)

Write the entry.`),
		}, []string{`{"from":[2],"text":"carries the key of Westrow(Robard)"}`, `"dropped":[{"fact":1,`}, nil},
		{"a lookup", object(`"synopsis":`+text, `"same_entity_ids":`+numbers), [][]storage.Node{
			said("", `<registry>
[1] Mallet – somebody
[2] Clarrow – somebody
</registry>

The candidate:

<candidate>
name: Clarrow
content: [character-Clarrow: was born in Hennick(Clarrow)]
</candidate>`),
			said("", `<candidate>
Clarrow (character): was born in Hennick(Clarrow)
</candidate>
<entries>
[1] Mallet: somebody
[2] Clarrow: somebody
</entries>
Which of them is it?`),
		}, []string{`"same_entity_ids":[2]`, `"synopsis":"Clarrow, somebody of this story"`}, nil},
		{"a resolution", object(`"resolvedId":{"type":"string","enum":["new","1","2"]}`), [][]storage.Node{
			said("", `<entries>
[1] Mallet – somebody
[character-Mallet: sold the boat to Tolven(Mallet)]

[2] Clarrow – somebody
</entries>

<candidate>
name: Clarrow
</candidate>`),
			said("", "<new_note>\nname: Clarrow\n</new_note>\n\n<lorebook>\n1. Mallet\n2. Clarrow\n</lorebook>"),
		}, []string{`"resolvedId":"2"`}, nil},
	}
}

func recallTestWordings() []rewording {
	return []rewording{
		{"questions", object(`"questions":` + list(`"question":`+text, `"answer":`+text,
			`"messages":`+numbers)), [][]storage.Node{
			said("", `<transcript>
[1] Robin: Hello.
[2] Ada: Mallet sold the boat to Tolven.
</transcript>

The notes:

<recap>
[1] Clarrow was born in Hennick.
</recap>`),
			said("", `<notes>
1. Clarrow was born in Hennick.
</notes>
<messages>
1. Robin: Hello.
2. Ada: Mallet sold the boat to Tolven.
</messages>
Ask.`),
		}, []string{`"answer":"Tolven","messages":[2],`}, []string{"Hennick"}},
		{"answers", object(`"answers":` + list(`"number":{"type":"integer"}`, `"answer":`+text)), [][]storage.Node{
			said("", `<memory>
- Mallet sold the boat to Tolven.
</memory>

<questions>
1. Which name belongs to Mallet in matter 0 of kind 1?
2. Which name belongs to Clarrow in matter 0 of kind 0?
</questions>`),
			said("", `# Notes

Mallet sold the boat to Tolven.

# To be answered

[1] Which name belongs to Mallet in matter 0 of kind 1?
[2] Which name belongs to Clarrow in matter 0 of kind 0?

# Form

JSON.`),
		}, []string{`{"answer":"Tolven","number":1},{"answer":"not in memory","number":2}`}, nil},
	}
}

func chatWordings() []rewording {
	chat := []storage.Node{
		{Role: storage.System, Content: "You play Ada.\n\n1. Be brief.\n2. Be kind."},
		{Role: storage.User, Content: "Robin: Robard carries the key of Westrow."},
		{Role: storage.Assistant, Content: "Mallet nods."},
	}
	ask := func(texts ...string) []storage.Node {
		return append(slices.Clone(chat), said(append([]string{""}, texts...)...)[1:]...)
	}
	move := "I push open the heavy gate behind the rope and leave where we were behind."
	return []rewording{
		{"a pass", object(`"scene":{"properties":{"status":{"type":"boolean"}},"required":["status"]}`,
			`"taken":`+numbers, `"outdated":{"type":"array","items":`+object(`"why":`+text, `"from":`+numbers, `"fact":{"type":"integer"}`)+`}`), [][]storage.Node{
			ask(`[Out of character. Keep the notes.

<facts>
1. Mallet must pay the debt to Thursk before the moon is full. (due)
2. Robard carries the key of Ostlow.
</facts>

<messages>
[1] Robin, beginning “Robard carries the…”
[2] Ada, beginning “Mallet nods.”
</messages>

- taken: numbers]`),
			ask(`<messages>
[1] Robin (whispered, heard only by Ada): “Robard carries the key of Westrow.”
</messages>
<facts>
[1] Mallet must pay the debt to Thursk before the moon is full.
[2] Robard carries the key of Ostlow.
</facts>

Rules:
1. Be exact.
2. Cite numbers.`, `{"taken": [9]}`, "There is no number 9. Once more."),
		}, []string{`"outdated":[{"fact":2,"from":[1],"why":"It is over."}]`, `"taken":[1]`, `"status":false`}, nil},
		{"a detection", object(`"status":{"type":"boolean"}`, `"rationale":`+text), [][]storage.Node{
			said("", `The messages before:

<before>
Robin: Hello.
</before>

The NEW message:

<message>
Robin: `+move+`
</message>

Does it begin a scene?`),
			said("", `<messages>
[1] Robin: Hello.
[2] Ada: Well.
[3] Robin: `+move+`
</messages>
Does the last of them begin a scene?`),
			said("You play Ada.", "Robin: "+move, "Mallet nods.", "Does the newest message begin a scene?"),
		}, []string{`"status":true`}, nil},
		{"a detection of nothing", object(`"status":{"type":"boolean"}`, `"rationale":`+text), [][]storage.Node{
			said("", "<before>\nRobin: "+move+"\n</before>\n\n<message>\nAda: Well.\n</message>"),
			said("", `<messages>
[1] Robin: `+move+`
[2] Ada: Well.
</messages>
Does the last of them begin a scene?`),
		}, []string{`"status":false`}, nil},
	}
}

// A careful model understands a request in whatever words and form it comes.
func TestReader_Rewordings(t *testing.T) {
	all := []rewording{recapWordings(), memoriesWordings(), mergeWordings(), lateWordings(), keptWordings()}
	all = append(append(append(all, loreWordings()...), recallTestWordings()...), chatWordings()...)
	for _, w := range all {
		t.Run(w.name, func(t *testing.T) {
			first := ""
			for i, request := range w.requests {
				answer, ok := NewModel(small(), Rates{}, 1).Answer(json.RawMessage(w.schema), request)
				if !ok {
					t.Fatalf("wording %d: the model does not know the job", i+1)
				}
				for _, want := range w.has {
					if !strings.Contains(answer, want) {
						t.Errorf("wording %d: %s is missing in %s", i+1, want, answer)
					}
				}
				for _, never := range w.lacks {
					if strings.Contains(answer, never) {
						t.Errorf("wording %d: %s stands in %s", i+1, never, answer)
					}
				}
				if first == "" {
					first = answer
				}
				if answer != first {
					t.Errorf("wording %d is read as %s, wording 1 as %s", i+1, answer, first)
				}
			}
		})
	}
}
