package settings_test

import (
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/keys"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/settings"
)

// batches are some that are not done.
type batches []string

func (b batches) BatchLines() []string { return b }
func (batches) ReadBatches() tea.Cmd   { return nil }

// Above the list of operations stand the batches and the phases of what runs.
func TestGolden_QueuePhases(t *testing.T) {
	t.Parallel()
	v, p := tuitest.Still(t)
	v.OpenChat(chats.View{Chat: storage.Chat{ID: "c"}})
	op := storage.Operation{ID: "o", Type: pane.Paints, Status: storage.InProgress, StartedAt: time.Now(), Params: []byte(`{"capture":"c7","chat":"c"}`)}
	phases := []queue.Phase{{Name: "making room", State: queue.PhaseDone, Note: "2 models unloaded"}, {Name: "asking whether they are gone", State: queue.PhaseSkipped},
		{Name: "painting", State: queue.PhaseRunning}, {Name: "freeing ComfyUI's memory", State: queue.PhasePending}, {Name: "reading the prompt again", State: queue.PhasePending}}
	v.Event(queue.Changed{Operation: op})
	v.Event(queue.Progressed{ID: "o", Type: pane.Paints, Capture: "c7", Chat: "c",
		Progress: queue.Progress{Text: "KSampler", Step: 12, Of: 20, Left: 40 * time.Second, Phases: phases}})
	q := settings.NewQueue(v.Host(), batches{"angles 2/4 · generating 1 · writing 1 · 2 min left", "scenes 0/3 · 3 drafts"})
	v.Host().Panes().Show(keys.PaneQueue, q)
	q.Take([]storage.Operation{op})
	tuitest.GoldenFrames(t, v, p, "queue-phases")
}
