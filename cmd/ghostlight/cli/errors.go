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

// Exit ends a run: it prints the error, if there is one, and returns the exit code of the process.
// args are checked for --json, because err may come from before the flags were parsed.
func (app *App) Exit(err error, args []string) int {
	defer app.closeLog()
	if err == nil {
		return ExitDone
	}
	var ended ExitCode
	if errors.As(err, &ended) { // the program that ran the command has printed the error
		return int(ended)
	}
	if errors.Is(err, syscall.EPIPE) {
		app.Log.Info("the output was closed", "err", err)
		return ExitFailed
	}
	code, words := ExitFailed, app.Redact(failure.Text(err))
	words = shorten(words)
	if isUsageError(err) {
		code = ExitUsage
	} else {
		app.Log.Error("the command failed", "err", err)
	}
	if (app.JSON || asksJSON(args)) && !app.Printed {
		app.Printed = true
		// If standard output fails, the error still goes to standard error.
		_ = writeJSON(app.Out, map[string]string{"error": words})
	}
	var list settings.Faults
	if !errors.As(err, &list) {
		words = safetext.Line(words) // a name in it may have line breaks
	}
	app.Note("ghostlight: %s", words)
	if code == ExitUsage {
		app.Note("ghostlight help lists all commands.")
	}
	return code
}

// maxErrorLen is the length in runes above which an error is shortened: it may quote user input of
// any length.
const maxErrorLen = 4000

// shorten cuts the middle out of an error that is too long: the beginning says what is wrong, the
// end what to do about it.
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

// ExitCode is the exit code of a command that another program ran. That program has already printed
// the error.
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

// isUsageError reports whether the command line is at fault. Invalid values of fields count too,
// because they were given there.
func isUsageError(err error) bool {
	var m UsageError
	return errors.As(err, &m) || field.AsError(err) != nil
}
