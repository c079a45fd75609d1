package play_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/play"
)

// A file of the user is a list that the settings and a chat can name. Unusable entries are reported
// with their lines, and a changed file is read again.
func TestVoice_ListsOfTheUsers(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("505 files, read by one goroutine")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, "phrases", "harbour.txt")
	write := func(path, text string) {
		enginetest.Must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		enginetest.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write(file, "# Ropes: every scene has one.\ncoil of rope\n/(unclosed/\n\n/salt(?:y)? air/\n")
	write(filepath.Join(dir, "phrases", "en.txt"), "something\n")
	write(filepath.Join(dir, "phrases", "notes.md"), "no list\n")
	m := stubborn{text: "She sits down by {}. It is late.", bad: []string{"a coil of rope"}, plain: "the door"}
	s := (&harness{enginetest.NewHarness(t, voiced(config.Voice{Sets: []string{"auto", "nothing"}}, m.write),
		func(o *enginetest.Setup) { o.Cfg.ConfigDir = dir })})
	set := func(name string) play.VoiceSwitch {
		v, err := s.Play.Voice(s.Chat)
		enginetest.Must(t, err)
		i := slices.IndexFunc(v.Sets, func(s play.VoiceSwitch) bool { return s.Name == name && s.Own })
		if i < 0 {
			t.Fatalf("there is no list %q in %+v", name, v.Sets)
		}
		return v.Sets[i]
	}
	if is := set("harbour"); is.On || is.Rules != 2 || len(is.Faults) != 1 ||
		!strings.Contains(is.Faults[0], file+":3: /(unclosed/: ") {
		t.Errorf("the list is %+v", is)
	}
	if is := set("en"); is.Rules != 0 || !strings.Contains(is.Faults[0], "is a built-in name") {
		t.Errorf("a file with a name of the program's is %+v", is)
	}
	if is := set("nothing"); len(is.Faults) != 1 || !strings.Contains(is.Faults[0], "phrases/nothing.txt") {
		t.Errorf("a list without a file is %+v", is)
	}
	for name, values := range map[string]map[string]string{"another": {"harbour": "on", "harbor": "on"},
		"a value": {"harbour": "on", "user": "loud"}, "a length": {"harbour": "on", "length": "huge"}} {
		if err := s.Play.SetVoice(s.Chat, values); err == nil || set("harbour").On {
			t.Errorf("with %s: %v", name, err)
		}
	}
	if turn := s.Say("And?"); !strings.Contains(s.Node(turn.Message).Content, "coil of rope") {
		t.Error("a list that is not switched on is looked for")
	}
	enginetest.Must(t, s.Play.SetVoice(s.Chat, map[string]string{"Harbour": "on", "length": "short"}))
	n := s.Node(s.Say("And?").Message)
	if strings.Contains(n.Content, "coil of rope") || len(n.Rejected) != 1 || n.Rejected[0].Set != "harbour" {
		t.Errorf("%q, rejected %+v", n.Content, n.Rejected)
	}
	write(file, "something else entirely\n")
	if n = s.Node(s.Say("And?").Message); !strings.Contains(n.Content, "coil of rope") {
		t.Errorf("the file has changed, and the reply is %q", n.Content)
	}
	enginetest.Must(t, os.Remove(file))
	if is := set("harbour"); !is.On || len(is.Faults) != 1 {
		t.Errorf("a list that has gone is %+v", is)
	}
	enginetest.Must(t, s.Play.SetVoice(s.Chat, map[string]string{"harbour": "default", "length": "default"}))
	if v := s.View().Chat.Voice; len(v.Sets)+len(v.Length) > 0 {
		t.Errorf("the chat keeps %+v", v)
	}
}

// A list may come from any editor: with a byte order mark, and with all kinds of line ends. Entries
// beyond the limit are reported.
func TestVoice_ListsOfAnyEditor(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	enginetest.Must(t, os.MkdirAll(filepath.Join(dir, "phrases"), 0o700))
	many := ""
	for i := range 505 {
		many += fmt.Sprintf("/word%d \\pL+ly/\n", i)
	}
	for name, text := range map[string]string{
		"windows": "\ufeff# why\r\ncoil of rope\r\n\r\nCoil  of Rope\r\nsalt air\r\n",
		"old":     "coil of rope\rsalt air\r", "many": many,
		"odd": "\xff\xfec\x00o\x00\n/\\b/\n" + strings.Repeat("x", 100_000) + "\nsalt air\n"} {
		enginetest.Must(t, os.WriteFile(filepath.Join(dir, "phrases", name+".txt"), []byte(text), 0o600))
	}
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) { o.Cfg.ConfigDir = dir })})
	v, err := s.Play.Voice(s.Chat)
	enginetest.Must(t, err)
	for name, want := range map[string][2]int{"windows": {3, 0}, "old": {2, 0}, "many": {500, 5}, "odd": {1, 3}} {
		i := slices.IndexFunc(v.Sets, func(s play.VoiceSwitch) bool { return s.Name == name })
		if i < 0 || v.Sets[i].Rules != want[0] || len(v.Sets[i].Faults) != want[1] {
			t.Errorf("%s: %d, %.300v", name, i, v.Sets)
		}
	}
}
