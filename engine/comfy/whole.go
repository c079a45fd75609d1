package comfy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// complete reports whether a file of that format has its end. Formats whose end
// cannot be told count as complete.
func complete(format string, data []byte) bool {
	switch format {
	case "png":
		for rest := data[8:]; len(rest) >= 12; {
			n := int64(binary.BigEndian.Uint32(rest)) + 12 // length, name and checksum
			if string(rest[4:8]) == "IEND" {
				return true
			}
			if n > int64(len(rest)) {
				return false
			}
			rest = rest[n:]
		}
		return false
	case "jpeg":
		// A small picture inside the file's head has an end mark of its own.
		return bytes.LastIndex(data, []byte("\xff\xd9")) > len(data)/2
	case "gif":
		return bytes.HasSuffix(bytes.TrimRight(data, "\x00"), []byte(";"))
	case "webp":
		return int64(binary.LittleEndian.Uint32(data[4:]))+8 <= int64(len(data))
	case "mp4":
		return wholeMP4(data)
	case "webm":
		return wholeWEBM(data)
	}
	return true
}

// wholeMP4 walks over the boxes of a file: none may reach beyond its end, and
// without the one that describes the tracks nothing can be played.
func wholeMP4(data []byte) bool {
	described := false
	for rest := data; len(rest) >= 8; {
		size := uint64(binary.BigEndian.Uint32(rest))
		switch kind := string(rest[4:8]); kind {
		case "moov", "moof":
			described = true
		}
		switch {
		case size == 0: // to the end of the file
			return described
		case size == 1 && len(rest) >= 16:
			size = binary.BigEndian.Uint64(rest[8:])
		}
		if size < 8 || size > uint64(len(rest)) {
			return false
		}
		rest = rest[size:]
	}
	return described
}

// wholeWEBM looks at the two elements that a file consists of: its head, and
// everything else, which may leave its size open.
func wholeWEBM(data []byte) bool {
	for rest, n := data, 0; n < 16 && len(rest) > 0; n++ {
		id, _, used := ebmlNumber(rest)
		if used == 0 {
			return false
		}
		rest = rest[used:]
		size, open, used := ebmlNumber(rest)
		if used == 0 {
			return false
		}
		rest = rest[used:]
		const segment = 0x08538067 // without the mark of its length
		switch {
		case open:
			return id == segment
		case size > uint64(len(rest)):
			return false
		case id == segment:
			return true
		}
		rest = rest[size:]
	}
	return false
}

// ebmlNumber reads a number of up to eight bytes whose first says how many there
// are; used is 0 when it is broken, and open tells the number that stands for none.
func ebmlNumber(data []byte) (n uint64, open bool, used int) {
	if len(data) == 0 || data[0] == 0 {
		return 0, false, 0
	}
	used = 1
	for data[0]&(0x80>>(used-1)) == 0 {
		used++
	}
	if used > len(data) {
		return 0, false, 0
	}
	n = uint64(data[0]) & (0x7f >> (used - 1))
	most := uint64(0x7f >> (used - 1))
	for _, b := range data[1:used] {
		n, most = n<<8|uint64(b), most<<8|0xff
	}
	return n, n == most, used
}

// completeFile is complete for a file that is too large to be held in memory.
func completeFile(format string, spool Spool) bool {
	file, err := os.Open(spool.Path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return false
	}
	var f io.ReaderAt = file
	size := info.Size()
	if spool.Open != nil {
		if f, size, err = spool.Open(file, size); err != nil {
			return false
		}
	}
	ends := func(n int64) []byte {
		tail := make([]byte, min(n, size))
		if _, err := f.ReadAt(tail, size-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
			return nil
		}
		return tail
	}
	switch format {
	case "png":
		return bytes.Contains(ends(4<<10), []byte("\x00\x00\x00\x00IEND"))
	case "jpeg":
		return bytes.Contains(ends(64<<10), []byte("\xff\xd9"))
	case "gif":
		return bytes.HasSuffix(bytes.TrimRight(ends(4<<10), "\x00"), []byte(";"))
	case "webp":
		head := make([]byte, 8)
		n, _ := f.ReadAt(head, 0)
		return n == len(head) && int64(binary.LittleEndian.Uint32(head[4:]))+8 <= size
	case "mp4":
		return wholeMP4File(f, size)
	}
	return true // the others leave their size open
}

// wholeMP4File is wholeMP4 for a file: it reads the heads of its boxes alone.
func wholeMP4File(f io.ReaderAt, size int64) bool {
	described := false
	head := make([]byte, 16)
	for at, n := int64(0), 0; at+8 <= size && n < 1e6; n++ {
		got, err := f.ReadAt(head[:min(16, size-at)], at)
		if err != nil && !errors.Is(err, io.EOF) || got < 8 {
			return false
		}
		kind := string(head[4:8])
		described = described || kind == "moov" || kind == "moof"
		box := uint64(binary.BigEndian.Uint32(head))
		switch {
		case box == 0: // to the end of the file
			return described
		case box == 1 && got == 16:
			box = binary.BigEndian.Uint64(head[8:])
		}
		if box < 8 || box > uint64(size-at) {
			return false
		}
		at += int64(box) //nolint:gosec // at most the file's size
	}
	return described
}
