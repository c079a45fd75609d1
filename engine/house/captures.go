package house

// The lanes of the queue. They do not name an address: operations may outlive a
// change of it.
const (
	LaneOllama = "ollama"
	LaneComfy  = "comfy"
)
