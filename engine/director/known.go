package director

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// known is a fact that is known before the messages of a pass, and where it is written:
// equal texts are one fact.
type known struct {
	rules.Listed
	weight   float64 // how important it is, from 0 to 1
	depth    int     // of the newest message that it came from
	keyed    bool    // a key of its lorebook entry stands in the messages
	memories []storage.Memory
	hooks    []storage.Hook
	lines    []line         // of recaps and of the lorebook
	looks    []storage.Fact // that pictures go by
}

// line is a statement as it is written somewhere, and the messages that it came from.
type line struct {
	text string
	from []storage.NodeID
}

// readKnown finds the facts that a pass is shown: what is near the messages, as far as the
// speaker knows it, in whose prompt it is asked.
func (svc *Service) readKnown(tx *storage.Tx, p *pass, in *rules.Input, memories []memory.KnownMemory, hooks []memory.KnownHook) error {
	last, before := said(in.Messages), said(in.Before)
	all, err := svc.tellable(tx, p, memories, hooks, last+before)
	if err != nil {
		return err
	}
	names := append([]string{in.Char, in.User}, svc.chats.NamesOf(tx, chats.Company(p.chat))...)
	var list []rules.Listed
	var texts []string
	for _, k := range all {
		list, texts = append(list, k.Listed), append(texts, k.Text)
	}
	met := namesIn(last, names)
	near := make([]rules.Near, len(all))
	for i, score := range facts.Near(texts, last, before, names...) {
		shared := all[i].keyed || slices.ContainsFunc(namesIn(texts[i], names), func(n string) bool { return slices.Contains(met, n) })
		near[i] = rules.Near{Shared: shared, Score: score, Weight: all[i].weight, Age: p.leaf.Depth - all[i].depth}
	}
	room := rules.FactsRoom(svc.models.ContextOf(p.chat, nil))
	for _, i := range rules.ShownFacts(list, near, room, text.Tokens) {
		p.known, in.Known = append(p.known, all[i]), append(in.Known, all[i].Listed)
	}
	return nil
}

// said is what was said in messages, and by whom.
func said(lines []rules.Line) string {
	var b strings.Builder
	for _, l := range slices.Backward(lines) { // the newest first
		b.WriteString(l.Speaker + ": " + l.Text + "\n")
	}
	return b.String()
}

// namesIn are those of some names of which all words stand in a text.
func namesIn(s string, names []string) (out []string) {
	words := map[string]bool{}
	for _, w := range text.Words(text.Fold(s)) {
		words[w] = true
	}
	for _, name := range names {
		all, any := true, false
		for _, w := range text.Words(text.Fold(name)) {
			all, any = all && words[w], true
		}
		if all && any {
			out = append(out, name)
		}
	}
	return out
}

// oneEach makes one fact of those with equal texts, at the place of the first.
func oneEach(all []known) (out []known) {
	at := map[string]int{}
	for _, k := range all {
		key := text.Normalize(k.Text)
		i, has := at[key]
		if !has {
			at[key], out = len(out), append(out, k)
			continue
		}
		o := &out[i]
		o.Due, o.By, o.keyed = o.Due || k.Due, cmp.Or(o.By, k.By), o.keyed || k.keyed
		o.weight, o.depth = max(o.weight, k.weight), max(o.depth, k.depth)
		o.memories, o.hooks, o.lines = append(o.memories, k.memories...), append(o.hooks, k.hooks...), append(o.lines, k.lines...)
		o.looks = append(o.looks, k.looks...)
	}
	return out
}

// tellable is what is known that a pass may be shown. said are its messages.
func (svc *Service) tellable(tx *storage.Tx, p *pass, memories []memory.KnownMemory, hooks []memory.KnownHook, said string) (all []known, err error) {
	c := p.chat
	who := chats.MomentOf(c, p.leaf.Speaker, false)
	due := svc.dueHooks(hooks, who)
	for _, h := range hooks {
		if !who.May(h.Witnesses) || h.Taken {
			continue
		}
		k := known{weight: float64(h.Priority) / 5, depth: deepest(h.Here, c.ID), hooks: []storage.Hook{h.Hook}}
		k.Listed = rules.Listed{Text: h.Content, Due: due[h.ID]}
		if !h.Story {
			k.By = h.Deadline
		}
		all = append(all, k)
	}
	for _, m := range memories {
		if who.May(m.Witnesses) {
			k := known{weight: m.Importance, depth: deepest(m.Here, c.ID), memories: []storage.Memory{m.Memory}}
			k.Text = m.Content
			all = append(all, k)
		}
	}
	addLine := func(text string, from []storage.NodeID, keyed bool) {
		k := known{weight: lineWeight, depth: p.leaf.Depth, keyed: keyed, lines: []line{{text, from}}}
		if len(from) > 0 {
			if at, err := tx.Place(c.ID, slices.Max(from)); err == nil {
				k.depth = at.Depth
			}
		}
		k.Text = text
		all = append(all, k)
	}
	bullets, rests := scenes.TellableAt(tx, who, p.leaf.ID)
	for _, b := range bullets {
		for _, s := range scene.Statements(b.Text) {
			addLine(s, rests(b.Text), false)
		}
	}
	for _, f := range svc.painter.LooksAt(tx, c, p.leaf.ID) {
		k := known{weight: lineWeight, depth: p.leaf.Depth, looks: []storage.Fact{f}}
		k.Text = strings.TrimPrefix(f.Who+": "+f.Text, ": ")
		all = append(all, k)
	}
	entries, err := svc.lore.KnownAt(tx, c, p.leaf.ID, said)
	for _, f := range entries {
		if who.May(f.Witnesses) {
			addLine(f.Text, f.Messages, true)
		}
	}
	return oneEach(all), err
}

// dueHooks are the hooks that a prompt tells because their time has come.
func (svc *Service) dueHooks(hooks []memory.KnownHook, who chats.Moment) map[storage.HookID]bool {
	var list []storage.Hook
	for _, h := range hooks {
		if who.May(h.Witnesses) && !h.Taken && rules.HookDue(h.Hook, h.Turn, svc.core.Config.Now(), h.Story) {
			list = append(list, h.Hook)
		}
	}
	due := map[storage.HookID]bool{}
	for _, h := range rules.ChooseHooks(list) {
		due[h.ID] = true
	}
	return due
}

// lineWeight is how important a line of a recap or a lorebook is taken to be, among
// memories, which say.
const lineWeight = 0.5

// deepest is the depth of the newest telling in a chat.
func deepest(told []storage.StoryPlace, chat storage.ChatID) (depth int) {
	for _, at := range told {
		if at.Chat == "" || at.Chat == chat {
			depth = max(depth, at.Depth)
		}
	}
	return depth
}

// settingBefore is where and when the scene stood before what a break is looked for in,
// "" where the director has not said, or has seen what the speaker must not know.
func (svc *Service) settingBefore(tx *storage.Tx, p *pass) string {
	from := p.leaf.ID
	if len(p.nodes) > 0 {
		from = p.nodes[0].ID
	}
	at, err := tx.Place(p.chat.ID, from)
	if err != nil || at.Parent == "" {
		return ""
	}
	who := chats.MomentOf(p.chat, p.leaf.Speaker, false)
	b, ok := lastSeen(tx, p.chat.ID, at.Parent)
	if !ok || !who.May(chats.AttendedAt(tx, p.chat, b.Witnesses, b.Node)) || !who.Witnessed(tx, b.Node) {
		return ""
	}
	return b.Seen.Setting
}

// keepEnds stores which facts the messages have ended, for all who heard those that show it.
func (svc *Service) keepEnds(tx *storage.Tx, scope storage.ScopeID, p pass, a passAnswer) error {
	var list []memory.Ending
	var looks []storage.Fact
	add := func(ended []rules.Ended, kind storage.EndKind) {
		for _, e := range ended {
			k := p.known[e.Fact-1]
			if looks = append(looks, k.looks...); len(k.memories)+len(k.hooks)+len(k.lines) == 0 {
				continue
			}
			if slices.ContainsFunc(a.Memories, func(m rules.FoundMemory) bool { return text.Equal(m.Content, k.Text) }) {
				continue // it was said anew
			}
			end := storage.End{StoryPlace: p.told(svc.core.Config.Now(), e.From), Kind: kind, Why: e.Why}
			if m, ok := instead(a.Memories, e.From); ok {
				end.Instead, end.By = m.Content, memory.Saying(tx, scope, m)
			}
			list = append(list, ending(k, end))
		}
	}
	add(a.Outdated, storage.Outdated)
	add(a.Settled, storage.Settled)
	for _, f := range looks {
		if err := svc.painter.EndLook(tx, p.chat.ID, f, p.leaf.ID); err != nil {
			return err
		}
	}
	return memory.EndAll(tx, scope, list)
}

// instead is the new memory that stands in the place of a fact which some messages end: the
// only one that they say.
func instead(memories []rules.FoundMemory, from []int) (m rules.FoundMemory, ok bool) {
	n := 0
	for _, x := range memories {
		if slices.ContainsFunc(x.From, func(f int) bool { return slices.Contains(from, f) }) {
			m, n = x, n+1
		}
	}
	return m, n == 1
}

// ending is the end of all that says one thing. What the user has pinned is never ended
// by a model alone.
func ending(k known, e storage.End) memory.Ending {
	x := memory.Ending{Text: k.Text, End: e}
	var from []storage.NodeID
	for _, m := range k.memories {
		x.Memories = append(x.Memories, m.ID)
		x.End.Doubt = x.End.Doubt || m.Pinned
		from = append(from, memory.MessagesOf(m.Told, e.Chat)...)
	}
	for _, h := range k.hooks {
		x.Hooks = append(x.Hooks, h.ID)
		from = append(from, memory.MessagesOf(h.Told, e.Chat)...)
	}
	x.Line(k.Text, from) // a recap may tell it yet
	for _, l := range k.lines {
		x.Line(l.text, l.from)
	}
	return x
}
