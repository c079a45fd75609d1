package ollama

import "strings"

// thinkSplit takes thoughts out of the content of models that write them there
// in tags instead of announcing them. Only a tag at the very beginning of a
// reply counts: later ones are part of the story. The zero value is ready.
type thinkSplit struct {
	state splitState
	held  string // content whose meaning is not yet decided
	close string // the tag that ends the thoughts
}

type splitState int

const (
	splitStart    splitState = iota // nothing but space seen
	splitThinking                   // between the tags
	splitGap                        // after the closing tag, before the first visible character
	splitContent                    // the rest of the reply
)

// maxLead is how many bytes of space may stand before an opening tag.
const maxLead = 64

// thinkTags are the pairs that models use.
var thinkTags = [...][2]string{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}}

// off ends the search for a tag and gives back what was held.
func (t *thinkSplit) off() string {
	s := t.held
	t.held, t.state = "", splitContent
	return s
}

// add takes the next piece of content and returns what is known to be content
// and what is known to be thought.
func (t *thinkSplit) add(piece string) (content, thinking string) {
	if t.state == splitContent {
		return piece, ""
	}
	t.held += piece
	if t.state == splitStart && !t.open() {
		return t.decided(), ""
	}
	if t.state == splitThinking {
		thinking = t.think()
	}
	if t.state == splitGap {
		if t.held = strings.TrimLeft(t.held, " \t\r\n"); t.held != "" {
			content = t.off()
		}
	}
	return content, thinking
}

// open looks for an opening tag and tells whether one was found.
func (t *thinkSplit) open() bool {
	s, ok := t.start()
	if !ok {
		return false
	}
	for _, tag := range thinkTags {
		if rest, ok := strings.CutPrefix(s, tag[0]); ok {
			t.held, t.close, t.state = rest, tag[1], splitThinking
			return true
		}
	}
	return false
}

// decided gives back everything held unless a tag may still come of it.
func (t *thinkSplit) decided() string {
	if s, ok := t.start(); ok {
		for _, tag := range thinkTags {
			if strings.HasPrefix(tag[0], s) {
				return ""
			}
		}
	}
	return t.off()
}

// start is what is held without the space before it, unless that is too much to
// be an accident.
func (t *thinkSplit) start() (string, bool) {
	s := strings.TrimLeft(t.held, " \t\r\n")
	return s, len(t.held)-len(s) <= maxLead
}

// think gives out thoughts, and keeps back what may be the start of their end.
func (t *thinkSplit) think() string {
	if before, after, ok := strings.Cut(t.held, t.close); ok {
		t.held, t.state = after, splitGap
		return before
	}
	keep := overlap(t.held, t.close)
	out := t.held[:len(t.held)-keep]
	t.held = t.held[len(t.held)-keep:]
	return out
}

// flush gives back what was held when the reply ends.
func (t *thinkSplit) flush() (content, thinking string) {
	s := t.held
	t.held = ""
	switch t.state {
	case splitThinking:
		return "", s
	case splitGap:
		return "", ""
	}
	return s, ""
}

// overlap is the length of the longest end of s that begins tag.
func overlap(s, tag string) int {
	for n := min(len(s), len(tag)-1); n > 0; n-- {
		if strings.HasSuffix(s, tag[:n]) {
			return n
		}
	}
	return 0
}
