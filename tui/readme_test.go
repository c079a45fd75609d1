package tui_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/boards/storyboard"
	"github.com/ghostlight-theatre/ghostlight/engine/director"
	"github.com/ghostlight-theatre/ghostlight/engine/library/bundled"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/guide"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// shots are the pictures of the README and of the guide, by the names of their files, and
// the frames that the guide shows in their places in a terminal: each is a play that is
// gone through until the screen shows what it is to show.
var shots = []struct {
	name string
	o    func(t *testing.T) tuitest.Options
	show func(s *tuitest.Session)
}{
	{"play", func(t *testing.T) tuitest.Options { return tuitest.Options{Prepare: tuitest.WithChat(t)} }, func(s *tuitest.Session) {
		s.See("‹1/3›").Say("*I hold the envelope out to her.* \"The lamp was on.\"")
		s.TypeText("\"Who leaves a theatre burning?\" *I look up at the")
	}},
	{"scenes", func(t *testing.T) tuitest.Options {
		return tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)}
	}, func(s *tuitest.Session) {
		s.See("blue boat").Press("ctrl+r").See("Recap · 2", "Key Developments").Still()
	}},
	{"lore", func(t *testing.T) tuitest.Options { return tuitest.Options{Prepare: withHarbourBook(t)} }, func(s *tuitest.Session) {
		s.See("‹1/3›").TypeText("We go to the inn and ask Marta").Press("alt+l").See("The harbour", "Marta").Still()
	}},
	{"knowledge", func(t *testing.T) tuitest.Options { return tuitest.Options{Prepare: withKnowledge(t)} }, func(s *tuitest.Session) {
		s.See("blue boat").Press("alt+f").See("repairs clocks").Still()
	}},
	{"stage", func(t *testing.T) tuitest.Options {
		return tuitest.Options{Direct: true, Answers: tuitest.Directed(0), Prepare: withEpisode(t)}
	}, func(s *tuitest.Session) {
		s.Say("\"Whose light is this?\"").Say("*I try the third door.*").Press("alt+d").See("─ Director ─", "first met today").Still()
	}},
	{"pictures", func(t *testing.T) tuitest.Options { return tuitest.Options{Prepare: tuitest.WithChat(t)} }, func(s *tuitest.Session) {
		s.See("‹1/3›").Say("I hold up the letter.")
		s.Press("ctrl+g").See("Scene Capture").See("Tove, a tall").Press("ctrl+s").NotSee("Negative prompt")
		s.Still().Press("f2").See("Gallery", "completed · seed").Still()
	}},
	{"leader", func(t *testing.T) tuitest.Options { return tuitest.Options{Prepare: tuitest.WithChat(t)} }, func(s *tuitest.Session) {
		s.See("‹1/3›").Press("ctrl+x").See("What would you like to do?", "1 scene")
	}},
	{"cast", func(t *testing.T) tuitest.Options { return tuitest.Options{Prepare: tuitest.WithChat(t)} }, func(s *tuitest.Session) {
		s.See("‹1/3›").Press("alt+c").See("─ Cast", "speaks next")
	}},
	{"prompt", func(t *testing.T) tuitest.Options { return tuitest.Options{Prepare: tuitest.WithChat(t)} }, func(s *tuitest.Session) {
		s.See("‹1/3›").Press("f4").See("─ Prompt", "to be processed again").Still()
	}},
	{"storyboard", func(t *testing.T) tuitest.Options { return tuitest.Options{Prepare: withBoard(t)} }, func(s *tuitest.Session) {
		s.See("blue boat").Press("alt+s").See("─ Scenes").Press("g", "j").Press("alt+h").See("She goes pale").Still()
	}},
	{"taste", func(t *testing.T) tuitest.Options {
		return tuitest.Options{Learn: true, Answers: tuitest.Taught(), Prepare: withBoard(t)}
	}, func(s *tuitest.Session) {
		s.See("blue boat").Press("alt+a").See("learning queued").Press("r").See("●●○ The framing goes closer").Still()
	}},
}

// TestReadmePictures goes through the plays of the README's pictures, and looks whether
// the frames in the guide are still those of the screen. Both are made anew, from real
// frames, by
//
//	go test ./tui -run TestReadmePictures -update
func TestReadmePictures(t *testing.T) {
	if testing.Short() {
		t.Skip("NOT TESTED: the plays of the README's pictures take a few seconds; -short")
	}
	readme, err := os.ReadFile(filepath.Join("..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, shot := range shots {
		t.Run(shot.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("tui", "guide", "pictures", shot.name+".png")
			o := shot.o(t)
			o.W, o.H = 100, 30
			s := tuitest.Begin(t, o)
			shot.show(s)
			s.Silent().Now()
			s.Shot(filepath.Join("..", file))
			s.Framed(filepath.Join("guide", "frames", shot.name+".txt"), tuitest.Size{W: 70, H: 18})
			if info, err := os.Stat(filepath.Join("..", file)); err != nil || info.Size() == 0 || info.Size() > tuitest.ShotMost {
				t.Errorf("%s: %v %v", file, info, err)
			}
			shown := strings.Contains(string(readme), "("+filepath.ToSlash(file)+")")
			for _, p := range guide.Pages() {
				shown = shown || strings.Contains(p.Text, "(pictures/"+shot.name+".png)")
			}
			if !shown {
				t.Errorf("neither README nor guide show %s", file)
			}
		})
	}
}

// fresh makes sure of each step of a preparation.
func fresh(t *testing.T) func(error) {
	return func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
}

func withHarbourBook(t *testing.T) func(*engine.Engine) {
	return func(e *engine.Engine) {
		must := fresh(t)
		chat := tuitest.NewChat(t, e)
		book, err := e.Lore.AddBook(storage.Lorebook{Name: "The harbour", Kind: storage.GlobalBook, Description: "Quays, boats, and those who live by them."})
		must(err)
		for _, x := range []storage.LoreEntry{
			{Name: "The Blue Gull", Type: "location", Content: "[location-The Blue Gull: inn at the quay, kept by(Marta), smells of(tar, fried fish), closed in winter]", Keys: []string{"blue gull", "inn"}},
			{Name: "Marta", Type: "character", Content: "[character-Marta: innkeeper of The Blue Gull, wears(red scarf), distrusts(harbour master)]", Keys: []string{"marta", "innkeeper"}},
			{Name: "Tide law", Type: "rule", Content: "Whoever is at sea at high tide owes the harbour a light.", Keys: []string{"tide"}, Constant: true},
			{Name: "The old ferry", Type: "item", Content: "A ferry that has not left its berth in ten years.", Keys: []string{"ferry", "berth"}},
			{Name: "The lighthouse", Type: "location", Content: "Its lamp has been dark since the storm of 1961.", Keys: []string{"lighthouse"}},
		} {
			_, err := e.Lore.SaveEntry(book.ID, chat, x)
			must(err)
		}
	}
}

func withKnowledge(t *testing.T) func(*engine.Engine) {
	return func(e *engine.Engine) {
		must := fresh(t)
		tuitest.WithStory(t, tuitest.Harbour, true)(e)
		chat, _, err := e.Chats.Last()
		must(err)
		scope, err := e.Chats.ScopeOf(chat)
		must(err)
		for _, m := range []storage.Memory{
			{Type: storage.FactMemory, Content: "Robin repairs clocks for a living."},
			{Type: storage.GoalMemory, Content: "Robin wants to find Aksel before the storm."},
		} {
			_, err := e.Memory.Save(scope, m)
			must(err)
		}
		_, err = e.Memory.SaveHook(scope, chat, storage.Hook{Type: storage.ReminderHook, Content: "Robin promised to bring the boat back.", Priority: 3, Due: storage.HookDue{Turns: 4}})
		must(err)
	}
}

func withEpisode(t *testing.T) func(*engine.Engine) {
	return func(e *engine.Engine) {
		must := fresh(t)
		tove, err := e.Library.FindCharacter(bundled.Character().Card.Name)
		must(err)
		s, err := e.Director.SaveSeries(storage.Series{Title: "Harbour nights", Genre: "slow mystery", Characters: []storage.CharacterID{tove.ID}})
		must(err)
		ep, err := e.Director.SaveEpisode(storage.Episode{Series: s.ID, Title: "The lamp room", Situation: "After the last show, in the lamp room above the stage.",
			Frame: "Close, quiet, a little funny.", Question: "Whom is Tove keeping the light on for?", Resolutions: []string{"positive", "surprise"},
			Objective: "keep the visitor from the third door", TurnBudget: 12, Opening: "*Rain on the skylight. One lamp is warm.* \"We closed at ten,\" says Tove."})
		must(err)
		c, err := e.Director.NewPlay(director.PlayRequest{Episode: ep.ID})
		must(err)
		must(e.Chats.Opened(c.ID))
	}
}

// withBoard makes the harbour's play with a storyboard of its second scene that the user
// has changed and confirmed.
func withBoard(t *testing.T) func(*engine.Engine) {
	return func(e *engine.Engine) {
		must := fresh(t)
		tuitest.WithStory(t, tuitest.Harbour, false)(e)
		chat, _, err := e.Chats.Last()
		must(err)
		list, err := e.Scenes.List(chat)
		must(err)
		call := func(tool string, with map[string]any) storage.ToolCall {
			raw, err := json.Marshal(with)
			must(err)
			return storage.ToolCall{Tool: tool, Params: raw}
		}
		shot := func(kind, size, job, words string) map[string]any {
			return map[string]any{"kind": kind, "size": size, "job": job, "description": words, "seconds": 3}
		}
		_, err = e.Boards.Call(chat, list.List[1].Break,
			call(storyboard.InsertShot, map[string]any{"shots": []map[string]any{
				shot("key", "wide", "establish", "The lamp room at dawn, both of them small under the great lens."),
				shot("filler", "medium", "reaction", "A hand on the iron rail."),
				shot("key", "medium", "reaction", "She goes pale.")}}),
			call(storyboard.ModifyShot, map[string]any{"shot": "s1", "size": "close_up"}),
			call(storyboard.ModifyShot, map[string]any{"shot": "s3", "size": "close_up"}),
			call(storyboard.RemoveShots, map[string]any{"shots": []string{"s2"}}),
			call(storyboard.ConfirmShots, map[string]any{}))
		must(err)
	}
}
