package play

import (
	"fmt"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/prose"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Heading returns the line above a message: the speaker, and special states.
func (p *List) Heading(it *Item) string {
	m := it.Msg
	name, st := safetext.Line(m.Name), p.sty.Character
	switch m.Role {
	case storage.User:
		st = p.sty.User
		if name == "" {
			name = "You"
		}
	case storage.Assistant:
		st = p.voice(m.Speaker)
	case storage.SceneCapture:
		name, st = "Scene Capture", p.sty.Accent
		if c := m.Picture; c != nil && (c.Asked || c.Requested != "") {
			name, st = p.sender(it)
		}
	case storage.System:
		name, st = "Note", p.sty.Dim
	case storage.Narrator:
		if st = p.sty.Dim; name == "" {
			name = "Narrator"
		}
	}
	if name == "" {
		name = "Character"
	}
	if it.key.faded {
		st.Fg = p.sty.Fade(st.Fg)
	}
	line := st.Styled(draw.Clip(name, max(1, p.width-12)))
	var notes []string
	if m.Siblings > 1 {
		notes = append(notes, fmt.Sprintf("‹%d/%d›", m.At+1, m.Siblings))
	}
	if m.State == storage.Draft && m.Role == storage.Assistant {
		notes = append(notes, "…")
	}
	if !m.EditedAt.IsZero() {
		notes = append(notes, "edited")
	}
	if n := len(m.Rejected); n > 0 {
		notes = append(notes, fmt.Sprintf("%d cut", n))
	}
	if m.Stale {
		notes = append(notes, "outdated")
	}
	if !m.Steer.IsZero() {
		notes = append(notes, steerWords(m.Steer, 40))
	}
	if words := p.whispered(&m); words != "" {
		notes = append(notes, words)
	}
	if len(notes) > 0 {
		line += " " + p.sty.Dim.Styled(draw.Clip(strings.Join(notes, " "), p.width-1-ansi.StringWidth(line)))
	}
	return line
}

// sender returns the sender of a picture that was requested in the chat: the last speaker before
// it.
func (p *List) sender(it *Item) (name string, st uv.Style) {
	return p.SpokeLast(p.Find(it.Msg.ID))
}

// SpokeLast returns the character who spoke last among the first n messages, as far as they are
// loaded without a gap.
func (p *List) SpokeLast(n int) (name string, st uv.Style) {
	last := min(n, len(p.Items)) - 1
	for i := last; i >= p.rangeStart(last); i-- {
		if m := p.Items[i].Msg; m.Role == storage.Assistant && m.Name != "" {
			return safetext.Line(m.Name), p.voice(m.Speaker)
		}
	}
	return "", p.sty.Character
}

// ending returns words about an unusual end of a message, "" for none.
func (p *List) ending(m chats.Message) string {
	words := m.Fault
	switch m.State {
	case storage.Stopped:
		if words == "" {
			words = "stopped"
		}
	case storage.Cut:
		if words == "" {
			words = "cut off at the reply limit"
		}
	case storage.Broken:
	default:
		return ""
	}
	words = "— " + strings.TrimRight(words, ".")
	var hints []string
	if k := p.keys.Key(keys.Continue, keys.Browse); k != "" {
		hints = append(hints, k+" continue")
	}
	if k := p.keys.Key(keys.Regenerate, keys.Browse); k != "" && m.State == storage.Broken {
		hints = append(hints, k+" another")
	}
	if len(hints) == 0 {
		return words
	}
	return words + " (browse: " + strings.Join(hints, ", ") + ")"
}

// speech returns the lines of the message's own text. While it is being written only its last block
// is laid out again.
func (p *List) speech(it *Item) []string {
	if it.Msg.State == storage.Draft {
		if it.growing == nil {
			it.growing = prose.NewStreamer(p.width, p.sty.Prose)
			it.growing.Append(it.Msg.Content)
		}
		return it.growing.Lines()
	}
	it.growing = nil
	st := p.sty.Prose
	if it.key.faded {
		st = p.sty.Faded
	}
	return prose.Layout(it.Msg.Text(), p.width, st)
}

func (p *List) thoughts(it *Item) []string {
	text := strings.TrimSpace(it.Msg.Thoughts())
	if text == "" {
		return nil
	}
	words := draw.Plural(len(strings.Fields(text)), "word")
	if !it.Unfolded {
		return []string{p.sty.Dim.Styled("▸ thought for " + words)}
	}
	lines := []string{p.sty.Dim.Styled("▾ thought for " + words)}
	for _, l := range draw.Wrap(text, max(1, p.width-2)) {
		lines = append(lines, p.sty.Dim.Styled("  "+l))
	}
	return lines
}
