package memory_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
)

// What a question is answered from bears on it, and is known to who is asked.
func TestAnswer_ShowsWhatBearsOnIt(t *testing.T) {
	s := enginetest.NewHarness(t)
	s.Plain()
	other := s.Joined("Brona")
	s.SayTo("Hush: Clara hides in the boathouse of Vale.", other, other)
	s.SayTo("The bread is warm today.", s.Main())
	asked := func(q memory.Question) string {
		t.Helper()
		before := len(s.Asked())
		q.Chat = s.Chat
		a, err := s.Memory.Answer(s.Context(), q)
		enginetest.Must(t, err)
		for _, l := range a.Lines {
			if len(l.From) == 0 {
				t.Errorf("it rests on nothing: %+v", l)
			}
		}
		calls := s.Asked()
		if len(calls) == before {
			return ""
		}
		return enginetest.Flat(calls[len(calls)-1])
	}
	if sent := asked(memory.Question{Text: "Where is Clara?"}); !strings.Contains(sent, "boathouse of Vale") || strings.Contains(sent, "bread is warm") {
		t.Errorf("asked of all: %s", sent)
	}
	if sent := asked(memory.Question{Text: "Where is Clara?", As: s.Main()}); strings.Contains(sent, "boathouse") {
		t.Errorf("a whisper is told to who has not heard it: %s", sent)
	}
	if sent := asked(memory.Question{Text: "Where is Clara?", As: other}); !strings.Contains(sent, "boathouse") {
		t.Errorf("who has heard it is not asked: %s", sent)
	}
	if sent := asked(memory.Question{Text: "Who is Zebulon?"}); sent != "" {
		t.Errorf("a model was asked about nothing: %s", sent)
	}
	if _, err := s.Memory.Answer(s.Context(), memory.Question{Chat: s.Chat, Text: " "}); err == nil {
		t.Error("an empty question was asked")
	}
}
