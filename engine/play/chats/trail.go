package chats

import (
	"slices"
	"strings"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Trail reports which messages are on a path. It is walked only as far up as needed, and what was
// walked is kept: messages never change their parents. The zero value is an empty path.
type Trail struct {
	chat storage.ChatID
	rows []storage.PathRange // the newest first
	next storage.NodeID      // the one to continue with; "" once the rows reach the first message
	// above are the messages above rows if their IDs do not ascend because the clock was set back.
	above map[storage.NodeID]bool
}

// stretchAtOnce is the most messages of a trail that are walked in one step.
const stretchAtOnce = 8_192

// NewTrail returns the path that ends with a message.
func NewTrail(chat storage.ChatID, leaf storage.NodeID) Trail { return Trail{chat: chat, next: leaf} }

// Has reports whether a message of the chat is on the path.
func (t *Trail) Has(tx *storage.Tx, id storage.NodeID) bool {
	for t.next != "" && (len(t.rows) == 0 || t.rows[len(t.rows)-1].First > id) {
		row, up := tx.PathRangeTo(t.chat, t.next, stretchAtOnce)
		if row.First == "" || up >= row.First || !t.below(row) {
			t.above = map[storage.NodeID]bool{}
			for p := range tx.PathInfos(t.chat, t.next) {
				t.above[p.ID] = true
			}
			t.next = ""
			break
		}
		t.rows, t.next = append(t.rows, row), up
	}
	if t.above[id] {
		return true
	}
	i := t.row(id)
	return i < len(t.rows) && t.rows[i].First <= id && id <= t.rows[i].Last
}

// below reports whether a row is entirely before the walked rows.
func (t *Trail) below(row storage.PathRange) bool {
	return len(t.rows) == 0 || row.Last < t.rows[len(t.rows)-1].First
}

// row returns the index of the newest row that begins at or before a message.
func (t *Trail) row(id storage.NodeID) int {
	i, _ := slices.BinarySearchFunc(t.rows, id, func(r storage.PathRange, id storage.NodeID) int {
		return strings.Compare(string(id), string(r.First)) // the newest first
	})
	return i
}

// grown returns the trail to another leaf. It reuses the walked part that both have in common, so
// that only the rest is walked.
func (t *Trail) grown(tx *storage.Tx, leaf storage.NodeID) Trail {
	out := NewTrail(t.chat, leaf)
	if t.above != nil {
		return out
	}
	for out.next != "" && len(t.rows) > 0 {
		i := t.row(out.next)
		switch {
		case i < len(t.rows) && t.rows[i].First <= out.next && out.next <= t.rows[i].Last:
			out.rows = append(out.rows, storage.PathRange{First: t.rows[i].First, Last: out.next})
			out.rows, out.next = append(out.rows, t.rows[i+1:]...), t.next
			return out
		case i == len(t.rows):
			return out // it left further up than was walked
		}
		row, up := tx.PathRangeTo(t.chat, out.next, stretchAtOnce)
		if row.First == "" || up >= row.First || !out.below(row) {
			return NewTrail(t.chat, leaf)
		}
		out.rows, out.next = append(out.rows, row), up
	}
	return out
}

// maxTrails is of how many chats the shown paths are kept.
const maxTrails = 4

// trails are the shown paths of chats that were searched last. Safe for concurrent use.
type trails struct {
	mu   sync.Mutex
	list []shownTrail // the last used at the end
}

type shownTrail struct {
	leaf storage.NodeID
	*Trail
}

// of returns the shown path of a chat, for one search at a time. The caller must call done at the
// end of its search.
func (t *trails) of(tx *storage.Tx, c storage.Chat) (trail *Trail, done func()) {
	t.mu.Lock()
	i := slices.IndexFunc(t.list, func(s shownTrail) bool { return s.chat == c.ID })
	if i < 0 {
		fresh := NewTrail(c.ID, c.Head)
		if i = 0; len(t.list) == maxTrails {
			t.list = t.list[1:]
		}
		t.list = append(t.list, shownTrail{c.Head, &fresh})
		return &fresh, t.mu.Unlock
	}
	s := t.list[i]
	if s.leaf != c.Head {
		grown := s.grown(tx, c.Head)
		s = shownTrail{c.Head, &grown}
	}
	t.list = append(slices.Delete(t.list, i, i+1), s)
	return s.Trail, t.mu.Unlock
}
