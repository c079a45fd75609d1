package core

import (
	"hash/fnv"
	"strconv"
)

// ContentHash tells one content of an entry from another.
func ContentHash(text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return strconv.FormatUint(h.Sum64(), 36)
}
