package comfy

import (
	"errors"
	"fmt"
	"strings"
)

// What can go wrong, for errors.Is.
var (
	ErrUnreachable = errors.New("ComfyUI cannot be reached")
	ErrNotComfy    = errors.New("this is not a ComfyUI server")
	ErrDenied      = errors.New("ComfyUI denied access")
	ErrRejected    = errors.New("ComfyUI refused the workflow")
	ErrFailed      = errors.New("the workflow failed")
	ErrInterrupted = errors.New("the job was interrupted on the server")
	ErrJobGone     = errors.New("the job is no longer on the server")
	ErrTimeout     = errors.New("the job took too long")
	ErrNoOutput    = errors.New("the workflow produced no picture or video")
	ErrNoModel     = errors.New("a model is missing on the server")
	// ErrJobLeft is a cancellation cause that leaves the job running on the server: a later Run may
	// resume it.
	ErrJobLeft = errors.New("the job was left on the server")

	// ErrRestarted is an ErrJobGone with a known reason: the server was restarted and has forgotten
	// all jobs.
	ErrRestarted = fmt.Errorf("%w: the server was restarted", ErrJobGone)
	// ErrStillOnServer is wrapped in addition to the reason of a cancellation if the job was still
	// on the server afterwards.
	ErrStillOnServer = errors.New("the job is still on the server")

	errTooLarge = errors.New("an answer")
	errGone     = fmt.Errorf("%w: the server no longer has the file", ErrNoOutput)
	errBroken   = fmt.Errorf("%w: the file is damaged", ErrNoOutput)
)

// FetchError means that a file was made but could not be fetched. It wraps ErrUnreachable if the
// server was gone meanwhile, ErrNoOutput otherwise.
type FetchError struct {
	Filename string // safe to display
	Reason   string // a clause: "the picture ..."
	Folder   string // on the server, if the file is still there as far as is known; "" otherwise
	Err      error
}

func (e *FetchError) Error() string { return fmt.Sprintf("fetch %q: %s", e.Filename, e.Reason) }

// Unwrap returns the kind and the cause.
func (e *FetchError) Unwrap() error { return e.Err }

// isTemporary reports whether another request for the file may succeed.
func (e *FetchError) isTemporary() bool {
	return errors.Is(e.Err, ErrUnreachable) || errors.Is(e.Err, errBroken) || errors.Is(e.Err, ErrNotComfy)
}

// isInterrupted reports whether a connection ended in the middle of a request, so that it is
// unknown whether the request arrived.
func isInterrupted(err error) bool {
	var fault *networkError
	return errors.As(err, &fault) && fault.text == connectionBroken
}

// isOffline reports whether the error is one of a server that may be starting: nothing listens, or
// the gateway in front of it does not reach it.
func isOffline(err error) bool {
	var troubled *serverError
	if errors.As(err, &troubled) {
		return troubled.status >= 502
	}
	return errors.Is(err, ErrUnreachable) && !isInterrupted(err)
}

// networkError is a failed connection. Its text does not repeat the system's own error, which it
// wraps.
type networkError struct {
	text  string
	cause error
}

func (e *networkError) Error() string { return e.text }
func (e *networkError) Unwrap() error { return e.cause }

// serverError is a server, or the gateway in front of it, that answers with an
// error of its own. It matches ErrUnreachable.
type serverError struct {
	host, what string
	status     int
}

func (e *serverError) Error() string {
	switch e.status {
	case 502, 503, 504:
		return fmt.Sprintf("%v at %s: the gateway in front of it answered with status %d", ErrUnreachable,
			e.host, e.status)
	}
	return fmt.Sprintf("ComfyUI at %s has an internal problem: it answered %s with status %d", e.host, e.what, e.status)
}

// Is makes errors.Is(err, ErrUnreachable) true.
func (e *serverError) Is(target error) bool { return target == ErrUnreachable }

// RejectedError is a workflow that the server would not begin. It matches
// ErrRejected.
type RejectedError struct {
	Status        int    // of the HTTP answer
	Type, Message string // in the server's words
	Details       string
	Faults        []NodeFault // sorted by node; may be empty
}

// NodeFault is one complaint about one node.
type NodeFault struct {
	Node, Class, Title string
	Type               string // value_not_in_list, required_input_missing, ...
	Input              string // the input complained about, may be empty
	Message, Details   string
	Received           string   // the offending value, may be empty
	Choices            []string // allowed values, as far as the server names them
	ChoicesKnown       bool     // Choices is the whole list, even when empty
}

func (e *RejectedError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "ComfyUI refused the workflow: %s", e.Message)
	if len(e.Faults) == 0 && e.Details != "" {
		fmt.Fprintf(&b, " (%s)", e.Details)
	}
	for _, f := range e.Faults {
		fmt.Fprintf(&b, "; node %s %s: %s %s", f.Node, f.Class, f.Message, f.Details)
	}
	return clip(b.String(), 2000)
}

// Is makes errors.Is(err, ErrRejected) true.
func (e *RejectedError) Is(target error) bool { return target == ErrRejected }

// RunError is a node that failed while the workflow ran. It matches ErrFailed.
type RunError struct {
	Node, Class, Title string
	Type, Message      string // the exception, in the server's words
}

func (e *RunError) Error() string {
	return clip(fmt.Sprintf("the workflow failed in node %s %s: %s: %s", e.Node, e.Class, e.Type, e.Message), 2000)
}

// Is makes errors.Is(err, ErrFailed) true.
func (e *RunError) Is(target error) bool { return target == ErrFailed }

// OutOfMemory reports whether the server ran out of memory.
func (e *RunError) OutOfMemory() bool {
	text := strings.ToLower(e.Type + " " + e.Message)
	for _, sign := range []string{"outofmemory", "out of memory", "memoryerror", "not enough memory",
		"allocation on device"} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// EditorFormatError is a workflow saved in the editor's own format, which the
// server cannot run.
type EditorFormatError struct{ Name string }

func (e *EditorFormatError) Error() string {
	return fmt.Sprintf("workflow %q is in the ComfyUI editor's own format, which cannot be run; open it in ComfyUI "+
		"and use Workflow > Export (API) (older versions: turn on \"Enable dev mode options\" in the settings, then "+
		"Save (API Format)), and use that file", e.Name)
}

// WorkflowError is a workflow file that cannot be used.
type WorkflowError struct {
	Name         string
	Line, Column int // 0 when the fault has no place
	Reason       string
}

func (e *WorkflowError) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("workflow %q, line %d, column %d: %s", e.Name, e.Line, e.Column, e.Reason)
	}
	return fmt.Sprintf("workflow %q: %s", e.Name, e.Reason)
}

// clip shortens s to at most n runes.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:n-1]) + "…"
}
