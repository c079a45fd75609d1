package memory

import (
	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// factSheet shows a fact, or a pair of facts, with their messages.
func factSheet(p *facts, r row) *sheet {
	v := p.view
	one := func(f *memory.Fact, t *draw.Lines, sty *draw.Styles) {
		t.Add(sty.Base, draw.UpTo(f.Text, draw.MaxReadLen))
		t.Add(sty.Dim, about(f))
		t.Add(sty.Accent, promptWords(f, v))
	}
	title, head := "A fact", func(t *draw.Lines, sty *draw.Styles) { one(&r.fact, t, sty) }
	if r.other != nil {
		title, head = "Two facts", func(t *draw.Lines, sty *draw.Styles) {
			t.Add(sty.Title, r.verdict())
			t.Blank()
			one(&r.fact, t, sty)
			t.Blank()
			one(r.other, t, sty)
		}
	}
	var places []place
	for _, m := range r.sources() {
		places = append(places, place{nodes: []storage.NodeID{m.Message}, number: m.Number})
	}
	acts := p.onRow(func(do func(r row) tea.Cmd) func() tea.Cmd {
		return func() tea.Cmd { return do(r) }
	})
	return newSheet(p.p, title, places, acts, head)
}
