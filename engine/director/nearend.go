package director

import (
	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// episodeAt sets in a snapshot whether its episode has ended and how near the end is. A request
// that continues a reply gets the same values as the reply.
func episodeAt(tx *storage.Tx, s *prompt.Snapshot, m chats.Viewpoint) {
	if s.Episode == nil {
		return
	}
	c, h := m.Chat, s.History
	if last := lastInPrompt(h, storage.Assistant); m.FollowsReply && last > lastInPrompt(h, storage.User) {
		h = h[:last]
	}
	if s.EpisodeOver = endedAt(tx, c, lore.StoredLeaf(tx, c.ID, h)); s.EpisodeOver || c.Play.Paused {
		return
	}
	turn := playTurn(c, chats.TurnAt(tx, c.ID, lore.StoredLeaf(tx, c.ID, upToUser(s.History))))
	s.TurnsLeft = rules.TurnsLeft(turn, s.Episode.TurnBudget)
}

// upToUser returns the history up to the user's newest message, or all of it if there is none: the
// history when the turn began.
func upToUser(h []storage.Node) []storage.Node {
	if at := lastInPrompt(h, storage.User); at >= 0 {
		return h[:at+1]
	}
	return h
}

// lastInPrompt returns the index of the newest visible message of a role, -1 for none.
func lastInPrompt(h []storage.Node, role storage.Role) int {
	for i := len(h) - 1; i >= 0; i-- {
		if n := &h[i]; n.Role == role && !n.Deleted && n.Content != "" {
			return i
		}
	}
	return -1
}
