package failure

import (
	"errors"
	"fmt"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
)

// ErrProfile means that a profile cannot be used as it is.
var ErrProfile = errors.New("the profile has to be fixed")

// BigPromptError means that work does not fit the model's context. No request was sent.
type BigPromptError struct {
	Need    int // tokens of prompt and answer, estimated
	Context int // tokens that the model holds
	Model   string
}

// Error implements error, in words for the user.
func (e *BigPromptError) Error() string {
	return fmt.Sprintf("this needs about %d tokens, but the context of %s has %d: split the scene with another "+
		"break, include fewer recaps and lorebook entries, or choose a model or profile with a larger context",
		e.Need, e.Model, e.Context)
}

// FormError says that a model's answer had the wrong form, also after the model was asked to
// correct it.
type FormError struct {
	What string // the requested answer
	Err  *ollama.AnswerError
}

// Error implements error, in words for the user.
func (e *FormError) Error() string {
	return fmt.Sprintf("%s had an invalid format: %s. Existing data is unchanged. "+
		"Try again, or choose another model for this kind of work", e.What, strings.TrimRight(e.Err.Fault, ". "))
}

// Unwrap returns the model's failure.
func (e *FormError) Unwrap() error { return e.Err }

// Count returns a number of things in words: "1 scene", "2 scenes".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// IsAnswerFault reports whether a model has answered, but nothing usable.
func IsAnswerFault(err error) bool {
	var answer *ollama.AnswerError
	var form *FormError
	var big *BigPromptError
	return errors.As(err, &answer) || errors.As(err, &form) || errors.As(err, &big) || errors.Is(err, ollama.ErrTooLong)
}

// KeptError is an error that ended a picture, together with what remains of its work.
type KeptError struct {
	Err  error
	Kept string // a sentence
}

// Error implements error.
func (e *KeptError) Error() string { return e.Err.Error() }

// Unwrap returns the error itself.
func (e *KeptError) Unwrap() error { return e.Err }

// words returns the text of the error, followed by what remains.
func (e *KeptError) words() string {
	text := strings.TrimSpace(Text(e.Err))
	if text != "" && !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return strings.TrimSpace(text + " " + e.Kept)
}
