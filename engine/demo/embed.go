package demo

import (
	"context"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/ollama/ollama/api"
)

// dimensions is the length of the servers' vectors.
const dimensions = 96

// embed answers a request with vectors of its texts; texts that share words have near vectors. A
// request has no num_ctx, so the model is loaded with its usual context.
//
// Of the faults, Lacks leaves the last vector out, Mistyped sends texts in place of numbers,
// Escapes numbers that no float32 holds, Cut vectors of different lengths; Slow and Wait wait.
func (o *ollama) embed(ctx context.Context, w http.ResponseWriter, body []byte, f Fault) {
	var req api.EmbedRequest
	if !decode(w, body, &req) {
		return
	}
	texts, ok := inputs(req.Input)
	if !ok {
		fail(w, http.StatusBadRequest, "invalid input type")
		return
	}
	e, ok := o.find(w, req.Model)
	if !ok {
		return
	}
	j := job{entry: e, name: req.Model, keep: req.KeepAlive}
	if err := j.options(req.Options); err != nil {
		fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	select {
	case o.slot <- struct{}{}:
		defer func() { <-o.slot }()
	case <-ctx.Done():
		return
	}
	_, took := o.load(e, j.opts.Runner, req.KeepAlive)
	read := 0
	vectors := make([][]float64, 0, len(texts))
	for _, t := range texts {
		read += len(o.cuts().tokens(nil, t))
		vectors = append(vectors, meaning(t))
	}
	if !f.holdUp(ctx) {
		return
	}
	total := took + time.Duration(read)*DefaultTokenDelay/readRatio
	reply(w, map[string]any{"model": req.Model, "embeddings": f.embeddings(vectors), "total_duration": total,
		"load_duration": took, "prompt_eval_count": read})
}

// inputs returns the texts of a request: one, or a list.
func inputs(v any) ([]string, bool) {
	switch v := v.(type) {
	case nil:
		return nil, true
	case string:
		return []string{v}, true
	case []any:
		out := make([]string, 0, len(v))
		for _, one := range v {
			text, ok := one.(string)
			if !ok {
				return nil, false
			}
			out = append(out, text)
		}
		return out, true
	}
	return nil, false
}

// meaning returns a text's vector, with length 1: each of its longer words counts at a place of its
// own.
func meaning(text string) []float64 {
	const least = 4 // minimum bytes of a word that counts, if there is one
	v := make([]float64, dimensions)
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	long := slices.DeleteFunc(slices.Clone(words), func(w string) bool { return len(w) < least })
	if len(long) == 0 {
		long = words
	}
	for _, w := range long {
		h := hash(strings.TrimSuffix(w, "s"))
		v[h%dimensions]++
		v[h>>32%dimensions] += 0.5
	}
	v[0] += 0.01 // no text means nothing at all
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	for i := range v {
		v[i] /= math.Sqrt(sum)
	}
	return v
}

// holdUp waits as the fault says, and reports whether anybody still waits for the
// answer.
func (f Fault) holdUp(ctx context.Context) bool {
	switch f.Kind {
	case Slow:
		return pause(ctx, f.Pace)
	case Wait:
		select {
		case <-f.Until:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// embeddings returns vectors as a fault leaves them.
func (f Fault) embeddings(vectors [][]float64) any {
	switch f.Kind {
	case Lacks:
		return vectors[:max(len(vectors)-1, 0)]
	case Mistyped:
		out := make([][]string, len(vectors))
		for i := range out {
			out[i] = []string{"near", "far"}
		}
		return out
	case Escapes:
		for _, v := range vectors {
			v[1] = 1e300
		}
	case Cut:
		for i, v := range vectors {
			vectors[i] = v[:max(len(v)-i, 0)]
		}
	}
	return vectors
}
