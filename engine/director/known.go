package director

import (
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/knowledge/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// known is something that is known before an exchange, and where it is written: what
// says the same is one thing. rests are the messages that it came from.
type known struct {
	rules.Listed
	rests    []storage.NodeID
	memories []storage.Memory
	hooks    []storage.Hook
	lines    []line // of recaps and of the lorebook
}

// line is a statement as it is written somewhere, and what it rests on.
type line struct {
	text  string
	rests []storage.NodeID
}

// mostKnown is how many memories a request of its own is told of.
const mostKnown = 30

// readKnown finds what a pass is shown of what is known: what the exchange is near to,
// as far as the speaker and all who learn of the answer know it.
func (svc *Service) readKnown(tx *storage.Tx, p *pass, in *rules.Input, memories []memory.KnownMemory, hooks []memory.KnownHook) error {
	last, before := svc.exchange(p, in)
	all, err := svc.tellable(tx, p, memories, hooks, last+before)
	if err != nil {
		return err
	}
	var list []rules.Listed
	var texts []string
	for _, k := range all {
		list, texts = append(list, k.Listed), append(texts, k.Text)
	}
	names := append([]string{in.Char, in.User}, svc.chats.NamesOf(tx, append([]storage.CharacterID{p.chat.Character}, chats.CastOf(p.chat)...))...)
	shown := map[int]bool{}
	for _, row := range rules.Rows(list, facts.Near(texts, last, before, names...), svc.sameKnown(tx, p.chat.ID, all)) {
		k := all[row[0]]
		for _, i := range row {
			if shown[i] = true; i != row[0] {
				k.memories, k.hooks, k.lines = append(k.memories, all[i].memories...), append(k.hooks, all[i].hooks...), append(k.lines, all[i].lines...)
			}
		}
		p.known, in.Known = append(p.known, k), append(in.Known, k.Listed)
	}
	for i, k := range all {
		if len(in.Also) < mostKnown && len(k.memories) > 0 && !shown[i] {
			in.Also = append(in.Also, k.Text)
		}
	}
	in.Aside = len(p.asides) > 0
	return nil
}

// sameKnown tells which of what is known says the same: in the same words, or in others
// of one message.
func (svc *Service) sameKnown(tx *storage.Tx, chat storage.ChatID, all []known) func(i, j int) bool {
	words, said := map[int]facts.Words{}, map[storage.NodeID]facts.Words{}
	texts := make([]*rules.Compared, len(all))
	for i, k := range all {
		texts[i] = rules.ToCompare(k.Text)
	}
	wordsOf := func(i int) facts.Words {
		if _, ok := words[i]; !ok {
			words[i] = facts.WordsOf(all[i].Text)
		}
		return words[i]
	}
	return func(i, j int) bool {
		return texts[i].Same(texts[j]) || slices.ContainsFunc(all[i].rests, func(id storage.NodeID) bool {
			if !slices.Contains(all[j].rests, id) || !facts.Alike(wordsOf(i), wordsOf(j)) {
				return false
			}
			if _, ok := said[id]; !ok {
				n, _ := tx.Node(chat, id) // of one that is gone there are no words
				said[id] = facts.WordsOf(n.Content)
			}
			return facts.Same(wordsOf(i), wordsOf(j), said[id])
		})
	}
}

// exchange is what was said last, and just before that to others or by them. It notes
// what the user has said out of character.
func (svc *Service) exchange(p *pass, in *rules.Input) (last, before string) {
	for _, l := range slices.Backward(in.Messages) { // the newest first
		if !slices.Contains(p.told.Sources, l.ID) {
			before += l.Text + "\n"
			continue
		}
		if last += l.Text + "\n"; l.User {
			p.asides = append(p.asides, rules.Asides(l.Text)...)
		}
	}
	return last, before
}

// tellable is what is known that a pass may be shown, hooks that are due first. said is
// the exchange.
func (svc *Service) tellable(tx *storage.Tx, p *pass, memories []memory.KnownMemory, hooks []memory.KnownHook, said string) (all []known, err error) {
	c := p.chat
	who := chats.MomentOf(c, p.leaf.Speaker, false)
	may := func(witnesses []storage.CharacterID) bool {
		return who.May(witnesses) && !slices.ContainsFunc(p.told.Witnesses, func(id storage.CharacterID) bool {
			return witnesses != nil && !slices.Contains(witnesses, id)
		})
	}
	var due []storage.Hook
	for _, h := range hooks {
		if may(h.Witnesses) && !h.Taken && rules.HookDue(h.Hook, h.Turn, svc.core.Config.Now(), h.Story) {
			due = append(due, h.Hook)
		}
	}
	addHook := func(h storage.Hook, due bool) {
		all = append(all, known{Listed: rules.Listed{Text: h.Content, Due: due}, rests: memory.MessagesOf(h.Told, c.ID), hooks: []storage.Hook{h}})
	}
	due = rules.ChooseHooks(due)
	for _, h := range due {
		addHook(h, true)
	}
	for _, m := range slices.Backward(memories) {
		if may(m.Witnesses) {
			all = append(all, known{Listed: rules.Listed{Text: m.Content}, rests: memory.MessagesOf(m.Here, c.ID), memories: []storage.Memory{m.Memory}})
		}
	}
	for _, h := range hooks {
		of := func(d storage.Hook) bool { return d.ID == h.ID }
		if may(h.Witnesses) && !h.Taken && !slices.ContainsFunc(due, of) {
			addHook(h.Hook, false)
		}
	}
	addLine := func(text string, from []storage.NodeID) {
		all = append(all, known{Listed: rules.Listed{Text: text}, rests: from, lines: []line{{text, from}}})
	}
	bullets, rests := scenes.TellableAt(tx, who, p.leaf.ID)
	for _, b := range bullets {
		if from := rests(b.Text); svc.allHeard(tx, p, from) {
			for _, s := range scene.Statements(b.Text) {
				addLine(s, from)
			}
		}
	}
	entries, err := svc.lore.KnownAt(tx, c, p.leaf.ID, said)
	for _, f := range entries {
		if may(f.Witnesses) {
			addLine(f.Text, f.Messages)
		}
	}
	return all, err
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
			e.Doubt, e.Why, e.Instead = true, "out of character: “"+strings.Join(p.asides, " ")+"”", failure.FirstRunes(strings.Join(p.asides, " "), 200)
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
	x := memory.Ending{Text: k.Text, End: e}
	x.Line(k.Text, k.rests) // a recap may tell it yet
	for _, l := range k.lines {
		x.Line(l.text, l.rests)
	}
	for _, m := range k.memories {
		x.Memories = append(x.Memories, m.ID)
		x.End.Doubt = x.End.Doubt || m.Pinned
	}
	for _, h := range k.hooks {
		x.Hooks = append(x.Hooks, h.ID)
	}
	return x
}
