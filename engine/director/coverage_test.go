package director_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Six statements, in pairs with the same words, are six facts: a prompt contains all of them, even
// if its recap states some of them in its own words.
func TestCoverage_SixStatements(t *testing.T) {
	t.Parallel()
	list := []string{"Mara killed Jonas in the mill", "Jonas killed Mara in the mill", "Ines is older than Mara", "Mara is older than Ines", "Mara owes Jonas twelve coins", "Jonas owes Mara twelve coins"}
	for recapped := range 2 {
		s := (&harness{enginetest.NewHarness(t, staging)})
		s.Plain()
		ids := s.Exchange(2, "lamp")
		if recapped > 0 {
			s.running(ids[len(ids)-1], list[0])
		}
		for i, text := range list { // a prompt has at most three of a type
			_, err := s.Memory.Save(s.ScopeNow(), storage.Memory{Type: storage.MemoryTypes[i/2], Content: text})
			enginetest.Must(t, err)
		}
		s.Say("We talk.")
		sent := s.Sent()
		for _, text := range list {
			if n := strings.Count(sent, text); n != 1 {
				t.Errorf("%q stands %d times in a prompt of %d bytes", text, n, len(sent))
			}
		}
	}
}

// running stores a running recap at a message, with these lines.
func (s *harness) running(node storage.NodeID, lines ...string) storage.RecapID {
	s.T.Helper()
	s.EndWithoutRecap(node)
	r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: node, Kind: storage.RunningRecap, Origin: storage.Edited, Covers: node,
		Text: "## Key Developments\n\n- " + strings.Join(lines, "\n- "), Witnesses: []storage.CharacterID{s.Main()}}
	s.put(r)
	return r.ID
}

func (s *harness) put(r storage.Recap) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		if err := storage.RunningRecaps.Put(tx, s.Chat, r); err != nil {
			return err
		}
		b, err := storage.Breaks.Get(tx, s.Chat, r.Node)
		if err != nil {
			return err
		}
		b.Running = r.ID
		return storage.Breaks.Put(tx, s.Chat, b)
	}))
}

// A memory is left out while all its messages are in the prompt, and while a recap line that has
// absorbed it is. Once it has ended, the line says so if it states more.
func TestCoverage_BySource(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, staging)})
	s.Plain()
	const owes, other = "Mara owes Jonas twelve coins", "Jonas keeps the mill of Vale"
	ids := s.Tell("I ask.", "Mara owes him.", "And?", "He keeps the mill.")
	for i, text := range map[int]string{1: owes, 3: other} {
		mention := s.MentionAt(s.Chat, ids[i])
		mention.Sources = []storage.NodeID{ids[i]}
		s.RemembersBy(mention, text)
	}
	byText := map[string]storage.MemoryID{}
	for _, m := range s.Memories(memory.Query{All: true}).List {
		byText[m.Content] = m.ID
	}
	s.Say("We talk.")
	if sent := s.Sent(); strings.Contains(sent, owes) || strings.Contains(sent, other) {
		t.Error("memories are told beside their messages")
	}
	line := "A debt of twelve coins is open, and a mill is kept."
	r := storage.Recap{ID: storage.RecapID(storage.NewID()), Kind: storage.RunningRecap, Origin: storage.Generated, Text: "## Key Developments\n\n- " + line,
		Sources:   []storage.Source{{Bullet: line, Messages: []storage.NodeID{ids[1], ids[3]}, Memories: []storage.MemoryID{byText[owes]}}},
		Witnesses: []storage.CharacterID{s.Main()}}
	s.EndWithoutRecap(ids[3])
	r.Node, r.Covers = ids[3], ids[3]
	s.put(r)
	s.Exchange(300, "lamp")
	s.Say("We talk.")
	sent := s.Sent()
	if !strings.Contains(sent, line) || strings.Contains(sent, owes) || !strings.Contains(sent, other) {
		t.Errorf("of the line %v, of what it has absorbed %v, of the other %v", strings.Contains(sent, line), strings.Contains(sent, owes), strings.Contains(sent, other))
	}
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		x := memory.Ending{Text: owes, Memories: []storage.MemoryID{byText[owes]},
			End: storage.End{Mention: s.MentionAt(s.Chat, c.Head), Kind: storage.Outdated, Instead: "Mara has paid"}}
		x.Line(owes, []storage.NodeID{ids[1]})
		return memory.StoreEnds(tx, s.ScopeNow(), []memory.Ending{x})
	}))
	s.Say("And now?")
	if sent := s.Sent(); !strings.Contains(sent, line+" (no longer so: "+owes+" Now: Mara has paid)") {
		t.Error("the line does not say what of it has ended")
	}
	s.Sound()
}

// Everybody and nobody are different witnesses, also as they are stored.
func TestCoverage_EverybodyIsNotNobody(t *testing.T) {
	t.Parallel()
	for _, who := range [][]storage.CharacterID{nil, {}} {
		var mention storage.Mention
		var r storage.Recap
		data, err := json.Marshal(storage.Mention{Witnesses: who})
		enginetest.Must(t, err)
		enginetest.Must(t, json.Unmarshal(data, &mention))
		data, err = json.Marshal(storage.Recap{Witnesses: who})
		enginetest.Must(t, err)
		enginetest.Must(t, json.Unmarshal(data, &r))
		if (mention.Witnesses == nil) != (who == nil) || (r.Witnesses == nil) != (who == nil) {
			t.Errorf("%#v is read as %#v and %#v", who, mention.Witnesses, r.Witnesses)
		}
		s := (&harness{enginetest.NewHarness(t, staging)})
		s.Plain()
		other := s.Joined("Brona")
		ids := s.Tell("Hush.", "Somebody hides.")
		at := s.MentionAt(s.Chat, ids[1])
		at.Sources, at.Witnesses = nil, who
		s.RemembersBy(at, "Clara hides in the boathouse of Vale")
		for _, speaker := range []storage.CharacterID{s.Main(), other} {
			s.SayTo("We talk.", speaker)
			if ok := strings.Contains(s.Sent(), "boathouse of Vale"); ok != (who == nil) {
				t.Errorf("witnesses %#v: told %v", who, ok)
			}
		}
	}
}
