package activation

import (
	"bytes"
	"slices"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Scan activates entries over a chat that goes on. It keeps what it saw of each
// text, so that a text is looked at once for as long as it is part of what is
// scanned. It is not safe for concurrent use.
type Scan struct {
	x     *Index
	parts map[partKey]*part
	now   uint64 // counts activations
	swept int    // parts there were after the last sweep
	seen  marks
	macro expanded

	tables [3]table
	hashes map[*storage.LoreEntry]string
	last   *run
}

// keepFor is for how many activations a text is kept that none of them scanned.
const keepFor = 8

// NewScan makes a Scan that has seen nothing.
func (x *Index) NewScan() *Scan { return &Scan{x: x} }

// Use moves the Scan to another Index. What it knows of texts stays as far as
// the two Indexes share what was compiled.
func (s *Scan) Use(x *Index) { s.x = x }

// form is how a text is made ready.
type form uint8

const (
	asIs  form = iota
	chat       // trimmed
	named      // with the speaker's name before it, trimmed
)

type partKey struct {
	form       form
	name, text string
}

// part is a text that is scanned, and what is known of it: a message, a field,
// an entry's content, or all that is scanned for some entry.
type part struct {
	partKey
	whole  string // see ready
	marked string // the text with its marker; made when it is needed
	looks  [3]look
	memo   map[*checker]finding
	seen   uint64
}

// look is what a matcher found. It holds for that matcher alone: another one in
// its place looks again.
type look struct {
	m    *matcher
	hits []uint32
}

// part is the text's; the same one for as long as the text is in use.
func (s *Scan) part(f form, name, text string) *part {
	key := partKey{f, name, text}
	p := s.parts[key]
	if p == nil {
		p = &part{partKey: key}
		s.parts[key] = p
	}
	p.seen = s.now
	return p
}

// ready is the text as it is scanned. With a name before it that is a copy, which most
// messages never need: they are looked at in a buffer.
func (p *part) ready() string {
	switch {
	case p.form == asIs:
		return p.text
	case p.form == chat:
		return trim(p.text)
	case p.whole == "":
		p.whole = trim(p.name + ": " + p.text)
	}
	return p.whole
}

// appendReady appends ready to an empty buffer.
func (p *part) appendReady(b []byte) []byte {
	if p.form == named {
		b = append(append(b, p.name...), ": "...)
	}
	if b = append(b, p.text...); p.form == asIs {
		return b
	}
	return bytes.TrimFunc(b, space)
}

// look is which keys of a matcher are in the text. slot is the matcher's place.
func (s *Scan) look(p *part, slot int, m *matcher) []uint32 {
	l := &p.looks[slot]
	if l.m != m {
		*l = look{m, m.scan(p, &s.seen)}
	}
	return l.hits
}

// hash is Hash, known for entries that fire again and again.
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

// variant is how a part is looked at: by itself, or with its marker before it.
type variant uint8

const (
	bare variant = iota
	marked
	swallow // not how, but whether a run may go on over all of it
)

// finding is what a checker found in the variants of a part: for each whether it
// is known, and whether it matched.
type finding uint8

const wasCut finding = 1 << 7

func (f finding) known(v variant) bool   { return f>>(2*v)&1 != 0 }
func (f finding) matched(v variant) bool { return f>>(2*v)&2 != 0 }

func found(v variant, yes bool) finding {
	if yes {
		return 3 << (2 * v)
	}
	return 1 << (2 * v)
}

func (p *part) remember(c *checker, f finding) {
	if p.memo == nil {
		p.memo = map[*checker]finding{}
	}
	p.memo[c] = f
}

func (p *part) variant(v variant) string {
	if v == bare {
		return p.ready()
	}
	if p.marked == "" {
		p.marked = "\x01" + p.ready()
	}
	return p.marked
}

// expanded is a matcher of the keys with macros, as they are expanded at the
// time, and which number each has there.
type expanded struct {
	*matcher
	layers [2]*layer
	texts  []string
	ids    [2][]uint32
	posts  map[uint32][]macroRef
	blank  []macroRef // those that match anything
	faults map[macroRef]string
}

type macroRef struct {
	layer uint8
	macro uint32
}

// expand makes the matcher for keys with macros, unless it is the same as the
// last time.
func (s *Scan) expand(macros func(string) string) {
	if !s.x.macros {
		s.macro = expanded{}
		return
	}
	var texts []string
	for _, l := range s.x.layers {
		for i := range l.macros {
			text := l.macros[i].key
			if macros != nil {
				text = macros(text)
			}
			texts = append(texts, text)
		}
	}
	if s.macro.layers == s.x.layers && slices.Equal(texts, s.macro.texts) {
		return
	}
	s.macro = expanded{layers: s.x.layers, texts: texts, posts: map[uint32][]macroRef{}, faults: map[macroRef]string{}}
	b := newBuilder()
	for n, l := range s.x.layers {
		s.macro.ids[n] = make([]uint32, len(l.macros))
		for i := range l.macros {
			m, ref := &l.macros[i], macroRef{uint8(n), uint32(i)}
			id, ok, fault := b.add(texts[0], m.cased, m.whole)
			texts = texts[1:]
			s.macro.ids[n][i] = id
			if !ok {
				if id == blankKey {
					s.macro.blank = append(s.macro.blank, ref)
				}
				continue
			}
			if fault != "" {
				s.macro.faults[ref] = fault
				continue
			}
			s.macro.posts[id] = append(s.macro.posts[id], ref)
		}
	}
	s.macro.matcher = b.build()
}

// Why explains what became of an entry in the last activation, whichever it is.
func (s *Scan) Why(id storage.EntryID) Trace {
	if s.last == nil {
		return Trace{Reason: "nothing was activated yet", Hits: nil}
	}
	at := s.last.x.find(id)
	if at < 0 {
		return Trace{Reason: "no lorebook of this chat has the entry"}
	}
	return s.last.why(at)
}
