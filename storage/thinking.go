package storage

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// Thinking says whether a model that can think does so, and how much; the zero value leaves it to
// the model. In JSON it is true, false or a level, as in Ollama's API.
type Thinking string

// The values of a Thinking.
const (
	ThinkOn     Thinking = "on"
	ThinkOff    Thinking = "off"
	ThinkLow    Thinking = "low"
	ThinkMedium Thinking = "medium"
	ThinkHigh   Thinking = "high"
)

// Thinkings returns the values that say something.
func Thinkings() []Thinking {
	return []Thinking{ThinkOn, ThinkOff, ThinkLow, ThinkMedium, ThinkHigh}
}

// Value returns the value in the form of JSON, TOML and Ollama's API: a bool, a level, or nil for
// nothing.
func (t Thinking) Value() any {
	switch t {
	case "":
		return nil
	case ThinkOn, ThinkOff:
		return t == ThinkOn
	}
	return string(t)
}

// ThinkingOf reads what Value writes, and what users write in its place.
func ThinkingOf(v any) (Thinking, error) {
	switch v := v.(type) {
	case nil:
		return "", nil
	case bool:
		return ThinkingOf(strconv.FormatBool(v))
	case string:
		switch v {
		case "true", "yes":
			return ThinkOn, nil
		case "false", "no":
			return ThinkOff, nil
		}
		if t := Thinking(v); t == "" || slices.Contains(Thinkings(), t) {
			return t, nil
		}
	}
	return "", fmt.Errorf("think is true, false, low, medium or high, not %v", v)
}

// MarshalJSON implements json.Marshaler.
func (t Thinking) MarshalJSON() ([]byte, error) { return json.Marshal(t.Value()) }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Thinking) UnmarshalJSON(data []byte) error {
	var v any
	err := json.Unmarshal(data, &v)
	if err == nil {
		*t, err = ThinkingOf(v)
	}
	return err
}
