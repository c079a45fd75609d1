package scene

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/exampletest"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Each prompt's example is an answer that the program accepts in full, at the first attempt.
func TestPrompts_Examples(t *testing.T) {
	messages := make([]Message, 6)
	for i := range messages {
		messages[i].ID, messages[i].Text = storage.NodeID(rune('a'+i)), "It happens."
	}
	messages[5].Text = "The lighthouse door creaked open."
	in := Input{Messages: messages, Memories: make([]Memory, 2)}
	record := func(bullets ...string) storage.Recap {
		return storage.Recap{Text: "## Key Developments\n- " + strings.Join(bullets, "\n- ")}
	}
	inMill := record("Maren hides in the mill.", "Maren's right hand is broken.", "Maren owes Piet ten coins.")
	running := Merge{Running: true, Records: []storage.Recap{inMill,
		record("Maren waits at the ferry.", "Maren has paid Piet.", "Jonas looks for Maren.")}}
	join := Merge{Records: []storage.Recap{record("Maren hides in the mill.", "Maren's right hand is broken."),
		record("Maren waits at the ferry.", "The broken hand is in splints.")}}
	merged := func(m Merge, facts ...string) func(json.RawMessage) error {
		return func(example json.RawMessage) error {
			var a MergeAnswer
			if err := json.Unmarshal(example, &a); err != nil {
				return err
			}
			d := m.Draft(&a)
			var got []string
			for _, b := range Bullets(d.Text) {
				got = append(got, b.Text)
			}
			if slices.Sort(got); !slices.Equal(got, facts) || len(d.Dropped) != 1 {
				t.Errorf("%q, dropped %+v", got, d.Dropped)
			}
			return nil
		}
	}
	detected := func(example json.RawMessage) error {
		var d Detection
		err := json.Unmarshal(example, &d)
		if _, _, ok := HasEvidence(d, messages); d.Status != ok {
			t.Errorf("a new scene: %v, and shown to be one: %v", d.Status, ok)
		}
		return err
	}
	for file, c := range map[string]struct {
		schema json.RawMessage
		check  func(json.RawMessage) error
	}{
		DetectFile:         {DetectSchema(), detected},
		DetectAppendedFile: {DetectSchema(), detected},
		SceneFile: {RecapSchema(messages, 2), func(example json.RawMessage) error {
			var a Answer
			if err := json.Unmarshal(example, &a); err != nil {
				return err
			}
			if d := a.Draft(in); len(d.Sources) != 4 || len(d.Lorebooks) != 1 || len(d.Dropped) != 0 {
				t.Errorf("%+v", d)
			}
			return a.Check(in)
		}},
		RunningFile: {running.Schema(), merged(running, "Jonas looks for Maren.", "Maren has paid Piet the ten coins.",
			"Maren waits at the ferry.", "Maren's right hand is broken.")},
		JoinFile: {join.Schema(), merged(join, "Maren waits at the ferry.", "Maren's broken right hand is in splints.")},
		MessageFile: {MessageSchema(), func(example json.RawMessage) error {
			var a MessageAnswer
			if err := json.Unmarshal(example, &a); err != nil {
				return err
			}
			if got := a.Text(); strings.Count(got, "\n- ") != 1 {
				t.Errorf("%q", got)
			}
			return a.Check()
		}},
		QuestionsFile: {QuestionSchema(messages), func(example json.RawMessage) error {
			var q Questions
			if err := json.Unmarshal(example, &q); err != nil {
				return err
			}
			return q.Check()
		}},
		AnswersFile: {AnswerSchema(2), func(example json.RawMessage) error {
			var a Answers
			if err := json.Unmarshal(example, &a); err != nil {
				return err
			}
			return a.Check()
		}},
		MarksFile: {MarksSchema(2), func(example json.RawMessage) error {
			var m Marks
			return json.Unmarshal(example, &m)
		}},
	} {
		t.Run(file, func(t *testing.T) {
			for _, example := range exampletest.Of(t, prompts.BuiltIn().Text(file)) {
				exampletest.Keeps(t, c.schema, example)
				if err := c.check(example); err != nil {
					t.Errorf("%v:\n%s", err, example)
				}
			}
		})
	}
}

// A schema has only the numbers that its prompt shows, and no place for memories where there are none.
func TestSchemas_HaveTheNumbersThatAreShown(t *testing.T) {
	messages := harbour().Messages
	part := Slice(messages, Position{Number: 2}, Position{Number: 4})
	line := func(fields string) string {
		return `{"scene_name": "x", "recap": {"current_situation": [{"text": "ab", ` + fields + `}], "key_developments": [],` +
			`"dialogue_highlights": [], "tone_style": [], "pending_threads": []}, "atmosphere": "", "emotional_beats": "", "lorebooks": []}`
	}
	for _, c := range []struct {
		schema json.RawMessage
		answer string
		want   bool
	}{
		{RecapSchema(messages, 0), line(`"messages": [1, 4]`), true},
		{RecapSchema(messages, 0), line(`"messages": [5]`), false},
		{RecapSchema(messages, 0), line(`"messages": []`), false},
		{RecapSchema(messages, 0), line(`"messages": [1], "memories": ["M1"]`), false},
		{RecapSchema(messages, 1), line(`"messages": [1], "memories": ["M1"]`), true},
		{RecapSchema(part, 0), line(`"messages": [3, 4]`), true},
		{RecapSchema(part, 0), line(`"messages": [2]`), false},
		{AnswerSchema(2), `{"answers": [{"number": 1, "answer": "a"}, {"number": 2, "answer": "b"}]}`, true},
		{AnswerSchema(2), `{"answers": [{"number": 1, "answer": "a"}, {"number": 3, "answer": "b"}]}`, false},
		{MarksSchema(2), `{"marks": [{"number": 1, "right": true}]}`, false},
	} {
		if got := resolve(t, c.schema).Validate(decoded(t, c.answer)) == nil; got != c.want {
			t.Errorf("%s: taken is %v", c.answer, got)
		}
	}
}
