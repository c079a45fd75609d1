package rehearsal

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// material is what a made-up answer is made of.
type material struct {
	sentences []string // at least one
	names     []string // at least one
}

const (
	maxSentences = 400
	maxName      = 40
)

// gather takes sentences and names out of the newest part of a transcript. A
// request whose transcript stands in the messages themselves ends with an
// instruction, which is left out as long as anything else remains.
func gather(messages []storage.Node) material {
	var spoken []storage.Node
	for _, m := range messages {
		if m.Role != storage.System && strings.TrimSpace(m.Content) != "" {
			spoken = append(spoken, m)
		}
	}
	if len(spoken) > 1 {
		spoken = spoken[:len(spoken)-1]
	}
	var m material
	for _, n := range slices.Backward(spoken) {
		m.sentences = append(sentences(n.Content), m.sentences...)
		if len(m.sentences) > maxSentences {
			m.sentences = m.sentences[len(m.sentences)-maxSentences:]
			break
		}
	}
	for _, n := range spoken {
		for _, name := range labels(n.Content) {
			if !slices.Contains(m.names, name) && len(m.names) < 12 {
				m.names = append(m.names, name)
			}
		}
	}
	if len(m.names) == 0 {
		m.names = proper(m.sentences)
	}
	if len(m.sentences) == 0 {
		m.sentences = []string{"The lamp burns on the empty stage.", "Nobody has spoken yet."}
	}
	return m
}

// sentences splits text into plain ones of a useful length: markers of actions,
// speech and structure, labels and instructions in brackets are taken off.
func sentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "[") || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "|") || strings.HasPrefix(line, "```") {
			continue
		}
		line = strings.TrimSpace(strings.NewReplacer("*", "", "\"", "", "“", "", "”", "", "`", "", "_", "").Replace(line))
		line = strings.TrimLeft(line, "-> ")
		start := 0
		for i, r := range line {
			if !strings.ContainsRune(".!?…", r) {
				continue
			}
			end := i + utf8.RuneLen(r)
			if end < len(line) && line[end] != ' ' {
				continue
			}
			out = keep(out, line[start:end])
			start = end
		}
		out = keep(out, line[start:])
	}
	return out
}

func keep(list []string, s string) []string {
	s = strings.TrimSpace(s)
	if n := len(strings.Fields(s)); n < 3 || n > 60 {
		return list
	}
	return append(list, s)
}

// labels finds who speaks in a transcript of lines like "Name: …" and
// "[Message 3/10] Name (…):".
func labels(text string) []string {
	var names []string
	for line := range strings.Lines(text) {
		if speaker, _, ok := label(line); ok {
			names = append(names, speaker)
		}
	}
	return names
}

// label reads the head of a transcript line.
func label(line string) (speaker, rest string, ok bool) {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "[") {
		at := strings.IndexByte(line, ']')
		if at < 0 {
			return "", "", false
		}
		line = strings.TrimSpace(line[at+1:])
	}
	speaker, rest, ok = strings.Cut(line, ":")
	if before, _, marked := strings.Cut(speaker, " ("); marked {
		speaker = before
	}
	speaker = strings.Trim(speaker, "* ")
	first, _ := utf8.DecodeRuneInString(speaker)
	if !ok || !unicode.IsUpper(first) || len(strings.Fields(speaker)) > 3 || len(speaker) > maxName || strings.ContainsAny(speaker, ".,\"!?") {
		return "", "", false
	}
	return speaker, strings.TrimSpace(rest), true
}

// proper guesses names: words with a capital inside a sentence, the commonest
// first.
func proper(sentences []string) []string {
	count := map[string]int{}
	for _, s := range sentences {
		for i, w := range strings.Fields(s) {
			w = strings.TrimFunc(w, func(r rune) bool { return !unicode.IsLetter(r) })
			w = strings.TrimSuffix(strings.TrimSuffix(w, "'s"), "’s")
			first, _ := utf8.DecodeRuneInString(w)
			if i > 0 && len(w) > 2 && len(w) < maxName && unicode.IsUpper(first) && !strings.ContainsAny(w, "'’") {
				count[w]++
			}
		}
	}
	names := make([]string, 0, len(count))
	for w := range count {
		names = append(names, w)
	}
	slices.SortFunc(names, func(a, b string) int {
		if count[a] != count[b] {
			return count[b] - count[a]
		}
		return strings.Compare(a, b)
	})
	if len(names) == 0 {
		return []string{"Somebody"}
	}
	return names[:min(len(names), 6)]
}
