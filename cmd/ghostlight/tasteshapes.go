package main

import (
	"time"

	"ghostlight/engine/taste"
	"ghostlight/engine/taste/lessons"
	"ghostlight/storage"
)

// The documents of what was learnt of how the user directs.

type tasteRowShape struct {
	Scope          storage.ScopeID `json:"scope"` // the series or chat whose story it is
	Name           string          `json:"name"`
	ProfileSummary string          `json:"profile_summary"`
	Cards          int             `json:"cards"` // without deleted ones
	Memories       int             `json:"memories"`
	Working        bool            `json:"working"`
	UpdatedAt      *time.Time      `json:"updated_at"` // null while there is no profile
}

func shapeTasteRow(v taste.View) tasteRowShape {
	return tasteRowShape{v.Scope, v.Name, v.Summary, cardsLeft(v.Cards), len(v.Memories), v.Working, whenSet(v.UpdatedAt)}
}

func cardsLeft(cards []lessons.Card) (n int) {
	for _, c := range cards {
		if !c.Deleted {
			n++
		}
	}
	return n
}

type tasteShape struct {
	Scope           storage.ScopeID         `json:"scope"`
	Name            string                  `json:"name"`
	ProfileSummary  string                  `json:"profile_summary"`
	OwnSummary      bool                    `json:"own_summary"` // the user's words, in place of the profile's
	PreferenceCards []cardShape             `json:"preference_cards"`
	StatsSummary    string                  `json:"stats_summary"`
	SourceSceneIDs  []storage.NodeID        `json:"source_scene_ids"`
	SourceMemoryIDs []storage.TasteMemoryID `json:"source_memory_ids"`
	Memories        []tasteMemoryRowShape   `json:"memories"`
	Working         bool                    `json:"working"` // something is being learnt, or waits to be
	Learns          bool                    `json:"learns"`  // by itself
	CreatedAt       *time.Time              `json:"created_at"`
	UpdatedAt       *time.Time              `json:"updated_at"`
}

func shapeTaste(v taste.View) tasteShape {
	doc := tasteShape{v.Scope, v.Name, v.Summary, v.Hand.Summary != "", []cardShape{}, v.StatsSummary, orNone(v.SourceSceneIDs),
		orNone(v.SourceMemoryIDs), []tasteMemoryRowShape{}, v.Working, !v.Off, whenSet(v.CreatedAt), whenSet(v.UpdatedAt)}
	for _, c := range v.Cards {
		doc.PreferenceCards = append(doc.PreferenceCards, shapeCard(c))
	}
	for _, m := range v.Memories {
		doc.Memories = append(doc.Memories, shapeTasteMemoryRow(m))
	}
	return doc
}

type cardShape struct {
	ID              storage.CardID     `json:"id"`
	Preference      string             `json:"preference"`
	AppliesTo       string             `json:"applies_to"`
	AvoidApplyingTo string             `json:"avoid_applying_to"`
	Evidence        string             `json:"evidence"`
	Confidence      storage.Confidence `json:"confidence"`
	Own             bool               `json:"own"` // the user's words
	Muted           bool               `json:"muted"`
	Deleted         bool               `json:"deleted"`
}

func shapeCard(c lessons.Card) cardShape {
	return cardShape{c.ID, c.Preference, c.AppliesTo, c.AvoidApplyingTo, c.Evidence, c.Confidence, c.Own, c.Muted, c.Deleted}
}

type tasteMemoryRowShape struct {
	ID        storage.TasteMemoryID `json:"id"`
	Scene     storage.NodeID        `json:"scene"`      // its last message
	SceneName string                `json:"scene_name"` // "" where it is gone
	Chat      storage.ChatID        `json:"chat"`
	ChatTitle string                `json:"chat_title"`
	Learnings int                   `json:"learnings"`
	Events    int                   `json:"events"`
	CreatedAt time.Time             `json:"created_at"`
	UpdatedAt time.Time             `json:"updated_at"`
}

func shapeTasteMemoryRow(m taste.Memory) tasteMemoryRowShape {
	return tasteMemoryRowShape{m.ID, m.Scene, m.SceneName, m.Chat, m.ChatTitle, len(m.SceneLearnings), len(m.Events), m.CreatedAt, m.UpdatedAt}
}

// tasteMemoryShape is what a scene has taught, whole.
type tasteMemoryShape struct {
	ID                  storage.TasteMemoryID `json:"id"`
	Scene               storage.NodeID        `json:"scene"`
	SceneName           string                `json:"scene_name"`
	Chat                storage.ChatID        `json:"chat"`
	ChatTitle           string                `json:"chat_title"`
	SceneContextSummary string                `json:"scene_context_summary"`
	EditSummary         string                `json:"edit_summary"`
	SceneLearnings      []learningShape       `json:"scene_learnings"`
	Events              []eventShape          `json:"events"`
	ShotSummary         *shotSummaryShape     `json:"shot_summary,omitempty"` // without a storyboard there is none
	EditCounts          editCountsShape       `json:"edit_counts"`
	CreatedAt           time.Time             `json:"created_at"`
	UpdatedAt           time.Time             `json:"updated_at"`
}

type learningShape struct {
	Learning        string             `json:"learning"`
	AppliesTo       string             `json:"applies_to"`
	AvoidApplyingTo string             `json:"avoid_applying_to"`
	Evidence        string             `json:"evidence"`
	Confidence      storage.Confidence `json:"confidence"`
}

type eventShape struct {
	Type     storage.EventType `json:"type"`
	About    string            `json:"about"` // capture or recap; "" is the storyboard
	Summary  string            `json:"summary"`
	UserText string            `json:"user_text"`
	ShotRefs []storage.ShotID  `json:"shot_refs"`
}

type shotSummaryShape struct {
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

type editCountsShape struct {
	Fields   []storage.Tally `json:"fields"`
	Inserted []storage.Tally `json:"inserted"`
	Removed  []storage.Tally `json:"removed"`
	Merges   int             `json:"merges"`
	Reorders int             `json:"reorders"`
	Bulk     int             `json:"bulk"`
}

func shapeTasteMemory(m taste.Memory) tasteMemoryShape {
	doc := tasteMemoryShape{ID: m.ID, Scene: m.Scene, SceneName: m.SceneName, Chat: m.Chat, ChatTitle: m.ChatTitle,
		SceneContextSummary: m.SceneContextSummary, EditSummary: m.EditSummary, SceneLearnings: []learningShape{}, Events: []eventShape{},
		EditCounts: editCountsShape{orNone(m.Counts.Fields), orNone(m.Counts.Inserted), orNone(m.Counts.Removed), m.Counts.Merges, m.Counts.Reorders, m.Counts.Bulk},
		CreatedAt:  m.CreatedAt, UpdatedAt: m.UpdatedAt}
	for _, l := range m.SceneLearnings {
		doc.SceneLearnings = append(doc.SceneLearnings, learningShape(l))
	}
	for _, ev := range m.Events {
		doc.Events = append(doc.Events, eventShape{ev.Type, ev.About, ev.Summary, ev.UserText, orNone(ev.ShotRefs)})
	}
	if s := m.Summary; s != nil {
		doc.ShotSummary = &shotSummaryShape{s.Shots, s.Key, s.Filler, s.AverageSeconds, s.PerKeyBeat, orNone(s.Sizes), orNone(s.Angles),
			orNone(s.Movements), orNone(s.Jobs), s.Sentence}
	}
	return doc
}

// tasteBlockShape is what a tool would be told.
type tasteBlockShape struct {
	Scope storage.ScopeID  `json:"scope"`
	Tool  string           `json:"tool"`
	Block string           `json:"block"` // "" where there is nothing to tell
	Cards []storage.CardID `json:"cards"`
}
