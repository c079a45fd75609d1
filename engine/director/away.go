package director

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// presenceNote returns the note about who has left the stage or come back. The beginning of the
// prompt names the whole cast and stays the same.
func (svc *Service) presenceNote(tx *storage.Tx, m chats.Viewpoint, leaf storage.NodeID,
	standing []standingNote) []wantedNote {
	if !chats.IsGroup(m.Chat) {
		return nil
	}
	here := chats.Present(m.Chat)
	gone := svc.chats.NamesOf(tx, slices.DeleteFunc(chats.Members(m.Chat),
		func(id storage.CharacterID) bool { return slices.Contains(here, id) }))
	gone = slices.DeleteFunc(gone, func(name string) bool { return name == "" })
	text, key := rules.Away(gone), awayNote+core.ContentHash(strings.Join(gone, "\x00"))
	w := wantedNote{id: key + "/" + string(leaf), layer: prompt.LayerCast, source: "this chat (who is away)",
		text: text, reason: "a character has joined or left"}
	last := len(standing) - 1
	for last >= 0 && !strings.HasPrefix(standing[last].ID, awayNote) {
		last--
	}
	switch {
	case last >= 0 && strings.HasPrefix(standing[last].ID, key+"/"):
		w.id = standing[last].ID
	case last < 0 && len(gone) == 0:
		return nil
	}
	return []wantedNote{w}
}
