package script

import "testing"

// A prompt that is read anew anyway folds what recaps tell before it is full, and
// nothing else.
func TestWindow_Cold(t *testing.T) {
	t.Parallel()
	base := snapshot()
	r := room(t, base)
	for name, c := range map[string]struct {
		share  float64
		memory *Memory
		cold   bool
		folds  bool
	}{
		"as ever":            {0.7, covering(30, 4), false, false},
		"cold":               {0.7, covering(30, 4), true, true},
		"little stands yet":  {0.4, covering(30, 4), true, false},
		"nothing is told":    {0.7, covering(-1, 4), true, false},
		"hardly any is told": {0.7, covering(3, 4), true, false},
		"full is full":       {0.85, covering(30, 4), false, true},
	} {
		s := base
		s.History = long(41, int(c.share*float64(r))/41-messageTokens)
		s.Window, s.Memory, s.Cold = id(0), c.memory, c.cold
		p := mustCompile(t, s)
		if p.Folded != c.folds || p.Uncovered > 0 {
			t.Errorf("%s: folded %v, begins with %s, %d untold", name, p.Folded, p.Window, p.Uncovered)
		}
	}
}
