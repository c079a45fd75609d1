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

// knownFact is a fact that is known before the messages of a pass, with all the records that state
// it: equal texts are one fact.
type knownFact struct {
	rules.KnownFact
	weight   float64 // how important it is, from 0 to 1
	depth    int     // of the newest message that it came from
	keyed    bool    // a key of its lorebook entry occurs in the messages
	memories []storage.Memory
	hooks    []storage.Hook
	lines    []sourcedLine  // of recaps and of the lorebook
	looks    []storage.Fact // that pictures go by
}

// sourcedLine is a statement and the messages that it came from.
type sourcedLine struct {
	text string
	from []storage.NodeID
}

// readKnown returns the facts that a pass contains: those near the messages and known to the
// speaker, whose prompt the pass is appended to.
func (svc *Service) readKnown(tx *storage.Tx, p *pass, in *rules.Input, memories []memory.KnownMemory,
	hooks []memory.KnownHook) error {
	last, before := transcript(in.Messages), transcript(in.Before)
	all, err := svc.knownFacts(tx, p, memories, hooks, last+before)
	if err != nil {
		return err
	}
	names := append([]string{in.Char, in.User}, svc.chats.NamesOf(tx, chats.Members(p.chat))...)
	var list []rules.KnownFact
	var texts []string
	for _, k := range all {
		list, texts = append(list, k.KnownFact), append(texts, k.Text)
	}
	met := namesIn(last, names)
	near := make([]rules.Nearness, len(all))
	for i, score := range facts.Near(texts, last, before, names...) {
		shared := all[i].keyed || slices.ContainsFunc(namesIn(texts[i], names),
			func(n string) bool { return slices.Contains(met, n) })
		near[i] = rules.Nearness{Shared: shared, Score: score, Weight: all[i].weight, Age: p.leaf.Depth - all[i].depth}
	}
	room := rules.FactsBudget(svc.models.ContextOf(p.chat, nil))
	for _, i := range rules.ShownFacts(list, near, room, text.Tokens) {
		p.known, in.Known = append(p.known, all[i]), append(in.Known, all[i].KnownFact)
	}
	return nil
}

// transcript returns the messages' text with their speakers.
func transcript(lines []rules.Line) string {
	var b strings.Builder
	for _, l := range slices.Backward(lines) { // the newest first
		b.WriteString(l.Speaker + ": " + l.Text + "\n")
	}
	return b.String()
}

// namesIn returns the names whose words all occur in a text.
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

// uniqueFacts merges facts with equal texts, at the place of the first.
func uniqueFacts(all []knownFact) (out []knownFact) {
	at := map[string]int{}
	for _, k := range all {
		key := text.Normalize(k.Text)
		i, has := at[key]
		if !has {
			at[key], out = len(out), append(out, k)
			continue
		}
		o := &out[i]
		o.Due, o.DueBy, o.keyed = o.Due || k.Due, cmp.Or(o.DueBy, k.DueBy), o.keyed || k.keyed
		o.weight, o.depth = max(o.weight, k.weight), max(o.depth, k.depth)
		o.memories, o.hooks, o.lines = append(o.memories, k.memories...), append(o.hooks, k.hooks...),
			append(o.lines, k.lines...)
		o.looks = append(o.looks, k.looks...)
	}
	return out
}

// knownFacts returns the known facts that a pass may contain. said is the text of its messages.
func (svc *Service) knownFacts(tx *storage.Tx, p *pass, memories []memory.KnownMemory, hooks []memory.KnownHook,
	said string) (all []knownFact, err error) {
	c := p.chat
	who := chats.ViewpointOf(c, p.leaf.Speaker, false)
	due := svc.dueHooks(hooks, who)
	for _, h := range hooks {
		if !who.MayKnow(h.Witnesses) || h.TakenUp {
			continue
		}
		k := knownFact{weight: float64(h.Priority) / 5, depth: deepest(h.Here, c.ID), hooks: []storage.Hook{h.Hook}}
		k.KnownFact = rules.KnownFact{Text: h.Content, Due: due[h.ID]}
		if !h.Story {
			k.DueBy = h.Deadline
		}
		all = append(all, k)
	}
	for _, m := range memories {
		if who.MayKnow(m.Witnesses) {
			k := knownFact{weight: m.Importance, depth: deepest(m.Here, c.ID), memories: []storage.Memory{m.Memory}}
			k.Text = m.Content
			all = append(all, k)
		}
	}
	addLine := func(text string, from []storage.NodeID, keyed bool) {
		k := knownFact{weight: lineWeight, depth: p.leaf.Depth, keyed: keyed, lines: []sourcedLine{{text, from}}}
		if len(from) > 0 {
			if at, err := tx.NodeInfo(c.ID, slices.Max(from)); err == nil {
				k.depth = at.Depth
			}
		}
		k.Text = text
		all = append(all, k)
	}
	bullets, rests := scenes.KnownBulletsAt(tx, who, p.leaf.ID)
	for _, b := range bullets {
		for _, s := range scene.Statements(b.Text) {
			addLine(s, rests(b.Text), false)
		}
	}
	for _, f := range svc.painter.AppearanceAt(tx, c, p.leaf.ID) {
		k := knownFact{weight: lineWeight, depth: p.leaf.Depth, looks: []storage.Fact{f}}
		k.Text = strings.TrimPrefix(f.Who+": "+f.Text, ": ")
		all = append(all, k)
	}
	entries, err := svc.lore.KnownFactsAt(tx, c, p.leaf.ID, said)
	for _, f := range entries {
		if who.MayKnow(f.Witnesses) {
			addLine(f.Text, f.Messages, true)
		}
	}
	return uniqueFacts(all), err
}

// dueHooks returns the due hooks that a prompt contains.
func (svc *Service) dueHooks(hooks []memory.KnownHook, who chats.Viewpoint) map[storage.HookID]bool {
	var list []storage.Hook
	for _, h := range hooks {
		if who.MayKnow(h.Witnesses) && !h.TakenUp && rules.HookDue(h.Hook, h.Turn, svc.core.Config.Now(), h.Story) {
			list = append(list, h.Hook)
		}
	}
	due := map[storage.HookID]bool{}
	for _, h := range rules.ChooseHooks(list) {
		due[h.ID] = true
	}
	return due
}

// lineWeight is the importance of recap lines and lorebook facts, compared with memories, which
// have their own.
const lineWeight = 0.5

// deepest returns the depth of the newest mention in a chat.
func deepest(mentions []storage.Mention, chat storage.ChatID) (depth int) {
	for _, at := range mentions {
		if at.Chat == "" || at.Chat == chat {
			depth = max(depth, at.Depth)
		}
	}
	return depth
}

// settingBefore returns the place and time of the scene before the messages in which a break is
// looked for. It is "" if the director has not given one, or has seen something that the speaker
// must not know.
func (svc *Service) settingBefore(tx *storage.Tx, p *pass) string {
	from := p.leaf.ID
	if len(p.nodes) > 0 {
		from = p.nodes[0].ID
	}
	at, err := tx.NodeInfo(p.chat.ID, from)
	if err != nil || at.Parent == "" {
		return ""
	}
	who := chats.ViewpointOf(p.chat, p.leaf.Speaker, false)
	b, ok := lastEvaluated(tx, p.chat.ID, at.Parent)
	if !ok || !who.MayKnow(chats.AttendedAt(tx, p.chat, b.Witnesses, b.Node)) || !who.Witnessed(tx, b.Node) {
		return ""
	}
	return b.Seen.Setting
}

// keepEnds stores the facts that the messages have ended, for everybody who heard those messages.
func (svc *Service) keepEnds(tx *storage.Tx, scope storage.ScopeID, p pass, a passAnswer) error {
	var list []memory.Ending
	var looks []storage.Fact
	add := func(ended []rules.EndedFact, kind storage.EndKind) {
		for _, e := range ended {
			k := p.known[e.Fact-1]
			if looks = append(looks, k.looks...); len(k.memories)+len(k.hooks)+len(k.lines) == 0 {
				continue
			}
			if slices.ContainsFunc(a.Memories, func(m rules.FoundMemory) bool {
				return text.Equal(m.Content, k.Text)
			}) {
				continue // it was stated again
			}
			end := storage.End{Mention: p.mention(svc.core.Config.Now(), e.From), Kind: kind, Why: e.Why}
			if m, ok := replacement(a.Memories, e.From); ok {
				end.Instead, end.By = m.Content, memory.MemoryWithText(tx, scope, m)
			}
			list = append(list, newEnding(k, end))
		}
	}
	add(a.Outdated, storage.Outdated)
	add(a.Settled, storage.Settled)
	for _, f := range looks {
		if err := svc.painter.EndAppearanceFact(tx, p.chat.ID, f, p.leaf.ID); err != nil {
			return err
		}
	}
	return memory.StoreEnds(tx, scope, list)
}

// replacement returns the new memory that replaces a fact which some messages end: the only one
// that came from them.
func replacement(memories []rules.FoundMemory, from []int) (m rules.FoundMemory, ok bool) {
	n := 0
	for _, x := range memories {
		if slices.ContainsFunc(x.From, func(f int) bool { return slices.Contains(from, f) }) {
			m, n = x, n+1
		}
	}
	return m, n == 1
}

// newEnding returns the ending of everything that states one fact. What the user has pinned is
// never ended by a model alone.
func newEnding(k knownFact, e storage.End) memory.Ending {
	x := memory.Ending{Text: k.Text, End: e}
	var from []storage.NodeID
	for _, m := range k.memories {
		x.Memories = append(x.Memories, m.ID)
		x.End.Doubt = x.End.Doubt || m.Pinned
		from = append(from, memory.MessagesOf(m.Mentions, e.Chat)...)
	}
	for _, h := range k.hooks {
		x.Hooks = append(x.Hooks, h.ID)
		from = append(from, memory.MessagesOf(h.Mentions, e.Chat)...)
	}
	x.Line(k.Text, from) // a recap may still state it
	for _, l := range k.lines {
		x.Line(l.text, l.from)
	}
	return x
}
