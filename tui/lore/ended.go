package lore

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// factSource is a fact of an entry that can be selected: it has known sources or has ended.
type factSource struct {
	storage.LoreFact
	nth  int             // index among the content's facts, -1 for none
	over *lore.EndedFact // how it ended, nil if it has not
}

// sourcesOf returns the selectable facts of an entry, those with sources first.
func sourcesOf(v *lore.EntryView) (out []factSource) {
	all := plist.Facts(v.Content)
	over := func(nth int) *lore.EndedFact {
		if at := slices.IndexFunc(v.Ended, func(o lore.EndedFact) bool { return o.Nth == nth }); at >= 0 {
			return &v.Ended[at]
		}
		return nil
	}
	named := map[int]bool{}
	for _, f := range v.Facts {
		s := factSource{LoreFact: f, nth: slices.Index(all, f.Text)}
		s.over, named[s.nth] = over(s.nth), true
		out = append(out, s)
	}
	for i, o := range v.Ended {
		if !named[o.Nth] {
			out = append(out, factSource{LoreFact: storage.LoreFact{Text: o.Fact}, nth: o.Nth, over: &v.Ended[i]})
		}
	}
	return out
}

// whyNotEnd returns why the selected fact cannot be ended or reopened, "" if it can.
func (r *reader) whyNotEnd() string {
	switch {
	case r.fact < 0:
		return "no sources recorded here; end facts in the facts pane instead"
	case r.p.chat == "":
		return "facts end in a chat: open one first"
	case r.sources[r.fact].nth < 0:
		return "the entry no longer says this"
	}
	return ""
}

// end ends the selected fact in the chat, or reopens it.
func (r *reader) end() tea.Cmd {
	f, eng, chat, entry := r.sources[r.fact], r.host.Engine(), r.p.chat, r.k.entry
	do, words := eng.Lore.EndFact, "“"+draw.Truncate(f.Text, 40)+"” ended: no longer sent in this chat"
	if f.over != nil {
		do, words = eng.Lore.ReopenFact, "“"+draw.Truncate(f.Text, 40)+"” reopened"
	}
	return r.p.Order.Do(r.host, func() func() tea.Cmd {
		back, err := do(chat, entry, f.nth)
		return func() tea.Cmd {
			if err != nil {
				return r.host.Fail(err)
			}
			return r.p.Changed(words, back)
		}
	})
}
