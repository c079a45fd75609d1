package ollama

import (
	"math"
	"sync"

	"github.com/ghostlight-theatre/ghostlight/engine/text"
)

// A Meter's ratio is a multiple of 1/ratioGrid between minRatio and maxRatio. It changes only when
// the smoothed ratio differs from the ratio in use by more than playUp or playDown, relative to the
// latter. So the estimate of an unchanged text stays the same from turn to turn, and prompts that
// are cut by it stay byte-stable, until the estimate is really wrong. Estimates that are too low
// are the dangerous ones, so playUp is smaller, and the new multiple is always the one above.
const (
	minRatio, maxRatio = 0.3, 3.0
	ratioGrid          = 20
	playUp, playDown   = 0.05, 0.10
	// Observations with fewer tokens than this are ignored; those with fewer than fullWeight count
	// less, because the chat template is most of a short prompt.
	minObserved = 64
	fullWeight  = 2000
	// The part of the distance to a new observation by which the smoothed ratio moves. An estimate
	// that is too low can make a prompt too long, so it is corrected faster.
	gainUp, gainDown = 0.5, 0.25
)

// Meter estimates the number of a model's tokens in a text: the result of text.Tokens times a ratio
// that the server's counts correct. It is safe for concurrent use; the same ratio and text always
// give the same count.
type Meter struct {
	mu     sync.RWMutex
	steps  uint64  // the ratio in units of 1/ratioGrid
	smooth float64 // according to the observations, unrounded
}

// NewMeter returns a meter with the ratio of an earlier Meter for the same model, or with 1 for a
// new model; a ratio that is not usable counts as 1.
func NewMeter(ratio float64) *Meter {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) || ratio <= 0 {
		ratio = 1
	}
	ratio = min(max(ratio, minRatio), maxRatio)
	return &Meter{steps: uint64(math.Round(ratio * ratioGrid)), smooth: ratio}
}

// Ratio returns the factor in use. It changes seldom, in visible steps.
func (m *Meter) Ratio() float64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return float64(m.steps) / ratioGrid
}

// Count estimates the tokens of a prompt or a part of one: 0 for none, else at least 1.
func (m *Meter) Count(prompt string) int {
	m.mu.RLock()
	steps := m.steps
	m.mu.RUnlock()
	return text.TokensAt(prompt, int(steps)*100/ratioGrid)
}

// Observe corrects the ratio: estimated is the result of Count for a prompt with the present ratio,
// actual the server's count.
func (m *Meter) Observe(estimated, actual int) {
	if estimated < minObserved || actual < minObserved || estimated > 1<<30 || actual > 1<<30 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := float64(m.steps) / ratioGrid
	seen := min(max(now*float64(actual)/float64(estimated), minRatio), maxRatio)
	gain := gainDown
	if seen > m.smooth {
		gain = gainUp
	}
	m.smooth += (seen - m.smooth) * gain * min(1, float64(estimated)/fullWeight)
	if m.smooth > now*(1+playUp) || m.smooth < now*(1-playDown) {
		m.steps = uint64(math.Ceil(m.smooth * ratioGrid))
	}
}

// Refused corrects the ratio after a server has refused a prompt: estimated is the result of Count
// with the present ratio, least the minimum number of its tokens. It makes the whole correction in
// one step, because a prompt after a smaller step would be refused again.
func (m *Meter) Refused(estimated, least int) {
	if estimated <= 0 || least > 1<<30 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := float64(m.steps) / ratioGrid
	if seen := min(now*float64(least)/float64(estimated), maxRatio); seen > now {
		m.smooth, m.steps = seen, uint64(math.Ceil(seen*ratioGrid))
	}
}
