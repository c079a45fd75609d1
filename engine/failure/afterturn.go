package failure

import (
	"errors"

	"ghostlight/engine/ollama"
)

// IsAnswerFault tells whether a model has answered, but nothing useful.
func IsAnswerFault(err error) bool {
	var answer *ollama.AnswerError
	var form *FormError
	var big *BigPromptError
	return errors.As(err, &answer) || errors.As(err, &form) || errors.As(err, &big) || errors.Is(err, ollama.ErrTooLong)
}
