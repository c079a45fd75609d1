package main_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mostMemory is far above what the program takes, in MiB: what grew to it has grown with
// the story.
const mostMemory = 160

// What the program takes at most for one reply does not grow with what it remembers. The
// figures are in the log: go test ./cmd/ghostlight -run TestTerminal_Memory -v.
func TestTerminal_Memory(t *testing.T) {
	for _, messages := range []int{0, 10_000} {
		s := rehearse(t)
		s.set("GHOSTLIGHT_REHEARSAL_DELAY", "0s")
		flags := []string{"--rehearse", "--data", s.path("house")}
		if messages > 0 {
			s.longChat(messages, flags)
			s.start(flags...)
		} else {
			s.start(flags...)
			s.welcomed()
			s.do("send-keys", "Enter")
		}
		s.see("Write your line")
		s.do("send-keys", "-l", "I light the lamp.")
		s.see("› I light the lamp.")
		s.do("send-keys", "Enter")
		s.until("the end of the turn", turnEnded)
		status, err := os.ReadFile("/proc/" + s.tell("#{pane_pid}") + "/status")
		if err != nil {
			t.Skip("NOT TESTED: this system does not tell what a program takes")
		}
		peak := regexp.MustCompile(`VmHWM:\s+(\d+)`).FindSubmatch(status)
		own := regexp.MustCompile(`RssAnon:\s+(.*)`).FindSubmatch(status) // the rest are pages of the program's file
		if peak == nil || own == nil {
			t.Fatalf("no peak in %s", status)
		}
		kib, err := strconv.Atoi(string(peak[1]))
		if err != nil {
			t.Fatal(err)
		}
		if t.Logf("%d messages: %d MiB at most; of its own at the end: %s", messages, kib>>10, own[1]); kib>>10 > mostMemory {
			t.Errorf("%d messages: %d MiB at most", messages, kib>>10)
		}
		s.do("send-keys", "C-q")
		s.until("the program's end", func(screen string) bool { return screen == "" })
	}
}

// longChat puts a chat of so many messages into the store, and leaves the first evening
// behind it.
func (s *stage) longChat(n int, flags []string) {
	s.t.Helper()
	var b strings.Builder
	b.WriteString(`{"user_name":"Robin","character_name":"Tove","create_date":"2026-01-01T00:00:00Z"}` + "\n")
	for i := range n {
		fmt.Fprintf(&b, `{"name":%q,"is_user":%t,"send_date":"2026-01-01T00:00:00Z","mes":"*A gesture* and \"speech\" in line %d of the long evening, which goes on for a while."}`+"\n",
			[]string{"Tove", "Robin"}[i%2], i%2 == 1, i)
	}
	path := s.path("Tove - long.jsonl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		s.t.Fatal(err)
	}
	var got struct{}
	s.command(&got, append([]string{"chat", "import", path}, flags...)...)
}
