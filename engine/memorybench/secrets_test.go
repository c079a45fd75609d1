package memorybench

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// knownLeaks is how many facts of the story below are told to a speaker who did not witness
// them. The number only falls.
const knownLeaks = 0

// Nobody is told what was whispered to another or said while they were away.
func TestMemoryBench_Secrets(t *testing.T) {
	const seed, scenes, facts, whispered = 4, 9, 5, 0.25
	r := start(t, Tell(seed, scenes, facts, whispered), Rates{}, seed)
	defer r.Shut()
	r.play()
	r.examine()
	secrets := 0
	for _, f := range r.story.Facts {
		if f.Known != [2]bool{true, true} {
			secrets++
		}
	}
	if secrets < 10 || r.f.Prompts < len(r.story.Turns) {
		t.Fatalf("%d facts are not for both, and %d prompts of %d turns were seen: it proves nothing",
			secrets, r.f.Prompts, len(r.story.Turns))
	}
	var by []string
	for _, place := range slices.Sorted(maps.Keys(r.f.Leaks)) {
		by = append(by, fmt.Sprintf("%d by %.60s", r.f.Leaks[place], place))
	}
	switch leaks := r.f.Betrayed + r.f.Shown; {
	case leaks > knownLeaks:
		t.Errorf("%d facts are told to who did not witness them (%s), and %d are shown to a pass on that one's prompt; known are %d",
			r.f.Betrayed, strings.Join(by, ", "), r.f.Shown, knownLeaks)
	case leaks < knownLeaks:
		t.Errorf("%d facts are told to who did not witness them: lower knownLeaks from %d", leaks, knownLeaks)
	}
}
