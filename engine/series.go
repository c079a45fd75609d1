package engine

import (
	"io"

	"ghostlight/storage"
)

// Series lists all series by title.
func (e *Engine) Series() ([]SeriesView, error) { return nil, errUnbuilt }

// FindSeries finds a series by id, unique beginning of one, or title.
func (e *Engine) FindSeries(name string) (SeriesView, error) { return SeriesView{}, errUnbuilt }

// SaveSeries keeps a series, as a new one where it has no id.
func (e *Engine) SaveSeries(s storage.Series) (storage.Series, error) { return s, errUnbuilt }

// RemoveSeries removes a series with its episodes and what is remembered of it,
// after a backup of the whole store. It refuses while chats belong to it.
func (e *Engine) RemoveSeries(id storage.SeriesID) error { return errUnbuilt }

// Episode reads an episode.
func (e *Engine) Episode(id storage.EpisodeID) (storage.Episode, error) {
	return storage.Episode{}, errUnbuilt
}

// FindEpisode finds an episode by id, unique beginning of one, number or title,
// in a series or, with "", in all.
func (e *Engine) FindEpisode(series storage.SeriesID, name string) (storage.Episode, error) {
	return storage.Episode{}, errUnbuilt
}

// SaveEpisode keeps an episode, as a new one at the end of its series where it
// has no id.
func (e *Engine) SaveEpisode(ep storage.Episode) (storage.Episode, error) { return ep, errUnbuilt }

// MoveEpisode gives an episode another number in its series; the others make
// room.
func (e *Engine) MoveEpisode(id storage.EpisodeID, number int) error { return errUnbuilt }

// RemoveEpisode removes an episode. It refuses while chats play it.
func (e *Engine) RemoveEpisode(id storage.EpisodeID) error { return errUnbuilt }

// ExportSeries writes a series with its episodes as JSON.
func (e *Engine) ExportSeries(w io.Writer, id storage.SeriesID) error { return errUnbuilt }

// ImportSeries reads what ExportSeries wrote, as a new series. Characters are
// found by name; those that are not there are named in warnings.
func (e *Engine) ImportSeries(r io.Reader) (s SeriesView, warnings []string, err error) {
	return SeriesView{}, nil, errUnbuilt
}
