package comfy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"os"
)

// maxTail limits the bytes at the end of a file that are searched for its end mark, which is not
// always last: programs append data.
const maxTail = 1 << 20

// isComplete reports whether a file of a format is complete. Formats without an end mark count as
// complete.
func isComplete(format string, data []byte) bool {
	return isCompleteAt(format, bytes.NewReader(data), int64(len(data)))
}

// isCompleteFile is isComplete for a file that is too large for memory.
func isCompleteFile(format string, spool Spool) bool {
	file, err := os.Open(spool.Path)
	if err != nil {
		return false
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return false
	}
	if spool.Open == nil {
		return isCompleteAt(format, file, info.Size())
	}
	f, size, err := spool.Open(file, info.Size())
	return err == nil && isCompleteAt(format, f, size)
}

// isCompleteAt reads the end of a file, or the headers of its parts.
func isCompleteAt(format string, f io.ReaderAt, size int64) bool {
	tail := func(most int64) []byte { return readAt(f, size-min(most, size), min(most, size)) }
	switch format {
	case "png":
		return bytes.Contains(tail(maxTail), []byte("\x00\x00\x00\x00IEND"))
	case "jpeg":
		// A thumbnail in the file's header has an end mark of its own.
		return bytes.Contains(tail(min(maxTail, size/2)), []byte("\xff\xd9"))
	case "gif":
		return bytes.HasSuffix(bytes.TrimRight(tail(4<<10), "\x00"), []byte(";"))
	case "webp":
		head := readAt(f, 0, 8)
		return len(head) == 8 && int64(binary.LittleEndian.Uint32(head[4:]))+8 <= size
	case "mp4":
		return isWholeMP4(f, size)
	case "webm":
		return isWholeWebM(f, size)
	}
	return true
}

// readAt returns up to n bytes of a file, nil if they cannot be read.
func readAt(f io.ReaderAt, at, n int64) []byte {
	data := make([]byte, n)
	got, err := f.ReadAt(data, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return data[:got]
}

// isWholeMP4 walks over the boxes of a file: none may exceed the file, and the one that describes
// the tracks is required.
func isWholeMP4(f io.ReaderAt, size int64) bool {
	described := false
	for at, n := int64(0), 0; at+8 <= size && n < 1e6; n++ {
		head := readAt(f, at, 16)
		if len(head) < 8 {
			return false
		}
		kind := string(head[4:8])
		described = described || kind == "moov" || kind == "moof"
		box := uint64(binary.BigEndian.Uint32(head))
		switch {
		case box == 0: // to the end of the file
			return described
		case box == 1 && len(head) == 16:
			box = binary.BigEndian.Uint64(head[8:])
		}
		if box < 8 || box > uint64(size-at) {
			return false
		}
		at += int64(box) //nolint:gosec // at most the file's size
	}
	return described
}

// isWholeWebM checks the two elements of a file: its header, and everything else, whose size may
// be open.
func isWholeWebM(f io.ReaderAt, size int64) bool {
	for at, n := int64(0), 0; n < 16 && at < size; n++ {
		head := readAt(f, at, 16)
		id, _, idUsed := ebmlNumber(head)
		if idUsed == 0 {
			return false
		}
		length, open, used := ebmlNumber(head[idUsed:])
		if used == 0 {
			return false
		}
		at += int64(idUsed + used)
		const segment = 0x08538067 // without the marker bits of its length
		switch {
		case open:
			return id == segment
		case length > uint64(size-at):
			return false
		case id == segment:
			return true
		}
		at += int64(length) //nolint:gosec // at most the file's size
	}
	return false
}

// ebmlNumber reads a number of up to eight bytes whose first byte has the length; used is 0 if it
// is malformed, and open reports the value for an unknown size.
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
