package memory

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The maximum lengths of a memory or a hook, in characters.
const (
	maxMemory = 2000
	maxWhen   = 120 // of a time of the story
)

// MaxTurns is the largest number of turns that anything may be set to.
const MaxTurns = 100_000

// MemoryFields are the fields of a memory.
var MemoryFields = field.Record[storage.Memory]{
	Noun: "a memory",
	New:  func() storage.Memory { return storage.Memory{Type: storage.FactMemory} },
	Fields: []field.Spec[storage.Memory]{
		{Name: "content", Flag: "content", Label: "What to remember", Help: "what it says", Rows: 4, Required: true,
			Runes: maxMemory,
			At:    func(m *storage.Memory) any { return &m.Content }},
		{Name: "type", Flag: "type", Label: "About", Help: "what it is about",
			Choices: field.Choices(storage.MemoryTypes...),
			At:      func(m *storage.Memory) any { return &m.Type }},
		{Name: "weight", Flag: "importance", Label: "Importance",
			Help: "how important it is, from 0 to 1; empty: automatic",
			Hint: "0 to 1; empty: automatic", Min: 0, Max: 1,
			At: func(m *storage.Memory) any { return &m.Weight }},
	},
}

// HookFields are the fields of a hook.
var HookFields = field.Record[storage.Hook]{
	Noun: "a hook",
	New:  func() storage.Hook { return storage.Hook{Type: storage.FollowUpHook, Priority: plainPriority} },
	Fields: []field.Spec[storage.Hook]{
		{Name: "content", Flag: "content", Label: "What to bring up", Help: "what to bring up", Rows: 3, Required: true,
			Runes: maxMemory,
			At:    func(h *storage.Hook) any { return &h.Content }},
		{Name: "opener", Flag: "opener", Label: "Example wording", Help: "how it may be brought up", Rows: 2,
			Runes: maxMemory,
			At:    func(h *storage.Hook) any { return &h.Opener }},
		{Name: "priority", Flag: "priority", Label: "Priority", Help: "how urgent it is: from 1 to 5, the most urgent",
			Choices: []field.Choice{{Value: "1", Label: "1: low"}, {Value: "2"}, {Value: "3", Label: "3: normal"},
				{Value: "4"},
				{Value: "5", Label: "5: urgent"}},
			At: func(h *storage.Hook) any { return &h.Priority }},
		{Name: "type", Flag: "type", Label: "Type", Help: "kind of hook",
			Choices: field.Choices(storage.HookTypes...),
			At:      func(h *storage.Hook) any { return &h.Type }},
		{Name: "after_turns", Flag: "after", Group: "Due", Label: "After turns",
			Help: "due after `TURNS` turns; empty: not by turns",
			Hint: "for example 4; empty: not by turns", Min: 1, Max: MaxTurns, ZeroIsEmpty: true,
			At: func(h *storage.Hook) any { return &h.Due.Turns }},
		{Name: "due_at", Flag: "at", Group: "Due", Label: "Or at time",
			Hint: "2d, 3h 30min, 18:00, 2031-12-24 18:00; empty: no time",
			Help: "due at a `TIME` such as 2031-05-01, \"2031-05-01 18:30\" or 18:30, or in 2d, 3h, 1w; none: no time",
			At: func(h *storage.Hook) any {
				return field.Computed{
					Get: func() string { return dueText(h.Due.At) },
					Put: func(text string) (err error) { h.Due.At, err = ParseDue(text, time.Now()); return err },
				}
			}},
		{Name: "due_when", Flag: "when", Group: "Due", Label: "Story time", Runes: maxWhen,
			Hint: "Thursday evening, in three days, day 5; empty: none",
			Help: "due at a story `TIME` such as Thursday evening, in three days, at dusk or day 5; none: no story " +
				"time",
			At: func(h *storage.Hook) any {
				return field.Computed{
					Get: func() string { return h.Due.When },
					Put: func(text string) error {
						if text = prompts.OneLine(text); text == "none" {
							text = ""
						}
						h.Due.When, h.Due.From = text, storage.StoryTime{}
						return nil
					},
				}
			}},
	},
}
