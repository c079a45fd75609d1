package house

import (
	"ghostlight/engine/config"
	"ghostlight/storage"
)

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
