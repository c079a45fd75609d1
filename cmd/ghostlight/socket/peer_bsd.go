//go:build darwin || freebsd

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
	var cred *unix.Xucred
	var fault error
	err = raw.Control(func(fd uintptr) {
		cred, fault = unix.GetsockoptXucred(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	})
	if err = errors.Join(err, fault); err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}
