package lore

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

// source is a fact of an entry that can be chosen: it is known where it came from, or it
// has ended.
type source struct {
	storage.LoreFact
	nth  int        // which of the content's facts it is, -1 for none
	over *lore.Over // how it ended, nil where it holds
}

// sourcesOf are the facts of an entry that can be chosen, those that came from somewhere
// first.
func sourcesOf(v *lore.EntryView) (out []source) {
	all := plist.Facts(v.Content)
	over := func(nth int) *lore.Over {
		if at := slices.IndexFunc(v.Over, func(o lore.Over) bool { return o.Nth == nth }); at >= 0 {
			return &v.Over[at]
		}
		return nil
	}
	named := map[int]bool{}
	for _, f := range v.Facts {
		s := source{LoreFact: f, nth: slices.Index(all, f.Text)}
		s.over, named[s.nth] = over(s.nth), true
		out = append(out, s)
	}
	for i, o := range v.Over {
		if !named[o.Nth] {
			out = append(out, source{LoreFact: storage.LoreFact{Text: o.Fact}, nth: o.Nth, over: &v.Over[i]})
		}
	}
	return out
}

// whyNotEnd says why the chosen fact cannot be ended or reopened, "" where it can.
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

// end ends the chosen fact in the chat; one that has ended holds again.
func (r *reader) end() tea.Cmd {
	f, eng, chat, entry := r.sources[r.fact], r.host.Engine(), r.p.chat, r.k.entry
	do, words := eng.Lore.EndFact, "“"+draw.Within(f.Text, 40)+"” ended: no longer sent in this chat"
	if f.over != nil {
		do, words = eng.Lore.ReopenFact, "“"+draw.Within(f.Text, 40)+"” reopened"
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
