package taste

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// openBlocks shows the current text for each tool.
func (p *tastePane) openBlocks() tea.Cmd {
	eng, scope := p.Host.Engine(), p.scope
	var tools []string
	for _, t := range storyboard.Tools() {
		if t.Planning {
			tools = append(tools, t.Name)
		}
	}
	tools = append(tools, lessons.SteerTool, lessons.PictureTool, lessons.RecapTool, lessons.ProseTool)
	return p.Host.Do(func() func() tea.Cmd {
		var told []storage.TasteUse
		for _, t := range tools {
			u, err := eng.Taste.Block(scope, t)
			if err != nil {
				return func() tea.Cmd { return p.Host.Fail(err) }
			}
			told = append(told, u)
		}
		return func() tea.Cmd {
			p.Host.Open(&widget.Pages{Count: len(tools),
				Title: func(i int) string {
					return fmt.Sprintf("Profile text for plans: %s · %d of %d", pane.ToolWords(tools[i]),
						i+1, len(tools))
				},
				Lay: func(i, w int, sty *draw.Styles) []string { return blockLines(&told[i], w, sty) }})
			return nil
		}
	})
}

// blockLines returns the lines about a tool's text.
func blockLines(u *storage.TasteUse, w int, sty *draw.Styles) []string {
	t := draw.Lines{Width: max(1, w)}
	if draw.Blank(u.Block) {
		t.Add(sty.Dim, "Empty: there is no profile yet, or taste is turned off in the settings (taste.use).")
		return t.Text
	}
	t.Add(sty.Dim, "Sent with "+draw.Plural(len(u.Cards), "card")+"; rebuilt for each plan, without story content:")
	t.Blank()
	t.Add(sty.Base, u.Block)
	return t.Text
}
