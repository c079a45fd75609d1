package activation

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxMessages is how many messages are scanned at most.
const maxMessages = 1000

// Index is lorebooks made ready to be activated. It never changes, and is safe
// for concurrent use.
type Index struct {
	settings Settings
	books    []*book
	layers   [2]*layer
	live     []item     // in the order in which entries are asked
	rank     [2][]int32 // where in live each layer's entries are; -1: gone

	always  []int32 // entries that may fire without a key: places in live
	levels  []int   // delays until recursion that there are, ascending
	deepest int     // the greatest scan depth that an entry asks for
	base    int     // the greatest that a book or the settings ask for
	fields  uint8   // fields beside the messages that some entry scans
	macros  bool    // there are keys with macros

	once sync.Once // the two below are seldom asked for
	ids  map[storage.EntryID]int32
	uids map[uid][]int32
}

// book is a Book with what was compiled of each entry, in their order.
type book struct {
	Book
	items []*compiled
}

// item is an entry that counts.
type item struct {
	e    *storage.LoreEntry
	c    *compiled
	book *book
}

type uid struct {
	book storage.LorebookID
	uid  int
}

// Compile makes books ready. It keeps the entries that it is given: they must not
// be changed afterwards. A book given more than once counts once: as global, else
// as the chat's, the persona's, the character's.
func Compile(books []Book, s Settings) *Index {
	kept := make([]*book, 0, len(books))
	for i := range books {
		b := &books[i]
		at := slices.IndexFunc(kept, func(k *book) bool { return b.ID != "" && k.ID == b.ID })
		if at < 0 {
			kept = append(kept, &book{Book: *b})
		} else if precedence(b.Source) < precedence(kept[at].Source) {
			kept[at] = &book{Book: *b}
		}
	}
	return compileAll(kept, s)
}

// precedence ranks the sources for a book that is in several of them.
func precedence(s Source) int {
	return slices.Index([]Source{Global, Chat, Persona, Character}, s)
}

func compileAll(books []*book, s Settings) *Index {
	var entries []*storage.LoreEntry
	for _, b := range books {
		for i := range b.Entries {
			entries = append(entries, &b.Entries[i])
		}
	}
	x := &Index{settings: s, layers: [2]*layer{newLayer(0, entries, s), newLayer(1, nil, s)}}
	at := 0
	for _, b := range books {
		items := make([]*compiled, len(b.Entries))
		for i := range items {
			items[i] = &x.layers[0].entries[at]
			at++
		}
		x.books = append(x.books, &book{b.Book, items})
	}
	x.assemble()
	return x
}

// With is the Index with the book added, in place of the one that has its id if
// there is one. What has not changed is shared: the work is that of the entries
// whose keys are new, until there are so many that all is compiled anew.
func (x *Index) With(b Book) *Index {
	books := slices.Clone(x.books)
	at := slices.IndexFunc(books, func(k *book) bool { return k.ID == b.ID })
	if at < 0 {
		at = len(books)
		books = append(books, nil)
	}
	next := &book{Book: b, items: make([]*compiled, len(b.Entries))}
	if old := books[at]; old != nil {
		reuse(old, next)
	}
	books[at] = next
	return x.patched(books)
}

// reuse takes over what was compiled of entries that are the same in a newer
// state of their book.
func reuse(old, next *book) {
	index := make(map[storage.EntryID]int, len(old.Entries))
	for i := range old.Entries {
		index[old.Entries[i].ID] = i
	}
	taken := make([]bool, len(old.Entries)) // only one can have it
	for i := range next.Entries {
		e := &next.Entries[i]
		// Most often nothing has moved.
		was, ok := i, i < len(old.Entries) && old.Entries[i].ID == e.ID
		if !ok {
			was, ok = index[e.ID]
		}
		if ok && !taken[was] && same(&old.Entries[was], e) {
			next.items[i], taken[was] = old.items[was], true
		}
	}
}

// Without is the Index without a book.
func (x *Index) Without(id storage.LorebookID) *Index {
	return x.patched(slices.DeleteFunc(slices.Clone(x.books), func(b *book) bool { return b.ID == id }))
}

// patched is an index of books of which some entries are not compiled.
func (x *Index) patched(books []*book) *Index {
	var fresh []*storage.LoreEntry
	kept := 0
	missing := false
	for _, b := range books {
		for i, c := range b.items {
			if c == nil || c.layer == 1 {
				fresh = append(fresh, &b.Entries[i])
				missing = missing || c == nil
			} else {
				kept++
			}
		}
	}
	base := x.layers[0]
	if len(fresh) > max(64, len(base.entries)/8) || len(base.entries) > 64 && kept < len(base.entries)/2 {
		return compileAll(books, x.settings)
	}
	out := &Index{settings: x.settings, books: books, layers: x.layers}
	if missing {
		out.layers[1] = newLayer(1, fresh, x.settings)
		at := 0
		for n, b := range books {
			items := slices.Clone(b.items)
			changed := false
			for i, c := range items {
				if c == nil || c.layer == 1 {
					items[i] = &out.layers[1].entries[at]
					at++
					changed = true
				}
			}
			if changed {
				books[n] = &book{b.Book, items}
			}
		}
	}
	out.assemble()
	return out
}

// assemble puts the entries in order, and notes what there is among them.
func (x *Index) assemble() {
	var lists [Persona + 1][]item
	n := 0
	for _, b := range x.books {
		list := &lists[b.Source]
		for i := range b.Entries {
			*list = append(*list, item{&b.Entries[i], b.items[i], b})
		}
		n += len(b.Entries)
	}
	if x.settings.Strategy == Evenly {
		lists[Global] = append(lists[Global], lists[Character]...)
		lists[Character] = nil
	}
	for _, list := range lists {
		slices.SortStableFunc(list, func(a, b item) int { return cmp.Compare(b.e.Order, a.e.Order) })
	}
	order := []Source{Chat, Persona, Character, Global}
	if x.settings.Strategy == GlobalFirst {
		order = []Source{Chat, Persona, Global, Character}
	}
	x.live = make([]item, 0, n)
	for _, source := range order {
		x.live = append(x.live, lists[source]...)
	}
	for i := range x.rank {
		x.rank[i] = make([]int32, len(x.layers[i].entries))
		for j := range x.rank[i] {
			x.rank[i][j] = -1
		}
	}
	x.note()
}

func (x *Index) note() {
	x.base = x.settings.Depth
	for _, b := range x.books {
		if b.ScanDepth != nil {
			x.base = max(x.base, *b.ScanDepth)
		}
	}
	for i := range x.live {
		it := &x.live[i]
		x.rank[it.c.layer][it.c.id] = int32(i)
		// A level counts even if nobody who waits for it can fire: so it is there.
		if level := it.e.DelayUntilRecursion; level > 0 {
			x.levels = append(x.levels, level)
		}
		if it.e.Disabled {
			continue
		}
		if own := it.ownDepth(); own != nil {
			x.deepest = max(x.deepest, *own)
		}
		if it.constant() || it.c.deco != nil && it.c.deco.activate || slices.Contains(it.c.keys[:it.c.primary], blankKey) {
			x.always = append(x.always, int32(i))
		}
		x.fields |= fieldsOf(it.e)
	}
	slices.Sort(x.levels)
	x.levels = slices.Compact(x.levels)
	x.macros = len(x.layers[0].macros)+len(x.layers[1].macros) > 0
}

// Faults are the keys that cannot be used, in the order of the books.
func (x *Index) Faults() []Fault {
	var out []Fault
	for _, l := range x.layers {
		for _, f := range l.faults {
			c := &l.entries[f.entry]
			if at := x.rank[c.layer][c.id]; at >= 0 {
				out = append(out, x.live[at].fault(f.key, f.text))
			}
		}
	}
	return out
}

// Size is about how many bytes the compiled state takes, without the entries.
func (x *Index) Size() int {
	return x.layers[0].size() + x.layers[1].size() + len(x.live)*(int(reflect.TypeFor[item]().Size())+8) + 4*(len(x.rank[0])+len(x.rank[1])+len(x.always))
}

// find is where in live an entry is, or -1.
func (x *Index) find(id storage.EntryID) int32 {
	x.tables()
	if at, ok := x.ids[id]; ok {
		return at
	}
	return -1
}

// named are where the entries are that timed effects know by that name: more than
// one in a bad file.
func (x *Index) named(u uid) []int32 {
	x.tables()
	return x.uids[u]
}

func (x *Index) tables() {
	x.once.Do(func() {
		x.ids = make(map[storage.EntryID]int32, len(x.live))
		x.uids = make(map[uid][]int32, len(x.live))
		for i := range x.live {
			it := &x.live[i]
			if _, ok := x.ids[it.e.ID]; !ok {
				x.ids[it.e.ID] = int32(i)
			}
			u := uid{it.book.ID, it.e.UID}
			x.uids[u] = append(x.uids[u], int32(i))
		}
	})
}

// Hash names the state of an entry that timed effects belong to: what it says and
// what its keys are. An entry whose effects were changed keeps them; one that
// says something else does not.
func Hash(e *storage.LoreEntry) string {
	_, content := undecorate(e.Content)
	b := make([]byte, 0, len(content)+256)
	text := func(s string) {
		b = append(strconv.AppendInt(b, int64(len(s)), 10), ':')
		b = append(b, s...)
	}
	text(strconv.Itoa(e.UID))
	text(content)
	for _, keys := range [][]string{e.Keys, e.SecondaryKeys} {
		b = strconv.AppendInt(b, int64(len(keys)), 10)
		for _, key := range keys {
			text(key)
		}
	}
	b = strconv.AppendInt(b, int64(e.Logic), 10)
	b = strconv.AppendBool(strconv.AppendBool(b, e.Selective), e.Constant)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:8])
}

// What follows is what an entry has, its decorators considered.

func (it *item) fault(key, text string) Fault {
	return Fault{Book: it.book.ID, Entry: it.e.ID, Name: it.e.Name, Key: key, Text: text}
}

func (it *item) ownDepth() *int {
	if it.c.deco != nil && it.c.deco.scanDepth != nil {
		return it.c.deco.scanDepth
	}
	return it.e.ScanDepth
}

// depth is how many messages are scanned for the entry.
func (it *item) depth(s *Settings, skew int) int {
	if own := it.ownDepth(); own != nil {
		return *own
	}
	if it.book.ScanDepth != nil {
		return *it.book.ScanDepth
	}
	return s.Depth + skew
}

func (it *item) constant() bool {
	return it.e.Constant || it.c.deco != nil && it.c.deco.constant
}

func (it *item) content() string {
	if it.c.deco != nil {
		return it.c.content
	}
	return it.e.Content
}

// chance is the probability in percent, and whether it counts.
func (it *item) chance() (float64, bool) {
	if it.c.deco != nil && it.c.deco.probability != nil {
		return *it.c.deco.probability, true
	}
	return it.e.Probability, it.e.UseProbability
}

// forever is the length of an effect that a decorator asks for.
const forever = math.MaxInt32

// effect is how many messages an effect lasts, 0: the entry has none of the kind.
func (it *item) effect(kind storage.LoreEffectKind) int {
	d := it.c.deco
	switch {
	case kind == storage.LoreSticky && d != nil && d.keep, kind == storage.LoreCooldown && d != nil && d.once:
		return forever
	case kind == storage.LoreSticky:
		return max(it.e.Sticky, 0)
	}
	return max(it.e.Cooldown, 0)
}
