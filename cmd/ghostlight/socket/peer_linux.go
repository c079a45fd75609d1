package socket

import (
	"errors"
	"net"

	"golang.org/x/sys/unix"
)

// peer returns the user whose process is at the other end.
func peer(c *net.UnixConn) (uid int, err error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0, err
	}
	var cred *unix.Ucred
	var fault error
	err = raw.Control(func(fd uintptr) {
		cred, fault = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	if err = errors.Join(err, fault); err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
