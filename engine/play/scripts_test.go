package play_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/formats"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/library"
	"github.com/ghostlight-theatre/ghostlight/engine/library/novel"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/play/prompt"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// scripted returns a harness with regex scripts, on which each reply ends with a tally.
func scripted(t *testing.T, scripts ...storage.RegexScript) *harness {
	t.Helper()
	s := &harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		n := 0
		o.Servers.Script = func([]storage.Node, int) string {
			n++
			return fmt.Sprintf("The lamp burns. <tally>%d boats</tally>", n)
		}
	})}
	for _, sc := range scripts {
		_, err := s.Chats.Regex.Put(sc)
		enginetest.Must(t, err)
	}
	return s
}

func onReplies(name, find, replace string) storage.RegexScript {
	return storage.RegexScript{Name: name, Find: find, Replace: replace,
		Places: []storage.RegexPlace{storage.RegexReply}}
}

func sent(t *testing.T, s *harness) (all string, v play.PromptView) {
	t.Helper()
	v, err := s.Play.Prompt(s.Context(), s.Chat, "")
	enginetest.Must(t, err)
	for _, m := range v.Messages {
		all += m.Role + ": " + m.Content + "\n"
	}
	return all, v
}

// Scripts apply to shown texts and to prompts, separately, and not to stored texts; the list of parts and
// the message name them.
func TestRegex_ShownAndSent(t *testing.T) {
	t.Parallel()
	shown := onReplies("as a list", `/<tally>(.*?)<\/tally>/g`, "<b>In port:</b> $1")
	shown.DisplayOnly = true
	told := onReplies("not told", `/\s*<tally>.*?<\/tally>/g`, "")
	told.PromptOnly = true
	s := scripted(t, shown, told)
	s.Say("Wait.")
	last := s.Last()
	if last.Content != "The lamp burns. <tally>1 boats</tally>" ||
		last.Text() != "The lamp burns. **In port:** 1 boats" || fmt.Sprint(last.Shown.By) != "[as a list]" {
		t.Errorf("%q is shown as %q, %+v", last.Content, last.Text(), last.Shown)
	}
	s.Say("Again.")
	all, v := sent(t, s)
	if strings.Contains(all, "tally") || strings.Count(all, "The lamp burns.") != 2 {
		t.Errorf("sent: %s", all)
	}
	named := false
	for _, p := range v.Parts {
		named = named || p.Layer == prompt.LayerRegex && strings.Contains(p.Source, "not told") &&
			strings.Contains(p.Reason, "changed 2 messages") && strings.Contains(p.Reason, string(last.ID))
	}
	if !named || len(v.Warnings) > 0 {
		t.Errorf("the ledger does not say so: %+v, %q", v.Parts, v.Warnings)
	}
	for _, n := range s.Nodes() {
		if n.Role == storage.Assistant && n.Depth > 0 && !strings.Contains(n.Content, "<tally>") {
			t.Errorf("stored: %q", n.Content)
		}
	}
	var read bytes.Buffer // an exported book has the shown text
	_, err := s.Library.WriteStory(s.Context(), s.Chat, novel.Text, library.StoryOptions{}, &read)
	enginetest.Must(t, err)
	if text := read.String(); strings.Contains(text, "tally") || !strings.Contains(text, "In port:** 2 boats") {
		t.Errorf("exported: %s", text)
	}
	// The prompts that were sent begin alike.
	calls := s.Asked()
	if a, b := enginetest.Flat(calls[0]), enginetest.Flat(calls[1]); !strings.Contains(b, "The lamp burns.") ||
		strings.Contains(b, "tally") || enginetest.Common(a, b) < len(a)-40 {
		t.Errorf("the second prompt shares %d of %d bytes:\n%s", enginetest.Common(a, b), len(a), b)
	}
}

// A script with a window applies to each message by its current depth, and its cost is reported.
func TestRegex_Depths(t *testing.T) {
	t.Parallel()
	two := 2
	old := onReplies("old ones", `/\s*<tally>.*?<\/tally>/g`, "")
	old.DisplayOnly, old.PromptOnly, old.MinDepth = true, true, &two
	s := scripted(t, old)
	s.Say("Wait.")
	s.Say("Again.")
	v := s.View()
	var texts []string
	for _, m := range v.Messages {
		if m.Role == storage.Assistant && m.Depth > 0 {
			texts = append(texts, m.Text())
		}
	}
	if v.Windowed == 0 || texts[0] != "The lamp burns." || !strings.Contains(texts[1], "2 boats") {
		t.Errorf("windowed %d: %q", v.Windowed, texts)
	}
	all, p := sent(t, s)
	if strings.Contains(all, "1 boats") || !strings.Contains(all, "2 boats") ||
		!strings.Contains(strings.Join(p.Warnings, "\n"), `"old ones" changes prompts from turn to turn`) {
		t.Errorf("sent: %s\n%q", all, p.Warnings)
	}
}

// A script that takes too long is reported, and the turn continues.
func TestRegex_CutOff(t *testing.T) {
	t.Parallel()
	s := scripted(t, onReplies("greedy", `/(\w+\s?)+:$/`, "x"), onReplies("quick", "/lamp/g", "light"))
	_, err := s.Chats.Regex.Put(storage.RegexScript{Name: "greedy too", Find: `/(\w+\s?)+:$/g`, Replace: "x",
		Places: []storage.RegexPlace{storage.RegexUser}})
	enginetest.Must(t, err)
	s.Say(strings.Repeat("word ", 40) + "!")
	if text := s.Last().Text(); !strings.Contains(text, "light") {
		t.Errorf("shown: %q", text)
	}
	enginetest.Until(s.Harness, func(n event.Notice) bool {
		return strings.Contains(n.Text, `"greedy too": the regex was stopped`)
	})
	all, v := sent(t, s)
	if !strings.Contains(all, "word word") ||
		!strings.Contains(strings.Join(v.Warnings, "\n"), `"greedy too": the regex was stopped`) {
		t.Errorf("%q", v.Warnings)
	}
}

// Scripts of a card run once they are allowed, until they change; the card keeps them.
func TestRegex_OfCards(t *testing.T) {
	t.Parallel()
	s := &harness{enginetest.NewHarness(t)}
	data, err := os.ReadFile("../formats/testdata/regex/card.json")
	enginetest.Must(t, err)
	file := filepath.Join(t.TempDir(), "card.json")
	enginetest.Must(t, os.WriteFile(file, data, 0o600))
	got, err := s.Library.ImportCharacter(file)
	enginetest.Must(t, err)
	if !strings.Contains(strings.Join(got.Warnings, "\n"), "2 regex scripts") {
		t.Errorf("the import does not say so: %q", got.Warnings)
	}
	c, err := s.Chats.New(got.Character.ID, "")
	enginetest.Must(t, err)
	text := func() string {
		v, err := s.Play.View(c.ID, 0)
		enginetest.Must(t, err)
		return v.Messages[0].Text()
	}
	if text() != "Papers? <tally>2 boats</tally>" {
		t.Errorf("not asked for: %q", text())
	}
	n, err := s.Chats.Regex.Allow(got.Character.ID, true)
	if err != nil || n != 2 || text() != "Papers?\n**In port:** 2 boats" {
		t.Errorf("%d %v: %q", n, err, text())
	}
	list, err := s.Chats.Regex.List(c.ID)
	enginetest.Must(t, err)
	if len(list) != 2 || !list[0].On || list[0].Of != "Harbour Master" {
		t.Fatalf("%+v", list)
	}
	v, err := s.Chats.Regex.Find("harbour master/1")
	enginetest.Must(t, err)
	enginetest.Must(t, s.Chats.Regex.Switch(v, false))
	if text() != "Papers? <tally>2 boats</tally>" {
		t.Errorf("switched off: %q", text())
	}
	enginetest.Must(t, s.Chats.Regex.Switch(v, true))
	if text() != "Papers?\n**In port:** 2 boats" {
		t.Errorf("switched on: %q", text())
	}
	if _, err := s.Chats.Regex.Delete(v); err == nil {
		t.Error("a card's script was deleted")
	}

	out, err := formats.WriteCardV2JSON(got.Character)
	enginetest.Must(t, err)
	var a, b map[string]any
	enginetest.Must(t, json.Unmarshal(out, &a))
	enginetest.Must(t, json.Unmarshal(data, &b))
	scripts := func(m map[string]any) []byte {
		raw, _ := json.Marshal(m["data"].(map[string]any)["extensions"].(map[string]any)["regex_scripts"])
		return raw
	}
	if !bytes.Equal(scripts(a), scripts(b)) {
		t.Errorf("the card has other scripts: %s", scripts(a))
	}
}

// Stored text changes only if the user says so, and that can be undone.
func TestRegex_Applied(t *testing.T) {
	t.Parallel()
	s := scripted(t, onReplies("no tallies", `/\s*<tally>.*?<\/tally>/g`, ""))
	s.Say("Wait.")
	s.Say("Again.")
	v, err := s.Chats.Regex.Find("no tallies")
	enginetest.Must(t, err)
	if n, err := s.Chats.ApplyRegex(s.Chat, v, 1); n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	if n, err := s.Chats.ApplyRegex(s.Chat, v, 0); n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	count := func() (n int) {
		for _, m := range s.Nodes() {
			n += strings.Count(m.Content, "<tally>")
		}
		return n
	}
	if count() != 0 {
		t.Errorf("%d are left", count())
	}
	for range 2 {
		enginetest.Must(t, s.Chats.Undo(s.Chat))
	}
	if count() != 2 {
		t.Errorf("%d are back", count())
	}
	all, err := s.Chats.Regex.Export(v)
	enginetest.Must(t, err)
	file := filepath.Join(t.TempDir(), "again.json")
	enginetest.Must(t, os.WriteFile(file, all, 0o600))
	if got, err := s.Chats.Regex.Import(file); err != nil || got.Here != 1 || len(got.Scripts) != 0 {
		t.Errorf("%+v %v", got, err)
	}
	if trial, err := s.Chats.Regex.Try(v.RegexScript, "a <tally>b</tally>", ""); err != nil || trial.Sent != "a" ||
		!trial.Changed {
		t.Errorf("%+v %v", trial, err)
	}
}

// Scripts run in their order, which can be changed.
func TestRegex_Order(t *testing.T) {
	t.Parallel()
	s := scripted(t, onReplies("a", "/lamp/g", "light"), onReplies("b", "/light/g", "glow"))
	s.Say("Wait.")
	if text := s.Last().Text(); !strings.Contains(text, "The glow burns") {
		t.Errorf("%q", text)
	}
	v, err := s.Chats.Regex.Find("b")
	enginetest.Must(t, err)
	enginetest.Must(t, s.Chats.Regex.Move(v, 0))
	if text := s.Last().Text(); !strings.Contains(text, "The light burns") {
		t.Errorf("%q", text)
	}
	enginetest.Until(s.Harness, func(chats.RegexChanged) bool { return true })
	if _, err := s.Chats.Regex.Put(onReplies("c", "(", "")); err == nil || !strings.Contains(err.Error(), "not valid") {
		t.Errorf("%v", err)
	}
}
