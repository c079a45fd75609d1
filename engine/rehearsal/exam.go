package rehearsal

import (
	"slices"
	"strconv"
	"strings"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Questions of an exam: how many, and of how many words each.
const (
	usualQuestions = 5
	mostClues      = 4
)

// Answers to what the memory does not hold: the one that the request may ask for,
// and the usual one.
const (
	notThere = "not in memory"
	unknown  = "unknown"
)

// question examines a scene: some questions about what its recap is likely to
// hold, some about what stands between.
func question(root *schema, messages []storage.Node) (record, bool) {
	p := transcript(messages)
	t := tellAll(p.notes)
	count := usualQuestions
	if top, err := root.flat(root); err == nil {
		if of, err := top.property("questions").flat(root); err == nil {
			count = of.room(root, max(usualQuestions, of.MinItems))
		}
	}
	var out []any
	used := map[string]bool{}
	ask := func(facts []fact, most int) {
		for _, i := range spread(len(facts), len(facts)) {
			q := facts[i].question()
			if len(out) >= most || q == "" || used[q] {
				continue
			}
			used[q] = true
			out = append(out, record{"question": q, "answer": facts[i].text, "messages": []any{facts[i].number}})
		}
	}
	kept := t.story(sceneRoom["key_developments"], 0)
	rest := slices.DeleteFunc(t.all(), func(f fact) bool { return slices.Contains(kept, f) })
	ask(sample(kept, (count+1)/2), (count+1)/2)
	ask(sample(rest, count), count)
	ask(kept, count)
	ask(rest, count)
	return record{"questions": out}, len(out) > 0
}

// sample picks most facts at even distances.
func sample(facts []fact, most int) []fact {
	var out []fact
	for _, i := range spread(len(facts), most) {
		out = append(out, facts[i])
	}
	return out
}

// question asks for a fact by some of its words, so that whoever holds the fact
// can tell which one is meant.
func (f fact) question() string {
	text := f.text
	if f.quote != "" {
		text = f.quote
	}
	var clues []string
	for _, w := range content(text) {
		if !slices.Contains(clues, w) && !strings.EqualFold(w, f.speaker) {
			clues = append(clues, w)
		}
	}
	if len(clues) < 2 {
		return ""
	}
	slices.SortStableFunc(clues, func(a, b string) int { return len(b) - len(a) })
	clues = clues[:min(len(clues), mostClues)]
	about := joined(clues)
	switch {
	case f.quote != "" && f.speaker != "":
		return "What does " + f.speaker + " say of " + about + "?"
	case f.quote != "":
		return "What is said of " + about + "?"
	}
	return "What happens with " + about + "?"
}

// examine answers questions from what the request gives as memory, and from
// nothing else.
func examine(messages []storage.Node) (record, bool) {
	asked, memory := examPaper(messages)
	otherwise := unknown
	for _, m := range messages {
		if strings.Contains(m.Content, notThere) {
			otherwise = notThere
		}
	}
	var out []any
	for _, q := range asked {
		answer, ok := recall(q.text, memory)
		if !ok {
			answer = otherwise
		}
		out = append(out, record{"number": q.number, "answer": answer})
	}
	return record{"answers": out}, len(out) > 0
}

// examPaper parts the questions from the memory: by the tags around them, or
// else by their numbers and what stands above them.
func examPaper(messages []storage.Node) (asked []note, memory []string) {
	p := read(messages)
	if p.blocks["questions"] == "" {
		return untagged(messages)
	}
	for _, l := range trimmed(p.blocks["questions"]) {
		if n, ok := numbered(l); ok {
			asked = append(asked, n)
		}
	}
	for _, name := range tags {
		if name != "questions" {
			memory = append(memory, trimmed(p.blocks[name])...)
		}
	}
	return asked, memory
}

// untagged tells questions by their numbers, if they end with a question mark or
// stand below a line that names them.
func untagged(messages []storage.Node) (asked []note, memory []string) {
	for _, m := range messages {
		if m.Role != storage.User && m.Role != storage.System {
			continue
		}
		below := false
		for _, l := range trimmed(m.Content) {
			n, ok := numbered(l)
			switch {
			case ok && (below || strings.HasSuffix(l, "?")):
				asked = slices.DeleteFunc(asked, func(o note) bool { return o.number == n.number })
				asked = append(asked, n)
			case isBorder(l) || strings.HasSuffix(l, ":"):
				below = strings.Contains(strings.ToLower(l), "question") && !strings.HasPrefix(l, "</")
			case l != "" && (m.Role == storage.User || strings.ContainsAny(l[:1], "-*[")):
				memory = append(memory, l)
			}
		}
	}
	return asked, memory
}

// numbered reads a line like "3. text", "3) text" or "[3] text".
func numbered(l string) (note, bool) {
	l = strings.TrimLeft(l, "[(-*# ")
	end := strings.IndexFunc(l, func(r rune) bool { return r < '0' || r > '9' })
	if end < 1 || !strings.ContainsRune(".)]:", rune(l[end])) {
		return note{}, false
	}
	number, err := strconv.Atoi(l[:end])
	text := strings.TrimSpace(strings.TrimLeft(l[end:], ".)]:"))
	return note{number: number, text: text}, err == nil && number < 1_000_000 && text != ""
}

// recall finds the line of the memory that holds most of a question's words: two
// thirds of them, or nothing is known. Of a long paragraph a sentence counts.
func recall(question string, memory []string) (string, bool) {
	clues := slices.DeleteFunc(content(question), func(w string) bool { return w == "happens" || w == "does" })
	best, most := "", 0
	for _, l := range memory {
		parts := []string{strings.TrimSpace(strings.TrimLeft(l, "-*• "))}
		if whole := sentences(l); len(l) > 2*longestFact && len(whole) > 1 {
			parts = whole
		}
		for _, part := range parts {
			if n := overlap(clues, setOf(content(part))); n > most && n*3 >= len(clues)*2 {
				best, most = part, n
			}
		}
	}
	return best, most > 0
}
