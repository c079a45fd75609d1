package play

import (
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// maxFound is the maximum number of hits of one search.
const maxFound = 500

// search is the current query, with its hits on the shown branch.
type search struct {
	text  string
	scope int
	query chats.Query
	hits  []searchHit
	at    int   // in hits; -1 before the first
	of    *List // the list that was searched
	all   bool  // the hits are known
	part  bool  // more hits are being searched
	left  int   // messages that had to be searched one by one
	steps int   // hits to move once they are known
	reads widget.Latest
	stop  context.CancelFunc // cancels the running search
	wish  searchHit          // to be shown once its chat is open
}

// opened goes to the hit that waited for its chat.
func (s *search) opened(r *Part) tea.Cmd {
	h := s.wish
	if h.node == "" || h.chat != r.view.Chat.ID {
		return nil
	}
	s.wish = searchHit{}
	r.list.Highlight(s.query)
	return r.Find(h.node, func(there bool) tea.Cmd {
		if !there {
			return nil
		}
		r.screen.SetMode(keys.Browse)
		r.list.showHit(r.list.Find(h.node))
		return r.nearby()
	})
}

// finder is the input line of the search. Hits on the branch are shown in the play itself; other
// hits are in a list above the line.
type finder struct {
	widget.Base
	*search
	part *Part
	in   *widget.Input
	was  storage.NodeID // the message that was selected before
	top  int            // the first result in view
	area uv.Rectangle   // of the list
	twos widget.Clicks
}

// openSearch asks for the text to search. The last text is filled in, and typing replaces it.
func (r *Part) openSearch() tea.Cmd {
	f := &finder{search: &r.search, part: r, in: widget.NewInput(true)}
	f.in.SetStyles(r.host.Styles())
	f.in.Area.Placeholder = "words, or \"exact phrase\""
	f.in.Set(f.text)
	f.in.Area.SelectAll()
	f.in.Focus()
	if m, ok := r.Selected(); ok {
		f.was = m.ID
	}
	f.scope = inBranch
	r.host.Open(f)
	return f.start()
}

// searchNext goes to the next hit further up. If the hits are not known yet it moves as soon as
// they are.
func (r *Part) searchNext() tea.Cmd {
	s := &r.search
	switch {
	case s.text == "" || s.query.Empty():
		return r.openSearch()
	case s.of != r.list:
		s.steps = 0
		return s.run(r)
	case !s.all:
		s.steps++
		return s.run(r)
	case s.at+1 >= len(s.hits) && s.part:
		s.steps++
		return r.host.Say(event.Info, "still searching for \""+s.text+"\" in older messages")
	case s.at+1 >= len(s.hits):
		return s.ended(r)
	}
	return s.step(r, 1)
}

// ended reports that there is no hit further up.
func (s *search) ended(r *Part) tea.Cmd {
	s.at = -1
	return r.host.Say(event.Info, "\""+s.text+"\" not found in older messages; "+
		r.host.Keys().Key(keys.SearchNext, keys.Browse)+" starts again at the end")
}

// start searches the typed text, instead of the earlier one.
func (f *finder) start() tea.Cmd {
	f.text, f.steps = strings.TrimSpace(f.in.Value()), 0
	f.query = chats.NewQuery(f.text)
	f.part.list.Highlight(f.query)
	return f.search.run(f.part)
}

// run finds the hits, away from the screen's goroutine, and shows the first one on the branch, or
// the one that was requested meanwhile. If that takes long, it shows the first results and
// continues.
func (s *search) run(r *Part) tea.Cmd {
	newest := s.reads.Begin()
	if s.stop != nil {
		s.stop()
	}
	s.part = false
	if s.query.Empty() {
		s.hits, s.at, s.all = nil, -1, true
		return nil
	}
	s.all, s.of = false, r.list
	ctx, stop := context.WithCancel(r.host.Context())
	s.stop = stop
	w := searchRequest{host: r.host, chat: r.view.Chat.ID, text: s.text, scope: s.scope}
	list := r.list
	current := func() bool { return newest() && r.list == list }
	return pane.Get(r.host, func() (searchResult, error) {
		return w.run(ctx, chats.AnswerWithin)
	}, func(got searchResult) tea.Cmd {
		if !current() {
			return nil
		}
		cmd := s.setResult(r, got)
		if got.whole {
			return cmd
		}
		return tea.Batch(cmd, pane.Get(r.host, func() (searchResult, error) { return w.run(ctx, 0) },
			func(got searchResult) tea.Cmd {
				if !current() || !got.whole {
					return nil
				}
				return s.setResults(r, got)
			}))
	})
}

// setResult shows a result.
func (s *search) setResult(r *Part, got searchResult) tea.Cmd {
	s.hits, s.at, s.all, s.part, s.left = got.hits, -1, true, !got.whole, got.left
	switch {
	case s.scope != inBranch:
		if s.steps != 0 {
			s.moveInList(0)
		}
		return nil
	case len(s.hits) == 0:
		return nil
	}
	steps := 1 + s.steps
	if s.steps = 0; s.part { // some of them may apply to the hits still to come
		s.steps = max(0, steps-len(s.hits))
	}
	return s.step(r, steps)
}

// setResults shows more complete results. The current hit stays selected.
func (s *search) setResults(r *Part, got searchResult) tea.Cmd {
	if s.at < 0 || s.at >= len(s.hits) {
		return s.setResult(r, got)
	}
	was, steps := s.hits[s.at], s.steps
	s.hits, s.part, s.left = got.hits, false, got.left
	s.at = max(0, slices.Index(s.hits, was))
	if s.scope != inBranch {
		s.moveInList(0)
		return nil
	}
	s.steps = 0
	switch {
	case steps == 0:
		return nil
	case s.at+1 >= len(s.hits):
		return s.ended(r)
	}
	return s.step(r, steps)
}

// step goes n hits further up, or down if n is negative, and shows the hit.
func (s *search) step(r *Part, n int) tea.Cmd {
	if len(s.hits) == 0 {
		return nil
	}
	s.at = max(0, min(s.at+n, len(s.hits)-1))
	node := s.hits[s.at].node
	return r.Find(node, func(there bool) tea.Cmd {
		if i := r.list.Find(node); there && i >= 0 {
			r.list.showHit(i)
		}
		return r.nearby()
	})
}

// moveInList goes n rows down in the list of hits outside the branch. While more hits are being
// searched, rows beyond the hits so far are kept for those still to come.
func (s *search) moveInList(n int) {
	row := max(0, max(s.at, 0)+s.steps+n)
	s.at = min(row, len(s.hits)-1)
	if s.steps = 0; s.part {
		s.steps = row - max(s.at, 0)
	}
}

// tally returns the number of the current hit and the total.
func (s *search) tally() string {
	n := len(s.hits)
	switch {
	case s.query.Empty():
		return ""
	case !s.all:
		return "…"
	case n == 0 && s.part:
		return "not found yet …"
	case n == 0:
		return "not found"
	}
	of := fmt.Sprint(n)
	switch {
	case n == maxFound:
		of += "+"
	case s.part:
		of += " so far …"
	}
	return fmt.Sprintf("%d/%s", max(s.at, 0)+1, of)
}

// manyLeft is the number of unindexed messages up to which no notice is shown.
const manyLeft = 2000

// indexing returns words about the messages that are not indexed yet, "" for none.
func (s *search) indexing() string {
	if s.left < manyLeft || s.scope > inChats || s.query.Empty() {
		return ""
	}
	return draw.Thousands(s.left) + " messages are not indexed yet"
}

// Handle implements widget.Dialog.
func (f *finder) Handle(msg tea.Msg) (tea.Cmd, bool) {
	switch m := msg.(type) {
	case tea.MouseWheelMsg:
		step := 1
		if m.Button == tea.MouseWheelUp {
			step = -1
		}
		return f.move(step), false
	case tea.MouseClickMsg:
		if row := m.Y - f.area.Min.Y; f.scope != inBranch && m.X >= f.area.Min.X && m.X < f.area.Max.X && row >= 0 &&
			f.top+row < len(f.hits) && m.Y < f.area.Max.Y {
			f.at, f.steps = f.top+row, 0
			if f.twos.IsDouble(m) {
				return f.leave(), true
			}
		}
		return nil, false
	case tea.KeyPressMsg, tea.PasteMsg:
	default:
		return nil, false
	}
	before := f.in.Value()
	cmd := f.in.Update(msg)
	if f.in.Value() != before {
		cmd = tea.Batch(cmd, f.start())
	}
	return cmd, false
}

// Typing implements widget.Dialog.
func (*finder) Typing() bool { return true }

// Actions implements widget.Dialog.
func (f *finder) Actions() []keys.Action {
	page := func() int { return max(1, f.area.Dy()) }
	move := func(name keys.Name, n func() int) keys.Action {
		return keys.Action{Name: name, Do: func() tea.Cmd { return f.move(n()) }}
	}
	scope := func(name keys.Name, step int) keys.Action {
		return keys.Action{Name: name, Do: func() tea.Cmd {
			f.scope = (f.scope + step) % searchScopes
			return f.start()
		}}
	}
	next := scope(keys.DialogNext, 1)
	next.Label = func() string { return scopeNames[(f.scope+1)%searchScopes] }
	up := move(keys.DialogUp, func() int { return -1 })
	up.Hint, up.Until = "results", keys.DialogDown
	return []keys.Action{next, up,
		{Name: keys.DialogEnter, Hint: "go to", Do: f.enter}, {Name: keys.DialogClose, Hint: "back", Do: f.back},
		scope(keys.DialogPrevious, searchScopes-1), move(keys.DialogDown, func() int { return 1 }),
		move(keys.DialogPageUp, func() int { return -page() }), move(keys.DialogPageDown, page)}
}

// back closes the line, and selects the earlier message again.
func (f *finder) back() tea.Cmd {
	f.Close()
	f.part.list.Highlight(chats.Query{})
	if f.scope == inBranch && f.was != "" && len(f.hits) > 0 {
		if i := f.part.list.Find(f.was); i >= 0 {
			f.part.list.Choose(i)
		}
	}
	f.text = ""
	if f.stop != nil {
		f.stop()
	}
	return f.part.nearby()
}

// enter goes to the selected hit as soon as it is known.
func (f *finder) enter() tea.Cmd {
	if !f.all && f.scope != inBranch {
		return nil
	}
	f.Close()
	return f.leave()
}

// move goes n rows down in the list. The hits of the branch are in reverse order, from the end up.
// If the hits are not known yet, it moves as soon as they are.
func (f *finder) move(n int) tea.Cmd {
	switch {
	case !f.all && f.scope == inBranch:
		f.steps -= n
		return nil
	case !f.all:
		f.steps = max(0, f.steps+n)
		return nil
	case f.scope == inBranch:
		return f.step(f.part, -n)
	}
	f.moveInList(n)
	return nil
}

// leave goes to the selected hit.
func (f *finder) leave() tea.Cmd {
	r := f.part
	if f.scope == inBranch || len(f.hits) == 0 {
		return nil
	}
	h := f.hits[max(f.at, 0)]
	here, scope := h.chat == r.view.Chat.ID, f.scope
	f.scope, f.of, f.steps = inBranch, nil, 0
	if f.stop != nil {
		f.stop()
	}
	switch scope {
	case inRecaps:
		return r.JumpTo(h.node)
	case inLore:
		r.list.Highlight(chats.Query{})
		return r.Elsewhere.OpenEntry(h.book, h.entry)
	case inMemory:
		r.list.Highlight(chats.Query{})
		return r.Elsewhere.OpenRecord(h.sort, h.record)
	}
	return r.host.Do(func() func() tea.Cmd {
		err := r.host.Engine().Chats.GoToHit(h.chat, h.node)
		return func() tea.Cmd {
			switch {
			case err != nil:
				return r.host.Fail(err)
			case here:
				f.wish = h
				return r.Reload()
			}
			f.wish = h
			return r.host.Play().SwitchTo(h.chat)
		}
	})
}

// Draw implements widget.Dialog.
func (f *finder) Draw(buf uv.ScreenBuffer, screen uv.Rectangle, sty *draw.Styles) *painter.Cursor {
	if screen.Dy() < 4 {
		return nil
	}
	y := screen.Max.Y - 3
	f.drawList(buf, uv.Rect(screen.Min.X, screen.Min.Y, screen.Dx(), y-screen.Min.Y), sty)
	bar := uv.Rect(screen.Min.X, y, screen.Dx(), 2)
	draw.Fill(buf, bar, sty.Base)
	left := "Search " + scopeNames[f.scope]
	left = draw.Join(left, f.tally(), f.indexing())
	draw.Rule(buf, bar.Min.X, y, bar.Dx(), sty.Border, left, f.Hints(), sty.Accent)
	draw.Put(buf, bar.Min.X+1, y+1, 1, sty.Accent, "/")
	return f.in.Draw(buf, uv.Rect(bar.Min.X+3, y+1, max(1, bar.Dx()-4), 1))
}
