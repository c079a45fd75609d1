package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif"  // formats that workflows save
	_ "image/jpeg" // likewise
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/image/draw"
	_ "golang.org/x/image/webp" // likewise

	"ghostlight/engine/capture"
	"ghostlight/engine/comfy"
	"ghostlight/engine/queue"
	"ghostlight/storage"
)

// Bounds of pictures: the largest that is decoded, and a thumbnail's longer
// side, in pixels.
const (
	mostPixels    = 64 << 20
	thumbnailSide = 640
)

// errNoWorkflow says that a capture names a workflow that is not there.
var errNoWorkflow = errors.New("there is no such workflow")

// Workflows lists the workflows, and what is wrong with the user's own files.
func (e *Engine) Workflows() ([]comfy.Workflow, []error) {
	dir := ""
	if e.cfg.ConfigDir != "" {
		dir = filepath.Join(e.cfg.ConfigDir, "workflows")
	}
	return comfy.LoadWorkflows(dir)
}

// workflow finds a workflow by its name; "" is the first one of a kind.
func (e *Engine) workflow(name, kind string) (comfy.Workflow, error) {
	list, faults := e.Workflows()
	for _, w := range list {
		if w.Name == name || name == "" && string(w.Inspect().Kind) == kind {
			return w, w.Check()
		}
	}
	var wrong *comfy.EditorFormatError
	for _, f := range faults {
		if errors.As(f, &wrong) && wrong.Name == name {
			return comfy.Workflow{}, f
		}
		var bad *comfy.WorkflowError
		if errors.As(f, &bad) && bad.Name == name {
			return comfy.Workflow{}, f
		}
	}
	return comfy.Workflow{}, fmt.Errorf("%w: %q is not among the workflows", errNoWorkflow, name)
}

// runCaptureSend has a picture painted and keeps it: the file, its thumbnail,
// then the message, so that no message is ever without its file.
func (e *Engine) runCaptureSend(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	eff, err := e.paint(ctx, op, report)
	if errors.Is(err, comfy.ErrUnreachable) && ctx.Err() == nil {
		e.backToDraft(paramsOf(op).Capture, err)
	}
	return eff, err
}

// backToDraft keeps a capture for later whose server was not there.
func (e *Engine) backToDraft(id storage.CaptureID, why error) {
	err := e.store.Update(func(tx *storage.Tx) error {
		c, err := storage.Captures.Get(tx, id)
		if err != nil || c.Status != storage.CaptureGenerating {
			return err
		}
		c.Status, c.Error, c.UpdatedAt = storage.CaptureDraft, Words(why), e.cfg.Now()
		return storage.Captures.Put(tx, id, c)
	})
	if err != nil {
		e.log.Warn("keeping a capture as a draft failed", "capture", id, "err", err)
	}
}

// paint does the work of runCaptureSend.
func (e *Engine) paint(ctx context.Context, op storage.Operation, report func(queue.Progress)) (queue.Effect, error) {
	c, err := e.preparePicture(paramsOf(op))
	if err != nil {
		return queue.Effect{}, err
	}
	flow, err := e.workflow(c.Workflow, c.Kind)
	if err != nil {
		return queue.Effect{}, err
	}
	server := e.leastBusy(ctx)
	v := comfy.Values{Prompt: c.FinalPrompt, Negative: c.NegativePrompt, Seed: *c.Seed, Width: c.Width, Height: c.Height, Trigger: e.triggerOf(c)}
	if err := server.Equip(ctx, flow, &v); err != nil {
		return queue.Effect{}, err
	}
	graph, err := flow.Fill(v)
	if err != nil {
		return queue.Effect{}, err
	}
	e.makeRoom(ctx, report)
	began := e.cfg.Now()
	out, err := server.Run(ctx, comfy.Job{Graph: graph, Video: c.Kind == string(capture.Video), Timeout: e.cfg.CaptureTimeout}, func(p comfy.Progress) {
		report(progressWords(p))
	})
	if err != nil {
		return queue.Effect{}, err
	}
	if e.cfg.VRAM.FreeComfy {
		if err := server.Free(ctx); err != nil {
			e.log.Warn("ComfyUI did not free its memory", "err", err)
		}
	}
	c.GenerationTime = e.cfg.Now().Sub(began).Seconds()
	c.Warnings = append(c.Warnings, out.Warnings...)
	err = e.keepPicture(&c, out)
	if err = errors.Join(err, ctx.Err()); err != nil {
		e.removeFiles(c.ID)
		return queue.Effect{}, err
	}
	return queue.Effect{Result: map[string]any{"image_path": c.ImagePath, "seed": *c.Seed}, Apply: e.hang(c)}, nil
}

// preparePicture settles what will be sent, and stores it before it is sent:
// the seed, and the prompt with the trigger word.
func (e *Engine) preparePicture(p captureParams) (c storage.Capture, err error) {
	err = e.store.Update(func(tx *storage.Tx) error {
		if c, err = storage.Captures.Get(tx, p.Capture); err != nil || c.Status == storage.CaptureCompleted {
			return queue.ErrDiscard
		}
		if c.Seed == nil {
			seed := comfy.RandomSeed()
			c.Seed = &seed
		}
		chat, err := storage.Chats.Get(tx, c.Chat)
		if err != nil {
			return queue.ErrDiscard
		}
		who, _ := e.cast(tx, chat)
		c.FinalPrompt = capture.WithTrigger(c.ImagePrompt, who.Imagery.TriggerWord)
		return storage.Captures.Put(tx, c.ID, c)
	})
	return c, err
}

func (e *Engine) triggerOf(c storage.Capture) (word string) {
	_ = e.store.View(func(tx *storage.Tx) error {
		if chat, err := storage.Chats.Get(tx, c.Chat); err == nil {
			who, _ := e.cast(tx, chat)
			word = who.Imagery.TriggerWord
		}
		return nil
	})
	return word
}

func progressWords(p comfy.Progress) queue.Progress {
	out := queue.Progress{Step: p.Step, Of: p.Of, Preview: p.Preview, Text: p.NodeTitle}
	if p.Queue > 0 {
		out.Text = fmt.Sprintf("%d ahead in ComfyUI's queue", p.Queue)
	}
	return out
}

// makeRoom has Ollama give its memory back, so that ComfyUI can have it.
func (e *Engine) makeRoom(ctx context.Context, report func(queue.Progress)) {
	if e.cfg.VRAM.KeepOllama {
		return
	}
	report(queue.Progress{Text: "unloading the language model"})
	release, err := e.queue.Hold(ctx, laneOllama)
	if err != nil {
		return
	}
	defer release()
	e.stopWarm()
	e.quiet(ctx)
	if _, err := e.ollama.UnloadAll(ctx); err != nil {
		e.log.Info("models were not unloaded", "err", err)
	}
}

// quiet waits until no reply is being written.
func (e *Engine) quiet(ctx context.Context) {
	for {
		var running *liveTurn
		e.mu.Lock()
		for _, running = range e.turns {
			break
		}
		e.mu.Unlock()
		if running == nil {
			return
		}
		select {
		case <-running.done:
		case <-ctx.Done():
			return
		}
	}
}

// leastBusy is the ComfyUI server with the shortest queue; the first where none
// answers, so that its error is told.
func (e *Engine) leastBusy(ctx context.Context) *comfy.Client {
	best, least := e.comfy[0], -1
	if len(e.comfy) == 1 {
		return best
	}
	for _, c := range e.comfy {
		ask, cancel := context.WithTimeout(ctx, 3*time.Second)
		running, pending, err := c.Queue(ask)
		cancel()
		if err == nil && (least < 0 || running+pending < least) {
			best, least = c, running+pending
		}
	}
	return best
}

// keepPicture writes a picture and its thumbnail, named after the capture: when
// the work is cut off and done again, nothing of the first try is left over.
func (e *Engine) keepPicture(c *storage.Capture, out comfy.Output) error {
	id := string(c.ID)
	data, ext := out.Data, out.Format
	var img image.Image
	switch ext {
	case "png", "jpeg", "webp", "gif":
		decoded, err := decodePicture(data)
		if err != nil {
			return fail("keep picture", err)
		}
		img = decoded
		if ext != "png" && ext != "gif" {
			var b bytes.Buffer
			if err := png.Encode(&b, img); err != nil {
				return fail("keep picture", err)
			}
			data, ext = b.Bytes(), "png"
		}
	}
	c.ImageID, c.ImagePath = id, filepath.Join("captures", id+"."+ext)
	if err := e.writeFile(c.ImagePath, data); err != nil {
		return err
	}
	if img == nil {
		return nil
	}
	var b bytes.Buffer
	if err := png.Encode(&b, thumbnail(img)); err != nil {
		return fail("keep picture", err)
	}
	c.ThumbnailPath = filepath.Join("captures", id+"_thumb.png")
	return e.writeFile(c.ThumbnailPath, b.Bytes())
}

func decodePicture(data []byte) (image.Image, error) {
	cfg, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("the server's file is no picture: %w", err)
	}
	if cfg.Width*cfg.Height > mostPixels || cfg.Width <= 0 || cfg.Height <= 0 {
		return nil, fmt.Errorf("the server's picture is too large: %d × %d", cfg.Width, cfg.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	return img, err
}

func thumbnail(img image.Image) image.Image {
	b := img.Bounds()
	long := max(b.Dx(), b.Dy())
	if long <= thumbnailSide {
		return img
	}
	w, h := max(1, b.Dx()*thumbnailSide/long), max(1, b.Dy()*thumbnailSide/long)
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), img, b, draw.Src, nil)
	return small
}

// writeFile writes a file below the data directory, whole or not at all.
func (e *Engine) writeFile(rel string, data []byte) error {
	path := filepath.Join(e.cfg.DataDir, rel)
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fail("write "+rel, err)
	}
	tmp, err := os.OpenFile(filepath.Join(dir, partPrefix+filepath.Base(path)), os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return fail("write "+rel, err)
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
		return fail("write "+rel, err)
	}
	return nil
}

// hang puts a finished picture into the play, below whatever is said last.
func (e *Engine) hang(c storage.Capture) func(tx *storage.Tx) error {
	return func(tx *storage.Tx) error {
		now, err := storage.Captures.Get(tx, c.ID)
		if err != nil {
			e.removeFiles(c.ID)
			return queue.ErrDiscard
		}
		chat, err := storage.Chats.Get(tx, c.Chat)
		if err != nil {
			return err
		}
		n := storage.Node{Chat: c.Chat, Parent: chat.Head, Role: storage.SceneCapture, State: storage.Complete,
			Capture: c.ID, CreatedAt: e.cfg.Now()}
		if err := tx.AppendNode(&n); err != nil {
			return err
		}
		now.Node, now.Status, now.Error, now.UpdatedAt = n.ID, storage.CaptureCompleted, "", e.cfg.Now()
		now.ImageID, now.ImagePath, now.ThumbnailPath = c.ImageID, c.ImagePath, c.ThumbnailPath
		now.GenerationTime, now.Seed, now.FinalPrompt, now.Warnings = c.GenerationTime, c.Seed, c.FinalPrompt, c.Warnings
		if err := storage.Captures.Put(tx, c.ID, now); err != nil {
			return err
		}
		chat.Head, chat.UpdatedAt = n.ID, e.cfg.Now()
		return storage.Chats.Put(tx, chat.ID, chat)
	}
}

// partPrefix begins the name of a file that is not whole yet.
const partPrefix = ".part-"

// removeFiles removes what there is of a capture's files, whole or not.
func (e *Engine) removeFiles(id storage.CaptureID) {
	for _, end := range []string{".png", ".gif", ".mp4", ".webm", "_thumb.png"} {
		for _, name := range []string{string(id) + end, partPrefix + string(id) + end} {
			if err := os.Remove(filepath.Join(e.cfg.DataDir, "captures", name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				e.log.Warn("removing a picture failed", "name", name, "err", err)
			}
		}
	}
}

// dropPicture removes the files of a capture whose work came to nothing at the
// last moment: after they were written and before they were hung.
func (e *Engine) dropPicture(id storage.CaptureID) {
	var c storage.Capture
	err := e.store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err })
	if errors.Is(err, storage.ErrNotFound) || err == nil && c.ImagePath == "" {
		e.removeFiles(id)
	}
}

// CapturePath is where a capture's picture lies, "" while it has none.
func (e *Engine) CapturePath(c storage.Capture) string {
	if c.ImagePath == "" {
		return ""
	}
	return filepath.Join(e.cfg.DataDir, c.ImagePath)
}

// CapturePicture reads a capture's picture, or its thumbnail, as it is kept.
func (e *Engine) CapturePicture(c storage.Capture, small bool) ([]byte, error) {
	rel := c.ImagePath
	if small && c.ThumbnailPath != "" {
		rel = c.ThumbnailPath
	}
	if rel == "" {
		return nil, fail("picture", ErrNothing)
	}
	data, err := os.ReadFile(filepath.Join(e.cfg.DataDir, rel))
	if err != nil {
		return nil, fail("picture", err)
	}
	return data, nil
}

// CaptureAsAvatar makes a capture's picture the avatar of its chat's character.
func (e *Engine) CaptureAsAvatar(id storage.CaptureID) error {
	var c storage.Capture
	if err := e.store.View(func(tx *storage.Tx) (err error) { c, err = storage.Captures.Get(tx, id); return err }); err != nil {
		return fail("avatar", err)
	}
	if c.ThumbnailPath == "" {
		return fail("avatar", refuse("this has no still picture"))
	}
	data, err := e.CapturePicture(c, true)
	if err != nil {
		return err
	}
	err = e.store.Update(func(tx *storage.Tx) error {
		chat, err := storage.Chats.Get(tx, c.Chat)
		if err != nil {
			return err
		}
		who, err := storage.Characters.Get(tx, chat.Character)
		if err != nil {
			return err
		}
		who.HasAvatar, who.UpdatedAt = true, e.cfg.Now()
		if err := tx.PutAvatar(who.ID, data); err != nil {
			return err
		}
		return storage.Characters.Put(tx, who.ID, who)
	})
	if err != nil {
		return fail("avatar", err)
	}
	e.emit(Notice{Info, "this picture is the avatar now"})
	e.emit(CharactersChanged{})
	return nil
}
