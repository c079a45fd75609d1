package fill

import (
	"encoding/json"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/ollamatest"
	"github.com/ghostlight-theatre/ghostlight/prompts"
)

// A real server makes a grammar of each schema, and its model of random weights
// then writes whatever the grammar lets it: what comes out whole must be taken.
func TestReal_SchemasMakeGrammars(t *testing.T) {
	url, model := ollamatest.Real(t)
	every := everyPrompt(prompts.BuiltIn())
	for name, c := range map[string]struct {
		schema json.RawMessage
		into   any
	}{
		"lookup":  {LookupSchema(2, ""), &LookupAnswer{}},
		"resolve": {ResolveSchema(2), &ResolveAnswer{Matches: 2}},
		"merge":   {factsSchema(4, 12, true), &MergeAnswer{}},
		"compact": {factsSchema(2, 2, false), &CompactAnswer{}},
	} {
		text, ending := ollamatest.Ask(t, url, model, every[name], c.schema)
		t.Logf("%s: %d bytes, %s", name, len(text), ending)
		if ending != "stop" {
			continue // cut off at the limit, as gibberish likes to be
		}
		if err := json.Unmarshal([]byte(text), c.into); err != nil {
			t.Errorf("%s: %v\n%s", name, err, text)
		}
		if a, ok := c.into.(interface{ Check() error }); ok {
			t.Logf("%s: check: %v", name, a.Check())
		}
	}
}
