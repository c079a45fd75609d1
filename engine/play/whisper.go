package play

import (
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
)

// maxMarkLen limits the mark of a whisper, in bytes: longer text is the reply's own.
const maxMarkLen = 400

// markFilter removes the line that marks a whispered message in a prompt from the beginning of a
// reply: a model that reads it above earlier replies may write one of its own. It is for one
// goroutine.
type markFilter struct {
	next func(ollama.Delta)
	held string // beginning of the reply, which may be a mark
	cut  bool   // a mark was removed
	done bool   // the reply has begun
}

// marked reports whether a prompt has such a line.
func (p preparedRequest) marked() bool {
	for _, m := range p.prompt.Messages {
		if strings.HasPrefix(m.Content, chats.WhisperMark) {
			return true
		}
	}
	return false
}

// withoutMark returns a function that passes deltas on to next without the mark of a whisper, if
// the prompt has one. Call end when no more follow.
func (p preparedRequest) withoutMark(next func(ollama.Delta)) (take func(ollama.Delta), end func()) {
	if !p.marked() {
		return next, func() {}
	}
	f := &markFilter{next: next}
	return f.add, f.end
}

func (f *markFilter) add(d ollama.Delta) {
	if d.Rethought { // the reply begins here; the held text was thought too
		d.Thinking, f.held, f.cut, f.done = f.held+d.Thinking, "", false, false
	}
	if !f.done {
		d.Content = f.trimMark(d.Content)
	}
	if d != (ollama.Delta{}) {
		f.next(d)
	}
}

// trimMark returns the part of the reply's beginning that is not a mark, "" while that is unknown.
func (f *markFilter) trimMark(piece string) string {
	f.held += piece
	text := strings.TrimLeftFunc(f.held, unicode.IsSpace)
	if strings.HasPrefix(chats.WhisperMark, text) {
		return "" // it may become one
	}
	if strings.HasPrefix(text, chats.WhisperMark) {
		switch end := strings.IndexAny(text[:min(len(text), maxMarkLen)], "]\n"); {
		case end < 0 && len(text) < maxMarkLen:
			return ""
		case end >= 0 && text[end] == ']':
			f.cut, f.held = true, ""
			return f.trimMark(text[end+1:])
		}
	}
	if f.done = true; f.cut {
		return text
	}
	return f.held
}

// end passes on the held text of a reply that ended before it was known to be a mark or not.
func (f *markFilter) end() {
	if !f.done && f.held != "" && !f.cut {
		f.done = true
		f.next(ollama.Delta{Content: f.held})
	}
}
