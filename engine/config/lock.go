package config

import (
	"fmt"
	"time"
)

// The limits of the time before the screen locks itself.
const (
	minLock = 10 * time.Second
	maxLock = 24 * time.Hour
)

// LockAfter parses the time without a key after which the screen locks itself; "" and "never" are 0
// and mean never.
func LockAfter(text string) (time.Duration, error) {
	if text == "" || text == "never" {
		return 0, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < minLock || d > maxLock {
		return 0, fmt.Errorf(`must be a time from "10s" to a day, such as "10m", or "never", not %q`, text)
	}
	return d, nil
}
