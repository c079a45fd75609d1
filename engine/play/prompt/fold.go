package prompt

import "github.com/ghostlight-theatre/ghostlight/storage"

// History leaves a prompt in one step, a fold. When the history fills foldAt of its room, the
// recapped messages leave it down to foldTo, or all of them if borderTo remains then. When it fills
// all of its room, the oldest messages leave it down to foldTo even if no recap covers them. If
// foldTurns turns would not fit then, it folds deeper, but not below minFoldTo.
//
// An interim recap of the open scene is requested aheadTurns turns before the history would be full
// even without all recapped messages, or if less than aheadShare of the room would be free then. It
// covers messages until partTo of the room remains, so that the fold after the next one has
// messages to remove too.
const (
	foldAt     = 0.80
	foldTo     = 0.60
	borderTo   = 0.40
	partTo     = 0.20
	minFoldTo  = 0.30
	foldTurns  = 4 // turns that fit after a fold
	aheadTurns = 5
	aheadShare = 0.10
	recent     = 16 // messages used to estimate the size of a turn
)

// withoutRecapped returns the newest entries that remain if a fold removes only recapped messages;
// nil if that removes nothing.
func (c *compiler) withoutRecapped(entries []entry, budget int) []entry {
	if c.covered.last < 0 || len(entries) == 0 {
		return nil
	}
	least := c.exchanges(entries, budget)
	kept := entries[:c.atUser(entries, c.newestIn(entries, c.target(entries, budget), least), least, budget)]
	border := since(entries, c.covered.first)
	if from := kept[len(kept)-1].at; from > c.covered.first || sum(border) >= int(float64(budget)*borderTo) {
		kept = border
	}
	if len(kept) == 0 || len(kept) == len(entries) {
		return nil
	}
	return kept
}

// foldHistory keeps the newest entries that fit the target of a fold, beginning with a user's
// message if possible. The newest exchange is always kept, and the one before it if there is room.
func (c *compiler) foldHistory(entries []entry, budget int) []entry {
	if len(entries) == 0 {
		return entries
	}
	least := c.exchanges(entries, budget)
	keep := c.newestIn(entries, c.target(entries, budget), least)
	return entries[:c.atUser(entries, keep, least, budget)]
}

// newestIn returns the number of newest entries that fit a target, and at least least. Unanswered
// messages do not count towards the target.
func (c *compiler) newestIn(entries []entry, target, least int) int {
	keep, total := 0, -c.unanswered(entries)
	for keep < len(entries) && (keep < least || total+entries[keep].cost <= target) {
		total += entries[keep].cost
		keep++
	}
	return keep
}

// unanswered returns the tokens of the newest messages that have no reply yet. Whether and where a
// history folds does not depend on them: then the next prompt, which is read before the user
// speaks, folds like the turn after it.
func (c *compiler) unanswered(entries []entry) (tokens int) {
	for _, e := range entries {
		if c.role(e) != storage.User {
			break
		}
		tokens += e.cost
	}
	return tokens
}

// target returns the tokens that a fold leaves of the history: less than foldTo if turns are so
// long that the next interim recap would come too late.
func (c *compiler) target(entries []entry, budget int) int {
	free := budget - foldTurns*c.turnSize(entries)
	return max(min(int(float64(budget)*foldTo), free), int(float64(budget)*minFoldTo))
}

// leavesNext returns the last message that the next fold would remove if an interim recap covered
// it; "" if that fold is far away, or if recaps cover enough already.
func (c *compiler) leavesNext(v *historyView) storage.NodeID {
	m, n := c.s.Recap, len(v.entries)
	if m == nil || c.appended() || n == 0 {
		return ""
	}
	budget := c.s.Limits.budget() - v.total + sum(v.entries)
	full, total, turn := int(float64(budget)*m.full()), sum(v.entries), c.turnSize(v.entries)
	told := 0
	for _, e := range v.entries {
		if e.at < c.covered.first {
			told += e.cost
		}
	}
	if total-told+max(aheadTurns*turn, int(float64(budget)*aheadShare)) < budget {
		return ""
	}
	leave, least := max(full, total)-int(float64(budget)*partTo), c.exchanges(v.entries, budget)
	for leave += turn; n > least && leave > 0; { // one turn more: the sizes are estimates
		n--
		leave -= v.entries[n].cost
	}
	if n >= len(v.entries) || v.entries[n].at <= c.covered.last {
		return ""
	}
	return c.s.History[v.entries[n].at].ID
}

// atUser moves the beginning of entries[:keep] to a user's message: to the next newer one if that
// keeps most of them, else to the next older one if there is room.
func (c *compiler) atUser(entries []entry, keep, least, budget int) int {
	newer, total := 0, 0
	for i, e := range entries {
		if total += e.cost; total > budget {
			break
		}
		if i+1 < least || c.role(e) != storage.User {
			continue
		}
		if i >= keep {
			if newer > 0 && sum(entries[:newer])*4 >= sum(entries[:keep])*3 {
				break
			}
			return i + 1
		}
		newer = i + 1
	}
	if newer > 0 {
		return newer
	}
	return keep
}

func sum(entries []entry) int {
	total := 0
	for _, e := range entries {
		total += e.cost
	}
	return total
}

// exchanges returns how many of the newest entries a fold must keep, at least one.
func (c *compiler) exchanges(entries []entry, budget int) int {
	least, total, users := 1, 0, 0
	for i, e := range entries {
		total += e.cost
		if c.role(e) != storage.User {
			continue
		}
		if users++; users == 1 {
			least = i + 1
		} else {
			if total <= budget {
				least = i + 1
			}
			break
		}
	}
	return least
}

// turnSize returns the mean size of the most recent turns.
func (c *compiler) turnSize(entries []entry) int {
	total, users := 0, 0
	for _, e := range entries[:min(len(entries), recent)] {
		total += e.cost
		if c.role(e) == storage.User {
			users++
		}
	}
	return total / max(users, 1)
}

func (c *compiler) role(e entry) storage.Role { return c.s.History[e.at].Role }
