package lore_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// fresh is a play with an entry that a scene has taught, whose messages are still in the
// prompt.
func fresh(t *testing.T) (s *harness, book storage.LorebookID) {
	s = &harness{enginetest.NewHarness(t, enginetest.Filling)}
	s.Say("Marla Tew runs the Gull Inn.")
	last := s.Say("Marla Tew owns a violet boat.")
	s.TeachScene(last.Message, candidate("character", "Marla Tew", "[character-Marla Tew: runs(Gull Inn), owns(violet boat)]", "marla"))
	return s, s.taughtBook()
}

// reasons returns what the list of the next prompt's parts says about lorebooks.
func (s *harness) reasons() (list []string, included int) {
	s.T.Helper()
	v, err := s.Play.Prompt(s.Context(), s.Chat, "And Marla?")
	enginetest.Must(s.T, err)
	for _, p := range v.Parts {
		if p.Layer == prompt.LayerLore {
			if list = append(list, p.Reason); p.Included {
				included++
			}
		}
	}
	return list, included
}

// Facts that a scene has taught are stated by its messages while they are in the prompt, and by the
// entry once they have left it. The entry stays at the place at which it came up, and the server
// reads nothing again for it except at the fold.
func TestOnce_MessagesTellIt(t *testing.T) {
	t.Parallel()
	s, _ := fresh(t)
	if p := s.prompt("What of Marla?"); p != "" {
		t.Errorf("told twice: %s", p)
	}
	list, included := s.reasons()
	if len(list) != 1 || included != 0 || !strings.Contains(list[0], "already covered by the messages in context") {
		t.Errorf("the ledger says %d, %q", included, list)
	}
	before := ""
	for n := 0; ; n++ {
		p := s.prompt("Marla it is. " + strings.Repeat("The rain does not stop, and the road is long. ", 120))
		sent := s.Sent()
		in := strings.Contains(sent, "runs the Gull Inn")
		if in == strings.Contains(p, "runs(Gull Inn)") {
			t.Fatalf("at %d the message says it: %v; entries: %s", n, in, p)
		}
		if in && before != "" && enginetest.Common(before, sent) < len(before)*9/10 && !strings.Contains(p, "violet") {
			t.Errorf("at %d only %d of %d bytes stand", n, enginetest.Common(before, sent), len(before))
		}
		if before = sent; !in && !strings.Contains(sent, "owns a violet boat") {
			break
		}
		if n == 20 {
			t.Fatal("the messages do not leave the prompt")
		}
	}
	if p := s.prompt("What of Marla now?"); !strings.Contains(p, "runs(Gull Inn), owns(violet boat)") {
		t.Errorf("once they have left: %s", p)
	}
	list, included = s.reasons()
	if included != 1 || strings.Contains(strings.Join(list, ""), "already covered") {
		t.Errorf("the ledger says %d, %q", included, list)
	}
	s.Reopen()
	if p := s.prompt("And Marla?"); !strings.Contains(p, "runs(Gull Inn), owns(violet boat)") {
		t.Errorf("opened again: %s", p)
	}
	s.Sound()
}

// Facts that the user has written, locked or made constant are always included.
func TestOnce_TheUsersOwnIsTold(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(x *storage.LoreEntry){
		"locked":   func(x *storage.LoreEntry) { x.Locked = true },
		"constant": func(x *storage.LoreEntry) { x.Constant, x.Probability, x.UseProbability = true, 99.9999999, true },
		"edited": func(x *storage.LoreEntry) {
			x.Content = strings.Replace(x.Content, "violet boat", "old violet boat", 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, book := fresh(t)
			x := s.named(book, "Marla Tew").LoreEntry
			x.Facts = slices.Clone(x.Facts)
			change(&x)
			_, err := s.Lore.SaveEntry(book, s.Chat, x)
			enginetest.Must(t, err)
			if p := s.prompt("What of Marla?"); !strings.Contains(p, "violet boat") {
				t.Errorf("%s", p)
			}
		})
	}
}

// A fact in the running recap is not repeated by the entry.
func TestOnce_TheRecapTellsIt(t *testing.T) {
	t.Parallel()
	s, _ := taught(t)
	if p := s.prompt("What of Marla?"); !strings.Contains(p, "violet boat") || !strings.Contains(p, "Gull Inn") {
		t.Fatalf("before: %s", p)
	}
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		for b, at := range storage.Breaks.All(tx, s.Chat) {
			r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: b, Kind: storage.RunningRecap, Covers: b, Text: "## Key Developments\n\n- Marla Tew: owns violet boat"}
			if err := storage.RunningRecaps.Put(tx, s.Chat, r); err != nil {
				return err
			}
			at.Running = r.ID
			if err := storage.Breaks.Put(tx, s.Chat, at); err != nil {
				return err
			}
		}
		return nil
	}))
	if p := s.prompt("What of Marla now?"); strings.Contains(p, "violet boat") || !strings.Contains(p, "Gull Inn") || !strings.Contains(s.Sent(), "Marla Tew: owns violet boat") {
		t.Errorf("beside the recap: %s", p)
	}
	list, included := s.reasons()
	if included != 1 || !strings.Contains(strings.Join(list, ""), "1 fact of it already covered by the recap") {
		t.Errorf("the ledger says %d, %q", included, list)
	}
}
