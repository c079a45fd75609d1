package director

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/engine/ecosystem"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What a file of a series says of itself, and how large it may be.
const (
	seriesFormat   = "ghostlight-series"
	seriesVersion  = 1
	mostSeriesFile = 16 << 20
	mostWarnings   = 50
)

// seriesFile is a series as a file holds it. Characters go by name.
type seriesFile struct {
	Format      string        `json:"format"`
	Version     int           `json:"version"`
	Title       string        `json:"title"`
	Description string        `json:"description,omitempty"`
	Genre       string        `json:"genre,omitempty"`
	Characters  []string      `json:"characters,omitempty"`
	Episodes    []episodeFile `json:"episodes"`
}

// episodeFile is an episode as a file holds it. Its place in the list is its
// number.
type episodeFile struct {
	Title         string   `json:"title"`
	Situation     string   `json:"situation,omitempty"`
	Frame         string   `json:"frame,omitempty"`
	Question      string   `json:"dramatic_question,omitempty"`
	Resolutions   []string `json:"resolution_types,omitempty"`
	Objective     string   `json:"objective,omitempty"`
	Obstacle      string   `json:"obstacle,omitempty"`
	Tactic        string   `json:"tactic,omitempty"`
	Genre         string   `json:"genre,omitempty"`
	Opening       string   `json:"opening_line,omitempty"`
	TurnBudget    int      `json:"turn_budget,omitempty"`
	SceneMode     string   `json:"auto_scene_mode,omitempty"`
	SceneInterval int      `json:"scene_interval,omitempty"`
	SceneCost     *int     `json:"scene_cost,omitempty"`
}

// ExportSeries writes a series with its episodes as JSON.
func (svc *Service) ExportSeries(w io.Writer, id storage.SeriesID) error {
	v, err := svc.oneSeries(id)
	if err != nil {
		return err
	}
	f := seriesFile{Format: seriesFormat, Version: seriesVersion, Title: v.Title, Description: v.Description, Genre: v.Genre, Episodes: []episodeFile{}}
	f.Characters = v.Names()
	for _, ep := range v.Episodes {
		f.Episodes = append(f.Episodes, episodeFile{Title: ep.Title, Situation: ep.Situation, Frame: ep.Frame, Question: ep.Question,
			Resolutions: ep.Resolutions, Objective: ep.Objective, Obstacle: ep.Obstacle, Tactic: ep.Tactic, Genre: ep.Genre, Opening: ep.Opening,
			TurnBudget: ep.TurnBudget, SceneMode: string(ep.SceneMode), SceneInterval: ep.SceneInterval, SceneCost: ep.SceneCost})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err = enc.Encode(f)
	if err == nil && b.Len() > mostSeriesFile {
		err = failure.Refuse("the file would be larger than %d MB and could not be read again: split the series", mostSeriesFile>>20)
	}
	if err == nil {
		_, err = w.Write(b.Bytes())
	}
	if err != nil {
		return failure.Fail("export series", err)
	}
	return nil
}

// ImportSeries reads what ExportSeries wrote, as a new series. Characters are
// found by name; those that are not there are named in warnings.
func (svc *Service) ImportSeries(r io.Reader) (s SeriesView, warnings []string, err error) {
	const op = "import series"
	data, err := io.ReadAll(io.LimitReader(r, mostSeriesFile+1))
	if err != nil {
		return s, nil, failure.Fail(op, err)
	}
	f, warnings, err := readSeries(data)
	if err != nil {
		return s, warnings, failure.Fail(op, err)
	}
	var id storage.SeriesID
	err = svc.changeSeries(op, func(tx *storage.Tx) error {
		made := storage.Series{Title: freeSeriesTitle(tx, f.Title), Description: f.Description, Genre: f.Genre}
		for _, name := range f.Characters {
			who, ok := characterNamed(tx, name)
			if !ok {
				warnings = append(warnings, fmt.Sprintf("there is no character %q: import its card and add it to the series", failure.FirstRunes(name, 60)))
				continue
			}
			made.Characters = append(made.Characters, who)
		}
		made, err := svc.putSeries(tx, made)
		if err != nil {
			return err
		}
		id = made.ID
		for i, ep := range f.Episodes {
			ep.Series = made.ID
			if err := svc.importEpisode(tx, ep, i+1); err != nil {
				return fmt.Errorf("episodes[%d]: %w", i, err)
			}
		}
		return nil
	})
	if err != nil {
		return s, warnings, err
	}
	s, err = svc.oneSeries(id)
	return s, warnings, err
}

// importEpisode stores an episode under a number that is known to be free, which
// spares a look at all others.
func (svc *Service) importEpisode(tx *storage.Tx, ep storage.Episode, number int) error {
	if err := tidyEpisode(&ep); err != nil {
		return err
	}
	ep.ID, ep.Number = storage.EpisodeID(storage.NewID()), number
	ep.CreatedAt, ep.UpdatedAt = svc.core.Config.Now(), svc.core.Config.Now()
	return storage.Episodes.Put(tx, ep.ID, ep)
}

// characterNamed finds the oldest character of a name, or of a nickname.
func characterNamed(tx *storage.Tx, name string) (id storage.CharacterID, ok bool) {
	name = strings.TrimSpace(name)
	for k, c := range storage.Characters.All(tx) {
		if strings.EqualFold(c.Card.Name, name) {
			return k, true
		}
		if !ok && strings.EqualFold(c.Card.Nickname, name) {
			id, ok = k, true
		}
	}
	return id, ok
}

// freeSeriesTitle is a title that no other series has: the one asked for, or
// that and a number.
func freeSeriesTitle(tx *storage.Tx, title string) string {
	taken := map[string]bool{}
	for _, s := range storage.AllSeries.All(tx) {
		taken[strings.ToLower(s.Title)] = true
	}
	free := title
	for n := 2; taken[strings.ToLower(free)]; n++ {
		mark := fmt.Sprintf(" (%d)", n)
		free = failure.FirstRunes(title, longestTitle-len(mark)) + mark
	}
	return free
}

// seriesRead is what a file of a series says.
type seriesRead struct {
	Title, Description, Genre string
	Characters                []string
	Episodes                  []storage.Episode
}

// readSeries reads a file of a series. Fields that it does not know are named in
// warnings and left out; of what it does know nothing is guessed.
func readSeries(data []byte) (out seriesRead, warnings []string, err error) {
	if len(data) > mostSeriesFile {
		return out, nil, failure.Refuse("the file is larger than %d MB, too large for a series", mostSeriesFile>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return out, nil, failure.Refuse("the file is not UTF-8 text: save it as UTF-8, or export the series again")
	}
	f := fields{warnings: &warnings}
	if err := json.Unmarshal(data, &f.all); err != nil || f.all == nil {
		return out, nil, failure.Refuse("the file is not a series: it should contain one JSON object, as an export of a series does, but %s", ecosystem.JSONFault(data, err))
	}
	f.once(data)
	if err := f.checkFormat(); err != nil {
		return out, nil, err
	}
	f.text("title", &out.Title)
	f.text("description", &out.Description)
	f.text("genre", &out.Genre)
	out.Characters = f.texts("characters", chats.MostCharacters, "a list of names")
	list := f.list("episodes", mostEpisodes, "a list of episodes")
	f.rest()
	s := storage.Series{Title: out.Title, Description: out.Description, Genre: out.Genre}
	if f.err != nil {
		return out, warnings, f.err
	}
	if err := tidySeries(&s); err != nil {
		return out, warnings, err
	}
	out.Title, out.Genre = s.Title, s.Genre
	for i, raw := range list {
		ep, err := readEpisode(raw, fmt.Sprintf("episodes[%d]", i), &warnings)
		if err != nil {
			return out, warnings, err
		}
		out.Episodes = append(out.Episodes, ep)
	}
	return out, warnings, nil
}

// readEpisode reads one episode of a file.
func readEpisode(raw json.RawMessage, at string, warnings *[]string) (ep storage.Episode, err error) {
	f := fields{at: at + ".", warnings: warnings}
	if err := json.Unmarshal(raw, &f.all); err != nil || f.all == nil {
		return ep, failure.Refuse("the field %s should be an episode: an object with a title", at)
	}
	f.once(raw)
	f.text("title", &ep.Title)
	f.text("genre", &ep.Genre)
	for _, t := range episodeTexts(&ep) {
		f.text(t.Name, t.Text)
	}
	mode := ""
	f.text("auto_scene_mode", &mode)
	ep.SceneMode = storage.SceneMode(strings.ToLower(strings.TrimSpace(mode)))
	ep.Resolutions = f.texts("resolution_types", len(storage.Resolutions), "a list of words")
	f.take("turn_budget", &ep.TurnBudget, "a whole number")
	f.take("scene_interval", &ep.SceneInterval, "a whole number")
	f.take("scene_cost", &ep.SceneCost, "a whole number")
	f.rest()
	if f.err != nil {
		return ep, f.err
	}
	if err := tidyEpisode(&ep); err != nil {
		return ep, fmt.Errorf("%s: %w", at, err)
	}
	return ep, nil
}

// fields are those of one object of a file. The first fault is kept.
type fields struct {
	at       string // what stands before their names in words
	all      map[string]json.RawMessage
	warnings *[]string
	err      error
}

// checkFormat refuses what is no series of a version that can be read.
func (f *fields) checkFormat() error {
	format, version := "", 0
	f.take("format", &format, "a text")
	f.take("version", &version, "a whole number")
	switch {
	case f.err != nil:
		return f.err
	case format != seriesFormat:
		return failure.Refuse("the field format should be %q, not %q: this is not a series file", seriesFormat, failure.FirstRunes(format, 40))
	case version < 1 || version > seriesVersion:
		return failure.Refuse("the field version is %d, and versions up to %d can be read: use the program that wrote the file", version, seriesVersion)
	}
	return nil
}

// once refuses an object that has a field twice: nobody knows which is meant.
func (f *fields) once(object []byte) {
	if name, ok := ecosystem.RepeatedKey(object); ok {
		f.err = failure.Refuse("the field %s%s is there twice: leave one of them out", f.at, failure.FirstRunes(name, 60))
	}
}

// take reads a field that should be what; one that is not there or null is
// passed over.
func (f *fields) take(name string, into any, what string) {
	raw, ok := f.all[name]
	delete(f.all, name)
	if !ok || f.err != nil || string(raw) == "null" {
		return
	}
	if err := json.Unmarshal(raw, into); err != nil {
		f.err = failure.Refuse("the field %s%s should be %s", f.at, name, what)
	}
}

// list reads a field that should be a list of what, and no more of it than it may
// hold.
func (f *fields) list(name string, most int, what string) (out []json.RawMessage) {
	var raw json.RawMessage
	f.take(name, &raw, what)
	if len(raw) == 0 {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		f.err = failure.Refuse("the field %s%s should be %s", f.at, name, what)
		return nil
	}
	for dec.More() {
		if len(out) == most {
			f.err = failure.Refuse("the field %s%s has more than %d items", f.at, name, most)
			return nil
		}
		var item json.RawMessage
		if err := dec.Decode(&item); err != nil {
			f.err = failure.Refuse("the field %s%s should be %s", f.at, name, what)
			return nil
		}
		out = append(out, item)
	}
	return out
}

// texts reads a field that should be a list of texts.
func (f *fields) texts(name string, most int, what string) (out []string) {
	for _, raw := range f.list(name, most, what) {
		var s *string
		if json.Unmarshal(raw, &s) != nil || s == nil {
			f.err = failure.Refuse("the field %s%s should be %s", f.at, name, what)
			return nil
		}
		out = append(out, *s)
	}
	return out
}

func (f *fields) text(name string, into *string) { f.take(name, into, "a text") }

// rest warns of the fields that nobody has read.
func (f *fields) rest() {
	var names []string
	for name := range f.all {
		names = append(names, failure.FirstRunes(name, 60))
	}
	slices.Sort(names)
	for _, name := range names {
		switch n := len(*f.warnings); {
		case n < mostWarnings:
			*f.warnings = append(*f.warnings, fmt.Sprintf("the field %s%s is unknown and was left out", f.at, name))
		case n == mostWarnings:
			*f.warnings = append(*f.warnings, "there are more unknown fields")
		}
	}
}
