package ollama

import "bytes"

const (
	// loopTail is the number of bytes at the end of a text that must repeat one passage before it
	// counts as a loop: nobody writes that on purpose.
	loopTail = 3584
	// loopPeriod is the longest passage whose repetition is detected: it must occur four times.
	loopPeriod = loopTail / 4
	// loopEvery is the number of new bytes between two checks of a text, so that a loop is noticed
	// within 4 KiB of its beginning.
	loopEvery = 512
	// loopNeedle is the number of bytes at the end that are searched for further up.
	loopNeedle = 64
)

// loopWatch detects a text that ends in a passage repeated over and over.
type loopWatch struct {
	tail []byte // the end of the text
	next int    // new bytes until it is looked at
}

// add adds the next piece of text. It reports whether the text is in a loop: the last loopTail
// bytes repeat one passage of at most loopPeriod bytes, byte for byte.
func (w *loopWatch) add(text string) bool {
	if len(text) > loopTail {
		text = text[len(text)-loopTail:]
	}
	if w.tail = append(w.tail, text...); len(w.tail) > 2*loopTail {
		w.tail = append(w.tail[:0], w.tail[len(w.tail)-loopTail:]...)
	}
	if w.next -= len(text); w.next > 0 || len(w.tail) < loopTail {
		return false
	}
	w.next = loopEvery
	return loops(w.tail[len(w.tail)-loopTail:])
}

// loops reports whether a text of loopTail bytes has a period of at most loopPeriod.
func loops(tail []byte) bool {
	needle := tail[len(tail)-loopNeedle:]
	from := len(tail) - loopNeedle - loopPeriod
	for end := len(tail) - 1; ; {
		at := bytes.LastIndex(tail[from:end], needle)
		if at < 0 {
			return false
		}
		period := len(tail) - loopNeedle - (from + at)
		if bytes.Equal(tail[period:], tail[:len(tail)-period]) {
			return true
		}
		end = from + at + loopNeedle - 1
	}
}
