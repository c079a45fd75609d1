package config

import (
	"fmt"
	"time"
)

// The bounds of how long the screen waits before it locks itself.
const (
	minLock = 10 * time.Second
	maxLock = 24 * time.Hour
)

// LockAfter reads after how long without a key the screen locks itself; "" and "never",
// which are 0, is not at all.
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
