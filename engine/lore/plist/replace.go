package plist

import "strings"

// ReplaceFacts returns content with these facts in place of its own, in the same form: an entry
// keeps its head, and each fact that it had keeps the text before it. An entry without a fact is
// "".
func ReplaceFacts(content string, facts []string) string {
	s := split(content)
	c := builder{of: s, head: s.headPiece()}
	leads := map[string]string{}
	for i, p := range s.pieces {
		if _, known := leads[factKey(p.text)]; !p.head && !known {
			leads[factKey(p.text)] = s.pieces[i].lead
		}
	}
	for i, f := range facts {
		lead := leads[factKey(f)]
		if i == 0 && !s.list && len(s.pieces) > 0 {
			lead = s.pieces[0].lead
		}
		c.add(piece{lead: lead, text: f})
	}
	return c.text()
}

// KeepFacts returns text, an expanded copy of content, with only the facts for which keep returns
// true. It is "" if the facts cannot be found in the text.
func KeepFacts(text, content string, keep func(fact string) bool) string {
	said, facts := Facts(text), Facts(content)
	if len(said) != len(facts) {
		return ""
	}
	var kept []string
	for i, f := range facts {
		if keep(f) {
			kept = append(kept, said[i])
		}
	}
	if len(kept) == len(said) {
		return text
	}
	return ReplaceFacts(text, kept)
}

// Reword returns a content with other words for some of its facts; "" removes a fact. Everything
// else stays byte for byte unless a fact is removed. Words that a list cannot hold are cleaned. A
// content without facts is "".
func Reword(content string, words map[string]string) string {
	s := split(content)
	write := func(plain bool) string {
		var kept []string
		for _, p := range s.pieces {
			if now, changed := words[p.text]; !p.head && (!changed || now != "") {
				kept = append(kept, p.text)
			}
		}
		text := content
		if len(kept) == 0 {
			return ""
		}
		if all := Facts(content); len(kept) < len(all) {
			text = ReplaceFacts(content, kept)
		}
		var b strings.Builder
		left := split(text)
		for _, p := range left.pieces {
			now, changed := words[p.text]
			if !changed || p.head {
				now = p.text
			} else if plain {
				now = CleanText(now)
			}
			b.WriteString(p.lead + now)
		}
		return b.String() + left.tail
	}
	out := write(false)
	if s.list && len(Facts(out)) != len(Facts(write(true))) || s.list && !IsList(out) {
		return write(true)
	}
	return out
}
