package models

import (
	"math"
	"slices"
	"time"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

const (
	// paceLeast is the least number of read tokens that shows the speed of reading: below it the
	// request itself takes most of the time.
	paceLeast = 200
	// paceKept is the number of readings that are remembered of a model, the newest.
	paceKept = 21
	// The limits of plausible speeds, in milliseconds per token.
	slowestPace, fastestPace = 10_000, 0.001
)

// readingSpeed holds a model's speed of reading on this machine: milliseconds per token, the newest
// reading last.
type readingSpeed struct {
	MS []float64 `json:"ms"`
}

func paceKey(model string) string { return "pace/" + model }

// add returns the speed with one more reading: read is the number of tokens that were predicted to
// be read again, evalMS the time that the server took for them. ok is false if the reading is not
// usable.
func (p readingSpeed) add(read int, evalMS int64) (next readingSpeed, ok bool) {
	if read < paceLeast || evalMS <= 0 {
		return p, false
	}
	ms := float64(evalMS) / float64(read)
	if ms < fastestPace || ms > slowestPace {
		return p, false
	}
	kept := append(slices.Clone(p.MS), ms)
	return readingSpeed{kept[max(0, len(kept)-paceKept):]}, true
}

// token returns the milliseconds per token: the mean of the middle half of the readings. Single
// predictions are wrong if another program has asked the server meanwhile, or if more was in its
// cache. It returns 0 without readings.
func (p readingSpeed) token() float64 {
	list := slices.DeleteFunc(slices.Clone(p.MS), func(ms float64) bool {
		return !(ms >= fastestPace && ms <= slowestPace)
	})
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	cut := len(list) / 4
	sum := 0.0
	for _, ms := range list[cut : len(list)-cut] {
		sum += ms
	}
	return sum / float64(len(list)-2*cut)
}

// EstimateRead estimates how many tokens of a prompt the server read again, from the time that it
// took; -1 while the speed is not known.
func EstimateRead(tokenMS float64, evalMS int64, prompt int) int {
	if tokenMS <= 0 || evalMS < 0 || prompt < 0 {
		return -1
	}
	return int(min(math.Round(float64(evalMS)/tokenMS), float64(prompt)))
}

// TokenMS returns the milliseconds that a model needs to read one token on this machine; 0 while
// that is unknown.
func (svc *Service) TokenMS(model string) float64 {
	var p readingSpeed
	if err := svc.core.Store.View(func(tx *storage.Tx) error {
		_, err := tx.Setting(paceKey(model), &p)
		return err
	}); err != nil {
		svc.core.Log.Warn("reading how fast the model reads failed", "model", model, "err", err)
		return 0
	}
	return p.token()
}

// LearnPace stores the speed of reading that a reply has shown: read is the number of tokens that
// were predicted to be read again, evalMS the time that the server took for them. It is called once
// per reply, in the transaction that stores it. A prediction made just after the program has
// started may be wrong, because the prompt may be cached: the readings of later turns outweigh it.
func (svc *Service) LearnPace(tx *storage.Tx, model string, read int, evalMS int64) error {
	var p readingSpeed
	if _, err := tx.Setting(paceKey(model), &p); err != nil {
		p = readingSpeed{} // unreadable data is learnt again
	}
	next, ok := p.add(read, evalMS)
	if !ok || model == "" {
		return nil
	}
	return tx.PutSetting(paceKey(model), next)
}

// paceNear is the factor by which the known speed of reading may be wrong. A smaller one does not
// improve forecasts, and they should not change with every turn.
const paceNear = 1.5

// LearnRead is LearnPace for background work, if it is known which part of its prompt was in the
// server's cache. It stores nothing if the speed is close to the known one.
func (svc *Service) LearnRead(model string, read int, took time.Duration) {
	if was, is := svc.TokenMS(model), float64(took.Milliseconds())/float64(max(read, 1)); is < was*paceNear &&
		is*paceNear > was {
		return
	}
	if err := svc.core.Store.Update(func(tx *storage.Tx) error {
		return svc.LearnPace(tx, model, read, took.Milliseconds())
	}); err != nil {
		svc.core.Log.Warn("keeping how fast the model reads failed", "model", model, "err", err)
	}
}
