package memory

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/fill"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxKnown is the maximum number of facts in a view.
const maxKnown = 600

// statement is a statement at its place: a recap line, a lorebook fact, a memory or a hook.
type statement struct {
	at      address
	kind    facts.Kind
	book    storage.LorebookID // of an entry's
	home    string             // in words
	about   string             // its subject in its record, "" for none
	text    string             // the wording there
	from    []storage.NodeID   // the messages that it came from
	current bool               // of a recap's: prompts contain that recap, no other in its place
	takenUp bool               // of a hook: a reply has brought it up
	// knownTo reports whether a moment's speaker may know it.
	knownTo func(chats.Viewpoint) bool

	as        string // a fact of an entry as a sentence understood without it, "" for others
	part, out string // see listedFact: its part and excluded
}

// listedFact is a fact on its way into a view.
type listedFact struct {
	Fact
	full     string // its text, which Fact has the beginning of
	part     string // its source among the parts of a prompt, "" for none
	excluded string // why no prompt contains it, whoever speaks; "" if there is no such reason
}

// gatheredFacts are the facts at a chat's head. They stay valid after the transaction.
type gatheredFacts struct {
	chat  storage.Chat
	cast  []storage.CharacterID
	names map[storage.CharacterID]string
	list  []listedFact
	left  int
	// replaced are facts that a model has replaced with memories.
	replaced []replacedFact
}

// factGatherer reads the facts at a chat's head within a transaction.
type factGatherer struct {
	gatheredFacts
	tx     *storage.Tx
	scenes []scenes.Scene
	ends   map[storage.CharacterID]*scenes.EndIndex
	titles []string // full names of the cast and of entries
}

func (svc *Service) gatherFacts(tx *storage.Tx, c storage.Chat, known []KnownMemory,
	hooks []KnownHook) (*factGatherer, error) {
	g := svc.newFactGatherer(tx, c)
	return g, svc.walk(g, known, hooks, func(x statement) {
		switch {
		case x.kind == facts.Recap && !x.current:
		case len(g.list) == maxKnown:
			g.left++
		default:
			g.list = append(g.list, g.finish(x))
		}
	})
}

func (svc *Service) newFactGatherer(tx *storage.Tx, c storage.Chat) *factGatherer {
	g := &factGatherer{gatheredFacts: gatheredFacts{chat: c, names: map[storage.CharacterID]string{}}, tx: tx,
		ends: map[storage.CharacterID]*scenes.EndIndex{}, scenes: svc.scenes.ReadScenes(tx, c).List}
	g.cast = chats.Members(c)
	for i, name := range svc.chats.NamesOf(tx, g.cast) {
		g.names[g.cast[i]] = name
		g.titles = append(g.titles, name)
	}
	_, persona := svc.chats.Cast(tx, c)
	g.titles = append(g.titles, persona.Name)
	return g
}

// walk visits every statement at a chat's head that holds for somebody: in recaps, lorebooks,
// memories and hooks.
func (svc *Service) walk(g *factGatherer, known []KnownMemory, hooks []KnownHook, each func(statement)) error {
	if err := g.recaps(each); err != nil {
		return err
	}
	if err := svc.loreOf(g, each); err != nil {
		return err
	}
	for _, m := range known {
		each(statement{at: address{kind: memoryHome, record: string(m.ID)}, kind: facts.Memory, home: "a memory",
			text: m.Content, from: MessagesOf(m.Mentions, g.chat.ID), part: partOf("memory", m.Content),
			knownTo: func(at chats.Viewpoint) bool { return at.MayKnow(m.Witnesses) }})
	}
	now := svc.core.Config.Now()
	for _, h := range hooks {
		x := statement{at: address{kind: hookHome, record: string(h.ID)}, kind: facts.Hook, home: "a hook",
			text: h.Content, from: MessagesOf(h.Mentions, g.chat.ID), takenUp: h.TakenUp,
			part:    partOf("hook", h.Content),
			knownTo: func(at chats.Viewpoint) bool { return at.MayKnow(h.Witnesses) }}
		switch {
		case h.TakenUp:
			x.out = "it has already come up"
		case !rules.HookDue(h.Hook, h.Turn, now, h.Story):
			x.out = "it is not due yet: " + rules.DueWords(h.Hook, h.Turn, now, h.Story)
		}
		each(x)
	}
	return nil
}

// partOf returns the source of a memory or a hook in the list of parts of a prompt.
func partOf(kind, content string) string {
	return kind + ": " + failure.FirstRunes(oneLine(content), 40)
}

// recaps visits the running recap, the scene recaps that may rebuild it, and their threads.
func (g *factGatherer) recaps(each func(statement)) error {
	r, _, err := scenes.RunningAt(g.tx, g.chat.ID, g.chat.Head)
	if err != nil {
		return err
	}
	if r != nil {
		g.recap(*r, "the running recap", true, each)
	}
	for s, r := range g.sceneRecaps {
		g.recap(r, "the recap of scene "+strconv.Itoa(s.Number), !s.InMemory, each)
	}
	return nil
}

// sceneRecaps yields the readable recaps of the path's scenes.
func (g *factGatherer) sceneRecaps(yield func(scenes.Scene, storage.Recap) bool) {
	for _, s := range g.scenes {
		if s.Break == "" {
			continue
		}
		b, err := storage.Breaks.Get(g.tx, g.chat.ID, s.Break)
		if err != nil || b.Recap() == "" {
			continue
		}
		if r, err := storage.Recaps.Get(g.tx, g.chat.ID, b.Recap()); err == nil && !yield(s, r) {
			return
		}
	}
}

func (g *factGatherer) recap(r storage.Recap, home string, current bool, each func(statement)) {
	for i, b := range scene.Bullets(r.Text) {
		if _, over := g.lineEnds("").End(r, b.Text); over {
			continue // it has ended for everybody; the recap's pane shows it
		}
		from := scene.SourcesOf(r, b.Text)
		x := statement{at: address{recapHome, string(r.ID), i}, kind: facts.Recap, home: home, current: current,
			text: b.Text, from: from}
		if current && isThread(b) {
			x.kind = facts.Thread
		}
		x.knownTo = func(at chats.Viewpoint) bool {
			if !at.MayKnowRecap(r.Witnesses) && (len(from) == 0 || !witnessedAll(g.tx, at, from)) {
				return false
			}
			_, over := g.lineEnds(at.Speaker).End(r, b.Text)
			return !over
		}
		each(x)
	}
}

// knownTo reports whether a moment's speaker may know a fact.
func (f *Fact) knownTo(m chats.Viewpoint) bool {
	return m.Speaker == "" || f.Knows(m.Speaker)
}

// Knows reports whether a cast member may know a fact.
func (f *Fact) Knows(who storage.CharacterID) bool {
	return f.Everybody || slices.ContainsFunc(f.Knowers, func(k Knower) bool { return k.ID == who })
}

// lineEnds returns the ends of recap lines that who knows; for "", the ends that everybody knows.
func (g *factGatherer) lineEnds(who storage.CharacterID) *scenes.EndIndex {
	if o, found := g.ends[who]; found {
		return o
	}
	seen := chats.Viewpoint{Chat: g.chat, Speaker: who}.MayKnow
	if who == "" {
		seen = nil
	}
	g.ends[who] = scenes.EndIndexAt(g.tx, g.chat, g.chat.Head, seen)
	return g.ends[who]
}

// loreOf visits the facts of the entries that count.
func (svc *Service) loreOf(g *factGatherer, each func(statement)) error {
	books, err := svc.lore.BooksAt(g.tx, g.chat.ID, g.chat.Head)
	if err != nil {
		return err
	}
	for _, b := range books {
		for i := range b.Entries {
			x := &b.Entries[i]
			if x.Disabled || x.Removed {
				continue
			}
			g.titles = append(append(g.titles, x.Name), x.Aliases...)
			for n, text := range plist.Facts(x.Content) {
				var from []storage.NodeID
				for _, f := range x.Facts {
					if f.Text == text && f.Chat == g.chat.ID {
						from = append(from, f.Messages...)
					}
				}
				knowers := lore.KnownTo(g.tx, g.chat, x, text)
				if _, over := lore.EndOf(g.lineEnds(""), g.chat.ID, x, text); over {
					continue // it has ended for everybody; the lorebook shows it
				}
				each(statement{at: address{loreHome, string(x.ID), n}, kind: facts.Lore, book: b.ID,
					home:  "the lorebook " + b.Name,
					about: x.Name, text: text, from: from, as: fill.Statement(x.Name, text),
					knownTo: func(at chats.Viewpoint) bool {
						_, over := lore.EndOf(g.lineEnds(at.Speaker), g.chat.ID, x, text)
						return !over && at.MayKnow(knowers)
					}})
			}
		}
	}
	return nil
}

// finish returns a fact with all that is known of it.
func (g *factGatherer) finish(f statement) listedFact {
	x := listedFact{full: oneLine(f.text), part: f.part, excluded: f.out}
	x.Fact = Fact{ID: f.at.String(), Kind: f.kind, Home: f.home, Book: f.book, Subject: f.about,
		Text: prefix(x.full, 2*maxRecallBytes)}
	if f.at.kind != endedHome {
		x.Record = f.at.record
	}
	from := slices.Clone(f.from)
	slices.Sort(from)
	for _, id := range slices.Compact(from) {
		p, err := g.tx.NodeInfo(g.chat.ID, id)
		if err != nil {
			continue
		}
		s := Source{Message: id, Number: p.Depth + 1}
		if n, err := g.tx.Node(g.chat.ID, id); err == nil {
			s.Name = n.Name
		}
		x.Sources = append(x.Sources, s)
		x.depth = max(x.depth, p.Depth)
	}
	slices.SortFunc(x.Sources, func(a, b Source) int { return a.Number - b.Number })
	if len(x.Sources) > 0 {
		x.Since = x.Sources[0].Number
		for _, s := range g.scenes {
			if s.First != "" && s.FirstDepth < x.Since && x.Since-1 <= s.LastDepth {
				x.Scene, x.SceneName = s.Number, s.Name
			}
		}
	}
	x.Everybody = true
	if chats.IsGroup(g.chat) {
		x.Knowers = []Knower{}
		for _, id := range g.cast {
			if f.knownTo(chats.Viewpoint{Chat: g.chat, Speaker: id}) {
				x.Knowers = append(x.Knowers, Knower{id, g.names[id]})
			}
		}
		if x.Everybody = len(x.Knowers) == len(g.cast); x.Everybody {
			x.Knowers = nil
		}
	}
	return x
}

// setSubjects sets the subject of every fact, in its readable spelling: the name of its entry,
// otherwise the first name in it, which is completed if it names a cast member or an entry.
func (g *factGatherer) setSubjects(s *pathIndex) {
	elder := s.olderFacts(g.tx)
	full := map[string]string{}
	for _, title := range g.titles {
		for _, w := range facts.WordsOf(title).All {
			if had, found := full[w]; found && !strings.EqualFold(had, title) {
				title = "" // a word that two share means neither
			}
			full[w] = title
		}
	}
	for i := range g.list {
		x := &g.list[i]
		if x.Subject != "" {
			x.Names = append(x.Names, x.Subject)
		}
		for _, n := range s.index.NamesIn(elder, x.Text) {
			name := n.Text
			if full[n.Folded] != "" {
				name = full[n.Folded]
			}
			if !slices.ContainsFunc(x.Names, func(had string) bool { return strings.EqualFold(had, name) }) {
				x.Names = append(x.Names, name)
			}
		}
		if x.Subject == "" && len(x.Names) > 0 {
			x.Subject = x.Names[0]
		}
	}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
