package scenes_test

import (
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/engine/scenes"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
)

// session is a user in front of scenes and recaps.
type session struct{ *tuitest.Session }

func begin(t testing.TB, o tuitest.Options) *session {
	t.Helper()
	return &session{tuitest.Begin(t, o)}
}

// recap reads the recap of the nth scene, counted from 1.
func (s *session) recap(n int) scenes.RecapView {
	s.T().Helper()
	v, err := s.Engine.Scenes.SceneRecap(s.Chat().Chat.ID, s.Scenes()[n-1].Break)
	s.Must(err)
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

func (g *gate) fault(c demo.Call) demo.Fault {
	if !g.shut.Load() || !strings.Contains(string(c.Format), "current_situation") {
		return demo.Fault{}
	}
	return demo.Fault{Kind: demo.Wait, After: g.after, Until: g.open}
}

func (g *gate) lift() {
	g.shut.Store(false)
	close(g.open)
}

// told reports the text of a recap so far, as the engine does.
func (s *session) told(text string, tokens int) {
	s.T().Helper()
	var ev queue.Progressed
	s.Until("a recap that is being made", func() bool {
		s.In(func(v *tui.Screen) {
			for _, j := range v.Host().Work().Running() {
				if j.Progress.Tokens == 0 {
					continue // the engine has not reported its first token yet
				}
				ev = queue.Progressed{ID: j.Op.ID, Type: j.Op.Type, Chat: j.Chat, Node: j.Node, Progress: queue.Progress{Text: text, Tokens: tokens}}
			}
		})
		return ev.ID != ""
	})
	s.In(func(v *tui.Screen) { v.Start(v.Event(ev)) })
}

func TestGolden_Recap(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true)})
	s.See("blue boat").Press("ctrl+r").See("Recap · 2", "Current Situation").Golden("recap").GoldenStyled("recap")
	s.Press("r").See("v2/2").Still().Golden("recap-versions")
	s.Press("D").See("Changes").Golden("recap-diff").GoldenStyled("recap-diff")
	s.Press("esc").NotSee("Changes").Press("v").See("side by side needs", "Changes").Press("esc")
	s.Size(200, 60)
	s.Press("v").See("Side by side").Golden("recap-beside", tuitest.Size{W: 200, H: 60}, tuitest.Size{W: 120, H: 40})
	s.Press("esc").NotSee("Side by side").Do("recap-exam").See("recalled").Silent().Do("recap-exam").See("from recap").Golden("recap-exam")
	s.Press("esc").NotSee("from recap").Press("s").See("New version").Golden("recap-style")
	s.Press("esc").NotSee("New version").Press("e").See("Edit the recap").Golden("recap-edit")
	s.Press("esc").NotSee("Edit the recap").Press("tab").See("Running recap · v3", "Key Developments").Golden("recap-running")
}

func TestGolden_RecapMissing(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.See("blue boat").Press("ctrl+r").See("has no recap yet").Golden("recap-none")
	s.Press("alt+r").See("No running recap yet").Golden("recap-no-running")
	s.Press("alt+r", "esc").See("BROWSE").Press("ctrl+r").See("belongs to the open scene").Golden("recap-open")
}

func TestGolden_RecapStreaming(t *testing.T) {
	t.Parallel()
	g := newGate(1)
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false), Servers: demo.Options{Fault: g.fault}})
	s.See("blue boat").Press("ctrl+r").See("has no recap yet").Press("r").See("‹v1…›  generating · ", "reading the scene")
	s.told("## Current Situation\n\n- Tove *hides* in the lighthouse.\n\n## Key Developments\n\n- Robin read the **note** alo", 41)
	s.See("41 tokens", "note alo").Golden("recap-streaming").GoldenStyled("recap-streaming")
	s.Press("x").See("cancelled").Still().See("has no recap yet")
	g.lift()
}

func TestGolden_RecapPaused(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, false)})
	s.See("blue boat").In(func(v *tui.Screen) { s.Engine.Queue.Pause() })
	s.Press("ctrl+r").See("has no recap yet").Press("r").See("The queue is paused").Golden("recap-paused", tuitest.Size{W: 80, H: 24})
	s.Press("x").See("cancelled", "has no recap yet")
}

// A recap says in how many parts it was read, and which messages they are; how the open
// scene began is shown in place of a recap, and goes with the scene.
func TestGolden_RecapParts(t *testing.T) {
	t.Parallel()
	s := begin(t, tuitest.Options{Prepare: tuitest.WithStory(t, tuitest.Harbour, true), Config: withoutAutoRecap})
	s.See("blue boat")
	chat, list := s.Chat().Chat.ID, s.Scenes()
	s.Must(s.Engine.Core().Store.Update(func(tx *storage.Tx) error {
		b, err := storage.Breaks.Get(tx, chat, list[1].Break)
		if err != nil {
			return err
		}
		r, err := storage.Recaps.Get(tx, chat, b.Recap())
		if err != nil {
			return err
		}
		r.Parts, r.PartEnds, r.Shortened = 2, []storage.NodeID{list[1].First, list[1].Last}, 1
		if err := storage.Recaps.Put(tx, chat, r); err != nil {
			return err
		}
		open := list[len(list)-1]
		at, err := tx.NodeInfo(chat, open.Last)
		if err != nil {
			return err
		}
		soFar := struct {
			storage.Recap
			After storage.NodeID `json:"after"`
			Depth int            `json:"depth"`
		}{storage.Recap{ID: "01INTERIM", Kind: storage.InterimRecap, Node: at.ID, Parts: 2, PartEnds: []storage.NodeID{open.First, open.Last}, CreatedAt: r.CreatedAt, Model: r.Model,
			Text:    "## Current Situation\n\n- Robin and Tove sit in the blue boat, off the breakwater.\n\n## Key Developments\n\n- Tove has told Robin who lit the lamp.",
			Sources: []storage.Source{{Bullet: "Robin and Tove sit in the blue boat, off the breakwater.", Messages: []storage.NodeID{open.Last}}}}, list[len(list)-2].Break, at.Depth}
		data, err := json.Marshal([]any{soFar})
		if err != nil {
			return err
		}
		return tx.PutText("interim", string(chat), string(data))
	}))
	s.Press("ctrl+r").See("processed in 2 parts: messages 1, 2–").Golden("recap-parts")
	s.Press("esc", "esc").See("BROWSE").Press("ctrl+r").See("the open scene · interim", "removed when the scene ends").Golden("recap-interim")
	s.Press("e").See("an interim recap cannot be changed")
	s.Press("b").See("has no recap yet")
}
