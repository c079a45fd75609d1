package models_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A chat asks its model as it says itself, else as is said for the model, else as the
// settings say; what is said goes into the request and is still there after a restart.
func TestSampling_ChatThenModelThenSettings(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	s.Engine.Core().Reconfigure(func(c *config.Config) { c.Sampling = storage.Profile{TopP: new(0.9), NumCtx: 4096} })
	must := func(err error) { t.Helper(); enginetest.Must(t, err) }
	must(s.Models.SetModelSampling(demo.Model, "temperature", "0,5"))
	must(s.Models.SetModelSampling(demo.Model, "num_ctx", "6000"))
	must(s.Chats.SetSampling(s.Chat, "temperature", "1.2"))
	must(s.Chats.SetSampling(s.Chat, "seed", "0"))
	says := func(want string) {
		t.Helper()
		c, err := s.Chats.Find(string(s.Chat))
		must(err)
		var got []string
		for _, v := range s.Models.Samplings(c, demo.Model) {
			if v.Source != "" {
				got = append(got, v.Name+"="+v.Value+" ("+v.Source+")")
			}
		}
		if words := strings.Join(got, " "); words != want {
			t.Errorf("%s\nwant\n%s", words, want)
		}
	}
	says("temperature=1.2 (chat) num_ctx=6000 (model) num_predict=1024 (settings) top_p=0.9 (settings) seed=0 (chat)")
	v, err := s.Play.Prompt(t.Context(), s.Chat, "")
	must(err)
	if o := v.Options; *o.Temperature != 1.2 || *o.TopP != 0.9 || o.NumCtx != 6000 || *o.Seed != 0 {
		t.Errorf("the prompt is asked with %+v", o)
	}
	for _, c := range [][3]string{{"temperature", "9", "temperature must be a number from 0 to 5"}, {"num_ctx", "12", "num_ctx must be a whole number from 256"}, {"num_predict", "6000", "smaller than num_ctx (6000)"},
		{"seed", "x", "whole number"}, {"think", "perhaps", "low, medium, high"}, {"colour", "1", "sampling has no field"}} {
		if err := s.Chats.SetSampling(s.Chat, c[0], c[1]); err == nil || !strings.Contains(failure.Text(err)+err.Error(), c[2]) {
			t.Errorf("%s = %s: %v", c[0], c[1], err)
		}
	}
	must(s.Chats.SetSampling(s.Chat, "temperature", ""))
	must(s.Models.SetModelSampling(demo.Model, "num_ctx", ""))
	s.Reopen()
	says("temperature=0.5 (model) num_ctx=8192 (settings) num_predict=1024 (settings) seed=0 (chat)")
}

// All that the server takes can be said of a chat, goes into its request, and is refused
// where no server could use it.
func TestSampling_AllThatOllamaTakes(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	for name, value := range map[string]string{"typical_p": "0.9", "repeat_last_n": "-1", "presence_penalty": "-0.5", "frequency_penalty": "0.25"} {
		enginetest.Must(t, s.Chats.SetSampling(s.Chat, name, value))
		for _, bad := range []string{"x", "1e9", "-7"} {
			if err := s.Chats.SetSampling(s.Chat, name, bad); err == nil {
				t.Errorf("%s %s was taken", name, bad)
			}
		}
	}
	s.Say("Hello.")
	calls := s.TurnsSent()
	body := string(calls[len(calls)-1].Body)
	for _, want := range []string{`"typical_p":0.9`, `"repeat_last_n":-1`, `"presence_penalty":-0.5`, `"frequency_penalty":0.25`} {
		if !strings.Contains(body, want) {
			t.Errorf("the request lacks %s: %.600s", want, body)
		}
	}
}
