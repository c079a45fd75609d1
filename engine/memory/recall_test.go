package memory_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// filled plays on until the earlier messages have left the prompt.
func filled(s *enginetest.Harness) { s.Exchange(400, "lamp") }

func TestRecall_WhatIsNamedComesBack(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Tell("I came with Clara. She fears the water.", "\"Clara fears deep water since the storm of Vale,\" I say.")
	filled(s)
	s.Say("The wind is rising.")
	if strings.Contains(s.Sent(), "Vale") {
		t.Fatal("it has not left the prompt")
	}
	s.Say("Shall we bring Clara?")
	sent := s.Sent()
	if !strings.Contains(sent, "Earlier in the story") || !strings.Contains(sent, "- Tove: Clara fears deep water since the storm of Vale") {
		t.Fatalf("it does not come back: %s", sent[max(0, len(sent)-2000):])
	}
	s.Say("And then?")
	if n := strings.Count(s.Sent(), "storm of Vale"); n != 1 {
		t.Errorf("it stands %d times one turn later", n)
	}
}

// Facts that have ended do not come back. Another statement about the same subject ends nothing.
func TestRecall_WhatHasEnded(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Tell("Look around.", "Clara waits at the well of Vale. It rains.", "And now?", "Clara waits at the well of Moor. It still rains.")
	filled(s)
	s.Say("Where is Clara?")
	if sent := s.Sent(); !strings.Contains(sent, "Vale") || !strings.Contains(sent, "Moor") {
		t.Errorf("not both come back: %s", sent[max(0, len(sent)-2000):])
	}
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		e := storage.End{Mention: s.MentionAt(s.Chat, c.Head), Kind: storage.Outdated}
		return scenes.PutStatementEnds(tx, s.Chat, []storage.StatementEnd{{Text: "Clara waits at the well of Vale", End: e}})
	}))
	s.Say("Where is Clara now?")
	if sent := s.Sent(); strings.Contains(sent, "well of Vale") || !strings.Contains(sent, "Moor") {
		t.Errorf("the old state comes back: %s", sent[max(0, len(sent)-2000):])
	}
}

func TestRecall_OnlyToWhoHeardIt(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Plain()
	other := s.Joined("Brona")
	s.SayTo("Hush: Clara hides in the boathouse of Vale.", other, other)
	filled(s)
	s.SayTo("Where is Clara?", s.Main())
	if strings.Contains(s.Sent(), "boathouse") {
		t.Error("a whisper came back to who had not heard it")
	}
	s.SayTo("Where is Clara?", other)
	if !strings.Contains(s.Sent(), "boathouse") {
		t.Error("it does not come back to who had heard it")
	}
}

// What comes back follows the branch and the words as they are now.
func TestRecall_FollowsTheTree(t *testing.T) {
	s := enginetest.NewHarness(t)
	ids := s.Tell("I came with Clara.", "Clara fears the water of Vale.")
	filled(s)
	s.Say("Where is Clara?")
	if !strings.Contains(s.Sent(), "water of Vale") {
		t.Fatal("it does not come back")
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, ids[1], "Clara fears the dogs of Vale."))
	s.Say("And Clara?")
	if sent := s.Sent(); strings.Contains(sent, "water of Vale") || !strings.Contains(sent, "dogs of Vale") {
		t.Errorf("after the edit: %s", sent[max(0, len(sent)-1500):])
	}
	enginetest.Must(t, s.Chats.Branch(s.Chat, ids[0]))
	filled(s)
	s.Say("What of Clara?")
	if sent := s.Sent(); strings.Contains(sent, "of Vale") {
		t.Errorf("on another branch: %s", sent[max(0, len(sent)-1500):])
	}
}

// A memory is left out while the messages that it came from are in the prompt, and the list of parts says
// so.
func TestTellings_MessagesTellFirst(t *testing.T) {
	s := enginetest.NewHarness(t)
	ids := s.Tell("I repair clocks.", "So you do.")
	mention := s.MentionAt(s.Chat, ids[1])
	mention.Sources = ids
	s.RemembersBy(mention, "The user repairs clocks in a cellar")
	s.Say("And now?")
	if strings.Contains(s.Sent(), "in a cellar") {
		i := strings.Index(s.Sent(), "in a cellar")
		t.Errorf("a memory is told beside the messages that it came from: %s", s.Sent()[max(0, i-600):i+50])
	}
	p, err := s.Play.Prompt(s.Context(), s.Chat, "")
	enginetest.Must(t, err)
	said := ""
	for _, part := range p.Parts {
		if strings.HasPrefix(part.Reason, "already covered by") {
			said = part.Source
		}
	}
	if !strings.Contains(said, "repairs clocks") {
		t.Errorf("the ledger does not say what tells it: %+v", p.Parts)
	}
	filled(s)
	s.Say("And then?")
	s.Say("And now?")
	if !strings.Contains(s.Sent(), "in a cellar") {
		t.Error("the memory is not told though the messages have left")
	}
}

// The name of who plays is left out of what is looked for, and not out of other names.
func TestRecall_NamesWithinNames(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Tell("Look around.", "Toveston burned down in the storm of Vale.")
	filled(s)
	s.Say("The wind is rising.")
	s.Say("What of Toveston?")
	if !strings.Contains(s.Sent(), "storm of Vale") {
		t.Error("it does not come back")
	}
}
