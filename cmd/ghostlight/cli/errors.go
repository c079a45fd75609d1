package cli

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/settings"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/tui/safetext"
)

// Exit ends a run: it tells of what went wrong, if anything, and says what the
// process ends with. The arguments report whether JSON is wanted, as err may have come up
// before the flags were read.
func (app *App) Exit(err error, args []string) int {
	defer app.closeLog()
	if err == nil {
		return ExitDone
	}
	var ended ExitCode
	if errors.As(err, &ended) { // who has done it has told of it
		return int(ended)
	}
	if errors.Is(err, syscall.EPIPE) {
		app.Log.Info("the output was closed", "err", err)
		return ExitFailed
	}
	code, words := ExitFailed, app.Redact(failure.Words(err))
	words = shorten(words)
	if isUsageError(err) {
		code = ExitUsage
	} else {
		app.Log.Error("the command failed", "err", err)
	}
	if (app.JSON || asksJSON(args)) && !app.Printed {
		app.Printed = true
		// Where standard output fails, standard error still tells.
		_ = writeJSON(app.Out, map[string]string{"error": words})
	}
	var list settings.Faults
	if !errors.As(err, &list) {
		words = safetext.Line(words) // a name in it may have lines of its own
	}
	app.Note("ghostlight: %s", words)
	if code == ExitUsage {
		app.Note("ghostlight help lists all commands.")
	}
	return code
}

// maxErrorLen is how many runes an error may have: what a user gave may stand in
// it, and be of any length.
const maxErrorLen = 4000

// shorten takes out the middle of what is too long: what is wrong stands before
// it, what to do behind it.
func shorten(words string) string {
	if len(words) <= maxErrorLen {
		return words
	}
	r := []rune(words)
	if len(r) <= maxErrorLen {
		return words
	}
	return string(r[:maxErrorLen/10]) + " … " + string(r[len(r)-maxErrorLen/5:])
}

// What the process ends with.
const (
	ExitDone   = 0
	ExitFailed = 1
	ExitUsage  = 2
)

// ExitCode is what a command has ended with that another program has run, and has told
// of.
type ExitCode int

// Error implements error.
func (c ExitCode) Error() string { return fmt.Sprintf("it ended with %d", int(c)) }

// asksJSON reports whether --json is among the arguments, for faults that come up
// before the flags have been read.
func asksJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
}

// UsageError is a fault of the command line, not of the work.
type UsageError string

func (m UsageError) Error() string { return string(m) }

// isUsageError reports whether the command line is at fault: what is wrong with a field was
// given there too.
func isUsageError(err error) bool {
	var m UsageError
	return errors.As(err, &m) || field.AsError(err) != nil
}
