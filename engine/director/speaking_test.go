package director_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestSpeaking_EachWithTheirOwnCardAndWhatTheyWitnessed(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	main := s.View().Character
	s.Say("Before anybody came: the word is amber.")
	bea := s.Joined("Bea")
	cy := s.Joined("Cy")

	s.SayTo("Good evening, both.", bea)
	sent := s.Sent()
	if !strings.Contains(sent, "## About Bea\\nBea-description") || strings.Contains(sent, "## About Cy") || strings.Contains(sent, "## About Tove") {
		t.Error("the speaker's own card, and no other's, belongs into the prompt as a whole")
	}
	for _, line := range []string{"\\n- Cy: Cy-description.", "\\n- Tove: Tove is thirty-four and keeps"} {
		if !strings.Contains(sent, line) {
			t.Errorf("%q does not stand in %s", line, sent)
		}
	}
	if strings.Contains(sent, "\\n- Bea: ") {
		t.Error("Bea is one of the others")
	}
	if strings.Contains(sent, "amber") {
		t.Error("Bea knows what was said before she came")
	}
	if n := s.Last(); n.Speaker != bea || n.Name != "Bea" {
		t.Errorf("the reply is %s's (%s)", n.Name, n.Speaker)
	}

	whisper := s.SayTo("The key is under the violet stone.", cy, cy)
	const toCy = "[whispered to Cy only; nobody else heard it]"
	if sent := s.Sent(); !strings.Contains(sent, "violet stone") || strings.Count(sent, toCy+"\\n") != 1 {
		t.Error("Cy does not know what was whispered to him, or not that it was")
	}
	if n := s.Node(whisper.Message); n.Presence == nil || !n.Presence.Whisper {
		t.Error("the answer to a whisper is not whispered")
	}
	s.SayTo("What do you know, Bea?", bea)
	if sent := s.Sent(); strings.Contains(sent, "violet stone") || strings.Contains(sent, s.Node(whisper.Message).Content) {
		t.Error("Bea knows what was whispered to Cy")
	}
	if strings.Contains(s.Sent(), "[whispered") {
		t.Error("Bea knows that something was whispered")
	}

	enginetest.Must(t, s.Chats.SetAway(s.Chat, bea, true))
	s.SayTo("Now that she is gone: the crimson door.", cy)
	if sent := s.Sent(); strings.Count(sent, toCy+"\\n") != 1 || strings.Count(sent, "[whispered to") != 2 ||
		!strings.Contains(sent, `"content":"[whispered to Robin only; nobody else heard it]\n`) {
		t.Error("Cy's answer to the whisper is not marked: " + sent)
	}
	if n := s.Node(whisper.Message); strings.Contains(n.Content, "[whispered") {
		t.Error("the mark is stored")
	}
	enginetest.Must(t, s.Chats.SetAway(s.Chat, bea, false))
	s.SayTo("Bea, you are back.", bea)
	if strings.Contains(s.Sent(), "crimson") {
		t.Error("Bea knows what was said while she was away")
	}
	s.SayTo("And you?", main.ID)
	if sent := s.Sent(); !strings.Contains(sent, "crimson") || !strings.Contains(sent, "amber") || strings.Contains(sent, "violet") {
		t.Error("the main character knows all but the whisper")
	}
	if !strings.Contains(s.Sent(), "Bea: ") {
		t.Error("what others said does not stand under their names")
	}
}

func TestSpeaking_Order(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	main := s.View().Character
	bea := s.Joined("Bea")
	speaker := func(text string) storage.CharacterID {
		s.Say(text)
		n := s.Last()
		if n.Speaker == "" {
			return main.ID
		}
		return n.Speaker
	}
	enginetest.Must(t, s.Chats.SetTurnOrder(s.Chat, storage.OrderRoundRobin))
	a, b := speaker("Hello."), speaker("Go on.")
	if a == b {
		t.Errorf("one after the other: %s, then %s", a, b)
	}
	enginetest.Must(t, s.Chats.SetTurnOrder(s.Chat, storage.OrderMention))
	for range 2 {
		if got := speaker("What does Bea say?"); got != bea {
			t.Errorf("Bea was named, %s spoke", got)
		}
	}
	enginetest.Must(t, s.Chats.SetAway(s.Chat, bea, true))
	if got := speaker("Bea?"); got != main.ID {
		t.Error("somebody who is away has spoken")
	}
	if err := s.Play.Speak(s.Chat, bea); err == nil {
		t.Error("somebody who is away was asked to speak")
	}
	enginetest.Must(t, s.Chats.SetAway(s.Chat, bea, false))
	enginetest.Must(t, s.Play.Speak(s.Chat, bea))
	if _, err := s.Ended(); err != nil {
		t.Fatal(err)
	}
	if n := s.Last(); n.Speaker != bea {
		t.Error("Bea was asked to speak")
	}
}

func TestNudge_IsSaidOnceAndNotStored(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	first := s.Say("Hello.")
	enginetest.Must(t, s.Play.Nudge(s.Chat, "Mention a heron."))
	turn, err := s.Ended()
	enginetest.Must(t, err)
	if !strings.Contains(s.Sent(), "Mention a heron.") {
		t.Error("the instruction was not sent")
	}
	if n := s.Node(turn.Message); n.Parent != s.Node(first.Message).Parent || s.Last().Siblings != 2 {
		t.Error("it is another reply in the place of the last one")
	}
	s.Say("And then?")
	if strings.Contains(s.Sent(), "heron") {
		t.Error("it was said again")
	}
	for _, n := range s.Nodes() {
		if strings.Contains(n.Content, "Mention a heron") {
			t.Error("it was stored")
		}
	}
	if err := s.Play.Nudge(s.Chat, "  "); err == nil {
		t.Error("nothing is no instruction")
	}
}

// The prompt that is shown for a line is that of the character whom the line names, as sending it is.
func TestSpeaking_ALineNamesWhoAnswersIt(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	s.Joined("Bea")
	s.Joined("Cy")
	enginetest.Must(t, s.Chats.SetTurnOrder(s.Chat, storage.OrderMention))
	s.Say("Good evening.")
	for _, name := range []string{"Cy", "Bea"} {
		line := name + ", what do you see?"
		v, err := s.Play.Prompt(s.Context(), s.Chat, line)
		enginetest.Must(t, err)
		s.Say(line)
		if n := s.Last(); v.Speaker != name || n.Name != name {
			t.Errorf("%q: the prompt is %s's, the reply %s's", line, v.Speaker, n.Name)
		}
	}
}

// Recaps and lore about events that a character has not witnessed stay out of its prompt.
func TestSpeaking_RecapsCarryPresence(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t, enginetest.Filling)})
	bea := s.Joined("Bea")
	main := s.View().Character
	s.SayTo("The secret of the cobalt vault.", main.ID, main.ID)
	end := s.Last().ID
	s.TeachScene(end, storage.LoreCandidate{Name: "Vault", Type: "location", Keywords: []string{"vault"}, Content: "[location-Vault: cobalt, under the stage]"})
	s.Worked()
	s.SayTo("Tell me of the vault.", bea)
	if sent := s.Sent(); strings.Contains(sent, "cobalt") {
		t.Errorf("Bea was told of it: %s", sent)
	}
	s.SayTo("Tell me of the vault.", main.ID)
	if sent := s.Sent(); !strings.Contains(sent, "cobalt") {
		t.Error("who witnessed it was not told")
	}
}

// TestSpeaking_OrdersOfGroups: whoever is named speaks, the silent one does not unless
// named, nobody speaks twice out of a pool, and looking does not change who is next.
func TestSpeaking_OrdersOfGroups(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	bea, cy := s.Joined("Bea"), s.Joined("Cy")
	for id, talks := range map[storage.CharacterID]string{bea: "1", cy: "0", s.Main(): "0.0"} {
		enginetest.Must(t, s.Engine.Core().Store.Update(func(tx *storage.Tx) error {
			c, err := storage.Characters.Get(tx, id)
			c.Source = []byte(`{"spec":"chara_card_v2","data":{"name":"x","extensions":{"talkativeness":` + talks + `}}}`)
			return errors.Join(err, storage.Characters.Put(tx, id, c))
		}))
	}
	next := func() storage.CharacterID {
		t.Helper()
		list, err := s.Play.Cast(s.Chat)
		enginetest.Must(t, err)
		again, err := s.Play.Cast(s.Chat)
		enginetest.Must(t, err)
		if list.Next != again.Next {
			t.Errorf("%s speaks next, and looked at again %s", list.Next, again.Next)
		}
		return list.Next
	}
	enginetest.Must(t, s.Chats.SetTurnOrder(s.Chat, storage.OrderNatural))
	for range 3 {
		s.Say("Well, well.")
		if n := s.Last(); n.Speaker != bea {
			t.Errorf("%s spoke, who does not like to talk", n.Name)
		}
	}
	s.Say("And you, Cy?")
	if n := s.Last(); n.Speaker != cy {
		t.Errorf("Cy was named, and %s spoke", n.Name)
	}
	enginetest.Must(t, s.Chats.SetTurnOrder(s.Chat, storage.OrderPooled))
	s.Say("All of you?")
	spoken := map[storage.CharacterID]bool{s.Last().Speaker: true}
	for range 2 {
		enginetest.Must(t, s.Play.Speak(s.Chat, next()))
		_, err := s.Ended()
		enginetest.Must(t, err)
		spoken[s.Last().Speaker] = true
	}
	if len(spoken) != 3 {
		t.Errorf("of three %d spoke", len(spoken))
	}
	if last := s.Last().Speaker; next() == last {
		t.Error("the pool is empty, and the last one answers itself")
	}
}
