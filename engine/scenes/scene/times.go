package scene

import (
	"strings"
)

// TimeCue are words of a message that say when it plays. A skip tells that time has
// passed; any other stands in a header.
type TimeCue struct {
	Text string
	Skip bool
}

// maxCues is how many cues of a message are given.
const maxCues = 8

// Times are the cues to the time of the story in a message, in their order: headers,
// counts of days, and explicit skips, where the table looks for them. What is spoken
// or told in a sentence is none of them. Whether they say anything is for the reader
// of times.
func Times(m Message) []TimeCue {
	k := look{m: m, lines: firstLines(m.Text, maxFirst)}
	if len(k.lines) == 0 || isFence(k.lines[0].text) {
		return nil
	}
	var out []TimeCue
	end := 0
	for i, raw := range k.lines {
		if end = raw.at + len(raw.text); i > 0 && raw.at-k.lines[0].at > maxLead {
			end = raw.at
			break
		}
		if i == 0 {
			raw.text = k.unlabelled(raw.text)
		}
		out = append(out, k.timesOf(raw, i == 0)...)
	}
	last, before := lastLines(m.Text)
	for _, raw := range []rawLine{before, last} {
		if raw.text != "" && raw.at >= end {
			out = append(out, k.timesOf(raw, false)...)
		}
	}
	if group := trailingGroup(last.text); group != "" && group != last.text {
		out = append(out, k.skipMark(peel(rawLine{text: group}))...)
	}
	return out[:min(len(out), maxCues)]
}

// timesOf are the cues of one line; opens tells whether the message begins with it.
func (k *look) timesOf(raw rawLine, opens bool) []TimeCue {
	if !promising(raw.text) {
		return nil
	}
	l := peel(raw)
	if l.quoted || l.cut && !opens {
		return nil
	}
	if out := k.skipMark(l); out != nil {
		return out
	}
	if group := leadingGroup(l.text); opens && group != "" && group != l.text {
		if out := k.timesOf(rawLine{text: group}, false); out != nil {
			return out
		}
	}
	if opens || !l.cut {
		h := k.ownTime(l, 8, 3)
		if opens {
			h = k.openingTime(l)
		}
		if h != nil {
			return []TimeCue{{Text: withTail(l.core, h.cue), Skip: true}}
		}
	}
	if l.cut || len(l.text) > 300 {
		return nil
	}
	if s, ok := spotOf(l); ok && !k.speaks(s.place) {
		if s.rule.pattern == dashed {
			return []TimeCue{{Text: l.core}}
		}
		return []TimeCue{{Text: s.when}}
	}
	if when := keyedTime(l); when != "" {
		return []TimeCue{{Text: when}}
	}
	if p := headingIn(l); p != nil && p.kind == Time || !l.plain && len(wordsOf(l.core, 12)) < 12 {
		return []TimeCue{{Text: l.core}}
	}
	return nil
}

// skipMark is the cue of a mark such as "[Time skip: three days]".
func (k *look) skipMark(l line) []TimeCue {
	h := k.ownMark(l)
	if h == nil || h.means != skipMark {
		return nil
	}
	return []TimeCue{{Text: strings.ReplaceAll(l.core, ":", " "), Skip: true}}
}

// withTail are the words of a skip with the part behind a comma that says it more
// exactly: "Three days later, at dusk".
func withTail(s, cue string) string {
	at := strings.Index(s, cue)
	if at < 0 {
		return cue
	}
	rest := s[at+len(cue):]
	if after, ok := strings.CutPrefix(rest, ", "); ok {
		if end := strings.IndexAny(after, ",.;:!?—–*_)]"); end >= 0 && end < 60 && isWhen(wordsOf(after[:end], 10), after[:end]) {
			return cue + rest[:end+2]
		}
	}
	return cue
}

// keyedTime reads "Time: 10 PM" of a line that names no place.
func keyedTime(l line) string {
	var out []string
	for _, p := range strings.FieldsFunc(l.core, isBar) {
		if key, value, ok := strings.Cut(p, ":"); ok && keyWord(key) == 't' && len(wordsOf(value, 12)) < 12 {
			out = append(out, bare(value))
		}
	}
	return strings.Join(out, ", ")
}

// trailingGroup is what stands in brackets or asterisks at the end of a line.
func trailingGroup(s string) string {
	for _, g := range groups {
		head, ok := strings.CutSuffix(s, g.shut)
		if !ok {
			continue
		}
		from := max(0, len(head)-maxGroup)
		if i := strings.LastIndex(head[from:], g.open); i >= 0 {
			return s[from+i:]
		}
		return ""
	}
	return ""
}
