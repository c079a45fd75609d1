package media

import (
	"bytes"
	"encoding/binary"
)

// The markers of a JPEG that are used.
const (
	jpegSOI  = 0xd8
	jpegEOI  = 0xd9
	jpegSOS  = 0xda
	jpegAPP0 = 0xe0
)

func stripJPEG(data []byte) ([]byte, error) {
	if Sniff(data) != JPEG {
		return nil, malformed(JPEG, "it does not begin as one")
	}
	out := append(make([]byte, 0, len(data)), 0xff, jpegSOI)
	scans := 0
	for rest := data[2:]; ; {
		for len(rest) > 1 && rest[0] == 0xff && rest[1] == 0xff {
			rest = rest[1:] // markers may be led by filling
		}
		if len(rest) < 2 {
			return nil, malformed(JPEG, "it is cut off")
		}
		if rest[0] != 0xff {
			return nil, malformed(JPEG, "there is no marker where one must be")
		}
		marker := rest[1]
		if marker == jpegEOI {
			if scans == 0 {
				return nil, malformed(JPEG, "it ends before its pixels")
			}
			return append(out, 0xff, jpegEOI), nil
		}
		if len(rest) < 4 {
			return nil, malformed(JPEG, "it is cut off")
		}
		size := int(binary.BigEndian.Uint16(rest[2:]))
		if size < 2 || size+2 > len(rest) {
			return nil, malformed(JPEG, "a segment is cut off")
		}
		segment := rest[:size+2]
		rest = rest[size+2:]
		kept, err := jpegSegment(marker, segment)
		if err != nil {
			return nil, err
		}
		out = append(out, kept...)
		if marker == jpegSOS {
			scans++
			n := scanLength(rest)
			out = append(out, rest[:n]...)
			rest = rest[n:]
		}
	}
}

// scanLength returns the length of a scan's data, up to the next marker that is not part of it.
func scanLength(data []byte) int {
	for i := 0; i < len(data); i++ {
		next := bytes.IndexByte(data[i:], 0xff)
		if next < 0 {
			break
		}
		i += next
		if i+1 < len(data) && data[i+1] != 0 && data[i+1] != 0xff && (data[i+1] < 0xd0 || data[i+1] > 0xd7) {
			return i
		}
	}
	return len(data)
}

// jpegSegment returns what is kept of a segment, including its marker and size.
func jpegSegment(marker byte, segment []byte) ([]byte, error) {
	switch {
	case marker >= jpegAPP0 && marker < jpegAPP0+16:
		return jpegApp(marker, segment), nil
	case marker >= 0xf0: // comments and reserved segments
		return nil, nil
	case marker >= 0xc0 && marker != 0xc8 && (marker < 0xd0 || marker > jpegEOI):
		return segment, nil // frames, tables and scans
	}
	return nil, malformed(JPEG, "marker %#02x does not belong there", marker)
}

// jpegApp returns what is kept of an application segment: the JFIF header without a thumbnail,
// colour profiles, and Adobe's colour information.
func jpegApp(marker byte, segment []byte) []byte {
	body := segment[4:]
	switch n := marker - jpegAPP0; {
	case n == 0 && len(body) >= 14 && bytes.HasPrefix(body, []byte("JFIF\x00")):
		kept := append([]byte{0xff, jpegAPP0, 0, 16}, body[:12]...)
		return append(kept, 0, 0)
	case n == 2 && bytes.HasPrefix(body, []byte("ICC_PROFILE\x00")):
		return segment
	case n == 14 && len(body) >= 12 && bytes.HasPrefix(body, []byte("Adobe")):
		return append([]byte{0xff, marker, 0, 14}, body[:12]...)
	}
	return nil
}
