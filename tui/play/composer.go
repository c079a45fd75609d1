package play

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/widget"
)

// composer is the user's text field. Its text is kept per chat and saved a moment after the last
// key.
type composer struct {
	part  *Part
	in    *widget.Input
	sent  []string // oldest first
	at    int      // index in sent; len(sent) is the current text
	held  string   // the current text while an older one is shown
	saved string
	armed bool
	// cleared is the text that a key removed as a whole. Until something new is typed, it is still
	// the draft that is kept.
	cleared string
	typed   int // keys that have gone into it
	ghost   *ghostLine

	whisper whisper // who hears the text being written

	drafts *drafts
}

// saveAfter is how long a draft may stay unsaved.
const saveAfter = 700 * time.Millisecond

func newComposer(r *Part) *composer {
	c := &composer{part: r, in: widget.NewInput(false), drafts: newDrafts()}
	c.in.EnterSubmits = true
	c.in.SetStyles(r.host.Styles())
	c.in.Focus()
	return c
}

// load loads another chat's draft and history into the composer.
func (c *composer) load(draft string, sent []string) {
	c.in.Set(draft)
	c.saved, c.cleared, c.ghost = draft, "", nil
	c.sent, c.at = sent, len(sent)
}

func (c *composer) clear(sent string) {
	c.remember(sent)
	c.in.Set("")
	c.saved, c.cleared, c.ghost = "", "", nil // sending has cleared the stored draft too
}

// remember adds a text to the ones that the history keys restore.
func (c *composer) remember(text string) {
	if n := len(c.sent); n == 0 || c.sent[n-1] != text {
		c.sent = append(c.sent, text)
	}
	c.at = len(c.sent)
}

// empty removes all text and adds it to the history of sent texts. It reports whether there was
// any.
func (c *composer) empty() bool {
	text := c.in.Value()
	if draw.Blank(text) {
		return false
	}
	c.remember(text)
	c.in.Set("")
	c.cleared = text
	c.typed++
	return true
}

// draft returns the text to store for this chat.
func (c *composer) draft() string {
	if c.hasSuggestion() && c.ghost.came && c.ghost.outline != "" {
		return c.ghost.outline
	}
	if text := c.in.Value(); text != "" || c.cleared == "" {
		return text
	}
	return c.cleared
}

// restore restores a text that could not be sent, before the text written since.
func (c *composer) restore(text string) {
	if rest := c.in.Value(); rest != "" {
		text += "\n" + rest
	}
	c.in.Set(text)
	c.saved = ""
}

func (c *composer) rows(w, h int) int {
	c.in.Resize(max(1, w-4), c.in.Area.Height())
	return c.in.Rows(max(1, h/3))
}

// key passes a key or a paste to the text. Up in the first line and down in the last one go through
// the sent texts. While the composer is empty, left and right go through the swipes of the last
// reply.
func (c *composer) key(msg tea.Msg) tea.Cmd {
	dx, dy := widget.Arrow(msg)
	switch {
	case dx != 0:
		if cmd, ok := c.swipe(dx); ok {
			return cmd
		}
	case dy < 0 && c.in.AtTop() && (c.in.Value() == "" || c.at < len(c.sent)):
		return c.recall(-1)
	case dy > 0 && c.in.AtBottom() && c.at < len(c.sent):
		return c.recall(1)
	}
	cmd := c.in.Update(msg)
	c.typed++
	return tea.Batch(cmd, c.edited())
}

// recall shows an earlier or later sent text.
func (c *composer) recall(step int) tea.Cmd {
	to := c.at + step
	if to < 0 || to > len(c.sent) {
		return nil
	}
	if c.at == len(c.sent) {
		c.held = c.in.Value()
	}
	c.at = to
	if to == len(c.sent) {
		c.in.Set(c.held)
	} else {
		c.in.Set(c.sent[to])
	}
	return c.edited()
}

// edited starts the timer that saves the draft.
func (c *composer) edited() tea.Cmd {
	c.cleared = ""
	if c.armed || c.in.Value() == c.saved {
		return nil
	}
	c.armed = true
	return tea.Tick(saveAfter, func(time.Time) tea.Msg {
		return pane.Callback(func() tea.Cmd {
			c.armed = false
			return c.save()
		})
	})
}

// save stores the draft now if it has changed.
func (c *composer) save() tea.Cmd {
	text, chat := c.draft(), c.part.view.Chat.ID
	if chat == "" || text == c.saved {
		return nil
	}
	c.saved = text
	c.drafts.add(chat, text)
	return pane.Try(c.part.host, func() error { return c.drafts.store(c.part.host.Engine().Chats, chat) })
}

// leave stores what pending commands have not stored when the screen is left.
func (c *composer) leave() {
	if c.part.unsent != nil {
		if err := c.part.unsent(); err != nil {
			c.part.host.Log().Warn("not sent", "err", err)
			c.restore(c.sent[len(c.sent)-1])
		}
	}
	if chat := c.part.view.Chat.ID; chat != "" {
		c.drafts.add(chat, c.draft())
	}
	for _, chat := range c.drafts.unsavedChats() {
		if err := c.drafts.store(c.part.host.Engine().Chats, chat); err != nil {
			c.part.host.Log().Error("the draft could not be saved", "err", err)
		}
	}
}

// draw draws the composer.
func (c *composer) draw(buf uv.ScreenBuffer, area uv.Rectangle) *painter.Cursor {
	if area.Empty() {
		return nil
	}
	who, st := "You", c.part.host.Styles().Faint
	if c.part.view.Persona.Name != "" {
		who = c.part.view.Persona.Name
	}
	if c.part.host.Mode() == keys.Write {
		st = c.part.host.Styles().Border
	}
	y := area.Min.Y
	if area.Dy() > 1 {
		words := c.part.host.Styles().Dim
		if who = draw.Clip(who, 24); c.whisper.on() {
			who, words = draw.Clip(who+", whispering to "+namesLine(c.whisper.names), area.Dx()-6),
				c.part.host.Styles().Accent
		} else {
			who += c.part.answers()
		}
		if s := c.part.view.Chat.Steer; !s.IsZero() && !c.part.turn.running {
			who += draw.Separator + "next: " + steerWords(s, max(12, area.Dx()/3))
		}
		hints := c.hints()
		if c.part.host.Mode() == keys.Browse && ansi.StringWidth(who+hints)+9 > area.Dx() {
			who = "" // the hints are more useful there
		}
		draw.Rule(buf, area.Min.X, y, area.Dx(), st, who, hints, words)
		y++
	}
	mark := c.part.host.Styles().Faint
	if c.part.host.Mode() == keys.Write {
		mark = c.part.host.Styles().Accent
	}
	draw.Put(buf, area.Min.X+1, y, 1, mark, "›")
	text := uv.Rect(area.Min.X+3, y, max(1, area.Dx()-4), area.Max.Y-y)
	c.in.Area.Placeholder = c.placeholder()
	cur := c.in.Draw(buf, text)
	if c.part.host.Mode() == keys.Browse {
		draw.Dim(buf, text, c.part.host.Styles())
	}
	return cur
}

// editDraft opens the draft in the user's editor.
func (r *Part) editDraft() tea.Cmd {
	return r.host.EditText(r.composer.in.Value(), func(text string) tea.Cmd {
		r.composer.in.Set(text)
		return r.composer.edited()
	})
}

func (r *Part) newline() tea.Cmd { return r.insert("\n") }

// insert inserts text at the composer's cursor.
func (r *Part) insert(text string) tea.Cmd {
	r.composer.in.Insert(text)
	return r.composer.edited()
}
