package director

import (
	"cmp"
	"time"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// seriesDoc is a series without its episodes, of which it has the number.
type seriesDoc struct {
	storage.Series
	Characters []director.NamedCharacter `json:"characters"` // the main one first
	Episodes   int                       `json:"episodes"`
	Chats      int                       `json:"chats"`
	Memories   int                       `json:"memories"`
}

type seriesWholeDoc struct {
	seriesDoc
	Contents []episodeDoc `json:"contents"`
}

type importedSeriesDoc struct {
	seriesDoc
	Warnings []string `json:"warnings"`
}

func newSeriesDoc(s director.SeriesView) seriesDoc {
	return seriesDoc{s.Series, s.Cast, len(s.Episodes), s.Chats, s.Memories}
}

func newSeriesWholeDoc(s director.SeriesView) seriesWholeDoc {
	return seriesWholeDoc{newSeriesDoc(s), cli.Docs(s.Episodes, func(ep storage.Episode) episodeDoc {
		return newEpisodeDoc(ep, s.Series)
	})}
}

// episodeDoc is an episode with the defaults filled in.
type episodeDoc struct {
	storage.Episode
	SeriesTitle string `json:"series_title"`
}

func newEpisodeDoc(ep storage.Episode, s storage.Series) episodeDoc {
	ep.Genre, ep.SceneMode = cmp.Or(ep.Genre, s.Genre), ep.Mode()
	ep.SceneInterval, ep.SceneCost = ep.Interval(), new(ep.Cost())
	return episodeDoc{ep, s.Title}
}

// playDoc is a chat with what it plays.
type playDoc struct {
	cli.ChatDoc
	Series  storage.SeriesID   `json:"series"`  // "" for none
	Episode storage.EpisodeID  `json:"episode"` // "" for none
	State   director.PlayState `json:"state"`
}

// directorDoc is what the director knows of a chat.
type directorDoc struct {
	Chat        storage.ChatID     `json:"chat"`
	Title       string             `json:"title"`
	Off         bool               `json:"off"`     // by the settings
	Working     bool               `json:"working"` // a look at the play runs or waits
	State       director.PlayState `json:"state"`
	Series      storage.SeriesID   `json:"series"`
	SeriesTitle string             `json:"series_title"`
	Episode     *episodeDoc        `json:"episode"`
	Ended       *endedDoc          `json:"ended"`
	Turn        int                `json:"turn"`
	Phase       string             `json:"phase"`
	Tension     int                `json:"tension"`
	SceneMode   storage.SceneMode  `json:"auto_scene_mode"`
	Sparks      sparksDoc          `json:"sparks"`
	Moment      string             `json:"moment"`
	Beats       []beatDoc          `json:"beats"` // the newest first
	Engagement  engagementDoc      `json:"engagement"`
	Next        *episodeDoc        `json:"next"`
}

// endedDoc is where a play was complete: a storage.PlayEnd.
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

// beatDoc is what the director made of an exchange.
type beatDoc struct {
	Message   storage.NodeID `json:"message"`
	Said      string         `json:"said"`
	Turn      int            `json:"turn"`
	Phase     string         `json:"phase"`
	Evaluated bool           `json:"evaluated"`
	storage.Evaluation
	Fault      string            `json:"fault"`   // why there is no evaluation
	Capture    storage.CaptureID `json:"capture"` // "" for none
	CaptureWhy string            `json:"capture_why"`
	Taken      []storage.HookID  `json:"hooks_taken"`
	At         time.Time         `json:"at"`
}

func newBeatDoc(b director.BeatView) beatDoc {
	doc := beatDoc{Message: b.Node, Said: b.Said, Turn: b.Turn, Phase: b.Phase, Evaluated: b.Seen != nil, Fault: b.Fault,
		Capture: b.Capture, CaptureWhy: b.Why, Taken: b.Taken, At: b.At}
	if b.Seen != nil {
		doc.Evaluation = *b.Seen
	}
	return doc
}

type engagementDoc struct {
	Sessions int       `json:"sessions"`
	FirstMet time.Time `json:"first_met_at"`
	Since    string    `json:"since"`
	LastEnd  time.Time `json:"last_end_at"`
	storage.Dynamic
	Milestones []string `json:"milestones"`
	Text       string   `json:"text"`  // as the prompt tells it
	Turns      int      `json:"turns"` // of the session that runs
}

func newEngagementDoc(v director.EngagementView) engagementDoc {
	doc := engagementDoc{v.Sessions, v.FirstMet, v.Since, v.LastEnd, v.Dynamic, v.Milestone, v.Text, 0}
	if v.Open != nil {
		doc.Turns = v.Open.Turns
	}
	return doc
}

func newDirectorDoc(v director.View) directorDoc {
	play := v.Chat.Play
	doc := directorDoc{Chat: v.Chat.ID, Title: v.Chat.Title, Off: v.Off, Working: v.Working, State: v.State,
		Series: play.Series, Ended: (*endedDoc)(v.Ended), Turn: v.Turn, Phase: v.Phase, Tension: tension(v), SceneMode: v.Mode,
		Sparks: sparksDoc{v.Allowance, play.Spent, v.Left, play.Asked, play.Wanted}, Moment: v.Moment,
		Beats: cli.Docs(v.Beats, newBeatDoc), Engagement: newEngagementDoc(v.Engagement)}
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
	return doc
}

// tension is what the director saw last of it, 0 before that.
func tension(v director.View) int {
	for _, b := range v.Beats {
		if b.Seen != nil {
			return b.Seen.Tension
		}
	}
	return 0
}
