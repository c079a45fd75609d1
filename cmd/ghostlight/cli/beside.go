package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/socket"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// ask has the program that has the data folder open run this command. asked is false if there is no
// such program, or if this process is that program.
func (app *App) ask(ctx context.Context) (asked bool, err error) {
	if app.shared != nil || app.Args == nil {
		return false, nil
	}
	c, err := socket.Dial(app.Dirs.Data)
	if err != nil {
		if !errors.Is(err, socket.ErrNobody) {
			return true, err
		}
		return false, nil
	}
	defer func() { _ = c.Close() }() // everything was sent and read
	r, err := app.request()
	if err != nil {
		return true, err
	}
	code, err := c.Run(ctx, r, socket.Streams{In: app.In, Out: app.Out, Err: app.Err})
	switch {
	case err != nil:
		return true, err
	case code != ExitDone:
		return true, ExitCode(code)
	}
	return true, nil
}

// request returns this run as the open program has to know it.
func (app *App) request() (r socket.Request, err error) {
	for _, a := range app.Args {
		if streamOf(a) {
			return r, fmt.Errorf("%s is not available to the program that has the data folder open: use - for "+
				"standard input, or a file in a folder", Quote(a))
		}
	}
	r = socket.Request{Version: app.Version, Args: app.Args, Config: app.Dirs.File,
		Terminals: [3]bool{IsTerminal(app.In), IsTerminal(app.Out), IsTerminal(app.Err)}}
	if r.Dir, err = os.Getwd(); err != nil {
		return r, fmt.Errorf("the current folder no longer exists: %w", err)
	}
	return r, nil
}

// streamOf reports whether an argument names a file that another process has not: one of
// the streams of this one.
func streamOf(arg string) bool {
	if value := arg[strings.IndexByte(arg, '=')+1:]; strings.HasPrefix(arg, "--") {
		arg = value
	}
	arg = strings.TrimPrefix(arg, "@")
	if strings.ContainsAny(arg, " \n") {
		return false
	}
	for _, p := range []string{"/dev/fd/", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/proc/self/"} {
		if strings.HasPrefix(arg, p) {
			return true
		}
	}
	return false
}

// Host accepts commands of other processes and runs them on the open engine. Close the CommandServer
// before the engine. If the system does not allow the socket, Host logs the reason and returns it.
func (app *App) Host(e *engine.Engine) (CommandServer, error) {
	if app.Tree == nil {
		return CommandServer{log: app.Log}, nil
	}
	s, err := socket.Listen(app.Dirs.Data, app.Version, app.Log, func(ctx context.Context, n *socket.Session) int {
		return app.serve(ctx, e, n)
	})
	if err != nil {
		app.Log.Warn("this program does not accept commands", "err", err)
		return CommandServer{log: app.Log}, err
	}
	app.Log.Debug("commands are served", "socket", s.Path())
	return CommandServer{s, app.Log}, nil
}

// CommandServer is the serving of commands. Without a server its methods do nothing.
type CommandServer struct {
	s   *socket.Server
	log *slog.Logger
}

// Path returns the socket's path, "" if there is none.
func (h CommandServer) Path() string {
	if h.s == nil {
		return ""
	}
	return h.s.Path()
}

// Finish accepts no new clients, and waits for the present ones until ctx ends.
func (h CommandServer) Finish(ctx context.Context) {
	if h.s != nil {
		h.s.Finish(ctx)
	}
}

// Close interrupts those who are served, and waits for them a little.
func (h CommandServer) Close() {
	if h.s == nil {
		return
	}
	if err := h.s.Close(); err != nil {
		h.log.Warn("closing the socket failed", "err", err)
	}
}

// serve runs a command for another process, as if it were that process. A panic ends that
// command alone: the open program goes on, and the transaction that was open is undone.
func (app *App) serve(ctx context.Context, e *engine.Engine, n *socket.Session) (code int) {
	in := New(nil, nil, nil, "")
	root := app.Tree(in)
	in.within(app, e)
	r := n.Request
	host := *in // as it was before flags are read
	in.served = &remoteCommand{host: &host, request: r}
	in.In, in.Out, in.Err = remoteStream{n, n.Out(), r.Terminals[0]}, remoteStream{nil, n.Out(), r.Terminals[1]},
		remoteStream{nil, n.Err(), r.Terminals[2]}
	root.SetOut(in.Out)
	root.SetErr(in.Err)
	defer func() {
		if cause := recover(); cause != nil {
			code = in.Exit(crashed(in.Log, cause, debug.Stack()), r.Args)
		}
	}()
	root.SetArgs(EscapeFromEnd(root, r.Args))
	code = in.Exit(root.ExecuteContext(ctx), r.Args)
	if errors.Is(context.Cause(ctx), socket.ErrClosing) {
		in.Note("ghostlight: %v", socket.ErrClosing)
	}
	return code
}

// crashed returns the error of a command that panicked, and writes a crash report.
func crashed(log *slog.Logger, cause any, stack []byte) error {
	const words = "this command crashed; saved data is kept, " +
		"and the open program keeps running. Try again"
	path, text, err := crash.Write("a command", cause, stack)
	if err != nil {
		log.Error("a command crashed, and no report could be written", "err", err, "report", text)
		return errors.New(words + "; see the log of the open program")
	}
	log.Error("a command crashed", "cause", cause, "report", path)
	return fmt.Errorf("%s; the crash report is in %s", words, path)
}

// remoteTerminal is a stream of another process, which may be a terminal there.
type remoteTerminal interface{ isTerminal() bool }

// remoteStream is a stream of another process.
type remoteStream struct {
	io.Reader
	io.Writer
	terminal bool
}

func (f remoteStream) isTerminal() bool { return f.terminal }

// remoteCommand holds what a command knows about the process that asked for it.
type remoteCommand struct {
	host    *App
	request socket.Request
}

// checkFlags returns an error if a command cannot run on the open engine, because its flags ask for
// another one. A nil remoteCommand is a command of the program's own.
func (s *remoteCommand) checkFlags(app *App) error {
	if s == nil {
		return nil
	}
	const close = " close it first, or leave out the flag"
	host := s.host
	switch {
	case s.request.Config != host.Dirs.File:
		return fmt.Errorf("the program that has the data folder open uses %s, not %s:"+close, host.Dirs.File,
			s.request.Config)
	case app.Demo && !host.Demo:
		return errors.New(
			"the program that has the data folder open uses real servers, so --demo is not possible:" + close)
	case app.ollama != host.ollama && app.ollama != host.given().Ollama.URL:
		return errors.New("the program that has the data folder open uses another Ollama server than --ollama:" + close)
	case !slices.Equal(app.comfy, host.comfy) && !slices.Equal(app.comfy, host.comfyURLs()):
		return errors.New("the program that has the data folder open uses other servers than --comfyui:" + close)
	case app.model != host.model && app.model != app.shared.Models.ModelOf(storage.Chat{}):
		return errors.New("the program that has the data folder open uses another model than --model; chat model and " +
			"model use change it:" + close)
	}
	if !slices.Equal(app.debug, host.debug) {
		app.Note("note: --debug has no effect while another program has the data folder open")
	}
	if host.Demo && !slices.ContainsFunc(s.request.Args,
		func(a string) bool { return strings.HasPrefix(a, "--demo") || strings.HasPrefix(a, "--rehearse") }) {
		app.Note("demo mode: no real server is used")
	}
	return nil
}

// Path returns a path from the command line as this process can open it: a relative path from
// another process is resolved against that process's working directory.
func (app *App) Path(path string) string {
	if app.served == nil || path == "" || path == "-" || strings.HasPrefix(path, "~/") || filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(cmp.Or(app.served.request.Dir, "/"), path)
}
