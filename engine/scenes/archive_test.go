package scenes_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/memory"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// A running recap that has outgrown its share of the context is shown in part: open threads and the
// situation, and the newest of the rest. The omitted lines are kept, named in the list of parts, and
// included when mentioned; lines of the user's own are always included.
func TestMemory_WhatIsOverItsShareIsToldWhenNamed(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t, small, func(o *enginetest.Setup) { o.Cfg.Memory.Share = 10 })})
	s.folded()
	var text strings.Builder
	text.WriteString("## Current Situation\n- Tove stands by the lamp.\n\n## Key Developments\n")
	for i := range 60 {
		fmt.Fprintf(&text, "- Brendan number %d sold the yellow boat of house %d to Kasimir.\n", i, i)
	}
	text.WriteString("\n## Pending Threads\n- Who has the key of the pit?\n")
	made := func(origin storage.RecapOrigin) {
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			for _, r := range storage.RunningRecaps.All(tx, s.Chat) { // a prompt may contain any of them
				r.Text, r.Original, r.Origin, r.Sources = text.String(), "", origin, nil
				if err := storage.RunningRecaps.Put(tx, s.Chat, r); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	made(storage.Generated)
	v := s.next()
	recapped := memoryOf(v)
	if n := len(recapped) / 4; n > 4096/10*3/2 {
		t.Errorf("%d tokens of memory: %s", n, recapped)
	}
	for _, want := range []string{"Tove stands by the lamp", "key of the pit"} {
		if !strings.Contains(recapped, want) {
			t.Errorf("%q is not told: %s", want, recapped)
		}
	}
	if strings.Contains(recapped, "number 0 ") || !slices.ContainsFunc(left(v), func(l string) bool { return strings.Contains(l, "included when mentioned") }) {
		t.Errorf("%s\n%q", recapped, left(v))
	}
	if again := memoryOf(s.next()); again != recapped {
		t.Errorf("the next prompt tells another part of it")
	}
	view, err := s.Play.Facts(s.Context(), memory.FactQuery{Chat: s.Chat, Subject: "Brendan 0 house"})
	enginetest.Must(t, err)
	at := slices.IndexFunc(view.Facts, func(f memory.Fact) bool { return strings.Contains(f.Text, "number 0 ") })
	if at < 0 || view.Facts[at].InPrompt {
		t.Fatalf("%+v", view.Facts)
	}
	step, err := s.Memory.KeepInPrompt(s.Chat, view.Facts[at].ID)
	enginetest.Must(t, err)
	if brought := memoryOf(s.next()); !strings.Contains(brought, "number 0 ") || strings.Contains(brought, "number 1 ") {
		t.Errorf("what was brought back is not told: %s", brought)
	}
	if _, err := s.Memory.KeepInPrompt(s.Chat, view.Facts[at].ID); err == nil {
		t.Error("it is brought back twice")
	}
	enginetest.Must(t, step.Undo())
	if again := memoryOf(s.next()); again != recapped {
		t.Errorf("it is told although that was taken back: %s", again)
	}
	made(storage.Edited)
	if own := memoryOf(s.next()); !strings.Contains(own, "number 0 ") {
		t.Error("what the user has written is not told")
	}
}

// What an interim recap has over its own share is left out too, and comes back when it is
// named, though no message says it in these words.
func TestInterim_WhatIsOverItsShareIsToldWhenNamed(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t, telling, func(o *enginetest.Setup) { o.Cfg.Memory.Share = 10 })}
	s.reader()
	s.untilInterim()
	var text strings.Builder
	text.WriteString("## Current Situation\n- Tove stands by the lamp.\n\n## Key Developments\n")
	for i := range 60 {
		fmt.Fprintf(&text, "- %c%corendan sold the yellow boat to %c%casimir.\n", 'A'+i/10, 'a'+i%10, 'M'+i/10, 'a'+i%10)
	}
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		data, err := tx.Text("interim", string(s.Chat))
		if err != nil {
			return err
		}
		var list []map[string]any
		if err := json.Unmarshal([]byte(data), &list); err != nil {
			return err
		}
		for _, i := range list {
			i["text"], i["sources"] = text.String(), nil
		}
		out, err := json.Marshal(list)
		if err != nil {
			return err
		}
		return tx.PutText("interim", string(s.Chat), string(out))
	}))
	v := s.next()
	recapped := memoryOf(v)
	if n := len(recapped) / 4; n > 4096/10*3/2 || !strings.Contains(recapped, "Tove stands by the lamp") || strings.Contains(recapped, "Aaorendan") {
		t.Errorf("%d tokens of memory: %s", n, recapped)
	}
	if !slices.ContainsFunc(left(v), func(l string) bool { return strings.Contains(l, "own share of the context: included when mentioned") }) {
		t.Errorf("%q", left(v))
	}
	v, err := s.Play.Prompt(s.Context(), s.Chat, "What of Aaorendan?")
	enginetest.Must(t, err)
	if !slices.ContainsFunc(v.Messages, func(m prompt.Message) bool { return strings.Contains(m.Content, "- Aaorendan sold") }) {
		t.Error("it does not come back when it is named")
	}
}
