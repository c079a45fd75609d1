package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"ghostlight/engine/event"
	"ghostlight/engine/play/chats"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/keys"
	"ghostlight/tui/look"
	"ghostlight/tui/painter"
	playroom "ghostlight/tui/play"
	"ghostlight/tui/widget"
)

// composer is where the user writes. What is written is kept per chat: it is
// saved a moment after the last key.
type composer struct {
	in    *widget.Input
	sent  []string // oldest first
	at    int      // in sent; len(sent) is the present text
	held  string   // the present text while an older one is shown
	saved string
	armed bool

	whisper whisper // who hears what is being written

	drafts *drafts
}

// saveAfter is how long a draft may stand unsaved.
const saveAfter = 700 * time.Millisecond

func newComposer(lk *look.Look) *composer {
	c := &composer{in: widget.NewInput(false), drafts: newDrafts()}
	c.in.Area.KeyMap.InsertNewline.SetEnabled(false)
	c.in.Area.Placeholder = "Write your line"
	c.in.Dress(lk)
	return c
}

// load puts another chat's draft and history into the composer.
func (c *composer) load(draft string, sent []string) {
	c.in.Set(draft)
	c.saved = draft
	c.sent, c.at = sent, len(sent)
}

func (c *composer) clear(sent string) {
	if n := len(c.sent); n == 0 || c.sent[n-1] != sent {
		c.sent = append(c.sent, sent)
	}
	c.at = len(c.sent)
	c.in.Set("")
	c.saved = "" // sending has cleared the stored draft too
}

// restore brings text back that could not be sent, ahead of what was written
// since.
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

// key hands a key or a paste to the text. Up in the first line and down in the
// last lead through what was sent before.
func (c *composer) key(msg tea.Msg, a *app) tea.Cmd {
	switch widget.Keystroke(msg) {
	case "up":
		if c.in.AtTop() && (c.in.Value() == "" || c.at < len(c.sent)) {
			return c.recall(-1, a)
		}
	case "down":
		if c.in.AtBottom() && c.at < len(c.sent) {
			return c.recall(1, a)
		}
	}
	cmd := c.in.Update(msg)
	return tea.Batch(cmd, c.edited(a))
}

// recall shows what was sent before or after.
func (c *composer) recall(step int, a *app) tea.Cmd {
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
	return c.edited(a)
}

// edited arms the saving of the draft.
func (c *composer) edited(a *app) tea.Cmd {
	if c.armed || c.in.Value() == c.saved {
		return nil
	}
	c.armed = true
	return tea.Tick(saveAfter, func(time.Time) tea.Msg {
		return desk.Answer(func() tea.Cmd {
			a.composer.armed = false
			return a.composer.save(a)
		})
	})
}

// save stores the draft now if it has changed.
func (c *composer) save(a *app) tea.Cmd {
	text, chat := c.in.Value(), a.view.Chat.ID
	if chat == "" || text == c.saved {
		return nil
	}
	c.saved = text
	c.drafts.note(chat, text)
	return desk.Try(a, func() error { return c.drafts.store(a.eng, chat) })
}

// leave stores what commands had no time to store before the screen was left.
func (c *composer) leave(a *app) {
	if a.unsent != nil {
		if err := a.unsent(); err != nil {
			a.opts.Log.Warn("not sent", "err", err)
			c.restore(c.sent[len(c.sent)-1])
		}
	}
	if chat := a.view.Chat.ID; chat != "" {
		c.drafts.note(chat, c.in.Value())
	}
	for _, chat := range c.drafts.left() {
		if err := c.drafts.store(a.eng, chat); err != nil {
			a.opts.Log.Error("the draft was not saved", "err", err)
		}
	}
}

func (c *composer) draw(buf uv.ScreenBuffer, area uv.Rectangle, a *app) *painter.Cursor {
	if area.Empty() {
		return nil
	}
	who, st := "You", a.lk.Faint
	if a.view.Persona.Name != "" {
		who = a.view.Persona.Name
	}
	if a.mode == keys.Write {
		st = a.lk.Border
	}
	y := area.Min.Y
	if area.Dy() > 1 {
		words := a.lk.Dim
		if who = look.Clip(who, 24); a.composer.whisper.on() {
			who, words = look.Clip(who+", whispering to "+playroom.NamesLine(a.composer.whisper.names), area.Dx()-6), a.lk.Accent
		} else {
			who += a.answers()
		}
		look.Rule(buf, area.Min.X, y, area.Dx(), st, who, a.hint(), words)
		y++
	}
	mark := a.lk.Faint
	if a.mode == keys.Write {
		mark = a.lk.Accent
	}
	look.Put(buf, area.Min.X+1, y, 1, mark, "›")
	return c.in.Draw(buf, uv.Rect(area.Min.X+3, y, max(1, area.Dx()-4), area.Max.Y-y))
}

// hint is what the user might want to press next.
func (a *app) hint() string {
	switch {
	case a.turn.running:
		return a.keys.Key(keys.Interrupt, keys.Write) + " stop"
	case a.mode == keys.Browse:
		return "i write · ? help"
	case a.mode == keys.Pane:
		return "esc back · enter open"
	case a.unanswered() && look.Blank(a.composer.in.Value()):
		return "enter ask for a reply · esc browse"
	case a.composer.whisper.on():
		return "enter whisper · esc say it aloud"
	case a.width < 70:
		return "esc browse"
	}
	return "enter send · esc browse · " + a.keys.Key(keys.Capture, keys.Write) + " capture · " +
		a.keys.Key(keys.Palette, keys.Write) + " commands"
}

// unanswered tells whether the user had the last word.
func (a *app) unanswered() bool {
	n := len(a.play.Items)
	return n > 0 && a.play.Items[n-1].Msg.Role == storage.User && !a.turn.running
}

// notice is a passing word in the status line.
type notice struct {
	level event.Level
	text  string
	id    int
}

const noticeTime = 7 * time.Second

// Say shows words in the status line for a while.
func (a *app) Say(level event.Level, text string) tea.Cmd {
	a.notice = notice{level, text, a.notice.id + 1}
	id := a.notice.id
	long := time.Duration(len(text)/20) * time.Second // to read it
	return tea.Tick(noticeTime+long, func(time.Time) tea.Msg {
		return desk.Answer(func() tea.Cmd {
			if a.notice.id == id {
				a.notice.text = ""
			}
			return nil
		})
	})
}

// openView shows a chat that was read.
func (a *app) openView(v chats.View, sent []string) tea.Cmd {
	a.reading.over() // it is older than this
	other := v.Chat.ID != a.view.Chat.ID
	written := ""
	if a.view.Chat.ID == "" {
		written = a.composer.in.Value() // before there was a chat to keep it in
	}
	var save tea.Cmd
	if other {
		save = a.composer.save(a) // typed while the chat was read
	}
	v.Draft = a.composer.drafts.of(v.Chat.ID, v.Draft)
	msgs := v.Messages
	v.Messages = nil
	a.view = v
	if other {
		a.play = a.play.Empty()
		a.composer.load(v.Draft, sent)
		a.composer.whisper = whisper{}
		if v.Draft == "" && !look.Blank(written) {
			a.composer.in.Set(written)
			save = tea.Batch(save, a.composer.edited(a))
		}
		a.turn = turn{}
		a.mode = keys.Write
		a.scenes = noScenes(v.Chat.ID)
	}
	if v.Running != "" && !a.turn.running {
		a.turn = turn{node: v.Running, running: true, since: time.Now()}
	} else if v.Running == "" && a.turn.node != "" {
		a.turn = turn{}
	}
	a.play.Show(msgs, v.More, v.Total, liveNode(a.turn))
	return tea.Batch(save, a.readScenes(), a.Refresh(), a.readCast(), a.chatOpened())
}

func liveNode(t turn) storage.NodeID {
	if t.running {
		return t.node
	}
	return ""
}

// editDraft opens the draft in the user's own editor.
func (a *app) editDraft() tea.Cmd {
	return a.EditText(a.composer.in.Value(), func(text string) tea.Cmd {
		a.composer.in.Set(text)
		return a.composer.edited(a)
	})
}
