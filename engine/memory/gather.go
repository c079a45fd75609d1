package memory

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/director/rules"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/lore"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/plist"
	"github.com/ghostlight-theatre/ghostlight/engine/lore/scribe"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mostKnown is how many facts a view holds.
const mostKnown = 600

// stated is a statement where it stands: a line of a recap, a fact of an entry, a memory or a hook.
type stated struct {
	at    address
	kind  facts.Kind
	book  storage.LorebookID // of an entry's
	home  string             // in words
	about string             // what its home files it under, "" for nothing
	text  string             // as it stands there
	from  []storage.NodeID   // the messages that it came from
	told  bool               // of a recap's: prompts tell that recap, no other in its place
	taken bool               // of a hook: a reply has brought it up
	// may reports whether a moment's speaker may know it.
	may func(chats.Moment) bool

	as        string // a fact of an entry in words that stand for themselves, "" for others
	part, out string // see held
}

// held is a fact on its way into a view.
type held struct {
	Fact
	full string // its text, which Fact has the beginning of
	part string // its source in the ledger of a prompt, "" for none
	out  string // why no prompt tells it, whoever speaks; "" for no such reason
}

// gathered is what is known where a chat stands. It outlives the transaction in which it
// was read.
type gathered struct {
	chat  storage.Chat
	cast  []storage.CharacterID
	names map[storage.CharacterID]string
	list  []held
	left  int
	// replaced are facts that a model has put memories in the place of.
	replaced []replaced
}

// gathering reads what is known where a chat stands.
type gathering struct {
	gathered
	tx     *storage.Tx
	scenes []scenes.Scene
	ends   map[storage.CharacterID]*scenes.Over
	titles []string // names in full: of those who play, and of entries
}

func (svc *Service) gather(tx *storage.Tx, c storage.Chat, known []KnownMemory, hooks []KnownHook) (*gathering, error) {
	g := svc.gathering(tx, c)
	return g, svc.walk(g, known, hooks, func(x stated) {
		switch {
		case x.kind == facts.Recap && !x.told:
		case len(g.list) == mostKnown:
			g.left++
		default:
			g.list = append(g.list, g.finished(x))
		}
	})
}

func (svc *Service) gathering(tx *storage.Tx, c storage.Chat) *gathering {
	g := &gathering{gathered: gathered{chat: c, names: map[storage.CharacterID]string{}}, tx: tx,
		ends: map[storage.CharacterID]*scenes.Over{}, scenes: svc.scenes.ReadScenes(tx, c).List}
	g.cast = chats.Company(c)
	for i, name := range svc.chats.NamesOf(tx, g.cast) {
		g.names[g.cast[i]] = name
		g.titles = append(g.titles, name)
	}
	_, persona := svc.chats.Cast(tx, c)
	g.titles = append(g.titles, persona.Name)
	return g
}

// walk goes through all that is stated where a chat stands and holds for somebody: in recaps,
// lorebooks, memories and hooks.
func (svc *Service) walk(g *gathering, known []KnownMemory, hooks []KnownHook, each func(stated)) error {
	if err := g.recaps(each); err != nil {
		return err
	}
	if err := svc.loreOf(g, each); err != nil {
		return err
	}
	for _, m := range known {
		each(stated{at: address{kind: memoryHome, record: string(m.ID)}, kind: facts.Memory, home: "a memory",
			text: m.Content, from: MessagesOf(m.Told, g.chat.ID), part: partOf("memory", m.Content),
			may: func(at chats.Moment) bool { return at.May(m.Witnesses) }})
	}
	now := svc.core.Config.Now()
	for _, h := range hooks {
		x := stated{at: address{kind: hookHome, record: string(h.ID)}, kind: facts.Hook, home: "a hook",
			text: h.Content, from: MessagesOf(h.Told, g.chat.ID), taken: h.Taken, part: partOf("hook", h.Content),
			may: func(at chats.Moment) bool { return at.May(h.Witnesses) }}
		switch {
		case h.Taken:
			x.out = "it has already come up"
		case !rules.HookDue(h.Hook, h.Turn, now, h.Story):
			x.out = "it is not due yet: " + rules.DueWords(h.Hook, h.Turn, now, h.Story)
		}
		each(x)
	}
	return nil
}

// partOf is the source of a memory or a hook in the ledger of a prompt.
func partOf(kind, content string) string {
	return kind + ": " + failure.FirstRunes(oneLine(content), 40)
}

// recaps goes through the running recap, the recaps of scenes, of which it may be made anew, and
// their threads.
func (g *gathering) recaps(each func(stated)) error {
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

// sceneRecaps are the recaps of the path's scenes that can be read.
func (g *gathering) sceneRecaps(yield func(scenes.Scene, storage.Recap) bool) {
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

func (g *gathering) recap(r storage.Recap, home string, told bool, each func(stated)) {
	for i, b := range scene.Bullets(r.Text) {
		if _, over := g.over("").End(r, b.Text); over {
			continue // it holds for nobody any more; the recap's pane shows it
		}
		from := scene.SourcesOf(r, b.Text)
		x := stated{at: address{recapHome, string(r.ID), i}, kind: facts.Recap, home: home, told: told,
			text: b.Text, from: from}
		if told && isThread(b) {
			x.kind = facts.Thread
		}
		x.may = func(at chats.Moment) bool {
			if !at.MayRecap(r.Witnesses) && (len(from) == 0 || !witnessedAll(g.tx, at, from)) {
				return false
			}
			_, over := g.over(at.Speaker).End(r, b.Text)
			return !over
		}
		each(x)
	}
}

// knownTo reports whether a moment's speaker may know a fact.
func (f *Fact) knownTo(m chats.Moment) bool {
	return m.Speaker == "" || f.Knows(m.Speaker)
}

// Knows reports whether one of those who play may know a fact.
func (f *Fact) Knows(who storage.CharacterID) bool {
	return f.Everybody || slices.ContainsFunc(f.Knowers, func(k Knower) bool { return k.ID == who })
}

// over are the ends of lines of recaps that somebody knows of, those that all know of
// for "".
func (g *gathering) over(who storage.CharacterID) *scenes.Over {
	if o, met := g.ends[who]; met {
		return o
	}
	seen := chats.Moment{Chat: g.chat, Speaker: who}.May
	if who == "" {
		seen = nil
	}
	g.ends[who] = scenes.OverAt(g.tx, g.chat, g.chat.Head, seen)
	return g.ends[who]
}

// loreOf goes through the facts of the entries that count.
func (svc *Service) loreOf(g *gathering, each func(stated)) error {
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
				if _, over := lore.EndOf(g.over(""), g.chat.ID, x, text); over {
					continue // it holds for nobody any more; the lorebook shows it
				}
				each(stated{at: address{loreHome, string(x.ID), n}, kind: facts.Lore, book: b.ID, home: "the lorebook " + b.Name,
					about: x.Name, text: text, from: from, as: scribe.Statement(x.Name, text),
					may: func(at chats.Moment) bool {
						_, over := lore.EndOf(g.over(at.Speaker), g.chat.ID, x, text)
						return !over && at.May(knowers)
					}})
			}
		}
	}
	return nil
}

// finished returns a fact with all that is known of it.
func (g *gathering) finished(f stated) held {
	x := held{full: oneLine(f.text), part: f.part, out: f.out}
	x.Fact = Fact{ID: f.at.String(), Kind: f.kind, Home: f.home, Book: f.book, Subject: f.about,
		Text: prefix(x.full, 2*mostLine)}
	if f.at.kind != endedHome {
		x.Record = f.at.record
	}
	from := slices.Clone(f.from)
	slices.Sort(from)
	for _, id := range slices.Compact(from) {
		p, err := g.tx.Place(g.chat.ID, id)
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
	if chats.Several(g.chat) {
		x.Knowers = []Knower{}
		for _, id := range g.cast {
			if f.may(chats.Moment{Chat: g.chat, Speaker: id}) {
				x.Knowers = append(x.Knowers, Knower{id, g.names[id]})
			}
		}
		if x.Everybody = len(x.Knowers) == len(g.cast); x.Everybody {
			x.Knowers = nil
		}
	}
	return x
}

// file puts every fact under its subject, in the spelling that people read: the name of
// its entry, else the first name in it, in full where one of those who play or of the
// entries is meant.
func (g *gathering) file(s *pathIndex) {
	elder := s.elder(g.tx)
	full := map[string]string{}
	for _, title := range g.titles {
		for _, w := range facts.WordsOf(title).All {
			if had, met := full[w]; met && !strings.EqualFold(had, title) {
				title = "" // of two that share a word neither is meant
			}
			full[w] = title
		}
	}
	for i := range g.list {
		x := &g.list[i]
		if x.Subject != "" {
			x.Names = append(x.Names, x.Subject)
		}
		for _, n := range s.index.Written(elder, x.Text) {
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
