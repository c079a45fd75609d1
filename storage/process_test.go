//go:build unix

package storage

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// childMode names, in the environment, what the test binary is to do as a child
// of itself instead of testing; the data file's path is its first argument.
const childMode = "GHOSTLIGHT_STORAGE_CHILD"

func TestMain(m *testing.M) {
	modes := map[string]func(path string) error{"append": appendForever, "hold": hold, "disk": fillDisk, "new on full disk": openOnFullDisk}
	if f := modes[os.Getenv(childMode)]; f != nil {
		if err := f(os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(t *testing.T, mode, path string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe, path)
	cmd.Env = append(os.Environ(), childMode+"="+mode)
	cmd.Stderr = os.Stderr
	return cmd
}

// text returns the text of message id, by which the parent process can check that it arrived
// complete.
func text(id NodeID) string { return strings.Repeat(string(id)+" ", 1+int(id[25])*3) }

// appendForever adds to the only chat, one message per transaction, and prints
// each id once it is committed. Now and then it rewrites or deletes one.
func appendForever(path string) error {
	s, err := Open(path, Options{Program: "child"})
	if err != nil {
		return err
	}
	var chat Chat
	for {
		var made NodeID
		err := s.Update(func(tx *Tx) error {
			for _, chat = range Chats.All(tx) {
			}
			n := Node{ID: NodeID(NewID()), Chat: chat.ID, Parent: chat.Head, Role: User}
			n.Content = text(n.ID)
			if err := tx.AppendNode(&n); err != nil {
				return err
			}
			made, chat.Head = n.ID, n.ID
			if n.Depth%5 == 4 {
				old, err := tx.Node(chat.ID, n.Parent)
				if err != nil {
					return err
				}
				old.Deleted, old.Thinking = !old.Deleted, strings.Repeat("hm ", rand.IntN(3000))
				if err := tx.PutNode(old); err != nil {
					return err
				}
			}
			return Chats.Put(tx, chat.ID, chat)
		})
		if err != nil {
			return err
		}
		if _, err := fmt.Println(made); err != nil {
			return err
		}
	}
}

func TestKill_LosesNothingAcknowledged(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: killing a child, with -short")
	}
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	s := openAt(t, path, Options{})
	chat := newChat(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	var acknowledged []NodeID
	for range 6 {
		cmd := child(t, "append", path)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for left := rand.IntN(60); lines.Scan(); left-- {
			acknowledged = append(acknowledged, NodeID(lines.Text()))
			if left == 0 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); err == nil || cmd.ProcessState.ExitCode() != -1 {
			t.Fatalf("the child was not killed: %v", err)
		}
		s := openAt(t, path, Options{})
		view(t, s, func(tx *Tx) error {
			for _, id := range acknowledged {
				n, err := tx.Node(chat, id)
				if err != nil || n.Content != text(id) {
					t.Errorf("acknowledged, but not kept: %s: %v", id, err)
				}
			}
			if got := tx.Counts()["messages"]; got < len(acknowledged) {
				t.Errorf("%d messages for %d acknowledgements", got, len(acknowledged))
			}
			c, err := Chats.Get(tx, chat)
			if err != nil {
				return err
			}
			_, err = tx.Path(chat, c.Head, 0)
			return err
		})
		if err := errors.Join(s.Check(), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// hold keeps the file open until its standard input ends.
func hold(path string) error {
	s, err := Open(path, Options{Program: "hol\x1b[31mder"})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	if _, err := io.Copy(io.Discard, os.Stdin); err != nil {
		return err
	}
	return s.Close()
}

func TestLock_NamesTheHolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	for _, kill := range []bool{true, false} {
		cmd := child(t, "hold", path)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
			t.Fatalf("%q %v", line, err)
		}
		_, err = Open(path, Options{})
		var locked *LockedError
		if !errors.Is(err, ErrLocked) || !errors.As(err, &locked) {
			t.Fatalf("the second opener got %v", err)
		}
		if locked.PID != cmd.Process.Pid || locked.Program != "hol[31mder" || locked.Path != path || locked.Since.IsZero() {
			t.Errorf("%+v", locked)
		}
		if text := err.Error(); !strings.Contains(text, fmt.Sprint("process ", cmd.Process.Pid)) || !strings.Contains(text, path) {
			t.Errorf("it says: %s", text)
		}
		if kill {
			err = cmd.Process.Kill()
		} else {
			err = in.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Wait(); kill == (err == nil) {
			t.Fatal(err)
		}
		if _, err := os.Stat(sidecarPath(path)); errors.Is(err, os.ErrNotExist) == kill {
			t.Errorf("killed: %v, sidecar: %v", kill, err)
		}
		s := openAt(t, path, Options{})
		if _, err := Open(path, Options{LockWait: 1}); !errors.As(err, &locked) || locked.PID != os.Getpid() {
			t.Errorf("after a stale sidecar: %v", err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLock_SidecarMeansNothing(t *testing.T) {
	for name, text := range map[string]string{
		"alive":   fmt.Sprintf(`{"pid":%d,"program":"x"}`, os.Getpid()),
		"garbage": "\x00{{{{",
		"empty":   "",
		"dead":    `{"pid":999999999,"program":"x"}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "ghostlight.db")
			if err := os.WriteFile(sidecarPath(path), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			s := openAt(t, path, Options{})
			if got := mode(t, sidecarPath(path)); got != 0o600 {
				t.Errorf("mode %o", got)
			}
			if err := os.WriteFile(sidecarPath(path), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Open(path, Options{LockWait: 1})
			var locked *LockedError
			if !errors.As(err, &locked) || (locked.PID != 0) != (name == "alive") {
				t.Errorf("got %+v", err)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func limitFiles(size int64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	limit.Cur = limit.Max
	if size >= 0 {
		limit.Cur = uint64(size)
	}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}

// fillDisk runs into a file size limit, once where the file would have to grow
// and once within its present size, and tries what is left of the store.
func fillDisk(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := Open(path, Options{})
	if err != nil {
		return err
	}
	chat := ChatID(NewID())
	add := func() (n Node, err error) {
		n = Node{Chat: chat, Content: strings.Repeat("x", 20_000)}
		return n, s.Update(func(tx *Tx) error { return tx.AppendNode(&n) })
	}
	if err := s.Update(func(tx *Tx) error { return Chats.Put(tx, chat, Chat{Title: "t"}) }); err != nil {
		return err
	}
	count := 0
	for round, limit := range []func(used, size int64) int64{
		func(_, size int64) int64 { return size },
		func(used, _ int64) int64 { return used + 100_000 },
		func(used, _ int64) int64 { return used - 4096 },
	} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		var used int64
		if err := s.View(func(tx *Tx) error { used = tx.tx.Size(); return nil }); err != nil {
			return err
		}
		if err := fillTo(s, chat, limit(used, info.Size()), add, &count); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	return s.Close()
}

// fillTo adds messages until the limit of the file's size refuses one.
func fillTo(s *Store, chat ChatID, limit int64, add func() (Node, error), count *int) error {
	if err := limitFiles(limit); err != nil {
		return err
	}
	n, err := add()
	for ; err == nil; n, err = add() {
		if *count++; *count > 1000 {
			return errors.New("the limit does not show")
		}
	}
	if !errors.Is(err, ErrDiskFull) {
		return fmt.Errorf("not told as a full disk: %w", err)
	}
	if err := expect(s, chat, *count, n.ID); err != nil {
		return fmt.Errorf("still full: %w", err)
	}
	if err := limitFiles(30_000); err != nil {
		return err
	}
	dir := filepath.Dir(s.Path())
	if _, err := s.BackupTo(filepath.Join(dir, "b"), 3); !errors.Is(err, ErrDiskFull) {
		return fmt.Errorf("backup: %v", err)
	}
	if err := s.Compact(filepath.Join(dir, "compact")); !errors.Is(err, ErrDiskFull) {
		return fmt.Errorf("compact: %v", err)
	}
	if err := limitFiles(-1); err != nil {
		return err
	}
	for range 60 { // more than one growing of the file
		if _, err := add(); err != nil {
			return fmt.Errorf("with room again: %w", err)
		}
		*count++
	}
	if err := expect(s, chat, *count, n.ID); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	return nil
}

// expect looks for count messages, without the one that could not be saved.
func expect(s *Store, chat ChatID, count int, refused NodeID) error {
	err := s.View(func(tx *Tx) error {
		if got := tx.Counts()["messages"]; got != count {
			return fmt.Errorf("%d messages instead of %d", got, count)
		}
		if _, err := tx.Node(chat, refused); !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("the refused message: %w", err)
		}
		return nil
	})
	return errors.Join(err, s.Check())
}

func TestDiskFull(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	if err := child(t, "disk", path).Run(); err != nil {
		t.Fatal(err)
	}
	openAt(t, path, Options{})
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "b", "*"))
	if err != nil || len(left) > 0 {
		t.Errorf("half backups: %v %v", left, err)
	}
	left, err = filepath.Glob(filepath.Join(filepath.Dir(path), unfinished+"*"))
	if err != nil || len(left) > 0 {
		t.Errorf("half files: %v %v", left, err)
	}
}

func openOnFullDisk(path string) error {
	signal.Ignore(syscall.SIGXFSZ)
	for _, size := range []int64{0, 5000, 17_000} {
		if err := limitFiles(size); err != nil {
			return err
		}
		if _, err := Open(path, Options{}); !errors.Is(err, ErrDiskFull) {
			return fmt.Errorf("with %d bytes: %w", size, err)
		}
	}
	if err := limitFiles(-1); err != nil {
		return err
	}
	s, err := Open(path, Options{})
	if err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	return errors.Join(s.Check(), s.Close())
}

func TestDiskFull_FirstStart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ghostlight.db")
	if err := child(t, "new on full disk", path).Run(); err != nil {
		t.Fatal(err)
	}
}
