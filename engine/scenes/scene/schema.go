package scene

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
)

// Schemas go to the server, which compiles them to a grammar. Every text and list is bounded so
// that an answer cannot run on forever, and no bound exceeds the grammar's limit of 2,000. Answers
// are checked against forms, which are wider, because not every server keeps to the schema.

// sectionKeys are the five headings as the models' answers name them.
var sectionKeys = [...]string{"current_situation", "key_developments", "dialogue_highlights", "tone_style",
	"pending_threads"}

const (
	sceneItems = 10 // under one heading of a scene's recap
	mergeItems = 80 // and of a running one

	loreItemsMost = 8 // for the lorebook
	citedMost     = 8 // numbers of one text, and never more than half of them
	replacedMost  = 4 // facts that one line of a merge replaces
	droppedMost   = 80
	questionsMost = 5 // of a recall test
)

// span is the numbers that a prompt shows, from the first to the last.
type span struct{ first, last int }

func upTo(n int) span { return span{1, max(n, 1)} }

// shown returns the span of message numbers in a prompt.
func shown(messages []Message) span {
	n := len(messages)
	if n == 0 {
		return upTo(0)
	}
	return span{cmp.Or(messages[0].Number, 1), cmp.Or(messages[n-1].Number, n)}
}

// number returns the schema of one number; list is that of some of them, at least least.
func (s span) number() string {
	return fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":%d}`, s.first, s.last)
}

func (s span) list(least int) string {
	n := s.last - s.first + 1
	return s.upTo(least, max(2, n/2))
}

// upTo returns the schema of a list of no more than most numbers.
func (s span) upTo(least, most int) string {
	return fmt.Sprintf(`{"type":"array","minItems":%d,"maxItems":%d,"items":%s}`, least,
		min(citedMost, most, s.last-s.first+1), s.number())
}

// DetectSchema bounds the answer to DetectPrompt and DetectInstruction. The
// reason comes first, so that the model has weighed it when it decides.
func DetectSchema() json.RawMessage {
	return json.RawMessage(
		`{"type":"object","properties":{"rationale":{"type":"string","minLength":1,"maxLength":240},` +
			`"status":{"type":"boolean"}},"required":["rationale","status"],"additionalProperties":false}`)
}

// DetectForm returns the schema that an answer to DetectPrompt is checked against.
func DetectForm() json.RawMessage {
	return json.RawMessage(
		`{"type":"object","properties":{"status":{"type":"boolean"},"rationale":{"type":"string"}},"required":["status","rationale"]}`)
}

// recapProperty returns the property of a recap whose bullets have these fields besides their text.
// Each heading has no more than most bullets, and the first at least least.
func recapProperty(numbers, more string, most, least int) string {
	bullet := `{"type":"object","properties":{"text":{"type":"string","minLength":2,"maxLength":480},` +
		numbers + more +
		`},"required":["text",` + numbers[:strings.IndexByte(numbers, ':')] + `],"additionalProperties":false}`
	var sections []string
	for i, key := range sectionKeys {
		if i > 0 {
			least = 0
		}
		sections = append(sections, fmt.Sprintf(`%q:{"type":"array","minItems":%d,"maxItems":%d,"items":%s}`,
			key, least, most, bullet))
	}
	return fmt.Sprintf(`"recap":{"type":"object","properties":{%s},"required":["%s"],"additionalProperties":false}`,
		strings.Join(sections, ","), strings.Join(sectionKeys[:], `","`))
}

// loreItem bounds a fact for the lorebook that rests on some of the messages.
func loreItem(messages span) string {
	return `{"type":"object","properties":{` +
		`"name":{"type":"string","minLength":1,"maxLength":120},` +
		`"type":{"type":"string","minLength":1,"maxLength":40},` +
		`"keywords":{"type":"array","maxItems":6,"items":{"type":"string","minLength":1,"maxLength":60}},` +
		`"secondaryKeys":{"type":"array","maxItems":4,"items":{"type":"string","minLength":1,"maxLength":60}},` +
		`"content":{"type":"string","minLength":2,"maxLength":800},"messages":` + messages.list(1) + `},` +
		`"required":["name","type","keywords","content","messages"],"additionalProperties":false}`
}

// RecapSchema returns the schema of the answer to RecapPrompt or PartPrompt about these messages
// and memories.
func RecapSchema(messages []Message, memories int) json.RawMessage {
	return recapSchema(messages, memories, 1)
}

func recapSchema(messages []Message, memories, least int) json.RawMessage {
	from, more := shown(messages), ""
	if memories > 0 {
		more = fmt.Sprintf(
			`,"memories":{"type":"array","maxItems":%d,"items":{"type":"string","minLength":2,"maxLength":5}}`,
			min(citedMost, memories))
	}
	return json.RawMessage(
		`{"type":"object","properties":{"scene_name":{"type":"string","minLength":1,"maxLength":120},` +
			recapProperty(`"messages":`+from.list(1), more, sceneItems, least) +
			`,"atmosphere":{"type":"string","maxLength":400},"emotional_beats":{"type":"string","maxLength":400},` +
			fmt.Sprintf(`"lorebooks":{"type":"array","maxItems":%d,"items":`, loreItemsMost) + loreItem(from) + `}},` +
			`"required":["scene_name","recap","atmosphere","emotional_beats","lorebooks"],"additionalProperties":false}`)
}

const recapForm = `"recap":{"anyOf":[{"type":"string"},{"type":"object","additionalProperties":{"anyOf":[{"type":"null"},{"type":"string"},` +
	`{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}]}}]}}]}`

// RecapForm returns the form that such an answer must have to be read: the recap may be one
// Markdown text, a bullet plain text, and the lorebooks may have their other name.
func RecapForm() json.RawMessage {
	lore := `{"anyOf":[{"type":"null"},{"type":"array","items":{"type":"object"}}]}`
	return json.RawMessage(`{"type":"object","properties":{` + recapForm + `,"lorebooks":` + lore +
		`,"setting_lore":` + lore +
		`,"scene_name":{"type":"string"},"atmosphere":{"type":"string"},"emotional_beats":{"type":"string"}},` +
		`"required":["scene_name","recap","atmosphere","emotional_beats"],"anyOf":[{"required":["lorebooks"]},{"required":["setting_lore"]}]}`)
}

// MessageSchema bounds the answer to MessagePrompt.
func MessageSchema() json.RawMessage {
	return json.RawMessage(
		fmt.Sprintf(`{"type":"object","properties":{"recap":{"type":"string","minLength":2,"maxLength":%d}},`+
			`"required":["recap"],"additionalProperties":false}`, maxMessageRecap))
}

// QuestionSchema bounds the answer to QuestionPrompt about these messages.
func QuestionSchema(messages []Message) json.RawMessage {
	return json.RawMessage(
		fmt.Sprintf(`{"type":"object","properties":{"questions":{"type":"array","minItems":1,"maxItems":%d,`+
			`"items":{"type":"object","properties":{"question":{"type":"string","minLength":3,"maxLength":240},`+
			`"answer":{"type":"string","minLength":1,"maxLength":120},"messages":%s},`+
			`"required":["question","answer","messages"],"additionalProperties":false}}},"required":["questions"],`+
			`"additionalProperties":false}`, questionsMost, shown(messages).list(1)))
}

// AnswerSchema returns the schema of the answer to AnswerPrompt.
func AnswerSchema(questions int) json.RawMessage {
	return eachQuestion("answers", `"answer":{"type":"string","minLength":1,"maxLength":120}`, questions)
}

// MarksSchema returns the schema of the answer to MarksPrompt.
func MarksSchema(questions int) json.RawMessage {
	return eachQuestion("marks", `"right":{"type":"boolean"}`, questions)
}

// eachQuestion bounds a list with as many items as there are questions. An item has the number of its
// question and one more field.
func eachQuestion(list, field string, questions int) json.RawMessage {
	n := upTo(questions)
	return json.RawMessage(
		fmt.Sprintf(`{"type":"object","properties":{%q:{"type":"array","minItems":%d,"maxItems":%[2]d,`+
			`"items":{"type":"object","properties":{"number":%s,%s},"required":["number",%s],"additionalProperties":false}}},`+
			`"required":[%[1]q],"additionalProperties":false}`, list, n.last, n.number(), field,
			field[:strings.IndexByte(field, ':')]))
}
