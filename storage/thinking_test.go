package storage

import (
	"encoding/json"
	"testing"
)

// A profile that an earlier build has stored says true or false.
func TestThinking(t *testing.T) {
	for text, want := range map[string]Thinking{`{"name":"a"}`: "", `{"name":"a","think":true}`: ThinkOn, `{"name":"a","think":false}`: ThinkOff,
		`{"name":"a","think":"low"}`: ThinkLow} {
		var p Profile
		if err := json.Unmarshal([]byte(text), &p); err != nil || p.Think != want {
			t.Errorf("%s: %q, %v", text, p.Think, err)
		}
		err := encoded(p, func(out []byte) error {
			if string(out) != text {
				t.Errorf("%s becomes %s", text, out)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	for _, text := range []string{`{"think":"much"}`, `{"think":3}`} {
		if err := json.Unmarshal([]byte(text), &Profile{}); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}
