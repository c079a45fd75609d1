package engine

import (
	"errors"
	"image"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"ghostlight/engine/comfy"
	"ghostlight/engine/rehearsal"
	"ghostlight/storage"
)

// nowhere is an address at which nobody listens.
const nowhere = "http://127.0.0.1:1"

func TestPainters_SeveralServers(t *testing.T) {
	t.Parallel()
	second, err := rehearsal.Start(rehearsal.Options{})
	must(t, err)
	t.Cleanup(func() { must(t, second.Close()) })
	s := newStudio(t, func(o *setup) { o.cfg.VRAM.KeepOllama = true })
	first := s.painted()
	s.close()
	s.cfg.Comfy = []string{nowhere, s.house.ComfyURL, second.ComfyURL}
	s.open()
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{Hang: true})
	second.Comfy.SetFaults(rehearsal.ComfyFaults{Hang: true})
	must(t, s.Start())
	var list []storage.Capture
	lanes := map[string]int{}
	for range 6 {
		c := s.send(first, small(first))
		list = append(list, c)
		lanes[s.operation(c.ID).Lane]++
	}
	if len(lanes) != 3 || lanes[laneComfy] != 2 || lanes["comfy:1"] != 2 || lanes["comfy:2"] != 2 {
		t.Errorf("the lanes are %v", lanes)
	}
	at := map[string]bool{}
	for len(at) < 2 {
		p := until(s, func(ev OperationProgress) bool { return ev.Progress.Text == "Sampler" })
		at[s.stored(p.Capture).Server] = true
	}
	if at[nowhere] {
		t.Error("a server paints that is not there")
	}
	var hang []storage.CaptureID
	for {
		hang = nil
		for _, c := range list {
			if s.operation(c.ID).Status == storage.InProgress {
				hang = append(hang, c.ID)
			}
		}
		if len(hang) >= 3 {
			break
		}
		until[OperationChanged](s, nil) // the third is taken by a lane of its own
	}
	if len(hang) != 3 {
		t.Errorf("%d pictures are painted at once", len(hang))
	}
	s.QueuePause(true)
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{})
	second.Comfy.SetFaults(rehearsal.ComfyFaults{})
	for _, id := range hang {
		if err := s.CancelCapture(id); err != nil && s.stored(id).Status != storage.CaptureCompleted {
			t.Error(err)
		}
	}
	s.QueuePause(false)
	if _, err := s.QueueDrain(s.context()); err != nil {
		t.Error(err)
	}
	done := 0
	for _, c := range list {
		if now := s.stored(c.ID); now.Status == storage.CaptureCompleted {
			done++
		} else if now.Status != storage.CaptureDraft {
			t.Errorf("%s is %s: %s", c.ID, now.Status, now.Error)
		}
	}
	for i := 1; i < 3; i++ {
		if running, pending, err := s.comfy[i].Queue(s.context()); running+pending != 0 || err != nil {
			t.Errorf("left on server %d: %d and %d, %v", i, running, pending, err)
		}
	}
	if done == 0 {
		t.Error("none was painted")
	}
	s.sound()
}

// Operations outlive servers: a lane that no server has any more is worked off.
func TestPainters_FewerServersThanBefore(t *testing.T) {
	t.Parallel()
	s := newStudio(t, func(o *setup) { o.cfg.VRAM.KeepOllama = true })
	c := s.painted()
	c.ID, c.Status, c.Node, c.ImagePath, c.ThumbnailPath, c.Job = storage.CaptureID(storage.NewID()), storage.CaptureGenerating, "", "", "", ""
	c.Server = nowhere
	must(t, s.store.Update(func(tx *storage.Tx) error {
		if err := storage.Captures.Put(tx, c.ID, c); err != nil {
			return err
		}
		if err := s.addCapture(tx, opCaptureSend, captureParams{Capture: c.ID, Chat: s.chat}); err != nil {
			return err
		}
		for id, op := range storage.Operations.All(tx) {
			if paramsOf(op).Capture == c.ID {
				op.Lane = "comfy:7"
				return storage.Operations.Put(tx, id, op)
			}
		}
		return nil
	}))
	s.reopen()
	must(t, s.Start())
	if now := s.settledAs(c.ID, storage.CaptureCompleted); now.Server != s.comfy[0].BaseURL() {
		t.Errorf("it was painted at %s", now.Server)
	}
}

func TestNewJob(t *testing.T) {
	t.Parallel()
	a, b := storage.OperationID(storage.NewID()), storage.OperationID(storage.NewID())
	job := newJob(a)
	if id, err := uuid.Parse(job); err != nil || id.String() != job || id.Version() != 4 {
		t.Errorf("%q is no job's id: %v", job, err)
	}
	if !sameTry(job, a) || sameTry(job, b) || sameTry("", a) || job == newJob(a) {
		t.Error("jobs are taken for those of other operations")
	}
}

// TestPaint_ServerRestarts is a ComfyUI that forgets the job while it paints.
func TestPaint_ServerRestarts(t *testing.T) {
	t.Parallel()
	s := newStudio(t, func(o *setup) { o.cfg.VRAM.KeepOllama = true })
	s.hurry()
	c := s.drafted(CaptureRequest{})
	for name, fault := range map[string]rehearsal.ComfyFault{"restarted": rehearsal.ComfyRestart, "deleted": rehearsal.ComfyDelete} {
		once := injected{"step", fault, 3, false}
		s.house.Comfy.SetFaults(rehearsal.ComfyFaults{Script: once.script})
		sent := s.send(c, small(c))
		told := until(s, func(ev Notice) bool { return strings.Contains(ev.Text, "capture send") })
		sent = s.settledAs(sent.ID, storage.CaptureFailed)
		if n := s.house.Comfy.Answered("POST /prompt"); n != 1 || told.Text != sent.Error || !strings.Contains(sent.Error, string(sent.ID)) ||
			!strings.Contains(sent.Error, s.house.ComfyURL) || sent.Job != "" || sent.ImagePrompt != c.Prompt {
			t.Errorf("%s: sent %d times, told %q, %+v", name, n, told.Text, sent)
		}
		if op := s.operation(sent.ID); op.Status != storage.Failed || op.Attempts != 1 {
			t.Errorf("%s: its operation is %s after %d attempts", name, op.Status, op.Attempts)
		}
		s.house.Comfy.SetFaults(rehearsal.ComfyFaults{})
		must(t, s.QueueRetry(s.operation(sent.ID).ID)) // as good as sending it again
		s.settledAs(sent.ID, storage.CaptureCompleted)
	}
	s.sound()
}

// A picture that was made and could not be fetched is not painted again.
func TestPaint_FetchedLater(t *testing.T) {
	t.Parallel()
	s := newStudio(t, func(o *setup) { o.cfg.VRAM.KeepOllama = true })
	s.hurry()
	c := s.drafted(CaptureRequest{})
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{Script: injected{"GET /view", rehearsal.ComfyDrop, 1, true}.script})
	s.send(c, small(c))
	if c = s.settledAs(c.ID, storage.CaptureFailed); !strings.Contains(c.Error, "still on the ComfyUI server") {
		t.Errorf("the words are %q", c.Error)
	}
	s.house.Comfy.SetFaults(rehearsal.ComfyFaults{})
	must(t, s.QueueRetry(s.operation(c.ID).ID))
	s.settledAs(c.ID, storage.CaptureCompleted)
	if n := s.house.Comfy.Answered("POST /prompt"); n != 0 {
		t.Errorf("it was painted %d times more", n)
	}
}

func TestDrafts_WaitForTheServer(t *testing.T) {
	t.Parallel()
	s := newStudio(t)
	var list []storage.Capture
	for range 3 {
		list = append(list, s.drafted(CaptureRequest{}))
	}
	there := s.cfg.Comfy
	s.cfg.Comfy = []string{nowhere}
	s.reopen()
	must(t, s.Start())
	var ids []storage.CaptureID
	for _, c := range list[:2] {
		s.send(c, small(c))
		c = s.settledAs(c.ID, storage.CaptureDraft)
		if op := s.operation(c.ID); !c.Waiting || c.Error == "" || c.ImagePrompt == "" || op.Status != storage.Completed {
			t.Errorf("it waits as %+v, its operation is %s", c, op.Status)
		}
		ids = append(ids, c.ID)
	}
	if n := s.unloads(); n != 0 {
		t.Errorf("models were unloaded %d times for pictures that nobody can paint", n)
	}
	waiting, err := s.WaitingDrafts(s.chat)
	if err != nil || len(waiting) != 2 || waiting[0].ID != ids[0] {
		t.Errorf("there wait %+v, %v", waiting, err)
	}
	s.cfg.Comfy = there
	s.reopen()
	must(t, s.Start())
	done, err := s.SendDrafts(append(ids, list[2].ID, "nobody", ids[0]))
	if err != nil || len(done.Captures) != 3 || len(done.Faults) != 1 || !errors.Is(done.Faults["nobody"], storage.ErrNotFound) {
		t.Fatalf("sent %+v, %v", done, err)
	}
	for _, c := range list {
		now := s.settledAs(c.ID, storage.CaptureCompleted)
		if now.Waiting || now.Batch == "" || s.hung(c.ID) != 1 {
			t.Errorf("painted: %+v", now)
		}
	}
	var batches []storage.Batch
	must(t, s.store.View(func(tx *storage.Tx) error {
		for _, b := range storage.Batches.All(tx, s.chat) {
			batches = append(batches, b)
		}
		return nil
	}))
	if len(batches) != 1 || batches[0].By != storage.ByDrafts || len(batches[0].Captures) != 3 {
		t.Errorf("the batches are %+v", batches)
	}
	if again, err := s.SendDrafts(ids); err != nil || len(again.Captures) != 0 || len(again.Faults) != 2 {
		t.Errorf("sent again: %+v, %v", again, err)
	}
	if waiting, err := s.WaitingDrafts(""); err != nil || len(waiting) != 0 {
		t.Errorf("there wait %+v, %v", waiting, err)
	}
	s.sound()
}

func TestPaint_SeriesStaysInTheGallery(t *testing.T) {
	t.Parallel()
	s := newStudio(t, func(o *setup) { o.cfg.VRAM.KeepOllama = true })
	for by, hangs := range map[storage.BatchBy]int{storage.ByScenes: 0, storage.ByEvery: 0, storage.ByAngles: 1, storage.ByDrafts: 1} {
		c := s.drafted(CaptureRequest{})
		head := s.view().Chat.Head
		b := storage.Batch{ID: storage.BatchID(storage.NewID()), By: by, Captures: []storage.CaptureID{c.ID}}
		c.Batch = b.ID
		must(t, s.store.Update(func(tx *storage.Tx) error {
			return errors.Join(storage.Batches.Put(tx, s.chat, b), storage.Captures.Put(tx, c.ID, c))
		}))
		c = s.settledAs(s.send(c, small(c)).ID, storage.CaptureCompleted)
		if s.hung(c.ID) != hangs || (c.Node != "") != (hangs == 1) || c.ImagePath == "" || (s.view().Chat.Head == head) != (hangs == 0) {
			t.Errorf("%s: hangs %d times, %+v", by, s.hung(c.ID), c)
		}
		must(t, s.DeleteCapture(c.ID))
	}
	if got := s.files(); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
	s.sound()
}

func TestPaint_AsTheCharacterHasIt(t *testing.T) {
	t.Parallel()
	s := newStudio(t, func(o *setup) { o.cfg.VRAM.KeepOllama = true }, withWorkflows(t, map[string]string{"hers.json": checkpoint(paintable)}))
	who := s.view().Character
	who.Imagery.Width, who.Imagery.Height, who.Imagery.TriggerWord, who.Imagery.NegativePrompt = 96, 160, "ghlt", "blur"
	_, err := s.SaveCharacter(who)
	must(t, err)
	c := s.drafted(CaptureRequest{})
	c = s.settledAs(s.send(c, CaptureEdit{ImagePrompt: "A lamp.", NegativePrompt: c.NegativePrompt}).ID, storage.CaptureCompleted)
	data, err := s.CapturePicture(c, false)
	must(t, err)
	img, _, err := image.DecodeConfig(strings.NewReader(string(data)))
	if err != nil || img.Width != 96 || img.Height != 160 || c.FinalPrompt != "ghlt, A lamp." || !strings.Contains(c.NegativePrompt, "blur") {
		t.Errorf("%d × %d, %v, %+v", img.Width, img.Height, err, c)
	}
	p := &painting{who: storage.Imagery{Workflow: "hers", VideoWorkflow: "film"}}
	for kind, want := range map[string]string{"image": "hers", "video": "film"} {
		p.c = storage.Capture{Kind: kind}
		if got := p.workflowName(); got != want {
			t.Errorf("%s: %q", kind, got)
		}
	}
	if e := s.expected(c); e <= 0 {
		t.Errorf("another one would take %s", e)
	}
	s.reopen()
	if e := s.expected(c); e <= 0 {
		t.Errorf("in another process it would take %s", e)
	}
	if e := s.expected(storage.Capture{Chat: s.chat, Kind: "video"}); e != 0 {
		t.Errorf("what was never made would take %s", e)
	}
}

func TestKeepPicture(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	still, err := encodePNG(image.NewGray(image.Rect(0, 0, 900, 300)))
	must(t, err)
	const film = "\x00\x00\x00\x18ftypmp42 and the rest of a film"
	tests := []struct {
		name, kind, format, data string
		preview                  string
		ext                      string // "" where it is refused
		thumb, warns             bool
	}{
		{"a picture", "image", "png", string(still), "", ".png", true, false},
		{"a film", "video", "mp4", film, "", ".mp4", false, false},
		{"a film with a preview", "video", "mp4", film, string(still), ".mp4", true, false},
		{"a film with a broken preview", "video", "webm", film, "\xff\xd8\xff\xe0", ".webm", false, false},
		{"a film in place of a picture", "image", "mp4", film, "", ".mp4", false, true},
		{"an animation that is a PNG", "video", "png", string(still), "", ".png", true, false},
		{"a broken picture", "image", "png", string(still[:40]), "", "", false, false},
		{"a broken animation", "video", "webp", "RIFF\x00\x00\x00\x00WEBPVP8X", string(still), "", false, false},
	}
	for _, tt := range tests {
		c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Kind: tt.kind}
		must(t, s.writeFile(filepath.Join("captures", partPrefix+string(c.ID)+".gif"), []byte("of a first try")))
		err := s.keepPicture(&c, comfy.Output{Data: []byte(tt.data), Format: tt.format}, []byte(tt.preview))
		if (err == nil) != (tt.ext != "") {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err == nil && (filepath.Ext(c.ImagePath) != tt.ext || (c.ThumbnailPath != "") != tt.thumb || (len(c.Warnings) > 0) != tt.warns) {
			t.Errorf("%s: %+v", tt.name, c)
		}
		s.removeFiles(c.ID)
		if got := s.files(); len(got) != 0 {
			t.Errorf("%s: left behind is %v", tt.name, got)
		}
	}
}
