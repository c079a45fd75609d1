package capture

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Form is the form of a prompt for the text encoder of the painting model. The zero value is
// sentences of the default length.
type Form struct {
	Tags    bool   // short phrases separated by commas
	Tokens  int    // that the encoder reads well, 0 for any number
	Encoder string // its name
}

// Limits of prompts in tags, in words.
const (
	minTagWords = 12
	maxTagWords = 50
)

// wordRange returns how many words a prompt of a kind should have.
func (f Form) wordRange(kind Kind) (low, high int) {
	low, high = MinWords, MaxWords
	if kind == Video {
		low, high = 1, MaxVideoWords
	}
	if f.Tokens > 0 { // a word of English is a token and a third
		high = min(high, f.Tokens*7/10)
	}
	if f.Tags {
		high = min(high, maxTagWords)
		low = min(low, minTagWords)
	}
	return min(low, high/2), high
}

// Count estimates the number of the encoder's tokens in a text. It is an approximation for
// English, without the encoder's vocabulary.
func (f Form) Count(text string) int {
	long := 9 // letters that are usually one token
	if f.Encoder != "CLIP" {
		long = 6
	}
	n, run := 0, 0
	end := func() {
		if run > 0 {
			n += (run + long - 1) / long
		}
		run = 0
	}
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf && unicode.IsLetter(r) || r == '\'' || unicode.Is(unicode.Latin, r):
			run++
		case unicode.IsSpace(r):
			end()
		default: // digits, marks, and letters of other scripts are tokens
			end()
			n++
		}
	}
	end()
	if f.Encoder == "CLIP" && n > 0 {
		n += 2 // its start and end tokens
	}
	return n
}

// Length describes how long a prompt is, and whether that is too short or too long.
func (f Form) Length(kind Kind, prompt string) (words string, bad bool) {
	n := CountWords(prompt)
	low, high := f.wordRange(kind)
	words = fmt.Sprintf("%d words", n)
	if n == 1 {
		words = "1 word"
	}
	span := fmt.Sprintf("%d–%d", low, high)
	if low <= 1 {
		span = fmt.Sprintf("at most %d", high)
	}
	if f.Tokens == 0 {
		if bad = n < low || n > high; bad {
			return words + ", better " + span, bad
		}
		return words + " of " + span, bad
	}
	tokens := f.Count(prompt)
	words += fmt.Sprintf(", about %d of %d tokens", tokens, f.Tokens)
	if f.Encoder == "CLIP" || f.Encoder == "T5" {
		words += " (" + f.Encoder + ")"
	}
	return words, n < low || tokens > f.Tokens
}

// rule returns the instruction on length and form.
func (f Form) rule(kind Kind) string {
	low, high := f.wordRange(kind)
	switch {
	case f.Tags:
		return fmt.Sprintf(
			"Write prompt as one line of phrases of one to five words with commas between: %[2]d to %[3]d words, no "+
				"sentences, no filler. Only the first %[1]d words are read. Write the most important first: how many "+
				"people, then each with looks and clothes, what they do, where, the light, the shot.",
			high,
			low,
			high,
		)
	case kind == Video:
		return fmt.Sprintf("Write at most %d words of flowing text.", high)
	}
	return fmt.Sprintf("Write between %d and %d words of flowing text. No headings, no lists, no dialogue.", low, high)
}

// check finds a prompt of the wrong length.
func (f Form) check(kind Kind, prompt string) []Fault {
	n := CountWords(prompt)
	low, high := f.wordRange(kind)
	tokens := f.Count(prompt)
	switch {
	case f.Tokens > 0 && tokens > f.Tokens:
		return []Fault{{
			Message: fmt.Sprintf(
				"The prompt has about %d tokens; %s reads %d at once, and what stands behind them counts little.",
				tokens,
				or(f.Encoder, "its encoder"),
				f.Tokens,
			),
			Correction: fmt.Sprintf(
				"The prompt is too long for who reads it. Write at most %d words, the most important first.",
				high,
			),
		}}
	case n < low && kind == Video:
		return []Fault{{Message: "The prompt is empty.", Correction: "The prompt is empty. Describe the shot."}}
	case n < low && f.Tags:
		return []Fault{{
			Message: fmt.Sprintf("The prompt has %d words; it should have %d to %d.", n, low, high),
			Correction: fmt.Sprintf(
				"The prompt has only %d words. Write between %d and %d: more of looks, clothes, place and light, in "+
					"short phrases.",
				n,
				low,
				high,
			),
		}}
	case n < low:
		return []Fault{{
			Message: fmt.Sprintf("The prompt has %d words; it should have %d to %d.", n, low, high),
			Correction: fmt.Sprintf(
				"The prompt has only %d words. Write between %d and %d: say more of light, place, posture and "+
					"composition.",
				n,
				low,
				high,
			),
		}}
	case n > high && kind == Video:
		return []Fault{{
			Message:    fmt.Sprintf("The prompt has %d words; a video's should have at most %d.", n, high),
			Correction: fmt.Sprintf("The prompt has %d words. Write at most %d.", n, high),
		}}
	case n > high && f.Tokens == 0:
		return []Fault{{
			Message: fmt.Sprintf("The prompt has %d words; it should have %d to %d.", n, low, high),
			Correction: fmt.Sprintf(
				"The prompt has %d words. Write between %d and %d: keep what a camera would see and leave out the "+
					"rest.",
				n,
				low,
				high,
			),
		}}
	}
	return nil
}
