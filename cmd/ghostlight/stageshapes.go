package main

import (
	"time"

	"ghostlight/engine/director"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
)

// The documents of series, episodes, plays and casts.

type namedCharacter struct {
	ID   storage.CharacterID `json:"id"`
	Name string              `json:"name"`
}

type seriesShape struct {
	ID          storage.SeriesID `json:"id"`
	Title       string           `json:"title"`
	Description string           `json:"description"`
	Genre       string           `json:"genre"`
	Characters  []namedCharacter `json:"characters"` // the main one first
	Episodes    int              `json:"episodes"`
	Chats       int              `json:"chats"`
	Memories    int              `json:"memories"`
	CreatedAt   time.Time        `json:"created_at"`
	UpdatedAt   time.Time        `json:"updated_at"`
	Warnings    []string         `json:"warnings,omitempty"` // of an import
}

type seriesWholeShape struct {
	seriesShape
	Contents []episodeShape `json:"contents"`
}

func shapeSeries(s director.SeriesView, warnings []string) seriesShape {
	doc := seriesShape{ID: s.ID, Title: s.Title, Description: s.Description, Genre: s.Genre, Characters: []namedCharacter{},
		Episodes: len(s.Episodes), Chats: s.Chats, Memories: s.Memories, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, Warnings: warnings}
	for i, id := range s.Characters {
		c := namedCharacter{ID: id}
		if i < len(s.Names) {
			c.Name = s.Names[i]
		}
		doc.Characters = append(doc.Characters, c)
	}
	return doc
}

// episodeShape is an episode with the defaults filled in.
type episodeShape struct {
	ID            storage.EpisodeID `json:"id"`
	Series        storage.SeriesID  `json:"series"`
	SeriesTitle   string            `json:"series_title"`
	Number        int               `json:"number"`
	Title         string            `json:"title"`
	Situation     string            `json:"situation"`
	Frame         string            `json:"frame"`
	Question      string            `json:"dramatic_question"`
	Resolutions   []string          `json:"resolution_types"`
	Objective     string            `json:"objective"`
	Obstacle      string            `json:"obstacle"`
	Tactic        string            `json:"tactic"`
	Genre         string            `json:"genre"` // its own, else that of the series
	Opening       string            `json:"opening_line"`
	TurnBudget    int               `json:"turn_budget"` // 0 for none
	SceneMode     storage.SceneMode `json:"auto_scene_mode"`
	SceneInterval int               `json:"scene_interval"`
	SceneCost     int               `json:"scene_cost"`
	CreatedAt     time.Time         `json:"created_at"`
	UpdatedAt     time.Time         `json:"updated_at"`
}

func shapeEpisode(ep storage.Episode, s storage.Series) episodeShape {
	return episodeShape{ID: ep.ID, Series: ep.Series, SeriesTitle: s.Title, Number: ep.Number, Title: ep.Title, Situation: ep.Situation,
		Frame: ep.Frame, Question: ep.Question, Resolutions: orNone(ep.Resolutions), Objective: ep.Objective, Obstacle: ep.Obstacle,
		Tactic: ep.Tactic, Genre: first(ep.Genre, s.Genre), Opening: ep.Opening, TurnBudget: ep.TurnBudget, SceneMode: ep.Mode(),
		SceneInterval: ep.Interval(), SceneCost: ep.Cost(), CreatedAt: ep.CreatedAt, UpdatedAt: ep.UpdatedAt}
}

// playShape is a chat with what it plays.
type playShape struct {
	chatShape
	Series  storage.SeriesID   `json:"series"`  // "" for none
	Episode storage.EpisodeID  `json:"episode"` // likewise
	State   director.PlayState `json:"state"`
}

// directorShape is what the director knows of a chat. Episode and Next are
// missing where there is none.
type directorShape struct {
	Chat        storage.ChatID     `json:"chat"`
	Title       string             `json:"title"`
	Off         bool               `json:"off"`     // by the settings
	Working     bool               `json:"working"` // a look at the play runs or waits
	State       director.PlayState `json:"state"`
	Series      storage.SeriesID   `json:"series"`
	SeriesTitle string             `json:"series_title"`
	Episode     *episodeShape      `json:"episode,omitempty"`
	Ended       *endedShape        `json:"ended,omitempty"`
	Turn        int                `json:"turn"`
	Phase       string             `json:"phase"`
	Tension     int                `json:"tension"`
	SceneMode   storage.SceneMode  `json:"auto_scene_mode"`
	Sparks      sparksShape        `json:"sparks"`
	Moment      string             `json:"moment"`
	Beats       []beatShape        `json:"beats"` // the newest first
	Engagement  engagementShape    `json:"engagement"`
	Next        *episodeShape      `json:"next,omitempty"`
}

type endedShape struct {
	Message storage.NodeID  `json:"message"`
	By      storage.EndedBy `json:"by"`
	At      time.Time       `json:"at"`
}

// sparksShape is what a chat may spend on pictures that are made by themselves.
type sparksShape struct {
	Allowance int                 `json:"allowance"`
	Spent     int                 `json:"spent"`
	Left      int                 `json:"left"`
	Answer    storage.SparkAnswer `json:"answer"` // "" while nobody was asked
	Waits     storage.NodeID      `json:"waits"`  // the message whose picture waits for the answer
}

type beatShape struct {
	Message    storage.NodeID    `json:"message"`
	Said       string            `json:"said"`
	Turn       int               `json:"turn"`
	Phase      string            `json:"phase"`
	Evaluated  bool              `json:"evaluated"`
	VisualType string            `json:"visual_type"`
	VisualHint string            `json:"visual_hint"`
	Status     string            `json:"status"`
	Tension    int               `json:"tension"`
	Tone       string            `json:"tone"`
	Beat       string            `json:"beat"`
	Open       string            `json:"open"`
	Setting    string            `json:"setting"`
	Next       string            `json:"next"`
	Why        string            `json:"why"`
	Fault      string            `json:"fault,omitempty"` // why there is no evaluation
	Capture    storage.CaptureID `json:"capture"`         // "" for none
	CaptureWhy string            `json:"capture_why"`
	Taken      []storage.HookID  `json:"hooks_taken"`
	At         time.Time         `json:"at"`
}

type engagementShape struct {
	Sessions   int        `json:"sessions"`
	FirstMet   *time.Time `json:"first_met_at"`
	Since      string     `json:"since"`
	LastEnd    *time.Time `json:"last_end_at"`
	Tone       string     `json:"tone"`
	Tension    int        `json:"tension_level"`
	Beats      []string   `json:"recent_beats"`
	Milestones []string   `json:"milestones"`
	Text       string     `json:"text"`  // as the prompt tells it
	Turns      int        `json:"turns"` // of the session that runs
}

func shapeBeat(b director.BeatView) beatShape {
	doc := beatShape{Message: b.Node, Said: b.Said, Turn: b.Turn, Phase: b.Phase, Fault: b.Fault, Capture: b.Capture, CaptureWhy: b.Beat.Why,
		Taken: orNone(b.Taken), At: b.At}
	if s := b.Seen; s != nil {
		doc.Evaluated, doc.VisualType, doc.VisualHint, doc.Status, doc.Tension = true, s.VisualType, s.VisualHint, s.Status, s.Tension
		doc.Tone, doc.Beat, doc.Open, doc.Setting, doc.Next, doc.Why = s.Tone, s.Beat, s.Open, s.Setting, s.Next, s.Why
	}
	return doc
}

func shapeDirector(v director.View) directorShape {
	play := v.Chat.Play
	doc := directorShape{Chat: v.Chat.ID, Title: v.Chat.Title, Off: v.Off, Working: v.Working, State: v.State, Series: play.Series, Turn: v.Turn,
		Phase: v.Phase, SceneMode: v.Mode, Sparks: sparksShape{v.Allowance, play.Spent, v.Left, play.Asked, play.Wanted}, Moment: v.Moment,
		Beats: []beatShape{}, Engagement: shapeEngagement(v.Engagement)}
	series := storage.Series{}
	if v.Series != nil {
		series = *v.Series
		doc.Series, doc.SeriesTitle = series.ID, series.Title
	}
	if v.Episode != nil {
		doc.Episode = new(shapeEpisode(*v.Episode, series))
	}
	if v.Next != nil {
		doc.Next = new(shapeEpisode(*v.Next, series))
	}
	if v.Ended != nil {
		doc.Ended = &endedShape{v.Ended.Node, v.Ended.By, v.Ended.At}
	}
	for _, b := range v.Beats {
		doc.Beats = append(doc.Beats, shapeBeat(b))
	}
	for _, b := range v.Beats {
		if b.Seen != nil {
			doc.Tension = b.Seen.Tension
			break
		}
	}
	return doc
}

func shapeEngagement(v director.EngagementView) engagementShape {
	doc := engagementShape{Sessions: v.Sessions, FirstMet: whenSet(v.FirstMet), Since: v.Since, LastEnd: whenSet(v.LastEnd), Tone: v.Dynamic.Tone,
		Tension: v.Dynamic.Tension, Beats: orNone(v.Dynamic.Beats), Milestones: orNone(v.Milestone), Text: v.Text}
	if v.Open != nil {
		doc.Turns = v.Open.Turns
	}
	return doc
}

type castShape struct {
	Chat       storage.ChatID      `json:"chat"`
	Order      storage.TurnOrder   `json:"order"`
	Next       storage.CharacterID `json:"next"`
	NextName   string              `json:"next_name"`
	Why        string              `json:"why"`
	Characters []castMemberShape   `json:"characters"`
}

type castMemberShape struct {
	ID        storage.CharacterID `json:"id"`
	Name      string              `json:"name"`
	Main      bool                `json:"main"`
	Away      bool                `json:"away"`
	HasAvatar bool                `json:"has_avatar"`
}

func shapeCast(chat storage.ChatID, list chats.CastList) castShape {
	doc := castShape{Chat: chat, Order: list.Order, Next: list.Next, Why: list.Why, Characters: []castMemberShape{}}
	if doc.Order == "" {
		doc.Order = storage.OrderRobin
	}
	for _, c := range list.List {
		doc.Characters = append(doc.Characters, castMemberShape{c.Character, c.Name, c.Main, c.Away, c.HasAvatar})
		if c.Character == list.Next {
			doc.NextName = c.Name
		}
	}
	return doc
}

// actorShape is what a character is like beside its card.
type actorShape struct {
	Goal       string         `json:"current_goal"`
	Struggle   string         `json:"current_struggle"`
	Dream      string         `json:"secret_dream"`
	Stressor   string         `json:"current_stressor"`
	Weights    map[string]int `json:"weights"`
	Tone       string         `json:"tone"`
	Speech     string         `json:"speech_patterns"`
	Boundaries string         `json:"boundaries"`
}

func shapeActor(a storage.Actor) actorShape {
	doc := actorShape{a.Goal, a.Struggle, a.Dream, a.Stressor, a.Weights, a.Tone, a.Speech, a.Boundaries}
	if doc.Weights == nil {
		doc.Weights = map[string]int{}
	}
	return doc
}
