package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// What an exchange may end is shown, however much else shares a word with it.
func TestNearest_WhatTheExchangeIsAbout(t *testing.T) {
	var list []Listed
	for i := range 20 {
		list = append(list, Listed{Text: fmt.Sprintf("Robin%c has to answer the letter of Tom%c within a week.", 'a'+i, 'a'+i)})
	}
	for i := range 5 {
		list = append(list, Listed{Text: fmt.Sprintf("The keeper %d wants to hear of the storm before the moon is full, and of much else.", i), Due: true})
	}
	want := map[string]string{"en": "Clara sold the boat to Piet.", "de": "Jonna wartet am Brunnen.", "fr": "Lucie attend au moulin."}
	for _, s := range want {
		list = append(list, Listed{Text: s})
	}
	never := func(i, j int) bool { return false }
	for lang, last := range map[string]string{
		"en": "A letter lies on the table, and a week has gone by. Clara sold the boat to Marten after all.",
		"de": "Der letter ist da. Jonna wartet jetzt an der Mühle.",
		"fr": "Une letter est là. Lucie attend au puits maintenant.",
	} {
		var shown []string
		for _, r := range Rows(list, Nearest(list, last, "What of the letter?"), never) {
			shown = append(shown, list[r[0]].Text)
		}
		if !slices.Contains(shown, want[lang]) {
			t.Errorf("%s: %q", last, shown)
		}
		if !slices.ContainsFunc(shown, func(s string) bool { return strings.HasPrefix(s, "The keeper") }) || !strings.HasPrefix(shown[0], "The keeper") {
			t.Errorf("hooks that are due come first: %q", shown)
		}
	}
}

// What says the same is one line, and counts once.
func TestRows_OneForWhatSaysTheSame(t *testing.T) {
	list := []Listed{{Text: "Clara sold the boat."}, {Text: "Clara sold the boat", Due: true}, {Text: "Clara sold the cart."}, {Text: "clara sold the boat"}}
	rows := Rows(list, []int{0, 2, 3, 1}, func(i, j int) bool { return SameMemory(list[i].Text, list[j].Text) })
	if got := fmt.Sprint(rows); got != "[[1 0 3] [2]]" {
		t.Errorf("%s", got)
	}
	if rows := Rows(nil, nil, nil); len(rows) != 0 {
		t.Errorf("%v", rows)
	}
}
