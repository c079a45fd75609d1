package widget

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTextSteps is the number of changes of a text that can be undone.
const maxTextSteps = 200

// textStep is a change of a text: old is the text that was replaced, which began at from; its
// replacement ends at to.
type textStep struct {
	from, to textPlace
	old      string
	at       textPlace // where the cursor was
	typed    rune      // the last typed character, 0 for other changes
}

// recordStep records a change before it is made, so that it can be undone. Text typed without a
// break between words is one change.
func (t *Text) recordStep(from, to textPlace, text string) textStep {
	s := textStep{from: from, old: t.between(from, to), at: t.at}
	if r, n := utf8.DecodeRuneInString(text); n > 0 && cluster(text) == len(text) {
		s.typed = r
	}
	return s
}

// pushStep records a change that was made.
func (t *Text) pushStep(s textStep) {
	s.to, t.redo = t.at, nil
	if n := len(t.undo); n > 0 && s.old == "" && s.typed != 0 && s.typed != '\n' {
		last := &t.undo[n-1]
		if last.typed != 0 && last.to == s.from && (unicode.IsSpace(s.typed) || !unicode.IsSpace(last.typed)) {
			last.to, last.typed = s.to, s.typed
			return
		}
	}
	if t.undo = append(t.undo, s); len(t.undo) > maxTextSteps {
		t.undo = t.undo[1:]
	}
}

// Undo undoes the last change and reports whether there was one.
func (t *Text) Undo() bool { return t.stepBack(&t.undo, &t.redo) }

// Redo redoes the change that was undone last, and reports whether there was one.
func (t *Text) Redo() bool { return t.stepBack(&t.redo, &t.undo) }

func (t *Text) stepBack(from, to *[]textStep) bool {
	n := len(*from)
	if n == 0 {
		return false
	}
	s := (*from)[n-1]
	*from = (*from)[:n-1]
	back := textStep{from: s.from, old: t.between(s.from, s.to), at: t.at}
	t.put(s.from, s.to, s.old)
	back.to = t.at
	if t.at = s.at; s.at.line >= len(t.lines) || s.at.byte > len(t.lines[s.at.line].text) {
		t.at = back.to
	}
	*to = append(*to, back)
	return true
}

// Marked returns the selected range, in bytes of Value; without a selection both ends are the
// cursor.
func (t *Text) Marked() (from, to int) {
	a, b := t.selection()
	return t.offset(a), t.offset(b)
}

// Replace replaces a part, given in bytes of Value, and selects the new text. It can be undone like
// typed text.
func (t *Text) Replace(from, to int, text string) {
	a := t.placeAt(from)
	t.replace(a, t.placeAt(to), text)
	t.anchor, t.selecting = a, text != ""
}

// offset returns the number of bytes before a place.
func (t *Text) offset(p textPlace) (n int) {
	for _, l := range t.lines[:p.line] {
		n += len(l.text) + len(l.end)
	}
	return n + p.byte
}

// placeAt returns the place after n bytes.
func (t *Text) placeAt(n int) textPlace {
	for i, l := range t.lines {
		if n <= len(l.text) || i == len(t.lines)-1 {
			return textPlace{i, min(max(n, 0), len(l.text))}
		}
		if n -= len(l.text) + len(l.end); n < 0 {
			return textPlace{i, len(l.text)}
		}
	}
	return textPlace{}
}

// SelectMore selects the word at the cursor, and if that is selected already the sentence around
// it, then the paragraph, then everything; after that nothing.
func (t *Text) SelectMore() {
	a, b := t.selection()
	for _, around := range []func(a, b textPlace) (textPlace, textPlace){t.wordAround, t.sentenceAround, t.lineAround,
		t.allAround} {
		if x, y := around(a, b); !a.before(x) && !y.before(b) && (x.before(a) || b.before(y)) {
			t.anchor, t.at, t.selecting, t.goal = x, y, true, -1
			return
		}
	}
	t.Unselect()
}

func (t *Text) wordAround(a, b textPlace) (textPlace, textPlace) {
	if a != b {
		return b, a // a selection no longer belongs to a word
	}
	text := t.lines[a.line].text
	from, to := a.byte, a.byte
	for from > 0 {
		r, n := utf8.DecodeLastRuneInString(text[:from])
		if !partOfWord(r) {
			break
		}
		from -= n
	}
	for to < len(text) {
		r, n := utf8.DecodeRuneInString(text[to:])
		if !partOfWord(r) {
			break
		}
		to += n
	}
	return textPlace{a.line, from}, textPlace{a.line, to}
}

func partOfWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || r == '\'' || r == '’' ||
		r == '-' || r == '\u200d'
}

func (t *Text) sentenceAround(a, b textPlace) (textPlace, textPlace) {
	if a.line != b.line {
		return b, a
	}
	text := t.lines[a.line].text
	from, to := 0, len(text)
	for _, end := range sentenceEnds(text) {
		next := end + len(text[end:]) - len(strings.TrimLeft(text[end:], " \t"))
		if next <= a.byte {
			from = next
		}
		if end >= b.byte && end > from {
			to = end
			break
		}
	}
	return textPlace{a.line, min(from, a.byte)}, textPlace{a.line, to}
}

// sentenceEnds returns the places in a line after each of its sentences.
func sentenceEnds(text string) (ends []int) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		i += n
		if !strings.ContainsRune(".!?…。！？", r) {
			continue
		}
		for i < len(text) {
			r, n := utf8.DecodeRuneInString(text[i:])
			if !strings.ContainsRune(".!?…\"'”’“»*_)]", r) {
				break
			}
			i += n
		}
		if i == len(text) || text[i] == ' ' || text[i] == '\t' || strings.ContainsRune("。！？", r) {
			ends = append(ends, i)
		}
	}
	return ends
}

func (t *Text) lineAround(a, b textPlace) (textPlace, textPlace) {
	return textPlace{a.line, 0}, textPlace{b.line, len(t.lines[b.line].text)}
}

func (t *Text) allAround(_, _ textPlace) (textPlace, textPlace) { return textPlace{}, t.end() }
