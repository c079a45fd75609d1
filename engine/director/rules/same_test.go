package rules

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// pairs are memories that say the same, and traps that only look so.
var pairs = []struct {
	a, b string
	same bool
}{
	{"Robin likes black coffee.", "robin likes black coffee", true},
	{"Robin likes black coffee", "ROBIN LIKES BLACK COFFEE!!", true},
	{"Robin’s sister is called Anna.", "Robin's sister is called Anna", true},
	{"Robin has a dog, a cat.", "Robin has a dog; a cat", true},
	{"Robin is a nurse in Bergen", "Robin, a nurse in Bergen", true},
	{"Robin will meet Anna on Friday.", "On Friday Robin will meet Anna.", true},
	{"Robin's brother Tom", "Tom, Robin's brother", true},
	{"Robin likes cats and dogs.", "Robin likes dogs and cats.", true},
	{"Anna and Tom are married.", "Tom and Anna are married.", true},
	{"Robin doesn't like crowds.", "Robin does not like crowds.", true},
	{"Robin cannot swim.", "Robin can't swim.", true},
	{"Robin has three sisters.", "Robin has 3 sisters.", true},
	{"Robin's favourite tea is jasmine.", "Robin's favorite tea is jasmine.", true},
	{"Robin likes long walk in the rain", "Robin likes long walks in the rain", true},
	{"The lantern was promised to the keeper by Mara's father long ago in Bergen.", "The brass lantern was promised to the keeper by Mara's father long ago in Bergen.", true},
	{"  Robin plays\nthe cello ", "Robin plays the cello", true},
	{"Robin — who plays the cello — lives alone.", "Robin, who plays the cello, lives alone.", true},
	{"Robin hat einen Hund.", "Robin hat einen Hund", true},
	{"Élodie vit à Lyon.", "élodie vit à lyon", true},
	{"彼はコーヒーが好きです。", "彼はコーヒーが好きです", true},
	{"Robin is very afraid of deep water.", "Robin is afraid of deep water.", true},
	{"In May, Robin moved to Oslo.", "Robin moved to Oslo in May.", true},
	{"{{user}} likes tea", "{{user}} likes tea.", true},
	{"Anna is Robin's mother.", "Robin's mother is Anna.", true},
	{"The harbour is grey", "The harbor is gray", true},
	{"Robin - who plays the cello - lives alone.", "Robin, who plays the cello, lives alone.", true},

	{"Robin likes coffee.", "Robin does not like coffee.", false},
	{"Robin likes coffee.", "Robin doesn't like coffee.", false},
	{"Robin has 3 sisters.", "Robin has 4 sisters.", false},
	{"Robin has three sisters.", "Robin has four sisters.", false},
	{"Robin was born in 1987.", "Robin was born in 1978.", false},
	{"Robin loves Mara.", "Mara loves Robin.", false},
	{"Anna is the mother of Berta.", "Berta is the mother of Anna.", false},
	{"Robin moved from Berlin to Paris.", "Robin moved from Paris to Berlin.", false},
	{"Robin moved from Berlin to Paris.", "Robin moved to Berlin from Paris.", false},
	{"Robin's sister lives in Berlin.", "Robin's sister lives in Bern.", false},
	{"Robin's sister lives in Berlin.", "Robin's brother lives in Berlin.", false},
	{"Robin likes coffee.", "Robin likes coffee cake.", false},
	{"Robin loves horses.", "Robin hates horses.", false},
	{"Robin can swim.", "Robin can't swim.", false},
	{"Robin is a nurse.", "Robin was a nurse.", false},
	{"Robin always locks the door at night before bed.", "Robin never locks the door at night before bed.", false},
	{"Robin promised Mara to bring the old brass lantern back to her.", "Robin almost promised Mara to bring the old brass lantern back to her.", false},
	{"Robin will meet Anna on Friday.", "Robin will meet Anna on Monday.", false},
	{"Robin told Mara that Tom lied.", "Tom told Robin that Mara lied.", false},
	{"Robin is afraid of dogs.", "Robin's mother is afraid of dogs.", false},
	{"Robin takes the left path.", "Robin takes the right path.", false},
	{"Anna is older than Berta.", "Berta is older than Anna.", false},
	{"Marta is Robin's aunt.", "Maria is Robin's aunt.", false},
	{"Robin drinks tea with milk.", "Robin drinks tea without milk.", false},
	{"彼はコーヒーが好きです", "彼はコーヒーが嫌いです", false},
	{"Robin mag keine Katzen.", "Robin mag Katzen.", false},
	{"Robin's planet is green there", "Robin's plant is green there", false},
	{"Robin likes dogs and Mara likes cats.", "Robin likes cats and Mara likes dogs.", false},
	{"Robin no longer smokes.", "Robin smokes.", false},
	{"Room 12 holds the letter.", "Room 112 holds the letter.", false},
	{"Robin is immoral.", "Robin is immortal.", false},
	{"Robin wore mourning clothes.", "Robin wore morning clothes.", false},
	{"It was -5 degrees in Oslo.", "It was 5 degrees in Oslo.", false},
	{"Robin owes Tom 50 €.", "Robin owes Tom $50.", false},
	{"Robin is married.", "Is Robin married?", false},
	{"Robin wants to live.", "Robin wants to leave.", false},
	{"Robin's boss is Tom.", "Tom's boss is Robin.", false},
	{"Robin lives with his mother.", "Robin lives with her mother.", false},
	{"", "", false},
	{"...", "!!!", false},
}

func TestSameMemory(t *testing.T) {
	traps := 0
	for _, p := range pairs {
		if !p.same {
			traps++
		}
		if got := SameMemory(p.a, p.b); got != p.same {
			t.Errorf("%q and %q: %v", p.a, p.b, got)
		}
		if SameMemory(p.b, p.a) != SameMemory(p.a, p.b) || SameHook(p.a, p.b) != SameMemory(p.a, p.b) {
			t.Errorf("%q and %q: the order counts", p.a, p.b)
		}
	}
	if len(pairs) < 40 || 2*traps < len(pairs) {
		t.Errorf("%d pairs, %d traps", len(pairs), traps)
	}
}

func TestSameMemory_Properties(t *testing.T) {
	word := rapid.SampledFrom(strings.Fields("Robin Mara Tom likes hates cats dogs the a not never 3 4 and with to from Berlin Bern old favourite favorite's isn't … 猫 é"))
	rapid.Check(t, func(t *rapid.T) {
		a := strings.Join(rapid.SliceOfN(word, 1, 12).Draw(t, "a"), " ")
		b := strings.Join(rapid.SliceOfN(word, 1, 12).Draw(t, "b"), " ")
		if SameMemory(a, b) != SameMemory(b, a) {
			t.Fatalf("%q and %q: the order counts", a, b)
		}
		if !SameMemory(a, a) || len(tokensOf(a)) > 0 && !SameMemory(a, strings.ToUpper(a)+".") {
			t.Fatalf("%q is not the same as itself", a)
		}
		if SameMemory(a, a+" not") || SameMemory(a, a+" 17") {
			t.Fatalf("%q: a negation or a number more does not count", a)
		}
	})
}

func TestSameMemory_IsBounded(t *testing.T) {
	for _, s := range []string{strings.Repeat("a ", 60<<10), strings.Repeat("x", 100<<10), strings.Repeat("\xff\x00", 50<<10), strings.Repeat("'", 100<<10), strings.Repeat("a ", 599)} {
		if SameMemory(s, s+"y z") {
			t.Errorf("%.10q: the same", s)
		}
		_ = SameMemory("short", s)
	}
	long := strings.Repeat("Robin likes tea. ", 200)
	if !SameMemory(long, strings.ToUpper(long)) {
		t.Error("long ones that differ in case alone")
	}
}
