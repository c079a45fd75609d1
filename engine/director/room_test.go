package director_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
)

// The room that a turn's prompt leaves is enough for the pass after it: a reply as long as those
// before, the instruction in the model's own tokens, and the answer.
func TestPassRoom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		context, reply, longest, said int
	}{{8192, 1024, 0, 900}, {8192, 1024, 200, 900}, {8192, 1024, 800, 900}, {8192, 1024, 1024, 1300}, {8192, 300, 300, 2000}, {4096, 512, 500, 600},
		{4096, 2000, 100, 2400}} {
		got := director.PassBudget(c.context, c.reply, c.said, c.longest)
		comes := min(max(c.longest, 400), c.reply)
		need := comes + c.said + director.PassReply(c.context) - c.reply
		if got < need || got > max(need, 0)+210 {
			t.Errorf("%+v: %d are left, and %d needed", c, got, need)
		}
	}
	if a, b := director.PassBudget(8192, 1024, 900, 520), director.PassBudget(8192, 1024, 900, 600); a != b {
		t.Errorf("it moves with every reply: %d, %d", a, b)
	}
}
