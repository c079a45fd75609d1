package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The file's pages as bbolt 1 writes them. They are read here without bbolt, because bbolt trusts
// its pages: here, reading a damaged page ends in an error at worst.
//
// A page is a header (its number of 8 bytes, flags of 2, count of 2, and the number of overflow
// pages that follow it, of 4), the elements and, in the same order and without gaps, their keys and
// values. An element of a leaf is flags, position, and the sizes of key and value, of 4 bytes each.
// An element of a branch is position and size of the key, of 4 bytes each, and a page number of 8
// bytes.
const (
	pageHead    = 16
	pageElement = 16
	pageBranch  = 0x01
	pageLeaf    = 0x02
	pageFree    = 0x10
	leafBucket  = 0x01 // of an element of a leaf: its value is a bucket

	bucketHead = 16 // the page of its root, 0 for one that follows right here, and its sequence
)

// pages reads a file's pages.
type pages struct {
	r io.ReaderAt
	head
	seen  []bool   // the pages that something leads to
	spare [][]byte // for read, of one page each
}

// element is one of a page.
type element struct {
	key, value []byte
	bucket     bool
	page       uint64 // the page that an element of a branch leads to
}

// keyRange are the keys of a bucket from lo on and before hi, nil for no end. The path is the
// names of the buckets down to it, "" for the root.
type keyRange struct {
	path   string
	lo, hi []byte
}

// openPages reads the newer head that can be relied on.
func openPages(r io.ReaderAt) (*pages, error) {
	best, read := readHead(r, 0)
	for size := int64(1 << 10); size <= 1<<16; size <<= 1 {
		if h, sound := readHead(r, size); sound && (!read || h.tx > best.tx) {
			best, read = h, true
		}
	}
	const most = 1 << 40 // pages
	switch {
	case !read:
		return nil, errors.New("neither of its two heads can be read")
	case best.size < 1<<10 || best.size > 1<<16 || best.high > most:
		return nil, errors.New("its head makes no sense")
	}
	return &pages{r: r, head: best, seen: make([]bool, best.high)}, nil
}

// mark notes that something leads to the pages from one to another. Nothing else may.
func (p *pages) mark(from, to uint64) error {
	if from < 2 || to >= p.high {
		return fmt.Errorf("page %d: it, or what belongs to it, is behind the end", from)
	}
	for i := from; i <= to; i++ {
		if p.seen[i] {
			return fmt.Errorf("page %d: it is used twice", i)
		}
		p.seen[i] = true
	}
	return nil
}

// read reads a page with those that belong to it, and marks them.
func (p *pages) read(id uint64) ([]byte, error) {
	if id < 2 || id >= p.high {
		return nil, fmt.Errorf("page %d: there is none", id)
	}
	first := p.buffer()
	if _, err := p.r.ReadAt(first, int64(id)*int64(p.size)); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	if got := binary.NativeEndian.Uint64(first); got != id {
		return nil, fmt.Errorf("page %d: another page stands there", id)
	}
	more := uint64(binary.NativeEndian.Uint32(first[12:]))
	if err := p.mark(id, id+more); err != nil || more == 0 {
		return first, err
	}
	whole := make([]byte, (more+1)*uint64(p.size))
	if _, err := p.r.ReadAt(whole, int64(id)*int64(p.size)); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	return whole, nil
}

// isLeaf reports whether a page says that it is a leaf, without reading all of it.
func (p *pages) isLeaf(id uint64) bool {
	var head [pageHead]byte
	_, err := p.r.ReadAt(head[:], int64(min(id, p.high))*int64(p.size))
	return err == nil && binary.NativeEndian.Uint16(head[8:]) == pageLeaf
}

// buffer has room for one page.
func (p *pages) buffer() []byte {
	n := len(p.spare)
	if n == 0 {
		return make([]byte, p.size)
	}
	last := p.spare[n-1]
	p.spare = p.spare[:n-1]
	return last
}

// release takes back a page that read returned and that is no longer in use.
func (p *pages) release(page []byte) {
	if len(page) == p.size {
		p.spare = append(p.spare, page)
	}
}

// elements parses a page. It returns an error unless all keys and values are exactly where bbolt
// puts them. used is the number of bytes of the header, the elements and their keys and values. For
// a damaged page, list holds the elements that lie within the page. They may be more than its count
// says, because the position of the first key also shows how many elements there are. An empty page
// may have old data after its header, which is read only if full is set.
func elements(page []byte, full bool) (list []element, used int, err error) {
	flags, count := binary.NativeEndian.Uint16(page[8:]), int(binary.NativeEndian.Uint16(page[10:]))
	if flags != pageBranch && flags != pageLeaf {
		return nil, 0, fmt.Errorf("it is of no kind (%x)", flags)
	}
	n := count
	if _, from, _, bad := elementAt(page, 0, flags == pageLeaf); bad == nil && (count > 0 || full) &&
		(from-pageHead)%pageElement == 0 {
		n = max(count, (from-pageHead)/pageElement)
	}
	if n > count {
		err = fmt.Errorf("it has %d entries and says that it has %d", n, count)
	}
	at := pageHead + n*pageElement
	for i := range n {
		e, from, to, bad := elementAt(page, i, flags == pageLeaf)
		if bad == nil {
			list = append(list, e)
			if from != at {
				bad = fmt.Errorf("entry %d of it is not where it should be", i)
			}
			at = to
		}
		if err == nil {
			err = bad
		}
	}
	return list, at, err
}

// elementAt reads one element of a page. Its key and value are page[start:end].
func elementAt(page []byte, i int, leaf bool) (e element, start, end int, err error) {
	off := pageHead + i*pageElement
	if off+pageElement > len(page) {
		return e, 0, 0, fmt.Errorf("entry %d of it is outside of it", i)
	}
	h := page[off:]
	pos, key, value := int64(binary.NativeEndian.Uint32(h)), int64(binary.NativeEndian.Uint32(h[4:])), int64(0)
	if leaf {
		pos, key, value = int64(binary.NativeEndian.Uint32(h[4:])), int64(binary.NativeEndian.Uint32(h[8:])),
			int64(binary.NativeEndian.Uint32(h[12:]))
		flags := binary.NativeEndian.Uint32(h)
		if e.bucket = flags == leafBucket; flags > leafBucket {
			return e, 0, 0, fmt.Errorf("entry %d of it is of no kind", i)
		}
	} else {
		e.page = binary.NativeEndian.Uint64(h[8:])
	}
	from := int64(off) + pos
	if key == 0 || from+key+value > int64(len(page)) {
		return e, 0, 0, fmt.Errorf("entry %d of it is outside of it", i)
	}
	e.key, e.value = page[from:from+key], page[from+key:from+key+value]
	return e, int(from), int(from + key + value), nil
}

// pageWalk walks down the trees of a file, visits each page once, and continues after faults.
type pageWalk struct {
	*pages
	// visit is called with the elements of leaves, and reports whether to enter a bucket. The
	// elements are valid until it returns.
	visit func(at keyRange, e element) (enter bool)
	// fault is called with an error, and the range of keys that may be missing because of it.
	fault func(at keyRange, err error)
	// branches limits the leaves that are read to those that hold buckets.
	branches bool
	// rescue also reads the entries of a page that claims to be empty. They may be deleted ones.
	rescue bool
}

// isSkippedLeaf reports whether a page is a leaf that is not read.
func (w *pageWalk) isSkippedLeaf(id uint64, path string) bool {
	return w.branches && path != "" && !isNested(path) && w.isLeaf(id)
}

// descend goes down from a page, whose keys must lie in a range.
func (w *pageWalk) descend(id uint64, at keyRange) {
	if w.isSkippedLeaf(id, at.path) {
		w.skip(id, at)
		return
	}
	page, err := w.read(id)
	if err != nil {
		w.fault(at, err)
		return
	}
	defer w.release(page)
	list, used, err := elements(page, w.rescue || at.lo != nil)
	if err == nil && len(list) == 0 && at.lo != nil {
		err = errors.New("it is empty, and a branch leads to it")
	}
	if err == nil && (used+w.size-1)/w.size != len(page)/w.size {
		err = errors.New("it is longer than what it holds")
	}
	if err == nil {
		err = ordered(list, at.lo, at.hi)
	}
	if err != nil {
		w.fault(at, fmt.Errorf("page %d: %w", id, err))
	}
	if binary.NativeEndian.Uint16(page[8:]) == pageLeaf {
		w.leaf(id, list, at)
		return
	}
	// All that a branch leads to is of one kind.
	end := len(list) > 0 && w.isSkippedLeaf(list[0].page, at.path)
	for i, e := range list {
		below := keyRange{at.path, e.key, at.hi}
		if i+1 < len(list) {
			below.hi = list[i+1].key
		}
		if end {
			w.skip(e.page, below)
		} else {
			w.descend(e.page, below)
		}
	}
}

// skip marks a page that is not read.
func (w *pageWalk) skip(id uint64, at keyRange) {
	if err := w.mark(id, id); err != nil {
		w.fault(at, err)
	}
}

// leaf goes through the elements of a leaf, and into the buckets among them.
func (w *pageWalk) leaf(id uint64, list []element, at keyRange) {
	for _, e := range list {
		if !w.visit(at, e) || !e.bucket {
			continue
		}
		in := keyRange{path: string(e.key)}
		if at.path != "" {
			in.path = at.path + "/" + in.path
		}
		if len(e.value) < bucketHead {
			w.fault(in, fmt.Errorf("page %d: the bucket %q has no head", id, clip(string(e.key), 40)))
		} else if root := binary.NativeEndian.Uint64(e.value); root != 0 {
			w.descend(root, in)
		} else if err := w.inline(e.value[bucketHead:], in); err != nil {
			w.fault(in, fmt.Errorf("page %d: the bucket %q in it: %w", id, clip(string(e.key), 40), err))
		}
	}
}

// inline visits the elements of an inline bucket, whose page is part of the value of a leaf's
// element.
func (w *pageWalk) inline(page []byte, in keyRange) error {
	if len(page) < pageHead {
		return errors.New("it holds no page")
	}
	list, used, err := elements(page, w.rescue)
	if err == nil && (used != len(page) || binary.NativeEndian.Uint16(page[8:]) != pageLeaf) {
		err = errors.New("it is longer than what it holds")
	}
	if err == nil {
		err = ordered(list, nil, nil)
	}
	for _, e := range list {
		if e.bucket && err == nil {
			err = errors.New("it holds a bucket")
		}
		w.visit(in, e)
	}
	return err
}

// checkUsed verifies that every used page is as bbolt writes it, and is used only once. If branches
// is set, it reads only those leaves that hold buckets. It returns the pages, nil if they cannot be
// read, and which pages are free.
func checkUsed(r io.ReaderAt, branches bool, found *CheckError) (p *pages, free []bool) {
	p, err := openPages(r)
	if err != nil {
		found.add("%v", err)
		return nil, nil
	}
	w := pageWalk{pages: p, branches: branches, visit: func(keyRange, element) bool { return true },
		fault: func(_ keyRange, err error) { found.add("%v", err) }}
	w.descend(p.root, keyRange{})
	return p, p.checkFree(found)
}

// checkBranches verifies that every way down a file ends. bbolt follows the branches of its trees
// without a limit: if a branch leads back to a page above it, the stack overflows, which a Go
// program cannot recover from. Branches are few, so the check is cheap. It does not find a leaf
// that was overwritten with a complete branch and the leaf's page number. Any other fault of a
// branch, or of a leaf that holds buckets, is an error too: a repair reads more than bbolt would.
func checkBranches(r io.ReaderAt) error {
	found := &CheckError{}
	if checkUsed(r, true, found); len(found.Faults) > 0 {
		return errors.New(found.Faults[0])
	}
	return nil
}

// checkPages is checkUsed, and looks whether every other page is free.
func checkPages(r io.ReaderAt, found *CheckError) {
	p, free := checkUsed(r, false, found)
	if len(found.Faults) > 0 {
		return // pages lost behind a broken page are not reported one by one
	}
	lost := 0
	for id := uint64(2); id < p.high; id++ {
		if !p.seen[id] && !free[id] {
			lost++
		}
	}
	if lost > 0 {
		found.add("nothing leads to %d pages that are not free", lost)
	}
}

// ordered wants keys to ascend, from lo on and before hi.
func ordered(list []element, lo, hi []byte) error {
	for i, e := range list {
		if i == 0 && lo != nil && bytes.Compare(e.key, lo) < 0 || i > 0 && bytes.Compare(list[i-1].key, e.key) >= 0 ||
			hi != nil && bytes.Compare(e.key, hi) >= 0 {
			return fmt.Errorf("entry %d of it is out of order", i)
		}
	}
	return nil
}

// checkFree reads the list of free pages, and reports the listed pages that are in use.
func (p *pages) checkFree(found *CheckError) (free []bool) {
	free = make([]bool, p.high)
	page, err := p.read(p.free)
	if err != nil {
		found.add("the list of free pages: %v", err)
		return free
	}
	if binary.NativeEndian.Uint16(page[8:]) != pageFree {
		found.add("the list of free pages is none")
		return free
	}
	n, at := uint64(binary.NativeEndian.Uint16(page[10:])), pageHead
	if n == 0xFFFF { // more than its count can say
		n, at = binary.NativeEndian.Uint64(page[at:]), at+8
	}
	if n > uint64(len(page)-at)/8 {
		found.add("the list of free pages says that it holds more than it can")
		return free
	}
	for i := range int(n) {
		id := binary.NativeEndian.Uint64(page[at+i*8:])
		if id < 2 || id >= p.high || free[id] || p.seen[id] {
			found.add("the list of free pages has page %d, which is not free", id)
			return free
		}
		free[id] = true
	}
	return free
}
