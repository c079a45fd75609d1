package core

import (
	"hash/fnv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// ExpandHome returns a path with a leading ~/ replaced by the user's home.
func ExpandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// ContentHash returns a hash of an entry's content, to detect that it has changed. It is not
// cryptographic.
func ContentHash(text string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text))
	return strconv.FormatUint(h.Sum64(), 36)
}
