package main

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"ghostlight/engine"
)

// The bounds of settings. Beyond them lie slips of the pen and what no server
// takes.
const (
	leastContext, mostContext = 256, 1 << 20
	mostReply                 = 1 << 17
	mostSeconds               = 24 * 60 * 60
)

// faults are several faults, each with a line of its own.
type faults []string

func (f faults) Error() string { return strings.Join(f, "\n") }

// parseSettings reads settings strictly: what is not known is a fault, because
// it is mostly a slip of the pen.
func parseSettings(name string, data []byte) (s settings, err error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff")) // some editors begin a file with it
	err = toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&s)
	var unknown *toml.StrictMissingError
	var bad *toml.DecodeError
	switch {
	case errors.As(err, &unknown):
		var list faults
		for _, e := range unknown.Errors {
			row, col := e.Position()
			list = append(list, fmt.Sprintf("%s:%d:%d: there is no setting %s", name, row, col, strings.Join(e.Key(), ".")))
		}
		return s, list
	case errors.As(err, &bad):
		row, col := bad.Position()
		return s, fmt.Errorf("%s:%d:%d: %s", name, row, col, settingWords(bad))
	case err != nil:
		return s, fmt.Errorf("%s: %w", name, err)
	}
	if err := s.check(); err != nil {
		return s, fmt.Errorf("%s: %w", name, err)
	}
	return s, nil
}

// settingWords says what is wrong with a setting. The library speaks of the
// program's types, which mean nothing to a user.
func settingWords(bad *toml.DecodeError) string {
	text := strings.TrimPrefix(bad.Error(), "toml: ")
	given, into, found := strings.Cut(strings.TrimPrefix(text, "cannot decode TOML "), " into ")
	if kind, ok := strings.CutPrefix(text, "cannot store a table in a "); ok {
		given, into, found = "table", kind, true
	} else if kind, ok := strings.CutPrefix(text, "cannot store an array table in a "); ok {
		given, into, found = "array", kind, true
	}
	if !found {
		return text
	}
	if at := strings.LastIndex(into, " of type "); at >= 0 {
		into = into[at+len(" of type "):]
	}
	wanted, ok := map[string]string{"int": "a whole number", "float64": "a number", "bool": "true or false", "string": "text",
		"[]string": "a list of texts"}[into]
	if !ok {
		wanted = "a section"
	}
	is, ok := map[string]string{"string": "text", "integer": "a whole number", "float": "a number with a fraction", "boolean": "true or false",
		"array": "a list", "table": "a section", "inline table": "a section"}[given]
	if !ok {
		is = "a date or time"
	}
	return fmt.Sprintf("%s must be %s, not %s", strings.Join(bad.Key(), "."), wanted, is)
}

// check looks for values that no part of the program could use. Addresses are
// looked at when a server is asked; see address.
func (s settings) check() error {
	o := s.Ollama
	context, reply := s.Ollama.NumCtx, s.Ollama.NumPredict
	if context == 0 {
		context = engine.DefaultContext
	}
	if reply == 0 {
		reply = engine.DefaultReply
	}
	switch {
	case context < leastContext || context > mostContext:
		return fmt.Errorf("ollama.num_ctx is a number of tokens from %d to %d, not %d", leastContext, mostContext, context)
	case reply < 1 || reply > mostReply:
		return fmt.Errorf("ollama.num_predict is a number of tokens from 1 to %d, not %d", mostReply, reply)
	case reply >= context:
		return fmt.Errorf("ollama.num_predict (%d) must be smaller than ollama.num_ctx (%d), or there is no room for the prompt", reply, context)
	case o.TopK != nil && (*o.TopK < 0 || *o.TopK > math.MaxInt32):
		return fmt.Errorf("ollama.top_k is a whole number from 0 to %d, not %d", math.MaxInt32, *o.TopK)
	case s.ComfyUI.TimeoutSeconds < 0 || s.ComfyUI.TimeoutSeconds > mostSeconds:
		return fmt.Errorf("comfyui.timeout_seconds is from 0 to %d, a day, not %d", mostSeconds, s.ComfyUI.TimeoutSeconds)
	case !slices.Contains([]string{"", "auto", "dark", "light"}, s.UI.Dark):
		return fmt.Errorf("ui.dark is auto, dark or light, not %q", s.UI.Dark)
	case !slices.Contains([]string{"", "auto", "kitty", "blocks", "off"}, s.UI.Images):
		return fmt.Errorf("ui.images is auto, kitty, blocks or off, not %q", s.UI.Images)
	}
	for _, n := range []struct {
		name  string
		value *float64
		most  float64
	}{{"temperature", o.Temperature, 5}, {"top_p", o.TopP, 1}, {"min_p", o.MinP, 1}, {"repeat_penalty", o.RepeatPenalty, 5}} {
		if n.value != nil && !(*n.value >= 0 && *n.value <= n.most) { // so that nan is refused too
			return fmt.Errorf("ollama.%s is a number from 0 to %g, not %g", n.name, n.most, *n.value)
		}
	}
	return nil
}
