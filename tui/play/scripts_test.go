package play_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
)

func TestScripts_Pane(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "quotes.json")
	if err := os.WriteFile(file,
		[]byte(
			`{"scriptName": "No tallies", "findRegex": "/\\s*<tally>.*?<\\/tally>/g", "replaceString": "", `+
				`"placement": [2], "markdownOnly": true, "promptOnly": true, "minDepth": 2}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s := begin(t, tuitest.Options{Prepare: tuitest.WithChat(t),
		Servers: demo.Options{Script: func([]storage.Node, int) string {
			return "The lamp burns. <tally>2 boats</tally>"
		}}})
	s.Size(150, 40)
	s.See("‹1/3›").Say("Wait.")
	s.See("<tally>2 boats</tally>")
	s.In(func(v *tui.Screen) { v.Start(v.Host().Run(keys.PaneRegex)) })
	s.See("Regex scripts", "No regex scripts yet").Golden("scripts-none")
	s.Size(150, 40)

	// A script is written in a form, tested there, and applies immediately to what is shown.
	s.Press("n").See("New regex script").TypeText("Tallies").Press("tab").TypeText(`/<tally>(.*?)<\/tally>/g`).Press(
		"tab").TypeText("<b>[$1]</b>").Golden("scripts-form")
	s.Size(150, 40)
	s.Press("ctrl+r").See("Try Tallies").Press("esc")
	s.Press("ctrl+s").See("is active").See("[2 boats]").NotSee("<tally>2")
	s.Golden("scripts").GoldenStyled("scripts")
	s.Size(150, 40)
	run := func(act keys.Name) { s.In(func(v *tui.Screen) { v.Start(v.Host().Run(act)) }) }
	run("regex-try")
	s.See("Try Tallies").Press("ctrl+s").See("Tallies result", "Sent:", "<b>[2 boats]</b>").Press("esc")
	s.Press("O").See("is off").See("<tally>2 boats</tally>").Press("u").See("undone").NotSee("<tally>2")

	// An imported one comes after it, and can be moved to the front.
	s.Must(func() error { _, err := s.Engine.Chats.Regex.Import(file); return err }())
	s.See("No tallies").Press("G").See("changes prompts").Press("alt+up").See("acts sooner")
	s.Until("it is first", func() bool {
		list, err := s.Engine.Chats.Regex.List("")
		return err == nil && list[0].Name == "No tallies"
	})
	s.Press("d").See("is deleted").Press("u").See("undone")
	s.Until("it is back", func() bool {
		list, err := s.Engine.Chats.Regex.List("")
		return err == nil && len(list) == 2
	})

	// What is stored changes when that is wanted, and can be had back.
	s.Press("G")
	run("regex-apply")
	s.See("Rewrite stored messages").Press("y").See("1 message rewritten")
	_, msgs, err := s.Engine.Chats.Path(s.Chat().Chat.ID, 1)
	s.Must(err)
	if !strings.Contains(msgs[0].Content, "<b>[2 boats]</b>") {
		t.Errorf("stored: %q", msgs[0].Content)
	}
}
