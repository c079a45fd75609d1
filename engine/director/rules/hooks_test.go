package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/ghostlight-theatre/ghostlight/storage"
)

func TestHookDue(t *testing.T) {
	soon, past := noon.Add(time.Hour), noon.Add(-50*time.Hour)
	for name, c := range map[string]struct {
		hook  storage.Hook
		turn  int
		due   bool
		words string
	}{
		"at once":              {storage.Hook{Turn: 5}, 5, true, "due now"},
		"at once, long ago":    {storage.Hook{Turn: 5}, 8, true, "since 3 turns"},
		"before it was made":   {storage.Hook{Turn: 5}, 3, true, "due now"},
		"turns to wait":        {storage.Hook{Turn: 5, Due: storage.HookDue{Turns: 4}}, 5, false, "in 4 turns"},
		"one turn":             {storage.Hook{Turn: 5, Due: storage.HookDue{Turns: 4}}, 8, false, "in 1 turn"},
		"turns passed":         {storage.Hook{Turn: 5, Due: storage.HookDue{Turns: 4}}, 9, true, "due now"},
		"turns long passed":    {storage.Hook{Turn: 5, Due: storage.HookDue{Turns: 4}}, 10, true, "since 1 turn"},
		"a moment to come":     {storage.Hook{Due: storage.HookDue{At: soon}}, 99, false, "in 1 hour"},
		"this moment":          {storage.Hook{Due: storage.HookDue{At: noon}}, 0, true, "due now"},
		"a moment passed":      {storage.Hook{Due: storage.HookDue{At: past}}, 0, true, "since 2 days"},
		"neither yet":          {storage.Hook{Due: storage.HookDue{Turns: 3, At: soon}}, 1, false, "in 2 turns or 1 hour"},
		"turns first":          {storage.Hook{Due: storage.HookDue{Turns: 3, At: soon}}, 3, true, "due now"},
		"the moment first":     {storage.Hook{Due: storage.HookDue{Turns: 3, At: past}}, 1, true, "since 2 days"},
		"in minutes":           {storage.Hook{Due: storage.HookDue{At: noon.Add(5 * time.Minute)}}, 1, false, "in 5 minutes"},
		"in seconds":           {storage.Hook{Due: storage.HookDue{At: noon.Add(5 * time.Second)}}, 1, false, "in 1 minute"},
		"in weeks":             {storage.Hook{Due: storage.HookDue{At: noon.Add(15 * day)}}, 1, false, "in 2 weeks"},
		"a turn below nothing": {storage.Hook{Due: storage.HookDue{Turns: -3}}, 0, true, "due now"},
		"closed":               {storage.Hook{Closed: true}, 5, false, "since 5 turns"},
		"dropped":              {storage.Hook{Dropped: true, Turn: 5}, 5, false, "due now"},
	} {
		if got := HookDue(c.hook, c.turn, noon, false); got != c.due {
			t.Errorf("%s: due %v", name, got)
		}
		if got := DueWords(c.hook, c.turn, noon, false); got != c.words {
			t.Errorf("%s: %s", name, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		h := storage.Hook{Turn: rapid.IntRange(0, 9).Draw(t, "made"), Due: storage.HookDue{Turns: rapid.IntRange(-1, 9).Draw(t, "turns")}}
		if rapid.Bool().Draw(t, "timed") {
			h.Due.At = noon.Add(time.Duration(rapid.IntRange(-9, 9).Draw(t, "hours")) * time.Hour)
		}
		turn := rapid.IntRange(0, 30).Draw(t, "turn")
		if due, words := HookDue(h, turn, noon, false), DueWords(h, turn, noon, false); due == strings.HasPrefix(words, "in ") {
			t.Fatalf("%+v at turn %d: due %v, but %q", h, turn, due, words)
		}
		if HookDue(h, turn, noon, false) && !HookDue(h, turn+1, noon.Add(time.Hour), false) {
			t.Fatal("what is due stays due")
		}
	})
}

func TestHookDue_InTheStorysTime(t *testing.T) {
	thursday := storage.HookDue{When: "by Thursday"}
	turns := storage.HookDue{When: "by Thursday", Turns: 4}
	for name, c := range map[string]struct {
		due   storage.HookDue
		turn  int
		came  bool
		want  bool
		words string
	}{
		"not yet":                {thursday, 99, false, false, "by Thursday"},
		"come":                   {thursday, 5, true, true, "due: by Thursday"},
		"sooner than turns":      {turns, 5, true, true, "due: by Thursday"},
		"turns passed":           {turns, 9, false, true, "due now"},
		"turns to wait":          {turns, 5, false, false, "by Thursday, or in 4 turns"},
		"the wall clock first":   {storage.HookDue{When: "by Thursday", At: noon}, 5, false, true, "due now"},
		"the wall clock to come": {storage.HookDue{When: "by Thursday", At: noon.Add(time.Hour)}, 9, false, false, "by Thursday, or in 1 hour"},
		"without words":          {storage.HookDue{Turns: 4}, 5, true, false, "in 4 turns"},
	} {
		h := storage.Hook{Turn: 5, Due: c.due}
		if got, words := HookDue(h, c.turn, noon, c.came), DueWords(h, c.turn, noon, c.came); got != c.want || words != c.words {
			t.Errorf("%s: %v, %q", name, got, words)
		}
	}
}

func TestChooseHooks(t *testing.T) {
	var list []storage.Hook
	for i := range 7 {
		list = append(list, storage.Hook{ID: storage.HookID(fmt.Sprint(i)), Content: "x", Priority: 1 + i%3, CreatedAt: noon.Add(time.Duration(-i) * time.Hour)})
	}
	list = append(list, storage.Hook{ID: "empty", Priority: 5}, storage.Hook{ID: "waited", Content: "x", Priority: 2, Turn: 3, CreatedAt: noon.Add(time.Hour)})
	var got []string
	for _, h := range ChooseHooks(list) {
		got = append(got, string(h.ID))
	}
	if diff := cmp.Diff([]string{"2", "5", "1", "4", "waited"}, got); diff != "" {
		t.Error(diff)
	}
	if list[0].ID != "0" || len(ChooseHooks(nil)) != 0 {
		t.Error("the list was changed")
	}
}

func TestHooksText(t *testing.T) {
	list := []storage.Hook{
		{Content: "Ask how the\nexam went", Opener: "\"So, how\nwas it?\""}, {Content: "Mara's birthday"}, {Content: " ", Opener: "x"}, {Content: strings.Repeat("y ", 2000), Opener: strings.Repeat("z ", 2000)},
	}
	want := "- Ask how the exam went (to bring it up, for instance: “So, how was it?”)\n- Mara's birthday\n- "
	got := HooksText(list)
	if !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 2 || len(got) > 1200 {
		t.Errorf("%d bytes: %.300s", len(got), got)
	}
	if HooksText(nil) != "" {
		t.Error("something of nothing")
	}
}
