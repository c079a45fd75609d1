// Command ghostlight is a terminal theatre for one. Without a subcommand it opens
// the terminal interface; with one it does a single thing on the same use cases
// and ends.
package main

import (
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
)

func main() { os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }

// run returns the whole program as a function of its arguments and streams.
func run(args []string, in io.Reader, out, errs io.Writer) int {
	// A reader that goes away must not end the program in the middle of its work: the writer gets
	// an error instead. Ignoring the signal would do the same, but the programs that this one
	// starts would inherit that.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	crash.Prepare("", "ghostlight", nil) // the log's folder takes over once it is known
	defer crash.Recover("a command")
	app := cli.New(in, out, errs, thisBuild().Version)
	app.Args, app.Tree = args, newRoot
	root := rootFor(app, args)
	root.SetArgs(cli.EscapeFromEnd(root, args))
	err := root.Execute()
	return app.Exit(err, args)
}
