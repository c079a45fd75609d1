package media

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// pngKept are the chunks that a picture's looks depend on, with the most bytes
// that they may hold; 0 is without a bound.
var pngKept = map[string]int{
	"IHDR": 13, "PLTE": 768, "IDAT": 0, "IEND": 0,
	"tRNS": 256, "gAMA": 4, "cHRM": 32, "sRGB": 1, "iCCP": 0, "cICP": 4, "mDCV": 24, "cLLI": 8, "sBIT": 4, "pHYs": 9,
	"acTL": 8, "fcTL": 26, "fdAT": 0,
}

func stripPNG(data []byte, found func(string)) ([]byte, error) {
	if Sniff(data) != PNG {
		return nil, malformed(PNG, "it does not begin as one")
	}
	out := append(make([]byte, 0, len(data)), pngMagic...)
	pixels := false
	for rest := data[len(pngMagic):]; ; {
		if len(rest) < 12 {
			return nil, malformed(PNG, "it is cut off")
		}
		size, id := binary.BigEndian.Uint32(rest), string(rest[4:8])
		if uint64(size)+12 > uint64(len(rest)) {
			return nil, malformed(PNG, "chunk %q is cut off", id)
		}
		whole, body := rest[:size+12], rest[8:size+8]
		rest = rest[size+12:]
		if len(out) == len(pngMagic) && id != "IHDR" {
			return nil, malformed(PNG, "its head is missing")
		}
		most, kept := pngKept[id]
		switch {
		case !kept && id[0]&0x20 == 0:
			return nil, malformed(PNG, "chunk %q is needed for it and not known", id)
		case !kept:
			tellPNG(found, id, body)
			continue
		case most > 0 && len(body) > most:
			return nil, malformed(PNG, "chunk %q is %d bytes long", id, len(body))
		case crc32.ChecksumIEEE(whole[4:len(whole)-4]) != binary.BigEndian.Uint32(whole[len(whole)-4:]):
			return nil, malformed(PNG, "the checksum of chunk %q is wrong", id)
		}
		out = append(out, whole...)
		pixels = pixels || id == "IDAT"
		if id != "IEND" {
			continue
		}
		if !pixels || len(body) > 0 {
			return nil, malformed(PNG, "it ends before its pixels")
		}
		if len(rest) > 0 {
			tell(found, KindTail, rest)
		}
		return out, nil
	}
}

// tellPNG tells of a chunk that is left out. Texts begin with a keyword.
func tellPNG(found func(string), id string, body []byte) {
	switch id {
	case "eXIf":
		tell(found, KindExif, body)
	case "tEXt", "zTXt", "iTXt":
		keyword, _, _ := bytes.Cut(body[:min(len(body), 80)], []byte{0})
		switch string(keyword) {
		case "prompt", "parameters":
			tell(found, KindPrompt, body)
		case "workflow":
			tell(found, KindWorkflow, body)
		case "XML:com.adobe.xmp":
			tell(found, KindXMP, body)
		case "Comment", "Description":
			tell(found, KindComment, body)
		default:
			tell(found, KindText, body)
		}
	default:
		tell(found, KindOther, body)
	}
}
