package tuitest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// Rich is a reply with every element of prose.
const Rich = "*She taps the call board.* \"Read it aloud,\" she says, `quietly`, and ~~not~~ **now**.\n\n" +
	"## The night's list\n\n- the keys, with a long remark about where they hang, which has to be wrapped " +
	"somewhere\n- the lamp\n  1. the wick\n  2. the glass\n\n> Whoever comes in last puts out the light.\n\n" +
	"| When | What |\n|---|---|\n| ten | doors |\n| midnight | the **ghost** light |\n\n" +
	"```go\nfunc light() bool { return true }\n```\n\n*He's* here. \"'Tis late,\" says Tove — 你好, café, 👍🏽."

// Always returns a script with one reply.
func Always(reply string) demo.Script {
	return func([]storage.Node, int) string { return reply }
}

// OnChat limits a fault to replies; other requests work.
func OnChat(kind demo.FaultKind, after int) func(demo.Call) demo.Fault {
	return func(c demo.Call) demo.Fault {
		if c.Path != "/api/chat" || len(c.Format) > 0 || c.Reads() {
			return demo.Fault{}
		}
		return demo.Fault{Kind: kind, After: after}
	}
}

// LongChat makes a chat of n messages; every 150th contains a needle.
func LongChat(t testing.TB, e *engine.Engine, n int) storage.ChatID {
	t.Helper()
	path := filepath.Join(t.TempDir(), "Tove - long.jsonl")
	var b strings.Builder
	b.WriteString(`{"user_name":"Robin","character_name":"Tove","create_date":"2026-01-01T00:00:00Z"}` + "\n")
	for i := range n {
		word := "word"
		if i%150 == 0 && i > 0 {
			word = "The needle " + strconv.Itoa(i) + " is in this one:"
		}
		b.WriteString(`{"name":"` + []string{"Tove", "Robin"}[i%2] + `","is_user":` + []string{"false", "true"}[i%2] +
			`,"send_date":"2026-01-01T00:00:00Z","mes":"` + word + ` *a gesture* and \"speech\" in line ` +
			strconv.Itoa(i) + ` of the long evening, which goes on for a while."}` + "\n")
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := e.Library.ImportChat(path, "")
	if err == nil {
		err = e.Chats.Opened(got.Chat.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	return got.Chat.ID
}
