package pane

import (
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// DrawNoChat draws the text of a pane about a chat while none is open.
func DrawNoChat(d Host, buf uv.ScreenBuffer, area uv.Rectangle) {
	draw.PutWrapped(buf, area, d.Styles().Dim, "No chat is open: "+d.Keys().Key(keys.Chats, keys.Write)+
		" opens the chat list.")
}

// DrawUnread reports whether there are no rows to draw: they are being read, there is no room, or
// reading failed. It draws the error.
func (l *GroupList) DrawUnread(buf uv.ScreenBuffer, area uv.Rectangle) bool {
	if l.Fault != nil {
		draw.PutWrapped(buf, area, l.Host.Styles().Failure, failure.Text(l.Fault))
	}
	return l.Fault != nil || !l.Loaded || area.Empty()
}

// Moves returns the actions that move the selection.
func (l *GroupList) Moves() []keys.Action { return keys.MoveActions(l.Move) }
