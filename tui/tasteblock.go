package tui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/storyboard"
	"ghostlight/engine/taste"
	"ghostlight/storage"
	"ghostlight/tui/look"
	"ghostlight/tui/painter"
)

// leaves is a dialog of pages, of which one is shown at a time.
type leaves struct {
	sheet
	of    int // pages
	leaf  int // the one that is shown
	title func(i int) string
	lay   func(i, w int, lk *look.Look) []string // styled and safe
	lines []string                               // of a page, laid out for a width
	width int
	shown int
}

func (d *leaves) handle(msg tea.Msg) (tea.Cmd, bool) {
	step := 0
	switch keystroke(msg) {
	case "esc", "q", "enter", "ctrl+c":
		return nil, true
	case "left", "h":
		step = -1
	case "right", "l":
		step = 1
	default:
		d.sheet.handle(msg)
	}
	if to := d.leaf + step; step != 0 && to >= 0 && to < d.of {
		d.leaf, d.sheet.at = to, 0
	}
	return nil, false
}

func (d *leaves) draw(buf uv.ScreenBuffer, screen uv.Rectangle, lk *look.Look) *painter.Cursor {
	area := look.Centred(screen, 100, screen.Dy())
	in := look.Frame(buf, area, lk, d.title(d.leaf), "← → turn over · ↑↓ scroll · esc close")
	if w := in.Dx() - 1; d.lines == nil || d.width != w || d.shown != d.leaf {
		d.lines, d.width, d.shown = d.lay(d.leaf, w, lk), w, d.leaf
	}
	in.Max.X--
	d.sheet.draw(buf, in, d.lines, lk)
	return nil
}

// openBlocks shows what each tool would be told now.
func (p *tastePane) openBlocks(a *app) tea.Cmd {
	eng, scope := a.eng, p.scope
	var tools []string
	for _, t := range storyboard.Tools() {
		if t.Planning {
			tools = append(tools, t.Name)
		}
	}
	tools = append(tools, taste.SteerTool)
	return a.do(func() func() tea.Cmd {
		var told []storage.TasteUsed
		for _, t := range tools {
			u, err := eng.TasteBlock(scope, t)
			if err != nil {
				return func() tea.Cmd { return a.fail(err) }
			}
			told = append(told, u)
		}
		return func() tea.Cmd {
			a.dialogs.open(&leaves{of: len(tools),
				title: func(i int) string {
					return fmt.Sprintf("What a plan is told: %s · %d of %d", toolWords(tools[i]), i+1, len(tools))
				},
				lay: func(i, w int, lk *look.Look) []string { return blockLines(&told[i], w, lk) }})
			return nil
		}
	})
}

// blockLines are the lines about what a tool is told.
func blockLines(u *storage.TasteUsed, w int, lk *look.Look) []string {
	t := look.Lines{Width: max(1, w)}
	if look.Blank(u.Block) {
		t.Add(lk.Dim, "Nothing: there is no profile and no card yet, or the settings say that plans are not told of it (taste.use).")
		return t.Text
	}
	t.Add(lk.Dim, "Told with "+look.Plural(len(u.Cards), "card")+"; it is made anew for each plan, and nothing of any scene is in it:")
	t.Blank()
	t.Add(lk.Base, u.Block)
	return t.Text
}
