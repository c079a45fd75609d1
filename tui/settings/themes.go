package settings

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/themes"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// Appearance holds the theme of the screen and its background.
type Appearance struct {
	Theme themes.Theme
	Dark  bool
	Fixed *bool // set if Dark was requested; nil follows the terminal
}

// openThemes lists the themes and shows each while it is selected.
func (r *Part) openThemes() tea.Cmd {
	var entries []widget.Entry
	was := r.screen.Appearance()
	at := 0
	for i, t := range r.screen.Themes() {
		right := ""
		if t.Name == was.Theme.Name {
			at, right = i, "now"
		}
		entries = append(entries, widget.Entry{Title: t.Title, Detail: t.About, Right: right, Value: t})
	}
	show := func(e widget.Entry) {
		now := r.screen.Appearance()
		now.Theme = e.Value.(themes.Theme)
		r.screen.SetAppearance(now)
	}
	p := widget.NewPicker(r.host.Styles(), "Themes", entries, func(e widget.Entry) tea.Cmd {
		show(e)
		name := e.Value.(themes.Theme).Name
		return pane.Try(r.host, func() error { return r.host.Engine().Settings.RememberTheme(name) })
	}, widget.Extra{Name: keys.DialogLight, Description: "light or dark, this session", Always: true, Keep: true,
		Do: func(widget.Entry) tea.Cmd {
			now := r.screen.Appearance()
			now.Dark = !now.Dark
			dark := now.Dark
			now.Fixed = &dark
			r.screen.SetAppearance(now)
			return nil
		}})
	p.At = at
	p.Moved = show
	p.Cancel = func() { r.screen.SetAppearance(was) }
	r.host.Open(p)
	return nil
}
