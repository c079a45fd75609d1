package media

import (
	"bytes"
	"math/bits"
)

// The elements of a WebM that matter here.
const (
	mkvHeader      = 0x1a45dfa3
	mkvSegment     = 0x18538067
	mkvSeekHead    = 0x114d9b74
	mkvSeek        = 0x4dbb
	mkvSeekID      = 0x53ab
	mkvInfo        = 0x1549a966
	mkvTracks      = 0x1654ae6b
	mkvTrack       = 0xae
	mkvCluster     = 0x1f43b675
	mkvCues        = 0x1c53bb6b
	mkvTags        = 0x1254c367
	mkvAttachments = 0x1941a469
	mkvChapters    = 0x1043a770
	mkvVoid        = 0xec
	mkvChecksum    = 0xbf
)

// mkvHolders are looked into.
var mkvHolders = map[uint32]bool{mkvSegment: true, mkvSeekHead: true, mkvInfo: true, mkvTracks: true, mkvTrack: true}

// mkvBlanked becomes empty filling.
var mkvBlanked = map[uint32]string{
	mkvTags: KindTags, mkvChapters: KindTags, mkvAttachments: KindOther, mkvVoid: KindOther,
	0x7ba9:   KindTags,  // title
	0x7384:   KindOther, // names of files
	0x3c83ab: KindOther,
	0x3e83bb: KindOther,
	0x536e:   KindTags, // a track's name
}

// mkvParts are what a segment is made of: one of these ends a cluster of unknown
// length.
var mkvParts = map[uint32]bool{mkvSeekHead: true, mkvInfo: true, mkvTracks: true, mkvCluster: true, mkvCues: true, mkvTags: true,
	mkvAttachments: true, mkvChapters: true, mkvHeader: true, mkvSegment: true}

// stripWebM turns elements into filling of the same length where they stand: the
// places of others are counted from the beginning.
func stripWebM(data []byte, found func(string)) ([]byte, error) {
	if Sniff(data) != WebM {
		return nil, malformed(WebM, "it does not begin as one")
	}
	s := mkvStripper{data: bytes.Clone(data), found: found}
	if _, err := s.elements(0, len(data), 0); err != nil {
		return nil, err
	}
	if !s.film {
		return nil, malformed(WebM, "there is no video in it")
	}
	return s.data, nil
}

type mkvStripper struct {
	data  []byte
	found func(string)
	film  bool
}

// element is one element: where it begins, where its content does, and its end.
type element struct {
	id            uint32
	at, body, end int
	open          bool // its length is not known
}

// elements goes through the elements of a stretch of the file and reports whether
// anything was changed.
func (s *mkvStripper) elements(at, end, depth int) (changed bool, err error) {
	if depth > mostNested {
		return false, malformed(WebM, "its elements lie too deep")
	}
	checksum := element{}
	for at < end {
		el, err := s.read(at, end)
		if err != nil {
			return changed, err
		}
		if el.open {
			if el, err = s.close(el, end); err != nil {
				return changed, err
			}
		}
		s.film = s.film || el.id == mkvCluster
		kind, blanked := mkvBlanked[el.id]
		switch {
		case el.id == mkvChecksum:
			checksum = el
		case blanked || el.id == mkvSeek && s.seeksBlanked(el):
			if blanked && (el.id != mkvVoid || !allZero(s.data[el.body:el.end])) {
				tell(s.found, kind, s.data[el.body:el.end])
			}
			s.blank(el)
			changed = changed || el.id != mkvVoid
		case mkvHolders[el.id]:
			inner, err := s.elements(el.body, el.end, depth+1)
			if err != nil {
				return changed, err
			}
			changed = changed || inner
		}
		at = el.end
	}
	if changed && checksum.end > 0 {
		s.blank(checksum) // it would be wrong now, and need not be there
	}
	return changed, nil
}

// read reads the head of an element.
func (s *mkvStripper) read(at, end int) (el element, err error) {
	id, n := vint(s.data[at:end], 4, false)
	if n == 0 {
		return el, malformed(WebM, "there is no element where one must be")
	}
	size, m := vint(s.data[at+n:end], 8, true)
	if m == 0 {
		return el, malformed(WebM, "element %#x is cut off", id)
	}
	el = element{id: uint32(id), at: at, body: at + n + m}
	if size == 1<<(7*m)-1 {
		el.open, el.end = true, end
		return el, nil
	}
	if size > uint64(end-el.body) {
		return el, malformed(WebM, "element %#x is cut off", id)
	}
	el.end = el.body + int(size)
	return el, nil
}

// close finds the end of an element whose length is not known.
func (s *mkvStripper) close(el element, end int) (element, error) {
	el.open = false
	switch el.id {
	case mkvSegment:
		return el, nil
	case mkvCluster:
		for at := el.body; at < end; {
			in, err := s.read(at, end)
			if err != nil {
				return el, err
			}
			if mkvParts[in.id] {
				el.end = at
				return el, nil
			}
			if in.open {
				break
			}
			at = in.end
		}
		return el, nil
	}
	return el, malformed(WebM, "the length of element %#x is not known", el.id)
}

// seeksBlanked reports whether an entry of the table of contents leads to something
// that is blanked.
func (s *mkvStripper) seeksBlanked(el element) bool {
	for at := el.body; at < el.end; {
		in, err := s.read(at, el.end)
		if err != nil || in.open {
			return false
		}
		if in.id == mkvSeekID {
			id, n := vint(s.data[in.body:in.end], 4, false)
			_, blanked := mkvBlanked[uint32(id)]
			return n > 0 && blanked
		}
		at = in.end
	}
	return false
}

// blank turns an element into filling of the same length.
func (s *mkvStripper) blank(el element) {
	b := s.data[el.at:el.end]
	clear(b)
	b[0] = mkvVoid
	if left := len(b) - 2; left < 127 {
		b[1] = 0x80 | byte(left)
		return
	}
	left := uint64(len(b) - 9)
	for i := range 8 {
		b[8-i] = byte(left >> (8 * i))
	}
	b[1] = 1
}

// vint reads a number of variable length, at most most bytes; n is 0 where there
// is none. Its length mark belongs to ids, and not to other numbers.
func vint(b []byte, most int, unmark bool) (v uint64, n int) {
	if len(b) == 0 || b[0] == 0 {
		return 0, 0
	}
	if n = bits.LeadingZeros8(b[0]) + 1; n > most || n > len(b) {
		return 0, 0
	}
	for _, c := range b[:n] {
		v = v<<8 | uint64(c)
	}
	if unmark {
		v &^= 1 << (7 * n)
	}
	return v, n
}
