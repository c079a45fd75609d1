package media

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"io"
)

// Limits of pictures that are read line by line.
const (
	maxReducedSide   = 1 << 17
	maxReducedPixels = 1 << 30
)

// Reduce scales a PNG of any size down, so that no side is longer than longest. It is read line by
// line and needs memory for two lines and the result. Each pixel is the mean of its source pixels.
// It returns ErrTooLarge beyond a gigapixel, and for interlaced files, which cannot be read so.
func Reduce(r io.Reader, longest int) (img *image.RGBA, err error) {
	defer recoverDecode(&err)
	p := &pngLines{r: bufio.NewReader(r)}
	if err := p.head(); err != nil {
		return nil, err
	}
	w, h := p.width, p.height
	if long := max(w, h); long > max(longest, 1) {
		w, h = max(1, w*longest/long), max(1, h*longest/long)
	}
	z, err := zlib.NewReader(p)
	if err != nil {
		return nil, malformed(PNG, "its pixels cannot be read: %v", err)
	}
	defer func() { _ = z.Close() }()
	out := &reducer{img: image.NewRGBA(image.Rect(0, 0, w, h)), sums: make([]uint64, 5*w), from: p.width,
		lines: p.height}
	line, above := make([]byte, 1+p.stride), make([]byte, 1+p.stride)
	pixel := p.reader()
	for y := range p.height {
		if _, err := io.ReadFull(z, line); err != nil {
			return nil, malformed(PNG, "its pixels end at line %d of %d", y, p.height)
		}
		if err := unfilter(line, above, p.per); err != nil {
			return nil, err
		}
		out.add(y, line[1:], pixel)
		line, above = above, line
	}
	return out.img, nil
}

// reducer sums up lines.
type reducer struct {
	img         *image.RGBA
	sums        []uint64 // per pixel: red, green, blue weighed by alpha, alpha, how many
	from, lines int      // size of the large one
}

func (o *reducer) add(y int, line []byte, pixel func(line []byte, x int) (r, g, b, a uint32)) {
	w, h := o.img.Rect.Dx(), o.img.Rect.Dy()
	for x := range o.from {
		r, g, b, a := pixel(line, x)
		s := o.sums[5*(x*w/o.from):]
		s[0], s[1], s[2], s[3], s[4] = s[0]+uint64(r*a), s[1]+uint64(g*a), s[2]+uint64(b*a), s[3]+uint64(a), s[4]+1
	}
	row := y * h / o.lines
	if y+1 < o.lines && (y+1)*h/o.lines == row {
		return
	}
	to := o.img.Pix[row*o.img.Stride:]
	for x := range w {
		s := o.sums[5*x:]
		n := max(s[4], 1)
		to[4*x], to[4*x+1], to[4*x+2], to[4*x+3] = uint8(s[0]/255/n), uint8(s[1]/255/n),
			uint8(s[2]/255/n), uint8(s[3]/n)
	}
	clear(o.sums)
}

// pngLines reads the filtered pixels of a PNG. It is an io.Reader of the contents of its IDAT
// chunks.
type pngLines struct {
	r             *bufio.Reader
	width, height int
	depth, kind   int
	per           int // bytes of a pixel, at least one
	stride        int // bytes of a line
	palette       []byte
	left          uint32 // of the chunk at hand
	begun, done   bool
}

var errPNGEnd = errors.New("it is cut off")

// chunk reads the head of the next chunk.
func (p *pngLines) chunk() (id string, size uint32, err error) {
	var head [8]byte
	if _, err := io.ReadFull(p.r, head[:]); err != nil {
		return "", 0, malformed(PNG, "%v", errPNGEnd)
	}
	return string(head[4:]), binary.BigEndian.Uint32(head[:]), nil
}

func (p *pngLines) skip(n int64) error {
	if _, err := io.CopyN(io.Discard, p.r, n); err != nil {
		return malformed(PNG, "%v", errPNGEnd)
	}
	return nil
}

// head reads everything before the pixels.
func (p *pngLines) head() error {
	magic := make([]byte, len(pngMagic))
	if _, err := io.ReadFull(p.r, magic); err != nil || string(magic) != pngMagic {
		return malformed(PNG, "it does not begin as one")
	}
	for first := true; ; first = false {
		id, size, err := p.chunk()
		switch {
		case err != nil:
			return err
		case first != (id == "IHDR"):
			return malformed(PNG, "its head is missing")
		case id == "IDAT":
			p.left, p.begun = size, true
			if p.kind == 3 && len(p.palette) == 0 {
				return malformed(PNG, "it has no palette")
			}
			return nil
		case id == "IEND":
			return malformed(PNG, "it ends before its pixels")
		case id == "IHDR" && size != 13, id == "PLTE" && (size > 768 || size%3 != 0):
			return malformed(PNG, "chunk %q is %d bytes long", id, size)
		case id == "IHDR", id == "PLTE":
			body := make([]byte, size+4)
			if _, err := io.ReadFull(p.r, body); err != nil {
				return malformed(PNG, "%v", errPNGEnd)
			}
			if id == "PLTE" {
				p.palette = body[:size]
			} else if err := p.describe(body); err != nil {
				return err
			}
		default:
			if err := p.skip(int64(size) + 4); err != nil {
				return err
			}
		}
	}
}

// describe sets the pixel format of the header.
func (p *pngLines) describe(ihdr []byte) error {
	w, h := binary.BigEndian.Uint32(ihdr), binary.BigEndian.Uint32(ihdr[4:])
	if w == 0 || h == 0 || w > maxReducedSide || h > maxReducedSide || uint64(w)*uint64(h) > maxReducedPixels {
		return fmt.Errorf("%w: %d × %d pixels", ErrTooLarge, w, h)
	}
	p.width, p.height, p.depth, p.kind = int(w), int(h), int(ihdr[8]), int(ihdr[9])
	if ihdr[10] != 0 || ihdr[11] != 0 || ihdr[12] > 1 {
		return malformed(PNG, "it is packed in a way that is not known")
	}
	if ihdr[12] == 1 {
		return fmt.Errorf("%w: an interlaced picture of %d × %d pixels", ErrTooLarge, w, h)
	}
	depths := map[int]string{0: "\x01\x02\x04\x08\x10", 2: "\x08\x10", 3: "\x01\x02\x04\x08", 4: "\x08\x10",
		6: "\x08\x10"}
	if bytes.IndexByte([]byte(depths[p.kind]), ihdr[8]) < 0 {
		return malformed(PNG, "colours of kind %d in %d bits", p.kind, p.depth)
	}
	bits := p.depth * map[int]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[p.kind]
	p.per, p.stride = max(1, bits/8), (p.width*bits+7)/8
	return nil
}

// Read implements io.Reader.
func (p *pngLines) Read(to []byte) (int, error) {
	for p.left == 0 {
		if p.done {
			return 0, io.EOF
		}
		if err := p.skip(4); err != nil { // the checksum; zlib has its own
			return 0, err
		}
		id, size, err := p.chunk()
		if err != nil {
			return 0, err
		}
		if id != "IDAT" {
			p.done = true
			return 0, io.EOF
		}
		p.left = size
	}
	n, err := p.r.Read(to[:min(len(to), int(p.left))])
	p.left -= uint32(n)
	return n, err
}

// unfilter reverses the filter of a line in place.
func unfilter(line, above []byte, per int) error {
	now, up := line[1:], above[1:]
	switch line[0] {
	case 0:
	case 1:
		for i := per; i < len(now); i++ {
			now[i] += now[i-per]
		}
	case 2:
		for i := range now {
			now[i] += up[i]
		}
	case 3:
		for i := range now {
			left := 0
			if i >= per {
				left = int(now[i-per])
			}
			now[i] += byte((left + int(up[i])) / 2)
		}
	case 4:
		for i := range now {
			left, corner := 0, 0
			if i >= per {
				left, corner = int(now[i-per]), int(up[i-per])
			}
			now[i] += byte(paeth(left, int(up[i]), corner))
		}
	default:
		return malformed(PNG, "filter %d", line[0])
	}
	return nil
}

// paeth returns the neighbour that is nearest to the prediction of all three.
func paeth(left, top, corner int) int {
	far := func(n int) int { return max(n-left-top+corner, left+top-corner-n) }
	switch l, t, c := far(left), far(top), far(corner); {
	case l <= t && l <= c:
		return left
	case t <= c:
		return top
	}
	return corner
}

// reader returns a function that reads a pixel of a line, with eight bits per component.
func (p *pngLines) reader() func(line []byte, x int) (r, g, b, a uint32) {
	wide := p.depth / 8 // bytes of a colour
	at := func(line []byte, i int) uint32 { return uint32(line[i*wide]) }
	switch {
	case p.kind == 2:
		return func(line []byte, x int) (r, g, b, a uint32) {
			return at(line, 3*x), at(line, 3*x+1), at(line, 3*x+2), 255
		}
	case p.kind == 6:
		return func(line []byte, x int) (r, g, b, a uint32) {
			return at(line, 4*x), at(line, 4*x+1), at(line, 4*x+2), at(line, 4*x+3)
		}
	case p.kind == 4:
		return func(line []byte, x int) (r, g, b, a uint32) {
			v := at(line, 2*x)
			return v, v, v, at(line, 2*x+1)
		}
	case p.kind == 0 && wide > 0:
		return func(line []byte, x int) (r, g, b, a uint32) { v := at(line, x); return v, v, v, 255 }
	}
	each, most := 8/p.depth, uint32(1)<<p.depth-1
	return func(line []byte, x int) (r, g, b, a uint32) {
		v := uint32(line[x/each]) >> ((each - 1 - x%each) * p.depth) & most
		if p.kind == 0 {
			v = v * 255 / most
			return v, v, v, 255
		}
		if int(3*v+2) >= len(p.palette) {
			return 0, 0, 0, 255
		}
		return uint32(p.palette[3*v]), uint32(p.palette[3*v+1]), uint32(p.palette[3*v+2]), 255
	}
}
