package memory

import (
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxEnds is the maximum number of ends that are kept for one thing: the newest.
const maxEnds = 16

// knowers returns the characters for whom something with these mentions and ends holds on the
// paths; nil is everybody. If it holds for nobody, over is the newest end that counts.
func (g *Paths) knowers(mentions []storage.Mention, ends []storage.End) (who []storage.CharacterID, over *storage.End) {
	count := g.counting(ends, false)
	if len(count) == 0 {
		return g.witnesses(mentions), nil
	}
	who = []storage.CharacterID{}
	for _, at := range mentions {
		left := g.witnesses([]storage.Mention{at})
		for i := range count {
			if !endsMention(count[i], at) {
				continue
			}
			left = g.withoutWitnesses(left, &count[i])
			if len(left) == 0 && left != nil {
				break
			}
		}
		if left == nil {
			return nil, nil
		}
		for _, id := range left {
			if !slices.Contains(who, id) {
				who = append(who, id)
			}
		}
	}
	if len(who) == 0 {
		over = &count[len(count)-1]
	}
	return who, over
}

// counting returns the ends that count on the paths, newest last: those in doubt if doubt is set,
// otherwise the others.
func (g *Paths) counting(ends []storage.End, doubt bool) (out []storage.End) {
	for _, e := range ends {
		if !e.Undone && e.Doubt == doubt && g.contains(e.Mention) {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b storage.End) int { return a.At.Compare(b.At) })
	return out
}

// endsMention reports whether an end ends a mention: a later mention makes it hold again.
func endsMention(e storage.End, mention storage.Mention) bool {
	later := mention.At.After(e.At) || mention.At.Equal(e.At) && mention.Chat == e.Chat && e.Node != "" &&
		mention.Depth > e.Depth
	return !later
}

// withoutWitnesses removes the characters who have witnessed an end from who, nil for everybody.
func (g *Paths) withoutWitnesses(who []storage.CharacterID, e *storage.End) []storage.CharacterID {
	c := g.chatOf(e.Mention)
	seen := g.witnesses([]storage.Mention{e.Mention})
	if !chats.IsGroup(c) || chats.KnownToAll(c, seen) {
		return []storage.CharacterID{}
	}
	if who == nil {
		who = chats.Members(c)
	}
	return slices.DeleteFunc(slices.Clone(who), func(id storage.CharacterID) bool { return slices.Contains(seen, id) })
}

// doubtOf returns the doubt that the user must answer about something that holds, nil if there is
// none.
func (g *Paths) doubtOf(mentions []storage.Mention, ends []storage.End) *storage.End {
	list := g.counting(ends, true)
	for _, e := range slices.Backward(list) {
		if slices.ContainsFunc(mentions, func(at storage.Mention) bool { return endsMention(e, at) }) {
			return &e
		}
	}
	return nil
}

// addEnd adds an end to the ends of a thing, unless it is among them: an end that the user has
// undone is not set again at the same place, and a thing that has ended gets no doubt.
func addEnd(ends []storage.End, e storage.End) ([]storage.End, bool) {
	e.Why = failure.FirstRunes(e.Why, maxWhy)
	at := slices.IndexFunc(ends, func(o storage.End) bool {
		return o.Chat == e.Chat && o.Node == e.Node && (e.Doubt || !o.Doubt)
	})
	if at >= 0 && (e.Node != "" || !ends[at].Undone) {
		return ends, false
	}
	ends = append(slices.Clone(ends), e)
	return ends[max(0, len(ends)-maxEnds):], true
}

// maxWhy is the maximum length of the reason for an end, in runes.
const maxWhy = 200

// Ending is a set of memories, hooks and recap lines that end together. Memories and hooks with the
// same Text end too, since others may know the fact by them.
type Ending struct {
	Text     string
	Memories []storage.MemoryID
	Hooks    []storage.HookID
	Lines    []storage.StatementEnd // without their ends
	End      storage.End
}

// Line adds a line of recaps or a fact of the lorebook, and the messages that it rests
// on.
func (x *Ending) Line(line string, rests []storage.NodeID) {
	if !slices.ContainsFunc(x.Lines, func(o storage.StatementEnd) bool { return o.Text == line }) {
		x.Lines = append(x.Lines, storage.StatementEnd{Text: line, Rests: rests})
	}
}

// StoreEnds stores ends at a place. Missing memories and hooks, and those that were mentioned at
// the same place, are skipped.
func StoreEnds(tx *storage.Tx, scope storage.ScopeID, list []Ending) error {
	for _, x := range list {
		x.duplicates(tx, scope)
		for _, it := range itemsOf(tx, scope, "") {
			named := it.hook != nil && slices.Contains(x.Hooks, it.hook.ID) ||
				it.memory != nil && slices.Contains(x.Memories, it.memory.ID)
			if named {
				if err := it.end(tx, scope, x.End); err != nil {
					return err
				}
			}
		}
		if err := endLines(tx, x.Lines, x.Memories, x.End); err != nil {
			return err
		}
	}
	return nil
}

// duplicates finds the memories and hooks of a story with the same text.
func (x *Ending) duplicates(tx *storage.Tx, scope storage.ScopeID) {
	if x.Text == "" {
		return
	}
	for _, it := range itemsOf(tx, scope, "") {
		switch same := text.Equal(it.text(), x.Text); {
		case !same:
		case it.hook != nil && !slices.Contains(x.Hooks, it.hook.ID):
			x.Hooks = append(x.Hooks, it.hook.ID)
		case it.memory != nil && !it.memory.Removed && !slices.Contains(x.Memories, it.memory.ID):
			x.Memories = append(x.Memories, it.memory.ID)
		}
	}
}

// end stores an end of an item unless the item was mentioned at the same place.
func (x item) end(tx *storage.Tx, scope storage.ScopeID, e storage.End) error {
	here := func(at storage.Mention) bool { return at.Chat == e.Chat && at.Node == e.Node && e.Node != "" }
	if e.Kind != storage.Corrected && slices.ContainsFunc(*x.mentions(), here) {
		return nil
	}
	ends, added := addEnd(*x.ends(), e)
	if !added {
		return nil
	}
	*x.ends() = ends
	return x.put(tx, scope, e.At)
}

// endNow ends a thing because the user says so. Its doubts become ends at their places; without a
// doubt, it ends everywhere.
func endNow(ends *[]storage.End, now time.Time) (changed bool) {
	list := slices.Clone(*ends)
	for i := range list {
		if list[i].Doubt && !list[i].Undone {
			list[i].Doubt, changed = false, true
		}
	}
	if !changed {
		list, changed = addEnd(list, storage.End{Mention: storage.Mention{At: now}, Kind: storage.Withdrawn})
	}
	*ends = list
	return changed
}

// markEnds has all ends of a thing undone, or done again.
func markEnds(ends *[]storage.End, undone bool) (changed bool) {
	list := slices.Clone(*ends)
	for i := range list {
		changed = changed || list[i].Undone != undone
		list[i].Undone = undone
	}
	*ends = list
	return changed
}

// MemoryWithText returns the memory of a story with a text, "" for none.
func MemoryWithText(tx *storage.Tx, scope storage.ScopeID, f rules.FoundMemory) storage.MemoryID {
	m, _ := sameMemory(tx, scope, f.Type, f.Content)
	return m.ID
}

// endLines stores ends of recap lines in the chat in which they ended, and the memories that ended
// with them.
func endLines(tx *storage.Tx, lines []storage.StatementEnd, memories []storage.MemoryID, e storage.End) error {
	if len(lines) == 0 || e.Chat == "" || e.Doubt {
		return nil
	}
	list := scenes.StatementEnds(tx, e.Chat)
	for _, l := range lines {
		same := func(o storage.StatementEnd) bool { return o.Text == l.Text && o.Node == e.Node }
		if l.Text = failure.FirstRunes(l.Text, maxMemory); l.Text != "" && !slices.ContainsFunc(list, same) {
			l.End, l.Memories = e, memories
			list = append(list, l)
		}
	}
	return scenes.PutStatementEnds(tx, e.Chat, list)
}

// markLine ends a recap line because the user says so, whichever branch the play is on. If kind is
// "", it undoes all ends of the line.
func markLine(list []storage.StatementEnd, chat storage.ChatID, line string, kind storage.EndKind,
	now time.Time) []storage.StatementEnd {
	if kind != "" {
		end := storage.End{Mention: storage.Mention{Chat: chat, At: now}, Kind: kind}
		return append(list, storage.StatementEnd{Text: line, End: end})
	}
	for i := range list {
		list[i].Undone = list[i].Undone || scene.SameBullet(list[i].Text, line)
	}
	return list
}
