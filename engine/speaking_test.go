package engine

import (
	"encoding/json"
	"strings"
	"testing"

	"ghostlight/storage"
)

// joined brings another character into the stage's chat.
func (s *stage) joined(name string) storage.CharacterID {
	s.t.Helper()
	c, err := s.SaveCharacter(storage.Character{Card: storage.Card{Name: name, Description: name + "-description"}, Immersion: storage.Full})
	must(s.t, err)
	must(s.t, s.JoinCast(s.chat, c.ID))
	return c.ID
}

// sent is all that the newest request for a reply held.
func (s *stage) sent() string {
	s.t.Helper()
	text := ""
	for _, c := range s.house.Calls() {
		if c.Path == "/api/chat" && len(c.Format) == 0 {
			data, err := json.Marshal(c.Messages)
			must(s.t, err)
			text = string(data)
		}
	}
	return text
}

func (s *stage) sayTo(text string, who storage.CharacterID, to ...storage.CharacterID) Turn {
	s.t.Helper()
	_, err := s.SendTo(s.chat, text, who, to)
	must(s.t, err)
	turn, err := s.ended()
	must(s.t, err)
	return turn
}

func TestSpeaking_EachWithTheirOwnCardAndWhatTheyWitnessed(t *testing.T) {
	s := newStage(t)
	main := s.view().Character
	s.say("Before anybody came: the word is amber.")
	bea := s.joined("Bea")
	cy := s.joined("Cy")

	s.sayTo("Good evening, both.", bea)
	sent := s.sent()
	if !strings.Contains(sent, "Bea-description") || strings.Contains(sent, "Cy-description") || strings.Contains(sent, main.Card.Description[:40]) {
		t.Error("the speaker's own card, and no other's, belongs into the prompt")
	}
	if strings.Contains(sent, "amber") {
		t.Error("Bea knows what was said before she came")
	}
	if n := s.last(); n.Speaker != bea || n.Name != "Bea" {
		t.Errorf("the reply is %s's (%s)", n.Name, n.Speaker)
	}

	whisper := s.sayTo("The key is under the violet stone.", cy, cy)
	if !strings.Contains(s.sent(), "violet stone") {
		t.Error("Cy does not know what was whispered to him")
	}
	if n := s.node(whisper.Message); n.Presence == nil || !n.Presence.Whisper {
		t.Error("the answer to a whisper is not whispered")
	}
	s.sayTo("What do you know, Bea?", bea)
	if sent := s.sent(); strings.Contains(sent, "violet stone") || strings.Contains(sent, s.node(whisper.Message).Content) {
		t.Error("Bea knows what was whispered to Cy")
	}

	must(t, s.SetAway(s.chat, bea, true))
	s.sayTo("Now that she is gone: the crimson door.", cy)
	must(t, s.SetAway(s.chat, bea, false))
	s.sayTo("Bea, you are back.", bea)
	if strings.Contains(s.sent(), "crimson") {
		t.Error("Bea knows what was said while she was away")
	}
	s.sayTo("And you?", main.ID)
	if sent := s.sent(); !strings.Contains(sent, "crimson") || !strings.Contains(sent, "amber") || strings.Contains(sent, "violet") {
		t.Error("the main character knows all but the whisper")
	}
	if !strings.Contains(s.sent(), "Bea: ") {
		t.Error("what others said does not stand under their names")
	}
}

func TestSpeaking_Order(t *testing.T) {
	s := newStage(t)
	main := s.view().Character
	bea := s.joined("Bea")
	speaker := func(text string) storage.CharacterID {
		s.say(text)
		n := s.last()
		if n.Speaker == "" {
			return main.ID
		}
		return n.Speaker
	}
	must(t, s.SetTurnOrder(s.chat, storage.OrderRobin))
	a, b := speaker("Hello."), speaker("Go on.")
	if a == b {
		t.Errorf("one after the other: %s, then %s", a, b)
	}
	must(t, s.SetTurnOrder(s.chat, storage.OrderMention))
	for range 2 {
		if got := speaker("What does Bea say?"); got != bea {
			t.Errorf("Bea was named, %s spoke", got)
		}
	}
	must(t, s.SetAway(s.chat, bea, true))
	if got := speaker("Bea?"); got != main.ID {
		t.Error("somebody who is away has spoken")
	}
	if err := s.Speak(s.chat, bea); err == nil {
		t.Error("somebody who is away was asked to speak")
	}
	must(t, s.SetAway(s.chat, bea, false))
	must(t, s.Speak(s.chat, bea))
	if _, err := s.ended(); err != nil {
		t.Fatal(err)
	}
	if n := s.last(); n.Speaker != bea {
		t.Error("Bea was asked to speak")
	}
}

func TestNudge_IsSaidOnceAndNotStored(t *testing.T) {
	s := newStage(t)
	first := s.say("Hello.")
	must(t, s.Nudge(s.chat, "Mention a heron."))
	turn, err := s.ended()
	must(t, err)
	if !strings.Contains(s.sent(), "Mention a heron.") {
		t.Error("the instruction was not sent")
	}
	if n := s.node(turn.Message); n.Parent != s.node(first.Message).Parent || s.last().Siblings != 2 {
		t.Error("it is another reply in the place of the last one")
	}
	s.say("And then?")
	if strings.Contains(s.sent(), "heron") {
		t.Error("it was said again")
	}
	for _, n := range s.nodes() {
		if strings.Contains(n.Content, "Mention a heron") {
			t.Error("it was stored")
		}
	}
	if err := s.Nudge(s.chat, "  "); err == nil {
		t.Error("nothing is no instruction")
	}
}

// Recaps and lore that tell of what a character has not witnessed stay out of its
// prompt.
func TestSpeaking_RecapsCarryPresence(t *testing.T) {
	s := newStage(t, filling)
	bea := s.joined("Bea")
	main := s.view().Character
	s.sayTo("The secret of the cobalt vault.", main.ID, main.ID)
	end := s.last().ID
	s.teachScene(end, storage.LoreCandidate{Name: "Vault", Type: "location", Keywords: []string{"vault"}, Content: "[location-Vault: cobalt, under the stage]"})
	s.worked()
	s.sayTo("Tell me of the vault.", bea)
	if sent := s.sent(); strings.Contains(sent, "cobalt") {
		t.Errorf("Bea was told of it: %s", sent)
	}
	s.sayTo("Tell me of the vault.", main.ID)
	if sent := s.sent(); !strings.Contains(sent, "cobalt") {
		t.Error("who witnessed it was not told")
	}
}

// alone casts a chat of one character.
func alone(storage.Chat) (storage.CharacterID, *storage.Presence, error) { return "", nil, nil }
