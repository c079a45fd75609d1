package tui

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/director"
	"ghostlight/engine/event"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

// seriesList is the dialog of all series with their episodes under them. It
// stays open under the forms that it opens.
type seriesList struct {
	*widget.Picker
	a     *app
	stay  bool      // what was picked leaves the list open
	wish  seriesRow // to be chosen as soon as it is there
	busy  bool
	again bool
	order widget.InOrder // of the moves
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
func (a *app) openSeries() tea.Cmd {
	l := newSeriesList(a)
	return l.read(func() tea.Cmd { a.dialogs.Open(l); return nil })
}

func newSeriesList(a *app) *seriesList {
	l := &seriesList{a: a}
	on := func(f func(seriesRow) tea.Cmd) func(widget.Entry) tea.Cmd {
		return func(e widget.Entry) tea.Cmd {
			r, _ := e.Value.(seriesRow)
			return f(r)
		}
	}
	l.Picker = widget.NewPicker(a.lk, "Series and episodes · alt+↑↓ moves an episode", nil, on(l.enter),
		widget.Extra{Key: "ctrl+n", Words: "episode", Keep: true, Do: on(l.newEpisode)},
		widget.Extra{Key: "ctrl+t", Words: "series", Always: true, Keep: true, Do: func(widget.Entry) tea.Cmd { return l.editSeries(director.SeriesView{}) }},
		widget.Extra{Key: "ctrl+e", Words: "edit", Keep: true, Do: on(l.edit)},
		widget.Extra{Key: "ctrl+d", Words: "remove", Keep: true, Do: on(l.askRemove)},
		widget.Extra{Key: "ctrl+s", Words: "export", Keep: true, Do: on(func(r seriesRow) tea.Cmd { a.openSeriesExport(r.series); return nil })},
		widget.Extra{Key: "ctrl+o", Words: "import", Always: true, Keep: true, Do: func(widget.Entry) tea.Cmd { return a.browseSeries() }})
	l.Empty = "no series yet: ctrl+t makes one, ctrl+o imports one"
	l.Verb = func(e widget.Entry) string {
		if r, _ := e.Value.(seriesRow); r.episode == nil {
			return "open"
		}
		return "play"
	}
	return l
}

// read reads all series again, then does what is asked.
func (l *seriesList) read(then func() tea.Cmd) tea.Cmd {
	if l.busy && then == nil {
		l.again = true
		return nil
	}
	l.busy, l.again = true, false
	return l.a.Do(func() func() tea.Cmd {
		list, err := l.a.eng.Director.Series()
		return func() tea.Cmd {
			l.busy = false
			var more tea.Cmd
			if l.again {
				more = l.read(nil)
			}
			if err != nil {
				return tea.Batch(more, l.a.Fail(err))
			}
			l.take(list)
			if then == nil {
				return more
			}
			return tea.Batch(more, then())
		}
	})
}

// take shows what was read, with the same row chosen as before.
func (l *seriesList) take(list []director.SeriesView) {
	was := l.wish
	if was.series.ID == "" {
		was, _ = l.row()
	}
	var entries []widget.Entry
	for _, s := range list {
		entries = append(entries, seriesEntry(s))
		for i := range s.Episodes {
			entries = append(entries, widget.Entry{Title: "  " + episodeTitle(s.Episodes[i], 60), Detail: episodeDetail(s, s.Episodes[i]),
				Right: turnBudget(s.Episodes[i]), Value: seriesRow{s, &s.Episodes[i]}})
		}
	}
	l.Fill(entries)
	for i, at := range l.Shown {
		if r, _ := l.All[at].Value.(seriesRow); was.series.ID != "" && r.same(was) {
			l.At, l.wish = i, seriesRow{}
		}
	}
}

func seriesEntry(s director.SeriesView) widget.Entry {
	parts := []string{strings.Join(s.Names, ", "), look.Within(s.Genre, 40), look.Within(s.Description, 200)}
	detail := strings.Join(nonEmpty(parts), look.Separator)
	right := look.Plural(len(s.Episodes), "episode")
	if s.Chats > 0 {
		right += look.Separator + look.Plural(s.Chats, "chat")
	}
	return widget.Entry{Title: look.Within(s.Title, 60), Detail: look.Within(detail, 300), Right: right, Value: seriesRow{series: s}}
}

func nonEmpty(parts []string) []string {
	var out []string
	for _, p := range parts {
		if !look.Blank(p) {
			out = append(out, p)
		}
	}
	return out
}

// episodeDetail is what an episode is about, and its series, so that the filter
// finds it by that too.
func episodeDetail(s director.SeriesView, ep storage.Episode) string {
	about := look.Within(ep.Question, 160)
	if about == "" {
		about = look.Within(ep.Situation, 160)
	}
	return strings.Join(nonEmpty([]string{about, look.Within(s.Title, 60)}), look.Separator)
}

func turnBudget(ep storage.Episode) string {
	if ep.TurnBudget == 0 {
		return ""
	}
	return look.Plural(ep.TurnBudget, "turn")
}

// row is the chosen row.
func (l *seriesList) row() (seriesRow, bool) {
	e, ok := l.Chosen()
	if !ok {
		return seriesRow{}, false
	}
	r, ok := e.Value.(seriesRow)
	return r, ok
}

func (l *seriesList) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch widget.Keystroke(msg) {
	case "alt+up":
		return l.moveEpisode(-1), false
	case "alt+down":
		return l.moveEpisode(1), false
	}
	l.stay = false
	cmd, done := l.Picker.Handle(msg)
	return cmd, done && !l.stay
}

// enter plays an episode, or opens a series.
func (l *seriesList) enter(r seriesRow) tea.Cmd {
	if r.episode != nil {
		return l.a.playEpisode(r.episode.ID)
	}
	l.stay = true
	return l.editSeries(r.series)
}

func (l *seriesList) edit(r seriesRow) tea.Cmd {
	if r.episode != nil {
		return l.a.editEpisode(r.episode.ID, l)
	}
	return l.editSeries(r.series)
}

func (l *seriesList) newEpisode(r seriesRow) tea.Cmd {
	l.a.showEpisodeForm(r.series, storage.Episode{Series: r.series.ID}, l)
	return nil
}

// moveEpisode gives the chosen episode the place before or after the one that it
// has when its turn has come: the list may not show the move before yet.
func (l *seriesList) moveEpisode(step int) tea.Cmd {
	r, ok := l.row()
	if !ok || r.episode == nil {
		return nil
	}
	id := r.episode.ID
	return l.order.Do(l.a, func() func() tea.Cmd {
		s, err := l.a.eng.Director.FindSeries(string(r.series.ID))
		if at := 1 + step + slices.IndexFunc(s.Episodes, func(ep storage.Episode) bool { return ep.ID == id }); err == nil {
			if at < 1 || at > len(s.Episodes) {
				return nil
			}
			err = l.a.eng.Director.MoveEpisode(id, at)
		}
		return func() tea.Cmd {
			if err != nil {
				return desk.Explain(l.a, "Not moved", err)
			}
			return l.read(nil)
		}
	})
}

// askRemove asks before a series or an episode is removed.
func (l *seriesList) askRemove(r seriesRow) tea.Cmd {
	if r.series.ID == "" {
		return nil
	}
	title, name := "Remove a series", "“"+look.Within(r.series.Title, 60)+"”"
	text := fmt.Sprintf("Remove %s with %s and what is remembered of it (%s)? A backup is written first.", name,
		theirs(len(r.series.Episodes), "episode"), memories(r.series.Memories))
	remove := func() error { return l.a.eng.Director.RemoveSeries(r.series.ID) }
	if ep := r.episode; ep != nil {
		title, name = "Remove an episode", "“"+episodeTitle(*ep, 60)+"”"
		text = "Remove " + name + " of “" + look.Within(r.series.Title, 60) + "”? This cannot be taken back."
		remove = func() error { return l.a.eng.Director.RemoveEpisode(ep.ID) }
	}
	l.a.dialogs.Open(&widget.Confirm{Title: title, Text: text, Choices: []widget.Choice{
		{Key: "n", Words: "keep it", Do: nil},
		{Key: "y", Words: "remove it", Do: func() tea.Cmd {
			return l.a.Do(func() func() tea.Cmd {
				err := remove()
				return func() tea.Cmd {
					if err != nil {
						return desk.Explain(l.a, "Not removed", err)
					}
					return tea.Batch(l.read(nil), l.a.Say(event.Info, name+" removed"))
				}
			})
		}}}})
	return nil
}

func memories(n int) string {
	if n == 1 {
		return "1 memory"
	}
	return fmt.Sprintf("%d memories", n)
}

// theirs is a count with its noun, as what belongs to something.
func theirs(n int, noun string) string {
	if n == 1 {
		return "its " + noun
	}
	return "its " + look.Plural(n, noun)
}

// openEpisodes lets the user pick one of all episodes. head are entries above
// them.
func (a *app) openEpisodes(title string, head []widget.Entry, pick func(seriesRow) tea.Cmd) tea.Cmd {
	return a.Do(func() func() tea.Cmd {
		list, err := a.eng.Director.Series()
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			entries := head
			for _, s := range list {
				for i := range s.Episodes {
					entries = append(entries, widget.Entry{Title: episodeTitle(s.Episodes[i], 60), Detail: strings.Join(nonEmpty([]string{look.Within(s.Title, 60), look.Within(s.Episodes[i].Question, 160)}), look.Separator),
						Right: turnBudget(s.Episodes[i]), Value: seriesRow{s, &s.Episodes[i]}})
				}
			}
			p := widget.NewPicker(a.lk, title, entries, func(e widget.Entry) tea.Cmd {
				r, _ := e.Value.(seriesRow)
				return pick(r)
			}, widget.Extra{Key: "ctrl+o", Words: "series and episodes", Always: true, Do: func(widget.Entry) tea.Cmd { return a.openSeries() }})
			p.Empty = "no episode yet: ctrl+o leads to the series, where they are made"
			a.dialogs.Open(p)
			return nil
		}
	})
}

// openPlayEpisode lets the user pick an episode to play in a new chat.
func (a *app) openPlayEpisode() tea.Cmd {
	return a.openEpisodes("Play an episode in a new chat", nil, func(r seriesRow) tea.Cmd {
		if r.episode == nil {
			return nil
		}
		return a.playEpisode(r.episode.ID)
	})
}

// chooseEpisode lets the user pick the episode that the open chat plays from now
// on.
func (a *app) chooseEpisode() tea.Cmd {
	chat := a.view.Chat.ID
	if chat == "" {
		return a.Say(event.Info, "no chat is open")
	}
	var head []widget.Entry
	if a.plays() {
		head = []widget.Entry{{Title: "none", Detail: "a plain chat again", Value: seriesRow{}}}
	}
	return a.openEpisodes("Which episode does this chat play?", head, func(r seriesRow) tea.Cmd {
		id, words := storage.EpisodeID(""), "this chat plays no episode any more"
		if r.episode != nil {
			id, words = r.episode.ID, "this chat plays “"+episodeTitle(*r.episode, 60)+"” now"
		}
		return a.Do(func() func() tea.Cmd {
			err := a.eng.Director.SetEpisode(chat, id)
			return func() tea.Cmd {
				if err != nil {
					return desk.Explain(a, "Nothing was changed", err)
				}
				if k := a.keys.Key(keys.PaneDirector, a.mode); id != "" && k != "" && a.pane == nil {
					words += look.Separator + k + " shows it"
				}
				return a.Say(event.Info, words)
			}
		})
	})
}
