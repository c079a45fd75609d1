package storage

// EndKind is how something ceased to hold.
type EndKind string

const (
	Settled   EndKind = "settled"   // reached, kept, answered, closed
	Outdated  EndKind = "outdated"  // the story says otherwise by now
	Withdrawn EndKind = "withdrawn" // the user says that it is not so
	Corrected EndKind = "corrected" // the user has written otherwise
)

// End is where something that is known ceased to hold. It counts on the paths on
// which its place lies, and for those who have witnessed that; told again later, a
// thing holds again. Node "" is everywhere.
type End struct {
	StoryPlace
	Kind EndKind `json:"kind"`
	Why  string  `json:"why"`
	// By is the memory that stands in its place, where there is one, and Instead what
	// is so now, where that is known.
	By      MemoryID `json:"by"`
	Instead string   `json:"instead"`
	// Doubt: it may have ended. It holds until the user says.
	Doubt bool `json:"doubt"`
	// Undone: the user says that it has not ended after all.
	Undone bool `json:"undone"`
}

// LineEnd is the end of a line of a chat's recaps or of a fact of its lorebook, in the
// words of that. Rests are the messages that it came from, as far as that is known, and Memories
// those that have ended with it.
type LineEnd struct {
	Text     string     `json:"text"`
	Rests    []NodeID   `json:"rests"`
	Memories []MemoryID `json:"memories"`
	End
}
