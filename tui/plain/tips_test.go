package plain

import (
	"slices"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
)

// A tip is a line of its own, once; where tips are off there is none.
func TestTips_ALineOfTheirOwn(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{true, false} {
		k := begin(t, demo.Options{}, demo.Model, func(o *Options) { o.Tips = on })
		k.see("Your name?").enter("").see("Choose a character").enter("1")
		k.see("Write a message").enter("Hello.")
		if on {
			k.see("\nTip: /again regenerates the reply")
		}
		k.see("Robin: ").enter("/again").see("Robin: ").enter("/quit").see("Goodbye.")
		if got := k.e.Settings.Screen().Tips; slices.Contains(got, "plain-another") != on {
			t.Errorf("on %v: told %v", on, got)
		}
	}
}
