package script

// ChangeKind is how a part of a prompt differs from the prompt before.
type ChangeKind string

const (
	Added   ChangeKind = "added"
	Removed ChangeKind = "removed"
	Changed ChangeKind = "changed"
	Moved   ChangeKind = "moved"
)

// Change is a part of a prompt that differs from the prompt before. Tokens are
// those of the part as it is now, or as it was where it was removed.
type Change struct {
	Kind   ChangeKind `json:"kind"`
	Layer  string     `json:"layer"`
	Source string     `json:"source"`
	Tokens int        `json:"tokens"`
	// First: from here on the server reads everything anew.
	First bool `json:"first,omitempty"`
}

// Compare lists what differs between two prompts, in the order of next; what was
// removed stands where it was. What only follows the end of prev, as a new turn
// does, is added.
func Compare(prev, next *Prompt) []Change { return nil }
