package house

import (
	"errors"
)

// ErrLoreMoved says that an entry was changed while a model was asked about it:
// the answer is not about what is there now.
var ErrLoreMoved = errors.New("the entry was changed while the model was asked")
