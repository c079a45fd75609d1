package play_test

import (
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

func TestWhisper_OneMessage(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withTroupe(t, storage.OrderRoundRobin),
		Servers: demo.Options{Script: tuitest.Always("Not so loud.")}})
	s.See("answers").TypeText("It was Tove").Press("alt+w").See("Whisper to whom?").Golden("whisper-choose")
	s.Press("down", "space").See("✓ Mara").Press("down", "space").See("✓ Ilse").Press("enter").See(
		"whispering to Mara and Ilse", "It was Tove")
	s.Golden("whisper").GoldenStyled("whisper")
	s.Press("esc").NotSee("whispering").See("WRITE", "It was Tove")
	s.Press("esc").See("BROWSE").Press("i").See("WRITE")
	s.Press("alt+w").See("Whisper to whom?").TypeText("mar").Press("enter").See("whispering to Mara").Press("enter")
	s.replied(3, 1).See("whispered to Mara", "whispered to you").NotSee("whispering").Golden("whisper-said")
	m := s.Chat().Messages[1]
	if m.Presence == nil || !m.Presence.Whisper || len(m.Presence.Witnesses) != 1 {
		t.Errorf("it was said to %+v", m.Presence)
	}
	s.Say("And aloud.")
	if p := s.Chat().Messages[3].Presence; p != nil && p.Whisper {
		t.Error("the whisper has stayed")
	}
}

// What cannot be sent comes back, with those who were to hear it.
func TestWhisper_ComesBack(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: withTroupe(t, storage.OrderRoundRobin)})
	s.See("answers").Press("alt+w").See("Whisper to whom?").TypeText("mara").Press("enter").See("whispering to Mara")
	mara, err := s.Engine.Library.FindCharacter("Mara")
	s.Must(err)
	s.Must(s.Engine.Chats.LeaveCast(s.Chat().Chat.ID, mara.ID))
	s.TypeText("Psst").Press("enter").See("is not in the chat", "whispering to Mara", "› Psst")
	if n := len(s.Texts()); n != 1 {
		t.Errorf("%d messages", n)
	}
}

func TestWhisper_NobodyThere(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t)})
	s.See("‹1/3›").Press("alt+w").See("there are no other characters")
}
