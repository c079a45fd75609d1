package scene

import (
	"encoding/json"
	"fmt"
	"strings"
)

// The schemas go to the server, which makes a grammar of them: every text and
// every list in them is bounded, since what is not can run on for ever, and no
// bound is above the 2,000 that its grammar bears. The forms are what an answer
// is held against: wider, because not every server keeps to the schema.

// sectionKeys are the five headings as the models' answers name them.
var sectionKeys = [...]string{"current_situation", "key_developments", "dialogue_highlights", "tone_style", "pending_threads"}

const (
	sceneItems = 10 // under one heading of a scene's recap
	mergeItems = 80 // and of a running one

	loreItemsMost = 8 // for the lorebook

	// messageNumbers is the field of a bullet with the numbers of messages.
	messageNumbers = "messages"
)

// DetectSchema bounds the answer to DetectPrompt and DetectInstruction. The
// reason comes first, so that the model has weighed it when it decides.
func DetectSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"rationale":{"type":"string","minLength":1,"maxLength":400},` +
		`"status":{"type":"boolean"}},"required":["rationale","status"],"additionalProperties":false}`)
}

// DetectForm is to DetectSchema what RecapForm is to RecapSchema.
func DetectForm() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"status":{"type":"boolean"},"rationale":{"type":"string"}},"required":["status","rationale"]}`)
}

func recapProperty(numbers string, items int) string {
	list := `:{"type":"array","maxItems":8,"items":{"type":"integer","minimum":1,"maximum":9999}}`
	also := ""
	if numbers == messageNumbers {
		also = `,"memories":{"type":"array","maxItems":8,"items":{"type":"string","minLength":2,"maxLength":5}}`
	}
	bullet := fmt.Sprintf(`{"type":"object","properties":{"text":{"type":"string","minLength":2,"maxLength":320},`+
		`%q%s%s},"required":["text",%q],"additionalProperties":false}`, numbers, list, also, numbers)
	var sections []string
	for i, key := range sectionKeys {
		least := ""
		if i == 0 { // the one that no recap can do without
			least = `"minItems":1,`
		}
		sections = append(sections, fmt.Sprintf(`%q:{"type":"array",%s"maxItems":%d,"items":%s}`, key, least, items, bullet))
	}
	return fmt.Sprintf(`"recap":{"type":"object","properties":{%s},"required":["%s"],"additionalProperties":false}`,
		strings.Join(sections, ","), strings.Join(sectionKeys[:], `","`))
}

const loreItems = `{"type":"object","properties":{` +
	`"name":{"type":"string","minLength":1,"maxLength":120},` +
	`"type":{"type":"string","minLength":1,"maxLength":40},` +
	`"keywords":{"type":"array","maxItems":6,"items":{"type":"string","minLength":1,"maxLength":60}},` +
	`"secondaryKeys":{"type":"array","maxItems":4,"items":{"type":"string","minLength":1,"maxLength":60}},` +
	`"content":{"type":"string","minLength":2,"maxLength":800},` +
	`"messages":{"type":"array","maxItems":8,"items":{"type":"integer","minimum":1,"maximum":9999}}},` +
	`"required":["name","type","keywords","content","messages"],"additionalProperties":false}`

// RecapSchema bounds the answer to RecapPrompt.
func RecapSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"scene_name":{"type":"string","minLength":1,"maxLength":120},` +
		recapProperty(messageNumbers, sceneItems) +
		`,"atmosphere":{"type":"string","maxLength":400},"emotional_beats":{"type":"string","maxLength":400},` +
		fmt.Sprintf(`"lorebooks":{"type":"array","maxItems":%d,"items":`, loreItemsMost) + loreItems + `}},` +
		`"required":["scene_name","recap","atmosphere","emotional_beats","lorebooks"],"additionalProperties":false}`)
}

const recapForm = `"recap":{"anyOf":[{"type":"string"},{"type":"object","additionalProperties":{"anyOf":[{"type":"null"},{"type":"string"},` +
	`{"type":"array","items":{"anyOf":[{"type":"string"},{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}]}}]}}]}`

// RecapForm is what an answer of that kind must look like to be read: the recap
// may be one Markdown text, a bullet a plain text, and the lorebooks may go by
// their other name.
func RecapForm() json.RawMessage {
	lore := `{"anyOf":[{"type":"null"},{"type":"array","items":{"type":"object"}}]}`
	return json.RawMessage(`{"type":"object","properties":{` + recapForm + `,"lorebooks":` + lore + `,"setting_lore":` + lore +
		`,"scene_name":{"type":"string"},"atmosphere":{"type":"string"},"emotional_beats":{"type":"string"}},` +
		`"required":["scene_name","recap","atmosphere","emotional_beats"],"anyOf":[{"required":["lorebooks"]},{"required":["setting_lore"]}]}`)
}

// MessageSchema bounds the answer to MessagePrompt.
func MessageSchema() json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"type":"object","properties":{"recap":{"type":"string","minLength":2,"maxLength":%d}},`+
		`"required":["recap"],"additionalProperties":false}`, maxMessageRecap))
}

// QuestionSchema bounds the answer to QuestionPrompt.
func QuestionSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"questions":{"type":"array","minItems":1,"maxItems":8,"items":{"type":"object","properties":{` +
		`"question":{"type":"string","minLength":3,"maxLength":300},"answer":{"type":"string","minLength":1,"maxLength":300},` +
		`"messages":{"type":"array","maxItems":8,"items":{"type":"integer","minimum":1,"maximum":9999}}},` +
		`"required":["question","answer","messages"],"additionalProperties":false}}},"required":["questions"],"additionalProperties":false}`)
}

// AnswerSchema bounds the answer to AnswerPrompt.
func AnswerSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"answers":{"type":"array","minItems":1,"maxItems":8,"items":{"type":"object","properties":{` +
		`"number":{"type":"integer","minimum":1,"maximum":40},"answer":{"type":"string","minLength":1,"maxLength":400}},` +
		`"required":["number","answer"],"additionalProperties":false}}},"required":["answers"],"additionalProperties":false}`)
}

// MarksSchema bounds the answer to MarksPrompt.
func MarksSchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{"marks":{"type":"array","minItems":1,"maxItems":40,"items":{"type":"object","properties":{` +
		`"number":{"type":"integer","minimum":1,"maximum":40},"right":{"type":"boolean"}},"required":["number","right"],"additionalProperties":false}}},` +
		`"required":["marks"],"additionalProperties":false}`)
}
