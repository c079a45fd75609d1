package director

import (
	"bytes"
	jsonv1 "encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The header of a series file, and its size limits.
const (
	seriesFormat  = "ghostlight-series"
	seriesVersion = 1
	maxSeriesFile = 16 << 20
	maxWarnings   = 50
)

// seriesFile is a series as a file holds it. Characters go by name.
type seriesFile struct {
	Format      string                    `json:"format"`
	Version     int                       `json:"version"`
	Title       string                    `json:"title"`
	Description string                    `json:"description"`
	Genre       string                    `json:"genre"`
	Characters  []string                  `json:"characters"`
	Episodes    []episodeFile             `json:"episodes"`
	Unknown     map[string]jsontext.Value `json:",unknown"`
}

// episodeFile is an episode in a file, without the fields that the store sets. Its place in the
// list is its number.
type episodeFile struct {
	storage.Episode
	Unknown map[string]jsontext.Value `json:",unknown"`
}

// ExportSeries writes a series with its episodes as JSON.
func (svc *Service) ExportSeries(w io.Writer, id storage.SeriesID) error {
	v, err := svc.oneSeries(id)
	if err != nil {
		return err
	}
	f := seriesFile{Format: seriesFormat, Version: seriesVersion, Title: v.Title, Description: v.Description,
		Genre: v.Genre, Characters: v.Names(), Episodes: []episodeFile{}}
	for _, ep := range v.Episodes {
		ep.ID, ep.Series, ep.Number, ep.CreatedAt, ep.UpdatedAt = "", "", 0, time.Time{}, time.Time{}
		f.Episodes = append(f.Episodes, episodeFile{Episode: ep})
	}
	data, err := json.Marshal(f, json.OmitZeroStructFields(true), jsontext.WithIndent("  "))
	if err == nil && len(data) > maxSeriesFile {
		err = failure.Refusef("the file would be larger than %d MB, the limit for imports: split the series",
			maxSeriesFile>>20)
	}
	if err == nil {
		_, err = w.Write(append(data, '\n'))
	}
	if err != nil {
		return failure.Wrap("export series", err)
	}
	return nil
}

// ImportSeries imports a file that ExportSeries wrote, as a new series. Characters are found by
// name; missing ones are named in warnings.
func (svc *Service) ImportSeries(r io.Reader) (s SeriesView, warnings []string, err error) {
	const op = "import series"
	data, err := io.ReadAll(io.LimitReader(r, maxSeriesFile+1))
	if err != nil {
		return s, nil, failure.Wrap(op, err)
	}
	f, warnings, err := readSeries(data)
	if err != nil {
		return s, warnings, failure.Wrap(op, err)
	}
	var id storage.SeriesID
	err = svc.changeSeries(op, func(tx *storage.Tx) error {
		made := storage.Series{Title: freeSeriesTitle(tx, f.Title), Description: f.Description, Genre: f.Genre}
		for _, name := range f.Characters {
			who, ok := characterNamed(tx, name)
			if !ok {
				warnings = append(warnings,
					fmt.Sprintf("no character is called %q: import the card and add it to the series",
						failure.FirstRunes(name, 60)))
				continue
			}
			made.Characters = append(made.Characters, who)
		}
		made, err := svc.putSeries(tx, made)
		if err != nil {
			return err
		}
		id = made.ID
		for i, ep := range f.episodes() {
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

// importEpisode stores an episode under a number that is known to be free, so no other episode must
// be read.
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

// freeSeriesTitle returns a title that no other series has: the one asked for, or that and a
// number.
func freeSeriesTitle(tx *storage.Tx, title string) string {
	taken := map[string]bool{}
	for _, s := range storage.AllSeries.All(tx) {
		taken[strings.ToLower(s.Title)] = true
	}
	free := title
	for n := 2; taken[strings.ToLower(free)]; n++ {
		mark := fmt.Sprintf(" (%d)", n)
		free = failure.FirstRunes(title, maxTitle-len(mark)) + mark
	}
	return free
}

// episodes returns the episodes of a file.
func (f seriesFile) episodes() (out []storage.Episode) {
	for _, ep := range f.Episodes {
		out = append(out, ep.Episode)
	}
	return out
}

// readSeries reads a series file. Unknown fields are named in warnings and left out; known ones
// must be valid.
func readSeries(data []byte) (f seriesFile, warnings []string, err error) {
	if len(data) > maxSeriesFile {
		return f, nil, failure.Refusef("the file is larger than %d MB, too large for a series", maxSeriesFile>>20)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) {
		return f, nil, failure.Refusef("the file is not UTF-8 text: save it as UTF-8, or export the series again")
	}
	if err := checkFormat(data); err != nil {
		return f, nil, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, nil, fieldFault(err)
	}
	switch {
	case len(f.Characters) > chats.MaxCharacters:
		return f, nil, failure.Refusef("the field characters has more than %d items", chats.MaxCharacters)
	case slices.Contains(f.Characters, ""):
		return f, nil, failure.Refusef("the field characters should be a list of names")
	case len(f.Episodes) > MaxEpisodes:
		return f, nil, failure.Refusef("the field episodes has more than %d items", MaxEpisodes)
	}
	s := storage.Series{Title: f.Title, Description: f.Description, Genre: f.Genre}
	if err := tidySeries(&s); err != nil {
		return f, nil, failure.Refusef("the field %v", err)
	}
	f.Title, f.Genre = s.Title, s.Genre
	warnings = unknown(warnings, "", f.Unknown)
	for i := range f.Episodes {
		ep, at := &f.Episodes[i], fmt.Sprintf("episodes[%d]", i)
		ep.SceneMode = storage.SceneMode(strings.ToLower(strings.TrimSpace(string(ep.SceneMode))))
		if err := tidyEpisode(&ep.Episode); err != nil {
			return f, warnings, failure.Refusef("%s: the field %v", at, err)
		}
		warnings = unknown(warnings, at+".", ep.Unknown)
	}
	return f, warnings, nil
}

// checkFormat returns an error unless the file is a series in a supported version.
func checkFormat(data []byte) error {
	var all map[string]jsonv1.RawMessage
	if err := jsonv1.Unmarshal(data, &all); err != nil || all == nil {
		return failure.Refusef("the file is not a series: it should contain one JSON object, "+
			"as an export of a series does, but %s", formats.JSONFault(data))
	}
	format, version := "", 0
	_ = jsonv1.Unmarshal(all["format"], &format) // a value that is no text is no format; the same holds for the version
	_ = jsonv1.Unmarshal(all["version"], &version)
	switch {
	case format != seriesFormat:
		return failure.Refusef("the field format should be %q, not %q: this is not a series file",
			seriesFormat, failure.FirstRunes(format, 40))
	case version < 1 || version > seriesVersion:
		return failure.Refusef("the field version is %d, and versions up to %d can be read: "+
			"use the program that wrote the file", version, seriesVersion)
	}
	return nil
}

// fieldFault names the invalid field and what it should be. A field that occurs twice is an error.
func fieldFault(err error) error {
	if twice, ok := errors.AsType[*jsontext.SyntacticError](err); ok && errors.Is(err, jsontext.ErrDuplicateName) {
		return failure.Refusef("duplicate field %s: remove one of them", fieldWords(twice.JSONPointer))
	}
	fault, ok := errors.AsType[*json.SemanticError](err)
	if !ok || fault.GoType == nil {
		return failure.Refusef("the file is not a series: %s", err)
	}
	what := "a text"
	switch fault.GoType.Kind() {
	case reflect.Int:
		what = "a whole number"
	case reflect.Slice:
		what = "a list"
	case reflect.Struct:
		what = "an episode: an object with a title"
	}
	return failure.Refusef("the field %s should be %s", fieldWords(fault.JSONPointer), what)
}

// fieldWords returns the name of a field as people write it: "episodes[0].title".
func fieldWords(at jsontext.Pointer) string {
	words := ""
	for token := range at.Tokens() {
		switch _, err := strconv.Atoi(token); {
		case err == nil:
			words += "[" + token + "]"
		case words == "":
			words = failure.FirstRunes(token, 60)
		default:
			words += "." + failure.FirstRunes(token, 60)
		}
	}
	return words
}

// unknown adds a warning for each unknown field.
func unknown(warnings []string, at string, fields map[string]jsontext.Value) []string {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if len(warnings) == maxWarnings {
			return append(warnings, "there are more unknown fields")
		}
		if len(warnings) < maxWarnings {
			name = failure.FirstRunes(name, 60)
			warnings = append(warnings, fmt.Sprintf("the field %s%s is unknown and was left out", at, name))
		}
	}
	return warnings
}
