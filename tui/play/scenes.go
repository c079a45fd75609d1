package play

import (
	"slices"
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/prose"
)

// sceneMark is drawn by the play under the last message of a scene. It is immutable once it is in
// marks: layouts are cached by its address.
type sceneMark struct {
	Scene scenes.Scene
	Text  string // its recap, while that is shown
}

// marks holds the scenes as the play draws them.
type marks struct {
	At map[storage.NodeID]*sceneMark // by the scene's last visible message
	// Covered is the depth up to which recaps replace messages in the prompt, -1 for none.
	Covered int
	nth     int                    // number of the last reading of the scenes, compared with Asked
	Asked   map[storage.NodeID]int // when a recap was last asked for
	held    []storage.NodeID       // messages whose texts are held, in the order of reading
	Wanted  []storage.NodeID       // recaps that were missing while drawing
	Unfold  storage.NodeID         // the recap that the user has just requested
}

const (
	keptRecaps  = 64       // texts in the play
	maxRecapLen = 16 << 10 // bytes of one
	maxRecap    = 60       // lines of one; the recap pane shows the rest
)

// Mark sets the scenes. Unchanged ones keep their layout.
func (p *List) Mark(s scenes.Scenes) {
	old := p.Marks.At
	p.Marks.At = make(map[storage.NodeID]*sceneMark, len(s.List))
	p.Marks.Covered = s.CoversDepth
	p.Marks.nth++
	for _, sc := range s.List {
		if sc.Open || sc.Last == "" {
			continue
		}
		m := old[sc.Last]
		if m == nil || m.Scene != sc {
			text := ""
			if m != nil && sc.Expanded {
				text = m.Text // until the new text is read
			}
			m = &sceneMark{sc, text}
		}
		p.Marks.At[sc.Last] = m
	}
}

// faded reports whether a recap replaces a message in the prompt.
func (p *List) faded(it *Item) bool {
	return p.Marks.At != nil && it.Msg.Depth <= p.Marks.Covered && it.Msg.State != storage.Draft
}

// missing records that the recap under a visible message must be read.
func (p *List) missing(it *Item) {
	m := p.Marks.At[it.Msg.ID]
	if m == nil || !m.Scene.Expanded || m.Scene.Recap.Version == 0 || p.Marks.Asked[it.Msg.ID] == p.Marks.nth {
		return
	}
	if p.Marks.Asked == nil {
		p.Marks.Asked = map[storage.NodeID]int{}
	}
	p.Marks.Asked[it.Msg.ID] = p.Marks.nth
	p.Marks.Wanted = append(p.Marks.Wanted, it.Msg.ID)
}

// ShowRecap shows a recap under the last message of its scene.
func (p *List) ShowRecap(node storage.NodeID, text string) {
	m := p.Marks.At[node]
	if m == nil || m.Text == text {
		return
	}
	if m.Text == "" {
		p.Marks.held = append(p.Marks.held, node)
	}
	p.Marks.At[node] = &sceneMark{m.Scene, text}
	for len(p.Marks.held) > keptRecaps {
		old := p.Marks.held[0]
		p.Marks.held = p.Marks.held[1:]
		delete(p.Marks.Asked, old)
		if m := p.Marks.At[old]; m != nil {
			p.Marks.At[old] = &sceneMark{Scene: m.Scene}
		}
	}
}

// shownRecap returns a recap for the play: without empty headings, and not longer than a screen can
// use.
func shownRecap(text string) string {
	if len(text) > maxRecapLen {
		text = strings.ToValidUTF8(text[:maxRecapLen], "")
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

// sceneRows returns the lines under a scene's last message: the scene's line, and its recap while
// that is shown.
func (p *List) sceneRows(m *sceneMark) []string {
	lines := []string{p.sceneLine(m.Scene)}
	if !m.Scene.Expanded || m.Scene.Recap.Version == 0 {
		return append(lines, "")
	}
	bar := p.sty.Border.Styled("│") + " "
	if p.width >= 12 {
		bar = " " + bar
	}
	told := prose.Layout(m.Text, max(1, p.width-ansi.StringWidth(bar)), p.sty.Prose)
	if m.Text == "" {
		told = []string{p.sty.Dim.Styled(draw.Clip("…", p.width))}
	}
	if len(told) > maxRecap {
		rest := "…"
		if k := p.keys.Key(keys.PaneRecap, keys.Browse); k != "" {
			rest = "… " + k + " shows the rest"
		}
		told = append(told[:maxRecap:maxRecap], p.sty.Dim.Styled(draw.Clip(rest, p.width-3)))
	}
	for _, l := range told {
		lines = append(lines, bar+l)
	}
	return append(lines, "")
}

// bit is a part of a scene's line.
type bit struct {
	text string
	st   uv.Style
}

// sceneLine returns a rule with the scene's number and name, and as many of the other parts as fit.
func (p *List) sceneLine(s scenes.Scene) string {
	border, lead := p.sty.Border, 3
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
			line.WriteString(p.sty.Faint.Styled(draw.Separator))
			rest -= 3
		}
		line.WriteString(b.st.Styled(b.text))
		rest -= ansi.StringWidth(b.text)
	}
	line.WriteString(" " + border.Styled(strings.Repeat("─", max(0, rest))))
	return line.String()
}

// fitted returns the parts of a scene's line that fit into avail cells: its number, its name, which
// may be cut, and the most important other parts.
func (p *List) fitted(s scenes.Scene, avail int) []bit {
	sty := p.sty
	number, name := bit{strconv.Itoa(s.Number), sty.Dim}, bit{pane.SceneName(s), sty.Title}
	if s.Name == "" {
		name.st = sty.Dim
	}
	avail -= len(number.text) + 3
	if avail < 2 {
		return nil
	}
	nameW := ansi.StringWidth(name.text)
	count, recap, stale, found := p.sceneBits(s)
	avail -= min(nameW, shortName)
	for _, b := range []*bit{&recap, &stale, &found, &count} {
		if w := ansi.StringWidth(b.text) + 3; b.text != "" && w <= avail {
			avail -= w
			continue
		}
		if b == &stale && stale.text != "" {
			recap.st = stale.st
		}
		b.text = ""
	}
	avail += min(nameW, shortName)
	name.text = draw.Clip(name.text, max(1, avail))
	avail -= ansi.StringWidth(name.text)
	if found.text != "" && avail >= 12 {
		if why := pane.ReasonIn(s.Rationale, avail-2); why != "" {
			found.text += ": " + why
		}
	}
	return slices.DeleteFunc([]bit{number, name, count, recap, stale, found}, func(b bit) bool { return b.text == "" })
}

// shortName is the number of cells of a scene's name that are shown before anything else.
const shortName = 16

// sceneBits returns the parts of a scene's line after its name.
func (p *List) sceneBits(s scenes.Scene) (count, recap, stale, found bit) {
	sty, word, fold := p.sty, "recap ", "▸ "
	if p.width < 60 {
		word = ""
	}
	if s.Expanded {
		fold = "▾ "
	}
	count.text, count.st = draw.Plural(s.Messages, "message"), sty.Dim
	switch v := pane.RecapWords(s.Recap); {
	case s.Working && v == "":
		recap = bit{"recap …", sty.Accent}
	case s.Working:
		recap = bit{fold + word + v + " …", sty.Accent}
	case v != "":
		recap = bit{fold + word + v, sty.Dim}
	}
	if s.Recap.Stale {
		stale = bit{"outdated", sty.Warning}
	}
	if s.Detected {
		found = bit{"detected", sty.Dim}
	}
	return count, recap, stale, found
}
