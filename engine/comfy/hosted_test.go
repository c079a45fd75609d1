package comfy

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/ghostlight-theatre/ghostlight/engine/demo"
)

// A hosted server requires a token with every request, the socket's as well. Without one it
// is said what is wrong, and no error tells the token.
func TestRun_HostedWithAToken(t *testing.T) {
	t.Parallel()
	f := demo.NewComfy(demo.ComfyOptions{StepDelay: -1, Token: "s3cret-of-mine"})
	server := httptest.NewServer(f)
	t.Cleanup(func() { _ = f.Close(); server.Close() })
	client := func(headers map[string]string) *Client {
		c, err := New(server.URL, WithPoll(25*time.Millisecond), WithMaxAway(5*time.Second), WithHeaders(headers))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	sockets := f.Answered("GET /ws")
	previews := 0
	out, err := client(map[string]string{"authorization": "Bearer s3cret-of-mine"}).Run(t.Context(), Job{Graph: small(t, 1)}, func(p Progress) {
		if p.Preview != nil {
			previews++
		}
	})
	if err != nil || out.Format != "png" || previews == 0 || f.Answered("GET /ws") == sockets {
		t.Fatalf("%v, %q, %d previews", err, out.Format, previews)
	}
	for _, headers := range []map[string]string{nil, {"Authorization": "Bearer wrong-s3cret"}} {
		_, err := client(headers).Run(t.Context(), Job{Graph: small(t, 2)}, nil)
		words := ErrorText(err)
		if !errors.Is(err, ErrDenied) || !strings.Contains(words, "requires a token") || !strings.Contains(words, "comfyui.headers") {
			t.Errorf("%v: %q", err, words)
		}
		if strings.Contains(words+err.Error(), "s3cret") {
			t.Errorf("the token is told: %v", err)
		}
	}
}

// A server that goes away in the middle of a job without a word is soon said to be away,
// and its return as well.
func TestRun_AwayIsSaid(t *testing.T) {
	t.Parallel()
	if p := defaultIntervals(); p.poll+p.answer > 5*time.Second || p.pingAfter+p.answer > 5*time.Second {
		t.Errorf("an absence is said after more than 5 s: %+v", p)
	}
	f, c := startServer(t, demo.ComfyOptions{StepDelay: 5 * time.Millisecond})
	c.intervals.pingAfter, c.intervals.answer = 20*time.Millisecond, 100*time.Millisecond
	var told []bool
	gone := false
	out, err := c.Run(t.Context(), Job{Graph: small(t, 5)}, func(p Progress) {
		switch {
		case p.Step == 2 && !gone:
			gone = true
			f.SetFaults(demo.ComfyFaults{Silent: true})
		case gone && (len(told) == 0 || p.Offline != told[len(told)-1]):
			told = append(told, p.Offline)
			if p.Offline {
				f.SetFaults(demo.ComfyFaults{})
			}
		}
	})
	if err != nil || out.Format != "png" {
		t.Errorf("it came back: %v", err)
	}
	if !slices.Contains(told, true) || told[len(told)-1] { // a slow machine may see it go away twice
		t.Errorf("it is said to be away: %v", told)
	}
}

// What the server remembers of an equal graph is painted again where its file was tidied
// away, under an id of which the caller hears.
func TestRun_TidiedIsPaintedAnew(t *testing.T) {
	t.Parallel()
	f, c := startServer(t, flat())
	first, err := c.Run(t.Context(), Job{Graph: small(t, 7)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Run(t.Context(), Job{Graph: small(t, 7)}, nil)
	if err != nil || !bytes.Equal(first.Data, again.Data) {
		t.Fatalf("an equal graph: %v, the same file %v", err, bytes.Equal(first.Data, again.Data))
	}
	f.Tidy()
	var ids []string
	job := Job{Graph: small(t, 7), PromptID: uuid.NewString(), Submitted: func(id string) { ids = append(ids, id) }}
	anew, err := c.Run(t.Context(), job, nil)
	if err != nil || anew.Format != "png" || anew.Filename == first.Filename {
		t.Fatalf("%v, %q", err, anew.Filename)
	}
	if len(ids) != 2 || ids[0] != job.PromptID || ids[1] == ids[0] || ids[1][:9] != ids[0][:9] || anew.PromptID != ids[1] {
		t.Errorf("sent as %q, painted as %q", ids, anew.PromptID)
	}
	// So it is where another node gives the file's name.
	linked := json.RawMessage(strings.Replace(string(bytes.Replace(small(t, 11), []byte(`"filename_prefix":"`), []byte(`"filename_prefix":["99",0],"was":"`), 1)), "{",
		`{"99":{"class_type":"PrimitiveStringMultiline","inputs":{"value":"lamp"}},`, 1))
	if _, err = c.Run(t.Context(), Job{Graph: linked}, nil); err != nil {
		t.Fatal(err)
	}
	f.Tidy()
	if anew, err = c.Run(t.Context(), Job{Graph: linked}, nil); err != nil || anew.Format != "png" {
		t.Errorf("with its name from another node: %v", err)
	}
	// One that was really made and has no file is no reason to paint again and again.
	f.SetFaults(demo.ComfyFaults{Script: func(place string, _ int) demo.ComfyFault {
		return map[string]demo.ComfyFault{"save": demo.ComfyNoFile}[place]
	}})
	if _, err := c.Run(t.Context(), Job{Graph: small(t, 8)}, nil); !errors.Is(err, ErrNoOutput) || f.Answered("POST /prompt") != 1 {
		t.Errorf("%v after %d prompts", err, f.Answered("POST /prompt"))
	}
}

// All pictures of a batch can be had, each once.
func TestRun_ABatch(t *testing.T) {
	t.Parallel()
	_, c := startServer(t, flat())
	graph := json.RawMessage(bytes.Replace(small(t, 9), []byte(`"batch_size":1`), []byte(`"batch_size":3`), 1))
	out, err := c.Run(t.Context(), Job{Graph: graph}, nil)
	if err != nil || len(out.Extra) != 2 || len(out.Warnings) > 0 {
		t.Fatalf("%v, %d more, %q", err, len(out.Extra), out.Warnings)
	}
	names := map[string]bool{out.Filename: true}
	for _, m := range out.Extra {
		file, err := c.Fetch(t.Context(), m, Spool{})
		if err != nil || file.Format != "png" || file.Filename != m.Filename() {
			t.Errorf("%v, %q", err, file.Filename)
		}
		names[file.Filename] = true
	}
	if len(names) != 3 {
		t.Errorf("the files are %v", names)
	}
}

// A job that is resumed tells how long the server has worked on it, not how long it was
// waited for here.
func TestRun_ResumedTime(t *testing.T) {
	t.Parallel()
	_, c := startServer(t, demo.ComfyOptions{StepDelay: 30 * time.Millisecond})
	job := Job{Graph: small(t, 11), PromptID: uuid.NewString()}
	out, err := c.Run(t.Context(), job, nil)
	if err != nil || out.Took < 6*30*time.Millisecond {
		t.Fatalf("%v, it took %v", err, out.Took)
	}
	job.Resume = true
	again, err := c.Run(t.Context(), job, nil)
	if err != nil || again.Took != out.Took {
		t.Errorf("%v, resumed it took %v, at first %v", err, again.Took, out.Took)
	}
}

// largePNG returns a small picture with a chunk that nobody reads, so that its file is large.
func largePNG(t *testing.T, size int) []byte {
	t.Helper()
	data := dot(t, 4)
	body := make([]byte, size)
	chunk := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	chunk = append(append(chunk, "prVt"...), body...)
	chunk = binary.BigEndian.AppendUint32(chunk, crc32.ChecksumIEEE(chunk[4:]))
	const head = 8 + 25
	return append(append(bytes.Clone(data[:head]), chunk...), data[head:]...)
}

// A file that is too large for memory goes to the disk, and is named with where it lies
// where there is no place for it.
func TestFetch_LargeFiles(t *testing.T) {
	t.Parallel()
	data := largePNG(t, maxImage+1000)
	cut := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		whole := data
		if cut {
			whole = data[:len(data)-20]
		}
		if r.URL.Query().Get("filename") == "endless.png" {
			w.Header().Set("Content-Length", fmt.Sprint(int64(maxSpool)+1))
			return
		}
		if r.URL.Query().Get("subfolder") == "unsized" {
			w.(http.Flusher).Flush()
		}
		_, _ = w.Write(whole)
	}))
	defer server.Close()
	c, err := New(server.URL, WithPoll(time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"", "unsized"} {
		spool := filepath.Join(t.TempDir(), "part")
		out, err := c.Fetch(t.Context(), ExtraFile{outputFile{Filename: "large.png", Subfolder: sub}}, Spool{Path: spool})
		if err != nil || out.Path != spool || out.Data != nil || out.Format != "png" {
			t.Fatalf("%v, %q, %d bytes, %q", err, out.Path, len(out.Data), out.Format)
		}
		if got, err := os.ReadFile(spool); err != nil || !bytes.Equal(got, data) {
			t.Errorf("%v, the file is another one", err)
		}
	}
	var fetch *FetchError
	_, err = c.Fetch(t.Context(), ExtraFile{outputFile{Filename: "large.png", Subfolder: "x"}}, Spool{})
	if !errors.As(err, &fetch) || !strings.Contains(ErrorText(err), `still on the ComfyUI server, in its output folder, as "large.png"`) {
		t.Errorf("without a place: %v, %q", err, ErrorText(err))
	}
	_, err = c.Fetch(t.Context(), ExtraFile{outputFile{Filename: "large.png"}}, Spool{Path: filepath.Join(t.TempDir(), "no", "folder")})
	if !errors.As(err, &fetch) || !strings.Contains(ErrorText(err), "could not be saved here") || strings.Contains(ErrorText(err), t.TempDir()) {
		t.Errorf("without a folder: %v, %q", err, ErrorText(err))
	}
	cut = true
	spool := filepath.Join(t.TempDir(), "part")
	_, err = c.Fetch(t.Context(), ExtraFile{outputFile{Filename: "large.png"}}, Spool{Path: spool})
	if _, gone := os.Stat(spool); !errors.As(err, &fetch) || !strings.Contains(ErrorText(err), "is incomplete") || !os.IsNotExist(gone) {
		t.Errorf("cut off: %v, %v", err, gone)
	}
	_, err = c.Fetch(t.Context(), ExtraFile{outputFile{Filename: "endless.png"}}, Spool{Path: spool})
	if !errors.As(err, &fetch) || !strings.Contains(ErrorText(err), "limit of 2048 MB") {
		t.Errorf("too large for anything: %v", err)
	}
}

// A job of another process is taken off the server, whether it waits or runs, and no
// other one.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	_, c := startServer(t, demo.ComfyOptions{StepDelay: time.Millisecond, Faults: demo.ComfyFaults{Hang: true}})
	ids := []string{uuid.NewString(), uuid.NewString(), uuid.NewString()}
	ctx, leave := context.WithCancelCause(t.Context())
	var all sync.WaitGroup
	for i, id := range ids {
		sent := make(chan struct{})
		all.Go(func() {
			_, _ = c.Run(ctx, Job{Graph: small(t, int64(50+i)), PromptID: id, Submitted: func(string) { close(sent) }}, nil)
		})
		<-sent
	}
	leave(ErrJobLeft)
	all.Wait()
	for i, want := range []string{ids[0], ids[2]} { // the one that runs, and the last one that waits
		if err := c.Withdraw(t.Context(), want); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
	q, err := c.queue(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range append(q.Running, q.Pending...) {
		if it.ID != ids[1] {
			t.Errorf("%s is still there", it.ID)
		}
	}
	if w, err := c.find(t.Context(), ids[1]); err != nil || w.place != placeRunning {
		t.Errorf("the one between: %+v, %v", w, err)
	}
	for _, id := range []string{ids[0], ids[1]} {
		if err := c.Withdraw(t.Context(), id); err != nil {
			t.Errorf("%v", err)
		}
	}
	if err := c.Withdraw(t.Context(), "x"); err == nil {
		t.Error("an id that is none is taken")
	}
}

// The key for nodes of vendors goes with the job, and comes back in no error.
func TestRun_Key(t *testing.T) {
	t.Parallel()
	var sent map[string]string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/prompt" {
			http.NotFound(w, r)
			return
		}
		var body struct {
			Extra map[string]string `json:"extra_data"`
		}
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
			t.Error(err)
		}
		sent = body.Extra
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"type":"x","message":"the key comfyui-s3cret is wrong","details":"comfyui-s3cret"},"node_errors":{}}`)
	}))
	defer server.Close()
	c, err := New(server.URL, WithKey("comfyui-s3cret"))
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = c.submit(t.Context(), Job{Graph: small(t, 2), PromptID: "x", NoPreview: true}, "me")
	if sent["api_key_comfy_org"] != "comfyui-s3cret" || len(sent) != 1 {
		t.Errorf("sent: %v", sent)
	}
	if err == nil || strings.Contains(err.Error()+ErrorText(err), "s3cret") || !strings.Contains(ErrorText(err), "is wrong") {
		t.Errorf("%v: %s", err, ErrorText(err))
	}
	refused := &RunError{Node: "1", Message: "Unauthorized: Please login first to use this node."}
	if !strings.Contains(ErrorText(refused), "comfyui.api_key") {
		t.Errorf("%s", ErrorText(refused))
	}
}
