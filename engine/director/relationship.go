package director

import (
	"cmp"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxDynamicRecords is the number of newest records that describe the relationship.
const maxDynamicRecords = 5

// engagementText returns what a prompt says about user and speaker, as of the beginning of the
// turn: another reply to the same message, and a request after it, get the same.
func (svc *Service) engagementText(tx *storage.Tx, s *prompt.Snapshot, m chats.Viewpoint) string {
	if svc.core.Settings().Stage.NoEngaged {
		return ""
	}
	leaf := lore.StoredLeaf(tx, m.Chat.ID, upToUser(s.History))
	return relationshipAt(tx, m, leaf, s.Card.CharName(), userName(s.Persona)).Text()
}

// relationshipAt returns the relationship between the user and the moment's speaker at a message.
func relationshipAt(tx *storage.Tx, m chats.Viewpoint, leaf storage.NodeID, char, user string) rules.Relationship {
	episodes, before := finishedEpisodes(tx, m, leaf)
	days := scenes.ClockAt(tx, m.Chat.ID, leaf).Time.Passed
	s := rules.Relationship{Char: char, User: user, Episodes: episodes, Days: days}
	if records := witnessedRecords(tx, m, leaf); len(records) > 0 {
		s.Dynamic = rules.DynamicAfter(storage.Dynamic{}, records)
	} else if before { // how it was at the end of the episode before this one
		if en, err := storage.Engagements.Get(tx, m.Scope); err == nil {
			s.Dynamic = en.Dynamic
		}
	}
	return s
}

// finishedEpisodes counts the episodes of the series that the speaker has finished with the user,
// on the path to leaf and at the heads of the other chats. before reports whether the speaker plays
// in another chat of the series.
func finishedEpisodes(tx *storage.Tx, m chats.Viewpoint, leaf storage.NodeID) (n int, before bool) {
	if m.Chat.Play.Series == "" {
		return 0, false
	}
	who := cmp.Or(m.Speaker, m.Chat.Character)
	finished := map[storage.EpisodeID]bool{}
	for _, c := range storage.Chats.All(tx) {
		if c.Play.Series != m.Chat.Play.Series || !slices.Contains(chats.Members(c), who) {
			continue
		}
		if c.ID == m.Chat.ID {
			c.Head = leaf
		} else {
			before = true
		}
		if c.Play.Episode != "" && playEnd(tx, c) != nil {
			finished[c.Play.Episode] = true
		}
	}
	return len(finished), before
}

// witnessedRecords returns the newest records with an evaluation on the path to leaf that the
// speaker has witnessed, oldest first.
func witnessedRecords(tx *storage.Tx, m chats.Viewpoint, leaf storage.NodeID) (out []storage.TurnRecord) {
	for b := range recordsBefore(tx, m.Chat.ID, leaf, maxRecordAge) {
		if len(out) == maxDynamicRecords {
			break
		}
		if b.Seen != nil && m.MayKnow(chats.AttendedAt(tx, m.Chat, b.Witnesses, b.Node)) && m.Witnessed(tx, b.Node) {
			out = append(out, b)
		}
	}
	slices.Reverse(out)
	return out
}
