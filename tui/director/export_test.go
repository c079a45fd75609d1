package director

import (
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
)

// What tests of the whole program look at.

// Heights are the steps of a line of tension.
var Heights = string(heights)

// RoomOf is the part among those of a screen.
func RoomOf(rooms []pane.Part) *Part {
	for _, r := range rooms {
		if r, ok := r.(*Part); ok {
			return r
		}
	}
	return nil
}

// Reading reports whether it is being read what the director knows.
func (r *Part) Reading() bool { return r.busy }

// Take puts a view of the open chat in the place of what the engine knows.
func (r *Part) Take(v director.View, hooks map[storage.HookID]string) {
	c := r.host.Play().Chat().Chat
	v.Chat.ID, v.Chat.Head = c.ID, c.Head
	r.chat, r.view, r.loaded, r.fault, r.hooks = c.ID, v, true, nil, hooks
	r.show()
}

// Hook sets what a hook says that was taken up.
func (r *Part) Hook(id storage.HookID, text string) { r.hooks[id] = text }

// TypedLongAgo has it that nobody has written for long, and reports whether a question
// still waits.
func (r *Part) TypedLongAgo() (waits bool) {
	r.ask.typed = time.Time{}
	return r.ask.waits
}

// ChosenTurn is the number of the chosen exchange of the open pane.
func (r *Part) ChosenTurn() int { return r.host.Panes().Current().(*directorPane).Item().Turn }

// AskNext asks whether the next episode is to begin.
func (r *Part) AskNext(v *director.View) { r.askNext(v) }

// ChosenRow is the chosen row of the list of series, where that is on top: a series
// and nil, or a series and one of its episodes.
func (r *Part) ChosenRow() (s director.SeriesView, ep *storage.Episode, ok bool) {
	all := r.host.Dialogs().All
	if len(all) == 0 {
		return s, nil, false
	}
	l, ok := all[len(all)-1].(*seriesList)
	if !ok {
		return s, nil, false
	}
	row, ok := l.row()
	return row.series, row.episode, ok
}

// OpenSeries opens a list of one series that the store does not have.
func (r *Part) OpenSeries(s director.SeriesView) {
	l := newSeriesList(r)
	l.setSeries([]director.SeriesView{s})
	r.host.Open(l)
}

// OpenForms opens the forms of a series and of its first episode over the list of
// series that is on top.
func (r *Part) OpenForms(s director.SeriesView) {
	all := r.host.Dialogs().All
	l := all[len(all)-1].(*seriesList)
	l.showSeriesForm(s, nil)
	r.showEpisodeForm(s, s.Episodes[0], l)
}
