package pictures_test

import (
	"errors"
	"image"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// nowhere is an address at which nobody listens.
const nowhere = "http://127.0.0.1:1"

func TestPainters_SeveralServers(t *testing.T) {
	t.Parallel()
	second, err := demo.Start(demo.Options{})
	enginetest.Must(t, err)
	t.Cleanup(func() { enginetest.Must(t, second.Close()) })
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama = true })})
	first := s.painted()
	s.Shut()
	s.Cfg.Comfy = []string{nowhere, s.Servers.ComfyURL, second.ComfyURL}
	s.Open()
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{Hang: true})
	second.Comfy.SetFaults(demo.ComfyFaults{Hang: true})
	enginetest.Must(t, s.Start())
	var list []storage.Capture
	lanes := map[string]int{}
	for range 6 {
		c := s.Send(first, enginetest.Small(first))
		list = append(list, c)
		lanes[s.operation(c.ID).Lane]++
	}
	if len(lanes) != 3 || lanes[queue.LaneComfy] != 2 || lanes["comfy:1"] != 2 || lanes["comfy:2"] != 2 {
		t.Errorf("the lanes are %v", lanes)
	}
	at := map[string]bool{}
	for len(at) < 2 {
		p := enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Progress.Text == "Sampler" })
		at[s.Stored(p.Capture).Server] = true
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
		enginetest.Until[queue.Changed](s.Harness, nil) // the third is taken by a lane of its own
	}
	if len(hang) != 3 {
		t.Errorf("%d pictures are painted at once", len(hang))
	}
	s.Queue.Pause()
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{})
	second.Comfy.SetFaults(demo.ComfyFaults{})
	for _, id := range hang {
		if err := s.Pictures.CancelCapture(id); err != nil && s.Stored(id).Status != storage.CaptureCompleted {
			t.Error(err)
		}
	}
	s.Queue.Resume()
	if _, err := s.Queue.Drain(s.Context()); err != nil {
		t.Error(err)
	}
	done := 0
	for _, c := range list {
		if now := s.Stored(c.ID); now.Status == storage.CaptureCompleted {
			done++
		} else if now.Status != storage.CaptureDraft {
			t.Errorf("%s is %s: %s", c.ID, now.Status, now.Error)
		}
	}
	for i := 1; i < 3; i++ {
		if running, pending, err := s.Models.Comfy[i].Queue(s.Context()); running+pending != 0 || err != nil {
			t.Errorf("left on server %d: %d and %d, %v", i, running, pending, err)
		}
	}
	if done == 0 {
		t.Error("none was painted")
	}
	s.Sound()
}

// Operations outlive servers: a lane that no server has any more is worked off.
func TestPainters_FewerServersThanBefore(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama = true })})
	c := s.painted()
	c.ID, c.Status, c.Node, c.ImagePath, c.ThumbnailPath, c.Job = storage.CaptureID(storage.NewID()), storage.CaptureGenerating, "", "", "", ""
	c.Server = nowhere
	enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
		if err := storage.Captures.Put(tx, c.ID, c); err != nil {
			return err
		}
		if err := s.Pictures.QueueCapture(tx, pictures.OpCaptureSend, pictures.CaptureParams{Capture: c.ID, Chat: s.Chat}); err != nil {
			return err
		}
		for id, op := range storage.Operations.All(tx) {
			if pictures.ParamsOf(op).Capture == c.ID {
				op.Lane = "comfy:7"
				return storage.Operations.Put(tx, id, op)
			}
		}
		return nil
	}))
	s.Reopen()
	enginetest.Must(t, s.Start())
	if now := s.SettledAs(c.ID, storage.CaptureCompleted); now.Server != s.Models.Comfy[0].BaseURL() {
		t.Errorf("it was painted at %s", now.Server)
	}
}

func TestNewJob(t *testing.T) {
	t.Parallel()
	a, b := storage.OperationID(storage.NewID()), storage.OperationID(storage.NewID())
	job := pictures.NewJob(a)
	if id, err := uuid.Parse(job); err != nil || id.String() != job || id.Version() != 4 {
		t.Errorf("%q is no job's id: %v", job, err)
	}
	if !pictures.SameTry(job, a) || pictures.SameTry(job, b) || pictures.SameTry("", a) || job == pictures.NewJob(a) {
		t.Error("jobs are taken for those of other operations")
	}
}

// TestPaint_ServerRestarts is a ComfyUI that forgets the job while it paints.
func TestPaint_ServerRestarts(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama = true })})
	s.hurry()
	c := s.Drafted(pictures.CaptureRequest{})
	for name, fault := range map[string]demo.ComfyFault{"restarted": demo.ComfyRestart, "deleted": demo.ComfyDelete} {
		once := injected{"step", fault, 3, false}
		s.Servers.Comfy.SetFaults(demo.ComfyFaults{Script: once.script})
		sent := s.Send(c, enginetest.Small(c))
		told := enginetest.Until(s.Harness, func(ev event.Notice) bool { return strings.Contains(ev.Text, "capture send") })
		sent = s.SettledAs(sent.ID, storage.CaptureFailed)
		if n := s.Servers.Comfy.Answered("POST /prompt"); n != 1 || told.Text != sent.Error || !strings.Contains(sent.Error, string(sent.ID)) ||
			!strings.Contains(sent.Error, s.Servers.ComfyURL) || sent.Job != "" || sent.ImagePrompt != c.Prompt {
			t.Errorf("%s: sent %d times, told %q, %+v", name, n, told.Text, sent)
		}
		if op := s.operation(sent.ID); op.Status != storage.Failed || op.Attempts != 1 {
			t.Errorf("%s: its operation is %s after %d attempts", name, op.Status, op.Attempts)
		}
		s.Servers.Comfy.SetFaults(demo.ComfyFaults{})
		enginetest.Must(t, s.Queue.Retry(s.operation(sent.ID).ID)) // as good as sending it again
		s.SettledAs(sent.ID, storage.CaptureCompleted)
	}
	s.Sound()
}

// A picture that was made and could not be fetched is not painted again.
func TestPaint_FetchedLater(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama = true })})
	s.hurry()
	c := s.Drafted(pictures.CaptureRequest{})
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{Script: injected{"GET /view", demo.ComfyDrop, 1, true}.script})
	s.Send(c, enginetest.Small(c))
	if c = s.SettledAs(c.ID, storage.CaptureFailed); !strings.Contains(c.Error, "still on the ComfyUI server") {
		t.Errorf("the words are %q", c.Error)
	}
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{})
	enginetest.Must(t, s.Queue.Retry(s.operation(c.ID).ID))
	s.SettledAs(c.ID, storage.CaptureCompleted)
	if n := s.Servers.Comfy.Answered("POST /prompt"); n != 0 {
		t.Errorf("it was painted %d times more", n)
	}
}

func TestDrafts_WaitForTheServer(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	var list []storage.Capture
	for range 3 {
		list = append(list, s.Drafted(pictures.CaptureRequest{}))
	}
	there := s.Cfg.Comfy
	s.Cfg.Comfy = []string{nowhere}
	s.Reopen()
	enginetest.Must(t, s.Start())
	var ids []storage.CaptureID
	for _, c := range list[:2] {
		s.Send(c, enginetest.Small(c))
		c = s.SettledAs(c.ID, storage.CaptureDraft)
		if op := s.operation(c.ID); !c.Waiting || c.Error == "" || c.ImagePrompt == "" || op.Status != storage.Completed {
			t.Errorf("it waits as %+v, its operation is %s", c, op.Status)
		}
		ids = append(ids, c.ID)
	}
	if n := s.Unloads(); n != 0 {
		t.Errorf("models were unloaded %d times for pictures that nobody can paint", n)
	}
	waiting, err := s.Pictures.WaitingDrafts(s.Chat)
	if err != nil || len(waiting) != 2 || waiting[0].ID != ids[0] {
		t.Errorf("there wait %+v, %v", waiting, err)
	}
	s.Cfg.Comfy = there
	s.Reopen()
	enginetest.Must(t, s.Start())
	done := s.Pictures.SendDrafts(append(ids, list[2].ID, "nobody", ids[0]))
	if len(done.Captures) != 3 || len(done.Faults) != 1 || !errors.Is(done.Faults["nobody"], storage.ErrNotFound) {
		t.Fatalf("sent %+v", done)
	}
	for _, c := range list {
		now := s.SettledAs(c.ID, storage.CaptureCompleted)
		if now.Waiting || s.Hung(c.ID) != 1 {
			t.Errorf("painted: %+v", now)
		}
	}
	if again := s.Pictures.SendDrafts(ids); len(again.Captures) != 0 || len(again.Faults) != 2 {
		t.Errorf("sent again: %+v", again)
	}
	if waiting, err := s.Pictures.WaitingDrafts(""); err != nil || len(waiting) != 0 {
		t.Errorf("there wait %+v, %v", waiting, err)
	}
	s.Sound()
}

func TestPaint_SeriesStaysInTheGallery(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama = true })})
	for by, hangs := range map[storage.BatchBy]int{storage.ByScenes: 0, storage.ByEvery: 0, storage.ByAngles: 1, storage.ByDrafts: 1} {
		c := s.Drafted(pictures.CaptureRequest{})
		head := s.View().Chat.Head
		b := storage.Batch{ID: storage.BatchID(storage.NewID()), By: by, Captures: []storage.CaptureID{c.ID}}
		c.Batch = b.ID
		enginetest.Must(t, s.Core().Store.Update(func(tx *storage.Tx) error {
			return errors.Join(storage.Batches.Put(tx, s.Chat, b), storage.Captures.Put(tx, c.ID, c))
		}))
		c = s.SettledAs(s.Send(c, enginetest.Small(c)).ID, storage.CaptureCompleted)
		if s.Hung(c.ID) != hangs || (c.Node != "") != (hangs == 1) || c.ImagePath == "" || (s.View().Chat.Head == head) != (hangs == 0) {
			t.Errorf("%s: hangs %d times, %+v", by, s.Hung(c.ID), c)
		}
		enginetest.Must(t, s.Pictures.DeleteCapture(c.ID))
	}
	if got := s.Files(); len(got) != 0 {
		t.Errorf("left behind: %v", got)
	}
	s.Sound()
}

func TestPaint_AsTheCharacterHasIt(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama = true }, withWorkflows(t, map[string]string{"hers.json": enginetest.Checkpoint(enginetest.Paintable)}))})
	who := s.View().Character
	who.Imagery.Width, who.Imagery.Height, who.Imagery.TriggerWord, who.Imagery.NegativePrompt = 96, 160, "ghlt", "blur"
	_, err := s.Library.SaveCharacter(who)
	enginetest.Must(t, err)
	c := s.Drafted(pictures.CaptureRequest{})
	c = s.SettledAs(s.Send(c, pictures.CaptureEdit{ImagePrompt: "A lamp.", NegativePrompt: c.NegativePrompt}).ID, storage.CaptureCompleted)
	data, err := s.Pictures.Gallery.Picture(c, false)
	enginetest.Must(t, err)
	img, _, err := image.DecodeConfig(strings.NewReader(string(data)))
	if err != nil || img.Width != 96 || img.Height != 160 || c.FinalPrompt != "ghlt, A lamp." || !strings.Contains(c.NegativePrompt, "blur") {
		t.Errorf("%d × %d, %v, %+v", img.Width, img.Height, err, c)
	}
	imagery := storage.Imagery{Workflow: "hers", VideoWorkflow: "film"}
	for kind, want := range map[string]string{"image": "hers", "video": "film"} {
		if got := pictures.WorkflowName(imagery, kind); got != want {
			t.Errorf("%s: %q", kind, got)
		}
	}
	if e := pictures.Expected(s.Pictures, c); e <= 0 {
		t.Errorf("another one would take %s", e)
	}
	s.Reopen()
	if e := pictures.Expected(s.Pictures, c); e <= 0 {
		t.Errorf("in another process it would take %s", e)
	}
	if e := pictures.Expected(s.Pictures, storage.Capture{Chat: s.Chat, Kind: "video"}); e != 0 {
		t.Errorf("what was never made would take %s", e)
	}
}

func TestKeepPicture(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	still, err := pictures.EncodePNG(image.NewGray(image.Rect(0, 0, 900, 300)))
	enginetest.Must(t, err)
	const film = "\x00\x00\x00\x18ftypmp42 and the rest of a film"
	tests := []struct {
		name, kind, format, data string
		preview                  string
		ext                      string // "" if it is refused
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
		enginetest.Must(t, s.Pictures.WriteFile(filepath.Join("captures", pictures.PartPrefix+string(c.ID)+".gif"), []byte("of a first try")))
		err := pictures.KeepPicture(s.Pictures, &c, comfy.Output{Data: []byte(tt.data), Format: tt.format}, []byte(tt.preview))
		if (err == nil) != (tt.ext != "") {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err == nil && (filepath.Ext(c.ImagePath) != tt.ext || (c.ThumbnailPath != "") != tt.thumb || (len(c.Warnings) > 0) != tt.warns) {
			t.Errorf("%s: %+v", tt.name, c)
		}
		s.Pictures.RemoveFiles(c.ID)
		if got := s.Files(); len(got) != 0 {
			t.Errorf("%s: left behind is %v", tt.name, got)
		}
	}
}
