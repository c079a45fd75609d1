package activation

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"math"
	"slices"
	"strconv"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// maxMessages is the maximum number of messages that are scanned.
const maxMessages = 1000

// Index is lorebooks made ready to be activated. It never changes, and is safe
// for concurrent use.
type Index struct {
	settings Settings
	books    []*book
	live     []item    // in the order of evaluation
	rank     [][]int32 // index in live of each entry of each book

	always  []int32 // entries that may trigger without a key: places in live
	levels  []int   // delays until recursion that there are, ascending
	deepest int     // the greatest scan depth that an entry asks for
	base    int     // the greatest that a book or the settings ask for
	fields  uint8   // fields beside the messages that some entry scans

	ids  map[storage.EntryID]int32 // index in live
	uids map[uid][]int32           // more than one in a bad file
}

// item is an entry that counts.
type item struct {
	e      *storage.LoreEntry
	c      *compiled
	book   *book
	no, at int // the book's place in the index, and the entry's in the book
}

// uid identifies an entry in timed effects.
type uid struct {
	book storage.LorebookID
	uid  int
}

// Compile builds an Index. It keeps the entries, which must not be changed afterwards. A book that
// is given more than once counts once: as global, otherwise as the chat's, the persona's or the
// character's.
func Compile(books []Book, s Settings) *Index {
	kept := make([]Book, 0, len(books))
	for _, b := range books {
		at := slices.IndexFunc(kept, func(k Book) bool { return b.ID != "" && k.ID == b.ID })
		if at < 0 {
			kept = append(kept, b)
		} else if precedence(b.Source) < precedence(kept[at].Source) {
			kept[at] = b
		}
	}
	made := make([]*book, len(kept))
	for i, b := range kept {
		made[i] = compileBook(b, s)
	}
	return assemble(made, s)
}

// precedence ranks the sources for a book that is in several of them.
func precedence(s Source) int {
	return slices.Index([]Source{Global, Chat, Persona, Character}, s)
}

// With returns an Index with the book added or, if it has one with the same id, replaced. Other
// books are not compiled again.
func (x *Index) With(b Book) *Index {
	books := slices.Clone(x.books)
	at := slices.IndexFunc(books, func(k *book) bool { return k.ID == b.ID })
	if at < 0 {
		at = len(books)
		books = append(books, nil)
	}
	books[at] = compileBook(b, x.settings)
	return assemble(books, x.settings)
}

// Without returns the Index without a book.
func (x *Index) Without(id storage.LorebookID) *Index {
	return assemble(slices.DeleteFunc(slices.Clone(x.books), func(b *book) bool { return b.ID == id }), x.settings)
}

// assemble sorts the entries and collects what they need.
func assemble(books []*book, s Settings) *Index {
	x := &Index{settings: s, books: books, base: s.Depth, ids: map[storage.EntryID]int32{}, uids: map[uid][]int32{}}
	var lists [Persona + 1][]item
	for no, b := range books {
		list := &lists[b.Source]
		for i := range b.Entries {
			*list = append(*list, item{&b.Entries[i], &b.entries[i], b, no, i})
		}
		x.rank = append(x.rank, make([]int32, len(b.Entries)))
		if b.ScanDepth != nil {
			x.base = max(x.base, *b.ScanDepth)
		}
	}
	if s.Strategy == Evenly {
		lists[Global] = append(lists[Global], lists[Character]...)
		lists[Character] = nil
	}
	for _, list := range lists {
		slices.SortStableFunc(list, func(a, b item) int { return cmp.Compare(b.e.Order, a.e.Order) })
	}
	order := []Source{Chat, Persona, Character, Global}
	if s.Strategy == GlobalFirst {
		order = []Source{Chat, Persona, Global, Character}
	}
	for _, source := range order {
		x.live = append(x.live, lists[source]...)
	}
	for i := range x.live {
		x.addLevels(int32(i))
	}
	slices.Sort(x.levels)
	x.levels = slices.Compact(x.levels)
	return x
}

// addLevels records the recursion levels of an entry.
func (x *Index) addLevels(i int32) {
	it := &x.live[i]
	x.rank[it.no][it.at] = i
	if _, ok := x.ids[it.e.ID]; !ok {
		x.ids[it.e.ID] = i
	}
	u := uid{it.book.ID, it.e.UID}
	x.uids[u] = append(x.uids[u], i)
	// A level counts even if no entry that waits for it can trigger.
	if level := it.e.DelayUntilRecursion; level > 0 {
		x.levels = append(x.levels, level)
	}
	if it.e.Disabled {
		return
	}
	if own := it.ownDepth(); own != nil {
		x.deepest = max(x.deepest, *own)
	}
	if it.constant() || it.c.deco != nil && it.c.deco.activate {
		x.always = append(x.always, i)
	}
	x.fields |= fieldsOf(it.e)
}

// Faults returns the keys that cannot be used, in the order of the books.
func (x *Index) Faults() (out []Fault) {
	for no, b := range x.books {
		for _, f := range b.keys.faults {
			out = append(out, x.live[x.rank[no][f.entry]].fault(f.key, f.text))
		}
	}
	return out
}

// find returns the index of an entry in live, or -1.
func (x *Index) find(id storage.EntryID) int32 {
	if at, ok := x.ids[id]; ok {
		return at
	}
	return -1
}

// Hash identifies the state of an entry that timed effects belong to: its content and keys. An
// entry whose effects were changed keeps running effects; one with another content does not.
func Hash(e *storage.LoreEntry) string {
	_, content := parseDecorators(e.Content)
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

// The following methods and fields describe an entry after its decorators.

func (it *item) fault(key, text string) Fault {
	return Fault{Book: it.book.ID, Entry: it.e.ID, Name: it.e.Name, Key: key, Text: text}
}

func (it *item) ownDepth() *int {
	if it.c.deco != nil && it.c.deco.scanDepth != nil {
		return it.c.deco.scanDepth
	}
	return it.e.ScanDepth
}

// depth returns how many messages are scanned for the entry.
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

// chance returns the probability in percent, and whether it counts.
func (it *item) chance() (float64, bool) {
	if it.c.deco != nil && it.c.deco.probability != nil {
		return *it.c.deco.probability, true
	}
	return it.e.Probability, it.e.UseProbability
}

// forever is the length of an endless effect.
const forever = math.MaxInt32

// effect returns how many messages an effect lasts, 0 if the entry has none of the kind.
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
