package media

import "encoding/binary"

func stripGIF(data []byte) ([]byte, error) {
	if Sniff(data) != GIF || len(data) < 13 {
		return nil, malformed(GIF, "it does not begin as one")
	}
	at := 13 + gifTable(data[10])
	if at > len(data) {
		return nil, malformed(GIF, "its colours are cut off")
	}
	out := append(make([]byte, 0, len(data)), data[:at]...)
	images := 0
	for at < len(data) {
		from := at
		switch data[at] {
		case 0x3b: // the end
			if images == 0 {
				return nil, malformed(GIF, "it ends before its pixels")
			}
			return append(out, 0x3b), nil
		case 0x2c: // a frame
			if at+10 > len(data) {
				return nil, malformed(GIF, "a frame is cut off")
			}
			at = gifBlocks(data, at+10+gifTable(data[at+9])+1)
			images++
		case 0x21: // an extension
			if at+2 > len(data) {
				return nil, malformed(GIF, "an extension is cut off")
			}
			if at = gifBlocks(data, at+2); at > 0 && !keepsGIFExtension(data[from:at]) {
				continue
			}
		default:
			return nil, malformed(GIF, "there is no block where one must be")
		}
		if at < 0 {
			return nil, malformed(GIF, "it is cut off")
		}
		out = append(out, data[from:at]...)
	}
	return nil, malformed(GIF, "it is cut off")
}

// gifTable is how many bytes a colour table takes, by the flags that tell of it.
func gifTable(flags byte) int {
	if flags&0x80 == 0 {
		return 0
	}
	return 3 << (flags&7 + 1)
}

// gifBlocks is where the run of blocks that begins at at has its end, -1 where
// that is missing.
func gifBlocks(data []byte, at int) int {
	for at < len(data) {
		n := int(data[at])
		at += 1 + n
		if n == 0 {
			return at
		}
	}
	return -1
}

// keepsGIFExtension reports whether an extension stays: the timing of frames, and how often
// an animation is played.
func keepsGIFExtension(ext []byte) bool {
	switch ext[1] {
	case 0xf9:
		return len(ext) == 8
	case 0xff:
		if len(ext) != 19 || ext[2] != 11 || binary.BigEndian.Uint16(ext[14:]) != 0x0301 {
			return false
		}
		name := string(ext[3:14])
		return name == "NETSCAPE2.0" || name == "ANIMEXTS1.0"
	}
	return false
}
