package pictures_test

import (
	"fmt"
	"image"
	"image/color"
	"strings"
	"testing"
	"time"

	enginepictures "github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures/capture"
	"github.com/ghostlight-theatre/ghostlight/engine/play/chats"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
	"github.com/ghostlight-theatre/ghostlight/tui"
	"github.com/ghostlight-theatre/ghostlight/tui/internal/tuitest"
	"github.com/ghostlight-theatre/ghostlight/tui/painter"
	"github.com/ghostlight-theatre/ghostlight/tui/pane"
	"github.com/ghostlight-theatre/ghostlight/tui/pictures"
)

// aStory returns a gallery with one of each kind of capture.
func aStory() []enginepictures.GalleryScene {
	day := time.Date(2024, 5, 4, 12, 0, 0, 0, time.UTC)
	n := 0
	item := func(text string, status storage.CaptureStatus) enginepictures.GalleryItem {
		n++
		seed := int64(4000 + n)
		c := storage.Capture{ID: storage.CaptureID(fmt.Sprintf("c%d", n)), Chat: "c", Kind: string(capture.Image), Status: status, ImagePrompt: text,
			NegativePrompt: "text, watermark", Seed: &seed, Workflow: "text-to-image", Width: 832, Height: 1216, CreatedAt: day.Add(time.Duration(n) * time.Minute)}
		if status == storage.CaptureCompleted {
			c.ImagePath, c.ThumbnailPath, c.GenerationTime = "captures/x.png", "captures/x_thumb.png", 83
		}
		return enginepictures.GalleryItem{Capture: c, Variant: 1, Variants: 1}
	}
	door := item("The stage door gives at the second push; the rain stays outside.", storage.CaptureCompleted)
	again := item("The stage door gives at the second push; the rain stays outside.", storage.CaptureCompleted)
	door.Variants, again.Variants, again.Variant, again.From, again.Avatar = 2, 2, 2, door.ID, true
	film := item("She comes down the ladder, a bulb between her teeth; the camera rises with her.", storage.CaptureCompleted)
	film.Kind, film.Workflow, film.ThumbnailPath = string(capture.Video), "text-to-video", ""
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
	return []enginepictures.GalleryScene{
		{Number: 1, Name: "The stage door", Captures: []enginepictures.GalleryItem{door, again, film, lost}},
		{Number: 2, Captures: []enginepictures.GalleryItem{waits, paints, writes, draft}},
		{Number: 0, Captures: []enginepictures.GalleryItem{other}},
	}
}

// picturesque returns an image with something to see in it.
func picturesque(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.SetRGBA(x, y, color.RGBA{uint8(x * 255 / w), uint8(y * 255 / h), uint8((x ^ y) & 0xff), 0xff})
		}
	}
	return img
}

// stageStory returns a screen with that gallery, its pictures and work that runs.
func stageStory(t *testing.T) (*tui.Screen, *painter.Painter, *pictures.Gallery) {
	t.Helper()
	v, p := tuitest.Still(t)
	v.OpenChat(chats.View{Chat: storage.Chat{ID: "c"}})
	g := pictures.Stage(v.Host(), "c", aStory(), []enginepictures.BatchView{
		{Batch: storage.Batch{ID: "b", By: storage.ByAngles}, Chat: "c", Total: 4, Done: 2, Painting: 1, Prompting: 1, Left: 110 * time.Second},
		{Batch: storage.Batch{ID: "d", By: storage.ByScenes}, Chat: "c", Total: 3, Drafts: 3}})
	g.Hang(picturesque(42, 64), picturesque(420, 640))
	phases := []queue.Phase{{Name: "making room", State: queue.PhaseDone, Note: "2 models unloaded"}, {Name: "asking whether they are gone", State: queue.PhaseSkipped},
		{Name: "painting", State: queue.PhaseRunning}, {Name: "freeing ComfyUI's memory", State: queue.PhasePending}, {Name: "reading the prompt again", State: queue.PhasePending}}
	v.Event(queue.Changed{Operation: storage.Operation{ID: "o", Type: pane.Paints, Status: storage.InProgress, Params: []byte(`{"capture":"c7","chat":"c"}`)}})
	v.Event(queue.Progressed{ID: "o", Type: pane.Paints, Capture: "c7", Chat: "c",
		Progress: queue.Progress{Text: "KSampler", Step: 12, Of: 20, Left: 40 * time.Second, Phases: phases}})
	return v, p, g
}

func TestGolden_Gallery(t *testing.T) {
	t.Parallel()
	v, p, g := stageStory(t)
	tuitest.GoldenFrames(t, v, p, "gallery-newest")
	for _, at := range []struct {
		id   string
		name string
	}{{"c2", "gallery"}, {"c7", "gallery-painting"}, {"c6", "gallery-draft"}} {
		g.GoTo(at.id)
		tuitest.GoldenFrames(t, v, p, at.name)
	}
	g.GoTo("c1")
	g.OpenVariants()
	tuitest.GoldenFrames(t, v, p, "gallery-variants")
}

// The batches are above the list: up from the first row goes there, down goes back.
func TestGallery_BatchesAreRows(t *testing.T) {
	t.Parallel()
	v, p := tuitest.Still(t)
	v.OpenChat(chats.View{Chat: storage.Chat{ID: "c"}})
	scenes := aStory()[:1]
	scenes[0].Captures = scenes[0].Captures[:3]
	g := pictures.Stage(v.Host(), "c", scenes, nil)
	v.Paint()
	batch := enginepictures.BatchView{Batch: storage.Batch{ID: "b", By: storage.ByAngles}, Chat: "c", Total: 4, Done: 2, Painting: 1, Prompting: 1, Left: 110 * time.Second}
	v.Event(enginepictures.BatchChanged{Batch: batch})
	v.Paint()
	if f := p.Text(); !strings.Contains(f, "angles 2/4 · generating 1 · writing 1 · 2 min left") {
		t.Errorf("the batch is not on the screen:\n%s", f)
	}
	for range 5 {
		v.Update(tuitest.KeyOf('k'))
		v.Paint()
	}
	if g.ChosenBatch() != "b" {
		t.Error("up does not lead to the batch")
	}
	if f := p.Text(); !strings.Contains(f, "x cancel all") {
		t.Errorf("its keys are not told:\n%s", f)
	}
	v.Update(tuitest.KeyOf('j'))
	if g.ChosenBatch() != "" || g.Key() != "c1" {
		t.Errorf("down leads to %s, %s", g.ChosenBatch(), g.Key())
	}
	lines := func() []string { return pictures.RoomOf(v.Host()).BatchLines() }
	batch.Done, batch.Painting, batch.Prompting = 4, 0, 0
	v.Event(enginepictures.BatchChanged{Batch: batch})
	if len(lines()) != 0 {
		t.Error("a batch that is done is still shown")
	}
	batch.ID, batch.Chat, batch.Drafts = "other", "d", 1
	if v.Event(enginepictures.BatchChanged{Batch: batch}); len(lines()) != 0 {
		t.Error("a batch of another chat is shown")
	}
}
