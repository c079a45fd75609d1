package comfy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// finishing returns a client of a server that takes every job and has finished it at
// once. history answers with id for the job's id; view gives the file out.
func finishing(t *testing.T, patience time.Duration, history func(w http.ResponseWriter, id string), view http.HandlerFunc) *Client {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /prompt", func(w http.ResponseWriter, r *http.Request) {
		var job struct {
			ID string `json:"prompt_id"`
		}
		if err := json.NewDecoder(r.Body).Decode(&job); err != nil {
			t.Error(err)
		}
		_, _ = fmt.Fprintf(w, `{"prompt_id":%q,"number":1,"node_errors":{}}`, job.ID)
	})
	mux.HandleFunc("GET /queue", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprint(w, `{"queue_running":[],"queue_pending":[]}`)
	})
	mux.HandleFunc("GET /history/{id}", func(w http.ResponseWriter, r *http.Request) { history(w, r.PathValue("id")) })
	if view != nil {
		mux.HandleFunc("GET /view", view)
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	c, err := New(server.URL, WithPoll(5*time.Millisecond), WithMaxAway(patience))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func painted(w http.ResponseWriter, id string) {
	_, _ = fmt.Fprintf(w, `{%q:{"outputs":{"9":{"images":[{"filename":"o.png","type":"output"}]}},"status":{"status_str":"success","completed":true,"messages":[]}}}`, id)
}

const (
	oneNode = `{"1":{"class_type":"SaveImage","inputs":{}}}`
	filled  = `{"1":{"class_type":"CLIPTextEncode","inputs":{"text":"{{prompt}}"}},"2":{"class_type":"KSampler","inputs":{"seed":"{{seed}}","positive":["1",0],"negative":["1",0]}}}`
)

func TestRun_NonsenseInHistory(t *testing.T) {
	for _, tt := range []struct {
		name, body string // %s is the job's id
		status     int
		is         error
		most       int32 // how often it may be asked
		words      string
	}{
		{"web page", "<html>hello", 200, ErrNotComfy, 3, "answers /history with a web page"},
		{"a list", "[]", 200, ErrNotComfy, 3, "answers /history with something else"},
		{"another shape", `{"%s":[1]}`, 200, ErrNotComfy, 3, "something else"},
		{"odd status", `{"%s":{"outputs":{},"status":"fine"}}`, 200, ErrNotComfy, 3, "something else"},
		{"errors", "Server got itself in trouble", 500, ErrUnreachable, 1000, "has an internal problem: it answered /history with status 500. See its log"},
		{"gateway", "<html>bad gateway", 502, ErrUnreachable, 1000, "gateway"},
		{"odd outputs", `{"%s":{"outputs":{"8":[1],"9":{"images":"x"}},"status":{"status_str":"success","completed":true}}}`, 200, ErrNoOutput, 1, "produced no picture"},
		{"outputs are a list", `{"%s":{"outputs":[],"status":{"status_str":"success","completed":true}}}`, 200, ErrNoOutput, 1, "produced no picture"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			patience := time.Minute
			if tt.status >= 500 {
				patience = 30 * time.Millisecond
			}
			var asked atomic.Int32
			c := finishing(t, patience, func(w http.ResponseWriter, id string) {
				asked.Add(1)
				w.WriteHeader(tt.status)
				_, _ = fmt.Fprint(w, strings.ReplaceAll(tt.body, "%s", id))
			}, nil)
			_, err := c.Run(t.Context(), Job{Graph: json.RawMessage(oneNode)}, nil)
			if !errors.Is(err, tt.is) || !strings.Contains(ErrorText(err), tt.words) {
				t.Errorf("%v: %q", err, ErrorText(err))
			}
			if n := asked.Load(); n > tt.most {
				t.Errorf("asked %d times, want at most %d", n, tt.most)
			}
		})
	}
}

func TestRun_NonsenseThatPasses(t *testing.T) {
	var asked atomic.Int32
	c := finishing(t, time.Minute, func(w http.ResponseWriter, id string) {
		switch n := asked.Add(1); {
		case n <= 2:
			_, _ = fmt.Fprint(w, "<html>starting up")
		case n == 3:
			w.WriteHeader(500)
		default:
			painted(w, id)
		}
	}, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(pictureAs(t, "png")) })
	if out, err := c.Run(t.Context(), Job{Graph: json.RawMessage(oneNode)}, nil); err != nil || out.Format != "png" {
		t.Error(err)
	}
}

// pictureAs returns a small picture in one of the formats.
func pictureAs(t testing.TB, format string) []byte {
	t.Helper()
	img := image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{color.Black, color.White})
	var b bytes.Buffer
	var err error
	switch format {
	case "png":
		err = png.Encode(&b, img)
	case "jpeg":
		err = jpeg.Encode(&b, img, nil)
	case "gif":
		err = gif.Encode(&b, img, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRun_FileDoesNotCome(t *testing.T) {
	whole := pictureAs(t, "png")
	const there = `still on the ComfyUI server, in its output folder, as "o.png"`
	cut := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100000")
		_, _ = w.Write(whole)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
	for _, tt := range []struct {
		name  string
		view  http.HandlerFunc
		is    error
		tries int32
		words []string
	}{
		{"cut off for good", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(whole[:40]) }, ErrNoOutput, 3,
			[]string{"The picture is damaged: its file is incomplete.", there}},
		{"empty", func(http.ResponseWriter, *http.Request) {}, ErrNoOutput, 3, []string{"The picture is damaged: its file is empty.", there}},
		{"another file", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "hello") }, ErrNoOutput, 3, []string{"does not match its name", there}},
		{"web page", func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, "<html>") }, ErrNotComfy, 3, []string{"the server sent a web page instead", there}},
		{"gone", http.NotFound, ErrNoOutput, 1, []string{"no longer has its file"}},
		{"too large", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "3000000000")
			_, _ = w.Write(whole)
		}, ErrNoOutput, 1, []string{"The picture is larger than the limit of 64 MB", there}},
		{"connection lost", cut, ErrUnreachable, 3, []string{"the connection was lost during the download", there}},
		{"server in trouble", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, ErrUnreachable, 3, []string{"refused to send it (status 500)", there}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var tries atomic.Int32
			c := finishing(t, time.Minute, painted, func(w http.ResponseWriter, r *http.Request) {
				tries.Add(1)
				tt.view(w, r)
			})
			_, err := c.Run(t.Context(), Job{Graph: json.RawMessage(oneNode)}, nil)
			if !errors.Is(err, tt.is) {
				t.Errorf("%v, want %v", err, tt.is)
			}
			for _, w := range tt.words {
				if !strings.Contains(ErrorText(err), w) {
					t.Errorf("words %q lack %q", ErrorText(err), w)
				}
			}
			if strings.Contains(ErrorText(err), "Save Image") {
				t.Errorf("bad advice: %q", ErrorText(err))
			}
			if n := tries.Load(); n != tt.tries {
				t.Errorf("asked %d times, want %d", n, tt.tries)
			}
		})
	}
	t.Run("comes after a restart", func(t *testing.T) {
		var tries atomic.Int32
		c := finishing(t, time.Minute, painted, func(w http.ResponseWriter, _ *http.Request) {
			if tries.Add(1) < 9 {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			_, _ = w.Write(whole)
		})
		if out, err := c.Run(t.Context(), Job{Graph: json.RawMessage(oneNode)}, nil); err != nil || !bytes.Equal(out.Data, whole) {
			t.Errorf("%v after %d tries", err, tries.Load())
		}
	})
	t.Run("comes at last", func(t *testing.T) {
		var tries atomic.Int32
		c := finishing(t, time.Minute, painted, func(w http.ResponseWriter, r *http.Request) {
			if tries.Add(1) < 3 {
				cut(w, r)
			}
			_, _ = w.Write(whole)
		})
		out, err := c.Run(t.Context(), Job{Graph: json.RawMessage(oneNode)}, nil)
		if err != nil || !bytes.Equal(out.Data, whole) {
			t.Error(err)
		}
	})
}

func TestComplete(t *testing.T) {
	for _, format := range []string{"png", "jpeg", "gif"} {
		data := pictureAs(t, format)
		if !isComplete(format, data) {
			t.Errorf("%s: a whole picture counts as broken", format)
		}
		for n := 12; n < len(data)-8; n++ {
			if imageType(data[:n]) == format && isComplete(format, data[:n]) && data[n-1] != ';' {
				t.Errorf("%s: %d of %d bytes count as whole", format, n, len(data))
			}
		}
	}
	webp := []byte("RIFF\x08\x00\x00\x00WEBPxxxx")
	if !isComplete("webp", webp) || isComplete("webp", webp[:12]) {
		t.Error("webp")
	}
}

func TestUnreachable_PlainWords(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	server.Close()
	c, err := New(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Stats(t.Context())
	want := "ComfyUI cannot be reached at " + c.base.Host + ": nothing is listening there. Check that ComfyUI is running and that its address is right."
	if got := ErrorText(err); got != want || !errors.Is(err, ErrUnreachable) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestLoadWorkflows_Links(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, p := range []string{filepath.Join(dir, "real.json"), filepath.Join(outside, "other.json")} {
		if err := os.WriteFile(p, []byte(filled), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, target := range map[string]string{
		"relative.json": "real.json", "absolute.json": filepath.Join(dir, "real.json"),
		"out.json": filepath.Join(outside, "other.json"), "lost.json": "nowhere.json", "ring.json": "ring.json",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip(err)
		}
	}
	list, errs := LoadWorkflows(dir)
	found := map[string]bool{}
	for _, w := range list {
		found[w.Name] = true
	}
	if !found["real"] || !found["relative"] || !found["absolute"] || found["out"] {
		t.Errorf("found %v, %v", found, errs)
	}
	faults := map[string]string{}
	for _, err := range errs {
		var bad *WorkflowError
		if !errors.As(err, &bad) {
			t.Errorf("%v", err)
			continue
		}
		faults[bad.Name] = ErrorText(err)
	}
	for name, want := range map[string]string{
		"out":  `Workflow "out": out.json is a link to a file outside the workflow folder: copy the file itself there.`,
		"lost": `Workflow "lost": lost.json is a link to a file that does not exist.`,
		"ring": `Workflow "ring": ring.json is a link that cannot be followed.`,
	} {
		if faults[name] != want {
			t.Errorf("got  %s\nwant %s", faults[name], want)
		}
	}
	if len(faults) != 3 {
		t.Errorf("faults: %v", faults)
	}
}
