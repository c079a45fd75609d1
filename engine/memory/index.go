package memory

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/memory/facts"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes/scene"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// pathIndex is the index of facts of a chat's path. It holds what records tell and what the newest
// messages say; older messages are found by the words that are stored of them, see olderFacts.
type pathIndex struct {
	chat storage.ChatID

	mu      sync.Mutex
	leaf    storage.NodeID // the path's last message
	depth   int            // of leaf
	first   storage.NodeID // the oldest of the newest messages, which are indexed
	index   facts.Index
	sources map[string]string      // ids of what is in the index, by what they were made of
	trail   chats.Trail            // to leaf
	edits   map[storage.NodeID]int // how often messages were rewritten since the program began
	found   found

	// newest is the newest state of the store that was read, or in which a message was rewritten:
	// what an older one says comes too late.
	newest int

	merged merged

	// embeddings are those of facts, by their text, as far as they are stored; missing reports that
	// some are not.
	embeddings map[string][]float32
	model      string
	missing    bool
}

// mostIndexes is how many chats' indexes are kept.
const mostIndexes = 3

// indexOf is the index of a chat, aimed where it was last asked. Its lock is held while it is used.
func (svc *Service) indexOf(chat storage.ChatID) *pathIndex {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	at := slices.IndexFunc(svc.indexes, func(x *pathIndex) bool { return x.chat == chat })
	if at < 0 {
		x := &pathIndex{chat: chat, newest: svc.newest[chat], edits: map[storage.NodeID]int{}}
		svc.indexes = append(svc.indexes[max(0, len(svc.indexes)-mostIndexes+1):], x)
		return x
	}
	x := svc.indexes[at]
	svc.indexes = append(slices.Delete(svc.indexes, at, at+1), x)
	return x
}

// Reread has messages that are rewritten in a transaction read again. Who reads an older state of
// the store meanwhile does not bring their old words back.
func (svc *Service) Reread(tx *storage.Tx, r chats.RewrittenMessages) error {
	svc.mu.Lock()
	svc.newest[r.Chat] = tx.Version()
	svc.mu.Unlock()
	x := svc.indexOf(r.Chat)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.newest, x.found = tx.Version(), noneFound()
	for _, id := range r.Nodes {
		x.edits[id]++
	}
	return nil
}

// sync brings the index up to date with the path to leaf. A transaction that began before
// what was read already, or before a message was rewritten, finds what is there.
func (x *pathIndex) sync(tx *storage.Tx, leaf storage.NodeID, known []KnownMemory) error {
	if tx.Version() < x.newest {
		return nil
	}
	if !tx.Writable() {
		x.newest = tx.Version()
	}
	if leaf != x.leaf || x.found.with == nil {
		x.trail = chats.NewTrail(x.chat, leaf)
		if x.found.with == nil || x.leaf == "" || !x.trail.Has(tx, x.leaf) {
			x.found = noneFound()
		}
		p, err := tx.Place(x.chat, leaf)
		if err != nil && leaf != "" {
			return err
		}
		x.leaf, x.depth = leaf, p.Depth
	}
	x.put(slices.Concat(x.messages(tx), x.recaps(tx), x.memories(tx, known)))
	x.found.follow(tx.IndexedUpTo(x.chat))
	return nil
}

// source is one record's part of the index: its facts, and what shows whether they are still the
// same.
type source struct {
	id, made string
	facts    func() []facts.Fact
}

// put puts in what records have to say, and drops what none of them says any more.
func (x *pathIndex) put(list []source) {
	next := map[string]string{}
	for _, src := range list {
		next[src.id] = src.made
	}
	for id, made := range x.sources {
		if next[id] == "" && strings.HasPrefix(id, messageHome) {
			x.found = noneFound() // it is an older message by now, or on another path
		}
		if next[id] != made {
			for i := 0; x.index.Get(numbered(id, i)) != nil; i++ {
				x.index.Drop(numbered(id, i))
			}
		}
	}
	for _, src := range list {
		if made, has := x.sources[src.id]; has && made == src.made {
			continue
		}
		for i, f := range src.facts() {
			f.ID = numbered(src.id, i)
			x.missing = x.missing || f.Kind != facts.Played
			x.index.Put(f)
		}
	}
	x.sources = next
}

// numbered is the id of a source's fact.
func numbered(source string, i int) string { return source + "/" + strconv.Itoa(i) }

// How ids of the index's facts begin, beside those of [address].
const (
	runningHome = "running"
	interimHome = "interim"
)

// How many messages are indexed: the newest, up to leastIndexed of those whose words are stored, and
// not more than mostIndexed.
const (
	leastIndexed = 256
	mostIndexed  = 1000
)

// messages are the newest messages of the path, and those that were rewritten since their words
// were stored.
func (x *pathIndex) messages(tx *storage.Tx) (out []source) {
	met := map[storage.NodeID]bool{}
	add := func(p storage.Place) {
		if met[p.ID] || !p.Said() {
			return
		}
		met[p.ID] = true
		made := strconv.Itoa(p.Size) + "/" + strconv.Itoa(x.edits[p.ID])
		out = append(out, source{messageHome + "/" + string(p.ID), made, func() []facts.Fact {
			n, err := tx.Node(x.chat, p.ID)
			if err != nil {
				return nil
			}
			return played(n)
		}})
	}
	x.first = ""
	to, n, stored := tx.IndexedUpTo(x.chat), 0, 0
	for p := range tx.Spine(x.chat, x.leaf) {
		if n++; p.ID <= to {
			stored++
		}
		if n > mostIndexed || stored > leastIndexed {
			break
		}
		x.first = p.ID
		add(p)
	}
	if n <= leastIndexed {
		return out // that was all of the path
	}
	var rewritten []storage.NodeID
	for id := range tx.Rewritten(x.chat) {
		if rewritten = append(rewritten, id); len(rewritten) == mostIndexed {
			break
		}
	}
	for _, id := range rewritten {
		if p, err := tx.Place(x.chat, id); err == nil && x.trail.Has(tx, id) {
			add(p)
		}
	}
	return out
}

// recaps are the recaps of the path's scenes, how far the open one is told, and the running recap.
func (x *pathIndex) recaps(tx *storage.Tx) (out []source) {
	if x.leaf == "" {
		return nil
	}
	depth := func(id storage.NodeID) int {
		p, _ := tx.Place(x.chat, id)
		return p.Depth
	}
	for _, b := range storage.Breaks.All(tx, x.chat) {
		id := b.Recap()
		if b.Hidden || id == "" || !x.trail.Has(tx, b.Node) {
			continue
		}
		out = append(out, source{recapHome + "/" + string(id), b.Text, func() []facts.Fact {
			r, err := storage.Recaps.Get(tx, x.chat, id)
			if err != nil {
				return nil
			}
			return bulletsOf(r, depth(b.Node))
		}})
	}
	add := func(home string, r storage.Recap, depth int) {
		out = append(out, source{home + "/" + string(r.ID), scenes.TextHash(r.Text), func() []facts.Fact { return bulletsOf(r, depth) }})
	}
	if r, _, err := scenes.RunningAt(tx, x.chat, x.leaf); err == nil && r != nil {
		add(runningHome, *r, depth(r.Node))
	}
	if r, depth, open := scenes.OpenRecapAt(tx, x.chat, x.leaf); open {
		add(interimHome, r, depth)
	}
	return out
}

// bulletsOf are the facts of a recap that ends at a depth.
func bulletsOf(r storage.Recap, depth int) (out []facts.Fact) {
	for _, b := range scene.Bullets(r.Text) {
		out = append(out, facts.Fact{Kind: facts.Recap, Text: b.Text, Messages: scene.SourcesOf(r, b.Text),
			Memories: scene.MemoriesOf(r, b.Text), Depth: depth})
	}
	return out
}

// memories are what the story remembers on the path.
func (x *pathIndex) memories(tx *storage.Tx, list []KnownMemory) (out []source) {
	for _, m := range list {
		made := core.ContentHash(m.Content) + "/" + strconv.Itoa(len(m.Here))
		out = append(out, source{memoryHome + "/" + string(m.ID), made, func() []facts.Fact {
			return []facts.Fact{{Kind: facts.Memory, Text: m.Content, Messages: MessagesOf(m.Here, x.chat),
				Memories: []storage.MemoryID{m.ID}, Witnesses: m.Witnesses, Depth: deepest(tx, m.Here, x.chat)}}
		}})
	}
	return out
}

// deepest is the depth of the newest message of a chat that something told came from: of
// what was found again later it is that of what it was read in.
func deepest(tx *storage.Tx, told []storage.StoryPlace, chat storage.ChatID) int {
	most := 0
	for _, at := range told {
		if at.Chat != "" && at.Chat != chat {
			continue
		}
		depth := -1
		for _, id := range at.Sources {
			if p, err := tx.Place(chat, id); err == nil {
				depth = max(depth, p.Depth)
			}
		}
		if depth < 0 {
			depth = at.Depth
		}
		most = max(most, depth)
	}
	return most
}

// records are the ids of the facts that records have told, the oldest first.
func (x *pathIndex) records() (out []string) {
	for id := range x.sources {
		for i := 0; !strings.HasPrefix(id, messageHome) && x.index.Get(numbered(id, i)) != nil; i++ {
			out = append(out, numbered(id, i))
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(x.index.Get(a).Depth, x.index.Get(b).Depth), cmp.Compare(a, b))
	})
	return out
}

// played are the facts that a message tells, a sentence each.
func played(n storage.Node) (out []facts.Fact) {
	for i, line := range sentences(n.Content) {
		out = append(out, facts.Fact{ID: numbered(messageHome+"/"+string(n.ID), i), Kind: facts.Played, Text: line,
			Messages: []storage.NodeID{n.ID}, Depth: n.Depth})
	}
	return out
}

// Bounds of what is indexed of a message.
const (
	mostSentences = 200
	mostSentence  = 320 // bytes
	leastSentence = 12
)

// sentences are those of a message that say something, as slices of it.
func sentences(content string) (out []string) {
	for _, s := range text.Sentences(content) {
		s = strings.Trim(s, " \t\r\n*_\"“”„«»")
		if len(s) > mostSentence {
			s = strings.ToValidUTF8(s[:mostSentence], "")
		}
		if len(s) >= leastSentence && len(out) < mostSentences {
			out = append(out, s)
		}
	}
	return out
}

// fact is a fact by its id, wherever on the path it is; nil for none.
func (x *pathIndex) fact(tx *storage.Tx, id string) *facts.Fact {
	if f := x.index.Get(id); f != nil {
		return f
	}
	a, ok := addressOf(id)
	if !ok || a.kind != messageHome {
		return nil
	}
	if list := x.older(tx).said(storage.NodeID(a.record)); a.nth < len(list) {
		return list[a.nth].Fact()
	}
	return nil
}

// about finds what of the path is about a text, see [facts.Index.About].
func (x *pathIndex) about(tx *storage.Tx, text string, most int, want func(*facts.Fact) bool) []facts.Hit {
	return x.index.About(x.elder(tx), text, most, want)
}

// heard reports whether the moment's speaker may know a fact: it is among those who do,
// and has witnessed every message that the fact came from.
func heard(tx *storage.Tx, m chats.Moment, f *facts.Fact) bool {
	if m.Speaker == "" {
		return true
	}
	if !m.May(f.Witnesses) || f.Kind != facts.Memory && len(f.Messages) == 0 {
		return false
	}
	return f.Witnesses != nil || witnessedAll(tx, m, f.Messages)
}

// witnessedAll reports whether the moment's speaker has witnessed messages.
func witnessedAll(tx *storage.Tx, m chats.Moment, messages []storage.NodeID) bool {
	return m.Speaker == "" || !slices.ContainsFunc(messages, func(id storage.NodeID) bool {
		n, err := tx.Node(m.Chat.ID, id)
		return err != nil || !chats.Knows(m.Chat, m.Speaker, &n)
	})
}
