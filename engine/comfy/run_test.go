package comfy

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
)

// startServer returns a demo server and a client of it.
func startServer(t *testing.T, opts demo.ComfyOptions) (*demo.Comfy, *Client) {
	t.Helper()
	return startWatchedServer(t, opts, func(*http.Request) {})
}

// startWatchedServer returns one that tells of every request.
func startWatchedServer(t *testing.T, opts demo.ComfyOptions, tell func(*http.Request)) (*demo.Comfy, *Client) {
	t.Helper()
	f := demo.NewComfy(opts)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tell(r)
		f.ServeHTTP(w, r)
	}))
	c, err := New(server.URL, WithPoll(25*time.Millisecond), WithMaxAway(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
		server.Close()
	})
	return f, c
}

// small returns a filled workflow that is quick to paint.
func small(t *testing.T, seed int64) json.RawMessage {
	t.Helper()
	g, err := builtinNamed(t, "text-to-image").Fill(Values{
		Prompt: "Mara lights the lamp", Negative: "blurry", Seed: seed, Width: 64, Height: 96, Steps: 6, Checkpoint: "ghostlight-demo.safetensors",
	})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func builtinNamed(t *testing.T, name string) Workflow {
	t.Helper()
	list, errs := LoadWorkflows("")
	for _, w := range list {
		if w.Name == name && len(errs) == 0 {
			return w
		}
	}
	t.Fatalf("no workflow %s: %v", name, errs)
	return Workflow{}
}

func flat() demo.ComfyOptions { return demo.ComfyOptions{StepDelay: -1} }

func TestRun_EveryBuiltin(t *testing.T) {
	_, c := startServer(t, flat())
	list, errs := LoadWorkflows("")
	if len(errs) > 0 || len(list) < 2 || list[0].Name != "text-to-image" {
		t.Fatalf("%d workflows, %v", len(list), errs)
	}
	for _, w := range list {
		v := Values{Prompt: "Mara", Seed: 5, Width: 64, Height: 64, Steps: 3, Pictures: map[string]Picture{}}
		for _, name := range w.Inspect().Pictures {
			at, err := c.Upload(t.Context(), dot(t, 8))
			if err != nil {
				t.Fatal(err)
			}
			v.Pictures[name] = Picture{Name: at}
		}
		if err := c.Equip(t.Context(), w, &v); err != nil {
			t.Fatal(err)
		}
		g, err := w.Fill(v)
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.Run(t.Context(), Job{Graph: g, Video: w.Inspect().Kind == KindVideo}, nil)
		if err != nil || len(out.Data) == 0 || out.Format != imageType(out.Data) {
			t.Errorf("%s: %v, %s", w.Name, err, ErrorText(err))
		}
	}
}

func TestRun_ProgressAndCache(t *testing.T) {
	_, c := startServer(t, flat())
	var previews, steps int
	sampler := false
	first, err := c.Run(t.Context(), Job{Graph: small(t, 1)}, func(p Progress) {
		if p.Preview != nil {
			previews++
		}
		if p.NodeTitle == "Sampler" && p.Of == 6 {
			sampler = true
			steps = max(steps, p.Step)
		}
	})
	if err != nil || previews != 6 || !sampler || steps != 6 {
		t.Fatalf("%v, %d previews, sampler %v, %d steps", err, previews, sampler, steps)
	}
	again, err := c.Run(t.Context(), Job{Graph: small(t, 1), NoPreview: true}, nil)
	if err != nil || again.Filename != first.Filename {
		t.Errorf("a cached graph gives %v, %q, not %q", err, again.Filename, first.Filename)
	}
	other, err := c.Run(t.Context(), Job{Graph: small(t, 2)}, nil)
	if err != nil || other.Filename == first.Filename || string(other.Data) == string(first.Data) {
		t.Errorf("another seed gives the same picture: %v %q", err, other.Filename)
	}
}

func TestRun_Faults(t *testing.T) {
	for _, tt := range []struct {
		name   string
		faults demo.ComfyFaults
		is     error
		words  string
	}{
		{"memory", demo.ComfyFaults{OutOfMemory: true}, ErrFailed, `ran out of memory in "Sampler" (KSampler, node 3)`},
		{"node", demo.ComfyFaults{NodeError: "bad shapes"}, ErrFailed, "with ValueError: bad shapes"},
		{"socket cut", demo.ComfyFaults{CutSocketAt: 3}, nil, ""},
		{"socket cut for good", demo.ComfyFaults{CutSocketAt: 1, NoSocket: true}, nil, ""},
		{"restart", demo.ComfyFaults{RestartAt: 2}, ErrJobGone, "restarted"},
		{"web page", demo.ComfyFaults{HTML: true}, ErrNotComfy, "8188"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, c := startServer(t, demo.ComfyOptions{StepDelay: 2 * time.Millisecond})
			f.SetFaults(tt.faults)
			out, err := c.Run(t.Context(), Job{Graph: small(t, 3)}, nil)
			if !errors.Is(err, tt.is) || !strings.Contains(ErrorText(err), tt.words) {
				t.Errorf("%v: %q", err, ErrorText(err))
			}
			if tt.is == nil && out.Format != "png" {
				t.Errorf("no picture: %+v", out)
			}
		})
	}
}

func TestRun_CancelRunning(t *testing.T) {
	f, c := startServer(t, flat())
	f.SetFaults(demo.ComfyFaults{Hang: true})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := c.Run(ctx, Job{Graph: small(t, 4)}, func(p Progress) {
		if p.NodeTitle == "Sampler" {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || ErrorText(err) != "Cancelled." {
		t.Fatalf("%v", err)
	}
	waitIdle(t, c)
}

func TestRun_CancelPendingLeavesTheOther(t *testing.T) {
	var interrupts atomic.Int32
	f, c := startWatchedServer(t, flat(), func(r *http.Request) {
		if r.URL.Path == "/interrupt" {
			interrupts.Add(1)
		}
	})
	f.SetFaults(demo.ComfyFaults{Hang: true})
	began, ended := make(chan struct{}), make(chan error, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go func() {
		once := false
		_, err := c.Run(ctx, Job{Graph: small(t, 5)}, func(p Progress) {
			if p.NodeTitle == "Sampler" && !once {
				once = true
				close(began)
			}
		})
		ended <- err
	}()
	<-began
	second, cancel := context.WithCancel(t.Context())
	defer cancel()
	ahead := 0
	_, err := c.Run(second, Job{Graph: small(t, 6)}, func(p Progress) {
		ahead = p.Queue
		cancel()
	})
	if !errors.Is(err, context.Canceled) || ahead != 1 {
		t.Fatalf("%v with %d ahead", err, ahead)
	}
	if running, pending, err := c.Queue(t.Context()); running != 1 || pending != 0 || err != nil {
		t.Errorf("%d running, %d pending, %v; the other job must still run", running, pending, err)
	}
	if n := interrupts.Load(); n != 0 {
		t.Errorf("cancelling a waiting job sent %d interrupts", n)
	}
	stop()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	waitIdle(t, c)
}

func TestRun_Timeout(t *testing.T) {
	f, c := startServer(t, flat())
	f.SetFaults(demo.ComfyFaults{Hang: true})
	_, err := c.Run(t.Context(), Job{Graph: small(t, 7), Timeout: 100 * time.Millisecond}, nil)
	if !errors.Is(err, ErrTimeout) {
		t.Fatalf("%v", err)
	}
	waitIdle(t, c)
}

// A job that gets on may take longer than it may stand still, and while it stands still that
// is told, with how long it goes on like that.
func TestRun_TimeoutIsWithoutProgress(t *testing.T) {
	t.Parallel()
	_, c := startServer(t, demo.ComfyOptions{StepDelay: 400 * time.Millisecond})
	c.intervals.stalled = time.Millisecond
	began := time.Now()
	told := false
	job := Job{Graph: small(t, 7), Timeout: 1600 * time.Millisecond}
	_, err := c.Run(t.Context(), job, func(p Progress) { told = told || p.Quiet > 0 && p.Left > 0 && p.Left < job.Timeout })
	if err != nil || !told {
		t.Errorf("%v, told: %v", err, told)
	}
	if took := time.Since(began); took < job.Timeout {
		t.Fatalf("the job took %s: it shows nothing", took)
	}
}

// waitIdle waits until nothing is left in the server's queue.
func waitIdle(t *testing.T, c *Client) {
	t.Helper()
	for ctx, cancel := context.WithTimeout(t.Context(), time.Minute); ; {
		running, pending, err := c.Queue(ctx)
		if err != nil {
			cancel()
			t.Fatalf("the server is not idle: %v", err)
		}
		if running+pending == 0 {
			cancel()
			return
		}
	}
}

func TestRun_DeletedByOthers(t *testing.T) {
	f, c := startServer(t, flat())
	f.SetFaults(demo.ComfyFaults{Hang: true})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	began, ended := make(chan struct{}), make(chan error, 1)
	go func() {
		once := false
		_, err := c.Run(ctx, Job{Graph: small(t, 8)}, func(p Progress) {
			if p.Node != "" && !once {
				once = true
				close(began)
			}
		})
		ended <- err
	}()
	<-began
	_, err := c.Run(t.Context(), Job{Graph: small(t, 9)}, func(p Progress) {
		if p.Queue > 0 {
			if err := c.post(ctx, "/queue", map[string]bool{"clear": true}); err != nil {
				t.Error(err)
			}
		}
	})
	if !errors.Is(err, ErrJobGone) {
		t.Errorf("a deleted job ends with %v", err)
	}
	if err := c.post(ctx, "/interrupt", nil); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, ErrInterrupted) {
		t.Errorf("an interrupted job ends with %v", err)
	}
}

func TestRun_Resume(t *testing.T) {
	_, c := startServer(t, flat())
	id := uuid.NewString()
	first, err := c.Run(t.Context(), Job{Graph: small(t, 10), PromptID: id}, nil)
	if err != nil || first.PromptID != id {
		t.Fatal(err, first.PromptID)
	}
	again, err := c.Run(t.Context(), Job{Graph: small(t, 11), PromptID: id, Resume: true}, nil)
	if err != nil || again.Filename != first.Filename {
		t.Errorf("%v, %q; want the job that is there, %q", err, again.Filename, first.Filename)
	}
	if fresh, err := c.Run(t.Context(), Job{Graph: small(t, 12), PromptID: uuid.NewString(), Resume: true}, nil); err != nil || fresh.Filename == first.Filename {
		t.Errorf("%v, %q", err, fresh.Filename)
	}
}

func TestRun_PartlyDropped(t *testing.T) {
	_, c := startServer(t, flat())
	graph := `{"prompt":{"1":{"class_type":"EmptyImage","inputs":{"width":8,"height":8,"batch_size":1,"color":255}},"2":{"class_type":"SaveImage","inputs":{"images":["1",0],"filename_prefix":"a"}},
		"3":{"class_type":"SaveImage","inputs":{"images":["1",0]},"_meta":{"title":"Second"}}}}`
	out, err := c.Run(t.Context(), Job{Graph: json.RawMessage(graph)}, nil)
	if err != nil || len(out.Warnings) != 1 || !strings.Contains(out.Warnings[0], `"Second" (SaveImage, node 3) has no value for "filename_prefix"`) {
		t.Errorf("%v %q", err, out.Warnings)
	}
}

func TestRun_BadJobs(t *testing.T) {
	_, c := startServer(t, flat())
	done, cancel := context.WithCancel(t.Context())
	cancel()
	var editor *EditorFormatError
	if _, err := c.Run(t.Context(), Job{Graph: json.RawMessage(`{"nodes":[],"links":[],"version":0.4}`)}, nil); !errors.As(err, &editor) {
		t.Errorf("editor's format: %v", err)
	}
	if _, err := c.Run(t.Context(), Job{Graph: small(t, 1), PromptID: "NOT"}, nil); err == nil {
		t.Error("a bad id was taken")
	}
	if _, err := c.Run(done, Job{Graph: small(t, 1)}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if running, pending, err := c.Queue(t.Context()); running+pending != 0 || err != nil {
		t.Errorf("something was sent: %d %d %v", running, pending, err)
	}
}

func TestServer_Lists(t *testing.T) {
	_, c := startServer(t, demo.ComfyOptions{StepDelay: -1, Checkpoints: []string{"sd_xl_refiner.safetensors", "dream.safetensors"}})
	list, err := c.Checkpoints(t.Context())
	if err != nil || len(list) != 2 || PickCheckpoint(list, "") != "dream.safetensors" {
		t.Errorf("%v %v", list, err)
	}
	if names, err := c.choices(t.Context(), "CheckpointLoaderSimple", "ckpt_name"); err != nil || len(names) != 2 {
		t.Errorf("through the node: %v %v", names, err)
	}
	if _, err := c.choices(t.Context(), "Unknown", "x"); !errors.Is(err, ErrNotComfy) {
		t.Errorf("unknown node: %v", err)
	}
	if s, err := c.Stats(t.Context()); err != nil || s.Version == "" || len(s.Devices) != 1 || s.Devices[0].VRAMFree == 0 {
		t.Errorf("%+v %v", s, err)
	}
	if err := c.Free(t.Context()); err != nil {
		t.Error(err)
	}
	v := Values{}
	if err := c.Equip(t.Context(), builtinNamed(t, "text-to-video"), &v); !errors.Is(err, ErrNoModel) || !strings.Contains(ErrorText(err), `"ltx"`) {
		t.Errorf("a video model was found: %v", err)
	}
}

func TestServer_RealAnswers(t *testing.T) {
	for _, file := range []string{"get_system_stats.json", "queue_running_pending.json"} {
		rec := readRaw(t, file)
		c := answering(t, 200, "application/json", rec)
		switch file {
		case "get_system_stats.json":
			if s, err := c.Stats(t.Context()); err != nil || s.Version != "0.10.0" || s.Devices[0].Name != "cpu" || s.RAMTotal != 25276502016 {
				t.Errorf("%+v %v", s, err)
			}
		default:
			if r, p, err := c.Queue(t.Context()); err != nil || r != 1 || p != 3 {
				t.Errorf("%d %d %v", r, p, err)
			}
			for id, want := range map[string]int{"b677b211-816a-466a-ac6e-dbec7772cabf": 1, "509b5c2c-2b9b-4ae5-924a-3d2d9d362ecc": 2, "43a73de2-6810-4775-b8a0-e1d64971ad8f": 3} {
				if w, err := c.find(t.Context(), id); err != nil || w.place != placePending || w.ahead != want {
					t.Errorf("%s: %+v %v, want %d ahead", id, w, err, want)
				}
			}
		}
	}
}

func TestPickCheckpoint(t *testing.T) {
	for _, tt := range []struct {
		names []string
		hint  string
		want  string
	}{
		{nil, "", ""},
		{[]string{"svd_xt.safetensors"}, "", "svd_xt.safetensors"},
		{[]string{"svd_xt.safetensors", "x-inpainting.ckpt", "Juggernaut.safetensors", "a.ckpt"}, "", "Juggernaut.safetensors"},
		{[]string{"a.ckpt", "sub/LTX-2b.safetensors"}, "ltx", "sub/LTX-2b.safetensors"},
		{[]string{"a.ckpt"}, "ltx", ""},
	} {
		if got := PickCheckpoint(tt.names, tt.hint); got != tt.want {
			t.Errorf("%v %q: %q, want %q", tt.names, tt.hint, got, tt.want)
		}
	}
}

func TestChoose(t *testing.T) {
	parse := func(text string) map[string]nodeOutput {
		var out map[string]nodeOutput
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			t.Fatal(err)
		}
		return out
	}
	for _, tt := range []struct {
		outputs string
		video   bool
		want    string
	}{
		{`{"1":{"images":[{"filename":"t.png","type":"temp"}]},"2":{"images":[{"filename":"o.png","type":"output"}]}}`, false, "o.png"},
		{`{"1":{"images":[{"filename":"t.png","type":"temp"}]},"2":{"text":["hello"],"animated":[true]}}`, false, "t.png"},
		{`{"1":{"images":[{"filename":"o.png","type":"output"}]},"2":{"gifs":[{"filename":"v.mp4","type":"output"}]}}`, true, "v.mp4"},
		{`{"1":{"images":[{"filename":"o.png","type":"output"}]},"2":{"gifs":[{"filename":"v.mp4","type":"output"}]}}`, false, "o.png"},
		{`{"1":{"audio":[{"filename":"x.flac","type":"output"}]},"10":{"strange":[{"filename":"b.png","type":"output"}]},"9":{"images":[{"filename":"a.JPG","type":"output"}]}}`, false, "a.JPG"},
	} {
		files, _ := listFiles(parse(tt.outputs))
		if best, same := chooseOutput(files, tt.video); best.Filename != tt.want || len(same) != 1 {
			t.Errorf("%s: %q of %d, want %q", tt.outputs, best.Filename, len(same), tt.want)
		}
	}
	for in, want := range map[string]string{"../../a.png": "a.png", `..\b.png`: "b.png", "a\x1b[2J.png": "a[2J.png", "": ""} {
		if got := showName(in); got != want {
			t.Errorf("showName(%q) = %q", in, got)
		}
	}
}
