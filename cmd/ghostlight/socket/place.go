//go:build linux || darwin || freebsd

package socket

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxPathLen is the maximum length of a socket's path, in bytes, that every system accepts.
const maxPathLen = 100

// folders returns the folders that may contain a socket, best first. A client searches all of them,
// because for example an ssh session and a cron job have different environments.
func folders() (list []string) {
	uid := strconv.Itoa(os.Geteuid())
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		list = append(list, filepath.Join(dir, "ghostlight"))
	}
	list = append(list, filepath.Join("/run/user", uid, "ghostlight"))
	for _, dir := range []string{os.TempDir(), "/tmp"} {
		list = append(list, filepath.Join(dir, "ghostlight-"+uid))
	}
	return slices.Compact(list)
}

// name returns the name of the socket for a data folder. All paths to the same folder give the same
// name.
func name(data string) (string, error) {
	info, err := os.Stat(data)
	if err != nil {
		return "", err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return "", errors.New("this system does not identify folders")
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%d", st.Dev, st.Ino))
	return hex.EncodeToString(sum[:8]) + ".sock", nil
}

// private returns an error unless a folder belongs to the user and is closed to everybody else.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir() || !ok:
		return fmt.Errorf("%s is not a folder", dir)
	case int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is accessible to other users", dir)
	}
	return nil
}

// checkParent returns an error unless dir is a folder to make the socket's folder in: one that the
// user owns, or a shared one with the sticky bit.
func checkParent(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(st.Uid) != os.Geteuid() && info.Mode()&os.ModeSticky == 0 {
		return fmt.Errorf("%s belongs to another user", dir)
	}
	return nil
}

// place returns the path for the socket of a data folder. It makes the socket's folder.
func place(data string) (path string, err error) {
	base, err := name(data)
	if err != nil {
		return "", err
	}
	var faults []error
	for _, dir := range folders() {
		path := filepath.Join(dir, base)
		if len(path) > maxPathLen {
			faults = append(faults, fmt.Errorf("%s is too long a path for a socket", path))
			continue
		}
		if err := checkParent(filepath.Dir(dir)); err != nil {
			faults = append(faults, err)
			continue
		}
		if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			faults = append(faults, err)
			continue
		}
		if err := private(dir); err != nil {
			faults = append(faults, err)
			continue
		}
		return path, nil
	}
	return "", errors.Join(faults...)
}

// listen makes the socket. The caller holds the lock of the data folder, so an existing socket is a
// leftover.
func listen(path string) (*net.UnixListener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	// The folder is private already; the mode is for those who look at it.
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// minSweepAge is the minimum age of a socket to be swept: a younger one may belong to a program
// that is about to listen on it.
const minSweepAge = time.Minute

// sweep removes the sockets of programs that were killed.
func sweep(dir string) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		path := filepath.Join(dir, e.Name())
		info, err := e.Info()
		if err != nil || info.Mode().Type() != os.ModeSocket || !strings.HasSuffix(path, ".sock") ||
			time.Since(info.ModTime()) < minSweepAge {
			continue
		}
		c, err := net.DialTimeout("unix", path, time.Second)
		switch {
		case err == nil:
			_ = c.Close() // only tested whether a program listens
		case errors.Is(err, syscall.ECONNREFUSED):
			_ = os.Remove(path) // the next sweep finds what is left
		}
	}
}

// connect reaches the program that has a data folder open. ErrNobody: there is none.
func connect(data string) (*net.UnixConn, error) {
	base, err := name(data)
	if err != nil {
		return nil, ErrNobody // no folder, or none that can be looked at
	}
	for _, dir := range folders() {
		path := filepath.Join(dir, base)
		if len(path) > maxPathLen || private(dir) != nil {
			continue
		}
		c, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			continue // no program listens there (any more)
		}
		if err := isOwnSocket(c); err != nil {
			return nil, errors.Join(err, c.Close())
		}
		return c, nil
	}
	return nil, ErrNobody
}

// isOwnSocket returns an error unless the process at the other end is the user's own.
func isOwnSocket(c *net.UnixConn) error {
	uid, err := peer(c)
	if err != nil {
		return fmt.Errorf("the user at the other end could not be determined: %w", err)
	}
	if uid != os.Geteuid() {
		return fmt.Errorf("the connection comes from user %d: a program serves only its own user", uid)
	}
	return nil
}
