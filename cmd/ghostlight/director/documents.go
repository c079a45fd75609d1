package director

import (
	"cmp"
	"time"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// seriesDoc is a series without its episodes.
type seriesDoc struct {
	ID          storage.SeriesID          `json:"id"`
	Title       string                    `json:"title"`
	Description string                    `json:"description"`
	Genre       string                    `json:"genre"`
	Characters  []director.NamedCharacter `json:"characters"` // the main one first
	Episodes    int                       `json:"episodes"`
	Chats       int                       `json:"chats"`
	Memories    int                       `json:"memories"`
	CreatedAt   time.Time                 `json:"created_at"`
	UpdatedAt   time.Time                 `json:"updated_at"`
	Warnings    []string                  `json:"warnings,omitempty"` // of an import
}

type seriesWholeDoc struct {
	seriesDoc
	Contents []episodeDoc `json:"contents"`
}

func newSeriesDoc(s director.SeriesView, warnings []string) seriesDoc {
	return seriesDoc{s.ID, s.Title, s.Description, s.Genre, s.Cast, len(s.Episodes), s.Chats, s.Memories, s.CreatedAt, s.UpdatedAt, warnings}
}

func newEpisodeDocs(s director.SeriesView) []episodeDoc {
	return cli.Docs(s.Episodes, func(ep storage.Episode) episodeDoc { return newEpisodeDoc(ep, s.Series) })
}

// episodeDoc is an episode with the defaults filled in.
type episodeDoc struct {
	ID          storage.EpisodeID `json:"id"`
	Series      storage.SeriesID  `json:"series"`
	SeriesTitle string            `json:"series_title"`
	Number      int               `json:"number"`
	episodeFields
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
}

func newEpisodeDoc(ep storage.Episode, s storage.Series) episodeDoc {
	ep.Genre, ep.SceneMode, ep.SceneInterval, ep.SceneCost = cmp.Or(ep.Genre, s.Genre), ep.Mode(), ep.Interval(), new(ep.Cost())
	return episodeDoc{ep.ID, ep.Series, s.Title, ep.Number, episodeFieldsOf(ep), ep.CreatedAt, ep.UpdatedAt}
}

// playDoc is a chat with what it plays.
type playDoc struct {
	cli.ChatDoc
	Series  storage.SeriesID   `json:"series"`  // "" for none
	Episode storage.EpisodeID  `json:"episode"` // likewise
	State   director.PlayState `json:"state"`
}

// directorDoc is what the director knows of a chat. Episode and Next are
// missing where there is none.
type directorDoc struct {
	Chat        storage.ChatID     `json:"chat"`
	Title       string             `json:"title"`
	Off         bool               `json:"off"`     // by the settings
	Working     bool               `json:"working"` // a look at the play runs or waits
	State       director.PlayState `json:"state"`
	Series      storage.SeriesID   `json:"series"`
	SeriesTitle string             `json:"series_title"`
	Episode     *episodeDoc        `json:"episode,omitempty"`
	Ended       *endedDoc          `json:"ended,omitempty"`
	Turn        int                `json:"turn"`
	Phase       string             `json:"phase"`
	Tension     int                `json:"tension"`
	SceneMode   storage.SceneMode  `json:"auto_scene_mode"`
	Sparks      sparksDoc          `json:"sparks"`
	Moment      string             `json:"moment"`
	Beats       []beatDoc          `json:"beats"` // the newest first
	Engagement  engagementDoc      `json:"engagement"`
	Next        *episodeDoc        `json:"next,omitempty"`
}

// endedDoc is where a play was complete.
type endedDoc struct {
	Node storage.NodeID  `json:"message"`
	By   storage.EndedBy `json:"by"`
	At   time.Time       `json:"at"`
}

// sparksDoc is what a chat may spend on pictures that are made by themselves.
type sparksDoc struct {
	Allowance int                 `json:"allowance"`
	Spent     int                 `json:"spent"`
	Left      int                 `json:"left"`
	Answer    storage.SparkAnswer `json:"answer"` // "" while nobody was asked
	Waits     storage.NodeID      `json:"waits"`  // the message whose picture waits for the answer
}

type beatDoc struct {
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

type engagementDoc struct {
	Sessions   int       `json:"sessions"`
	FirstMet   time.Time `json:"first_met_at"`
	Since      string    `json:"since"`
	LastEnd    time.Time `json:"last_end_at"`
	Tone       string    `json:"tone"`
	Tension    int       `json:"tension_level"`
	Beats      []string  `json:"recent_beats"`
	Milestones []string  `json:"milestones"`
	Text       string    `json:"text"`  // as the prompt tells it
	Turns      int       `json:"turns"` // of the session that runs
}

func newBeatDoc(b director.BeatView) beatDoc {
	doc := beatDoc{Message: b.Node, Said: b.Said, Turn: b.Turn, Phase: b.Phase, Fault: b.Fault, Capture: b.Capture, CaptureWhy: b.Beat.Why,
		Taken: b.Taken, At: b.At}
	if s := b.Seen; s != nil {
		doc.Evaluated, doc.VisualType, doc.VisualHint, doc.Status, doc.Tension = true, s.VisualType, s.VisualHint, s.Status, s.Tension
		doc.Tone, doc.Beat, doc.Open, doc.Setting, doc.Next, doc.Why = s.Tone, s.Beat, s.Open, s.Setting, s.Next, s.Why
	}
	return doc
}

func newDirectorDoc(v director.View) directorDoc {
	play := v.Chat.Play
	doc := directorDoc{Chat: v.Chat.ID, Title: v.Chat.Title, Off: v.Off, Working: v.Working, State: v.State, Series: play.Series, Turn: v.Turn,
		Phase: v.Phase, SceneMode: v.Mode, Sparks: sparksDoc{v.Allowance, play.Spent, v.Left, play.Asked, play.Wanted}, Moment: v.Moment,
		Ended: (*endedDoc)(v.Ended), Beats: cli.Docs(v.Beats, newBeatDoc), Engagement: newEngagementDoc(v.Engagement)}
	series := storage.Series{}
	if v.Series != nil {
		series = *v.Series
		doc.Series, doc.SeriesTitle = series.ID, series.Title
	}
	if v.Episode != nil {
		doc.Episode = new(newEpisodeDoc(*v.Episode, series))
	}
	if v.Next != nil {
		doc.Next = new(newEpisodeDoc(*v.Next, series))
	}
	for _, b := range v.Beats {
		if b.Seen != nil {
			doc.Tension = b.Seen.Tension
			break
		}
	}
	return doc
}

func newEngagementDoc(v director.EngagementView) engagementDoc {
	doc := engagementDoc{Sessions: v.Sessions, FirstMet: v.FirstMet, Since: v.Since, LastEnd: v.LastEnd, Tone: v.Dynamic.Tone,
		Tension: v.Dynamic.Tension, Beats: v.Dynamic.Beats, Milestones: v.Milestone, Text: v.Text}
	if v.Open != nil {
		doc.Turns = v.Open.Turns
	}
	return doc
}
