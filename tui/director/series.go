package director

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// seriesList is the dialog of all series with their episodes under them. It
// stays open under the forms that it opens.
type seriesList struct {
	*widget.Picker
	part          *Part
	pendingSelect seriesRow // to be chosen once it exists
	reads         widget.Latest
	order         widget.Sequence // of the moves
}

// seriesRow is a series, or an episode of one.
type seriesRow struct {
	series  director.SeriesView
	episode *storage.Episode
}

func (r seriesRow) same(o seriesRow) bool {
	if (r.episode == nil) != (o.episode == nil) {
		return false
	}
	return r.series.ID == o.series.ID && (r.episode == nil || r.episode.ID == o.episode.ID)
}

// openSeries lists all series with their episodes.
func (r *Part) openSeries() tea.Cmd {
	l := newSeriesList(r)
	return l.read(func() tea.Cmd { r.host.Open(l); return nil })
}

func newSeriesList(r *Part) *seriesList {
	l := &seriesList{part: r}
	move := func(step int) func(widget.Entry) tea.Cmd {
		return widget.With(func(row seriesRow) tea.Cmd { return l.moveEpisode(row, step) })
	}
	l.Picker = widget.NewPicker(r.host.Styles(), "Series and episodes", nil, widget.With(l.enter),
		widget.Extra{Name: keys.DialogNew, Description: "new episode", Do: widget.With(l.newEpisode)},
		widget.Extra{Name: keys.DialogEdit, Description: "edit", Do: widget.With(l.edit)},
		widget.Extra{Name: keys.DialogMoveUp, Description: "move", Here: l.onEpisode, Do: move(-1)},
		widget.Extra{Name: keys.DialogMoveDown, Here: l.onEpisode, Do: move(1)},
		widget.GlobalExtra(keys.DialogNewGroup, "new series",
			func() tea.Cmd { return l.editSeries(director.SeriesView{}) }),
		widget.Extra{Name: keys.DialogDelete, Description: "remove", Do: widget.With(l.askRemove)},
		widget.Extra{Name: keys.DialogSave, Description: "export", Do: widget.With(r.openSeriesExport)},
		widget.GlobalExtra(keys.DialogBrowse, "import", r.browseSeries))
	l.Stay = true
	for i := range l.Extras {
		l.Extras[i].Keep = true
	}
	key := func(name keys.Name) string { return r.host.Keys().DialogKey(name, true) }
	l.Empty = "no series yet: " + key(keys.DialogNewGroup) + " creates one, " + key(keys.DialogBrowse) + " imports one"
	l.Verb = func(e widget.Entry) string {
		if row, _ := e.Value.(seriesRow); row.episode == nil {
			return "open"
		}
		return "play"
	}
	return l
}

// read reads all series again, then calls then, which may be nil.
func (l *seriesList) read(then func() tea.Cmd) tea.Cmd {
	newest := l.reads.Begin()
	return l.part.host.Do(func() func() tea.Cmd {
		list, err := l.part.director().Series()
		return func() tea.Cmd {
			switch {
			case !newest():
				return nil
			case err != nil:
				return l.part.host.Fail(err)
			}
			if l.setSeries(list); then == nil {
				return nil
			}
			return then()
		}
	})
}

// setSeries shows the given series and keeps the chosen row.
func (l *seriesList) setSeries(list []director.SeriesView) {
	was := l.pendingSelect
	if was.series.ID == "" {
		was, _ = l.row()
	}
	var entries []widget.Entry
	for _, s := range list {
		entries = append(entries, seriesEntry(s, l.part.host.Play().Chat().Persona))
		for i := range s.Episodes {
			entries = append(entries, widget.Entry{Title: "  " + episodeTitle(s.Episodes[i], 60),
				Detail: episodeDetail(s, s.Episodes[i], l.part.host.Play().Chat().Persona),
				Right:  turnBudget(s.Episodes[i]), Value: seriesRow{s, &s.Episodes[i]}})
		}
	}
	l.Fill(entries)
	for i, at := range l.Shown {
		if r, _ := l.All[at].Value.(seriesRow); was.series.ID != "" && r.same(was) {
			l.At, l.pendingSelect = i, seriesRow{}
		}
	}
}

func seriesEntry(s director.SeriesView, user storage.Persona) widget.Entry {
	parts := []string{strings.Join(s.Names(), ", "), draw.Truncate(s.Genre, 40),
		draw.Truncate(withName(s, s.Description, user), 200)}
	detail := strings.Join(nonEmpty(parts), draw.Separator)
	right := draw.Plural(len(s.Episodes), "episode")
	if s.Chats > 0 {
		right += draw.Separator + draw.Plural(s.Chats, "chat")
	}
	return widget.Entry{Title: draw.Truncate(s.Title, 60), Detail: draw.Truncate(detail, 300), Right: right,
		Value: seriesRow{series: s}}
}

func nonEmpty(parts []string) []string {
	var out []string
	for _, p := range parts {
		if !draw.Blank(p) {
			out = append(out, p)
		}
	}
	return out
}

// episodeDetail returns the subject of an episode, and its series, so that the filter finds it by
// both.
func episodeDetail(s director.SeriesView, ep storage.Episode, user storage.Persona) string {
	about := draw.Truncate(withName(s, ep.Question, user), 160)
	if about == "" {
		about = draw.Truncate(withName(s, ep.Situation, user), 160)
	}
	return strings.Join(nonEmpty([]string{about, draw.Truncate(s.Title, 60)}), draw.Separator)
}

// withName returns a text of a series with the macro for its main character replaced.
func withName(s director.SeriesView, text string, user storage.Persona) string {
	if len(s.Cast) == 0 {
		return text
	}
	return chats.Named(text, storage.Card{Name: s.Cast[0].Name}, user)
}

func turnBudget(ep storage.Episode) string {
	if ep.TurnBudget == 0 {
		return ""
	}
	return draw.Plural(ep.TurnBudget, "turn")
}

// row returns the chosen row.
func (l *seriesList) row() (seriesRow, bool) {
	e, ok := l.Chosen()
	if !ok {
		return seriesRow{}, false
	}
	r, ok := e.Value.(seriesRow)
	return r, ok
}

// onEpisode reports whether an episode is chosen.
func (l *seriesList) onEpisode() bool {
	r, _ := l.row()
	return r.episode != nil
}

// enter plays an episode, or opens a series.
func (l *seriesList) enter(r seriesRow) tea.Cmd {
	if r.episode != nil {
		l.Close()
		return l.part.playEpisode(r.episode.ID)
	}
	return l.editSeries(r.series)
}

func (l *seriesList) edit(r seriesRow) tea.Cmd {
	if r.episode != nil {
		return l.part.editEpisode(r.episode.ID, l)
	}
	return l.editSeries(r.series)
}

func (l *seriesList) newEpisode(r seriesRow) tea.Cmd {
	l.part.showEpisodeForm(r.series, storage.Episode{Series: r.series.ID}, l)
	return nil
}

// moveEpisode moves the chosen episode up or down from its stored number, since the list may not
// show the previous move yet.
func (l *seriesList) moveEpisode(r seriesRow, step int) tea.Cmd {
	id := r.episode.ID
	return l.order.Do(l.part.host, func() func() tea.Cmd {
		s, err := l.part.director().FindSeries(string(r.series.ID))
		if at := 1 + step + slices.IndexFunc(s.Episodes,
			func(ep storage.Episode) bool { return ep.ID == id }); err == nil {
			if at < 1 || at > len(s.Episodes) {
				return nil
			}
			err = l.part.director().MoveEpisode(id, at)
		}
		return func() tea.Cmd {
			if err != nil {
				return pane.Explain(l.part.host, "Not moved", err)
			}
			return l.read(nil)
		}
	})
}

// askRemove asks before a series or an episode is removed.
func (l *seriesList) askRemove(r seriesRow) tea.Cmd {
	title, name := "Remove a series", "“"+draw.Truncate(r.series.Title, 60)+"”"
	text := fmt.Sprintf("Remove %s with %s and its memories (%s)? A backup is made first.", name,
		countWords(len(r.series.Episodes), "episode"), draw.Counted(r.series.Memories, "memory", "memories"))
	remove := func() error { return l.part.director().RemoveSeries(r.series.ID) }
	if ep := r.episode; ep != nil {
		title, name = "Remove an episode", "“"+episodeTitle(*ep, 60)+"”"
		text = "Remove " + name + " of “" + draw.Truncate(r.series.Title, 60) + "”? This cannot be undone."
		remove = func() error { return l.part.director().RemoveEpisode(ep.ID) }
	}
	l.part.host.Open(&widget.Confirm{Title: title, Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "cancel", Do: nil},
		{Key: "y", Words: "remove", Do: func() tea.Cmd {
			return l.part.host.Do(func() func() tea.Cmd {
				err := remove()
				return func() tea.Cmd {
					if err != nil {
						return pane.Explain(l.part.host, "Not removed", err)
					}
					return tea.Batch(l.read(nil), l.part.host.Say(event.Info, name+" removed"))
				}
			})
		}}}})
	return nil
}

// countWords returns a count with its noun, as a part of something.
func countWords(n int, noun string) string {
	if n == 1 {
		return "its " + noun
	}
	return "its " + draw.Plural(n, noun)
}

// openEpisodes lets the user pick an episode of any series. head are entries above them.
func (r *Part) openEpisodes(title string, head []widget.Entry, pick func(seriesRow) tea.Cmd) tea.Cmd {
	return r.host.Do(func() func() tea.Cmd {
		list, err := r.director().Series()
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			entries := head
			for _, s := range list {
				for i := range s.Episodes {
					entries = append(entries,
						widget.Entry{Title: episodeTitle(s.Episodes[i], 60),
							Detail: strings.Join(nonEmpty([]string{draw.Truncate(s.Title, 60),
								draw.Truncate(s.Episodes[i].Question, 160)}), draw.Separator),
							Right: turnBudget(s.Episodes[i]), Value: seriesRow{s, &s.Episodes[i]}})
				}
			}
			p := widget.NewPicker(r.host.Styles(), title, entries, widget.With(pick),
				widget.GlobalExtra(keys.DialogBrowse, "series and episodes", r.openSeries))
			key := r.host.Keys().DialogKey(keys.DialogBrowse, true)
			p.Empty = "no episodes yet: " + key + " opens the series to create one"
			r.host.Open(p)
			return nil
		}
	})
}

// openPlayEpisode lets the user pick an episode to play in a new chat.
func (r *Part) openPlayEpisode() tea.Cmd {
	return r.openEpisodes("Start an episode in a new chat", nil, func(row seriesRow) tea.Cmd {
		if row.episode == nil {
			return nil
		}
		return r.playEpisode(row.episode.ID)
	})
}

// chooseEpisode lets the user pick the episode of the open chat.
func (r *Part) chooseEpisode() tea.Cmd {
	chat := r.openChat()
	if chat == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	var head []widget.Entry
	if r.plays() {
		head = []widget.Entry{{Title: "none", Detail: "no episode", Value: seriesRow{}}}
	}
	return r.openEpisodes("Choose an episode for this chat", head, func(row seriesRow) tea.Cmd {
		id, words := storage.EpisodeID(""), "this chat no longer has an episode"
		if row.episode != nil {
			id, words = row.episode.ID, "episode set: “"+episodeTitle(*row.episode, 60)+"”"
		}
		return r.host.Do(func() func() tea.Cmd {
			err := r.director().SetEpisode(chat, id)
			return func() tea.Cmd {
				if err != nil {
					return pane.Explain(r.host, "Nothing was changed", err)
				}
				if k := r.host.Keys().Key(keys.PaneDirector, r.host.Mode()); id != "" && k != "" &&
					r.host.Panes().Current() == nil {
					words += draw.Separator + k + " shows it"
				}
				return r.host.Say(event.Info, words)
			}
		})
	})
}
