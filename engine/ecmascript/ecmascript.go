// Package ecmascript is the regular expressions of JavaScript, as keys of lorebooks and
// regex scripts have them: what a stranger wrote, made ready for an engine that tries
// ways to match, within bounds.
package ecmascript

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
)

const (
	// MaxPattern is how long a pattern may be, in bytes: what an engine makes of one can be
	// far longer than it.
	MaxPattern = 4 << 10
	// Limit is how long one look of one pattern at one text may take.
	Limit = 50 * time.Millisecond
)

func init() {
	// The engine looks at the clock in periods; with the period that it is set to,
	// a bound of 50 ms would be one of 200.
	regexp2.SetTimeoutCheckPeriod(10 * time.Millisecond)
}

// Options returns a pattern's flags as the engine takes them. sticky is JavaScript's y, which
// the engine does not have: at the very start of the text, or not at all. fault says why
// there is no such pattern.
func Options(pattern, flags string) (options regexp2.RegexOptions, sticky bool, fault string) {
	if len(pattern) > MaxPattern {
		return 0, false, fmt.Sprintf("the regex is longer than %d bytes", MaxPattern)
	}
	options = regexp2.ECMAScript
	for i, flag := range flags {
		if strings.ContainsRune(flags[:i], flag) {
			return 0, false, fmt.Sprintf("the regex is not valid: flag %q is given twice", flag)
		}
		switch flag {
		case 'i':
			options |= regexp2.IgnoreCase
		case 'm':
			options |= regexp2.Multiline
		case 's':
			options |= regexp2.Singleline
		case 'u':
			options |= regexp2.Unicode
		case 'y':
			sticky = true
		}
	}
	return options, sticky, ""
}

// Parse reads a pattern that is Ready; fault says what is wrong with it. Whatever the
// parser makes of a stranger's pattern, it is the pattern that is at fault.
func Parse(pattern string, options regexp2.RegexOptions) (tree *syntax.RegexTree, fault string) {
	defer func() {
		if r := recover(); r != nil {
			tree, fault = nil, fmt.Sprintf("the regex is not valid: %v", r)
		}
	}()
	tree, err := syntax.Parse(pattern, syntax.ParseOptions{RegexOptions: syntax.RegexOptions(options)})
	if err != nil {
		return nil, "the regex is not valid: " + reason(err)
	}
	return tree, ""
}

// reason returns what is wrong with a pattern, without the pattern.
func reason(err error) string {
	text := err.Error()
	if i := strings.Index(text, " in `"); i > 0 {
		text = text[:i]
	}
	return strings.TrimPrefix(text, "error parsing regexp: ")
}

// Compile makes the engine of a pattern that is Ready, with limit as the time that one
// look at a text may take.
func Compile(pattern string, options regexp2.RegexOptions, limit time.Duration) (re *regexp2.Regexp, err error) {
	defer func() {
		if r := recover(); r != nil {
			re, err = nil, fmt.Errorf("the regex is not valid: %v", r)
		}
	}()
	if re, err = regexp2.Compile(pattern, options); err != nil {
		return nil, errors.New("the regex is not valid: " + reason(err))
	}
	re.MatchTimeout = limit
	return re, nil
}

// CutOff returns why a look at a text was cut off after limit; nil for a nil error.
func CutOff(err error, limit time.Duration) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, regexp2.ErrBacktrackingStackLimit) {
		return errors.New("the regex was stopped: too much backtracking")
	}
	return fmt.Errorf("the regex was stopped after %v: too much backtracking", limit)
}
