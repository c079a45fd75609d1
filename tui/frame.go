package tui

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/themes"
	boardsroom "github.com/ghostlight-theatre/ghostlight/tui/boards"
	"github.com/ghostlight-theatre/ghostlight/tui/clipboard"
	"github.com/ghostlight-theatre/ghostlight/tui/director"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/library"
	loreroom "github.com/ghostlight-theatre/ghostlight/tui/lore"
	memoryroom "github.com/ghostlight-theatre/ghostlight/tui/memory"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	picturesroom "github.com/ghostlight-theatre/ghostlight/tui/pictures"
	"github.com/ghostlight-theatre/ghostlight/tui/play"
	scenesroom "github.com/ghostlight-theatre/ghostlight/tui/scenes"
	"github.com/ghostlight-theatre/ghostlight/tui/settings"
	tasteroom "github.com/ghostlight-theatre/ghostlight/tui/taste"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The app is the host of its parts. The methods below implement the host interfaces; if the frame
// itself needs the same under another name, the code is with the frame.

// Styles implements pane.Host.
func (a *app) Styles() *draw.Styles { return a.sty }

// Keys implements pane.Host.
func (a *app) Keys() *keys.Map { return a.keys }

// Engine implements pane.Host.
func (a *app) Engine() *engine.Engine { return a.eng }

// Context implements pane.Host.
func (a *app) Context() context.Context { return a.ctx }

// Log implements pane.Host.
func (a *app) Log() *slog.Logger { return a.opts.Log }

// Size implements pane.Host.
func (a *app) Size() (w, h int) { return a.width, a.height }

// Mode implements pane.Host.
func (a *app) Mode() keys.Mode { return a.mode }

// Play implements pane.Host.
func (a *app) Play() pane.Play { return a.parts.play }

// Panes implements pane.Host.
func (a *app) Panes() pane.Panes { return panes{a} }

// Work implements pane.Host.
func (a *app) Work() pane.Background { return background{a} }

// Notices implements pane.Host.
func (a *app) Notices() pane.Notices { return notices{a} }

// Files implements pane.Host.
func (a *app) Files() *pane.Files { return &a.files }

// Dialogs implements pane.Host.
func (a *app) Dialogs() *widget.Stack { return &a.dialogs }

// Open implements pane.Host.
func (a *app) Open(d widget.Dialog) { a.dialogs.Open(d) }

// Copy implements pane.Host: text goes to the terminal with the next frame, and to a clipboard
// program if there is one.
func (a *app) Copy(text, what string) tea.Cmd {
	a.clip = text
	if a.opts.Copy == nil {
		return a.Say(event.Info, clipboard.Sent.Message(what))
	}
	return a.Do(func() func() tea.Cmd {
		done := a.opts.Copy(a.ctx, text)
		return func() tea.Cmd { return a.Say(event.Info, done.Message(what)) }
	})
}

// background implements pane.Background: servers and running work, as the parts ask for them.
type background struct{ *app }

// Servers implements pane.Background.
func (a background) Servers() models.Servers { return a.servers }

// Running implements pane.Background.
func (a background) Running() []*pane.Operation {
	var out []*pane.Operation
	for _, j := range a.work.running {
		out = append(out, &j.Operation)
	}
	slices.SortFunc(out, func(x, y *pane.Operation) int { return strings.Compare(string(x.Op.ID), string(y.Op.ID)) })
	return out
}

// Waiting implements pane.Background.
func (a background) Waiting() int { return a.work.waiting() }

// settingsScreen implements settings.Screen: the settings change the frame through it.
type settingsScreen struct{ a *app }

// SetServers implements settings.Screen.
func (s settingsScreen) SetServers(now models.Servers) { s.a.setServers(now) }

// SetModel implements settings.Screen.
func (s settingsScreen) SetModel(name string) { s.a.parts.play.SetModel(name) }

// IsDemo implements settings.Screen.
func (s settingsScreen) IsDemo() bool { return s.a.opts.Demo }

// OpenDemo implements settings.Screen.
func (s settingsScreen) OpenDemo() tea.Cmd {
	s.a.outcome.Demo = true
	return s.a.quit()
}

// Themes implements settings.Screen.
func (s settingsScreen) Themes() themes.Set { return s.a.opts.Themes }

// Appearance implements settings.Screen.
func (s settingsScreen) Appearance() settings.Appearance {
	return settings.Appearance{Theme: s.a.theme, Dark: s.a.sty.Dark, Fixed: s.a.opts.Dark}
}

// SetAppearance implements settings.Screen.
func (s settingsScreen) SetAppearance(to settings.Appearance) {
	s.a.opts.Dark = to.Fixed
	s.a.applyTheme(to.Theme, to.Dark)
}

// playScreen implements play.Screen: the play changes the frame through it.
type playScreen struct{ a *app }

// SetMode implements play.Screen.
func (s playScreen) SetMode(m keys.Mode) { s.a.mode = m }

// Uncover implements play.Screen.
func (s playScreen) Uncover() { s.a.uncover() }

// LeavePane implements play.Screen.
func (s playScreen) LeavePane() {
	s.a.uncover()
	s.a.leavePane()
}

// ChatOpened implements play.Screen.
func (s playScreen) ChatOpened() tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range s.a.parts.all {
		if f, ok := r.(pane.ChatFollower); ok {
			cmds = append(cmds, f.ChatOpened())
		}
	}
	return tea.Batch(cmds...)
}

// ScenesRead implements play.Screen.
func (s playScreen) ScenesRead() {
	for _, r := range s.a.parts.all {
		if f, ok := r.(pane.SceneFollower); ok {
			f.ScenesRead()
		}
	}
}

// parts are the parts of the screen; the frame uses some of them directly.
type parts struct {
	all      []pane.Part
	play     *play.Part
	pictures *picturesroom.Part // lays out the pictures in the play
	library  *library.Part
	settings *settings.Part
}

// newParts makes the parts and connects those that need each other. It is called without a host and
// without an app if only the declarations are needed.
func newParts(d pane.Host, a *app) parts {
	story := play.New(d, playScreen{a})
	pictures := picturesroom.New(d, story)
	libraryPart := library.New(d, pictures)
	books := loreroom.New(d)
	known := memoryroom.New(d, story, books)
	story.Elsewhere = searchTargets{books, known}
	servers := settings.New(d, pictures, settingsScreen{a}, libraryPart)
	return parts{play: story, pictures: pictures, library: libraryPart, settings: servers, all: []pane.Part{
		frame{a},
		story,
		tasteroom.New(d),
		libraryPart,
		servers,
		known,
		books,
		scenesroom.New(d, story, books),
		director.New(d),
		boardsroom.New(d, pictures, pictures.Display()),
		pictures,
	}}
}

// searchTargets implements play.Elsewhere: it opens search results that are not messages.
type searchTargets struct {
	*loreroom.Part
	known *memoryroom.Part
}

// OpenRecord implements play.Elsewhere.
func (e searchTargets) OpenRecord(of memory.HitKind, record string) tea.Cmd {
	return e.known.OpenRecord(of, record)
}

// declare registers the parts' declarations, and returns the tips among them.
func (a *app) declare() (tips []pane.Tip) {
	a.actions = map[keys.Name]*keys.Action{}
	for _, r := range a.parts.all {
		for _, d := range r.Actions() {
			a.actions[d.Name] = &d
		}
		if t, ok := r.(pane.TipSource); ok {
			tips = append(tips, t.Tips()...)
		}
		if w, ok := r.(pane.Activity); ok {
			a.workers = append(a.workers, w)
		}
		if s, ok := r.(pane.Status); ok {
			a.statusers = append(a.statusers, s)
		}
		if c, ok := r.(pane.Counter); ok {
			a.counters = append(a.counters, c)
		}
		if l, ok := r.(pane.Listener); ok {
			a.listeners = append(a.listeners, l)
		}
		if p, ok := r.(pane.AfterPaint); ok {
			a.afterPaint = append(a.afterPaint, p)
		}
	}
	return tips
}

// Keys returns the table of all keys with the user's changes, and the errors in those.
func Keys(changes map[string][]string) (*keys.Map, []error) {
	var list []keys.Binding
	for _, r := range newParts(nil, nil).all {
		for _, d := range r.Actions() {
			b := keys.NewBinding(d.Name, d.Group, d.Text, d.Modes, d.Keys...)
			b.Hidden, b.OldNames = d.Hidden, d.OldNames
			list = append(list, b)
		}
		if p, ok := r.(pane.PaneOwner); ok {
			for _, pane := range p.Panes() {
				list = append(list, ofPane(pane)...)
			}
		}
	}
	return keys.New(changes, list...)
}

// ofPane returns the bindings of the actions that only one pane has. Actions without a group are
// those that every pane has.
func ofPane(pane pane.PaneActions) (list []keys.Binding) {
	for _, d := range pane.Actions {
		if d.Group == "" || slices.ContainsFunc(list, func(b keys.Binding) bool { return b.Action == d.Name }) {
			continue
		}
		b := keys.NewBinding(d.Name, d.Group, d.Text, keys.Pane, d.Keys...)
		b.Pane, b.OldNames, b.System = pane.Name, d.OldNames, pane.System
		list = append(list, b)
	}
	return list
}

// notifyParts passes an event to the parts that listen.
func (a *app) notifyParts(ev event.Event) tea.Cmd {
	var cmds []tea.Cmd
	for _, l := range a.listeners {
		if cmd := l.Event(ev); cmd != nil { // seldom: most events are tokens
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(cmds...)
}

// start starts the parts that have something to do immediately.
func (a *app) start() tea.Cmd {
	var cmds []tea.Cmd
	for _, r := range a.parts.all {
		if s, ok := r.(pane.Starter); ok {
			cmds = append(cmds, s.Start())
		}
	}
	return tea.Batch(cmds...)
}

// painted lets the parts read data for what is shown.
func (a *app) painted() tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range a.afterPaint {
		if cmd := p.Painted(); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(cmds...)
}

// Adopt implements settings.Screen.
func (s settingsScreen) Adopt(to config.Setting) tea.Cmd {
	a := s.a
	switch {
	case to.Name == "ui.theme":
		if t, ok := a.opts.Themes.Find(to.Value); ok {
			a.applyTheme(t, a.sty.Dark)
		}
	case to.Name == "ui.dark":
		if to.Value == "auto" {
			a.opts.Dark, a.asks = nil, ansi.RequestBackgroundColor
			break
		}
		dark := to.Value == "dark"
		a.opts.Dark = &dark
		a.applyTheme(a.theme, dark)
	case to.Name == "ui.lock_after":
		after, _ := config.LockAfter(to.Value) // it was checked before writing
		return a.idle.watch(after)
	case to.Name == "ui.tips":
		a.tips.on = to.Value != "false"
	case to.Name == "ui.images":
		a.display.Force(to.Value)
	case strings.HasPrefix(to.Name, "keys."):
		return a.rebind(keys.Name(strings.TrimPrefix(to.Name, "keys.")), to)
	}
	return nil
}

// adopt applies the current values of settings that were changed elsewhere.
func (s settingsScreen) adopt(names []string) tea.Cmd {
	a := s.a
	if a.opts.Settings == nil {
		return nil
	}
	return a.Do(func() func() tea.Cmd {
		list, err := a.opts.Settings.List()
		return func() tea.Cmd {
			if err != nil {
				return a.Fail(err)
			}
			var cmds []tea.Cmd
			for _, name := range names {
				to := config.Setting{Name: name, Source: config.FromDefault} // a setting of the user that was removed
				if i := slices.IndexFunc(list, func(s config.Setting) bool { return s.Name == name }); i >= 0 {
					to = list[i]
				}
				cmds = append(cmds, s.Adopt(to))
			}
			words := "the config file was changed: " + strings.Join(names, ", ")
			return tea.Batch(append(cmds, a.Say(event.Info, draw.Truncate(words, 200)))...)
		}
	})
}

// rebind applies the keys of an action from the config file.
func (a *app) rebind(act keys.Name, to config.Setting) tea.Cmd {
	changes := maps.Clone(a.opts.Keys)
	if changes == nil {
		changes = map[string][]string{}
	}
	if delete(changes, string(act)); to.Source == config.FromFile {
		for k := range strings.SplitSeq(to.Value, ",") {
			changes[string(act)] = append(changes[string(act)], strings.TrimSpace(k))
		}
	}
	km, faults := Keys(changes)
	a.opts.Keys, a.keys = changes, km
	if len(faults) > 0 {
		return a.Say(event.Warning, faults[0].Error())
	}
	return nil
}
