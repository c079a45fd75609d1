package activation

import (
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Scan activates entries over a growing chat. It caches the keys found in each text, so that a text
// is searched once as long as it stays among the scanned ones. It is not safe for concurrent use.
type Scan struct {
	x        *Index
	parts    map[partKey]*part
	now      uint64 // counts activations
	swept    int    // parts there were after the last sweep
	expanded map[*book][]expandedKeys
	hashes   map[*storage.LoreEntry]string
	last     *run
}

// keepFor is the number of activations for which an unused text stays cached.
const keepFor = 8

// NewScan makes a Scan that has seen nothing.
func (x *Index) NewScan() *Scan { return &Scan{x: x, parts: map[partKey]*part{}} }

// SetIndex changes the Index. Cached results of books that both Indexes share stay valid.
func (s *Scan) SetIndex(x *Index) { s.x = x }

// form is the way in which a text is prepared for scanning.
type form uint8

const (
	asIs   form = iota
	marked      // behind the marker of a segment
	said        // trimmed, behind the marker
	named       // with the speaker's name before it, trimmed, behind the marker
)

// marker precedes each scanned segment. Regexes can match it.
const marker = "\x01"

type partKey struct {
	form       form
	name, text string
}

// part is a scanned text and its cached results: a message, a field, an entry's content, or all the
// text that is scanned for an entry.
type part struct {
	text  string // as it is scanned
	low   string // that folded; made when a pattern is tried
	looks []look // by the book's place in the index
	tried map[*pattern]finding
	seen  uint64
}

// look is the result of searching a text for a book's keys. It is valid only for these keys.
type look struct {
	keys *keySet
	hits []int32
}

// finding is the result of searching for a pattern.
type finding uint8

const (
	missing finding = iota
	matched
	wasCut
)

// part returns the cached part of a text.
func (s *Scan) part(f form, name, text string) *part {
	key := partKey{f, name, text}
	p := s.parts[key]
	if p == nil {
		p = &part{text: text}
		switch f {
		case marked:
			p.text = marker + text
		case said:
			p.text = marker + trim(text)
		case named:
			p.text = marker + trim(name+": "+text)
		}
		s.parts[key] = p
	}
	p.seen = s.now
	return p
}

// folded returns the text in lower case.
func (p *part) folded() string {
	if p.low == "" {
		p.low = fold(p.text)
	}
	return p.low
}

// matchKeys returns which of the keys are in the text. no is the place of their book.
func (p *part) matchKeys(no int, keys *keySet) []int32 {
	for len(p.looks) <= no {
		p.looks = append(p.looks, look{})
	}
	l := &p.looks[no]
	if l.keys != keys {
		if l.keys != nil {
			p.tried = nil // most of them belong to patterns that no longer exist
		}
		*l = look{keys, keys.find(p.text)}
	}
	return l.hits
}

// hash returns Hash of an entry, cached for entries that trigger again and again.
func (s *Scan) hash(e *storage.LoreEntry) string {
	h, ok := s.hashes[e]
	if !ok {
		if len(s.hashes) > 1<<12 || s.hashes == nil {
			s.hashes = map[*storage.LoreEntry]string{}
		}
		h = Hash(e)
		s.hashes[e] = h
	}
	return h
}

// sweep forgets texts that were not scanned lately, once there may be many.
func (s *Scan) sweep() {
	if len(s.parts) < 2*s.swept+64 {
		return
	}
	for key, p := range s.parts {
		if p.seen+keepFor < s.now {
			delete(s.parts, key)
		}
	}
	s.swept = len(s.parts)
}

// expandedKeys are a book's keys with their macros expanded to texts.
type expandedKeys struct {
	texts []string
	keys  *keySet
}

// maxExpanded is the number of speakers for whom a book's expanded keys are cached.
const maxExpanded = 4

// keys returns the keys of each book, with their macros expanded by expand, nil for as
// they are.
func (s *Scan) keys(expand func(string) string) []*keySet {
	out := make([]*keySet, len(s.x.books))
	kept := map[*book][]expandedKeys{}
	for no, b := range s.x.books {
		if out[no] = b.keys; len(b.macros) == 0 {
			continue
		}
		texts := slices.Clone(b.macros)
		for i, key := range b.macros {
			if expand != nil {
				texts[i] = expand(key)
			}
		}
		have := s.expanded[b]
		at := slices.IndexFunc(have, func(e expandedKeys) bool { return slices.Equal(e.texts, texts) })
		if at < 0 {
			at = 0
			have = slices.Insert(have, 0, expandedKeys{texts, b.compileKeys(s.x.settings, texts)})
			have = have[:min(len(have), maxExpanded)]
		}
		kept[b], out[no] = have, have[at].keys
	}
	s.expanded = kept
	return out
}

// Why explains the outcome for an entry in the last activation.
func (s *Scan) Why(id storage.EntryID) Trace {
	if s.last == nil {
		return Trace{Reason: "nothing was triggered yet", Hits: nil}
	}
	at := s.last.x.find(id)
	if at < 0 {
		return Trace{Reason: "no lorebook of this chat has the entry"}
	}
	return s.last.traceOf(at)
}
