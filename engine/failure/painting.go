package failure

import (
	"strings"
)

// KeptError is a fault that ended a picture, and what is left of the work.
type KeptError struct {
	Err  error
	Kept string // a sentence
}

// Error implements error.
func (e *KeptError) Error() string { return e.Err.Error() }

// Unwrap gives the fault itself.
func (e *KeptError) Unwrap() error { return e.Err }

// words are the fault's own, and what is left.
func (e *KeptError) words() string {
	text := strings.TrimSpace(Words(e.Err))
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return strings.TrimSpace(text + " " + e.Kept)
}
