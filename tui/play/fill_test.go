package play_test

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// How full the context is reads the same in the status line and in the prompt pane.
func TestFill_TheSameFigureEverywhere(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{W: 120, H: 30, Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Say("\"And then?\"").Still().Press("f4").See("─ Prompt", " tokens").Still()
	of := regexp.MustCompile(`(\d+) of (\d+) tokens`)
	s.WaitFor("the same share", func(frame string) bool {
		m := of.FindStringSubmatch(frame)
		if m == nil {
			return false
		}
		used, _ := strconv.Atoi(m[1])
		avail, _ := strconv.Atoi(m[2])
		return regexp.MustCompile(fmt.Sprintf(`context %d%%`, used*100/avail)).MatchString(frame)
	})
}
