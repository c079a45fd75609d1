package tui

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"ghostlight/engine/scenes"
	"ghostlight/storage"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/prose"
)

// sceneMark is what the play draws under the last message of a scene. It is
// never changed once it stands in marks: layouts are kept by its address.
type sceneMark struct {
	scene scenes.Scene
	text  string // its recap, while that is shown
}

// marks are the scenes as the play draws them.
type marks struct {
	at      map[storage.NodeID]*sceneMark // by the scene's last message that is shown
	covered int                           // the depth down to which recaps stand for messages in the prompt, -1 for none
	nth     int                           // of the scenes that were read: tells recaps that were read before
	asked   map[storage.NodeID]int        // when a recap was last asked for
	held    []storage.NodeID              // whose texts are held, in the order of their reading
	wanted  []storage.NodeID              // recaps that drawing has found missing
	unfold  storage.NodeID                // whose recap the user has just asked to see
}

const (
	keptRecaps   = 64       // texts in the play
	longestRecap = 16 << 10 // bytes of one
	mostRecap    = 60       // lines of one; the recap pane shows the rest
)

// mark takes over scenes that were read. What has not changed keeps its layout.
func (p *playList) mark(s scenes.Scenes) {
	old := p.marks.at
	p.marks.at = make(map[storage.NodeID]*sceneMark, len(s.List))
	p.marks.covered = s.CoversDepth
	p.marks.nth++
	for _, sc := range s.List {
		if sc.Open || sc.Last == "" {
			continue
		}
		m := old[sc.Last]
		if m == nil || m.scene != sc {
			text := ""
			if m != nil && sc.Expanded {
				text = m.text // until the new one is read
			}
			m = &sceneMark{sc, text}
		}
		p.marks.at[sc.Last] = m
	}
}

// faded tells whether a recap stands for a message in the prompt.
func (p *playList) faded(it *item) bool {
	return p.marks.at != nil && it.msg.Depth <= p.marks.covered && it.msg.State != storage.Draft
}

// missing notes that the recap under a message that is in view has to be read.
func (p *playList) missing(it *item) {
	m := p.marks.at[it.msg.ID]
	if m == nil || !m.scene.Expanded || m.scene.Recap.Version == 0 || p.marks.asked[it.msg.ID] == p.marks.nth {
		return
	}
	if p.marks.asked == nil {
		p.marks.asked = map[storage.NodeID]int{}
	}
	p.marks.asked[it.msg.ID] = p.marks.nth
	p.marks.wanted = append(p.marks.wanted, it.msg.ID)
}

// told puts a recap under the last message of its scene.
func (p *playList) told(node storage.NodeID, text string) {
	m := p.marks.at[node]
	if m == nil || m.text == text {
		return
	}
	if m.text == "" {
		p.marks.held = append(p.marks.held, node)
	}
	p.marks.at[node] = &sceneMark{m.scene, text}
	for len(p.marks.held) > keptRecaps {
		old := p.marks.held[0]
		p.marks.held = p.marks.held[1:]
		delete(p.marks.asked, old)
		if m := p.marks.at[old]; m != nil {
			p.marks.at[old] = &sceneMark{scene: m.scene}
		}
	}
}

// readWanted reads the recaps that drawing has found missing.
func (a *app) readWanted() tea.Cmd {
	p, chat, nodes := a.play, a.view.Chat.ID, a.play.marks.wanted
	if len(nodes) == 0 {
		return nil
	}
	p.marks.wanted = nil
	breaks, asked := make([]storage.NodeID, len(nodes)), maps.Clone(p.marks.asked)
	for i, node := range nodes {
		if m := p.marks.at[node]; m != nil {
			breaks[i] = m.scene.Break
		}
	}
	return a.Do(func() func() tea.Cmd {
		texts := map[storage.NodeID]string{}
		var fault error
		for i, node := range nodes {
			v, err := a.eng.Scenes.SceneRecap(chat, breaks[i])
			if err != nil {
				fault = err
			} else if cur := v.Version(); cur != nil {
				texts[node] = shownRecap(cur.Text)
			}
		}
		return func() tea.Cmd {
			maps.DeleteFunc(texts, func(node storage.NodeID, _ string) bool { return p.marks.asked[node] != asked[node] }) // asked for again
			p.steady(func() {
				for node, text := range texts {
					p.told(node, text)
				}
			})
			if _, ok := texts[p.marks.unfold]; ok {
				p.unfold(p.find(p.marks.unfold))
				p.marks.unfold = ""
			}
			if fault != nil {
				a.opts.Log.Warn("a recap could not be read", "err", fault)
			}
			return nil
		}
	})
}

// shownRecap is a recap as it stands in the play: without headings that nothing
// stands under, and not longer than a screen can use.
func shownRecap(text string) string {
	if len(text) > longestRecap {
		text = strings.ToValidUTF8(text[:longestRecap], "")
	}
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \r\n")
		if n := len(out); n > 0 && isHeading(out[n-1]) {
			if line == "" {
				continue
			}
			if isHeading(line) {
				out = out[:n-1]
			}
		}
		if rest, ok := strings.CutPrefix(line, "- "); ok && !strings.HasSuffix(line, "*") {
			line = "* " + rest // prose keeps a dash, which may be dialogue
		}
		out = append(out, line)
	}
	for len(out) > 0 && (out[len(out)-1] == "" || isHeading(out[len(out)-1])) {
		out = out[:len(out)-1]
	}
	return strings.Join(out, "\n")
}

func isHeading(line string) bool { return strings.HasPrefix(line, "#") }

// under is what stands under a scene's last message: the scene's line, and its
// recap while that is shown.
func (p *playList) under(m *sceneMark) []string {
	lines := []string{p.sceneLine(m.scene)}
	if !m.scene.Expanded || m.scene.Recap.Version == 0 {
		return append(lines, "")
	}
	bar := p.lk.Border.Styled("│") + " "
	if p.width >= 12 {
		bar = " " + bar
	}
	told := prose.Layout(m.text, max(1, p.width-ansi.StringWidth(bar)), p.lk.Prose)
	if m.text == "" {
		told = []string{p.lk.Dim.Styled(look.Clip("…", p.width))}
	}
	if len(told) > mostRecap {
		rest := "…"
		if k := p.keys.Key(keys.PaneRecap, keys.Browse); k != "" {
			rest = "… " + k + " shows the rest"
		}
		told = append(told[:mostRecap:mostRecap], p.lk.Dim.Styled(look.Clip(rest, p.width-3)))
	}
	for _, l := range told {
		lines = append(lines, bar+l)
	}
	return append(lines, "")
}

// bit is a piece of a scene's line.
type bit struct {
	text string
	st   uv.Style
}

// sceneLine is a rule with the scene's number and name set into it, and of the
// rest what there is room for.
func (p *playList) sceneLine(s scenes.Scene) string {
	border, lead := p.lk.Border, 3
	if p.width < 60 {
		lead = 1
	}
	bits := p.fitted(s, p.width-2*lead-2)
	if len(bits) == 0 {
		return border.Styled(strings.Repeat("─", p.width))
	}
	var line strings.Builder
	line.WriteString(border.Styled(strings.Repeat("─", lead)) + " ")
	rest := p.width - lead - 2
	for i, b := range bits {
		if i > 0 {
			line.WriteString(p.lk.Faint.Styled(look.Separator))
			rest -= 3
		}
		line.WriteString(b.st.Styled(b.text))
		rest -= ansi.StringWidth(b.text)
	}
	line.WriteString(" " + border.Styled(strings.Repeat("─", max(0, rest))))
	return line.String()
}

// fitted are the parts of a scene's line that room cells hold: its number and
// name, which may be cut, and of the others those that matter most.
func (p *playList) fitted(s scenes.Scene, room int) []bit {
	lk := p.lk
	number, name := bit{strconv.Itoa(s.Number), lk.Dim}, bit{sceneName(s), lk.Title}
	if s.Name == "" {
		name.st = lk.Dim
	}
	room -= len(number.text) + 3
	if room < 2 {
		return nil
	}
	nameW := ansi.StringWidth(name.text)
	count, recap, stale, found := p.sceneBits(s)
	room -= min(nameW, shortName)
	for _, b := range []*bit{&recap, &stale, &found, &count} {
		if w := ansi.StringWidth(b.text) + 3; b.text != "" && w <= room {
			room -= w
			continue
		}
		if b == &stale && stale.text != "" {
			recap.st = stale.st
		}
		b.text = ""
	}
	room += min(nameW, shortName)
	name.text = look.Clip(name.text, max(1, room))
	room -= ansi.StringWidth(name.text)
	if found.text != "" && room >= 12 {
		if why := reasonIn(s.Rationale, room-2); why != "" {
			found.text += ": " + why
		}
	}
	return slices.DeleteFunc([]bit{number, name, count, recap, stale, found}, func(b bit) bool { return b.text == "" })
}

// shortName is how many cells of a scene's name are shown before anything else.
const shortName = 16

// sceneBits are the parts of a scene's line behind its name.
func (p *playList) sceneBits(s scenes.Scene) (count, recap, stale, found bit) {
	lk, word, fold := p.lk, "recap ", "▸ "
	if p.width < 60 {
		word = ""
	}
	if s.Expanded {
		fold = "▾ "
	}
	count.text, count.st = look.Plural(s.Messages, "message"), lk.Dim
	switch v := recapWords(s.Recap); {
	case s.Working && v == "":
		recap = bit{"recap …", lk.Accent}
	case s.Working:
		recap = bit{fold + word + v + " …", lk.Accent}
	case v != "":
		recap = bit{fold + word + v, lk.Dim}
	}
	if s.Recap.Stale {
		stale = bit{"stale", lk.Warning}
	}
	if s.Detected {
		found = bit{"detected", lk.Dim}
	}
	return count, recap, stale, found
}

// place puts the top of item i at a row of the view, which may lie above it, or
// as near to it as what follows allows.
func (p *playList) place(i, row int) {
	room := max(1, p.height) - row
	have := 0
	for j := i; j < len(p.items); j++ {
		if have += p.heightOf(j); have >= room {
			p.anchor, p.below = j, have-room
			p.settle()
			return
		}
	}
	p.anchor, p.below = len(p.items)-1, 0
	p.settle()
}

// toTop selects a message and shows it at the top of the view.
func (p *playList) toTop(i int) {
	p.selected = i
	p.place(i, 0)
}

// steady makes a change that heights depend on. While the end of the list is not
// in view, the message that is selected, or else the lowest one, stays where it
// is.
func (p *playList) steady(change func()) {
	i := p.anchor
	if p.selected >= 0 && p.selected < i && i-p.selected < p.height {
		i = p.selected
	}
	if p.follow || i < 0 || i >= len(p.items) || p.anchor >= len(p.items) {
		change()
		return
	}
	top := func() int {
		row := p.height + p.below
		for j := i; j <= p.anchor; j++ {
			row -= p.heightOf(j)
		}
		return row
	}
	before := top()
	change()
	if before < p.height && top() != before {
		p.place(i, before)
	}
}

// unfold brings what stands under a message into view, from its scene's line on.
func (p *playList) unfold(i int) {
	if i < 0 {
		return
	}
	h := p.heightOf(i)
	if own := p.items[i].own; h-own > p.height {
		p.place(i, -own)
		return
	}
	p.reveal(i)
	if i == p.anchor && p.below > 0 || i > p.anchor {
		p.anchor, p.below = i, 0
		p.settle()
	}
}
