package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/widget"
)

func (a *app) openPalette() tea.Cmd {
	var entries []widget.Entry
	mode := a.mode
	for _, b := range a.keys.Bindings() {
		if b.Hidden || b.Action == keys.Palette {
			continue
		}
		detail := string(b.Action)
		if detail == b.Help {
			detail = ""
		}
		entries = append(entries, widget.Entry{Title: b.Help, Detail: detail, Right: a.keys.AnyKey(b.Action), Value: b})
	}
	a.dialogs.Open(widget.NewPicker(a.lk, "Commands", entries, func(e widget.Entry) tea.Cmd {
		b := e.Value.(keys.Binding)
		if b.Modes&mode == 0 && b.Modes&keys.Browse != 0 {
			a.rooms.play.Browse()
		}
		return a.Run(b.Action)
	}))
	return nil
}

func (a *app) openHelp() tea.Cmd {
	a.dialogs.Open(&widget.Reader{Title: "Help", Also: a.openGuide, AlsoWords: "guide", Lines: func(w int) []string {
		var out []string
		group := ""
		for _, b := range a.keys.Bindings() {
			if len(b.Keys) == 0 {
				continue
			}
			if b.Group != group {
				if group = b.Group; len(out) > 0 {
					out = append(out, "")
				}
				out = append(out, a.lk.Title.Styled(group))
			}
			var labels []string
			col := max(10, min(26, w/3))
			for _, k := range b.Keys {
				labels = append(labels, keys.Label(k))
			}
			words := b.Help
			if b.Modes != keys.Any && b.Modes != keys.Write && group == "The play" {
				words += " (browse)"
			}
			out = append(out, a.helpLines(strings.Join(labels, ", "), words, col, w)...)
		}
		out = append(out, "")
		for _, l := range look.Wrap("Paste or drop a card or a chat file to import it. Keys can be changed in config.toml.", w) {
			out = append(out, a.lk.Dim.Styled(l))
		}
		return out
	}})
	return nil
}

// helpLines are keys in a column of col cells, and beside it what they do.
func (a *app) helpLines(labels, words string, col, w int) []string {
	var out []string
	if ansi.StringWidth(labels) > col {
		out, labels = append(out, "  "+a.lk.Key.Styled(labels)), ""
	}
	for _, l := range look.Wrap(words, max(1, w-col-3)) {
		out = append(out, "  "+a.lk.Key.Styled(fmt.Sprintf("%-*s", col, labels))+" "+a.lk.Base.Styled(l))
		labels = ""
	}
	return out
}
