package pane

import (
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/tui/draw"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

// DrawNoChat says in a pane that is about a chat that none is open.
func DrawNoChat(d Host, buf uv.ScreenBuffer, area uv.Rectangle) {
	draw.PutWrapped(buf, area, d.Styles().Dim, "No chat is open: "+d.Keys().Key(keys.Chats, keys.Write)+
		" opens the chat list.")
}

// DrawUnread reports whether there is nothing to draw of the rows, because they are being read
// or there is no room, or could not be read, which it says.
func (l *GroupList) DrawUnread(buf uv.ScreenBuffer, area uv.Rectangle) bool {
	if l.Fault != nil {
		draw.PutWrapped(buf, area, l.Host.Styles().Failure, failure.Words(l.Fault))
	}
	return l.Fault != nil || !l.Loaded || area.Empty()
}

// Moves returns the actions that choose another row.
func (l *GroupList) Moves() []keys.Action { return keys.Moving(l.Move) }
