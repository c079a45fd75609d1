package memory_test

import (
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/core"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// recapped gives a scene a recap.
func recapped(s *enginetest.Harness, at storage.NodeID, text string) {
	s.T.Helper()
	s.EndWithoutRecap(at)
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error {
		b, err := storage.Breaks.Get(tx, s.Chat, at)
		if err != nil {
			return err
		}
		r := storage.Recap{ID: storage.RecapID(storage.NewID()), Node: at, Text: text}
		for _, line := range strings.Split(text, "\n- ")[1:] {
			r.Sources = append(r.Sources, storage.Source{Bullet: line, Messages: []storage.NodeID{at}})
		}
		b.Versions, b.TextHash = []storage.RecapID{r.ID}, core.ContentHash(r.Text)
		if err := storage.Recaps.Put(tx, s.Chat, r); err != nil {
			return err
		}
		return storage.Breaks.Put(tx, s.Chat, b)
	}))
}

const swimming = "## Key Developments\n- Nobody here swims\n- The bell of Fenn rings at nine\n- A cart of apples was sold"

func TestRecall_WhatIsMeantComesBack(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"", demo.ThinkModel} {
		s := enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Stage.EmbedModel = model })
		s.Plain()
		ids := s.Tell("We talk of this and that.", "So we do.")
		recapped(s, ids[1], swimming)
		filled(s)
		s.Tell("Hm?", "Swims.")
		s.Say("Swims?")
		if strings.Contains(s.Sent(), "Nobody here swims") {
			t.Fatal("it is told before its meaning is known")
		}
		s.Work()
		s.Tell("Hm?", "Swims.")
		s.Say("Swims?")
		if inPrompt := strings.Contains(s.Sent(), "Nobody here swims"); inPrompt != (model != "") {
			t.Errorf("with the model %q it comes back: %v", model, inPrompt)
		}
	}
}

func TestAnswer_FindsByMeaning(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"", demo.ThinkModel} {
		s := enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Stage.EmbedModel = model })
		s.Plain()
		ids := s.Tell("We talk of this and that.", "So we do.")
		recapped(s, ids[1], swimming)
		s.Say("Go on.")
		s.Say("Go on.")
		s.Work()
		shown := false
		s.SpoilBy(func(c demo.Call) demo.Fault {
			if strings.Contains(string(c.Format), `"answer"`) {
				shown = shown || strings.Contains(enginetest.Flat(c), "Nobody here swims")
				return demo.Fault{Kind: demo.Say, Text: `{"answer":[{"text":"Nobody does.","from":[1]}]}`}
			}
			return demo.Fault{}
		})
		_, err := s.Memory.Answer(s.Context(), memory.Question{Chat: s.Chat, Text: "Swims?"})
		enginetest.Must(t, err)
		if shown != (model != "") {
			t.Errorf("with the model %q it is shown: %v", model, shown)
		}
	}
}

// What a subject means is found behind what has its words.
func TestKnown_FindsByMeaning(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"", demo.ThinkModel} {
		s := enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.Stage.EmbedModel = model })
		s.Plain()
		ids := s.Tell("We talk of this and that.", "So we do.")
		recapped(s, ids[1], swimming+"\n- Zoltan says that nobody here swims badly")
		s.Say("Go on.")
		s.Say("Go on.")
		s.Work()
		list := known(s, memory.FactQuery{Subject: "Nobody here swims badly"}).Facts
		if want := map[bool]int{true: 2, false: 1}[model != ""]; len(list) != want {
			t.Fatalf("with the model %q: %+v", model, list)
		}
		if list[0].ByMeaning || model != "" && !(list[1].ByMeaning && list[1].Text == "Nobody here swims") {
			t.Errorf("with the model %q: %+v", model, list)
		}
	}
}
