package facts

import (
	"fmt"
	"testing"
)

// What an exchange may end is the nearest, however much else shares a word with it.
func TestNear_WhatTheExchangeIsAbout(t *testing.T) {
	var list []string
	for i := range 20 {
		list = append(list, fmt.Sprintf("Robin%c has to answer the letter of Tom%c within a week.", 'a'+i, 'a'+i))
	}
	list = append(list, "Clara sold the boat to Piet.", "Jonna wartet am Brunnen.", "Lucie attend au moulin.", "Robin has a dog.")
	for want, last := range map[string]string{
		"Clara sold the boat to Piet.": "A letter lies on the table, and a week has gone by. Robin, clara sold the boat to Marten after all.",
		"Jonna wartet am Brunnen.":     "Der letter ist da. Jonna wartet jetzt an der Mühle.",
		"Lucie attend au moulin.":      "Une letter est là. Lucie attend au puits maintenant.",
	} {
		near := Near(list, last, "What of the letter of Toma?", "Robin")
		best := 0
		for i := range near {
			if near[i] > near[best] {
				best = i
			}
		}
		if list[best] != want {
			t.Errorf("%s: %q", last, list[best])
		}
		if near[len(near)-1] != 0 {
			t.Error("a name that stands everywhere counts")
		}
	}
	if got := Near(nil, "Clara", ""); len(got) != 0 {
		t.Errorf("%v", got)
	}
}
