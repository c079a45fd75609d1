package formats

import (
	"bytes"
	"compress/zlib"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	pngSignature = "\x89PNG\r\n\x1a\n"
	maxChunks    = 100_000
	maxCardData  = 24 << 20 // of a text chunk: the base64 of MaxCardJSON, with room
	maxTries     = 4        // chunks of either kind that are tried
)

// chunk is a chunk of a PNG; both slices alias the file.
type chunk struct {
	typ   string
	data  []byte
	whole []byte // with length, type and checksum
}

// pngChunks splits a PNG and checks lengths, checksums, and that it begins with a header and ends
// with an end chunk. rest is the number of bytes after the end.
func pngChunks(data []byte) (chunks []chunk, rest int, err error) {
	if !bytes.HasPrefix(data, []byte(pngSignature)) {
		return nil, 0, wrapf(ErrDamaged, "the picture is not a PNG")
	}
	const again = "download or export the file again"
	for at := len(pngSignature); ; {
		if len(data)-at < 12 {
			return nil, 0, wrapf(ErrDamaged, "the PNG is cut off after %d bytes, before its end mark: %s",
				len(data), again)
		}
		n := int64(binary.BigEndian.Uint32(data[at:]))
		typ := string(data[at+4 : at+8])
		if n > int64(len(data)-at-12) {
			return nil, 0, wrapf(ErrDamaged,
				"the chunk %q at byte %d says it has %d bytes, but the file ends %d bytes later: %s",
				typ, at, n, len(data)-at-12, again)
		}
		end := at + 12 + int(n)
		if crc32.ChecksumIEEE(data[at+4:end-4]) != binary.BigEndian.Uint32(data[end-4:]) {
			return nil, 0, wrapf(ErrDamaged, "the checksum of the chunk %q at byte %d is wrong: %s", typ, at, again)
		}
		if len(chunks) == 0 && (typ != "IHDR" || n != 13) {
			return nil, 0, wrapf(ErrDamaged, "the PNG does not begin with a header: %s", again)
		}
		if len(chunks) == maxChunks {
			return nil, 0, wrapf(ErrTooLarge, "the PNG has more than %d chunks, which no picture has", maxChunks)
		}
		chunks = append(chunks, chunk{typ, data[at+8 : end-4], data[at:end]})
		if at = end; typ == "IEND" {
			return chunks, len(data) - at, nil
		}
	}
}

// keyword returns the lower-case keyword of a text chunk, "" for other chunks.
func (c chunk) keyword() string {
	switch c.typ {
	case "tEXt", "zTXt", "iTXt":
		if n := bytes.IndexByte(c.data[:min(len(c.data), 80)], 0); n > 0 {
			return strings.ToLower(string(c.data[:n]))
		}
	}
	return ""
}

func (c chunk) holdsCard() bool {
	k := c.keyword()
	return k == "ccv3" || k == "chara"
}

// text returns the decompressed content of a text chunk.
func (c chunk) text() ([]byte, error) {
	body := c.data[bytes.IndexByte(c.data, 0)+1:]
	packed := false
	switch c.typ {
	case "zTXt":
		if len(body) < 1 || body[0] != 0 {
			return nil, wrapf(ErrDamaged, "the chunk %q has an unknown compression", c.keyword())
		}
		packed, body = true, body[1:]
	case "iTXt":
		if len(body) < 2 || body[0] > 1 || body[1] != 0 {
			return nil, wrapf(ErrDamaged, "the chunk %q has an unknown compression", c.keyword())
		}
		packed, body = body[0] == 1, body[2:]
		for range 2 { // the language and the translated keyword
			n := bytes.IndexByte(body, 0)
			if n < 0 {
				return nil, wrapf(ErrDamaged, "the chunk %q is cut off", c.keyword())
			}
			body = body[n+1:]
		}
	}
	if packed {
		var err error
		if body, err = inflate(body, maxCardData); err != nil {
			return nil, err
		}
	}
	if len(body) > maxCardData {
		return nil, wrapf(ErrTooLarge, "the card data in the PNG has %s; the limit is %s", formatSize(len(body)),
			formatSize(maxCardData))
	}
	return body, nil
}

func inflate(data []byte, limit int) ([]byte, error) {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, wrapf(ErrDamaged, "packed text in the PNG cannot be unpacked (%v)", err)
	}
	out, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	switch {
	case err != nil:
		return nil, wrapf(ErrDamaged, "packed text in the PNG cannot be unpacked (%v)", err)
	case len(out) > limit:
		return nil, wrapf(ErrTooLarge, "packed text in the PNG grows beyond %s", formatSize(limit))
	}
	return out, nil
}

func readPNG(data []byte) (ImportedCard, error) {
	chunks, rest, err := pngChunks(data)
	if err != nil {
		return ImportedCard{}, err
	}
	in, err := cardFromChunks(chunks)
	if errors.Is(err, errPlainPicture) {
		if own, ok, exifErr := cardFromPicture("PNG", data); ok {
			in, err = own, exifErr
		}
	} else if err == nil {
		in.Format += " PNG"
	}
	if err != nil {
		return ImportedCard{}, err
	}
	if rest > 0 {
		in.Warnings = append(in.Warnings,
			fmt.Sprintf("%s behind the end of the picture were left out", formatSize(rest)))
	}
	chunks, in.Assets = chunkAssets(chunks)
	picture := withoutCard(chunks)
	if err := checkPNG(picture); err != nil {
		in.Warnings = append(in.Warnings, fmt.Sprintf("the card was read without its picture: %v", err))
		picture = nil
	}
	if picture != nil && !isCover(picture, in.Card.Name) {
		in.Avatar = picture
	}
	return in, nil
}

// cardFromChunks reads the card of a PNG: ccv3 before chara, and the next one if one is broken.
func cardFromChunks(chunks []chunk) (ImportedCard, error) {
	var newer, older []chunk
	lore := false
	for _, c := range chunks {
		switch c.keyword() {
		case "ccv3":
			newer = append(newer, c)
		case "chara":
			older = append(older, c)
		case "naidata":
			lore = true
		}
	}
	tries := slices.Concat(newer[:min(len(newer), maxTries)], older[:min(len(older), maxTries)])
	var first error
	for _, c := range tries {
		in, err := cardFromChunk(c)
		if err == nil {
			if first != nil {
				in.Warnings = append(in.Warnings, fmt.Sprintf("the newer card data of the PNG was not used: %v", first))
			}
			return in, nil
		}
		if first == nil {
			first = fmt.Errorf("chunk %q: %w", c.keyword(), err)
		}
	}
	switch {
	case first != nil:
		return ImportedCard{}, first
	case lore:
		return ImportedCard{}, notCard(KindLorebook)
	}
	return ImportedCard{}, fmt.Errorf("%w: %w", ErrNotCard, errPlainPicture)
}

var errPlainPicture = errors.New(
	"this PNG is only a picture, without card data; sites and picture programs strip it: get the original file")

func cardFromChunk(c chunk) (ImportedCard, error) {
	doc, plain, err := c.document()
	if err != nil {
		return ImportedCard{}, err
	}
	in, err := readDocument(doc)
	if err == nil && plain {
		in.Warnings = append(in.Warnings, "the card data of the PNG was not base64, as it should be")
	}
	return in, err
}

// document returns the JSON in a text chunk, in base64 or plain. It is decoded as other programs
// do it (Node's Buffer, Python's b64decode): the alphabet may be that of URLs, and other bytes
// around the value are ignored.
func (c chunk) document() (doc []byte, plain bool, err error) {
	body, err := c.text()
	if err != nil {
		return nil, false, err
	}
	if at := bytes.IndexByte(body, '{'); at >= 0 { // which base64 does not contain
		return firstJSON(body[at:]), true, nil
	}
	if _, value, ok := bytes.Cut(body, []byte(";base64,")); ok {
		body = value
	}
	if doc, err = decodeBase64(body); err == nil {
		return firstJSON(doc), false, nil
	}
	found, _ := decodeBase64(trimToBase64(body))
	if found = firstJSON(found); len(found) > 0 && found[0] == '{' && json.Valid(found) {
		return found, false, nil
	}
	return nil, false, err
}

// firstJSON returns the JSON value at the beginning of a text, or the whole text if there is none.
func firstJSON(doc []byte) []byte {
	doc = bytes.Trim(bytes.TrimPrefix(doc, []byte(bom)), "\x00 \t\r\n")
	var value json.RawMessage
	if json.NewDecoder(bytes.NewReader(doc)).Decode(&value) != nil {
		return doc
	}
	return value
}

// base64Letters are the letters of both alphabets of base64.
const base64Letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_"

// trimToBase64 returns the base64 part of a text, up to its padding.
func trimToBase64(body []byte) []byte {
	body, _, _ = bytes.Cut(body, []byte{'='})
	return bytes.Map(func(r rune) rune {
		if strings.ContainsRune(base64Letters, r) {
			return r
		}
		return -1
	}, body)
}

// decodeBase64 decodes base64 in either alphabet, with or without white space and padding.
func decodeBase64(body []byte) ([]byte, error) {
	clean := bytes.Map(func(r rune) rune {
		switch r {
		case ' ', '\t', '\r', '\n':
			return -1
		case '-':
			return '+'
		case '_':
			return '/'
		}
		return r
	}, body)
	clean = bytes.TrimRight(clean, "=")
	out := make([]byte, base64.RawStdEncoding.DecodedLen(len(clean)))
	n, err := base64.RawStdEncoding.Decode(out, clean)
	var bad base64.CorruptInputError
	if errors.As(err, &bad) {
		return nil, wrapf(ErrDamaged, "the data is not base64 at character %d: download or export the file again",
			int64(bad)+1)
	}
	return out[:n], err
}

// withoutCard joins the chunks of a PNG without its card data.
func withoutCard(chunks []chunk) []byte {
	n := len(pngSignature)
	for _, c := range chunks {
		n += len(c.whole)
	}
	out := append(make([]byte, 0, n), pngSignature...)
	for _, c := range chunks {
		if !c.holdsCard() {
			out = append(out, c.whole...)
		}
	}
	return out
}

// WriteCardPNG writes a character into a picture, as V3 and, for older programs, as V2. avatar is
// a PNG, JPEG, WebP or GIF, whose card data is replaced. For a nil avatar a plain cover is drawn.
func WriteCardPNG(c storage.Character, avatar []byte) ([]byte, error) {
	return namedCard(c)(writePNG(c, avatar, nil))
}

func writePNG(c storage.Character, avatar []byte, assets []Asset) ([]byte, error) {
	p, err := newPNGAssetPlan(c, avatar, assets), error(nil)
	if len(avatar) == 0 {
		avatar, err = cover(c.Card.Name)
	} else {
		avatar, err = toPNG(avatar)
	}
	if err != nil {
		return nil, fmt.Errorf("picture: %w", err)
	}
	v3, err := cardDocument(c, "chara_card_v3", p)
	if err != nil {
		return nil, err
	}
	v2, err := cardDocument(c, "chara_card_v2", p)
	if err != nil {
		return nil, err
	}
	const iend = 12
	out := bytes.Clone(avatar[:len(avatar)-iend])
	for _, a := range p.assets {
		out = appendTextChunk(out, assetChunk+a.Path, a.Data)
	}
	out = appendTextChunk(out, "chara", v2)
	out = appendTextChunk(out, "ccv3", v3)
	out = append(out, avatar[len(avatar)-iend:]...)
	if len(out) > MaxCardFile {
		return nil, wrapf(ErrTooLarge, "the file would have %s; the limit is %s: choose a smaller picture, or write "+
			"it as CHARX", formatSize(len(out)), formatSize(MaxCardFile))
	}
	return out, nil
}

func appendTextChunk(out []byte, keyword string, doc []byte) []byte {
	body := append([]byte("tEXt"+keyword), 0)
	body = base64.StdEncoding.AppendEncode(body, doc)
	out = binary.BigEndian.AppendUint32(out, uint32(len(body)-4)) //nolint:gosec // below maxCardData
	out = append(out, body...)
	return binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(body))
}
