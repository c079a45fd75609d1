package storage

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
)

// LoreLogic says how an entry's secondary keys are combined, in SillyTavern's numbers. As a text it
// is a word such as and_any.
type LoreLogic int

const (
	AndAny LoreLogic = iota
	NotAll
	NotAny
	AndAll
)

var loreLogics = []string{"and_any", "not_all", "not_any", "and_all"}

// LorePosition is the position of an entry's content in the prompt, in SillyTavern's numbers. As a
// text it is a word such as before_char.
type LorePosition int

const (
	BeforeChar LorePosition = iota
	AfterChar
	NoteTop
	NoteBottom
	AtDepth
	BeforeExamples
	AfterExamples
	Outlet
)

var lorePositions = []string{
	"before_char", "after_char", "note_top", "note_bottom", "at_depth", "before_examples", "after_examples", "outlet",
}

// MarshalText implements encoding.TextMarshaler.
func (l LoreLogic) MarshalText() ([]byte, error) { return wordOf(loreLogics, int(l)), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *LoreLogic) UnmarshalText(text []byte) error {
	n, err := numberOf(loreLogics, string(text))
	*l = LoreLogic(n)
	return err
}

// UnmarshalJSON implements json.Unmarshaler. Earlier versions stored the number.
func (l *LoreLogic) UnmarshalJSON(data []byte) error {
	return unmarshalWord(data, l.UnmarshalText)
}

// MarshalText implements encoding.TextMarshaler.
func (p LorePosition) MarshalText() ([]byte, error) { return wordOf(lorePositions, int(p)), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *LorePosition) UnmarshalText(text []byte) error {
	n, err := numberOf(lorePositions, string(text))
	*p = LorePosition(n)
	return err
}

// UnmarshalJSON implements json.Unmarshaler. Earlier versions stored the number.
func (p *LorePosition) UnmarshalJSON(data []byte) error {
	return unmarshalWord(data, p.UnmarshalText)
}

// unmarshalWord reads a JSON text, or a number as its digits.
func unmarshalWord(data []byte, read func(text []byte) error) error {
	if string(data) == "null" {
		return nil
	}
	text := string(data)
	if data[0] == '"' {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	return read([]byte(text))
}

// wordOf returns the word for a number, or the number itself if it has no word.
func wordOf(words []string, n int) []byte {
	if n < 0 || n >= len(words) {
		return strconv.AppendInt(nil, int64(n), 10)
	}
	return []byte(words[n])
}

// numberOf returns the index of text in words, or the number that text itself is.
func numberOf(words []string, text string) (int, error) {
	if n := slices.Index(words, text); n >= 0 {
		return n, nil
	}
	if n, err := strconv.Atoi(text); err == nil {
		return n, nil
	}
	return 0, errors.New("one of " + strings.Join(words, ", "))
}
