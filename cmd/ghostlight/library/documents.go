package library

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

type characterLine struct {
	ID        storage.CharacterID `json:"id"`
	Name      string              `json:"name"`
	Immersion storage.Immersion   `json:"immersion"`
	Tags      []string            `json:"tags"`
	HasAvatar bool                `json:"has_avatar"`
	CreatedAt time.Time           `json:"created_at"`
	UpdatedAt time.Time           `json:"updated_at"`
}

func newCharacterLine(c storage.Character) characterLine {
	return characterLine{c.ID, c.Card.Name, c.Immersion, c.Card.Tags, c.HasAvatar, c.CreatedAt, c.UpdatedAt}
}

type characterDoc struct {
	characterLine
	Card     storage.Card    `json:"card"`
	Actor    actorDoc        `json:"actor"`
	Imagery  storage.Imagery `json:"imagery"`
	Format   string          `json:"format,omitempty"`   // of an import
	Warnings []string        `json:"warnings,omitempty"` // of an import
}

func newCharacterDoc(c storage.Character, warnings []string) characterDoc {
	return characterDoc{newCharacterLine(c), c.Card, actorDoc(c.Actor), c.Imagery, "", warnings}
}

// actorDoc is what a character is like beside its card, whole: stored, it leaves out
// what is empty.
type actorDoc struct {
	Goal       string         `json:"current_goal"`
	Struggle   string         `json:"current_struggle"`
	Dream      string         `json:"secret_dream"`
	Stressor   string         `json:"current_stressor"`
	Weights    map[string]int `json:"weights"`
	Tone       string         `json:"tone"`
	Speech     string         `json:"speech_patterns"`
	Boundaries string         `json:"boundaries"`
	Phrases    []string       `json:"phrases"`
}

// moveDoc is the report of a move.
type moveDoc struct {
	ID      storage.MoveID      `json:"id"`
	Path    string              `json:"path"`
	Began   time.Time           `json:"began"`
	Over    bool                `json:"over"`
	Ended   time.Time           `json:"ended,omitzero"`
	Kinds   []storage.MoveCount `json:"kinds"`
	Left    []storage.MoveLine  `json:"left"`
	Remarks []storage.MoveLine  `json:"remarks"`
	More    int                 `json:"more"` // lines for which there was no room
}

func newMoveDoc(m storage.MoveIn) moveDoc {
	return moveDoc{m.ID, m.Path, m.Began, !m.Ended.IsZero(), m.Ended, m.Kinds, m.Left, m.Remarks, m.More}
}
