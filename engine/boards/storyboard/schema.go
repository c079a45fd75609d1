package storyboard

import (
	"encoding/json"
	"strings"
)

// Limits of what a model is asked for. A planning answer has to fit the usual reply length, so
// that they are tighter than those of a plan.
const (
	maxAskedBeats       = 12
	maxAskedText        = 300 // runes of a beat or a strategy
	maxAskedNote        = 200
	maxAskedSubject     = 80
	maxAskedDescription = 400 // runes of a description
	maxAskedSpoken      = 4   // messages whose dialogue is in a shot
	maxAskedShots       = 12  // of a beat without a budget
	maxAskedFillers     = 16  // that connect
	maxAskedEdits       = 20
	maxAskedJobs        = 4
	maxAskedSeconds     = 60 // of a shot
	maxAskedReply       = 400
	maxAskedMessages    = 5
	maxListedIDs        = 80 // above this number a schema does not list them
)

// Form returns the schema of any object. ReadAnswer and ReadSteerAnswer check the contents, because not
// every server enforces a schema.
func Form() json.RawMessage { return json.RawMessage(`{"type":"object"}`) }

// Schema returns the schema of the answer to Ask, with limits everywhere; nil for any other tool.
// A model writes properties in order, so reasons come before decisions: the messages and the
// reason before the beat, size and angle before the description.
func Schema(tool string, in Input) json.RawMessage {
	switch tool {
	case RecommendBeats:
		return beatsSchema(in)
	case RecommendFiller:
		return form(
			required(textForm("why", maxAskedText, "what the scene needs between its key shots")),
			required(choiceForm("amount", amounts(), "how much of it")),
			required(listForm("jobs", 0, maxAskedJobs, oneOf(keysOf(FieldJob)))),
			required(textForm("where", maxAskedText, "where it stands")),
		)
	case BudgetPackages:
		n := len(in.Plan.Beats)
		return form(required(textForm("why", maxAskedText, "where the scene turns most, and where it only moves on")),
			required(listForm("budget", n, max(n, 1), objectForm(
				required(idsForm("beat", beatIDs(in.Plan.Beats))),
				required(countForm("key", 1, maxAskedShots, "key shots")),
				required(countForm("filler", 0, maxAskedShots, "fillers")),
				required(countForm("seconds", 1, maxAskedShots*maxAskedSeconds, "of all its shots")),
			))))
	case GeneratePackage:
		least, most := 1, maxAskedShots
		if a, ok := budgetOf(in.Plan, in.Beat); ok && a.Key+a.Filler > 0 {
			most = min(a.Key+a.Filler, 2*maxBudgetShots)
			least = min(max(1, a.Key), most)
		}
		return form(
			required(choiceForm("beat", []string{string(in.Beat)}, "the beat")),
			required(listForm("shots", least, most,
				objectForm(append([]property{required(kindForm())}, in.writtenForms()...)...))),
		)
	case GenerateShots:
		return sceneSchema(in)
	case ProposeEdit:
		return form(
			required(filledForm("summary", maxAskedReply, "the change in words")),
			required(callsForm(in, 1, editTools())),
		)
	}
	return nil
}

func beatsSchema(in Input) json.RawMessage {
	beat := []property{
		required(listForm("messages", 1, maxAskedMessages, numberForm(in.firstShown(), max(1, in.lastShown())))),
		required(textForm("why", maxAskedNote, "what changes")),
		required(filledForm("text", maxAskedText, "what happens")),
	}
	if len(in.Plan.Beats) > 0 {
		beat = append(beat, idsForm("id", beatIDs(in.Plan.Beats)))
	}
	least := 1
	if in.Part != nil && in.Part.Of > 1 {
		least = 0
	}
	return form(required(listForm("beats", least, maxAskedBeats, objectForm(beat...))))
}

func sceneSchema(in Input) json.RawMessage {
	ids := shotIDs(in.withPackages().Shots)
	all := []property{required(listForm("order", len(ids), max(1, len(ids)), anyOf(ids)))}
	if most := fillersFor(in, len(ids)); most > 0 {
		all = append(all, required(listForm("fillers", 0, most,
			objectForm(append([]property{required(idsForm("after", ids))}, in.writtenForms()...)...))))
	}
	return form(all...)
}

// fillersFor returns how many shots may be added to connect n others.
func fillersFor(in Input, n int) int {
	if in.Plan.Filler == nil {
		return min(2, n)
	}
	switch in.Plan.Filler.Amount {
	case "none":
		return 0
	case "light":
		return min(maxAskedFillers, n/4+1)
	case "medium":
		return min(maxAskedFillers, n/2+1)
	}
	return min(maxAskedFillers, n)
}

// writtenForms returns the fields of a new shot, all required.
func (in Input) writtenForms() []property {
	all := in.changedForms()
	for i := range all {
		all[i].required = true
	}
	return all
}

// changedForms returns the fields of a changed shot, all optional.
func (in Input) changedForms() []property {
	return []property{
		choiceForm(FieldJob, keysOf(FieldJob), "why it is there"),
		choiceForm(FieldSize, keysOf(FieldSize), "how near"),
		choiceForm(FieldAngle, keysOf(FieldAngle), "from where"),
		choiceForm(FieldMovement, keysOf(FieldMovement), "of the camera"),
		textForm("subject", maxAskedSubject, "who or what it shows"),
		filledForm("description", maxAskedDescription, "what is seen"),
		secondsForm(maxAskedSeconds),
		spokenForm(maxAskedSpoken, max(1, len(in.Messages))),
	}
}

// spokenForm returns the message numbers of a shot's dialogue: at most this many, up to the last one.
func spokenForm(most, last int) property {
	return listForm(spokenIn, 0, most, numberForm(1, last))
}

func kindForm() property {
	return choiceForm("kind", []string{"key", "filler"}, "key: the beat cannot do without it")
}

// callsForm returns a list of calls, each with the parameters of its tool: a call that lacks what
// its tool needs cannot be written.
func callsForm(in Input, least int, tools []string) property {
	var kinds []string
	for _, tool := range tools {
		for _, params := range in.waysToCall(tool) {
			kinds = append(kinds, objectForm(required(choiceForm("tool", []string{tool}, "the tool to call")),
				required(property{name: "params", form: objectForm(params...)})))
		}
	}
	return listForm("calls", least, maxAskedEdits, `{"anyOf":[`+strings.Join(kinds, ",")+`]}`)
}

// waysToCall returns the parameters of a tool that changes the list of shots, one set for each way to
// call it.
func (in Input) waysToCall(tool string) [][]property {
	ids := shotIDs(in.Plan.Shots)
	shot := func(name string) property { return required(idsForm(name, ids)) }
	shots := func(name string, least int) property {
		most := max(1, len(ids))
		return required(listForm(name, min(least, most), most, anyOf(ids)))
	}
	fields := append([]property{kindForm(), idsForm("beat", beatIDs(in.Plan.Beats))}, in.changedForms()...)
	fields = append(fields, textForm("dialogue", maxDialogue, "words that the director gives"))
	with := func(more ...property) []property { return append(more, fields...) }
	switch tool {
	case ModifyShot:
		return [][]property{with(shot("shot"))}
	case InsertShot:
		for i, f := range fields {
			fields[i].required = f.name == "description"
		}
		return [][]property{with(shot("after")), with(shot("before")), with()}
	case RemoveShots:
		return [][]property{{shots("shots", 1)}}
	case ReorderShots:
		return [][]property{{shots("shots", 1), shot("after")}, {shots("shots", 1), shot("before")},
			{shots("shots", 1), required(countForm("to", 1, max(1, len(ids)), "place in the list"))}, {shots("order", 1)}}
	case MergeShots:
		return [][]property{with(shots("shots", 2), shot("into"))}
	case ExecuteEdit:
		return [][]property{{dropForm()}}
	}
	return [][]property{nil}
}

// SteerSchema returns the schema of an answer that chooses tools. A flag beside the calls proposes
// them as an edit plan, so that calls are never nested.
func SteerSchema(in Input) json.RawMessage {
	return form(
		required(textForm("why", maxAskedText, "what the line asks for, and of which shots")),
		required(property{name: "question", form: `{"type":"boolean"}`}),
		required(property{name: "propose", form: `{"type":"boolean"}`}),
		required(callsForm(in, 0, steerTools())),
		required(filledForm("reply", maxAskedReply, "what the calls do, the question, or the answer")),
	)
}

func idsForm[T ~string](name string, ids []T) property { return property{name: name, form: anyOf(ids)} }

// anyOf returns an ID: one of the existing ones if they can be listed.
func anyOf[T ~string](ids []T) string {
	if len(ids) == 0 || len(ids) > maxListedIDs {
		return idForm
	}
	return oneOf(ids)
}

func oneOf[T ~string](words []T) string {
	raw, _ := json.Marshal(words) // texts cannot fail
	return `{"type":"string","enum":` + string(raw) + `}`
}
