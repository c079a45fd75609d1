package chats_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// told returns a chat of two characters in which a whisper, and a fact that a memory keeps, come
// before Mara joins; and its messages.
func told(t *testing.T) (s *enginetest.Harness, brona, mara storage.CharacterID, ids []storage.NodeID) {
	s = enginetest.NewHarness(t)
	s.Plain()
	brona = s.Joined("Brona")
	s.SayTo("The lantern of Vale stands on the pier.", s.Main())
	s.SayTo("Hush: Clara hides in the boathouse of Moor.", brona, brona)
	s.SayTo("The tide of Fenn comes at nine.", s.Main())
	for _, n := range s.View().Messages {
		ids = append(ids, n.ID)
	}
	c, err := s.Library.SaveCharacter(storage.Character{Card: storage.Card{Name: "Mara", Description: "Mara-description"}, Immersion: storage.Full})
	enginetest.Must(t, err)
	return s, brona, c.ID, ids
}

func (ask asking) of(text string, who storage.CharacterID) string {
	ask.s.T.Helper()
	ask.s.SayTo(text, who)
	return ask.s.Sent()
}

type asking struct{ s *enginetest.Harness }

func TestSetSince_WhoHasBeenThereHasHeardIt(t *testing.T) {
	t.Parallel()
	s, brona, mara, ids := told(t)
	enginetest.Must(t, s.Chats.JoinCast(s.Chat, mara))
	ask := asking{s}
	if sent := ask.of("Well?", mara); strings.Contains(sent, "lantern of Vale") || strings.Contains(sent, "tide of Fenn") {
		t.Fatal("a newcomer knows what was said before")
	}
	before := ask.of("And you?", brona)

	enginetest.Must(t, s.Chats.SetSince(s.Chat, mara, 1))
	sent := ask.of("Well?", mara)
	if !strings.Contains(sent, "lantern of Vale") || !strings.Contains(sent, "tide of Fenn") || strings.Contains(sent, "boathouse") {
		t.Errorf("since the beginning, she is told: %s", sent)
	}
	if after := ask.of("And you?", brona); !strings.HasPrefix(after, before[:len(before)-200]) {
		t.Errorf("another's prompt has changed:\n%s\n%s", before, after)
	}
	if list, err := s.Play.Cast(s.Chat); err != nil || list.List[2].Since != 1 || !list.List[2].Said {
		t.Errorf("%+v %v", list.List, err)
	}

	tide := 0
	for i, m := range s.View().Messages {
		if strings.Contains(m.Content, "tide of Fenn") {
			tide = i + 1
		}
	}
	enginetest.Must(t, s.Chats.SetSince(s.Chat, mara, tide))
	if sent := ask.of("Well?", mara); strings.Contains(sent, "lantern of Vale") || !strings.Contains(sent, "tide of Fenn") {
		t.Error("since a message she has heard what was said before it, or not what was said from it on")
	}
	enginetest.Must(t, s.Chats.SetSince(s.Chat, mara, 0))
	if sent := ask.of("Well?", mara); strings.Contains(sent, "tide of Fenn") {
		t.Error("taken back she still knows it")
	}
	for _, n := range []int{-1, 999} {
		if s.Chats.SetSince(s.Chat, mara, n) == nil {
			t.Errorf("message %d is taken", n)
		}
	}
	if s.Chats.SetSince(s.Chat, s.Main(), 1) == nil || len(ids) == 0 {
		t.Error("the main character came in later")
	}
}

func TestSetSince_FactsOfBefore(t *testing.T) {
	t.Parallel()
	s, brona, mara, ids := told(t)
	open := s.MentionAt(s.Chat, ids[2])
	open.Witnesses = []storage.CharacterID{s.Main(), brona}
	s.RemembersBy(open, "Robin fears the lantern of Vale")
	hushed := s.MentionAt(s.Chat, ids[2])
	hushed.Witnesses = []storage.CharacterID{brona}
	s.RemembersBy(hushed, "Clara hides in the boathouse of Moor")
	enginetest.Must(t, s.Chats.JoinCastSince(s.Chat, mara, 1))
	knows := func() string {
		v, err := s.Play.Facts(s.Context(), memory.FactQuery{Chat: s.Chat, As: mara})
		enginetest.Must(t, err)
		text := ""
		for _, f := range v.Facts {
			text += f.Text + "\n"
		}
		return text
	}
	if got := knows(); !strings.Contains(got, "fears the lantern") || strings.Contains(got, "boathouse") {
		t.Errorf("since the beginning she knows: %s", got)
	}
	enginetest.Must(t, s.Chats.SetSince(s.Chat, mara, 0))
	if got := knows(); got != "" {
		t.Errorf("taken back she knows: %s", got)
	}
}

func TestSetSince_LoreOfBefore(t *testing.T) {
	t.Parallel()
	s, brona, mara, _ := told(t)
	said := func(words string) []storage.NodeID {
		for _, m := range s.View().Messages {
			if strings.Contains(m.Content, words) {
				return []storage.NodeID{m.ID}
			}
		}
		t.Fatalf("nobody said %q", words)
		return nil
	}
	x := enginetest.Keyed("Pier", "[location-Pier: holds the lantern, hides Clara]", "pier")
	x.Witnesses = []storage.CharacterID{brona}
	x.Facts = []storage.LoreFact{{Text: "holds the lantern", Chat: s.Chat, Messages: said("lantern of Vale"), Witnesses: []storage.CharacterID{s.Main(), brona}},
		{Text: "hides Clara", Chat: s.Chat, Messages: said("boathouse"), Witnesses: []storage.CharacterID{brona}}}
	s.Book(storage.Lorebook{Name: "Harbour", Kind: storage.ChatBook, Chat: s.Chat}, x)
	enginetest.Must(t, s.Chats.JoinCast(s.Chat, mara))
	ask := asking{s}
	if sent := ask.of("To the pier!", mara); strings.Contains(sent, "holds the lantern") {
		t.Error("a newcomer knows the lore of before")
	}
	enginetest.Must(t, s.Chats.SetSince(s.Chat, mara, 1))
	// The message that the fact came from is in her prompt now.
	if sent := ask.of("To the pier!", mara); !strings.Contains(sent, "lantern of Vale") || strings.Contains(sent, "hides Clara") {
		t.Errorf("since the beginning she is told: %s", sent)
	}
}
