package director

import (
	"cmp"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// seriesDoc is a series with its episodes.
type seriesDoc struct {
	director.SeriesView
	Contents []episodeDoc `json:"contents"`
}

func newSeriesDoc(s director.SeriesView) seriesDoc {
	return seriesDoc{s, cli.Docs(s.Episodes, func(ep storage.Episode) episodeDoc {
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

// playDoc is a chat with its episode and state.
type playDoc struct {
	cli.ChatDoc
	Series  storage.SeriesID   `json:"series"`  // "" for none
	Episode storage.EpisodeID  `json:"episode"` // "" for none
	State   director.PlayState `json:"state"`
}

// directorDoc is the director's view of a chat, with its episode.
type directorDoc struct {
	Chat        storage.ChatID   `json:"chat"`
	Title       string           `json:"title"`
	Series      storage.SeriesID `json:"series"`
	SeriesTitle string           `json:"series_title"`
	Episode     *episodeDoc      `json:"episode"`
	Next        *episodeDoc      `json:"next"`
	director.View
}

func newDirectorDoc(v director.View) directorDoc {
	doc := directorDoc{Chat: v.Chat.ID, Title: v.Chat.Title, Series: v.Chat.Play.Series, View: v}
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
