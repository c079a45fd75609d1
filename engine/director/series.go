package director

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// MaxEpisodes is the maximum number of episodes in a series.
const MaxEpisodes = 1000

// Series lists all series by title.
func (svc *Service) Series() ([]SeriesView, error) {
	out := []SeriesView{}
	err := svc.core.Store.View(func(tx *storage.Tx) error {
		out = out[:0]
		chats := chatsOfSeries(tx)
		episodes := map[storage.SeriesID][]storage.Episode{}
		for _, ep := range storage.Episodes.All(tx) {
			episodes[ep.Series] = append(episodes[ep.Series], ep)
		}
		for _, s := range storage.AllSeries.All(tx) {
			v := seriesView(tx, s, episodes[s.ID])
			v.Chats = chats[s.ID]
			out = append(out, v)
		}
		return nil
	})
	if err != nil {
		return nil, failure.Wrap("list series", err)
	}
	slices.SortStableFunc(out, func(a, b SeriesView) int {
		return strings.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title))
	})
	return out, nil
}

// chatsOfSeries counts the chats that belong to each series.
func chatsOfSeries(tx *storage.Tx) map[storage.SeriesID]int {
	n := map[storage.SeriesID]int{}
	for _, c := range storage.Chats.All(tx) {
		if c.Play.Series != "" {
			n[c.Play.Series]++
		}
	}
	return n
}

// seriesView returns the view of a series without the number of its chats.
func seriesView(tx *storage.Tx, s storage.Series, episodes []storage.Episode) SeriesView {
	v := SeriesView{Series: s, Episodes: sortByNumber(episodes), Count: len(episodes)}
	for _, id := range s.Characters {
		v.Cast = append(v.Cast, NamedCharacter{id, chats.NameOf(tx, id)})
	}
	for _, m := range storage.Memories.All(tx, storage.ScopeID(s.ID)) {
		if !m.Removed {
			v.Memories++
		}
	}
	return v
}

func sortByNumber(list []storage.Episode) []storage.Episode {
	slices.SortStableFunc(list, func(a, b storage.Episode) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// episodesOf returns the episodes of a series in their order.
func episodesOf(tx *storage.Tx, id storage.SeriesID) []storage.Episode {
	var list []storage.Episode
	for _, ep := range storage.Episodes.All(tx) {
		if ep.Series == id {
			list = append(list, ep)
		}
	}
	return sortByNumber(list)
}

// nextEpisode returns the episode that follows another one in its series, nil for none.
func nextEpisode(tx *storage.Tx, ep storage.Episode) *storage.Episode {
	for _, other := range episodesOf(tx, ep.Series) {
		if other.Number > ep.Number {
			return &other
		}
	}
	return nil
}

// FindSeries finds a series by id, unique beginning of one, or title.
func (svc *Service) FindSeries(name string) (SeriesView, error) {
	s, err := core.Find(svc.core, "series", name, storage.AllSeries,
		func(s storage.Series) (string, string) { return s.Title, "" })
	if err != nil {
		return SeriesView{}, err
	}
	return svc.oneSeries(s.ID)
}

func (svc *Service) oneSeries(id storage.SeriesID) (v SeriesView, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		s, err := storage.AllSeries.Get(tx, id)
		if err != nil {
			return err
		}
		v = seriesView(tx, s, episodesOf(tx, id))
		v.Chats = chatsOfSeries(tx)[id]
		return nil
	})
	if err != nil {
		err = failure.Wrap("read series", err)
	}
	return v, err
}

// SaveSeries stores a series; without an id it is new.
func (svc *Service) SaveSeries(s storage.Series) (storage.Series, error) {
	err := svc.changeSeries("save series", func(tx *storage.Tx) (err error) {
		s, err = svc.putSeries(tx, s)
		return err
	})
	return s, err
}

// changeSeries changes series or episodes in one transaction and emits SeriesChanged.
func (svc *Service) changeSeries(op string, f func(tx *storage.Tx) error) error {
	if err := svc.core.Store.Update(f); err != nil {
		return failure.Wrap(op, err)
	}
	svc.core.Emit(SeriesChanged{})
	return nil
}

func (svc *Service) putSeries(tx *storage.Tx, s storage.Series) (storage.Series, error) {
	if err := tidySeries(&s); err != nil {
		return s, err
	}
	var old storage.Series
	now := svc.core.Config.Now()
	if s.ID == "" {
		s.ID, s.CreatedAt = storage.SeriesID(storage.NewID()), now
	} else {
		var err error
		if old, err = storage.AllSeries.Get(tx, s.ID); err != nil {
			return s, err
		}
		s.CreatedAt = old.CreatedAt
	}
	s.UpdatedAt = now
	var who []storage.CharacterID
	for _, id := range s.Characters {
		_, err := storage.Characters.Get(tx, id)
		switch {
		case errors.Is(err, storage.ErrNotFound) && slices.Contains(old.Characters, id):
			continue // it was deleted since
		case err != nil:
			return s, err
		}
		if !slices.Contains(who, id) {
			who = append(who, id)
		}
	}
	s.Characters = who
	return s, storage.AllSeries.Put(tx, s.ID, s)
}

// tidySeries cleans and checks the texts of a series.
func tidySeries(s *storage.Series) error {
	s.Title, s.Genre, s.Description = oneLine(s.Title), oneLine(s.Genre), strings.TrimSpace(s.Description)
	if err := SeriesFields.Valid(s); err != nil {
		return err
	}
	if len(s.Characters) > chats.MaxCharacters {
		return failure.Refusef("a series may have at most %d characters, not %d", chats.MaxCharacters,
			len(s.Characters))
	}
	return nil
}

// RemoveSeries removes a series with its episodes, memories and hooks, after a backup of the whole
// store. It is refused while chats belong to the series.
func (svc *Service) RemoveSeries(id storage.SeriesID) error {
	const op = "remove series"
	if err := svc.core.Store.View(func(tx *storage.Tx) error { return refuseIfPlayed(tx, id) }); err != nil {
		return failure.Wrap(op, err)
	}
	if _, err := svc.backup.Make(); err != nil {
		return failure.Wrap(op, err)
	}
	err := svc.changeSeries(op, func(tx *storage.Tx) error {
		if err := refuseIfPlayed(tx, id); err != nil {
			return err
		}
		for _, ep := range episodesOf(tx, id) {
			if err := storage.Episodes.Delete(tx, ep.ID); err != nil {
				return err
			}
		}
		return errors.Join(tx.DeleteStory(storage.ScopeID(id)), storage.AllSeries.Delete(tx, id))
	})
	if err == nil {
		svc.core.Emit(memory.Changed{Scope: storage.ScopeID(id)})
	}
	return err
}

// refuseIfPlayed returns an error if chats belong to a series.
func refuseIfPlayed(tx *storage.Tx, id storage.SeriesID) error {
	if _, err := storage.AllSeries.Get(tx, id); err != nil {
		return err
	}
	if n := chatsOfSeries(tx)[id]; n > 0 {
		return failure.Refusef(
			"the series is still used by %s: delete that chat or choose another episode for it first",
			failure.Count(n, "chat"))
	}
	return nil
}

// Episode reads an episode.
func (svc *Service) Episode(id storage.EpisodeID) (ep storage.Episode, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error { ep, err = storage.Episodes.Get(tx, id); return err })
	if err != nil {
		err = failure.Wrap("read episode", err)
	}
	return ep, err
}

// FindEpisode finds an episode by id, unique beginning of one, number or title,
// in a series or, with "", in all.
func (svc *Service) FindEpisode(series storage.SeriesID, name string) (ep storage.Episode, err error) {
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		var list []core.Named
		for id, ep := range storage.Episodes.All(tx) {
			if series == "" || ep.Series == series {
				list = append(list, core.Named{ID: string(id), Name: ep.Title, Short: strconv.Itoa(ep.Number)})
			}
		}
		id, err := core.Resolve("episode", name, list)
		if err != nil {
			return err
		}
		ep, err = storage.Episodes.Get(tx, storage.EpisodeID(id))
		return err
	})
	return ep, err
}

// SaveEpisode stores an episode; without an id it is new and last in its series. It stays in its
// series and keeps its number; MoveEpisode changes that.
func (svc *Service) SaveEpisode(ep storage.Episode) (storage.Episode, error) {
	err := svc.changeSeries("save episode", func(tx *storage.Tx) (err error) {
		ep, err = svc.putEpisode(tx, ep)
		return err
	})
	return ep, err
}

func (svc *Service) putEpisode(tx *storage.Tx, ep storage.Episode) (storage.Episode, error) {
	if err := tidyEpisode(&ep); err != nil {
		return ep, err
	}
	ep.UpdatedAt = svc.core.Config.Now()
	if ep.ID != "" {
		old, err := storage.Episodes.Get(tx, ep.ID)
		if err != nil {
			return ep, err
		}
		ep.Series, ep.Number, ep.CreatedAt = old.Series, old.Number, old.CreatedAt
		return ep, storage.Episodes.Put(tx, ep.ID, ep)
	}
	if _, err := storage.AllSeries.Get(tx, ep.Series); err != nil {
		return ep, err
	}
	ep.Number = 1
	list := episodesOf(tx, ep.Series)
	if n := len(list); n >= MaxEpisodes {
		return ep, failure.Refusef("a series may have at most %d episodes: create another series", MaxEpisodes)
	} else if n > 0 {
		ep.Number = list[n-1].Number + 1
	}
	ep.ID, ep.CreatedAt = storage.EpisodeID(storage.NewID()), ep.UpdatedAt
	return ep, storage.Episodes.Put(tx, ep.ID, ep)
}

// tidyEpisode cleans and checks an episode.
func tidyEpisode(ep *storage.Episode) error {
	ep.Title, ep.Genre, ep.SceneMode = oneLine(ep.Title), oneLine(ep.Genre), cmp.Or(ep.SceneMode, storage.ScenesPeaks)
	for _, text := range []*string{&ep.Situation, &ep.Frame, &ep.Question, &ep.Objective, &ep.Obstacle, &ep.Tactic,
		&ep.Opening} {
		*text = strings.TrimSpace(*text)
	}
	var ways []string
	for _, way := range ep.Resolutions {
		if way = strings.ToLower(strings.TrimSpace(way)); way != "" && !slices.Contains(ways, way) {
			ways = append(ways, way)
		}
	}
	ep.Resolutions = ways
	return EpisodeFields.Valid(ep)
}

// StageText ties a text to its name in files and messages.
type StageText struct {
	Name string
	Text *string
}

// MoveEpisode gives an episode another number in its series; the others make
// room.
func (svc *Service) MoveEpisode(id storage.EpisodeID, number int) error {
	return svc.changeSeries("move episode", func(tx *storage.Tx) error {
		ep, err := storage.Episodes.Get(tx, id)
		if err != nil {
			return err
		}
		list := episodesOf(tx, ep.Series)
		if number < 1 || number > len(list) {
			return failure.Refusef("the series has episodes 1 to %d; %d is not possible", len(list), number)
		}
		list = slices.DeleteFunc(list, func(other storage.Episode) bool { return other.ID == id })
		return renumber(tx, slices.Insert(list, number-1, ep))
	})
}

// renumber numbers the episodes of a series in the order of list.
func renumber(tx *storage.Tx, list []storage.Episode) error {
	for i, ep := range list {
		if ep.Number == i+1 {
			continue
		}
		ep.Number = i + 1
		if err := storage.Episodes.Put(tx, ep.ID, ep); err != nil {
			return err
		}
	}
	return nil
}

// RemoveEpisode removes an episode. It refuses while chats play it.
func (svc *Service) RemoveEpisode(id storage.EpisodeID) error {
	return svc.changeSeries("remove episode", func(tx *storage.Tx) error {
		ep, err := storage.Episodes.Get(tx, id)
		if err != nil {
			return err
		}
		var plays []string
		for _, c := range storage.Chats.All(tx) {
			if c.Play.Episode == id {
				plays = append(plays, strconv.Quote(failure.FirstRunes(c.Title, 40)))
			}
		}
		if n := len(plays); n > 0 {
			return failure.Refusef("it is used in %s (%s): delete that chat or choose another episode for it first",
				failure.Count(n, "chat"), strings.Join(plays[:min(3, n)], ", "))
		}
		if err := storage.Episodes.Delete(tx, id); err != nil {
			return err
		}
		return renumber(tx, episodesOf(tx, ep.Series))
	})
}
