package director

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// episodeFields returns the fields of an episode's form. Each way to end is a field, and an
// existing episode has a number.
func episodeFields(fresh bool) *field.Record[storage.Episode] {
	out := director.EpisodeFields
	at := slices.IndexFunc(out.Fields, func(s field.Spec[storage.Episode]) bool { return s.Name == "resolution_types" })
	var ways []field.Spec[storage.Episode]
	for _, way := range storage.Resolutions {
		ways = append(ways, wayField(out.Fields[at], way))
	}
	out.Fields = slices.Concat(out.Fields[:at], ways, out.Fields[at+1:])
	if !fresh {
		out.Fields = slices.Insert(out.Fields, 1, field.Spec[storage.Episode]{Name: "number", Label: "Number",
			Help: "its number in the series; the others shift", Min: 1, Max: director.MaxEpisodes,
			At: func(e *storage.Episode) any { return &e.Number }})
	}
	return &out
}

// wayField returns the switch for one way in which an episode may end, one of the values of the
// list field of.
func wayField(of field.Spec[storage.Episode], way string) field.Spec[storage.Episode] {
	return field.Spec[storage.Episode]{Name: way, Group: of.Group, Label: strings.ToUpper(way[:1]) + way[1:],
		Help:    of.Help,
		Choices: field.Choices(widget.OffOn...),
		At: func(e *storage.Episode) any {
			return field.Computed{
				Get: func() string {
					if slices.Contains(e.Resolutions, way) {
						return widget.OffOn[1]
					}
					return widget.OffOn[0]
				},
				Put: func(text string) error {
					all := slices.Clone(storage.Resolutions)
					e.Resolutions = slices.DeleteFunc(all, func(w string) bool {
						return w == way && text == widget.OffOn[0] || w != way && !slices.Contains(e.Resolutions, w)
					})
					return nil
				},
			}
		}}
}

// editEpisode opens the form of an episode as it is in the store now. l is the
// list that it was opened from, nil for none.
func (r *Part) editEpisode(id storage.EpisodeID, l *seriesList) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		ep, err := r.director().Episode(id)
		var s director.SeriesView
		if err == nil {
			s, err = r.director().FindSeries(string(ep.Series))
		}
		return func() tea.Cmd {
			if err != nil {
				return pane.Explain(r.host, "The episode could not be read", err)
			}
			r.showEpisodeForm(s, ep, l)
			return nil
		}
	})
}

// showEpisodeForm opens the form with an episode's fields.
func (r *Part) showEpisodeForm(s director.SeriesView, ep storage.Episode, l *seriesList) {
	title := "New episode of “" + draw.Truncate(s.Title, 40) + "”"
	if ep.ID != "" {
		title = "Episode " + episodeTitle(ep, 50)
	}
	f := &pane.RecordForm[storage.Episode]{Title: title, Record: episodeFields(ep.ID == ""), Value: ep,
		Fresh: ep.ID == ""}
	f.Save = func(change func(*storage.Episode)) (func() tea.Cmd, error) {
		got, err := r.saveEpisode(ep, change)
		if err != nil {
			return nil, err
		}
		return func() tea.Cmd {
			cmd := r.host.Say(event.Info, "“"+episodeTitle(got, 60)+"” saved")
			if l == nil {
				return cmd
			}
			l.pendingSelect = seriesRow{director.SeriesView{Series: storage.Series{ID: got.Series}}, &got}
			return tea.Batch(cmd, l.read(nil))
		}, nil
	}
	f.Open(r.host)
}

// saveEpisode applies a change to the stored episode and stores it.
func (r *Part) saveEpisode(ep storage.Episode, change func(*storage.Episode)) (storage.Episode, error) {
	if ep.ID != "" {
		now, err := r.director().Episode(ep.ID)
		if err != nil {
			return ep, err
		}
		ep = now
	}
	before := ep.Number
	change(&ep)
	number := ep.Number
	got, err := r.director().SaveEpisode(ep)
	if err == nil && number != before {
		err, got.Number = r.director().MoveEpisode(got.ID, number), number
	}
	return got, err
}
