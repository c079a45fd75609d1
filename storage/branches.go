package storage

import (
	"encoding/binary"
	"fmt"
	"io"
)

// checkBranches looks whether every way down a file ends. bbolt follows the branches of its
// trees without a limit: where one leads back to a page above it, the stack overflows, and
// that ends a Go program whatever it does. Branches are few; leaves are read only where they
// hold buckets, so that a leaf over which a whole branch was written, with the number of the
// leaf, is not found here.
func checkBranches(r io.ReaderAt) error {
	p, err := openPages(r)
	if err != nil {
		return err
	}
	found := &CheckError{}
	w := branchWalk{pages: p, free: p.checkFree(found)}
	if len(found.Faults) > 0 {
		return fmt.Errorf("%s", found.Faults[0])
	}
	return w.down(p.root, "")
}

// branchWalk goes down the branches of a file.
type branchWalk struct {
	*pages
	free []bool
}

// down goes down from a page of the bucket of that path, to which one way leads.
func (w branchWalk) down(id uint64, path string) error {
	if id < 2 || id >= w.high || w.seen[id] || w.free[id] {
		return fmt.Errorf("page %d is led to, and does not belong there", id)
	}
	w.seen[id] = true
	switch flags, err := w.flags(id); {
	case err != nil:
		return nil // bbolt finds that itself, when it comes to the page
	case flags == pageBranch:
		return w.branch(id, path)
	case flags == pageLeaf && (path == "" || isNested(path)):
		return w.leaf(id, path)
	}
	return nil
}

// flags say of which kind a page is.
func (w branchWalk) flags(id uint64) (uint16, error) {
	var head [pageHead]byte
	if _, err := w.r.ReadAt(head[:], int64(id)*int64(w.size)); err != nil {
		return 0, err
	}
	return binary.NativeEndian.Uint16(head[8:]), nil
}

// branch goes on to what a branch leads to. The pages below it are all of one kind: they are
// only marked where the first of them is a leaf that holds no buckets.
func (w branchWalk) branch(id uint64, path string) error {
	w.seen[id] = false // read marks it
	page, err := w.read(id)
	if err != nil {
		return nil // as in down
	}
	list, _, err := elements(page)
	if err != nil {
		return fmt.Errorf("page %d: %w", id, err)
	}
	ends := path != "" && !isNested(path)
	for i, e := range list {
		if i == 0 && ends {
			flags := uint16(0)
			if e.page < w.high {
				flags, _ = w.flags(e.page) // of one that cannot be read bbolt tells itself
			}
			ends = flags == pageLeaf
		}
		if !ends {
			err = w.down(e.page, path)
		} else if e.page < 2 || e.page >= w.high || w.seen[e.page] || w.free[e.page] {
			err = fmt.Errorf("page %d leads to page %d, which does not belong there", id, e.page)
		} else {
			w.seen[e.page] = true
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// leaf goes on to the buckets that a leaf holds.
func (w branchWalk) leaf(id uint64, path string) error {
	w.seen[id] = false // read marks it
	page, err := w.read(id)
	if err != nil {
		return nil // as in down
	}
	for _, e := range anyElements(page) {
		if !e.bucket || len(e.value) < bucketHead {
			continue
		}
		within := string(e.key)
		if path != "" {
			within = path + "/" + within
		}
		if root := binary.NativeEndian.Uint64(e.value); root != 0 {
			if err := w.down(root, within); err != nil {
				return err
			}
		}
	}
	return nil
}
