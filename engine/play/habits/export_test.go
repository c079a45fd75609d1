package habits

// Kept is how many counts a tally holds.
func (t *Tally) Kept() int { return len(t.threes) }
