package director_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What an answer bases on some messages is known to the characters who heard all of these, whatever
// else is in the prompt. A number that was not shown cites nothing, and then the source is all
// messages of the pass.
func TestPass_CitationsSayWhoKnows(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, directing)})
	s.Plain()
	main, other := s.Main(), s.Joined("Brona")
	said := passOf("", "")
	s.answers(func(demo.Call) string { return said })
	s.SayTo("The key is under the violet stone.", main, main)
	s.Worked()
	if p := s.lastPass(); !strings.Contains(p, "[2] Robin (whispered, heard only by Ada), beginning “The key is under") {
		t.Errorf("the whisper is not marked:\n%s", p)
	}
	for name, c := range map[string]struct {
		from string
		all  bool
	}{"a message that all have heard": {"[1]", true}, "both": {"[1,2]", true}, "no number that was shown": {"[6,10]", true}, "nothing": {"[]", true}} {
		content := "The vault opens with " + name + "."
		said = passOf(`{"from":`+c.from+`,"type":"fact","content":"`+content+`","importance":0.5}`, "")
		s.SayTo("The numbers are four and nine.", main)
		s.Worked()
		list := s.Memories(memory.Query{Search: name}).List
		if len(list) != 1 || len(list[0].Mentions) != 1 {
			t.Fatalf("%s: %+v", name, list)
		}
		mention := list[0].Mentions[0]
		for _, who := range []storage.CharacterID{main, other} {
			if ok := mention.Witnesses == nil || slices.Contains(mention.Witnesses, who); ok != c.all {
				t.Errorf("%s: known to %v", name, mention.Witnesses)
			}
		}
		if c.from == "[1]" && len(mention.Sources) != 1 || c.from != "[1]" && len(mention.Sources) != 2 {
			t.Errorf("%s: it came from %v", name, mention.Sources)
		}
	}
	said = passOf(`{"from":[1],"type":"fact","content":"The key is under the violet stone.","importance":0.5}`, "")
	s.SayTo("And it is violet.", main, main)
	s.Worked()
	list := s.Memories(memory.Query{Search: "violet stone"}).List
	if len(list) != 1 || slices.Contains(list[0].Mentions[0].Witnesses, other) || !slices.Contains(list[0].Mentions[0].Witnesses, main) {
		t.Errorf("what was whispered is known to others: %+v", list)
	}
}
