package tui

import (
	"maps"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

func (a *app) openPalette() tea.Cmd {
	entries, places := a.commands()
	p := widget.NewPicker(a.sty, "Commands", entries,
		func(e widget.Entry) tea.Cmd { return a.runNamed(e.Value.(keys.Binding)) },
		widget.Extra{Name: keys.DialogCopy, Description: "copy the command", Keep: true,
			Do: func(e widget.Entry) tea.Cmd { return a.copyCommand(e.Value.(keys.Binding)) }})
	p.Filter.Area.Placeholder = "type to search commands"
	p.Verb = func(widget.Entry) string { return "run" }
	p.Renew = func() []widget.Entry {
		entries, places = a.commands()
		return entries
	}
	p.Rank = func(query string) []int {
		var out []int
		for _, b := range a.keys.Find(query) {
			if i, ok := places[b.Action]; ok {
				out = append(out, i)
			}
		}
		return out
	}
	p.Says = func(e widget.Entry) string { return a.aboutAction(e.Value.(keys.Binding)) }
	p.Refuse = func(e widget.Entry) tea.Cmd { return a.Say(event.Info, e.Off) }
	a.dialogs.Open(p)
	return a.count()
}

// commands returns the entries of the palette: the most recently used actions, then every action by
// its system. places maps searchable actions to the indexes of their entries.
func (a *app) commands() (entries []widget.Entry, places map[keys.Name]int) {
	places = map[keys.Name]int{}
	add := func(b keys.Binding, group string) {
		places[b.Action] = len(entries)
		entries = append(entries, widget.Entry{Title: b.Description(), Detail: a.counts[b.Action],
			Right: a.keys.AnyKey(b.Action), Group: group,
			Off: a.whyNot(b.Action), Value: b})
	}
	if a.pane != nil {
		for _, d := range actionsHere(a) {
			b, ok := a.keys.Binding(d.Name)
			if ok && b.Pane != "" {
				add(b, "this pane: "+strings.ToLower(a.pane.Title()))
			}
		}
	}
	for _, name := range a.kept.Recent {
		if b, ok := a.keys.Binding(keys.Name(name)); ok && b.Offered() && b.Pane == "" {
			add(b, "recently used")
		}
	}
	for _, s := range keys.Systems() {
		for _, b := range a.keys.Bindings() {
			if b.Offered() && b.System == s && b.Pane == "" {
				add(b, s.Description())
			}
		}
	}
	return entries, places
}

// aboutAction returns further information about an action: the command that does the same.
func (a *app) aboutAction(b keys.Binding) string {
	if words := a.commandOf(b); words != "" {
		return "$ " + words
	}
	return "name for a custom key: " + string(b.Action)
}

// commandOf returns the command that does the same as an action, with the open chat's title.
func (a *app) commandOf(b keys.Binding) string {
	if b.Command == "" {
		return ""
	}
	title := safetext.Line(a.Play().Chat().Chat.Title)
	if title == "" {
		return "ghostlight " + b.Command
	}
	words := strings.Fields(b.Command)
	for i, w := range words {
		if w == "CHAT" {
			words[i] = "'" + strings.ReplaceAll(title, "'", `'\''`) + "'"
		}
	}
	return "ghostlight " + strings.Join(words, " ")
}

func (a *app) copyCommand(b keys.Binding) tea.Cmd {
	words := a.commandOf(b)
	if words == "" {
		return a.Say(event.Info, "no command line equivalent")
	}
	return a.Copy(words, words)
}

// maxRecent is the number of recently used actions in the palette.
const maxRecent = 5

// usedLately records that an action was chosen by its name.
func (a *app) usedLately(act keys.Name) tea.Cmd {
	if len(a.kept.Recent) > 0 && a.kept.Recent[0] == string(act) {
		return nil
	}
	list := append([]string{string(act)},
		slices.DeleteFunc(slices.Clone(a.kept.Recent), func(s string) bool { return s == string(act) })...)
	a.kept.Recent = list[:min(maxRecent, len(list))]
	return a.keep()
}

// keep stores the state of the screen.
func (a *app) keep() tea.Cmd {
	s := a.kept
	s.Panes = maps.Clone(s.Panes)
	return a.keeping.Do(a, func() func() tea.Cmd {
		if err := a.eng.Settings.RememberScreen(s); err != nil {
			return func() tea.Cmd { return a.Fail(err) }
		}
		return nil
	})
}

// count refreshes the counts that the palette and the leader show with actions.
func (a *app) count() tea.Cmd {
	chat := a.Play().Chat().Chat.ID
	return a.Do(func() func() tea.Cmd {
		counts := map[keys.Name]string{}
		for _, c := range a.counters {
			for _, n := range c.Count(chat) {
				counts[n.Action] = n.Text
			}
		}
		return func() tea.Cmd {
			if n := len(a.work.running) + a.work.waiting(); n > 0 {
				counts[keys.PaneQueue] = draw.Plural(n, "job")
			}
			if maps.Equal(a.counts, counts) {
				return nil
			}
			a.counts = counts
			if p, ok := a.dialogs.Top().(*widget.Picker); ok && p.Renew != nil && p.Rank != nil {
				p.Reload()
			}
			return nil
		}
	})
}
