package library_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestCharacterFields_Weights(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "warmth=80": "warmth=80", " Dry  Wit =70, warmth=1": "dry wit=70, warmth=1", "b=2\na=1": "a=1, b=2",
		"a=1, b=2, a=": "b=2", "a=1, a=3": "a=3", `{"wit":5,"calm":6}`: "calm=6, wit=5",
	} {
		var c storage.Character
		err := library.CharacterFields.Set(&c, "weights", text)
		if got := library.CharacterFields.Find("weights").Get(&c); err != nil || got != want {
			t.Errorf("%q: %q %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"warmth", "=5", "warmth=hot", "warmth=800", "warmth=-1", `{"wit":"a"}`, `{"wit":500}`,
		strings.Repeat("x", 61) + "=1", many(33)} {
		c := storage.Character{Actor: storage.Actor{Weights: map[string]int{"wit": 1}}}
		err := library.CharacterFields.Set(&c, "weights", text)
		if field.AsError(err) == nil || c.Actor.Weights["wit"] != 1 || len(c.Actor.Weights) != 1 {
			t.Errorf("%q: %v %v", text, err, c.Actor.Weights)
		}
	}
}

// many are n weights.
func many(n int) string {
	var items []string
	for i := range n {
		items = append(items, strings.Repeat("x", i+1)+"=1")
	}
	return strings.Join(items, ",")
}

func TestCharacterFields_Lists(t *testing.T) {
	t.Parallel()
	var c storage.Character
	for name, text := range map[string]string{"alternate_greetings": "One,\ntwo.\n---\n\n---\nThree.", "phrases": "let that sink in, dear\n\nbated breath"} {
		enginetest.Must(t, library.CharacterFields.Set(&c, name, text))
	}
	if d := cmp.Diff([]string{"One,\ntwo.", "Three."}, c.Card.AlternateGreetings); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"let that sink in, dear", "bated breath"}, c.Actor.Phrases); d != "" {
		t.Error(d)
	}
	if err := library.CharacterFields.Set(&c, "phrases", "//"); field.AsError(err) == nil {
		t.Errorf("a phrase that cannot be found was taken: %v", err)
	}
}

// What is wrong with a field is said by its name; what was wrong before does not stand in the
// way of another change.
func TestSaveCharacter_Checks(t *testing.T) {
	s := (&harness{Harness: enginetest.NewHarness(t)})
	for want, bad := range map[string]storage.Character{
		"name":       {Card: storage.Card{Name: " "}},
		"immersion":  {Card: storage.Card{Name: "Ada"}, Immersion: "deep"},
		"width":      {Card: storage.Card{Name: "Ada"}, Imagery: storage.Imagery{Width: 5}},
		"weights":    {Card: storage.Card{Name: "Ada"}, Actor: storage.Actor{Weights: map[string]int{" ": 1}}},
		"boundaries": {Card: storage.Card{Name: "Ada"}, Actor: storage.Actor{Boundaries: strings.Repeat("x", 20<<10)}},
	} {
		if _, err := s.Library.SaveCharacter(bad); field.AsError(err) == nil || field.AsError(err).Name != want {
			t.Errorf("%s: %v", want, err)
		}
	}
	c, err := s.Library.FindCharacter(string(s.Main()))
	enginetest.Must(t, err)
	c.Actor = storage.Actor{Goal: "leave", Weights: map[string]int{"dry wit": 70}}
	_, err = s.Library.SaveCharacter(c)
	enginetest.Must(t, err)
	s.Reopen()
	again, err := s.Library.FindCharacter(string(s.Main()))
	enginetest.Must(t, err)
	if diff := cmp.Diff(c.Actor, again.Actor); diff != "" {
		t.Error(diff)
	}
}
