package memory

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// What tests of the whole program look at.

type (
	Pane     = memoryPane
	Memories = list[memory.MemoryView]
	Hooks    = list[memory.HookView]
	Threads  = list[memory.Thread]
)

const (
	FactsView    = factsView
	MemoriesView = memoriesView
	HooksView    = hooksView
	ThreadsView  = threadsView
)

// NewPane makes the pane of a chat that is not in the store.
func NewPane(d pane.Host, chat storage.ChatID) *Pane {
	p := newPane(d, services{})
	p.chat, p.at = chat, memoriesView
	return p
}

func (p *memoryPane) At() int               { return p.at }
func (p *memoryPane) List() *pane.GroupList { return p.list() }
func (p *memoryPane) Memories() *Memories   { return p.views[memoriesView].(*Memories) }
func (l *list[T]) All() []T                 { return l.Items }
func (l *list[T]) Rename(name string)       { l.name = name }

// Lists are the lists of all views.
func (p *memoryPane) Lists() (out []*pane.GroupList) {
	for _, v := range p.views {
		out = append(out, v.group())
	}
	return out
}

// FillFacts puts what is known into the pane, without the store.
func (p *memoryPane) FillFacts(v memory.FactList) {
	p.facts.view = v
	p.facts.Show(factRows(v))
}

// ShowAnswer opens the dialog of a question with what the play says to it.
func ShowAnswer(d pane.Host, text string, a memory.Answer, as string) {
	q := newQuestion(d, "", nil, "")
	q.Fields[0].Input.Set(text)
	q.show(a, as)
}

// Fill puts a story into the pane, without the store.
func (p *memoryPane) Fill(mems []memory.MemoryView, hooks []memory.HookView, threads []memory.Thread) {
	p.shown = [...]bool{true, true, true, true}
	fill(p.views[memoriesView], mems)
	fill(p.views[hooksView], hooks)
	fill(p.views[threadsView], threads)
}

func fill[T any](v view, all []T) {
	l := v.(*list[T])
	l.sort(all)
	l.name, l.count = "", l.counts(all)
	l.Show(all)
}

// MemoryOf makes a memory as the engine shows it.
func MemoryOf(id string, typ storage.MemoryType, content string, weight float64) memory.MemoryView {
	at := time.Now().Add(-72 * time.Hour)
	m := storage.Memory{ID: storage.MemoryID(id), Type: typ, Content: content}
	return memory.MemoryView{Memory: m, Importance: weight, Last: at, Mentions: []memory.MentionView{{At: at, Importance: weight}}, StatusView: memory.StatusView{Holds: true}}
}

// SomeMemories are memories in all states.
func SomeMemories() []memory.MemoryView {
	list := []memory.MemoryView{
		MemoryOf("m1", storage.EventMemory, "Robin missed the last ferry and slept in the prompter's box.", 0.9),
		MemoryOf("m2", storage.FactMemory, "Robin repairs clocks for a living.", 0.8),
		MemoryOf("m3", storage.PreferenceMemory, "Robin takes tea without sugar, and cannot stand the smell of lilies in a closed room.", 0.6),
		MemoryOf("m4", storage.FactMemory, "Robin is afraid of deep water.", 0.55),
		MemoryOf("m5", storage.RelationshipMemory, "Robin's sister Ada sings in the harbour choir.", 0.5),
		MemoryOf("m6", storage.GoalMemory, "Robin wants to see the theatre open again.", 1),
		MemoryOf("m7", storage.EmotionMemory, "Robin felt ashamed after the quarrel.", 0.3),
		MemoryOf("m8", storage.FactMemory, "Robin was born in a lighthouse.", 0.2),
		MemoryOf("m9", storage.FactMemory, "Robin owns a red scarf.", 0.1),
	}
	for i := range list[:6] {
		list[i].InPrompt = true
	}
	list[0].Mentions = append(list[0].Mentions, list[0].Mentions[0])
	list[1].Pinned = true
	list[3].Muted, list[3].InPrompt = true, false
	list[4].Original = "Ada sings."
	list[7].Holds = false
	list[8].Removed = true
	return list
}

func HookOf(id string, state memory.HookState, typ storage.HookType, content, when string, priority int) memory.HookView {
	return memory.HookView{Hook: storage.Hook{ID: storage.HookID(id), Type: typ, Content: content, Priority: priority},
		Mentions: []memory.MentionView{{At: time.Now().Add(-72 * time.Hour)}},
		State:    state, When: when, StatusView: memory.StatusView{Holds: true, InPrompt: state == memory.HookDue}}
}

// SomeHooks are hooks in all states.
func SomeHooks() []memory.HookView {
	list := []memory.HookView{
		HookOf("h1", memory.HookWaiting, storage.ReminderHook, "Robin promised to bring the spare key.", "in 4 turns", 3),
		HookOf("h2", memory.HookDue, storage.FollowUpHook, "How did the audition at the harbour choir go?", "due", 5),
		HookOf("h3", memory.HookDue, storage.MilestoneHook, "They have known each other for a month.", "due", 2),
		HookOf("h4", memory.HookTakenUp, storage.FollowUpHook, "What became of the red scarf?", "2 d ago", 3),
		HookOf("h5", memory.HookWaiting, storage.ScheduledHook, "The inspector comes on Friday.", "in 2 days", 4),
		HookOf("h6", memory.HookClosed, storage.ReminderHook, "Light the ghost light.", "closed", 1),
		HookOf("h7", memory.HookDropped, storage.ReminderHook, "Sweep the stage.", "dropped", 1),
	}
	list[1].Opener = "So, how did it go? Did Ada let you sing?"
	return list
}

func SomeThreads() []memory.Thread {
	return []memory.Thread{
		{Key: "a", Text: "Who has the second key to the trap room?", State: "open", Break: "b1", Scene: "The locked door"},
		{Key: "b", Text: "How did the audition at the harbour choir go?", State: "due", Hook: "h2"},
		{Key: "c", Text: "Robin owes Marta for a lamp.", State: "closed", Break: "b1", Scene: "The locked door"},
		{Key: "d", Text: "The inspector's letter lies unopened.", State: "open"},
		{Key: "e", Text: "What became of the red scarf?", State: "taken", Hook: "h4"},
		{Key: "f", Text: "Sweep the stage.", State: "dropped", Hook: "h7"},
	}
}
