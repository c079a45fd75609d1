package taste

import (
	"cmp"
	"time"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/taste"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

type tasteRowDoc struct {
	Scope          storage.ScopeID `json:"scope"` // the series or chat whose story it is
	Name           string          `json:"name"`
	ProfileSummary string          `json:"profile_summary"`
	Cards          int             `json:"cards"` // without deleted ones
	Memories       int             `json:"memories"`
	Working        bool            `json:"working"`
	UpdatedAt      time.Time       `json:"updated_at"` // null while there is no profile
}

func newTasteRowDoc(v taste.View) tasteRowDoc {
	return tasteRowDoc{v.Scope, v.Name, v.Summary, countCards(v.Cards), len(v.Memories), v.Working, v.UpdatedAt}
}

func countCards(cards []lessons.Card) (n int) {
	for _, c := range cards {
		if !c.Deleted {
			n++
		}
	}
	return n
}

type tasteDoc struct {
	Scope           storage.ScopeID         `json:"scope"`
	Name            string                  `json:"name"`
	ProfileSummary  string                  `json:"profile_summary"`
	OwnSummary      bool                    `json:"own_summary"` // the user's words, in place of the profile's
	PreferenceCards []cardDoc               `json:"preference_cards"`
	StatsSummary    string                  `json:"stats_summary"`
	SourceSceneIDs  []storage.NodeID        `json:"source_scene_ids"`
	SourceMemoryIDs []storage.TasteMemoryID `json:"source_memory_ids"`
	Memories        []tasteMemoryRowDoc     `json:"memories"`
	Working         bool                    `json:"working"` // something is being learnt, or waits to be
	Learns          bool                    `json:"learns"`  // automatically
	CreatedAt       time.Time               `json:"created_at"`
	UpdatedAt       time.Time               `json:"updated_at"`
}

func newTasteDoc(v taste.View) tasteDoc {
	return tasteDoc{v.Scope, v.Name, v.Summary, v.Overrides.Summary != "", cli.Docs(v.Cards, newCardDoc),
		v.StatsSummary, v.SourceSceneIDs,
		v.SourceMemoryIDs, cli.Docs(v.Memories, newTasteMemoryRowDoc), v.Working, !v.Off, v.CreatedAt, v.UpdatedAt}
}

// The stored records have names in camel case and leave out empty members. These are the same
// records with the names of other documents and all members.

type cardDoc struct {
	ID              storage.CardID     `json:"id"`
	Preference      string             `json:"preference"`
	AppliesTo       string             `json:"applies_to"`
	AvoidApplyingTo string             `json:"avoid_applying_to"`
	Evidence        string             `json:"evidence"`
	Confidence      storage.Confidence `json:"confidence"`
	SeenScenes      int                `json:"seen_scenes"` // counted by the program; 0 if not counted
	For             string             `json:"for"`         // shots, pictures, recaps or prose
	Own             bool               `json:"own"`         // the user's words
	Muted           bool               `json:"muted"`
	Deleted         bool               `json:"deleted"`
	Over            bool               `json:"over"` // others are used before it
}

func newCardDoc(c lessons.Card) cardDoc {
	return cardDoc{c.ID, c.Preference, c.AppliesTo, c.AvoidApplyingTo, c.Evidence, c.Confidence, c.Seen.Scenes,
		cmp.Or(c.For, lessons.ForShots), c.Own, c.Muted, c.Deleted, c.BeyondLimit}
}

// lessonDoc identifies the scene of a memory.
type lessonDoc struct {
	ID        storage.TasteMemoryID `json:"id"`
	Scene     storage.NodeID        `json:"scene"`      // its last message
	SceneName string                `json:"scene_name"` // "" if it is gone
	Chat      storage.ChatID        `json:"chat"`
	ChatTitle string                `json:"chat_title"`
}

func newLessonDoc(m taste.Memory) lessonDoc {
	return lessonDoc{m.ID, m.Scene, m.SceneName, m.Chat, m.ChatTitle}
}

type tasteMemoryRowDoc struct {
	lessonDoc
	Learnings int       `json:"learnings"`
	Events    int       `json:"events"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

func newTasteMemoryRowDoc(m taste.Memory) tasteMemoryRowDoc {
	return tasteMemoryRowDoc{newLessonDoc(m), len(m.SceneLearnings), len(m.Events), m.CreatedAt, m.UpdatedAt}
}

// tasteMemoryDoc is a whole memory.
type tasteMemoryDoc struct {
	lessonDoc
	SceneContextSummary string             `json:"scene_context_summary"`
	EditSummary         string             `json:"edit_summary"`
	SceneLearnings      []learningDoc      `json:"scene_learnings"`
	Events              []eventDoc         `json:"events"`
	ShotSummary         *shotSummaryDoc    `json:"shot_summary"` // null without a storyboard
	EditCounts          storage.EditCounts `json:"edit_counts"`
	CreatedAt           time.Time          `json:"created_at"`
	UpdatedAt           time.Time          `json:"updated_at"`
}

type learningDoc struct {
	Learning        string             `json:"learning"`
	AppliesTo       string             `json:"applies_to"`
	AvoidApplyingTo string             `json:"avoid_applying_to"`
	Evidence        string             `json:"evidence"`
	Confidence      storage.Confidence `json:"confidence"`
}

type eventDoc struct {
	Type     storage.EventType `json:"type"`
	About    string            `json:"about"` // capture or recap; "" is the storyboard
	Summary  string            `json:"summary"`
	UserText string            `json:"user_text"`
	ShotRefs []storage.ShotID  `json:"shot_refs"`
}

type shotSummaryDoc struct {
	Shots          int             `json:"shots"`
	Key            int             `json:"key"`
	Filler         int             `json:"filler"`
	AverageSeconds float64         `json:"average_seconds"`
	PerKeyBeat     float64         `json:"per_key_beat"`
	Sizes          []storage.Tally `json:"sizes"`
	Angles         []storage.Tally `json:"angles"`
	Movements      []storage.Tally `json:"movements"`
	Jobs           []storage.Tally `json:"jobs"`
	Sentence       string          `json:"sentence"`
}

func newTasteMemoryDoc(m taste.Memory) tasteMemoryDoc {
	return tasteMemoryDoc{newLessonDoc(m), m.SceneContextSummary, m.EditSummary,
		cli.Docs(m.SceneLearnings, func(l storage.SceneLearning) learningDoc {
			return learningDoc{l.Learning, l.AppliesTo, l.AvoidApplyingTo, l.Evidence, l.Confidence}
		}),
		cli.Docs(m.Events, func(ev storage.EditEvent) eventDoc { return eventDoc(ev) }),
		(*shotSummaryDoc)(m.Summary), m.Counts, m.CreatedAt, m.UpdatedAt}
}
