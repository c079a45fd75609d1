package storage

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The file's pages as bbolt 1 writes them. They are read here without bbolt, which trusts
// them: whatever stands in a page, reading it so ends in an error at worst.
//
// A page is a header (its number of 8 bytes, flags of 2, count of 2, how many pages follow
// that belong to it, of 4), the elements and, in their order and without gaps, the keys and
// values of these. An element of a leaf is flags, position, and the sizes of key and value,
// of 4 bytes each; one of a branch is position, size of the key, and a page of 8 bytes.
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
	r    io.ReaderAt
	size int    // of a page
	high uint64 // the first page that is none
	root uint64
	free uint64 // where the list of free pages begins
	seen []bool // the pages that something leads to

	spare [][]byte // for read, of one page each
}

// element is one of a page.
type element struct {
	key, value []byte
	bucket     bool
	page       uint64 // where it leads, of a branch
}

// openPages reads the newer head that can be relied on.
func openPages(r io.ReaderAt) (*pages, error) {
	var best []byte
	try := func(at int64) {
		h := make([]byte, headSize)
		if _, sound := head(r, at); !sound {
			return
		}
		if _, err := r.ReadAt(h, at+headAt); err != nil {
			return
		}
		if best == nil || binary.NativeEndian.Uint64(h[headTx:]) > binary.NativeEndian.Uint64(best[headTx:]) {
			best = h
		}
	}
	try(0)
	for size := int64(1 << 10); size <= 1<<16; size <<= 1 {
		try(size)
	}
	if best == nil {
		return nil, errors.New("neither of its two heads can be read")
	}
	p := &pages{r: r, size: int(binary.NativeEndian.Uint32(best[8:])), root: binary.NativeEndian.Uint64(best[16:]),
		free: binary.NativeEndian.Uint64(best[32:]), high: binary.NativeEndian.Uint64(best[40:])}
	const most = 1 << 40 // pages
	if p.size < 1<<10 || p.size > 1<<16 || p.high > most {
		return nil, errors.New("its head makes no sense")
	}
	p.seen = make([]bool, p.high)
	return p, nil
}

// read reads a page with those that belong to it, and marks them as seen.
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
	if id+more >= p.high {
		return nil, fmt.Errorf("page %d: it goes on behind the end", id)
	}
	for i := id; i <= id+more; i++ {
		if p.seen[i] {
			return nil, fmt.Errorf("page %d: it is used twice", i)
		}
		p.seen[i] = true
	}
	if more == 0 {
		return first, nil
	}
	whole := make([]byte, (more+1)*uint64(p.size))
	if _, err := p.r.ReadAt(whole, int64(id)*int64(p.size)); err != nil {
		return nil, fmt.Errorf("page %d: %w", id, err)
	}
	return whole, nil
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

// release takes a page back that read has returned and that nobody uses any more.
func (p *pages) release(page []byte) {
	if len(page) == p.size {
		p.spare = append(p.spare, page)
	}
}

// elements takes a page apart; all have to stand just where bbolt puts them. used is how
// many bytes they take with the header.
func elements(page []byte) (list []element, used int, err error) {
	flags, count := binary.NativeEndian.Uint16(page[8:]), int(binary.NativeEndian.Uint16(page[10:]))
	if flags != pageBranch && flags != pageLeaf {
		return nil, 0, fmt.Errorf("it is of no kind (%x)", flags)
	}
	at := pageHead + count*pageElement
	if at > len(page) {
		return nil, 0, errors.New("it says that it holds more than it can")
	}
	list = make([]element, count)
	for i := range list {
		e, next, err := elementAt(page, i, flags == pageLeaf)
		if err != nil {
			return nil, 0, err
		}
		if next.from != at {
			return nil, 0, fmt.Errorf("entry %d of it is not where it should be", i)
		}
		list[i], at = e, next.to
	}
	return list, at, nil
}

// span are bytes of a page.
type span struct{ from, to int }

// elementAt reads one element of a page, and says where its key and value stand.
func elementAt(page []byte, i int, leaf bool) (e element, at span, err error) {
	off := pageHead + i*pageElement
	if off+pageElement > len(page) {
		return e, at, fmt.Errorf("entry %d of it is outside of it", i)
	}
	h := page[off:]
	pos, key, value := int64(binary.NativeEndian.Uint32(h)), int64(binary.NativeEndian.Uint32(h[4:])), int64(0)
	if leaf {
		pos, key, value = int64(binary.NativeEndian.Uint32(h[4:])), int64(binary.NativeEndian.Uint32(h[8:])), int64(binary.NativeEndian.Uint32(h[12:]))
		flags := binary.NativeEndian.Uint32(h)
		if e.bucket = flags == leafBucket; flags > leafBucket {
			return e, at, fmt.Errorf("entry %d of it is of no kind", i)
		}
	} else {
		e.page = binary.NativeEndian.Uint64(h[8:])
	}
	from := int64(off) + pos
	if key == 0 || from+key+value > int64(len(page)) {
		return e, at, fmt.Errorf("entry %d of it is outside of it", i)
	}
	at = span{int(from), int(from + key + value)}
	e.key, e.value = page[from:from+key], page[from+key:from+key+value]
	return e, at, nil
}

// checkUsed looks whether every page that is used is as bbolt writes it, and is used once. It returns
// the pages, nil where they cannot be read, and which are free.
func checkUsed(r io.ReaderAt, found *CheckError) (p *pages, free []bool) {
	p, err := openPages(r)
	if err != nil {
		found.add("%v", err)
		return nil, nil
	}
	p.checkTree(p.root, nil, nil, found)
	return p, p.checkFree(found)
}

// checkPages is checkUsed, and looks whether every other page is free.
func checkPages(r io.ReaderAt, found *CheckError) {
	p, free := checkUsed(r, found)
	if len(found.Faults) > 0 {
		return // what is lost behind a broken page needs no telling page by page
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

// checkTree goes down from a page, whose keys must lie from lo on and before hi.
func (p *pages) checkTree(id uint64, lo, hi []byte, found *CheckError) {
	page, err := p.read(id)
	if err != nil {
		found.add("%v", err)
		return
	}
	defer p.release(page)
	list, used, err := elements(page)
	if err == nil && (used+p.size-1)/p.size != len(page)/p.size {
		err = errors.New("it is longer than what it holds")
	}
	if err == nil {
		err = ordered(list, lo, hi)
	}
	if err != nil {
		found.add("page %d: %v", id, err)
		return
	}
	leaf := binary.NativeEndian.Uint16(page[8:]) == pageLeaf
	for i, e := range list {
		switch {
		case !leaf:
			end := hi
			if i+1 < len(list) {
				end = list[i+1].key
			}
			p.checkTree(e.page, e.key, end, found)
		case e.bucket:
			p.checkBucket(id, e, found)
		}
	}
}

func (p *pages) checkBucket(id uint64, e element, found *CheckError) {
	if len(e.value) < bucketHead {
		found.add("page %d: the bucket %q has no head", id, clip(string(e.key), 40))
		return
	}
	if root := binary.NativeEndian.Uint64(e.value); root != 0 {
		p.checkTree(root, nil, nil, found)
		return
	}
	inline := e.value[bucketHead:]
	if len(inline) < pageHead {
		found.add("page %d: the bucket %q holds no page", id, clip(string(e.key), 40))
		return
	}
	list, used, err := elements(inline)
	if err == nil && (used != len(inline) || binary.NativeEndian.Uint16(inline[8:]) != pageLeaf) {
		err = errors.New("it is longer than what it holds")
	}
	if err == nil {
		err = ordered(list, nil, nil)
	}
	for _, e := range list {
		if e.bucket && err == nil {
			err = errors.New("it holds a bucket")
		}
	}
	if err != nil {
		found.add("page %d: the bucket %q in it: %v", id, clip(string(e.key), 40), err)
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

// checkFree reads the list of free pages, none of which may be in use.
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
