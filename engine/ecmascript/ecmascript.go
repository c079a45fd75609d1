// Package ecmascript compiles JavaScript regular expressions, as lorebook keys and regex scripts
// have them, for a backtracking engine. Patterns are untrusted, so their size and matching time
// are limited.
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
	// MaxPattern is the limit of a pattern, in bytes: a compiled pattern can be far larger.
	MaxPattern = 4 << 10
	// Limit is the time limit of matching one pattern against one text.
	Limit = 50 * time.Millisecond
)

func init() {
	// The engine checks the clock in periods; with its default period, a limit of 50 ms would be
	// one of 200.
	regexp2.SetTimeoutCheckPeriod(10 * time.Millisecond)
}

// Options converts a pattern's flags to engine options. sticky is JavaScript's y, which the engine
// does not have: match only at the start of the text. fault says why the pattern is invalid.
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

// Parse parses a pattern of Normalize. fault says what is wrong with it; a panic of the parser
// counts as a fault of the pattern.
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

// Compile compiles a pattern of Normalize, with a time limit for matching one text.
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

// TimeoutError describes why matching was stopped after limit; nil for a nil error.
func TimeoutError(err error, limit time.Duration) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, regexp2.ErrBacktrackingStackLimit) {
		return errors.New("the regex was stopped: too much backtracking")
	}
	return fmt.Errorf("the regex was stopped after %v: too much backtracking", limit)
}
