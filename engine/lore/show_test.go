package lore_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// leaves has the talk go on until a text has left the prompts of some speakers.
func (s *harness) leaves(text string, who ...storage.CharacterID) {
	s.T.Helper()
	for _, w := range who {
		for n := 0; ; n++ {
			if s.SayTo("Let us go on. "+strings.Repeat("The rain does not stop, and the road is long. ", 120), w); !strings.Contains(s.Sent(), text) {
				break
			}
			if n == 20 {
				s.T.Fatalf("%q does not leave the prompt", text)
			}
		}
	}
}

// taught is a play with an entry that a scene has taught.
func taught(t *testing.T) (s *harness, book storage.LorebookID) {
	s = &harness{enginetest.NewHarness(t, enginetest.Filling)}
	s.Say("Marla Tew runs the Gull Inn.")
	last := s.Say("Marla Tew owns a violet boat.")
	s.TeachScene(last.Message, candidate("character", "Marla Tew", "[character-Marla Tew: runs(Gull Inn), owns(violet boat)]", "marla"))
	s.leaves("runs the Gull Inn", "")
	return s, s.taughtBook()
}

var entries = regexp.MustCompile(`\[character-[^\]]*\]`)

// prompt returns the text of entries that is sent when the user writes a line.
func (s *harness) prompt(line string) string {
	s.T.Helper()
	s.Say(line)
	return strings.Join(entries.FindAllString(s.Sent(), -1), " ")
}

// ends stores a line end at the chat's current message.
func (s *harness) ends(text string) {
	s.T.Helper()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		x := memory.Ending{Text: text, End: storage.End{Mention: s.MentionAt(s.Chat, c.Head), Kind: storage.Outdated}}
		x.Line(text, nil)
		return memory.StoreEnds(tx, chats.ScopeOf(c), []memory.Ending{x})
	}))
}

// A fact that a scene has taught and that has ended is in no prompt, not even at its old place. On
// another branch it holds, and when its end is undone it is included again.
func TestTelling_AFactOfAnEntryEnds(t *testing.T) {
	t.Parallel()
	s, _ := taught(t)
	before := s.Last().ID
	if p := s.prompt("What of Marla?"); !strings.Contains(p, "violet boat") || !strings.Contains(p, "Gull Inn") {
		t.Fatalf("before: %s", p)
	}
	s.Say("Marla Tew has sold it.")
	s.ends("Marla Tew: owns violet boat")
	for _, line := range []string{"Let us go on.", "What of Marla now?"} {
		if p := s.prompt(line); strings.Contains(p, "violet boat") || !strings.Contains(p, "Gull Inn") {
			t.Errorf("%s: %s", line, p)
		}
	}
	s.Reopen()
	if p := s.prompt("And Marla?"); strings.Contains(p, "violet boat") {
		t.Errorf("opened again: %s", p)
	}
	here := s.Last().ID
	enginetest.Must(t, s.Chats.Branch(s.Chat, before))
	if p := s.prompt("What of Marla, then?"); !strings.Contains(p, "violet boat") {
		t.Errorf("on another branch: %s", p)
	}
	enginetest.Must(t, s.Chats.Goto(s.Chat, here))
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		list := scenes.StatementEnds(tx, s.Chat)
		for i := range list {
			list[i].Undone = true
		}
		return scenes.PutStatementEnds(tx, s.Chat, list)
	}))
	if p := s.prompt("What of Marla after all?"); !strings.Contains(p, "violet boat") {
		t.Errorf("taken back: %s", p)
	}
	s.Sound()
}

// What the user has written ends by nobody's word but the user's, and neither does an
// entry that the user has locked.
func TestTelling_TheUsersOwnStays(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(x *storage.LoreEntry){
		"edited": func(x *storage.LoreEntry) {
			x.Content = strings.Replace(x.Content, "violet boat", "violet boat, for sure", 1)
		},
		"locked": func(x *storage.LoreEntry) { x.Locked = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, book := taught(t)
			x := s.named(book, "Marla Tew").LoreEntry
			change(&x)
			_, err := s.Lore.SaveEntry(book, s.Chat, x)
			enginetest.Must(t, err)
			s.Say("Marla Tew has sold it.")
			s.ends("Marla Tew: owns violet boat")
			if p := s.prompt("What of Marla?"); !strings.Contains(p, "violet boat") {
				t.Errorf("%s", p)
			}
		})
	}
}

// doubt is the one question that waits for the user.
func (s *harness) doubt() memory.Doubt {
	s.T.Helper()
	list, err := s.Memory.Doubts(s.Chat)
	enginetest.Must(s.T, err)
	if len(list) != 1 {
		s.T.Fatalf("%+v", list)
	}
	return list[0]
}

// Of what was made of a message the user is asked once that is edited.
func TestTelling_AnEditedMessageCorrects(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, enginetest.Filling)}
	s.Say("Marla Tew runs the Gull Inn.")
	owns := s.Say("Marla Tew owns a violet boat.")
	last := s.Say("Let us go on.")
	s.TeachScene(last.Message, candidate("character", "Marla Tew", "[character-Marla Tew: runs(Gull Inn), owns(violet boat)]", "marla"))
	s.taughtBook()
	s.leaves("runs the Gull Inn", "")
	enginetest.Must(t, s.Chats.Edit(s.Chat, owns.UserMessage, "Marla Tew owns a green cart."))
	doubts := func() (out []string) {
		list, err := s.Memory.Doubts(s.Chat)
		enginetest.Must(t, err)
		for _, d := range list {
			out = append(out, d.Text)
		}
		return out
	}
	if got := doubts(); len(got) != 1 || got[0] != "Marla Tew: owns violet boat" {
		t.Errorf("asked about: %q", got)
	}
	if p := s.prompt("What of Marla?"); !strings.Contains(p, "violet boat") || !strings.Contains(p, "Gull Inn") {
		t.Errorf("before the user says so: %s", p)
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, owns.UserMessage, "Marla Tew owns a violet boat."))
	if got := doubts(); len(got) != 0 {
		t.Errorf("edited back, and asked about: %q", got)
	}
	enginetest.Must(t, s.Chats.Edit(s.Chat, owns.UserMessage, "Marla Tew owns a green cart."))
	_, err := s.Memory.AnswerDoubt(s.Chat, s.doubt().ID, memory.HasEnded, "")
	enginetest.Must(t, err)
	if p := s.prompt("What of Marla now?"); strings.Contains(p, "violet boat") || !strings.Contains(p, "Gull Inn") {
		t.Errorf("settled: %s", p)
	}
}

// A pass is shown what the lorebook knows of whom the exchange names, and ends it.
func TestTelling_APassIsShownIt(t *testing.T) {
	t.Parallel()
	s, _ := taught(t)
	var known []string
	enginetest.Must(t, s.Core().Store.View(func(tx *storage.Tx) error {
		c, err := storage.Chats.Get(tx, s.Chat)
		if err != nil {
			return err
		}
		for said, want := range map[string]int{"What of marla tew?": 2, "What of Jon?": 0} {
			list, err := s.Engine.Lore.KnownFactsAt(tx, c, c.Head, said)
			if err != nil || len(list) != want {
				t.Errorf("%s: %+v %v", said, list, err)
			}
			for _, k := range list {
				known = append(known, k.Text)
			}
		}
		return nil
	}))
	if got := strings.Join(known, "|"); got != "Marla Tew: runs Gull Inn|Marla Tew: owns violet boat" {
		t.Errorf("%s", got)
	}
}
