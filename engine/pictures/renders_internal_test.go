package pictures

import (
	"testing"
	"time"
)

// A server that tells of steps and not of their node tells nothing about the time.
func TestClock_StepsOfNoNode(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	c := clock{took: map[string]time.Duration{}, start: now}
	if got := c.left(now, jobStand{Step: 5, Of: 10}); got != 0 {
		t.Errorf("it will take %s", got)
	}
}
