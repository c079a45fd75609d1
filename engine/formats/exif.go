package formats

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf16"
)

// Pictures without a card chunk may have the card in the Exif data, as the user comment: base64 or
// JSON. So do WebP cards of early TavernAI and SillyTavern, JPEG cards of some sites, and the PNG
// cards of Backyard. JPEG also has comments of its own. Format facts from the Exif standard (CIPA
// DC-008), the container documents of WebP and PNG, and the readers named at the formats.
const (
	exifDescription = 0x010e
	exifIFD         = 0x8769
	exifComment     = 0x9286
	maxExifEntries  = 1_000 // of all directories
	maxExifTexts    = 8
	maxSegments     = 10_000
)

// mayHoldCard reports whether the first bytes of a WebP or JPEG show that it has more than a
// picture.
func mayHoldCard(head []byte) bool {
	if sniff(head) == "WebP" { // the flags of an extended file; the data itself is after the picture
		return len(head) > 20 && string(head[12:16]) == "VP8X" && head[20]&0x08 != 0
	}
	exif := bytes.Contains(head, []byte("Exif\x00\x00")) &&
		(bytes.Contains(head, []byte{0x92, 0x86}) || bytes.Contains(head, []byte{0x86, 0x92}))
	return exif || bytes.Contains(head, []byte("chara_card"))
}

// pictureTexts returns the JSON documents in a picture, decoded.
func pictureTexts(kind string, data []byte) (out [][]byte) {
	var texts [][]byte
	switch kind {
	case "WebP":
		texts = webpTexts(data)
	case "JPEG":
		texts = jpegTexts(data)
	case "PNG":
		texts = pngTexts(data)
	}
	for _, t := range texts {
		if doc := exifDocument(t); doc != nil && len(out) < maxTries {
			out = append(out, doc)
		}
	}
	return out
}

// webpTexts searches the chunks of a RIFF file.
func webpTexts(data []byte) (out [][]byte) {
	for at := 12; at+8 <= len(data); {
		n := int64(binary.LittleEndian.Uint32(data[at+4:]))
		body := data[at+8:]
		if n > int64(len(body)) {
			n = int64(len(body))
		}
		if string(data[at:at+4]) == "EXIF" && len(out) < maxExifTexts {
			out = append(out, tiffTexts(body[:n])...)
		}
		at += 8 + int(n+n&1)
	}
	return out
}

// jpegTexts searches the segments before the pixels.
func jpegTexts(data []byte) (out [][]byte) {
	for at, n := 2, 0; at+4 <= len(data) && data[at] == 0xff && n < maxSegments; n++ {
		marker := data[at+1]
		if marker == 0xff { // a fill byte
			at++
			continue
		}
		length := int(binary.BigEndian.Uint16(data[at+2:]))
		if marker == 0xda || length < 2 || at+2+length > len(data) {
			break
		}
		body := data[at+4 : at+2+length]
		switch {
		case marker == 0xe1 && bytes.HasPrefix(body, []byte("Exif\x00\x00")):
			out = append(out, tiffTexts(body)...)
		case marker == 0xfe:
			out = append(out, body)
		}
		at += 2 + length
	}
	return out
}

// pngTexts searches the Exif data of a PNG, in its own chunk or in hexadecimal, as ImageMagick
// writes it.
func pngTexts(data []byte) (out [][]byte) {
	chunks, _, err := pngChunks(data)
	if err != nil {
		return nil
	}
	for _, c := range chunks {
		switch key := c.keyword(); {
		case c.typ == "eXIf":
			out = append(out, tiffTexts(c.data)...)
		case key == "raw profile type exif" || key == "raw profile type app1":
			if body, err := c.text(); err == nil {
				out = append(out, tiffTexts(rawProfile(body))...)
			}
		case key == "usercomment" || key == "user comment":
			if body, err := c.text(); err == nil {
				out = append(out, body)
			}
		}
	}
	return out
}

// rawProfile decodes "\nexif\n   length\nhex".
func rawProfile(body []byte) []byte {
	fields := bytes.Fields(body)
	if len(fields) < 3 {
		return nil
	}
	joined := bytes.Join(fields[2:], nil)
	out := make([]byte, hex.DecodedLen(len(joined)))
	n, _ := hex.Decode(out, joined) // as far as it is valid
	return out[:n]
}

// tiffTexts returns the comment and the description in Exif data.
func tiffTexts(data []byte) [][]byte {
	data = bytes.TrimPrefix(data, []byte("Exif\x00\x00"))
	if len(data) < 8 {
		return nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	switch string(data[:2]) {
	case "MM":
		order = binary.BigEndian
	case "II":
	default:
		return nil
	}
	t := tiff{data: data, order: order, remaining: maxExifEntries}
	t.directory(order.Uint32(data[4:]), 0)
	return t.texts
}

type tiff struct {
	data      []byte
	order     binary.ByteOrder
	remaining int // entries that may still be read
	texts     [][]byte
}

func (t *tiff) directory(at uint32, depth int) {
	if depth > 2 || int64(at)+2 > int64(len(t.data)) {
		return
	}
	for i := range int(t.order.Uint16(t.data[at:])) {
		if t.remaining--; t.remaining < 0 || len(t.texts) == maxExifTexts {
			return
		}
		e := int64(at) + 2 + int64(i)*12
		if e+12 > int64(len(t.data)) {
			return
		}
		entry := t.data[e : e+12]
		n, value := int64(t.order.Uint32(entry[4:])), int64(t.order.Uint32(entry[8:]))
		switch t.order.Uint16(entry) {
		case exifIFD:
			t.directory(uint32(value), depth+1) //nolint:gosec // it was one
		case exifComment, exifDescription:
			if n <= 4 {
				continue
			}
			if value+n > int64(len(t.data)) { // cut off, or counted without its prefix
				n = int64(len(t.data)) - value
			}
			if n > 0 {
				t.texts = append(t.texts, t.decodeComment(t.data[value:value+n]))
			}
		}
	}
}

// decodeComment removes the name of a comment's encoding.
func (t *tiff) decodeComment(body []byte) []byte {
	switch {
	case bytes.HasPrefix(body, []byte("ASCII\x00\x00\x00")), bytes.HasPrefix(body, make([]byte, 8)):
		return body[8:]
	case bytes.HasPrefix(body, []byte("UNICODE\x00")):
		body = body[8:]
		order := t.order
		switch {
		case bytes.HasPrefix(body, []byte("\xff\xfe")), len(body) > 1 && body[1] == 0:
			order = binary.LittleEndian
		case bytes.HasPrefix(body, []byte("\xfe\xff")), len(body) > 1 && body[0] == 0:
			order = binary.BigEndian
		}
		units := make([]uint16, len(body)/2)
		for i := range units {
			units[i] = order.Uint16(body[2*i:])
		}
		return []byte(strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff"))
	}
	return body
}

// exifDocument returns the JSON in a comment: plain, in base64, or as the numbers of its bytes. It
// is nil if there is none.
func exifDocument(body []byte) []byte {
	body = bytes.Trim(body, "\x00 \t\r\n")
	if at := bytes.IndexByte(body, ':'); at > 0 && at < 8 && bytes.EqualFold(body[:at], []byte("chara")) {
		body = bytes.TrimSpace(body[at+1:])
	}
	switch {
	case len(body) == 0 || len(body) > maxCardData:
		return nil
	case body[0] == '{':
		return body
	case body[0] == '[' || body[0] >= '0' && body[0] <= '9' && bytes.IndexByte(body, ',') > 0:
		return byteList(bytes.Trim(body, "[]"))
	}
	doc, err := decodeBase64(body)
	if doc = bytes.TrimSpace(doc); err != nil || len(doc) == 0 || doc[0] != '{' {
		return nil
	}
	return doc
}

func byteList(body []byte) []byte {
	var out []byte
	for part := range bytes.SplitSeq(body, []byte{','}) {
		n, err := strconv.ParseUint(string(bytes.TrimSpace(part)), 10, 8)
		if err != nil {
			return nil
		}
		out = append(out, byte(n))
	}
	if len(out) == 0 || out[0] != '{' {
		return nil
	}
	return out
}

// cardFromPicture reads the card in the Exif data of a picture. ok is false if there is none. The
// picture becomes the avatar.
func cardFromPicture(kind string, data []byte) (in ImportedCard, ok bool, err error) {
	for _, doc := range pictureTexts(kind, data) {
		in, err = readDocument(doc)
		if err != nil {
			ok = true
			continue
		}
		in.Format += " " + kind
		if in.Avatar == nil && kind != "PNG" {
			if in.Avatar, err = toPNG(data); err != nil {
				in.Warnings = append(in.Warnings, "the card was read without its picture: "+err.Error())
			}
		}
		return in, true, nil
	}
	return ImportedCard{}, ok, err
}
