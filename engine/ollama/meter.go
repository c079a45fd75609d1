package ollama

import (
	"math"
	"sync"
)

// A Meter's ratio lives on a grid of 1/ratioGrid between minRatio and maxRatio,
// and leaves its place on it only when the smoothed ratio has moved further away
// than playUp or playDown, relative to the ratio in use. So the estimate of a
// text that has not changed stays the same from turn to turn, and prompts cut by
// it stay byte-stable, until the estimate is really wrong. Estimates that are too
// low are the dangerous ones, so there is less play upwards, and a new place on
// the grid is always the one above.
const (
	minRatio, maxRatio = 0.3, 3.0
	ratioGrid          = 20
	playUp, playDown   = 0.05, 0.10
	// Observations of fewer tokens than this say nothing; those of fewer than
	// fullWeight say less, because the chat template is most of a short prompt.
	minObserved = 64
	fullWeight  = 2000
	// How much of the way to a new observation the smoothed ratio goes. An
	// estimate that is too low can make a prompt too long, so it is mended faster.
	gainUp, gainDown = 0.5, 0.25
)

// Meter estimates how many tokens a model makes of a text: a weight for every
// character by kind and neighbour, times a ratio that is corrected by what the
// server counted. It is safe for concurrent use; the same ratio and text always
// give the same count.
type Meter struct {
	mu     sync.RWMutex
	steps  uint64  // the ratio in units of 1/ratioGrid
	smooth float64 // what the observations say, unrounded
}

// NewMeter starts with a ratio that an earlier Meter had for the same model, or
// with 1 for a new one; anything that is not a usable ratio counts as 1.
func NewMeter(ratio float64) *Meter {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) || ratio <= 0 {
		ratio = 1
	}
	ratio = min(max(ratio, minRatio), maxRatio)
	return &Meter{steps: uint64(math.Round(ratio * ratioGrid)), smooth: ratio}
}

// Ratio is the factor in use. It changes in visible steps, seldom.
func (m *Meter) Ratio() float64 {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return float64(m.steps) / ratioGrid
}

// Count estimates the tokens of text: 0 for none, else at least 1.
func (m *Meter) Count(text string) int {
	if text == "" {
		return 0
	}
	m.mu.RLock()
	steps := m.steps
	m.mu.RUnlock()
	const unit = weightUnit * ratioGrid
	return int(max((weigh(text)*steps+unit-1)/unit, 1))
}

// Observe corrects the ratio: estimated is what Count, with the ratio now in
// use, said about a prompt, actual what the server counted for it.
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

// Refused corrects the ratio by a prompt that a server has refused: estimated is what
// Count, with the ratio now in use, said about it, and least how many tokens it has or
// more. It goes all the way at once, since a smaller step is refused again.
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

// weightUnit is one token in the unit of the weights.
const weightUnit = 100

// kind sorts bytes by how tokenizers treat what they begin.
type kind uint8

const (
	kindFollow  kind = iota // the second and later bytes of a character
	kindLower               // a-z
	kindUpper               // A-Z
	kindDigit               //
	kindSpace               // space and tab
	kindLine                // line breaks
	kindMark                // ASCII punctuation
	kindControl             //
	kindLatin               // accented Latin
	kindAlpha               // Greek, Cyrillic, Hebrew, Arabic: alphabets with two bytes a letter
	kindIndic               // Indic scripts, Thai and others that begin with E0 and E1
	kindSign                // dashes, quotes, arrows, symbols
	kindIdeo                // Chinese, Japanese, Korean
	kindEmoji               // four bytes
	kinds
)

// weights[a][b] is what a byte of kind b costs after one of kind a.
var kindOf, weights = weightTables()

func weightTables() (of [256]kind, w [kinds][kinds]uint64) {
	for b := range 256 {
		of[b] = kindOfByte(b)
	}
	alone := [kinds]uint64{
		kindFollow: 0, kindLower: 90, kindUpper: 100, kindDigit: 60, kindSpace: 0, kindLine: 60, kindMark: 90, kindControl: 100,
		kindLatin: 75, kindAlpha: 45, kindIndic: 60, kindSign: 100, kindIdeo: 80, kindEmoji: 250,
	}
	for a := range kinds {
		w[a] = alone
	}
	// Inside a word a letter is cheap; the first one pays for the word.
	for _, a := range []kind{kindLower, kindUpper, kindFollow} {
		w[a][kindLower] = 10
	}
	w[kindUpper][kindUpper] = 35
	w[kindLower][kindUpper] = 70
	// Runs of the same sign share tokens.
	w[kindMark][kindMark] = 50
	w[kindLine][kindLine] = 10
	w[kindSpace][kindSpace] = 10
	w[kindLine][kindSpace] = 10
	return of, w
}

func kindOfByte(b int) kind {
	switch {
	case b >= 'a' && b <= 'z':
		return kindLower
	case b >= 'A' && b <= 'Z':
		return kindUpper
	case b >= '0' && b <= '9':
		return kindDigit
	case b == ' ', b == '\t':
		return kindSpace
	case b == '\n', b == '\r':
		return kindLine
	case b < 0x20, b == 0x7f:
		return kindControl
	case b < 0x80:
		return kindMark
	case b < 0xc0:
		return kindFollow
	case b < 0xca:
		return kindLatin
	case b < 0xe0:
		return kindAlpha
	case b < 0xe2:
		return kindIndic
	case b == 0xe2, b == 0xef:
		return kindSign
	case b < 0xf0:
		return kindIdeo
	}
	return kindEmoji
}

// weigh adds up the weights of a text.
func weigh(text string) uint64 {
	var sum uint64
	before := kindSpace
	for i := range len(text) {
		k := kindOf[text[i]]
		sum += weights[before][k]
		before = k
	}
	return sum
}
