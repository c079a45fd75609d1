package tui

import (
	"cmp"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// The help lists the keys of the place that has the focus. It is built from what that place
// declares: a dialog's hints, a pane's hints and actions, or the table of keys for the mode.

// helper collects the rows of the help.
type helper struct{ *app }

// openHelp shows the keys of the dialog on top, of the pane, or of the mode.
func (a *app) openHelp() tea.Cmd {
	title, rows := helper{a}.keysHere()
	a.dialogs.Open(
		newHelp(a, []helpPage{{title: title, rows: rows}, {title: "All keys", rows: helper{a}.allKeys(), whole: true}}))
	return nil
}

// keysHere returns the keys of the place that has the focus.
func (a helper) keysHere() (title string, rows []helpRow) {
	switch d := a.dialogs.Top(); {
	case d != nil:
		return "Keys of this dialog", a.dialogKeys(d)
	case a.mode == keys.Pane && a.pane != nil:
		title = "Keys: " + a.pane.Title()
		if t, ok := a.pane.(pane.Tabbed); ok {
			names, at := t.Views()
			title += draw.Separator + names[at]
		}
		return title, a.paneKeys()
	case a.mode == keys.Browse:
		return "Keys while browsing", a.modeKeys(keys.Browse)
	}
	return "Keys while writing", a.modeKeys(keys.Write)
}

// dialogKeys returns the keys of a dialog's actions. Actions that move come last.
func (a helper) dialogKeys(d widget.Dialog) []helpRow {
	var own, moving []helpRow
	for _, act := range d.ActionsNow() {
		b := a.binding(act.Name)
		if b == nil {
			continue
		}
		row := helpRow{act: act.Name, words: cmp.Or(act.Text, act.HintNow(), b.Description()), why: act.Why()}
		for _, k := range b.Keys() {
			if a.keys.Leads(act.Name, k, d.Typing()) {
				row.keys = strings.TrimSpace(row.keys + " " + keys.Label(k))
			}
		}
		switch {
		case row.keys == "":
		case isMoving(act.Name):
			moving = append(moving, row)
		default:
			own = append(own, row)
		}
	}
	return append(own, moving...)
}

// The headings of the keys of a pane.
const (
	usualKeys = "In every pane"
	ownKeys   = "In this pane"
	goingKeys = "Navigation"
)

// paneKeys returns the keys of the pane: its own actions in their order, then those for moving and
// leaving.
func (a helper) paneKeys() []helpRow {
	var usual, own, going []helpRow
	leaves := false // the pane declares itself how to get back to the chat
	for _, d := range actionsHere(a.app) {
		row, ok := a.helpRow(d.Name, keys.Pane, cmp.Or(d.Text, d.Hint), &d)
		leaves = leaves || d.Name == keys.ToBrowse
		switch {
		case !ok || isMoving(d.Name):
		case slices.Contains(commonPaneKeys, d.Name):
			usual = append(usual, row)
		default:
			own = append(own, row)
		}
	}
	slices.SortStableFunc(usual, func(x, y helpRow) int {
		return slices.Index(commonPaneKeys, x.act) - slices.Index(commonPaneKeys, y.act)
	})
	if t, ok := a.pane.(pane.Tabbed); ok {
		names, at := t.Views()
		next := strings.ToLower(names[(at+1)%len(names)])
		if row, ok := a.helpRow(keys.PaneFocus, keys.Pane, "next view: "+next, nil); ok {
			going = append(going, row)
		}
		var numbers []string
		for _, act := range viewActions[:min(len(names), len(viewActions))] {
			numbers = append(numbers, a.keys.Key(act, keys.Pane))
		}
		going = append(going, helpRow{keys: strings.Join(numbers, " "),
			words: strings.ToLower(strings.Join(names, ", "))})
	} else if row, ok := a.helpRow(keys.PaneFocus, keys.Pane, "back to the chat; the pane stays open", nil); ok {
		going = append(going, row)
	}
	going = append(a.movingKeys(keys.Pane), going...)
	for _, act := range []keys.Name{keys.ToBrowse, keys.PaneClose} {
		w := map[keys.Name]string{keys.ToBrowse: "back to the chat", keys.PaneClose: "close the pane"}[act]
		if row, ok := a.helpRow(act, keys.Pane, w, nil); ok && !(act == keys.ToBrowse && leaves) {
			going = append(going, row)
		}
	}
	return slices.Concat(under(usualKeys, usual), under(ownKeys, own), under(goingKeys, going))
}

// commonPaneKeys are the actions that have the same key in all panes, in the order of the help.
var commonPaneKeys = []keys.Name{keys.PaneEnter, keys.PaneNew, keys.PaneEdit, keys.PaneDelete, keys.PaneUndo,
	keys.PaneRegenerate, keys.PaneMark, keys.PaneFilter}

// modeKeys returns the keys of the composer or of the messages, besides those of the whole screen.
func (a helper) modeKeys(mode keys.Mode) []helpRow {
	var rows []helpRow
	var groups []string
	for _, b := range a.keys.Bindings() {
		own := b.Modes&mode != 0 && (b.Modes != keys.Any || mode == keys.Write && b.Group == keys.WritingGroup) &&
			b.Group != keys.GeneralGroup
		if !own || isMoving(b.Action) || b.Action == keys.PaneFocus && a.pane == nil {
			continue
		}
		if row, ok := a.helpRow(b.Action, mode, b.Description(), a.actions[b.Action]); ok {
			if row.group = b.Group; !slices.Contains(groups, b.Group) {
				groups = append(groups, b.Group)
			}
			rows = append(rows, row)
		}
	}
	first := map[keys.Mode]string{keys.Write: keys.WritingGroup, keys.Browse: keys.MessageGroup}[mode]
	slices.SortStableFunc(rows, func(x, y helpRow) int {
		return place(groups, first, x.group) - place(groups, first, y.group)
	})
	rows = append(rows, under(goingKeys, a.movingKeys(mode))...)
	for _, act := range []keys.Name{keys.Palette, keys.Guide} {
		if b := a.binding(act); b != nil {
			if row, ok := a.helpRow(act, mode, b.Description(), a.actions[act]); ok {
				row.group = b.Group
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// place returns the position of a heading among groups. The heading first comes before all of them.
func place(groups []string, first, group string) int {
	if group == first {
		return -1
	}
	return slices.Index(groups, group)
}

// allKeys returns the rows of all actions.
func (a helper) allKeys() []helpRow {
	var rows []helpRow
	over := a.dialogs.Top() != nil
	for _, b := range a.keys.Bindings() {
		if len(b.Keys()) == 0 {
			continue
		}
		words := b.Description()
		if b.Modes != keys.Any && b.Modes != keys.Write && b.Group == keys.PlayGroup {
			words += " (browse)"
		}
		var why string
		var do func() tea.Cmd
		if d := a.actions[b.Action]; d != nil && b.Modes == keys.Any && !over {
			why, do = d.Why(), func() tea.Cmd { return a.Run(b.Action) }
		}
		rows = append(rows, helpRow{act: b.Action, keys: labels(b.Keys(), keys.Any), words: words, why: why,
			group: b.Group, do: do})
	}
	return rows
}

// pairs are actions that move, each with the one for the opposite direction, shown in one row.
var pairs = []struct {
	one, other keys.Name
	words      string
}{
	{keys.SelectUp, keys.SelectDown, "previous or next message"},
	{keys.First, keys.Last, "first or last message"},
	{keys.SwipeLeft, keys.SwipeRight, "previous or next swipe, or a new one"},
	{keys.SceneBefore, keys.SceneAfter, "previous or next scene"},
	{keys.PaneUp, keys.PaneDown, "up or down"},
	{keys.PaneTop, keys.PaneBottom, "first or last row"},
	{keys.OlderSent, keys.NewerSent, "previous or next sent message"},
	{keys.PageUp, keys.PageDown, "page up or down"},
	{keys.DialogUp, keys.DialogDown, "up or down"},
	{keys.DialogFieldUp, keys.DialogFieldDown, "field above or below"},
	{keys.DialogPageUp, keys.DialogPageDown, "page up or down"},
	{keys.DialogTop, keys.DialogBottom, "first or last"},
}

// isMoving reports whether an action shares a row with the action for the opposite direction.
func isMoving(act keys.Name) bool {
	for _, p := range pairs {
		if act == p.one || act == p.other {
			return true
		}
	}
	return false
}

// movingKeys returns the rows of a mode's pairs.
func (a helper) movingKeys(mode keys.Mode) []helpRow {
	var rows []helpRow
	for _, p := range pairs {
		one, other := a.binding(p.one), a.binding(p.other)
		if one == nil || other == nil || one.Modes&mode == 0 {
			continue
		}
		if k := strings.TrimSpace(labels(one.Keys(), mode) + " " + labels(other.Keys(), mode)); k != "" {
			rows = append(rows, helpRow{keys: k, words: p.words})
		}
	}
	return rows
}

// helpRow returns the row of an action; ok is false if no key leads to the action in the mode. d is
// the action as it is declared there, or nil.
func (a helper) helpRow(act keys.Name, mode keys.Mode, words string, d *keys.Action) (row helpRow, ok bool) {
	b := a.binding(act)
	if b == nil || b.Modes&mode == 0 {
		return helpRow{}, false
	}
	if words == "" {
		words = b.Description()
	}
	row = helpRow{act: act, keys: labels(b.Keys(), mode), words: words, do: func() tea.Cmd { return a.Run(act) }}
	if d != nil {
		row.why = d.Why()
	}
	return row, row.keys != ""
}

func (a *app) binding(act keys.Name) *keys.Binding {
	list := a.keys.Bindings()
	if i := slices.IndexFunc(list, func(b keys.Binding) bool { return b.Action == act }); i >= 0 {
		return &list[i]
	}
	return nil
}

// labels returns the display names of keys, without those that are text in the mode.
func labels(list []string, mode keys.Mode) string {
	var out []string
	for _, k := range list {
		if mode != keys.Write || !keys.Printable(k) {
			out = append(out, keys.Label(k))
		}
	}
	return strings.Join(out, " ")
}

// under sets the heading of rows.
func under(group string, rows []helpRow) []helpRow {
	for i := range rows {
		rows[i].group = group
	}
	return rows
}
