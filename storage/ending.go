package storage

// EndKind is why a fact ceased to hold.
type EndKind string

const (
	Settled   EndKind = "settled"   // reached, kept, answered or closed
	Outdated  EndKind = "outdated"  // the story contradicts it now
	Withdrawn EndKind = "withdrawn" // the user has rejected it
	Corrected EndKind = "corrected" // the user has corrected it
)

// End is the place where a fact ceased to hold. It applies to paths that contain the place, and to
// the characters who witnessed it. A fact that is mentioned again later holds again. Node "" means
// everywhere.
type End struct {
	Mention
	Kind EndKind `json:"kind"`
	Why  string  `json:"why"`
	// By is the memory that replaces it, if there is one. Instead says what is true now, if known.
	By      MemoryID `json:"by"`
	Instead string   `json:"instead"`
	// Doubt reports that it may have ended. It holds until the user decides.
	Doubt bool `json:"doubt"`
	// Undone reports that the user has undone the end.
	Undone bool `json:"undone"`
}

// StatementEnd is the end of a line of a chat's recaps or of a fact of its lorebook, by its text. Rests
// are its source messages as far as known, and Memories those that ended with it.
type StatementEnd struct {
	Text     string     `json:"text"`
	Rests    []NodeID   `json:"rests"`
	Memories []MemoryID `json:"memories"`
	End
}
