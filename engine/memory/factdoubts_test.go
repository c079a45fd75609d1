package memory_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// doubted is a story whose edited message has taught a memory in other words: what the
// message says by now is not what the memory says, and it is not sure that it is the
// contrary.
func doubted(t *testing.T) (*enginetest.Harness, []storage.NodeID, storage.MemoryID) {
	s := enginetest.NewHarness(t)
	s.Plain()
	ids := s.Tell("Look around.", "Clara hides in the boathouse of Vale. It rains.", "And then?", "She sleeps.")
	mention := s.MentionAt(s.Chat, ids[1])
	mention.Sources = ids[:2]
	s.RemembersBy(mention, "Clara's refuge by the lake is a boathouse")
	enginetest.Must(t, s.Chats.Edit(s.Chat, ids[1], "Clara hides in the mill of Fenn. It rains."))
	return s, ids, s.Memories(memory.Query{All: true}).List[0].ID
}

func doubts(s *enginetest.Harness) []memory.Doubt {
	s.T.Helper()
	list, err := s.Memory.Doubts(s.Chat)
	enginetest.Must(s.T, err)
	return list
}

func TestDoubts_AnEditAsksWhereItIsNotSure(t *testing.T) {
	s, ids, id := doubted(t)
	list := doubts(s)
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	d := list[0]
	if d.ID != "memory/"+string(id) || !strings.Contains(d.Text, "boathouse") || d.Instead != "Clara hides in the mill of Fenn." || d.Message != ids[1] || d.Number != 3 || d.Why == "" {
		t.Errorf("%+v", d)
	}
	if m := s.Memories(memory.Query{}).List; len(m) != 1 || !m[0].Holds {
		t.Errorf("what is in doubt does not hold: %+v", m)
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, ids[1], "Clara hides in the boathouse of Vale. It rains."))
	if list := doubts(s); len(list) != 0 {
		t.Errorf("the words are back, and it is asked: %+v", list)
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, ids[1], "Clara hides in the boathouse of Vale. It snows."))
	if list := doubts(s); len(list) != 0 {
		t.Errorf("it is asked about another sentence: %+v", list)
	}
}

func TestSettle_EachAnswerIsOneStepThatIsTakenBack(t *testing.T) {
	for _, v := range []memory.Verdict{memory.HasEnded, memory.StillHolds, memory.Reworded} {
		t.Run(string(v), func(t *testing.T) {
			s, _, id := doubted(t)
			done, err := s.Memory.AnswerDoubt(s.Chat, string(id), v, "Clara's refuge is the mill of Fenn")
			enginetest.Must(t, err)
			if done.Count != 1 || len(doubts(s)) != 0 {
				t.Errorf("%+v, %+v", done, doubts(s))
			}
			m := s.Memories(memory.Query{All: true}).List[0]
			switch v {
			case memory.HasEnded:
				if m.Holds || m.Ended == nil || m.Ended.Kind != storage.Corrected {
					t.Errorf("%+v", m)
				}
			case memory.StillHolds:
				if !m.Holds || !strings.Contains(m.Content, "boathouse") {
					t.Errorf("%+v", m)
				}
			default:
				if !m.Holds || m.Content != "Clara's refuge is the mill of Fenn" {
					t.Errorf("%+v", m)
				}
			}
			words, left, err := s.Memory.UndoCorrection(s.Chat, done.Step)
			enginetest.Must(t, err)
			if left != 0 || !strings.Contains(words, "boathouse") {
				t.Errorf("%q, %d left", words, left)
			}
			if m := s.Memories(memory.Query{All: true}).List[0]; !m.Holds || !strings.Contains(m.Content, "boathouse") {
				t.Errorf("%+v", m)
			}
			if list := doubts(s); len(list) != 1 {
				t.Errorf("it is not asked again: %+v", list)
			}
		})
	}
}

// Lines of recaps are asked about too, and end with the memory that says the same.
func TestSettle_LinesOfRecaps(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Plain()
	ids := s.Tell("Look around.", "Clara hides in the boathouse of Vale. It rains.")
	const line = "Clara's refuge by the lake is a boathouse."
	s.EndWithoutRecap(ids[1])
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		b, err := storage.Breaks.Get(tx, s.Chat, ids[1])
		if err != nil {
			return err
		}
		r := storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.SceneRecap, Text: "## Key Developments\n\n- " + line, Sources: []storage.Source{{Bullet: line, Messages: ids[1:]}}}
		return s.Scenes.AppendVersion(tx, s.Chat, b, r)
	}))
	enginetest.Must(t, s.Chats.Edit(s.Chat, ids[1], "Clara hides in the mill of Fenn. It rains."))
	list := doubts(s)
	if len(list) != 1 || list[0].Text != line {
		t.Fatalf("%+v", list)
	}
	says := func(want bool) {
		t.Helper()
		ok := false
		for _, f := range known(s, memory.FactQuery{}).Facts {
			ok = ok || strings.Contains(f.Text, "boathouse")
		}
		if ok != want {
			t.Errorf("it is known: %v", ok)
		}
	}
	says(true)
	for _, v := range []memory.Verdict{memory.HasEnded, memory.StillHolds} {
		done, err := s.Memory.AnswerDoubt(s.Chat, list[0].ID, v, "")
		enginetest.Must(t, err)
		says(v == memory.StillHolds)
		if len(doubts(s)) != 0 {
			t.Error("it is asked again")
		}
		_, _, err = s.Memory.UndoCorrection(s.Chat, done.Step)
		enginetest.Must(t, err)
		says(true)
		if len(doubts(s)) != 1 {
			t.Error("it is not asked again once the answer is taken back")
		}
	}
}

func TestSettle_Refusals(t *testing.T) {
	s, _, id := doubted(t)
	for _, c := range []struct {
		id   string
		v    memory.Verdict
		text string
	}{{"memory/none", memory.HasEnded, ""}, {"", memory.HasEnded, ""}, {string(id), "perhaps", ""}, {string(id), memory.Reworded, " "}} {
		if _, err := s.Memory.AnswerDoubt(s.Chat, c.id, c.v, c.text); err == nil {
			t.Errorf("%+v is taken", c)
		}
	}
	if len(doubts(s)) != 1 {
		t.Error("a refusal has changed something")
	}
}
