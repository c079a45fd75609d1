package tuitest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine"
	"github.com/ghostlight-theatre/ghostlight/engine/config"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
)

// Harbour is a story in three scenes; an empty line ends one.
var Harbour = []string{
	"I come down the gangway with the satchel over my shoulder. \"Is this the harbour of Skarvik?\"",
	"*Tove lowers her lantern.* \"It is. The ferry leaves at dawn, and nobody leaves with it.\" *She points at the " +
		"broken crane.*",
	"\"I am looking for my brother Aksel,\" I say, and show her the photograph.",
	"*She looks at it for a long time.* \"He bought a compass from me on the ninth of May, and paid with a silver " +
		"ring.\"",
	"",
	"The next morning I climb the stairs of the lighthouse behind Tove.",
	"*Tove unlocks the iron door.* \"Aksel slept here for a week. He left this notebook under the lamp.\"",
	"I open the notebook and read the last page aloud: \"The cave under the north cliff.\"",
	"*Tove goes pale.* \"My mother drowned in that cave. I promised never to go there again.\"",
	"",
	"\"Then lend me your boat,\" I ask her.",
	"*She hands over the key of the blue boat.* \"Bring it back before the storm.\"",
}

// WithStory returns a function that makes a chat of the given lines; an empty line ends a scene. If
// recaps is not set, no recaps are made, not even automatic ones.
func WithStory(t testing.TB, lines []string, recaps bool) func(*engine.Engine) {
	return func(e *engine.Engine) {
		t.Helper()
		check := func(err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		var b strings.Builder
		b.WriteString(`{"user_name":"Robin","character_name":"Tove","chat_metadata":{}}` + "\n")
		ends := map[int]bool{}
		n := 0
		for _, l := range lines {
			if l == "" {
				ends[n-1] = true
				continue
			}
			name := "Robin"
			if n%2 == 1 {
				name = "Tove"
			}
			text, err := json.Marshal(l)
			check(err)
			fmt.Fprintf(&b, `{"name":%q,"is_user":%t,"send_date":"2026-01-01T10:00:00Z","mes":%s}`+"\n", name,
				n%2 == 0, text)
			n++
		}
		path := filepath.Join(t.TempDir(), "The harbour.jsonl")
		check(os.WriteFile(path, []byte(b.String()), 0o600))
		if !recaps {
			e.Core().Reconfigure(func(c *config.Config) { c.Scenes.NoRecap = true })
		}
		got, err := e.Library.Import(path)
		check(err)
		check(e.Chats.Opened(got.Chat.ID))
		v, err := e.Play.View(got.Chat.ID, 0)
		check(err)
		for i, m := range v.Messages {
			if !ends[i] {
				continue
			}
			_, err := e.Scenes.SetBreak(got.Chat.ID, m.ID, true)
			check(err)
			if recaps {
				_, err = e.Scenes.Recap(got.Chat.ID, m.ID, scenes.RecapRequest{})
				check(err)
			}
		}
		if recaps {
			_, err := e.Queue.Drain(t.Context())
			check(err)
		}
	}
}
