//go:build linux || darwin || freebsd

package socket

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var quiet = slog.New(slog.DiscardHandler)

// dataFolder returns a new data folder, and sets a new runtime folder.
func dataFolder(t *testing.T) (data string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "gl-") // short: the path of a socket has a limit
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	return dir
}

func serving(t *testing.T, data string, handle func(context.Context, *Session) int) *Server {
	t.Helper()
	s, err := Listen(data, "1", quiet, handle)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func asks(ctx context.Context, data string, in io.Reader, args ...string) (code int, out, errs string, err error) {
	c, err := Dial(data)
	if err != nil {
		return 0, "", "", err
	}
	defer func() { _ = c.Close() }()
	var o, e bytes.Buffer
	code, err = c.Run(ctx, Request{Version: "1", Args: args, Dir: "/"}, Streams{In: in, Out: &o, Err: &e})
	return code, o.String(), e.String(), err
}

// A client gets what its work writes, by stream, and ends as that does.
func TestSocket_StreamsAndCode(t *testing.T) {
	data := dataFolder(t)
	serving(t, data, func(_ context.Context, n *Session) int {
		text, err := io.ReadAll(n)
		_, _ = fmt.Fprintf(n.Out(), "%s %s %v", n.Request.Args, text, err)
		_, _ = io.WriteString(n.Err(), strings.Repeat("e", 3*chunk))
		return 7
	})
	long := strings.Repeat("in", 2*chunk)
	code, out, errs, err := asks(t.Context(), data, strings.NewReader(long), "a", "b\x00c")
	if err != nil || code != 7 || out != "[a b\x00c] "+long+" <nil>" || errs != strings.Repeat("e", 3*chunk) {
		t.Errorf("%d %q… %d: %v", code, out[:min(len(out), 40)], len(errs), err)
	}
}

// What the work does not read stays where it is: a loop of a shell that reads lines
// runs commands between them.
func TestSocket_InputIsLeft(t *testing.T) {
	data := dataFolder(t)
	serving(t, data, func(context.Context, *Session) int { return 0 })
	in := strings.NewReader("the next line")
	if _, _, _, err := asks(t.Context(), data, in); err != nil || in.Len() != 13 {
		t.Errorf("%d bytes are left: %v", in.Len(), err)
	}
}

func TestSocket_Interrupted(t *testing.T) {
	data := dataFolder(t)
	ctx, cancel := context.WithCancel(t.Context())
	serving(t, data, func(ctx context.Context, n *Session) int {
		cancel()
		<-ctx.Done()
		_, _ = fmt.Fprint(n.Err(), context.Cause(ctx))
		return 1
	})
	if code, _, errs, err := asks(ctx, data, nil); code != 1 || errs != ErrInterrupted.Error() || err != nil {
		t.Errorf("%d %q: %v", code, errs, err)
	}
}

// A client that is killed ends its work as one does that is interrupted.
func TestSocket_ClientVanishes(t *testing.T) {
	data := dataFolder(t)
	began, cause := make(chan bool), make(chan error, 1)
	serving(t, data, func(ctx context.Context, n *Session) int {
		close(began)
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return 0
	})
	c, err := Dial(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.w.json(request, Request{Version: "1"}); err != nil {
		t.Fatal(err)
	}
	<-began
	_ = c.Close()
	if err := <-cause; !errors.Is(err, ErrGone) {
		t.Error(err)
	}
}

// A client that reads nothing of what its work writes is gone after a while: its work ends,
// and holds up nobody else.
func TestSocket_ClientStalls(t *testing.T) {
	data := dataFolder(t)
	ended, block := make(chan error, 1), make([]byte, 1<<20)
	s, err := listenWaiting(100*time.Millisecond, data, "1", quiet, func(ctx context.Context, n *Session) int {
		if n.Request.Args[0] == "short" {
			return 3
		}
		for {
			if _, err := n.Out().Write(block); err != nil {
				<-ctx.Done()
				ended <- context.Cause(ctx)
				return 0
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	c, err := Dial(data)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if err := c.w.json(request, Request{Version: "1", Args: []string{"long"}}); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, ErrGone) {
		t.Error(err)
	}
	if code, _, _, err := asks(t.Context(), data, nil, "short"); code != 3 || err != nil {
		t.Errorf("%d %v", code, err)
	}
	if _, err := c.follow(Streams{Out: io.Discard, Err: io.Discard}); !errors.Is(err, ErrGone) {
		t.Errorf("who wakes up again hears %v", err)
	}
}

// A program that is closed informs its clients; one that is killed cannot.
func TestSocket_ServerEnds(t *testing.T) {
	data := dataFolder(t)
	began := make(chan bool)
	s, err := Listen(data, "1", quiet, func(ctx context.Context, n *Session) int {
		close(began)
		<-ctx.Done()
		_, _ = fmt.Fprint(n.Err(), context.Cause(ctx))
		return 1
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan string)
	go func() {
		code, _, errs, err := asks(context.Background(), data, nil)
		ended <- fmt.Sprintln(code, errs, err)
	}()
	<-began
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if got := <-ended; got != fmt.Sprintln(1, ErrClosing, nil) {
		t.Error(got)
	}
	if _, err := Dial(data); !errors.Is(err, ErrNobody) {
		t.Errorf("after it: %v", err)
	}
	if _, err := os.Stat(s.Path()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left: %v", err)
	}
}

// The reader that goes away before the work is done is the work's to know.
func TestSocket_NothingReads(t *testing.T) {
	data := dataFolder(t)
	fault := make(chan error, 1)
	serving(t, data, func(ctx context.Context, n *Session) int {
		var err error
		for err == nil && ctx.Err() == nil {
			_, err = n.Out().Write([]byte("line\n"))
		}
		fault <- err
		return 1
	})
	c, err := Dial(data)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if code, err := c.Run(t.Context(), Request{Version: "1"}, Streams{Out: shut{}, Err: io.Discard}); code != 1 || err != nil {
		t.Errorf("%d: %v", code, err)
	}
	if err := <-fault; !errors.Is(err, syscall.EPIPE) {
		t.Error(err)
	}
}

type shut struct{}

func (shut) Write([]byte) (int, error) { return 0, syscall.EPIPE }

func TestSocket_Refuses(t *testing.T) {
	data := dataFolder(t)
	s := serving(t, data, func(context.Context, *Session) int { return 0 })
	c, err := Dial(data)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(t.Context(), Request{Version: "2"}, Streams{})
	var r Refusal
	if !errors.As(err, &r) || !strings.Contains(string(r), "ghostlight 1, this one is 2") {
		t.Errorf("another version: %v", err)
	}
	_ = c.Close()

	// The server survives any input.
	for _, hostile := range []string{"", "GET / HTTP/1.1\r\n\r\n", "q\xff\xff\xff\xff", "q\x00\x00\x00\x04nope", "i\x00\x00\x00\x01x", strings.Repeat("\x00", 1<<16)} {
		raw, err := net.Dial("unix", s.Path())
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(raw, hostile)
		if u, ok := raw.(*net.UnixConn); ok {
			_ = u.CloseWrite()
		}
		_, _ = io.Copy(io.Discard, raw)
		_ = raw.Close()
	}
	// So it does when hostile words come once it is served.
	raw, err := net.Dial("unix", s.Path())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(raw, "q\x00\x00\x00\x0f{\"version\":\"1\"}i\x00\x00\x00\x01xi\x00\x00\x00\x01x")
	_, _ = io.Copy(io.Discard, raw)
	_ = raw.Close()
	if code, _, _, err := asks(t.Context(), data, nil); code != 0 || err != nil {
		t.Errorf("afterwards: %d %v", code, err)
	}
}

// More clients than run at a time wait; those beyond the maximum are refused with a reason.
func TestSocket_Bounds(t *testing.T) {
	data := dataFolder(t)
	var now, most atomic.Int32
	release := make(chan bool)
	serving(t, data, func(context.Context, *Session) int {
		for n := now.Add(1); ; {
			if m := most.Load(); n <= m || most.CompareAndSwap(m, n) {
				break
			}
		}
		<-release
		now.Add(-1)
		return 0
	})
	var wg sync.WaitGroup
	var served, refused atomic.Int32
	for range maxOpen + 20 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			_, _, _, err := asks(context.Background(), data, nil)
			var r Refusal
			switch {
			case err == nil:
				served.Add(1)
			case errors.As(err, &r):
				if refused.Add(1) == 20 {
					close(release)
				}
			default:
				t.Error(err)
			}
		}()
	}
	wg.Wait()
	if served.Load() != maxOpen || refused.Load() != 20 || most.Load() > maxRunning {
		t.Errorf("%d served, %d refused, %d at a time", served.Load(), refused.Load(), most.Load())
	}
}

// What a killed program leaves behind is in nobody's way.
func TestSocket_LeftBehind(t *testing.T) {
	data := dataFolder(t)
	path, err := place(data)
	if err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(filepath.Dir(path), "0123456789abcdef.sock")
	for _, p := range []string{path, other} {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: p, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		_ = l.Close()
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(other, old, old); err != nil {
		t.Fatal(err)
	}
	if _, err := Dial(data); !errors.Is(err, ErrNobody) {
		t.Errorf("a socket without a program: %v", err)
	}
	serving(t, data, func(context.Context, *Session) int { return 3 })
	if code, _, _, err := asks(t.Context(), data, nil); code != 3 || err != nil {
		t.Errorf("%d: %v", code, err)
	}
	if _, err := os.Stat(other); !errors.Is(err, os.ErrNotExist) { // accepting begins after the sweep
		t.Errorf("another's socket is left: %v", err)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v: %v", info, err)
	}
}

// A folder that others can get into is not used, nor looked into.
func TestSocket_FolderIsPrivate(t *testing.T) {
	data := dataFolder(t)
	dir := filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "ghostlight")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", data)
	path, err := place(data)
	if err != nil {
		t.Skip("no other folder can be made here:", err)
	}
	if filepath.Dir(path) == dir {
		t.Error("a folder that is open to others is used")
	}
}

func TestSocket_SameFolderByAnotherPath(t *testing.T) {
	data := dataFolder(t)
	serving(t, data, func(context.Context, *Session) int { return 5 })
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(data, link); err != nil {
		t.Fatal(err)
	}
	if code, _, _, err := asks(t.Context(), link, nil); code != 5 || err != nil {
		t.Errorf("%d: %v", code, err)
	}
	if _, err := Dial(t.TempDir()); !errors.Is(err, ErrNobody) {
		t.Errorf("another folder: %v", err)
	}
}

// TestStranger is another user at the socket that its environment names: the rest of
// TestSocket_OtherUser.
func TestStranger(t *testing.T) {
	path := os.Getenv("GHOSTLIGHT_TEST_STRANGER")
	if path == "" {
		t.Skip("only as a process of its own")
	}
	c, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(c)
	fmt.Printf("it said %q %v\n", text, err)
}

// Another user who reaches the socket gets no answer.
func TestSocket_OtherUser(t *testing.T) {
	if os.Geteuid() != 0 || runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: only root can be another user")
	}
	data := dataFolder(t)
	called := false
	s := serving(t, data, func(context.Context, *Session) int { called = true; return 0 })
	for path, mode := range map[string]os.FileMode{s.Path(): 0o666, filepath.Dir(s.Path()): 0o755, data: 0o755} {
		if err := os.Chmod(path, mode); err != nil { // as if it had been let in
			t.Fatal(err)
		}
	}
	program := filepath.Join(data, "stranger")
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(program, text, 0o755); err != nil {
		t.Fatal(err)
	}
	c := exec.Command(program, "-test.run", "^TestStranger$", "-test.v")
	c.Dir = "/"
	c.Env = []string{"GHOSTLIGHT_TEST_STRANGER=" + s.Path(), "TMPDIR=/tmp", "HOME=/"}
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := c.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `it said ""`) || called {
		t.Errorf("%v: %s", err, out)
	}
}
