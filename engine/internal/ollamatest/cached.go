package ollamatest

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// Reading is what a real server did with one prompt, in tokens: how long it is, and how
// much of it was read, because it did not stand in the cache from the prompt before.
type Reading struct{ Prompt, Read int }

// Readings are all prompts that the real server has had so far, in their order. The API
// counts all of a prompt, cached or not, and times depend on what else the machine does;
// the server's log tells it apart, which cmd/tinyollama has written in enough detail.
// Where there is no such log the test is skipped.
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
