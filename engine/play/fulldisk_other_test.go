//go:build !unix

package play_test

import "errors"

func performOnFullDisk(string) error {
	return errors.New("a full disk cannot be played on this system")
}
