// Package socket lets a program that has a data folder open run commands for other processes. It
// listens on a Unix socket of the user's own. A client finds the socket by the data folder, hands
// over its arguments and streams, and ends with the command's exit code. The package knows nothing
// about the commands.
//
// Nothing listens on a network. The socket is in a private folder, and both ends check which user
// owns the process at the other end. All input is bounded: frames, connections, and the time that a
// client may take to send its request.
package socket

import (
	"errors"
	"time"
)

// These errors are for use with errors.Is.
var (
	// ErrNobody: no program serves that data folder.
	ErrNobody = errors.New("no program has this data folder open")
	// ErrGone: the program at the other end is gone, in the middle of it.
	ErrGone = errors.New(
		"the program was closed before the command finished: saved changes are kept, the rest was not done")
	// ErrInterrupted: the user of a client has interrupted its command.
	ErrInterrupted = errors.New("it was interrupted")
	// ErrClosing: the program is being closed.
	ErrClosing = errors.New("the program that runs this command is being closed")
)

// Refusal says in words for the user why something is not done.
type Refusal string

// Error implements error.
func (r Refusal) Error() string { return string(r) }

// Request is a command that a client wants to run, with the client's environment.
type Request struct {
	Version string   `json:"version"` // of the program that asks
	Args    []string `json:"args"`    // of a command
	Dir     string   `json:"dir"`     // its relative paths start here
	Config  string   `json:"config"`  // full path of the config file that it would use
	// Terminals reports for standard input, output and error whether each is a terminal.
	Terminals [3]bool `json:"terminals"`
}

// greeting is the first thing that a server says.
type greeting struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	PID      int    `json:"pid"`
}

const (
	// patience is how long a server may take to greet, and a client to send its request.
	patience = 5 * time.Second
	// maxRunning is the maximum number of commands that run at the same time; others wait for their
	// turn.
	maxRunning = 32
	// maxOpen is the maximum number of clients; more are refused.
	maxOpen = 256
	// stalled is how long a client may take to read a frame, chosen so that a user can look at a
	// page in a pager for that time. Then the client is disconnected.
	stalled = 10 * time.Minute
	// closing is how long clients have to end when the program is closed.
	closing = 5 * time.Second
)
