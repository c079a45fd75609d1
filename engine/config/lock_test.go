package config

import (
	"testing"
	"time"
)

func TestLockAfter(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "never": 0, "10m": 10 * time.Minute, "24h": 24 * time.Hour} {
		if got, err := LockAfter(text); err != nil || got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"1s", "25h", "-10m", "soon", "10"} {
		if got, err := LockAfter(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}
