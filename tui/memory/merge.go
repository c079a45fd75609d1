package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// mergeMemories asks which of two memories absorbs the other: the two marked ones, or the marked
// and the chosen one.
func mergeMemories(v *list[memory.MemoryView]) tea.Cmd {
	pair := v.targets(nil)
	if x := v.Item(); x != nil && len(pair) == 1 && pair[0].ID != x.ID {
		pair = append(pair, *x)
	}
	if len(pair) != 2 {
		return v.Host.Say(event.Info, "to merge two memories, select both, or select one and go to the other")
	}
	if pair[0].Removed || pair[1].Removed {
		return v.Host.Say(event.Info, "one of them is removed; restore it first")
	}
	into := func(i int) func() tea.Cmd {
		return func() tea.Cmd {
			s, stays, goes := v.story(), pair[i].ID, pair[1-i].ID
			clear(v.Marked)
			v.PendingKey = string(stays)
			return v.p.Change("“"+draw.Truncate(pair[1-i].Content, 30)+"” merged into “"+
				draw.Truncate(pair[i].Content, 30)+"”",
				func() error { return s.Merge(s.scope, stays, goes) }, nil)
		}
	}
	v.Host.Open(&widget.Confirm{Title: "Merge two memories",
		Text: "One is kept, with its text and the sources of both; the other is permanently deleted. Which one do " +
			"you want to keep?", Choices: []widget.Choice{
			{Key: "n", Words: "cancel", Do: nil}, {Key: "1", Words: "“" + draw.Truncate(pair[0].Content, 120) + "”",
				Do: into(0)}, {Key: "2", Words: "“" + draw.Truncate(pair[1].Content, 120) + "”", Do: into(1)}}})
	return nil
}
