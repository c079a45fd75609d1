package rehearsal

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// mostTold is how many lines an answer about the play is made of.
const mostTold = 2

// inform answers a question about the play with the lines that have most of its words, as
// they stand there. Where none has any the play does not say.
func inform(messages []storage.Node) (record, bool) {
	var text strings.Builder
	for _, m := range messages {
		text.WriteString(m.Content + "\n")
	}
	blocks, _ := between(text.String(), []string{"lines", "question"})
	if blocks["lines"] == "" || blocks["question"] == "" {
		return nil, false
	}
	clues := setOf(content(blocks["question"]))
	var hits []note
	shared := map[int]int{} // by number
	for l := range strings.Lines(blocks["lines"]) {
		if n, ok := numbered(strings.TrimSpace(l)); ok && overlap(content(n.text), clues) > 0 {
			hits = append(hits, n)
			shared[n.number] = overlap(content(n.text), clues)
		}
	}
	slices.SortStableFunc(hits, func(a, b note) int { return cmp.Compare(shared[b.number], shared[a.number]) })
	answer := []any{}
	for _, n := range hits[:min(mostTold, len(hits))] {
		answer = append(answer, record{"text": n.text, "from": []any{n.number}})
	}
	return record{"answer": answer}, true
}
