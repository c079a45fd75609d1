package storage

import "slices"

// WitnessesOfBoth returns those who know two things, each known to one list; a nil list is
// everybody. What it returns may be one of the lists.
func WitnessesOfBoth(a, b []CharacterID) []CharacterID {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	out := []CharacterID{}
	for _, x := range a {
		if slices.Contains(b, x) {
			out = append(out, x)
		}
	}
	return out
}

// WitnessesOfEither returns those who know any of two things, each known to one list; a nil
// list is everybody.
func WitnessesOfEither(a, b []CharacterID) []CharacterID {
	if a == nil || b == nil {
		return nil
	}
	out := slices.Clone(a)
	for _, x := range b {
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
