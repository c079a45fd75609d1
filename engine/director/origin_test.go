package director_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/rehearsal"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// What a model finds again in what was said long ago rests on the message that said it, in
// whatever words, and is told once; what has been said otherwise since is not kept again.
func TestAfterTurn_WhatIsReadInOlderMessages(t *testing.T) {
	found := func(content string) string {
		return passOf(`{"type":"event","content":"`+content+`","importance":0.9}`, "")
	}
	for name, c := range map[string]struct {
		said []string // by the user, turn by turn; the answer comes with the last
		memo string
		from int // the turn that it rests on, -1 for not kept
	}{
		"in other words":          {[]string{"Clara sold the boat to Piet.", "Nobody speaks for a while."}, "The boat of Clara went to Piet.", 0},
		"in the same":             {[]string{"Clara sold the boat to Piet.", "Nobody speaks for a while."}, "Clara sold the boat to Piet.", 0},
		"said now":                {[]string{"It rains.", "Clara sold the boat to Piet."}, "The boat of Clara went to Piet.", 1},
		"said then and now":       {[]string{"Clara sold the boat to Piet.", "So Clara sold the boat to Piet?"}, "Clara sold the boat to Piet.", 1},
		"another thing of theirs": {[]string{"Clara sold the boat to Piet.", "Nobody speaks for a while."}, "Clara owes Piet forty crowns.", 1},
		"said otherwise since":    {[]string{"Clara waits at the well of Arle.", "Now Clara waits at the mill of Arle.", "Nobody speaks."}, "Clara waits at the well of Arle.", -1},
		"as it is now":            {[]string{"Clara waits at the well of Arle.", "Now Clara waits at the mill of Arle.", "Nobody speaks."}, "Clara waits at the mill of Arle.", 1},
		"of no name":              {[]string{"The boat is sold.", "Nobody speaks for a while."}, "The boat is sold.", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := (&stage{enginetest.NewStage(t, directing, enginetest.Detecting)})
			said := passOf("", "")
			s.answers(func(rehearsal.Call) string { return said })
			var asked []storage.NodeID
			for i, text := range c.said {
				if i == len(c.said)-1 {
					said = found(c.memo)
				}
				asked = append(asked, s.Say(text).UserMessage)
				s.Worked()
			}
			list := s.Memories(memory.Ask{All: true}).List
			if c.from < 0 {
				if len(list) != 0 {
					t.Errorf("%+v", list)
				}
				return
			}
			if len(list) != 1 || !slices.Contains(list[0].Told[0].Sources, asked[c.from]) || c.from < len(asked)-1 && len(list[0].Told[0].Sources) != 1 {
				t.Fatalf("%+v, not from %s of %v", list, asked[c.from], asked)
			}
			said = passOf("", "")
			s.Say("And now?")
			if prompt := s.lastTurn(); c.from < len(asked)-1 && strings.Contains(prompt, "- "+c.memo) {
				t.Errorf("it is told beside the message:\n%s", prompt)
			}
		})
	}
}

// What a message says in so many words is known to all who heard it, though the model was
// shown a secret beside; what it does not say is known only to who knows the secret.
func TestAfterTurn_WhoKnowsWhatWasSaid(t *testing.T) {
	s := (&stage{enginetest.NewStage(t, directing, enginetest.Detecting)})
	main, bea := s.View().Character.ID, s.Joined("Bea")
	said := passOf("", "")
	s.answers(func(rehearsal.Call) string { return said })
	s.SayTo("The key is under the violet stone.", main, main)
	s.Worked()
	said = passOf(`{"type":"event","content":"Clara sold the boat to Piet.","importance":0.9},{"type":"fact","content":"Clara looks for the violet stone.","importance":0.9}`, "")
	s.SayTo("Clara sold the boat to Piet, and looks around.", main)
	s.Worked()
	of := func(who storage.CharacterID) (out []string) {
		for _, m := range s.Memories(memory.Ask{As: who}).List {
			out = append(out, m.Content)
		}
		slices.Sort(out)
		return out
	}
	if got := of(main); len(got) != 2 {
		t.Errorf("the one who was told the secret knows %v", got)
	}
	if got := of(bea); !slices.Equal(got, []string{"Clara sold the boat to Piet."}) {
		t.Errorf("the other knows %v", got)
	}
}

// What was found in a reply that was swiped away, and again in the next, rests on the
// messages that are left: while these are in the prompt it is not told beside them.
func TestStageNotes_ASwipedTellingIsNone(t *testing.T) {
	s := (&stage{enginetest.NewStage(t, staging)})
	s.answers(func(rehearsal.Call) string {
		return passOf(`{"type":"event","content":"Clara sold the boat to Piet.","importance":0.9}`, "")
	})
	turn := s.Say("Clara sold the boat to Piet.")
	s.Worked()
	if on, err := s.Play.Swipe(s.Chat, turn.Message, 1); err != nil || !on {
		t.Fatal(on, err)
	}
	_, err := s.Ended()
	enginetest.Must(t, err)
	s.Worked()
	if list := s.Memories(memory.Ask{}).List; len(list) != 1 || len(list[0].Told) != 2 {
		t.Fatalf("%+v", list)
	}
	s.Say("And now?")
	if prompt := s.lastTurn(); strings.Contains(prompt, "- Clara sold the boat") {
		t.Errorf("it is told beside the message:\n%s", prompt)
	}
}

// A hook that is due is told with its opener, whatever else in the prompt says it, and is
// taken only when the pass names its number.
func TestStageNotes_DueHooksAreToldWhole(t *testing.T) {
	s := (&stage{enginetest.NewStage(t, staging)})
	scope, err := s.Chats.ScopeOf(s.Chat)
	enginetest.Must(t, err)
	answer := strings.Replace(passOf(`{"type":"event","content":"Mara promised Jonas the lamp.","importance":0.9}`, ""), `"hooks":[]`,
		`"hooks":[{"type":"follow_up","content":"Mara promised Jonas the lamp.","opener":"Where is the lamp?","turns":0,"priority":3}]`, 1)
	s.answers(func(rehearsal.Call) string { return answer })
	s.Say("Mara promised Jonas the lamp.")
	s.Worked()
	_, err = s.Memory.Save(scope, storage.Memory{Type: storage.EventMemory, Content: "Mara promised Jonas the lamp.", Pinned: true})
	enginetest.Must(t, err)
	for i := range 6 {
		_, err = s.Memory.SaveHook(scope, s.Chat, storage.Hook{Type: storage.FollowUpHook, Content: things[i] + " " + strings.Repeat("x", i), Priority: 1 + i%2})
		enginetest.Must(t, err)
	}
	answer = passOf("", "")
	s.Say("Where is the lamp? Mara promised Jonas the lamp.")
	const whole = "\nMara promised Jonas the lamp. (to bring it up, for instance: “Where is the lamp?”)"
	if prompt := s.lastTurn(); strings.Count(prompt, "to bring it up") != 1 || !strings.Contains(prompt, whole) || strings.Contains(prompt, "open matter") {
		t.Errorf("the prompt:\n%s", prompt)
	}
	told := 0
	for _, thing := range things[:6] {
		told += strings.Count(s.lastTurn(), "\n"+thing+" ")
	}
	if told != 4 {
		t.Errorf("%d others are told, and there is room for four", told)
	}
	s.Worked()
	state := func() memory.HookState {
		t.Helper()
		for _, h := range s.Hooks(memory.Ask{All: true}).List {
			if h.Opener != "" {
				return h.State
			}
		}
		return ""
	}
	if got := state(); got != memory.HookDue {
		t.Errorf("nobody has said that it was brought up, and it is %s", got)
	}
	var asked string
	s.answers(func(c rehearsal.Call) string {
		asked = c.Messages[len(c.Messages)-1].Content
		return strings.Replace(passOf("", ""), `"hooks":[]`, `"hooks":[],"taken":[1]`, 1)
	})
	s.Say("And now?")
	s.Worked()
	if got := state(); got != memory.HookTaken || !strings.Contains(asked, "\n1. Mara promised Jonas the lamp. (due)\n") || strings.Count(asked, "(due)\n") != 5 {
		t.Errorf("it is %s, by an answer to\n%s", got, asked)
	}
}
