package director

import (
	"slices"
	"strings"

	"ghostlight/engine/director/rules"
	"ghostlight/engine/memory"
	"ghostlight/engine/play/chats"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
)

// known is something that is known before an exchange, and where it is written: what
// says the same is one thing.
type known struct {
	rules.Listed
	memories []storage.Memory
	hooks    []storage.Hook
	lines    []string // of recaps
}

// mostKnown is how many memories a request of its own is told of.
const mostKnown = 30

// readKnown finds what a pass is shown of what is known: what the exchange is near to,
// as far as the speaker and all who learn of the answer know it.
func (svc *Service) readKnown(tx *storage.Tx, p *pass, in *rules.Input, memories []memory.KnownMemory, hooks []memory.KnownHook) {
	all := svc.tellable(tx, p, memories, hooks)
	var list []rules.Listed
	for _, k := range all {
		list = append(list, k.Listed)
	}
	exchange := svc.exchange(p, in)
	names := append([]string{in.Char, in.User}, svc.chats.NamesOf(tx, append([]storage.CharacterID{p.chat.Character}, chats.CastOf(p.chat)...))...)
	at := rules.Nearest(list, exchange, names...)
	for _, i := range at {
		p.known = append(p.known, all[i])
		in.Known = append(in.Known, all[i].Listed)
	}
	for i, k := range all {
		if len(in.Also) < mostKnown && len(k.memories) > 0 && !slices.Contains(at, i) {
			in.Also = append(in.Also, k.Text)
		}
	}
	in.Aside = len(p.asides) > 0
}

// exchange is what was said of late: in the exchange, and in those just before it that
// were answered by others. It notes what the user has said out of character.
func (svc *Service) exchange(p *pass, in *rules.Input) string {
	said := ""
	for _, l := range slices.Backward(in.Messages) { // the newest first, and what others have answered since
		said += l.Text + "\n"
		if l.User && slices.Contains(p.told.Sources, l.ID) {
			p.asides = append(p.asides, rules.Asides(l.Text)...)
		}
	}
	return said
}

// tellable is what is known that a pass may be shown, hooks that are due first.
func (svc *Service) tellable(tx *storage.Tx, p *pass, memories []memory.KnownMemory, hooks []memory.KnownHook) (all []known) {
	c := p.chat
	who := chats.MomentOf(c, p.leaf.Speaker, false)
	may := func(witnesses []storage.CharacterID) bool {
		return who.May(witnesses) && !slices.ContainsFunc(p.told.Witnesses, func(id storage.CharacterID) bool {
			return witnesses != nil && !slices.Contains(witnesses, id)
		})
	}
	add := func(k known) {
		same := func(o known) bool { return rules.SameMemory(o.Text, k.Text) }
		if i := slices.IndexFunc(all, same); i >= 0 {
			o := &all[i]
			o.memories, o.hooks, o.lines = append(o.memories, k.memories...), append(o.hooks, k.hooks...), append(o.lines, k.lines...)
			return
		}
		all = append(all, k)
	}
	var due []storage.Hook
	for _, h := range hooks {
		if may(h.Witnesses) && !h.Taken && rules.HookDue(h.Hook, h.Turn, svc.core.Config.Now(), h.Story) {
			due = append(due, h.Hook)
		}
	}
	for _, h := range rules.ChooseHooks(due) {
		add(known{Listed: rules.Listed{Text: h.Content, Due: true}, hooks: []storage.Hook{h}})
	}
	for _, m := range slices.Backward(memories) {
		if may(m.Witnesses) {
			add(known{Listed: rules.Listed{Text: m.Content}, memories: []storage.Memory{m.Memory}})
		}
	}
	for _, h := range hooks {
		of := func(d storage.Hook) bool { return d.ID == h.ID }
		if may(h.Witnesses) && !h.Taken && !slices.ContainsFunc(due, of) {
			add(known{Listed: rules.Listed{Text: h.Content}, hooks: []storage.Hook{h.Hook}})
		}
	}
	bullets, rests := scenes.TellableAt(tx, who, p.leaf.ID)
	for _, b := range bullets {
		if svc.allHeard(tx, p, rests(b.Text)) {
			add(known{Listed: rules.Listed{Text: b.Text}, lines: []string{b.Text}})
		}
	}
	return all
}

// allHeard tells whether those who learn of an answer have witnessed all of some
// messages.
func (svc *Service) allHeard(tx *storage.Tx, p *pass, nodes []storage.NodeID) bool {
	if !chats.Several(p.chat) {
		return true
	}
	for _, id := range nodes {
		n, err := tx.Node(p.chat.ID, id)
		if err != nil {
			return false
		}
		if slices.ContainsFunc(p.told.Witnesses, func(who storage.CharacterID) bool { return !chats.Knows(p.chat, who, &n) }) {
			return false
		}
	}
	return true
}

// settingBefore is where and when the scene stood before what a break is looked for in,
// "" where the director has not said, or has seen what the speaker must not know.
func (svc *Service) settingBefore(tx *storage.Tx, p *pass) string {
	from := p.leaf.ID
	if len(p.told.Sources) > 0 {
		from = p.told.Sources[0]
	}
	if len(p.fresh) > 0 {
		from = p.fresh[0].ID
	}
	at, err := tx.Place(p.chat.ID, from)
	if err != nil || at.Parent == "" {
		return ""
	}
	who := chats.MomentOf(p.chat, p.leaf.Speaker, false)
	b, ok := lastSeen(tx, p.chat.ID, at.Parent)
	if !ok || !who.May(chats.AttendedAt(tx, p.chat, b.Witnesses, b.Node)) || !who.Saw(tx, b.Node) {
		return ""
	}
	return b.Seen.Setting
}

// keepEnds stores what of what was known the exchange has ended, for all who witnessed
// it. What the user has said out of character and the answer does not decide is put
// before the user.
func (svc *Service) keepEnds(tx *storage.Tx, scope storage.ScopeID, p pass, a passAnswer) error {
	var news []string
	for _, m := range a.Memories {
		news = append(news, m.Content)
	}
	var list []memory.Ending
	for i, k := range p.known {
		e := storage.End{Told: p.ends, Kind: storage.Outdated, Why: a.Why}
		switch {
		case slices.ContainsFunc(news, func(n string) bool { return rules.SameMemory(n, k.Text) }):
			continue // it was said anew
		case slices.Contains(a.Settled, i+1):
			e.Kind = storage.Settled
		case slices.Contains(a.Outdated, i+1):
		case slices.ContainsFunc(p.asides, func(s string) bool { return rules.Contradicts(s, k.Text) }):
			e.Doubt, e.Why = true, "out of character: “"+strings.Join(p.asides, " ")+"”"
		default:
			continue
		}
		if at := rules.Replacing(k.Text, news); at >= 0 && !e.Doubt {
			e.Instead = news[at]
			e.By = memory.Saying(tx, scope, a.Memories[at])
		}
		list = append(list, ending(k, e))
	}
	return memory.EndAll(tx, scope, list)
}

// ending is the end of all that says one thing. What the user has pinned is never ended
// by a model alone.
func ending(k known, e storage.End) memory.Ending {
	x := memory.Ending{Text: k.Text, End: e, Lines: append(k.lines, k.Text)} // a recap may tell it yet
	for _, m := range k.memories {
		x.Memories = append(x.Memories, m.ID)
		x.End.Doubt = x.End.Doubt || m.Pinned
	}
	for _, h := range k.hooks {
		x.Hooks = append(x.Hooks, h.ID)
	}
	return x
}
