package pictures_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ghostlight-theatre/ghostlight/engine/comfy"
	"github.com/ghostlight-theatre/ghostlight/engine/demo"
	"github.com/ghostlight-theatre/ghostlight/engine/internal/enginetest"
	"github.com/ghostlight-theatre/ghostlight/engine/pictures"
	"github.com/ghostlight-theatre/ghostlight/storage"
)

// injected is a fault at a place of the ComfyUI half, from the n-th time on that
// something comes there: once, or every time.
type injected struct {
	place  string
	fault  demo.ComfyFault
	nth    int
	always bool
}

func (i injected) String() string {
	often := "once"
	if i.always {
		often = "always"
	}
	return fmt.Sprintf("%s at %s %d %s", i.fault, i.place, i.nth, often)
}

func (i injected) script(place string, n int) demo.ComfyFault {
	if place == i.place && (n == i.nth || i.always && n >= i.nth) {
		return i.fault
	}
	return ""
}

// faultsToInject returns the faults that the program must bear: at each place each that
// can happen there.
func faultsToInject() (list []injected) {
	answers := []demo.ComfyFault{demo.ComfyDrop, demo.ComfyPage, demo.ComfyError, demo.ComfyGateway, demo.ComfyMissing,
		demo.ComfyBreak, demo.ComfyTruncate, demo.ComfySlow, demo.ComfyGarbage, demo.ComfyEmpty, demo.ComfyTypes,
		demo.ComfyOther}
	server := []demo.ComfyFault{demo.ComfyRestart, demo.ComfyDelete, demo.ComfyCut, demo.ComfyInterrupt, demo.ComfyNoise}
	for _, place := range []string{"GET /queue", "POST /prompt", "GET /ws", "GET /history", "GET /view", "GET /models"} {
		for _, f := range slices.Concat(answers, server) {
			list = append(list, injected{place, f, 1, false}, injected{place, f, 1, true})
			if place == "GET /queue" {
				list = append(list, injected{place, f, 2, false})
			}
		}
	}
	for _, step := range []int{1, 3} {
		for _, f := range slices.Concat(server, []demo.ComfyFault{demo.ComfyNoMemory, demo.ComfyNodeFails}) {
			list = append(list, injected{"step", f, step, false})
		}
	}
	for n := range 17 { // each save gives another of the hostile names
		list = append(list, injected{"save", demo.ComfyHostile, 1, n%2 == 0})
	}
	return append(list, injected{"save", demo.ComfyNoFile, 1, false}, injected{"GET /view", demo.ComfyEndless, 1, true})
}

// everything returns all files below a folder.
func everything(t testing.TB, root string) (names []string) {
	t.Helper()
	enginetest.Must(t, filepath.WalkDir(root, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		names = append(names, rel)
		return err
	}))
	return names
}

// hurried returns a studio whose data lies below a folder of its own, and whose ComfyUI
// clients do not wait as long as they usually do.
func hurried(t *testing.T, root string) *harness {
	t.Helper()
	data := filepath.Join(root, "data")
	enginetest.Must(t, os.MkdirAll(data, 0o700))
	s := (&harness{enginetest.NewHarness(t, func(o *enginetest.Setup) {
		o.Cfg.DataDir, o.Cfg.VRAM.KeepOllama, o.Cfg.CaptureTimeout = data, true, 3*time.Second
	},
		withWorkflows(t, map[string]string{"mine.json": enginetest.Checkpoint(enginetest.Paintable)}))})
	s.hurry()
	s.Say("*I lift the lamp.*")
	enginetest.Must(t, s.Start())
	return s
}

// hurry makes the clients of ComfyUI impatient.
func (s *harness) hurry() {
	s.T.Helper()
	for i, url := range s.Cfg.Comfy {
		c, err := comfy.New(url, comfy.WithPoll(10*time.Millisecond), comfy.WithMaxAway(120*time.Millisecond))
		enginetest.Must(s.T, err)
		s.Models.Comfy[i].Close()
		s.Models.Comfy[i] = c
	}
}

// faultsEnv has TestFaults inject every fault; without it every faultsStep-th is.
// The step shares no factor with the length of the lists that the faults are made
// of, so that each place and each fault comes up.
const (
	faultsEnv  = "GHOSTLIGHT_TEST_FAULTS"
	faultsStep = 7
)

// TestFaults injects faults into the painting of pictures. Whatever happens: a
// capture ends as a picture, a draft or a failure with words, its prompt is kept,
// nothing is written where it does not belong, and the next picture is painted.
func TestFaults(t *testing.T) {
	t.Parallel()
	list := faultsToInject()
	if len(list) < 200 {
		t.Fatalf("only %d faults", len(list))
	}
	least := len(list) / 12
	if os.Getenv(faultsEnv) == "" {
		var some []injected
		for i := 0; i < len(list); i += faultsStep {
			some = append(some, list[i])
		}
		list, least = some, 1
	}
	work := make(chan injected, len(list))
	for _, i := range list {
		work <- i
	}
	close(work)
	var mu sync.Mutex
	ends := map[storage.CaptureStatus]int{}
	t.Run("all", func(t *testing.T) {
		for range 8 {
			t.Run("", func(t *testing.T) {
				t.Parallel()
				root := t.TempDir()
				s := hurried(t, root)
				first := s.Drafted(pictures.CaptureRequest{})
				for i := range work {
					status := s.bear(root, first, i)
					mu.Lock()
					ends[status]++
					mu.Unlock()
				}
				s.Sound()
			})
		}
	})
	t.Logf("%d faults: %d pictures, %d drafts, %d failures", len(list), ends[storage.CaptureCompleted], ends[storage.CaptureDraft], ends[storage.CaptureFailed])
	if ends[storage.CaptureCompleted] < least || ends[storage.CaptureFailed] < least || ends[storage.CaptureDraft] < 1 {
		t.Errorf("the faults did not do what they should: %v", ends)
	}
}

// bear sends a picture into a fault and then another one.
func (s *harness) bear(root string, like storage.Capture, fault injected) storage.CaptureStatus {
	s.T.Helper()
	before := everything(s.T, filepath.Dir(root))
	seed := int64(len(before)*1000 + 7)
	c := like
	c.ID, c.CreatedAt = storage.CaptureID(storage.NewID()), time.Now()
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Captures.Put(tx, c.ID, c) }))
	edit := pictures.CaptureEdit{ImagePrompt: "As I want it: " + fault.String(), NegativePrompt: "blur", Workflow: "mine", Width: 64, Height: 64, Seed: &seed}
	if fault.place == "GET /models" {
		edit.Workflow = "" // asks the server for its checkpoints
	}
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{Script: fault.script})
	s.Send(c, edit)
	c = s.atRest(c.ID)
	s.Servers.Comfy.SetFaults(demo.ComfyFaults{})
	s.leftAs(c, edit, fault)
	good := c
	good.ID, good.Status, good.Seed, good.Job = storage.CaptureID(storage.NewID()), storage.CaptureDraft, nil, ""
	good.Node, good.ImageID, good.ImagePath, good.ThumbnailPath = "", "", "", ""
	enginetest.Must(s.T, s.Core().Store.Update(func(tx *storage.Tx) error { return storage.Captures.Put(tx, good.ID, good) }))
	edit.Seed = nil
	s.Send(good, edit)
	if good = s.atRest(good.ID); good.Status != storage.CaptureCompleted {
		s.T.Errorf("%s: the next picture is %s: %s", fault, good.Status, good.Error)
	}
	s.nothingElse(root, before, fault, c, good)
	return c.Status
}

// atRest waits until nobody works on a capture.
func (s *harness) atRest(id storage.CaptureID) storage.Capture {
	s.T.Helper()
	c := s.Stored(id)
	for pictures.Busy(c) {
		enginetest.Until(s.Harness, func(ev pictures.CaptureChanged) bool { return ev.Capture.ID == id })
		c = s.Stored(id)
	}
	return c
}

// leftAs looks at what a fault has left of a capture.
func (s *harness) leftAs(c storage.Capture, edit pictures.CaptureEdit, fault injected) {
	s.T.Helper()
	done := c.Status == storage.CaptureCompleted
	switch {
	case !done && c.Status != storage.CaptureDraft && c.Status != storage.CaptureFailed:
		s.T.Errorf("%s: it is left as %s", fault, c.Status)
	case done != (c.Error == ""):
		s.T.Errorf("%s: it is %s with the words %q", fault, c.Status, c.Error)
	case done != (c.ImagePath != "") || done != (c.Node != "") || s.Hung(c.ID) > 1:
		s.T.Errorf("%s: %+v hangs %d times", fault, c, s.Hung(c.ID))
	case c.ImagePrompt != edit.ImagePrompt || c.NegativePrompt != edit.NegativePrompt || c.Seed == nil || *c.Seed != *edit.Seed:
		s.T.Errorf("%s: what the user wrote became %+v", fault, c)
	case strings.ContainsAny(c.Error, "\x00\x1b\n"):
		s.T.Errorf("%s: the words are %q", fault, c.Error)
	}
	if op := s.operation(c.ID); op.Status == storage.Pending || op.Status == storage.InProgress {
		s.T.Errorf("%s: its operation is %s", fault, op.Status)
	}
}

// nothingElse looks for files that nobody should have written. What lies in the
// data folder belongs to a capture, and what lies elsewhere was there before.
func (s *harness) nothingElse(root string, before []string, fault injected, made ...storage.Capture) {
	s.T.Helper()
	var may []string
	for _, c := range made {
		for _, rel := range []string{c.ImagePath, c.ThumbnailPath} {
			if rel == "" {
				continue
			}
			if _, err := os.Stat(filepath.Join(s.Cfg.DataDir, rel)); err != nil || filepath.Dir(rel) != "captures" || !strings.HasPrefix(filepath.Base(rel), string(c.ID)) {
				s.T.Errorf("%s: the file %q: %v", fault, rel, err)
			}
			rel, err := filepath.Rel(filepath.Dir(root), filepath.Join(s.Cfg.DataDir, rel))
			enginetest.Must(s.T, err)
			may = append(may, rel, filepath.Dir(rel))
		}
		if c.ImagePath != "" {
			small, err := filepath.Rel(filepath.Dir(root), filepath.Join(s.Cfg.DataDir, "thumbs", string(c.ID)+".png"))
			enginetest.Must(s.T, err)
			may = append(may, small, filepath.Dir(small))
		}
	}
	for _, name := range everything(s.T, filepath.Dir(root)) {
		if !slices.Contains(before, name) && !slices.Contains(may, name) {
			s.T.Errorf("%s: %q was written", fault, name)
		}
	}
}
