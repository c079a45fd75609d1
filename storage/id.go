package storage

import (
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"sync"
	"time"

	"github.com/oklog/ulid/v2"
)

// idSource makes ULIDs that only ever grow, also when the clock is set back.
type idSource struct {
	mu   sync.Mutex
	last ulid.ULID
}

// ids is the process's one source: ids of one process must not compete.
var ids idSource

// NewID returns a ULID greater than every one returned before in this process.
// Safe for concurrent use.
func NewID() string { return ids.next(ulid.Timestamp(time.Now())).String() }

func (s *idSource) next(ms uint64) ulid.ULID {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ms <= s.last.Time() {
		s.last = successor(s.last)
		return s.last
	}
	var id ulid.ULID
	// crypto/rand never fails; a time beyond the year 10889 would.
	_, _ = rand.Read(id[6:])
	// The cleared top bit leaves room to count up within a millisecond.
	id[6] &= 0x7f
	_ = id.SetTime(ms)
	s.last = id
	return id
}

// successor returns the next larger ULID; a full random part carries into the time.
func successor(id ulid.ULID) ulid.ULID {
	for i := len(id) - 1; i >= 0; i-- {
		id[i]++
		if id[i] != 0 {
			break
		}
	}
	return id
}

// checkULID accepts only the canonical form, so that one id has one key.
func checkULID(id string) error {
	if len(id) != ulid.EncodedSize || id[0] > '7' {
		return fmt.Errorf("%w: %q", ErrBadID, clip(id, 40))
	}
	for i := range len(id) {
		c := id[i]
		digit := c >= '0' && c <= '9'
		letter := c >= 'A' && c <= 'Z' && c != 'I' && c != 'L' && c != 'O' && c != 'U'
		if !digit && !letter {
			return fmt.Errorf("%w: %q", ErrBadID, id)
		}
	}
	return nil
}

// IsID reports whether a text from outside can be taken as the ID of something new: its form
// is right, and its time has come, so that later IDs still sort behind it.
func IsID(id string) bool {
	if checkULID(id) != nil {
		return false
	}
	parsed, err := ulid.ParseStrict(id)
	return err == nil && parsed.Time() <= ulid.Timestamp(time.Now().Add(24*time.Hour))
}

// idAfter returns a new id that sorts behind last, the largest key there is so
// far: a clock that was set back between two runs must not reorder a story.
func idAfter(last []byte) string {
	id := NewID()
	if id > string(last) {
		return id
	}
	old, err := ulid.ParseStrict(string(last))
	if err != nil {
		return id
	}
	return successor(old).String()
}

// IDOf returns an id derived from text: equal texts have equal ids.
func IDOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return ulid.ULID(sum[:16]).String()
}
