package comfy

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// capture is recorded traffic of a real server.
type capture struct {
	Request  json.RawMessage   `json:"request"` // of a refused prompt
	Status   int               `json:"status"`
	Response json.RawMessage   `json:"response"`
	Post     json.RawMessage   `json:"post_response"`
	History  json.RawMessage   `json:"history"`
	Socket   []json.RawMessage `json:"ws"`

	id    string
	graph json.RawMessage
	frame []byte
}

func readCapture(t *testing.T, name string) *capture {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	var c capture
	if err := json.Unmarshal(data, &c); err != nil {
		t.Fatal(err)
	}
	c.frame, _ = os.ReadFile(filepath.Join("testdata", strings.TrimSuffix(name, ".json")+".preview.bin"))
	if c.History != nil {
		var entries map[string]struct{ Prompt []json.RawMessage }
		if err := json.Unmarshal(c.History, &entries); err != nil {
			t.Fatal(err)
		}
		for id, e := range entries {
			c.id, c.graph = id, e.Prompt[2]
		}
	}
	return &c
}

// stage replays one captured run.
type stage struct {
	*capture
	cutAt    int  // close the socket after that many messages, 0 never
	noReturn bool // refuse further sockets after the cut
	lag      int  // how often history is empty at first

	mu     sync.Mutex
	id     string // under which the job was submitted
	posted chan struct{}
	over   bool
	cut    bool
	asked  []string // what was asked of /view
	origin []string
	first  string // first message of the client
	extra  map[string]any
}

func play(t *testing.T, s *stage) *Client {
	t.Helper()
	s.posted = make(chan struct{})
	m := http.NewServeMux()
	m.HandleFunc("/ws", s.ws)
	m.HandleFunc("POST /prompt", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			ID    string         `json:"prompt_id"`
			Extra map[string]any `json:"extra_data"`
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		s.mu.Lock()
		s.id, s.extra = body.ID, body.Extra
		s.mu.Unlock()
		_, _ = w.Write(s.mine(s.Post))
		close(s.posted)
	})
	m.HandleFunc("GET /history/{id}", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		ready := s.over && s.lag == 0
		if s.lag > 0 {
			s.lag--
		}
		s.mu.Unlock()
		if !ready {
			_, _ = w.Write([]byte("{}"))
			return
		}
		_, _ = w.Write(s.mine(s.History))
	})
	m.HandleFunc("GET /queue", func(w http.ResponseWriter, _ *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.over || s.id == "" {
			_, _ = w.Write([]byte(`{"queue_running":[],"queue_pending":[]}`))
			return
		}
		_, _ = fmt.Fprintf(w, `{"queue_running":[[1,%q,{},{},[]]],"queue_pending":[]}`, s.id)
	})
	m.HandleFunc("GET /view", func(w http.ResponseWriter, r *http.Request) { s.view(t, w, r) })
	server := httptest.NewServer(m)
	t.Cleanup(server.Close)
	c, err := New(server.URL, WithPoll(20*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// heard returns what the client asked for and told. The client may still be coming back
// with a socket that was cut when its job has long ended.
func (s *stage) heard() (asked, origin []string, first string, extra map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked), slices.Clone(s.origin), s.first, s.extra
}

// mine puts the id of this run in place of the captured one.
func (s *stage) mine(data []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	return bytes.ReplaceAll(data, []byte(s.capture.id), []byte(s.id))
}

func (s *stage) view(t testing.TB, w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	s.mu.Lock()
	s.asked = append(s.asked, q.Get("type")+"/"+q.Get("subfolder")+"/"+q.Get("filename"))
	s.mu.Unlock()
	_, _ = w.Write(sample(t, path.Ext(q.Get("filename"))))
}

// sample returns a small file of that kind, or the beginning of one.
func sample(t testing.TB, ext string) []byte {
	switch ext {
	case ".png":
		return pictureAs(t, "png")
	case ".webp":
		return []byte("RIFF\x08\x00\x00\x00WEBPVP8 ")
	case ".gif":
		return pictureAs(t, "gif")
	case ".mp4":
		return []byte("\x00\x00\x00\x10ftypisom....\x00\x00\x00\x08moov")
	case ".webm":
		return []byte("\x1a\x45\xdf\xa3\x82hi\x18\x53\x80\x67\x82ok")
	}
	return []byte("who knows")
}

func (s *stage) ws(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.origin = append(s.origin, r.Header.Get("Origin"))
	gone := s.cut && s.noReturn
	s.mu.Unlock()
	if gone {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = conn.CloseNow() }()
	ctx, cancel := context.WithTimeout(r.Context(), 2*time.Minute)
	defer cancel()
	if _, data, err := conn.Read(ctx); err == nil {
		s.mu.Lock()
		if s.first == "" {
			s.first = string(data)
		}
		s.mu.Unlock()
	}
	ctx = conn.CloseRead(ctx)
	s.mu.Lock()
	again := s.cut
	s.mu.Unlock()
	if !again {
		s.send(ctx, conn)
	}
	<-ctx.Done()
}

func (s *stage) send(ctx context.Context, conn *websocket.Conn) {
	for i, m := range s.Socket {
		var head struct {
			Type   string `json:"type"`
			Binary int    `json:"_binary"`
			Hello  string `json:"_"`
		}
		_ = json.Unmarshal(m, &head)
		if i == 2 {
			select {
			case <-s.posted:
			case <-ctx.Done():
				return
			}
		}
		s.mu.Lock()
		s.over = s.over || i == s.cutAt
		s.cut = s.cut || (i > 0 && i == s.cutAt)
		cut := s.cut
		s.mu.Unlock()
		switch {
		case cut:
			_ = conn.CloseNow()
			return
		case head.Hello != "":
		case head.Binary > 0:
			_ = conn.Write(ctx, websocket.MessageBinary, s.mine(s.frame))
		default:
			_ = conn.Write(ctx, websocket.MessageText, s.mine(m))
		}
	}
	// The history must not be quicker than the socket, or the client has its end while it
	// still reads how it came to it. Who answers has read all that was sent before.
	_ = conn.Ping(ctx) // a client that has left needs nothing more
	s.mu.Lock()
	s.over = true
	s.mu.Unlock()
}

func TestReplay_Outputs(t *testing.T) {
	for _, tt := range []struct {
		file, asked, format string
		video               bool
		warning             string
	}{
		{"run_ok_emptyimage.json", "output//lab_00001_.png", "png", false, ""},
		{"v0.3.64/run_ok_emptyimage.json", "output//lab_00001_.png", "png", false, ""},
		{"run_cached_repeat.json", "output//lab_00001_.png", "png", false, ""},
		{"v0.3.64/run_cached_repeat.json", "output//lab_00001_.png", "png", false, ""},
		{"run_ksampler_preview.json", "output//ks_00001_.png", "png", false, ""},
		{"run_ksampler_preview_meta.json", "output//ks_00002_.png", "png", false, ""},
		{"run_ksampler_preview_none.json", "output//ks_00003_.png", "png", false, ""},
		{"run_png_metadata.json", "output//lab_00010_.png", "png", false, ""},
		{"batch_SaveImage.json", "output//batch_00001_.png", "png", false, ""},
		{"video_SaveAnimatedPNG.json", "output//anim_00002_.png", "png", true, ""},
		{"video_SaveAnimatedWEBP.json", "output//anim_00001_.webp", "webp", true, ""},
		{"video_SaveVideo.json", "output/video/ComfyUI_00001_.mp4", "mp4", true, ""},
		{"video_SaveWEBM.json", "output//webm_00001_.webm", "webm", true, ""},
		{"video_VHS_gif_temp.json", "temp//vhs_00001.gif", "gif", true, ""},
		{"video_VHS_mp4.json", "output//vhs_00001.mp4", "mp4", true, ""},
	} {
		for _, cut := range []int{0, 6} {
			t.Run(fmt.Sprintf("%s cut %d", tt.file, cut), func(t *testing.T) {
				s := &stage{capture: readCapture(t, tt.file), cutAt: cut, noReturn: cut%4 == 0}
				c := play(t, s)
				out, err := c.Run(t.Context(), Job{Graph: s.graph, Video: tt.video}, nil)
				if err != nil {
					t.Fatalf("%v: %s", err, ErrorText(err))
				}
				asked, origin, first, extra := s.heard()
				if len(asked) != 1 || asked[0] != tt.asked || out.Format != tt.format || out.Filename != path.Base(tt.asked) {
					t.Errorf("fetched %v, got %s %q; want %s as %s", asked, out.Format, out.Filename, tt.asked, tt.format)
				}
				if got := strings.Join(out.Warnings, "|"); !strings.Contains(got, tt.warning) || (tt.warning == "" && got != "") {
					t.Errorf("warnings %q, want %q", got, tt.warning)
				}
				if !strings.Contains(first, "supports_preview_metadata") || origin[0] != "" {
					t.Errorf("first message %q, origin %q", first, origin)
				}
				if extra["preview_method"] != "auto" {
					t.Errorf("previews were not asked for: %v", extra)
				}
			})
		}
	}
}

func TestReplay_Progress(t *testing.T) {
	for _, file := range []string{"run_ksampler_preview.json", "run_ksampler_preview_meta.json"} {
		s := &stage{capture: readCapture(t, file)}
		c := play(t, s)
		c.intervals.connected, c.intervals.pingAfter = time.Minute, time.Minute // a slow machine must not look the job up in between
		previews := 0
		var steps []string
		_, err := c.Run(t.Context(), Job{Graph: s.graph}, func(p Progress) {
			if p.Preview != nil {
				if imageType(p.Preview) != "jpeg" {
					t.Error("a preview is no JPEG")
				}
				previews++
			} else if p.Node == "3" {
				steps = append(steps, fmt.Sprintf("%s %d/%d", p.NodeTitle, p.Step, p.Of))
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		want := "KSampler 0/0 KSampler 1/4 KSampler 2/4 KSampler 3/4 KSampler 4/4"
		if got := strings.Join(steps, " "); got != want || previews != 4 {
			t.Errorf("%s: %d previews, steps %s; want 4, %s", file, previews, got, want)
		}
	}
}

func TestReplay_WebsocketImage(t *testing.T) {
	s := &stage{capture: readCapture(t, "image_SaveImageWebsocket.json")}
	out, err := play(t, s).Run(t.Context(), Job{Graph: s.graph}, nil)
	if err != nil || out.Format != "png" || len(out.Data) != len(s.frame)-8 {
		t.Fatalf("%v, %s with %d bytes", err, out.Format, len(out.Data))
	}
}

func TestReplay_HistoryLags(t *testing.T) {
	s := &stage{capture: readCapture(t, "run_ok_emptyimage.json"), lag: 1}
	if _, err := play(t, s).Run(t.Context(), Job{Graph: s.graph}, nil); err != nil {
		t.Fatal(err)
	}
	// A server that forgets its history at once: the socket told enough.
	s = &stage{capture: readCapture(t, "run_ok_emptyimage.json"), lag: 100}
	out, err := play(t, s).Run(t.Context(), Job{Graph: s.graph}, nil)
	if err != nil || out.Filename != "lab_00001_.png" {
		t.Fatalf("%v, %q", err, out.Filename)
	}
}

func TestReplay_Failures(t *testing.T) {
	for _, tt := range []struct {
		file  string
		is    error
		words string
	}{
		{"run_error_OOM.json", ErrFailed, "ran out of memory in LabRaise (node 2)"},
		{"run_error_ValueError.json", ErrFailed, "The workflow failed in LabRaise (node 2) with ValueError: lab: simulated failure."},
		{"run_interrupted.json", ErrInterrupted, "interrupted on the ComfyUI server"},
		{"run_interrupt_uncooperative.json", ErrInterrupted, "interrupted on the ComfyUI server"},
		{"run_text_primitives.json", ErrNoOutput, "produced no picture"},
		{"v0.3.64/run_text_primitives.json", ErrNoOutput, "produced no picture"},
		{"audio_SaveAudio.json", ErrNoOutput, `"x_00001_.flac"`},
	} {
		for _, cut := range []int{0, 5} { // told by the socket, and by history alone
			s := &stage{capture: readCapture(t, tt.file), cutAt: cut, noReturn: true}
			out, err := play(t, s).Run(t.Context(), Job{Graph: s.graph}, nil)
			asked, _, _, _ := s.heard()
			if !strings.Contains(ErrorText(err), tt.words) || out.Data != nil || len(asked) > 0 {
				t.Errorf("%s cut %d: %q, %d bytes, fetched %v; want %q", tt.file, cut, ErrorText(err), len(out.Data), asked, tt.words)
			}
			if !errorsIs(err, tt.is) {
				t.Errorf("%s: %v is not %v", tt.file, err, tt.is)
			}
		}
	}
}
