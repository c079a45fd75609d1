package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ollama/ollama/api"
)

const reportSchema = `{"type":"object","properties":{"mood":{"type":"string","enum":["calm","tense","angry"]},"score":{"type":"integer","minimum":0,"maximum":10},
"note":{"type":"string","minLength":3,"maxLength":40}},"required":["mood","score"]}`

type report struct {
	Mood  string `json:"mood"`
	Score int    `json:"score"`
	Note  string `json:"note"`
}

// chatAnswer is a whole stream of one piece.
func chatAnswer(content, reason string) string {
	c, _ := json.Marshal(content)
	return `{"model":"m","message":{"role":"assistant","content":` + string(c) + `},"done":false}` + "\n" +
		`{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"` + reason + `","eval_count":3}` + "\n"
}

// script answers one request after the other and keeps them.
type script struct {
	answers []string
	got     []api.ChatRequest
}

func (s *script) serve(w http.ResponseWriter, r *http.Request) {
	var req api.ChatRequest
	b, _ := io.ReadAll(r.Body)
	if err := json.Unmarshal(b, &req); err != nil || len(s.got) >= len(s.answers) {
		http.Error(w, `{"error":"out of script"}`, 400)
		return
	}
	s.got = append(s.got, req)
	body := s.answers[len(s.got)-1]
	if status, ok := strings.CutPrefix(body, "400 "); ok {
		w.WriteHeader(400)
		body = status
	}
	_, _ = io.WriteString(w, body)
}

// A model that copies the example is asked once more without it, and then never shown one again.
func TestStructured_ACopiedExample(t *testing.T) {
	const schema = `{"type":"object","properties":{"note":{"type":"string"}},"required":["note"]}`
	const example = `{"note":"Anna hides the deed in the mill"}`
	s := &script{answers: []string{chatAnswer(example, "stop"), chatAnswer(`{"note":"Bob sings"}`, "stop"),
		chatAnswer(`{"note":"Bob sleeps"}`, "stop")}}
	c := serve(t, s.serve)
	req := Request{Model: "m", Options: Options{NumCtx: 4096, NumPredict: 90}, Messages: []Message{{Role: "user", Content: "Write a note.\nExample:\n" + example + "\nNow write."}}}
	for _, want := range []string{"Bob sings", "Bob sleeps"} {
		var v struct{ Note string }
		if _, err := c.Structured(t.Context(), req, json.RawMessage(schema), &v, nil, nil); err != nil || v.Note != want {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	for i, want := range []string{req.Messages[0].Content, "Write a note.\nNow write.", "Write a note.\nNow write."} {
		if m := s.got[i].Messages; len(m) != 1 || m[0].Content != want {
			t.Errorf("request %d: %+v", i+1, m)
		}
	}
}

func TestStructured(t *testing.T) {
	const good = `{"mood":"calm","score":4}`
	tests := []struct {
		name    string
		answers []string
		calls   int
		fault   string // of the *AnswerError, "" for success
		reask   string // in the second request's last message
	}{
		{"at once", []string{chatAnswer(good, "stop")}, 1, "", ""},
		{"in a fence", []string{chatAnswer("```json\n"+good+"\n```", "stop")}, 1, "", ""},
		{"sloppy", []string{chatAnswer(`{mood: 'calm', "score": 4,}`, "stop")}, 1, "", ""},
		{"cut, then good", []string{chatAnswer(`{"mood":"calm","sco`, "length"), chatAnswer(good, "stop")}, 2, "", "cut off at the length limit"},
		{"cut after a value", []string{chatAnswer(`{"mood":"calm","score":4`, "length"), chatAnswer(good, "stop")}, 2, "", "cut off at the length limit"},
		{"against the schema", []string{chatAnswer(`{"mood":"happy","score":4}`, "stop"), chatAnswer(good, "stop")}, 2, "", `the field "mood" is "happy"`},
		{"check", []string{chatAnswer(`{"mood":"tense","score":4,"note":"stale"}`, "stop"), chatAnswer(good, "stop")}, 2, "", "the mood must be calm"},
		{"twice bad", []string{chatAnswer(`{"mood":"tense","score":4}`, "stop"), chatAnswer(`{"mood":"angry","score":4}`, "stop")}, 2, "the mood must be calm", "the mood must be calm"},
		{"twice cut", []string{chatAnswer(`{"mood":`, "length"), chatAnswer(`{"mood":`, "length")}, 2, "length limit", "shorter"},
		{"empty twice", []string{chatAnswer("", "stop"), chatAnswer(" \n", "stop")}, 2, "empty", ""},
		{"prose twice", []string{chatAnswer("Once", "stop"), chatAnswer("upon", "stop")}, 2, "no JSON object", "no JSON object"},
		{"repeats", []string{strings.Repeat(`{"model":"m","message":{"content":" this"}}`+"\n", 31), chatAnswer(good, "stop")}, 2, "", "repeated"},
		{"no room to correct", []string{chatAnswer(`{"mood":"happy","score":4}`, "stop"), "400 " + string(captured(t, "ctx_overflow_truncate_false.json"))}, 2, `the field "mood" is "happy"`, `the field "mood" is "happy"`},
		{"deep", []string{chatAnswer(strings.Repeat("[", 3500), "stop"), chatAnswer(good, "stop")}, 2, "", "no JSON object"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := &script{answers: tt.answers}
			c := serve(t, s.serve)
			var got report
			check := func() error {
				if got.Mood != "calm" {
					return errors.New("the mood must be calm")
				}
				return nil
			}
			_, err := c.Structured(t.Context(), request(), json.RawMessage(reportSchema), &got, check, nil)
			var bad *AnswerError
			if tt.fault == "" && (err != nil || got != report{"calm", 4, ""}) {
				t.Errorf("%v, %+v", err, got)
			} else if tt.fault != "" && (!errors.As(err, &bad) || !strings.Contains(bad.Fault, tt.fault) || !strings.Contains(ErrorText(err), tt.fault) || IsTransient(err)) {
				t.Errorf("%v, words %q", err, ErrorText(err))
			}
			if len(s.got) != tt.calls {
				t.Fatalf("%d requests, want %d", len(s.got), tt.calls)
			}
			if th := s.got[0].Think; th == nil || th.Bool() || string(s.got[0].Format) == "" {
				t.Error("thinking was not turned off, or the schema not sent")
			}
			if tt.calls == 2 && tt.reask != "" {
				last := s.got[1].Messages
				if last[0].Content != s.got[0].Messages[0].Content || !strings.Contains(last[len(last)-1].Content, tt.reask) {
					t.Errorf("asked again with %+v", last)
				}
			}
		})
	}
}

func TestStructured_NotAskedAgain(t *testing.T) {
	tests := []struct {
		name string
		body string
		kind error
	}{
		{"shut down", string(captured(t, "chat_stream_server_sigterm.ndjson")), ErrLost},
		{"runner killed", string(captured(t, "chat_stream_runner_killed.ndjson")), ErrServer},
		{"too long", "400 " + string(captured(t, "ctx_overflow_truncate_false.json")), ErrTooLong},
	}
	for _, tt := range tests {
		s := &script{answers: []string{tt.body}}
		var got report
		_, err := serve(t, s.serve).Structured(t.Context(), request(), json.RawMessage(reportSchema), &got, nil, nil)
		if !errors.Is(err, tt.kind) || len(s.got) != 1 {
			t.Errorf("%s: %v after %d requests", tt.name, err, len(s.got))
		}
	}
	s := &script{answers: []string{chatAnswer(`{}`, "stop")}}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var got report
	if _, err := serve(t, s.serve).Structured(ctx, request(), json.RawMessage(reportSchema), &got, nil, nil); !errors.Is(err, context.Canceled) || ErrorText(err) != "Stopped." {
		t.Errorf("stopped: %v", err)
	}
	for _, schema := range []string{``, `{"type":7}`, `{"$ref":"#/nowhere"}`} {
		if _, err := serve(t, s.serve).Structured(t.Context(), request(), json.RawMessage(schema), &got, nil, nil); !errors.Is(err, ErrRefused) {
			t.Errorf("schema %q: %v", schema, err)
		}
	}
	if _, err := serve(t, s.serve).Structured(t.Context(), request(), json.RawMessage(reportSchema), got, nil, nil); !errors.Is(err, ErrRefused) {
		t.Errorf("no pointer: %v", err)
	}
}

// Where the caller has another way, an answer that was cut off is not asked for again.
func TestStructured_CutEnds(t *testing.T) {
	s := &script{answers: []string{chatAnswer(`{"mood":"calm","sco`, "length")}}
	req := request()
	req.CutEnds = true
	var got report
	_, err := serve(t, s.serve).Structured(t.Context(), req, json.RawMessage(reportSchema), &got, nil, nil)
	var bad *AnswerError
	if !errors.As(err, &bad) || bad.Ending != EndLength || len(s.got) != 1 {
		t.Errorf("%d requests, %v", len(s.got), err)
	}
}

func TestStructured_ModelThatWillNotHearOfThinking(t *testing.T) {
	s := &script{answers: []string{"400 " + string(captured(t, "err_think.json")), chatAnswer(`{"mood":"calm","score":1}`, "stop")}}
	var got report
	if _, err := serve(t, s.serve).Structured(t.Context(), request(), json.RawMessage(reportSchema), &got, nil, nil); err != nil || got.Score != 1 {
		t.Fatal(err, got)
	}
	if s.got[1].Think != nil {
		t.Error("thinking was mentioned again")
	}
}

// A model that gives nothing where a form is wanted and it is told not to think is asked again
// without that, and from then on at once.
func TestStructured_ModelThatMustThink(t *testing.T) {
	thought := `{"model":"m","message":{"role":"assistant","content":"","thinking":"hm"},"done":false}` + "\n"
	s := &script{answers: []string{chatAnswer("", "stop"), thought + chatAnswer(`{"mood":"calm","score":1}`, "stop"), chatAnswer(`{"mood":"calm","score":2}`, "stop"),
		thought + chatAnswer("", "length")}}
	c := serve(t, s.serve)
	for i := range 2 {
		var got report
		req := request()
		req.Think = ThinkOff // as a profile may have it
		if _, err := c.Structured(t.Context(), req, json.RawMessage(reportSchema), &got, nil, nil); err != nil || got.Score != i+1 {
			t.Fatal(err, got)
		}
	}
	if len(s.got) != 3 || s.got[0].Think == nil || s.got[1].Think != nil || s.got[2].Think != nil {
		t.Fatalf("asked %d times", len(s.got))
	}
	if res, err := c.Chat(t.Context(), request(), nil); err != nil || !strings.Contains(res.Fault, `set think to "low"`) {
		t.Errorf("%v, %q", err, res.Fault)
	}
}

func TestStructured_CapturedStream(t *testing.T) {
	s := &script{answers: []string{string(captured(t, "chat_format_stream.ndjson"))}}
	var got report
	var g gather
	res, err := serve(t, s.serve).Structured(t.Context(), request(), json.RawMessage(reportSchema), &got, nil, g.add)
	if err != nil || (got != report{"angry", 3, " and little an know like hand back"}) || g.content != res.Content {
		t.Fatalf("%v, %+v", err, got)
	}
}
