package demo

import (
	"encoding/json"
	"testing"
)

type embedded struct {
	Model      string
	Embeddings [][]float32
	Count      int `json:"prompt_eval_count"`
	Error      string
}

func embedAll(t *testing.T, h *Servers, body map[string]any) embedded {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	var out embedded
	if err := json.Unmarshal([]byte(ask(t, h, "POST", "/api/embed", string(data)).body), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestEmbed(t *testing.T) {
	h := open(t, Options{})
	texts := []string{"They love the rain on the roof.", "Rain on a roof, and how they love it", "Their brother sold the boat.", ""}
	got := embedAll(t, h, map[string]any{"model": Model, "input": texts})
	if len(got.Embeddings) != len(texts) || got.Count == 0 || got.Model != Model {
		t.Fatalf("%+v", got)
	}
	for i, v := range got.Embeddings {
		if n := dot(v, v); n < 0.999 || n > 1.001 {
			t.Errorf("vector %d has the length %v", i, n)
		}
	}
	near, far := dot(got.Embeddings[0], got.Embeddings[1]), dot(got.Embeddings[0], got.Embeddings[2])
	if near < 0.6 || far > 0.3 {
		t.Errorf("what shares words is at %.2f, what shares none at %.2f", near, far)
	}
	if one := embedAll(t, h, map[string]any{"model": Model, "input": texts[0]}); len(one.Embeddings) != 1 || dot(one.Embeddings[0], got.Embeddings[0]) < 0.999 {
		t.Errorf("the same text has another vector: %+v", one)
	}
	if none := embedAll(t, h, map[string]any{"model": Model}); len(none.Embeddings) != 0 || none.Error != "" {
		t.Errorf("%+v", none)
	}
	for _, body := range []map[string]any{{"model": Model, "input": 3}, {"model": Model, "input": []any{"a", 1}}, {"model": "nope", "input": "a"}, {"input": "a"}} {
		if bad := embedAll(t, h, body); bad.Error == "" {
			t.Errorf("%v: %+v", body, bad)
		}
	}
}
