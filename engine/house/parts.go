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
	total := TokensOf(messages, count)
	var parts [][]ollama.Message
	for cut := total - min(unread, total) + part; cut+part/2 < total; cut += part {
		parts = append(parts, Beginning(messages, count, cut))
	}
	return parts
}

// TokensOf is how many tokens the texts of messages have, by an estimate.
func TokensOf(messages []ollama.Message, count func(string) int) (total int) {
	for _, m := range messages {
		total += max(count(m.Content), 1)
	}
	return total
}

// Beginning is what of messages has about so many tokens, cut in the middle of a message
// where that is so. There is always one.
func Beginning(messages []ollama.Message, count func(string) int, tokens int) []ollama.Message {
	for i, m := range messages {
		size := max(count(m.Content), 1)
		if size >= tokens {
			m.Content = beginning(m.Content, float64(tokens)/float64(size))
			return append(messages[:i:i], m)
		}
		tokens -= size
	}
	return messages
}

// beginning is a share of a text, cut between two words where there are any.
func beginning(text string, share float64) string {
	at := min(max(int(float64(len(text))*share), 0), len(text))
	if space := strings.LastIndexAny(text[:at], " \n"); space > at/2 {
		at = space
	}
	return strings.ToValidUTF8(text[:at], "")
}
