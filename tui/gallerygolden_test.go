package tui

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"ghostlight/engine/pictures"
	"ghostlight/engine/queue"
	"ghostlight/storage"
	"ghostlight/tui/desk"
	"ghostlight/tui/house"
	"ghostlight/tui/keys"
)

// aStory is a gallery with one of each kind of capture.
func aStory() []pictures.GalleryScene {
	day := time.Date(2024, 5, 4, 12, 0, 0, 0, time.UTC)
	n := 0
	item := func(text string, status storage.CaptureStatus) pictures.GalleryItem {
		n++
		seed := int64(4000 + n)
		c := storage.Capture{ID: storage.CaptureID(fmt.Sprintf("c%d", n)), Chat: "c", Kind: imageKind, Status: status, ImagePrompt: text,
			NegativePrompt: "text, watermark", Seed: &seed, Workflow: "text-to-image", Width: 832, Height: 1216, CreatedAt: day.Add(time.Duration(n) * time.Minute)}
		if status == storage.CaptureCompleted {
			c.ImagePath, c.ThumbnailPath, c.GenerationTime = "captures/x.png", "captures/x_thumb.png", 83
		}
		return pictures.GalleryItem{Capture: c, Variant: 1, Variants: 1}
	}
	door := item("The stage door gives at the second push; the rain stays outside.", storage.CaptureCompleted)
	again := item("The stage door gives at the second push; the rain stays outside.", storage.CaptureCompleted)
	door.Variants, again.Variants, again.Variant, again.From, again.Avatar = 2, 2, 2, door.ID, true
	film := item("She comes down the ladder, a bulb between her teeth; the camera rises with her.", storage.CaptureCompleted)
	film.Kind, film.Workflow, film.ThumbnailPath = videoKind, "text-to-video", ""
	lost := item("The empty stalls under dust sheets.", storage.CaptureFailed)
	lost.Error = "Load Checkpoint: painter_v3.safetensors is not there"
	waits := item("The letter on the red velvet, seen from above.", storage.CaptureDraft)
	waits.Waiting, waits.Error = true, "ComfyUI at http://127.0.0.1:8188 did not answer."
	draft := item("", storage.CaptureDraft)
	draft.Prompt, draft.Requested, draft.Asked = "Tove, close up, in the light of one bulb.", "a picture of Tove", true
	draft.Warnings = []string{"It says that her scarf is blue; it was green before."}
	draft.Camera, draft.Focus = storage.Camera{Shot: "close"}, []string{"Tove"}
	paints := item("Both of them in the wings, from behind.", storage.CaptureGenerating)
	writes := item("", storage.CapturePrompting)
	other := item("What might have been.", storage.CaptureCompleted)
	other.CreatedAt = day
	return []pictures.GalleryScene{
		{Number: 1, Name: "The stage door", Captures: []pictures.GalleryItem{door, again, film, lost}},
		{Number: 2, Captures: []pictures.GalleryItem{waits, paints, writes, draft}},
		{Number: 0, Captures: []pictures.GalleryItem{other}},
	}
}

// stageStory is a screen with that gallery, its pictures and work that runs.
func stageStory(t *testing.T) (*app, *gallery) {
	t.Helper()
	a, g := stageGallery(t, 80, 24, aStory())
	g.thumbs.kept = map[storage.CaptureID]*thumb{}
	for i := range g.items {
		if g.items[i].ThumbnailPath != "" {
			g.thumbs.kept[g.items[i].ID] = &thumb{img: picturesque(42, 64)}
		}
		if g.items[i].ImagePath != "" {
			hang(a, g.items[i].ID, 420, 640)
		}
	}
	stages := []queue.Stage{{Name: "making room", State: queue.StageDone, Note: "2 models unloaded"}, {Name: "asking whether they are gone", State: queue.StageSkipped},
		{Name: "painting", State: queue.StageNow}, {Name: "freeing ComfyUI's memory", State: queue.StageAhead}, {Name: "reading the prompt again", State: queue.StageAhead}}
	j := newJob(storage.Operation{ID: "o", Type: desk.Paints, Status: storage.InProgress, StartedAt: time.Now(), Params: []byte(`{"capture":"c7","chat":"c"}`)})
	j.Progress = queue.Progress{Text: "KSampler", Step: 12, Of: 20, Left: 40 * time.Second, Stages: stages}
	a.work.running = map[storage.OperationID]*job{"o": j}
	a.work.batching.open = []pictures.BatchView{
		{Batch: storage.Batch{ID: "b", By: storage.ByAngles}, Chat: "c", Total: 4, Done: 2, Painting: 1, Prompting: 1, Left: 110 * time.Second},
		{Batch: storage.Batch{ID: "d", By: storage.ByScenes}, Chat: "c", Total: 3, Drafts: 3}}
	return a, g
}

// hang puts a picture of a size where the screen finds that of a capture.
func hang(a *app, id storage.CaptureID, w, h int) { a.display.get(id).img = picturesque(w, h) }

// goldenFrames compares a screen without a session at all sizes.
func goldenFrames(t *testing.T, a *app, name string) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name+".txt")
	want := readGolden(t, path)
	var b strings.Builder
	for _, d := range allSizes {
		a.update(tea.WindowSizeMsg{Width: d.w, Height: d.h})
		a.paint()
		fmt.Fprintf(&b, "=== %d×%d\n%s", d.w, d.h, plainFrame(a.painter.Text()))
	}
	(&session{t: t}).compare(path, want, b.String())
}

func TestGolden_Gallery(t *testing.T) {
	t.Parallel()
	a, g := stageStory(t)
	goldenFrames(t, a, "gallery-newest")
	for _, at := range []struct {
		id   string
		name string
	}{{"c2", "gallery"}, {"c7", "gallery-painting"}, {"c6", "gallery-draft"}} {
		g.GoTo(at.id)
		goldenFrames(t, a, at.name)
	}
	g.GoTo("c1")
	g.openVariants(*g.current(), a)
	goldenFrames(t, a, "gallery-variants")
	a.dialogs.All = nil
	q := house.NewQueue(a, batchNews{a})
	q.Take([]storage.Operation{a.work.running["o"].Op}, nil)
	a.pane, a.paneFor = q, keys.PaneQueue
	a.mode = keys.Pane
	goldenFrames(t, a, "queue-stages")
}
