package house

import (
	"ghostlight/engine/config"
	"ghostlight/engine/ollama"
	"ghostlight/engine/play/script"
	"ghostlight/storage"
)

// ChatRequest puts a prompt into the form that the server takes. Every request
// of a model carries the same num_ctx: another one would reload the model.
func (svc *Service) ChatRequest(model string, known *KnownModel, msgs []script.Message) ollama.Request {
	s := svc.Sampling()
	req := ollama.Request{Model: model, Think: s.Think, Options: ollama.Options{NumCtx: svc.ContextOf(known), NumPredict: svc.ReplyCap(known),
		Temperature: s.Temperature, TopP: s.TopP, MinP: s.MinP, RepeatPenalty: s.RepeatPen, TopK: s.TopK, Seed: s.Seed, Stop: s.Stop}}
	for _, m := range msgs {
		req.Messages = append(req.Messages, ollama.Message{Role: m.Role, Content: m.Content})
	}
	return req
}

// Sampling is the configured way of speaking, defaults filled in.
func (svc *Service) Sampling() storage.Profile {
	s := svc.core.Config.Sampling
	if s.NumCtx <= 0 {
		s.NumCtx = config.DefaultContext
	}
	if s.NumPredict <= 0 {
		s.NumPredict = config.DefaultReply
	}
	if s.Temperature == nil {
		t := config.DefaultTemperature
		s.Temperature = &t
	}
	return s
}

// ContextOf is the context length for a model: the configured one, or the
// model's own where that is smaller.
func (svc *Service) ContextOf(known *KnownModel) int {
	n := svc.Sampling().NumCtx
	if known != nil && known.context > 0 {
		n = min(n, known.context)
	}
	return n
}

// ReplyCap is the longest reply that is asked for: never more than a third of a
// small context, so that there is room for the play.
func (svc *Service) ReplyCap(known *KnownModel) int {
	return max(1, min(svc.Sampling().NumPredict, svc.ContextOf(known)/3))
}

func MeterKey(model string) string { return "meter/" + model }
