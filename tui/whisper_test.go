package tui

import (
	"testing"

	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

func TestWhisper_OneMessage(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withTroupe(t, storage.OrderRobin), house: rehearsal.Options{Script: always("Not so loud.")}})
	s.see("answers").typeText("It was Tove").press("alt+w").see("Whisper to whom?").golden("whisper-choose")
	s.press("down", "space").see("✓ Mara").press("down", "space").see("✓ Ilse").press("enter").see("whispering to Mara and Ilse", "It was Tove")
	s.golden("whisper").goldenStyled("whisper")
	s.press("esc").notSee("whispering").see("WRITE", "It was Tove")
	s.press("esc").see("BROWSE").press("i").see("WRITE")
	s.press("alt+w").see("Whisper to whom?").typeText("mar").press("enter").see("whispering to Mara").press("enter")
	s.replied(3, 1).see("whispered to Mara", "whispered to you").notSee("whispering").golden("whisper-said")
	m := s.chat().Messages[1]
	if m.Presence == nil || !m.Presence.Whisper || len(m.Presence.Witnesses) != 1 {
		t.Errorf("it was said to %+v", m.Presence)
	}
	s.say("And aloud.")
	if p := s.chat().Messages[3].Presence; p != nil && p.Whisper {
		t.Error("the whisper has stayed")
	}
}

// What cannot be sent comes back, with those who were to hear it.
func TestWhisper_ComesBack(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withTroupe(t, storage.OrderRobin)})
	s.see("answers").press("alt+w").see("Whisper to whom?").typeText("mara").press("enter").see("whispering to Mara")
	mara, err := s.eng.Library.FindCharacter("Mara")
	s.must(err)
	s.must(s.eng.Chats.LeaveCast(s.chat().Chat.ID, mara.ID))
	s.typeText("Psst").press("enter").see("does not play", "whispering to Mara", "› Psst")
	if n := len(s.texts()); n != 1 {
		t.Errorf("%d messages", n)
	}
}

func TestWhisper_NobodyThere(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withChat(t)})
	s.see("‹1/3›").press("alt+w").see("nobody else is there")
}
