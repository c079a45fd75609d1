package storyboard

import (
	"encoding/json"
	"fmt"
	"strings"
)

// property is a property in the schema of a tool's parameters. Models write properties in this
// order.
type property struct {
	name     string
	required bool
	form     string
}

// form returns the schema of an object.
func form(list ...property) json.RawMessage { return json.RawMessage(objectForm(list...)) }

func objectForm(list ...property) string {
	var all, must []string
	for _, p := range list {
		all = append(all, fmt.Sprintf("%q:%s", p.name, p.form))
		if p.required {
			must = append(must, fmt.Sprintf("%q", p.name))
		}
	}
	s := `{"type":"object","properties":{` + strings.Join(all, ",") + `}`
	if must != nil {
		s += `,"required":[` + strings.Join(must, ",") + `]`
	}
	return s + `,"additionalProperties":false}`
}

func required(p property) property {
	p.required = true
	return p
}

func textForm(name string, most int, words string) property {
	return property{name: name, form: fmt.Sprintf(`{"type":"string","maxLength":%d,"description":%q}`, most, words)}
}

// filledForm returns a non-empty text.
func filledForm(name string, most int, words string) property {
	form := fmt.Sprintf(`{"type":"string","minLength":1,"maxLength":%d,"description":%q}`, most, words)
	return property{name: name, form: form}
}

func countForm(name string, low, high int, words string) property {
	return property{name: name, form: fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":%d,"description":%q}`,
		low, high, words)}
}

// numberForm returns a whole number in a list.
func numberForm(low, high int) string {
	return fmt.Sprintf(`{"type":"integer","minimum":%d,"maximum":%d}`, low, high)
}

func secondsForm(most int) property {
	return property{name: "seconds", form: fmt.Sprintf(`{"type":"number","minimum":0,"maximum":%d}`, most)}
}

func listForm(name string, least, most int, item string) property {
	return property{name: name, form: fmt.Sprintf(`{"type":"array","minItems":%d,"maxItems":%d,"items":%s}`,
		least, most, item)}
}

func choiceForm(name string, keys []string, words string) property {
	raw, _ := json.Marshal(keys) // texts cannot fail
	return property{name: name, form: fmt.Sprintf(`{"type":"string","enum":%s,"description":%q}`, raw, words)}
}

func keysOf(field string) []string {
	var keys []string
	for _, w := range Choices(field) {
		keys = append(keys, w.Key)
	}
	return keys
}

// Limits of a plan.
const (
	maxShots       = 300
	maxBeats       = 60
	maxDescription = 2000 // runes
	maxDialogue    = 1000
	maxSubject     = 200
	maxNote        = 1000 // a beat or a filler strategy
	maxJobs        = 12
	maxSeconds     = 600  // of a shot
	maxBudgetShots = 40   // shots of one kind in a beat's budget and package
	maxBeatSeconds = 3600 // in a beat's budget
	maxEdits       = 40   // calls of a proposal
	maxMessages    = 100  // of a beat
	maxID          = 200  // runes of the ID of a message
	maxNumber      = 100_000
)

const idForm = `{"type":"string","maxLength":12}`

func shotRef(name, words string) property { return textForm(name, 12, words) }

// shotForms returns the fields of a shot. A steering line may use other words, so that only the
// descriptions list the known words.
func shotForms() []property {
	return []property{
		textForm("beat", 12, ShotFields.Find("beat").Help),
		choiceForm("kind", []string{"key", "filler"}, ShotFields.Find("kind").Help),
		wordForm(FieldJob),
		wordForm(FieldSize),
		wordForm(FieldAngle),
		wordForm(FieldMovement),
		textForm("subject", maxSubject, ShotFields.Find("subject").Help),
		filledForm("description", maxDescription, ShotFields.Find("description").Help),
		secondsForm(maxSeconds),
		textForm("dialogue", maxDialogue, ShotFields.Find("dialogue").Help),
		spokenForm(maxMessages, maxNumber),
	}
}

func wordForm(field string) property {
	return textForm(field, maxWord, strings.Join(keysOf(field), ", "))
}

// newShotForm returns the schema of a new shot.
func newShotForm() string { return objectForm(newShotForms()...) }

func newShotForms() []property {
	list := shotForms()
	for i := range list {
		list[i].required = list[i].name == "description"
	}
	return list
}

func beatParams() json.RawMessage {
	return form(required(listForm("beats", 1, maxBeats, objectForm(
		textForm("id", 12, "only for a beat that stays"),
		listForm("messages", 0, maxMessages, fmt.Sprintf(`{"type":"string","maxLength":%d}`, maxID)),
		textForm("why", maxNote, BeatFields.Find("why").Help),
		required(filledForm("text", maxNote, BeatFields.Find("text").Help)),
	))))
}

func fillerParams() json.RawMessage {
	return form(
		textForm("why", maxNote, FillerFields.Find("why").Help),
		required(choiceForm("amount", amounts(), FillerFields.Find("amount").Help)),
		listForm("jobs", 0, maxJobs, fmt.Sprintf(`{"type":"string","maxLength":%d}`, maxWord)),
		textForm("where", maxNote, FillerFields.Find("where").Help),
	)
}

func budgetParams() json.RawMessage {
	return form(required(listForm("budget", 1, maxBeats, objectForm(
		required(textForm("beat", 12, "id of the beat")),
		countForm("key", 0, maxBudgetShots, AllotmentFields.Find("key").Help),
		countForm("filler", 0, maxBudgetShots, AllotmentFields.Find("filler").Help),
		secondsForm(maxBeatSeconds),
	))))
}

func packageParams() json.RawMessage {
	return form(
		required(textForm("beat", 12, "id of the beat")),
		required(listForm("shots", 1, 2*maxBudgetShots, newShotForm())),
	)
}

func generateParams() json.RawMessage {
	filler := append([]property{shotRef("after", "id of the shot before it"),
		shotRef("before", "id of the shot after it")}, shotForms()...)
	return form(
		listForm("order", 0, maxShots, idForm),
		listForm("fillers", 0, maxShots, objectForm(filler...)),
	)
}

// editForms returns the parameters of all tools of a proposal.
func editForms() []property {
	return append([]property{
		shotRef("shot", "id of the shot"),
		listForm("shots", 0, maxShots, `{"anyOf":[`+idForm+`,`+newShotForm()+`]}`),
		listForm("order", 0, maxShots, idForm),
		shotRef("before", "id of a shot"),
		shotRef("after", "id of a shot"),
		countForm("to", 1, maxShots, "position from 1"),
		shotRef("into", "id of the shot that stays"),
	}, shotForms()...)
}

func proposeParams() json.RawMessage {
	return form(
		textForm("request", maxDescription, "what the user wants, in the user's words"),
		required(textForm("summary", maxDescription, "the change in words, for the user")),
		required(listForm("calls", 1, maxEdits, objectForm(
			required(choiceForm("tool", editTools(), "the tool to call")),
			required(property{name: "params", form: objectForm(editForms()...)}),
		))),
	)
}

func executeParams() json.RawMessage {
	return form(dropForm())
}

func modifyParams() json.RawMessage {
	return form(append([]property{
		shotRef("shot", "id of the shot"),
		countForm("index", 1, maxShots, "position from 1, instead of the id"),
	}, shotForms()...)...)
}

func insertParams() json.RawMessage {
	return form(append(insertPlace(), required(listForm("shots", 1, maxShots, newShotForm())))...)
}

func insertPlace() []property {
	return []property{
		shotRef("before", "id of the shot that comes after the new ones"),
		shotRef("after", "id of the shot that comes before the new ones"),
		countForm("index", 1, maxShots+1, "position from 1 of the first new one"),
	}
}

// insertOffer returns the schema for models: one shot with its fields beside its position.
func insertOffer() json.RawMessage {
	return form(append([]property{
		shotRef("before", "id of the shot that comes after the new one"),
		shotRef("after", "id of the shot that comes before the new one"),
	}, newShotForms()...)...)
}

func removeParams() json.RawMessage {
	return form(
		listForm("shots", 0, maxShots, idForm),
		listForm("indexes", 0, maxShots, numberForm(1, maxShots)),
	)
}

func reorderParams() json.RawMessage {
	return form(
		shotRef("shot", "id of the shot to move"),
		countForm("index", 1, maxShots, "its position from 1, instead of the id"),
		listForm("shots", 0, maxShots, idForm),
		countForm("to", 1, maxShots, "position from 1 that it has afterwards"),
		shotRef("before", "id of the shot that comes after it"),
		shotRef("after", "id of the shot that comes before it"),
		listForm("order", 0, maxShots, idForm),
	)
}

func mergeParams() json.RawMessage {
	return form(append([]property{
		listForm("shots", 1, maxShots, idForm),
		listForm("indexes", 0, maxShots, numberForm(1, maxShots)),
		shotRef("into", "id of the one that stays; the first where none is given"),
	}, shotForms()...)...)
}

func importParams() json.RawMessage {
	shot := append([]property{textForm("id", 12, "id in the file")}, shotForms()...)
	return form(
		textForm("stage", 40, "how far it has come"),
		listForm("beats", 0, maxBeats, objectForm(
			textForm("id", 12, "id in the file"),
			listForm("messages", 0, maxMessages, fmt.Sprintf(`{"type":"string","maxLength":%d}`, maxID)),
			textForm("why", maxNote, BeatFields.Find("why").Help),
			required(filledForm("text", maxNote, BeatFields.Find("text").Help)),
		)),
		property{name: "filler", form: string(fillerParams())},
		listForm("budget", 0, maxBeats, objectForm(
			required(textForm("beat", 12, "id of the beat")),
			countForm("key", 0, maxBudgetShots, AllotmentFields.Find("key").Help),
			countForm("filler", 0, maxBudgetShots, AllotmentFields.Find("filler").Help),
			secondsForm(maxBeatSeconds),
		)),
		listForm("shots", 0, maxShots, objectForm(shot...)),
	)
}

func dropForm() property {
	return property{name: "drop",
		form: `{"type":"boolean","description":"true: the edit plan goes, and nothing of it is carried out"}`}
}
