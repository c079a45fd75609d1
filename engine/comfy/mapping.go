package comfy

// Spot is one input of one node.
type Spot struct {
	Node  string `json:"node"`
	Input string `json:"input"`
}

// Map says which inputs take which value, by the value's name: prompt, negative,
// seed, width, height, trigger, checkpoint.
type Map map[string][]Spot

// Lack is something that a workflow needs and a server has not: a node, or a file
// of a kind (checkpoint, vae …). Needed by the node called Node.
type Lack struct {
	Kind string   `json:"kind"` // node, or the input's name
	Name string   `json:"name"`
	Node string   `json:"node"`
	Have []string `json:"have,omitempty"` // what the server has in its place, some of it
}
