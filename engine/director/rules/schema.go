package rules

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// How many entries of a list an answer may have.
const (
	maxFoundMemories = 4
	maxFoundHooks    = 2
	maxEnded         = 4
	maxNumbers       = 12
	maxCited         = 8
)

// Bounds of the numbers of a found hook.
const (
	maxTurns    = 200
	maxPriority = 5
	maxDays     = 36500
)

// field is a property of a schema. A model writes fields in the order of the schema: reasons come
// before what follows from them.
type field struct{ name, schema string }

func textSchema(least, most int) string {
	return fmt.Sprintf(`{"type":"string","minLength":%d,"maxLength":%d}`, least, most)
}

func intSchema(least, most int) string {
	return fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":%d}`, least, most)
}

func listSchema(items string, most int) string {
	return fmt.Sprintf(`{"type":"array","maxItems":%d,"items":%s}`, most, items)
}

func enumSchema[S ~string](words []S) string {
	data, err := json.Marshal(words)
	if err != nil {
		return `{"type":"string","maxLength":80}` // no list of strings fails
	}
	return `{"type":"string","enum":` + string(data) + `}`
}

// objectSchema returns the schema of an object with exactly these fields.
func objectSchema(fields ...field) string {
	var properties, required []string
	for _, f := range fields {
		properties = append(properties, fmt.Sprintf("%q:%s", f.name, f.schema))
		required = append(required, fmt.Sprintf("%q", f.name))
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` +
		strings.Join(required, ",") + `],"additionalProperties":false}`
}

// Schema bounds the answer to Instruction and Request, for the server, which
// makes a grammar of it: every text and list is bounded, and far below the 2,000
// that it bears, since a model that knows nothing writes on until it must stop.
func Schema(p Parts, in Input) json.RawMessage {
	var parts []field
	add := func(asked bool, name, schema string) {
		if asked {
			parts = append(parts, field{name, schema})
		}
	}
	from := field{"from", listSchema(intSchema(1, max(1, len(in.Messages))), min(max(1, len(in.Messages)), maxCited))}
	n := len(in.Known)
	numbers := listSchema(intSchema(1, n), min(n, maxNumbers))
	over := listSchema(objectSchema(field{"why", textSchema(1, 160)}, from, field{"fact", intSchema(1, n)}),
		min(n, maxEnded))
	facts := p.facts() && n > 0
	add(p.Break, "scene", objectSchema(field{"rationale", textSchema(1, 300)}, field{"status", `{"type":"boolean"}`}))
	add(p.Director, "director", directorSchema(in))
	add(p.Memories, "memories", listSchema(objectSchema(from, field{"type", enumSchema(storage.MemoryTypes)},
		field{"content", textSchema(2, 240)},
		field{"importance", `{"type":"number","minimum":0,"maximum":1}`}), maxFoundMemories))
	add(p.Hooks, "hooks", listSchema(objectSchema(from, field{"type", enumSchema(storage.HookTypes)},
		field{"content", textSchema(2, 200)},
		field{"opener", textSchema(0, 160)}, field{"turns", intSchema(0, maxTurns)},
		field{"when", textSchema(0, maxTone)},
		field{"priority", intSchema(1, maxPriority)}), maxFoundHooks))
	add(p.Hooks && in.anyFact(KnownFact.isDue), "taken", numbers)
	add(facts, "outdated", over)
	add(facts, "settled", over)
	add(p.Hooks && in.anyFact(KnownFact.isAhead), "due", numbers)
	add(p.when(), "when", objectSchema(field{"day", textSchema(0, maxTone)}, field{"time", textSchema(0, maxTone)},
		field{"days", intSchema(0, maxDays)}))
	add(p.Picture, "picture", objectSchema(field{"kind", enumSchema(pictureKinds)},
		field{"subject", textSchema(0, 300)}))
	return json.RawMessage(objectSchema(parts...))
}

// directorSchema returns the schema of the director's evaluation.
func directorSchema(in Input) string {
	fields := []field{
		{"beat", textSchema(1, 160)}, {"setting", textSchema(0, 120)}, {"open", textSchema(0, 160)},
		{"why", textSchema(0, 120)},
		{"tone", textSchema(0, 40)}, {"tension", intSchema(0, 100)}, {"status", enumSchema(statuses)},
		{"visual_hint", textSchema(0, 200)}, {"visual_type", enumSchema(visualTypes)},
	}
	if who := answerNames(in.Speakers); len(who) > 0 {
		fields = append(fields, field{"next", enumSchema(who)})
	}
	return objectSchema(fields...)
}

// Form returns the form that an answer is checked against. It is wider than Schema, because not
// every server keeps to the schema. Usable reports missing parts.
func Form(p Parts, _ Input) json.RawMessage {
	const object = `{"anyOf":[{"type":"null"},{"type":"object"}]}`
	const several = `{"anyOf":[{"type":"null"},{"type":"object"},{"type":"array"}]}`
	var parts []string
	add := func(wanted bool, name, schema string) {
		if wanted {
			parts = append(parts, fmt.Sprintf("%q:%s", name, schema))
		}
	}
	add(p.Break, "scene", object)
	add(p.Director, "director", object)
	add(p.Memories, "memories", several)
	add(p.Hooks, "hooks", several)
	add(p.when(), "when", object)
	add(p.Picture, "picture", object)
	return json.RawMessage(`{"type":"object","properties":{` + strings.Join(parts, ",") + `}}`)
}
