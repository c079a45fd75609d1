package pictures_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/failure"
	"github.com/ghostlight-theatre/ghostlight/engine/field"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// lines returns a chat's sheet in short.
func (s *harness) lines() (out []string) {
	s.T.Helper()
	list, err := s.Pictures.Continuity.Facts(s.Chat)
	enginetest.Must(s.T, err)
	for _, f := range list {
		line := fmt.Sprintf("%s|%s|%s|%s", f.Kind, f.Who, f.Text, f.Source)
		if f.Muted {
			line += "|muted"
		}
		if f.Ended != "" {
			line += "|ended"
		}
		out = append(out, line)
	}
	return out
}

func (s *harness) holds(want string) bool {
	for _, l := range s.lines() {
		if l == want {
			return true
		}
	}
	return false
}

func TestContinuity_WhatTheUserSays(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	f, err := s.Pictures.Continuity.Save(s.Chat, storage.Fact{Kind: "Clothes", Who: "tove", Text: " a grey\ncoat "})
	enginetest.Must(t, err)
	who := s.View().Character.Card.CharName()
	if f.Text != "a grey coat" || f.Who != who || f.Source != storage.FactFromUser || f.ID == "" {
		t.Errorf("kept: %+v", f)
	}
	enginetest.Until(s.Harness, func(ev pictures.ContinuityChanged) bool { return ev.Chat == s.Chat })
	f.Muted = true
	f, err = s.Pictures.Continuity.Save(s.Chat, f)
	enginetest.Must(t, err)
	if !f.Muted || f.Source != storage.FactFromUser {
		t.Errorf("muted: %+v", f)
	}
	for name, bad := range map[string]storage.Fact{
		"empty": {Kind: storage.FactProps, Text: " \x00 "}, "long": {Kind: storage.FactProps, Text: strings.Repeat("x", 301)},
		"no kind": {Kind: "mood", Text: "sad"},
	} {
		if _, err := s.Pictures.Continuity.Save(s.Chat, bad); field.AsError(err) == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := s.Pictures.Continuity.Save(s.Chat, storage.Fact{ID: "nosuch", Kind: storage.FactProps, Text: "x"}); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("an unknown line: %v", err)
	}
	enginetest.Must(t, s.Pictures.Continuity.Delete(s.Chat, f.ID))
	if err := s.Pictures.Continuity.Delete(s.Chat, f.ID); !errors.Is(err, storage.ErrNotFound) {
		t.Errorf("deleting it twice: %v", err)
	}
	for i := range capture.MaxFacts {
		_, err := s.Pictures.Continuity.Save(s.Chat, storage.Fact{Kind: storage.FactProps, Text: fmt.Sprintf("thing%dx", i)})
		enginetest.Must(t, err)
	}
	if _, err := s.Pictures.Continuity.Save(s.Chat, storage.Fact{Kind: storage.FactProps, Text: "one more"}); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("too many: %v", err)
	}
	s.Sound()
}

func TestContinuity_FromCards(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	who := s.View().Character
	name := who.Card.CharName()
	who.Imagery.Appearance = "black hair, grey coat"
	_, err := s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	x := storage.NewLoreEntry()
	x.Name, x.Content, x.Keys = name, "[character-"+name+": keeps the house, green eyes]", []string{name}
	s.Book(storage.Lorebook{Name: "B", Kind: storage.GlobalBook}, x)
	for _, want := range []string{"appearance|" + name + "|black hair|lore", "appearance|" + name + "|grey coat|lore"} {
		if !s.holds(want) {
			t.Errorf("%q is missing in %q", want, s.lines())
		}
	}
	list, err := s.Pictures.Continuity.Facts(s.Chat)
	enginetest.Must(t, err)
	var hair storage.Fact
	for _, f := range list {
		if f.Text == "black hair" {
			hair = f
		}
	}
	if err := s.Pictures.Continuity.Delete(s.Chat, hair.ID); !errors.Is(err, failure.ErrRefused) {
		t.Errorf("deleting what the card says: %v", err)
	}
	hair.Muted = true
	_, err = s.Pictures.Continuity.Save(s.Chat, hair)
	enginetest.Must(t, err)
	if !s.holds("appearance|" + name + "|black hair|lore|muted") {
		t.Errorf("muted: %q", s.lines())
	}
	hair.Muted, hair.Text = false, "white hair"
	_, err = s.Pictures.Continuity.Save(s.Chat, hair)
	enginetest.Must(t, err)
	if !s.holds("appearance|"+name+"|white hair|user") || s.holds("appearance|"+name+"|black hair|lore") {
		t.Errorf("changed: %q", s.lines())
	}
	s.Drafted(pictures.CaptureRequest{})
	if call := enginetest.Flat(s.Asked()[len(s.Asked())-1]); !strings.Contains(call, "white hair") || strings.Contains(call, "black hair") || !strings.Contains(call, "green eyes.") {
		t.Errorf("the prompt is not told: %s", call)
	}
}

func TestContinuity_FromPictures(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	name := s.View().Character.Card.CharName()
	say := func(prompt string, shows ...capture.SeenFact) {
		answer, err := json.Marshal(capture.Answer{Prompt: name + " waits. " + prompt + strings.Repeat(" still", 110), NegativePrompt: "blur", Reasoning: "so", Continuity: shows,
			InView: []string{name, "Robin"}, Shot: capture.Other, Angle: capture.Other, Light: capture.Other})
		enginetest.Must(t, err)
		s.SpoilBy(func(c demo.Call) demo.Fault {
			if !strings.Contains(string(c.Format), `"negative_prompt"`) {
				return demo.Fault{}
			}
			return demo.Fault{Kind: demo.Say, Text: string(answer)}
		})
	}
	learn := func(c storage.Capture) {
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error { return pictures.LearnContinuity(s.Pictures.Continuity, tx, c) }))
	}
	_, err := s.Pictures.Continuity.Save(s.Chat, storage.Fact{Kind: storage.FactAppearance, Who: name, Text: "green eyes"})
	enginetest.Must(t, err)

	say("", capture.SeenFact{Kind: "clothes", Who: name, Fact: "a red scarf"}, capture.SeenFact{Kind: "appearance", Who: name, Fact: "Green eyes."}, capture.SeenFact{Kind: "place", Fact: "a pier"})
	c := s.Drafted(pictures.CaptureRequest{})
	if len(c.Wrote.Shows) != 3 || s.holds("clothes|"+name+"|a red scarf|capture") {
		t.Fatalf("known before it is painted: %+v, %q", c.Wrote, s.lines())
	}
	learn(c)
	if !s.holds("clothes|"+name+"|a red scarf|capture") || !s.holds("appearance|"+name+"|green eyes|user") || s.holds("appearance|"+name+"|Green eyes.|capture") {
		t.Errorf("learned: %q", s.lines())
	}

	s.Say("*I take the scarf away.*")
	say("", capture.SeenFact{Kind: "place", Fact: "a kitchen"})
	later := s.Drafted(pictures.CaptureRequest{})
	learn(later)
	learn(c) // an older moment, painted again
	if !s.holds("place||a kitchen|capture") || !s.holds("place||a pier|capture|ended") {
		t.Errorf("newer: %q", s.lines())
	}
	s.Sound()
}

func TestContinuity_PlainAnswersStayValid(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	if c := s.Drafted(pictures.CaptureRequest{}); len(c.Warnings) != 0 || c.Wrote == nil {
		t.Errorf("drafted: %+v", c)
	}
}
