package play

import (
	"strings"
	"unicode"

	"github.com/ghostlight-theatre/ghostlight/engine/ollama"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
)

// maxMarkLen bounds the mark of a whisper, in bytes: what is longer is the reply's own text.
const maxMarkLen = 400

// markFilter takes the line that marks a whispered message in a prompt off the beginning of a
// reply: a model that reads it above earlier replies may write one of its own. It is used
// by one goroutine.
type markFilter struct {
	next func(ollama.Delta)
	held string // of the beginning, which may be a mark
	cut  bool   // a mark was taken off
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

// withoutMark passes what comes on to next, without the mark of a whisper, where the prompt
// has one. end has to be called when no more comes.
func (p preparedRequest) withoutMark(next func(ollama.Delta)) (take func(ollama.Delta), end func()) {
	if !p.marked() {
		return next, func() {}
	}
	f := &markFilter{next: next}
	return f.add, f.end
}

func (f *markFilter) add(d ollama.Delta) {
	if d.Rethought { // the reply begins here, and what was held is thought as well
		d.Thinking, f.held, f.cut, f.done = f.held+d.Thinking, "", false, false
	}
	if !f.done {
		d.Content = f.trimMark(d.Content)
	}
	if d != (ollama.Delta{}) {
		f.next(d)
	}
}

// trimMark returns what of the beginning is no mark, "" while that is not known.
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

// end passes on what was held back of a reply that ended before it was known what it is.
func (f *markFilter) end() {
	if !f.done && f.held != "" && !f.cut {
		f.done = true
		f.next(ollama.Delta{Content: f.held})
	}
}
