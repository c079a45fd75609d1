package media

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// What is looked into, and what is blanked, of the boxes of a film.
var (
	mp4Holders = map[string]bool{"moov": true, "trak": true, "mdia": true, "minf": true, "moof": true, "traf": true, "mvex": true, "edts": true}
	mp4Blanked = map[string]string{"udta": KindTags, "meta": KindTags, "uuid": KindXMP, "XMP_": KindXMP, "Xtra": KindTags, "ilst": KindTags,
		"free": KindOther, "skip": KindOther, "wide": KindOther}
)

// mostNested is how deep boxes and elements may lie within each other.
const mostNested = 8

// stripMP4 blanks boxes where they stand: the places of frames are counted from
// the beginning of the file.
func stripMP4(data []byte, found func(string)) ([]byte, error) {
	if Sniff(data) != MP4 {
		return nil, malformed(MP4, "it does not begin as one")
	}
	for _, brand := range []string{"avif", "avis", "heic", "heix", "hevc", "mif1", "msf1"} {
		if string(data[8:12]) == brand {
			return nil, malformed(MP4, "it is a picture of another format, %q", strings.TrimSpace(brand))
		}
	}
	s := mp4Stripper{data: bytes.Clone(data), found: found}
	if err := s.boxes(0, len(data), 0); err != nil {
		return nil, err
	}
	if !s.film {
		return nil, malformed(MP4, "there is no video in it")
	}
	return s.data, nil
}

type mp4Stripper struct {
	data  []byte
	found func(string)
	film  bool
}

// boxes goes through the boxes of a stretch of the file.
func (s *mp4Stripper) boxes(at, end, depth int) error {
	if depth > mostNested {
		return malformed(MP4, "its boxes lie too deep")
	}
	for at < end {
		if depth > 0 && end-at < 8 && allZero(s.data[at:end]) {
			return nil // a terminator, as QuickTime writes it
		}
		head, size, err := s.head(at, end, depth)
		if err != nil {
			return err
		}
		id := string(s.data[at+4 : at+8])
		s.film = s.film || depth == 0 && (id == "moov" || id == "moof")
		if kind, ok := mp4Blanked[id]; ok {
			body := s.data[at+head : at+size]
			if kind != KindOther || !allZero(body) {
				tell(s.found, kind, body)
			}
			copy(s.data[at+4:], "free")
			clear(body)
		} else if mp4Holders[id] {
			if err := s.boxes(at+head, at+size, depth+1); err != nil {
				return err
			}
		}
		at += size
	}
	return nil
}

// head reads how long a box and its head are.
func (s *mp4Stripper) head(at, end, depth int) (head, size int, err error) {
	left := uint64(end - at)
	if left < 8 {
		return 0, 0, malformed(MP4, "%d bytes are left over", left)
	}
	n := uint64(binary.BigEndian.Uint32(s.data[at:]))
	head = 8
	switch {
	case n == 0 && depth == 0:
		n = left // to the end of the file
	case n == 1:
		if head = 16; left < 16 {
			return 0, 0, malformed(MP4, "a box is cut off")
		}
		n = binary.BigEndian.Uint64(s.data[at+8:])
	}
	if n < uint64(head) || n > left {
		return 0, 0, malformed(MP4, "box %q is cut off", s.data[at+4:at+8])
	}
	return head, int(n), nil
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
