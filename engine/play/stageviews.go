package play

import (
	"ghostlight/storage"
)

// Measured is what the last request of a chat really cost.
type Measured struct {
	Node      storage.NodeID // the reply
	Prompt    int            // tokens, reported
	Predicted int            // to be read anew
	Read      int            // read anew, judged by the time that it took; -1 while the speed is not known
	MS        int64
}

// PrefixBreak is what makes the server read again more than a turn needs: the
// first part of the prompt that has changed, and what that costs.
type PrefixBreak struct {
	Layer, Source string
	What          string // in words
	Tokens        int
	Seconds       float64 // 0 while the speed is not known
}
