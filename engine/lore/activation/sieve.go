package activation

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Sieve tells which entries of a book have a part in an activation, from their keys
// alone: so that of a book of many thousands those few are read and compiled. An entry
// passes once; at times one does that has no part after all. It is not safe for
// concurrent use.
type Sieve struct {
	rest  []sifted // that have not passed
	depth int
	seen  map[string]struct{} // texts that were looked at
	fours [1 << (sieveBits - 6)]uint64
}

// sifted is an entry of a sieve. What it needs stands in the packed sieve.
type sifted struct {
	id     []byte
	uid    int
	always bool
	texts  []byte // each behind its length
}

const (
	sieveForm = 1 // of what Pack writes; another is not read
	// A bit for each four bytes that stand in what is scanned, by their hash: of ten
	// messages about one in 80 is set.
	sieveBits = 20
)

var errSieve = errors.New("not a packed sieve")

// PackSieve is what Sieve is made of, for entries in the order of their book. Its size
// is about that of their keys. The settings do not matter to it.
func PackSieve(entries []storage.LoreEntry) []byte {
	deepest := 0
	var body []byte
	for i := range entries {
		e := &entries[i]
		if e.ScanDepth != nil {
			deepest = max(deepest, *e.ScanDepth)
		}
		if decorated(e.Content) {
			deepest = maxMessages // it may ask for any
		}
		texts, known := needed(e)
		always := byte(0)
		if !known {
			always, texts = 1, nil
		}
		body = appendText(body, string(e.ID))
		body = binary.AppendVarint(body, int64(e.UID))
		body = append(body, always)
		n := 0
		for _, t := range texts {
			n += 1 + len(t) // as maxText is less than what takes two bytes
		}
		body = binary.AppendUvarint(body, uint64(n))
		for _, t := range texts {
			body = appendText(body, t)
		}
	}
	out := binary.AppendUvarint([]byte{sieveForm}, uint64(deepest))
	out = append(binary.AppendUvarint(out, uint64(len(entries))), body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// needed are texts, folded, of which one stands in whatever wakes an entry; not known
// of one that may be woken by something else, or has a part without being woken.
func needed(e *storage.LoreEntry) (texts []string, known bool) {
	if e.Constant || decorated(e.Content) || e.DelayUntilRecursion != 0 || e.Sticky != 0 || e.Cooldown != 0 || e.Delay != 0 {
		return nil, false
	}
	for _, key := range e.Keys {
		if hasMacro(key) {
			return nil, false
		}
		sp, ok, fault := parseKey(key, false, false)
		switch {
		case !ok && key != "":
			return nil, false // a blank key is met by anything
		case !ok || fault != "":
			continue
		case !sp.regex && len(sp.text) <= maxText && !strings.ContainsAny(sp.text, borders):
			texts = append(texts, sp.text)
			continue
		}
		c, fault := newChecker(sp)
		switch {
		case fault != "":
		case len(c.needs) == 0:
			return nil, false
		default:
			texts = append(texts, c.needs[0]...)
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts), true
}

// OpenSieve reads what PackSieve has written, which it keeps. An error says that it was
// something else, or is damaged.
func OpenSieve(packed []byte) (*Sieve, error) {
	body := packed[:max(0, len(packed)-4)]
	if len(body) == 0 || body[0] != sieveForm || crc32.ChecksumIEEE(body) != binary.BigEndian.Uint32(packed[len(body):]) {
		return nil, errSieve
	}
	return unpackSieve(body)
}

func unpackSieve(body []byte) (*Sieve, error) {
	r := unpacker{body[1:]}
	s := &Sieve{depth: int(r.uvarint()), seen: map[string]struct{}{}}
	n := r.uvarint()
	if n > uint64(len(body)) {
		return nil, errSieve
	}
	s.rest = make([]sifted, n)
	for i := range s.rest {
		s.rest[i].id = r.next(r.uvarint())
		s.rest[i].uid = r.varint()
		s.rest[i].always = string(r.next(1)) == "\x01"
		s.rest[i].texts = r.next(r.uvarint())
		if r.rest == nil {
			return nil, errSieve
		}
	}
	return s, nil
}

// unpacker reads a packed sieve. What is cut off leaves rest nil.
type unpacker struct{ rest []byte }

func (r *unpacker) next(n uint64) []byte {
	if n > uint64(len(r.rest)) {
		r.rest = nil
		return nil
	}
	out := r.rest[:n:n]
	r.rest = r.rest[n:]
	return out
}

func (r *unpacker) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	r.next(uint64(max(n, 0)))
	if n <= 0 {
		r.rest = nil
	}
	return v
}

func (r *unpacker) varint() int {
	v, n := binary.Varint(r.rest)
	r.next(uint64(max(n, 0)))
	if n <= 0 {
		r.rest = nil
	}
	return int(v)
}

// Depth is the deepest that an entry asks to scan, in messages.
func (s *Sieve) Depth() int { return s.depth }

// pass takes out of the rest those that a text lets pass.
func (s *Sieve) pass(all []byte) (out []storage.EntryID) {
	clear(s.fours[:])
	for i := 0; i+4 <= len(all); i++ {
		h := beginning(all[i:])
		s.fours[h>>6] |= 1 << (h & 63)
	}
	kept := s.rest[:0]
	for _, e := range s.rest {
		if e.always || s.holds(all, e.texts) {
			out = append(out, storage.EntryID(e.id))
		} else {
			kept = append(kept, e)
		}
	}
	s.rest = kept
	return out
}

func beginning(text []byte) uint32 {
	return binary.LittleEndian.Uint32(text) * 0x9e3779b1 >> (32 - sieveBits)
}

// holds tells whether one of an entry's texts stands in all.
func (s *Sieve) holds(all, texts []byte) bool {
	for len(texts) > 0 {
		n := int(texts[0])
		t := texts[1:min(1+n, len(texts))]
		texts = texts[1+len(t):]
		if len(t) >= 4 {
			first, last := beginning(t), beginning(t[len(t)-4:])
			if s.fours[first>>6]>>(first&63)&1 == 0 || s.fours[last>>6]>>(last&63)&1 == 0 {
				continue
			}
		}
		if bytes.Contains(all, t) {
			return true
		}
	}
	return false
}

// Start is which entries an activation over in may need besides those that have passed
// before: those that in names, and those that it wakes. stand are others that are
// wanted whatever wakes them.
func (s *Sieve) Start(in *Input, stand []storage.EntryID, book storage.LorebookID) []storage.EntryID {
	for i := range s.rest {
		e := &s.rest[i]
		e.always = e.always || in.Force[storage.EntryID(e.id)] || slices.Contains(stand, storage.EntryID(e.id)) ||
			slices.ContainsFunc(in.Effects, func(f storage.LoreEffect) bool { return f.Book == book && f.UID == e.uid })
	}
	return s.pass(s.fresh(in.texts()))
}

// Follow is which entries are woken besides by what has fired. With these the
// activation is to be done again, and what fires then followed, until there are none:
// then what fires is what fires of the whole book.
func (s *Sieve) Follow(r *Result) []storage.EntryID {
	var texts []string
	for i := range r.Fired {
		texts = append(texts, r.Fired[i].Text)
	}
	all := s.fresh(texts)
	if len(all) == 0 {
		return nil
	}
	return s.pass(all)
}

// fresh are those of texts that were not looked at yet, folded.
func (s *Sieve) fresh(texts []string) (all []byte) {
	if len(s.seen) > 1<<12 {
		clear(s.seen) // a second look costs time alone
	}
	for _, t := range texts {
		if _, met := s.seen[t]; met || t == "" {
			continue
		}
		s.seen[t] = struct{}{}
		all = append(appendFold(all, t), borders...)
	}
	return all
}

// texts is all that an activation may scan, as far as it is known before.
func (in *Input) texts() []string {
	f := &in.Fields
	out := append([]string{f.Persona, f.Description, f.Personality, f.DepthPrompt, f.Scenario, f.CreatorNotes}, in.Injects...)
	for i := range in.Messages[:min(len(in.Messages), maxMessages)] {
		out = append(out, in.Messages[i].Name+": "+in.Messages[i].Text)
	}
	return out
}
