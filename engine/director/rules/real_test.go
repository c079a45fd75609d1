package rules

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// A real server makes a grammar of each schema, and its model of random weights
// then writes whatever the grammar lets it: what comes out whole must be taken.
func TestReal_SchemasMakeGrammars(t *testing.T) {
	url, model := ollamatest.Real(t)
	set, in := prompts.BuiltIn(), cast()
	for name, p := range map[string]Parts{"pass": everything, "director": {Director: true}, "memories": {Memories: true}, "hooks": {Hooks: true}} {
		messages := Request(set, p, in)
		if p.Break {
			messages = []Prompt{{Role: "user", Content: Instruction(set, p, in)}}
		}
		began := time.Now()
		text, ending := ollamatest.Ask(t, url, model, messages, Schema(p, in))
		t.Logf("%s: %d bytes in %v, %s", name, len(text), time.Since(began).Round(time.Millisecond), ending)
		if ending != "stop" {
			continue // cut off at the limit, as gibberish likes to be
		}
		var a Answer
		if err := json.Unmarshal([]byte(text), &a); err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if err := resolved(t, Form(p, in)).Validate(v); err != nil {
			t.Errorf("%s: the form refuses it: %v\n%s", name, err, text)
		}
		if err := a.Usable(p, in); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		t.Logf("%s: %+v", name, a.Clean(p, in))
	}
}
