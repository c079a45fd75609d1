package director_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
)

// What a turn's prompt leaves free is enough for the pass after it: a reply as long as
// those before, the instruction in the model's own tokens, and the answer.
func TestPassRoom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		context, reply, longest int
		ratio                   float64
	}{{8192, 1024, 0, 1}, {8192, 1024, 200, 1}, {8192, 1024, 800, 1}, {8192, 1024, 1024, 1.4}, {8192, 300, 300, 2.5}, {4096, 512, 500, 0.6}, {4096, 2000, 100, 3}} {
		got := director.PassRoom(c.context, c.reply, c.ratio, c.longest)
		comes := min(max(c.longest, 400), c.reply)
		need := comes + int(480*c.ratio) + director.PassReply(c.context) - c.reply
		if got < need || got > max(need, 0)+145 {
			t.Errorf("%+v: %d are left, and %d needed", c, got, need)
		}
	}
	if a, b := director.PassRoom(8192, 1024, 1, 520), director.PassRoom(8192, 1024, 1, 600); a != b {
		t.Errorf("it moves with every reply: %d, %d", a, b)
	}
}
