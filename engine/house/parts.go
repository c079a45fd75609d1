package house

import (
	"strings"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/text"
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
	// partLeast is as few tokens as are read by themselves: below it the request is most
	// of the time.
	partLeast = 48
	// While nobody knows how fast a model reads, the first part has so many tokens, and no
	// more than so many are read at once.
	unknownPart, unknownWhole = 128, 256
)

// InParts gives the beginnings of a prompt that a server is to read one after the other
// before all of it: each adds what it reads in less than a second. unread is how many
// tokens at the prompt's end it does not have in its cache, tokenMS how many milliseconds
// it reads at one, 0 where that is not known. How long a part has taken says how large the
// next one may be: a machine that has much else to do reads more slowly than was learnt.
// nil where the whole is read soon.
func InParts(messages []ollama.Message, count func(string) int, unread int, tokenMS float64) func(took time.Duration) []ollama.Message {
	most := unknownPart
	switch {
	case tokenMS <= 0 && unread <= unknownWhole, tokenMS > 0 && float64(unread)*tokenMS <= float64(wholeTime.Milliseconds()):
		return nil
	case tokenMS > 0:
		most = int(float64(partTime.Milliseconds()) / tokenMS)
	}
	total := TokensOf(messages, count)
	unread = min(unread, total)
	least := max(1, unread/partsMost)
	part, at, read := max(most, least), total-unread, false
	return func(took time.Duration) []ollama.Message {
		if read {
			fits := int(float64(part) * float64(partTime) / float64(max(took, time.Millisecond)))
			if tokenMS <= 0 {
				most = part + part/2 // by steps: what was quick may have been in the cache
			}
			part = max(min(fits, most), min(most, partLeast), least)
		}
		if at += part; at+part/2 >= total {
			return nil
		}
		read = true
		return Beginning(messages, count, at)
	}
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
func beginning(s string, share float64) string {
	at := min(max(int(float64(len(s))*share), 0), len(s))
	if space := strings.LastIndexAny(s[:at], " \n"); space > at/2 {
		at = space
	}
	return text.Truncate(s, at)
}
