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

// mostEnds is how many ends of one thing are kept: the newest.
const mostEnds = 16

// knowers are those for whom something holds on the paths that was told so and has
// ended so: nil is everybody. over is the newest end that counts, where it holds for
// nobody.
func (g *Paths) knowers(told []storage.StoryPlace, ends []storage.End) (who []storage.CharacterID, over *storage.End) {
	count := g.counting(ends, false)
	if len(count) == 0 {
		return g.witnesses(told), nil
	}
	who = []storage.CharacterID{}
	for _, at := range told {
		left := g.witnesses([]storage.StoryPlace{at})
		for i := range count {
			if !endsTelling(count[i], at) {
				continue
			}
			left = g.without(left, &count[i])
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

// counting are the ends that count on the paths, those in doubt or the others, the
// newest last.
func (g *Paths) counting(ends []storage.End, doubt bool) (out []storage.End) {
	for _, e := range ends {
		if !e.Undone && e.Doubt == doubt && g.holds(e.StoryPlace) {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b storage.End) int { return a.At.Compare(b.At) })
	return out
}

// endsTelling reports whether an end is one of what was told so: told again later, it
// holds again.
func endsTelling(e storage.End, told storage.StoryPlace) bool {
	later := told.At.After(e.At) || told.At.Equal(e.At) && told.Chat == e.Chat && e.Node != "" && told.Depth > e.Depth
	return !later
}

// without leaves of those who know something, nil for everybody, those who have not
// witnessed its end.
func (g *Paths) without(who []storage.CharacterID, e *storage.End) []storage.CharacterID {
	c := g.chatOf(e.StoryPlace)
	seen := g.witnesses([]storage.StoryPlace{e.StoryPlace})
	if !chats.Several(c) || chats.KnownToAll(c, seen) {
		return []storage.CharacterID{}
	}
	if who == nil {
		who = chats.Company(c)
	}
	return slices.DeleteFunc(slices.Clone(who), func(id storage.CharacterID) bool { return slices.Contains(seen, id) })
}

// doubtOf is what the user is asked about something that holds, nil for nothing.
func (g *Paths) doubtOf(told []storage.StoryPlace, ends []storage.End) *storage.End {
	list := g.counting(ends, true)
	for _, e := range slices.Backward(list) {
		if slices.ContainsFunc(told, func(at storage.StoryPlace) bool { return endsTelling(e, at) }) {
			return &e
		}
	}
	return nil
}

// addEnd adds an end to those of a thing, unless it is among them: what the user has
// undone is not done again at the same place, and nothing is doubted that has ended.
func addEnd(ends []storage.End, e storage.End) ([]storage.End, bool) {
	e.Why = failure.FirstRunes(e.Why, longestWhy)
	at := slices.IndexFunc(ends, func(o storage.End) bool { return o.Chat == e.Chat && o.Node == e.Node && (e.Doubt || !o.Doubt) })
	if at >= 0 && (e.Node != "" || !ends[at].Undone) {
		return ends, false
	}
	ends = append(slices.Clone(ends), e)
	return ends[max(0, len(ends)-mostEnds):], true
}

// longestWhy bounds what is said of an end, in runes.
const longestWhy = 200

// Ending is what ends: memories, hooks and lines of recaps, and how. Memories and hooks
// that say Text end too, for one may be known to others than those who were asked.
type Ending struct {
	Text     string
	Memories []storage.MemoryID
	Hooks    []storage.HookID
	Lines    []storage.LineEnd // without their ends
	End      storage.End
}

// Line adds a line of recaps or a fact of the lorebook, and the messages that it rests
// on.
func (x *Ending) Line(line string, rests []storage.NodeID) {
	if !slices.ContainsFunc(x.Lines, func(o storage.LineEnd) bool { return o.Text == line }) {
		x.Lines = append(x.Lines, storage.LineEnd{Text: line, Rests: rests})
	}
}

// EndAll stores ends at a place. What is not there any more is passed over, and so is
// what is told by the same place.
func EndAll(tx *storage.Tx, scope storage.ScopeID, list []Ending) error {
	for _, x := range list {
		x.copies(tx, scope)
		for _, it := range itemsOf(tx, scope, "") {
			named := it.hook != nil && slices.Contains(x.Hooks, it.hook.ID) || it.memory != nil && slices.Contains(x.Memories, it.memory.ID)
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

// copies finds the memories and hooks of a story that say the same.
func (x *Ending) copies(tx *storage.Tx, scope storage.ScopeID) {
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

// end stores an end of an item, unless it was told at the same place.
func (x item) end(tx *storage.Tx, scope storage.ScopeID, e storage.End) error {
	here := func(at storage.StoryPlace) bool { return at.Chat == e.Chat && at.Node == e.Node && e.Node != "" }
	if e.Kind != storage.Corrected && slices.ContainsFunc(*x.told(), here) {
		return nil
	}
	ends, added := addEnd(*x.ends(), e)
	if !added {
		return nil
	}
	*x.ends() = ends
	return x.put(tx, scope, e.At)
}

// endNow ends a thing by the user's word: where it is in doubt at the place of that,
// else everywhere.
func endNow(ends *[]storage.End, now time.Time) (changed bool) {
	list := slices.Clone(*ends)
	for i := range list {
		if list[i].Doubt && !list[i].Undone {
			list[i].Doubt, changed = false, true
		}
	}
	if !changed {
		list, changed = addEnd(list, storage.End{StoryPlace: storage.StoryPlace{At: now}, Kind: storage.Withdrawn})
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

// Saying is the memory of a story that says what was found, "" for none.
func Saying(tx *storage.Tx, scope storage.ScopeID, f rules.FoundMemory) storage.MemoryID {
	m, _ := sameMemory(tx, scope, f.Type, f.Content)
	return m.ID
}

// endLines stores ends of lines of the recaps of the chat in which they ended, and the memories that
// ended with them.
func endLines(tx *storage.Tx, lines []storage.LineEnd, memories []storage.MemoryID, e storage.End) error {
	if len(lines) == 0 || e.Chat == "" || e.Doubt {
		return nil
	}
	list := scenes.LineEnds(tx, e.Chat)
	for _, l := range lines {
		same := func(o storage.LineEnd) bool { return o.Text == l.Text && o.Node == e.Node }
		if l.Text = failure.FirstRunes(l.Text, longestMemory); l.Text != "" && !slices.ContainsFunc(list, same) {
			l.End, l.Memories = e, memories
			list = append(list, l)
		}
	}
	return scenes.PutLineEnds(tx, e.Chat, list)
}

// markLine ends a line of recaps by the user's word, wherever the play stands, or takes all its ends
// back where kind is "".
func markLine(list []storage.LineEnd, chat storage.ChatID, line string, kind storage.EndKind,
	now time.Time) []storage.LineEnd {
	if kind != "" {
		end := storage.End{StoryPlace: storage.StoryPlace{Chat: chat, At: now}, Kind: kind}
		return append(list, storage.LineEnd{Text: line, End: end})
	}
	for i := range list {
		list[i].Undone = list[i].Undone || scene.SameBullet(list[i].Text, line)
	}
	return list
}
