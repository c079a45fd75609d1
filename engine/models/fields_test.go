package models_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/models"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What the fields of a profile write they read again as it was, whatever its texts hold.
func TestProfileFields_RoundTrip(t *testing.T) {
	t.Parallel()
	f, k := 0.5, 40
	for _, p := range []storage.Profile{
		{Name: "bare", NumPredict: 1},
		{Name: "full", Server: "http://host:1", Model: "m", NumCtx: 4096, NumPredict: 99, Temperature: &f, TopP: &f, TopK: &k, MinP: &f, RepeatPen: &f, Seed: &k,
			Stop: []string{"a b", "\n\n", `back\slash`, `\n`, "one, two"}, Think: storage.ThinkLow, Prefill: "{\n\"recap\": "},
	} {
		var got storage.Profile
		for i := range models.ProfileFields.Fields {
			s := &models.ProfileFields.Fields[i]
			if err := s.Set(&got, s.Get(&p)); err != nil {
				t.Error(err)
			}
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Error(diff)
		}
	}
}
