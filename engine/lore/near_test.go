package lore

import (
	"strings"
	"testing"
)

func TestNearMiss(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys, text   string
		cased, whole bool
		word, why    string
	}{
		{"inn", "two inns by the water", false, true, "inns", "whole words only"},
		{"inn", "two inns by the water", false, false, "", ""},
		{"inn", "the inn and the inns", false, true, "", ""},
		{"Inn", "the inn", true, true, "inn", "case-sensitive"},
		{"Inn", "the Inn", true, true, "", ""},
		{"lamp|inn", "inns", false, true, "inns", "whole words only"},
		{"lamp|inn", "inns and a lamp", false, true, "", ""},
		{"/inn/", "inns", false, true, "", ""},
		{"rope", "nothing", false, true, "", ""},
	} {
		near, ok := findNearMiss(strings.Split(c.keys, "|"), c.text, strings.ToLower(c.text), c.cased, c.whole)
		if ok != (c.why != "") || near.Word != c.word || near.Why != c.why {
			t.Errorf("%q in %q: %+v", c.keys, c.text, near)
		}
	}
}
