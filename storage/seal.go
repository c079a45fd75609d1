package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// Every value ends with a seal: a four-byte checksum of its place, its key and all its other bytes.
// Reading the value thus detects a bit that flipped on the disk, or a value that was stored for
// another key. The indexes of messages (spine, children) have none: they repeat data of the
// messages, and are compared with these.
const sealSize = 4

// errSeal is the error for a broken seal.
var errSeal = errors.New("its checksum disagrees: it is not what was stored")

// sum returns what the seal of a value says.
func sum(path string, key, data []byte) uint32 {
	const prime = 16777619
	h := uint32(2166136261) // FNV-1a, computed here because it takes a string without a copy
	for i := range len(path) {
		h = (h ^ uint32(path[i])) * prime
	}
	for _, c := range key {
		h = (h ^ uint32(c)) * prime
	}
	return h ^ crc32.Checksum(data, crc32.MakeTable(crc32.Castagnoli))
}

// seal returns a value in its stored form.
func seal(path string, key, data []byte) []byte {
	return binary.BigEndian.AppendUint32(append(make([]byte, 0, len(data)+sealSize), data...), sum(path, key, data))
}

// unseal returns the value in a stored one, which it shares memory with. It returns an ErrCorrupt
// if the seal does not match.
func unseal(path string, key, stored []byte) ([]byte, error) {
	n := len(stored) - sealSize
	if n < 0 || sum(path, key, stored[:n]) != binary.BigEndian.Uint32(stored[n:]) {
		return nil, fmt.Errorf("%w: %s in %s: %w", ErrCorrupt, clip(string(key), 80), clip(path, 80), errSeal)
	}
	return stored[:n:n], nil
}

// isIndex reports whether a top-level bucket is meta or an index. Their values have no seals,
// except those of the index of words.
func isIndex(name string) bool {
	return name == bucketMeta || name == bucketChildren || name == bucketPlaces || name == bucketWords
}
