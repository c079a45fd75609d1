package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Facts returns the known facts at a chat's head: the facts of its recaps, lorebooks, memories,
// hooks and threads, with their sources, the characters who may know them, and whether the next
// prompt, or that of FactQuery.As, contains them. It reads the whole play and is intended for
// views, not for turns.
func (svc *Service) Facts(ctx context.Context, ask FactQuery, next NextPrompt) (v FactList, err error) {
	var g gatheredFacts
	doubts := []Doubt{}
	var meant []string
	var near []float32
	if ask.Subject = strings.TrimSpace(ask.Subject); ask.Subject != "" {
		near = svc.Embedding(ctx, ask.Subject)
	}
	err = svc.core.Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, ask.Chat)
		if err != nil {
			return err
		}
		if err := checkInCast(c, ask.As); err != nil {
			return err
		}
		p := PathsOf(tx, chats.ScopeOf(c), c.ID, c.Head)
		known := p.Memories()
		in, err := svc.gatherFacts(tx, c, known, p.Hooks())
		if err != nil {
			return err
		}
		x := svc.indexOf(c.ID)
		x.mu.Lock()
		defer x.mu.Unlock()
		if err := x.sync(tx, c.Head, known); err != nil {
			return err
		}
		in.setSubjects(x)
		in.replacedBy(p)
		g = in.gatheredFacts
		meant = x.near(svc, tx, chats.ScopeOf(c), near, g.texts(), 2*mostNear)
		if ask.As == "" {
			doubts, err = svc.doubts(tx, c)
		}
		return err
	})
	if err != nil {
		return v, failure.Wrap("read facts", err)
	}
	v = FactList{Chat: ask.Chat, As: ask.As, AsName: g.names[ask.As], Doubts: doubts, LeftOut: g.left}
	if chats.IsGroup(g.chat) {
		for _, id := range g.cast {
			v.Cast = append(v.Cast, Knower{id, g.names[id]})
		}
	}
	if ask.As != "" {
		m := chats.ViewpointOf(g.chat, ask.As, false)
		g.list = slices.DeleteFunc(g.list, func(x listedFact) bool { return !x.knownTo(m) })
		g.replaced = slices.DeleteFunc(g.replaced, func(x replacedFact) bool { return !x.knownTo(m) })
	}
	g.markInPrompt(ctx, next, ask.As, &v)
	for i := range g.list {
		v.Facts = append(v.Facts, g.list[i].Fact)
	}
	v.contradictions(g.replaced)
	v.duplicates()
	v.about(ask.Subject, meant)
	slices.SortStableFunc(v.Facts, func(a, b Fact) int {
		return cmp.Or(trueLast(a.ByMeaning)-trueLast(b.ByMeaning),
			subjectlessLast(a.Subject)-subjectlessLast(b.Subject),
			strings.Compare(strings.ToLower(a.Subject), strings.ToLower(b.Subject)), cmp.Compare(a.depth, b.depth))
	})
	return v, nil
}

// subjectlessLast sorts "" last.
func subjectlessLast(subject string) int { return trueLast(subject == "") }

// trueLast sorts true after false.
func trueLast(ok bool) int {
	if ok {
		return 1
	}
	return 0
}

// texts returns the words of all facts, each once.
func (g *gatheredFacts) texts() (out []string) {
	for i := range g.list {
		out = append(out, g.list[i].Text)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// checkInCast returns an error unless a character is in the chat's cast.
func checkInCast(c storage.Chat, who storage.CharacterID) error {
	if who == "" || who == c.Character || slices.Contains(chats.CastOf(c), who) {
		return nil
	}
	return failure.Refusef("this character is not in the chat")
}

// about keeps the facts with the words of a subject, the pairs that contain one of these, and facts
// that mean the subject in other words.
func (v *FactList) about(subject string, meant []string) {
	if strings.TrimSpace(subject) == "" {
		return
	}
	asked := facts.WordsOf(subject)
	hit := map[string]bool{}
	for i := range v.Facts {
		f := &v.Facts[i]
		text := strings.Join(append([]string{f.Text}, f.Names...), "\n")
		if hit[f.ID] = facts.WordsOf(text).Has(asked); len(asked.All) == 0 {
			hit[f.ID] = strings.Contains(strings.ToLower(text), strings.ToLower(strings.TrimSpace(subject)))
		}
	}
	in := func(p Pair) bool { return !hit[p.Older] && !hit[p.Newer] }
	v.Contradictions, v.Duplicates = slices.DeleteFunc(v.Contradictions, in), slices.DeleteFunc(v.Duplicates, in)
	for _, p := range slices.Concat(v.Contradictions, v.Duplicates) {
		hit[p.Older], hit[p.Newer] = true, true
	}
	for i := range v.Facts {
		if f := &v.Facts[i]; !hit[f.ID] && slices.Contains(meant, f.Text) {
			f.ByMeaning, hit[f.ID] = true, true
		}
	}
	v.Facts = slices.DeleteFunc(v.Facts, func(f Fact) bool { return !hit[f.ID] })
	v.Doubts = slices.DeleteFunc(v.Doubts, func(d Doubt) bool { return !hit[d.ID] })
}

// markInPrompt sets for every fact whether and why the next prompt contains it.
func (g *gatheredFacts) markInPrompt(ctx context.Context, next NextPrompt, as storage.CharacterID, v *FactList) {
	s, p, m, err := next(ctx, g.chat, as)
	if v.PromptOf = s.Card.CharName(); err != nil {
		v.Fault = failure.Text(err)
		return
	}
	stated, ledger := promptFacts(&s, &p)
	for i := range g.list {
		x := &g.list[i]
		x.InPrompt, x.InPromptBy, x.WhyNotInPrompt = x.inPrompt(m, v.PromptOf, stated, ledger)
		if !x.InPrompt && x.knownTo(m) && x.isChosen(&s) {
			x.WhyNotInPrompt = nextLine
		}
	}
}

// inPrompt reports whether the prompt of a moment contains a fact, in which part, and if not, why.
func (x *listedFact) inPrompt(m chats.Viewpoint, speaker string, stated *facts.PromptFacts,
	ledger map[string]prompt.Part) (ok bool, by, why string) {
	if !x.knownTo(m) {
		if !x.Everybody && len(x.Knowers) == 0 {
			return false, "", "no character in this chat knows it"
		}
		return false, "", speaker + " does not know it"
	}
	part, found := ledger[x.part]
	if x.part == "" {
		found = false
	}
	if found && part.Included && !strings.Contains(part.Reason, alreadyCovered) {
		return true, x.Home, ""
	}
	var from []storage.NodeID
	for _, s := range x.Sources {
		from = append(from, s.Message)
	}
	if by, ok := stated.MemorySource(x.memory(), x.full, from); ok {
		return true, by, ""
	}
	switch {
	case x.excluded != "":
		return false, "", x.excluded
	case found && part.Reason != "":
		return false, "", part.Reason
	case x.Kind == facts.Lore:
		return false, "", "its entry is not triggered now; it is added when its keys are mentioned"
	case x.Kind == facts.Hook:
		return false, "", "other hooks have priority"
	case x.Kind == facts.Memory:
		return false, "", otherMemories
	}
	return false, "", leftPrompt
}

// memory returns the id of the memory, "" for other facts.
func (x *listedFact) memory() storage.MemoryID {
	if x.Kind != facts.Memory {
		return ""
	}
	return storage.MemoryID(x.Record)
}

// isChosen reports whether a memory or hook is among those for the next prompt. Whatever a turn has
// already used stays for other replies to the same line.
func (x *listedFact) isChosen(s *prompt.Snapshot) bool {
	list := map[facts.Kind]string{facts.Memory: s.Memories, facts.Hook: s.Hooks}[x.Kind]
	return list != "" && strings.Contains(oneLine(list), failure.FirstRunes(x.Text, 80))
}

const (
	alreadyCovered = "already covered by"
	leftPrompt     = "it has left the context; it is added again when mentioned"
	nextLine       = "it is included from the next message on"
	// otherMemories: more important memories, or those that were used first.
	otherMemories = "other memories have priority; it is added when mentioned"
)

// promptFacts returns the facts in a compiled prompt besides memories and hooks, and its ledger by
// source.
func promptFacts(s *prompt.Snapshot, p *prompt.Prompt) (*facts.PromptFacts, map[string]prompt.Part) {
	ledger := map[string]prompt.Part{}
	for _, part := range p.Parts {
		if had, found := ledger[part.Source]; !found || !had.Included {
			ledger[part.Source] = part
		}
	}
	t := newPromptFacts(s, p.Window, 0)
	for i := range s.Lore {
		x := &s.Lore[i]
		by := map[string]string{"": "the lorebook", prompt.LayerLore: "the lorebook", prompt.LayerMemories: "a memory",
			prompt.LayerRecalled: "a recalled fact"}[x.Layer]
		if by == "" || !ledger[x.Source].Included {
			continue
		}
		addItem(t, x, by)
	}
	return t, ledger
}
