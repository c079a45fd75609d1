package play

import (
	"maps"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Painted implements pane.Painted: it reads the recaps that drawing has found missing.
func (r *Part) Painted() tea.Cmd {
	p, chat, nodes := r.list, r.view.Chat.ID, r.list.Marks.Wanted
	if len(nodes) == 0 {
		return nil
	}
	p.Marks.Wanted = nil
	breaks, asked := make([]storage.NodeID, len(nodes)), maps.Clone(p.Marks.Asked)
	for i, node := range nodes {
		if m := p.Marks.At[node]; m != nil {
			breaks[i] = m.Scene.Break
		}
	}
	return r.host.Do(func() func() tea.Cmd {
		texts := map[storage.NodeID]string{}
		var fault error
		for i, node := range nodes {
			v, err := r.host.Engine().Scenes.SceneRecap(chat, breaks[i])
			if err != nil {
				fault = err
			} else if cur := v.Version(); cur != nil {
				texts[node] = shownRecap(cur.Text)
			}
		}
		return func() tea.Cmd {
			// These were requested again.
			maps.DeleteFunc(texts, func(node storage.NodeID, _ string) bool {
				return p.Marks.Asked[node] != asked[node]
			})
			p.KeepInPlace(func() {
				for node, text := range texts {
					p.ShowRecap(node, text)
				}
			})
			if _, ok := texts[p.Marks.Unfold]; ok {
				p.Unfold(p.Find(p.Marks.Unfold))
				p.Marks.Unfold = ""
			}
			if fault != nil {
				r.host.Log().Warn("a recap could not be read", "err", fault)
			}
			return nil
		}
	})
}
