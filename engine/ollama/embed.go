package ollama

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/ollama/ollama/api"
)

// The bounds of one Embed: texts, bytes of each, and numbers of a vector.
const (
	MaxEmbedTexts = 1024
	MaxEmbedText  = 64 << 10
	maxDimensions = 1 << 14
)

// Embed returns one vector for the meaning of each text, in their order, all of one length and none
// of them only zeros. Of a text that is longer than the model's limit only the beginning counts.
// The model should not be a chat's: this call loads it with a context of its own. Without texts no
// request is sent.
//
// An error that is ErrRefused means that the model cannot embed; one that is ErrServer means that
// its answer was wrong.
func (c *Client) Embed(ctx context.Context, model string, texts []string) ([][]float32, error) {
	if why := badEmbed(model, texts); why != "" {
		return nil, c.refuse("embed", model, why)
	}
	if len(texts) == 0 {
		return nil, nil
	}
	k := c.begin(ctx, c.giveUp)
	defer k.end()
	cut := true
	wire := &api.EmbedRequest{Model: model, Input: texts, Truncate: &cut}
	if c.keep != nil {
		wire.KeepAlive = &api.Duration{Duration: *c.keep}
	}
	res, err := k.Embed(k.ctx, wire)
	if err != nil || res.Embeddings == nil {
		return nil, embedFault(c.failed(ctx, "embed", model, k, err))
	}
	if why := badVectors(res.Embeddings, len(texts)); why != "" {
		return nil, &Error{Op: "embed", URL: c.BaseURL(), Model: model, Kind: ErrServer, Status: k.w.status, Text: why}
	}
	return res.Embeddings, nil
}

// badEmbed returns what makes a request impossible, before it is sent.
func badEmbed(model string, texts []string) string {
	if why := badName(model); why != "" {
		return why
	}
	if len(texts) > MaxEmbedTexts {
		return fmt.Sprintf("%d texts are too many at once; the limit is %d", len(texts), MaxEmbedTexts)
	}
	for i, t := range texts {
		if len(t) > MaxEmbedText {
			return fmt.Sprintf("text %d has %d KiB; the limit is %d", i+1, len(t)>>10, MaxEmbedText>>10)
		}
	}
	return ""
}

// badVectors returns what is wrong with an answer.
func badVectors(list [][]float32, want int) string {
	if len(list) != want {
		return fmt.Sprintf("%d texts got %d vectors", want, len(list))
	}
	for _, v := range list {
		if len(v) == 0 || len(v) > maxDimensions || len(v) != len(list[0]) {
			return fmt.Sprintf("a vector has %d numbers, another one %d", len(v), len(list[0]))
		}
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
			return "a vector has no direction"
		}
	}
	return ""
}

// embedFault returns err, changed to ErrRefused if the model cannot embed: the server reports that
// like a fault of its own.
func embedFault(err error) error {
	var e *Error
	if errors.As(err, &e) && strings.Contains(strings.ToLower(e.Text), "not support embed") {
		e.Kind = ErrRefused
	}
	return err
}
