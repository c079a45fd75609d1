package script

import "github.com/ghostlight-theatre/ghostlight/storage"

// A fold of what recaps tell comes when the history fills foldAt of its room, and
// leaves toldShare of it. One for want of room drops old history to foldShare. Both
// leave less where they have to so that foldTurns turns of the recent size fit before
// the next one, but never less than foldFloor.
//
// Within the open scene there may be many: they come later and go deeper, since an
// interim recap tells what leaves. It is asked for aheadTurns turns before, or where
// aheadShare of the room is left.
const (
	foldAt     = 0.80
	toldShare  = 0.45
	foldShare  = 0.60
	foldFloor  = 0.30
	foldTurns  = 14
	foldRecent = 16 // messages that the recent size is taken from

	openAt     = 0.90
	openShare  = 0.20
	aheadTurns = 3
	aheadShare = 0.10

	coldFree = 0.30 // of the room, that a history may lack to be full where it is read anew anyway: see Snapshot.Cold
)

// withoutTold are the newest entries as a fold leaves them that only takes out what recaps
// tell; nil where it could take out nothing.
func (c *compiler) withoutTold(entries []entry, room int) []entry {
	if c.covered.last < 0 || len(entries) == 0 {
		return nil
	}
	least := c.exchanges(entries, room)
	kept := entries[:c.atUser(entries, newestIn(entries, c.toldTarget(entries, room), least), least, room)]
	if from := kept[len(kept)-1].at; from > c.covered.first {
		kept = since(entries, c.covered.first)
	}
	if len(kept) == 0 || len(kept) == len(entries) {
		return nil
	}
	return kept
}

// fold keeps the newest entries up to the share of room that a fold aims at,
// beginning with a user's message where it can. The newest exchange stays
// whatever it costs, and the one before it as long as there is room.
func (c *compiler) fold(entries []entry, room int) []entry {
	if len(entries) == 0 {
		return entries
	}
	least := c.exchanges(entries, room)
	keep := newestIn(entries, foldTarget(room, room, foldShare, c.turnSize(entries)), least)
	return entries[:c.atUser(entries, keep, least, room)]
}

// newestIn is how many of the newest entries fit a target, and at least least of them.
func newestIn(entries []entry, target, least int) int {
	keep, total := 0, 0
	for keep < len(entries) && (keep < least || total+entries[keep].cost <= target) {
		total += entries[keep].cost
		keep++
	}
	return keep
}

// toldTarget is how much a fold of what recaps tell leaves.
func (c *compiler) toldTarget(entries []entry, room int) int {
	share := toldShare
	if c.s.Memory != nil && c.s.Memory.Open {
		share = openShare
	}
	return foldTarget(room, int(float64(room)*c.s.Memory.full()), share, c.turnSize(entries))
}

// leavesNext is the last message that the next fold would take if an interim recap told
// it; "" as long as that fold is far, and where recaps tell enough already.
func (c *compiler) leavesNext(v *view) storage.NodeID {
	m, n := c.s.Memory, len(v.entries)
	if m == nil || c.appended() || n == 0 {
		return ""
	}
	room := c.s.Limits.room() - v.total + sum(v.entries)
	full, total, turn := int(float64(room)*openAt), sum(v.entries), c.turnSize(v.entries)
	if total < full-max(aheadTurns*turn, int(float64(room)*aheadShare)) {
		return ""
	}
	leave, least := max(full, total)-foldTarget(room, full, openShare, turn), c.exchanges(v.entries, room)
	told := 0
	for _, e := range v.entries {
		if e.at <= c.covered.last {
			told += e.cost
		}
	}
	if told >= leave*3/4 {
		return ""
	}
	for leave += turn; n > least && leave > 0; { // a turn more: the sizes are estimates
		n--
		leave -= v.entries[n].cost
	}
	if n >= len(v.entries) || v.entries[n].at <= c.covered.last {
		return ""
	}
	return c.s.History[v.entries[n].at].ID
}

// atUser moves the beginning of entries[:keep] to a user's message: to the next
// newer one, or to the next older one where too little would be left.
func (c *compiler) atUser(entries []entry, keep, least, room int) int {
	floor := int(float64(room) * foldFloor)
	newer, total := 0, 0
	for i, e := range entries {
		if total += e.cost; total > room {
			break
		}
		if i+1 < least || c.role(e) != storage.User {
			continue
		}
		if i < keep {
			newer = i + 1
		} else if newer > 0 && sum(entries[:newer]) >= floor {
			break
		} else {
			return i + 1
		}
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

// exchanges is how many of the newest entries a fold must keep, at least one.
func (c *compiler) exchanges(entries []entry, room int) int {
	least, total, users := 1, 0, 0
	for i, e := range entries {
		total += e.cost
		if c.role(e) != storage.User {
			continue
		}
		if users++; users == 1 {
			least = i + 1
		} else {
			if total <= room {
				least = i + 1
			}
			break
		}
	}
	return least
}

// turnSize is the mean size of the most recent turns.
func (c *compiler) turnSize(entries []entry) int {
	total, users := 0, 0
	for _, e := range entries[:min(len(entries), foldRecent)] {
		total += e.cost
		if c.role(e) == storage.User {
			users++
		}
	}
	return total / max(users, 1)
}

// foldTarget is how much of a room a fold leaves: a share of it, less where turns of
// this size would soon fill it up to full again.
func foldTarget(room, full int, share float64, turn int) int {
	floor := int(float64(room) * min(foldFloor, share))
	return max(min(int(float64(room)*share), full-foldTurns*turn), floor)
}

func (c *compiler) role(e entry) storage.Role { return c.s.History[e.at].Role }
