package play

import (
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// placeholder returns the text of an empty composer: what to do there, or how to get back to it.
func (c *composer) placeholder() string {
	if k := c.part.host.Keys().Key(keys.ToWrite, keys.Browse); c.part.host.Mode() == keys.Browse && k != "" {
		return k + ": write a message"
	}
	return "Write a message"
}

// hints returns hints for useful keys, the most useful first, and the key of the help last.
func (c *composer) hints() string {
	mode := c.part.host.Mode()
	key := func(act keys.Name, words string) string {
		if k := c.part.host.Keys().Key(act, mode); k != "" {
			return k + " " + words
		}
		return ""
	}
	var list []string
	switch {
	case mode == keys.Pane:
		return key(keys.ToBrowse, "back to the chat")
	case c.hasSuggestion() && mode == keys.Write:
		list = []string{key(keys.Interrupt, "stop")}
		if c.ghost.outline != "" {
			list = append(list, key(keys.ToBrowse, "restore outline"))
		}
	case c.part.Replying() && mode == keys.Browse:
		list = []string{key(keys.StopReply, "stop"), c.backHint()}
	case c.part.turn.running:
		list = []string{key(keys.Interrupt, "stop"), key(keys.ToBrowse, "browse")}
	case mode == keys.Browse:
		list = c.browseHints(key)
	case c.part.unanswered() && draw.Blank(c.in.Value()):
		list = []string{key(keys.Send, "ask for a reply"), key(keys.ToBrowse, "browse")}
	case c.whisper.on():
		list = []string{key(keys.Send, "whisper"), key(keys.ToBrowse, "not whispered")}
	case c.part.view.Chat.ID == "":
		list = []string{key(keys.Palette, "commands")}
	case draw.Blank(c.in.Value()):
		swipes := ""
		if m, ok := c.part.LastMessage(); ok && m.Role == storage.Assistant {
			swipes = "← → swipes"
		}
		list = []string{key(keys.ToBrowse, "browse"), swipes, key(keys.Capture, "capture"),
			key(keys.Palette, "commands")}
	default:
		list = []string{key(keys.Send, "send"), key(keys.ToBrowse, "browse"), key(keys.Capture, "capture"),
			key(keys.Palette, "commands")}
	}
	return draw.Join(append(list, key(keys.Help, "keys"))...)
}

// browseHints returns hints for the actions on the selected message.
func (c *composer) browseHints(key func(act keys.Name, words string) string) []string {
	if len(c.part.list.Items) == 0 {
		return []string{c.backHint()}
	}
	swipes := ""
	m, _ := c.part.host.Play().Selected()
	if k := c.part.host.Keys().Key(keys.SwipeLeft, keys.Browse); k != "" &&
		(m.Role == storage.Assistant || m.Siblings > 1) {
		swipes = key(keys.SwipeRight, "swipes")
		if swipes != "" {
			swipes = k + " " + swipes
		}
	}
	return []string{c.backHint(), key(keys.Regenerate, "regenerate"), swipes, key(keys.Edit, "edit"),
		key(keys.Delete, "delete"),
		key(keys.Break, "end scene"), key(keys.Branch, "branch")}
}

// backHint returns the key that goes back to an unfinished line. If there is none, the composer
// itself shows the key.
func (c *composer) backHint() string {
	k := c.part.host.Keys().Key(keys.ToWrite, keys.Browse)
	if k == "" || c.in.Value() == "" {
		return ""
	}
	return k + " continue your message"
}
