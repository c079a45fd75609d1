package prose

import "github.com/ghostlight-theatre/ghostlight/tui/safetext"

// Streamer lays out a text that is still being written. After each [Streamer.Append],
// [Streamer.Lines] returns the same as [Layout] of the whole text, but only the last block is laid
// out again: text before a blank line (outside of code) is finished. A Streamer is not safe for
// concurrent use.
type Streamer struct {
	clean safetext.Cleaner
	text  []byte // all of it, clean
	l     *layouter

	lines []Line // finished ones, then those of the last block
	done  int    // how many are finished
	cut   int    // start of the last block in text
	seen  int    // text up to here, the beginning of a line, was checked for blank lines
	fence int    // backticks of the fence that is open at seen, 0 for none
	gap   bool   // blank lines precede the last block
	stale bool
}

// NewStreamer returns a Streamer for lines of at most width cells.
func NewStreamer(width int, st Styles) *Streamer {
	return &Streamer{l: newLayouter(width, st)}
}

// Append adds text. It may end anywhere, even within a character. It does little: Lines makes the
// layout.
func (s *Streamer) Append(delta string) {
	s.text = s.clean.Append(s.text, delta)
	s.stale = s.stale || delta != ""
}

// Resize lays the whole text out again, for another width or theme.
func (s *Streamer) Resize(width int, st Styles) {
	s.l = newLayouter(width, st)
	s.lines, s.done, s.cut, s.seen, s.fence, s.gap, s.stale = s.lines[:0], 0, 0, 0, 0, false, true
}

// Lines returns the layout of the text so far. The slice is valid until the next call of a method;
// its lines stay valid.
func (s *Streamer) Lines() []Line {
	if !s.stale {
		return s.lines
	}
	s.stale = false
	s.lines = s.lines[:s.done]
	if end := s.finished(); end > s.cut {
		s.layout(s.text[s.cut:end])
		s.cut, s.done, s.gap = end, len(s.lines), s.l.gap
	}
	tail := s.clean // a copy: the rest of a character may still come
	s.layout(tail.Flush(s.text[s.cut:len(s.text):len(s.text)]))
	return s.lines
}

// layout appends the lines of text, which continues after the finished ones.
func (s *Streamer) layout(text []byte) {
	s.l.gap, s.l.prior = s.gap, s.done > 0
	s.l.blocks(string(text))
	s.lines = s.l.take(s.lines)
}

// finished returns the beginning of the last block: after the last blank line outside of fences.
func (s *Streamer) finished() int {
	end := s.cut
	for i := s.seen; i < len(s.text); i++ {
		if s.text[i] != '\n' {
			continue
		}
		line := string(s.text[s.seen:i])
		s.seen = i + 1
		switch {
		case s.fence > 0:
			if fenceCloses(line, s.fence) {
				s.fence = 0
			}
		case blank(line):
			end = s.seen
		default:
			s.fence = fenceOpens(line)
		}
	}
	return end
}
