package scenes

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// recapSearch is a picker whose entries come from a search of the store while the user types.
type recapSearch struct {
	*widget.Picker
	host  pane.Host
	chat  storage.ChatID
	asked string // the last search
	nth   int
}

const (
	// searchPause is the time without typing after which the search starts.
	searchPause = 120 * time.Millisecond
	maxHits     = 200
)

// openSearch searches all recaps of the chat.
func (r *Part) openSearch() tea.Cmd {
	if r.host.Play().Chat().Chat.ID == "" {
		return r.host.Say(event.Info, "no chat is open")
	}
	s := newSearch(r.host, func(e widget.Entry) tea.Cmd { return r.openHit(e.Value.(scenes.RecapHit)) })
	s.Filter.Area.Placeholder = "search text"
	s.Empty = "Searches every version of every recap in this chat."
	r.host.Open(s)
	return nil
}

// newSearch makes the picker without entries.
func newSearch(d pane.Host, pick func(e widget.Entry) tea.Cmd) *recapSearch {
	s := &recapSearch{host: d, chat: d.Play().Chat().Chat.ID,
		Picker: widget.NewPicker(d.Styles(), "Search the recaps", nil, pick)}
	s.Rank = func(string) (all []int) { // the old results stay until the new ones are known
		for i := range s.All {
			all = append(all, i)
		}
		return all
	}
	return s
}

// Handle implements widget.Dialog.
func (s *recapSearch) Handle(msg tea.Msg) (tea.Cmd, bool) {
	before := s.Filter.Value()
	cmd, done := s.Picker.Handle(msg)
	if s.Filter.Value() != before {
		cmd = tea.Batch(cmd, s.searchSoon())
	}
	return cmd, done
}

// searchSoon searches a moment after the last key.
func (s *recapSearch) searchSoon() tea.Cmd {
	s.nth++
	nth := s.nth
	return tea.Tick(searchPause, func(time.Time) tea.Msg {
		return pane.Callback(func() tea.Cmd {
			if nth != s.nth {
				return nil // more was typed since
			}
			return s.search()
		})
	})
}

func (s *recapSearch) search() tea.Cmd {
	want := strings.TrimSpace(s.Filter.Value())
	if want == s.asked {
		return nil
	}
	s.asked = want
	return s.host.Do(func() func() tea.Cmd {
		hits, err := s.host.Engine().Scenes.SearchRecaps(s.chat, want, maxHits)
		return func() tea.Cmd {
			if err != nil {
				return s.host.Fail(err)
			}
			if want == s.asked {
				s.setHits(want, hits)
			}
			return nil
		}
	})
}

// setHits shows the results, in the order of the story.
func (s *recapSearch) setHits(want string, hits []scenes.RecapHit) {
	var list []widget.Entry
	for _, h := range hits {
		list = append(list, widget.Entry{Title: hitName(h), Detail: trimSnippet(h.Snippet, want),
			Right: fmt.Sprintf("v%d", h.Version), Value: h})
	}
	s.At, s.Top = 0, 0
	s.Fill(list)
	s.Empty = "No match for “" + draw.Truncate(want, 40) + "”."
	if want == "" {
		s.Empty = "Type to search."
	}
}

// trimSnippet returns a snippet from a little before the match on.
func trimSnippet(snippet, want string) string {
	snippet = strings.Join(strings.Fields(snippet), " ")
	at := strings.Index(strings.ToLower(snippet), strings.ToLower(strings.Join(strings.Fields(want), " ")))
	if at > len(snippet) {
		return snippet // lower case changed the length
	}
	const before = 20
	if at < before {
		return strings.TrimPrefix(snippet, "- ")
	}
	if i := strings.LastIndex(snippet[:at], " - "); i >= at-2*before {
		return snippet[i+3:]
	}
	if i := strings.LastIndexByte(snippet[:at-before/2], ' '); i >= 0 {
		return "… " + snippet[i+1:]
	}
	return snippet
}

// hitName names the recap of a hit.
func hitName(h scenes.RecapHit) string {
	switch {
	case h.Kind == storage.RunningRecap:
		return "Running recap"
	case h.Kind == storage.MessageRecap:
		return "A message"
	case h.Scene == 0:
		return "On another branch"
	}
	name := fmt.Sprintf("%d", h.Scene)
	if h.Name != "" {
		name += " " + draw.Truncate(h.Name, 30)
	}
	return name
}

// openHit shows the found version; the current version does not change.
func (r *Part) openHit(h scenes.RecapHit) tea.Cmd {
	p := newRecapPane(r, "", h.Node)
	p.pick = h.Recap
	switch h.Kind {
	case storage.RunningRecap:
		p.of, p.node = storage.RunningRecap, ""
	case storage.MessageRecap:
		p.of = storage.MessageRecap
	}
	return r.showRecap(p)
}
