package capture_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal/tove"
	"github.com/ghostlight-theatre/ghostlight/prompts"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// TestRehearsal_AnswersPassTheChecks asks the rehearsal for every kind of
// prompt along the bundled play, as the program does, and wants answers that
// need no second try.
func TestRehearsal_AnswersPassTheChecks(t *testing.T) {
	h, err := rehearsal.Start(rehearsal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}()
	for _, name := range []string{"Tove", "Ada Lovel"} {
		in := capture.Input{Character: bundled.Character(), Persona: bundled.Persona()}
		if name != "Tove" {
			in.Character = storage.Character{Card: storage.Card{Name: name, Description: "Somebody else."}}
			in.Character.Imagery.TriggerWord = "lamp"
		}
		story := []storage.Node{{Role: storage.Assistant, Content: in.Character.Card.FirstMessage}}
		for turn := range 8 {
			for _, kind := range []capture.Kind{capture.Image, capture.Video} {
				for _, requested := range []string{"", "Show me a picture of the stage"} {
					in.Kind, in.Requested, in.Messages = kind, requested, story
					answer := ask(t, h.OllamaURL, in)
					if faults := capture.Check(in, answer); len(faults) > 0 {
						t.Errorf("%s, turn %d, %s %q: %+v\n%s", name, turn, kind, requested, faults, answer.Prompt)
					}
					if requested == "" && !strings.Contains(answer.Prompt, "Robin") {
						t.Errorf("%s, turn %d, %s: the user is missing: %s", name, turn, kind, answer.Prompt)
					}
					if answer.NegativePrompt == "" || answer.Reasoning == "" {
						t.Errorf("answer: %+v", answer)
					}
					if testing.Verbose() && turn == 4 {
						t.Log(kind, requested, "\n", answer.Prompt)
					}
				}
			}
			story = append(story, storage.Node{Role: storage.User, Content: "*I step closer to you and lift my lamp with both hands.* \"And then, do you think I may stay?\""})
			story = append(story, storage.Node{Role: storage.Assistant, Content: tove.Reply(append([]storage.Node{{Role: storage.System, Content: name}}, story...), 0)})
		}
	}
}

func ask(t *testing.T, url string, in capture.Input) capture.Answer {
	t.Helper()
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var messages []message
	for _, m := range capture.Messages(in, prompts.BuiltIn()) {
		messages = append(messages, message(m))
	}
	body, err := json.Marshal(map[string]any{"model": "rehearsal", "stream": false, "messages": messages, "format": capture.Schema(in.Kind), "options": map[string]any{"num_ctx": 16384}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.Post(url+"/api/chat", "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var reply struct{ Message struct{ Content string } }
	if err := json.NewDecoder(res.Body).Decode(&reply); err != nil {
		t.Fatal(err)
	}
	var answer capture.Answer
	if err := json.Unmarshal([]byte(reply.Message.Content), &answer); err != nil {
		t.Fatalf("%v: %s", err, reply.Message.Content)
	}
	return answer
}
