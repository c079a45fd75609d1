package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/term"

	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/cli"
	"github.com/ghostlight-theatre/ghostlight/cmd/ghostlight/socket"
	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/crash"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	houseroom "github.com/ghostlight-theatre/ghostlight/tui/house"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
)

// joinScreen is ghostlight --attach.
func joinScreen(app *cli.App, theme, chat string) error {
	if app.JSON {
		return cli.UsageError("--json is for commands; ghostlight help lists them")
	}
	if err := app.Prepare(); err != nil {
		return err
	}
	return attach(app, theme, chat)
}

// attach shows a screen of the program that is open on this terminal, until the user
// leaves it.
func attach(app *cli.App, theme, chat string) (err error) {
	in, isIn := app.In.(*os.File)
	out, isOut := app.Out.(*os.File)
	if !isIn || !isOut || !cli.IsTerminal(in) || !cli.IsTerminal(out) {
		return cli.UsageError("--attach needs a terminal")
	}
	c, err := socket.Dial(app.Dirs.Data)
	if errors.Is(err, socket.ErrNobody) {
		return errors.New("no program has this data folder open: ghostlight opens it here, ghostlight serve keeps it open in the background")
	}
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }() // what was done is done
	r, err := app.Request()
	if err != nil {
		return err
	}
	k, err := newKeyboard(in, out)
	if err != nil {
		return err
	}
	defer k.close()
	r.Screen = &socket.Screen{Size: sizeOf(out), Env: terminalEnv(os.Environ()), Theme: theme, Chat: chat}
	sizes, stop := k.follow(func() { _ = c.Close() })
	defer stop()
	app.Printed = true
	code, err := c.Attach(r, socket.Streams{In: k, Out: out, Err: &k.remarks}, k, sizes)
	if errors.Is(err, socket.ErrGone) {
		if k.ended() { // by a signal, which has hung up
			err = nil
		}
		_, _ = io.WriteString(out, painter.Abandoned()) // nobody else does
	}
	k.close()
	_, _ = io.WriteString(app.Err, k.remarks.String())
	if err == nil && code != cli.ExitDone {
		return cli.ExitCode(code)
	}
	return err
}

// terminalEnv is what programs know of a terminal from their environment.
func terminalEnv(env []string) (list []string) {
	for _, e := range env {
		name, _, _ := strings.Cut(e, "=")
		switch {
		case len(e) > 4096:
		case name == "TERM", name == "COLORTERM", name == "NO_COLOR", name == "PATH", name == "LANG", name == "WT_SESSION", name == "STY",
			strings.HasPrefix(name, "TERM_"), strings.HasPrefix(name, "TMUX"), strings.HasPrefix(name, "CLICOLOR"), strings.HasPrefix(name, "LC_"),
			strings.HasPrefix(name, "KITTY"):
			list = append(list, e)
		}
	}
	return list
}

func sizeOf(out *os.File) socket.Size {
	w, h, err := term.GetSize(out.Fd())
	if err != nil {
		return socket.Size{Width: 80, Height: 24}
	}
	return socket.Size{Width: w, Height: h}
}

// keyboard is this terminal while a program elsewhere has it: in raw mode, and read as
// far as that program wants. It is given to an editor or to the shell in between.
type keyboard struct {
	in, out *os.File
	remarks strings.Builder // of the program, for when the terminal is back

	mu     sync.Mutex
	back   sync.Cond // signals that away has become false
	state  *term.State
	reader interface {
		io.Reader
		Cancel() bool
	}
	away   bool
	quit   bool
	ending chan struct{} // closed once somebody has asked the process to end
}

func newKeyboard(in, out *os.File) (*keyboard, error) {
	k := &keyboard{in: in, out: out, ending: make(chan struct{})}
	k.back.L = &k.mu
	return k, k.take()
}

// take puts the terminal into raw mode.
func (k *keyboard) take() error {
	r, err := uv.NewCancelReader(k.in)
	if err != nil {
		return fmt.Errorf("read the terminal: %w", err)
	}
	state, err := term.MakeRaw(k.in.Fd())
	if err != nil {
		return fmt.Errorf("standard input is not a terminal: %w", err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reader, k.state, k.away = r, state, false
	k.back.Broadcast()
	return nil
}

// give gives the terminal back as it was. Nothing reads it then.
func (k *keyboard) give() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.state == nil {
		return
	}
	k.away = true
	k.reader.Cancel()
	_ = term.Restore(k.in.Fd(), k.state)
	k.state = nil
}

// close is give for the last time.
func (k *keyboard) close() {
	k.give()
	k.mu.Lock()
	k.quit = true
	k.mu.Unlock()
	k.back.Broadcast()
}

// Read implements io.Reader. While the terminal is given away it waits.
func (k *keyboard) Read(p []byte) (int, error) {
	for {
		k.mu.Lock()
		for k.away && !k.quit {
			k.back.Wait()
		}
		r, quit := k.reader, k.quit
		k.mu.Unlock()
		if quit {
			return 0, io.EOF
		}
		n, err := r.Read(p)
		k.mu.Lock()
		again := k.away || r != k.reader
		k.mu.Unlock()
		if n > 0 || err == nil || !again {
			return n, err
		}
	}
}

// Edit implements socket.Terminal.
func (k *keyboard) Edit(text string) (string, error) {
	k.give()
	got, err := tui.Edit(context.Background(), text)
	return got, errors.Join(err, k.take())
}

// Suspend implements socket.Terminal.
func (k *keyboard) Suspend() error {
	k.give()
	err := tui.Suspend(k.ending)
	if k.ended() { // the terminal may be the shell's by now
		return err
	}
	return errors.Join(err, k.take())
}

// ended tells whether the terminal was given back for good.
func (k *keyboard) ended() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.quit
}

// follow tells of every change of the size, and hangs up when the terminal goes away or
// somebody asks the process to end: the program goes on.
func (k *keyboard) follow(hangUp func()) (<-chan socket.Size, func()) {
	sizes, over := make(chan socket.Size, 1), make(chan struct{})
	changes, ends := make(chan os.Signal, 1), make(chan os.Signal, 1)
	stop := notifySize(changes)
	signal.Notify(ends, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	crash.Go("the signals of an attached terminal", func() {
		for {
			select {
			case <-changes:
				select { // the last one counts
				case <-sizes:
				default:
				}
				sizes <- sizeOf(k.out)
			case <-ends:
				k.mu.Lock()
				k.quit = true
				k.mu.Unlock()
				close(k.ending)
				hangUp()
				return
			case <-over:
				return
			}
		}
	})
	return sizes, func() {
		stop()
		signal.Stop(ends)
		close(over)
	}
}

// attached shows a screen on the terminals of others, with the settings of this program.
func attached(app *cli.App, e *engine.Engine, shared houseroom.Settings) func(context.Context, *socket.Session) error {
	return func(ctx context.Context, n *socket.Session) error {
		s := n.Request.Screen
		o, err := screenOptions(app, e, s.Theme)
		if err != nil {
			return err
		}
		o.Settings = shared
		if s.Chat != "" {
			var c storage.Chat
			if c, err = e.Chats.Find(s.Chat); err != nil {
				return err
			}
			o.Chat = c.ID
		}
		if err := tui.RunFar(ctx, e, o, far{n, s}); err != nil && !errors.Is(err, socket.ErrGone) && !errors.Is(err, socket.ErrInterrupted) {
			return err
		}
		return nil
	}
}

// far is the terminal of a client.
type far struct {
	*socket.Session
	screen *socket.Screen
}

// Write implements io.Writer.
func (f far) Write(p []byte) (int, error) { return f.Out().Write(p) }

// Env implements tui.Far.
func (f far) Env() []string { return f.screen.Env }
