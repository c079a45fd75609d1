package director

import (
	"cmp"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/script"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxDynamicBeats is the number of newest beats that describe the relationship.
const maxDynamicBeats = 5

// engagementText returns what a prompt says about user and speaker, as of the beginning of the
// turn: another reply to the same message, and a request after it, get the same.
func (svc *Service) engagementText(tx *storage.Tx, s *script.Snapshot, m chats.Moment) string {
	if svc.core.Settings().Stage.NoEngaged {
		return ""
	}
	leaf := lore.StoredLeaf(tx, m.Chat.ID, upToUser(s.History))
	return relationshipAt(tx, m, leaf, s.Card.CharName(), userName(s.Persona)).Text()
}

// relationshipAt returns the relationship between the user and the moment's speaker at a message.
func relationshipAt(tx *storage.Tx, m chats.Moment, leaf storage.NodeID, char, user string) rules.Relationship {
	episodes, before := finishedEpisodes(tx, m, leaf)
	days := scenes.ClockAt(tx, m.Chat.ID, leaf).Time.Passed
	s := rules.Relationship{Char: char, User: user, Episodes: episodes, Days: days}
	if beats := witnessedBeats(tx, m, leaf); len(beats) > 0 {
		s.Dynamic = rules.DynamicAfter(storage.Dynamic{}, beats)
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
func finishedEpisodes(tx *storage.Tx, m chats.Moment, leaf storage.NodeID) (n int, before bool) {
	if m.Chat.Play.Series == "" {
		return 0, false
	}
	who := cmp.Or(m.Speaker, m.Chat.Character)
	finished := map[storage.EpisodeID]bool{}
	for _, c := range storage.Chats.All(tx) {
		if c.Play.Series != m.Chat.Play.Series || !slices.Contains(chats.Company(c), who) {
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

// witnessedBeats returns the newest beats with an evaluation on the path to leaf that the speaker
// has witnessed, oldest first.
func witnessedBeats(tx *storage.Tx, m chats.Moment, leaf storage.NodeID) (out []storage.Beat) {
	for b := range beatsBefore(tx, m.Chat.ID, leaf, maxBeatAge) {
		if len(out) == maxDynamicBeats {
			break
		}
		if b.Seen != nil && m.May(chats.AttendedAt(tx, m.Chat, b.Witnesses, b.Node)) && m.Witnessed(tx, b.Node) {
			out = append(out, b)
		}
	}
	slices.Reverse(out)
	return out
}
