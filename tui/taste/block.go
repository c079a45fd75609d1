package taste

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/taste/lessons"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/desk"
	"github.com/ghostlight-theatre/ghostlight/tui/look"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// openBlocks shows what each tool would be told now.
func (p *pane) openBlocks() tea.Cmd {
	eng, scope := p.Desk.Engine(), p.scope
	var tools []string
	for _, t := range storyboard.Tools() {
		if t.Planning {
			tools = append(tools, t.Name)
		}
	}
	tools = append(tools, lessons.SteerTool, lessons.PictureTool, lessons.RecapTool, lessons.ProseTool)
	return p.Desk.Do(func() func() tea.Cmd {
		var told []storage.TasteUsed
		for _, t := range tools {
			u, err := eng.Taste.Block(scope, t)
			if err != nil {
				return func() tea.Cmd { return p.Desk.Fail(err) }
			}
			told = append(told, u)
		}
		return func() tea.Cmd {
			p.Desk.Open(&widget.Pages{Count: len(tools),
				Title: func(i int) string {
					return fmt.Sprintf("Profile text for plans: %s · %d of %d", desk.ToolWords(tools[i]), i+1, len(tools))
				},
				Lay: func(i, w int, lk *look.Look) []string { return blockLines(&told[i], w, lk) }})
			return nil
		}
	})
}

// blockLines are the lines about what a tool is told.
func blockLines(u *storage.TasteUsed, w int, lk *look.Look) []string {
	t := look.Lines{Width: max(1, w)}
	if look.Blank(u.Block) {
		t.Add(lk.Dim, "Empty: there is no profile yet, or taste is turned off in the settings (taste.use).")
		return t.Text
	}
	t.Add(lk.Dim, "Sent with "+look.Plural(len(u.Cards), "card")+"; rebuilt for each plan, without story content:")
	t.Blank()
	t.Add(lk.Base, u.Block)
	return t.Text
}
