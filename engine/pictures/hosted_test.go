package pictures_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/jpeg"
	"image/png"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/event"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/media"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/engine/queue"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// workflow puts a workflow into the user's folder.
func (s *harness) workflow(name, text string) {
	s.T.Helper()
	enginetest.Must(s.T, os.MkdirAll(filepath.Join(s.Cfg.ConfigDir, "workflows"), 0o700))
	enginetest.Must(s.T, os.WriteFile(filepath.Join(s.Cfg.ConfigDir, "workflows", name+".json"), []byte(text), 0o600))
}

// All pictures of a workflow's batch are kept: the first hangs in the play, the others are
// in the gallery.
func TestPaint_ABatchIsKept(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.ConfigDir = t.TempDir() })})
	s.workflow("three", strings.Replace(enginetest.Checkpoint(enginetest.Paintable), `"batch_size": 1`, `"batch_size": 3`, 1))
	c := s.Drafted(pictures.CaptureRequest{})
	edit := enginetest.Small(c)
	edit.Workflow, edit.Width, edit.Height = "three", 0, 0
	c = s.SettledAs(s.Send(c, edit).ID, storage.CaptureCompleted)
	list, err := s.Pictures.Captures(s.Chat)
	enginetest.Must(t, err)
	files := map[string]bool{}
	for _, one := range list {
		if _, err := os.Stat(filepath.Join(s.Cfg.DataDir, one.ThumbnailPath)); err != nil || one.Status != storage.CaptureCompleted || one.ThumbnailPath == "" || *one.Seed != *c.Seed || one.FinalPrompt != c.FinalPrompt {
			t.Errorf("%v: %+v", err, one)
		}
		if files[one.ImagePath] = true; one.ID != c.ID && (one.From != c.ID || one.Node != "" || one.Job != "" || len(one.ID) != len(c.ID)) {
			t.Errorf("a further one: %+v", one)
		}
	}
	if len(list) != 3 || len(files) != 3 || c.Node == "" || s.Hung(c.ID) != 1 || len(c.Warnings) > 0 {
		t.Errorf("%d pictures, %v, %q, warned %v", len(list), files, c.Node, c.Warnings)
	}
	s.Sound()
}

// flat returns a picture of so many pixels whose file is small.
func flat(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	enginetest.Must(t, (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(&b, image.NewGray(image.Rect(0, 0, w, h))))
	return b.Bytes()
}

// A picture of more than 64 megapixels is kept as it is, with a thumbnail; also one whose
// file was too large for memory.
func TestKeepPicture_MorePixelsThanAreDecoded(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewHarness(t)})
	data := flat(t, 9000, 7600)
	spool := filepath.Join(s.Cfg.DataDir, "captures", ".part-x.download")
	enginetest.Must(t, os.MkdirAll(filepath.Dir(spool), 0o700))
	for _, path := range []string{"", spool} {
		out := comfy.Output{Format: media.PNG, Path: path, Data: data}
		if path != "" {
			out.Data = nil
			enginetest.Must(t, os.WriteFile(path, data, 0o600))
		}
		c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Kind: "image"}
		enginetest.Must(t, pictures.KeepPicture(s.Pictures, &c, out, nil))
		kept, err := os.ReadFile(filepath.Join(s.Cfg.DataDir, c.ImagePath))
		if err != nil || !bytes.Equal(kept, data) || len(c.Warnings) > 0 {
			t.Errorf("%v, warned %v", err, c.Warnings)
		}
		thumb, err := s.Pictures.Gallery.Still(c)
		if err != nil || thumb.Bounds().Dx() != pictures.ThumbnailSide {
			t.Errorf("the thumbnail: %v, %v", thumb, err)
		}
		if _, err := s.Pictures.Gallery.Small(c); err != nil {
			t.Errorf("the small one: %v", err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.Cfg.DataDir, "captures", ".part-*")); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}

// hugeJPEG returns a file that says of itself that it has so many pixels, and hugeWebP one that
// says that of a lossless picture.
func hugeJPEG(t *testing.T, w, h int) []byte {
	t.Helper()
	var b bytes.Buffer
	enginetest.Must(t, jpeg.Encode(&b, image.NewGray(image.Rect(0, 0, 16, 16)), nil))
	data := b.Bytes()
	at := bytes.Index(data, []byte{0xff, 0xc0}) // the frame's head: length, bits, height, width
	binary.BigEndian.PutUint16(data[at+5:], uint16(h))
	binary.BigEndian.PutUint16(data[at+7:], uint16(w))
	return data
}

func hugeWebP(w, h int) []byte {
	data := []byte("RIFF\x16\x00\x00\x00WEBPVP8L\x0a\x00\x00\x00\x2f")
	data = binary.LittleEndian.AppendUint32(data, uint32(w-1)|uint32(h-1)<<14)
	return append(data, 0, 0, 0, 0, 0)
}

// Pictures of other formats with more than 64 megapixels are never decoded: their heads say
// how many they have. They are kept to the byte, and it is said where; it takes no more
// memory than their files, and less where those came as spools.
func TestKeepPicture_OtherFormatsAreNamed(t *testing.T) {
	s := (&harness{enginetest.NewHarness(t)})
	spool := filepath.Join(s.Cfg.DataDir, "captures", ".part-x.download")
	enginetest.Must(t, os.MkdirAll(filepath.Dir(spool), 0o700))
	for format, data := range map[string][]byte{media.JPEG: hugeJPEG(t, 16000, 9000), media.WebP: hugeWebP(16000, 9000)} {
		if w, h, err := media.Size(data, format); err != nil || w != 16000 || h != 9000 {
			t.Fatalf("%s: %d x %d, %v", format, w, h, err)
		}
		for _, path := range []string{"", spool} {
			out := comfy.Output{Format: format, Path: path, Data: data}
			if path != "" {
				out.Data = nil
				enginetest.Must(t, os.WriteFile(path, data, 0o600))
			}
			c := storage.Capture{ID: storage.CaptureID(storage.NewID()), Kind: "image"}
			took := allocated(func() { enginetest.Must(t, pictures.KeepPicture(s.Pictures, &c, out, nil)) })
			kept, err := s.Pictures.Gallery.Picture(c, false)
			if err != nil || !bytes.Equal(kept, data) || c.ThumbnailPath != "" || took > 8<<20 {
				t.Errorf("%s: %v, %d bytes kept, %d taken, the thumbnail %q", format, err, len(kept), took, c.ThumbnailPath)
			}
			if len(c.Warnings) != 1 || !strings.Contains(c.Warnings[0], "too large to be shown here") || !strings.Contains(c.Warnings[0], filepath.ToSlash(c.ImagePath)) {
				t.Errorf("%s: it says %q of %s", format, c.Warnings, c.ImagePath)
			}
			if _, err := s.Pictures.Gallery.Still(c); err == nil {
				t.Errorf("%s: it was decoded to be shown", format)
			}
		}
	}
}

// allocated returns how much memory something has taken, freed or not. What else the program
// does meanwhile counts: tests that ask for it run alone.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A picture that is too large for memory is exported piece by piece, with the graph in it
// and without.
func TestExport_HoldsNoLargePicture(t *testing.T) {
	const size, most = 96 << 20, 16 << 20
	s := (&harness{enginetest.NewStudio(t)})
	c := s.Drafted(pictures.CaptureRequest{})
	c = s.SettledAs(s.Send(c, enginetest.Small(c)).ID, storage.CaptureCompleted)
	path := filepath.Join(s.Cfg.DataDir, c.ImagePath)
	small, err := os.ReadFile(path)
	enginetest.Must(t, err)
	if !bytes.Contains(small, []byte("class_type")) {
		t.Fatal("no graph is embedded in what the stand-in paints")
	}
	at := len(small) - 12 // before the chunk that ends it
	f, err := os.Create(path)
	enginetest.Must(t, err)
	chunk := append([]byte("IDAT"), make([]byte, size)...)
	for _, part := range [][]byte{small[:at], binary.BigEndian.AppendUint32(nil, size), chunk, binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)), small[at:]} {
		_, err := f.Write(part)
		enginetest.Must(t, err)
	}
	enginetest.Must(t, f.Close())
	info, err := os.Stat(path)
	enginetest.Must(t, err)
	for _, keep := range []bool{true, false} {
		to := filepath.Join(t.TempDir(), "out.png")
		took := allocated(func() {
			_, err := s.Pictures.Gallery.Export(c.ID, to, pictures.ExportOptions{KeepMetadata: keep})
			enginetest.Must(t, err)
		})
		out, err := os.Stat(to)
		enginetest.Must(t, err)
		if took > most || keep && out.Size() != info.Size() || !keep && (out.Size() >= info.Size() || out.Size() < size) {
			t.Errorf("with the graph %t: %d of %d bytes, with %d of memory", keep, out.Size(), info.Size(), took)
		}
	}
	enginetest.Must(t, os.Truncate(path, info.Size()-size/2))
	to := filepath.Join(t.TempDir(), "out.png")
	if _, err := s.Pictures.Gallery.Export(c.ID, to, pictures.ExportOptions{}); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("of a file that is cut off: %v", err)
	}
	if _, err := os.Stat(to); err == nil {
		t.Error("half a picture was exported")
	}
}

// A picture that another process has sent is cancelled here: its server stops, and it is
// said.
func TestCancel_OfAnotherProcess(t *testing.T) {
	t.Parallel()
	for name, cancel := range map[string]func(s *harness, c storage.Capture) error{
		"capture cancel": func(s *harness, c storage.Capture) error { return s.Pictures.CancelCapture(c.ID) },
		"capture delete": func(s *harness, c storage.Capture) error { return s.Pictures.DeleteCapture(c.ID) },
		"queue cancel":   func(s *harness, c storage.Capture) error { return s.Queue.Cancel(s.operation(c.ID).ID) },
		"cancel all":     func(s *harness, _ storage.Capture) error { _, err := s.Queue.CancelAll(); return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama = true })})
			c := s.Drafted(pictures.CaptureRequest{})
			s.Servers.Comfy.SetFaults(demo.ComfyFaults{Hang: true})
			s.Send(c, enginetest.Small(c))
			enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Progress.Text == "Sampler" })
			s.Reopen() // the queue does not run: the command only cancels
			running := func() int {
				n, waiting, err := s.Models.Comfy[0].Queue(s.Context())
				enginetest.Must(t, err)
				return n + waiting
			}
			if running() != 1 {
				t.Fatal("the job was not left on the server")
			}
			enginetest.Must(t, cancel(s, s.Stored(c.ID)))
			if n := running(); n != 0 {
				t.Errorf("%d jobs are painted on", n)
			}
			enginetest.Until(s.Harness, func(ev event.Notice) bool { return strings.Contains(ev.Text, "no longer works on the picture") })
			if name != "capture delete" {
				if now := s.Stored(c.ID); now.Job != "" || now.Status != storage.CaptureDraft {
					t.Errorf("%+v", now)
				}
			}
		})
	}
}

// A server that lacks something is passed over for the next one; where none can paint it,
// each is named with what it lacks, before anything is sent.
func TestPainters_TheNextServer(t *testing.T) {
	t.Parallel()
	bare := demo.NewComfy(demo.ComfyOptions{StepDelay: -1, Checkpoints: []string{"other.safetensors"}})
	web := httptest.NewServer(bare)
	t.Cleanup(func() { enginetest.Must(t, bare.Close()); web.Close() })
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) { o.Cfg.VRAM.KeepOllama, o.Cfg.ConfigDir = true, t.TempDir() })})
	good := s.Servers.ComfyURL
	s.Shut()
	s.Cfg.Comfy = []string{web.URL, good}
	s.Open()
	enginetest.Must(t, s.Start())
	s.workflow("plain", enginetest.Checkpoint(enginetest.Paintable))
	c := s.Drafted(pictures.CaptureRequest{})
	edit := enginetest.Small(c)
	edit.Workflow = "plain"
	c = s.SettledAs(s.Send(c, edit).ID, storage.CaptureCompleted)
	if c.Server != good || bare.Answered("POST /prompt") != 0 {
		t.Errorf("painted at %s, the first was asked %d times", c.Server, bare.Answered("POST /prompt"))
	}
	s.workflow("odd", enginetest.Checkpoint("nobody-has-this.safetensors"))
	edit.Workflow = "odd"
	again := s.SettledAs(s.Send(c, edit).ID, storage.CaptureFailed)
	if !strings.Contains(again.Error, web.URL+" lacks") || !strings.Contains(again.Error, good+" lacks") || bare.Answered("POST /prompt") != 0 {
		t.Errorf("%s", again.Error)
	}
	// One that has it and is away is waited for, and what the other lacks is said.
	s.Shut()
	s.Cfg.Comfy = []string{web.URL, nowhere}
	s.Open()
	enginetest.Must(t, s.Start())
	edit.Workflow = "plain"
	sending := s.Send(again, edit)
	for again = s.Stored(sending.ID); !again.Waiting; again = s.Stored(sending.ID) {
		enginetest.Until(s.Harness, func(ev pictures.CaptureChanged) bool { return ev.Capture.ID == sending.ID })
	}
	if !strings.Contains(again.Error, nowhere[7:]) || !strings.Contains(again.Error, web.URL+" lacks") {
		t.Errorf("it waits: %s", again.Error)
	}
}

// A picture that was painted while nobody looked says how long that took, not how long
// its fetching did.
func TestPaint_ResumedTime(t *testing.T) {
	t.Parallel()
	slow := demo.NewComfy(demo.ComfyOptions{StepDelay: 150 * time.Millisecond})
	web := httptest.NewServer(slow)
	t.Cleanup(func() { enginetest.Must(t, slow.Close()); web.Close() })
	s := (&harness{enginetest.NewStudio(t, func(o *enginetest.Setup) {
		o.Cfg.VRAM.KeepOllama, o.Cfg.ConfigDir = true, t.TempDir()
	})})
	s.Shut()
	s.Cfg.Comfy = []string{web.URL}
	s.Open()
	enginetest.Must(t, s.Start())
	s.workflow("plain", enginetest.Checkpoint(enginetest.Paintable))
	c := s.Drafted(pictures.CaptureRequest{})
	edit := enginetest.Small(c)
	edit.Workflow = "plain"
	c = s.Send(c, edit)
	enginetest.Until(s.Harness, func(ev queue.Progressed) bool { return ev.Progress.Step == 1 })
	s.Shut()
	client, err := comfy.New(web.URL)
	enginetest.Must(t, err)
	for n := 1; n > 0; {
		n, _, err = client.Queue(t.Context())
		enginetest.Must(t, err)
	}
	s.Open()
	enginetest.Must(t, s.Start())
	if c = s.SettledAs(c.ID, storage.CaptureCompleted); c.GenerationTime < 0.3 {
		t.Errorf("painted by 2 steps of 150 ms in %v s", c.GenerationTime)
	}
	if n := slow.Answered("POST /prompt"); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

// A file that was tidied away from the server is painted again, under an id that is kept.
func TestPaint_TidiedAway(t *testing.T) {
	t.Parallel()
	s := (&harness{enginetest.NewStudio(t)})
	first := s.painted()
	s.Servers.Comfy.Tidy()
	edit := enginetest.Small(first)
	edit.Seed = first.Seed
	again := s.SettledAs(s.Send(first, edit).ID, storage.CaptureCompleted)
	a, err := s.Pictures.Gallery.Picture(first, false)
	enginetest.Must(t, err)
	b, err := s.Pictures.Gallery.Picture(again, false)
	if err != nil || again.ID == first.ID {
		t.Errorf("%v, %v", err, again.ID)
	}
	if ia, _, err := image.Decode(bytes.NewReader(a)); err == nil {
		ib, _, err := image.Decode(bytes.NewReader(b))
		if err != nil || fmt.Sprint(ia.At(20, 20)) != fmt.Sprint(ib.At(20, 20)) {
			t.Errorf("it is another picture: %v", err)
		}
	}
	if again.Job == first.Job || !pictures.SameTry(again.Job, s.operation(again.ID).ID) {
		t.Errorf("its job is %s", again.Job)
	}
}
