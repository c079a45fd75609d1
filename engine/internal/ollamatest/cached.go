package ollamatest

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// Reading describes how a real server read one prompt: its length, and the part that was read
// because it was not in the cache of the prompt before. Both are in tokens.
type Reading struct{ Prompt, Read int }

// Readings returns all prompts that the real server has had so far, in order. The API counts all
// tokens of a prompt, cached or not, and times depend on the load of the machine. The server's log
// distinguishes them; cmd/tinyollama writes it in enough detail. Without such a log the test is
// skipped.
func Readings(t testing.TB) (list []Reading) {
	t.Helper()
	path := os.Getenv("GHOSTLIGHT_TEST_OLLAMA_LOG")
	if path == "" {
		t.Skip("NOT TESTED: without the log of the server, which `go run ./cmd/tinyollama -- go test -run Real " +
			"./...` has, nothing tells what it had cached")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	slot := regexp.MustCompile(`"?loading cache slot"? .*\bprompt=(\d+) .*\bremaining=(\d+)`)
	for _, m := range slot.FindAllSubmatch(data, -1) {
		var r Reading
		for i, into := range []*int{&r.Prompt, &r.Read} {
			if *into, err = strconv.Atoi(string(m[i+1])); err != nil {
				t.Fatal(err)
			}
		}
		list = append(list, r)
	}
	return list
}
