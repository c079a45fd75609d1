package tui

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"ghostlight/engine"
	"ghostlight/engine/house"
	"ghostlight/engine/queue"
	"ghostlight/engine/rehearsal"
	"ghostlight/engine/scenes"
	"ghostlight/storage"
)

// harbour is a play in three scenes; an empty line ends one.
var harbour = []string{
	"I come down the gangway with the satchel over my shoulder. \"Is this the harbour of Skarvik?\"",
	"*Tove lowers her lantern.* \"It is. The ferry leaves at dawn, and nobody leaves with it.\" *She points at the broken crane.*",
	"\"I am looking for my brother Aksel,\" I say, and show her the photograph.",
	"*She looks at it for a long time.* \"He bought a compass from me on the ninth of May, and paid with a silver ring.\"",
	"",
	"The next morning I climb the stairs of the lighthouse behind Tove.",
	"*Tove unlocks the iron door.* \"Aksel slept here for a week. He left this notebook under the lamp.\"",
	"I open the notebook and read the last page aloud: \"The cave under the north cliff.\"",
	"*Tove goes pale.* \"My mother drowned in that cave. I promised never to go there again.\"",
	"",
	"\"Then lend me your boat,\" I ask her.",
	"*She hands over the key of the blue boat.* \"Bring it back before the storm.\"",
}

// withStory makes a chat of told lines, with a scene's end at each empty one.
// Recaps of the scenes are made where asked.
func withStory(t testing.TB, lines []string, recaps bool) func(*engine.Engine) {
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
			fmt.Fprintf(&b, `{"name":%q,"is_user":%t,"send_date":"2026-01-01T10:00:00Z","mes":%s}`+"\n", name, n%2 == 0, text)
			n++
		}
		path := filepath.Join(t.TempDir(), "The harbour.jsonl")
		check(os.WriteFile(path, []byte(b.String()), 0o600))
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
			_, err := e.House.QueueDrain(t.Context())
			check(err)
		}
	}
}

func engineVersion(text string, sources ...storage.Source) scenes.RecapVersion {
	return scenes.RecapVersion{Recap: storage.Recap{ID: "v", Text: text, Sources: sources}}
}

// scenes are the scenes of the open chat.
func (s *session) scenes() []scenes.Scene {
	s.t.Helper()
	v, err := s.eng.Scenes.List(s.chat().Chat.ID)
	s.must(err)
	return v.List
}

// recap reads the recap of the nth scene, counted from 1.
func (s *session) recap(n int) scenes.RecapView {
	s.t.Helper()
	v, err := s.eng.Scenes.SceneRecap(s.chat().Chat.ID, s.scenes()[n-1].Break)
	s.must(err)
	return v
}

// gate holds up every answer to a request for a scene's recap, from the given
// token on, until it is opened.
type gate struct {
	after int
	open  chan struct{}
	shut  atomic.Bool
}

func newGate(after int) *gate {
	g := &gate{after: after, open: make(chan struct{})}
	g.shut.Store(true)
	return g
}

func (g *gate) fault(c rehearsal.Call) rehearsal.Fault {
	if !g.shut.Load() || !strings.Contains(string(c.Format), "current_situation") {
		return rehearsal.Fault{}
	}
	return rehearsal.Fault{Kind: rehearsal.Wait, After: g.after, Until: g.open}
}

func (g *gate) lift() {
	g.shut.Store(false)
	close(g.open)
}

// told reports what was written of a recap so far, as the engine does.
func (s *session) told(text string, tokens int) {
	s.t.Helper()
	var ev house.OperationProgress
	s.until("a recap that is being made", func() bool {
		s.in(func(a *app) {
			for id, j := range a.work.running {
				if j.Progress.Tokens == 0 {
					continue // the engine has yet to tell of its first token
				}
				ev = house.OperationProgress{ID: id, Type: j.Op.Type, Chat: j.Chat, Node: j.Node, Progress: queue.Progress{Text: text, Tokens: tokens}}
			}
		})
		return ev.ID != ""
	})
	s.prog.Send(eventMsg{ev})
}

// hush takes the notice away, so that a frame does not depend on when it goes.
func (s *session) hush() *session {
	s.t.Helper()
	s.in(func(a *app) { a.notice.text = "" })
	return s
}

func TestGolden_Recap(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, true)})
	s.see("blue boat").press("ctrl+r").see("Recap · 2", "Current Situation").golden("recap").goldenStyled("recap")
	s.press("R").see("v2/2").still().golden("recap-versions")
	s.press("D").see("What changed").golden("recap-diff").goldenStyled("recap-diff")
	s.press("esc").notSee("What changed").press("v").see("side by side needs", "What changed").press("esc")
	s.size(200, 60)
	s.press("v").see("Side by side").golden("recap-beside", dims{200, 60}, dims{120, 40})
	s.press("esc").notSee("Side by side").press("q").see("remembered").hush().press("q").see("from memory").golden("recap-exam")
	s.press("esc").notSee("from memory").press("s").see("Another version").golden("recap-style")
	s.press("esc").notSee("Another version").press("e").see("Edit the recap").golden("recap-edit")
	s.press("esc").notSee("Edit the recap").press("t").see("Running recap · v3", "Key Developments").golden("recap-running")
}

func TestGolden_RecapMissing(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").press("ctrl+r").see("has no recap yet").golden("recap-none")
	s.press("alt+r").see("no running recap yet").golden("recap-no-running")
	s.press("alt+r", "esc").see("BROWSE").press("ctrl+r").see("still being played").golden("recap-open")
}

func TestGolden_RecapStreaming(t *testing.T) {
	t.Parallel()
	g := newGate(1)
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false), house: rehearsal.Options{Fault: g.fault}})
	s.see("blue boat").press("ctrl+r").see("has no recap yet").press("r").see("‹v1…›  making · ", "reading the scene")
	s.told("## Current Situation\n\n- Tove *hides* in the lighthouse.\n\n## Key Developments\n\n- Robin read the **note** alo", 41)
	s.see("41 tokens", "note alo").golden("recap-streaming").goldenStyled("recap-streaming")
	s.press("x").see("cancelled").still().see("has no recap yet")
	g.lift()
}

func TestGolden_RecapPaused(t *testing.T) {
	t.Parallel()
	s := begin(t, stageOptions{prepare: withStory(t, harbour, false)})
	s.see("blue boat").in(func(a *app) { a.eng.House.QueuePause(true) })
	s.press("ctrl+r").see("has no recap yet").press("r").see("the queue is paused").golden("recap-paused", dims{80, 24})
	s.press("x").see("cancelled", "has no recap yet")
}
