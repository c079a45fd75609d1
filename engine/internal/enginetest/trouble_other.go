//go:build !unix

package enginetest

import "errors"

// VictimDisk makes the child run into the end of the disk instead.
const VictimDisk = "GHOSTLIGHT_ENGINE_VICTIM_DISK"

func performOnFullDisk(string) error {
	return errors.New("a full disk cannot be played on this system")
}
