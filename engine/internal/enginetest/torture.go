package enginetest

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// The environment variables of the torture tests: their duration, such as 10m, and the seed of a
// run to repeat.
const (
	tortureEnv = "GHOSTLIGHT_TEST_TORTURE"
	seedEnv    = "GHOSTLIGHT_TEST_SEED"
)

// Torture returns the duration of a test that can go on for ever. 0 means its own few rounds, as in
// every ordinary run.
func Torture(t testing.TB) time.Duration {
	t.Helper()
	text := os.Getenv(tortureEnv)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", tortureEnv, err)
	}
	return d
}

// Seed returns the seed of a run by chance, which the test logs: another one every time, unless
// the environment names it.
func Seed(t testing.TB) uint64 {
	t.Helper()
	seed := rand.Uint64()
	if text := os.Getenv(seedEnv); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("%s: %v", seedEnv, err)
		}
	}
	t.Logf("seed %d: %s=%d repeats it", seed, seedEnv, seed)
	return seed
}

// Chance makes the choices of a run by chance, from its Seed.
func Chance(t testing.TB) *rand.Rand {
	t.Helper()
	return rand.New(rand.NewPCG(Seed(t), 0))
}
