package failure

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"syscall"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Text explains an error to the user in plain sentences: what happened, what was kept, what to do.
// It returns "" for nil. The text may contain names from outside: it must be sanitized before it is
// shown.
func Text(err error) string {
	var server *ollama.Error
	var answer *ollama.AnswerError
	var locked *storage.LockedError
	var long *prompt.TooLongError
	var form *FormError
	var kept *KeptError
	var gone *storage.GoneError
	var backup *DamagedBackup
	switch {
	case err == nil:
		return ""
	case errors.As(err, &kept):
		return kept.words()
	case errors.As(err, &locked):
		return locked.Error()
	case errors.As(err, &gone):
		return "Saving is not possible: " + gone.Error() + ". Data saved before can still be copied elsewhere."
	case errors.As(err, &form):
		return form.Error()
	case errors.As(err, &server), errors.As(err, &answer):
		return ollama.ErrorText(err)
	case errors.As(err, &long):
		return long.Error()
	case errors.Is(err, storage.ErrDiskFull), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "The disk is full. Saved data is safe; free some space and try again."
	case errors.Is(err, storage.ErrReadOnly):
		return "The data file is read-only because its folder or file system is not writable: nothing was changed. " +
			"Copy the folder to a writable place, or make it writable."
	case errors.Is(err, storage.ErrPassphrase):
		return "Wrong passphrase: nothing was opened or changed. Encrypted data cannot be read without it; " +
			"ghostlight lock status lists unencrypted backups."
	case errors.As(err, &backup):
		return backup.Error()
	case isDamage(err):
		return strings.TrimRight(plain(err), ". ") + ". " + damageHelp
	case errors.Is(err, context.Canceled):
		return "Stopped."
	case errors.Is(err, context.DeadlineExceeded):
		return "It took too long and was stopped."
	case isComfy(err):
		return comfy.ErrorText(err)
	case errors.Is(err, fs.ErrNotExist):
		return "File not found: " + plain(err)
	case errors.Is(err, fs.ErrPermission):
		return "Permission denied: " + plain(err)
	}
	return plain(err)
}

// damageHelp is the advice for a damaged data file.
const damageHelp = "Quit Ghostlight and run ghostlight doctor --repair: it recovers what can be read, restores the " +
	"rest from your backups and keeps the damaged file. ghostlight restore latest restores the newest backup."

// isDamage reports whether the data file itself is damaged.
func isDamage(err error) bool {
	return (errors.Is(err, storage.ErrCorrupt) || errors.Is(err, storage.ErrKeyRecord)) &&
		!errors.Is(err, storage.ErrForeignFile)
}

func isComfy(err error) bool {
	var editor *comfy.EditorFormatError
	var bad *comfy.WorkflowError
	for _, kind := range []error{comfy.ErrUnreachable, comfy.ErrNotComfy, comfy.ErrDenied, comfy.ErrRejected,
		comfy.ErrFailed, comfy.ErrInterrupted,
		comfy.ErrJobGone, comfy.ErrTimeout, comfy.ErrNoOutput, comfy.ErrNoModel} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return errors.As(err, &editor) || errors.As(err, &bad)
}

// plain returns an error's own text without the names of the steps before it, which are for the
// log.
func plain(err error) string {
	for {
		step, ok := err.(*stepError) //nolint:errorlint // each step is taken off by itself
		if !ok {
			return err.Error()
		}
		err = step.err
	}
}
