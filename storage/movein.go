package storage

import "time"

// MoveID names one move of another program's folder into this store.
type MoveID string

// MovedRecord is something that was brought in by a move: what it was, and the record that it
// became. Key is what it is told by: its content, so that nothing comes twice, or the
// place in the folder where it stood, so that a newer version of it is known as one.
type MovedRecord struct {
	Key  string `json:"key"`
	Move MoveID `json:"move"` // the last one that met it
	Kind string `json:"kind"`
	Path string `json:"path"` // in the folder
	// Record is the id of what it became, Stamp when that was last changed by the move.
	Record string    `json:"record"`
	Stamp  time.Time `json:"stamp"`
	// Content is, under a place, the key of what stood there, and Name what that is called.
	Content string   `json:"content"`
	Name    string   `json:"name"`
	Remarks []string `json:"remarks"`
}

// MoveIn is what one move came to.
type MoveIn struct {
	ID     MoveID    `json:"id"`
	Path   string    `json:"path"` // of the folder or the backup
	Update bool      `json:"update"`
	Began  time.Time `json:"began"`
	Ended  time.Time `json:"ended"` // zero while it is not over
	// Kinds count by kind, in the order in which they come in.
	Kinds []MoveCount `json:"kinds"`
	// Left are the files that were left out, Remarks what is to be said of some that were
	// taken. More counts those for which there was no room.
	Left    []MoveRemark `json:"left"`
	Remarks []MoveRemark `json:"remarks"`
	More    int          `json:"more"`
}

// MoveCount counts what was found of a kind: those that came in, that were here already,
// that are newer in the folder than here, and that were left out.
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
