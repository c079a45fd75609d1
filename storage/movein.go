package storage

import "time"

// MoveID names one move of another program's folder into this store.
type MoveID string

// MovedRecord is something that a move brought in, with the record that it became. Key identifies
// it: by its content, so that nothing is imported twice, or by its place in the folder, so that a
// newer version is recognised as one.
type MovedRecord struct {
	Key  string `json:"key"`
	Move MoveID `json:"move"` // the last one that met it
	Kind string `json:"kind"`
	Path string `json:"path"` // in the folder
	// Record is the id of the record that it became. Stamp is the time at which the move last
	// changed that record.
	Record string    `json:"record"`
	Stamp  time.Time `json:"stamp"`
	// Content and Name are set if Key is a place: the key of the content that was there, and its
	// name.
	Content string   `json:"content"`
	Name    string   `json:"name"`
	Remarks []string `json:"remarks"`
}

// MoveIn is the result of one move.
type MoveIn struct {
	ID     MoveID    `json:"id"`
	Path   string    `json:"path"` // of the folder or the backup
	Update bool      `json:"update"`
	Began  time.Time `json:"began"`
	Ended  time.Time `json:"ended"` // zero while it is not over
	// Kinds counts what was found by kind, in the order of import.
	Kinds []MoveCount `json:"kinds"`
	// Left are the files that were left out, Remarks are remarks on imported files. More counts the
	// entries that did not fit into these lists.
	Left    []MoveRemark `json:"left"`
	Remarks []MoveRemark `json:"remarks"`
	More    int          `json:"more"`
}

// MoveCount counts the things of one kind in a folder: all that were found, those that were
// imported, those that existed already, those that are newer in the folder, and those that were
// left out.
type MoveCount struct {
	Kind  string `json:"kind"`
	Found int    `json:"found"`
	New   int    `json:"new"`
	Here  int    `json:"here"`
	Newer int    `json:"newer"`
	Left  int    `json:"left"`
}

// MoveRemark is a word on a file.
type MoveRemark struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	Why  string `json:"why"`
}

// The tables of moves. MovedIn is keyed by MovedRecord.Key.
var (
	MovedIn = namedTable("moved_in", "record of a move", func(m *MovedRecord) *string { return &m.Key })
	MoveIns = table("move_ins", "report of a move", func(m *MoveIn) *MoveID { return &m.ID })
)
