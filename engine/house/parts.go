package house

import (
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
)

const (
	// partTime is how long one part of a prompt takes to read. A server that is left
	// reads to the end of what it was given: who speaks in the middle of background
	// work waits for the rest of a part, and no longer.
	partTime = 700 * time.Millisecond
	// wholeTime is how long reading may take that is not parted.
	wholeTime = time.Second
	// partsMost bounds the parts of one prompt.
	partsMost = 64
)

// InParts are the beginnings of a prompt that a server is to read one after the other
// before all of it: each adds what it reads in less than a second. unread is how many
// tokens at the prompt's end it does not have in its cache, tokenMS how many milliseconds
// it reads at one, 0 where that is not known. nil where the whole is read soon, or where
// nobody knows how soon.
func InParts(messages []ollama.Message, count func(string) int, unread int, tokenMS float64) [][]ollama.Message {
	if tokenMS <= 0 || float64(unread)*tokenMS <= float64(wholeTime.Milliseconds()) {
		return nil
	}
	part := max(1, int(float64(partTime.Milliseconds())/tokenMS), unread/partsMost)
	sizes, total := make([]int, len(messages)), 0
	for i, m := range messages {
		sizes[i] = max(count(m.Content), 1)
		total += sizes[i]
	}
	var parts [][]ollama.Message
	before, i := 0, 0
	for cut := total - min(unread, total) + part; cut+part/2 < total; cut += part {
		for before+sizes[i] < cut {
			before += sizes[i]
			i++
		}
		m := messages[i]
		m.Content = beginning(m.Content, float64(cut-before)/float64(sizes[i]))
		parts = append(parts, append(messages[:i:i], m))
	}
	return parts
}

// beginning is a share of a text, cut between two words where there are any.
func beginning(text string, share float64) string {
	at := min(int(float64(len(text))*share), len(text))
	if space := strings.LastIndexAny(text[:at], " \n"); space > at/2 {
		at = space
	}
	return strings.ToValidUTF8(text[:at], "")
}
