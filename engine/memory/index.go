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

// pathIndex is the index of the facts on a chat's path: those of records and of the newest
// messages. Older messages are found by their stored words, see olderMessages.
type pathIndex struct {
	chat storage.ChatID

	mu      sync.Mutex
	leaf    storage.NodeID // the path's last message
	depth   int            // of leaf
	first   storage.NodeID // the oldest of the newest messages, which are indexed
	index   facts.Index
	sources map[string]string      // ids in the index, by the record they were made from
	trail   chats.Trail            // to leaf
	edits   map[storage.NodeID]int // how often messages were rewritten since the program began
	found   olderCache

	// newest is the newest transaction that was read, or that rewrote a message. Older ones are
	// ignored.
	newest int

	merged mergedScenes

	// embeddings are the stored embeddings of facts, by text; missing reports that some are not
	// stored.
	embeddings map[string][]float32
	model      string
	missing    bool
}

// maxIndexes is the maximum number of chats whose indexes are kept.
const maxIndexes = 3

// indexOf returns the index of a chat, for the path that it was last used on. The caller must hold
// its lock while using it.
func (svc *Service) indexOf(chat storage.ChatID) *pathIndex {
	svc.mu.Lock()
	defer svc.mu.Unlock()
	at := slices.IndexFunc(svc.indexes, func(x *pathIndex) bool { return x.chat == chat })
	if at < 0 {
		x := &pathIndex{chat: chat, newest: svc.newest[chat], edits: map[storage.NodeID]int{}}
		svc.indexes = append(svc.indexes[max(0, len(svc.indexes)-maxIndexes+1):], x)
		return x
	}
	x := svc.indexes[at]
	svc.indexes = append(slices.Delete(svc.indexes, at, at+1), x)
	return x
}

// InvalidateMessages has messages that are rewritten in a transaction read again. Who reads an older state of
// the store meanwhile does not bring their old words back.
func (svc *Service) InvalidateMessages(tx *storage.Tx, r chats.RewrittenMessages) error {
	svc.mu.Lock()
	svc.newest[r.Chat] = tx.Version()
	svc.mu.Unlock()
	x := svc.indexOf(r.Chat)
	x.mu.Lock()
	defer x.mu.Unlock()
	x.newest, x.found = tx.Version(), newOlderCache()
	for _, id := range r.Nodes {
		x.edits[id]++
	}
	return nil
}

// sync brings the index up to date with the path to leaf. If the transaction began before the last
// one that was read, or before a message was rewritten, the index stays unchanged.
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
			x.found = newOlderCache()
		}
		p, err := tx.NodeInfo(x.chat, leaf)
		if err != nil && leaf != "" {
			return err
		}
		x.leaf, x.depth = leaf, p.Depth
	}
	x.put(slices.Concat(x.messages(tx), x.recaps(tx), x.memories(tx, known)))
	x.found.prune(tx.IndexedUpTo(x.chat))
	return nil
}

// source is one record's part of the index: its facts, and a key that shows whether they are
// unchanged.
type source struct {
	id, made string
	facts    func() []facts.Fact
}

// put adds the facts of records and drops facts that no record has any more.
func (x *pathIndex) put(list []source) {
	next := map[string]string{}
	for _, src := range list {
		next[src.id] = src.made
	}
	for id, made := range x.sources {
		if next[id] == "" && strings.HasPrefix(id, messageHome) {
			x.found = newOlderCache() // it is an older message by now, or on another path
		}
		if next[id] != made {
			for i := 0; x.index.Get(sourceFactID(id, i)) != nil; i++ {
				x.index.Drop(sourceFactID(id, i))
			}
		}
	}
	for _, src := range list {
		if made, has := x.sources[src.id]; has && made == src.made {
			continue
		}
		for i, f := range src.facts() {
			f.ID = sourceFactID(src.id, i)
			x.missing = x.missing || f.Kind != facts.Played
			x.index.Put(f)
		}
	}
	x.sources = next
}

// sourceFactID returns the id of a source's fact.
func sourceFactID(source string, i int) string { return source + "/" + strconv.Itoa(i) }

// The prefixes of the index's fact ids, besides those of [address].
const (
	runningHome = "running"
	interimHome = "interim"
)

// The number of indexed messages: the newest, up to minIndexed if their words are stored, and at
// most maxIndexed.
const (
	minIndexed = 256
	maxIndexed = 1000
)

// messages returns the newest messages of the path, and those that were rewritten after their words
// were stored.
func (x *pathIndex) messages(tx *storage.Tx) (out []source) {
	met := map[storage.NodeID]bool{}
	add := func(p storage.NodeInfo) {
		if met[p.ID] || !p.InStory() {
			return
		}
		met[p.ID] = true
		made := strconv.Itoa(p.Size) + "/" + strconv.Itoa(x.edits[p.ID])
		out = append(out, source{messageHome + "/" + string(p.ID), made, func() []facts.Fact {
			n, err := tx.Node(x.chat, p.ID)
			if err != nil {
				return nil
			}
			return messageFacts(n)
		}})
	}
	x.first = ""
	to, n, stored := tx.IndexedUpTo(x.chat), 0, 0
	for p := range tx.PathInfos(x.chat, x.leaf) {
		if n++; p.ID <= to {
			stored++
		}
		if n > maxIndexed || stored > minIndexed {
			break
		}
		x.first = p.ID
		add(p)
	}
	if n <= minIndexed {
		return out // that was all of the path
	}
	var rewritten []storage.NodeID
	for id := range tx.Rewritten(x.chat) {
		if rewritten = append(rewritten, id); len(rewritten) == maxIndexed {
			break
		}
	}
	for _, id := range rewritten {
		if p, err := tx.NodeInfo(x.chat, id); err == nil && x.trail.Has(tx, id) {
			add(p)
		}
	}
	return out
}

// recaps returns the recaps of the path's scenes, up to where the open one is covered, and the
// running recap.
func (x *pathIndex) recaps(tx *storage.Tx) (out []source) {
	if x.leaf == "" {
		return nil
	}
	depth := func(id storage.NodeID) int {
		p, _ := tx.NodeInfo(x.chat, id)
		return p.Depth
	}
	for _, b := range storage.Breaks.All(tx, x.chat) {
		id := b.Recap()
		if b.Hidden || id == "" || !x.trail.Has(tx, b.Node) {
			continue
		}
		out = append(out, source{recapHome + "/" + string(id), b.TextHash, func() []facts.Fact {
			r, err := storage.Recaps.Get(tx, x.chat, id)
			if err != nil {
				return nil
			}
			return bulletsOf(r, depth(b.Node))
		}})
	}
	add := func(home string, r storage.Recap, depth int) {
		out = append(out, source{home + "/" + string(r.ID), scenes.TextHash(r.Text),
			func() []facts.Fact { return bulletsOf(r, depth) }})
	}
	if r, _, err := scenes.RunningAt(tx, x.chat, x.leaf); err == nil && r != nil {
		add(runningHome, *r, depth(r.Node))
	}
	if r, depth, open := scenes.OpenRecapAt(tx, x.chat, x.leaf); open {
		add(interimHome, r, depth)
	}
	return out
}

// bulletsOf returns the facts of a recap that ends at a depth.
func bulletsOf(r storage.Recap, depth int) (out []facts.Fact) {
	for _, b := range scene.Bullets(r.Text) {
		out = append(out, facts.Fact{Kind: facts.Recap, Text: b.Text, Messages: scene.SourcesOf(r, b.Text),
			Memories: scene.MemoriesOf(r, b.Text), Depth: depth})
	}
	return out
}

// memories returns the story's memories on the path.
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

// deepest returns the depth of the newest message of a chat that is a source of a fact; for later
// mentions, the message of the mention counts.
func deepest(tx *storage.Tx, mentions []storage.Mention, chat storage.ChatID) int {
	most := 0
	for _, at := range mentions {
		if at.Chat != "" && at.Chat != chat {
			continue
		}
		depth := -1
		for _, id := range at.Sources {
			if p, err := tx.NodeInfo(chat, id); err == nil {
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

// records returns the ids of the facts of records, oldest first.
func (x *pathIndex) records() (out []string) {
	for id := range x.sources {
		for i := 0; !strings.HasPrefix(id, messageHome) && x.index.Get(sourceFactID(id, i)) != nil; i++ {
			out = append(out, sourceFactID(id, i))
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		return cmp.Or(cmp.Compare(x.index.Get(a).Depth, x.index.Get(b).Depth), cmp.Compare(a, b))
	})
	return out
}

// messageFacts returns the facts of a message, one per sentence.
func messageFacts(n storage.Node) (out []facts.Fact) {
	for i, line := range sentences(n.Content) {
		out = append(out, facts.Fact{ID: sourceFactID(messageHome+"/"+string(n.ID), i), Kind: facts.Played, Text: line,
			Messages: []storage.NodeID{n.ID}, Depth: n.Depth})
	}
	return out
}

// Bounds of the indexed part of a message.
const (
	maxSentences = 200
	maxSentence  = 320 // bytes
	minSentence  = 12
)

// sentences returns the sentences of a message as slices of it.
func sentences(content string) (out []string) {
	for _, s := range text.Sentences(content) {
		s = strings.Trim(s, " \t\r\n*_\"“”„«»")
		if len(s) > maxSentence {
			s = strings.ToValidUTF8(s[:maxSentence], "")
		}
		if len(s) >= minSentence && len(out) < maxSentences {
			out = append(out, s)
		}
	}
	return out
}

// fact returns a fact on the path by its id, or nil.
func (x *pathIndex) fact(tx *storage.Tx, id string) *facts.Fact {
	if f := x.index.Get(id); f != nil {
		return f
	}
	a, ok := addressOf(id)
	if !ok || a.kind != messageHome {
		return nil
	}
	if list := x.olderMessages(tx).said(storage.NodeID(a.record)); a.nth < len(list) {
		return list[a.nth].Fact()
	}
	return nil
}

// about finds facts on the path about a text, see [facts.Index.About].
func (x *pathIndex) about(tx *storage.Tx, text string, most int, want func(*facts.Fact) bool) []facts.Hit {
	return x.index.About(x.olderFacts(tx), text, most, want)
}

// mayKnow reports whether the moment's speaker may know a fact: it is among the fact's knowers and
// has witnessed all its messages.
func mayKnow(tx *storage.Tx, m chats.Viewpoint, f *facts.Fact) bool {
	if m.Speaker == "" {
		return true
	}
	if !m.MayKnow(f.Witnesses) || f.Kind != facts.Memory && len(f.Messages) == 0 {
		return false
	}
	return f.Witnesses != nil || witnessedAll(tx, m, f.Messages)
}

// witnessedAll reports whether the moment's speaker has witnessed messages.
func witnessedAll(tx *storage.Tx, m chats.Viewpoint, messages []storage.NodeID) bool {
	return m.Speaker == "" || !slices.ContainsFunc(messages, func(id storage.NodeID) bool {
		n, err := tx.Node(m.Chat.ID, id)
		return err != nil || !chats.Knows(m.Chat, m.Speaker, &n)
	})
}
