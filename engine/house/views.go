package house

import (
	"ghostlight/engine/ollama"
)

// Servers is what is known of the two servers since they were last asked.
type Servers struct {
	Ollama OllamaState
	Comfy  ComfyState
}

// OllamaState is what is known of the Ollama server. Err is in words for the
// user, "" while it answers.
type OllamaState struct {
	URL     string
	Asked   bool // false until the first answer or failure
	Up      bool
	Version string
	Err     string
	Models  []ollama.Model
	Model   string // the default one, "" when none is chosen or there
	Context int    // the context length that requests will carry
}

// ComfyState is what is known of the ComfyUI servers: of that with the shortest
// queue, or of the first where none answers.
type ComfyState struct {
	URL   string
	Asked bool
	Up    bool   // one of them answers
	Err   string // why the first of those that do not answer does not
	Queue int    // jobs that run or wait there
}

// Check is one line of what doctor found.
type Check struct {
	Name   string `json:"name"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}
