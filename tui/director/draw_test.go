package director

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// The line of tension goes from the oldest to the newest, within its steps.
func TestDirector_Tension(t *testing.T) {
	for name, c := range map[string]struct {
		tension []int // the newest first
		plain   bool
		want    string
	}{
		"none":       {nil, false, ""},
		"one":        {[]int{100}, false, "tension █ 100"},
		"rising":     {[]int{72, 35, 0}, false, "tension ▁▃▆ 72"},
		"beyond":     {[]int{4000, -3}, false, "tension ▁█ 100"},
		"in numbers": {[]int{72, 35, 0}, true, "tension 0 35 72"},
	} {
		v := director.View{}
		for _, n := range c.tension {
			v.Turns = append(v.Turns, director.TurnView{Evaluated: true, Evaluation: storage.Evaluation{Tension: n}}, director.TurnView{})
		}
		if got := tensionWords(&v, 80, c.plain); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
