package main_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// maxMemory is far above what the program takes, in MiB: what grew to it has grown with
// the story.
const maxMemory = 160

// What the program takes at most for one reply does not grow with what it remembers. The
// figures are in the log: go test ./cmd/ghostlight -run TestTerminal_Memory -v.
func TestTerminal_Memory(t *testing.T) {
	t.Parallel()
	for _, messages := range []int{0, 10_000} {
		s := demo(t)
		s.set("GHOSTLIGHT_DEMO_DELAY", "0s")
		flags := []string{"--demo", "--data", s.path("house")}
		if messages > 0 {
			s.longChat(messages, flags)
			s.start(flags...)
		} else {
			s.start(flags...)
			s.welcomed()
			s.do("send-keys", "Enter")
		}
		s.see("Write a message")
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
		if t.Logf("%d messages: %d MiB at most; of its own at the end: %s", messages, kib>>10, own[1]); kib>>10 > maxMemory {
			t.Errorf("%d messages: %d MiB at most", messages, kib>>10)
		}
		s.do("send-keys", "C-q")
		s.until("the program's end", func(screen string) bool { return screen == "" })
	}
}

// maxStreaming is far above the cost of a word of a streaming reply, in milliseconds of processor
// time with the simulated server's share. Code that exceeds it looks at the whole reply, or at
// everything that is watched for, with each word.
const maxStreaming = 5

// What a reply costs while it streams at a hundred words a second, in the whole program and
// on a real terminal. The figures are in the log: go test ./cmd/ghostlight -run
// TestTerminal_Streaming -v.
func TestTerminal_Streaming(t *testing.T) {
	t.Parallel()
	s := demo(t)
	s.set("GHOSTLIGHT_DEMO_DELAY", "10ms")
	flags := []string{"--demo", "--data", s.path("house")}
	s.start(flags...)
	s.welcomed()
	s.do("send-keys", "Enter")
	s.see("Write a message")
	s.do("send-keys", "-l", "I light the lamp.")
	s.see("› I light the lamp.")
	pid := s.tell("#{pane_pid}")
	before, ok := spent(pid)
	if !ok {
		t.Skip("NOT TESTED: this system does not tell what a program takes")
	}
	s.do("send-keys", "Enter")
	s.until("the end of the turn", turnEnded)
	after, _ := spent(pid)
	var got []struct{ ID string }
	s.command(&got, append([]string{"chat", "list"}, flags...)...)
	var chat struct{ Messages []struct{ Content string } }
	s.command(&chat, append([]string{"chat", "show", got[0].ID}, flags...)...)
	words := len(strings.Fields(chat.Messages[len(chat.Messages)-1].Content))
	t.Logf("%d ms for a reply of %d words, the turn and what follows it included", after-before, words)
	if words < 20 || after-before > 1000+maxStreaming*words {
		t.Errorf("%d ms for a reply of %d words", after-before, words)
	}
}

// spent is the processor time that a process has taken, in milliseconds.
func spent(pid string) (ms int, ok bool) {
	data, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(data), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0, false
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return 10 * (user + system), true // Linux counts in hundredths of a second
}

// longChat puts a chat of so many messages into the store, and leaves the first evening
// behind it.
func (s *terminal) longChat(n int, flags []string) {
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
