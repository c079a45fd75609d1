package director

import (
	"fmt"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What a series and an episode may hold: names in characters, texts in bytes.
const (
	maxTitle = 200
	maxText  = 64 << 10
)

// MaxSparks is the largest number of sparks that anything may be set to.
const MaxSparks = 10_000

// SeriesFields are the fields of a series. Its characters are not a field: users refer to them by
// name.
var SeriesFields = field.Record[storage.Series]{Noun: "a series", Fields: []field.Spec[storage.Series]{
	{Name: "title", Flag: "title", Label: "Title", Help: "its title", Hint: "for example: Harbour nights",
		Required: true, Runes: maxTitle,
		At: func(s *storage.Series) any { return &s.Title }},
	{Name: "genre", Flag: "genre", Label: "Genre", Help: "the genre of its episodes", Hint: "for example: slow mystery",
		Runes: maxTitle,
		At:    func(s *storage.Series) any { return &s.Genre }},
	{Name: "description", Flag: "description", Label: "About it", Help: "what it is about", Rows: 3, Max: maxText,
		At: func(s *storage.Series) any { return &s.Description }},
}}

// EpisodeFields are the fields of an episode. MoveEpisode changes its place in the series.
var EpisodeFields = field.Record[storage.Episode]{
	Noun: "an episode",
	New:  func() storage.Episode { return storage.Episode{SceneMode: storage.ScenesPeaks} },
	Fields: slices.Concat([]field.Spec[storage.Episode]{
		{Name: "title", Flag: "title", Label: "Title", Help: "its title", Required: true, Runes: maxTitle,
			At: func(e *storage.Episode) any { return &e.Title }},
		{Name: "situation", Flag: "situation", Label: "Situation", Rows: 4, Max: maxText,
			Help: "where the characters are and what is going on; sent with every prompt",
			At:   func(e *storage.Episode) any { return &e.Situation }},
		{Name: "frame", Flag: "frame", Label: "Frame", Rows: 2, Max: maxText,
			Help: "narrative perspective, time and mood",
			At:   func(e *storage.Episode) any { return &e.Frame }},
		{Name: "opening_line", Flag: "opening", Label: "Opening line", Rows: 3, Max: maxText,
			Help: "the first message; empty: the character's greeting",
			At:   func(e *storage.Episode) any { return &e.Opening }},
		{Name: "genre", Flag: "genre", Label: "Genre", Help: "its own genre; empty: same as the series",
			Runes: maxTitle,
			At:    func(e *storage.Episode) any { return &e.Genre }},
	}, dramaFields("Drama"), endingFields("Ending"), pictureFields("Automatic pictures")),
}

func dramaFields(group string) []field.Spec[storage.Episode] {
	return []field.Spec[storage.Episode]{
		{Name: "dramatic_question", Flag: "question", Group: group, Label: "Question", Rows: 2, Max: maxText,
			Help: "the dramatic question: explored, not quickly resolved",
			At:   func(e *storage.Episode) any { return &e.Question }},
		{Name: "objective", Flag: "objective", Group: group, Label: "Objective", Multiline: true, Max: maxText,
			Help: "what the character wants in this episode",
			At:   func(e *storage.Episode) any { return &e.Objective }},
		{Name: "obstacle", Flag: "obstacle", Group: group, Label: "Obstacle", Multiline: true, Max: maxText,
			Help: "what stands in the way",
			At:   func(e *storage.Episode) any { return &e.Obstacle }},
		{Name: "tactic", Flag: "tactic", Group: group, Label: "Tactic", Multiline: true, Max: maxText,
			Help: "how the character pursues it; played subtly",
			At:   func(e *storage.Episode) any { return &e.Tactic }},
	}
}

func endingFields(group string) []field.Spec[storage.Episode] {
	ways := strings.Join(storage.Resolutions, ", ")
	return []field.Spec[storage.Episode]{
		{Name: "turn_budget", Flag: "turn-budget", Group: group, Label: "Turn budget", Hint: "empty: none",
			Help: "turns until it is complete; empty: the director decides",
			Min:  1, Max: memory.MaxTurns, ZeroIsEmpty: true,
			At: func(e *storage.Episode) any { return &e.TurnBudget }},
		{Name: "resolution_types", Flag: "resolution", Group: group, Label: "Allowed endings",
			Help: "allowed endings: " + ways + "; empty: any ending",
			At:   func(e *storage.Episode) any { return &e.Resolutions },
			Check: func(e *storage.Episode) error {
				for _, way := range e.Resolutions {
					if !slices.Contains(storage.Resolutions, way) {
						return fmt.Errorf("some of %s, not %q", ways, way)
					}
				}
				return nil
			}},
	}
}

func pictureFields(group string) []field.Spec[storage.Episode] {
	return []field.Spec[storage.Episode]{
		{Name: "auto_scene_mode", Flag: "scene-mode", Group: group, Label: "When",
			Help: "when pictures are generated automatically; you are asked once per chat",
			Choices: []field.Choice{
				{Value: string(storage.ScenesPeaks), Label: "at peaks, chosen by the director"},
				{Value: string(storage.ScenesRhythmic), Label: "every N turns, and at peaks"},
				{Value: string(storage.ScenesOff), Label: "off: only on request"},
			},
			At: func(e *storage.Episode) any { return &e.SceneMode }},
		{Name: "scene_interval", Flag: "scene-interval", Group: group, Label: "Every",
			Help: "turns between automatic pictures", Hint: fmt.Sprintf("empty: %d turns", storage.DefaultInterval),
			Min: 1, Max: memory.MaxTurns, ZeroIsEmpty: true,
			At: func(e *storage.Episode) any { return &e.SceneInterval }},
		{Name: "scene_cost", Flag: "scene-cost", Group: group, Label: "Price",
			Help: "sparks per automatic picture", Hint: fmt.Sprintf("empty: %d sparks", storage.DefaultSceneCost),
			Min: 0, Max: MaxSparks,
			At: func(e *storage.Episode) any { return &e.SceneCost }},
	}
}
