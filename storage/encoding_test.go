package storage

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// In the store a record has only the fields that are set; nil witnesses, everybody, and none
// are two values there and in a document.
func TestEncoding_LeavesOutWhatIsUnset(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fact   LoreFact
		stored string
	}{
		{LoreFact{Text: "<a> & b"}, `{"text":"<a> & b"}`},
		{LoreFact{Text: "a", Witnesses: []CharacterID{}}, `{"text":"a","witnesses":[]}`},
		{LoreFact{Text: "a", Witnesses: []CharacterID{"x"}}, `{"text":"a","witnesses":["x"]}`},
	} {
		err := encoded(c.fact, func(data []byte) error {
			if string(data) != c.stored {
				t.Errorf("stored as %s, want %s", data, c.stored)
			}
			var back LoreFact
			if err := json.Unmarshal(data, &back); err != nil {
				return err
			}
			if d := cmp.Diff(c.fact, back); d != "" {
				t.Error(d)
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
		doc, err := json.Marshal(c.fact)
		var back LoreFact
		if err != nil || json.Unmarshal(doc, &back) != nil || (back.Witnesses == nil) != (c.fact.Witnesses == nil) {
			t.Errorf("the document %s of %+v: %v", doc, c.fact, err)
		}
	}
}
