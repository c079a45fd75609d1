package play_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/models"
)

// Samplers change the request for the next reply, but no byte of its prompt: the server reads
// nothing again because of them. Num_ctx, which would reload the model, stays too.
func TestPresets_ChangeNoPrompt(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	first := s.Say("one")
	asked := func() (options map[string]any) {
		for _, c := range s.Asked() {
			var body struct{ Options map[string]any }
			if len(c.Format) == 0 {
				enginetest.Must(t, json.Unmarshal(c.Body, &body))
				options = body.Options
			}
		}
		return options
	}
	list, err := s.Library.PresetsOf(s.Chat, "")
	enginetest.Must(t, err)
	before, was := s.Sent(), asked()
	for _, v := range list {
		_, err := s.Library.UsePreset(s.Chat, v)
		enginetest.Must(t, err)
		enginetest.Must(t, s.Play.Regenerate(s.Chat, first.Message))
		_, err = s.Ended()
		enginetest.Must(t, err)
		if diff := cmp.Diff(before, s.Sent()); diff != "" {
			t.Errorf("%s changes the prompt:\n%s", v.Name, diff)
		}
		now := asked()
		for _, sampler := range models.SamplerValues(*v.Profile) {
			if now[sampler.Name] == nil {
				t.Errorf("%s says %s, and it is not asked for", v.Name, sampler.Name)
			}
		}
		if now["num_ctx"] != was["num_ctx"] {
			t.Errorf("%s changes num_ctx from %v to %v", v.Name, was["num_ctx"], now["num_ctx"])
		}
	}
}
