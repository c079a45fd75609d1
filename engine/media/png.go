package media

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
)

// keptPNGChunks are the chunks that a picture's looks depend on, with the most bytes
// that they may hold; 0 is without a bound.
var keptPNGChunks = map[string]int{
	"IHDR": 13, "PLTE": 768, "IDAT": 0, "IEND": 0,
	"tRNS": 256, "gAMA": 4, "cHRM": 32, "sRGB": 1, "iCCP": 0, "cICP": 4, "mDCV": 24, "cLLI": 8, "sBIT": 4, "pHYs": 9,
	"acTL": 8, "fcTL": 26, "fdAT": 0,
}

func stripPNG(data []byte) ([]byte, error) {
	var out bytes.Buffer
	out.Grow(len(data))
	if err := stripPNGTo(&out, bytes.NewReader(data)); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// stripPNGTo strips what it reads chunk by chunk, and holds none of those in memory that
// are kept.
func stripPNGTo(w io.Writer, r io.Reader) error {
	p := &pngChunks{r: r, w: w}
	if err := p.begin(); err != nil {
		return err
	}
	for first, pixels := true, false; ; first = false {
		id, size, err := p.head()
		if err != nil {
			return err
		}
		if first && id != "IHDR" {
			return malformed(PNG, "its head is missing")
		}
		most, kept := keptPNGChunks[id]
		switch {
		case !kept && id[0]&0x20 == 0:
			return malformed(PNG, "chunk %q is needed for it and not known", id)
		case !kept:
			if err := p.skip(id, size); err != nil {
				return err
			}
			continue
		case most > 0 && size > int64(most):
			return malformed(PNG, "chunk %q is %d bytes long", id, size)
		}
		if err := p.keep(id, size); err != nil {
			return err
		}
		pixels = pixels || id == "IDAT"
		if id != "IEND" {
			continue
		}
		if !pixels || size > 0 {
			return malformed(PNG, "it ends before its pixels")
		}
		return nil
	}
}

// pngChunks reads a PNG chunk by chunk.
type pngChunks struct {
	r   io.Reader
	w   io.Writer
	now [8]byte // the head of the chunk that is read
}

func (p *pngChunks) begin() error {
	var magic [len(pngMagic)]byte
	if _, err := io.ReadFull(p.r, magic[:]); err != nil || string(magic[:]) != pngMagic {
		return malformed(PNG, "it does not begin as one")
	}
	_, err := p.w.Write(magic[:])
	return err
}

func (p *pngChunks) head() (id string, size int64, err error) {
	if _, err := io.ReadFull(p.r, p.now[:]); err != nil {
		return "", 0, malformed(PNG, "it is cut off")
	}
	return string(p.now[4:]), int64(binary.BigEndian.Uint32(p.now[:])), nil
}

// skip reads past a chunk and its checksum.
func (p *pngChunks) skip(id string, size int64) error {
	if n, err := io.CopyN(io.Discard, p.r, size+4); err != nil {
		return p.cut(id, n, err)
	}
	return nil
}

// keep copies a chunk, the checksum with it.
func (p *pngChunks) keep(id string, size int64) error {
	if _, err := p.w.Write(p.now[:]); err != nil {
		return err
	}
	sum := crc32.NewIEEE()
	_, _ = sum.Write(p.now[4:]) // never fails
	if n, err := io.CopyN(io.MultiWriter(p.w, sum), p.r, size); err != nil {
		return p.cut(id, n, err)
	}
	var is [4]byte
	if _, err := io.ReadFull(p.r, is[:]); err != nil {
		return p.cut(id, size, err)
	}
	if sum.Sum32() != binary.BigEndian.Uint32(is[:]) {
		return malformed(PNG, "the checksum of chunk %q is wrong", id)
	}
	_, err := p.w.Write(is[:])
	return err
}

// cut tells a file that ends from one that cannot be read or written.
func (p *pngChunks) cut(id string, n int64, err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return malformed(PNG, "chunk %q is cut off after %d bytes", id, n)
	}
	return err
}
