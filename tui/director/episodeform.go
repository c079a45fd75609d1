package director

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// episodeSpec is a field of an episode: how the form shows it, and what was
// typed does to an episode, or what is wrong with it.
type episodeSpec struct {
	group, label, help string
	make               func(sty *draw.Styles, e *storage.Episode) *widget.Field
	take               func(f *widget.Field) (func(*storage.Episode), error)
}

// mostEpisodeTurns bounds a number of turns that is typed.
const mostEpisodeTurns = 100_000

// episodeSpecs are all fields of an episode, in the order of the form.
func episodeSpecs(fresh bool) []episodeSpec {
	const what, play, end, pictures = "Episode", "Drama", "Ending", "Automatic pictures"
	title := episodeLine(what, "Title", "Its name. Required.", func(e *storage.Episode) *string { return &e.Title })
	out := []episodeSpec{title}
	if !fresh {
		out = append(out, numberSpecOf(what))
	}
	out = append(out,
		episodeText(what, "Situation", "Where the characters are and what is going on. Sent with every prompt.", 4, func(e *storage.Episode) *string { return &e.Situation }),
		episodeText(what, "Frame", "Narrative perspective, time and mood.", 2, func(e *storage.Episode) *string { return &e.Frame }),
		episodeText(what, "Opening line", "The first message. Empty: the character's greeting.", 3, func(e *storage.Episode) *string { return &e.Opening }),
		episodeLine(what, "Genre", "Empty: same as series.", func(e *storage.Episode) *string { return &e.Genre }),
		episodeText(play, "Question", "The dramatic question: explored, not quickly resolved.", 2, func(e *storage.Episode) *string { return &e.Question }),
		episodeText(play, "Objective", "What the character wants in this episode.", 1, func(e *storage.Episode) *string { return &e.Objective }),
		episodeText(play, "Obstacle", "What prevents it.", 1, func(e *storage.Episode) *string { return &e.Obstacle }),
		episodeText(play, "Tactic", "How the character pursues it. Played subtly.", 1, func(e *storage.Episode) *string { return &e.Tactic }),
		episodeWhole(play, "Turn budget", "Turns until it is complete. Empty: the director decides.", "empty: none", 1, mostEpisodeTurns,
			func(e *storage.Episode) int { return e.TurnBudget }, func(e *storage.Episode, n int) { e.TurnBudget = n }))
	for _, way := range storage.Resolutions {
		out = append(out, resolutionSpec(end, way))
	}
	return append(out, modeSpec(pictures),
		episodeWhole(pictures, "Every", "Turns between automatic pictures.", fmt.Sprintf("empty: %d turns", storage.DefaultInterval), 1, mostEpisodeTurns,
			func(e *storage.Episode) int { return e.SceneInterval }, func(e *storage.Episode, n int) { e.SceneInterval = n }),
		costSpec(pictures))
}

func episodeLine(group, label, help string, get func(*storage.Episode) *string) episodeSpec {
	return episodeSpec{group, label, help,
		func(sty *draw.Styles, e *storage.Episode) *widget.Field {
			return widget.LineField(sty, label, draw.Within(*get(e), 200), "")
		},
		func(f *widget.Field) (func(*storage.Episode), error) {
			v := strings.TrimSpace(f.Value())
			if v == "" && label == "Title" {
				return nil, errors.New("a few words: an episode needs a title")
			}
			return func(e *storage.Episode) { *get(e) = v }, nil
		}}
}

func episodeText(group, label, help string, rows int, get func(*storage.Episode) *string) episodeSpec {
	return episodeSpec{group, label, help,
		func(sty *draw.Styles, e *storage.Episode) *widget.Field { return shortText(sty, label, *get(e), rows) },
		func(f *widget.Field) (func(*storage.Episode), error) {
			if f.Input == nil {
				return func(*storage.Episode) {}, nil
			}
			v := strings.TrimSpace(f.Value())
			return func(e *storage.Episode) { *get(e) = v }, nil
		}}
}

// episodeWhole is a whole number; empty is 0, which stands for none.
func episodeWhole(group, label, help, hint string, least, most int, get func(*storage.Episode) int, set func(*storage.Episode, int)) episodeSpec {
	return episodeSpec{group, label, help,
		func(sty *draw.Styles, e *storage.Episode) *widget.Field {
			text := ""
			if n := get(e); n != 0 {
				text = strconv.Itoa(n)
			}
			return widget.LineField(sty, label, text, hint)
		},
		func(f *widget.Field) (func(*storage.Episode), error) {
			if draw.Blank(f.Value()) {
				return func(e *storage.Episode) { set(e, 0) }, nil
			}
			n, err := widget.WholeIn(f.Value(), least, most)
			if err != nil {
				return nil, fmt.Errorf("%w, or empty", err)
			}
			return func(e *storage.Episode) { set(e, n) }, nil
		}}
}

// numberSpecOf is the place of an episode in its series.
func numberSpecOf(group string) episodeSpec {
	return episodeSpec{group, "Number", "Its number in the series; the others shift.",
		func(sty *draw.Styles, e *storage.Episode) *widget.Field {
			return widget.LineField(sty, "Number", strconv.Itoa(e.Number), "")
		},
		func(f *widget.Field) (func(*storage.Episode), error) {
			n, err := widget.WholeIn(f.Value(), 1, mostEpisodeTurns)
			return func(e *storage.Episode) { e.Number = n }, err
		}}
}

// resolutionSpec says whether an episode may end in one of the ways.
func resolutionSpec(group, way string) episodeSpec {
	label := strings.ToUpper(way[:1]) + way[1:]
	return episodeSpec{group, label, "Allowed endings. None selected: any ending.",
		func(_ *draw.Styles, e *storage.Episode) *widget.Field {
			now := widget.NoYes[0]
			if slices.Contains(e.Resolutions, way) {
				now = widget.NoYes[1]
			}
			return widget.PickField(label, now, widget.NoYes)
		},
		func(f *widget.Field) (func(*storage.Episode), error) {
			on := f.Chosen == 1
			return func(e *storage.Episode) {
				left := slices.DeleteFunc(slices.Clone(e.Resolutions), func(r string) bool { return r == way })
				if on {
					left = append(left, way)
				}
				slices.SortFunc(left, func(x, y string) int {
					return slices.Index(storage.Resolutions, x) - slices.Index(storage.Resolutions, y)
				})
				e.Resolutions = left
			}, nil
		}}
}

// The scene modes with what the form calls them.
var (
	modeValues = []storage.SceneMode{storage.ScenesPeaks, storage.ScenesRhythmic, storage.ScenesOff}
	modeWords  = []string{"at peaks, chosen by the director", "every N turns, and at peaks", "off: only on request"}
)

func modeSpec(group string) episodeSpec {
	return episodeSpec{group, "When", "When pictures are generated automatically. You are asked once per chat.",
		func(_ *draw.Styles, e *storage.Episode) *widget.Field {
			return widget.PickField("When", modeWords[slices.Index(modeValues, e.Mode())], modeWords)
		},
		func(f *widget.Field) (func(*storage.Episode), error) {
			m := modeValues[f.Chosen]
			return func(e *storage.Episode) { e.SceneMode = m }, nil
		}}
}

func costSpec(group string) episodeSpec {
	return episodeSpec{group, "Price", "Sparks per automatic picture.",
		func(sty *draw.Styles, e *storage.Episode) *widget.Field {
			return widget.LineField(sty, "Price", pane.IntText(e.SceneCost), fmt.Sprintf("empty: %d sparks", storage.DefaultSceneCost))
		},
		func(f *widget.Field) (func(*storage.Episode), error) {
			if draw.Blank(f.Value()) {
				return func(e *storage.Episode) { e.SceneCost = nil }, nil
			}
			n, err := widget.WholeIn(f.Value(), 0, mostSparks)
			if err != nil {
				return nil, fmt.Errorf("%w, or empty", err)
			}
			return func(e *storage.Episode) { e.SceneCost = &n }, nil
		}}
}

// episodeForm is the form of an episode.
type episodeForm struct {
	*pane.LongForm
	of []episodeSpec
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
	title := "New episode of “" + draw.Within(s.Title, 40) + "”"
	if ep.ID != "" {
		title = "Episode " + episodeTitle(ep, 50)
	}
	ef := &episodeForm{of: episodeSpecs(ep.ID == "")}
	f := widget.Form{Title: title}
	var specs []pane.FieldSpec
	for _, sp := range ef.of {
		specs = append(specs, pane.FieldSpec{Group: sp.group, Label: sp.label, Help: sp.help, Check: func(f *widget.Field) error { _, err := sp.take(f); return err }})
		f.Fields = append(f.Fields, sp.make(r.host.Styles(), &ep))
	}
	f.Keys = []keys.Action{{Name: keys.DialogEditor, Hint: "$EDITOR", Do: func() tea.Cmd { return ef.outside() }}}
	ef.LongForm = pane.NewLongForm(r.host, f, specs, func() (func() (func() tea.Cmd, error), error) {
		changes, err := ef.touches()
		if err != nil {
			return nil, err
		}
		return func() (func() tea.Cmd, error) { return ef.keep(ep, changes, l) }, nil
	})
	r.host.Open(ef.LongForm)
}

// outside opens the text with the focus in the user's own editor.
func (f *episodeForm) outside() tea.Cmd {
	in := f.Fields[f.At].Input
	if in == nil || in.Single {
		return f.Host.Say(event.Info, "only longer texts open in your editor; this is a single line")
	}
	return f.Host.EditText(in.Value(), func(text string) tea.Cmd {
		in.Area.SetValue(text)
		return nil
	})
}

// touches are what the fields that were touched do to an episode, or the first
// thing that is wrong, which gets the focus.
func (f *episodeForm) touches() (all []func(*storage.Episode), err error) {
	for i, fd := range f.Fields {
		change, err := f.of[i].take(fd)
		if err != nil {
			f.Focus(i)
			return nil, fmt.Errorf("%s must be %w", f.of[i].label, err)
		}
		if f.Touched(i) {
			all = append(all, change)
		}
	}
	return all, nil
}

// keep stores the episode, away from the screen's goroutine. What the form did
// not touch stays as the store has it by now.
func (f *episodeForm) keep(ep storage.Episode, changes []func(*storage.Episode), l *seriesList) (func() tea.Cmd, error) {
	eng, fresh := f.Host.Engine(), ep.ID == ""
	if !fresh {
		now, err := eng.Director.Episode(ep.ID)
		if err != nil {
			return nil, err
		}
		ep = now
	}
	before := ep.Number
	for _, change := range changes {
		change(&ep)
	}
	place := ep.Number
	got, err := eng.Director.SaveEpisode(ep)
	if err == nil && !fresh && place != before {
		if err = eng.Director.MoveEpisode(got.ID, place); err == nil {
			got.Number = place
		}
	}
	if err != nil {
		return nil, err
	}
	return func() tea.Cmd {
		cmd := f.Host.Say(event.Info, "“"+episodeTitle(got, 60)+"” saved")
		if l == nil {
			return cmd
		}
		l.wish = seriesRow{director.SeriesView{Series: storage.Series{ID: got.Series}}, &got}
		return tea.Batch(cmd, l.read(nil))
	}, nil
}
