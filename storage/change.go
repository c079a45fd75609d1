package storage

import (
	"time"

	bolterrors "go.etcd.io/bbolt/errors"
)

// ChangeID names a change among those of its chat. A later one sorts behind.
type ChangeID string

// ChangeKind is the kind of a change of a chat.
type ChangeKind string

const (
	ChangeEdit    ChangeKind = "edit"    // a message was given another text
	ChangeRestore ChangeKind = "restore" // a message was given a text that it had
	ChangeDelete  ChangeKind = "delete"  // messages were taken out
	ChangeBranch  ChangeKind = "branch"  // the head was put on a message above it
	ChangeCombine ChangeKind = "stitch"  // a swipe was assembled from others
	ChangeName    ChangeKind = "name"    // a branch was named
	ChangeCorrect ChangeKind = "correct" // a sentence was corrected everywhere
	// ChangeSampling is another way to ask the model.
	ChangeSampling ChangeKind = "sampling"
)

// TextState is the text of a message with the message's state at that time.
type TextState struct {
	Text     string    `json:"text"`
	State    State     `json:"state"`
	Fault    string    `json:"fault"`
	EditedAt time.Time `json:"edited_at"`
}

// Change is one thing that the user did to a chat, with all that it takes to undo it and
// to do it again.
type Change struct {
	ID   ChangeID   `json:"id"`
	At   time.Time  `json:"at"` // zero if it was not recorded
	Kind ChangeKind `json:"kind"`
	// Nodes are the messages that it was about, the one that the user had chosen first.
	Nodes []NodeID `json:"nodes"`
	From  NodeID   `json:"from"` // the head before the change
	To    NodeID   `json:"to"`   // the head after the change
	// Was and Now are the text before and after the change. Undoing the change sets Now to the text
	// that it replaces.
	Was *TextState `json:"was"`
	Now *TextState `json:"now"`
	// Sampling is the chat's sampling before a ChangeSampling. Undoing or redoing the change swaps
	// it with the chat's present sampling.
	Sampling *Profile `json:"sampling"`
	// Step names the correction that a ChangeCorrect belongs to. Undoing that correction finds the
	// change by it.
	Step string `json:"step"`
	// Undone is 0 while the change is in force, and increases from one undone change to the next. A
	// change with Spent set can no longer be undone.
	Undone int  `json:"undone"`
	Spent  bool `json:"spent"`
}

// Changes holds the changes that users made to chats, in the order in which they were made.
var Changes = chatTable("changes", "change", func(c *Change) *ChangeID { return &c.ID })

// AddChange keeps a change of a chat behind all others of it, and gives it its id. A
// *NotFoundError if there is no such chat.
func (tx *Tx) AddChange(chat ChatID, c *Change) error {
	if !tx.open().Writable() {
		return ioError("save change", bolterrors.ErrTxNotWritable)
	}
	var last []byte
	if b := tx.inner("changes", string(chat)); b != nil {
		last = b.last()
	}
	added := *c
	added.ID = ChangeID(idAfter(last))
	if err := Changes.Put(tx, chat, added); err != nil {
		return err
	}
	*c = added
	return nil
}

// TrimChanges removes the oldest changes of a chat until there are no more than most changes, with
// at most bytes bytes of records. The newest change is always kept.
func (tx *Tx) TrimChanges(chat ChatID, most, bytes int) error {
	b := tx.inner("changes", string(chat))
	if b == nil {
		return nil
	}
	var old []string
	n := 0
	for k, v := range tx.values(b, true) {
		if n++; n > 1 && (n > most || v.size() > bytes) {
			old, bytes = append(old, k), 0
			continue
		}
		bytes -= v.size()
	}
	for _, k := range old {
		if err := b.remove([]byte(k)); err != nil {
			return ioError("delete change", err)
		}
	}
	return nil
}
