package fill

import "testing"

func TestStatement(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"Ed", "red hair", "Ed: red hair"},
		{"Ed", "Ed has red hair", "Ed has red hair"},
		{"Marla", "hides in(boathouse)", "Marla: hides in boathouse"},
		{"Marla", "owes five coins to(Marla)", "Marla: owes five coins to"},
		{"", "calm", "calm"},
	} {
		if got := Statement(c[0], c[1]); got != c[2] {
			t.Errorf("%s, %s: %q, not %q", c[0], c[1], got, c[2])
		}
	}
}

func TestKeyOf(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"“The Mill”,": "the mill", "{{user}}'s Sister": "{{user}}'s sister", "{a}": "a"} {
		if got := cleanKey(in); got != want {
			t.Errorf("%q: %q, not %q", in, got, want)
		}
	}
}
