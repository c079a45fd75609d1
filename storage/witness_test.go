package storage

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWitnesses(t *testing.T) {
	type who = []CharacterID
	for _, tt := range []struct{ a, b, both, either who }{
		{nil, who{"a"}, who{"a"}, nil}, {who{"a"}, nil, who{"a"}, nil}, {nil, nil, nil, nil},
		{who{"a", "b"}, who{"b"}, who{"b"}, who{"a", "b"}}, {who{"a"}, who{"b"}, who{}, who{"a", "b"}},
	} {
		if d := cmp.Diff([]who{tt.both, tt.either}, []who{WitnessesOfBoth(tt.a, tt.b), WitnessesOfEither(tt.a, tt.b)}); d != "" {
			t.Errorf("%v, %v: %s", tt.a, tt.b, d)
		}
	}
}
