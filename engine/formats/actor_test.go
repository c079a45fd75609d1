package formats

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func someActor() storage.Actor {
	return storage.Actor{Goal: "keep the lamp lit", Struggle: "pride", Dream: "to leave", Stressor: "the storm", Tone: "dry",
		Speech: "short <sentences> & \"quotes\"", Boundaries: "no harm", Weights: map[string]int{"wit": 70, "warmth": 0}}
}

func TestActor_RoundTrips(t *testing.T) {
	for _, source := range []string{
		``,
		`{"name":"A","description":"d","extensions":{"other":{"x":1.50}}}`,
		`{"spec":"chara_card_v2","spec_version":"2.0","data":{"name":"A","extensions":{"ghostlight":{"ours":[1],"tone":"old"}}}}`,
	} {
		c := storage.Character{Card: storage.Card{Name: "A"}, Actor: someActor()}
		if source != "" {
			in := mustRead(t, "a.json", []byte(source))
			c.Card, c.Source = in.Card, in.Source
		}
		out, err := WriteCardJSON(c)
		if err != nil {
			t.Fatal(err)
		}
		again := mustRead(t, "b.json", out)
		if diff := cmp.Diff(someActor(), again.Actor); diff != "" {
			t.Errorf("%s: %s", source, diff)
		}
		if strings.Contains(source, `"other"`) && at(t, tree(t, out), "data", "extensions", "other", "x") != json.Number("1.50") {
			t.Errorf("another extension has changed: %s", out)
		}
		if strings.Contains(source, `"ours"`) && fmt.Sprint(at(t, tree(t, out), "data", "extensions", "ghostlight", "ours")) != "[1]" {
			t.Errorf("an unknown field has gone: %s", out)
		}
		picture, err := WriteCardPNG(c, plainPNG(t))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(someActor(), mustRead(t, "b.png", picture).Actor); diff != "" {
			t.Errorf("as a picture: %s", diff)
		}
		c.Actor, c.Source = storage.Actor{}, again.Source
		if out, err = WriteCardJSON(c); err != nil {
			t.Fatal(err)
		}
		if got := mustRead(t, "c.json", out).Actor; !actorFields.same(&got, &storage.Actor{}) {
			t.Errorf("what was cleared has come back: %+v", got)
		}
	}
}

func TestActor_WhatWasNotEditedStaysAsItIsSpelled(t *testing.T) {
	in := mustRead(t, "a.json", []byte(`{"spec":"chara_card_v3","spec_version":"3.0","data":{"name":"A","extensions":{"ghostlight":{"current_goal":7,"tone":"dry","weights":{"Wit":"70%"}}}}}`))
	c := storage.Character{Card: in.Card, Actor: in.Actor, Source: in.Source}
	c.Actor.Tone, c.Actor.Phrases = "warm", []string{`say "no"`, "/x+/"}
	out, err := WriteCardJSON(c)
	if err != nil {
		t.Fatal(err)
	}
	ours := at(t, tree(t, out), "data", "extensions", "ghostlight")
	want := map[string]any{"current_goal": json.Number("7"), "tone": "warm", "weights": map[string]any{"Wit": "70%"}, "phrases": []any{`say "no"`, "/x+/"}}
	if diff := cmp.Diff(any(want), ours); diff != "" {
		t.Error(diff)
	}
}

func TestActor_IsReadLeniently(t *testing.T) {
	many := map[string]int{}
	for i := range 100 {
		many[fmt.Sprint("trait", i)] = i
	}
	manyJSON, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("ä", maxActorText)
	for _, c := range []struct {
		name, ext, warns string
		want             storage.Actor
	}{
		{"nothing", `null`, "", storage.Actor{}},
		{"a list", `[1]`, "is not an object", storage.Actor{}},
		{"wrong types", `{"current_goal":true,"tone":{"a":1},"speech_patterns":null,"boundaries":["x"]}`, "current_goal (boolean)", storage.Actor{Goal: "true"}},
		{"weights out of bounds", `{"weights":{" Warm  Heart ":180,"wit":-3,"x":"n","y":49.6}}`, "weights", storage.Actor{Weights: map[string]int{"warm heart": 100, "wit": 0, "y": 50}}},
		{"weights as a list", `{"weights":[1,2],"tone":"t"}`, "weights", storage.Actor{Tone: "t"}},
		{"phrases", `{"phrases":["a shiver "," ","/heart (skips|leaps)/"]}`, "", storage.Actor{Phrases: []string{"a shiver", "/heart (skips|leaps)/"}}},
		{"phrases as lines", `{"phrases":"one of them\nanother"}`, "", storage.Actor{Phrases: []string{"one of them", "another"}}},
		{"phrases that are none", `{"phrases":[7,"one of them"]}`, "phrases", storage.Actor{Phrases: []string{"one of them"}}},
		{"too long", `{"tone":"` + long + `"}`, "was cut", storage.Actor{Tone: long[:maxActorText]}},
	} {
		in := mustRead(t, "a.json", []byte(`{"name":"A","description":"","extensions":{"ghostlight":`+c.ext+`}}`))
		if diff := cmp.Diff(c.want, in.Actor); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if got := strings.Join(in.Warnings, "\n"); !strings.Contains(got, c.warns) || c.warns == "" && got != "" {
			t.Errorf("%s: warnings %q, want %q", c.name, got, c.warns)
		}
	}
	in := mustRead(t, "a.json", []byte(`{"name":"A","description":"","extensions":{"ghostlight":{"weights":`+string(manyJSON)+`}}}`))
	if n := len(in.Actor.Weights); n != maxWeights {
		t.Errorf("%d weights were read", n)
	}
}

func TestActor_AnythingSurvives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a storage.Actor
		for i, of := range []*string{&a.Goal, &a.Struggle, &a.Dream, &a.Stressor, &a.Tone, &a.Speech, &a.Boundaries} {
			*of = rapid.StringN(0, 40, 200).Draw(t, fmt.Sprint(i))
		}
		for name, w := range rapid.MapOfN(rapid.StringMatching(`[a-zé]{1,8}`), rapid.IntRange(0, 100), 0, maxWeights).Draw(t, "weights") {
			if a.Weights == nil {
				a.Weights = map[string]int{}
			}
			a.Weights[name] = w
		}
		out, err := WriteCardJSON(storage.Character{Card: storage.Card{Name: "A"}, Actor: a})
		if err != nil {
			t.Fatal(err)
		}
		in, err := ReadCard("a.json", out)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(a, in.Actor); diff != "" || len(in.Warnings) > 0 {
			t.Fatal(diff, in.Warnings)
		}
	})
}
