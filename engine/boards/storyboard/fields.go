package storyboard

import (
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ShotFields are the editable fields of a shot. Their help texts are also given to the model.
var ShotFields = field.Record[storage.Shot]{Noun: "a shot", Fields: []field.Spec[storage.Shot]{
	{Name: "description", Flag: "description", Label: "Description", Help: "what is seen", Required: true, Rows: 3,
		At: func(s *storage.Shot) any { return &s.Description }},
	{Name: "kind", Flag: "kind", Label: "Kind", Help: "key: essential for the beat",
		Choices: []field.Choice{
			{Value: "key", Label: "key: essential for the beat"},
			{Value: "filler", Label: "filler: connects shots"},
		},
		At: func(s *storage.Shot) any { return &s.Kind }},
	{Name: "beat", Flag: "beat", Label: "Beat", Help: "id of the beat it belongs to",
		At: func(s *storage.Shot) any { return &s.Beat }},
	wordField(
		FieldSize,
		"",
		"Size",
		"shot size, such as wide, medium or close-up",
		func(s *storage.Shot) *string { return &s.Size },
	),
	{Name: "seconds", Flag: "seconds", Label: "Seconds", Help: "duration in seconds", Hint: "for example 3.5",
		Max: maxSeconds, ZeroIsEmpty: true, At: func(s *storage.Shot) any { return &s.Seconds }},
	wordField(
		FieldAngle,
		groupOptional,
		"Angle",
		"camera angle, such as eye-level, low or high",
		func(s *storage.Shot) *string { return &s.Angle },
	),
	wordField(FieldMovement, groupOptional, "Movement", "camera movement, such as static or pan",
		func(s *storage.Shot) *string { return &s.Movement }),
	wordField(FieldJob, groupOptional, "Job", "purpose, such as reaction or establishing",
		func(s *storage.Shot) *string { return &s.Job }),
	{Name: "subject", Flag: "subject", Group: groupOptional, Label: "Subject", Help: "who or what it shows",
		At: func(s *storage.Shot) any { return &s.Subject }},
	{Name: "dialogue", Flag: "dialogue", Group: groupOptional, Label: "Dialogue",
		Help: "what is said in the shot", Rows: 2,
		At: func(s *storage.Shot) any { return &s.Dialogue }},
}}

// groupOptional is the group of the optional fields of a shot.
const groupOptional = "Camera, purpose and dialogue"

// wordField returns a field with suggested words; it accepts others too.
func wordField(name, group, label, help string, at func(*storage.Shot) *string) field.Spec[storage.Shot] {
	var choices []field.Choice
	for _, w := range Choices(name) {
		choices = append(choices, field.Choice{Value: w.Key, Label: w.Label})
	}
	return field.Spec[storage.Shot]{
		Name:        name,
		Flag:        name,
		Group:       group,
		Label:       label,
		Help:        help,
		Hint:        "choose or type",
		Choices:     choices,
		AllowsOther: true,
		At: func(s *storage.Shot) any {
			return field.Computed{
				Get: func() string { return *at(s) },
				Put: func(text string) error { *at(s) = NormalizeWord(name, text); return nil },
			}
		},
	}
}

// ChangedFields returns the fields of a shot that differ after a change, as parameters of a tool.
func ChangedFields(before, after storage.Shot) map[string]any {
	out := map[string]any{}
	for _, c := range ShotFields.Diff(&before, &after) {
		out[c.Name] = c.After
		if c.Name == "seconds" {
			out[c.Name] = after.Seconds
		}
	}
	return out
}

// BeatFields are the editable fields of a beat.
var BeatFields = field.Record[storage.BoardBeat]{Noun: "a beat", Fields: []field.Spec[storage.BoardBeat]{
	{Name: "text", Label: "What happens", Help: "what happens", Required: true, Rows: 3,
		At: func(b *storage.BoardBeat) any { return &b.Text }},
	{Name: "why", Label: "Why it matters", Help: "why the scene turns on it", Rows: 3,
		At: func(b *storage.BoardBeat) any { return &b.Why }},
}}

// FillerFields are the fields of the filler strategy.
var FillerFields = field.Record[storage.FillerStrategy]{
	Noun: "a filler strategy",
	Fields: []field.Spec[storage.FillerStrategy]{
		{Name: "amount", Label: "Amount", Help: "how much filler", Choices: field.Choices(amounts()...),
			At: func(f *storage.FillerStrategy) any { return &f.Amount }},
		{
			Name:  "jobs",
			Label: "Jobs",
			Help:  "purposes of the fillers, such as reaction; one per line",
			Split: splitJobs,
			Join:  joinJobs,
			At:    func(f *storage.FillerStrategy) any { return &f.Jobs },
		},
		{
			Name:  "where",
			Label: "Where",
			Help:  "where the fillers go",
			Rows:  2,
			At:    func(f *storage.FillerStrategy) any { return &f.Where },
		},
		{Name: "why", Label: "Why", Help: "why", Rows: 2, At: func(f *storage.FillerStrategy) any { return &f.Why }},
	},
}

func splitJobs(text string) []string {
	list := field.SplitList(text)
	for i := range list {
		list[i] = NormalizeWord(FieldJob, list[i])
	}
	return list
}

func joinJobs(list []string) string {
	labels := make([]string, len(list))
	for i, job := range list {
		labels[i] = Label(FieldJob, job)
	}
	return field.JoinList(labels)
}

// AllotmentFields are the fields of the budget of a beat.
var AllotmentFields = field.Record[storage.Allotment]{Noun: "a budget", Fields: []field.Spec[storage.Allotment]{
	{
		Name:  "key",
		Label: "Key shots",
		Help:  "key shots",
		Max:   maxBudgetShots,
		At:    func(a *storage.Allotment) any { return &a.Key },
	},
	{
		Name:  "filler",
		Label: "Fillers",
		Help:  "fillers",
		Max:   maxBudgetShots,
		At:    func(a *storage.Allotment) any { return &a.Filler },
	},
	{Name: "seconds", Label: "Seconds", Help: "duration of all its shots together",
		Max: maxBeatSeconds, ZeroIsEmpty: true,
		At: func(a *storage.Allotment) any { return &a.Seconds }},
}}
