package draw_test

import (
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/tui/draw"
)

func TestTimeLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		d    time.Duration
		want string
	}{{0, ""}, {-time.Second, ""}, {time.Millisecond, "1 s left"}, {40 * time.Second, "40 s left"}, {89 * time.Second, "89 s left"},
		{90 * time.Second, "2 min left"}, {110 * time.Second, "2 min left"}, {89 * time.Minute, "89 min left"}, {3 * time.Hour, "3 h left"}} {
		if got := draw.TimeLeft(c.d); got != c.want {
			t.Errorf("%s: %q, want %q", c.d, got, c.want)
		}
	}
}
